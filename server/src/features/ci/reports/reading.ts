/** Reads the stored reports of the two pipelines that a merge request is compared by. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int32 } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import type { CiDependencies } from '../deps.ts';
import { familyOf } from '../downstream/sources.queries.ts';
import { debugLogging, type WriteAccess } from '../jobs/write-access.ts';
import { comparedPipelines, reportsOf, type StoredReport, storedContent } from './reports.queries.ts';

/** What the routes of these reports have in common. */
export const reportRoute = {
  method: 'GET',
  tag: 'Merge request reports',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_merge_request' },
  params: Type.Object({
    id: IdOrPath('Id or path of the project'),
    merge_request_iid: Int32({ minimum: 1, description: 'Iid of the merge request' }),
  }),
} as const;
export const reportPath = '/projects/:id/merge_requests/:merge_request_iid';
/** Entries of each list; more are counted. */
export const mostListed = 100;

/** Bytes of reports that one answer reads. */
const maxReadBytes = 64 * 1024 * 1024;

const gunzipped = promisify(gunzip);

interface Reports<T> {
  readonly contents: ReadonlyArray<{ readonly job: StoredReport; readonly content: T }>;
  readonly errors: ReadonlyArray<{ readonly job_id: number; readonly message: string }>;
}

export function reportReading({ db }: Pick<CiDependencies, 'db'>, rights: Pick<WriteAccess, 'mayRead'>) {
  /** The pipelines that are compared; those who may not see pipelines see no reports. */
  async function find(subject: ProjectSubject, caller: Caller, iid: number, kinds: readonly string[]) {
    requireOnProject(caller, 'read_pipeline', subject);
    const found = await comparedPipelines(db, subject.project.id, iid, kinds);
    if (!found) throw recordNotFound();
    return found;
  }

  async function read<T>(
    subject: ProjectSubject,
    caller: Caller,
    pipelineId: number | null,
    kinds: readonly string[],
  ): Promise<Reports<T>> {
    const contents: Array<{ job: StoredReport; content: T }> = [];
    const errors: Array<{ job_id: number; message: string }> = [];
    let bytes = 0;
    const stored = pipelineId === null ? [] : await reportsOf(db, await familyOf(db, pipelineId), kinds);
    for (const job of stored) {
      bytes += job.content_size;
      if (job.error !== null) errors.push({ job_id: job.id, message: job.error });
      else if (!(await rights.mayRead(subject, caller, job))) errors.push({ job_id: job.id, message: debugLogging });
      else if (bytes > maxReadBytes)
        errors.push({ job_id: job.id, message: `the reports are larger than ${maxReadBytes} bytes` });
      else {
        const content = await storedContent(db, job.report_id);
        if (content) contents.push({ job, content: JSON.parse((await gunzipped(content)).toString('utf8')) as T });
      }
    }
    return { contents, errors };
  }

  return { find, read };
}
