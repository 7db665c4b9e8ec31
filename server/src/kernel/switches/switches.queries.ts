/** Rows of `feature_gates`. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

/** The channel that tells every process to forget its copy. */
export const switchesChannel = 'switches';

/** How far a switch is on. Percentages count only where it is not wholly on. */
export interface Gate {
  readonly enabled: boolean;
  readonly percentage_of_time: number | null;
  readonly percentage_of_actors: number | null;
}

export interface NamedGate extends Gate {
  readonly name: string;
}

export async function readGates(db: Db): Promise<NamedGate[]> {
  return await db
    .selectFrom('feature_gates')
    .select(['name', 'enabled', 'percentage_of_time', 'percentage_of_actors'])
    .orderBy('name')
    .execute();
}

const tell = (db: Db, name: string) => sql`select pg_notify(${switchesChannel}, ${name})`.execute(db);

/** Stores a gate; the other processes hear of it when the transaction commits. A key that is left out stays. */
export async function writeGate(db: Db, name: string, changes: Partial<Gate>): Promise<NamedGate> {
  const row = await db
    .insertInto('feature_gates')
    .values({ enabled: false, ...changes, name })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ ...changes, updated_at: sql`now()` }))
    .returning(['name', 'enabled', 'percentage_of_time', 'percentage_of_actors'])
    .executeTakeFirstOrThrow();
  await tell(db, name);
  return row;
}

/** False when it was not set. */
export async function deleteGate(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('feature_gates').where('name', '=', name).executeTakeFirst();
  await tell(db, name);
  return numDeletedRows > 0n;
}
