/** Which issues a list is about: each filter as a condition on rows `i`. */
import { type RawBuilder, sql } from 'kysely';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { containing, wordsOf } from '../../../kernel/db/index.ts';
import { abilityScope, allOf, below, type Sql, withTables } from '../../namespaces/index.ts';
import { epicsOfIssuesSeen } from '../epics/seen.queries.ts';

/** An id or a number, or one of the words `None` and `Any`. */
export type IdOrWord = string;

/** Labels and milestones of a project, by what a filter calls them. */
export interface TitledIds {
  /** Of each title those that have it, one of the project and some of its groups. */
  readonly labels: ReadonlyArray<ReadonlyArray<{ readonly id: number; readonly own: boolean }>>;
  /** Undefined where there is no filter by milestone. */
  readonly milestones: readonly number[] | undefined;
  /** Whether these are of the project itself: only its issues are in them. */
  readonly ownMilestones: boolean;
}

/** What both filters and their negations know. */
export interface Negatable {
  readonly assigneeId?: IdOrWord | undefined;
  readonly assigneeUsernames?: readonly string[] | undefined;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly iids?: readonly number[] | undefined;
  readonly iterationId?: IdOrWord | undefined;
  readonly iterationTitle?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  readonly milestoneId?: string | undefined;
  readonly myReactionEmoji?: string | undefined;
  readonly weight?: IdOrWord | undefined;
  readonly epicId?: IdOrWord | undefined;
  readonly healthStatus?: string | undefined;
  readonly issueType?: string | undefined;
}

export interface IssueFilter extends Negatable {
  readonly state?: 'opened' | 'closed' | undefined;
  readonly confidential?: boolean | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly dueDate?: string | undefined;
  readonly search?: string | undefined;
  readonly searchIn?: readonly string[] | undefined;
  readonly not?: Negatable | undefined;
  /** Besides those that other filters name: the caller, of lists in a relation to them. */
  readonly createdBy?: number | undefined;
  readonly assignedTo?: number | undefined;
  /** Instead of titles of labels and milestones, where they were looked up. */
  readonly titled?: TitledIds | undefined;
  /** Those of one milestone, by its id. */
  readonly ofMilestone?: number | undefined;
  /** What else must hold of rows `i`. */
  readonly conditions?: readonly Sql[] | undefined;
  /** Those of this id, or of these. */
  readonly ids?: readonly number[] | undefined;
}

/** Where a list looks. */
export type IssuePlace =
  | { readonly kind: 'project'; readonly subject: ProjectSubject }
  | {
      readonly kind: 'group';
      readonly id: number;
      /** Also those of projects further below. */
      readonly descendants: boolean;
      readonly archived: boolean;
    }
  | { readonly kind: 'instance'; readonly archived: boolean };

type Condition = RawBuilder<boolean>;
const none = /^none$/i;
const any = /^any$/i;
const isNone = (text: string | undefined): boolean => none.test(text ?? '');
/** `None` or `Any`. */
export const isWord = (text: string): boolean => none.test(text) || any.test(text);

/** A column that holds a number, or nothing; by an index where there is one, so that it is null where the column is. */
function numbered(column: Sql, wanted: IdOrWord): Condition {
  if (none.test(wanted)) return sql`${column} is null`;
  if (any.test(wanted)) return sql`${column} is not null`;
  return sql`${column} = ${Number(wanted)}::bigint`;
}

/**
 * Any id of the labels or milestones `t` that issues of a project can have and for which the condition holds: they are few
 * and looked up before the issues are. In a group or an instance each issue is asked for its own instead.
 */
const anyOf = (table: 'labels' | 'milestones', projectId: number, condition: Sql) =>
  sql`any(array(
    select t.id from ${sql.table(table)} t where t.project_id = ${projectId} and ${condition}
    union all
    select t.id from ${sql.table(table)} t where ${condition} and t.namespace_id = any((select n.traversal_ids
      from projects p join namespaces n on n.id = p.namespace_id where p.id = ${projectId})::bigint[])))`;

/**
 * Any id of a group and those below it. As an array they are looked up in an index; how many there are the planner cannot know,
 * and it would compare each of them with each project.
 */
const anyBelow = (groupId: number): Sql => sql`any(array${below(groupId)})`;

/** Ids of the projects of a group and of those below it. */
export const projectsBelow = (groupId: number): Sql =>
  sql`(select p.id from projects p where p.namespace_id = ${anyBelow(groupId)})`;

/** The same for issues of a group: those of its projects, of the groups above it and of those below. */
export function anyOfGroup(table: 'labels' | 'milestones', groupId: number, condition: Sql): Sql {
  const titled = sql`select t.id from ${sql.table(table)} t where ${condition} and`;
  return sql`any(array(
    ${titled} t.project_id in ${projectsBelow(groupId)}
    union all ${titled} t.namespace_id in ${below(groupId)}
    union all ${titled} t.namespace_id = any((select n.traversal_ids from namespaces n where n.id = ${groupId})::bigint[])))`;
}

const projectOf = (place: IssuePlace): number | null => (place.kind === 'project' ? place.subject.project.id : null);

/** Whether there is a row, looked up issue by issue. In other words the planner would take it for very common or very rare. */
const hasRow = (from: Sql): Condition => sql`coalesce((select true ${from} limit 1), false)`;

function labelled(title: string, place: IssuePlace, near: boolean): Condition {
  const links = sql`select from issue_labels k where k.issue_id = i.id`;
  // As a value it is looked up issue by issue until there are enough; an absence would be joined with all links there are.
  if (none.test(title)) return sql`not ${hasRow(sql`from issue_labels k where k.issue_id = i.id`)}`;
  if (any.test(title)) return sql`exists (${links})`;
  const project = projectOf(place);
  if (project !== null)
    return sql`exists (${links} and k.label_id = ${anyOf('labels', project, sql`t.title = ${title}`)})`;
  // The labels of a group are looked up first, and with them what they are on; an array cannot be joined in a worse way.
  if (place.kind === 'group' && !near)
    return sql`i.id = any(array(select k.issue_id from issue_labels k
      where k.label_id = ${anyOfGroup('labels', place.id, sql`t.title = ${title}`)}))`;
  const titled = sql`from issue_labels k join labels l on l.id = k.label_id where k.issue_id = i.id and l.title = ${title}`;
  return near ? hasRow(titled) : sql`exists (select ${titled})`;
}

const assigned = sql`select from issue_assignees a where a.issue_id = i.id`;
function assignedTo(wanted: IdOrWord, place: IssuePlace, negated = false): Condition {
  if (none.test(wanted)) return sql`not ${hasRow(sql`from issue_assignees a where a.issue_id = i.id`)}`;
  return any.test(wanted) ? sql`exists (${assigned})` : assignedToUser(sql`${Number(wanted)}`, place, negated);
}
/** In one project what somebody is to do is gathered first: the planner would go through all of a large project for it. */
const assignedToUser = (user: Sql, place: IssuePlace, negated: boolean): Condition =>
  place.kind === 'project' && !negated
    ? sql`i.id = any(array(select a.issue_id from issue_assignees a where a.user_id = ${user}))`
    : sql`exists (${assigned} and a.user_id = ${user})`;
const userNamed = (name: string) => sql`(select u.id from users u where lower(u.username) = lower(${name}))`;

/** Words for milestones `t`. */
const inTime: ReadonlyMap<string, Condition> = new Map([
  ['upcoming', sql<boolean>`t.state = 'active' and t.due_date > current_date`],
  ['started', sql<boolean>`t.state = 'active' and t.start_date <= current_date`],
]);

/** Which milestones `t` a filter means: by their title, or those that are due later or have begun. Undefined for `None` and `Any`. */
export function milestonesMeant({
  milestone,
  milestoneId,
}: Pick<Negatable, 'milestone' | 'milestoneId'>): Condition | undefined {
  if (milestone === undefined) return inTime.get(milestoneId?.toLowerCase() ?? '');
  if (isWord(milestone)) return undefined;
  return (milestone.startsWith('#') ? inTime.get(milestone.slice(1)) : undefined) ?? sql`t.title = ${milestone}`;
}

/** In a milestone `t` for which the condition holds. */
function ofMilestone(condition: Sql, place: IssuePlace, near: boolean): Condition {
  const project = projectOf(place);
  if (place.kind === 'group' && !near) return sql`i.milestone_id = ${anyOfGroup('milestones', place.id, condition)}`;
  return project === null
    ? sql`exists (select from milestones t where t.id = i.milestone_id and ${condition})`
    : sql`i.milestone_id = ${anyOf('milestones', project, condition)}`;
}

/** Iterations are looked up before the issues are, which have an index on them. */
const iterationWhere = (condition: Sql): Condition =>
  sql`i.iteration_id = any(array(select t.id from iterations t where ${condition}))`;

function byIteration(wanted: IdOrWord): Condition {
  if (wanted.toLowerCase() !== 'current') return numbered(sql`i.iteration_id`, wanted);
  return iterationWhere(sql`current_date between t.start_date and t.due_date`);
}

/** An epic that the caller does not see is none, as in the JSON of its issues. */
function byEpic(wanted: IdOrWord, caller: Caller): Condition {
  const seen = sql<boolean>`exists (select from epics e where e.id = i.epic_id and ${epicsOfIssuesSeen(caller)})`;
  // Most issues have no epic, and nothing is asked about that of these.
  if (none.test(wanted)) return sql`(i.epic_id is null or not ${seen})`;
  return any.test(wanted)
    ? sql`(i.epic_id is not null and ${seen})`
    : sql`(${numbered(sql`i.epic_id`, wanted)} and ${seen})`;
}

/** Words for due days; weeks begin on Monday. */
const dueOn: Readonly<Record<string, Condition>> = {
  '0': sql`i.due_date is null`,
  any: sql`i.due_date is not null`,
  today: sql`i.due_date = current_date`,
  tomorrow: sql`i.due_date = current_date + 1`,
  overdue: sql`i.due_date < current_date`,
  week: sql`i.due_date between date_trunc('week', current_date)::date and date_trunc('week', current_date)::date + 6`,
  month: sql`i.due_date >= date_trunc('month', current_date)::date
    and i.due_date < (date_trunc('month', current_date) + interval '1 month')::date`,
  next_month_and_previous_two_weeks: sql`i.due_date >= current_date - 14
    and i.due_date < (date_trunc('month', current_date) + interval '2 months')::date`,
};

function reactedWith(emoji: string, userId: number | null): Condition {
  if (userId === null) return none.test(emoji) ? sql`true` : sql`false`;
  const mine = sql`select from award_emoji w where w.user_id = ${userId}
    and w.noteable_type = 'issue' and w.noteable_id = i.id and w.note_id is null`;
  if (none.test(emoji)) return sql`not exists (${mine})`;
  return any.test(emoji) ? sql`exists (${mine})` : sql`exists (${mine} and w.name = ${emoji})`;
}

/** In one project these are looked up first: along the order of a list they may be anywhere. */
function numberedBy(iids: readonly number[], place: IssuePlace): Condition {
  const project = projectOf(place);
  return project === null
    ? sql`i.iid = any(${iids}::bigint[])`
    : sql`i.id = any(array(select o.id from issues o where o.project_id = ${project} and o.iid = any(${iids}::bigint[])))`;
}

/** One condition for each value; of several values of one filter all must hold, and none in a negation. */
function negatable(
  filter: Negatable,
  { caller, place }: Pick<IssueQuery, 'caller' | 'place'>,
  near: boolean,
  negated = false,
): Condition[] {
  const me = caller.user?.id ?? null;
  const found: Condition[] = [];
  if (filter.assigneeId !== undefined) found.push(assignedTo(filter.assigneeId, place, negated));
  for (const name of filter.assigneeUsernames ?? []) found.push(assignedToUser(userNamed(name), place, negated));
  if (filter.authorId !== undefined) found.push(sql`i.author_id = ${filter.authorId}`);
  if (filter.authorUsername !== undefined) found.push(sql`i.author_id = ${userNamed(filter.authorUsername)}`);
  if (filter.iids) found.push(numberedBy(filter.iids, place));
  if (filter.iterationId !== undefined) found.push(byIteration(filter.iterationId));
  if (filter.iterationTitle !== undefined) found.push(iterationWhere(sql`t.title = ${filter.iterationTitle}`));
  for (const title of filter.labels ?? []) found.push(labelled(title, place, near));
  const milestones = milestonesMeant(filter);
  if (milestones) found.push(ofMilestone(milestones, place, near));
  else if (filter.milestone !== undefined) found.push(numbered(sql`i.milestone_id`, filter.milestone));
  else if (filter.milestoneId !== undefined) found.push(numbered(sql`i.milestone_id`, filter.milestoneId));
  if (filter.myReactionEmoji !== undefined) found.push(reactedWith(filter.myReactionEmoji, me));
  if (filter.weight !== undefined) found.push(numbered(sql`i.weight`, filter.weight));
  if (filter.epicId !== undefined) found.push(byEpic(filter.epicId, caller));
  if (filter.healthStatus !== undefined)
    found.push(
      isWord(filter.healthStatus)
        ? numbered(sql`i.health_status`, filter.healthStatus)
        : sql`i.health_status = ${filter.healthStatus}`,
    );
  // As a constant, like `confidential`: indexes of what few issues are do not serve a value that is not known.
  if (filter.issueType !== undefined) found.push(sql`i.type = ${sql.lit(filter.issueType)}`);
  return found;
}

/** One id is compared as such: an index is then walked in the order of what it holds besides. */
export const among = (column: Sql, ids: readonly number[]): Condition =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${[...ids]}::bigint[])`;

function titledConditions({ labels, milestones }: TitledIds, near: boolean): Condition[] {
  return [
    ...labels.map((meant) => {
      const ids = meant.map(({ id }) => id);
      const having = sql`from issue_labels k where k.issue_id = i.id and ${among(sql`k.label_id`, ids)}`;
      return near ? hasRow(having) : sql<boolean>`exists (select ${having})`;
    }),
    ...(milestones ? [among(sql`i.milestone_id`, milestones)] : []),
  ];
}

/** Texts are indexed by what three letters or digits in a row they have; a word without is looked for in each issue. */
const indexed = /[\p{L}\p{N}]{3}/u;

/** Whether an index finds what has the words. */
export const isIndexedSearch = (search: string): boolean => wordsOf(search).some((word) => indexed.test(word));

/** Each word of a search is in one of the columns. */
function searched(search: string, columns: readonly string[]): Condition[] {
  const named = columns.filter((name) => name === 'title' || name === 'description');
  return wordsOf(search).map(
    (word) =>
      sql<boolean>`(${sql.join(
        named.map((name) => {
          const text = sql.ref(`i.${name}`);
          return sql`${indexed.test(word) ? text : sql`(${text} || '')`} ilike ${containing(word)}`;
        }),
        sql` or `,
      )})`,
  );
}

function filtered(query: IssueQuery, near: boolean): Condition[] {
  const { filter, place } = query;
  const found = [...negatable(filter, query, near), ...((filter.conditions ?? []) as readonly Condition[])];
  // Where a column is null, the condition is: such an issue does not meet it.
  for (const condition of filter.not ? negatable(filter.not, query, near, true) : [])
    found.push(sql`(${condition}) is not true`);
  if (filter.titled) found.push(...titledConditions(filter.titled, near));
  if (filter.createdBy !== undefined) found.push(sql`i.author_id = ${filter.createdBy}`);
  if (filter.assignedTo !== undefined) found.push(assignedTo(String(filter.assignedTo), place));
  if (filter.ids) found.push(sql`i.id = any(${filter.ids}::bigint[])`);
  if (filter.ofMilestone !== undefined) found.push(sql`i.milestone_id = ${filter.ofMilestone}`);
  if (filter.state) found.push(sql`i.state = ${filter.state}`);
  if (filter.confidential !== undefined)
    found.push(filter.confidential ? sql`i.confidential` : sql`not i.confidential`);
  if (filter.createdAfter) found.push(sql`i.created_at >= ${filter.createdAfter}`);
  if (filter.createdBefore) found.push(sql`i.created_at <= ${filter.createdBefore}`);
  if (filter.updatedAfter) found.push(sql`i.updated_at >= ${filter.updatedAfter}`);
  if (filter.updatedBefore) found.push(sql`i.updated_at <= ${filter.updatedBefore}`);
  const due = filter.dueDate === undefined ? undefined : dueOn[filter.dueDate];
  if (due) found.push(due);
  if (filter.search) found.push(...searched(filter.search, filter.searchIn ?? ['title', 'description']));
  return found;
}

/** Confidential ones that somebody wrote or is to do. */
const mine = (me: number | null): Condition =>
  me === null
    ? sql`false`
    : sql`(i.author_id = ${me} or exists (select from issue_assignees c where c.issue_id = i.id and c.user_id = ${me}))`;

/** Confidential ones that are not for the caller, where they may not read all of a project. */
export const concealed = (caller: Caller): Condition => sql`(i.confidential and not ${mine(caller.user?.id ?? null)})`;

/**
 * `all` of those that meet the conditions; `walked`, one after the other until there are enough; `near`, only a part of
 * the order, each by itself; `merged`, the same within each project, whose rows `p` are at hand.
 */
export type Looked = 'all' | 'walked' | 'near' | 'merged';

/** What few issues meet has an index of its own: it is not looked for project by project. */
const rare: ReadonlyArray<keyof IssueFilter> = [
  ...(['authorId', 'authorUsername', 'createdBy', 'assigneeUsernames', 'assignedTo', 'iids', 'ids'] as const),
  ...(['ofMilestone', 'search', 'iterationTitle'] as const),
];
/** The same unless they ask for what has nothing. */
const rareValues = ['epicId', 'healthStatus', 'iterationId', 'myReactionEmoji'] as const;

/** Whether so many issues may meet the filter that they are soon met with along any order. */
export function isCommon({ filter }: IssueQuery): boolean {
  if (rare.some((name) => filter[name] !== undefined)) return false;
  if (rareValues.some((name) => filter[name] !== undefined && !isNone(filter[name]))) return false;
  return !/^-?\d+$/.test(filter.assigneeId ?? '') && (filter.issueType ?? 'issue') === 'issue';
}

/** Whether labels or milestones have to be certain ones: those of the group are found first, and with them their issues. */
export const isTitled = ({ filter }: IssueQuery): boolean =>
  (filter.labels ?? []).some((title) => !isWord(title)) || milestonesMeant(filter) !== undefined;

/**
 * Whether an index finds the few issues that meet the filter anywhere: numbers have one within a project alone, and texts
 * for words of three signs in a row.
 */
const isFound = (query: IssueQuery): boolean => {
  const { iids: _iids, search, ...filter } = query.filter;
  return isIndexedSearch(search ?? '') || isTitled(query) || !isCommon({ ...query, filter });
};

interface Visible {
  readonly tables: Sql | null;
  /** On rows `p` of projects, where these are at hand. */
  readonly projects: Sql | null;
  readonly conditions: Condition[];
}

/** Compares the group of one project, or those of many, with a group and what is below it. */
function withinGroup({ id, descendants }: Extract<IssuePlace, { kind: 'group' }>, one: boolean): Sql {
  if (!descendants) return sql`= ${id}`;
  return one ? sql`in ${below(id)}` : sql`= ${anyBelow(id)}`;
}

/** Those of a place that the caller sees; null where they see none. */
function visible(query: IssueQuery, looked: Looked): Visible | null {
  const { caller, place } = query;
  const me = caller.user?.id ?? null;
  if (place.kind === 'project') {
    const { subject } = place;
    if (!canOnProject(caller, 'read_issue', subject)) return null;
    const open = canOnProject(caller, 'read_confidential_issue', subject);
    // Nothing tells the planner that a project may have most issues of all: it would gather those beside the ones of a milestone.
    const own = query.filter.titled?.ownMilestones === true;
    return {
      ...{ tables: null, projects: null },
      conditions: [
        ...(own ? [] : [sql<boolean>`i.project_id = ${subject.project.id}`]),
        ...(open ? [] : [sql<boolean>`not ${concealed(caller)}`]),
      ],
    };
  }
  const read = abilityScope(caller, 'read_issue');
  const secret = abilityScope(caller, 'read_confidential_issue');
  // The projects of an instance are too many to be gathered where a few of its issues are looked at. Nor are those of a group
  // gathered where its issues are found without them: the planner, which cannot know how many groups are below one, would go
  // through these for each issue.
  const each =
    looked === 'near' || (place.kind === 'instance' ? looked === 'walked' : looked !== 'merged' && isFound(query));
  // Words are in the texts of many issues: a table of the projects is asked about these, and made when the first is found.
  const hashed = each && looked !== 'near' && place.kind === 'group' && query.filter.search !== undefined;
  const where = [
    ...(place.kind === 'group' ? [sql`p.namespace_id ${withinGroup(place, each && !hashed)}`] : []),
    ...(place.archived ? [] : [sql`not p.archived`]),
    read.condition,
  ];
  const inProject = (condition: Sql) => {
    const projects = sql<boolean>`i.project_id in (select p.id from projects p where ${condition})`;
    if (hashed) return sql<boolean>`(${projects}) is true`;
    return each ? sql<boolean>`(select ${condition} from projects p where p.id = i.project_id)` : projects;
  };
  return {
    tables: read.tables,
    projects: looked === 'merged' ? allOf(where) : null,
    conditions: [
      ...(looked === 'merged' ? [] : [inProject(allOf(where))]),
      sql`(not i.confidential or ${mine(me)}
        or (select ${secret.condition} from projects p where p.id = i.project_id))`,
    ],
  };
}

export interface IssueQuery {
  readonly place: IssuePlace;
  readonly caller: Caller;
  readonly filter: IssueFilter;
}

interface IssueConditions {
  readonly with: Sql;
  /** What is in it, or nothing. */
  readonly tables: Sql | null;
  /** For `merged`, on rows `p` of projects. */
  readonly projects: Sql;
  /** On rows `i` of issues. */
  readonly where: Sql;
}

/**
 * `with ...`, and the condition on rows `i` of `issues`; null where there can be none. `looked` says which of them are
 * looked at.
 */
export function issueConditions(query: IssueQuery, looked: Looked): IssueConditions | null {
  const seen = visible(query, looked);
  if (!seen) return null;
  return {
    with: withTables(seen.tables),
    tables: seen.tables,
    projects: seen.projects ?? sql`true`,
    where: allOf([...seen.conditions, ...filtered(query, looked === 'near' || looked === 'merged')]),
  };
}
