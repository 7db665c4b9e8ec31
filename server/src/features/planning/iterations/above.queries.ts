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
