/** The first administrator. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildUser } from '../../../../test/factories.ts';
import { allScopes } from '../tokens/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('makes root once, with id 1, a namespace, the password and the token; users after it have other ids', async () => {
  const seed = { password: 'a password for root', token: 'a-given-token-of-the-operator' };
  expect(await app.identity.seedRoot(seed)).toBe(true);
  expect(await app.identity.seedRoot({ password: 'another password' })).toBe(false);
  const got = await app.api<{ namespace_id: number }>('GET', '/user', { token: seed.token });
  expect(got.body).toMatchObject({
    id: 1,
    username: 'root',
    name: 'Administrator',
    email: 'admin@example.com',
    is_admin: true,
  });
  expect(got.body.namespace_id).toBeTypeOf('number');
  const self = await app.api<{ scopes: string[] }>('GET', '/personal_access_tokens/self', { token: seed.token });
  expect(self.body.scopes).toEqual(allScopes);
  const signIn = (password: string) =>
    app.request('POST', '/-/session', { json: { login: 'admin@example.com', password } });
  expect((await signIn(seed.password)).status).toBe(201);
  expect((await signIn('another password')).status).toBe(401);
  expect((await buildUser(app)).id).toBeGreaterThan(1);
});
