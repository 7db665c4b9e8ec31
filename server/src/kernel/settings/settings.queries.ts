/** Rows of `application_settings`. */
import { sql } from 'kysely';
import { type Db, lockInTransaction } from '../db/index.ts';

/** The channel that tells every process to forget its copy. */
export const settingsChannel = 'settings';

/** Every stored setting; those that were never changed have no row. */
export async function readSettings(db: Db): Promise<Array<{ name: string; value: unknown }>> {
  return await db.selectFrom('application_settings').select(['name', 'value']).execute();
}

/** Later writers wait for the end of the transaction, so that each decides on what the one before it left. */
export const lockSettings = (tx: Db): Promise<void> => lockInTransaction(tx, 'application_settings');

/** Stores settings at once; every process hears of it once, when the transaction commits. */
export async function writeSettings(tx: Db, values: ReadonlyMap<string, unknown>): Promise<void> {
  const rows = [...values].map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  await tx
    .insertInto('application_settings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value: (eb) => eb.ref('excluded.value'), updated_at: sql`now()` }),
    )
    .execute();
  await sql`select pg_notify(${settingsChannel}, '')`.execute(tx);
}

/** When the instance was made, and when a setting was last changed. */
export async function settingsTimes(db: Db): Promise<{ created_at: Date; updated_at: Date }> {
  const { rows } = await sql<{ created_at: Date; updated_at: Date }>`
    select made.created_at, greatest(made.created_at, changed.updated_at) as updated_at
      from (select coalesce(min(applied_at), now()) as created_at from schema_migrations) made,
           (select max(updated_at) as updated_at from application_settings) changed`.execute(db);
  return rows[0] as { created_at: Date; updated_at: Date };
}
