/** What lists and pages of milestones tell of one: its days, and how far it is. */
import type { Milestone } from '../../lib/planning.ts';
import { dayText } from '../../lib/time.ts';
import classes from './milestones.module.css';

export function Days({ milestone }: { milestone: Milestone }) {
  const { start_date: start, due_date: due, expired, state } = milestone;
  return (
    <>
      {start ? <span>Starts {dayText(start)}</span> : null}
      {due ? (
        <span className={expired && state === 'active' ? classes.overdue : undefined}>
          {expired && state === 'active' ? 'Overdue since' : 'Due'} {dayText(due)}
        </span>
      ) : (
        <span>No due date</span>
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
