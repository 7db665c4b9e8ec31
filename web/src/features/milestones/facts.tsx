/** What lists and pages of milestones tell of one: its days, and how far it is. */
import { useQuery } from '@tanstack/react-query';
import { type Milestone, milestoneProgress } from '../../lib/planning.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './milestones.module.css';

const day = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

export function Days({ milestone }: { milestone: Milestone }) {
  const { start_date: start, due_date: due, expired, state } = milestone;
  return (
    <>
      {start ? <span>from {day(start)}</span> : null}
      {due ? (
        <span className={expired && state === 'active' ? classes.overdue : undefined}>
          {expired && state === 'active' ? 'was due' : 'due'} {day(due)}
        </span>
      ) : (
        <span>no due date</span>
      )}
    </>
  );
}

/** Merge requests of this project that are done, of all that are planned. */
export function Progress({ milestone }: { milestone: Milestone }) {
  const { path, project } = useProject();
  const enabled = project.merge_requests_enabled !== false;
  const { data } = useQuery({ ...milestoneProgress(path, milestone.title), enabled });
  if (!enabled || !data) return <div className={classes.progress} />;
  const done = data.all - data.open;
  return (
    <div className={classes.progress}>
      <div className={classes.bar} aria-hidden>
        <div className={classes.done} style={{ width: `${data.all === 0 ? 0 : (done / data.all) * 100}%` }} />
      </div>
      <span>
        {data.all === 0
          ? 'No merge requests'
          : `${done} of ${data.all} merge ${data.all === 1 ? 'request' : 'requests'}`}
      </span>
    </div>
  );
}
