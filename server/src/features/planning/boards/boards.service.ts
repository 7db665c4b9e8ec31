/** Creating and changing boards and their lists, each in one transaction that tells open pages of it. */

import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Board, BoardList } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { labelsNamed } from '../../collaboration/index.ts';
import type { Place } from '../../namespaces/index.ts';
import * as queries from './boards.queries.ts';

export interface GivenBoard {
  readonly name?: string | undefined;
  readonly hide_backlog_list?: boolean | undefined;
  readonly hide_closed_list?: boolean | undefined;
  readonly milestone_id?: number | null | undefined;
  readonly assignee_id?: number | null | undefined;
  readonly weight?: number | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}
export type GivenList = Partial<Record<queries.ListSubject, number | undefined>>;

const nouns = { label_id: 'Label', assignee_id: 'User', milestone_id: 'Milestone', iteration_id: 'Iteration' } as const;

function checkedName(given: string): string {
  const name = given.trim();
  if (name === '') throw invalidRecord({ name: ["can't be blank"] });
  if (name.length > 255) throw invalidRecord({ name: ['is too long (maximum is 255 characters)'] });
  return name;
}

export function boardService(db: Db) {
  const tell = (tx: Db, board: Board) => publish(tx, `board:${board.id}`);
  async function locked(tx: Db, id: number): Promise<Board> {
    const board = await queries.lockBoard(tx, id);
    if (!board) throw notFound('Board');
    return board;
  }

  return {
    create: (place: Place, name: string): Promise<Board> =>
      transaction(db, (tx) => queries.insertBoard(tx, place, checkedName(name))),

    update: (place: Place, caller: Caller, id: number, given: GivenBoard): Promise<Board> =>
      transaction(db, async (tx) => {
        await locked(tx, id);
        const { labels, name, ...rest } = given;
        const none = <T>(value: T | null | undefined) => (value === 0 ? null : value);
        const scope = { milestone_id: none(given.milestone_id), assignee_id: none(given.assignee_id) };
        for (const what of ['milestone_id', 'assignee_id'] as const) {
          const wanted = scope[what];
          if (wanted && !(await queries.isKnown(tx, place, what, wanted))) throw notFound(nouns[what]);
        }
        if (labels !== undefined) {
          const may =
            place.kind === 'project'
              ? canOnProject(caller, 'admin_label', place)
              : canOnGroup(caller, 'admin_group_label', place);
          const maker = may ? originOfCaller(caller) : null;
          await queries.setBoardLabels(tx, id, await labelsNamed(tx, place, labels ?? [], maker));
        }
        const wanted = { ...rest, ...scope, ...(name === undefined ? {} : { name: checkedName(name) }) };
        const known = Object.entries(wanted).filter(([, value]) => value !== undefined);
        const board = await queries.updateBoard(tx, id, Object.fromEntries(known));
        await tell(tx, board);
        return board;
      }),

    remove: (board: Board): Promise<void> =>
      transaction(db, async (tx) => {
        if (!(await queries.deleteBoard(tx, board.id))) throw notFound('Board');
        await tell(tx, board);
      }),

    addList: (place: Place, id: number, given: GivenList): Promise<BoardList> =>
      transaction(db, async (tx) => {
        const board = await locked(tx, id);
        const [found] = (Object.keys(nouns) as queries.ListSubject[]).flatMap((what) => {
          const wanted = given[what];
          return wanted === undefined ? [] : [{ what, wanted }];
        });
        if (!found) throw plainError(400, 'label_id, assignee_id, milestone_id, iteration_id are missing');
        const { what, wanted } = found;
        if (!(await queries.isKnown(tx, place, what, wanted))) throw plainError(400, `${nouns[what]} not found!`);
        const list = await queries.insertList(tx, board.id, what, wanted);
        if (!list) throw invalidRecord({ [what]: ['has already been taken'] });
        await tell(tx, board);
        return list;
      }),

    /** Puts a list at a place from the left; the others make room. */
    moveList: (boardId: number, listId: number, position: number): Promise<void> =>
      transaction(db, async (tx) => {
        const board = await locked(tx, boardId);
        const ids = (await queries.listsOf(tx, [board.id])).map(({ id }) => id);
        if (!ids.includes(listId)) throw notFound('List');
        if (position >= ids.length) throw plainError(400, 'List could not be moved!');
        const rest = ids.filter((id) => id !== listId);
        rest.splice(position, 0, listId);
        await queries.setOrderOfLists(tx, board.id, rest);
        await tell(tx, board);
      }),

    removeList: (boardId: number, listId: number): Promise<void> =>
      transaction(db, async (tx) => {
        const board = await locked(tx, boardId);
        if (!(await queries.deleteList(tx, listId))) throw notFound('List');
        const left = await queries.listsOf(tx, [board.id]);
        await queries.setOrderOfLists(
          tx,
          board.id,
          left.map(({ id }) => id),
        );
        await tell(tx, board);
      }),
  };
}
export type BoardService = ReturnType<typeof boardService>;
