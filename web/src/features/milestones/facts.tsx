/** What lists and pages of milestones tell of one: its days, and how far it is. */
import type { Milestone } from '../../lib/planning.ts';
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

/** Merge requests here that are done, of all that are planned; nothing where there are none to be planned. */
export function Progress({ milestone, plans }: { milestone: Milestone; plans: boolean }) {
  const { merge_request_stats: stats } = milestone;
  if (!plans || !stats) return <div className={classes.progress} />;
  const { total, closed } = stats;
  return (
    <div className={classes.progress}>
      {total > 0 ? (
        <div className={classes.bar} aria-hidden>
          <div className={classes.done} style={{ width: `${(closed / total) * 100}%` }} />
        </div>
      ) : null}
      <span>
        {total === 0 ? 'No merge requests' : `${closed} of ${total} merge ${total === 1 ? 'request' : 'requests'}`}
      </span>
    </div>
  );
}
