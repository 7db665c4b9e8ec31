/** Cadences with their iterations as archives of groups hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Iteration, IterationCadence } from '../../../kernel/db/rows.ts';
import { raiseGroupCounter } from '../../namespaces/index.ts';

type Maybe<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };
type Dates = 'created_at' | 'updated_at';

export type CadenceLine = Pick<IterationCadence, 'title' | 'active' | 'automatic' | 'roll_over' | Dates> &
  Maybe<Pick<IterationCadence, 'description' | 'start_date' | 'duration_in_weeks' | 'iterations_in_advance'>> & {
    readonly iterations: ReadonlyArray<
      Pick<Iteration, 'iid' | 'sequence' | 'start_date' | 'due_date' | Dates> &
        Maybe<Pick<Iteration, 'title' | 'description'>>
    >;
  };

export async function* cadenceLinesOf(db: Db, groupId: number): AsyncGenerator<object[]> {
  const { rows } = await sql<object>`
    select c.title, c.description, c.active, c.automatic, c.start_date, c.duration_in_weeks, c.iterations_in_advance,
      c.roll_over, c.created_at, c.updated_at,
      coalesce((select jsonb_agg(jsonb_build_object('iid', i.iid, 'sequence', i.sequence, 'title', i.title,
          'description', i.description, 'start_date', i.start_date, 'due_date', i.due_date, 'created_at', i.created_at,
          'updated_at', i.updated_at) order by i.iid)
        from iterations i where i.cadence_id = c.id), '[]') as iterations
    from iteration_cadences c where c.namespace_id = ${groupId} order by c.id`.execute(db);
  yield rows;
}

/** False where the group has an iteration of one of the numbers already. */
export async function insertArchivedCadence(
  tx: Db,
  groupId: number,
  { iterations, ...line }: CadenceLine,
): Promise<boolean> {
  const numbers = iterations.map(({ iid }) => iid);
  const taken = await tx
    .selectFrom('iterations')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where(sql<boolean>`iid = any(${numbers}::bigint[])`)
    .limit(1)
    .executeTakeFirst();
  if (taken) return false;
  const { id } = await tx
    .insertInto('iteration_cadences')
    .values({
      ...line,
      namespace_id: groupId,
      description: line.description ?? null,
      start_date: line.start_date ?? null,
      duration_in_weeks: line.duration_in_weeks ?? null,
      iterations_in_advance: line.iterations_in_advance ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (iterations.length === 0) return true;
  const rows = iterations.map((each) => ({
    ...each,
    title: each.title ?? null,
    description: each.description ?? null,
    cadence_id: id,
    namespace_id: groupId,
  }));
  await tx.insertInto('iterations').values(rows).execute();
  await raiseGroupCounter(tx, groupId, 'iteration', Math.max(...numbers));
  return true;
}
