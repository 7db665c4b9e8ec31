/** What an issue is given, what is checked of it, and the facts that tell of a change. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { issueFacts, publish, recordFact } from '../../../kernel/events/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { namesNothing } from '../../../kernel/markdown/index.ts';
import type { IssueValues } from './issues.queries.ts';
import type { LabelChange, PlanWishes } from './planning.ts';

export interface GivenIssue extends PlanWishes {
  readonly description?: string | null | undefined;
  readonly assignee_id?: number | null | undefined;
  readonly assignee_ids?: readonly number[] | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly due_date?: string | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussion_locked?: boolean | null | undefined;
  readonly issue_type?: Issue['type'] | undefined;
  readonly weight?: number | null | undefined;
  readonly health_status?: Issue['health_status'] | undefined;
  readonly severity?: Issue['severity'] | undefined;
}

export interface NewIssue extends GivenIssue {
  readonly title: string;
  readonly created_at?: Date | undefined;
  readonly iid?: number | undefined;
  /** Of the request that creates it. */
  readonly userAgent?: string | undefined;
  readonly address?: string | undefined;
}

/** A column, or people or labels, as it was and is. */
export interface Change {
  readonly previous: unknown;
  readonly current: unknown;
}
export type IssueChanges = Readonly<Record<string, Change>> & { readonly labels?: LabelChange };

export type IssueEvent = keyof typeof issueFacts;

/** Records what happened, and tells open pages of it. */
export async function tellIssue(
  tx: Db,
  event: IssueEvent,
  issue: Issue,
  actorId: number | null,
  changes?: IssueChanges,
): Promise<void> {
  const { id, iid, title, project_id } = issue;
  const about = { issue_id: id, iid, title };
  const plain = event === 'opened' && namesNothing(`${title}\n\n${issue.description ?? ''}`);
  const payload = { ...about, ...(changes ? { changes } : {}), ...(plain ? { names_nothing: true } : {}) };
  await recordFact(tx, issueFacts[event], payload, { project_id, actor_id: actorId });
  // Nobody has the page of a new issue open.
  await publish(tx, ...(event === 'opened' ? [] : [`issue:${id}`]), `project:${project_id}:issues`);
}

/** Whether a new issue is no more than its own columns, labels and people: with no plans, and with the next number. */
export const isPlain = (given: Omit<NewIssue, 'title'>): boolean =>
  [
    given.milestone_id,
    given.epic_id,
    given.epic_iid,
    given.iteration_id,
    given.weight,
    given.created_at,
    given.iid,
  ].every((value) => value === undefined);

/** The title as it is kept; refused where it is none. */
export function checkedTitle(given: string): string {
  const title = given.trim();
  if (title === '') throw invalidRecord({ title: ["can't be blank"] });
  if (title.length > 255) throw invalidRecord({ title: ['is too long (maximum is 255 characters)'] });
  return title;
}

export function checkDates({ start_date, due_date }: Pick<Issue, 'start_date' | 'due_date'>): void {
  if (start_date && due_date && due_date < start_date)
    throw invalidRecord({ due_date: ['must be greater than or equal to start date'] });
}

/** Who is to be assigned; undefined where nobody said. */
export function assigneesOf({ assignee_ids, assignee_id }: GivenIssue): number[] | undefined {
  const ids =
    assignee_ids === undefined ? (assignee_id === undefined ? undefined : [assignee_id]) : (assignee_ids ?? []);
  return ids?.flatMap((id) => (id === null || id === 0 ? [] : [id]));
}

/** Columns that need no more than their value. */
export const valuesOf = (given: GivenIssue): IssueValues =>
  Object.fromEntries(
    (['start_date', 'due_date', 'discussion_locked', 'weight', 'health_status', 'severity'] as const)
      .filter((column) => given[column] !== undefined)
      .map((column) => [column, given[column]]),
  );
