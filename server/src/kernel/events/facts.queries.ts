/** Facts: what happened, written in the transaction of the change that it tells about. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { FactContext, FactDefinition, PayloadOf, StoredFact } from './fact.ts';

/** Wakes the processes that deliver; sent by the same statement, heard when the transaction commits. */
export const factsChannel = 'facts';

/** Records a fact; it is delivered after the transaction commits, and never if it does not. */
export async function recordFact<D extends FactDefinition>(
  tx: Db,
  fact: D,
  payload: PayloadOf<D>,
  { project_id = null, namespace_id = null, actor_id = null }: FactContext = {},
): Promise<void> {
  await sql`with recorded as (
      insert into facts (kind, project_id, namespace_id, actor_id, payload)
      values (${fact.kind}, ${project_id}, ${namespace_id}, ${actor_id}, ${JSON.stringify(payload)}::jsonb)
      returning id)
    select pg_notify(${factsChannel}, '') from recorded`.execute(tx);
}

const columns = ['id', 'kind', 'project_id', 'namespace_id', 'actor_id', 'payload', 'created_at'] as const;

/** The oldest facts that are not delivered yet. */
export async function openFacts(db: Db, limit: number): Promise<StoredFact[]> {
  const rows = await db
    .selectFrom('facts')
    .select(columns)
    .where('delivered_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as StoredFact[];
}

export async function factById(db: Db, id: number): Promise<StoredFact | undefined> {
  const row = await db.selectFrom('facts').select(columns).where('id', '=', id).executeTakeFirst();
  return row as StoredFact | undefined;
}

export async function markDelivered(tx: Db, id: number): Promise<void> {
  await tx.updateTable('facts').set({ delivered_at: sql`now()` }).where('id', '=', id).execute();
}

/** Removes a batch of facts that were delivered before the date; answers how many. */
export async function removeDelivered(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from facts where id in (
    select id from facts where delivered_at < ${before} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
