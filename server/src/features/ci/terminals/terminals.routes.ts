/** Opening a terminal in a running job. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findJob } from '../jobs/jobs.queries.ts';
import { JobTerminalEntity } from './terminals.entity.ts';
import type { Terminals } from './terminals.service.ts';

export function terminalRoutes({ db }: Pick<CiDependencies, 'db'>, terminals: Terminals): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/terminal',
      summary: 'Open a terminal in a running job',
      tag: 'Jobs',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'update_job' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        job_id: Int({ description: 'Id of the job' }),
      }),
      responses: { 201: JobTerminalEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const job = await findJob(db, subject.project.id, params.job_id);
        if (!job) throw notFound();
        return await terminals.create(subject, caller, job, originOf(context));
      },
    }),
  ];
}
