/** Whether it can be merged, why not, and the merge itself with its choices. */
import { Button, Checkbox, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { bypassRequestedChanges, cancelAutoMerge } from '../../lib/reviews.ts';
import { FormError } from '../../ui/FormError.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { ContinueInIssue } from '../comments/ContinueInIssue.tsx';
import { activeStatuses } from '../pipelines/statuses.ts';
import { useProject } from '../projects/useProject.ts';
import { CheckRows } from '../status-checks/CheckRows.tsx';
import { ApprovalRow } from './ApprovalRow.tsx';
import { Conflicts } from './Conflicts.tsx';
import classes from './merge-requests.module.css';
import { reasonOf } from './reasons.ts';

// Most of it is for pipelines that left reports.
const ReportRows = lazy(async () => ({ default: (await import('./ReportRows.tsx')).ReportRows }));

const MergeMessage = lazy(() => import('./MergeMessage.tsx'));

type Request = Schemas['MergeRequestDetail'];

function PipelineRow({ request }: { request: Request }) {
  const { segment } = useProject();
  const pipeline = request.head_pipeline;
  if (!pipeline) return null;
  return (
    <div className={classes.part}>
      <StatusBadge status={pipeline.status} />
      <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }}>
        Pipeline #{pipeline.id}
      </Link>
      <code>{pipeline.sha.slice(0, 8)}</code>
    </div>
  );
}

function Settled({ request }: { request: Request }) {
  const { segment } = useProject();
  const merged = request.state === 'merged';
  const sha = request.merge_commit_sha ?? request.squash_commit_sha ?? request.sha;
  return (
    <div className={classes.part}>
      <StatusBadge status={request.state} />
      <UserChip user={merged ? request.merge_user : request.closed_by} />
      <TimeAgo at={merged ? request.merged_at : request.closed_at} />
      {merged && sha ? (
        <span>
          as{' '}
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha }}>
            <code>{sha.slice(0, 8)}</code>
          </Link>
        </span>
      ) : null}
    </div>
  );
}

function useMergeActions(request: Request) {
  const { path } = useProject();
  const cache = useQueryClient();
  const params = { path: { id: path, merge_request_iid: request.iid } };
  const settled = async () => {
    await Promise.all(
      [
        ['project', path, 'merge-request', request.iid],
        ['project', path, 'merge-requests'],
        ['project', path, 'branches'],
      ].map((queryKey) => cache.invalidateQueries({ queryKey })),
    );
  };
  return {
    merge: useMutation({
      mutationFn: (choice: { squash: boolean; remove: boolean; message: string; wait: boolean }) =>
        unwrap(
          client.PUT('/projects/{id}/merge_requests/{merge_request_iid}/merge', {
            params,
            body: {
              squash: choice.squash,
              should_remove_source_branch: choice.remove,
              ...(choice.message.trim() ? { merge_commit_message: choice.message } : {}),
              ...(request.sha ? { sha: request.sha } : {}),
              auto_merge: choice.wait,
            },
          }),
        ),
      onSettled: settled,
    }),
    rebase: useMutation({
      mutationFn: () =>
        unwrap(client.PUT('/projects/{id}/merge_requests/{merge_request_iid}/rebase', { params, body: {} })),
      onSettled: settled,
    }),
    bypass: useMutation({ mutationFn: () => bypassRequestedChanges(path, request.iid), onSettled: settled }),
    stopWaiting: useMutation({ mutationFn: () => cancelAutoMerge(path, request.iid), onSettled: settled }),
  };
}

export function MergeBox({ request }: { request: Request }) {
  const { project, segment } = useProject();
  const { merge, rebase, stopWaiting, bypass } = useMergeActions(request);
  const [squash, setSquash] = useState(request.squash || request.squash_on_merge);
  const [remove, setRemove] = useState(
    request.force_remove_source_branch ?? project.remove_source_branch_after_merge ?? true,
  );
  const [message, setMessage] = useState('');
  const [editing, setEditing] = useState(false);
  if (request.state === 'merged' || request.state === 'closed') {
    return (
      <section className={classes.box} aria-label="Merge">
        <PipelineRow request={request} />
        <Settled request={request} />
      </section>
    );
  }
  const reason = reasonOf(request.detailed_merge_status);
  const running = request.head_pipeline !== null && activeStatuses.has(request.head_pipeline.status);
  const wait = running && (reason.mergeable || reason.waits === true);
  const possible = request.user.can_merge && (reason.mergeable || wait) && !request.merge_when_pipeline_succeeds;
  // Whether they may push to the source branch is the server's to say.
  const rebasable = request.detailed_merge_status === 'need_rebase' && (request.user.can_merge || request.subscribed);
  const reports = request.counts?.reports ?? [];
  const Icon = reason.mergeable ? IconCircleCheck : reason.waits ? IconClock : IconCircleX;
  // The project merges in trains: whoever joins waits for those ahead.
  const trains = project.merge_trains_enabled === true && project.merge_pipelines_enabled === true;
  const go = (later: boolean) => merge.mutate({ squash, remove, message, wait: later });
  return (
    <section className={classes.box} aria-label="Merge">
      <PipelineRow request={request} />
      {reports.length === 0 ? null : (
        <Suspense fallback={null}>
          <ReportRows iid={request.iid} reports={reports} />
        </Suspense>
      )}
      <CheckRows request={request} className={classes.part} />
      <ApprovalRow request={request} />
      <div className={classes.part} data-tone={reason.mergeable ? 'ready' : 'blocked'}>
        <Icon size={20} aria-hidden />
        <div>
          <strong>
            {request.merge_when_pipeline_succeeds
              ? trains
                ? 'Set to auto-merge with the merge train'
                : 'Set to auto-merge when the pipeline passes'
              : reason.text}
          </strong>
          {request.merge_when_pipeline_succeeds && trains ? (
            <div>
              <Link
                to="/p/$path/merge_trains"
                params={{ path: segment }}
                search={{ target_branch: request.target_branch }}
              >
                View the merge train
              </Link>
            </div>
          ) : null}
          {reason.help ? <div className={classes.dim}>{reason.help}</div> : null}
          {request.detailed_merge_status === 'discussions_not_resolved' ? (
            <ContinueInIssue request={request.iid} />
          ) : null}
          {request.conflicts?.length ? (
            <>
              <Conflicts conflicts={request.conflicts} />
              <Link
                to="/p/$path/merge_requests/$iid/$tab"
                params={{ path: segment, iid: String(request.iid), tab: 'conflicts' }}
              >
                Resolve conflicts
              </Link>
            </>
          ) : null}
          {request.merge_error ? <div className={classes.dim}>{request.merge_error}</div> : null}
        </div>
        {request.merge_when_pipeline_succeeds ? (
          <Button size="xs" variant="default" loading={stopWaiting.isPending} onClick={() => stopWaiting.mutate()}>
            Cancel auto-merge
          </Button>
        ) : null}
        {request.detailed_merge_status === 'requested_changes' && request.user.can_merge ? (
          <Button size="xs" variant="default" loading={bypass.isPending} onClick={() => bypass.mutate()}>
            Bypass
          </Button>
        ) : null}
        {rebasable ? (
          <Button
            size="xs"
            variant="default"
            loading={rebase.isPending || request.rebase_in_progress === true}
            onClick={() => rebase.mutate()}
          >
            Rebase
          </Button>
        ) : null}
      </div>
      <FormError error={rebase.error ?? bypass.error} />
      {possible ? (
        <Stack gap="sm" className={classes.choices}>
          <FormError error={merge.error} />
          <Group gap="lg">
            <Checkbox
              label="Delete the source branch"
              checked={remove}
              onChange={(event) => setRemove(event.currentTarget.checked)}
            />
            {project.squash_option === 'never' ? null : (
              <Checkbox
                label="Squash commits"
                checked={squash}
                disabled={project.squash_option === 'always'}
                onChange={(event) => setSquash(event.currentTarget.checked)}
              />
            )}
            <UnstyledButton className={classes.more} aria-expanded={editing} onClick={() => setEditing(!editing)}>
              Edit commit message
            </UnstyledButton>
          </Group>
          {editing ? (
            <Suspense fallback={null}>
              <MergeMessage request={request} message={message} change={setMessage} />
            </Suspense>
          ) : null}
          <Group gap="sm">
            <Button loading={merge.isPending} onClick={() => go(wait || trains)}>
              {trains ? 'Add to merge train' : wait ? 'Set to auto-merge' : 'Merge'}
            </Button>
            {(wait || trains) && reason.mergeable ? (
              <Button variant="default" loading={merge.isPending} onClick={() => go(false)}>
                Merge now
              </Button>
            ) : null}
          </Group>
        </Stack>
      ) : null}
      {request.user.can_merge ? null : (
        <Text className={classes.part} c="var(--mr-dim)">
          Someone who may push to {request.target_branch} can merge this.
        </Text>
      )}
    </section>
  );
}
