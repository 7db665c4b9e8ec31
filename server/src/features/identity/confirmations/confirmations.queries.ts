/** Addresses that wait for their confirmation: primary ones in `users`, further ones in `emails`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Email, User } from '../../../kernel/db/rows.ts';

const lower = (text: string) => text.toLowerCase();

/** Remembers what the user must confirm; `newAddress` replaces the primary one when they do. */
export async function setUserConfirmation(
  tx: Db,
  userId: number,
  newAddress: string | null,
  tokenSha256: Buffer,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ unconfirmed_email: newAddress, confirmation_token_sha256: tokenSha256, confirmation_sent_at: sql`now()` })
    .where('id', '=', userId)
    .execute();
}

export async function setEmailConfirmation(tx: Db, emailId: number, tokenSha256: Buffer): Promise<void> {
  await tx
    .updateTable('emails')
    .set({ confirmation_token_sha256: tokenSha256, confirmation_sent_at: sql`now()` })
    .where('id', '=', emailId)
    .execute();
}

const recent = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;

export async function findUserToConfirm(tx: Db, tokenSha256: Buffer, days: number): Promise<User | undefined> {
  return await tx
    .selectFrom('users')
    .selectAll()
    .where('confirmation_token_sha256', '=', tokenSha256)
    .where('confirmation_sent_at', '>', recent(days))
    .forUpdate()
    .executeTakeFirst();
}

export async function findEmailToConfirm(
  tx: Db,
  tokenSha256: Buffer,
  days: number,
): Promise<(Email & { username: string }) | undefined> {
  return await tx
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .selectAll('emails')
    .select('users.username')
    .where('emails.confirmation_token_sha256', '=', tokenSha256)
    .where('emails.confirmation_sent_at', '>', recent(days))
    .where('emails.confirmed_at', 'is', null)
    .forUpdate('emails')
    .executeTakeFirst();
}

/** The primary address becomes `address`, confirmed. */
export async function confirmPrimary(tx: Db, userId: number, address: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      email: address,
      confirmed_at: sql`now()`,
      unconfirmed_email: null,
      confirmation_token_sha256: null,
      confirmation_sent_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', userId)
    .execute();
}

export async function confirmEmail(tx: Db, emailId: number): Promise<void> {
  await tx
    .updateTable('emails')
    .set({ confirmed_at: sql`now()`, confirmation_token_sha256: null, confirmation_sent_at: null })
    .where('id', '=', emailId)
    .execute();
}

/**
 * Whether an address is somebody's: the primary one of another user, or a confirmed further one of another. What nobody
 * confirmed is nobody's.
 */
export async function addressTaken(db: Db, address: string, exceptUserId: number | null): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select
    exists (select from users where lower(email) = ${lower(address)} and id <> ${exceptUserId ?? 0})
    or exists (select from emails where lower(email) = ${lower(address)} and confirmed_at is not null
      and user_id <> ${exceptUserId ?? 0}) as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

/** Removes an address that others claimed and never confirmed, and the claims of it to become a primary one. */
export async function dropUnconfirmed(tx: Db, address: string, exceptUserId: number): Promise<void> {
  await tx
    .deleteFrom('emails')
    .where(sql`lower(email)`, '=', lower(address))
    .where('confirmed_at', 'is', null)
    .where('user_id', '<>', exceptUserId)
    .execute();
}

/** Removes further addresses that were not confirmed in time. */
export async function dropOldUnconfirmed(db: Db, days: number): Promise<void> {
  await db.deleteFrom('emails').where('confirmed_at', 'is', null).where('created_at', '<', recent(days)).execute();
}

/** The confirmed addresses of a user, the primary one first. */
export async function confirmedAddresses(db: Db, user: Pick<User, 'id' | 'email' | 'confirmed_at'>): Promise<string[]> {
  const rows = await db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', user.id)
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute();
  return [...(user.confirmed_at ? [user.email] : []), ...rows.map(({ email }) => email)];
}

/** A confirmed further address that becomes the primary one leaves its row to the one before. */
export async function swapConfirmed(tx: Db, user: User, address: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('emails')
    .where('user_id', '=', user.id)
    .where(sql`lower(email)`, '=', lower(address))
    .where('confirmed_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (!row) return false;
  if (user.confirmed_at)
    await tx
      .insertInto('emails')
      .values({ user_id: user.id, email: user.email, confirmed_at: user.confirmed_at })
      .execute();
  return true;
}
