/** Reads the reports of security scanners when their job has ended. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { type FactConsumer, hasReports, jobFinished, on } from '../../../kernel/events/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import { reportBytes } from '../../ci/index.ts';
import { type ReportFinding, type ReportType, readReport, reportTypes } from './report.ts';
import {
  compareWithDefaultBranch,
  detect,
  identifierKey,
  insertScan,
  linkToScan,
  pipelineOf,
  roomForVulnerabilities,
  type ScannedPipeline,
  saveFindings,
  saveIdentifiers,
  saveScanners,
  unreadReports,
} from './reports.queries.ts';

/** Bytes of one report, unpacked. */
const maxReportBytes = 20 * 1024 * 1024;
/** Rows that are written at once. */
const atOnce = 500;

interface IngestDependencies {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'get' | 'exists'>;
  readonly settings: Settings;
  readonly log: Pick<Logger, 'info'>;
}

async function save(
  tx: Db,
  pipeline: ScannedPipeline,
  scanId: number,
  type: ReportType,
  findings: readonly ReportFinding[],
  most: number | null,
): Promise<void> {
  for (let from = 0; from < findings.length; from += atOnce) {
    // In one order, so that two scans that write the same rows wait for each other and do not lock each other out.
    const some = findings.slice(from, from + atOnce);
    const scanners = new Map(some.map(({ scanner }) => [scanner.external_id, scanner]));
    const identifiers = new Map(
      some.flatMap((finding) => finding.identifiers.map((each) => [identifierKey(each), each])),
    );
    const sorted = <T>(map: ReadonlyMap<string, T>) =>
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    const scannerIds = await saveScanners(tx, pipeline.project_id, sorted(scanners));
    const identifierIds = await saveIdentifiers(tx, pipeline.project_id, sorted(identifiers));
    const idOf = (identifier: ReportFinding['identifiers'][number]) =>
      identifierIds.get(identifierKey(identifier)) as number;
    const rows = some.map((finding) => {
      const [primary, ...others] = finding.identifiers;
      return {
        ...finding,
        scannerId: scannerIds.get(finding.scanner.external_id) as number,
        identifierIds: [idOf(primary), ...others.map(idOf)] as const,
      };
    });
    const saved = await saveFindings(tx, pipeline.project_id, type, rows);
    const ids = saved.map(({ id }) => id);
    await linkToScan(tx, scanId, ids);
    if (pipeline.main) {
      const room = most === null ? null : await roomForVulnerabilities(tx, pipeline.project_id, most);
      await detect(tx, ids, pipeline.user_id, room);
    }
  }
  if (pipeline.main) await compareWithDefaultBranch(tx, pipeline.id, type);
}

/** Follows the end of jobs. A report that was read is not read again. */
export function reportReader({ db, objects, settings, log }: IngestDependencies): FactConsumer {
  async function read(pipeline: ScannedPipeline, jobId: number, type: ReportType, key: string): Promise<void> {
    const bytes = await reportBytes(objects, key, maxReportBytes);
    const report =
      bytes === null
        ? ({ ok: false, errors: [`the report is damaged or larger than ${maxReportBytes} bytes`] } as const)
        : readReport(type, pipeline.project_id, bytes.toString('utf8'));
    const findings = report.ok ? [...report.findings].sort((a, b) => (a.uuid < b.uuid ? -1 : 1)) : [];
    const { max_number_of_vulnerabilities_per_project: most } = await settings.read();
    await transaction(db, async (tx) => {
      const scanId = await insertScan(tx, {
        projectId: pipeline.project_id,
        pipelineId: pipeline.id,
        jobId,
        reportType: type,
        errors: report.ok ? [] : report.errors,
        count: findings.length,
      });
      if (scanId !== null && report.ok) await save(tx, pipeline, scanId, type, findings, most);
    });
    if (!report.ok) log.info({ job: jobId, type, errors: report.errors }, 'a security report counts for nothing');
  }

  return {
    name: 'security.reports',
    handlers: [
      on(
        jobFinished,
        async ({ payload: { job_id, pipeline_id } }) => {
          const reports = await unreadReports(db, job_id, reportTypes);
          if (reports.length === 0) return;
          const pipeline = await pipelineOf(db, pipeline_id);
          if (!pipeline) return;
          for (const { file_type, object_key } of reports) {
            const type = reportTypes.find((each) => each === file_type);
            if (type) await read(pipeline, job_id, type, object_key);
          }
        },
        hasReports,
      ),
    ],
  };
}
