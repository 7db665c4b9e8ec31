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
