/** Finding lines in the log of a job, for pages that read only parts of it. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { Count, Entity, Fields, Flag, ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findJob } from '../jobs/jobs.queries.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { logLines, mostMatches } from './lines.service.ts';

const line = Count({ description: 'Number of the line, from 1, as the job page shows it' });
const start_byte = Count({ description: 'Where the line begins: for `Range` of the log' });
const lines = Count({ description: 'Lines of the whole log' });

const LogLinePosition = Entity('LogLinePosition', {
  line,
  start_byte,
  lines,
  size: Count({ description: 'Bytes of the whole log' }),
});
const LogSearch = Entity('LogSearch', {
  matches: ListOf(Fields({ line, start_byte }), { description: `In their order, at most ${mostMatches}` }),
  more: Flag({ description: 'Whether there are more matches than these' }),
  lines,
});

const common = {
  tag: 'Jobs',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_job' },
} as const;
const one = { id: IdOrPath('Id or path of the project'), job_id: Int({ description: 'Id of the job' }) };
const path = '/projects/:id/jobs/:job_id/trace';

export function logLineRoutes(deps: CiDependencies, access: Pick<WriteAccess, 'requireRead'>): Route[] {
  const log = logLines(deps);

  async function find(subject: ProjectSubject, number: number): Promise<Job> {
    const job = await findJob(deps.db, subject.project.id, number);
    if (!job) throw notFound();
    return job;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: `${path}/position`,
      summary: 'Get the position of a line in the log of a job',
      params: Type.Object({
        ...one,
        line: Optional(Int({ minimum: 1, description: 'Number of the line; the last line when there are fewer' })),
        byte: Optional(Int({ minimum: 0, description: 'Instead: the first line that begins at this byte or later' })),
      }),
      responses: { 200: LogLinePosition },
      handler: async ({ subject, caller, params, signal }) => {
        const job = await find(subject, params.job_id);
        await access.requireRead(subject, caller, job);
        if ((params.line === undefined) === (params.byte === undefined))
          throw badRequest('exactly one of line, byte is needed');
        return await log.position(job, params, signal);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/search`,
      summary: 'Search in the log of a job',
      params: Type.Object({
        ...one,
        search: Str({ minLength: 1, maxLength: 200, description: 'Text of a line, in any case' }),
      }),
      responses: { 200: LogSearch },
      handler: async ({ subject, caller, params, signal }) => {
        const job = await find(subject, params.job_id);
        await access.requireRead(subject, caller, job);
        return await log.search(job, params.search, signal);
      },
    }),
  ];
}
