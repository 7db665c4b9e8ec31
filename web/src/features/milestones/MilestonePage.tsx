/** One milestone of a project or group: what is planned for it, how far it is, and what can be done with it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { missing } from '../../lib/api.ts';
import type { Milestone } from '../../lib/planning.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { BurnCharts } from '../charts/BurnCharts.tsx';
import { IssueRow } from '../issues/IssueRow.tsx';
import { MergeRequestRow } from '../merge-requests/MergeRequestRow.tsx';
import { Days, Progress } from './facts.tsx';
import { listTarget, oneTarget } from './MilestoneLink.tsx';
import classes from './milestones.module.css';
import { type MilestonesInView, useGroupMilestones, useProjectMilestones } from './useMilestones.ts';

const MilestoneForm = lazy(async () => ({ default: (await import('./MilestoneForm.tsx')).MilestoneForm }));

function Issues({ of, milestone }: { of: MilestonesInView; milestone: Milestone }) {
  const { data } = useQuery(of.milestones.issues(milestone.id));
  if (!data) return null;
  return (
    <>
      <h2 className={classes.heading}>Issues</h2>
      {data.items.length === 0 ? (
        <p className={classes.nothing}>No issues are assigned to this milestone yet.</p>
      ) : (
        <DataList label="Issues">
          {data.items.map((issue) => (
            <IssueRow key={issue.id} issue={issue} full={of.kind === 'group'} />
          ))}
        </DataList>
      )}
      {data.nextPage ? (
        <p className={classes.nothing}>
          These are the first {data.items.length}.{' '}
          <Link
            to={of.kind === 'project' ? '/p/$path/issues' : '/g/$path/issues'}
            params={{ path: of.segment }}
            search={{ milestone: milestone.title, state: 'all' }}
          >
            All issues
          </Link>
        </p>
      ) : null}
    </>
  );
}

function Requests({ of, milestone, page }: { of: MilestonesInView; milestone: Milestone; page: number }) {
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(of.milestones.requests(milestone.id, page));
  return (
    <>
      <h2 className={classes.heading}>Merge requests</h2>
      {data.items.length === 0 ? (
        <p className={classes.nothing}>
          {page > 1 ? 'None on this page.' : 'No merge requests are assigned to this milestone yet.'}
        </p>
      ) : (
        <DataList label="Merge requests">
          {data.items.map((request) => (
            <MergeRequestRow key={request.id} request={request} full={of.kind === 'group'} />
          ))}
        </DataList>
      )}
      <Pager
        page={page}
        nextPage={data.nextPage}
        go={(number) => void navigate({ ...oneTarget(of, milestone.iid), search: { page: number } })}
      />
    </>
  );
}

function MilestoneView({ of, page }: { of: MilestonesInView; page: number }) {
  const { iid = '' } = useParams({ strict: false });
  const { data: milestone } = useSuspenseQuery(of.milestones.at(Number(iid)));
  const [editing, setEditing] = useState(false);
  const edit = useReturnedFocus(editing);
  const [leaving, setLeaving] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  if (!milestone) throw missing();
  const change = useMutation({
    mutationFn: (state_event: 'close' | 'activate') => of.milestones.change(milestone.id, { state_event }),
    onSuccess: () => cache.invalidateQueries({ queryKey: of.milestones.key }),
  });
  const remove = useMutation({
    mutationFn: () => of.milestones.remove(milestone.id),
    async onSuccess() {
      await navigate(listTarget(of));
      await cache.invalidateQueries({ queryKey: of.milestones.key });
    },
  });
  if (editing)
    return (
      <Page title={`Edit ${milestone.title} · ${of.name}`} heading="Edit milestone" narrow>
        <Suspense fallback={null}>
          <MilestoneForm of={of} milestone={milestone} leave={() => setEditing(false)} />
        </Suspense>
      </Page>
    );
  const active = milestone.state === 'active';
  return (
    <Page
      title={`${milestone.title} · ${of.name}`}
      heading={milestone.title}
      actions={
        of.writes ? (
          <>
            <Button ref={edit} size="xs" variant="default" onClick={() => setEditing(true)}>
              Edit
            </Button>
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate(active ? 'close' : 'activate')}
            >
              {active ? 'Close' : 'Reopen'}
            </Button>
            {of.removes ? (
              <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
                Delete
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      <FormError error={change.error} />
      <div className={classes.facts}>
        <StatusBadge status={issueStatus(active ? 'opened' : 'closed')} />
        <Days milestone={milestone} />
        <Progress milestone={milestone} />
      </div>
      {milestone.description_html ? (
        <MarkdownBody
          html={milestone.description_html}
          of={of}
          tasks={
            of.writes
              ? {
                  text: milestone.description ?? '',
                  update: async (update_task) => {
                    await of.milestones
                      .change(milestone.id, { update_task })
                      .finally(() => cache.invalidateQueries({ queryKey: of.milestones.key }));
                  },
                }
              : undefined
          }
        />
      ) : null}
      <BurnCharts place={of.kind} path={of.path} kind="milestone" id={milestone.id} />
      <Issues of={of} milestone={milestone} />
      {of.plans ? <Requests of={of} milestone={milestone} page={page} /> : null}
      <ConfirmName
        opened={leaving}
        title="Delete milestone"
        text="Its issues and merge requests are kept, without a milestone."
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

export function ProjectMilestone() {
  const { page = 1 } = useSearch({ from: '/p/$path/milestones/$iid' });
  return <MilestoneView of={useProjectMilestones()} page={page} />;
}

export function GroupMilestone() {
  const { page = 1 } = useSearch({ from: '/g/$path/milestones/$iid' });
  return <MilestoneView of={useGroupMilestones()} page={page} />;
}
