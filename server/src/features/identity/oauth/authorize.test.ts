/** The authorization request and the consent, with the attacks of RFC 9700 on them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
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
  tokenRequest,
  type Visitor,
} from '../../../../test/oauth.ts';

let app: TestApp;
let visitor: Visitor;
let application: BuiltApplication;
beforeAll(async () => {
  app = await startTestApp();
  visitor = await buildVisitor(app);
  application = await buildApplication(app);
});
afterAll(() => app.close());

const get = <T = OauthRefusal>(query: Record<string, string>, who: Visitor | null = visitor) =>
  app.request<T>('GET', '/oauth/authorize', {
    query,
    headers: { ...(who ? { Cookie: who.headers.Cookie ?? '' } : {}), Accept: 'application/json' },
  });
const location = (got: { headers: Headers }) => new URL(got.headers.get('location') ?? '', app.url);
const countAuthorizations = async () => (await app.db.selectFrom('oauth_authorizations').select('id').execute()).length;

describe('GET /oauth/authorize', () => {
  it('sends strangers to the sign-in page and back, whatever the request is', async () => {
    for (const query of [
      authorizationRequest(application),
      { client_id: 'nobody', redirect_uri: 'https://evil.example/' },
    ]) {
      const got = await get(query, null);
      expect(got.status).toBe(302);
      expect(location(got).pathname).toBe('/users/sign_in');
      const back = new URL(location(got).searchParams.get('return_to') ?? '', app.url);
      expect([back.pathname, back.searchParams.get('redirect_uri')]).toEqual(['/oauth/authorize', query.redirect_uri]);
    }
  });

  it('asks people: who, for what, and where they go then', async () => {
    const got = await get(authorizationRequest(application, { scope: 'read_user' }));
    expect(got).toMatchObject({
      status: 200,
      body: {
        ask: true,
        application: { owner: null, confidential: true },
        redirect_host: 'client.example',
        scopes: [{ name: 'read_user' }],
      },
    });
    expect(got.headers.get('cache-control')).toBe('no-store');
    const page = await app.request('GET', '/-/oauth/authorization', {
      query: authorizationRequest(application, { scope: 'read_user' }),
      headers: visitor.headers,
    });
    expect(page.body).toEqual(got.body);
  });

  it('security 14: nobody is redirected while the application or the address are not right', async () => {
    const other = await buildApplication(app, { redirect: 'https://other.example/callback' });
    for (const more of [
      { client_id: 'f'.repeat(64) },
      { client_id: undefined },
      { redirect_uri: undefined },
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: other.redirect },
      { redirect_uri: `${application.redirect}/../evil` },
      { redirect_uri: `${application.redirect}?x=1` },
      { redirect_uri: 'javascript:alert(1)' },
      { redirect_uri: `${application.redirect} https://evil.example/` },
      { redirect_uri: `${application.redirect}\0` },
    ]) {
      const got = await get(authorizationRequest(application, { ...more, response_type: 'wrong' }));
      expect([more, got.status >= 400 && got.status < 402, got.headers.get('location')]).toEqual([more, true, null]);
      expect(got.body.error).toMatch(/^invalid_(client|request)$/);
    }
  });

  it.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'sudo' }, 'invalid_scope'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ scope: 'read_user write_repository' }, 'invalid_scope'],
    [{ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'x'.repeat(43) }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
  ])('tells the application what else is wrong: %o', async (more, error) => {
    const got = await get(authorizationRequest(application, more));
    expect(got.status).toBe(302);
    const answer = location(got);
    expect(`${answer.origin}${answer.pathname}`).toBe(application.redirect);
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({ error, state: 'the state', iss: app.url });
    expect(answer.searchParams.get('code')).toBeNull();
  });

  it('security 14: public applications need a code challenge', async () => {
    const native = await buildApplication(app, { confidential: false, redirect: 'http://127.0.0.1/cb' });
    const request = authorizationRequest(native, { redirect_uri: 'http://127.0.0.1:49152/cb' });
    expect(location(await get(request)).searchParams.get('error')).toBe('invalid_request');
    const challenge = { code_challenge: challengeOf(newVerifier()), code_challenge_method: 'S256' };
    expect((await get({ ...request, ...challenge })).status).toBe(200);
  });

  it('security 12: parameters come once and are texts', async () => {
    const url = `/oauth/authorize?${new URLSearchParams(authorizationRequest(application))}`;
    for (const more of [
      '&redirect_uri=https://evil.example/',
      '&redirect_uri[]=x',
      '&client_id=x',
      '&state=x',
      '&scope[a]=x',
    ]) {
      const got = await app.request<OauthRefusal>('GET', url + more, {
        headers: { Cookie: visitor.headers.Cookie ?? '', Accept: 'application/json' },
      });
      expect([more, got.status, got.body.error, got.headers.get('location')]).toEqual([
        more,
        400,
        'invalid_request',
        null,
      ]);
    }
  });

  it('keeps the query that the application registered, and returns the state as it came', async () => {
    const tenant = await buildApplication(app, { redirect: 'https://client.example/cb?tenant=1&state=mine' });
    const state = 'a&b=c#d%20é';
    const answer = await consent(app, visitor, authorizationRequest(tenant, { state }));
    expect(answer.href.startsWith('https://client.example/cb?tenant=1&state=mine&code=')).toBe(true);
    expect(answer.searchParams.getAll('state').at(-1)).toBe(state);
    expect(answer.hash).toBe('');
    const without = await consent(app, visitor, authorizationRequest(application, { state: undefined }));
    expect(without.searchParams.has('state')).toBe(false);
  });

  it('does not ask for trusted applications, nor again for what was agreed to', async () => {
    const trusted = await buildApplication(app, { trusted: true });
    const code = location(await get(authorizationRequest(trusted))).searchParams.get('code');
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    const { application: known } = await buildOauthTokens(app, { visitor, scope: 'read_user api' });
    expect((await get(authorizationRequest(known, { scope: 'read_user' }))).status).toBe(302);
    expect((await get(authorizationRequest(known, { scope: 'read_user read_api' }))).status).toBe(200);
    expect((await get(authorizationRequest(known, { scope: 'read_user' }), await buildVisitor(app))).status).toBe(200);
    const native = await buildApplication(app, { confidential: false });
    const verifier = newVerifier();
    const request = authorizationRequest(native, {
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    const answer = await consent(app, visitor, request);
    const got = await tokenRequest(app, {
      grant_type: 'authorization_code',
      client_id: native.application_id,
      code: answer.searchParams.get('code') ?? '',
      redirect_uri: native.redirect,
      code_verifier: verifier,
    });
    expect(got.status).toBe(200);
    // Anybody can say that they are a public application.
    expect((await get(request)).status).toBe(200);
  });

  it('HEAD makes no code', async () => {
    const trusted = await buildApplication(app, { trusted: true });
    const before = await countAuthorizations();
    const got = await app.request('HEAD', '/oauth/authorize', {
      query: authorizationRequest(trusted),
      headers: { Cookie: visitor.headers.Cookie ?? '' },
    });
    // The page where there is one, else nothing; no code in either case.
    expect([got.headers.get('location'), await countAuthorizations()]).toEqual([null, before]);
  });
});

describe('the answer of the person', () => {
  it('is a code, or a denial', async () => {
    const agreed = await consent(app, visitor, authorizationRequest(application));
    expect(Object.fromEntries(agreed.searchParams)).toEqual({
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: 'the state',
      iss: app.url,
    });
    const denied = await app.request<{ location: string }>('DELETE', '/oauth/authorize', {
      headers: visitor.headers,
      json: authorizationRequest(application),
    });
    const answer = new URL(denied.body.location).searchParams;
    expect([answer.get('error'), answer.get('state'), answer.get('code')]).toEqual([
      'access_denied',
      'the state',
      null,
    ]);
    const event = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('event', '=', 'oauth_authorization_created')
      .where('entity_id', '=', visitor.user.id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({
      author_id: visitor.user.id,
      target_type: 'OauthApplication',
      target_id: application.id,
    });
    expect(JSON.stringify(event)).not.toContain(agreed.searchParams.get('code'));
  });

  it('security 14: cannot be given by another site: no CSRF token, another origin, no session, a token', async () => {
    const json = authorizationRequest(application);
    const before = await countAuthorizations();
    const { secret } = await buildToken(app, { user: visitor.user });
    const refused = async (headers: Record<string, string>) =>
      (await app.request('POST', '/oauth/authorize', { headers, json })).status;
    const cookie = { Cookie: visitor.headers.Cookie ?? '' };
    expect(await refused(cookie)).toBe(401);
    expect(await refused({ ...cookie, 'X-CSRF-Token': 'wrong' })).toBe(401);
    expect(await refused({ ...visitor.headers, Origin: 'https://evil.example' })).toBe(403);
    expect(await refused({ ...visitor.headers, 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await refused({})).toBe(401);
    expect(await refused({ 'PRIVATE-TOKEN': secret })).toBe(403);
    const { access_token } = await buildOauthTokens(app, { visitor });
    expect(await refused({ Authorization: `Bearer ${access_token}` })).toBe(403);
    expect(await countAuthorizations()).toBe(before + 1);
  });

  it('security 14: is checked again: what the page showed cannot be widened or sent elsewhere', async () => {
    const post = (json: object) =>
      app.request<OauthRefusal & { location?: string }>('POST', '/oauth/authorize', { headers: visitor.headers, json });
    expect(await post(authorizationRequest(application, { redirect_uri: 'https://evil.example/' }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    const wider = await post(authorizationRequest(application, { scope: 'api sudo' }));
    expect(new URL(wider.body.location ?? '').searchParams.get('error')).toBe('invalid_scope');
    expect((await post({ ...authorizationRequest(application), scope: ['api'] })).body.error).toBe('invalid_request');
  });

  it('waits for the second factor that somebody has to set up', async () => {
    const late = await buildVisitor(app);
    await app.settings.write({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
    try {
      const got = await app.request('POST', '/oauth/authorize', {
        headers: (await buildVisitor(app, late.user)).headers,
        json: authorizationRequest(application),
      });
      expect(got.status).toBe(403);
    } finally {
      await app.settings.write({ require_two_factor_authentication: false });
    }
  });

  it('has no scopes of administrators for those who are none', async () => {
    const wide = await buildApplication(app, { scopes: 'read_user sudo admin_mode' });
    const answer = await consent(app, visitor, authorizationRequest(wide));
    const got = await tokenRequest(app, {
      grant_type: 'authorization_code',
      client_id: wide.application_id,
      client_secret: wide.secret,
      code: answer.searchParams.get('code') ?? '',
      redirect_uri: wide.redirect,
    });
    expect(got.body.scope).toBe('read_user');
    expect(location(await get(authorizationRequest(wide, { scope: 'sudo' }))).searchParams.get('error')).toBe(
      'invalid_scope',
    );
  });

  it('disable_admin_oauth_scopes keeps administrators from giving wide access to what is not trusted', async () => {
    const admin = await buildVisitor(app, await buildAdmin(app, { password }));
    await app.settings.write({ disable_admin_oauth_scopes: true });
    try {
      expect(await get(authorizationRequest(application), admin)).toMatchObject({
        status: 403,
        body: { error: 'access_denied' },
      });
      expect((await get(authorizationRequest(application, { scope: 'read_user' }), admin)).status).toBe(200);
      expect((await get(authorizationRequest(await buildApplication(app, { trusted: true })), admin)).status).toBe(302);
      expect((await get(authorizationRequest(application))).status).toBe(200);
    } finally {
      await app.settings.write({ disable_admin_oauth_scopes: false });
    }
  });
});
