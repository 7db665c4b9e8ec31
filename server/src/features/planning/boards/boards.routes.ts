/** The API of boards of projects and groups. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Board as BoardRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { slicePage, withItems } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, IdOrPath, Int, Int32, List, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Place } from '../../namespaces/index.ts';
import { columnParams, columnsParams, moveParams, shownColumns } from '../columns.ts';
import { Issue, ListedIssue } from '../issues/issues.entity.ts';
import type { PresentIssue } from '../issues/issues.routes.ts';
import type { IssueBeginnings, IssueLists } from '../issues/listing.routes.ts';
import { Board, BoardColumn, boardJson, type LoadedBoard } from './boards.entity.ts';
import { aroundBoards, boardConditions, boardsOf, findBoard, loadBoards } from './boards.queries.ts';
import type { BoardService } from './boards.service.ts';
import type { BoardMoves, Column } from './moving.ts';

export const boardTag = { credentials: ['token', 'session'], tag: 'Boards' } as const;
export const boardPlaces = [
  {
    kind: 'project',
    noun: 'Project',
    read: { on: 'project', ability: 'read_board' },
    write: { on: 'project', ability: 'admin_board' },
  },
  {
    kind: 'group',
    noun: 'Group',
    read: { on: 'group', ability: 'read_group_board' },
    write: { on: 'group', ability: 'admin_group_board' },
  },
] as const;
export const boardId = { board_id: Int({ description: 'Id of the board' }) };

const changed = {
  name: Optional(Str({ description: 'Name of the board' })),
  hide_backlog_list: Optional(Bool({ description: 'Hide the column of issues of no list' })),
  hide_closed_list: Optional(Bool({ description: 'Hide the column of closed issues' })),
  assignee_id: Optional(OrNull(Int({ description: 'Only issues of this assignee; 0 for all' }))),
  milestone_id: Optional(OrNull(Int({ description: 'Only issues of this milestone; 0 for all' }))),
  labels: Optional(
    OrNull(
      List(Str({ maxLength: 255 }), {
        commas: true,
        maxItems: 100,
        description: 'Only issues with all of these labels',
      }),
    ),
  ),
  weight: Optional(OrNull(Int32({ minimum: 0, description: 'Only issues of this weight; null for all' }))),
};

/** The board of a place; 404 where there is none. */
export async function boardOf(db: Db, place: Place, id: number): Promise<BoardRow> {
  const row = await findBoard(db, place, id);
  if (!row) throw notFound('Board');
  return row;
}

const columnFilter = (board: LoadedBoard, column: Column) => ({
  state: column === 'closed' ? ('closed' as const) : ('opened' as const),
  conditions: boardConditions(board, column),
});

/** Which issues a board of the place shows at all, and how. */
const shownOn = (subject: Place, details: boolean) => ({
  place:
    subject.kind === 'project'
      ? ({ kind: 'project', subject } as const)
      : ({ kind: 'group', id: subject.group.id, descendants: true, archived: false } as const),
  from: subject.kind === 'project' ? { projectId: subject.project.id } : { groupId: subject.group.id },
  params: { order_by: 'relative_position', sort: 'asc', with_labels_details: details } as const,
});

export function boardRoutes({
  db,
  base,
  boards,
  issues,
  beginnings,
  move,
  presentIssue,
}: {
  readonly db: Db;
  readonly base: string;
  readonly boards: BoardService;
  readonly issues: IssueLists;
  readonly beginnings: IssueBeginnings;
  readonly move: BoardMoves;
  readonly presentIssue: PresentIssue;
}): Route[] {
  async function shown(rows: readonly BoardRow[], place: Place) {
    const loaded = await loadBoards(db, rows);
    const around = await aroundBoards(db, loaded);
    return loaded.map((each) => boardJson(each, around, place, base));
  }
  async function one(row: BoardRow, place: Place) {
    const [found] = await shown([row], place);
    if (!found) throw notFound('Board');
    return found;
  }
  const columnIn = (board: LoadedBoard, name: string): Column => {
    if (name === 'backlog' || name === 'closed') return name;
    const list = board.lists.find(({ id }) => id === Number(name));
    if (!list) throw notFound('List');
    return list;
  };
  async function columnOf(place: Place, boardId: number, name: string) {
    const [board] = await loadBoards(db, [await boardOf(db, place, boardId)]);
    if (!board) throw notFound('Board');
    return { board, column: columnIn(board, name) };
  }
  return boardPlaces.flatMap(({ kind, noun, read, write }) => {
    const path = `/${kind}s/:id/boards`;
    const parent = { id: IdOrPath(noun) };
    const single = { ...parent, ...boardId };
    return [
      route({
        ...boardTag,
        method: 'GET',
        path,
        summary: `List boards of a ${kind}`,
        access: read,
        params: Type.Object(parent),
        pagination: 'offset',
        responses: { 200: ListOf(Board) },
        handler: async ({ subject, page }) => {
          const paged = slicePage(page, await boardsOf(db, subject));
          return withItems(paged, await shown(paged.items, subject));
        },
      }),
      route({
        ...boardTag,
        method: 'POST',
        path,
        summary: `Create a board of a ${kind}`,
        access: write,
        params: Type.Object({ ...parent, name: Str({ description: 'Name of the board' }) }),
        responses: { 201: Board },
        handler: async ({ params, subject }) => await one(await boards.create(subject, params.name), subject),
      }),
      route({
        ...boardTag,
        method: 'GET',
        path: `${path}/:board_id`,
        summary: `Get a board of a ${kind}`,
        access: read,
        params: Type.Object(single),
        responses: { 200: Board },
        handler: async ({ params, subject }) => await one(await boardOf(db, subject, params.board_id), subject),
      }),
      route({
        ...boardTag,
        method: 'PUT',
        path: `${path}/:board_id`,
        summary: `Update a board of a ${kind}`,
        access: write,
        params: Type.Object({ ...single, ...changed }, rules(atLeastOneOf(...Object.keys(changed)))),
        responses: { 200: Board },
        handler: async ({ params, subject, caller }) => {
          const { id } = await boardOf(db, subject, params.board_id);
          const { name, hide_backlog_list, hide_closed_list, assignee_id, milestone_id, labels, weight } = params;
          const given = { name, hide_backlog_list, hide_closed_list, assignee_id, milestone_id, labels, weight };
          return await one(await boards.update(subject, caller, id, given), subject);
        },
      }),
      route({
        ...boardTag,
        method: 'DELETE',
        path: `${path}/:board_id`,
        summary: `Delete a board of a ${kind}`,
        access: write,
        params: Type.Object(single),
        responses: { 204: Empty },
        conditional: true,
        handler: async ({ params, subject, unmodifiedSince }) => {
          const row = await boardOf(db, subject, params.board_id);
          unmodifiedSince(row.updated_at);
          await boards.remove(row);
        },
      }),
      route({
        ...boardTag,
        method: 'GET',
        path: `${path}/:board_id/issues`,
        summary: `List issues of a list of a board of a ${kind}, in their order`,
        access: read,
        params: Type.Object({ ...single, ...columnParams('issues') }),
        pagination: 'offset',
        responses: { 200: ListOf(ListedIssue) },
        handler: async ({ params, subject, caller, page }) => {
          const { board, column } = await columnOf(subject, params.board_id, params.column ?? 'backlog');
          const details = params.with_labels_details ?? false;
          return await issues({ ...shownOn(subject, details), caller, filter: columnFilter(board, column) }, page);
        },
      }),
      route({
        ...boardTag,
        method: 'GET',
        path: `${path}/:board_id/columns`,
        summary: `List columns of a board of a ${kind} with their first issues, in their order`,
        access: read,
        params: Type.Object({ ...single, ...columnsParams('issues') }),
        responses: { 200: ListOf(BoardColumn) },
        handler: async ({ params, subject, caller }) => {
          const [board] = await loadBoards(db, [await boardOf(db, subject, params.board_id)]);
          if (!board) throw notFound('Board');
          const names = [...new Set(params.columns ?? shownColumns(board.row, board.lists))];
          const filters = names.map((name) => columnFilter(board, columnIn(board, name)));
          const details = params.with_labels_details ?? false;
          const found = await beginnings({ ...shownOn(subject, details), caller, filters }, params.limit ?? 20);
          return found.map(({ total, more, items }, at) => ({
            ...{ column: names[at] ?? '', total, has_more: more, issues: items },
          }));
        },
      }),
      route({
        ...boardTag,
        method: 'PUT',
        path: `${path}/:board_id/issues/:issue_id`,
        summary: `Move an issue on a board of a ${kind}`,
        access: read,
        params: Type.Object({
          ...single,
          issue_id: Int({ description: 'Id of the issue' }),
          ...moveParams('issue'),
        }),
        errors: [409],
        responses: { 200: Issue },
        handler: async ({ params, subject, caller }) => {
          const { board, column: to } = await columnOf(subject, params.board_id, params.to_column);
          const { issue, of } = await move(subject, caller, board, await aroundBoards(db, [board]), {
            issueId: params.issue_id,
            from: params.from_column === undefined ? undefined : columnIn(board, params.from_column),
            to,
            after: params.move_after_id ?? null,
            before: params.move_before_id ?? null,
          });
          return await presentIssue(issue, caller, of);
        },
      }),
    ];
  });
}
