/** SQL of links between epics. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { EpicLink } from '../../../kernel/db/rows.ts';
import { below } from '../../namespaces/index.ts';

/** Links of an epic in both directions, by id. */
export async function linksOf(db: Db, epicId: number): Promise<EpicLink[]> {
  const { rows } = await sql<EpicLink>`select * from epic_links
    where source_id = ${epicId} or target_id = ${epicId} order by id`.execute(db);
  return rows;
}

export interface LinkTimes {
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
}

/** Links of epics of a group and the groups below it, by id. */
export async function linksIn(db: Db, groupId: number, times: LinkTimes): Promise<EpicLink[]> {
  const { rows } = await sql<EpicLink>`select k.* from epic_links k
    where exists (select from epics e where e.id in (k.source_id, k.target_id) and e.namespace_id in ${below(groupId)})
      and k.created_at between ${times.createdAfter ?? '-infinity'} and ${times.createdBefore ?? 'infinity'}
      and k.updated_at between ${times.updatedAfter ?? '-infinity'} and ${times.updatedBefore ?? 'infinity'}
    order by k.id`.execute(db);
  return rows;
}

/** Undefined where the two are linked already. */
export async function insertLink(
  tx: Db,
  values: Pick<EpicLink, 'source_id' | 'target_id' | 'link_type'>,
): Promise<EpicLink | undefined> {
  return await tx
    .insertInto('epic_links')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** False when it was removed meanwhile. */
export async function deleteLink(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('epic_links').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
