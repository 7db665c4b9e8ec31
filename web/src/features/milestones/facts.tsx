/** What lists and pages of milestones tell of one: its days, and how far it is. */
import { counted } from '../../lib/counted.ts';
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

const words = (closed: number, total: number, one: string, many: string) =>
  total === 0 ? [] : [`${closed} of ${counted(total, one, many)}`];

/** Issues and merge requests here that are done, of all that are planned. */
export function Progress({ milestone }: { milestone: Milestone }) {
  const { issue_stats: issues, merge_request_stats: requests } = milestone;
  if (!issues || !requests) return <div className={classes.progress} />;
  const total = issues.total + requests.total;
  const closed = issues.closed + requests.closed;
  const parts = [
    ...words(issues.closed, issues.total, 'issue', 'issues'),
    ...words(requests.closed, requests.total, 'merge request', 'merge requests'),
  ];
  return (
    <div className={classes.progress}>
      {total > 0 ? (
        <div className={classes.bar} aria-hidden>
          <div className={classes.done} style={{ width: `${(closed / total) * 100}%` }} />
        </div>
      ) : null}
      <span>{total === 0 ? 'No issues or merge requests' : `${parts.join(', ')} closed`}</span>
    </div>
  );
}
