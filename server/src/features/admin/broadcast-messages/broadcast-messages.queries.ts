/** Rows of `broadcast_messages`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { BroadcastMessage } from '../../../kernel/db/rows.ts';
import type { BroadcastMessagesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

const active = sql<boolean>`starts_at <= now() and ends_at > now()`;

/** Newest first. */
export async function listMessages(
  db: Db,
  page: Pick<Page, 'limit' | 'offset'>,
  onlyActive: boolean,
): Promise<{ rows: BroadcastMessage[]; total: number }> {
  const query = db.selectFrom('broadcast_messages').$if(onlyActive, (each) => each.where(active));
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** Whether any message is shown now. */
export async function hasActiveMessages(db: Db): Promise<boolean> {
  const row = await db.selectFrom('broadcast_messages').select('id').where(active).limit(1).executeTakeFirst();
  return row !== undefined;
}

export const findMessage = (db: Db, id: number): Promise<BroadcastMessage | undefined> =>
  db.selectFrom('broadcast_messages').selectAll().where('id', '=', id).executeTakeFirst();

/** Active banners that are not for single roles, newest first. */
export const bannersForAll = (db: Db): Promise<Pick<BroadcastMessage, 'message' | 'target_path'>[]> =>
  db
    .selectFrom('broadcast_messages')
    .select(['message', 'target_path'])
    .where(active)
    .where('broadcast_type', '=', 'banner')
    .where(sql<boolean>`cardinality(target_access_levels) = 0`)
    .orderBy('id', 'desc')
    .execute();

export const insertMessage = (tx: Db, values: Insertable<BroadcastMessagesTable>): Promise<BroadcastMessage> =>
  tx.insertInto('broadcast_messages').values(values).returningAll().executeTakeFirstOrThrow();

export const updateMessage = (
  tx: Db,
  id: number,
  values: Updateable<BroadcastMessagesTable>,
): Promise<BroadcastMessage | undefined> =>
  tx
    .updateTable('broadcast_messages')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export async function deleteMessage(tx: Db, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('broadcast_messages').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}
