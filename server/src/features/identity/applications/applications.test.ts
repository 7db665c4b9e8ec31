/** Registered applications: of the instance, of a person, of a group. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { buildApplication, buildOauthTokens, buildVisitor, statusOf } from '../../../../test/oauth.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

let app: TestApp;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

interface Body {
  readonly id: number;
  readonly application_id: string;
  readonly secret: string;
  readonly callback_url: string;
}
const values = { name: 'MyApplication', redirect_uri: 'https://client.example/callback', scopes: 'read_user api' };
const create = (json: object, token = admin, path = '/applications') => app.api<Body>('POST', path, { token, json });
const rowOf = (id: number) =>
  app.db.selectFrom('oauth_applications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const events = async (event: string) =>
  (await app.db.selectFrom('audit_events').selectAll().where('event', '=', event).orderBy('id').execute()).at(-1);

describe('[1/authentication/14] applications of the instance', () => {
  it('are registered; the secret is told once and only its hash is kept', async () => {
    const made = await create(values);
    expect(made).toMatchObject({
      status: 201,
      body: {
        application_name: 'MyApplication',
        callback_url: 'https://client.example/callback',
        confidential: true,
        trusted: false,
        scopes: ['read_user', 'api'],
      },
    });
    expect(made.body.application_id).toMatch(/^[0-9a-f]{64}$/);
    expect(made.body.secret).toMatch(/^gloas-[0-9a-f]{64}$/);
    expect((await rowOf(made.body.id)).secret_sha256).toEqual(tokenHash(made.body.secret));
    const listed = await app.api<Body[]>('GET', '/applications', { token: admin, query: { per_page: 100 } });
    expect(listed.body.find(({ id }) => id === made.body.id)).toEqual({ ...made.body, secret: undefined });
    expect(JSON.stringify(listed.body)).not.toContain('secret');
    expect(await events('oauth_application_created')).toMatchObject({
      entity_type: 'Instance',
      target_type: 'OauthApplication',
      target_id: made.body.id,
      target_details: 'MyApplication',
    });
    expect(JSON.stringify(await events('oauth_application_created'))).not.toContain(made.body.secret);
  });

  it('are for administrators', async () => {
    const { secret } = await buildToken(app);
    for (const [method, path] of [
      ['GET', '/applications'],
      ['POST', '/applications'],
      ['PUT', '/applications/1'],
      ['DELETE', '/applications/1'],
      ['POST', '/applications/1/renew-secret'],
    ] as const) {
      expect((await app.api(method, path, {})).status).toBe(401);
      expect((await app.api(method, path, { token: secret })).status).toBe(403);
    }
  });

  it('are refused with reasons by field', async () => {
    expect(
      await create({ ...values, name: ' ', redirect_uri: 'javascript:alert(1)', scopes: 'everything' }),
    ).toMatchObject({
      status: 400,
      body: {
        message: {
          name: ["can't be blank"],
          redirect_uri: ['is forbidden by the server.'],
          scopes: ["doesn't match configured on the server."],
        },
      },
    });
    expect((await create({ name: 'x' })).body).toEqual({ error: 'redirect_uri is missing, scopes is missing' });
    expect((await create({ ...values, redirect_uri: ['https://a.example/'] })).status).toBe(400);
  });

  it('have several addresses, one on each line', async () => {
    const redirect_uri = 'https://client.example/a\r\nhttps://client.example/b\n';
    expect((await create({ ...values, redirect_uri })).body.callback_url).toBe(
      'https://client.example/a\nhttps://client.example/b',
    );
  });

  it('get a new secret, and the former one ends', async () => {
    const application = await buildApplication(app);
    const renewed = await app.api<Body>('POST', `/applications/${application.id}/renew-secret`, { token: admin });
    expect(renewed.status).toBe(201);
    expect(renewed.body.application_id).toBe(application.application_id);
    expect(renewed.body.secret).not.toBe(application.secret);
    await expect(buildOauthTokens(app, { application })).rejects.toThrow('invalid_client');
    expect(
      (await buildOauthTokens(app, { application: { ...application, secret: renewed.body.secret } })).scope,
    ).toContain('api');
    expect((await app.api('POST', '/applications/999999/renew-secret', { token: admin })).body).toEqual({
      message: '404 Application Not Found',
    });
    expect((await events('oauth_application_secret_renewed'))?.target_id).toBe(application.id);
  });

  it('are changed; who agreed to more than is left is asked again', async () => {
    const application = await buildApplication(app, { scopes: 'api read_user' });
    const [wide, narrow] = [
      await buildOauthTokens(app, { application, scope: 'api' }),
      await buildOauthTokens(app, { application, scope: 'read_user' }),
    ];
    const changed = await app.api('PUT', `/applications/${application.id}`, {
      token: admin,
      json: { name: 'Renamed', scopes: 'read_user', trusted: true },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { application_name: 'Renamed', scopes: ['read_user'], trusted: true, confidential: true },
    });
    expect([await statusOf(app, wide.access_token), await statusOf(app, narrow.access_token)]).toEqual([401, 200]);
    expect((await app.api('PUT', '/applications/999999', { token: admin, json: {} })).status).toBe(404);
    expect(
      (await app.api('PUT', `/applications/${application.id}`, { token: admin, json: { scopes: '' } })).status,
    ).toBe(400);
  });

  it('are removed with the tokens of everybody', async () => {
    const { application, access_token } = await buildOauthTokens(app);
    expect(await statusOf(app, access_token)).toBe(200);
    expect((await app.api('DELETE', `/applications/${application.id}`, { token: admin })).status).toBe(204);
    expect(await statusOf(app, access_token)).toBe(401);
    expect((await app.api('DELETE', `/applications/${application.id}`, { token: admin })).status).toBe(404);
    expect((await events('oauth_application_deleted'))?.target_id).toBe(application.id);
  });
});

describe('one’s own applications', () => {
  it('are registered, listed, changed and removed; those of others are not there', async () => {
    const { user, headers } = await buildVisitor(app);
    const own = await app.api<Body>('POST', '/user/applications', { headers, json: { ...values, trusted: true } });
    expect(own).toMatchObject({ status: 201, body: { trusted: false } });
    expect((await rowOf(own.body.id)).user_id).toBe(user.id);
    const list = async (token: string) => (await app.api<Body[]>('GET', '/user/applications', { token })).body;
    const { secret } = await buildToken(app, { user });
    expect((await list(secret)).map(({ id }) => id)).toEqual([own.body.id]);
    const stranger = await buildToken(app);
    expect(await list(stranger.secret)).toEqual([]);
    for (const token of [stranger.secret, admin]) {
      expect((await app.api('PUT', `/user/applications/${own.body.id}`, { token, json: {} })).status).toBe(404);
      expect((await app.api('DELETE', `/user/applications/${own.body.id}`, { token })).status).toBe(404);
      expect((await app.api('POST', `/user/applications/${own.body.id}/renew-secret`, { token })).status).toBe(404);
    }
    expect((await app.api('DELETE', `/applications/${own.body.id}`, { token: admin })).status).toBe(404);
    const listed = await app.api<Body[]>('GET', '/applications', { token: admin, query: { per_page: 100 } });
    expect(listed.body.map(({ id }) => id)).not.toContain(own.body.id);
    const path = `/user/applications/${own.body.id}`;
    expect((await app.api('PUT', path, { headers, json: { name: 'Other' } })).body).toMatchObject({
      application_name: 'Other',
    });
    expect((await events('oauth_application_updated'))?.entity_id).toBe(user.id);
    expect((await app.api('POST', `${path}/renew-secret`, { headers })).status).toBe(201);
    expect((await app.api('DELETE', path, { headers })).status).toBe(204);
    expect((await app.api('GET', '/user/applications')).status).toBe(401);
  });
});

describe('applications of a group', () => {
  it('are for its owners', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    const { user } = await buildMember(app, { of: group, level: Level.maintainer });
    const maintainer = await buildToken(app, { user });
    const path = `/groups/${group.id}/applications`;
    const made = await create({ ...values, name: unique('of group') }, owner.secret, path);
    expect(made.status).toBe(201);
    expect((await rowOf(made.body.id)).namespace_id).toBe(group.id);
    expect((await create(values, maintainer.secret, path)).status).toBe(403);
    expect((await app.api('GET', path, { token: maintainer.secret })).status).toBe(403);
    expect((await app.api('GET', path, { token: (await buildToken(app)).secret })).status).toBe(404);
    const listed = await app.api<Body[]>('GET', path, { token: owner.secret });
    expect(listed.body.map(({ id }) => id)).toEqual([made.body.id]);
    const own = `${path}/${made.body.id}`;
    expect((await app.api('PUT', own, { token: owner.secret, json: { name: 'Other' } })).status).toBe(200);
    expect((await app.api('POST', `${own}/renew-secret`, { token: owner.secret })).status).toBe(201);
    const other = await buildGroup(app, { owner: owner.user });
    const elsewhere = `/groups/${other.id}/applications/${made.body.id}`;
    expect((await app.api('DELETE', elsewhere, { token: owner.secret })).status).toBe(404);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: owner.secret })).status).toBe(204);
  });
});
