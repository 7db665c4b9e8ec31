/** The API of epic boards of groups. Reading is as in the ecosystem; creating and changing is our extension. */
import Type from 'typebox';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { EpicBoard as BoardRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { slicePage, withItems } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, IdOrPath, Int, Int32, List, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { EpicBoard, EpicBoardList, epicBoardJson, epicBoardListJson } from './epic-boards.entity.ts';
import { epicBoardLabels, epicBoardLists, epicBoardsOf, findEpicBoard } from './epic-boards.queries.ts';
import type { EpicBoardService } from './epic-boards.service.ts';

export const epicBoardRoute = { credentials: ['token', 'session'], tag: 'Epic boards' } as const;
export const readEpicBoard = { on: 'group', ability: 'read_group_board' } as const;
const write = { on: 'group', ability: 'admin_group_board' } as const;
const parent = { id: IdOrPath('Id or path of the group') };
export const oneEpicBoard = { ...parent, board_id: Int({ description: 'Id of the epic board' }) };
const oneList = { ...oneEpicBoard, list_id: Int({ description: 'Id of the list' }) };
const changes = {
  hide_backlog_list: Optional(Bool({ description: 'Hide the column of epics of no list' })),
  hide_closed_list: Optional(Bool({ description: 'Hide the column of closed epics' })),
  labels: Optional(
    OrNull(
      List(Str({ maxLength: 255 }), {
        commas: true,
        maxItems: 100,
        description: 'Only epics with all of these labels',
      }),
    ),
  ),
};
const name = Str({ description: 'Name of the epic board' });
const path = '/groups/:id/epic_boards';
const lists = `${path}/:board_id/lists`;

/** The board of a group; 404 where there is none. */
export const epicBoardFinder =
  (db: Db) =>
  async ({ group }: GroupSubject, id: number): Promise<BoardRow> => {
    const row = await findEpicBoard(db, group.id, id);
    if (!row) throw notFound('Epic Board');
    return row;
  };

export function epicBoardRoutes({
  db,
  base,
  boards,
}: {
  readonly db: Db;
  readonly base: string;
  readonly boards: EpicBoardService;
}): Route[] {
  const find = epicBoardFinder(db);
  async function shown({ group }: GroupSubject, rows: readonly BoardRow[]) {
    const ids = rows.map(({ id }) => id);
    const [labels, columns] = await Promise.all([epicBoardLabels(db, group, ids), epicBoardLists(db, group, ids)]);
    return rows.map((row) =>
      epicBoardJson(row, { labels: labels.get(row.id) ?? [], lists: columns.get(row.id) ?? [] }, group, base),
    );
  }
  async function one(subject: GroupSubject, id: number) {
    const [found] = await shown(subject, [await find(subject, id)]);
    if (!found) throw notFound('Epic Board');
    return found;
  }
  async function listsOf(subject: GroupSubject, id: number) {
    const row = await find(subject, id);
    return (await epicBoardLists(db, subject.group, [row.id])).get(row.id) ?? [];
  }
  async function findList(subject: GroupSubject, id: number, listId: number) {
    const found = (await listsOf(subject, id)).find(({ list }) => list.id === listId);
    if (!found) throw notFound('List');
    return found;
  }

  return [
    route({
      ...epicBoardRoute,
      method: 'GET',
      path,
      summary: 'List epic boards of a group',
      access: readEpicBoard,
      params: Type.Object(parent),
      pagination: 'offset',
      responses: { 200: ListOf(EpicBoard) },
      handler: async ({ subject, page }) => {
        const paged = slicePage(page, await epicBoardsOf(db, subject.group.id));
        return withItems(paged, await shown(subject, paged.items));
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'POST',
      path,
      summary: 'Create an epic board',
      access: write,
      params: Type.Object({ ...parent, name, ...changes }),
      responses: { 201: EpicBoard },
      handler: async ({ subject, caller, params }) => one(subject, await boards.create(subject, caller, params)),
    }),
    route({
      ...epicBoardRoute,
      method: 'GET',
      path: `${path}/:board_id`,
      summary: 'Get an epic board',
      access: readEpicBoard,
      params: Type.Object(oneEpicBoard),
      responses: { 200: EpicBoard },
      handler: async ({ subject, params }) => one(subject, params.board_id),
    }),
    route({
      ...epicBoardRoute,
      method: 'PUT',
      path: `${path}/:board_id`,
      summary: 'Update an epic board',
      access: write,
      params: Type.Object(
        { ...oneEpicBoard, name: Optional(name), ...changes },
        rules(atLeastOneOf('name', ...Object.keys(changes))),
      ),
      responses: { 200: EpicBoard },
      handler: async ({ subject, caller, params }) => {
        const { id } = await find(subject, params.board_id);
        await boards.update(subject, caller, id, params);
        return await one(subject, id);
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'DELETE',
      path: `${path}/:board_id`,
      summary: 'Delete an epic board',
      access: write,
      params: Type.Object(oneEpicBoard),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, params, unmodifiedSince }) => {
        const row = await find(subject, params.board_id);
        unmodifiedSince(row.updated_at);
        await boards.remove(row.id);
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'GET',
      path: lists,
      summary: 'List lists of an epic board',
      access: readEpicBoard,
      params: Type.Object(oneEpicBoard),
      pagination: 'offset',
      responses: { 200: ListOf(EpicBoardList) },
      handler: async ({ subject, params, page }) =>
        slicePage(page, (await listsOf(subject, params.board_id)).map(epicBoardListJson)),
    }),
    route({
      ...epicBoardRoute,
      method: 'POST',
      path: lists,
      summary: 'Add a list to an epic board',
      access: write,
      params: Type.Object({ ...oneEpicBoard, label_id: Int({ description: 'Epics with this label of the group' }) }),
      responses: { 201: EpicBoardList },
      handler: async ({ subject, params }) => {
        const { id } = await find(subject, params.board_id);
        const list = await boards.addList(subject, id, params.label_id);
        return epicBoardListJson(await findList(subject, id, list));
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'GET',
      path: `${lists}/:list_id`,
      summary: 'Get a list of an epic board',
      access: readEpicBoard,
      params: Type.Object(oneList),
      responses: { 200: EpicBoardList },
      handler: async ({ subject, params }) =>
        epicBoardListJson(await findList(subject, params.board_id, params.list_id)),
    }),
    route({
      ...epicBoardRoute,
      method: 'PUT',
      path: `${lists}/:list_id`,
      summary: 'Move or collapse a list of an epic board',
      access: write,
      params: Type.Object(
        {
          ...oneList,
          position: Optional(Int32({ minimum: 0, description: 'Place from the left, from 0' })),
          collapsed: Optional(Bool({ description: 'Show the list as its title only' })),
        },
        rules(atLeastOneOf('position', 'collapsed')),
      ),
      responses: { 200: EpicBoardList },
      handler: async ({ subject, params }) => {
        const { list } = await findList(subject, params.board_id, params.list_id);
        await boards.updateList(list.epic_board_id, list.id, params);
        return epicBoardListJson(await findList(subject, params.board_id, list.id));
      },
    }),
    route({
      ...epicBoardRoute,
      method: 'DELETE',
      path: `${lists}/:list_id`,
      summary: 'Delete a list of an epic board',
      access: write,
      params: Type.Object(oneList),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, params, unmodifiedSince }) => {
        const { list } = await findList(subject, params.board_id, params.list_id);
        unmodifiedSince(list.updated_at);
        await boards.removeList(list.epic_board_id, list.id);
      },
    }),
  ];
}
