/** SQL of boards and their lists. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Board, BoardList, Iteration, Label } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { milestonesById } from '../../collaboration/index.ts';
import { findReferences } from '../../identity/index.ts';
import { allOf, type Place, placeColumns, type Sql } from '../../namespaces/index.ts';
import type { Around, LoadedBoard } from './boards.entity.ts';

const own = (place: Place) =>
  place.kind === 'project'
    ? sql<boolean>`project_id = ${place.project.id}`
    : sql<boolean>`namespace_id = ${place.group.id}`;
const groupsOf = (place: Place) => [...(place.kind === 'project' ? place.namespace : place.group).traversal_ids];
/** Labels, milestones and iterations that hold at a place: its own and those of the groups above. */
const holds = (place: Place, projects: boolean) =>
  place.kind === 'project' && projects
    ? sql<boolean>`(project_id = ${place.project.id} or namespace_id = any(${groupsOf(place)}::bigint[]))`
    : sql<boolean>`namespace_id = any(${groupsOf(place)}::bigint[])`;

export async function boardsOf(db: Db, place: Place): Promise<Board[]> {
  return await db.selectFrom('boards').selectAll().where(own(place)).orderBy('id').execute();
}

/** Labels of the columns of a project's board; null unless it has exactly one board. */
export async function labelColumns(db: Db, projectId: number): Promise<number[] | null> {
  const { rows } = await sql<{ labels: number[] }>`
    select array_remove(array_agg(l.label_id), null) as labels
    from boards b left join board_lists l on l.board_id = b.id
    where b.project_id = ${projectId} group by b.id limit 2`.execute(db);
  return rows.length === 1 ? (rows[0]?.labels ?? null) : null;
}

export async function findBoard(db: Db, place: Place, id: number): Promise<Board | undefined> {
  return await db.selectFrom('boards').selectAll().where(own(place)).where('id', '=', id).executeTakeFirst();
}

/** The row, locked until the transaction ends: its lists change one after the other. */
export async function lockBoard(tx: Db, id: number): Promise<Board | undefined> {
  return await tx.selectFrom('boards').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function insertBoard(tx: Db, place: Place, name: string): Promise<Board> {
  return await tx
    .insertInto('boards')
    .values({ ...placeColumns(place), name })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type BoardValues = Partial<
  Pick<Board, 'name' | 'hide_backlog_list' | 'hide_closed_list' | 'milestone_id' | 'assignee_id' | 'weight'>
>;

export async function updateBoard(tx: Db, id: number, values: BoardValues): Promise<Board> {
  return await tx
    .updateTable('boards')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Board'));
}

export async function setBoardLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  const wanted = [...labelIds];
  await sql`delete from board_labels where board_id = ${id} and label_id <> all(${wanted}::bigint[])`.execute(tx);
  await sql`insert into board_labels (board_id, label_id)
    select ${id}, l.id from labels l where l.id = any(${wanted}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

/** False when it was removed meanwhile. */
export async function deleteBoard(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('boards').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

export type ListSubject = 'label_id' | 'assignee_id' | 'milestone_id' | 'iteration_id';
const tables = { label_id: 'labels', milestone_id: 'milestones', iteration_id: 'iterations' } as const;

/** Whether a label, milestone or iteration holds at a place, or a person can be assigned. */
export async function isKnown(db: Db, place: Place, what: ListSubject, id: number): Promise<boolean> {
  const { rows } =
    what === 'assignee_id'
      ? await sql`select from users where id = ${id} and state = 'active'`.execute(db)
      : await sql`select from ${sql.table(tables[what])}
          where id = ${id} and ${holds(place, what !== 'iteration_id')}`.execute(db);
  return rows.length > 0;
}

export async function listsOf(db: Db, boardIds: readonly number[]): Promise<BoardList[]> {
  return await db
    .selectFrom('board_lists')
    .selectAll()
    .where(sql<boolean>`board_id = any(${[...boardIds]}::bigint[])`)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

/** At the right end; undefined where the board has the list already. */
export async function insertList(
  tx: Db,
  boardId: number,
  what: ListSubject,
  id: number,
): Promise<BoardList | undefined> {
  const { rows } = await sql<BoardList>`insert into board_lists (board_id, ${sql.ref(what)}, position)
    select ${boardId}, ${id}, coalesce(max(position) + 1, 0) from board_lists where board_id = ${boardId}
    on conflict do nothing returning *`.execute(tx);
  return rows[0];
}

/** Numbers the lists of a board in this order. */
export async function setOrderOfLists(tx: Db, boardId: number, ids: readonly number[]): Promise<void> {
  await sql`update board_lists l set position = w.place - 1, updated_at = now()
    from unnest(${[...ids]}::bigint[]) with ordinality w (id, place)
    where l.id = w.id and l.board_id = ${boardId} and l.position <> w.place - 1`.execute(tx);
}

/** False when it was removed meanwhile. */
export async function deleteList(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('board_lists').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** Boards with their lists and labels. */
export async function loadBoards(db: Db, rows: readonly Board[]): Promise<LoadedBoard[]> {
  const ids = rows.map(({ id }) => id);
  const [lists, labels] = await Promise.all([
    listsOf(db, ids),
    db
      .selectFrom('board_labels')
      .selectAll()
      .where(sql<boolean>`board_id = any(${ids}::bigint[])`)
      .orderBy('label_id')
      .execute(),
  ]);
  return rows.map((row) => ({
    row,
    lists: lists.filter(({ board_id }) => board_id === row.id),
    labelIds: labels.flatMap(({ board_id, label_id }) => (board_id === row.id ? [label_id] : [])),
  }));
}

const present = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);
const byId = <T extends { readonly id: number }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

/** All that boards and lists name, with the same few queries for any number of them. */
export async function aroundBoards(db: Db, boards: readonly LoadedBoard[]): Promise<Around> {
  const lists = boards.flatMap((board) => board.lists);
  const labelIds = present([...boards.flatMap((board) => board.labelIds), ...lists.map((list) => list.label_id)]);
  const iterationIds = present(lists.map((list) => list.iteration_id));
  const [labels, people, milestones, iterations] = await Promise.all([
    labelIds.length === 0
      ? []
      : sql<Label>`select * from labels where id = any(${labelIds}::bigint[])`.execute(db).then(({ rows }) => rows),
    findReferences(db, present([...boards, ...lists].map((each) => ('row' in each ? each.row : each).assignee_id))),
    milestonesById(db, present([...boards, ...lists].map((each) => ('row' in each ? each.row : each).milestone_id))),
    iterationIds.length === 0
      ? []
      : sql<Iteration & { group_path: string }>`select i.*, n.full_path as group_path from iterations i
          join namespaces n on n.id = i.namespace_id where i.id = any(${iterationIds}::bigint[])`
          .execute(db)
          .then(({ rows }) => rows),
  ]);
  return { labels: byId(labels), people, milestones: byId(milestones), iterations: byId(iterations) };
}

/** Issues `i` that are in a list. */
function inList(list: BoardList): Sql {
  if (list.label_id !== null)
    return sql`exists (select from issue_labels k where k.issue_id = i.id and k.label_id = ${list.label_id})`;
  if (list.assignee_id !== null)
    return sql`exists (select from issue_assignees a where a.issue_id = i.id and a.user_id = ${list.assignee_id})`;
  return list.milestone_id === null
    ? sql`i.iteration_id is not distinct from ${list.iteration_id}::bigint`
    : sql`i.milestone_id is not distinct from ${list.milestone_id}::bigint`;
}

/** Conditions on issues `i` of a board: its scope, and those of a list; with no list, those of none. */
export function boardConditions({ row, labelIds, lists }: LoadedBoard, list: BoardList | 'backlog' | 'closed'): Sql[] {
  const scope = [
    ...(row.milestone_id === null ? [] : [sql`i.milestone_id = ${row.milestone_id}`]),
    ...(row.assignee_id === null
      ? []
      : [sql`exists (select from issue_assignees a where a.issue_id = i.id and a.user_id = ${row.assignee_id})`]),
    ...(row.weight === null ? [] : [sql`i.weight = ${row.weight}`]),
    ...labelIds.map((id) => sql`exists (select from issue_labels k where k.issue_id = i.id and k.label_id = ${id})`),
  ];
  if (list === 'closed') return scope;
  return [...scope, ...(list === 'backlog' ? lists.map((each) => sql`not ${inList(each)}`) : [inList(list)])];
}

/** Whether an issue is in a column of a board. */
export async function isInColumn(
  tx: Db,
  board: LoadedBoard,
  column: BoardList | 'backlog' | 'closed',
  issueId: number,
): Promise<boolean> {
  const state = column === 'closed' ? 'closed' : 'opened';
  const { rows } = await sql`select from issues i
    where i.id = ${issueId} and i.state = ${state} and ${allOf(boardConditions(board, column))}`.execute(tx);
  return rows.length > 0;
}
