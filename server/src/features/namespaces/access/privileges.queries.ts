/** Roles of two users beside each other. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds, levelsOf } from './access.queries.ts';

/**
 * Whether somebody has a role where somebody else has a lower one. Invitations of groups need no look of their own: whoever
 * has the role in the invited group has what it is invited to. What is in their own namespace is theirs alone.
 */
export async function hasRoleAbove(db: Db, users: { readonly of: number; readonly above: number }): Promise<boolean> {
  const { rows } = await sql`
    select from grants held left join projects p on p.id = held.project_id
      join namespaces n on n.id = coalesce(held.namespace_id, p.namespace_id)
      cross join ${levelsOf(users.above, true)}
    where held.user_id = ${users.of} and ${grantHolds('held')} and held.level > levels.effective_level
      and n.owner_id is distinct from ${users.of}
    limit 1`.execute(db);
  return rows.length > 0;
}
