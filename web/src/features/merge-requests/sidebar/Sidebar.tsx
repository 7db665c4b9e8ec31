/** The sidebar of a merge request: people, labels, milestone, time and notifications, edited in place. */
import { Anchor, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { counted } from '../../../lib/counted.ts';
import {
  addSpent,
  changeMergeRequest,
  idsOf,
  participantsOf,
  setEstimate,
  setSubscribed,
} from '../../../lib/merge-request-people.ts';
import { labels } from '../../../lib/planning.ts';
import { requestAgain, reviewerStates, reviewersOf } from '../../../lib/reviews.ts';
import { sessionQuery } from '../../../lib/session.ts';
import { LabelChip } from '../../../ui/LabelChip.tsx';
import { UserChip } from '../../../ui/UserChip.tsx';
import { ProjectMilestoneLink } from '../../milestones/MilestoneLink.tsx';
import type { Plan } from '../../milestones/PlanFields.tsx';
import { level, useProject } from '../../projects/useProject.ts';
import { EditInPlace } from './EditInPlace.tsx';
import classes from './sidebar.module.css';

// Fields that are shown when something is edited.
const PeoplePicker = lazy(async () => ({ default: (await import('./PeoplePicker.tsx')).PeoplePicker }));
const PlanFields = lazy(async () => ({ default: (await import('../../milestones/PlanFields.tsx')).PlanFields }));

type Request = Schemas['MergeRequestDetail'];
const none = <span className={classes.dim}>None</span>;

interface PartProps {
  readonly request: Request;
  readonly mayChange: boolean;
  again(): Promise<unknown>;
}

interface PeopleProps extends PartProps {
  readonly kind: 'assignees' | 'reviewers';
  /** Whether reviewers may be asked once more. */
  readonly mayAsk?: boolean;
}

function People({ request, mayChange, mayAsk = false, again, kind }: PeopleProps) {
  const { path } = useProject();
  const people = request[kind];
  const reviewing = kind === 'reviewers';
  const { data: reviews = [] } = useQuery({
    ...reviewersOf(path, request.iid),
    enabled: reviewing && people.length > 0,
  });
  const [chosen, setChosen] = useState<string[]>([]);
  const asking = useMutation({
    mutationFn: (username: string) => requestAgain(path, request.iid, username),
    onSettled: again,
  });
  const title = reviewing ? 'Reviewers' : 'Assignees';
  return (
    <EditInPlace
      title={title}
      begin={() => setChosen(people.map(({ username }) => username))}
      fields={mayChange ? <PeoplePicker label={title} value={chosen} change={setChosen} /> : null}
      save={async () => {
        const ids = await idsOf(chosen);
        await changeMergeRequest(path, request.iid, reviewing ? { reviewer_ids: ids } : { assignee_ids: ids });
        await again();
      }}
    >
      {people.length === 0 ? none : null}
      {asking.error ? <p role="alert">{asking.error.message}</p> : null}
      {people.map((person) => {
        const state = reviews.find(({ user }) => user.id === person.id)?.state;
        return (
          <div key={person.id} className={classes.list}>
            <UserChip user={person} />
            {state ? <span className={classes.dim}>{reviewerStates[state]}</span> : null}
            {mayAsk && state && state !== 'unreviewed' ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                aria-label={`Ask ${person.name} for another review`}
                disabled={asking.isPending}
                onClick={() => asking.mutate(person.username)}
              >
                Ask again
              </Anchor>
            ) : null}
          </div>
        );
      })}
    </EditInPlace>
  );
}

function Planned({ request, mayChange, again }: PartProps) {
  const { path } = useProject();
  const { milestone } = request;
  const { data: known = [] } = useQuery({ ...labels(path, ''), enabled: request.labels.length > 0 });
  const [plan, setPlan] = useState<Plan>({ labels: [], milestone: null });
  return (
    <EditInPlace
      title="Labels and milestone"
      begin={() => setPlan({ labels: request.labels, milestone })}
      fields={mayChange ? <PlanFields plan={plan} change={setPlan} reason={() => undefined} /> : null}
      save={async () => {
        const values = { labels: [...plan.labels], milestone_id: plan.milestone?.id ?? 0 };
        await changeMergeRequest(path, request.iid, values);
        await again();
      }}
    >
      <div className={classes.list}>
        {request.labels.length === 0 && !milestone ? none : null}
        {request.labels.map((title) => {
          const label = known.find(({ name }) => name === title);
          return label ? <LabelChip key={title} label={label} /> : <span key={title}>{title}</span>;
        })}
        {milestone ? <ProjectMilestoneLink milestone={milestone} /> : null}
      </div>
    </EditInPlace>
  );
}

function Time({ request, mayChange, again }: PartProps) {
  const { path } = useProject();
  const { human_time_estimate: estimate, human_total_time_spent: spent } = request.time_stats;
  const [estimated, setEstimated] = useState('');
  const [added, setAdded] = useState('');
  return (
    <EditInPlace
      title="Time tracking"
      begin={() => {
        setEstimated(estimate ?? '');
        setAdded('');
      }}
      fields={
        mayChange ? (
          <>
            <TextInput
              label="Estimate"
              placeholder="1h 30m"
              value={estimated}
              onChange={(event) => setEstimated(event.currentTarget.value)}
            />
            <TextInput
              label="Add time spent"
              placeholder="30m"
              value={added}
              onChange={(event) => setAdded(event.currentTarget.value)}
            />
          </>
        ) : null
      }
      save={async () => {
        if (estimated.trim() !== (estimate ?? '')) await setEstimate(path, request.iid, estimated);
        if (added.trim() !== '') await addSpent(path, request.iid, added);
        await again();
      }}
    >
      {estimate || spent ? `${spent ?? '0h'} spent${estimate ? ` of ${estimate}` : ''}` : none}
    </EditInPlace>
  );
}

function Participants({ request }: { request: Request }) {
  const { path } = useProject();
  const { data: people = [], isSuccess } = useQuery(participantsOf(path, request.iid));
  return (
    <EditInPlace title={isSuccess ? counted(people.length, 'participant', 'participants') : 'Participants'}>
      <div className={classes.list}>
        {people.map((person) => (
          <UserChip key={person.id} user={person} />
        ))}
      </div>
    </EditInPlace>
  );
}

export function Sidebar({ request }: { request: Request }) {
  const { path, level: own } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] });
  const isAuthor = session?.user?.id === request.author.id;
  const subscribing = useMutation({
    mutationFn: (wanted: boolean) => setSubscribed(path, request.iid, wanted),
    onSettled: again,
  });
  const props = { request, again };
  const mayChange = own >= level.developer || isAuthor;
  return (
    <aside aria-label="Details">
      <People {...props} kind="assignees" mayChange={mayChange} />
      <People
        {...props}
        kind="reviewers"
        mayChange={mayChange}
        mayAsk={own >= level.developer && request.state === 'opened'}
      />
      <Planned {...props} mayChange={own >= level.planner} />
      <Time {...props} mayChange={own >= level.planner} />
      {session?.user ? (
        <section className={classes.part} aria-label="Notifications">
          <Checkbox
            label="Notifications"
            checked={request.subscribed}
            disabled={subscribing.isPending}
            onChange={(event) => subscribing.mutate(event.currentTarget.checked)}
          />
        </section>
      ) : null}
      <Participants request={request} />
    </aside>
  );
}
