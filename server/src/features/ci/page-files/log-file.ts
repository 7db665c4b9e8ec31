/** `/-/jobs/N/raw`: the log of a job as plain text. */
import { notFound } from '../../../kernel/http/errors.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findJob } from '../jobs/jobs.queries.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { traceStream } from '../traces/trace-stream.ts';

export function logFile(deps: CiDependencies, access: Pick<WriteAccess, 'requireRead'>): PageFile {
  return {
    name: 'job-log',
    pattern: /^jobs\/(?<job_id>[1-9]\d{0,14})\/raw$/,
    ability: 'read_job',
    async handler({ subject, caller, params, signal }) {
      const job = await findJob(deps.db, subject.project.id, Number(params.job_id));
      if (!job) throw notFound();
      await access.requireRead(subject, caller, job);
      return streamed(() => traceStream(deps, job, signal), 'text/plain; charset=utf-8', {
        'Content-Disposition': 'inline',
      });
    },
  };
}
