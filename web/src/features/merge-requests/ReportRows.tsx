/** What the reports of a merge request say beside its target branch: tests, code quality, accessibility, performance and so on. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import {
  type AccessibilityComparison,
  type ExposedArtifact,
  type LicenseComparison,
  type MetricsComparison,
  mergeRequestReports,
  type PerformanceComparison,
  type QualityComparison,
  type TerraformPlans,
  type TestComparison,
} from '../../lib/merge-request-reports.ts';
import { placeOf, vulnerabilityComparison } from '../../lib/vulnerabilities.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './reports.module.css';

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

interface RowProps {
  readonly status: 'success' | 'failed' | 'warning';
  readonly title: string;
  readonly text: string;
  /** Shown when the row is opened. */
  readonly children?: ReactNode;
}

function Row({ status, title, text, children }: RowProps) {
  const head = (
    <>
      <StatusBadge status={status} compact />
      <strong>{title}</strong>
      <span>{text}</span>
    </>
  );
  if (!children) return <div className={classes.row}>{head}</div>;
  return (
    <details className={classes.details}>
      <summary className={classes.row}>{head}</summary>
      <div className={classes.body}>{children}</div>
    </details>
  );
}

interface NamedListProps<T> {
  readonly title: string;
  readonly items: readonly T[];
  show(item: T): ReactNode;
}

function NamedList<T>({ title, items, show }: NamedListProps<T>) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className={classes.list}>
        {items.map((item, at) => (
          <li key={`${title} ${at}`}>{show(item)}</li>
        ))}
      </ul>
    </section>
  );
}

type FailedCase = TestComparison['suites'][number]['new_failures'][number];

function Case({ each, suite }: { each: FailedCase; suite: string }) {
  return (
    <>
      <span className={classes.name}>{each.name}</span>{' '}
      <span className={classes.dim}>
        {suite}
        {each.recent_failures
          ? ` · failed ${counted(each.recent_failures.count, 'time')} on ${each.recent_failures.base_branch} within 14 days`
          : ''}
      </span>
      {each.system_output ? (
        <pre className={classes.output} tabIndex={0}>
          {each.system_output.slice(0, 2_000)}
        </pre>
      ) : null}
    </>
  );
}
const showCase = (suite: string) => (each: FailedCase) => <Case each={each} suite={suite} />;

function Tests({ report }: { report: TestComparison }) {
  const { segment } = useProject();
  if (report.status === 'not_found') return null;
  const { total, failed, errored, resolved } = report.summary;
  const text = [
    failed > 0 ? `${failed} failed` : null,
    errored > 0 ? counted(errored, 'error') : null,
    resolved > 0 ? `${resolved} fixed` : null,
    counted(total, 'test'),
  ].filter((part) => part !== null);
  return (
    <Row status={report.status === 'failed' ? 'failed' : 'success'} title="Tests" text={text.join(', ')}>
      {report.suites.map((suite) => (
        <div key={suite.name}>
          {suite.suite_errors ? (
            <p>
              {suite.name}: {suite.suite_errors}
            </p>
          ) : null}
          <NamedList title="New failures" items={suite.new_failures} show={showCase(suite.name)} />
          <NamedList title="New errors" items={suite.new_errors} show={showCase(suite.name)} />
          <NamedList title="Existing failures" items={suite.existing_failures} show={showCase(suite.name)} />
          <NamedList title="Existing errors" items={suite.existing_errors} show={showCase(suite.name)} />
          <NamedList
            title="Fixed"
            items={[...suite.resolved_failures, ...suite.resolved_errors]}
            show={(each) => <span className={classes.name}>{each.name}</span>}
          />
        </div>
      ))}
      {report.head_pipeline_id === null ? null : (
        <Link
          to="/p/$path/pipelines/$id/$tab"
          params={{ path: segment, id: String(report.head_pipeline_id), tab: 'test_report' }}
        >
          View full report
        </Link>
      )}
    </Row>
  );
}

type Finding = QualityComparison['new_errors'][number];

function showFinding(each: Finding): ReactNode {
  const where = `${each.file_path}${each.line === null ? '' : `:${each.line}`}`;
  return (
    <>
      <span className={classes.name}>{each.severity}</span> {each.description}{' '}
      {each.web_url ? <a href={each.web_url}>{where}</a> : <span className={classes.dim}>{where}</span>}
    </>
  );
}

function Quality({ report }: { report: QualityComparison }) {
  if (report.status === 'not_found')
    return report.errors.length > 0 ? <Broken title="Code quality" report={report} /> : null;
  const { errored, resolved, total } = report.summary;
  const text =
    report.base_pipeline_id === null
      ? `${counted(total, 'finding')}; the target branch has no report to compare with`
      : errored === 0 && resolved === 0
        ? 'No changes'
        : [errored > 0 ? counted(errored, 'new finding') : null, resolved > 0 ? `${resolved} fixed` : null]
            .filter((part) => part !== null)
            .join(', ');
  const listed = [...report.new_errors, ...report.resolved_errors, ...report.existing_errors];
  return (
    <Row status={errored > 0 ? 'warning' : 'success'} title="Code quality" text={text}>
      {listed.length === 0 ? null : (
        <>
          <NamedList title="New" items={report.new_errors} show={showFinding} />
          <NamedList title="Fixed" items={report.resolved_errors} show={showFinding} />
          <NamedList title="Existing" items={report.existing_errors} show={showFinding} />
        </>
      )}
    </Row>
  );
}

function showBarrier(each: AccessibilityComparison['new_errors'][number]): ReactNode {
  return (
    <>
      {each.message} <span className={classes.dim}>{each.url}</span>{' '}
      {each.selector ? <code>{each.selector}</code> : null}
    </>
  );
}

/** Numbers of what is new and what is fixed, or what there is where nothing can be compared. */
function changes(
  report: { base_pipeline_id: number | null },
  total: string,
  parts: readonly (string | null)[],
): string {
  if (report.base_pipeline_id === null) return `${total}; the target branch has no report to compare with`;
  const told = parts.filter((part) => part !== null);
  return told.length === 0 ? 'No changes' : told.join(', ');
}

function Accessibility({ report }: { report: AccessibilityComparison }) {
  if (report.status === 'not_found')
    return report.errors.length > 0 ? <Broken title="Accessibility" report={report} /> : null;
  const { errored, resolved, total } = report.summary;
  const text = changes(report, counted(total, 'issue'), [
    errored > 0 ? counted(errored, 'new issue') : null,
    resolved > 0 ? `${resolved} fixed` : null,
  ]);
  return (
    <Row status={errored > 0 ? 'warning' : 'success'} title="Accessibility" text={text}>
      {total + resolved === 0 ? null : (
        <>
          <NamedList title="New" items={report.new_errors} show={showBarrier} />
          <NamedList title="Fixed" items={report.resolved_errors} show={showBarrier} />
          <NamedList title="Existing" items={report.existing_errors} show={showBarrier} />
        </>
      )}
    </Row>
  );
}

function showLicense(each: LicenseComparison['new_licenses'][number]): ReactNode {
  const rest = each.count - each.dependencies.length;
  return (
    <>
      {each.url ? <a href={each.url}>{each.name}</a> : <span className={classes.name}>{each.name}</span>}{' '}
      <span className={classes.dim}>
        {each.dependencies.join(', ')}
        {rest > 0 ? ` and ${rest} more` : ''}
      </span>
    </>
  );
}

function Licenses({ report }: { report: LicenseComparison }) {
  if (report.status === 'not_found')
    return report.errors.length > 0 ? <Broken title="Licenses" report={report} /> : null;
  const { added, removed, total } = report.summary;
  const text = changes(report, counted(total, 'license'), [
    added > 0 ? counted(added, 'new license') : null,
    removed > 0 ? `${removed} removed` : null,
  ]);
  return (
    <Row status={added > 0 ? 'warning' : 'success'} title="Licenses" text={text}>
      {total + removed === 0 ? null : (
        <>
          <NamedList title="New" items={report.new_licenses} show={showLicense} />
          <NamedList title="Removed" items={report.removed_licenses} show={showLicense} />
          <NamedList title="Existing" items={report.existing_licenses} show={showLicense} />
        </>
      )}
    </Row>
  );
}

type MeasuredMetric = PerformanceComparison['degraded_metrics'][number];

const showMeasured = (each: Omit<MeasuredMetric, 'previous_value'> & Partial<MeasuredMetric>): ReactNode => (
  <>
    <span className={classes.name}>{each.name}</span>{' '}
    {each.previous_value === undefined || each.previous_value === each.value ? '' : `${each.previous_value} → `}
    {each.value} {each.subject === '' ? null : <span className={classes.dim}>{each.subject}</span>}
  </>
);

function Performance({ title, report }: { title: string; report: PerformanceComparison }) {
  if (report.status === 'not_found') return report.errors.length > 0 ? <Broken title={title} report={report} /> : null;
  const { degraded, improved, total } = report.summary;
  const text = changes(report, counted(total, 'metric'), [
    degraded > 0 ? `${degraded} degraded` : null,
    improved > 0 ? `${improved} improved` : null,
  ]);
  return (
    <Row status={degraded > 0 ? 'warning' : 'success'} title={title} text={text}>
      {total === 0 ? null : (
        <>
          <NamedList title="Degraded" items={report.degraded_metrics} show={showMeasured} />
          <NamedList title="Improved" items={report.improved_metrics} show={showMeasured} />
          <NamedList title="New" items={report.new_metrics} show={showMeasured} />
          <NamedList title="Unchanged" items={report.unchanged_metrics} show={showMeasured} />
        </>
      )}
    </Row>
  );
}

function Broken({ title, report }: { title: string; report: { errors: QualityComparison['errors'] } }) {
  return (
    <Row status="warning" title={title} text="The report could not be read">
      <NamedList title="Reasons" items={report.errors} show={({ job_id, message }) => `Job #${job_id}: ${message}`} />
    </Row>
  );
}

function Terraform({ report }: { report: TerraformPlans }) {
  if (report.plans.length === 0) return null;
  const broken = report.plans.filter(({ tf_report_error: error }) => error !== undefined).length;
  return (
    <Row
      status={broken > 0 ? 'warning' : 'success'}
      title="Terraform"
      text={[counted(report.plans.length, 'plan'), broken > 0 ? `${broken} could not be read` : null]
        .filter((part) => part !== null)
        .join(', ')}
    >
      <NamedList
        title="Plans"
        items={report.plans}
        show={(plan) => (
          <>
            <a href={plan.job_path}>{plan.job_name}</a>{' '}
            {plan.tf_report_error ??
              `${plan.create ?? 0} to create, ${plan.update ?? 0} to change, ${plan.delete ?? 0} to delete`}
          </>
        )}
      />
    </Row>
  );
}

function Metrics({ report }: { report: MetricsComparison }) {
  const { new_metrics: added, existing_metrics: existing, removed_metrics: removed } = report;
  if (report.head_pipeline_id === null) return null;
  if (report.errors.length > 0) return <Broken title="Metrics" report={report} />;
  const changed = existing.filter((metric) => metric.value !== metric.previous_value);
  const unchanged = existing.filter((metric) => metric.value === metric.previous_value);
  const count = changed.length + added.length + removed.length;
  const plain = ({ name, value }: Schemas['MergeRequestMetricsReports']['new_metrics'][number]) => (
    <>
      <span className={classes.name}>{name}</span> {value}
    </>
  );
  return (
    <Row status="success" title="Metrics" text={count === 0 ? 'No changes' : counted(count, 'changed metric')}>
      {count + unchanged.length === 0 ? null : (
        <>
          <NamedList
            title="Changed"
            items={changed}
            show={({ name, value, previous_value: before }) => (
              <>
                <span className={classes.name}>{name}</span> {before} → {value}
              </>
            )}
          />
          <NamedList title="New" items={added} show={plain} />
          <NamedList title="Removed" items={removed} show={plain} />
          <NamedList title="Unchanged" items={unchanged} show={plain} />
        </>
      )}
    </Row>
  );
}

function Exposed({ artifacts }: { artifacts: readonly ExposedArtifact[] }) {
  if (artifacts.length === 0) return null;
  return (
    <Row status="success" title="Artifacts" text={counted(artifacts.length, 'exposed artifact')}>
      <NamedList
        title="Exposed artifacts"
        items={artifacts}
        show={({ text, url, job_path: path, job_name: name }) => (
          <>
            <a href={url}>{text}</a> <span className={classes.dim}>of</span> <a href={path}>{name}</a>
          </>
        )}
      />
    </Row>
  );
}

/** What scanners found only in the merge request, and only in its target branch. */
function Security({ iid }: { iid: number }) {
  const { path, ...view } = useProject();
  const { data } = useQuery({ ...vulnerabilityComparison(path, iid), enabled: view.level >= level.developer });
  if (!data || data.head_pipeline_id === null) return null;
  const { added_count: added, fixed_count: fixed } = data;
  const changes = [added > 0 ? counted(added, 'new finding') : null, fixed > 0 ? `${fixed} fixed` : null];
  const text =
    data.base_pipeline_id === null
      ? `${counted(added, 'finding')}; the target branch has no report to compare with`
      : changes.filter((part) => part !== null).join(', ') || 'No changes';
  const show = ({ severity, name, location }: (typeof data.added)[number]) => (
    <>
      <span className={classes.name}>{severity}</span> {name} <span className={classes.dim}>{placeOf(location)}</span>
    </>
  );
  return (
    <Row status={added > 0 ? 'warning' : 'success'} title="Security" text={text}>
      {data.added.length + data.fixed.length === 0 ? null : (
        <>
          <NamedList title="New findings" items={data.added} show={show} />
          <NamedList title="Fixed findings" items={data.fixed} show={show} />
        </>
      )}
    </Row>
  );
}

interface ReportRowsProps {
  readonly iid: number;
  /** Names of the routes of reports that answer something. */
  readonly reports: readonly string[];
}

export function ReportRows({ iid, reports }: ReportRowsProps) {
  const { path } = useProject();
  const { data } = useQuery({ ...mergeRequestReports(path, iid, reports), placeholderData: keepPreviousData });
  if (!data) return null;
  return (
    <div className={classes.reports} role="group" aria-label="Reports">
      {data.tests ? <Tests report={data.tests} /> : null}
      {data.quality ? <Quality report={data.quality} /> : null}
      {reports.includes('vulnerability_comparison') ? <Security iid={iid} /> : null}
      {data.accessibility ? <Accessibility report={data.accessibility} /> : null}
      {data.licenses ? <Licenses report={data.licenses} /> : null}
      {data.browser ? <Performance title="Browser performance" report={data.browser} /> : null}
      {data.load ? <Performance title="Load performance" report={data.load} /> : null}
      {data.terraform ? <Terraform report={data.terraform} /> : null}
      {data.metrics ? <Metrics report={data.metrics} /> : null}
      {data.exposed ? <Exposed artifacts={data.exposed} /> : null}
    </div>
  );
}
