/** Rows of `application_settings`. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

/** The channel that tells every process to forget its copy. */
export const settingsChannel = 'settings';

/** Every stored setting; those that were never changed have no row. */
export async function readSettings(db: Db): Promise<Array<{ name: string; value: unknown }>> {
  return await db.selectFrom('application_settings').select(['name', 'value']).execute();
}

/** Stores one setting; the other processes hear of it when the transaction commits. */
export async function writeSetting(db: Db, name: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await db
    .insertInto('application_settings')
    .values({ name, value: text })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text, updated_at: sql`now()` }))
    .execute();
  await sql`select pg_notify(${settingsChannel}, ${name})`.execute(db);
}
