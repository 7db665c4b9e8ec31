/** What a group's settings do to everything below it. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { below } from '../access/hierarchy.queries.ts';
import type { GroupColumns } from './groups.queries.ts';

const inside = (id: number) => sql`id in ${below(id)} and id <> ${id}`;

/** Whether one of the groups has locked the limits of formulas for what is below it. */
export async function formulasLockedBy(tx: Db, ids: readonly number[]): Promise<boolean> {
  const found = await tx
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', [...ids])
    .where('lock_math_rendering_limits_enabled', '=', true)
    .executeTakeFirst();
  return found !== undefined;
}

/** Gives everything below a group the limits of formulas that it has. */
export async function spreadFormulaLimits(tx: Db, id: number, limited: boolean): Promise<void> {
  await sql`update namespaces set math_rendering_limits_enabled = ${limited}, updated_at = now()
    where ${inside(id)} and math_rendering_limits_enabled <> ${limited}`.execute(tx);
}

/** In the transaction of the change: locks reach down at once, opening again is each group's own matter. */
export async function spreadSettings(tx: Db, group: Namespace, changes: GroupColumns): Promise<void> {
  const { id } = group;
  const after = { ...group, ...changes };
  const formulas = changes.lock_math_rendering_limits_enabled ?? changes.math_rendering_limits_enabled;
  if (formulas !== undefined && after.lock_math_rendering_limits_enabled)
    await spreadFormulaLimits(tx, id, after.math_rendering_limits_enabled);
  if (changes.share_with_group_lock === true)
    await sql`update namespaces set share_with_group_lock = true, updated_at = now()
      where ${inside(id)} and not share_with_group_lock`.execute(tx);
  const runners = changes.shared_runners_setting;
  if (runners === undefined || runners === 'enabled') return;
  const which =
    runners === 'disabled_and_unoverridable'
      ? sql`shared_runners_setting <> ${runners}`
      : sql`shared_runners_setting = 'enabled'`;
  await sql`update namespaces set shared_runners_setting = ${runners}, updated_at = now()
    where ${inside(id)} and ${which}`.execute(tx);
  await sql`update projects set shared_runners_enabled = false, updated_at = now()
    where namespace_id in ${below(id)} and shared_runners_enabled`.execute(tx);
}

/** Makes a group and everything in it no more open than the visibility; the projects that it closed. */
export async function lowerVisibility(tx: Db, id: number, visibility: Namespace['visibility']): Promise<number[]> {
  const closed = visibility === 'private' ? ['internal', 'public'] : ['public'];
  await sql`update namespaces set visibility = ${visibility}, updated_at = now()
    where id in ${below(id)} and visibility = any(${closed}::text[])`.execute(tx);
  const { rows } = await sql<{ id: number }>`update projects set visibility = ${visibility}, updated_at = now()
    where namespace_id in ${below(id)} and visibility = any(${closed}::text[]) returning id`.execute(tx);
  return rows.map((row) => row.id);
}
