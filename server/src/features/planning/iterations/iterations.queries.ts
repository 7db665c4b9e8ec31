/** Rows of `iterations`, and of the cadences that they belong to. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Issue, Iteration, IterationCadence } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { below, groupScope, nextGroupIid, type Place, withTables } from '../../namespaces/index.ts';

export type PlacedIteration = Iteration & { readonly group_path: string };

export const searchedFields = ['title', 'cadence_title'] as const;

export interface IterationList {
  /** Projects have none of their own: theirs are those of their group. */
  readonly place: Place;
  readonly caller: Caller;
  readonly ancestors: boolean;
  readonly descendants: boolean;
  readonly state: 'opened' | 'upcoming' | 'current' | 'closed' | 'all';
  readonly search?: string | undefined;
  readonly searched: readonly (typeof searchedFields)[number][];
  readonly updatedBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  /** The day in UTC. */
  readonly today: string;
}

/** Whoever sees a project sees what the groups above it have planned for it. */
function reached({ place, caller, ancestors, descendants }: IterationList) {
  const group = place.kind === 'group' ? place.group : place.namespace;
  const own = sql`i.namespace_id = ${group.id}`;
  const scope = groupScope(caller, { minimum: null });
  const seen = (places: unknown) => sql`i.namespace_id in (${withTables(scope.tables)}
    select n.id from namespaces n where ${places} and n.kind = 'group' and ${scope.condition})`;
  const above = sql`${[...group.traversal_ids]}::bigint[]`;
  const parts = [
    own,
    ...(ancestors
      ? [place.kind === 'project' ? sql`i.namespace_id = any(${above})` : seen(sql`n.id = any(${above})`)]
      : []),
    ...(descendants ? [seen(sql`n.id in ${below(group.id)}`)] : []),
  ];
  return sql<boolean>`(${sql.join(parts, sql` or `)})`;
}

const states = {
  opened: (today: string) => sql<boolean>`i.due_date >= ${today}::date`,
  upcoming: (today: string) => sql<boolean>`i.start_date > ${today}::date`,
  current: (today: string) => sql<boolean>`(i.start_date <= ${today}::date and i.due_date >= ${today}::date)`,
  closed: (today: string) => sql<boolean>`i.due_date < ${today}::date`,
} as const;

function available(db: Db, list: IterationList) {
  let query = db.selectFrom('iterations as i').where(reached(list));
  if (list.state !== 'all') query = query.where(states[list.state](list.today));
  if (list.search) {
    const pattern = containing(list.search);
    const title = list.searched.includes('title') ? [sql`i.title ilike ${pattern}`] : [];
    const cadence = list.searched.includes('cadence_title')
      ? [sql`exists (select from iteration_cadences c where c.id = i.cadence_id and c.title ilike ${pattern})`]
      : [];
    query = query.where(sql<boolean>`(${sql.join([sql`false`, ...title, ...cadence], sql` or `)})`);
  }
  if (list.updatedBefore) query = query.where('i.updated_at', '<=', list.updatedBefore);
  if (list.updatedAfter) query = query.where('i.updated_at', '>=', list.updatedAfter);
  return query;
}

const groupPath = sql<string>`(select n.full_path from namespaces n where n.id = i.namespace_id)`.as('group_path');

/** By the day they are due. */
export async function listIterations(
  db: Db,
  list: IterationList,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<PlacedIteration[]> {
  return await available(db, list)
    .selectAll('i')
    .select(groupPath)
    .orderBy('i.due_date')
    .orderBy('i.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countIterations = (db: Db, list: IterationList): Promise<number> =>
  countUpTo(db, available(db, list).select('i.id'));

/** One of the group's own. */
export async function findIteration(db: Db, groupId: number, id: number): Promise<PlacedIteration | undefined> {
  return await db
    .selectFrom('iterations as i')
    .selectAll('i')
    .select(groupPath)
    .where('i.namespace_id', '=', groupId)
    .where('i.id', '=', id)
    .executeTakeFirst();
}

export async function iterationsById(db: Db, ids: readonly number[]): Promise<PlacedIteration[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('iterations as i')
    .selectAll('i')
    .select(groupPath)
    .where(sql<boolean>`i.id = any(${[...ids]}::bigint[])`)
    .execute();
}

/** One of the group's own or of the groups above it that the caller sees. */
export async function iterationReached(
  db: Db,
  place: Place,
  caller: Caller,
  id: number,
): Promise<PlacedIteration | undefined> {
  const all = { ancestors: true, descendants: false, state: 'all', searched: [], today: '' } as const;
  return await available(db, { ...all, place, caller })
    .selectAll('i')
    .select(groupPath)
    .where('i.id', '=', id)
    .executeTakeFirst();
}

const begun = (db: Db, cadenceId: number, today: string) =>
  db
    .selectFrom('iterations as i')
    .where('i.cadence_id', '=', cadenceId)
    .where(sql<boolean>`i.start_date <= ${today}::date`);

/** Iterations of a cadence that have begun, the newest first. */
export async function listBegun(
  db: Db,
  cadenceId: number,
  today: string,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<PlacedIteration[]> {
  return await begun(db, cadenceId, today)
    .selectAll('i')
    .select(groupPath)
    .orderBy('i.start_date', 'desc')
    .orderBy('i.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countBegun = (db: Db, cadenceId: number, today: string): Promise<number> =>
  countUpTo(db, begun(db, cadenceId, today).select('i.id'));

export interface IterationValues {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly start_date?: string;
  readonly due_date?: string;
}

export async function insertIteration(
  tx: Db,
  cadence: Pick<IterationCadence, 'id' | 'namespace_id'>,
  values: IterationValues & { readonly start_date: string; readonly due_date: string },
): Promise<Iteration> {
  const { id: cadence_id, namespace_id } = cadence;
  const iid = await nextGroupIid(tx, namespace_id, 'iteration');
  // Those of a cadence are numbered by their days, once all of them are there.
  const row = { ...values, cadence_id, namespace_id, iid, sequence: iid };
  return await tx.insertInto('iterations').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateIteration(tx: Db, id: number, values: IterationValues): Promise<Iteration> {
  return await tx
    .updateTable('iterations')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Iteration'));
}

export async function deleteIteration(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('iterations').where('id', '=', id).execute();
}

/** Numbers the iterations of a cadence by their days. */
export async function numberIterations(tx: Db, cadenceId: number): Promise<void> {
  await sql`update iterations i set sequence = r.sequence
    from (select id, row_number() over (order by start_date, id)::int as sequence
      from iterations where cadence_id = ${cadenceId}) r
    where i.id = r.id and i.sequence <> r.sequence`.execute(tx);
}

/** Another iteration of the cadence that has a day or the title in common. */
export async function clashOf(
  tx: Db,
  cadenceId: number,
  {
    start_date,
    due_date,
    title,
  }: { readonly start_date: string; readonly due_date: string; readonly title: string | null },
  exceptId: number | null,
): Promise<{ readonly days: boolean; readonly title: boolean }> {
  const { rows } = await sql<{ days: boolean; title: boolean }>`
    select coalesce(bool_or(i.start_date <= ${due_date}::date and i.due_date >= ${start_date}::date), false) as days,
      coalesce(bool_or(i.title = ${title}), false) as title
    from iterations i where i.cadence_id = ${cadenceId} and i.id is distinct from ${exceptId}::bigint`.execute(tx);
  return rows[0] ?? { days: false, title: false };
}

/** The newest iteration that has begun, and those that have not, in the order of their days. */
export async function iterationsFrom(tx: Db, cadenceId: number, today: string): Promise<Iteration[]> {
  return await tx
    .selectFrom('iterations as i')
    .selectAll('i')
    .where('i.cadence_id', '=', cadenceId)
    .where(
      sql<boolean>`i.start_date >= coalesce((select max(b.start_date) from iterations b
        where b.cadence_id = ${cadenceId} and b.start_date <= ${today}::date), '-infinity')`,
    )
    .orderBy('i.start_date')
    .orderBy('i.id')
    .execute();
}

/** Open issues of the cadence's closed iterations are planned for another one. Answers them with where they were. */
export async function moveOpenIssues(
  tx: Db,
  cadenceId: number,
  to: number,
  today: string,
): Promise<(Issue & { readonly previous_id: number })[]> {
  const { rows } = await sql<Issue & { previous_id: number }>`
    with open as (
      select s.id, s.iteration_id as previous_id from issues s join iterations i on i.id = s.iteration_id
      where i.cadence_id = ${cadenceId} and i.due_date < ${today}::date and s.state = 'opened'
      order by s.id for update of s)
    update issues s set iteration_id = ${to}, updated_at = now() from open where s.id = open.id
    returning s.*, open.previous_id`.execute(tx);
  return rows;
}
