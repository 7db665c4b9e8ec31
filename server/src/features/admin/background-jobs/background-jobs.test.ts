/** Background jobs over HTTP: listed by state, run again, deleted. */
import Type from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
import { failJob } from '../../../../test/queue.queries.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';

interface Job {
  readonly id: number;
  readonly task: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_error: string | null;
}

const task = defineTask('test.never', Type.Object({ secret: Type.String() }), async () => undefined, {
  maxAttempts: 3,
});
let app: TestApp;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

const api = <T>(method: 'GET' | 'POST' | 'DELETE', target: string, token = admin) =>
  app.api<T>(method, target, { token });
const list = async (status: string) =>
  (await api<Job[]>('GET', `/admin/background_jobs?status=${status}`)).body.filter((job) => job.task === task.name);

test('jobs are listed by state without their payload; one that failed is run again, audited, and can be deleted', async () => {
  await addJob(app.db, task, { secret: 'canary' }, { jobKey: 'one' });
  await addJob(app.db, task, { secret: 'canary' }, { runAt: new Date(Date.now() + 3_600_000) });
  expect(await list('ready')).toMatchObject([{ status: 'ready', attempts: 0, last_error: null }]);
  const [later] = await list('delayed');
  expect(await list('running')).toEqual([]);
  const [job] = await list('ready');
  await failJob(app.db, job?.id ?? 0, 'it broke\n  at somewhere');
  const failed = await list('failed');
  expect(failed).toMatchObject([{ id: job?.id, status: 'failed', attempts: 3, last_error: 'it broke' }]);
  const all = await api<Job[]>('GET', '/admin/background_jobs');
  expect(JSON.stringify(all.body)).not.toContain('canary');
  expect(all.headers.get('x-total')).toBe(String(all.body.length));
  expect(await api('POST', `/admin/background_jobs/${job?.id}/retry`)).toMatchObject({
    status: 202,
    body: { status: 'ready', attempts: 0 },
  });
  for (const { id } of [...(await list('ready')), ...(later ? [later] : [])])
    expect((await api('DELETE', `/admin/background_jobs/${id}`)).status).toBe(204);
  expect((await api('DELETE', `/admin/background_jobs/${job?.id}`)).status).toBe(404);
  const events = await app.db.selectFrom('audit_events').select('event').execute();
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['background_job_retried', 'background_job_deleted']),
  );
});

test('measures of the queue: what is due, what runs, what has failed and what is done', async () => {
  interface Measures {
    readonly queues: { readonly default: { readonly backlog: number; readonly latency: number } };
    readonly processes: ReadonlyArray<Record<string, unknown>>;
    readonly jobs: {
      readonly processed: number;
      readonly failed: number;
      readonly enqueued: number;
      readonly dead: number;
    };
  }
  const measures = async () => (await api<Measures>('GET', '/sidekiq/compound_metrics')).body;
  const before = await measures();
  const minuteAgo = new Date(Date.now() - 60_000);
  for (const key of ['due', 'dead']) await addJob(app.db, task, { secret: key }, { jobKey: key, runAt: minuteAgo });
  await addJob(app.db, task, { secret: 'later' }, { runAt: new Date(Date.now() + 3_600_000) });
  const added = await list('ready');
  await failJob(app.db, added[0]?.id ?? 0, 'it broke');
  const after = await measures();
  expect(after.jobs).toMatchObject({ enqueued: before.jobs.enqueued + 2, dead: before.jobs.dead + 1 });
  expect(after.queues.default.backlog).toBe(before.queues.default.backlog + 1);
  expect(after.queues.default.latency).toBeGreaterThanOrEqual(60);
  expect(after.processes).toMatchObject([{ pid: process.pid, queues: ['default'], labels: [], busy: 0 }]);
  expect(after.processes[0]?.concurrency).toBeGreaterThan(0);
  expect(Object.keys((await api<Measures>('GET', '/sidekiq/queue_metrics')).body)).toEqual(['queues']);
  expect(Object.keys((await api<Measures>('GET', '/sidekiq/process_metrics')).body)).toEqual(['processes']);
  expect(Object.keys((await api<Measures>('GET', '/sidekiq/job_stats')).body)).toEqual(['jobs']);
  for (const { id } of [...(await list('ready')), ...(await list('failed')), ...(await list('delayed'))])
    expect((await api('DELETE', `/admin/background_jobs/${id}`)).status).toBe(204);
  await eventually('the counted removals', async () => (await measures()).jobs.processed >= before.jobs.processed + 3);
  const { secret } = await buildToken(app);
  expect((await api('GET', '/sidekiq/compound_metrics', secret)).status).toBe(403);
});

test('only administrators see and change them, and what is malformed is refused', async () => {
  const { secret } = await buildToken(app);
  expect((await api('GET', '/admin/background_jobs', secret)).status).toBe(403);
  expect((await api('POST', '/admin/background_jobs/1/retry', secret)).status).toBe(403);
  expect((await api('GET', '/admin/background_jobs?status=odd')).status).toBe(400);
  expect((await api('POST', '/admin/background_jobs/999999999/retry')).status).toBe(404);
});
