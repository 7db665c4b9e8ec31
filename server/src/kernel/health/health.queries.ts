/** The smallest question to the database. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}
