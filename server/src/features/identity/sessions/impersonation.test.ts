/** Administrators who act as somebody else by browsing: who may, as whom, what stays closed, and the record of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

interface SessionBody {
  readonly user: { readonly id: number } | null;
  readonly admin: boolean;
  readonly admin_mode: boolean | null;
  readonly impersonator: { readonly id: number; readonly username: string } | null;
  readonly impersonation_enabled: boolean;
  readonly csrf_token: string;
}
interface Visitor {
  readonly user: User;
  readonly cookie: string;
  csrf: string;
}
type Json = Record<string, unknown>;

const password = 'correct horse battery';
let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  token = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

async function visitor(user: User, at = app): Promise<Visitor> {
  const got = await at.request<SessionBody>('POST', '/-/session', { json: { login: user.username, password } });
  expect(got.status).toBe(201);
  const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return { user, cookie, csrf: got.body.csrf_token };
}
const administrator = async (at = app) => visitor(await buildAdmin(at, { password }), at);
const person = () => buildUser(app, { password });
const headersOf = ({ cookie, csrf }: Visitor) => ({ Cookie: cookie, 'X-CSRF-Token': csrf });
const session = (of: Visitor) => app.request<SessionBody>('GET', '/-/session', { headers: { Cookie: of.cookie } });
const me = async (of: Visitor) =>
  (await app.api<{ id: number }>('GET', '/user', { headers: { Cookie: of.cookie } })).body.id;
async function start(of: Visitor, user: Pick<User, 'id'>, at = app) {
  const got = await at.request<SessionBody>('POST', '/-/session/impersonation', {
    headers: headersOf(of),
    json: { user_id: user.id },
  });
  if (got.status === 201) of.csrf = got.body.csrf_token;
  return got;
}
async function stop(of: Visitor) {
  const got = await app.request<SessionBody>('DELETE', '/-/session/impersonation', { headers: headersOf(of) });
  if (got.status === 200) of.csrf = got.body.csrf_token;
  return got;
}
const events = async (user: Pick<User, 'id'>) =>
  (
    await app.api<{ event_name: string; author_id: number; details: Json }[]>('GET', '/audit_events', {
      token,
      query: { entity_type: 'User', entity_id: user.id },
    })
  ).body;

describe('acting as somebody', () => {
  it('makes the session theirs, tells the page who is behind it, and gives it back', async () => {
    const boss = await administrator();
    const user = await person();
    expect((await session(boss)).body).toMatchObject({ impersonator: null, impersonation_enabled: true });
    expect((await start(boss, user)).body).toMatchObject({
      user: { id: user.id },
      admin: false,
      admin_mode: null,
      impersonator: { id: boss.user.id, username: boss.user.username },
      impersonation_enabled: false,
    });
    expect(await me(boss)).toBe(user.id);
    expect((await session(boss)).body).toMatchObject({ impersonator: { id: boss.user.id } });
    const stopped = await stop(boss);
    expect(stopped).toMatchObject({
      status: 200,
      body: { user: { id: boss.user.id }, impersonator: null, admin: true },
    });
    expect(await me(boss)).toBe(boss.user.id);
    expect((await stop(boss)).status).toBe(404);
  });

  it('is for administrators, and not as bots, the blocked, themselves or nobody', async () => {
    const user = await person();
    const plain = await visitor(await person());
    expect((await start(plain, user)).status).toBe(403);
    const json = { user_id: user.id };
    expect((await app.request('POST', '/-/session/impersonation', { json })).status).toBe(401);
    const boss = await administrator();
    const withoutCsrf = await app.request('POST', '/-/session/impersonation', {
      headers: { Cookie: boss.cookie },
      json,
    });
    expect(withoutCsrf.status).toBe(401);
    expect((await start(boss, boss.user)).status).toBe(403);
    expect((await start(boss, { id: 999_999 })).status).toBe(404);
    const blocked = await person();
    await app.api('POST', `/users/${blocked.id}/block`, { token });
    expect((await start(boss, blocked)).status).toBe(403);
    const project = (await app.api<{ id: number }>('POST', '/projects', { token, json: { name: 'bots' } })).body;
    const made = await app.api<{ user_id: number }>('POST', `/projects/${project.id}/access_tokens`, {
      token,
      json: { name: 'bot', scopes: ['api'] },
    });
    expect((await start(boss, { id: made.body.user_id })).status).toBe(403);
    expect(await me(boss)).toBe(boss.user.id);
  });

  it('needs admin mode where that is asked for, and cannot enter it meanwhile, nor act as a third', async () => {
    await app.settings.write({ admin_mode: true });
    const boss = await administrator();
    const other = await buildAdmin(app, { password });
    expect((await start(boss, other)).status).toBe(403);
    const enter = () => app.request('POST', '/-/session/admin_mode', { headers: headersOf(boss), json: { password } });
    expect((await enter()).status).toBe(201);
    expect((await start(boss, other)).status).toBe(201);
    expect((await enter()).status).toBe(403);
    expect((await start(boss, await person())).status).toBe(403);
    await app.settings.write({ admin_mode: false });
    // Even where no admin mode is asked for, nobody administers as somebody else.
    expect((await app.api('GET', '/audit_events', { headers: { Cookie: boss.cookie } })).status).toBe(403);
    expect((await app.request('DELETE', '/-/session/admin_mode', { headers: headersOf(boss) })).status).toBe(403);
  });

  it('security 15: leaves passwords and second factors to their owner', async () => {
    const boss = await administrator();
    await start(boss, await person());
    const ask = (method: 'POST' | 'PUT' | 'DELETE', path: string, json: Json) =>
      app.api(method, path, { headers: headersOf(boss), json });
    const proof = { current_password: password };
    const refused = [
      await ask('PUT', '/user/password', { ...proof, password: 'nanosecond-wire-1952' }),
      await ask('POST', '/user/two_factor/totp', proof),
      await ask('POST', '/user/two_factor/totp/confirm', { code: '123456' }),
      await ask('DELETE', '/user/two_factor/totp', proof),
      await ask('DELETE', '/user/two_factor', proof),
      await ask('POST', '/user/two_factor/recovery_codes', proof),
      await ask('POST', '/user/two_factor/security_keys/challenge', proof),
      await ask('POST', '/user/two_factor/security_keys', { challenge: 'x', name: 'x', credential: {} }),
      await ask('DELETE', '/user/two_factor/security_keys/1', proof),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
  });

  it('is recorded, and every event made meanwhile names the administrator', async () => {
    const boss = await administrator();
    const user = await person();
    await start(boss, user);
    const made = await app.api('POST', '/user/emails', {
      headers: headersOf(boss),
      json: { email: `${user.username}@other.example` },
    });
    expect(made.status).toBe(201);
    await stop(boss);
    expect((await events(user)).slice(0, 3)).toMatchObject([
      { event_name: 'user_impersonation_stopped', author_id: boss.user.id },
      {
        event_name: 'email_created',
        author_id: user.id,
        details: { impersonated_by: { id: boss.user.id, name: boss.user.name } },
      },
      { event_name: 'user_impersonation_started', author_id: boss.user.id },
    ]);
  });

  it('is in the list of sessions of both, and the person can end it', async () => {
    const boss = await administrator();
    const user = await person();
    const owner = await visitor(user);
    await start(boss, user);
    const sessions = await app.api<{ id: number; current: boolean; impersonator: string | null }[]>(
      'GET',
      '/user/sessions',
      { headers: { Cookie: owner.cookie } },
    );
    const acting = sessions.body.find(({ impersonator }) => impersonator === boss.user.username);
    expect(acting).toMatchObject({ current: false });
    expect(sessions.body.filter(({ impersonator }) => impersonator === null)).toHaveLength(1);
    const ended = await app.api('DELETE', `/user/sessions/${acting?.id}`, { headers: headersOf(owner) });
    expect(ended.status).toBe(204);
    expect(await me(boss)).toBe(boss.user.id);
  });

  it('ends when the person is blocked, and pages that are still open change nothing as the administrator', async () => {
    const boss = await administrator();
    const user = await person();
    await start(boss, user);
    await app.api('POST', `/users/${user.id}/block`, { token });
    expect(await me(boss)).toBe(boss.user.id);
    const email = { email: `${boss.user.username}@other.example` };
    expect((await app.api('POST', '/user/emails', { headers: headersOf(boss), json: email })).status).toBe(401);
    expect((await session(boss)).body).toMatchObject({ user: { id: boss.user.id }, impersonator: null });
  });

  it('asks for no second factor of the person, and signing out ends the session of the administrator', async () => {
    await app.settings.write({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
    const user = await person();
    await app.settings.write({ require_two_factor_authentication: false });
    const boss = await administrator();
    await start(boss, user);
    await app.settings.write({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
    expect(await me(boss)).toBe(user.id);
    await app.settings.write({ require_two_factor_authentication: false });
    expect((await app.request('DELETE', '/-/session', { headers: headersOf(boss) })).status).toBe(204);
    expect((await session(boss)).body.user).toBeNull();
    expect((await events(boss.user))[0]).toMatchObject({ event_name: 'user_signed_out', author_id: boss.user.id });
  });
});

it('is nothing where impersonation is switched off', async () => {
  const closed = await startTestApp({ environment: { MILLRACE_IMPERSONATION_ENABLED: 'false' } });
  try {
    const boss = await administrator(closed);
    const user = await buildUser(closed);
    const seen = await closed.request('GET', '/-/session', { headers: { Cookie: boss.cookie } });
    expect(seen.body).toMatchObject({ impersonation_enabled: false });
    expect((await start(boss, user, closed)).status).toBe(403);
    // One that began before the key was turned off is over as well.
    await closed.db
      .updateTable('sessions')
      .set({ acting_as_id: user.id })
      .where('user_id', '=', boss.user.id)
      .execute();
    const now = await closed.request<SessionBody>('GET', '/-/session', { headers: { Cookie: boss.cookie } });
    expect(now.body).toMatchObject({ user: { id: boss.user.id }, impersonator: null });
  } finally {
    await closed.close();
  }
});
