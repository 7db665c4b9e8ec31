/** Routes of the reports of a merge request: coverage of its changes, and what it adds to the target branch. */
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { familyOf } from '../downstream/sources.queries.ts';
import { projectUrl } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { compareQuality, type QualityFinding } from './code-quality.ts';
import { type CoverageReport, coverageOf } from './coverage.ts';
import { compareMetrics, type Metric } from './metrics.ts';
import { mostListed, reportPath, reportReading, reportRoute } from './reading.ts';
import {
  CodeQualityReports,
  CoverageReports,
  findingJson,
  MetricsReports,
  TerraformReports,
} from './reports.entity.ts';
import { reportsOf } from './reports.queries.ts';
import type { TerraformPlan } from './terraform.ts';

/** Files whose coverage is looked up. */
const mostFiles = 1_000;

export function mergeRequestReportRoutes(deps: CiDependencies, rights: Pick<WriteAccess, 'mayRead'>): Route[] {
  const { db } = deps;

  const { find, read } = reportReading(deps, rights);

  const coverage = route({
    ...reportRoute,
    path: `${reportPath}/coverage_reports`,
    summary: 'Get the coverage of the lines of the files that a merge request changes',
    responses: { 200: CoverageReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['cobertura', 'jacoco'];
      const found = await find(subject, caller, iid, kinds);
      const { head, base, base_sha: from, head_sha: to } = found;
      const { contents, errors } = await read<CoverageReport>(subject, caller, head, kinds);
      const paths =
        contents.length === 0 || from === null || to === null
          ? []
          : await deps.repository.changedPaths(subject.project, from, to);
      const files = coverageOf(
        contents.map(({ content }) => content),
        paths.slice(0, mostFiles),
      );
      return { base_pipeline_id: base, head_pipeline_id: head, files, errors: [...errors] };
    },
  });

  const quality = route({
    ...reportRoute,
    path: `${reportPath}/codequality_reports`,
    summary: 'Compare the code quality of a merge request with its target branch',
    responses: { 200: CodeQualityReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['codequality'];
      const found = await find(subject, caller, iid, kinds);
      const [head, base] = await Promise.all(
        [found.head, found.base].map((id) => read<readonly QualityFinding[]>(subject, caller, id, kinds)),
      );
      const findings = (reports: typeof head) => [
        ...new Map(
          (reports?.contents ?? []).flatMap(({ content }) => content.map((each) => [each.fingerprint, each] as const)),
        ).values(),
      ];
      const now = findings(head);
      // Without a report on both sides everything or nothing would seem new.
      const known = (head?.contents.length ?? 0) > 0 && (base?.contents.length ?? 0) > 0;
      const { added, resolved, existing } = known
        ? compareQuality(findings(base), now)
        : { added: [], resolved: [], existing: now };
      const url = (sha: string | null) => (sha === null ? null : `${projectUrl(deps, subject)}/-/blob/${sha}`);
      const listed = (some: readonly QualityFinding[], sha: string | null) =>
        some.slice(0, mostListed).map((each) => findingJson(each, url(sha)));
      return {
        base_pipeline_id: found.base,
        head_pipeline_id: found.head,
        status: (head?.contents.length ?? 0) === 0 ? 'not_found' : added.length > 0 ? 'failed' : 'success',
        new_errors: listed(added, found.head_sha),
        resolved_errors: listed(resolved, found.base_sha),
        existing_errors: listed(existing, found.head_sha),
        summary: { total: now.length, resolved: resolved.length, errored: added.length },
        errors: [...(head?.errors ?? [])],
      };
    },
  });

  const terraform = route({
    ...reportRoute,
    path: `${reportPath}/terraform_reports`,
    summary: 'List the terraform plans of a merge request',
    responses: { 200: TerraformReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['terraform'];
      const { head } = await find(subject, caller, iid, kinds);
      const { contents, errors } = await read<TerraformPlan>(subject, caller, head, kinds);
      const names = new Map(
        (head === null ? [] : await reportsOf(db, await familyOf(db, head), kinds)).map(({ id, name }) => [id, name]),
      );
      const jobPath = (id: number) => `${new URL(projectUrl(deps, subject)).pathname}/-/jobs/${id}`;
      return {
        head_pipeline_id: head,
        plans: [
          ...contents.map(({ job, content }) => ({
            job_id: job.id,
            job_name: job.name,
            job_path: jobPath(job.id),
            ...content,
          })),
          ...errors.map(({ job_id, message }) => ({
            job_id,
            job_name: names.get(job_id) ?? '',
            job_path: jobPath(job_id),
            tf_report_error: message,
          })),
        ].sort((a, b) => a.job_id - b.job_id),
      };
    },
  });

  const metrics = route({
    ...reportRoute,
    path: `${reportPath}/metrics_reports`,
    summary: 'Compare the metrics of a merge request with its target branch',
    responses: { 200: MetricsReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['metrics'];
      const { head, base } = await find(subject, caller, iid, kinds);
      const [now, before] = await Promise.all([
        read<readonly Metric[]>(subject, caller, head, kinds),
        read<readonly Metric[]>(subject, caller, base, kinds),
      ]);
      const all = (reports: typeof now) => reports.contents.flatMap(({ content }) => content);
      const found = compareMetrics(all(before), all(now));
      return {
        base_pipeline_id: base,
        head_pipeline_id: head,
        new_metrics: [...found.added],
        existing_metrics: found.existing.map(({ name, value, previous }) => ({
          name,
          value,
          previous_value: previous,
        })),
        // Without a report of the merge request nothing was removed.
        removed_metrics: head === null ? [] : [...found.removed],
        errors: [...now.errors],
      };
    },
  });

  return [coverage, quality, terraform, metrics];
}
