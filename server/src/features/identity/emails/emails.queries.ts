/** Rows of `emails`: addresses besides the primary one. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Email } from '../../../kernel/db/rows.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function insertEmail(tx: Db, userId: number, email: string, confirmed: boolean): Promise<Email> {
  return await tx
    .insertInto('emails')
    .values({ user_id: userId, email, confirmed_at: confirmed ? new Date() : null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function listEmails(
  db: Db,
  userId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<Email[]> {
  return await db
    .selectFrom('emails')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countEmails = (db: Db, userId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('emails').select('id').where('user_id', '=', userId));

export async function findEmail(db: Db, userId: number, id: number): Promise<Email | undefined> {
  return await db
    .selectFrom('emails')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Removes an address; where it was shown or used for commits, it no longer is. */
/** False when it was removed meanwhile. */
export async function deleteEmail(tx: Db, email: Email): Promise<boolean> {
  const gone = await tx.deleteFrom('emails').where('id', '=', email.id).returning('id').executeTakeFirst();
  if (!gone) return false;
  await sql`update users set
      public_email = case when lower(public_email) = lower(${email.email}) then '' else public_email end,
      commit_email = case when lower(commit_email) = lower(${email.email}) then null else commit_email end,
      notification_email = case when lower(notification_email) = lower(${email.email}) then null else notification_email end
    where id = ${email.user_id}`.execute(tx);
  return true;
}
