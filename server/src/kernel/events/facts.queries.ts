/** Facts: what happened, written in the transaction of the change that it tells about. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

/** Wakes the processes that deliver; sent by the same statement, heard when the transaction commits. */
export const factsChannel = 'facts';

interface NewFact {
  readonly kind: string;
  readonly project_id?: number | null;
  readonly namespace_id?: number | null;
  readonly actor_id?: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A fact as consumers get it. `id` grows over time and tells a repeated delivery. */
export interface Fact {
  readonly id: number;
  readonly kind: string;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
  readonly actor_id: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

/** Records a fact; it is delivered after the transaction commits, and never if it does not. */
export async function emit(tx: Db, fact: NewFact): Promise<void> {
  await sql`with recorded as (
      insert into facts (kind, project_id, namespace_id, actor_id, payload)
      values (${fact.kind}, ${fact.project_id ?? null}, ${fact.namespace_id ?? null}, ${fact.actor_id ?? null},
        ${JSON.stringify(fact.payload)}::jsonb)
      returning id)
    select pg_notify(${factsChannel}, '') from recorded`.execute(tx);
}

const columns = ['id', 'kind', 'project_id', 'namespace_id', 'actor_id', 'payload', 'created_at'] as const;

/** The oldest facts that are not delivered yet. */
export async function openFacts(db: Db, limit: number): Promise<Fact[]> {
  const rows = await db
    .selectFrom('facts')
    .select(columns)
    .where('delivered_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as Fact[];
}

export async function factById(db: Db, id: number): Promise<Fact | undefined> {
  const row = await db.selectFrom('facts').select(columns).where('id', '=', id).executeTakeFirst();
  return row as Fact | undefined;
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
