/** Rows of `labels`: one store for the labels of projects and of groups, which hold in everything below them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { below } from '../access/hierarchy.queries.ts';
import { type Place, placeColumns } from '../places.ts';

/** Which labels count at a place, besides its own. */
export interface LabelReach {
  /** Those of the groups above; the usual for projects and groups. */
  readonly ancestors: boolean;
  /** Those of the groups below. */
  readonly descendants?: boolean;
  /** Those of projects of the groups that count. */
  readonly projects?: boolean;
}

export interface LabelFilter {
  readonly search?: string | undefined;
  readonly archived?: boolean | undefined;
}

/** A label with what the caller and the project make of it. */
export interface LabelRow extends Label {
  readonly subscribed: boolean;
  readonly priority: number | null;
}

const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

function reachOf(place: Place, reach: LabelReach) {
  const { id, traversal_ids: all } = place.kind === 'group' ? place.group : place.namespace;
  // A personal namespace has no labels, so that it does not matter among the groups above.
  const above = reach.ancestors ? all : place.kind === 'group' ? [id] : [];
  const groups = sql<boolean>`l.namespace_id = any(${[...above]}::bigint[])`;
  const parts = [reach.descendants ? sql<boolean>`(${groups} or l.namespace_id in ${below(id)})` : groups];
  if (place.kind === 'project') parts.push(sql<boolean>`l.project_id = ${place.project.id}`);
  else if (reach.projects)
    parts.push(sql<boolean>`l.project_id in (select p.id from projects p where
      ${reach.descendants ? sql`p.namespace_id in ${below(id)}` : sql`p.namespace_id = any(${[...above]}::bigint[])`})`);
  return sql<boolean>`(${sql.join(parts, sql` or `)})`;
}

function available(db: Db, place: Place, reach: LabelReach, filter: LabelFilter) {
  let query = db.selectFrom('labels as l').where(reachOf(place, reach));
  if (filter.archived !== undefined) query = query.where('l.archived', '=', filter.archived);
  if (filter.search) {
    const pattern = likePattern(filter.search);
    query = query.where(sql<boolean>`(l.title ilike ${pattern} or l.description ilike ${pattern})`);
  }
  return query;
}

const withCaller = (db: Db, place: Place, reach: LabelReach, filter: LabelFilter, userId: number | null) =>
  available(db, place, reach, filter)
    .selectAll('l')
    .select([
      sql<boolean>`exists (select from label_subscriptions s
        where s.label_id = l.id and s.user_id = ${userId}::bigint)`.as('subscribed'),
      sql<number | null>`(select r.priority from label_priorities r where r.label_id = l.id
        and r.project_id = ${place.kind === 'project' ? place.project.id : null}::bigint)`.as('priority'),
    ]);

export interface LabelList {
  readonly place: Place;
  readonly reach: LabelReach;
  readonly filter: LabelFilter;
}

export async function listLabels(
  db: Db,
  { place, reach, filter }: LabelList,
  userId: number | null,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<LabelRow[]> {
  return await withCaller(db, place, reach, filter, userId)
    .orderBy(sql`lower(l.title)`)
    .orderBy('l.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countLabels = (db: Db, { place, reach, filter }: LabelList): Promise<number> =>
  countUpTo(db, available(db, place, reach, filter).select('l.id'));

/** A label by id or title; the nearest where several groups have the title. */
export async function findLabel(
  db: Db,
  place: Place,
  reach: LabelReach,
  idOrTitle: string,
  userId: number | null,
): Promise<LabelRow | undefined> {
  const id = /^\d{1,15}$/.test(idOrTitle) ? Number(idOrTitle) : null;
  const named = withCaller(db, place, reach, {}, userId);
  const byId = id === null ? undefined : await named.where('l.id', '=', id).executeTakeFirst();
  if (byId) return byId;
  return await named
    .where('l.title', '=', idOrTitle)
    .orderBy(
      sql`l.project_id nulls last, (select cardinality(n.traversal_ids) from namespaces n where n.id = l.namespace_id) desc`,
    )
    .executeTakeFirst();
}

export interface LabelValues {
  readonly title?: string;
  readonly color?: string;
  readonly description?: string | null;
  readonly archived?: boolean;
}

export async function insertLabel(
  tx: Db,
  place: Place,
  values: LabelValues & { readonly title: string; readonly color: string },
): Promise<Label> {
  return await tx
    .insertInto('labels')
    .values({ ...placeColumns(place), ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateLabel(tx: Db, id: number, values: LabelValues): Promise<Label | undefined> {
  return await tx
    .updateTable('labels')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteLabel(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('labels').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** The label's id, kept until the end of the transaction; nothing when it was removed meanwhile. */
const stillThere = (tx: Db, labelId: number) =>
  tx.selectFrom('labels').select('id').where('id', '=', labelId).forKeyShare();

/** The rank in a project; null takes it away. */
export async function setPriority(tx: Db, labelId: number, projectId: number, priority: number | null): Promise<void> {
  if (priority === null)
    await tx
      .deleteFrom('label_priorities')
      .where('label_id', '=', labelId)
      .where('project_id', '=', projectId)
      .execute();
  else
    await tx
      .insertInto('label_priorities')
      .columns(['label_id', 'project_id', 'priority'])
      .expression(stillThere(tx, labelId).select([sql`${projectId}::bigint`.as('p'), sql`${priority}::int`.as('r')]))
      .onConflict((known) => known.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
      .execute();
}

/** False when it was so already, or when the label is gone. */
export async function subscribe(tx: Db, labelId: number, userId: number): Promise<boolean> {
  const row = await tx
    .insertInto('label_subscriptions')
    .columns(['label_id', 'user_id'])
    .expression(stillThere(tx, labelId).select(sql`${userId}::bigint`.as('user_id')))
    .onConflict((known) => known.doNothing())
    .returning('label_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function unsubscribe(tx: Db, labelId: number, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId)
    .returning('label_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes a project's label one of its group; labels of the same title in projects of the group become it. */
export async function promoteLabel(tx: Db, label: Label, namespaceId: number): Promise<Label | undefined> {
  const same = sql`select o.id from labels o join projects p on p.id = o.project_id
    where p.namespace_id in ${below(namespaceId)} and o.title = ${label.title} and o.id <> ${label.id}`;
  await sql`insert into label_priorities (label_id, project_id, priority)
    select ${label.id}, r.project_id, r.priority from label_priorities r where r.label_id in (${same})
    on conflict do nothing`.execute(tx);
  await sql`insert into label_subscriptions (label_id, user_id)
    select ${label.id}, s.user_id from label_subscriptions s where s.label_id in (${same})
    on conflict do nothing`.execute(tx);
  await sql`delete from labels where id in (${same})`.execute(tx);
  return await tx
    .updateTable('labels')
    .set({ project_id: null, namespace_id: namespaceId, updated_at: sql`now()` })
    .where('id', '=', label.id)
    .returningAll()
    .executeTakeFirst();
}
