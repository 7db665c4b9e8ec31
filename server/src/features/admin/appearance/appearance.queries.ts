/** The row of `appearances`, written. */
import { sql, type Updateable } from 'kysely';
import { appearanceChannel } from '../../../kernel/appearance/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Appearance } from '../../../kernel/db/rows.ts';
import type { AppearancesTable } from '../../../kernel/db/tables.ts';

export type AppearanceChanges = Omit<Updateable<AppearancesTable>, 'id' | 'created_at' | 'updated_at'>;

/** Every process hears of it when the transaction commits. */
export async function saveAppearance(tx: Db, changes: AppearanceChanges): Promise<Appearance> {
  const row = await tx
    .insertInto('appearances')
    .values({ id: 1, ...changes })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...changes, updated_at: sql`now()` }))
    .returningAll()
    .executeTakeFirstOrThrow();
  await sql`select pg_notify(${appearanceChannel}, '')`.execute(tx);
  return row;
}
