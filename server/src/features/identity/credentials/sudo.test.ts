/** Acting as somebody else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildProject, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let boss: User;
let admin: string;
let user: User;
beforeAll(async () => {
  app = await startTestApp();
  boss = await buildAdmin(app);
  admin = (await buildToken(app, { user: boss, scopes: ['api', 'sudo'] })).secret;
  user = await buildUser(app, { username: unique('Grace') });
});
afterAll(() => app.close());

type Json = Record<string, unknown>;
const ways = [
  ['query', (wanted: string) => ({ query: { sudo: wanted } })],
  ['header', (wanted: string) => ({ headers: { Sudo: wanted } })],
] as const;

describe.each(ways)('sudo as a %s', (_name, send) => {
  const me = (wanted: string, token: string | undefined = admin) =>
    app.api<Json>('GET', '/user', { token, ...send(wanted) });

  it('[1/authentication/9 sudo, Sudo] is the user of that id or name, in any case', async () => {
    for (const wanted of [String(user.id), user.username, user.username.toUpperCase(), user.username.toLowerCase()])
      expect(await me(wanted)).toMatchObject({ status: 200, body: { id: user.id } });
  });

  it('[1/authentication/9] has the permissions of that user and no more', async () => {
    const theirs = await buildProject(app, { owner: user });
    const other = await buildProject(app);
    const get = (id: number, wanted?: string) =>
      app.api('GET', `/projects/${id}`, { token: admin, ...(wanted ? send(wanted) : {}) });
    expect([(await get(theirs.id, user.username)).status, (await get(other.id, user.username)).status]).toEqual([
      200, 404,
    ]);
    expect((await get(other.id)).status).toBe(200);
    expect((await app.api('GET', '/audit_events', { token: admin, ...send(user.username) })).status).toBe(403);
  });

  it('[1/authentication/10 message, 403] [1/errors/19] of a token that is no administrator’s is 403', async () => {
    const path = `/users/${user.id}/`;
    const json = { name: 'x', scopes: ['api', 'sudo'] };
    const secrets = [(await buildToken(app)).secret];
    for (const kind of ['personal_access_tokens', 'impersonation_tokens'])
      secrets.push(String((await app.api<Json>('POST', path + kind, { token: admin, json })).body.token));
    for (const secret of secrets)
      expect(await me(user.username, secret)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden - Must be admin to use sudo' },
      });
  });

  it('[1/authentication/11 sudo, error, error_description, scope, 403] [1/errors/19] of a token without the scope is 403', async () => {
    const { secret } = await buildToken(app, { user: boss, scopes: ['api', 'admin_mode'] });
    const got = await me(user.username, secret);
    expect(got).toMatchObject({ status: 403, body: { error: 'insufficient_scope', scope: 'sudo' } });
    expect(got.body.error_description).toEqual(expect.any(String));
  });

  it('[1/authentication/12 message, 404] [1/errors/19] as nobody is 404', async () => {
    for (const wanted of ['999999', 'nobody.here', '99999999999999999999'])
      expect(await me(wanted)).toMatchObject({
        status: 404,
        body: { message: `404 User with ID or username ${wanted} Not Found` },
      });
  });

  it('as somebody who is blocked is 403, and without a token 401', async () => {
    const blocked = await buildUser(app);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute();
    expect(await me(blocked.username)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Your account has been blocked.' },
    });
    expect((await me(user.username, 'glpat-unknown')).status).toBe(401);
    expect((await app.api('GET', '/user', send(user.username))).status).toBe(401);
  });
});

it('security: the scope sudo adds to other scopes and never replaces them', async () => {
  const target = await buildUser(app);
  const request = async (scopes: string[], method: 'GET' | 'POST', path: string, json?: Json) => {
    const { secret } = await buildToken(app, { user: boss, scopes });
    const answer = await app.api<Json>(method, path, { token: secret, headers: { Sudo: target.username }, json });
    return [answer.status, answer.body.scope];
  };
  const project = { name: unique('sudo') };
  expect(await request(['sudo'], 'GET', '/projects')).toEqual([403, 'api read_api']);
  expect(await request(['sudo'], 'POST', '/projects', project)).toEqual([403, 'api']);
  expect(await request(['read_api', 'sudo'], 'POST', '/projects', project)).toEqual([403, 'api']);
  expect(await request(['read_user', 'sudo'], 'GET', '/projects')).toEqual([403, 'api read_api']);
  expect(await request(['read_user', 'sudo'], 'GET', '/user')).toEqual([200, undefined]);
  expect(await request(['read_api', 'sudo'], 'GET', '/projects')).toEqual([200, undefined]);
  expect(await request(['api', 'sudo'], 'POST', '/projects', project)).toEqual([201, undefined]);
  // A refused request was never made as somebody else.
  const events = await app.db.selectFrom('audit_events').select('details').where('entity_id', '=', target.id).execute();
  expect(events.map(({ details }) => details).filter((details) => 'method' in (details as Json))).toHaveLength(3);
});

it('is recorded under the name of the administrator: each change, and a visit once', async () => {
  const target = await buildUser(app);
  const sudo = { token: admin, headers: { Sudo: target.username } };
  await app.api('GET', '/user', sudo);
  await app.api('GET', '/projects', sudo);
  const made = await app.api<Json>('POST', '/user/personal_access_tokens', {
    ...sudo,
    json: { name: 'made for them', scopes: ['k8s_proxy'] },
  });
  expect(made).toMatchObject({ status: 201, body: { user_id: target.id } });
  const events = await app.api<Json[]>('GET', '/audit_events', {
    token: admin,
    query: { entity_type: 'User', entity_id: target.id },
  });
  // The oldest tells of the account itself.
  expect(events.body.slice(0, -1)).toMatchObject([
    {
      event_name: 'personal_access_token_created',
      author_id: target.id,
      details: { impersonated_by: { id: boss.id, name: boss.name } },
    },
    {
      event_name: 'user_impersonated_with_sudo',
      author_id: boss.id,
      details: { method: 'POST', path: '/user/personal_access_tokens', ip_address: '127.0.0.1' },
    },
    { event_name: 'user_impersonated_with_sudo', author_id: boss.id, details: { method: 'GET', path: '/user' } },
  ]);
});

it('is nothing for callers with a session, nor for two names at once', async () => {
  const password = 'correct horse battery staple';
  const person = await buildAdmin(app, { password });
  const signedIn = await app.request('POST', '/-/session', { json: { login: person.username, password } });
  expect(signedIn.status).toBe(201);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await app.api('GET', '/user', { headers: { Cookie: cookie } })).status).toBe(200);
  expect((await app.api('GET', '/user', { headers: { Cookie: cookie, Sudo: user.username } })).status).toBe(403);
  const both = await app.api('GET', '/user', { token: admin, query: { sudo: [user.username, boss.username] } });
  expect(both.status).toBe(400);
});
