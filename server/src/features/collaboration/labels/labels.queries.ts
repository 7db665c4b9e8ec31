/** Rows of `labels`: one store for the labels of projects and of groups, which hold in everything below them. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import {
  below,
  groupScope,
  issuesSeen,
  type Moved,
  type Place,
  placeColumns,
  projectScope,
  requestsSeen,
  withTables,
} from '../../namespaces/index.ts';

/** Which labels count at a place, besides its own. */
export interface LabelReach {
  /** Those of the groups above; the usual for projects and groups. */
  readonly ancestors: boolean;
  /** Those of the groups below. */
  readonly descendants?: boolean;
  /** Those of projects of the groups that count. */
  readonly projects?: boolean;
  /** Who is told, and may not see every group and project around a group; nobody where it is for our own checks. */
  readonly caller?: Caller;
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

const everything = { tables: null, condition: sql`true` };

/** Whoever sees a project sees the labels of the groups above it; of groups and projects around a group, those that are seen. */
function reachOf(place: Place, reach: LabelReach) {
  if (place.kind === 'project') {
    // A personal namespace has no labels, so that it does not matter among the groups above.
    const above = reach.ancestors ? place.namespace.traversal_ids : [];
    return sql<boolean>`(l.namespace_id = any(${[...above]}::bigint[]) or l.project_id = ${place.project.id})`;
  }
  const { id, traversal_ids: all } = place.group;
  const around = [
    ...(reach.ancestors ? [sql`n.id = any(${[...all]}::bigint[])`] : []),
    ...(reach.descendants ? [sql`n.id in ${below(id)}`] : []),
  ];
  const parts = [sql<boolean>`l.namespace_id = ${id}`];
  if (around.length > 0) {
    const { tables, condition } = reach.caller ? groupScope(reach.caller, { minimum: null }) : everything;
    parts.push(sql`l.namespace_id in (${withTables(tables)}
      select n.id from namespaces n where (${sql.join(around, sql` or `)}) and ${condition})`);
  }
  if (reach.projects) {
    const { tables, condition } = reach.caller ? projectScope(reach.caller, { minimum: null }) : everything;
    const places = sql.join([sql`n.id = ${id}`, ...around], sql` or `);
    parts.push(sql`l.project_id in (${withTables(tables)}
      select p.id from projects p join namespaces n on n.id = p.namespace_id where (${places}) and ${condition})`);
  }
  return sql<boolean>`(${sql.join(parts, sql` or `)})`;
}

function available(db: Db, place: Place, reach: LabelReach, filter: LabelFilter) {
  let query = db.selectFrom('labels as l').where(reachOf(place, reach));
  if (filter.archived !== undefined) query = query.where('l.archived', '=', filter.archived);
  if (filter.search) {
    const pattern = containing(filter.search);
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

/** Id or title, as paths have it; the title alone where only that is meant: some are numbers. */
export type LabelName = string | { readonly title: string };

const idIn = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** A label by id or title; the nearest where several groups have the title. */
export async function findLabel(
  db: Db,
  place: Place,
  reach: LabelReach,
  called: LabelName,
  userId: number | null,
): Promise<LabelRow | undefined> {
  const { id, title } = typeof called === 'string' ? { id: idIn(called), title: called } : { id: null, ...called };
  const named = withCaller(db, place, reach, {}, userId);
  const byId = id === null ? undefined : await named.where('l.id', '=', id).executeTakeFirst();
  if (byId) return byId;
  return await named
    .where('l.title', '=', title)
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

/** Other labels of the title in the projects of a group and below. */
export async function ofTitleBelow(tx: Db, label: Label, namespaceId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select o.id from labels o join projects p on p.id = o.project_id
    where p.namespace_id in ${below(namespaceId)} and o.title = ${label.title} and o.id <> ${label.id}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Makes a project's label one of its group, in place of the others, whose ranks and listeners it gets. */
export async function promoteLabel(
  tx: Db,
  label: Label,
  namespaceId: number,
  others: readonly number[],
): Promise<Label | undefined> {
  const same = sql`any(${[...others]}::bigint[])`;
  await sql`insert into label_priorities (label_id, project_id, priority)
    select ${label.id}, r.project_id, r.priority from label_priorities r where r.label_id = ${same}
    on conflict do nothing`.execute(tx);
  await sql`insert into label_subscriptions (label_id, user_id)
    select ${label.id}, s.user_id from label_subscriptions s where s.label_id = ${same}
    on conflict do nothing`.execute(tx);
  await sql`delete from labels where id = ${same}`.execute(tx);
  return await tx
    .updateTable('labels')
    .set({ project_id: null, namespace_id: namespaceId, updated_at: sql`now()` })
    .where('id', '=', label.id)
    .returningAll()
    .executeTakeFirst();
}

/** Ids by title of the labels that a project has, the nearest where several groups have the title. */
export async function labelsOfTitles(db: Db, place: Place, titles: readonly string[]): Promise<Map<string, number>> {
  const rows = await available(db, place, { ancestors: true }, {})
    .select(['l.id', 'l.title'])
    .where('l.title', 'in', [...titles])
    .orderBy(
      sql`l.project_id nulls last, (select cardinality(n.traversal_ids) from namespaces n where n.id = l.namespace_id) desc`,
    )
    .execute();
  const found = new Map<string, number>();
  for (const { id, title } of rows) if (!found.has(title)) found.set(title, id);
  return found;
}

/** Labels by what texts write for them, title or id; the nearest of those that hold at the place and that the caller sees. */
export async function labelsWritten(
  db: Db,
  place: Place,
  written: readonly string[],
  caller: Caller,
): Promise<Map<string, Label>> {
  const ids = written.map(idIn).filter((id) => id !== null);
  const rows = await available(db, place, { ancestors: true, caller }, {})
    .selectAll('l')
    .where(sql<boolean>`(l.title = any(${[...written]}::text[]) or l.id = any(${ids}::bigint[]))`)
    .orderBy(
      sql`l.project_id nulls last, (select cardinality(n.traversal_ids) from namespaces n where n.id = l.namespace_id) desc`,
    )
    .execute();
  const byTitle = new Map(rows.toReversed().map((row) => [row.title, row]));
  const byId = new Map(rows.map((row) => [String(row.id), row]));
  return new Map(
    written.flatMap((text) => {
      const label = byId.get(text) ?? byTitle.get(text);
      return label ? [[text, label] as const] : [];
    }),
  );
}

/** The project's or group's own label of the title, made where it has none. */
export async function ensureLabel(
  tx: Db,
  place: Place,
  values: LabelValues & { readonly title: string; readonly color: string },
): Promise<{ label: Label; made: boolean }> {
  const label = await tx
    .insertInto('labels')
    .values({ ...placeColumns(place), ...values })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (label) return { label, made: true };
  const known = await tx
    .selectFrom('labels')
    .selectAll()
    .where(
      place.kind === 'project' ? 'project_id' : 'namespace_id',
      '=',
      place.kind === 'project' ? place.project.id : place.group.id,
    )
    .where('title', '=', values.title)
    .executeTakeFirstOrThrow();
  return { label: known, made: false };
}

/** Labels of groups that are not above the issues and merge requests that have them, by project; after a move. */
export async function labelsLost(tx: Db, moved: Moved): Promise<{ project_id: number; label: Label }[]> {
  const place =
    'projectId' in moved ? sql`p.id = ${moved.projectId}` : sql`p.namespace_id in ${below(moved.namespaceId)}`;
  const { rows } = await sql<{ project_id: number; label_id: number }>`
    select distinct p.id as project_id, l.id as label_id from projects p join namespaces n on n.id = p.namespace_id
      cross join lateral (
        select k.label_id from merge_requests m join merge_request_labels k on k.merge_request_id = m.id
          where m.project_id = p.id
        union select k.label_id from issues i join issue_labels k on k.issue_id = i.id where i.project_id = p.id) used
      join labels l on l.id = used.label_id
    where ${place} and l.namespace_id is not null and not l.namespace_id = any(n.traversal_ids)
    order by 1, 2`.execute(tx);
  if (rows.length === 0) return [];
  const labels = await tx
    .selectFrom('labels')
    .selectAll()
    .where(
      'id',
      'in',
      rows.map(({ label_id }) => label_id),
    )
    .execute();
  return rows.flatMap(({ project_id, label_id }) => {
    const label = labels.find(({ id }) => id === label_id);
    return label ? [{ project_id, label }] : [];
  });
}

/** How many open merge requests have each of the labels, of those that the caller sees at the place. */
export async function openRequestsOf(
  db: Db,
  place: Place,
  caller: Caller,
  labelIds: readonly number[],
): Promise<Map<number, number>> {
  const within = requestsSeen(caller, place);
  if (labelIds.length === 0 || within === null) return new Map();
  const { rows } = await sql<{ label_id: number; count: number }>`
    select k.label_id, count(*)::int as count from merge_request_labels k join merge_requests m on m.id = k.merge_request_id
    where k.label_id = any(${[...labelIds]}::bigint[]) and m.state = 'opened' and ${within}
    group by k.label_id`.execute(db);
  return new Map(rows.map(({ label_id, count }) => [label_id, count]));
}

export interface IssueCounts {
  readonly opened: number;
  readonly closed: number;
}

/** How many issues have each of the labels, of those that the caller sees at the place. */
export async function issuesOf(
  db: Db,
  place: Place,
  caller: Caller,
  labelIds: readonly number[],
): Promise<Map<number, IssueCounts>> {
  const seen = issuesSeen(caller, place);
  if (labelIds.length === 0 || seen === null) return new Map();
  const { rows } = await sql<IssueCounts & { label_id: number }>`
    select k.label_id, count(*) filter (where i.state = 'opened')::int as opened,
      count(*) filter (where i.state = 'closed')::int as closed
    from issue_labels k join issues i on i.id = k.issue_id
    where k.label_id = any(${[...labelIds]}::bigint[]) and ${seen} group by k.label_id`.execute(db);
  return new Map(rows.map(({ label_id, ...counts }) => [label_id, counts]));
}

/** Labels by id; those that are gone are left out. */
export async function labelsById(db: Db, ids: readonly number[]): Promise<Label[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('labels')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}
