/** Which epics a caller sees, as a condition on rows `e`. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { groupScope, withTables } from '../../namespaces/index.ts';

/** In the groups that they see: confidential ones for planners and their author. */
export function epicsSeen(caller: Caller) {
  if (caller.admin) return sql<boolean>`true`;
  const planners = groupScope(caller, { minimum: Level.planner });
  return sql<boolean>`(not e.confidential or e.author_id = ${caller.user?.id ?? null}::bigint
    or e.namespace_id in (${withTables(planners.tables)} select n.id from namespaces n where ${planners.condition}))`;
}
