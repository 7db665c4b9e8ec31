/** Rows of `badges`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Badge } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { type Place, placeColumns } from '../places.ts';

/** The place's own badges; a project also shows those of the groups above it, which it does not change. */
function shown(db: Db, place: Place, name: string | undefined) {
  const query = db.selectFrom('badges');
  const there =
    place.kind === 'group'
      ? query.where('namespace_id', '=', place.group.id)
      : query.where((where) =>
          where.or([
            where('project_id', '=', place.project.id),
            where('namespace_id', 'in', place.namespace.traversal_ids),
          ]),
        );
  return name === undefined ? there : there.where('name', '=', name);
}

/** Those of groups first, the highest group first. */
export async function listBadges(
  db: Db,
  place: Place,
  name: string | undefined,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<Badge[]> {
  const above = place.kind === 'project' ? place.namespace.traversal_ids : [place.group.id];
  return await shown(db, place, name)
    .selectAll()
    .orderBy(sql`array_position(${[...above]}::bigint[], namespace_id) nulls last, id`)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countBadges = (db: Db, place: Place, name: string | undefined): Promise<number> =>
  countUpTo(db, shown(db, place, name).select('id'));

export async function findBadge(db: Db, place: Place, id: number): Promise<Badge | undefined> {
  return await shown(db, place, undefined).selectAll().where('id', '=', id).executeTakeFirst();
}

export interface BadgeValues {
  readonly name?: string | null;
  readonly link_url?: string;
  readonly image_url?: string;
}

export async function insertBadge(
  tx: Db,
  place: Place,
  values: BadgeValues & { readonly link_url: string; readonly image_url: string },
): Promise<Badge> {
  return await tx
    .insertInto('badges')
    .values({ ...placeColumns(place), ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateBadge(tx: Db, id: number, values: BadgeValues): Promise<Badge | undefined> {
  return await tx
    .updateTable('badges')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteBadge(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('badges').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** The project that stands for a group when its badges are shown: its oldest. */
export async function exampleProject(db: Db, groupId: number): Promise<number | null> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', groupId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}
