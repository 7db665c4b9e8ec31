/** Accounts by when somebody was last there. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** People who were not there for so many days; by id. Who never was counts from when the account was made. */
export async function dormantUsers(db: Db, days: number, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users
    where id > ${after} and state = 'active' and user_type = 'human'
      and coalesce(greatest(last_activity_on, current_sign_in_at::date), created_at::date) < current_date - ${days}::int
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
