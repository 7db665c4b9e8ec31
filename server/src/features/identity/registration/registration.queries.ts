/** Reads of signing up and of links that set a password. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';

/** Administrators who can be told of something. */
export async function activeAdministrators(db: Db): Promise<User[]> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('admin', '=', true)
    .where('state', '=', 'active')
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .limit(50)
    .execute();
}

/** How many people have an account that works, counted no further than the limit. */
export async function countPeople(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (
    select 1 from users where state = 'active' and user_type = 'human' limit ${limit}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whose confirmed primary address it is, if they may have a new password and were not sent a link just now. */
export async function findForReset(tx: Db, address: string, quietSeconds: number): Promise<User | undefined> {
  return await tx
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', address.toLowerCase())
    .where('confirmed_at', 'is not', null)
    .where('user_type', '=', 'human')
    .where('state', 'in', ['active', 'deactivated'])
    .where((where) =>
      where.or([
        where('reset_password_sent_at', 'is', null),
        where('reset_password_sent_at', '<', sql<Date>`now() - make_interval(secs => ${quietSeconds})`),
      ]),
    )
    .forUpdate()
    .executeTakeFirst();
}

/** Whose link it is, while it works. */
export async function findByResetToken(db: Db, tokenSha256: Buffer, hours: number): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('reset_password_token_sha256', '=', tokenSha256)
    .where('reset_password_sent_at', '>', sql<Date>`now() - make_interval(hours => ${hours})`)
    .where('state', 'in', ['active', 'deactivated'])
    .executeTakeFirst();
}

/** The user whose primary address waits for its confirmation. */
export async function findUnconfirmed(db: Db, address: string): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', address.toLowerCase())
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
}
