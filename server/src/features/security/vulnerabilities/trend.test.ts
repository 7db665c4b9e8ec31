/** The trend of vulnerabilities over HTTP, from rows of known days. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

interface Trend {
  readonly days: readonly Readonly<Record<string, unknown>>[];
}

let app: TestApp;
let owner: BuiltToken;
let project: Project;
const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
const trend = (query: Record<string, unknown>, token = owner.secret) =>
  app.api<Trend>('GET', `/projects/${project.id}/vulnerability_trend`, { token, query });

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  project = await buildProject(app, { owner: owner.user });
  const row = { project_id: project.id, title: 'Weak', confidence: 'high', report_type: 'sast' };
  await app.db
    .insertInto('vulnerabilities')
    .values([
      { ...row, severity: 'high', state: 'detected', created_at: ago(10) },
      { ...row, severity: 'critical', state: 'resolved', created_at: ago(3), resolved_at: ago(1) },
      { ...row, severity: 'low', state: 'dismissed', created_at: ago(2), dismissed_at: ago(0) },
    ])
    .execute();
});
afterAll(() => app.close());

test('counts what was open at the end of each day, by severity', async () => {
  const { status, body } = await trend({ days: 5 });
  expect(status).toBe(200);
  expect(body.days.map(({ date }) => date)).toEqual(
    [4, 3, 2, 1, 0].map((days) => ago(days).toISOString().slice(0, 10)),
  );
  expect(body.days.map(({ total, critical, high, low }) => [total, critical, high, low])).toEqual([
    [1, 0, 1, 0],
    [2, 1, 1, 0],
    [3, 1, 1, 1],
    [2, 0, 1, 1],
    [1, 0, 1, 0],
  ]);
  expect((await trend({})).body.days.length).toBe(30);
});

test('is for who sees vulnerabilities, and at most ninety days', async () => {
  for (const days of [0, 91]) expect((await trend({ days })).status).toBe(400);
  const reporter = await buildToken(app);
  await buildMember(app, { user: reporter.user, of: project, level: Level.reporter });
  expect((await trend({}, reporter.secret)).status).toBe(403);
  expect((await trend({}, (await buildToken(app)).secret)).status).toBe(404);
});
