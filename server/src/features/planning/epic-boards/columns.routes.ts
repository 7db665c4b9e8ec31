/** The API of the epics on epic boards: a column, the beginnings of all, and moving an epic. Our extension. */
import Type from 'typebox';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { columnParams, columnsParams, moveParams, shownColumns } from '../columns.ts';
import { Epic, ListedEpic } from '../epics/epics.entity.ts';
import type { EpicList } from '../epics/epics.queries.ts';
import type { EpicLists } from '../epics/listing.ts';
import type { PresentEpics } from '../epics/presenting.ts';
import { EpicBoardColumn } from './epic-boards.entity.ts';
import { epicBoardLabels, epicBoardLists, type ShownList } from './epic-boards.queries.ts';
import { epicBoardFinder, epicBoardRoute, oneEpicBoard, readEpicBoard } from './epic-boards.routes.ts';
import type { EpicBoardMoves } from './moving.ts';

interface Narrowed {
  /** Titles of the labels that the board is narrowed to. */
  readonly labels: readonly string[];
  readonly lists: readonly ShownList[];
}

const titleOf = ({ label }: ShownList) => label.title;

/** Which epics a column shows. */
function columnOf({ group }: GroupSubject, caller: Caller, { labels, lists }: Narrowed, name: string): EpicList {
  const list = lists.find((each) => String(each.list.id) === name);
  if (!list && name !== 'backlog' && name !== 'closed') throw notFound('List');
  return {
    ...{ group, caller, ancestors: false, descendants: true },
    state: name === 'closed' ? 'closed' : 'opened',
    narrowed: { labels: list ? [...labels, titleOf(list)] : labels },
    ...(name === 'backlog' ? { not: { labels: lists.map(titleOf) } } : {}),
    ...{ orderBy: 'relative_position', sort: 'asc' },
  };
}

export function epicColumnRoutes({
  db,
  epics,
  move,
  present,
}: {
  readonly db: Db;
  readonly epics: EpicLists;
  readonly move: EpicBoardMoves;
  readonly present: Pick<PresentEpics, 'one'>;
}): Route[] {
  const find = epicBoardFinder(db);
  async function load(subject: GroupSubject, id: number) {
    const { group } = subject;
    const row = await find(subject, id);
    const [labels, lists] = await Promise.all([epicBoardLabels(db, group, [id]), epicBoardLists(db, group, [id])]);
    return { row, labels: (labels.get(id) ?? []).map(({ title }) => title), lists: lists.get(id) ?? [] };
  }

  return [
    route({
      ...epicBoardRoute,
      method: 'GET',
      path: '/groups/:id/epic_boards/:board_id/epics',
      summary: 'List epics of a list of an epic board, in their order',
      access: readEpicBoard,
      params: Type.Object({ ...oneEpicBoard, ...columnParams('epics') }),
      pagination: 'offset',
      responses: { 200: ListOf(ListedEpic) },
      handler: async ({ params, subject, caller, page }) => {
        const board = await load(subject, params.board_id);
        const shown = { groupId: subject.group.id, details: params.with_labels_details ?? false };
        return await epics.page(columnOf(subject, caller, board, params.column ?? 'backlog'), shown, page);
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'GET',
      path: '/groups/:id/epic_boards/:board_id/columns',
      summary: 'List columns of an epic board with their first epics, in their order',
      access: readEpicBoard,
      params: Type.Object({ ...oneEpicBoard, ...columnsParams('epics') }),
      responses: { 200: ListOf(EpicBoardColumn) },
      handler: async ({ params, subject, caller }) => {
        const board = await load(subject, params.board_id);
        const names = [
          ...new Set(
            params.columns ??
              shownColumns(
                board.row,
                board.lists.map(({ list }) => list),
              ),
          ),
        ];
        const lists = names.map((name) => columnOf(subject, caller, board, name));
        const shown = { groupId: subject.group.id, details: params.with_labels_details ?? false };
        const found = await epics.beginnings(lists, shown, params.limit ?? 20);
        return found.map(({ total, more, items }, at) => ({
          ...{ column: names[at] ?? '', total, has_more: more, epics: items },
        }));
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'PUT',
      path: '/groups/:id/epic_boards/:board_id/epics/:epic_id',
      summary: 'Move an epic on an epic board',
      access: readEpicBoard,
      params: Type.Object({
        ...oneEpicBoard,
        epic_id: Int({ description: 'Id of the epic' }),
        ...moveParams('epic'),
      }),
      errors: [409],
      responses: { 200: Epic },
      handler: async ({ params, subject, caller }) => {
        const moved = await move(subject, caller, await find(subject, params.board_id), {
          epicId: params.epic_id,
          from: params.from_column,
          to: params.to_column,
          after: params.move_after_id ?? null,
          before: params.move_before_id ?? null,
        });
        return await present.one(moved, caller);
      },
    }),
  ];
}
