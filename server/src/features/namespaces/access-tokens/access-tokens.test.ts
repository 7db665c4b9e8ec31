/** Access tokens of projects and groups: their bots, roles and ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { insideDay } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

let app: TestApp;
let admin: string;
let group: Namespace;
let project: Project;
const secrets = new Map<string, string>();
const as = (name: string): string => secrets.get(name) ?? '';

beforeAll(async () => {
  await insideDay();
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  group = await buildGroup(app);
  project = await buildProject(app, { namespace: group });
  for (const role of ['developer', 'maintainer', 'owner'] as const) {
    const { user, secret } = await buildToken(app);
    await buildMember(app, { user, of: group, level: Level[role] });
    secrets.set(role, secret);
  }
  secrets.set('admin', admin);
});
afterAll(() => app.close());

type Json = Record<string, unknown>;
const me = (token: unknown) => app.api<Json>('GET', '/user', { token: String(token) });

describe.each(['project', 'group'] as const)('/%ss/:id/access_tokens', (noun) => {
  const place = () => (noun === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`);
  const base = (rest = '') => `${place()}/access_tokens${rest}`;
  const create = (json: Json = {}, token = as('owner')) =>
    app.api<Json>('POST', base(), { token, json: { name: 'robot', scopes: ['api'], access_level: 30, ...json } });
  const members = async () =>
    (await app.api<Json[]>('GET', `${place()}/members`, { token: admin, query: { per_page: 100 } })).body;
  const manager = noun === 'project' ? 'maintainer' : 'owner';

  it('makes a bot that is a member with the role, and works as it', async () => {
    const made = await create({ description: 'for deployments', expires_at: inDays(20) });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'robot',
        description: 'for deployments',
        scopes: ['api'],
        access_level: 30,
        expires_at: inDays(20),
        active: true,
        last_used_at: null,
        resource_type: noun,
      },
    });
    const bot = await me(made.body.token);
    expect(bot.body).toMatchObject({ id: made.body.user_id, name: 'robot', bot: true });
    const id = noun === 'project' ? project.id : group.id;
    expect(bot.body.username).toMatch(new RegExp(`^${noun}_${id}_bot_[0-9a-f]{32}$`));
    const member = (await members()).find((one) => one.id === made.body.user_id);
    expect(member).toMatchObject({ access_level: 30, expires_at: inDays(20) });
    expect((await app.api('GET', `/projects/${project.id}`, { token: String(made.body.token) })).status).toBe(200);
    const elsewhere = await buildProject(app);
    expect((await app.api('GET', `/projects/${elsewhere.id}`, { token: String(made.body.token) })).status).toBe(404);
    const listed = await app.api<Json[]>('GET', base(), { token: as(manager), query: { search: 'robot' } });
    expect(listed.body.map((token) => token.id)).toContain(made.body.id);
    expect(JSON.stringify(listed.body)).not.toContain(String(made.body.token));
    const one = await app.api<Json>('GET', base(`/${made.body.id}`), { token: as(manager) });
    expect(one).toMatchObject({ status: 200, body: { id: made.body.id, access_level: 30 } });
  });

  it('never above the own role, nor by a bot, nor with scopes of accounts', async () => {
    const above = await create({ access_level: 50 }, as('maintainer'));
    if (noun === 'project')
      expect(above).toMatchObject({
        status: 400,
        body: {
          message:
            "400 Bad request - Access level of the token can't be greater the access level of the user who created the token",
        },
      });
    else expect(above.status).toBe(403);
    expect((await create({ access_level: 50 }, admin)).status).toBe(201);
    const owning = await create({ access_level: 50 });
    expect((await create({}, String(owning.body.token))).status).toBe(400);
    for (const scope of ['read_user', 'sudo', 'admin_mode', 'everything'])
      expect((await create({ scopes: [scope] })).status).toBe(400);
    expect((await create({ scopes: [] })).status).toBe(400);
    expect((await create({ access_level: 5 })).status).toBe(400);
    expect((await create({ expires_at: '2020-01-01' })).status).toBe(400);
    expect(await create({ expires_at: inDays(0) })).toMatchObject({ status: 201, body: { active: false } });
    expect((await create({ expires_at: inDays(366) })).status).toBe(400);
    expect((await create({ name: ' ' })).status).toBe(400);
    expect((await create({ name: undefined })).status).toBe(400);
    const before = await app.db.selectFrom('users').selectAll().where('user_type', '<>', 'human').execute();
    await create({ scopes: [] });
    const after = await app.db.selectFrom('users').selectAll().where('user_type', '<>', 'human').execute();
    expect(after).toHaveLength(before.length);
  });

  it('leave their bot where it was made: no other place has it as a member', async () => {
    const { body } = await create();
    const elsewhere = await buildGroup(app);
    const projectOf = await buildProject(app, { namespace: elsewhere });
    for (const place of [`/groups/${elsewhere.id}`, `/projects/${projectOf.id}`])
      expect(
        await app.api('POST', `${place}/members`, { token: admin, json: { user_id: body.user_id, access_level: 30 } }),
      ).toMatchObject({
        status: 400,
        body: { message: { user: ['project bots cannot be added to other groups / projects'] } },
      });
    expect((await app.api('GET', `/groups/${elsewhere.id}`, { token: String(body.token) })).status).toBe(404);
  });

  it('are out of reach below the role, for strangers and below another place', async () => {
    const { body } = await create();
    expect((await app.api('GET', base(), { token: as('developer') })).status).toBe(403);
    expect((await create({}, as('developer'))).status).toBe(403);
    expect((await app.api('GET', base(), { token: (await buildToken(app)).secret })).status).toBe(404);
    expect((await app.api('GET', base())).status).toBe(401);
    const other =
      noun === 'project' ? `/projects/${(await buildProject(app)).id}` : `/groups/${(await buildGroup(app)).id}`;
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const)
      expect((await app.api(method, `${other}/access_tokens/${body.id}${rest}`, { token: admin })).status).toBe(404);
    expect((await me(body.token)).status).toBe(200);
  });

  it('revoking takes the bot out, at once', async () => {
    const { body } = await create();
    expect((await me(body.token)).status).toBe(200);
    const gone = await app.api('DELETE', base(`/${body.id}`), { token: as(manager) });
    expect([gone.status, (await me(body.token)).status]).toEqual([204, 401]);
    expect((await members()).some((one) => one.id === body.user_id)).toBe(false);
    const bot = await app.db
      .selectFrom('users')
      .select('state')
      .where('id', '=', Number(body.user_id))
      .executeTakeFirstOrThrow();
    expect(bot.state).toBe('deactivated');
    const listed = await app.api<Json[]>('GET', base(), { token: as(manager), query: { state: 'inactive' } });
    expect(listed.body.find((token) => token.id === body.id)).toMatchObject({ revoked: true, access_level: 30 });
    expect((await app.api('DELETE', base('/999999'), { token: as(manager) })).status).toBe(404);
  });

  it('rotating keeps the bot and its role; reuse ends the family and takes the bot out', async () => {
    const first = await create({ expires_at: inDays(20) });
    const rotate = (id: unknown, token = as(manager), json: Json = {}) =>
      app.api<Json>('POST', base(`/${id}/rotate`), { token, json });
    const second = await rotate(first.body.id, as(manager), { expires_at: inDays(40) });
    expect(second).toMatchObject({
      status: 200,
      body: { user_id: first.body.user_id, access_level: 30, expires_at: inDays(40) },
    });
    expect([(await me(first.body.token)).status, (await me(second.body.token)).status]).toEqual([401, 200]);
    const grant = (await members()).find((one) => one.id === first.body.user_id);
    expect(grant).toMatchObject({ access_level: 30, expires_at: inDays(40) });
    expect((await rotate(first.body.id)).status).toBe(400);
    expect((await me(second.body.token)).status).toBe(401);
    expect((await members()).some((one) => one.id === first.body.user_id)).toBe(false);
    expect((await rotate(999_999)).status).toBe(401);
  });

  it('rotates itself with api or self_rotate, only where it belongs', async () => {
    const { body } = await create({ scopes: ['self_rotate'] });
    const self = (token: unknown, where = base('/self/rotate')) =>
      app.api<Json>('POST', where, { token: String(token) });
    const next = await self(body.token);
    expect(next).toMatchObject({ status: 200, body: { scopes: ['self_rotate'], user_id: body.user_id } });
    expect((await self(as('owner'))).status).toBe(405);
    const reader = await create({ scopes: ['read_api'] });
    expect((await self(reader.body.token)).status).toBe(403);
    const other = await create();
    expect(
      (await app.api('POST', '/personal_access_tokens/self/rotate', { token: String(other.body.token) })).status,
    ).toBe(405);
    const owning = await create({ access_level: 50 });
    const foreign = await app.api('POST', base(`/${other.body.id}/rotate`), { token: String(owning.body.token) });
    expect(foreign.status).toBe(401);
    expect((await self(body.token)).status).toBe(401);
    expect((await self(next.body.token)).status).toBe(401);
  });

  it('expired: the sweep takes the bot out and, after a month, the token off the list', async () => {
    const { body } = await create();
    const expire = (day: string) =>
      app.db.updateTable('access_tokens').set({ expires_at: day }).where('id', '=', Number(body.id)).execute();
    await expire(inDays(0));
    expect((await me(body.token)).status).toBe(401);
    await app.identity.tokens.sweep();
    expect((await members()).some((one) => one.id === body.user_id)).toBe(false);
    expect((await app.api('GET', base(`/${body.id}`), { token: admin })).status).toBe(200);
    await expire(inDays(-31));
    await app.identity.tokens.sweep();
    expect((await app.api('GET', base(`/${body.id}`), { token: admin })).status).toBe(404);
  });

  it('tells about itself among the events of its place', async () => {
    const { body } = await create({ name: 'audited' });
    await app.api('DELETE', base(`/${body.id}`), { token: as('owner') });
    const events = await app.api<Json[]>('GET', `${place()}/audit_events`, { token: as('owner') });
    const names = events.body
      .filter((event) => (event.details as Json).target_id === body.id)
      .map((event) => event.event_name);
    expect(names).toEqual([`${noun}_access_token_revoked`, `${noun}_access_token_created`]);
    expect(JSON.stringify(events.body)).not.toContain(String(body.token));
  });
});

it('a maintainer gets no owner’s token by rotating one', async () => {
  const base = `/projects/${project.id}/access_tokens`;
  const json = { name: 'strong', scopes: ['api'], access_level: 50 };
  const strong = await app.api<Json>('POST', base, { token: as('owner'), json });
  expect(strong.status).toBe(201);
  const taken = await app.api('POST', `${base}/${strong.body.id}/rotate`, { token: as('maintainer') });
  expect(taken).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - Not eligible to rotate token with access level higher than the user' },
  });
  expect((await me(strong.body.token)).status).toBe(200);
});

it('a bot makes no tokens for itself, and what an administrator made for it ends with it', async () => {
  const base = `/projects/${project.id}/access_tokens`;
  const json = { name: 'bot', scopes: ['api'], access_level: 30 };
  const made = await app.api<Json>('POST', base, { token: as('owner'), json });
  const own = { name: 'x', scopes: ['self_rotate'] };
  const tried = await app.api('POST', '/user/personal_access_tokens', { token: String(made.body.token), json: own });
  expect(tried.status).toBe(403);
  const path = `/users/${made.body.user_id}/personal_access_tokens`;
  const extra = await app.api<Json>('POST', path, { token: admin, json: { name: 'x', scopes: ['api'] } });
  expect((await me(extra.body.token)).status).toBe(200);
  // Administrators end tokens of bots by the list of all tokens too.
  expect((await app.api('DELETE', `/personal_access_tokens/${made.body.id}`, { token: admin })).status).toBe(204);
  expect((await me(extra.body.token)).status).toBe(401);
});

it('the bot of an external user does not see internal projects either', async () => {
  const internal = await buildProject(app, { visibility: 'internal' });
  const { user, secret } = await buildToken(app);
  await app.db.updateTable('users').set({ external: true }).where('id', '=', user.id).execute();
  await buildMember(app, { user, of: project, level: Level.maintainer });
  await app.identity.forgetCallers();
  const json = { name: 'x', scopes: ['api'], access_level: 30 };
  const made = await app.api<Json>('POST', `/projects/${project.id}/access_tokens`, { token: secret, json });
  expect(made.status).toBe(201);
  const seen = await app.api('GET', `/projects/${internal.id}`, { token: String(made.body.token) });
  expect(seen.status).toBe(404);
});
