/** What is written under an issue when somebody changes it, in the words that the field knows. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue, Label, User } from '../../../kernel/db/rows.ts';
import {
  changedTask,
  createTodos,
  recordFirstLabels,
  recordIteration,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
  resolveTodos,
  type StateCause,
} from '../../collaboration/index.ts';
import { ofProject, type SystemNoteAction, systemNote } from '../../collaboration/notes/index.ts';
import { findReferences } from '../../identity/index.ts';
import { healthText } from '../health.ts';
import type { IssueChanges } from './changes.ts';
import type { LabelChange } from './planning.ts';

type Line = readonly [action: SystemNoteAction, text: string];

const severityNames: Readonly<Record<Issue['severity'], string>> = {
  unknown: 'Unknown',
  low: 'Low - S4',
  medium: 'Medium - S3',
  high: 'High - S2',
  critical: 'Critical - S1',
};

/** `January 02, 2030` */
const longDay = (day: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', day: '2-digit', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** What changed of both days is one note. */
function dayLine(before: Issue, after: Issue): Line[] {
  const texts = (['start_date', 'due_date'] as const).flatMap((column) => {
    const [old, day, name] = [before[column], after[column], column.replace('_', ' ')];
    if (old === day) return [];
    return [day === null ? `removed ${name} ${longDay(old ?? '')}` : `changed ${name} to ${longDay(day)}`];
  });
  return texts.length === 0 ? [] : [['start_date_or_due_date', texts.join(' and ')]];
}

function healthLine(before: Issue, after: Issue): Line[] {
  const text = healthText(before.health_status, after.health_status);
  return text === null ? [] : [['health_status', text]];
}

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

async function assigneeLine(db: Db, { assignees }: IssueChanges): Promise<Line[]> {
  if (!assignees) return [];
  const [before, after] = [assignees.previous as readonly number[], assignees.current as readonly number[]];
  const people = await findReferences(db, [...before, ...after]);
  const names = (ids: readonly number[]) =>
    listed(ids.flatMap((id) => (people.get(id) ? [`@${people.get(id)?.username}`] : [])));
  const added = names(after.filter((id) => !before.includes(id)));
  const removed = names(before.filter((id) => !after.includes(id)));
  const parts = [...(added ? [`assigned to ${added}`] : []), ...(removed ? [`unassigned ${removed}`] : [])];
  return parts.length === 0 ? [] : [['assignee', parts.join(' and ')]];
}

function lines(before: Issue, after: Issue): Line[] {
  const found: Line[] = [];
  if (before.title !== after.title)
    found.push(['title', `changed title from **${before.title}** to **${after.title}**`]);
  if (before.description !== after.description) {
    const task = changedTask(before.description, after.description);
    found.push(
      task
        ? ['task', `marked the checklist item **${task.text}** as ${task.checked ? 'completed' : 'incomplete'}`]
        : ['description', 'changed the description'],
    );
  }
  if (before.confidential !== after.confidential)
    found.push(
      after.confidential
        ? ['confidential', 'made the issue confidential']
        : ['visible', 'made the issue visible to everyone'],
    );
  if ((before.discussion_locked ?? false) !== (after.discussion_locked ?? false))
    found.push(
      after.discussion_locked
        ? ['locked', 'locked the discussion in this issue']
        : ['unlocked', 'unlocked the discussion in this issue'],
    );
  if (before.type !== after.type)
    found.push(['type', `changed type from ${before.type.replace('_', ' ')} to ${after.type.replace('_', ' ')}`]);
  if (before.severity !== after.severity)
    found.push(['severity', `changed the severity to **${severityNames[after.severity]}**`]);
  found.push(...dayLine(before, after), ...healthLine(before, after));
  return found;
}

const idsOf = (labels: readonly { readonly id: number }[]) => labels.map(({ id }) => id);

/** What a new issue begins with: its labels and milestone, and that others have something to do. */
export async function beginHistory(tx: Db, issue: Issue, actorId: number, labels: LabelChange | null): Promise<void> {
  const what = { ...ofProject('issue', issue), at: issue.created_at };
  if (labels) await recordLabels(tx, what, actorId, { before: [], after: idsOf(labels.current) });
  await recordMilestone(tx, what, actorId, { before: null, after: issue.milestone_id });
  await recordIteration(tx, what, actorId, { before: null, after: issue.iteration_id });
  if (issue.weight !== null) await recordWeight(tx, what, actorId, issue.weight);
}

const assignments = (issue: Issue, authorId: number, userIds: readonly number[]) =>
  userIds.map((userId) => ({ userId, authorId, noteable: ofProject('issue', issue), action: 'assigned' as const }));

/** What several new issues begin with that have no plan but their labels and assignees. */
export async function beginHistories(
  tx: Db,
  made: readonly { readonly issue: Issue; readonly labels: readonly Label[]; readonly assignees: readonly User[] }[],
): Promise<void> {
  const labelled = made.map(({ issue, labels }) => ({
    ...{ id: issue.id, at: issue.created_at, userId: issue.author_id, labels: idsOf(labels) },
  }));
  await recordFirstLabels(tx, 'issue', labelled);
  await createTodos(
    tx,
    made.flatMap(({ issue, assignees }) => assignments(issue, issue.author_id, idsOf(assignees))),
  );
}

/** Those who are newly assigned have something to do. */
export async function assigned(tx: Db, issue: Issue, actorId: number, userIds: readonly number[]): Promise<void> {
  await createTodos(tx, assignments(issue, actorId, userIds));
}

/**
 * Records the history of a change and writes its notes, in its transaction; `at` is its time, where that is not now.
 * Whoever acted has done what they had to do.
 */
export async function writeHistory(
  tx: Db,
  before: Issue,
  after: Issue,
  actorId: number | null,
  changes: IssueChanges,
  { at, cause }: { readonly at?: Date | undefined; readonly cause?: StateCause | undefined } = {},
): Promise<void> {
  const what = { ...ofProject('issue', after), at };
  const { labels, assignees } = changes;
  if (labels) await recordLabels(tx, what, actorId, { before: idsOf(labels.previous), after: idsOf(labels.current) });
  await recordMilestone(tx, what, actorId, { before: before.milestone_id, after: after.milestone_id });
  await recordIteration(tx, what, actorId, { before: before.iteration_id, after: after.iteration_id });
  if (before.weight !== after.weight) await recordWeight(tx, what, actorId, after.weight);
  if (before.state !== after.state)
    await recordState(tx, what, actorId, after.state === 'closed' ? 'closed' : 'reopened', cause);
  if (actorId === null) return;
  await resolveTodos(tx, what, actorId);
  if (assignees) {
    const known = new Set(assignees.previous as readonly number[]);
    const added = (assignees.current as readonly number[]).filter((id) => !known.has(id));
    await assigned(tx, after, actorId, added);
  }
  for (const [action, text] of [...lines(before, after), ...(await assigneeLine(tx, changes))])
    await systemNote(tx, what, actorId, action, text, { createdAt: at });
}
