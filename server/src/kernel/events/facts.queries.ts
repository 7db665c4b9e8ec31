/** Facts: what happened, written in the transaction of the change that it tells about. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { FactContext, FactDefinition, PayloadOf, StoredFact } from './fact.ts';
import { addToOutbox } from './outbox.queries.ts';

/** Records a fact; it is delivered after the transaction commits, and never if it does not. */
export async function recordFact<D extends FactDefinition>(
  tx: Db,
  fact: D,
  payload: PayloadOf<D>,
  context: FactContext = {},
): Promise<void> {
  await addToOutbox(tx, [{ kind: fact.kind, payload: JSON.stringify(payload), context }]);
}

const columns = ['id', 'kind', 'project_id', 'namespace_id', 'actor_id', 'payload', 'created_at'] as const;

/** The oldest facts that are not delivered yet, without those that the caller has. */
export async function openFacts(db: Db, limit: number, taken: Iterable<number>): Promise<StoredFact[]> {
  const rows = await db
    .selectFrom('facts')
    .select(columns)
    .where('delivered_at', 'is', null)
    .where(sql<boolean>`id <> all(${[...taken]}::bigint[])`)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as StoredFact[];
}

export async function factById(db: Db, id: number): Promise<StoredFact | undefined> {
  const row = await db.selectFrom('facts').select(columns).where('id', '=', id).executeTakeFirst();
  return row as StoredFact | undefined;
}

export async function markDelivered(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`update facts set delivered_at = now() where id = any(${ids}::bigint[])`.execute(tx);
}

/** Removes a batch of facts that were delivered before the date; answers how many. */
export async function removeDelivered(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from facts where id in (
    select id from facts where delivered_at < ${before} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
