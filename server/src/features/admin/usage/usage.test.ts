/** Usage and limits over HTTP, from what projects, accounts, requests and jobs really took. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const usage = (token: string | null = admin.secret) =>
  app.api<Record<'storage' | 'users' | 'ci' | 'queue', Json> & { rate_limits: Json[] }>(
    'GET',
    '/application/usage',
    token === null ? {} : { token },
  );

it('tells administrators, and nobody else', async () => {
  const { secret } = await buildToken(app);
  expect((await usage(secret)).status).toBe(403);
  expect((await usage(null)).status).toBe(401);
});

it('adds up storage by kind, and names the largest projects with their limit', async () => {
  const [large, small] = [await buildRepositoryProject(app), await buildRepositoryProject(app)];
  const statistics = { repository_size: 5_000_000, job_artifacts_size: 2_000_000 };
  await app.db.updateTable('project_statistics').set(statistics).where('project_id', '=', large.id).execute();
  const uploads = { uploads_size: 1_000 };
  await app.db.updateTable('project_statistics').set(uploads).where('project_id', '=', small.id).execute();
  await app.settings.write({ repository_size_limit: 10 });
  const { body } = await usage();
  expect(body.storage.kinds).toEqual(
    expect.arrayContaining([
      { kind: 'repository', bytes: 5_000_000 },
      { kind: 'job_artifacts', bytes: 2_000_000 },
      { kind: 'uploads', bytes: 1_000 },
    ]),
  );
  expect(body.storage.projects).toMatchObject([
    {
      id: large.id,
      path_with_namespace: large.fullPath,
      storage_size: 7_000_000,
      repository_size_limit: 10_485_760,
      kinds: { repository: 5_000_000, job_artifacts: 2_000_000, wiki: 0 },
    },
    { id: small.id, storage_size: 1_000 },
  ]);
});

it('counts accounts by state, beside the cap of registrations', async () => {
  const before = (await usage()).body.users as Record<string, number>;
  const blocked = await buildUser(app);
  await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute();
  const waiting = await buildUser(app);
  await app.db.updateTable('users').set({ state: 'blocked_pending_approval' }).where('id', '=', waiting.id).execute();
  await app.settings.write({ new_user_signups_cap: 500 });
  expect((await usage()).body.users).toEqual({
    ...before,
    blocked: (before.blocked ?? 0) + 1,
    pending: (before.pending ?? 0) + 1,
    cap: 500,
  });
});

it('tells which rate limits are counted, and who reached them', async () => {
  await app.settings.write({ search_rate_limit: 2 });
  const person = await buildToken(app);
  const search = () =>
    app.api('GET', '/search', { token: person.secret, query: { scope: 'projects', search: 'nothing' } });
  const statuses = [];
  for (let asked = 0; asked < 3; asked += 1) statuses.push((await search()).status);
  expect(statuses).toEqual([200, 200, 429]);
  const { body } = await usage();
  expect(body.rate_limits.find(({ name }) => name === 'search_rate_limit')).toMatchObject({
    limit: 2,
    reached: 1,
    most: 2,
  });
});

it('counts jobs of the month, those that run and those that wait', async () => {
  const { body } = await usage();
  expect(body.ci).toEqual({ jobs: 0, failed: 0, minutes: 0, running: 0, pending: 0, oldest_pending_at: null });
  expect(body.queue).toEqual({
    ready: expect.any(Number),
    delayed: expect.any(Number),
    failed: 0,
  });
});
