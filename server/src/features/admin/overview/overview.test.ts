/** The overview of the instance over HTTP. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildProject, buildToken, buildUser } from '../../../../test/factories.ts';
import { ensureBuiltInRunner } from '../../ci/index.ts';

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
    runners: { total: 0, online: 0, built_in: false },
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

it('tells whether jobs have the built-in runner, which is not heard of before the first of them', async () => {
  const own = await startTestApp({ environment: { MILLRACE_RUNNER: 'shell' } });
  try {
    const { secret: token } = await buildToken(own, { user: await buildAdmin(own) });
    const { id } = await ensureBuiltInRunner(own.db, own.kernels.secrets);
    const runners = async () => (await own.api('GET', '/application/overview', { token })).body;
    expect(await runners()).toMatchObject({ runners: { total: 1, online: 0, built_in: true } });
    expect(await own.api('PUT', `/runners/${id}`, { token, json: { paused: true } })).toMatchObject({ status: 200 });
    expect(await runners()).toMatchObject({ runners: { total: 1, online: 0, built_in: false } });
  } finally {
    await own.close();
  }
});

it('counts what there is, as texts, and estimates large tables', async () => {
  const { secret } = await buildToken(app);
  const statistics = async () => (await get('/application/statistics')).body as Record<string, string>;
  const before = await statistics();
  expect(Object.values(before)).toEqual(Array.from({ length: 11 }, () => expect.stringMatching(/^\d{1,3}(,\d{3})*$/)));
  await buildUser(app, { state: 'blocked_pending_approval' });
  const project = await buildProject(app);
  await buildProject(app, { forked_from_project_id: project.id });
  const after = await statistics();
  const grown = (name: string) => Number(after[name]) - Number(before[name]);
  expect(grown('projects')).toBe(2);
  expect(grown('forks')).toBe(1);
  expect(grown('users') - grown('active_users')).toBe(1);
  // As after an analysis of a table with very many rows.
  await sql`update pg_class set reltuples = 1234567 where oid = 'notes'::regclass`.execute(app.db);
  expect((await statistics()).notes).toBe('1,234,567');
  expect((await get('/application/statistics', secret)).status).toBe(403);
});
