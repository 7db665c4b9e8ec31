/** Rows of users who go, and of the one who stands for them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';

export async function findGhost(db: Db): Promise<User | undefined> {
  return await db.selectFrom('users').selectAll().where('user_type', '=', 'ghost').executeTakeFirst();
}

/** Removes the row; tokens, sessions, keys, grants and the personal namespace go with it. */
export async function deleteUser(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** People who never confirmed their address and never came, made that many days ago; by id. */
export async function unconfirmedUsers(db: Db, days: number, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', '>', after)
    .where('confirmed_at', 'is', null)
    .where('user_type', '=', 'human')
    .where('sign_in_count', '=', 0)
    .where('deletion_requested_at', 'is', null)
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** `ghost`, or the first of `ghost1`, `ghost2` ... that neither a user nor a group has. */
export async function freeGhostName(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from (select 'ghost' || case when n = 0 then '' else n::text end as name, n from generate_series(0, 1000) n) g
    where not exists (select from users where lower(username) = g.name)
      and not exists (select from namespaces where coalesce(parent_id, 0) = 0 and lower(path) = g.name)
    order by n limit 1`.execute(db);
  return rows[0]?.name ?? 'ghost';
}
