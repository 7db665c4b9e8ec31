/** Projects that are kept as templates. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/**
 * A project of the group of templates itself, not of groups below it. `below`: the group that named it, which must hold
 * it; what a group says of others' groups does not count.
 */
export async function customTemplate(
  db: Db,
  {
    from,
    below,
    wanted,
  }: {
    readonly from: number;
    readonly below: number | null;
    readonly wanted: { readonly id: number } | { readonly path: string };
  },
): Promise<number | null> {
  const match = 'id' in wanted ? sql`p.id = ${wanted.id}` : sql`lower(p.path) = lower(${wanted.path})`;
  const held = below === null ? sql`true` : sql`${below}::bigint = any(g.traversal_ids)`;
  const { rows } = await sql<{ id: number }>`
    select p.id from projects p join namespaces g on g.id = p.namespace_id
    where g.id = ${from} and g.kind = 'group' and ${match} and ${held} and p.marked_for_deletion_on is null
    limit 1`.execute(db);
  return rows[0]?.id ?? null;
}
