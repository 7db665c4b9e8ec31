/** People whom an archive names. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The user of a name. */
export async function personNamed(db: Db, username: string): Promise<number | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .executeTakeFirst();
  return row?.id ?? null;
}
