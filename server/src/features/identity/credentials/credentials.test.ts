/** Credentials in every transport, their limits, and the caches behind them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { acceptedScopes } from '../../../kernel/http/route.ts';
import { secretsFrom, tokenHash } from '../../../kernel/secrets/index.ts';
import { announceChange } from '../changes/index.ts';
import { allScopes } from '../tokens/index.ts';
import { createBasic, scopesAllowGit } from './basic.ts';
import { createCallerCache } from './caller-cache.ts';
import { createResolver } from './resolver.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Every place that a token can be sent in. */
const transports: ReadonlyArray<[string, (token: string) => { headers?: Record<string, string>; query?: object }]> = [
  ['PRIVATE-TOKEN', (token) => ({ headers: { 'PRIVATE-TOKEN': token } })],
  ['Bearer', (token) => ({ headers: { Authorization: `Bearer ${token}` } })],
  ['private_token', (token) => ({ query: { private_token: token } })],
  ['access_token', (token) => ({ query: { access_token: token } })],
];

describe.each(transports)('a token as %s', (name, send) => {
  const me = (token: string) => app.api('GET', '/user', send(token) as object);

  it(`[1/authentication/3] as ${name} is its user`, async () => {
    const { secret, user } = await buildToken(app);
    expect(await me(secret)).toMatchObject({ status: 200, body: { id: user.id } });
  });

  it(`[1/authentication/7] [1/errors/18] security 16: ${name}: wrong, expired, revoked or of a blocked user it is 401`, async () => {
    const refused = { status: 401, body: { message: '401 Unauthorized' } };
    expect(await me('glpat-does-not-exist')).toMatchObject(refused);
    expect(await me('x'.repeat(5000))).toMatchObject(refused);
    const expired = await buildToken(app, { expiresAt: new Date().toISOString().slice(0, 10) });
    expect(await me(expired.secret)).toMatchObject(refused);
    const revoked = await buildToken(app);
    await app.identity.tokens.revoke(revoked.row.id);
    expect(await me(revoked.secret)).toMatchObject(refused);
    for (const state of ['blocked', 'deactivated', 'banned', 'blocked_pending_approval'] as const) {
      const { secret, user } = await buildToken(app);
      await app.db.updateTable('users').set({ state }).where('id', '=', user.id).execute();
      expect(await me(secret)).toMatchObject(refused);
    }
  });

  it(`security 16: ${name}: the scope counts`, async () => {
    const { secret } = await buildToken(app, { scopes: ['read_repository'] });
    expect(await me(secret)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });
});

it('[1/authentication/4 JOB-TOKEN] an access token is none of a job', async () => {
  const { secret } = await buildToken(app);
  expect((await app.api('GET', '/user', { headers: { 'JOB-TOKEN': secret } })).status).toBe(401);
});

it('security 16: every identity route refuses a token without one of its scopes, before anything else', async () => {
  const user = await buildAdmin(app);
  const tokens = new Map<string, string>();
  for (const scope of allScopes) tokens.set(scope, (await buildToken(app, { user, scopes: [scope] })).secret);
  let refused = 0;
  for (const route of app.identity.routes) {
    if (!route.credentials.includes('token')) continue;
    const accepted = acceptedScopes(route);
    for (const [scope, token] of tokens) {
      if (accepted.includes(scope)) continue;
      const url = `/api/v4${route.path.replace(/:[a-z_]+/g, '1')}`;
      const got = await app.server.inject({ method: route.method, url, headers: { 'private-token': token } });
      expect([route.method, route.path, scope, got.statusCode]).toEqual([route.method, route.path, scope, 403]);
      expect(got.json()).toMatchObject({ error: 'insufficient_scope', scope: accepted.join(' ') });
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(100);
});

describe('what is remembered of callers', () => {
  it('security 18: blocking takes effect everywhere within a second, at once when it is announced', async () => {
    const { secret, user } = await buildToken(app);
    const me = async () => (await app.api('GET', '/user', { token: secret })).status;
    expect(await me()).toBe(200);
    // The clock stands still: nothing but the announcement ends what is remembered.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      expect(await me()).toBe(200);
      await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
      expect(await me()).toBe(200);
      await announceChange(app.db);
      await expect.poll(me).toBe(401);
    } finally {
      clock.mockRestore();
    }
    await app.db.updateTable('users').set({ state: 'active' }).where('id', '=', user.id).execute();
    expect(await me()).toBe(200);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    await expect.poll(me).toBe(401);
  });

  it('notes the last use aside, once a minute', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { secret, row, user } = await buildToken(app);
    const use = () => app.api('GET', '/user', { token: secret });
    const lastUsed = async () =>
      (await app.db.selectFrom('access_tokens').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow())
        .last_used_at;
    expect(await lastUsed()).toBeNull();
    await use();
    await expect.poll(lastUsed).not.toBeNull();
    const first = await lastUsed();
    await use();
    const other = await buildToken(app);
    await app.api('GET', '/user', { token: other.secret });
    const seen = async () =>
      (await app.db.selectFrom('access_tokens').selectAll().where('id', '=', other.row.id).executeTakeFirstOrThrow())
        .last_used_at;
    await expect.poll(seen).not.toBeNull();
    expect(await lastUsed()).toEqual(first);
    const active = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect([today, new Date().toISOString().slice(0, 10)]).toContain(active.last_activity_on);
  });
});

describe('Basic authentication', () => {
  const refusing = () => Promise.reject(new Error('no password is checked for a job'));
  const password = 'correct horse battery';
  const basic = (username: string, secret: string) => app.identity.authenticateBasic(username, secret, '127.0.0.1');

  it('takes a token as the password of any username, with its scopes', async () => {
    const { secret, user } = await buildToken(app, { scopes: ['read_repository'] });
    const caller = await basic('whoever', secret);
    expect(caller?.user?.id).toBe(user.id);
    expect(caller && [scopesAllowGit(caller, 'read'), scopesAllowGit(caller, 'write')]).toEqual([true, false]);
  });

  it('takes the account’s password, and refuses wrong, empty and blocked ones', async () => {
    const user = await buildUser(app, { password });
    const caller = await basic(user.username, password);
    expect(caller).toMatchObject({ credential: { kind: 'password' }, scopes: null, admin: false });
    expect(caller && scopesAllowGit(caller, 'write')).toBe(true);
    expect(await basic(user.username, 'wrong')).toBeNull();
    expect(await basic(user.username, '')).toBeNull();
    expect(await basic('', password)).toBeNull();
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    expect(await basic(user.username, password)).toBeNull();
  });

  it('an expired token costs no password check and does not lock the account', async () => {
    const user = await buildUser(app, { password });
    const { secret } = await buildToken(app, { user, expiresAt: '2020-01-01' });
    for (let attempt = 0; attempt < 12; attempt += 1) expect(await basic(user.username, secret)).toBeNull();
    expect((await basic(user.username, password))?.user?.id).toBe(user.id);
  });

  it('[1/authentication/4] the name of jobs takes tokens of jobs, by their hash, and access tokens, but no password', async () => {
    const { secret, user } = await buildToken(app);
    expect((await basic('gitlab-ci-token', secret))?.user?.id).toBe(user.id);
    expect(await basic('gitlab-ci-token', password)).toBeNull();
    expect(await basic('anybody', 'glcbt-of-a-job')).toBeNull();
    const job = { id: 5, project_id: 6, pipeline_id: 7, status: 'running' };
    const caller: Caller = { user, credential: { kind: 'job', job }, scopes: null, admin: false };
    const resolver = createResolver({
      admit: async () => undefined,
      db: app.db,
      cache: createCallerCache(() => true),
      usage: { used: () => undefined, close: async () => undefined },
      secrets: secretsFrom(Buffer.alloc(32)),
      refusesTokensInUrls: async () => false,
      impersonationEnabled: true,
      externalUrl: app.url,
      reused: async () => undefined,
      resolveJobToken: async (hash) => (hash.equals(tokenHash('glcbt-of-a-job')) ? caller : null),
      settings: app.settings,
      twoFactorRequiredUntil: async () => null,
    });
    const asJob = createBasic({ resolver, checkPassword: refusing, settings: app.settings });
    expect(await asJob('gitlab-ci-token', 'glcbt-of-a-job', '127.0.0.1')).toBe(caller);
    expect(await asJob('gitlab-ci-token', 'glcbt-of-another', '127.0.0.1')).toBeNull();
    expect(await asJob('gitlab-ci-token', secret, '127.0.0.1')).toMatchObject({ credential: { kind: 'token' } });
  });
});

it('security 23: no token reaches the log, whichever way it was sent', async () => {
  const { secret } = await buildToken(app);
  for (const [, send] of transports) await app.api('GET', '/user', send(secret) as object);
  await app.api('GET', '/nothing', { query: { private_token: secret } });
  expect(app.logs.join('')).not.toContain(secret);
  expect(app.logs.join('')).toContain('/api/v4/user?private_token=[FILTERED]');
  const got = await app.api('GET', '/user', { query: { private_token: secret } });
  expect(got.headers.get('referrer-policy')).toBe('no-referrer');
});
