/** The overview of the instance over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';

let app: TestApp;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const get = (path: string, token: string | undefined = admin.secret) =>
  app.api<Record<string, unknown>>('GET', path, token === undefined ? {} : { token });

it('tells administrators the health, sizes and numbers of the instance', async () => {
  const { status, body } = await get('/application/overview');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+/),
    node_version: process.versions.node,
    external_url: app.url,
    mail: false,
    database: { version: expect.stringMatching(/^\d+/), size: expect.any(Number), connections: expect.any(Number) },
    runners: { total: 0, online: 0 },
  });
  expect(body.checks).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'database', healthy: true, message: null })]),
  );
  const [storage] = body.storages as Array<{ name: string; size: number; free: number }>;
  expect(storage?.name).toBe('default');
  expect(storage?.size).toBeGreaterThanOrEqual(storage?.free ?? 0);
  const before = (body.counts as { users: number }).users;
  const { secret } = await buildToken(app);
  const after = await get('/application/overview');
  expect((after.body.counts as { users: number }).users).toBe(before + 1);
  expect((await get('/application/overview', secret)).status).toBe(403);
  expect((await app.api('GET', '/application/overview')).status).toBe(401);
});
