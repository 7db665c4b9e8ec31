/** Measures of background jobs under the paths that clients of the ecosystem ask for. */
import os from 'node:os';
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Entity, Fields, Id, ListOf, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { type QueueMeasures, queueMeasures } from '../../../kernel/queue/index.ts';

const queues = Fields({
  default: Fields({
    backlog: Count({ description: 'Jobs that are due and that nobody has taken' }),
    latency: Count({ description: 'Seconds since the oldest of them was due' }),
  }),
});
const processes = ListOf(
  Fields({
    hostname: Text(),
    pid: Id({ description: 'Id of the process' }),
    tag: Text(),
    started_at: Timestamp(),
    queues: ListOf(Text()),
    labels: ListOf(Text()),
    concurrency: Count({ description: 'Jobs that it runs at a time' }),
    busy: Count({ description: 'Jobs that run now, in all processes' }),
  }),
  { description: 'The process that answers' },
);
const jobs = Fields({
  processed: Count({ description: 'Jobs that have left the queue since the database began to count' }),
  failed: Count({ description: 'Jobs that have failed and will be tried again' }),
  enqueued: Count({ description: 'Jobs that are due or will be' }),
  dead: Count({ description: 'Jobs that have failed for good' }),
});

const QueueMetrics = Entity('QueueMetrics', { queues });
const ProcessMetrics = Entity('ProcessMetrics', { processes });
const JobStatistics = Entity('BackgroundJobStatistics', { jobs });
const CompoundMetrics = Entity('BackgroundJobMetrics', { queues, processes, jobs });

/** When this process began. */
const startedAt = new Date(performance.timeOrigin);

interface QueueMetricsDependencies {
  readonly db: Db;
  readonly config: { readonly workers: number };
}

const common = {
  method: 'GET',
  credentials: ['token', 'session'],
  tag: 'Background jobs',
  access: { on: 'instance', ability: 'admin' },
  params: Type.Object({}),
} as const;

export function queueMetricsRoutes({ db, config }: QueueMetricsDependencies): Route[] {
  const ofQueues = ({ backlog, latency }: QueueMeasures): Static<typeof QueueMetrics> => ({
    queues: { default: { backlog, latency } },
  });
  const ofProcesses = ({ running }: QueueMeasures): Static<typeof ProcessMetrics> => ({
    processes: [
      {
        hostname: os.hostname(),
        pid: process.pid,
        tag: 'millrace',
        started_at: startedAt,
        queues: ['default'],
        labels: [],
        concurrency: config.workers,
        busy: running,
      },
    ],
  });
  const ofJobs = ({ processed, failed, enqueued, dead }: QueueMeasures): Static<typeof JobStatistics> => ({
    jobs: { processed, failed, enqueued, dead },
  });

  return [
    route({
      ...common,
      path: '/sidekiq/queue_metrics',
      summary: 'Get how much the queue of background jobs has to do',
      responses: { 200: QueueMetrics },
      handler: async () => ofQueues(await queueMeasures(db)),
    }),
    route({
      ...common,
      path: '/sidekiq/process_metrics',
      summary: 'Get what the process that answers does of background jobs',
      responses: { 200: ProcessMetrics },
      handler: async () => ofProcesses(await queueMeasures(db)),
    }),
    route({
      ...common,
      path: '/sidekiq/job_stats',
      summary: 'Count background jobs',
      responses: { 200: JobStatistics },
      handler: async () => ofJobs(await queueMeasures(db)),
    }),
    route({
      ...common,
      path: '/sidekiq/compound_metrics',
      summary: 'Get all measures of background jobs at once',
      responses: { 200: CompoundMetrics },
      handler: async () => {
        const measures = await queueMeasures(db);
        return { ...ofQueues(measures), ...ofProcesses(measures), ...ofJobs(measures) };
      },
    }),
  ];
}
