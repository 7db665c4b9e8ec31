/** Moving an epic on a board: into another column, and to a place among its epics, in one transaction. */
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { EpicBoard, Epic as EpicRow } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import { conflict, forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { epicById, epicsById, lockEpic } from '../epics/epics.queries.ts';
import type { EpicService, GivenEpic } from '../epics/epics.service.ts';
import { lockOrder, reorder } from '../epics/places.queries.ts';
import { epicBoardLists, isInEpicColumn, type ShownList } from './epic-boards.queries.ts';

type Column = ShownList | 'backlog' | 'closed';

export interface EpicMove {
  readonly epicId: number;
  /** Where the epic is shown now: id of a list, `backlog` or `closed`; undefined when it only moves within its column, or joins one. */
  readonly from: string | undefined;
  readonly to: string;
  /** Epics that it comes after and before. */
  readonly after: number | null;
  readonly before: number | null;
}

/** What has to change for an epic to leave one column and to be in another. A closed epic keeps what it had. */
function changesOf(epic: EpicRow, from: Column | undefined, to: Column, lists: readonly ShownList[]): GivenEpic {
  if (to === 'closed') return epic.state === 'opened' ? { state_event: 'close' } : {};
  const left = from !== to && typeof from === 'object' ? [from] : [];
  // Whatever is in no list has the label of none, and what was closed gives up those that it kept.
  const removed = to === 'backlog' || from === 'closed' ? lists.filter((list) => list !== to) : left;
  return {
    ...(epic.state === 'closed' ? { state_event: 'reopen' } : {}),
    ...(removed.length > 0 ? { remove_labels: removed.map(({ label }) => label.title) } : {}),
    ...(typeof to === 'object' && from !== to ? { add_labels: [to.label.title] } : {}),
  };
}

export function epicBoardMoves(db: Db, parents: Pick<ParentLoader, 'group'>, epics: Pick<EpicService, 'updateIn'>) {
  /** The group of an epic that the caller sees on the boards of a group; 404 for any other. */
  async function groupOf(board: EpicBoard, caller: Caller, row: EpicRow | undefined): Promise<GroupSubject> {
    const subject = row ? await parents.group(String(row.namespace_id), caller) : null;
    if (!subject?.group.traversal_ids.includes(board.namespace_id)) throw notFound('Epic');
    return subject;
  }

  return async ({ group }: GroupSubject, caller: Caller, board: EpicBoard, move: EpicMove): Promise<EpicRow> => {
    const { epicId, after, before } = move;
    const neighbours = [after, before].filter((id) => id !== null);
    if (neighbours.includes(epicId)) throw notFound('Epic');
    const lists = (await epicBoardLists(db, group, [board.id])).get(board.id) ?? [];
    const columnOf = (name: string): Column => {
      if (name === 'backlog' || name === 'closed') return name;
      const found = lists.find(({ list }) => list.id === Number(name));
      if (!found) throw notFound('List');
      return found;
    };
    const to = columnOf(move.to);
    const from = move.from === undefined ? undefined : columnOf(move.from);
    const rows = await epicsById(db, [epicId, ...neighbours], caller);
    const byId = (id: number) => rows.find((row) => row.id === id);
    const subject = await groupOf(board, caller, byId(epicId));
    for (const id of neighbours) await groupOf(board, caller, byId(id));
    if (!canOnGroup(caller, 'update_epic', subject)) throw caller.user === null ? unauthorized() : forbidden();
    const [root = group.id] = group.traversal_ids;
    return await transaction(db, async (tx) => {
      await lockOrder(tx, root);
      const row = await lockEpic(tx, epicId);
      if (!row) throw notFound('Epic');
      // Whoever moves a card from where somebody else took it would leave it in both of their columns.
      if (from !== undefined && !(await isInEpicColumn(tx, from, lists, epicId)))
        throw conflict('The epic is no longer in the column that it was moved from');
      const changes = changesOf(row, from, to, lists);
      if (Object.keys(changes).length > 0) await epics.updateIn(tx, subject, caller, epicId, changes);
      if (neighbours.length > 0) await reorder(tx, root, epicId, { after, before });
      await publish(tx, `group:${row.namespace_id}:epics`, `group:${board.namespace_id}:epics`);
      const result = await epicById(tx, epicId);
      if (!result) throw notFound('Epic');
      return result;
    });
  };
}
export type EpicBoardMoves = ReturnType<typeof epicBoardMoves>;
