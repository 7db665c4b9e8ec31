/** Taking access from accounts: who may be moved from which state to which, and that it works at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let admin: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

type State = User['state'];
const password = 'nine lives of a cat';
const act = (action: string, id: number, token = admin.secret) => app.api('POST', `/users/${id}/${action}`, { token });
const inState = async (state: State, more: { readonly last_activity_on?: string } = {}) => {
  const { user, secret } = await buildToken(app, { user: await buildUser(app, { password }) });
  await app.db
    .updateTable('users')
    .set({ state, ...more })
    .where('id', '=', user.id)
    .execute();
  return { user, secret };
};
const stateOf = async (id: number) =>
  (await app.api<{ state: State }>('GET', `/users/${id}`, { token: admin.secret })).body.state;

const forbidden = (message: string) => ({ status: 403, body: { message } });
const ok = { status: 201, body: true };

describe('moving between states', () => {
  it.each([
    ['block', 'active', ok, 'blocked'],
    ['block', 'blocked', { status: 201, body: null }, 'blocked'],
    ['block', 'deactivated', ok, 'blocked'],
    ['unblock', 'blocked', ok, 'active'],
    ['unblock', 'active', { status: 201, body: false }, 'active'],
    ['unblock', 'deactivated', forbidden('403 Forbidden - Deactivated users cannot be unblocked by the API'), null],
    ['ban', 'active', ok, 'banned'],
    ['ban', 'blocked', forbidden('You cannot ban blocked users.'), null],
    ['unban', 'banned', ok, 'active'],
    ['unban', 'active', forbidden('You cannot unban active users.'), null],
    ['deactivate', 'active', ok, 'deactivated'],
    ['deactivate', 'deactivated', { status: 201, body: null }, 'deactivated'],
    ['deactivate', 'blocked', forbidden('Error occurred. A blocked user cannot be deactivated'), null],
    ['activate', 'deactivated', ok, 'active'],
    ['activate', 'blocked', forbidden('403 Forbidden - A blocked user must be unblocked to be activated'), null],
    ['approve', 'blocked_pending_approval', { status: 201, body: { message: 'Success' } }, 'active'],
    [
      'approve',
      'active',
      { status: 409, body: { message: 'The user you are trying to approve is not pending approval' } },
      null,
    ],
    ['reject', 'active', { status: 409, body: { message: 'User does not have a pending request' } }, null],
  ] as const)('%s of a user who is %s', async (action, before, expected, after) => {
    const { user } = await inState(before);
    expect(await act(action, user.id)).toMatchObject(expected);
    expect(await stateOf(user.id)).toBe(after ?? before);
  });

  it('knows no absent user, and is for administrators', async () => {
    const { secret, user } = await buildToken(app);
    for (const action of ['block', 'unblock', 'ban', 'unban', 'deactivate', 'activate', 'approve', 'reject']) {
      expect(await act(action, 999_999)).toMatchObject({ status: 404, body: { message: '404 User Not Found' } });
      expect((await act(action, user.id, secret)).status).toBe(403);
    }
  });

  it('administrators cannot shut themselves out', async () => {
    expect(await act('block', admin.user.id)).toMatchObject(
      forbidden('403 Forbidden - The API initiating user cannot be blocked by the API'),
    );
    expect((await act('ban', admin.user.id)).status).toBe(403);
    expect((await act('deactivate', admin.user.id)).status).toBe(403);
    expect(await stateOf(admin.user.id)).toBe('active');
  });

  it('whoever was there lately is not deactivated; whoever was is back by signing in', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const lately = await inState('active', { last_activity_on: today });
    expect(await act('deactivate', lately.user.id)).toMatchObject(
      forbidden('The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated'),
    );
    const { user } = await inState('active', { last_activity_on: '2020-01-01' });
    expect((await act('deactivate', user.id)).status).toBe(201);
    const back = await app.request('POST', '/-/session', { json: { login: user.username, password } });
    expect(back).toMatchObject({ status: 201, body: { user: { state: 'active' } } });
  });
});

describe('security 18: what is taken is taken at once', () => {
  it.each(['block', 'ban', 'deactivate'])('%s ends sessions, tokens and git with the next request', async (action) => {
    const { user, secret } = await inState('active');
    const signIn = await app.request('POST', '/-/session', { json: { login: user.username, password } });
    const Cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const git = (credential: string) =>
      app.request('GET', '/some/where.git/info/refs?service=git-upload-pack', {
        headers: { Authorization: `Basic ${Buffer.from(`${user.username}:${credential}`).toString('base64')}` },
      });
    const all = async () => [
      (await app.api('GET', '/user', { token: secret })).status,
      (await app.api('GET', '/user', { headers: { Cookie } })).status,
      (await git(secret)).status,
      (await git(password)).status,
    ];
    expect(await all()).toEqual([200, 200, 404, 404]);
    // What signing in noted would make the account too fresh to be deactivated.
    const old = { last_activity_on: '2020-01-01', current_sign_in_at: new Date(0) };
    await app.identity.close();
    await app.db.updateTable('users').set(old).where('id', '=', user.id).execute();
    expect((await act(action, user.id)).status).toBe(201);
    expect(await all()).toEqual([401, 401, 401, 401]);
    const left = await app.db.selectFrom('sessions').selectAll().where('user_id', '=', user.id).execute();
    expect(left).toEqual([]);
    const again = await app.request('POST', '/-/session', { json: { login: user.username, password } });
    expect(again.status).toBe(action === 'deactivate' ? 201 : 403);
  });

  it('is told in the audit log', async () => {
    const { user } = await inState('active');
    await act('block', user.id);
    await act('unblock', user.id);
    const query = { entity_type: 'User', entity_id: user.id };
    const { body } = await app.api<{ event_name: string; author_id: number }[]>('GET', '/audit_events', {
      token: admin.secret,
      query,
    });
    expect(body.slice(0, 2)).toMatchObject([
      { event_name: 'user_unblock', author_id: admin.user.id },
      { event_name: 'user_block', author_id: admin.user.id },
    ]);
  });
});
