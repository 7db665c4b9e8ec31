/** One job: its log live, its facts, its artifacts, and retry, cancel, start, erase. */
import { Alert, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { bytes } from '../../lib/time.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { RefLink } from '../pipelines/RefLink.tsx';
import { activeStatuses } from '../pipelines/statuses.ts';
import { level, useProject } from '../projects/useProject.ts';
import { FailureLine } from './FailureLine.tsx';
import { JobLog } from './JobLog.tsx';
import { JobSide } from './JobSide.tsx';
import classes from './log.module.css';
import { RunnersLink } from './RunnersLink.tsx';
import { PlayButton, StartForm } from './StartForm.tsx';
import { useTrace } from './trace.ts';

type Action = 'retry' | 'cancel' | 'play' | 'unschedule';

function perform(action: Action, projectPath: string, jobId: number): Promise<Schemas['Job']> {
  const params = { path: { id: projectPath, job_id: jobId } };
  if (action === 'retry') return unwrap(client.POST('/projects/{id}/jobs/{job_id}/retry', { params }));
  if (action === 'cancel') return unwrap(client.POST('/projects/{id}/jobs/{job_id}/cancel', { params }));
  if (action === 'unschedule') return unwrap(client.POST('/projects/{id}/jobs/{job_id}/unschedule', { params }));
  return unwrap(client.POST('/projects/{id}/jobs/{job_id}/play', { params }));
}

const words: Record<Action, string> = {
  retry: 'Retry',
  cancel: 'Cancel',
  play: 'Run',
  unschedule: 'Unschedule',
};

function possible(job: Schemas['Job'], own: number): Action[] {
  if (own < level.developer || job.waiting?.reason === 'approval') return [];
  if (job.status === 'scheduled') return ['unschedule', 'play'];
  if (job.status === 'manual') return ['play'];
  if (activeStatuses.has(job.status)) return ['cancel'];
  if (job.status === 'skipped') return [];
  return ['retry'];
}

const ended = (job: Schemas['Job']): boolean =>
  !activeStatuses.has(job.status) && !['manual', 'scheduled', 'skipped'].includes(job.status);

function EraseButton({ job, erased }: { job: Schemas['Job']; erased: (job: Schemas['Job']) => void }) {
  const { path } = useProject();
  return (
    <ConfirmButton
      title="Erase log and artifacts"
      text={`The log and all artifacts of ${job.name} will be deleted permanently. The job itself remains.`}
      action="Erase"
      label="Erase log and artifacts"
      run={async () => {
        const params = { path: { id: path, job_id: job.id } };
        erased(await unwrap(client.POST('/projects/{id}/jobs/{job_id}/erase', { params })));
      }}
    />
  );
}

/** Who removed log and artifacts, and when. */
function ErasedNote({ job }: { job: Schemas['Job'] }) {
  if (job.erased_at === null) return null;
  return (
    <Alert variant="light" mb="md">
      <span className={classes.erased}>
        Log and artifacts erased{' '}
        {job.erased_by ? (
          <>
            by <UserChip user={job.erased_by} />
          </>
        ) : null}{' '}
        <TimeAgo at={job.erased_at} />
      </span>
    </Alert>
  );
}

export default function JobPage() {
  const { id = '' } = useParams({ strict: false });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data: job } = useSuspenseQuery(parts.job(Number(id)));
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const active = activeStatuses.has(job.status);
  useLive(
    [`job:${job.id}`, `pipeline:${job.pipeline.id}`],
    [
      ['project', path, 'job', job.id],
      ['project', path, 'pipeline', job.pipeline.id],
    ],
  );
  const trace = useTrace(project.id, job.id, active);
  async function follow(next: Schemas['Job']) {
    await cache.invalidateQueries({ queryKey: ['project', path, 'job', job.id] });
    // A retried job is a new one with a log of its own.
    if (next.id !== job.id) await navigate({ to: '/p/$path/jobs/$id', params: { path: segment, id: String(next.id) } });
  }
  const act = useMutation({
    mutationFn: (action: Action) => perform(action, path, job.id),
    onSuccess: follow,
  });
  return (
    <Page
      title={`${job.name} · ${project.name_with_namespace}`}
      heading={job.name}
      wide
      actions={
        <>
          {view.level >= level.maintainer && ended(job) && job.erased_at === null ? (
            <EraseButton job={job} erased={(next) => cache.setQueryData(parts.job(job.id).queryKey, next)} />
          ) : null}
          {job.terminal && job.user?.id === session?.user?.id && view.level >= level.developer ? (
            <LinkButton
              size="xs"
              variant="default"
              to="/p/$path/jobs/$id/terminal"
              params={{ path: segment, id: String(job.id) }}
            >
              Open terminal
            </LinkButton>
          ) : null}
          {possible(job, view.level).map((action) =>
            action === 'play' ? (
              <PlayButton key={action} job={job} start={() => act.mutateAsync('play')} />
            ) : (
              <Button
                key={action}
                size="xs"
                variant="default"
                loading={act.isPending && act.variables === action}
                onClick={() => act.mutate(action)}
              >
                {words[action]}
              </Button>
            ),
          )}
          {possible(job, view.level).some((action) => action === 'play' || action === 'retry') ? (
            <StartForm job={job} started={follow} key={job.id} />
          ) : null}
        </>
      }
    >
      <FormError error={act.error} />
      <div className={classes.facts}>
        <StatusBadge status={job.status === 'failed' && job.allow_failure ? 'warning' : job.status} />
        <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(job.pipeline.id) }}>
          Pipeline #{job.pipeline.id}
        </Link>
        <RefLink name={job.ref} tag={job.tag} segment={segment} />
        <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: job.pipeline.sha }}>
          <code>{job.pipeline.sha.slice(0, 8)}</code>
        </Link>
        <UserChip user={job.user} />
        <span>
          created <TimeAgo at={job.created_at} />
        </span>
      </div>
      {job.status === 'failed' ? <FailureLine job={job} trace={trace} /> : null}
      {job.waiting ? (
        <Alert
          variant="light"
          mb="md"
          {...(job.stuck ? { color: 'yellow', title: 'No runner can take this job' } : {})}
        >
          {job.waiting.message}. {job.stuck ? <RunnersLink /> : null}
          {job.waiting.reason === 'approval' ? (
            <Link to="/p/$path/environments" params={{ path: segment }}>
              Open environments
            </Link>
          ) : null}
        </Alert>
      ) : null}
      {job.debug_trace ? (
        <Alert color="yellow" variant="light" mb="md" title="Debug logging is enabled">
          The log may contain secrets. Only users who can update this job can view its log and artifacts.
        </Alert>
      ) : null}
      {job.log_cut_at ? (
        <Alert color="yellow" variant="light" mb="md" title="The log is incomplete">
          The runner keeps {bytes(job.log_cut_at)} of a log (its output limit). The job went on, and its further output
          was dropped.
        </Alert>
      ) : null}
      <ErasedNote job={job} />
      <div className={classes.layout}>
        {trace === null || job.erased_at !== null ? (
          <div />
        ) : (
          <JobLog
            trace={trace}
            running={active}
            fileName={`${job.name.replace(/[^\w.-]+/g, '-')}-${job.id}.log`}
            raw={`/api/v4/projects/${project.id}/jobs/${job.id}/trace`}
            key={job.id}
          />
        )}
        <JobSide job={job} />
      </div>
    </Page>
  );
}
