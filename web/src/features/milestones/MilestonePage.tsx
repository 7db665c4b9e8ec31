/** One milestone of a project: what is planned for it, how far it is, and what can be done with it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, notFound, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type Milestone, milestoneAt, milestoneRequests } from '../../lib/planning.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Days, Progress } from './facts.tsx';
import { MilestoneForm } from './MilestoneForm.tsx';
import classes from './milestones.module.css';

function Requests({ milestone }: { milestone: Milestone }) {
  const { page = 1 } = useSearch({ from: '/p/$path/milestones/$iid' });
  const navigate = useNavigate({ from: '/p/$path/milestones/$iid' });
  const { path, segment } = useProject();
  const { data } = useSuspenseQuery(milestoneRequests(path, milestone.id, page));
  if (data.items.length === 0) return null;
  return (
    <>
      <h2 className={classes.heading}>Merge requests</h2>
      <DataList label="Merge requests">
        {data.items.map((request) => (
          <DataRow
            key={request.id}
            before={<StatusBadge status={request.state} compact />}
            title={
              <Link to="/p/$path/merge_requests/$iid" params={{ path: segment, iid: String(request.iid) }} data-entry>
                {request.title}
              </Link>
            }
            meta={
              <span>
                {request.reference} by {request.author.name}
              </span>
            }
            after={<TimeAgo at={request.updated_at} />}
          />
        ))}
      </DataList>
      <Pager page={page} nextPage={data.nextPage} go={(number) => void navigate({ search: { page: number } })} />
    </>
  );
}

export default function MilestonePage() {
  const { iid = '' } = useParams({ strict: false });
  const { project, path, segment, ...view } = useProject();
  const { data: milestone } = useSuspenseQuery(milestoneAt(path, Number(iid)));
  const [editing, setEditing] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  if (!milestone) throw notFound();
  const params = { path: { id: path, milestone_id: milestone.id } };
  const change = useMutation({
    mutationFn: (state_event: 'close' | 'activate') =>
      unwrap(client.PUT('/projects/{id}/milestones/{milestone_id}', { params, body: { state_event } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['project', path] }),
  });
  const remove = useMutation({
    mutationFn: () => unwrap(client.DELETE('/projects/{id}/milestones/{milestone_id}', { params })),
    async onSuccess() {
      await navigate({ to: '/p/$path/milestones', params: { path: segment } });
      await cache.invalidateQueries({ queryKey: ['project', path] });
    },
  });
  if (editing)
    return (
      <Page title={`Edit ${milestone.title} · ${project.name_with_namespace}`} heading="Edit milestone" narrow>
        <MilestoneForm milestone={milestone} key={milestone.updated_at} />
      </Page>
    );
  const active = milestone.state === 'active';
  return (
    <Page
      title={`${milestone.title} · ${project.name_with_namespace}`}
      heading={milestone.title}
      actions={
        view.level >= level.planner && !project.archived ? (
          <>
            <Button size="xs" variant="default" onClick={() => setEditing(true)}>
              Edit
            </Button>
            <Button size="xs" variant="default" onClick={() => change.mutate(active ? 'close' : 'activate')}>
              {active ? 'Close' : 'Reopen'}
            </Button>
            <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
              Delete
            </Button>
          </>
        ) : null
      }
    >
      <FormError error={change.error} />
      <div className={classes.facts}>
        <span>{active ? 'Open' : 'Closed'}</span>
        <Days milestone={milestone} />
        <Progress milestone={milestone} />
      </div>
      {milestone.description ? <MarkdownBody text={milestone.description} /> : null}
      {project.merge_requests_enabled === false ? null : <Requests milestone={milestone} />}
      <ConfirmName
        opened={leaving}
        title="Delete milestone"
        text="What it was planned for stays, without a milestone."
        name={milestone.title}
        action="Delete milestone"
        pending={remove.isPending}
        error={remove.error}
        close={() => setLeaving(false)}
        confirm={() => remove.mutate()}
      />
    </Page>
  );
}
