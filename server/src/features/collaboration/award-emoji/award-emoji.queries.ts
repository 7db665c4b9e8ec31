/** Rows of reactions: on things and on comments about them. */
import { sql } from 'kysely';
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

export async function deleteAward(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('award_emoji').where('id', '=', id).execute();
}

export interface Votes {
  readonly upvotes: number;
  readonly downvotes: number;
}

/** Thumbs up and down on things of a kind; those without any are left out. */
export async function awardCounts(
  db: Db,
  type: NoteableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Votes>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; up: number; down: number }>`
    select noteable_id as id, count(*) filter (where name = 'thumbsup') as up,
      count(*) filter (where name = 'thumbsdown') as down
    from award_emoji
    where noteable_type = ${type} and noteable_id = any(${[...ids]}::bigint[]) and note_id is null
      and name in ('thumbsup', 'thumbsdown')
    group by noteable_id`.execute(db);
  return new Map(rows.map(({ id, up, down }) => [id, { upvotes: Number(up), downvotes: Number(down) }]));
}
