/** Reads the test reports of jobs when these have ended. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { groupName } from '@millrace/ci-config';
import { transaction } from '../../../kernel/db/index.ts';
import { type FactConsumer, hasReports, jobFinished, on } from '../../../kernel/events/index.ts';
import { ReportError, reportFiles, textOf } from '../artifacts/report-bytes.ts';
import type { CiDependencies } from '../deps.ts';
import { reportedJob } from './failures.queries.ts';
import { keepFailures } from './failures.ts';
import { type CaseStatus, type JobReport, readJunitFiles } from './junit.ts';
import { insertTestReport, unreadReport } from './test-reports.queries.ts';

const mebibyte = 1024 * 1024;
/** As in the ecosystem: of one file, and of all that a job leaves. */
const limits = { file: 30 * mebibyte, total: 100 * mebibyte };

const gzipped = promisify(gzip);

const failed = (error: string): JobReport => ({ cases: [], time: 0, error });

async function reportOf(files: AsyncIterable<Buffer>): Promise<JobReport> {
  async function* texts() {
    for await (const bytes of files) {
      const text = textOf(bytes);
      if (text === null) throw new ReportError('unknown encoding');
      yield text;
    }
  }
  try {
    return await readJunitFiles(texts());
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    return failed(`JUnit data parsing failed: ${error.message}`);
  }
}

/** Jobs that share the work of one suite count together; those of a matrix are suites of their own. */
const suiteName = (job: string): string => (/: \[.*\]$/.test(job) ? job : groupName(job));

/** Follows the end of jobs. A report that was read is not read again. */
export function testReportReader(deps: Pick<CiDependencies, 'db' | 'objects' | 'announce' | 'log'>): FactConsumer {
  const { db, objects } = deps;
  return {
    name: 'ci.test-reports',
    handlers: [
      on(
        jobFinished,
        async ({ payload: { job_id: jobId, pipeline_id: pipelineId } }) => {
          const unread = await unreadReport(db, jobId);
          if (!unread) return;
          const report = await reportOf(reportFiles(objects, unread.object_key, limits));
          const counts = { success: 0, failed: 0, skipped: 0, error: 0 } satisfies Record<CaseStatus, number>;
          for (const { status } of report.cases) counts[status]++;
          const text = JSON.stringify(report.cases);
          const cases = await gzipped(text);
          const suite = suiteName(unread.name);
          const of = await reportedJob(db, jobId);
          await transaction(db, async (tx) => {
            const stored = await insertTestReport(tx, {
              jobId,
              suite,
              time: report.time,
              counts,
              error: report.error,
              cases,
              casesSize: Buffer.byteLength(text),
            });
            if (!stored) return;
            if (of) await keepFailures(tx, { ...of, suite }, report.cases);
            await deps.announce(tx, `pipeline:${pipelineId}`);
          });
          if (report.error !== null)
            deps.log.info({ job: jobId, error: report.error }, 'a test report counts for nothing');
        },
        hasReports,
      ),
    ],
  };
}
