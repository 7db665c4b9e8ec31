/** Burnup and burndown: what was planned for a milestone or iteration and done at the end of each day, from recorded events. */

const millisecondsPerDay = 86_400_000;
/** Of longer spans every nth day is reported. */
const mostDays = 500;

/** An issue that is or was planned for the milestone or iteration. */
export interface ReportedIssue {
  readonly id: number;
  readonly created_at: Date;
  readonly state: 'opened' | 'closed';
  readonly closed_at: Date | null;
  readonly weight: number | null;
  /** Whether it is planned for it now. */
  readonly planned: boolean;
  /** Moved to another project or promoted to an epic: it goes on there, and nothing of it was completed here. */
  readonly continued: boolean;
}

export interface ReportedEvent {
  readonly issue_id: number;
  readonly created_at: Date;
  readonly kind: 'plan' | 'state' | 'weight';
  /** Of a plan: whether the issue was added to this milestone or iteration, or left it. */
  readonly added: boolean | null;
  readonly state: string | null;
  readonly weight: number | null;
}

export interface Amount {
  readonly count: number;
  readonly weight: number;
}

export interface ReportedDay {
  readonly date: string;
  readonly scope: Amount;
  readonly completed: Amount;
}

interface Standing {
  readonly planned: boolean;
  readonly closed: boolean;
  readonly weight: number;
}
interface Step extends Standing {
  readonly at: number;
}

/** An issue from its creation on. Imported ones have no events of what they came with: they had it from the beginning. */
function stepsOf(issue: ReportedIssue, events: readonly ReportedEvent[]): Step[] {
  const plans = events.filter(({ kind }) => kind === 'plan');
  const states = events.filter(({ kind }) => kind === 'state');
  const lastClosed = states.findLast(({ state }) => state === 'closed');
  let standing: Standing = {
    planned: plans.length === 0 ? issue.planned : plans[0]?.added === false,
    closed: states[0]?.state === 'reopened',
    weight: events.some(({ kind }) => kind === 'weight') ? 0 : (issue.weight ?? 0),
  };
  const continued = issue.continued && issue.state === 'closed';
  const steps: Step[] = [{ ...standing, at: issue.created_at.getTime() }];
  for (const event of events) {
    if (event.kind === 'plan') standing = { ...standing, planned: event.added === true };
    else if (event.kind === 'weight') standing = { ...standing, weight: event.weight ?? 0 };
    else standing = { ...standing, closed: event.state === 'closed' };
    if (continued && event === lastClosed) standing = { ...standing, planned: false };
    steps.push({ ...standing, at: event.created_at.getTime() });
  }
  if (!lastClosed && issue.state === 'closed' && issue.closed_at)
    steps.push({ ...standing, closed: true, planned: standing.planned && !continued, at: issue.closed_at.getTime() });
  return steps.sort((a, b) => a.at - b.at);
}

const none = { count: 0, weight: 0 };
const plus = (one: Amount, other: Amount, sign: 1 | -1): Amount => ({
  count: one.count + sign * other.count,
  weight: one.weight + sign * other.weight,
});
const amounts = ({ planned, closed, weight }: Standing) => {
  const scope = planned ? { count: 1, weight } : none;
  return { scope, completed: closed ? scope : none };
};

/** The days that are reported: from the first on, at most to the last, and none that has not begun. */
export function reportedDays(first: string, last: string, today: string): string[] {
  const end = last < today ? last : today;
  const length = Math.floor((Date.parse(end) - Date.parse(first)) / millisecondsPerDay) + 1;
  if (length < 1) return [];
  const nth = Math.ceil(length / mostDays);
  const offsets = Array.from({ length: Math.ceil(length / nth) }, (_, at) => length - 1 - at * nth).reverse();
  return offsets.map((offset) => new Date(Date.parse(first) + offset * millisecondsPerDay).toISOString().slice(0, 10));
}

/** What was planned and completed at the end of each of the days, which are those of UTC and in order. */
export function reportOf(
  issues: readonly ReportedIssue[],
  events: readonly ReportedEvent[],
  days: readonly string[],
): ReportedDay[] {
  const byIssue = Map.groupBy(events, ({ issue_id }) => issue_id);
  const ends = days.map((day) => Date.parse(day) + millisecondsPerDay);
  const changes = days.map(() => ({ scope: none, completed: none }));
  for (const issue of issues) {
    let before: { readonly scope: Amount; readonly completed: Amount } = { scope: none, completed: none };
    let day = 0;
    for (const step of stepsOf(issue, byIssue.get(issue.id) ?? [])) {
      while (day < ends.length && step.at >= (ends[day] ?? 0)) day++;
      const change = changes[day];
      if (!change) break;
      const after = amounts(step);
      changes[day] = {
        scope: plus(plus(change.scope, after.scope, 1), before.scope, -1),
        completed: plus(plus(change.completed, after.completed, 1), before.completed, -1),
      };
      before = after;
    }
  }
  let scope: Amount = none;
  let completed: Amount = none;
  return days.map((date, at) => {
    scope = plus(scope, changes[at]?.scope ?? none, 1);
    completed = plus(completed, changes[at]?.completed ?? none, 1);
    return { date, scope, completed };
  });
}
