/** Routes of background jobs: what waits, runs and has failed, tried again or deleted. */
import Type from 'typebox';
import { instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { conflict, notFound } from '../../../kernel/http/errors.ts';
import { countLimit, mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { countJobs, findJob, jobStates, listJobs, removeJob, retryJob } from '../../../kernel/queue/index.ts';
import { BackgroundJob, backgroundJobJson } from './background-jobs.entity.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Background jobs',
  access: { on: 'instance', ability: 'admin' },
} as const;
const id = Int({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the job' });

export function backgroundJobRoutes(db: Db): Route[] {
  async function find(jobId: number) {
    const job = await findJob(db, jobId);
    if (!job) throw notFound('Background job');
    return job;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/admin/background_jobs',
      summary: 'List background jobs, newest first',
      params: Type.Object({ status: Optional(OneOf(jobStates, { description: 'Only those in this state' })) }),
      pagination: 'offset',
      responses: { 200: ListOf(BackgroundJob) },
      handler: async ({ page, params }) => {
        const status = params.status ?? null;
        const rows = await listJobs(db, status, page);
        return mapPage(offsetPage(page, rows, await countJobs(db, status, countLimit + 1)), backgroundJobJson);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/background_jobs/:id/retry',
      summary: 'Retry a background job, from its first attempt',
      params: Type.Object({ id }),
      responses: { 202: BackgroundJob },
      errors: [409],
      handler: async (context) => {
        const { task } = await find(context.params.id);
        await transaction(db, async (tx) => {
          if (!(await retryJob(tx, context.params.id))) throw conflict('The job is running or has ended');
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'background_job_retried',
            details: { task },
          });
        });
        return backgroundJobJson(await find(context.params.id));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/admin/background_jobs/:id',
      summary: 'Delete a background job that is not running',
      params: Type.Object({ id }),
      conditional: 'What it is about is not shown.',
      responses: { 204: Empty },
      errors: [409],
      handler: async (context) => {
        const { task } = await find(context.params.id);
        await transaction(db, async (tx) => {
          if (!(await removeJob(tx, context.params.id))) throw conflict('The job is running or has ended');
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'background_job_deleted',
            details: { task },
          });
        });
      },
    }),
  ];
}
