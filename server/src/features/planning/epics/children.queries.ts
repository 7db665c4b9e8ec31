/** SQL of epics below an epic, and of their order. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import { groupScope, issuesSeen, withTables } from '../../namespaces/index.ts';
import { epicsSeen } from './seen.queries.ts';

/** Between two positions is this much room, so that a row can be placed at the end without the others. */
const gap = 1024;

/** The epics right below one that the caller sees, in their order. */
export async function childrenOf(db: Db, parentId: number, caller: Caller): Promise<Epic[]> {
  const scope = groupScope(caller, { minimum: null });
  return await db
    .selectFrom('epics as e')
    .selectAll('e')
    .where('e.parent_id', '=', parentId)
    .where(
      sql<boolean>`e.namespace_id in (${withTables(scope.tables)}
        select n.id from namespaces n where n.kind = 'group' and ${scope.condition})`,
    )
    .where(epicsSeen(caller))
    .orderBy(sql`e.relative_position nulls last`)
    .orderBy('e.id')
    .execute();
}

export async function placeLast(tx: Db, id: number, parentId: number): Promise<void> {
  await sql`update epics set relative_position =
      coalesce((select max(relative_position) from epics where parent_id = ${parentId} and id <> ${id}), 0) + ${gap}
    where id = ${id}`.execute(tx);
}

/** Every child in its order, also those that the caller does not see; the parent is locked. */
export async function orderOfChildren(tx: Db, parentId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from epics where parent_id = ${parentId}
    order by relative_position nulls last, id`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function setOrderOfChildren(tx: Db, parentId: number, ids: readonly number[]): Promise<void> {
  await sql`update epics e set relative_position = w.place * ${gap}
    from unnest(${[...ids]}::bigint[]) with ordinality w (id, place)
    where e.id = w.id and e.parent_id = ${parentId}`.execute(tx);
}

/** Whether an epic has epics below it, and issues. */
export async function contentsOf(db: Db, id: number): Promise<{ has_children: boolean; has_issues: boolean }> {
  const { rows } = await sql<{ has_children: boolean; has_issues: boolean }>`select
    exists (select from epics where parent_id = ${id}) as has_children,
    exists (select from issues where epic_id = ${id}) as has_issues`.execute(db);
  return rows[0] ?? { has_children: false, has_issues: false };
}

export interface RollUp {
  readonly opened_epics: number;
  readonly closed_epics: number;
  readonly opened_issues: number;
  readonly closed_issues: number;
  readonly opened_weight: number;
  readonly closed_weight: number;
}

/** Epics and issues at any depth below an epic, those that the caller sees. */
export async function rollUp(db: Db, id: number, caller: Caller): Promise<RollUp> {
  const scope = groupScope(caller, { minimum: null });
  const seen = sql`e.namespace_id in (${withTables(scope.tables)}
    select n.id from namespaces n where n.kind = 'group' and ${scope.condition}) and ${epicsSeen(caller)}`;
  const { rows } = await sql<RollUp>`with recursive tree (id, state, at) as (
      select id, state, 1 from epics where id = ${id}
      union all select e.id, e.state, t.at + 1 from tree t join epics e on e.parent_id = t.id
        where t.at < 100 and ${seen}),
    planned as (select i.state, coalesce(i.weight, 0) as weight from issues i
      where i.epic_id in (select id from tree) and ${issuesSeen(caller, null) ?? sql`false`})
    select
      (select count(*)::int from tree where id <> ${id} and state = 'opened') as opened_epics,
      (select count(*)::int from tree where id <> ${id} and state = 'closed') as closed_epics,
      count(*) filter (where state = 'opened')::int as opened_issues,
      count(*) filter (where state = 'closed')::int as closed_issues,
      coalesce(sum(weight) filter (where state = 'opened'), 0)::bigint as opened_weight,
      coalesce(sum(weight) filter (where state = 'closed'), 0)::bigint as closed_weight
    from planned`.execute(db);
  const [found] = rows;
  if (!found) throw new Error('an aggregate has one row');
  return found;
}
