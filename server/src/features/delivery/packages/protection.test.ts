/** Package protection rules: their API, and who is kept from publishing and deleting. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;

let world: World;
let project: TestProject;
let maintainer: Account;
let developer: Account;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  maintainer = await member(Level.maintainer);
  developer = await member(Level.developer);
});
afterAll(() => world.close());

async function member(level: Level): Promise<Account> {
  const account = await world.account();
  const json = { user_id: account.user.id, access_level: level };
  const added = await world.app.api('POST', `/projects/${project.id}/members`, { token: world.owner.token, json });
  expect(added.status).toBe(201);
  return account;
}
const rules = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', json?: Json, id?: unknown, as: Account = maintainer) =>
  world.app.api<Json>(method, `/projects/${project.id}/packages/protection/rules${id ? `/${String(id)}` : ''}`, {
    token: as.token,
    ...(json ? { json } : {}),
  });
async function publish(name: string, headers: Readonly<Record<string, string>>) {
  const url = `${world.app.url}/api/v4/projects/${project.id}/packages/generic/${name}/1.0/a.txt?select=package_file`;
  const answer = await fetch(url, { method: 'PUT', body: 'x', headers });
  return { status: answer.status, body: (await answer.json()) as Json };
}
const by = (account: Account) => ({ 'PRIVATE-TOKEN': account.token });
async function deployToken() {
  const { body } = await world.app.api<{ token: string }>('POST', `/projects/${project.id}/deploy_tokens`, {
    token: world.owner.token,
    json: { name: unique('token'), scopes: ['write_package_registry'] },
  });
  return { 'DEPLOY-TOKEN': body.token };
}

describe('package protection rules', () => {
  it('are made, listed, changed and removed by maintainers', async () => {
    const pattern = unique('tool-*');
    const wanted = { package_name_pattern: pattern, package_type: 'generic', minimum_access_level_for_push: 'owner' };
    const made = await rules('POST', wanted);
    const whole = { ...wanted, id: made.body.id, project_id: project.id, minimum_access_level_for_delete: null };
    expect([made.status, made.body]).toEqual([201, whole]);
    expect((await rules('GET')).body).toEqual([whole]);
    expect(await rules('POST', wanted)).toMatchObject({
      status: 422,
      body: { message: { error: ['Package name pattern has already been taken'] } },
    });
    const changed = { minimum_access_level_for_push: null, minimum_access_level_for_delete: 'admin' };
    expect((await rules('PATCH', changed, made.body.id)).body).toEqual({ ...whole, ...changed });
    expect((await rules('PATCH', { minimum_access_level_for_delete: null }, made.body.id)).status).toBe(422);
    expect((await rules('POST', { package_name_pattern: 'x', package_type: 'generic' })).status).toBe(422);
    expect((await rules('POST', { ...wanted, package_type: 'tarball' })).status).toBe(400);
    expect((await rules('POST', { ...wanted, minimum_access_level_for_push: 'guest' })).status).toBe(400);
    const other = await rules('POST', { ...wanted, package_name_pattern: `${pattern}-x` });
    expect((await rules('PATCH', { package_name_pattern: pattern }, other.body.id)).status).toBe(422);
    expect((await rules('GET', undefined, undefined, developer)).status).toBe(403);
    expect((await rules('POST', wanted, undefined, developer)).status).toBe(403);
    for (const { id } of [made.body, other.body]) expect((await rules('DELETE', undefined, id)).status).toBe(204);
    expect((await rules('DELETE', undefined, made.body.id)).status).toBe(404);
    const events = await world.app.db
      .selectFrom('audit_events')
      .select('event')
      .where('event', 'like', 'package_protection_rule_%')
      .execute();
    expect(events.length).toBe(5);
  });

  it('keep whoever has a lower role, and every deploy token, from publishing what they cover', async () => {
    const pattern = { package_name_pattern: 'Kept-*', package_type: 'generic' };
    const deploy = await deployToken();
    expect((await publish('kept-tool', by(developer))).status).toBe(201);
    await rules('POST', { ...pattern, minimum_access_level_for_push: 'maintainer' });
    const refused = { status: 403, body: { message: '403 Forbidden - Package protected.' } };
    expect(await publish('kept-tool', by(developer))).toEqual(refused);
    expect(await publish('kept-tool', deploy)).toEqual(refused);
    expect((await publish('kept-tool', by(maintainer))).status).toBe(201);
    expect((await publish('other-kept-tool', by(developer))).status).toBe(201);
    expect((await publish('other-kept-tool', deploy)).status).toBe(201);
    // Each rule that covers a name has to let somebody through.
    const strict = { package_name_pattern: '*-tool', package_type: 'generic' };
    await rules('POST', { ...strict, minimum_access_level_for_push: 'admin' });
    expect(await publish('kept-tool', by(world.owner))).toEqual(refused);
    expect((await publish('kept-tool', by(world.admin))).status).toBe(201);
    // Those of other kinds are about other packages.
    await rules('POST', { package_name_pattern: '*', package_type: 'npm', minimum_access_level_for_push: 'admin' });
    expect((await publish('free', by(developer))).status).toBe(201);
  });

  it('keep whoever has a lower role from deleting packages and their files', async () => {
    const { body } = await publish('stays', by(maintainer));
    const at = `/projects/${project.id}/packages/${String(body.package_id)}`;
    const remove = (path: string, { token }: Account) => world.app.api('DELETE', path, { token });
    const rule = { package_name_pattern: 'stays', package_type: 'generic', minimum_access_level_for_delete: 'owner' };
    expect((await rules('POST', rule)).status).toBe(201);
    // Publishing is another matter.
    expect((await publish('stays', await deployToken())).status).toBe(201);
    const refused = { status: 403, body: { message: '403 Forbidden - Package is deletion protected.' } };
    expect(await remove(at, maintainer)).toMatchObject(refused);
    expect(await remove(`${at}/package_files/${String(body.id)}`, maintainer)).toMatchObject(refused);
    expect((await remove(`${at}/package_files/${String(body.id)}`, world.owner)).status).toBe(204);
    expect((await remove(at, world.owner)).status).toBe(204);
  });
});
