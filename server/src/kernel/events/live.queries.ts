/** Announcing changes to open pages. */
import type { Db } from '../db/index.ts';
import { addToOutbox } from './outbox.queries.ts';

/**
 * Announces a change under a topic like `pipeline:12`, when the transaction commits. Equal topics of one transaction
 * arrive once. Ids only: who hears it is not checked here, and a notification ends at 8,000 bytes.
 */
export async function publish(tx: Db, ...topics: string[]): Promise<void> {
  await addToOutbox(
    tx,
    topics.map((topic) => ({ topic })),
  );
}
