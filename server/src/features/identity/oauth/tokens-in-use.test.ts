/** What tokens are worth: in the API, in git, to their applications; and their end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import {
  type BuiltApplication,
  buildApplication,
  buildOauthTokens,
  buildVisitor,
  type OauthRefusal,
  password,
  refresh,
  statusOf,
  tokenRequest,
  type Visitor,
} from '../../../../test/oauth.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

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
const post = <T = OauthRefusal>(path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.request<T>('POST', path, { form, headers });
const basic = (name: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});
const refusedGrant = { status: 400, body: { error: 'invalid_grant' } };
const info = (token: string) =>
  app.request('GET', '/oauth/token/info', { headers: { Authorization: `Bearer ${token}` } });

describe('what a token is worth', () => {
  it('[1/authentication/2 access_token, Authorization] security 16: it is read as Bearer and access_token, and not where personal tokens are', async () => {
    const { access_token: token } = await buildOauthTokens(app, { visitor });
    const status = async (parts: object) => (await app.api('GET', '/user', parts)).status;
    expect(await status({ headers: { Authorization: `Bearer ${token}` } })).toBe(200);
    expect(await status({ query: { access_token: token } })).toBe(200);
    expect(await status({ headers: { 'PRIVATE-TOKEN': token } })).toBe(401);
    expect(await status({ query: { private_token: token } })).toBe(401);
    expect(await status({ headers: { 'JOB-TOKEN': token } })).toBe(401);
    const own = await app.api('GET', '/personal_access_tokens/self', { headers: { Authorization: `Bearer ${token}` } });
    expect(own.status).toBe(400);
  });

  it('git takes it as a password, with the scopes of git', async () => {
    const owner = await buildToken(app, { user: visitor.user });
    const project = await buildRepositoryProject(app, { owner });
    const own = await buildApplication(app, { scopes: 'read_repository write_repository read_user' });
    const service = async (token: string, name: string, what = 'git-upload-pack') =>
      (await app.request('GET', `/${project.fullPath}.git/info/refs?service=${what}`, { headers: basic(name, token) }))
        .status;
    const reads = await buildOauthTokens(app, { visitor, application: own, scope: 'read_repository' });
    const writes = await buildOauthTokens(app, { visitor, application: own, scope: 'write_repository' });
    const neither = await buildOauthTokens(app, { visitor, application: own, scope: 'read_user' });
    expect(await service(reads.access_token, 'oauth2')).toBe(200);
    expect(await service(reads.access_token, 'anything')).toBe(200);
    expect(await service(reads.access_token, 'oauth2', 'git-receive-pack')).toBeGreaterThanOrEqual(401);
    expect(await service(writes.access_token, 'oauth2', 'git-receive-pack')).toBe(200);
    expect(await service(neither.access_token, 'oauth2')).toBeGreaterThanOrEqual(401);
    expect(await service('f'.repeat(64), 'oauth2')).toBe(401);
  });

  it('a username of OAuth never means a password', async () => {
    await buildUser(app, { username: 'oauth2', password });
    const got = await app.request('GET', '/some/where.git/info/refs?service=git-upload-pack', {
      headers: basic('oauth2', password),
    });
    expect(got.status).toBe(401);
  });

  it('[1/authentication/9] [1/authentication/11] sudo needs its scope', async () => {
    const admin = await buildVisitor(app, await buildAdmin(app, { password }));
    const own = await buildApplication(app, { scopes: 'api sudo' });
    const plain = await buildOauthTokens(app, { visitor: admin, application: own, scope: 'api' });
    const wide = await buildOauthTokens(app, { visitor: admin, application: own, scope: 'api sudo' });
    const as = (token: string) =>
      app.api('GET', '/user', { headers: { Authorization: `Bearer ${token}`, Sudo: visitor.user.username } });
    expect(await as(plain.access_token)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'sudo' },
    });
    expect(await as(wide.access_token)).toMatchObject({ status: 200, body: { id: visitor.user.id } });
  });

  it('tells about itself at /oauth/token/info', async () => {
    const {
      access_token: token,
      application: own,
      created_at,
    } = await buildOauthTokens(app, { visitor, scope: 'read_user api' });
    const got = await info(token);
    expect(got.status).toBe(200);
    expect(got.body).toEqual({
      resource_owner_id: visitor.user.id,
      scope: ['read_user', 'api'],
      expires_in: expect.any(Number),
      application: { uid: own.application_id },
      created_at,
      scopes: ['read_user', 'api'],
      expires_in_seconds: expect.any(Number),
    });
    expect((await app.request('GET', '/oauth/token/info', { query: { access_token: token } })).status).toBe(200);
    const nobody = await info('f'.repeat(64));
    expect(nobody).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer /);
    expect((await app.request('GET', '/oauth/token/info')).status).toBe(401);
    await app.settings.write({ refuse_tokens_in_urls: true });
    expect((await app.request('GET', '/oauth/token/info', { query: { access_token: token } })).status).toBe(401);
    await app.settings.write({ refuse_tokens_in_urls: false });
  });

  it('is told to its application alone at /oauth/introspect', async () => {
    const { access_token, refresh_token, application: own } = await buildOauthTokens(app, { visitor });
    const ask = (token: string, as: BuiltApplication) => post('/oauth/introspect', { token, ...proof(as) });
    expect((await ask(access_token, own)).body).toMatchObject({
      active: true,
      client_id: own.application_id,
      token_type: 'Bearer',
      sub: String(visitor.user.id),
      username: visitor.user.username,
      exp: expect.any(Number),
    });
    expect((await ask(refresh_token, own)).body).toMatchObject({ active: true });
    expect((await ask(access_token, application)).body).toEqual({ active: false });
    expect((await ask('nothing', own)).body).toEqual({ active: false });
    expect((await post('/oauth/introspect', { token: access_token })).status).toBe(401);
    const native = await buildApplication(app, { confidential: false });
    expect((await post('/oauth/introspect', { token: access_token, client_id: native.application_id })).status).toBe(
      401,
    );
  });
});

describe('the end of a token', () => {
  it('is asked for by its application', async () => {
    const { access_token, refresh_token, application: own } = await buildOauthTokens(app, { visitor });
    expect(await post('/oauth/revoke', { token: access_token, ...proof(own) })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(await statusOf(app, access_token)).toBe(401);
    expect(await refresh(app, own, refresh_token)).toMatchObject(refusedGrant);
    const other = await buildOauthTokens(app, { visitor });
    expect((await post('/oauth/revoke', { token: other.refresh_token, ...proof(other.application) })).status).toBe(200);
    expect(await statusOf(app, other.access_token)).toBe(401);
    expect(await post('/oauth/revoke', { token: 'unknown', ...proof(own) })).toMatchObject({ status: 200, body: {} });
    expect((await post('/oauth/revoke', { ...proof(own) })).status).toBe(400);
  });

  it('security 14: no other application can end it, nor nobody', async () => {
    const { access_token, application: own } = await buildOauthTokens(app, { visitor });
    expect(await post('/oauth/revoke', { token: access_token, ...proof(application) })).toMatchObject({
      status: 403,
      body: { error: 'unauthorized_client' },
    });
    expect((await post('/oauth/revoke', { token: access_token })).status).toBe(403);
    expect((await post('/oauth/revoke', { token: access_token, ...proof(own), client_secret: 'x' })).status).toBe(401);
    expect(await statusOf(app, access_token)).toBe(200);
  });

  it('is asked for by the person, for everything that an application has', async () => {
    const someone = await buildVisitor(app);
    const own = await buildApplication(app);
    const tokens = [
      await buildOauthTokens(app, { visitor: someone, application: own, scope: 'api' }),
      await buildOauthTokens(app, { visitor: someone, application: own, scope: 'read_user' }),
    ];
    const others = await buildOauthTokens(app, { application: own });
    const mine = { headers: someone.headers };
    const listed = await app.api('GET', '/user/authorized_applications', mine);
    expect(listed.body).toMatchObject([
      { id: own.id, application_id: own.application_id, scopes: ['api', 'read_user'] },
    ]);
    const path = `/user/authorized_applications/${own.id}`;
    expect((await app.api('DELETE', path, mine)).status).toBe(204);
    for (const { access_token } of tokens) expect(await statusOf(app, access_token)).toBe(401);
    expect(await statusOf(app, others.access_token)).toBe(200);
    expect((await app.api('GET', '/user/authorized_applications', mine)).body).toEqual([]);
    expect((await app.api('DELETE', path, mine)).status).toBe(404);
    const made = await tokenRequest(app, { grant_type: 'password', username: someone.user.username, password });
    expect((await app.api('GET', '/user/authorized_applications', mine)).body).toMatchObject([
      { id: 0, application_name: null, scopes: ['api'] },
    ]);
    expect((await app.api('DELETE', '/user/authorized_applications/0', mine)).status).toBe(204);
    expect(await statusOf(app, made.body.access_token)).toBe(401);
    expect((await app.api('GET', '/user/authorized_applications')).status).toBe(401);
  });

  it('what ended long ago is swept, what lives stays', async () => {
    const alive = await buildOauthTokens(app, { visitor });
    const first = await buildOauthTokens(app, { visitor });
    await refresh(app, first.application, first.refresh_token);
    const rows = () => app.db.selectFrom('oauth_tokens').select('token_sha256').execute();
    const has = async (token: string) =>
      (await rows()).some(({ token_sha256 }) => token_sha256.equals(tokenHash(token)));
    const run = () => runTask(app, 'oauth.delete_ended');
    await run();
    expect(await has(first.access_token)).toBe(true);
    await app.db
      .updateTable('oauth_tokens')
      .set({ revoked_at: new Date(Date.now() - 31 * 86_400_000) })
      .where('token_sha256', '=', tokenHash(first.access_token))
      .execute();
    await run();
    expect([await has(first.access_token), await has(alive.access_token)]).toEqual([false, true]);
  });
});

describe('what is served', () => {
  it('is described where clients look for it', async () => {
    const got = await app.request<Record<string, unknown>>('GET', '/.well-known/oauth-authorization-server');
    expect(got.body).toMatchObject({
      issuer: app.url,
      token_endpoint: `${app.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    });
    for (const [name, url] of Object.entries(got.body).filter(([name]) => name.endsWith('_endpoint'))) {
      const target = String(url).slice(app.url.length);
      const answer = await app.request(name === 'authorization_endpoint' ? 'GET' : 'POST', target);
      expect([name, answer.status]).not.toEqual([name, 404]);
    }
  });

  it('other sites may ask for tokens, without cookies', async () => {
    const preflight = await app.server.inject({ method: 'OPTIONS', url: '/oauth/token' });
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    const refused = await post('/oauth/token', {});
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
    expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
    expect(refused.headers.get('cache-control')).toBe('no-store');
  });
});
