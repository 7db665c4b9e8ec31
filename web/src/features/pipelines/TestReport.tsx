/** The tests of a pipeline: suites with what failed, the output and the others folded. */
import { Alert, Anchor } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type TestCase, type TestSuite, testCounts, testReport } from '../../lib/test-reports.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './test-report.module.css';

/** Rows that are shown at once. */
const step = 100;
const broken: ReadonlySet<string> = new Set(['failed', 'error']);
const seconds = (time: number) => `${time < 10 ? time.toFixed(2) : Math.round(time)} s`;

function Case({ one }: { one: TestCase }) {
  return (
    <DataRow
      before={
        <span className={classes.status}>
          <StatusBadge status={one.status === 'error' ? 'failed' : one.status} />
        </span>
      }
      title={
        <div className={classes.case}>
          {one.name}
          <div className={classes.about}>
            {one.classname ? <span>{one.classname}</span> : null}
            {one.file ? <code>{one.file}</code> : null}
            {one.attachment_url ? <Anchor href={one.attachment_url}>Attachment</Anchor> : null}
            {one.system_output ? (
              <details className={classes.output}>
                <summary>Output</summary>
                <pre tabIndex={0}>{one.system_output}</pre>
              </details>
            ) : null}
          </div>
        </div>
      }
      after={<span className={classes.time}>{seconds(one.execution_time)}</span>}
    />
  );
}

function Cases({ label, cases }: { label: string; cases: readonly TestCase[] }) {
  const [shown, setShown] = useState(step);
  return (
    <>
      <DataList label={label}>
        {cases.slice(0, shown).map((one, at) => (
          <Case key={`${at} ${one.name}`} one={one} />
        ))}
      </DataList>
      <ShowMore more={cases.length > shown} pending={false} show={() => setShown(shown + step)} />
    </>
  );
}

function Suite({ suite }: { suite: TestSuite }) {
  const [open, setOpen] = useState(false);
  const failing = suite.test_cases.filter(({ status }) => broken.has(status));
  const others = suite.test_cases.filter(({ status }) => !broken.has(status));
  const { success_count: success, failed_count: failed, skipped_count: skipped, error_count: error } = suite;
  return (
    <section aria-label={suite.name} className={classes.suite}>
      <h2 className={classes.title}>{suite.name}</h2>
      {suite.suite_error === null ? (
        <p className={classes.counts}>
          {testCounts({ failed, error, success, skipped })} in {seconds(suite.total_time)}
        </p>
      ) : (
        <Alert color="red" variant="light" title="The report could not be read">
          {suite.suite_error}
        </Alert>
      )}
      {failing.length > 0 ? <Cases label={`Failed tests of ${suite.name}`} cases={failing} /> : null}
      {others.length > 0 ? (
        <details className={classes.others} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{testCounts({ failed: 0, error: 0, success, skipped })}</summary>
          {open ? <Cases label={`Other tests of ${suite.name}`} cases={others} /> : null}
        </details>
      ) : null}
    </section>
  );
}

export function TestReport({ pipelineId }: { pipelineId: number }) {
  const { path } = useProject();
  const { data: report } = useSuspenseQuery(testReport(path, pipelineId));
  if (report.test_suites.length === 0)
    return (
      <EmptyState title="No test reports">
        Jobs leave them with <code>artifacts:reports:junit</code>.
      </EmptyState>
    );
  return report.test_suites.map((suite) => <Suite key={suite.name} suite={suite} />);
}
