/** One pipeline: its state, its graph and what can be done with it, live. */
import { Alert, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { testSummary } from '../../lib/test-reports.ts';
import { duration } from '../../lib/time.ts';
import { toSegment } from '../../lib/urls.ts';
import { useLive } from '../../lib/useLive.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Explanation } from './Explanation.tsx';
import { ExternalStatuses } from './ExternalStatuses.tsx';
import { FailedJobs } from './FailedJobs.tsx';
import { GraphSection } from './GraphSection.tsx';
import classes from './pipelines.module.css';
import { RefLink } from './RefLink.tsx';
import { activeStatuses } from './statuses.ts';
import { TestReport } from './TestReport.tsx';
import { explanationTab, testsTab } from './tabs.ts';
import { WaitingJobs } from './WaitingJobs.tsx';

/** Where a pipeline comes from, as the beginning of a sentence. */
const triggered: Readonly<Record<string, string>> = {
  push: 'Triggered by push',
  web: 'Started manually',
  api: 'Triggered through the API',
  trigger: 'Triggered with a token',
  schedule: 'Triggered by schedule',
  merge_request_event: 'Triggered by merge request',
  pipeline: 'Triggered by upstream pipeline',
  parent_pipeline: 'Triggered by parent pipeline',
  external: 'External pipeline',
};

/** The job that started it, in its own project or another one. */
function UpstreamLink({ upstream }: { upstream: NonNullable<Schemas['Pipeline']['upstream']> }) {
  const { path } = useProject();
  const { project_path: other, pipeline_id: pipeline, job_name: job } = upstream;
  return (
    <span>
      by{' '}
      <Link
        to="/p/$path/pipelines/$id"
        params={{ path: toSegment(other), id: String(pipeline) }}
        style={{ textDecoration: 'underline' }}
      >
        {job} in pipeline #{pipeline}
        {other === path ? '' : ` of ${other}`}
      </Link>
    </span>
  );
}

/** Jobs, why they are there, and tests where jobs have reported any: with the number of those that failed. */
function Tabs({ id }: { id: number }) {
  const { path, segment } = useProject();
  const { data: tests } = useSuspenseQuery(testSummary(path, id));
  // Of the address, which leads before the content is there.
  const tab = useLocation({ select: ({ pathname }) => pathname.split('/')[5] ?? '' });
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

function Jobs({ pipeline: { id, sha, source } }: { pipeline: Schemas['Pipeline'] }) {
  const { parts } = useProject();
  const { data: jobs } = useSuspenseQuery(parts.pipelineJobs(id));
  const { data: places } = useSuspenseQuery(parts.pipelineNeeds(id));
  const { data: bridges } = useSuspenseQuery(parts.pipelineBridges(id));
  const own = useMemo(() => new Set(jobs.map((job) => job.id)), [jobs]);
  const none = jobs.length + bridges.length === 0;
  return (
    <>
      <FailedJobs pipelineId={id} jobs={jobs} bridges={bridges} />
      <WaitingJobs jobs={jobs} />
      <ExternalStatuses sha={sha} pipelineId={id} jobs={own} />
      {none && source === 'external' ? null : none ? (
        <EmptyState title="No jobs">This pipeline has nothing to run.</EmptyState>
      ) : (
        <GraphSection pipelineId={id} jobs={jobs} bridges={bridges} places={places} />
      )}
    </>
  );
}

/** What was committed: its jobs say it, where there are any. */
function CommitTitle({ sha, jobs }: { sha: string; jobs: readonly Schemas['Job'][] }) {
  const { parts, segment } = useProject();
  const known = jobs.find(({ commit }) => commit?.id === sha)?.commit;
  const { data: commit = known } = useQuery({ ...parts.commit(sha), enabled: !known, retry: false });
  if (!commit) return null;
  return (
    <p className={classes.subject}>
      <Link to="/p/$path/commit/$sha" params={{ path: segment, sha }}>
        {commit.title}
      </Link>
    </p>
  );
}

export function PipelinePage() {
  const { id = '' } = useParams({ strict: false });
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
      <CommitTitle sha={pipeline.sha} jobs={jobs} />
      <div className={classes.facts}>
        <StatusBadge
          status={pipeline.detailed_status.group === 'success-with-warnings' ? 'warning' : pipeline.status}
        />
        <RefLink name={pipeline.ref} tag={pipeline.tag} segment={segment} />
        <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: pipeline.sha }}>
          <code>{pipeline.sha.slice(0, 8)}</code>
        </Link>
        <span>
          {triggered[pipeline.source] ?? `Triggered by ${pipeline.source}`} <TimeAgo at={pipeline.created_at} />
        </span>
        {pipeline.upstream ? <UpstreamLink upstream={pipeline.upstream} /> : null}
        <UserChip user={pipeline.user} />
        {pipeline.duration === null ? null : <span>Duration {duration(pipeline.duration)}</span>}
        {pipeline.coverage ? <span>Coverage {pipeline.coverage}%</span> : null}
      </div>
      {pipeline.yaml_errors ? (
        <Alert color="red" variant="light" title="The configuration cannot be used" mb="md">
          <pre>{pipeline.yaml_errors}</pre>
        </Alert>
      ) : null}
      {pipeline.warnings.length > 0 ? (
        <Alert color="yellow" variant="light" title="Warnings in the configuration" mb="md">
          {pipeline.warnings.map(({ message }) => (
            <div key={message}>{message}</div>
          ))}
        </Alert>
      ) : null}
      <Tabs id={pipeline.id} />
      <Outlet />
    </Page>
  );
}

/** The content of the tab that the route is of. */
export function PipelineTab() {
  const { id = '', tab } = useParams({ strict: false });
  const { parts } = useProject();
  const { data: pipeline } = useSuspenseQuery(parts.pipeline(Number(id)));
  if (tab === testsTab) return <TestReport pipelineId={pipeline.id} />;
  if (tab === explanationTab) return <Explanation pipelineId={pipeline.id} sha={pipeline.sha} />;
  return <Jobs pipeline={pipeline} />;
}
