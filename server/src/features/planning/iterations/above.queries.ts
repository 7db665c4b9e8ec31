/** The iterations that the issues of a project may be planned for. */
import { sql } from 'kysely';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Iteration } from '../../../kernel/db/rows.ts';

/** One of the groups above a project. */
export async function iterationAbove(
  db: Db,
  { namespace }: ProjectSubject,
  id: number,
): Promise<Iteration | undefined> {
  return await db
    .selectFrom('iterations')
    .selectAll()
    .where('id', '=', id)
    .where(sql<boolean>`namespace_id = any(${[...namespace.traversal_ids]}::bigint[])`)
    .executeTakeFirst();
}

/**
 * The iteration of a cadence that runs or comes next; of the nearest group where several have one of the title. Without a
 * cadence, of the only one there is.
 */
export async function iterationOfCadence(
  db: Db,
  { namespace }: ProjectSubject,
  cadence: { readonly id: number } | { readonly title: string } | null,
  which: 'current' | 'next',
): Promise<Iteration | undefined> {
  const groups = sql`${[...namespace.traversal_ids]}::bigint[]`;
  const wanted =
    cadence === null ? sql`true` : 'id' in cadence ? sql`c.id = ${cadence.id}` : sql`c.title = ${cadence.title}`;
  const { rows: cadences } = await sql<{ id: number }>`select c.id from iteration_cadences c
    where c.namespace_id = any(${groups}) and ${wanted}
    order by array_position(${groups}, c.namespace_id) desc, c.id limit 2`.execute(db);
  const [found, another] = cadences;
  if (!found || (cadence === null && another)) return undefined;
  const { rows } = await sql<Iteration>`select i.* from iterations i where i.cadence_id = ${found.id}
      and ${which === 'current' ? sql`current_date between i.start_date and i.due_date` : sql`i.start_date > current_date`}
    order by i.start_date limit 1`.execute(db);
  return rows[0];
}

/** One of a title; of the nearest group, and the earliest that has not ended, where several have it. */
export async function iterationNamed(
  db: Db,
  { namespace }: ProjectSubject,
  title: string,
): Promise<Iteration | undefined> {
  return await db
    .selectFrom('iterations')
    .selectAll()
    .where('title', '=', title)
    .where(sql<boolean>`namespace_id = any(${[...namespace.traversal_ids]}::bigint[])`)
    .orderBy(sql`array_position(${[...namespace.traversal_ids]}::bigint[], namespace_id) desc`)
    .orderBy(sql`due_date < current_date`)
    .orderBy('start_date')
    .executeTakeFirst();
}
