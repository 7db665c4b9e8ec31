/** Events of people in projects: written once per fact, listed by author, by project, or where somebody is a member. */
import { type Insertable, sql } from 'kysely';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, easedCommit, recordset } from '../../../kernel/db/index.ts';
import type { Event } from '../../../kernel/db/rows.ts';
import type { EventsTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { type LoadedNote, notesById } from '../../collaboration/notes/index.ts';
import {
  abilityScope,
  allOf,
  below,
  groupScope,
  projectScope,
  projectsWithin,
  type Sql,
  withTables,
} from '../../namespaces/index.ts';
import { epicsSeen } from '../../planning/index.ts';

export type NewEvent = Insertable<EventsTable>;

/** What an event names, by the column that names it. */
const named = {
  project_id: 'projects',
  namespace_id: 'namespaces',
  author_id: 'users',
  merge_request_id: 'merge_requests',
  note_id: 'notes',
  milestone_id: 'milestones',
  issue_id: 'issues',
  wiki_page_id: 'wiki_pages',
  epic_id: 'epics',
} as const satisfies Partial<Record<keyof NewEvent, string>>;
type Naming = keyof typeof named;

const types: Readonly<Partial<Record<keyof NewEvent, string>>> = {
  ...(Object.fromEntries(Object.keys(named).map((column) => [column, 'bigint'])) as Record<Naming, string>),
  fact_id: 'bigint',
  commit_count: 'integer',
  ref_count: 'integer',
  created_at: 'timestamptz',
};

/**
 * Writes events once, each while everything that it names is there: a fact may arrive after its project or group, its person
 * or its merge request has gone. What somebody is removing is waited for, and stays until the event has been written. The
 * disk is not waited for: where a crash loses an event, it also loses the later mark that its fact was delivered.
 */
export async function insertEvents(db: Db, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const given = events.flatMap((event) => Object.keys(event));
  const columns = [...new Set(['fact_id', ...given])].sort() as (keyof NewEvent)[];
  const naming = columns.filter((column): column is Naming => Object.hasOwn(named, column));
  const there = naming.map(
    (column) => sql`${sql.ref(`there_${column}`)} as materialized (
      select r.id from ${sql.table(named[column])} r where r.id in (select ${sql.ref(column)} from given)
      order by r.id for key share)`,
  );
  const still = naming.map(
    (column) =>
      sql`(g.${sql.ref(column)} is null or g.${sql.ref(column)} in (select id from ${sql.ref(`there_${column}`)}))`,
  );
  const typed = columns.map((column) => sql`${sql.ref(column)} ${sql.raw(types[column] ?? 'text')}`);
  await sql`with given as materialized (
      select * from jsonb_to_recordset(${recordset(events)}::jsonb) as g (${sql.join(typed)})),
    eased as materialized (${easedCommit}),
    ${sql.join([...there])}
    insert into events (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql`g.${sql.ref(column)}`))} from eased, given g
    where ${sql.join(still, sql` and `)} order by g.fact_id
    on conflict (fact_id) do nothing`.execute(db);
}

/** Removes a batch of events that are older than some years; answers how many. */
export async function removeEvents(db: Db, years: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where id in (
    select id from events where created_at < now() - make_interval(years => ${years})
    order by created_at, id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export interface EventFilter {
  readonly action?: string | undefined;
  readonly target_type?: string | undefined;
  /** `YYYY-MM-DD`: only events of days before. */
  readonly before?: string | undefined;
  /** `YYYY-MM-DD`: only events of days after. */
  readonly after?: string | undefined;
  readonly sort?: 'asc' | 'desc' | undefined;
}

/** Whose events, or where. */
export type EventSource =
  | { readonly authorId: number }
  | { readonly project: ProjectSubject }
  /** In a group, and in all groups and projects below it. */
  | { readonly group: GroupSubject }
  /** Every project and group in which the caller is a member. */
  | 'memberships';

export interface EventRow extends Event {
  readonly target_iid: number | null;
  readonly target_title: string | null;
  /** The comment, where the event is one. */
  readonly note?: LoadedNote | undefined;
  /** Where the page of the wiki is. */
  readonly wiki_slug: string | null;
  /** Of the project, or of the group of an epic; with those of the groups above. */
  readonly place_name: string;
  readonly place_path: string;
}

/** Events of an issue, and comments on one that are not internal. */
const ofIssue = sql`(e.target_type = 'issue' or (e.target_type = 'note' and t.noteable_type = 'issue' and not t.internal))`;

/** What one needs to see of a project for each kind of event. */
const kindsFor = (me: number | null) =>
  [
    { ability: 'read_code', of: sql`e.action = 'pushed'` },
    { ability: 'read_merge_request', of: sql`e.target_type = 'merge_request'` },
    { ability: 'read_code', of: sql`(e.target_type = 'note' and t.noteable_type = 'commit')` },
    {
      ability: 'read_merge_request',
      of: sql`(e.target_type = 'note' and t.noteable_type = 'merge_request' and not t.internal)`,
    },
    {
      ability: 'read_issue',
      of: sql`(${ofIssue} and (not i.confidential or i.author_id = ${me}::bigint or exists (
      select from issue_assignees a where a.issue_id = i.id and a.user_id = ${me}::bigint)))`,
    },
    { ability: 'read_confidential_issue', of: ofIssue },
    { ability: 'read_milestone', of: sql`e.target_type = 'milestone'` },
    { ability: 'read_wiki', of: sql`e.target_type = 'wiki_page'` },
    { ability: 'read_project', of: sql`(e.action <> 'pushed' and e.target_type is null)` },
  ] satisfies readonly { readonly ability: ProjectAbility; readonly of: Sql }[];

/** Of epics that the caller sees; internal comments are left out, as they are of issues. */
const epicsSeenOf = (caller: Caller, groups: Sql) => sql`(e.namespace_id is not null and ${groups}
  and (e.target_type = 'epic' or (e.target_type = 'note' and t.noteable_type = 'epic' and not t.internal))
  and exists (select from epics e where e.id = c.id and ${epicsSeen(caller)}))`;

/** Events of which the caller may see the project or group and the part of it that they are about. */
function visible(caller: Caller, source: EventSource): { tables: Sql | null; condition: Sql } {
  const kinds = kindsFor(caller.user?.id ?? null);
  if (typeof source === 'object' && 'project' in source) {
    const seen = kinds.filter(({ ability }) => canOnProject(caller, ability, source.project)).map(({ of }) => of);
    return { tables: null, condition: seen.length === 0 ? sql`false` : sql`(${sql.join(seen, sql` or `)})` };
  }
  const scopes = kinds.map(({ ability, of }) => ({ of, scope: abilityScope(caller, ability) }));
  const groups = groupScope(caller, { minimum: null });
  const conditions = [
    ...scopes.map(({ of, scope }) => sql`(e.project_id is not null and ${of} and ${scope.condition})`),
    epicsSeenOf(caller, groups.condition),
  ];
  const tables = scopes.map(({ scope }) => scope.tables).find((table) => table !== null) ?? null;
  return { tables, condition: sql`(${sql.join(conditions, sql` or `)})` };
}

/** Where the filter has another word for a kind of target. */
const kept: Readonly<Record<string, string>> = { wiki: 'wiki_page' };

/** As arrays, which indexes are asked for; a condition on subqueries would walk through the events of everybody. */
const within = (id: number) => sql`(e.project_id = any(array${projectsWithin({ kind: 'group', id })})
  or e.namespace_id = any(array${below(id)}))`;

function conditionsOf(caller: Caller, source: EventSource, filter: EventFilter): Sql[] {
  const found: Sql[] = [];
  if (source === 'memberships') {
    const [projects, groups] = [projectScope, groupScope].map(
      (scope) => scope(caller, { minimum: Level.guest }).condition,
    );
    found.push(sql`(case when e.project_id is null then ${groups} else ${projects} end)`);
  } else if ('project' in source) found.push(sql`e.project_id = ${source.project.project.id}`);
  else if ('group' in source) found.push(within(source.group.group.id));
  else found.push(sql`e.author_id = ${source.authorId}`);
  if (filter.action !== undefined) found.push(sql`e.action = ${filter.action}`);
  if (filter.target_type !== undefined)
    found.push(sql`e.target_type = ${kept[filter.target_type] ?? filter.target_type}`);
  if (filter.before !== undefined) found.push(sql`e.created_at < ${filter.before}::date`);
  if (filter.after !== undefined) found.push(sql`e.created_at >= ${filter.after}::date + 1`);
  return found;
}

function statement(caller: Caller, source: EventSource, filter: EventFilter, columns: Sql, end: Sql) {
  const { tables, condition } = visible(caller, source);
  // Somebody's memberships are theirs, also where they administer everything.
  const member = source === 'memberships' ? projectScope(caller, { minimum: Level.guest }).tables : null;
  return sql<EventRow>`${withTables(tables ?? member)}
    select ${columns} from events e left join projects p on p.id = e.project_id
      join namespaces n on n.id = coalesce(e.namespace_id, p.namespace_id)
      left join merge_requests m on m.id = e.merge_request_id left join wiki_pages w on w.id = e.wiki_page_id
      left join notes t on t.id = e.note_id left join milestones s on s.id = e.milestone_id
      left join issues i
        on i.id = coalesce(e.issue_id, case when t.noteable_type = 'issue' then t.noteable_id end)
      left join epics c on c.id = coalesce(e.epic_id, case when t.noteable_type = 'epic' then t.noteable_id end)
    where ${allOf([...conditionsOf(caller, source, filter), condition])} ${end}`;
}

/** One page of events that the caller may see, and how many there are. */
export async function listEvents(
  db: Db,
  caller: Caller,
  source: EventSource,
  filter: EventFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: EventRow[]; total: number }> {
  const way = sql.raw(filter.sort ?? 'desc');
  const columns = sql`e.*, coalesce(m.iid, s.iid, case e.target_type when 'issue' then i.iid when 'epic' then c.iid end) as target_iid,
    coalesce(m.title, w.title, s.title, case e.target_type when 'issue' then i.title when 'epic' then c.title end, case when e.target_type in ('note', 'milestone') then e.commit_title end) as target_title,
    w.slug as wiki_slug,
    concat_ws(' / ', n.full_name, p.name) as place_name, concat_ws('/', n.full_path, p.path) as place_path`;
  const end = sql`order by e.created_at ${way}, e.id ${way} limit ${page.limit} offset ${page.offset}`;
  const [{ rows: plain }, total] = await Promise.all([
    statement(caller, source, filter, columns, end).execute(db),
    countUpTo(db, { limit: (rows) => statement(caller, source, filter, sql`1`, sql`limit ${rows}`) }),
  ]);
  const notes = await notesById(
    db,
    plain.flatMap((row) => row.note_id ?? []),
  );
  // A comment that went meanwhile takes its event along.
  const rows = plain.flatMap((row) => {
    if (row.note_id === null) return [row];
    const note = notes.get(row.note_id);
    return note ? [{ ...row, note }] : [];
  });
  return { rows, total };
}

/** How many events of somebody the caller may see, by the day (UTC) of the last 53 weeks that have any. */
export async function contributionDays(
  db: Db,
  caller: Caller,
  authorId: number,
  after: string,
): Promise<Array<{ date: string; count: number }>> {
  const columns = sql`(e.created_at at time zone 'UTC')::date as date, count(*)::int as count`;
  const counted = statement(caller, { authorId }, { after }, columns, sql`group by 1 order by 1`);
  const { rows } = await sql<{ date: string; count: number }>`${counted}`.execute(db);
  return rows;
}
