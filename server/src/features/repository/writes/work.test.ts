/** What writes through the API ask of the database and of git, so that neither grows unnoticed. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { type TracedWork, tracedWork } from '../../../../test/traced-work.ts';
import { lockKey } from '../../../kernel/db/locks.ts';
import { insertIntent, lockRepository } from './writes.queries.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  await project.commit('main', { first: '1' });
});
afterAll(() => app.close());

/** Takes the lock of the project's repository and gives it back; what it found open. */
const locked = (then: () => Promise<void> = async () => undefined) =>
  app.db.connection().execute(async (connection) => {
    const key = lockKey('repository', project.id);
    const found = await lockRepository(connection, key, project.id);
    await then();
    await sql`select pg_advisory_unlock(${key}::bigint)`.execute(connection);
    return found;
  });

it('whoever waited for the lock of a repository sees what was left open meanwhile', async () => {
  let waiting: ReturnType<typeof locked> | undefined;
  const waiters = sql<{ n: number }>`select count(*)::int as n from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`;
  const found = await locked(async () => {
    waiting = locked();
    await expect.poll(async () => (await waiters.execute(app.db)).rows[0]?.n).toBe(1);
    const details = { via: 'api', pushOptions: [] } as const;
    await insertIntent(app.db, 'project_id', { ownerId: project.id, kind: 'api', actorId: null, changes: [], details });
  });
  expect(found).toEqual([]);
  expect(await waiting).toEqual([expect.objectContaining({ kind: 'api', changes: [] })]);
});

const described = ({ statements, processes }: TracedWork<unknown>) =>
  [...statements, ...processes.map((words) => words.join(' '))].map((line) => line.replaceAll(/\s+/g, ' ')).join('\n');

it.each<[string, string, () => Json, { statements: number; processes: number }]>([
  [
    'a branch',
    '/repository/branches',
    () => ({ branch: unique('made'), ref: 'main' }),
    { statements: 11, processes: 0 },
  ],
  [
    'a file',
    `/repository/files/PATH`,
    () => ({ branch: 'main', commit_message: 'Add', content: 'text' }),
    { statements: 11, processes: 0 },
  ],
])('%s', async (_title, path, json, most) => {
  const write = async () => await project.api('POST', path.replace('PATH', unique('file')), { json: json() });
  // The first one fills caches that live as long as the process.
  for (let i = 0; i < 3; i++) await write();
  await app.delivery.drain();
  const work = await tracedWork(write);
  expect(work.result.status).toBe(201);
  // Tokens are looked up, and when they were last used is written, from time to time.
  const own = work.statements.filter((text) => !/^update "(access_tokens|users)" set "last_|"token_id"/.test(text));
  expect(own.length, described(work)).toBeLessThanOrEqual(most.statements);
  expect(work.processes.length, described(work)).toBeLessThanOrEqual(most.processes);
});
