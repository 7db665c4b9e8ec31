/** SQL of epics. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Epic, Label } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { responsesTo } from '../../collaboration/index.ts';
import { below, groupScope, nextGroupIid, withTables } from '../../namespaces/index.ts';
import type { Person } from '../issues/issues.queries.ts';
import type { LoadedEpic } from './epics.entity.ts';
import { type EpicNarrowing, narrowing } from './filter.queries.ts';
import { epicsSeen } from './seen.queries.ts';

/** The epic of one of the groups above a project that the caller sees; by its number in the group that is nearest. */
export async function epicAbove(
  db: Db,
  { namespace }: ProjectSubject,
  caller: Caller,
  wanted: { readonly id: number } | { readonly iid: number },
): Promise<Epic | undefined> {
  const { tables, condition } = groupScope(caller, { minimum: null });
  const by =
    'id' in wanted ? sql`e.id = ${wanted.id}` : sql`e.iid = ${wanted.iid} and e.namespace_id = ${namespace.id}`;
  const { rows } = await sql<Epic>`${withTables(tables)}
    select e.* from epics e join namespaces n on n.id = e.namespace_id
    where ${by} and n.id = any(${namespace.traversal_ids}::bigint[]) and n.kind = 'group' and ${condition}
      and ${epicsSeen(caller)}`.execute(db);
  return rows[0];
}

/** An epic of any group whose members the caller is among: what an issue from elsewhere may be added to. */
export async function epicToJoin(db: Db, caller: Caller, id: number): Promise<Epic | undefined> {
  const { tables, condition } = groupScope(caller, { minimum: caller.admin ? null : Level.guest });
  const { rows } = await sql<Epic>`${withTables(tables)}
    select e.* from epics e join namespaces n on n.id = e.namespace_id
    where e.id = ${id} and n.kind = 'group' and ${condition} and ${epicsSeen(caller)}`.execute(db);
  return rows[0];
}

export interface EpicList {
  /** Null for those of all groups. */
  readonly group: GroupSubject['group'] | null;
  readonly caller: Caller;
  readonly ancestors: boolean;
  readonly descendants: boolean;
  readonly narrowed?: EpicNarrowing | undefined;
  readonly not?: EpicNarrowing | undefined;
  readonly search?: string | undefined;
  readonly state?: 'opened' | 'closed' | undefined;
  readonly confidential?: boolean | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  /** The last is the order on boards, which epics without a place are behind. */
  readonly orderBy: 'created_at' | 'updated_at' | 'title' | 'relative_position';
  readonly sort: 'asc' | 'desc';
}

function available(db: Db, list: EpicList) {
  const { group, caller } = list;
  const scope = groupScope(caller, { minimum: null });
  const seen = (places: unknown) => sql`e.namespace_id in (${withTables(scope.tables)}
    select n.id from namespaces n where ${places} and n.kind = 'group' and ${scope.condition})`;
  const places =
    group === null
      ? [seen(sql`true`)]
      : [
          sql`e.namespace_id = ${group.id}`,
          ...(list.ancestors ? [seen(sql`n.id = any(${[...group.traversal_ids]}::bigint[])`)] : []),
          ...(list.descendants ? [seen(sql`n.id in ${below(group.id)}`)] : []),
        ];
  let query = db
    .selectFrom('epics as e')
    .where(sql<boolean>`(${sql.join(places, sql` or `)})`)
    .where(epicsSeen(caller));
  for (const condition of narrowing(list.narrowed ?? {}, caller)) query = query.where(condition);
  for (const condition of narrowing(list.not ?? {}, caller)) query = query.where(sql<boolean>`not ${condition}`);
  if (list.state) query = query.where('e.state', '=', list.state);
  if (list.confidential !== undefined) query = query.where('e.confidential', '=', list.confidential);
  if (list.search) {
    const pattern = containing(list.search);
    query = query.where(sql<boolean>`(e.title ilike ${pattern} or e.description ilike ${pattern})`);
  }
  if (list.createdAfter) query = query.where('e.created_at', '>=', list.createdAfter);
  if (list.createdBefore) query = query.where('e.created_at', '<=', list.createdBefore);
  if (list.updatedAfter) query = query.where('e.updated_at', '>=', list.updatedAfter);
  if (list.updatedBefore) query = query.where('e.updated_at', '<=', list.updatedBefore);
  return query;
}

export async function listEpics(db: Db, list: EpicList, page: Pick<Page, 'limit' | 'offset'>): Promise<Epic[]> {
  const { orderBy, sort } = list;
  const query = available(db, list).selectAll('e');
  const ordered =
    orderBy === 'relative_position'
      ? query.orderBy('e.board_position', (by) => (sort === 'asc' ? by.asc() : by.desc()).nullsLast())
      : query.orderBy(`e.${orderBy}`, sort);
  return await ordered.orderBy('e.id', sort).limit(page.limit).offset(page.offset).execute();
}

export const countEpics = (db: Db, list: EpicList): Promise<number> =>
  countUpTo(db, available(db, list).select('e.id'));

export async function epicById(db: Db, id: number): Promise<Epic | undefined> {
  return await db.selectFrom('epics').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A group's own epic that the caller sees. */
export async function findEpic(
  db: Db,
  groupId: number,
  caller: Caller,
  wanted: { readonly id: number } | { readonly iid: number },
): Promise<Epic | undefined> {
  const [column, value] = 'id' in wanted ? (['e.id', wanted.id] as const) : (['e.iid', wanted.iid] as const);
  return await db
    .selectFrom('epics as e')
    .selectAll('e')
    .where('e.namespace_id', '=', groupId)
    .where(column, '=', value)
    .where(epicsSeen(caller))
    .executeTakeFirst();
}

/** An epic of any group of the same tree that the caller sees: what may be above another one. */
export async function epicInTree(db: Db, rootId: number, caller: Caller, id: number): Promise<Epic | undefined> {
  const scope = groupScope(caller, { minimum: null });
  return await db
    .selectFrom('epics as e')
    .selectAll('e')
    .where('e.id', '=', id)
    .where(
      sql<boolean>`e.namespace_id in (${withTables(scope.tables)}
        select n.id from namespaces n where n.traversal_ids[1] = ${rootId} and n.kind = 'group' and ${scope.condition})`,
    )
    .where(epicsSeen(caller))
    .executeTakeFirst();
}

/** Epics by id that the caller sees, in any group. */
export async function epicsById(db: Db, ids: readonly number[], caller: Caller): Promise<Epic[]> {
  const scope = groupScope(caller, { minimum: null });
  return await db
    .selectFrom('epics as e')
    .selectAll('e')
    .where(sql<boolean>`e.id = any(${[...ids]}::bigint[])`)
    .where(
      sql<boolean>`e.namespace_id in (${withTables(scope.tables)}
        select n.id from namespaces n where n.kind = 'group' and ${scope.condition})`,
    )
    .where(epicsSeen(caller))
    .execute();
}

/** Epics of a tree of groups change who is above whom one after the other: two at once would close a circle. */
export async function lockTree(tx: Db, rootId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('epics', ${rootId}))`.execute(tx);
}

/** The epic and those above it, from below. */
export async function chainAbove(tx: Db, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with recursive chain (id, parent_id, at) as (
      select id, parent_id, 1 from epics where id = ${id}
      union all select e.id, e.parent_id, c.at + 1 from chain c join epics e on e.id = c.parent_id where c.at < 100)
    select id from chain order by at`.execute(tx);
  return rows.map((row) => row.id);
}

/** Levels that epics may have. */
export const deepest = 7;

/** How many levels an epic and what is below it have. */
export async function depthBelow(tx: Db, id: number): Promise<number> {
  const { rows } = await sql<{ depth: number }>`with recursive tree (id, at) as (
      select ${id}::bigint, 1
      union all select e.id, t.at + 1 from tree t join epics e on e.parent_id = t.id where t.at < 100)
    select max(at) as depth from tree`.execute(tx);
  return rows[0]?.depth ?? 1;
}

/** The first or last day that epics inherit: from milestones of issues, and from epics below. */
async function inheritedDays(db: Db, ids: readonly number[], which: 'start' | 'due'): Promise<Map<number, string>> {
  const [isFixed, fixed, day] = [
    sql.ref(`e.${which}_date_is_fixed`),
    sql.ref(`e.${which}_date_fixed`),
    sql.ref(`m.${which}_date`),
  ];
  const one = which === 'start' ? sql`min(d.day)` : sql`max(d.day)`;
  // A day that is fixed hides what is below.
  const { rows } = await sql<{ root: number; day: string | null }>`with recursive tree (root, id, at) as (
      select id, id, 1 from unnest(${[...ids]}::bigint[]) w (id)
      union all select t.root, c.id, t.at + 1 from tree t join epics e on e.id = t.id join epics c on c.parent_id = e.id
        where t.at < 100 and (t.id = t.root or not ${isFixed}))
    select d.root, ${one} as day from (
      select t.root, ${fixed} as day from tree t join epics e on e.id = t.id where t.id <> t.root and ${isFixed}
      union all select t.root, ${day} from tree t join epics e on e.id = t.id
        join issues i on i.epic_id = e.id join milestones m on m.id = i.milestone_id
        where t.id = t.root or not ${isFixed}) d
    group by d.root`.execute(db);
  return new Map(rows.flatMap(({ root, day: found }) => (found === null ? [] : [[root, found] as const])));
}

/** Adds all that the JSON of epics shows, with the same few queries for any number of them. */
export async function withDetails(db: Db, epics: readonly Epic[]): Promise<LoadedEpic[]> {
  if (epics.length === 0) return [];
  const ids = epics.map(({ id }) => id);
  const [around, labels, starts, dues, responses] = await Promise.all([
    sql<Person & { epic_id: number; group_path: string; parent: LoadedEpic['parent'] }>`
      select e.id as epic_id, n.full_path as group_path,
        case when p.id is not null
          then jsonb_build_object('id', p.id, 'iid', p.iid, 'namespace_id', p.namespace_id) end as parent,
        u.id, u.name, u.username, u.state, u.avatar_object_key, u.locked_until, u.public_email
      from epics e join namespaces n on n.id = e.namespace_id join users u on u.id = e.author_id
        left join epics p on p.id = e.parent_id
      where e.id = any(${ids}::bigint[])`.execute(db),
    labelsOf(db, ids),
    inheritedDays(db, ids, 'start'),
    inheritedDays(db, ids, 'due'),
    responsesTo(db, 'epic', ids),
  ]);
  const found = new Map(around.rows.map((each) => [each.epic_id, each]));
  return epics.flatMap((row) => {
    const each = found.get(row.id);
    // It was removed between two reads.
    if (!each) return [];
    const { epic_id: _id, group_path: groupPath, parent, ...author } = each;
    return [
      {
        row,
        author,
        groupPath,
        parent,
        labels: labels.get(row.id) ?? [],
        inheritedStart: starts.get(row.id) ?? null,
        inheritedDue: dues.get(row.id) ?? null,
        responses: responses(row.id),
      },
    ];
  });
}

/** Labels by the id of their epic, ordered by title. */
export async function labelsOf(db: Db, ids: readonly number[]): Promise<Map<number, Label[]>> {
  const { rows } = await sql<Label & { epic_id: number }>`
    select l.*, k.epic_id from epic_labels k join labels l on l.id = k.label_id
    where k.epic_id = any(${[...ids]}::bigint[]) order by l.title, l.id`.execute(db);
  const found = new Map<number, Label[]>();
  for (const { epic_id, ...label } of rows) found.set(epic_id, [...(found.get(epic_id) ?? []), label]);
  return found;
}

/** Gives an epic these labels and no others; what was removed meanwhile is left out. */
export async function setLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  const wanted = [...labelIds];
  await sql`delete from epic_labels where epic_id = ${id} and label_id <> all(${wanted}::bigint[])`.execute(tx);
  await sql`insert into epic_labels (epic_id, label_id)
    select ${id}, l.id from labels l where l.id = any(${wanted}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

export type EpicValues = Partial<Omit<Epic, 'id' | 'namespace_id' | 'iid'>>;

export async function insertEpic(
  tx: Db,
  groupId: number,
  values: EpicValues & Pick<Epic, 'author_id' | 'title'>,
): Promise<Epic> {
  const iid = await nextGroupIid(tx, groupId, 'epic');
  return await tx
    .insertInto('epics')
    .values({ ...values, iid, namespace_id: groupId })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function authorOf(db: Db, id: number): Promise<number | undefined> {
  const row = await db.selectFrom('epics').select('author_id').where('id', '=', id).executeTakeFirst();
  return row?.author_id;
}

/** The row, locked until the transaction ends. */
export async function lockEpic(tx: Db, id: number): Promise<Epic | undefined> {
  return await tx.selectFrom('epics').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Changes columns of a row and its `updated_at`. */
export async function updateEpic(tx: Db, id: number, values: EpicValues): Promise<Epic> {
  return await tx
    .updateTable('epics')
    .set({ updated_at: sql`now()`, ...values })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Epic'));
}

export async function deleteEpic(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('epics').where('id', '=', id).execute();
}

/** Titles of epics of a group by number, those that the caller sees. */
export async function epicTitles(
  db: Db,
  groupId: number,
  iids: readonly number[],
  caller: Caller,
): Promise<Pick<Epic, 'iid' | 'title' | 'state'>[]> {
  return await db
    .selectFrom('epics as e')
    .select(['e.iid', 'e.title', 'e.state'])
    .where('e.namespace_id', '=', groupId)
    .where('e.iid', 'in', [...iids])
    .where(epicsSeen(caller))
    .execute();
}
