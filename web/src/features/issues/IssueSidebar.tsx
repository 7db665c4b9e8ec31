/** Beside an issue: who works on it, what it is planned for, its time and notifications, edited in place. */
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { issueParticipants } from '../../lib/issue-relations.ts';
import { changeIssue, type Issue, setSubscribed } from '../../lib/issues.ts';
import { idsOf } from '../../lib/merge-request-people.ts';
import { healthNames, timeSpent } from '../../lib/planned.ts';
import { iterationName, labels as labelsOf } from '../../lib/planning.ts';
import { sessionQuery } from '../../lib/session.ts';
import { dayText } from '../../lib/time.ts';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { EditInPlace } from '../merge-requests/sidebar/EditInPlace.tsx';
import classes from '../merge-requests/sidebar/sidebar.module.css';
import { ProjectMilestoneLink } from '../milestones/MilestoneLink.tsx';
import type { Plan } from '../milestones/PlanFields.tsx';
import { useProject } from '../projects/useProject.ts';

// Fields that are shown when something is edited.
const PeoplePicker = lazy(async () => ({
  default: (await import('../merge-requests/sidebar/PeoplePicker.tsx')).PeoplePicker,
}));
const PlanFields = lazy(async () => ({ default: (await import('../milestones/PlanFields.tsx')).PlanFields }));

const none = <span className={classes.dim}>None</span>;

interface Props {
  readonly issue: Issue;
  readonly mayChange: boolean;
  again(): Promise<unknown>;
}

function Assignees({ issue, mayChange, again }: Props) {
  const { path } = useProject();
  const [chosen, setChosen] = useState<string[]>([]);
  return (
    <EditInPlace
      title="Assignees"
      begin={() => setChosen(issue.assignees.map(({ username }) => username))}
      fields={mayChange ? <PeoplePicker label="Assignees" value={chosen} change={setChosen} /> : null}
      save={async () => {
        await changeIssue(path, issue.iid, { assignee_ids: await idsOf(chosen) });
        await again();
      }}
    >
      <div className={classes.list}>
        {issue.assignees.length === 0 ? none : null}
        {issue.assignees.map((person) => (
          <UserChip key={person.id} user={person} />
        ))}
      </div>
    </EditInPlace>
  );
}

function Planned({ issue, mayChange, again }: Props) {
  const { path } = useProject();
  const { milestone } = issue;
  const { data: known = [] } = useQuery({ ...labelsOf(path, ''), enabled: issue.labels.length > 0 });
  const [plan, setPlan] = useState<Plan>({ labels: [], milestone: null });
  return (
    <EditInPlace
      title="Labels and milestone"
      begin={() => setPlan({ labels: issue.labels, milestone })}
      fields={mayChange ? <PlanFields plan={plan} change={setPlan} reason={() => undefined} /> : null}
      save={async () => {
        await changeIssue(path, issue.iid, { labels: [...plan.labels], milestone_id: plan.milestone?.id ?? 0 });
        await again();
      }}
    >
      <div className={classes.list}>
        {issue.labels.length === 0 && !milestone ? none : null}
        {issue.labels.map((title) => {
          const label = known.find(({ name }) => name === title);
          return label ? <LabelChip key={title} label={label} /> : <span key={title}>{title}</span>;
        })}
        {milestone ? <ProjectMilestoneLink milestone={milestone} /> : null}
      </div>
    </EditInPlace>
  );
}

/** What the issue belongs to above: chosen in the form of the issue. */
function Above({ issue }: { issue: Issue }) {
  return (
    <EditInPlace title="Epic and iteration">
      <div className={classes.list}>
        {issue.epic || issue.iteration ? null : none}
        {issue.epic ? <a href={issue.epic.url}>Epic {issue.epic.title}</a> : null}
        {issue.iteration ? <span>Iteration {iterationName(issue.iteration)}</span> : null}
      </div>
    </EditInPlace>
  );
}

function Effort({ issue, mayChange, again }: Props) {
  const { path } = useProject();
  const [weight, setWeight] = useState('');
  const [due, setDue] = useState('');
  return (
    <EditInPlace
      title="Weight and due date"
      begin={() => {
        setWeight(String(issue.weight ?? ''));
        setDue(issue.due_date ?? '');
      }}
      fields={
        mayChange ? (
          <>
            <TextInput
              type="number"
              min={0}
              label="Weight"
              value={weight}
              onChange={(event) => setWeight(event.currentTarget.value)}
            />
            <TextInput
              type="date"
              label="Due date"
              value={due}
              onChange={(event) => setDue(event.currentTarget.value)}
            />
          </>
        ) : null
      }
      save={async () => {
        await changeIssue(path, issue.iid, { weight: weight === '' ? null : Number(weight), due_date: due });
        await again();
      }}
    >
      <div className={classes.list}>
        {issue.weight === null && !issue.due_date ? none : null}
        {issue.weight === null ? null : <span>Weight {issue.weight}</span>}
        {issue.due_date ? <span>Due {dayText(issue.due_date)}</span> : null}
      </div>
    </EditInPlace>
  );
}

function Participants({ issue }: { issue: Issue }) {
  const { path } = useProject();
  const { data: people = [], isSuccess } = useQuery(issueParticipants(path, issue.iid));
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

export function IssueSidebar(props: Props) {
  const { issue, again } = props;
  const { path } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const times = timeSpent(issue.time_stats);
  const subscribing = useMutation({
    mutationFn: (wanted: boolean) => setSubscribed(path, issue.iid, wanted),
    onSettled: again,
  });
  return (
    <aside aria-label="Details">
      <Assignees {...props} />
      <Planned {...props} />
      <Above issue={issue} />
      <Effort {...props} />
      {issue.health_status ? <EditInPlace title="Health status">{healthNames[issue.health_status]}</EditInPlace> : null}
      {times ? <EditInPlace title="Time tracking">{times}</EditInPlace> : null}
      {session?.user ? (
        <section className={classes.part} aria-label="Notifications">
          <Checkbox
            label="Notifications"
            checked={issue.subscribed}
            disabled={subscribing.isPending}
            onChange={(event) => subscribing.mutate(event.currentTarget.checked)}
          />
        </section>
      ) : null}
      <Participants issue={issue} />
    </aside>
  );
}
