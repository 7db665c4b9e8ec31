/** Rows of `freeze_periods`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { FreezePeriod } from '../../../kernel/db/rows.ts';
import type { FreezePeriodsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function listFreezePeriods(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: FreezePeriod[]; total: number }> {
  const query = db.selectFrom('freeze_periods').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export const freezePeriodsOf = (db: Db, projectId: number): Promise<FreezePeriod[]> =>
  db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId).execute();

export const findFreezePeriod = (db: Db, projectId: number, id: number): Promise<FreezePeriod | undefined> =>
  db
    .selectFrom('freeze_periods')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();

export const insertFreezePeriod = (tx: Db, values: Insertable<FreezePeriodsTable>): Promise<FreezePeriod> =>
  tx.insertInto('freeze_periods').values(values).returningAll().executeTakeFirstOrThrow();

export const updateFreezePeriod = (
  tx: Db,
  id: number,
  values: Updateable<FreezePeriodsTable>,
): Promise<FreezePeriod | undefined> =>
  tx
    .updateTable('freeze_periods')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** False when it was removed meanwhile. */
export async function deleteFreezePeriod(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('freeze_periods').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
