/** Routes of what a merge request changes of accessibility, of the licences of dependencies, and of performance. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { type AccessibilityFinding, compareAccessibility } from './accessibility.ts';
import { compareLicenses, type LicenseUse, mergedLicenses } from './licenses.ts';
import { comparePerformance, type PerformanceMetric } from './performance.ts';
import { mostListed, reportPath, reportReading, reportRoute } from './reading.ts';
import {
  AccessibilityReports,
  accessibilityJson,
  BrowserPerformanceReports,
  LicenseReports,
  LoadPerformanceReports,
  licenseJson,
  performanceJson,
} from './reports.entity.ts';
import { valuesOf } from './reports.queries.ts';

/** Of a job: points by which the score of a page may fall without being told. */
const thresholdVariable = 'DEGRADATION_THRESHOLD';

export function comparisonRoutes(deps: Pick<CiDependencies, 'db'>, rights: Pick<WriteAccess, 'mayRead'>): Route[] {
  const { find, read } = reportReading(deps, rights);

  const accessibility = route({
    ...reportRoute,
    path: `${reportPath}/accessibility_reports`,
    summary: 'Compare the accessibility of a merge request with its target branch',
    responses: { 200: AccessibilityReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['accessibility'];
      const { head, base } = await find(subject, caller, iid, kinds);
      const now = await read<readonly AccessibilityFinding[]>(subject, caller, head, kinds);
      const before = await read<readonly AccessibilityFinding[]>(subject, caller, base, kinds);
      const all = (reports: typeof now) => reports.contents.flatMap(({ content }) => content);
      const found = all(now);
      // Without a report on both sides everything or nothing would seem new.
      const { added, resolved, existing } =
        now.contents.length > 0 && before.contents.length > 0
          ? compareAccessibility(all(before), found)
          : { added: [], resolved: [], existing: found };
      const listed = (some: readonly AccessibilityFinding[]) => some.slice(0, mostListed).map(accessibilityJson);
      return {
        base_pipeline_id: base,
        head_pipeline_id: head,
        status: now.contents.length === 0 ? 'not_found' : added.length > 0 ? 'failed' : 'success',
        new_errors: listed(added),
        resolved_errors: listed(resolved),
        existing_errors: listed(existing),
        summary: { total: found.length, resolved: resolved.length, errored: added.length },
        errors: [...now.errors],
      };
    },
  });

  const licenses = route({
    ...reportRoute,
    path: `${reportPath}/license_scanning_reports`,
    summary: 'Compare the licenses of the dependencies of a merge request with its target branch',
    responses: { 200: LicenseReports },
    handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
      const kinds = ['license_scanning'];
      const { head, base } = await find(subject, caller, iid, kinds);
      const now = await read<readonly LicenseUse[]>(subject, caller, head, kinds);
      const before = await read<readonly LicenseUse[]>(subject, caller, base, kinds);
      const all = (reports: typeof now) => mergedLicenses(reports.contents.map(({ content }) => content));
      const found = all(now);
      const compared =
        now.contents.length > 0 && before.contents.length > 0
          ? compareLicenses(all(before), found)
          : { added: [], removed: [], existing: found };
      const listed = (some: readonly LicenseUse[]) => some.slice(0, mostListed).map(licenseJson);
      return {
        base_pipeline_id: base,
        head_pipeline_id: head,
        status: now.contents.length === 0 ? 'not_found' : 'success',
        new_licenses: listed(compared.added),
        removed_licenses: listed(compared.removed),
        existing_licenses: listed(compared.existing),
        summary: { total: found.length, added: compared.added.length, removed: compared.removed.length },
        errors: [...now.errors],
      };
    },
  });

  async function performanceOf(subject: ProjectSubject, caller: Caller, iid: number, kinds: readonly string[]) {
    const { head, base } = await find(subject, caller, iid, kinds);
    const now = await read<readonly PerformanceMetric[]>(subject, caller, head, kinds);
    const before = await read<readonly PerformanceMetric[]>(subject, caller, base, kinds);
    const all = (reports: typeof now) => reports.contents.flatMap(({ content }) => content);
    const jobs = now.contents.map(({ job }) => job.id);
    const thresholds = (await valuesOf(deps.db, jobs, thresholdVariable)).map(Number).filter((value) => value > 0);
    const found = comparePerformance(all(before), all(now), Math.max(0, ...thresholds));
    const listed = (some: typeof found.degraded) =>
      some.slice(0, mostListed).map((each) => ({ ...performanceJson(each), previous_value: each.previous }));
    const status = found.degraded.length > 0 ? ('failed' as const) : ('success' as const);
    return {
      base_pipeline_id: base,
      head_pipeline_id: head,
      status: now.contents.length === 0 ? ('not_found' as const) : status,
      degraded_metrics: listed(found.degraded),
      improved_metrics: listed(found.improved),
      unchanged_metrics: listed(found.unchanged),
      new_metrics: found.added.slice(0, mostListed).map(performanceJson),
      summary: { total: all(now).length, degraded: found.degraded.length, improved: found.improved.length },
      errors: [...now.errors],
    };
  }

  const browserPerformance = route({
    ...reportRoute,
    path: `${reportPath}/browser_performance_reports`,
    summary: 'Compare the performance of pages of a merge request with its target branch',
    responses: { 200: BrowserPerformanceReports },
    handler: ({ subject, caller, params: { merge_request_iid: iid } }) =>
      performanceOf(subject, caller, iid, ['browser_performance', 'performance']),
  });

  const loadPerformance = route({
    ...reportRoute,
    path: `${reportPath}/load_performance_reports`,
    summary: 'Compare the performance under load of a merge request with its target branch',
    responses: { 200: LoadPerformanceReports },
    handler: ({ subject, caller, params: { merge_request_iid: iid } }) =>
      performanceOf(subject, caller, iid, ['load_performance']),
  });

  return [accessibility, licenses, browserPerformance, loadPerformance];
}
