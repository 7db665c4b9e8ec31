/** Rows of reactions: on things and on comments about them. */
import type { Db } from '../../../kernel/db/index.ts';
import type { AwardEmoji } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { NoteableType } from '../notes/index.ts';

/** What a reaction is on: a thing, or with the id of a comment, that. */
export interface Awardable {
  readonly type: NoteableType;
  readonly id: number | null;
  readonly noteId: number | null;
}

const on = (db: Db, { type, id, noteId }: Awardable) => {
  const all = db.selectFrom('award_emoji');
  return noteId === null
    ? all.where('noteable_type', '=', type).where('noteable_id', '=', id)
    : all.where('note_id', '=', noteId);
};

export async function listAwards(
  db: Db,
  awardable: Awardable,
  page: Page,
): Promise<{ rows: AwardEmoji[]; total: number }> {
  const query = on(db, awardable);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export async function awardOf(db: Db, awardable: Awardable, id: number): Promise<AwardEmoji | undefined> {
  return await on(db, awardable).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Undefined where the person has reacted like that already. */
export async function insertAward(
  tx: Db,
  { type, id, noteId }: Awardable,
  userId: number,
  name: string,
): Promise<AwardEmoji | undefined> {
  return await tx
    .insertInto('award_emoji')
    .values({ noteable_type: type, noteable_id: noteId === null ? id : null, note_id: noteId, user_id: userId, name })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Takes a person's own reaction back; undefined where there is none. */
export async function deleteOwnAward(
  tx: Db,
  awardable: Awardable,
  userId: number,
  name: string,
): Promise<AwardEmoji | undefined> {
  const own = on(tx, awardable).select('id').where('user_id', '=', userId).where('name', '=', name);
  return await tx.deleteFrom('award_emoji').where('id', 'in', own).returningAll().executeTakeFirst();
}

/** False when it was removed meanwhile. */
export async function deleteAward(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('award_emoji').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
