/** Deploy keys: of a project, shared between projects, for all; and never the key of a person. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { sshKeyText } from '../../../../test/keys.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let other: BuiltToken;
let project: Project;
let second: Project;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  [owner, other] = await Promise.all([buildToken(app), buildToken(app)]);
  project = await buildProject(app, { owner: owner.user });
  second = await buildProject(app, { owner: owner.user });
  await buildMember(app, { user: owner.user, of: project, level: Level.owner });
});
afterAll(() => app.close());

const api = <T = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  rest: string,
  json?: Json,
  token = owner,
  of = project,
) => app.api<T>(method, `/projects/${of.id}/deploy_keys${rest}`, { token: token.secret, json });
const add = (json: Json = {}, token = owner, of = project) =>
  api('POST', '', { title: 'server', key: sshKeyText(), ...json }, token, of);

describe('deploy keys of a project', () => {
  it('are added, listed, changed and removed, and it is recorded', async () => {
    const expires_at = '2999-01-02T00:00:00.000Z';
    const made = await add({ can_push: true, expires_at });
    expect(made).toMatchObject({
      status: 201,
      body: {
        title: 'server',
        can_push: true,
        expires_at,
        fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
        fingerprint_sha256: expect.stringMatching(/^SHA256:/),
      },
    });
    const { id } = made.body;
    expect((await api<Json[]>('GET', '')).body).toEqual([made.body]);
    expect((await api('GET', `/${id}`)).body).toEqual(made.body);
    expect((await api('PUT', `/${id}`, { title: 'renamed', can_push: false })).body).toMatchObject({
      title: 'renamed',
      can_push: false,
    });
    expect((await api('PUT', `/${id}`, {})).status).toBe(400);
    expect((await api('PUT', `/${id}`, { title: ' ' })).status).toBe(400);
    expect((await api('DELETE', `/${id}`)).status).toBe(204);
    expect((await api('GET', `/${id}`)).status).toBe(404);
    expect((await api('DELETE', `/${id}`)).status).toBe(404);
    expect(await app.db.selectFrom('ssh_keys').select('id').where('id', '=', Number(id)).execute()).toEqual([]);
    const events = await app.db
      .selectFrom('audit_events')
      .select('event')
      .where('target_type', '=', 'DeployKey')
      .where('target_id', '=', Number(id))
      .orderBy('id')
      .execute();
    expect(events.map(({ event }) => event)).toEqual([
      'deploy_key_created',
      'deploy_key_updated',
      'deploy_key_removed',
    ]);
  });

  it('are for maintainers', async () => {
    expect((await add({}, other)).status).toBe(404);
    const developer = await buildToken(app);
    await buildMember(app, { user: developer.user, of: project, level: Level.developer });
    expect((await add({}, developer)).status).toBe(403);
    expect((await api('GET', '', undefined, developer)).status).toBe(403);
    expect((await app.api('GET', `/projects/${project.id}/deploy_keys`)).status).toBe(401);
  });

  it('one key means one thing: it is taken where it is known, and refused where it is a person’s or a stranger’s', async () => {
    const key = sshKeyText();
    const first = await add({ key, can_push: true });
    const again = await add({ key, title: 'other' }, owner, second);
    expect(again.body).toMatchObject({ id: first.body.id, title: 'server', can_push: false });
    expect((await add({ key })).body).toMatchObject({ id: first.body.id, can_push: true });
    const theirs = await buildProject(app, { owner: other.user });
    const reason = ['has already been taken'];
    const taken = { message: { 'deploy_key.fingerprint_sha256': reason, 'deploy_key.key': reason } };
    expect(await add({ key }, other, theirs)).toMatchObject({ status: 400, body: taken });
    expect((await api('POST', `/${first.body.id}/enable`, undefined, other, theirs)).status).toBe(404);
    const personal = sshKeyText();
    await app.api('POST', '/user/keys', { token: owner.secret, json: { title: 'mine', key: personal } });
    expect((await add({ key: personal })).body).toEqual(taken);
    const mine = await app.api('POST', '/user/keys', { token: owner.secret, json: { title: 'mine', key } });
    expect(mine.status).toBe(400);
    expect((await app.api<Json[]>('GET', '/user/keys', { token: owner.secret })).body).toHaveLength(1);
    for (const bad of ['not a key', '']) expect((await add({ key: bad })).status).toBe(400);
    expect((await api('DELETE', `/${first.body.id}`)).status).toBe(204);
    expect((await api('GET', `/${first.body.id}`, undefined, owner, second)).status).toBe(200);
  });

  it('administrators see all, and add keys that every project may take', async () => {
    const all = (method: 'GET' | 'POST', json?: Json, token = admin, query: Json = {}) =>
      app.api<Json & Json[]>(method, '/deploy_keys', { token: token.secret, json, query });
    const made = await all('POST', { title: 'everywhere', key: sshKeyText() });
    expect(made).toMatchObject({ status: 201, body: { public: true, projects_with_write_access: [] } });
    const theirs = await buildProject(app, { owner: other.user });
    expect((await api('POST', `/${made.body.id}/enable`, undefined, other, theirs)).status).toBe(201);
    expect((await api('PUT', `/${made.body.id}`, { title: 'no' }, other, theirs)).status).toBe(403);
    expect((await api('PUT', `/${made.body.id}`, { can_push: true }, other, theirs)).status).toBe(200);
    const shown = (await all('GET', undefined, admin, { public: true })).body;
    expect(shown).toMatchObject([{ id: made.body.id, projects_with_write_access: [{ id: theirs.id }] }]);
    expect((await all('GET')).body.length).toBeGreaterThan(1);
    const found = await app.api<Json>('GET', '/keys', {
      token: admin.secret,
      query: { fingerprint: String(made.body.fingerprint_sha256) },
    });
    expect(found.body).toMatchObject({
      id: made.body.id,
      key: made.body.key,
      user: { id: admin.user.id },
      deploy_keys_projects: [{ deploy_key_id: made.body.id, project_id: theirs.id, can_push: true }],
    });
    expect((await app.api('GET', `/keys/${made.body.id}`, { token: admin.secret })).body).toEqual(found.body);
    expect((await all('GET', undefined, owner)).status).toBe(403);
    expect((await all('POST', { title: 'x', key: sshKeyText() }, owner)).status).toBe(403);
    expect((await api('DELETE', `/${made.body.id}`, undefined, other, theirs)).status).toBe(204);
    expect((await all('GET', undefined, admin, { public: true })).body).toHaveLength(1);
  });
});

it('of a user are those of the projects that they and the caller both maintain', async () => {
  const [maintainer, developer] = [await buildToken(app), await buildToken(app)];
  const common = await buildProject(app, { owner: owner.user });
  await buildMember(app, { user: maintainer.user, of: common, level: Level.maintainer });
  await buildMember(app, { user: developer.user, of: common, level: Level.developer });
  const [shared, alone] = [await add({ title: 'shared' }, owner, common), await add({ title: 'alone' })];
  const list = (of: unknown, token?: BuiltToken) =>
    app.api<Json[]>('GET', `/users/${String(of)}/project_deploy_keys`, token ? { token: token.secret } : {});
  const titles = async (of: unknown, token: BuiltToken) => (await list(of, token)).body.map(({ title }) => title);
  expect(await titles(owner.user.username, maintainer)).toEqual(['shared']);
  expect(await titles(maintainer.user.id, owner)).toEqual(['shared']);
  expect(await titles(owner.user.id, owner)).toEqual(expect.arrayContaining(['shared', 'alone']));
  const [key] = (await list(maintainer.user.id, maintainer)).body;
  const { can_push: _, ...fields } = shared.body;
  expect(key).toEqual(fields);
  expect(alone.status).toBe(201);
  for (const token of [developer, admin])
    expect(await list(owner.user.id, token)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - No common authorized project found' },
    });
  expect((await list('nobody-here', owner)).status).toBe(404);
  expect((await list(owner.user.id)).status).toBe(401);
});
