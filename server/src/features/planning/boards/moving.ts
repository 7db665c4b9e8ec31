/** Moving an issue on a board: into another column, and to a place among its issues, in one transaction. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Issue, BoardList as ListRow } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import { conflict, forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Place } from '../../namespaces/index.ts';
import { mayReadIssue } from '../issues/access.ts';
import { tellIssue } from '../issues/changes.ts';
import { assigneeIds, issuesById, lockIssue } from '../issues/issues.queries.ts';
import { lockOrder, reorder } from '../issues/places.queries.ts';
import { type IssueUpdate, updateIssue } from '../issues/updating.ts';
import type { Around, LoadedBoard } from './boards.entity.ts';
import { isInColumn } from './boards.queries.ts';

export type Column = ListRow | 'backlog' | 'closed';

export interface Move {
  readonly issueId: number;
  /** Where the issue is shown now; undefined when it only moves within its column, or joins another one. */
  readonly from: Column | undefined;
  readonly to: Column;
  /** Issues that it comes after and before. */
  readonly after: number | null;
  readonly before: number | null;
}

export interface Moved {
  readonly issue: Issue;
  readonly of: ProjectSubject;
}

const listOf = (column: Column | undefined): ListRow | null => (typeof column === 'object' ? column : null);

const kinds = ['label_id', 'assignee_id', 'milestone_id', 'iteration_id'] as const;

/**
 * The lists that an issue leaves. A closed one keeps what it had, so that out of the closed column these are all that it would
 * be in besides its new one: of the same kind there, every list for the column of those in no list.
 */
function listsLeft({ from, to }: Move, lists: readonly ListRow[]): readonly ListRow[] {
  const next = listOf(to);
  if (from !== 'closed') return [listOf(from) ?? []].flat().filter(({ id }) => id !== next?.id);
  return lists.filter((list) => list.id !== next?.id && kinds.some((kind) => list[kind] && (!next || next[kind])));
}

/** What has to change for an issue to leave one column and to be in another. A closed issue keeps what it had. */
function changesOf(
  issue: Issue,
  assignees: readonly number[],
  move: Move,
  { lists }: LoadedBoard,
  around: Around,
): IssueUpdate {
  const { from, to } = move;
  if (to === 'closed') return issue.state === 'opened' ? { state_event: 'close' } : {};
  // Within its list it has all that the list is about.
  if (listOf(from) && listOf(from)?.id === listOf(to)?.id) return {};
  const left = listsLeft(move, lists);
  const next = listOf(to);
  const titles = (id: number | null | undefined) => (id ? [around.labels.get(id)?.title ?? []].flat() : []);
  const removed = left.flatMap(({ label_id }) => titles(label_id));
  const gone = new Set(left.map(({ assignee_id }) => assignee_id));
  const people = new Set(assignees.filter((id) => !gone.has(id)));
  if (next?.assignee_id) people.add(next.assignee_id);
  const among = (kind: 'milestone_id' | 'iteration_id') =>
    left.some((list) => list[kind] && list[kind] === issue[kind]);
  return {
    ...(issue.state === 'closed' ? { state_event: 'reopen' } : {}),
    ...(removed.length > 0 ? { remove_labels: removed } : {}),
    ...(next?.label_id ? { add_labels: titles(next.label_id) } : {}),
    ...(next?.assignee_id || left.some(({ assignee_id }) => assignee_id) ? { assignee_ids: [...people] } : {}),
    ...(next?.milestone_id ? { milestone_id: next.milestone_id } : among('milestone_id') ? { milestone_id: 0 } : {}),
    ...(next?.iteration_id ? { iteration_id: next.iteration_id } : among('iteration_id') ? { iteration_id: 0 } : {}),
  };
}

const isWithin = (place: Place, { project, namespace }: ProjectSubject) =>
  place.kind === 'project' ? project.id === place.project.id : namespace.traversal_ids.includes(place.group.id);

export function boardMoves(db: Db, parents: Pick<ParentLoader, 'projects'>) {
  /** Issues by id with their projects; 404 for those that the caller does not see on the board. */
  async function seen(place: Place, caller: Caller, ids: readonly number[]) {
    const rows = await issuesById(db, ids);
    const projects = [...new Set(rows.map((row) => row.project_id))];
    const subjects =
      place.kind === 'project' ? new Map([[place.project.id, place]]) : await parents.projects(projects, caller);
    return await Promise.all(
      ids.map(async (id) => {
        const row = rows.find((each) => each.id === id);
        const subject = row && subjects.get(row.project_id);
        if (!row || !subject || !isWithin(place, subject) || !(await mayReadIssue(db, subject, caller, row)))
          throw notFound('Issue');
        return { row, subject };
      }),
    );
  }

  return async (place: Place, caller: Caller, board: LoadedBoard, around: Around, move: Move): Promise<Moved> => {
    const { issueId, after, before } = move;
    const neighbours = [after, before].filter((id) => id !== null);
    if (neighbours.includes(issueId)) throw notFound('Issue');
    const [moved] = await seen(place, caller, [issueId, ...neighbours]);
    if (!moved) throw notFound('Issue');
    const { subject } = moved;
    if (!canOnProject(caller, 'update_issue', subject)) throw caller.user === null ? unauthorized() : forbidden();
    const [root = subject.namespace.id] = subject.namespace.traversal_ids;
    return await transaction(db, async (tx) => {
      await lockOrder(tx, root);
      const row = await lockIssue(tx, issueId);
      if (!row) throw notFound('Issue');
      // Whoever moves a card from where somebody else took it would leave it in both of their columns.
      if (move.from !== undefined && !(await isInColumn(tx, board, move.from, issueId)))
        throw conflict('The issue is no longer in the column that it was moved from');
      const people = around.people.size > 0 ? await assigneeIds(tx, issueId) : [];
      const changes = changesOf(row, people, move, board, around);
      const changed = Object.keys(changes).length > 0 ? await updateIssue(tx, subject, caller, row, changes) : null;
      const place = neighbours.length > 0 ? await reorder(tx, root, issueId, { after, before }) : null;
      const issue = { ...(changed ?? row), ...(place === null ? {} : { relative_position: place }) };
      if (!changed) await tellIssue(tx, 'updated', issue, caller.user?.id ?? null);
      await publish(tx, `board:${board.row.id}:cards`);
      return { issue, of: subject };
    });
  };
}
export type BoardMoves = ReturnType<typeof boardMoves>;
