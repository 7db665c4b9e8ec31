/** Creating and changing epic boards and their lists, each in one transaction. */
import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { EpicBoard } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { labelsNamed } from '../../collaboration/index.ts';
import * as queries from './epic-boards.queries.ts';

export interface GivenEpicBoard {
  readonly name?: string | undefined;
  readonly hide_backlog_list?: boolean | undefined;
  readonly hide_closed_list?: boolean | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

/** Boards of one group, and lists of one board. */
const mostBoards = 500;
const mostLists = 100;

function checkedName(given: string): string {
  const name = given.trim();
  if (name === '') throw invalidRecord({ name: ["can't be blank"] });
  if (name.length > 255) throw invalidRecord({ name: ['is too long (maximum is 255 characters)'] });
  return name;
}

const values = ({ name, hide_backlog_list, hide_closed_list }: GivenEpicBoard): queries.EpicBoardValues => ({
  ...(name === undefined ? {} : { name: checkedName(name) }),
  ...(hide_backlog_list === undefined ? {} : { hide_backlog_list }),
  ...(hide_closed_list === undefined ? {} : { hide_closed_list }),
});

export function epicBoardService(db: Db) {
  const tell = (tx: Db, id: number) => publish(tx, `epic_board:${id}`);
  async function locked(tx: Db, id: number): Promise<EpicBoard> {
    const board = await queries.lockEpicBoard(tx, id);
    if (!board) throw notFound('Epic Board');
    return board;
  }

  async function setLabels(
    tx: Db,
    subject: GroupSubject,
    caller: Caller,
    id: number,
    labels: GivenEpicBoard['labels'],
  ): Promise<void> {
    if (labels === undefined) return;
    const maker = canOnGroup(caller, 'admin_group_label', subject) ? originOfCaller(caller) : null;
    await queries.setEpicBoardLabels(tx, id, await labelsNamed(tx, subject, labels ?? [], maker));
  }

  return {
    create: (subject: GroupSubject, caller: Caller, given: GivenEpicBoard & { readonly name: string }) =>
      transaction(db, async (tx): Promise<number> => {
        if ((await queries.epicBoardsOf(tx, subject.group.id)).length >= mostBoards)
          throw plainError(400, `A group has at most ${mostBoards} epic boards`);
        const board = await queries.insertEpicBoard(tx, subject.group.id, {
          ...values(given),
          name: checkedName(given.name),
        });
        await setLabels(tx, subject, caller, board.id, given.labels);
        return board.id;
      }),

    update: (subject: GroupSubject, caller: Caller, id: number, given: GivenEpicBoard): Promise<void> =>
      transaction(db, async (tx) => {
        await locked(tx, id);
        await setLabels(tx, subject, caller, id, given.labels);
        await queries.updateEpicBoard(tx, id, values(given));
        await tell(tx, id);
      }),

    remove: (id: number): Promise<void> =>
      transaction(db, async (tx) => {
        if (!(await queries.deleteEpicBoard(tx, id))) throw notFound('Epic Board');
        await tell(tx, id);
      }),

    addList: ({ group }: GroupSubject, id: number, labelId: number): Promise<number> =>
      transaction(db, async (tx) => {
        await locked(tx, id);
        if (!(await queries.groupLabel(tx, group, labelId))) throw plainError(400, 'Label not found!');
        if ((await queries.listIdsOf(tx, id)).length >= mostLists)
          throw plainError(400, `An epic board has at most ${mostLists} lists`);
        const list = await queries.insertEpicBoardList(tx, id, labelId);
        if (!list) throw invalidRecord({ label_id: ['has already been taken'] });
        await tell(tx, id);
        return list.id;
      }),

    updateList: (
      boardId: number,
      listId: number,
      { position, collapsed }: { readonly position?: number | undefined; readonly collapsed?: boolean | undefined },
    ): Promise<void> =>
      transaction(db, async (tx) => {
        await locked(tx, boardId);
        const ids = await queries.listIdsOf(tx, boardId);
        if (!ids.includes(listId)) throw notFound('List');
        if (position !== undefined) {
          if (position >= ids.length) throw plainError(400, 'List could not be moved!');
          const rest = ids.filter((id) => id !== listId);
          rest.splice(position, 0, listId);
          await queries.orderEpicBoardLists(tx, boardId, rest);
        }
        if (collapsed !== undefined) await queries.collapseEpicBoardList(tx, listId, collapsed);
        await tell(tx, boardId);
      }),

    removeList: (boardId: number, listId: number): Promise<void> =>
      transaction(db, async (tx) => {
        await locked(tx, boardId);
        if (!(await queries.deleteEpicBoardList(tx, listId))) throw notFound('List');
        await queries.orderEpicBoardLists(tx, boardId, await queries.listIdsOf(tx, boardId));
        await tell(tx, boardId);
      }),
  };
}
export type EpicBoardService = ReturnType<typeof epicBoardService>;
