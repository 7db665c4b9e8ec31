/** Rows of `iteration_cadences`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { IterationCadence } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export type CadenceValues = Partial<
  Pick<
    IterationCadence,
    | 'title'
    | 'description'
    | 'active'
    | 'automatic'
    | 'start_date'
    | 'duration_in_weeks'
    | 'iterations_in_advance'
    | 'roll_over'
  >
>;

const ofGroup = (db: Db, groupId: number) => db.selectFrom('iteration_cadences').where('namespace_id', '=', groupId);

export async function listCadences(
  db: Db,
  groupId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<IterationCadence[]> {
  return await ofGroup(db, groupId).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute();
}

export const countCadences = (db: Db, groupId: number): Promise<number> =>
  countUpTo(db, ofGroup(db, groupId).select('id'));

export async function findCadence(db: Db, groupId: number, id: number): Promise<IterationCadence | undefined> {
  return await ofGroup(db, groupId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row, kept as it is until the end of the transaction: whoever plans its iterations takes turns. */
export async function lockCadence(tx: Db, id: number): Promise<IterationCadence | undefined> {
  return await tx.selectFrom('iteration_cadences').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The oldest of a group whose iterations people make, locked. */
export async function lockManualCadence(tx: Db, groupId: number): Promise<IterationCadence | undefined> {
  // Two at the same time would make one each.
  await sql`select pg_advisory_xact_lock(hashtextextended('iteration_cadences', ${groupId}))`.execute(tx);
  return await ofGroup(tx, groupId)
    .selectAll()
    .where('automatic', '=', false)
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertCadence(
  tx: Db,
  groupId: number,
  values: CadenceValues & { readonly title: string },
): Promise<IterationCadence> {
  return await tx
    .insertInto('iteration_cadences')
    .values({ ...values, namespace_id: groupId })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateCadence(tx: Db, id: number, values: CadenceValues): Promise<IterationCadence> {
  return await tx
    .updateTable('iteration_cadences')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Iteration Cadence'));
}

export async function deleteCadence(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('iteration_cadences').where('id', '=', id).execute();
}

/** Cadences that lack iterations, or whose closed iterations have open issues that are to roll over. */
export async function cadencesToSchedule(db: Db, today: string, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from iteration_cadences c
    where c.active and c.automatic and c.id > ${after} and (
      (select count(*) from iterations i where i.cadence_id = c.id and i.start_date > ${today}::date)
        < c.iterations_in_advance
      or c.roll_over and exists (
        select from iterations i join issues s on s.iteration_id = i.id
        where i.cadence_id = c.id and i.due_date < ${today}::date and s.state = 'opened'))
    order by c.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
