/** Rows of `milestones`: one store for those of projects and of groups, which hold in everything below them. */
import { type RawBuilder, sql } from 'kysely';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Milestone } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import {
  below,
  groupScope,
  issuesSeen,
  type Moved,
  nextGroupIid,
  nextIid,
  type Place,
  placeColumns,
  requestsSeen,
  withTables,
} from '../../namespaces/index.ts';
import type { MilestoneStats, PlacedMilestone } from './milestones.entity.ts';

/** Which milestones count at a place, besides its own. */
export interface MilestoneReach {
  /** Those of the groups above. */
  readonly ancestors: boolean;
  /** Those of the groups below. */
  readonly descendants?: boolean;
}

export interface MilestoneFilter {
  readonly iids?: readonly number[] | undefined;
  readonly state?: 'active' | 'closed' | undefined;
  readonly title?: string | undefined;
  readonly search?: string | undefined;
  /** Words that the title has all of, in any order. */
  readonly searchTitle?: string | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  /** First and last day that it has at least one day in common with. */
  readonly within?: readonly [first: string, last: string] | undefined;
}

export interface MilestoneList {
  readonly place: Place;
  readonly reach: MilestoneReach;
  readonly filter: MilestoneFilter;
  /** Who may not see every group above or below. */
  readonly caller: Caller;
}

const own = (place: Place) =>
  place.kind === 'project'
    ? sql<boolean>`m.project_id = ${place.project.id}`
    : sql<boolean>`m.namespace_id = ${place.group.id}`;

function reached(place: Place, reach: MilestoneReach, caller: Caller) {
  if (!reach.ancestors && !reach.descendants) return own(place);
  // Whoever sees a project sees what the groups above it have planned for it.
  if (place.kind === 'project')
    return sql<boolean>`(${own(place)} or m.namespace_id = any(${[...place.namespace.traversal_ids]}::bigint[]))`;
  const scope = groupScope(caller, { minimum: null });
  const places = [
    ...(reach.ancestors ? [sql`n.id = any(${[...place.group.traversal_ids]}::bigint[])`] : []),
    ...(reach.descendants ? [sql`n.id in ${below(place.group.id)}`] : []),
  ];
  return sql<boolean>`(${own(place)} or m.namespace_id in (${withTables(scope.tables)}
    select n.id from namespaces n where (${sql.join(places, sql` or `)}) and ${scope.condition}))`;
}

function available(db: Db, { place, reach, filter, caller }: MilestoneList) {
  let query = db.selectFrom('milestones as m').where(reached(place, reach, caller));
  if (filter.iids) query = query.where(sql<boolean>`m.iid = any(${[...filter.iids]}::bigint[])`);
  if (filter.state) query = query.where('m.state', '=', filter.state);
  if (filter.title !== undefined) query = query.where('m.title', '=', filter.title);
  if (filter.search) {
    const pattern = containing(filter.search);
    query = query.where(sql<boolean>`(m.title ilike ${pattern} or m.description ilike ${pattern})`);
  }
  for (const word of filter.searchTitle?.split(/\s+/) ?? [])
    if (word) query = query.where('m.title', 'ilike', containing(word));
  if (filter.updatedBefore) query = query.where('m.updated_at', '<=', filter.updatedBefore);
  if (filter.updatedAfter) query = query.where('m.updated_at', '>=', filter.updatedAfter);
  if (filter.within) {
    const [first, last] = filter.within;
    query = query.where(sql<boolean>`(coalesce(m.start_date, m.due_date) is not null
      and coalesce(m.start_date <= ${last}::date, true) and coalesce(m.due_date >= ${first}::date, true))`);
  }
  return query;
}

/** Where a milestone is. */
const placePath = sql<string>`coalesce(
  (select n.full_path from namespaces n where n.id = m.namespace_id),
  (select n.full_path || '/' || p.path from projects p join namespaces n on n.id = p.namespace_id where p.id = m.project_id))`;

/** Those that are due first come first, those without a date last. */
export async function listMilestones(
  db: Db,
  list: MilestoneList,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<PlacedMilestone[]> {
  return await available(db, list)
    .selectAll('m')
    .select(placePath.as('place_path'))
    .orderBy('m.due_date')
    .orderBy('m.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countMilestones = (db: Db, list: MilestoneList): Promise<number> =>
  countUpTo(db, available(db, list).select('m.id'));

/** One of the place's own, by id. */
export async function findMilestone(db: Db, place: Place, id: number): Promise<PlacedMilestone | undefined> {
  return await placed(db).where(own(place)).where('m.id', '=', id).executeTakeFirst();
}

const none = { total: 0, closed: 0 };

/** How many issues and merge requests are planned for each of the milestones, of those that the caller sees at the place. */
export async function plannedFor(
  db: Db,
  place: Place,
  caller: Caller,
  ids: readonly number[],
): Promise<(id: number) => MilestoneStats> {
  const [issues, requests] = [issuesSeen(caller, place), requestsSeen(caller, place)];
  const count = async (from: RawBuilder<unknown>, within: RawBuilder<unknown> | null) => {
    if (ids.length === 0 || within === null) return new Map<number, typeof none>();
    const { rows } = await sql<typeof none & { id: number }>`
      select milestone_id as id, count(*)::int as total, count(*) filter (where state in ('merged', 'closed'))::int as closed
      from ${from} where milestone_id = any(${[...ids]}::bigint[]) and ${within} group by 1`.execute(db);
    return new Map(rows.map(({ id, total, closed }) => [id, { total, closed }]));
  };
  const [ofIssues, ofRequests] = await Promise.all([
    count(sql`issues i`, issues),
    count(sql`merge_requests m`, requests),
  ]);
  return (id) => ({ issues: ofIssues.get(id) ?? none, requests: ofRequests.get(id) ?? none });
}

const placed = (db: Db) => db.selectFrom('milestones as m').selectAll('m').select(placePath.as('place_path'));

export async function milestonesById(db: Db, ids: readonly number[]): Promise<PlacedMilestone[]> {
  return ids.length === 0
    ? []
    : await placed(db)
        .where('m.id', 'in', [...ids])
        .execute();
}

/** What may be planned for a project: its own milestones, and those of the groups above. */
const ofProject = (place: ProjectSubject) =>
  sql<boolean>`(${own(place)} or m.namespace_id = any(${[...place.namespace.traversal_ids]}::bigint[]))`;

/** Of the ids, those of milestones that the project or a group above it has. */
export async function milestonesFor(db: Db, place: ProjectSubject, ids: readonly number[]): Promise<PlacedMilestone[]> {
  if (ids.length === 0) return [];
  return await placed(db)
    .where(ofProject(place))
    .where('m.id', 'in', [...ids])
    .execute();
}

/** The milestone that a title means in a project; the nearest where several groups above have it. */
export async function milestoneNamed(
  db: Db,
  place: ProjectSubject,
  title: string,
): Promise<PlacedMilestone | undefined> {
  return await placed(db)
    .where(ofProject(place))
    .where('m.title', '=', title)
    .orderBy(
      sql`m.project_id nulls last, (select cardinality(n.traversal_ids) from namespaces n where n.id = m.namespace_id) desc`,
    )
    .executeTakeFirst();
}

/** Milestones by what texts write for them: the title, the nearest that the caller sees, or the number among the place's own. */
export async function milestonesWritten(
  db: Db,
  place: Place,
  written: readonly string[],
  caller: Caller,
): Promise<Map<string, PlacedMilestone>> {
  const numbers = written.filter((text) => /^\d{1,9}$/.test(text)).map(Number);
  const rows = await placed(db)
    .select(own(place).as('own'))
    .where(reached(place, { ancestors: true }, caller))
    .where(
      sql<boolean>`(m.title = any(${[...written]}::text[]) or (${own(place)} and m.iid = any(${numbers}::bigint[])))`,
    )
    .orderBy(
      sql`m.project_id nulls last, (select cardinality(n.traversal_ids) from namespaces n where n.id = m.namespace_id) desc`,
    )
    .execute();
  return new Map(
    written.flatMap((text) => {
      const row =
        rows.find((each) => each.own && String(each.iid) === text) ?? rows.find((each) => each.title === text);
      return row ? [[text, row] as const] : [];
    }),
  );
}

/** Milestones of groups that are not above the projects that use them; after a move. */
export async function milestonesLost(tx: Db, moved: Moved): Promise<{ project_id: number; milestone: Milestone }[]> {
  const place =
    'projectId' in moved ? sql`p.id = ${moved.projectId}` : sql`p.namespace_id in ${below(moved.namespaceId)}`;
  const { rows } = await sql<{ project_id: number; milestone_id: number }>`
    select distinct p.id as project_id, m.id as milestone_id from projects p join namespaces n on n.id = p.namespace_id
      cross join lateral (
        select r.milestone_id from merge_requests r where r.project_id = p.id and r.milestone_id is not null
        union select i.milestone_id from issues i where i.project_id = p.id and i.milestone_id is not null
        union select k.milestone_id from releases r join release_milestones k on k.release_id = r.id
          where r.project_id = p.id) used
      join milestones m on m.id = used.milestone_id
    where ${place} and m.namespace_id is not null and not m.namespace_id = any(n.traversal_ids)
    order by 1, 2`.execute(tx);
  const found = await milestonesById(
    tx,
    rows.map(({ milestone_id }) => milestone_id),
  );
  return rows.flatMap(({ project_id, milestone_id }) => {
    const milestone = found.find(({ id }) => id === milestone_id);
    return milestone ? [{ project_id, milestone }] : [];
  });
}

/**
 * Whether another milestone of the title would be meant where this one is: of a project its own and those of the groups
 * above, of a group its own and those of the projects below.
 */
export async function titleTaken(db: Db, place: Place, title: string, exceptId: number | null): Promise<boolean> {
  const others =
    place.kind === 'project'
      ? sql<boolean>`m.namespace_id = any(${[...place.namespace.traversal_ids]}::bigint[])`
      : sql<boolean>`m.project_id in (select p.id from projects p where p.namespace_id in ${below(place.group.id)})`;
  const found = await db
    .selectFrom('milestones as m')
    .select('m.id')
    .where('m.title', '=', title)
    .where(sql<boolean>`(${own(place)} or ${others})`)
    .where(sql<boolean>`m.id is distinct from ${exceptId}::bigint`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export interface MilestoneValues {
  readonly title?: string;
  readonly description?: string | null;
  readonly state?: 'active' | 'closed';
  readonly start_date?: string | null;
  readonly due_date?: string | null;
}

export async function insertMilestone(
  tx: Db,
  place: Place,
  values: MilestoneValues & { readonly title: string },
): Promise<Milestone> {
  const iid =
    place.kind === 'project'
      ? await nextIid(tx, place.project.id, 'milestone')
      : await nextGroupIid(tx, place.group.id, 'milestone');
  return await tx
    .insertInto('milestones')
    .values({ ...placeColumns(place), ...values, iid })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The row, kept as it is until the end of the transaction. */
export async function lockMilestone(tx: Db, id: number): Promise<Milestone | undefined> {
  return await tx.selectFrom('milestones').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateMilestone(tx: Db, id: number, values: MilestoneValues): Promise<Milestone> {
  return await tx
    .updateTable('milestones')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => recordNotFound());
}

export async function deleteMilestones(tx: Db, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('milestones')
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .execute();
}

/** Milestones of the title in the projects of a group and below. */
export async function ofTitleBelow(tx: Db, namespaceId: number, title: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('milestones as m')
    .innerJoin('projects as p', 'p.id', 'm.project_id')
    .select('m.id')
    .where(sql<boolean>`p.namespace_id in ${below(namespaceId)}`)
    .where('m.title', '=', title)
    .forUpdate('m')
    .execute();
  return rows.map(({ id }) => id);
}
