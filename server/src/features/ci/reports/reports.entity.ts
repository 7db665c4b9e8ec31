/** Reports of a merge request compared with its target branch, as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Decimal,
  Entity,
  Fields,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Word,
} from '../../../kernel/http/entity.ts';
import type { AccessibilityFinding } from './accessibility.ts';
import { type QualityFinding, severities } from './code-quality.ts';
import type { LicenseUse } from './licenses.ts';
import type { PerformanceMetric } from './performance.ts';

const compared = {
  base_pipeline_id: Nullable(Id({ description: 'Pipeline with such reports of the target branch' })),
  head_pipeline_id: Nullable(Id({ description: 'Latest pipeline with such reports of the merge request' })),
};
const status = Word(['success', 'failed', 'not_found'], {
  description: '`failed`: the merge request adds failures; `not_found`: it has no such reports',
});
const errors = ListOf(Fields({ job_id: Id(), message: Text() }), { description: 'Reports that could not be read' });

export const CoverageReports = Entity('MergeRequestCoverageReports', {
  ...compared,
  files: MapOf(MapOf(Count()), {
    description: 'Changed files by path: for each line of the report, how often it ran',
  }),
  errors,
});

const Finding = Fields({
  description: Text(),
  severity: Word(severities),
  file_path: Text(),
  line: Nullable(Count()),
  fingerprint: Text(),
  engine_name: Nullable(Text()),
  web_url: Nullable(Text({ description: 'Address of the file, with the line' })),
});
export const CodeQualityReports = Entity('MergeRequestCodeQualityReports', {
  ...compared,
  status,
  new_errors: ListOf(Finding, { description: 'Only in the merge request, at most 100, the worst first' }),
  resolved_errors: ListOf(Finding, { description: 'Only in the target branch, at most 100, the worst first' }),
  existing_errors: ListOf(Finding, { description: 'In both, at most 100, the worst first' }),
  summary: Fields({ total: Count(), resolved: Count(), errored: Count({ description: 'New findings' }) }),
  errors,
});

export const TerraformReports = Entity('MergeRequestTerraformReports', {
  head_pipeline_id: compared.head_pipeline_id,
  plans: ListOf(
    Fields({
      job_id: Id(),
      job_name: Text(),
      job_path: Text({ description: 'Path of the page of the job' }),
      create: Sometimes(Count({ description: 'Resources that the plan creates' })),
      update: Sometimes(Count()),
      delete: Sometimes(Count()),
      tf_report_error: Sometimes(Text({ description: 'Why the report could not be read' })),
    }),
  ),
});

const Metric = { name: Text(), value: Text() };
export const MetricsReports = Entity('MergeRequestMetricsReports', {
  ...compared,
  new_metrics: ListOf(Fields(Metric)),
  existing_metrics: ListOf(Fields({ ...Metric, previous_value: Text() })),
  removed_metrics: ListOf(Fields(Metric)),
  errors,
});

const AccessibilityError = Fields({
  url: Text({ description: 'Page that was tested' }),
  code: Text({ description: 'Rule that it breaks' }),
  type: Text(),
  message: Text(),
  context: Text({ description: 'The element, as HTML text' }),
  selector: Text({ description: 'The element, as CSS selector' }),
  runner: Text(),
});
export const AccessibilityReports = Entity('MergeRequestAccessibilityReports', {
  ...compared,
  status,
  new_errors: ListOf(AccessibilityError, { description: 'Only in the merge request, at most 100' }),
  resolved_errors: ListOf(AccessibilityError, { description: 'Only in the target branch, at most 100' }),
  existing_errors: ListOf(AccessibilityError, { description: 'In both, at most 100' }),
  summary: Fields({ total: Count(), resolved: Count(), errored: Count({ description: 'New errors' }) }),
  errors,
});

/** Names of dependencies that one licence is listed with. */
const mostDependencies = 50;
const License = Fields({
  id: Nullable(Text({ description: 'SPDX identifier' })),
  name: Text(),
  url: Nullable(Text()),
  dependencies: ListOf(Text(), { description: 'Those that have it, at most 50' }),
  count: Count({ description: 'How many have it' }),
});
export const LicenseReports = Entity('MergeRequestLicenseScanningReports', {
  ...compared,
  status: Word(['success', 'not_found'], { description: '`not_found`: the merge request has no such reports' }),
  new_licenses: ListOf(License, { description: 'Only in the merge request, at most 100' }),
  removed_licenses: ListOf(License, { description: 'Only in the target branch, at most 100' }),
  existing_licenses: ListOf(License, { description: 'In both, at most 100' }),
  summary: Fields({ total: Count(), added: Count(), removed: Count() }),
  errors,
});

const Performance = {
  subject: Text({ description: 'Path of the page; empty for tests of load' }),
  name: Text(),
  value: Decimal(),
};
const ComparedMetrics = ListOf(Fields({ ...Performance, previous_value: Decimal() }), { description: 'At most 100' });
const performance = {
  ...compared,
  status: Word(['success', 'failed', 'not_found'], {
    description: '`failed`: a metric is worse than on the target branch; `not_found`: there are no such reports',
  }),
  degraded_metrics: ComparedMetrics,
  improved_metrics: ComparedMetrics,
  unchanged_metrics: ComparedMetrics,
  new_metrics: ListOf(Fields(Performance), { description: 'Without a value of the target branch, at most 100' }),
  summary: Fields({ total: Count(), degraded: Count(), improved: Count() }),
  errors,
};
export const BrowserPerformanceReports = Entity('MergeRequestBrowserPerformanceReports', performance);
export const LoadPerformanceReports = Entity('MergeRequestLoadPerformanceReports', performance);

type PerformanceJson = { readonly subject: string; readonly name: string; readonly value: number };

export const performanceJson = ({ subject, name, value }: PerformanceMetric): PerformanceJson => ({
  subject,
  name,
  value,
});

export const accessibilityJson = (finding: AccessibilityFinding): Static<typeof AccessibilityError> => ({ ...finding });

export const licenseJson = ({ id, name, url, dependencies }: LicenseUse): Static<typeof License> => ({
  ...{ id, name, url },
  dependencies: dependencies.slice(0, mostDependencies),
  count: dependencies.length,
});

type FindingJson = Static<typeof Finding>;

export const findingJson = (finding: QualityFinding, fileUrl: string | null): FindingJson => ({
  description: finding.description,
  severity: finding.severity,
  file_path: finding.path,
  line: finding.line,
  fingerprint: finding.fingerprint,
  engine_name: finding.engine,
  web_url:
    fileUrl === null
      ? null
      : `${fileUrl}/${finding.path.split('/').map(encodeURIComponent).join('/')}${finding.line === null ? '' : `#L${finding.line}`}`,
});
