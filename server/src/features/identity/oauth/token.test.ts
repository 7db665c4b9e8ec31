/** Tokens: from codes, refresh tokens, passwords and applications; their end; and the attacks of RFC 9700 on them. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import {
  authorizationRequest,
  type BuiltApplication,
  buildApplication,
  buildOauthTokens,
  buildVisitor,
  challengeOf,
  consent,
  newVerifier,
  type OauthRefusal,
  password,
  refresh,
  statusOf,
  tokenRequest,
  type Visitor,
} from '../../../../test/oauth.ts';
import { stopClock } from '../../../../test/windows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { announceChange } from '../changes/index.ts';

let app: TestApp;
let visitor: Visitor;
let application: BuiltApplication;
beforeAll(async () => {
  app = await startTestApp();
  visitor = await buildVisitor(app);
  application = await buildApplication(app);
});
afterAll(() => app.close());

const proof = (of: BuiltApplication) => ({ client_id: of.application_id, client_secret: of.secret });
async function codeFor(of: BuiltApplication, more: Record<string, string> = {}): Promise<string> {
  const location = await consent(app, visitor, authorizationRequest(of, more));
  return location.searchParams.get('code') ?? '';
}
const exchange = (of: BuiltApplication, code: string, more: Readonly<Record<string, string | undefined>> = {}) =>
  tokenRequest(app, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: of.redirect,
    ...proof(of),
    ...more,
  });
const post = <T = OauthRefusal>(path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.request<T>('POST', path, { form, headers });
const basic = (name: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});
const refusedGrant = { status: 400, body: { error: 'invalid_grant' } };
const events = async (event: string) =>
  await app.db.selectFrom('audit_events').selectAll().where('event', '=', event).orderBy('id', 'desc').execute();
const info = (token: string) =>
  app.request('GET', '/oauth/token/info', { headers: { Authorization: `Bearer ${token}` } });

describe('the code', () => {
  it('[1/authentication/2] [1/limits.other-limits/3] becomes a token that lives two hours, in the shape that clients know', async () => {
    const got = await exchange(application, await codeFor(application, { scope: 'read_user api' }));
    expect(got.status).toBe(200);
    expect(got.body).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'read_user api',
      created_at: expect.any(Number),
    });
    expect(Math.abs(got.body.created_at - Date.now() / 1000)).toBeLessThan(10);
    expect([got.headers.get('cache-control'), got.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    const row = await app.db
      .selectFrom('oauth_tokens')
      .selectAll()
      .where('token_sha256', '=', tokenHash(got.body.access_token))
      .executeTakeFirstOrThrow();
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(7_200_000);
    const me = await app.api('GET', '/user', { query: { access_token: got.body.access_token } });
    expect(me).toMatchObject({ status: 200, body: { id: visitor.user.id } });
    await app.db
      .updateTable('oauth_tokens')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', row.id)
      .execute();
    await announceChange(app.db);
    await expect.poll(() => statusOf(app, got.body.access_token)).toBe(401);
  });

  it('is taken as JSON and with Basic too', async () => {
    const values = { grant_type: 'authorization_code', redirect_uri: application.redirect };
    const json = { ...values, code: await codeFor(application), ...proof(application) };
    expect((await app.request('POST', '/oauth/token', { json })).status).toBe(200);
    const form = { ...values, code: await codeFor(application) };
    expect((await post('/oauth/token', form, basic(application.application_id, application.secret))).status).toBe(200);
  });

  it('security 14: counts once; used again, everything that came of it ends', async () => {
    const code = await codeFor(application);
    const first = await exchange(application, code);
    expect(await statusOf(app, first.body.access_token)).toBe(200);
    const renewed = await refresh(app, application, first.body.refresh_token);
    expect(await exchange(application, code)).toMatchObject(refusedGrant);
    expect(await statusOf(app, renewed.body.access_token)).toBe(401);
    expect(await refresh(app, application, renewed.body.refresh_token)).toMatchObject(refusedGrant);
    expect((await events('oauth_authorization_revoked'))[0]).toMatchObject({
      target_id: application.id,
      details: { reason: 'code used twice' },
    });
  });

  it('security 14: of two who use it at once only one gets anything, and it does not last', async () => {
    const code = await codeFor(application);
    const both = await Promise.all([exchange(application, code), exchange(application, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const token = both.find(({ status }) => status === 200)?.body.access_token ?? '';
    expect(await statusOf(app, token)).toBe(401);
  });

  it('security 14: is worth nothing to another application (mix-up, code injection)', async () => {
    const other = await buildApplication(app);
    const code = await codeFor(application);
    expect(await exchange(other, code)).toMatchObject(refusedGrant);
    expect(await exchange(application, code, { redirect_uri: 'https://client.example/other' })).toMatchObject(
      refusedGrant,
    );
    expect(await exchange(application, code, { redirect_uri: undefined })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect((await exchange(application, code)).status).toBe(200);
  });

  it('security 14: with a challenge it needs its verifier; without one it takes none (PKCE downgrade)', async () => {
    const verifier = newVerifier();
    const challenge = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const bound = await codeFor(application, challenge);
    expect(await exchange(application, bound)).toMatchObject(refusedGrant);
    expect(await exchange(application, bound, { code_verifier: newVerifier() })).toMatchObject(refusedGrant);
    expect(await exchange(application, bound, { code_verifier: challengeOf(verifier) })).toMatchObject(refusedGrant);
    expect((await exchange(application, bound, { code_verifier: verifier })).status).toBe(200);
    // Somebody removed the challenge from the request on its way.
    const stripped = await codeFor(application);
    expect(await exchange(application, stripped, { code_verifier: verifier })).toMatchObject(refusedGrant);
    const short = 'short';
    const weak = await codeFor(application, { code_challenge: challengeOf(short), code_challenge_method: 'S256' });
    expect(await exchange(application, weak, { code_verifier: short })).toMatchObject(refusedGrant);
  });

  it('matches the pair of the reference', () => {
    expect(challengeOf('ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf')).toBe(
      '2i0WFA-0AerkjQm4X4oDEhqA17QIAKNjXpagHBXmO_U',
    );
  });

  it('lives ten minutes, and not longer than its person', async () => {
    const late = await codeFor(application);
    await app.db
      .updateTable('oauth_codes')
      .set({ expires_at: new Date() })
      .where('code_sha256', '=', tokenHash(late))
      .execute();
    expect(await exchange(application, late)).toMatchObject(refusedGrant);
    const someone = await buildVisitor(app);
    const location = await consent(app, someone, authorizationRequest(application));
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', someone.user.id).execute();
    expect(await exchange(application, location.searchParams.get('code') ?? '')).toMatchObject(refusedGrant);
  });
});

describe('the application proves itself', () => {
  it('security 14: wrong, missing or doubled proofs are refused', async () => {
    const code = await codeFor(application);
    const unknown = { status: 401, body: { error: 'invalid_client' } };
    expect(await exchange(application, code, { client_secret: undefined })).toMatchObject(unknown);
    expect(await exchange(application, code, { client_secret: 'wrong' })).toMatchObject(unknown);
    expect(await exchange(application, code, { client_id: undefined })).toMatchObject(unknown);
    expect(await exchange(application, code, { client_id: 'nobody' })).toMatchObject(unknown);
    const form = { grant_type: 'authorization_code', code, redirect_uri: application.redirect };
    const wrong = await post('/oauth/token', form, basic(application.application_id, 'wrong'));
    expect(wrong).toMatchObject(unknown);
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /);
    const own = basic(application.application_id, application.secret);
    expect((await post('/oauth/token', { ...form, client_id: 'other' }, own)).status).toBe(401);
    expect((await post('/oauth/token', { ...form, client_secret: application.secret }, own)).body.error).toBe(
      'invalid_request',
    );
    // Secrets in addresses are not read.
    const inUrl = await app.request('POST', '/oauth/token', { query: { ...form, ...proof(application) } });
    expect(inUrl.status).toBe(400);
    expect((await post('/oauth/token', form, own)).status).toBe(200);
  });

  it('security 12: parameters are texts and come once', async () => {
    const code = await codeFor(application);
    const good = { grant_type: 'authorization_code', code, redirect_uri: application.redirect, ...proof(application) };
    const invalid = { status: 400, body: { error: 'invalid_request' } };
    for (const [name, value] of Object.entries(good)) {
      expect(await app.request('POST', '/oauth/token', { json: { ...good, [name]: [value] } })).toMatchObject(invalid);
      expect(await app.request('POST', '/oauth/token', { json: { ...good, [name]: { a: value } } })).toMatchObject(
        invalid,
      );
      for (const more of [`&${name}=x`, `&${name}[]=x`]) {
        const raw = `${new URLSearchParams(good)}${more}`;
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        expect(await app.request('POST', '/oauth/token', { raw, headers })).toMatchObject(invalid);
      }
    }
    for (const json of [[], 'x', 1, null])
      expect(await app.request('POST', '/oauth/token', { json })).toMatchObject(invalid);
    const headers = { 'Content-Type': 'application/json' };
    expect(await app.request('POST', '/oauth/token', { raw: '{', headers })).toMatchObject(invalid);
    expect(await tokenRequest(app, { grant_type: 'implicit' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
    expect(await tokenRequest(app, { grant_type: 'constructor' })).toMatchObject({
      body: { error: 'unsupported_grant_type' },
    });
    const large = await app.request('POST', '/oauth/token', { json: { ...good, state: 'x'.repeat(60_000) } });
    expect([large.status, large.headers.get('cache-control')]).toEqual([413, 'no-store']);
    expect((await exchange(application, code)).status).toBe(200);
  });
});

describe('the refresh token', () => {
  it('[1/authentication/2 refresh_token] gives new ones and ends both former ones', async () => {
    const first = await buildOauthTokens(app, { visitor });
    expect(await statusOf(app, first.access_token)).toBe(200);
    const second = await refresh(app, first.application, first.refresh_token);
    expect(second).toMatchObject({ status: 200, body: { scope: first.scope, expires_in: 7200 } });
    expect(await statusOf(app, first.access_token)).toBe(401);
    expect(await statusOf(app, second.body.access_token)).toBe(200);
  });

  it('security 14: used again, the whole family ends', async () => {
    const first = await buildOauthTokens(app, { visitor });
    const second = await refresh(app, first.application, first.refresh_token);
    const third = await refresh(app, first.application, second.body.refresh_token);
    expect(await statusOf(app, third.body.access_token)).toBe(200);
    expect(await refresh(app, first.application, first.refresh_token)).toMatchObject(refusedGrant);
    expect(await statusOf(app, third.body.access_token)).toBe(401);
    expect(await refresh(app, first.application, third.body.refresh_token)).toMatchObject(refusedGrant);
    expect((await events('oauth_authorization_revoked'))[0]).toMatchObject({
      entity_id: visitor.user.id,
      details: { reason: 'refresh_token used twice' },
    });
  });

  it('security 14: is worth nothing to another application, nor without proof', async () => {
    const { application: own, refresh_token } = await buildOauthTokens(app, { visitor });
    expect(await refresh(app, application, refresh_token)).toMatchObject(refusedGrant);
    expect(await tokenRequest(app, { grant_type: 'refresh_token', refresh_token })).toMatchObject(refusedGrant);
    expect((await refresh(app, own, refresh_token, { client_secret: undefined })).status).toBe(401);
    expect((await refresh(app, own, refresh_token)).status).toBe(200);
  });

  it('security 14: gives less when asked, never more than was granted', async () => {
    const { application: own, refresh_token } = await buildOauthTokens(app, { visitor, scope: 'read_api read_user' });
    for (const scope of ['api', 'read_user api', 'sudo', 'nothing'])
      expect(await refresh(app, own, refresh_token, { scope })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      });
    const less = await refresh(app, own, refresh_token, { scope: 'read_user' });
    expect(less.body.scope).toBe('read_user');
    expect((await refresh(app, own, less.body.refresh_token)).body.scope).toBe('read_api read_user');
  });

  it('is no access token, and an access token refreshes nothing', async () => {
    const { application: own, access_token, refresh_token } = await buildOauthTokens(app, { visitor });
    expect(await statusOf(app, refresh_token)).toBe(401);
    expect((await info(refresh_token)).status).toBe(401);
    expect(await refresh(app, own, access_token)).toMatchObject(refusedGrant);
  });

  it('security 18: of somebody who was blocked gives nothing', async () => {
    const someone = await buildVisitor(app);
    const { application: own, access_token, refresh_token } = await buildOauthTokens(app, { visitor: someone });
    expect(await statusOf(app, access_token)).toBe(200);
    const { secret } = await buildToken(app, { user: await buildAdmin(app) });
    expect((await app.api('POST', `/users/${someone.user.id}/block`, { token: secret })).status).toBe(201);
    expect(await statusOf(app, access_token)).toBe(401);
    expect(await refresh(app, own, refresh_token)).toMatchObject(refusedGrant);
    expect((await info(access_token)).status).toBe(401);
  });
});

describe('the password', () => {
  const grant = (login: string, secret: string, more: Record<string, string> = {}) =>
    tokenRequest(app, { grant_type: 'password', username: login, password: secret, ...more });

  it('becomes a token of everything, or of what is asked; also for a known application', async () => {
    const user = await buildUser(app, { password });
    const got = await grant(user.username, password);
    expect(got).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 7200, scope: 'api' } });
    expect(await statusOf(app, got.body.access_token)).toBe(200);
    expect((await grant(user.email, password, { scope: 'read_user' })).body.scope).toBe('read_user');
    const again = await tokenRequest(app, { grant_type: 'refresh_token', refresh_token: got.body.refresh_token });
    expect(again.status).toBe(200);
    const known = await buildApplication(app, { scopes: 'read_user' });
    expect((await grant(user.username, password, proof(known))).body.scope).toBe('read_user');
    expect((await grant(user.username, password, { ...proof(known), scope: 'api' })).body.error).toBe('invalid_scope');
    expect((await grant(user.username, password, { ...proof(known), client_secret: 'wrong' })).status).toBe(401);
    expect((await events('oauth_authorization_created'))[0]).toMatchObject({
      author_id: user.id,
      details: { grant_type: 'password' },
    });
    expect((await grant(user.username, password, { scope: 'sudo' })).body.error).toBe('invalid_scope');
  });

  it('security 15: alone is refused to whoever has a second factor, and says nothing about it', async () => {
    const user = await buildUser(app, { password });
    const { headers } = await buildVisitor(app, user);
    const started = await app.api<{ secret: string }>('POST', '/user/two_factor/totp', {
      headers,
      json: { current_password: password },
    });
    const code = new TOTP({ secret: Secret.fromBase32(started.body.secret) }).generate();
    expect((await app.api('POST', '/user/two_factor/totp/confirm', { headers, json: { code } })).status).toBe(201);
    const right = await grant(user.username, password);
    expect(right).toMatchObject(refusedGrant);
    expect(right.body).toEqual((await grant(user.username, 'wrong')).body);
  });

  it('security 15: is refused to whoever has to set up a second factor by now', async () => {
    const user = await buildUser(app, { password });
    await app.settings.write({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
    try {
      expect(await grant(user.username, password)).toMatchObject(refusedGrant);
    } finally {
      await app.settings.write({ require_two_factor_authentication: false });
    }
  });

  it('is refused to accounts that are not active, whose password expired, and to bots', async () => {
    for (const state of ['blocked', 'banned', 'deactivated', 'blocked_pending_approval'] as const) {
      const user = await buildUser(app, { password });
      await app.db.updateTable('users').set({ state }).where('id', '=', user.id).execute();
      expect(await grant(user.username, password)).toMatchObject(refusedGrant);
    }
    const late = await buildUser(app, { password });
    await app.db.updateTable('users').set({ password_expired: true }).where('id', '=', late.id).execute();
    expect(await grant(late.username, password)).toMatchObject(refusedGrant);
  });

  it('counts as a sign-in: guesses lock the account and are limited', async () => {
    const user = await buildUser(app, { password });
    await app.settings.write({ max_login_attempts: 3 });
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await grant(user.username, 'wrong')).toMatchObject(refusedGrant);
    expect(await grant(user.username, password)).toMatchObject(refusedGrant);
    stopClock();
    await app.settings.write({ max_login_attempts: 10, user_sign_in_limit: 2 });
    const other = await buildUser(app, { password });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await grant(other.username, password)).status);
    await app.settings.write({ user_sign_in_limit: 600 });
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('is refused where passwords are not for programs, and without an application where one is needed', async () => {
    const user = await buildUser(app, { password });
    await app.settings.write({ password_authentication_enabled_for_git: false });
    expect((await grant(user.username, password)).body.error).toBe('unauthorized_client');
    await app.settings.write({ password_authentication_enabled_for_git: true, ropc_without_client_credentials: false });
    expect((await grant(user.username, password)).body.error).toBe('invalid_client');
    expect((await grant(user.username, password, proof(application))).status).toBe(200);
    await app.settings.write({ ropc_without_client_credentials: true });
    expect((await grant('', password)).body.error).toBe('invalid_request');
  });
});

describe('client_credentials', () => {
  it('is the application itself: nobody’s account, no refresh, nothing of the API', async () => {
    const got = await tokenRequest(app, { grant_type: 'client_credentials', ...proof(application) });
    expect(got).toMatchObject({ status: 200, body: { scope: 'api' } });
    expect(got.body).not.toHaveProperty('refresh_token');
    expect(await statusOf(app, got.body.access_token)).toBe(401);
    expect((await info(got.body.access_token)).body).toMatchObject({
      resource_owner_id: null,
      application: { uid: application.application_id },
    });
    const native = await buildApplication(app, { confidential: false });
    const refused = await tokenRequest(app, { grant_type: 'client_credentials', client_id: native.application_id });
    expect(refused.body.error).toBe('unauthorized_client');
    expect((await tokenRequest(app, { grant_type: 'client_credentials' })).status).toBe(401);
  });
});
