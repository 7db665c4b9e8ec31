/** Deploy tokens: making and listing them, what git does with them, and that the API refuses them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let admin: string;
let owner: string;
let group: Namespace;
let project: RepositoryProject;
const developer = { secret: '' };
const maintainer = { secret: '' };

type Json = Record<string, unknown>;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  project = await buildRepositoryProject(app);
  owner = project.owner.secret;
  group = await buildGroup(app, { owner: project.owner.user });
  for (const [who, level] of [
    [developer, 30],
    [maintainer, 40],
  ] as const) {
    const { user, secret } = await buildToken(app);
    await buildMember(app, { user, of: group, level });
    await buildMember(app, {
      user,
      of: await app.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow(),
      level,
    });
    who.secret = secret;
  }
});
afterAll(() => app.close());

const advertise = (path: string, username: unknown, password: unknown, service = 'git-upload-pack') =>
  app.request('GET', `/${path}.git/info/refs?service=${service}`, {
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  });

describe.each(['project', 'group'] as const)('/%ss/:id/deploy_tokens', (noun) => {
  const base = (rest = '') =>
    noun === 'project' ? `/projects/${project.id}/deploy_tokens${rest}` : `/groups/${group.id}/deploy_tokens${rest}`;
  const create = (json: Json = {}, token = owner) =>
    app.api<Json>('POST', base(), { token, json: { name: 'server', scopes: ['read_repository'], ...json } });

  it('makes one, shows it once, lists and ends it', async () => {
    const made = await create({ expires_at: '2099-01-01' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'server',
        username: `gitlab+deploy-token-${made.body.id}`,
        expires_at: '2099-01-01T00:00:00.000Z',
        revoked: false,
        expired: false,
        scopes: ['read_repository'],
      },
    });
    expect(made.body.token).toMatch(/^gldt-/);
    const { token, ...shown } = made.body;
    expect((await app.api('GET', base(`/${made.body.id}`), { token: maintainer.secret })).body).toEqual(shown);
    const ids = async (query: Json, from = base(), as = maintainer.secret) =>
      (await app.api<Json[]>('GET', from, { token: as, query: { per_page: 100, ...query } })).body.map((one) => one.id);
    expect(await ids({})).toContain(made.body.id);
    expect(await ids({}, '/deploy_tokens', admin)).toContain(made.body.id);
    expect(await ids({ active: false })).not.toContain(made.body.id);
    expect((await app.api('DELETE', base(`/${made.body.id}`), { token: owner })).status).toBe(204);
    expect((await app.api('GET', base(`/${made.body.id}`), { token: owner })).status).toBe(404);
    expect((await app.api('DELETE', base(`/${made.body.id}`), { token: owner })).status).toBe(404);
    expect(await ids({})).not.toContain(made.body.id);
    expect(await ids({}, '/deploy_tokens', admin)).not.toContain(made.body.id);
    const named = await create({ username: 'deployer', scopes: ['read_repository', 'read_registry'] });
    expect(named.body).toMatchObject({ username: 'deployer', expires_at: null });
    const events = await app.api<Json[]>(
      'GET',
      noun === 'project' ? `/projects/${project.id}/audit_events` : `/groups/${group.id}/audit_events`,
      { token: owner },
    );
    const seen = events.body.filter(
      (event) =>
        (event.details as Json).target_type === 'DeployToken' && (event.details as Json).target_id === made.body.id,
    );
    expect(seen.map((event) => event.event_name)).toEqual(
      ['destroyed', 'created'].map((what) => `${noun === 'group' ? 'group_' : ''}deploy_token_${what}`),
    );
    expect(JSON.stringify(events.body)).not.toContain(String(token));
  });

  it('is for those in charge, and checked', async () => {
    expect((await app.api('GET', base(), { token: developer.secret })).status).toBe(403);
    expect((await create({}, developer.secret)).status).toBe(403);
    expect((await create({}, maintainer.secret)).status).toBe(noun === 'project' ? 201 : 403);
    expect((await app.api('GET', base())).status).toBe(401);
    expect((await app.api('GET', '/deploy_tokens', { token: owner })).status).toBe(403);
    expect((await app.api('GET', '/deploy_tokens')).status).toBe(401);
    expect((await create({ scopes: ['api'] })).status).toBe(400);
    expect((await create({ scopes: [] })).status).toBe(400);
    expect((await create({ name: '' })).status).toBe(400);
    expect((await create({ username: 'a b' })).status).toBe(400);
    expect((await create({ expires_at: 'soon' })).status).toBe(400);
    const other = noun === 'project' ? `/groups/${group.id}` : `/projects/${project.id}`;
    const { body } = await create();
    expect((await app.api('GET', `${other}/deploy_tokens/${body.id}`, { token: admin })).status).toBe(404);
    expect((await app.api('DELETE', `${other}/deploy_tokens/${body.id}`, { token: admin })).status).toBe(404);
  });
});

describe('git with a deploy token', () => {
  const make = async (place: string, json: Json = {}) =>
    (
      await app.api<Json>('POST', `${place}/deploy_tokens`, {
        token: owner,
        json: { name: 'server', scopes: ['read_repository'], ...json },
      })
    ).body;

  it('fetches its project under its own username only, and pushes nowhere', async () => {
    const { username, token, id } = await make(`/projects/${project.id}`);
    expect((await advertise(project.fullPath, username, token)).status).toBe(200);
    expect((await advertise(project.fullPath, 'somebody', token)).status).toBe(401);
    expect((await advertise(project.fullPath, username, `${token}x`)).status).toBe(401);
    expect((await advertise(project.fullPath, username, token, 'git-receive-pack')).status).toBe(403);
    const other = await buildRepositoryProject(app);
    expect((await advertise(other.fullPath, username, token)).status).toBe(404);
    await app.api('DELETE', `/projects/${project.id}/deploy_tokens/${id}`, { token: owner });
    expect((await advertise(project.fullPath, username, token)).status).toBe(401);
  });

  it('needs read_repository and its time', async () => {
    const registry = await make(`/projects/${project.id}`, { scopes: ['read_registry'] });
    expect((await advertise(project.fullPath, registry.username, registry.token)).status).toBe(403);
    const expired = await make(`/projects/${project.id}`, { expires_at: '2020-01-01' });
    expect(expired.expired).toBe(true);
    expect((await advertise(project.fullPath, expired.username, expired.token)).status).toBe(401);
  });

  it('of a group fetches what is below it, and nothing beside it', async () => {
    const inside = await buildRepositoryProject(app, { settings: { namespace_id: group.id }, owner: project.owner });
    const { username, token } = await make(`/groups/${group.id}`);
    expect((await advertise(inside.fullPath, username, token)).status).toBe(200);
    expect((await advertise(project.fullPath, username, token)).status).toBe(404);
  });

  it('does not outlive what its maker may: it belongs to the project', async () => {
    const { username, token } = await make(`/projects/${project.id}`);
    const json = { repository_access_level: 'disabled' };
    await app.api('PUT', `/projects/${project.id}`, { token: owner, json });
    expect((await advertise(project.fullPath, username, token)).status).toBe(403);
    await app.api('PUT', `/projects/${project.id}`, { token: owner, json: { repository_access_level: 'enabled' } });
    expect((await advertise(project.fullPath, username, token)).status).toBe(200);
  });
});

it('[1/authentication/8] the API refuses deploy tokens, whichever way they are sent', async () => {
  const { body } = await app.api<Json>('POST', `/projects/${project.id}/deploy_tokens`, {
    token: owner,
    json: { name: 'x', scopes: ['read_repository'] },
  });
  const secret = String(body.token);
  const ways: readonly RequestParts[] = [
    { headers: { 'PRIVATE-TOKEN': secret } },
    { headers: { Authorization: `Bearer ${secret}` } },
    { headers: { 'DEPLOY-TOKEN': secret } },
    { headers: { 'JOB-TOKEN': secret } },
    { query: { private_token: secret } },
    { query: { access_token: secret } },
    { query: { job_token: secret } },
  ];
  for (const way of ways)
    for (const path of [
      '/user',
      `/projects/${project.id}`,
      `/projects/${project.id}/repository/files/README.md?ref=main`,
    ])
      expect(await app.api('GET', path, way)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
});
