/** Changing one's own password, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken, buildUser } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const password = 'correct horse battery';
const next = 'another battery of horses';

async function signedIn(login: string, secret: string) {
  const answer = await app.request<{ csrf_token: string }>('POST', '/-/session', { json: { login, password: secret } });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  return { status: answer.status, headers: { Cookie: cookie, 'X-CSRF-Token': answer.body.csrf_token } };
}

it('takes the present password, ends every session, and is out of reach of tokens', async () => {
  const user = await buildUser(app, { password });
  const { headers } = await signedIn(user.username, password);
  const change = (json: object) => app.api('PUT', '/user/password', { headers, json });
  expect((await change({ password: next })).status).toBe(400);
  expect(await change({ current_password: 'wrong', password: next })).toMatchObject({
    status: 400,
    body: { message: { current_password: ['is invalid'] } },
  });
  expect((await change({ current_password: password, password: 'short' })).status).toBe(400);
  expect((await change({ current_password: [password], password: next })).status).toBe(400);
  const { secret } = await buildToken(app, { user });
  const json = { current_password: password, password: next };
  expect((await app.api('PUT', '/user/password', { token: secret, json })).status).toBe(403);
  expect((await app.api('PUT', '/user/password', { json })).status).toBe(401);
  expect((await change(json)).status).toBe(204);
  expect((await app.api('GET', '/user', { headers })).status).toBe(401);
  expect((await signedIn(user.username, password)).status).toBe(401);
  expect((await signedIn(user.username, next)).status).toBe(201);
  expect((await app.api('GET', '/user', { token: secret })).status).toBe(200);
});
