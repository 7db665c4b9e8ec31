/** Devices without a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin } from '../../../../test/factories.ts';
import {
  type BuiltApplication,
  buildApplication,
  buildVisitor,
  type OauthRefusal,
  password,
  statusOf,
  tokenRequest,
  type Visitor,
} from '../../../../test/oauth.ts';
import { stopClock } from '../../../../test/windows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

let app: TestApp;
let visitor: Visitor;
let native: BuiltApplication;
beforeAll(async () => {
  app = await startTestApp();
  visitor = await buildVisitor(app);
  native = await buildApplication(app, { confidential: false, redirect: 'http://127.0.0.1/' });
});
afterAll(() => app.close());

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
}
const begin = async (form: Record<string, string> = {}) => {
  const got = await app.request<Begun & OauthRefusal>('POST', '/oauth/authorize_device', {
    form: { client_id: native.application_id, ...form },
  });
  return got;
};
const started = async () => (await begin()).body;
const poll = (device: Begun, more: Record<string, string> = {}) =>
  tokenRequest(app, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.device_code,
    client_id: native.application_id,
    ...more,
  });
const answer = (code: string, agreed = true, who: Visitor = visitor) =>
  app.request(agreed ? 'POST' : 'DELETE', '/oauth/device', { headers: who.headers, json: { user_code: code } });
const look = (code: string, headers: Readonly<Record<string, string>> = visitor.headers) =>
  app.request<Record<string, unknown>>('POST', '/-/oauth/device', { headers, json: { user_code: code } });
const change = (device: Begun, values: { polled_at?: Date; expires_at?: Date }) =>
  app.db
    .updateTable('oauth_device_codes')
    .set(values)
    .where('device_sha256', '=', tokenHash(device.device_code))
    .execute();
const longAgo = new Date(Date.now() - 60_000);
const refusal = (error: string) => ({ status: 400, body: { error } });

describe('a device', () => {
  it('shows a code, waits, and gets a token when somebody agreed', async () => {
    const got = await begin({ scope: 'read_user' });
    expect(got.status).toBe(200);
    const page = `${app.url}/oauth/device`;
    expect(got.body).toEqual({
      device_code: expect.stringMatching(/^[0-9a-f]{64}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/),
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${got.body.user_code}`,
      expires_in: 300,
      interval: 5,
    });
    expect(await poll(got.body)).toMatchObject(refusal('authorization_pending'));
    const typed = `${got.body.user_code.slice(0, 4)}-${got.body.user_code.slice(4)}`.toLowerCase();
    expect(await look(typed)).toMatchObject({
      status: 200,
      body: { application: { confidential: false }, scopes: [{ name: 'read_user' }] },
    });
    expect(await answer(typed)).toMatchObject({ status: 200, body: { authorized: true } });
    const tokens = await poll(got.body);
    expect(tokens).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 7200, scope: 'read_user' } });
    expect(await statusOf(app, tokens.body.access_token)).toBe(200);
    // The code was for one token.
    expect(await poll(got.body)).toMatchObject(refusal('invalid_grant'));
    expect((await answer(typed)).status).toBe(404);
    const renewed = await tokenRequest(app, {
      grant_type: 'refresh_token',
      refresh_token: tokens.body.refresh_token,
      client_id: native.application_id,
    });
    expect(renewed.status).toBe(200);
  });

  it('is told to ask less often, and waits longer then', async () => {
    const device = await started();
    expect(await poll(device)).toMatchObject(refusal('authorization_pending'));
    expect(await poll(device)).toMatchObject(refusal('slow_down'));
    // Longer ago than the five seconds of before, and not as long as the ten of now.
    await change(device, { polled_at: new Date(Date.now() - 5500) });
    expect(await poll(device)).toMatchObject(refusal('slow_down'));
    await change(device, { polled_at: longAgo });
    expect(await poll(device)).toMatchObject(refusal('authorization_pending'));
  });

  it('is told when somebody denied, and when nobody answered', async () => {
    const device = await started();
    expect(await answer(device.user_code, false)).toMatchObject({ status: 200, body: { authorized: false } });
    expect(await poll(device)).toMatchObject(refusal('access_denied'));
    expect((await answer(device.user_code)).status).toBe(404);
    const late = await started();
    await change(late, { expires_at: longAgo });
    expect(await poll(late)).toMatchObject(refusal('expired_token'));
    expect((await answer(late.user_code)).status).toBe(404);
  });

  it('security 14: of another application gets nothing', async () => {
    const device = await started();
    await answer(device.user_code);
    const other = await buildApplication(app, { confidential: false });
    expect(await poll(device, { client_id: other.application_id })).toMatchObject(refusal('invalid_grant'));
    const confidential = await buildApplication(app);
    expect((await poll(device, { client_id: confidential.application_id })).status).toBe(401);
    expect((await begin({ client_id: confidential.application_id })).status).toBe(401);
    expect((await begin({ client_id: 'nobody' })).body.error).toBe('invalid_client');
    expect((await begin({ scope: 'sudo' })).body.error).toBe('invalid_scope');
    expect((await poll(device)).status).toBe(200);
  });

  it('gets nothing any more from somebody who was blocked meanwhile', async () => {
    const someone = await buildVisitor(app);
    const device = await started();
    expect((await answer(device.user_code, true, someone)).status).toBe(200);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', someone.user.id).execute();
    expect(await poll(device)).toMatchObject(refusal('invalid_grant'));
  });
});

describe('who may agree', () => {
  it('needs an administrator for scopes of administrators', async () => {
    const wide = await buildApplication(app, { confidential: false, scopes: 'sudo' });
    const device = (await begin({ client_id: wide.application_id, scope: 'sudo' })).body;
    expect(await look(device.user_code)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect((await answer(device.user_code)).status).toBe(400);
    expect(await poll(device, { client_id: wide.application_id })).toMatchObject(refusal('authorization_pending'));
  });

  it('disable_admin_oauth_scopes keeps administrators from giving wide access', async () => {
    const admin = await buildVisitor(app, await buildAdmin(app, { password }));
    const device = (await begin({ scope: 'api' })).body;
    await app.settings.write({ disable_admin_oauth_scopes: true });
    expect(await answer(device.user_code, true, admin)).toMatchObject({
      status: 403,
      body: { error: 'access_denied' },
    });
    await app.settings.write({ disable_admin_oauth_scopes: false });
    expect((await answer(device.user_code, true, admin)).status).toBe(200);
    expect((await poll(device)).status).toBe(200);
  });
});

describe('security 14: the code that somebody types', () => {
  it('is kept as its hash, and means nothing without a session, from another site, or guessed', async () => {
    const device = await started();
    const row = await app.db
      .selectFrom('oauth_device_codes')
      .selectAll()
      .where('device_sha256', '=', tokenHash(device.device_code))
      .executeTakeFirstOrThrow();
    expect(row.user_code_sha256).toEqual(tokenHash(device.user_code));
    expect((await look(device.user_code, {})).status).toBe(401);
    expect((await look(device.user_code, { Cookie: visitor.headers.Cookie ?? '' })).status).toBe(401);
    expect((await look(device.user_code, { ...visitor.headers, Origin: 'https://evil.example' })).status).toBe(403);
    expect((await look('BBBBBBBB')).status).toBe(404);
    expect((await look('')).status).toBe(400);
  });

  it('can be tried so many times', async () => {
    const someone = await buildVisitor(app);
    stopClock();
    await app.settings.write({ user_sign_in_limit: 2 });
    const statuses: number[] = [];
    for (const code of ['BBBBBBBB', 'CCCCCCCC', 'DDDDDDDD']) statuses.push((await look(code, someone.headers)).status);
    await app.settings.write({ user_sign_in_limit: 600 });
    expect(statuses).toEqual([404, 404, 429]);
  });
});
