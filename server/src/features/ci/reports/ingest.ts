/** Reads the reports of jobs when these have ended: one way for all kinds. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { transaction } from '../../../kernel/db/index.ts';
import { type FactConsumer, hasReports, jobFinished, on } from '../../../kernel/events/index.ts';
import { reportText } from '../artifacts/report-bytes.ts';
import type { CiDependencies } from '../deps.ts';
import { type ReadReport, ReportError, type ReportKind, type ReportPlace } from './kind.ts';
import { reportKinds } from './kinds.ts';
import { insertReport, unreadReports } from './reports.queries.ts';

/** Bytes of one report, unpacked. */
const maxReportBytes = 20 * 1024 * 1024;

const gzipped = promisify(gzip);

type Outcome = ReadReport<unknown> & { readonly error: string | null };

const failed = (error: string): Outcome => ({ content: null, summary: {}, error });

async function read(kind: ReportKind, text: string | null, place: ReportPlace): Promise<Outcome> {
  if (text === null) return failed(`the report is damaged, not text, or larger than ${maxReportBytes} bytes`);
  try {
    return { ...(await kind.read(text, place)), error: null };
  } catch (error) {
    if (error instanceof ReportError) return failed(error.message);
    throw error;
  }
}

/** Follows the end of jobs. A report that was read is not read again. */
export function reportReader(deps: Pick<CiDependencies, 'db' | 'objects' | 'announce' | 'log'>): FactConsumer {
  const { db, objects } = deps;
  return {
    name: 'ci.reports',
    handlers: [
      on(
        jobFinished,
        async ({ payload: { job_id: jobId, pipeline_id: pipelineId } }) => {
          const types = reportKinds.map(({ type }) => type);
          for (const unread of await unreadReports(db, jobId, types)) {
            const kind = reportKinds.find(({ type }) => type === unread.file_type);
            if (!kind) continue;
            const text = await reportText(objects, unread.object_key, maxReportBytes);
            const report = await read(kind, text, { projectPath: unread.project_path });
            const content = JSON.stringify(report.content);
            const row = {
              jobId,
              kind: kind.type,
              error: report.error,
              summary: report.summary,
              content: await gzipped(content),
              contentSize: Buffer.byteLength(content),
            };
            await transaction(db, async (tx) => {
              if (await insertReport(tx, row)) await deps.announce(tx, `pipeline:${pipelineId}`);
            });
            if (report.error !== null)
              deps.log.info({ job: jobId, kind: kind.type, error: report.error }, 'a report counts for nothing');
          }
        },
        hasReports,
      ),
    ],
  };
}
