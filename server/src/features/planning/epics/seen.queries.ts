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

/**
 * Which epics `e` of issues `i` a caller sees who sees the issues: those of the groups above, and those of other
 * groups that they see.
 */
export function epicsOfIssuesSeen(caller: Caller) {
  const { tables, condition } = groupScope(caller, { minimum: null });
  return sql<boolean>`(${epicsSeen(caller)} and (
    e.namespace_id = any((select at.traversal_ids from projects p join namespaces at on at.id = p.namespace_id
      where p.id = i.project_id)::bigint[])
    or e.namespace_id in (${withTables(tables)} select n.id from namespaces n where n.kind = 'group' and ${condition})))`;
}
