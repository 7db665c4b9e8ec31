/** Changing an issue: its texts and state by whoever wrote it or is to do it, all else by whoever plans. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { type StateCause, type TaskChange, withTask } from '../../collaboration/index.ts';
import { peopleWhoRead } from './access.ts';
import {
  assigneesOf,
  type Change,
  checkDates,
  checkedTitle,
  type GivenIssue,
  type IssueChanges,
  tellIssue,
  valuesOf,
} from './changes.ts';
import { writeHistory } from './history.ts';
import * as queries from './issues.queries.ts';
import { relabel, wishedEpic, wishedIteration, wishedMilestone } from './planning.ts';

export interface IssueUpdate extends GivenIssue {
  readonly title?: string | undefined;
  /** One check box of the description. */
  readonly update_task?: TaskChange | undefined;
  readonly state_event?: 'close' | 'reopen' | undefined;
  readonly updated_at?: Date | undefined;
}

/** Where an issue went that is closed because it goes on elsewhere. */
export type Successor = Partial<Pick<Issue, 'moved_to_id' | 'duplicated_to_id' | 'promoted_to_epic_id'>>;

export interface UpdateContext {
  readonly successor?: Successor;
  /** Whoever takes an issue out of an epic: of two one does. */
  readonly leaves?: number;
  /** What closes it. */
  readonly cause?: StateCause;
}

const compared = [
  ...([
    'title',
    'description',
    'state',
    'type',
    'severity',
    'health_status',
    'confidential',
    'discussion_locked',
  ] as const),
  ...(['milestone_id', 'iteration_id', 'epic_id', 'weight', 'start_date', 'due_date', 'closed_at'] as const),
  ...(['time_estimate', 'time_spent', 'moved_to_id', 'duplicated_to_id', 'relative_position', 'updated_at'] as const),
];

/** The text of a date alone ends at its seconds. */
const exact = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

/** Columns that differ, as they were and are. */
const differences = (before: Issue, after: Issue): Record<string, Change> =>
  Object.fromEntries(
    compared
      .filter((column) => exact(before[column]) !== exact(after[column]))
      .map((column) => [column, { previous: before[column], current: after[column] }]),
  );

const sameList = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id, at) => id === other[at]);

/** The state that is wished for, with its columns; nothing where it stays. Who may only comment as a member cannot reopen. */
function stateValues(row: Issue, event: IssueUpdate['state_event'], caller: Caller, at: Date): queries.IssueValues {
  if (event === 'close' && row.state === 'opened')
    return { state: 'closed', closed_at: at, closed_by_id: caller.user?.id ?? null };
  if (event === 'reopen' && row.state === 'closed' && !row.discussion_locked)
    return { state: 'opened', closed_at: null, closed_by_id: null, duplicated_to_id: null };
  return {};
}

/** Applies a change and tells it; `issue.closed` and `issue.reopened` where the state moved, else `issue.updated`. */
export async function updateIssue(
  db: Db,
  subject: ProjectSubject,
  caller: Caller,
  issue: Issue,
  given: IssueUpdate,
  { successor = {}, leaves, cause }: UpdateContext = {},
): Promise<Issue> {
  const plans = canOnProject(caller, 'update_issue', subject);
  const plan: GivenIssue = plans ? given : {};
  const title = given.title === undefined ? undefined : checkedTitle(given.title);
  const at = canOnProject(caller, 'set_issue_created_at', subject) ? given.updated_at : undefined;
  return await transaction(db, async (tx) => {
    const row = await queries.lockIssue(tx, issue.id);
    if (!row) throw recordNotFound();
    if (leaves !== undefined && row.epic_id !== leaves) throw notFound('EpicIssue');
    const milestone = await wishedMilestone(tx, subject, plan);
    const epic = await wishedEpic(tx, subject, caller, plan);
    const iteration = await wishedIteration(tx, subject, plan);
    const description = given.update_task ? withTask(row.description, given.update_task) : given.description;
    const edited =
      (title !== undefined && title !== row.title) || (description !== undefined && description !== row.description);
    const values: queries.IssueValues = {
      ...valuesOf(plan),
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(edited ? { last_edited_at: new Date(), last_edited_by_id: caller.user?.id ?? null } : {}),
      ...(plan.confidential === undefined ? {} : { confidential: plan.confidential }),
      ...(plan.issue_type === undefined ? {} : { type: plan.issue_type }),
      ...(milestone === undefined ? {} : { milestone_id: milestone }),
      ...(epic === undefined ? {} : { epic_id: epic }),
      ...(iteration === undefined ? {} : { iteration_id: iteration }),
      ...stateValues(row, given.state_event, caller, at ?? new Date()),
      ...successor,
      ...(at ? { updated_at: at } : {}),
    };
    checkDates({ ...row, ...values });
    const labels = await relabel(tx, subject, caller, row.id, plan);
    const assignees = await reassign(tx, subject, caller, row.id, assigneesOf(plan));
    const changed = await queries.updateIssue(tx, row.id, values);
    await queries.countOpen(tx, row, changed);
    const changes: IssueChanges = {
      ...differences(row, changed),
      ...(assignees ? { assignees } : {}),
      ...(labels ? { labels } : {}),
    };
    const event = changed.state === row.state ? 'updated' : changed.state === 'closed' ? 'closed' : 'reopened';
    await writeHistory(tx, row, changed, caller.user?.id ?? null, changes, { at, cause });
    await tellIssue(tx, event, changed, caller.user?.id ?? null, changes);
    return changed;
  });
}

/** Gives the issue to others; null where it stays with whom it is. */
async function reassign(
  tx: Db,
  subject: ProjectSubject,
  caller: Caller,
  id: number,
  wished: readonly number[] | undefined,
): Promise<Change | null> {
  if (!wished) return null;
  const previous = await queries.assigneeIds(tx, id);
  const current = (await peopleWhoRead(tx, subject, wished, caller)).map((user) => user.id);
  if (sameList(previous, current)) return null;
  await queries.setAssignees(tx, id, current);
  return { previous, current };
}
