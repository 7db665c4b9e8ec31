/** `/oauth/userinfo`: who somebody is, for applications that ask for nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildUser } from '../../../../test/factories.ts';
import { buildApplication, password, tokenRequest } from '../../../../test/oauth.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const userInfo = (token: string) =>
  app.request('GET', '/oauth/userinfo', { headers: { Authorization: `Bearer ${token}` } });

it('answers what the scopes openid, profile and email stand for, and opens nothing else', async () => {
  const user = await buildUser(app, { password });
  const application = await buildApplication(app, {
    redirect: 'http://client.example/callback',
    scopes: 'openid profile email read_user',
  });
  const tokenFor = async (scope: string) => {
    const client = { client_id: application.application_id, client_secret: application.secret };
    const got = await tokenRequest(app, {
      grant_type: 'password',
      username: user.username,
      password,
      scope,
      ...client,
    });
    expect(got).toMatchObject({ status: 200 });
    return (got.body as { access_token: string }).access_token;
  };
  const everything = await tokenFor('openid profile email');
  expect(await userInfo(everything)).toMatchObject({
    status: 200,
    body: {
      sub: String(user.id),
      preferred_username: user.username,
      name: user.name,
      email: user.email,
      email_verified: true,
    },
  });
  expect((await userInfo(await tokenFor('openid'))).body).toEqual({ sub: String(user.id) });
  expect((await userInfo(await tokenFor('read_user'))).status).toBe(403);
  expect((await userInfo('nonsense')).status).toBe(401);
  const asToken = { headers: { Authorization: `Bearer ${everything}` } };
  expect((await app.api('GET', '/user', asToken)).status).toBe(403);
  expect((await app.api('GET', '/projects', asToken)).status).toBe(403);
});
