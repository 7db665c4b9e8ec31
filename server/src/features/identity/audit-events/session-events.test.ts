/** Audit events of signing in and out, admin mode, and settings: who, from where, and what changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

interface Event {
  readonly event_name: string;
  readonly author_id: number;
  readonly author_name: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const password = 'correct horse battery';
let app: TestApp;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

const eventsOf = async (entityType: string, entityId?: number) =>
  (
    await app.api<Event[]>('GET', '/audit_events', {
      token: admin,
      query: { entity_type: entityType, entity_id: entityId, per_page: 100 },
    })
  ).body;
const namesOf = async (user: User) => (await eventsOf('User', user.id)).map((event) => event.event_name);
const signIn = (user: User, secret = password) =>
  app.request<{ csrf_token: string }>('POST', '/-/session', { json: { login: user.username, password: secret } });
async function visitor(user: User) {
  const got = await signIn(user);
  const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return { Cookie: cookie, 'X-CSRF-Token': got.body.csrf_token };
}

describe('signing in', () => {
  it('is told with address and browser, and so is signing out', async () => {
    const user = await buildUser(app, { password });
    const headers = await visitor(user);
    expect((await app.request('DELETE', '/-/session', { headers })).status).toBe(204);
    const events = await eventsOf('User', user.id);
    expect(events.slice(0, 2)).toMatchObject([
      { event_name: 'user_signed_out', author_id: user.id },
      {
        event_name: 'user_signed_in',
        author_id: user.id,
        details: { ip_address: '127.0.0.1', two_factor: false, remember: false },
      },
    ]);
  });

  it('that fails is told as by somebody unknown, until the account is locked', async () => {
    await app.settings.write({ max_login_attempts: 2 });
    const user = await buildUser(app, { password });
    for (let time = 0; time < 4; time += 1) expect((await signIn(user, 'wrong')).status).toBe(401);
    await app.settings.write({ max_login_attempts: 10 });
    const events = (await eventsOf('User', user.id)).filter((event) => event.event_name !== 'user_created');
    expect(events.map((event) => event.event_name)).toEqual([
      'user_locked',
      'user_sign_in_failed',
      'user_sign_in_failed',
    ]);
    expect(events[2]).toMatchObject({
      author_id: -1,
      author_name: 'Unknown',
      details: { factor: 'password', ip_address: '127.0.0.1' },
    });
    expect(JSON.stringify(events)).not.toContain('wrong');
  });

  it('with the right password that is refused is told with the reason', async () => {
    const user = await buildUser(app, { password, state: 'blocked_pending_approval' });
    expect((await signIn(user)).status).toBe(403);
    expect((await eventsOf('User', user.id))[0]).toMatchObject({
      event_name: 'user_sign_in_refused',
      details: { reason: 'waits' },
    });
  });

  it('to admin mode and out of it is told, and a wrong password there counts as a failure', async () => {
    await app.settings.write({ admin_mode: true });
    const user = await buildAdmin(app, { password });
    const headers = await visitor(user);
    const enter = (json: object) => app.request('POST', '/-/session/admin_mode', { headers, json });
    expect((await enter({ password: 'wrong' })).status).toBe(401);
    expect((await enter({ password })).status).toBe(201);
    expect((await app.request('DELETE', '/-/session/admin_mode', { headers })).status).toBe(204);
    await app.settings.write({ admin_mode: false });
    expect((await namesOf(user)).slice(0, 3)).toEqual(['admin_mode_left', 'admin_mode_entered', 'user_sign_in_failed']);
  });

  it('by git with a wrong password counts too', async () => {
    const user = await buildUser(app, { password });
    const basic = Buffer.from(`${user.username}:wrong`).toString('base64');
    const headers = { Authorization: `Basic ${basic}` };
    await app.request('GET', '/some/project.git/info/refs?service=git-upload-pack', { headers });
    expect((await eventsOf('User', user.id))[0]).toMatchObject({
      event_name: 'user_sign_in_failed',
      details: { ip_address: '127.0.0.1' },
    });
  });
});

describe('settings', () => {
  it('leave one event each, with both values, secrets without', async () => {
    const answer = await app.api('PUT', '/application/settings', {
      token: admin,
      json: { max_login_attempts: 7, password_number_required: true, recaptcha_private_key: 'never-in-an-event' },
    });
    expect(answer.status).toBe(200);
    const events = (await eventsOf('Instance')).slice(0, 3);
    await app.settings.write({ max_login_attempts: 10, password_number_required: false });
    expect(events.map(({ event_name, details: { change, from, to } }) => ({ event_name, change, from, to }))).toEqual(
      expect.arrayContaining([
        { event_name: 'application_setting_updated', change: 'max_login_attempts', from: '10', to: '7' },
        { event_name: 'application_setting_updated', change: 'password_number_required', from: 'false', to: 'true' },
        { event_name: 'application_setting_updated', change: 'recaptcha_private_key', from: undefined, to: undefined },
      ]),
    );
    expect(JSON.stringify(await eventsOf('Instance'))).not.toContain('never-in-an-event');
  });
});

describe('GET /user/authentication_events', () => {
  it('shows people what opened their account and what tried to, to their session alone', async () => {
    const user = await buildUser(app, { password });
    await signIn(user, 'wrong');
    const headers = await visitor(user);
    await app.api('PUT', `/users/${user.id}`, { token: admin, json: { name: 'Another' } });
    const got = await app.api<Event[]>('GET', '/user/authentication_events', { headers });
    expect(got.status).toBe(200);
    expect(got.body.map((event) => event.event_name)).toEqual(['user_signed_in', 'user_sign_in_failed']);
    const { secret } = await buildToken(app, { user });
    expect((await app.api('GET', '/user/authentication_events', { token: secret })).status).toBe(403);
    expect((await app.api('GET', '/user/authentication_events')).status).toBe(401);
    const wrong = { headers, query: { created_after: 'yesterday' } };
    expect((await app.api('GET', '/user/authentication_events', wrong)).status).toBe(400);
  });
});
