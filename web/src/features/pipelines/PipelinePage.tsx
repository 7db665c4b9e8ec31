/** One pipeline: its state, its graph and what can be done with it, live. */
import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client, missing, unwrap } from '../../lib/api.ts';
import { testSummary } from '../../lib/test-reports.ts';
import { duration } from '../../lib/time.ts';
import { useLive } from '../../lib/useLive.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Explanation } from './Explanation.tsx';
import { ExternalStatuses } from './ExternalStatuses.tsx';
import { GraphSection } from './GraphSection.tsx';
import classes from './pipelines.module.css';
import { TestReport } from './TestReport.tsx';
import { activeStatuses, sources } from './words.ts';

/** Jobs, why they are there, and tests where jobs have reported any: with the number of those that failed. */
function Tabs({ id, tab }: { id: number; tab: string }) {
  const { path, segment } = useProject();
  const { data: tests } = useSuspenseQuery(testSummary(path, id));
  const { total } = tests;
  const failed = total.failed + total.error;
  const params = { path: segment, id: String(id) };
  return (
    <TabRow label="Pipeline" className={classes.tabs}>
      <Link
        to="/p/$path/pipelines/$id"
        params={params}
        activeOptions={{ exact: true, includeSearch: false }}
        resetScroll={false}
      >
        Jobs
      </Link>
      <Link to="/p/$path/pipelines/$id/$tab" params={{ ...params, tab: explanationTab }} resetScroll={false}>
        Explanation
      </Link>
      {tests.test_suites.length > 0 || tab === testsTab ? (
        <Link to="/p/$path/pipelines/$id/$tab" params={{ ...params, tab: testsTab }} resetScroll={false}>
          Tests {total.count}
          {failed > 0 ? <span className={classes.failedTests}> · {failed} failed</span> : null}
        </Link>
      ) : null}
    </TabRow>
  );
}

const testsTab = 'test_report';
const explanationTab = 'explanation';

export default function PipelinePage() {
  const { id = '', tab = '' } = useParams({ strict: false });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data: pipeline } = useSuspenseQuery(parts.pipeline(Number(id)));
  const { data: jobs } = useSuspenseQuery(parts.pipelineJobs(Number(id)));
  const cache = useQueryClient();
  useLive([`pipeline:${pipeline.id}`], [['project', path, 'pipeline', pipeline.id]]);
  const act = useMutation({
    mutationFn: (action: 'retry' | 'cancel') => {
      const params = { path: { id: path, pipeline_id: pipeline.id } };
      return action === 'retry'
        ? unwrap(client.POST('/projects/{id}/pipelines/{pipeline_id}/retry', { params }))
        : unwrap(client.POST('/projects/{id}/pipelines/{pipeline_id}/cancel', { params }));
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: ['project', path, 'pipeline', pipeline.id] }),
  });
  const { data: places } = useSuspenseQuery(parts.pipelineNeeds(Number(id)));
  const { data: bridges } = useSuspenseQuery(parts.pipelineBridges(Number(id)));
  const own = useMemo(() => new Set(jobs.map((job) => job.id)), [jobs]);
  if (!['', testsTab, explanationTab].includes(tab)) throw missing();
  const external = pipeline.source === 'external';
  const may = view.level >= level.developer;
  const again = jobs.some((job) => job.status === 'failed' || job.status === 'canceled');
  return (
    <Page
      title={`Pipeline ${pipeline.id} · ${project.name_with_namespace}`}
      heading={pipeline.name ?? `Pipeline #${pipeline.id}`}
      actions={
        may ? (
          <>
            {again ? (
              <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate('retry')}>
                Retry failed jobs
              </Button>
            ) : null}
            {activeStatuses.has(pipeline.status) ? (
              <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate('cancel')}>
                Cancel
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      <FormError error={act.error} />
      <div className={classes.facts}>
        <StatusBadge
          status={pipeline.detailed_status.group === 'success-with-warnings' ? 'warning' : pipeline.status}
        />
        <RefBadge name={pipeline.ref} kind={pipeline.tag ? 'tag' : 'branch'} />
        <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: pipeline.sha }}>
          <code>{pipeline.sha.slice(0, 8)}</code>
        </Link>
        <span>
          {sources[pipeline.source] ?? pipeline.source} <TimeAgo at={pipeline.created_at} />
        </span>
        <UserChip user={pipeline.user} />
        {pipeline.duration === null ? null : <span>ran {duration(pipeline.duration)}</span>}
        {pipeline.coverage ? <span>coverage {pipeline.coverage} %</span> : null}
      </div>
      {pipeline.yaml_errors ? (
        <Alert color="red" variant="light" title="The configuration cannot be used" mb="md">
          <pre>{pipeline.yaml_errors}</pre>
        </Alert>
      ) : null}
      <Tabs id={pipeline.id} tab={tab} />
      {tab === testsTab ? (
        <TestReport pipelineId={pipeline.id} />
      ) : tab === explanationTab ? (
        <Explanation pipelineId={pipeline.id} sha={pipeline.sha} />
      ) : (
        <>
          <ExternalStatuses sha={pipeline.sha} pipelineId={pipeline.id} jobs={own} />
          {jobs.length + bridges.length === 0 && external ? null : jobs.length + bridges.length === 0 ? (
            <EmptyState title="No jobs">This pipeline has nothing to run.</EmptyState>
          ) : (
            <GraphSection pipelineId={pipeline.id} jobs={jobs} bridges={bridges} places={places} />
          )}
        </>
      )}
    </Page>
  );
}
