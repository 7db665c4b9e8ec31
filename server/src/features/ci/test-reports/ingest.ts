/** Reads the test reports of jobs when these have ended. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { groupName } from '@millrace/ci-config';
import { transaction } from '../../../kernel/db/index.ts';
import { type FactConsumer, hasReports, jobFinished, on } from '../../../kernel/events/index.ts';
import { reportBytes, textOf } from '../artifacts/report-bytes.ts';
import type { CiDependencies } from '../deps.ts';
import { reportedJob } from './failures.queries.ts';
import { keepFailures } from './failures.ts';
import { type CaseStatus, type JobReport, readJunit } from './junit.ts';
import { insertTestReport, unreadReport } from './test-reports.queries.ts';

/** Bytes of the reports of one job, unpacked. */
const maxReportBytes = 30 * 1024 * 1024;

const gzipped = promisify(gzip);

const failed = (error: string): JobReport => ({ cases: [], time: 0, error });

async function reportOf(bytes: Buffer | null): Promise<JobReport> {
  if (bytes === null)
    return failed(`JUnit data parsing failed: the report is damaged or larger than ${maxReportBytes} bytes`);
  const text = textOf(bytes);
  return text === null ? failed('JUnit XML parsing failed: 1:1: FATAL: unknown encoding') : await readJunit(text);
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
          const report = await reportOf(await reportBytes(objects, unread.object_key, maxReportBytes));
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
