/** Rows of `sessions`, and the counters of failed sign-ins. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Session, User } from '../../../kernel/db/rows.ts';

export interface NewSession {
  readonly userId: number;
  readonly tokenSha256: Buffer;
  readonly remember: boolean;
  readonly ipAddress: string;
  readonly userAgent: string | null;
  readonly lifetimeSeconds: number;
}

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db
    .insertInto('sessions')
    .values({
      user_id: session.userId,
      token_sha256: session.tokenSha256,
      remember: session.remember,
      ip_address: session.ipAddress,
      user_agent: session.userAgent,
      expires_at: sql<Date>`now() + make_interval(secs => ${session.lifetimeSeconds})`,
    })
    .execute();
}

/** Until when the session has an administrator's rights: now and some hours, or not at all. Every process hears of it. */
export async function setAdminMode(db: Db, id: number, hours: number | null): Promise<void> {
  const until = hours === null ? null : sql<Date>`now() + make_interval(hours => ${hours})`;
  await db.updateTable('sessions').set({ admin_until: until }).where('id', '=', id).execute();
}

/** Lets the session of an administrator stand for somebody else, or for the administrator again. */
export async function setActingAs(db: Db, id: number, userId: number | null): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ acting_as_id: userId, acting_since: userId === null ? null : sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** A session in which somebody is signed in, or in which an administrator acts as them. */
export interface ListedSession extends Session {
  /** The administrator's username. */
  readonly impersonator: string | null;
}

export async function listSessions(db: Db, userId: number): Promise<ListedSession[]> {
  return await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select(sql<string | null>`case when sessions.user_id <> ${userId} then users.username end`.as('impersonator'))
    .where((where) => where.or([where('sessions.user_id', '=', userId), where('sessions.acting_as_id', '=', userId)]))
    .where('sessions.expires_at', '>', sql<Date>`now()`)
    .orderBy('sessions.last_seen_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .execute();
}

/** Ends sessions of a person: one, or all but one; administrators stop impersonating them. Answers how many there were. */
export async function endSessions(
  db: Db,
  userId: number,
  which: { id: number } | { exceptId: number },
): Promise<number> {
  const [sign, id] = 'id' in which ? (['=', which.id] as const) : (['!=', which.exceptId] as const);
  const rows = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', sign, id)
    .returning('id')
    .execute();
  const left = await db
    .updateTable('sessions')
    .set({ acting_as_id: null, acting_since: null })
    .where('acting_as_id', '=', userId)
    .where('id', sign, id)
    .returning('id')
    .execute();
  return rows.length + left.length;
}

export async function deleteSession(db: Db, id: number): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends every session of a person; administrators stop impersonating them. */
export async function deleteSessionsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await db
    .updateTable('sessions')
    .set({ acting_as_id: null, acting_since: null })
    .where('acting_as_id', '=', userId)
    .execute();
}

export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', sql<Date>`now()`).execute();
}

/** Moves the expiry of sessions in use forward: by the setting, or by more for those that are to be remembered. */
export async function extendSessions(
  db: Db,
  ids: readonly number[],
  lifetimeSeconds: number,
  rememberedSeconds: number,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({
      last_seen_at: sql`now()`,
      expires_at: sql`now() + make_interval(secs => case when remember then ${rememberedSeconds}::float else ${lifetimeSeconds}::float end)`,
    })
    .where('id', 'in', [...ids])
    .execute();
}

/** Whether a password may be looked at: not while the account is locked; a wrong one after the `last` attempt locks it. */
export type Attempt = 'refused' | 'allowed' | 'last';

/**
 * Counts an attempt before the password is looked at, so that parallel guesses cannot pass the limit. The attempt that
 * reaches the limit locks the account unless the password turns out to be right.
 */
export async function reserveAttempt(db: Db, userId: number, limit: number, lockMinutes: number): Promise<Attempt> {
  const attempts = sql<number>`case when locked_until is not null then 1 else failed_attempts + 1 end`;
  const row = await db
    .updateTable('users')
    .set({
      failed_attempts: attempts,
      locked_until: sql`case when ${attempts} >= ${limit} then now() + make_interval(mins => ${lockMinutes}) end`,
    })
    .where('id', '=', userId)
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', sql<Date>`now()`)]))
    .returning('locked_until')
    .executeTakeFirst();
  if (!row) return 'refused';
  return row.locked_until === null ? 'allowed' : 'last';
}

/** The password was right: no failed attempts any more. */
export async function clearAttempts(db: Db, userId: number): Promise<void> {
  await db.updateTable('users').set({ failed_attempts: 0, locked_until: null }).where('id', '=', userId).execute();
}

/** Whether the user has signed in from the address before, as far as it is remembered. */
export async function knownAddress(
  db: Db,
  user: Pick<User, 'id' | 'current_sign_in_ip' | 'last_sign_in_ip'>,
  ipAddress: string,
): Promise<boolean> {
  if (ipAddress === user.current_sign_in_ip || ipAddress === user.last_sign_in_ip) return true;
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user.id)
    .where('ip_address', '=', ipAddress)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes a sign-in on the page; the user as they are now. */
export async function recordSignIn(db: Db, userId: number, ipAddress: string): Promise<User> {
  return await db
    .updateTable('users')
    .set({
      failed_attempts: 0,
      locked_until: null,
      sign_in_count: sql`sign_in_count + 1`,
      last_sign_in_at: sql`coalesce(current_sign_in_at, now())`,
      current_sign_in_at: sql`now()`,
      last_sign_in_ip: sql`coalesce(current_sign_in_ip, ${ipAddress})`,
      current_sign_in_ip: ipAddress,
      last_activity_on: sql`(now() at time zone 'utc')::date`,
    })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Notes when the user first accepted the terms; false when they had. */
export async function acceptTerms(db: Db, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ accepted_terms_at: sql`now()` })
    .where('id', '=', userId)
    .where('accepted_terms_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
