/** Facts: what happened, written in the transaction of the change that it tells about. */
import { sql } from 'kysely';
import { type Db, easedCommit } from '../db/index.ts';
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

/** A fact that somebody still waits for. */
export interface OpenFact {
  readonly fact: StoredFact;
  /** Names of the consumers that have it, where an earlier process left it in part. */
  readonly deliveredTo: ReadonlySet<string>;
}

/** The oldest facts that are not delivered yet, without those that the caller has. */
export async function openFacts(db: Db, limit: number, taken: Iterable<number>): Promise<OpenFact[]> {
  const rows = await db
    .selectFrom('facts')
    .select([...columns, 'delivered_to'])
    .where('delivered_at', 'is', null)
    .where(sql<boolean>`id <> all(${[...taken]}::bigint[])`)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ delivered_to, ...fact }) => ({
    fact: fact as unknown as StoredFact,
    deliveredTo: new Set(delivered_to),
  }));
}

export async function factById(db: Db, id: number): Promise<StoredFact | undefined> {
  const row = await db.selectFrom('facts').select(columns).where('id', '=', id).executeTakeFirst();
  return row as StoredFact | undefined;
}

/** Nothing waits for the disk: a mark that a crash loses only has its fact delivered again. */
export async function markDelivered(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`update facts set delivered_at = now() from (${easedCommit}) as eased
    where id = any(${ids}::bigint[])`.execute(tx);
}

/** Notes who has facts that others still wait for. */
export async function markDeliveredTo(
  db: Db,
  facts: readonly { readonly id: number; readonly consumers: readonly string[] }[],
): Promise<void> {
  if (facts.length === 0) return;
  await sql`update facts set delivered_to = array(select jsonb_array_elements_text(had.consumers))
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) as had (id bigint, consumers jsonb)
    where facts.id = had.id`.execute(db);
}

/** Removes a batch of facts that were delivered before the date; answers how many. */
export async function removeDelivered(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from facts where id in (
    select id from facts where delivered_at < ${before} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
