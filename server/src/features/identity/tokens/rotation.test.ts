/** Rotating personal access tokens, limits of their life, and impersonation tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import { insideDay } from '../../../../test/windows.ts';
import { inDays } from './tokens.service.ts';

let app: TestApp;
let admin: string;
beforeAll(async () => {
  await insideDay();
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'sudo'] })).secret;
});
afterAll(() => app.close());

type Json = Record<string, unknown>;
const me = async (token: unknown) => (await app.api('GET', '/user', { token: String(token) })).status;
const rotate = (id: unknown, token: string, json: Json = {}) =>
  app.api<Json>('POST', `/personal_access_tokens/${id}/rotate`, { token, json });
const events = async (name: string, userId: number) =>
  (
    await app.api<Json[]>('GET', '/audit_events', { token: admin, query: { entity_type: 'User', entity_id: userId } })
  ).body.filter((event) => event.event_name === name);

describe('POST /personal_access_tokens/:id/rotate', () => {
  it('ends the token and answers its successor, which lives a week', async () => {
    const { user, secret } = await buildToken(app);
    const other = await buildToken(app, { user, scopes: ['read_user'], name: 'nightly' });
    const made = await rotate(other.row.id, secret);
    expect(made).toMatchObject({
      status: 200,
      body: { name: 'nightly', scopes: ['read_user'], expires_at: inDays(7), revoked: false, user_id: user.id },
    });
    expect(made.body.id).not.toBe(other.row.id);
    expect([await me(other.secret), await me(made.body.token)]).toEqual([401, 200]);
    expect((await rotate(made.body.id, secret, { expires_at: inDays(30) })).body.expires_at).toBe(inDays(30));
    const [event] = await events('personal_access_token_rotated', user.id);
    expect(event).toMatchObject({
      author_id: user.id,
      details: { target_details: 'nightly', ip_address: '127.0.0.1' },
    });
    expect(JSON.stringify(event)).not.toContain(String(made.body.token));
  });

  it('of a token that was rotated before, ends the whole family', async () => {
    const { user, secret, row } = await buildToken(app);
    const keeper = await buildToken(app, { user });
    const second = await rotate(row.id, secret);
    const third = await rotate(second.body.id, String(second.body.token));
    expect(await me(third.body.token)).toBe(200);
    const reused = await rotate(row.id, keeper.secret);
    expect(reused).toMatchObject({ status: 400, body: { message: '400 Bad request - token already revoked' } });
    expect([await me(third.body.token), await me(keeper.secret)]).toEqual([401, 200]);
    expect(await events('personal_access_token_family_revoked', user.id)).toMatchObject([
      { details: { revoked_ids: [third.body.id] } },
    ]);
  });

  it('refuses strangers, what expired, and dates that are past or too far', async () => {
    const { user, secret, row } = await buildToken(app);
    const stranger = await buildToken(app);
    expect((await rotate(row.id, stranger.secret)).status).toBe(401);
    expect((await rotate(999_999, stranger.secret)).status).toBe(401);
    expect((await rotate(999_999, admin)).status).toBe(404);
    expect((await app.api('POST', `/personal_access_tokens/${row.id}/rotate`)).status).toBe(401);
    const old = await buildToken(app, { user, expiresAt: '2020-01-01' });
    expect((await rotate(old.row.id, secret)).status).toBe(400);
    expect((await rotate(row.id, secret, { expires_at: '2020-01-01' })).status).toBe(400);
    expect((await rotate(row.id, secret, { expires_at: inDays(366) })).status).toBe(422);
    expect((await rotate(row.id, secret, { expires_at: 'soon' })).status).toBe(400);
    const narrow = await buildToken(app, { user, scopes: ['self_rotate'] });
    expect((await rotate(row.id, narrow.secret)).status).toBe(403);
    expect((await rotate(row.id, admin)).status).toBe(200);
    expect(await me(secret)).toBe(401);
  });
});

describe('POST /personal_access_tokens/self/rotate', () => {
  it('needs api or self_rotate', async () => {
    const { secret } = await buildToken(app, { scopes: ['self_rotate'] });
    const made = await rotate('self', secret);
    expect(made).toMatchObject({ status: 200, body: { scopes: ['self_rotate'] } });
    expect((await rotate('self', String(made.body.token))).status).toBe(200);
    const reader = await buildToken(app, { scopes: ['read_api'] });
    expect(await rotate('self', reader.secret)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });

  it('with a token that was rotated before, ends what it was rotated into', async () => {
    const { secret } = await buildToken(app);
    const next = await rotate('self', secret);
    expect(await me(next.body.token)).toBe(200);
    // An old copy that is merely used proves nothing; one that is rotated again is in two hands.
    expect(await me(secret)).toBe(401);
    expect(await me(next.body.token)).toBe(200);
    expect((await rotate('self', secret)).status).toBe(401);
    expect(await me(next.body.token)).toBe(401);
  });
});

describe('how long tokens live', () => {
  it('within the setting, and for ever where the instance allows it', async () => {
    const user = await buildUser(app);
    const create = (json: Json) =>
      app.api<Json>('POST', `/users/${user.id}/personal_access_tokens`, {
        token: admin,
        json: { name: 'n', scopes: ['api'], ...json },
      });
    expect((await create({})).body.expires_at).toBe(inDays(365));
    expect((await create({ expires_at: null })).body.expires_at).toBe(inDays(365));
    expect(await create({ expires_at: inDays(366) })).toMatchObject({
      status: 422,
      body: { message: `Expiration date must be before ${inDays(365)}` },
    });
    await app.settings.write({ max_personal_access_token_lifetime: 10 });
    expect((await create({})).body.expires_at).toBe(inDays(10));
    expect((await create({ expires_at: inDays(11) })).status).toBe(422);
    await app.settings.write({ max_personal_access_token_lifetime: null, require_personal_access_token_expiry: false });
    expect((await create({})).body.expires_at).toBeNull();
    await app.settings.write({ require_personal_access_token_expiry: true });
  });

  it('starts with the prefix of the instance', async () => {
    await app.settings.write({ personal_access_token_prefix: 'acme-' });
    const { secret } = await buildToken(app);
    expect(secret).toMatch(/^acme-/);
    expect(await me(secret)).toBe(200);
    await app.settings.write({ personal_access_token_prefix: 'glpat-' });
  });
});

describe('/users/:user_id/impersonation_tokens', () => {
  const path = (userId: number, rest = '') => `/users/${userId}/impersonation_tokens${rest}`;

  it('may be made with an end in the past: inactive at once, unlike personal access tokens', async () => {
    const user = await buildUser(app);
    const json = { name: 'over', scopes: ['api'], expires_at: '2020-01-01' };
    const made = await app.api<Json>('POST', path(user.id), { token: admin, json });
    expect(made).toMatchObject({ status: 201, body: { active: false, revoked: false, expires_at: '2020-01-01' } });
    expect(await me(made.body.token)).toBe(401);
    const listed = await app.api<Json[]>('GET', path(user.id, '?state=inactive'), { token: admin });
    expect(listed.body.map(({ id }) => id)).toEqual([made.body.id]);
    const personal = await app.api('POST', `/users/${user.id}/personal_access_tokens`, { token: admin, json });
    expect(personal.status).toBe(422);
  });
  const create = (userId: number, json: Json, token = admin) => app.api<Json>('POST', path(userId), { token, json });

  it('[1/authentication/6] act as their user, and are not among the tokens that the user sees', async () => {
    const user = await buildUser(app);
    const own = await buildToken(app, { user });
    const made = await create(user.id, { name: 'support', scopes: ['api'], expires_at: inDays(3) });
    expect(made).toMatchObject({
      status: 201,
      body: { impersonation: true, user_id: user.id, name: 'support', active: true, expires_at: inDays(3) },
    });
    expect((await app.api<Json>('GET', '/user', { token: String(made.body.token) })).body.id).toBe(user.id);
    const seen = await app.api<Json[]>('GET', '/personal_access_tokens', { token: own.secret });
    expect(seen.body.map((token) => token.id)).toEqual([own.row.id]);
    expect((await app.api('GET', `/personal_access_tokens/${made.body.id}`, { token: admin })).status).toBe(404);
    const list = async (state?: string) =>
      (await app.api<Json[]>('GET', path(user.id), { token: admin, query: { state } })).body.map((token) => token.id);
    expect([await list(), await list('active'), await list('inactive')]).toEqual([[made.body.id], [made.body.id], []]);
    const one = await app.api<Json>('GET', path(user.id, `/${made.body.id}`), { token: admin });
    expect(one).toMatchObject({ status: 200, body: { impersonation: true } });
    expect(one.body.token).toBeUndefined();
    const gone = await app.api('DELETE', path(user.id, `/${made.body.id}`), { token: admin });
    expect([gone.status, await me(made.body.token)]).toEqual([204, 401]);
    expect([await list('all'), await list('active')]).toEqual([[made.body.id], []]);
    expect(await events('impersonation_token_created', user.id)).toHaveLength(1);
    expect(await events('impersonation_token_revoked', user.id)).toHaveLength(1);
  });

  it('are for administrators, below their own user, and checked', async () => {
    const user = await buildUser(app);
    const other = await buildUser(app);
    const { secret } = await buildToken(app, { user });
    const made = await create(user.id, { name: 'x', scopes: ['api'] });
    expect((await create(user.id, { name: 'x', scopes: ['api'] }, secret)).status).toBe(403);
    expect((await app.api('GET', path(user.id))).status).toBe(401);
    expect((await app.api('GET', path(other.id, `/${made.body.id}`), { token: admin })).status).toBe(404);
    expect((await app.api('DELETE', path(other.id, `/${made.body.id}`), { token: admin })).status).toBe(404);
    expect((await create(999_999, { name: 'x', scopes: ['api'] })).status).toBe(404);
    expect((await create(user.id, { name: 'x', scopes: ['everything'] })).status).toBe(400);
    expect((await create(user.id, { name: '', scopes: ['api'] })).status).toBe(422);
    expect((await app.api('GET', path(user.id), { token: admin, query: { state: 'odd' } })).status).toBe(400);
  });
});

it('[1/authentication/6] where the configuration switches impersonation off, existing tokens stop and none can be made', async () => {
  const off = await startTestApp({ environment: { MILLRACE_IMPERSONATION_ENABLED: 'false' } });
  try {
    const boss = await buildToken(off, { user: await buildAdmin(off) });
    const user = await buildUser(off);
    const target = `/users/${user.id}/impersonation_tokens`;
    const { secret, row } = await buildToken(off, { user });
    await off.db.updateTable('access_tokens').set({ kind: 'impersonation' }).where('id', '=', row.id).execute();
    expect((await off.api('GET', '/user', { token: secret })).status).toBe(401);
    expect(await off.identity.authenticateBasic('x', secret, '127.0.0.1')).toBeNull();
    const json = { name: 'x', scopes: ['api'] };
    expect(await off.api('POST', target, { token: boss.secret, json })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Impersonation is disabled' },
    });
    expect((await off.api<Json[]>('GET', target, { token: boss.secret })).body).toHaveLength(1);
    expect((await off.api('DELETE', `${target}/${row.id}`, { token: boss.secret })).status).toBe(204);
  } finally {
    await off.close();
  }
});
