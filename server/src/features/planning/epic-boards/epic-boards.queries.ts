/** SQL of epic boards and their lists. Labels that no longer hold in the group, after it was moved, are left out. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { EpicBoard, EpicBoardList, Label, Namespace } from '../../../kernel/db/rows.ts';

type Group = Pick<Namespace, 'id' | 'traversal_ids'>;

const holds = (group: Group) => sql<boolean>`labels.namespace_id = any(${[...group.traversal_ids]}::bigint[])`;

export async function epicBoardsOf(db: Db, groupId: number): Promise<EpicBoard[]> {
  return await db.selectFrom('epic_boards').selectAll().where('namespace_id', '=', groupId).orderBy('id').execute();
}

export async function findEpicBoard(db: Db, groupId: number, id: number): Promise<EpicBoard | undefined> {
  return await db
    .selectFrom('epic_boards')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The row, locked until the transaction ends: its lists change one after the other. */
export async function lockEpicBoard(tx: Db, id: number): Promise<EpicBoard | undefined> {
  return await tx.selectFrom('epic_boards').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export interface EpicBoardValues {
  readonly name?: string;
  readonly hide_backlog_list?: boolean;
  readonly hide_closed_list?: boolean;
}

export async function insertEpicBoard(
  tx: Db,
  groupId: number,
  values: EpicBoardValues & { readonly name: string },
): Promise<EpicBoard> {
  return await tx
    .insertInto('epic_boards')
    .values({ namespace_id: groupId, ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateEpicBoard(tx: Db, id: number, values: EpicBoardValues): Promise<void> {
  await tx
    .updateTable('epic_boards')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

export async function setEpicBoardLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  const wanted = [...labelIds];
  await sql`delete from epic_board_labels where epic_board_id = ${id} and label_id <> all(${wanted}::bigint[])`.execute(
    tx,
  );
  await sql`insert into epic_board_labels (epic_board_id, label_id)
    select ${id}, l.id from labels l where l.id = any(${wanted}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

/** False when it was removed meanwhile. */
export async function deleteEpicBoard(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('epic_boards').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

export async function groupLabel(db: Db, group: Group, id: number): Promise<boolean> {
  const found = await db.selectFrom('labels').select('id').where('id', '=', id).where(holds(group)).executeTakeFirst();
  return found !== undefined;
}

/** At the right end; undefined where the board has the list already. */
export async function insertEpicBoardList(
  tx: Db,
  boardId: number,
  labelId: number,
): Promise<EpicBoardList | undefined> {
  const { rows } = await sql<EpicBoardList>`insert into epic_board_lists (epic_board_id, label_id, position)
    select ${boardId}, ${labelId}, coalesce(max(position) + 1, 0) from epic_board_lists where epic_board_id = ${boardId}
    on conflict do nothing returning *`.execute(tx);
  return rows[0];
}

export interface ShownList {
  readonly list: EpicBoardList;
  readonly label: Label;
}

const hasLabel = (title: string) => sql`exists (select from epic_labels k join labels l on l.id = k.label_id
  where k.epic_id = e.id and l.title = ${title})`;

/** Whether an epic is in a column of a board, which is one of these lists, or of what is in none of them, or of closed ones. */
export async function isInEpicColumn(
  tx: Db,
  column: ShownList | 'backlog' | 'closed',
  lists: readonly ShownList[],
  epicId: number,
): Promise<boolean> {
  const conditions = [
    sql`e.id = ${epicId}`,
    sql`e.state = ${column === 'closed' ? 'closed' : 'opened'}`,
    ...(typeof column === 'object' ? [hasLabel(column.label.title)] : []),
    ...(column === 'backlog' ? lists.map(({ label }) => sql`not ${hasLabel(label.title)}`) : []),
  ];
  const { rows } = await sql`select from epics e where ${sql.join(conditions, sql` and `)}`.execute(tx);
  return rows.length > 0;
}

/** Lists of boards with their labels, from the left. */
export async function epicBoardLists(
  db: Db,
  group: Group,
  boardIds: readonly number[],
): Promise<Map<number, ShownList[]>> {
  const lists = await db
    .selectFrom('epic_board_lists')
    .selectAll()
    .where(sql<boolean>`epic_board_id = any(${[...boardIds]}::bigint[])`)
    .orderBy('position')
    .orderBy('id')
    .execute();
  const labels = await labelsById(
    db,
    group,
    lists.map(({ label_id }) => label_id),
  );
  const found = new Map<number, ShownList[]>(boardIds.map((id) => [id, []]));
  for (const list of lists) {
    const label = labels.get(list.label_id);
    if (label) found.get(list.epic_board_id)?.push({ list, label });
  }
  return found;
}

/** Labels that boards are narrowed to. */
export async function epicBoardLabels(
  db: Db,
  group: Group,
  boardIds: readonly number[],
): Promise<Map<number, Label[]>> {
  const rows = await db
    .selectFrom('epic_board_labels')
    .selectAll()
    .where(sql<boolean>`epic_board_id = any(${[...boardIds]}::bigint[])`)
    .orderBy('label_id')
    .execute();
  const labels = await labelsById(
    db,
    group,
    rows.map(({ label_id }) => label_id),
  );
  const found = new Map<number, Label[]>(boardIds.map((id) => [id, []]));
  for (const row of rows) {
    const label = labels.get(row.label_id);
    if (label) found.get(row.epic_board_id)?.push(label);
  }
  return found;
}

async function labelsById(db: Db, group: Group, ids: readonly number[]): Promise<Map<number, Label>> {
  const rows = await db
    .selectFrom('labels')
    .selectAll()
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .where(holds(group))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Numbers the lists of a board in this order. */
export async function orderEpicBoardLists(tx: Db, boardId: number, ids: readonly number[]): Promise<void> {
  await sql`update epic_board_lists l set position = w.place - 1, updated_at = now()
    from unnest(${[...ids]}::bigint[]) with ordinality w (id, place)
    where l.id = w.id and l.epic_board_id = ${boardId} and l.position <> w.place - 1`.execute(tx);
}

export async function listIdsOf(tx: Db, boardId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('epic_board_lists')
    .select('id')
    .where('epic_board_id', '=', boardId)
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function collapseEpicBoardList(tx: Db, id: number, collapsed: boolean): Promise<void> {
  await tx.updateTable('epic_board_lists').set({ collapsed, updated_at: sql`now()` }).where('id', '=', id).execute();
}

/** False when it was removed meanwhile. */
export async function deleteEpicBoardList(tx: Db, id: number): Promise<boolean> {
  const gone = await tx.deleteFrom('epic_board_lists').where('id', '=', id).returning('id').executeTakeFirst();
  return gone !== undefined;
}
