/** Announcing changes to open pages. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

export const liveChannel = 'live';

/**
 * Announces a change under a topic like `pipeline:12`, when the transaction commits. Equal topics of one transaction
 * arrive once. Ids only: who hears it is not checked here, and a notification ends at 8,000 bytes.
 */
export async function publish(tx: Db, ...topics: string[]): Promise<void> {
  if (topics.length === 0) return;
  await sql`select pg_notify(${liveChannel}, topic) from unnest(${topics}::text[]) as topic`.execute(tx);
}
