/** The token of a job in requests of runners, wherever their version puts it. */
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { findJobById } from '../jobs/jobs.queries.ts';
import { executingStatuses } from '../scheduling/job-states.ts';

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Headers first; some versions send the job's token as an access token, older ones in the body or the query. */
export const jobTokenOf = (request: FastifyRequest, given?: string): string | undefined =>
  header(request, 'job-token') ?? given ?? header(request, 'private-token');

/** The runner's token; newer versions repeat it in a header. */
export const runnerTokenOf = (request: FastifyRequest, given?: string): string | undefined =>
  given ?? header(request, 'runner-token') ?? header(request, 'private-token');

/** Says to the runner that the job is not its business any more: it stops at once. */
export const jobIsOver = (status: string): HttpError =>
  new HttpError(403, { message: '403 Forbidden - Job is not running' }, { 'Job-Status': status });

const wrongToken = () => new HttpError(403, { message: '403 Forbidden' });

/** The job, if the token is its own; 403 for any other, and for no such job: ids are nobody's to try. It may have ended. */
export async function jobByToken(db: Db, id: number, token: string | undefined): Promise<Job> {
  const job = await findJobById(db, id);
  if (!job || token === undefined || job.token_sha256 === null || !job.token_sha256.equals(tokenHash(token)))
    throw wrongToken();
  return job;
}

/** The running job that the token belongs to. */
export async function runningJob(db: Db, id: number, token: string | undefined): Promise<Job> {
  const job = await jobByToken(db, id, token);
  if (!executingStatuses.has(job.status)) throw jobIsOver(job.status);
  return job;
}
