/** Kinds of accounts that administrators list and count, and what they do for those who cannot get in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import type { User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
const password = 'correct horse battery';
let app: TestApp;
let mail: MailServer;
let admin: { user: User; secret: string };
let headers: Record<string, string>;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  const boss = await buildAdmin(app, { password });
  admin = await buildToken(app, { user: boss });
  headers = await sessionOf(boss);
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

async function sessionOf(user: User): Promise<Record<string, string>> {
  const got = await signIn(user);
  const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return { Cookie: cookie, 'X-CSRF-Token': got.body.csrf_token };
}
const signIn = (user: User, secret = password) =>
  app.request<{ csrf_token: string }>('POST', '/-/session', { json: { login: user.username, password: secret } });
const names = async (filter: string, secret = admin.secret) =>
  (
    await app.api<{ username: string }[]>('GET', '/users', { token: secret, query: { filter, per_page: 100 } })
  ).body.map(({ username }) => username);
const post = (path: string, as = headers) => app.api<Json>('POST', path, { headers: as });
async function locked(): Promise<User> {
  await app.settings.write({ max_login_attempts: 1 });
  const user = await buildUser(app, { password });
  await signIn(user, 'wrong');
  await app.settings.write({ max_login_attempts: 10 });
  return user;
}

describe('GET /users?filter', () => {
  it('lists one kind of accounts, and counts them all', async () => {
    const before = (await app.api<Record<string, number>>('GET', '/admin/users/counts', { headers })).body;
    const user = async (...actions: string[]) => {
      const made = await buildUser(app);
      for (const action of actions) await app.api('POST', `/users/${made.id}/${action}`, { token: admin.secret });
      return made.username;
    };
    const expected: Record<string, string> = {
      blocked: await user('block'),
      banned: await user('ban'),
      deactivated: await user('deactivate'),
      blocked_pending_approval: (await buildUser(app, { state: 'blocked_pending_approval' })).username,
      locked: (await locked()).username,
      external: (await buildUser(app, { external: true })).username,
      admins: (await buildAdmin(app)).username,
    };
    const secured = await buildUser(app);
    await app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', secured.id).execute();
    expected.two_factor_enabled = secured.username;
    const project = await app.api<{ id: number }>('POST', '/projects', { token: admin.secret, json: { name: 'bots' } });
    const bot = await app.api<{ user_id: number }>('POST', `/projects/${project.body.id}/access_tokens`, {
      token: admin.secret,
      json: { name: 'bot', scopes: ['api'] },
    });
    expected.bots = (
      await app.api<{ username: string }>('GET', `/users/${bot.body.user_id}`, { token: admin.secret })
    ).body.username;
    const account = await app.api<{ username: string }>('POST', '/service_accounts', { token: admin.secret });
    expected.service_accounts = account.body.username;
    for (const [kind, username] of Object.entries(expected)) expect(await names(kind), kind).toContain(username);
    expect(await names('blocked')).not.toContain(expected.banned);
    expect(await names('two_factor_disabled')).not.toContain(secured.username);
    expect(await names('two_factor_disabled')).toContain(expected.locked);
    expect(await names('active')).not.toContain(expected.blocked);
    const after = (await app.api<Record<string, number>>('GET', '/admin/users/counts', { headers })).body;
    for (const kind of Object.keys(expected)) expect(after[kind], kind).toBe((before[kind] ?? 0) + 1);
    expect(Object.keys(after).sort()).toEqual([...Object.keys(expected), 'active', 'two_factor_disabled'].sort());
  });

  it('is for administrators, and their counts for their session', async () => {
    const plain = await buildToken(app);
    const all = await app.api<Json[]>('GET', '/users', { token: plain.secret, query: { per_page: 100 } });
    expect(await names('banned', plain.secret)).toHaveLength(all.body.length);
    const wrong = await app.api('GET', '/users', { token: admin.secret, query: { filter: 'odd' } });
    expect(wrong.status).toBe(400);
    expect((await app.api('GET', '/admin/users/counts', { token: admin.secret })).status).toBe(403);
    expect((await app.api('GET', '/admin/users/counts')).status).toBe(401);
    const person = await sessionOf(await buildUser(app, { password }));
    expect((await app.api('GET', '/admin/users/counts', { headers: person })).status).toBe(403);
  });
});

describe('POST /users/:id/unlock', () => {
  it('lets somebody in again whose sign-ins failed', async () => {
    const user = await locked();
    expect((await signIn(user)).status).toBe(401);
    expect(await post(`/users/${user.id}/unlock`)).toMatchObject({ status: 201, body: true });
    expect((await signIn(user)).status).toBe(201);
    expect((await post(`/users/${user.id}/unlock`)).body).toBe(false);
  });

  it('is for administrators at a page', async () => {
    const user = await locked();
    const path = `/users/${user.id}/unlock`;
    expect((await post(path, {})).status).toBe(401);
    expect((await post(path, await sessionOf(await buildUser(app, { password })))).status).toBe(403);
    expect((await app.api('POST', path, { token: admin.secret })).status).toBe(403);
    expect((await post('/users/999999/unlock')).status).toBe(404);
  });
});

describe('POST /users/:id/password_reset', () => {
  it('security 12: sends a link that sets a password, to the address of the account', async () => {
    const user = await buildUser(app, { password });
    expect(await post(`/users/${user.id}/password_reset`)).toMatchObject({ status: 202 });
    const letter = await mail.next(user.email);
    expect(letter.to).toEqual([user.email]);
    const link = new URL(letter.link ?? '');
    const answer = await app.request('PUT', '/-/password-reset', {
      json: {
        reset_password_token: link.searchParams.get('reset_password_token'),
        password: 'nanosecond-wire-1952',
      },
    });
    expect(answer.status).toBe(200);
    expect((await signIn(user, 'nanosecond-wire-1952')).status).toBe(201);
  });

  it('is for administrators at a page, and for those who can use it', async () => {
    const user = await buildUser(app);
    const path = `/users/${user.id}/password_reset`;
    expect((await post(path, {})).status).toBe(401);
    expect((await post(path, await sessionOf(await buildUser(app, { password })))).status).toBe(403);
    expect((await post('/users/999999/password_reset')).status).toBe(404);
    await app.api('POST', `/users/${user.id}/block`, { token: admin.secret });
    expect((await post(path)).status).toBe(403);
    const dumb = await startTestApp();
    try {
      const boss = await buildAdmin(dumb, { password });
      const got = await dumb.request<{ csrf_token: string }>('POST', '/-/session', {
        json: { login: boss.username, password },
      });
      const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      const as = { Cookie: cookie, 'X-CSRF-Token': got.body.csrf_token };
      const other = await buildUser(dumb);
      expect((await dumb.api('POST', `/users/${other.id}/password_reset`, { headers: as })).status).toBe(422);
    } finally {
      await dumb.close();
    }
  });
});
