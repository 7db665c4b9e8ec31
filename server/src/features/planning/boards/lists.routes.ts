/** The API of the lists of boards. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Board as BoardRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { exactlyOneOf } from '../../../kernel/http/params/groups.ts';
import { IdOrPath, Int, Int32, Optional, rules } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { BoardList, boardListJson } from './boards.entity.ts';
import { aroundBoards, loadBoards } from './boards.queries.ts';
import { boardId, boardOf, boardPlaces, boardTag } from './boards.routes.ts';
import type { BoardService } from './boards.service.ts';

const subjects = {
  label_id: Optional(Int({ description: 'Issues with this label' })),
  assignee_id: Optional(Int({ description: 'Issues of this assignee' })),
  milestone_id: Optional(Int({ description: 'Issues of this milestone' })),
  iteration_id: Optional(Int({ description: 'Issues of this iteration' })),
};

export function boardListRoutes({
  db,
  base,
  boards,
}: {
  readonly db: Db;
  readonly base: string;
  readonly boards: BoardService;
}): Route[] {
  async function shown(board: BoardRow) {
    const loaded = await loadBoards(db, [board]);
    const around = await aroundBoards(db, loaded);
    return loaded.flatMap(({ lists }) => lists).flatMap((list) => boardListJson(list, around, base) ?? []);
  }
  async function one(board: BoardRow, listId: number) {
    const found = (await shown(board)).find(({ id }) => id === listId);
    if (!found) throw notFound('List');
    return found;
  }

  return boardPlaces.flatMap(({ kind, noun, read, write }) => {
    const path = `/${kind}s/:id/boards/:board_id/lists`;
    const board = { id: IdOrPath(noun), ...boardId };
    const single = { ...board, list_id: Int({ description: 'Id of the list' }) };
    return [
      route({
        ...boardTag,
        method: 'GET',
        path,
        summary: `List lists of a board of a ${kind}`,
        access: read,
        params: Type.Object(board),
        pagination: 'offset',
        responses: { 200: ListOf(BoardList) },
        handler: async ({ params, subject, page }) =>
          slicePage(page, await shown(await boardOf(db, subject, params.board_id))),
      }),
      route({
        ...boardTag,
        method: 'POST',
        path,
        summary: `Add a list to a board of a ${kind}`,
        access: write,
        params: Type.Object({ ...board, ...subjects }, rules(exactlyOneOf(...Object.keys(subjects)))),
        responses: { 201: BoardList },
        handler: async ({ params, subject }) => {
          const row = await boardOf(db, subject, params.board_id);
          const { label_id, assignee_id, milestone_id, iteration_id } = params;
          const list = await boards.addList(subject, row.id, { label_id, assignee_id, milestone_id, iteration_id });
          return await one(row, list.id);
        },
      }),
      route({
        ...boardTag,
        method: 'GET',
        path: `${path}/:list_id`,
        summary: `Get a list of a board of a ${kind}`,
        access: read,
        params: Type.Object(single),
        responses: { 200: BoardList },
        handler: async ({ params, subject }) => await one(await boardOf(db, subject, params.board_id), params.list_id),
      }),
      route({
        ...boardTag,
        method: 'PUT',
        path: `${path}/:list_id`,
        summary: `Move a list of a board of a ${kind}`,
        access: write,
        params: Type.Object({ ...single, position: Int32({ minimum: 0, description: 'Place from the left, from 0' }) }),
        responses: { 200: BoardList },
        handler: async ({ params, subject }) => {
          const row = await boardOf(db, subject, params.board_id);
          await boards.moveList(row.id, params.list_id, params.position);
          return await one(row, params.list_id);
        },
      }),
      route({
        ...boardTag,
        method: 'DELETE',
        path: `${path}/:list_id`,
        summary: `Delete a list of a board of a ${kind}`,
        access: write,
        params: Type.Object(single),
        responses: { 204: Empty },
        conditional: true,
        handler: async ({ params, subject, unmodifiedSince }) => {
          const [loaded] = await loadBoards(db, [await boardOf(db, subject, params.board_id)]);
          const list = loaded?.lists.find(({ id }) => id === params.list_id);
          if (!loaded || !list) throw notFound('List');
          unmodifiedSince(list.updated_at);
          await boards.removeList(loaded.row.id, list.id);
        },
      }),
    ];
  });
}
