/** Orders of issues by their labels and milestones, walked along these: a page looks at few issues instead of sorting all. */
import { type RawBuilder, sql } from 'kysely';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { allOf, type Sql } from '../../namespaces/index.ts';
import {
  among,
  type IssueFilter,
  type IssuePlace,
  type IssueQuery,
  issueConditions,
  projectsBelow,
} from './filter.queries.ts';
import { isMergeable, mergedIssues } from './merging.queries.ts';

/** A row with the values of its order that are not columns. */
export interface ListedRow extends Issue {
  readonly first: number | null;
  readonly second: number | null;
}

export const epoch = sql`date '1970-01-01'`;
/** The best priority among the labels of rows `i`. */
export const labelRank = sql`(select min(r.priority) from issue_labels k
  join label_priorities r on r.label_id = k.label_id and r.project_id = i.project_id where k.issue_id = i.id)`;

type Direction = 'asc' | 'desc';
type Window = Pick<Page, 'limit' | 'offset' | 'after'>;
interface Position {
  readonly rank: number | null;
  readonly id: number;
}
/** Reads so many rows that meet the condition, past a position. */
type Part = (where: Sql, most: number, after: Position | null) => Promise<ListedRow[]>;

/** Pages further behind are sorted: what is before them would have to be read anyway. */
const deepest = 1000;
/** Days with milestones that are looked at before all issues are sorted. */
const mostDays = 16;
/** With other filters there may be few issues along the way, and many to pass. */
const passed: ReadonlySet<string> = new Set<keyof IssueFilter>(['state', 'issueType']);

const walkable = ({ filter }: IssueQuery, { offset, limit }: Window) =>
  offset + limit <= deepest && Object.entries(filter).every(([key, value]) => value === undefined || passed.has(key));

/** Reads issues in the order of their ids, or of the priorities of their labels with those without one last. */
function partsOf(
  db: Db,
  list: IssueQuery & { readonly sort: Direction },
  day: Sql | null,
  /** Of a group, those `s` of the day. */
  milestones?: Sql,
  /** Of everything, on milestones `s`. */
  due?: Sql,
) {
  const { place } = list;
  const found = issueConditions(list, place.kind === 'group' ? 'near' : 'walked');
  if (!found) return null;
  const direction = sql.raw(list.sort);
  const beyond = sql.raw(list.sort === 'asc' ? '>' : '<');
  const columns = (rank: Sql) =>
    day === null ? sql`${rank} as first, null::int as second` : sql`${day} as first, ${rank} as second`;
  const run = async (query: RawBuilder<ListedRow>) => (await query.execute(db)).rows;

  const byId: Part = async (where, most, after) => {
    const behind = after ? [sql`i.id ${beyond} ${after.id}`] : [];
    if (place.kind === 'group') {
      const reading = { by: sql`i.id`, direction: list.sort, columns: columns(sql`null::int`), limit: most, offset: 0 };
      return await mergedIssues(db, list, { ...reading, milestones, conditions: [where, ...behind] });
    }
    return await run(sql<ListedRow>`${found.with} select i.*, ${columns(sql`null::int`)} from issues i
      where ${allOf([found.where, where, ...behind])}
      order by i.id ${direction} limit ${most}`);
  };

  const inPlace =
    place.kind === 'project'
      ? sql`where r.project_id = ${place.subject.project.id}`
      : place.kind === 'group'
        ? sql`where r.project_id in ${projectsBelow(place.id)}`
        : sql``;
  const within = list.filter.titled?.milestones;
  /** Links `k` of a label `p` to what has no label with a better priority. */
  const best = sql`not exists (select from issue_labels o join label_priorities b on b.label_id = o.label_id
    and b.project_id = p.project_id where o.issue_id = k.issue_id and (b.priority, b.label_id) < (p.priority, p.label_id))`;
  const past = (after: Position | null) =>
    after ? sql`and (p.priority, k.issue_id) ${beyond} (${after.rank}::int, ${after.id}::bigint)` : sql``;
  /**
   * Of some milestones of a project: their issues and those of each label are read side by side in the order of their ids,
   * until there are enough.
   */
  const rankedWithin: Part = async (where, most, after) =>
    await run(sql<ListedRow>`${found.with} select i.*, ${columns(sql`p.priority`)}
      from (select r.label_id, r.project_id, r.priority from label_priorities r ${inPlace} order by r.priority ${direction}) p
        cross join lateral (select i.* from issue_labels k
            join (select m.id from issues m where ${among(sql`m.milestone_id`, within ?? [])} order by m.id ${direction} offset 0) m
              on m.id = k.issue_id
            cross join lateral (select i.* from issues i where i.id = k.issue_id and ${allOf([found.where, where])} offset 0) i
          where k.label_id = p.label_id and ${best} ${past(after)}
          order by k.issue_id ${direction} limit ${most}) i
      order by p.priority ${direction}, i.id ${direction} limit ${most}`);
  /** Of the milestones of everything that are due on a day: the ranks are worked out from links alone, and rows read of the first. */
  const rankedOn = async (due: Sql, where: Sql, most: number, after: Position | null) =>
    await run(sql<ListedRow>`${found.with} select i.*, ${columns(sql`p.rank`)}
      from (select k.issue_id, min(r.priority) as rank from label_priorities r join issue_labels k on k.label_id = r.label_id
          join (select m.id, m.project_id from issues m
            where m.milestone_id = any(array(select s.id from milestones s where ${due})) offset 0) m
          on m.id = k.issue_id and m.project_id = r.project_id
          group by k.issue_id order by rank ${direction}, k.issue_id ${direction}) p
        cross join lateral (select i.* from issues i where i.id = p.issue_id and ${allOf([found.where, where])} offset 0) i
      ${after ? sql`where (p.rank, p.issue_id) ${beyond} (${after.rank}::int, ${after.id}::bigint)` : sql``}
      order by p.rank ${direction}, p.issue_id ${direction} limit ${most}`);
  const ranked: Part = async (where, most, after) =>
    await run(sql<ListedRow>`${found.with} select i.*, ${columns(sql`p.priority`)}
      from (select r.label_id, r.project_id, r.priority from label_priorities r ${inPlace} order by r.priority ${direction}) p
        cross join lateral (select i.* from issue_labels k join issues i on i.id = k.issue_id
          where k.label_id = p.label_id and i.project_id = p.project_id and ${allOf([found.where, where])}
            and ${best} ${past(after)}
          order by k.issue_id ${direction} limit ${most}) i
      order by p.priority ${direction}, i.id ${direction} limit ${most}`);

  const byRank: Part = async (where, most, after) => {
    const ofDay =
      place.kind === 'instance' && due
        ? (...wanted: Parameters<Part>) => rankedOn(due, ...wanted)
        : within
          ? rankedWithin
          : ranked;
    const rows = after?.rank === null ? [] : await ofDay(where, most, after);
    if (rows.length === most) return rows;
    const rest = await byId(
      allOf([where, sql`coalesce(${labelRank}, -1) < 0`]),
      most - rows.length,
      after?.rank === null ? after : null,
    );
    return [...rows, ...rest];
  };
  return { byId, byRank };
}

/** Of a group, those of its projects, and of groups whichever these are. */
const milestonesBelow = (place: IssuePlace, condition: Sql): Sql | undefined =>
  place.kind === 'group'
    ? sql`${condition} and (s.namespace_id is not null or s.project_id in ${projectsBelow(place.id)})`
    : undefined;

interface Day {
  readonly day: number;
  /** Milestones of the place that are due then; null of the instance, where they may be many. */
  readonly milestones: readonly number[] | null;
  /** Whether these are of the project itself. */
  readonly own: boolean;
}

/** The next day on which a milestone of the place is due, beginning with the day itself for `same`; null where there is none. */
async function dayAfter(db: Db, place: IssuePlace, day: number | null, sort: Direction, same = false) {
  if (place.kind === 'project') return await dayOfProject(db, place.subject, day, sort, same);
  if (same && day !== null) return { day, milestones: null, own: false };
  const [least, beyond] = sort === 'asc' ? [sql.raw('min'), sql.raw('>')] : [sql.raw('max'), sql.raw('<')];
  const past = day === null ? sql`` : sql`where due_date ${beyond} ${epoch} + ${day}::int`;
  const { rows } = await sql<{ day: number | null }>`
    select ${least}(due_date) - ${epoch} as day from milestones ${past}`.execute(db);
  const next = rows[0]?.day ?? null;
  return next === null ? null : { day: next, milestones: null, own: false };
}

async function dayOfProject(
  db: Db,
  { project, namespace }: ProjectSubject,
  day: number | null,
  sort: Direction,
  same: boolean,
): Promise<Day | null> {
  const beyond = sql.raw(`${sort === 'asc' ? '>' : '<'}${same ? '=' : ''}`);
  const { rows } = await sql<Day>`
    select t.due_date - ${epoch} as day, array_agg(t.id) as milestones, bool_and(t.project_id is not null) as own
    from milestones t
    where t.due_date is not null ${day === null ? sql`` : sql`and t.due_date ${beyond} ${epoch} + ${day}::int`}
      and (t.project_id = ${project.id} or t.namespace_id = any(${[...namespace.traversal_ids]}::bigint[]))
    group by t.due_date order by t.due_date ${sql.raw(sort)} limit 1`.execute(db);
  return rows[0] ?? null;
}

/** Day by day, then those that are not due. Null where there are too many days with too little. */
async function walkDays(
  db: Db,
  list: IssueQuery & { readonly sort: Direction },
  by: 'byId' | 'byRank',
  { limit, offset, after }: Window,
): Promise<ListedRow[] | null> {
  const most = offset + limit;
  const rows: ListedRow[] = [];
  const position = after && { rank: (after.second ?? null) as number | null, id: Number(after.id) };
  const first = after ? (after.first as number | null) : null;
  const begin = after && first === null ? null : await dayAfter(db, list.place, first, list.sort, after !== null);
  let looked = 0;
  for (let at = begin; at && rows.length < most; at = await dayAfter(db, list.place, at.day, list.sort)) {
    looked += 1;
    if (looked > mostDays) return null;
    const { day, milestones, own } = at;
    const dueThen = sql`s.due_date = ${epoch} + ${day}::int`;
    const titled = milestones ? { labels: [], milestones, ownMilestones: own } : undefined;
    const ofDay = titled ? { ...list, filter: { ...list.filter, titled } } : list;
    const part = partsOf(db, ofDay, sql`${day}::int`, milestonesBelow(list.place, dueThen), dueThen);
    if (!part) return [];
    const dueWhere = milestones ? sql`true` : sql`i.milestone_id in (select s.id from milestones s where ${dueThen})`;
    rows.push(...(await part[by](dueWhere, most - rows.length, position && day === first ? position : null)));
  }
  if (rows.length < most) {
    const part = partsOf(db, list, sql`null::int`);
    const never = sql`(select s.due_date from milestones s where s.id = i.milestone_id) is null`;
    if (part) rows.push(...(await part[by](never, most - rows.length, after && first === null ? position : null)));
  }
  return rows.slice(offset);
}

/**
 * A page by the priorities of labels, or of many projects by the due dates of milestones. The cursor has been checked.
 * Null where sorting is cheaper.
 */
export async function walkIssues(
  db: Db,
  list: IssueQuery & { readonly orderBy: string; readonly sort: Direction },
  page: Window,
): Promise<ListedRow[] | null> {
  const { place, orderBy, sort } = list;
  if (!walkable(list, page) || (place.kind === 'group' && !isMergeable(list, page.limit + page.offset))) return null;
  if (orderBy === 'label_priority') {
    const parts = partsOf(db, list, null);
    const { after, limit, offset } = page;
    const position = after && { rank: (after.first ?? null) as number | null, id: Number(after.id) };
    return parts && (await parts.byRank(sql`true`, offset + limit, position)).slice(offset);
  }
  if (orderBy === 'milestone_due') return await walkDays(db, { ...list, sort }, 'byId', page);
  return orderBy === 'priority' ? await walkDays(db, { ...list, sort }, 'byRank', page) : null;
}
