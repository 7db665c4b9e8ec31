/** What a group's settings do to everything below it. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { below } from '../access/hierarchy.queries.ts';
import type { GroupColumns } from './groups.queries.ts';

const inside = (id: number) => sql`id in ${below(id)} and id <> ${id}`;

/** In the transaction of the change: locks reach down at once, opening again is each group's own matter. */
export async function spreadSettings(tx: Db, { id }: Pick<Namespace, 'id'>, changes: GroupColumns): Promise<void> {
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

/** Makes a group and everything in it no more open than the visibility. */
export async function lowerVisibility(tx: Db, id: number, visibility: Namespace['visibility']): Promise<void> {
  const closed = visibility === 'private' ? ['internal', 'public'] : ['public'];
  await sql`update namespaces set visibility = ${visibility}, updated_at = now()
    where id in ${below(id)} and visibility = any(${closed}::text[])`.execute(tx);
  await sql`update projects set visibility = ${visibility}, updated_at = now()
    where namespace_id in ${below(id)} and visibility = any(${closed}::text[])`.execute(tx);
}
