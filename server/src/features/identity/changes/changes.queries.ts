/** Telling other processes that somebody's credentials or rights changed. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The channel on which processes tell each other. */
export const identityChannel = 'identity';

/** Makes every process forget what it knows of callers, when the transaction commits. */
export async function announceChange(db: Db): Promise<void> {
  await sql`select pg_notify(${identityChannel}, '')`.execute(db);
}
