/** What a change of a merge request leaves behind: events of its history, and to-dos of those whom it is about. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { createTodo, recordLabels, recordMilestone, recordState, recordStateBy } from '../../collaboration/index.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import { peopleIn } from './history.queries.ts';
import { activeUsers, setPeople, usernamesOf } from './merge-requests.queries.ts';
import type { LabelChange } from './planning.ts';

export const noteableOf = (row: Pick<MergeRequest, 'id' | 'iid' | 'project_id'>) => ofProject('merge_request', row);

/** Ids of people in a role, as they were and are. */
export interface PeopleChange {
  readonly previous: number[];
  readonly current: number[];
}

const actions = { assignee: 'assigned', reviewer: 'review_requested' } as const;

const phrases = {
  assignee: ['assigned to', 'unassigned'],
  reviewer: ['requested review from', 'removed review request for'],
};

/** Says under the request who was assigned or asked to review, and who no longer is. */
export async function notePeople(
  tx: Db,
  row: MergeRequest,
  role: 'assignee' | 'reviewer',
  { previous, current }: PeopleChange,
  actorId: number | null,
): Promise<void> {
  if (actorId === null) return;
  const added = current.filter((id) => !previous.includes(id));
  const removed = previous.filter((id) => !current.includes(id));
  const names = await usernamesOf(tx, [...added, ...removed]);
  const mention = (ids: readonly number[]) => ids.flatMap((id) => names.get(id) ?? []).map((name) => `@${name}`);
  const [gained, lost] = phrases[role];
  const parts = [
    ...(added.length > 0 ? [`${gained} ${mention(added).join(', ')}`] : []),
    ...(removed.length > 0 ? [`${lost} ${mention(removed).join(', ')}`] : []),
  ];
  if (parts.length > 0) await systemNote(tx, noteableOf(row), actorId, role, parts.join(' and '));
}

/** Assigns people or asks them to review; those who were not before have something to do. Null where nobody changed. */
export async function assign(
  tx: Db,
  row: MergeRequest,
  role: 'assignee' | 'reviewer',
  userIds: readonly number[],
  actorId: number | null,
): Promise<PeopleChange | null> {
  const before = await peopleIn(tx, row.id, role);
  const after = await activeUsers(tx, userIds);
  await setPeople(tx, row.id, role, after);
  const noteable = noteableOf(row);
  for (const userId of after.filter((id) => !before.includes(id)))
    await createTodo(tx, { userId, authorId: actorId ?? userId, noteable, action: actions[role] });
  const same = before.length === after.length && before.every((id) => after.includes(id));
  return same ? null : { previous: before, current: after };
}

const states = {
  'merge_request.closed': 'closed',
  'merge_request.reopened': 'reopened',
  'merge_request.merged': 'merged',
} as const;

/** Records what changed in the history; who closes or merges has done what they had to do. */
export async function keepHistory(
  tx: Db,
  kind: string,
  row: MergeRequest,
  actorId: number | null,
  change: { readonly before?: MergeRequest | undefined; readonly labels?: LabelChange | null | undefined },
): Promise<void> {
  const noteable = noteableOf(row);
  const state = kind in states ? states[kind as keyof typeof states] : undefined;
  if (state !== undefined) {
    if (state !== 'reopened' && actorId !== null) await recordStateBy(tx, noteable, actorId, state);
    else await recordState(tx, noteable, actorId, state);
  }
  const { before, labels } = change;
  const ids = (list: LabelChange['current']) => list.map((label) => label.id);
  if (labels) await recordLabels(tx, noteable, actorId, { before: ids(labels.previous), after: ids(labels.current) });
  const opened = kind === 'merge_request.opened';
  if (before || opened)
    await recordMilestone(tx, noteable, actorId, { before: before?.milestone_id ?? null, after: row.milestone_id });
}
