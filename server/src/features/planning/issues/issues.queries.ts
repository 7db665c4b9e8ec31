/** SQL of issues: loading with all that their JSON shows, and writing. */
import { CompiledQuery, type Expression, sql } from 'kysely';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, recordset } from '../../../kernel/db/index.ts';
import type { Epic, Issue, Iteration, Label, Project, User } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import {
  milestonesById,
  type PlacedMilestone,
  type ResponseRow,
  type Responses,
  responseParts,
  toResponses,
} from '../../collaboration/index.ts';
import { takingIids } from '../../namespaces/index.ts';
import { epicsOfIssuesSeen } from '../epics/seen.queries.ts';

export type Person = Pick<
  User,
  'id' | 'name' | 'username' | 'state' | 'avatar_object_key' | 'locked_until' | 'public_email'
>;

export interface IssueCounts {
  readonly notes: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly mergeRequests: number;
  readonly blocking: number;
}

export interface LoadedIssue {
  readonly row: Issue;
  readonly project: Pick<Project, 'id' | 'namespace_id' | 'path'> & { readonly path_with_namespace: string };
  readonly author: Person;
  readonly closedBy: Person | null;
  readonly assignees: readonly Person[];
  readonly labels: readonly Label[];
  readonly milestone: PlacedMilestone | null;
  readonly duplicateOf: Pick<Issue, 'id' | 'project_id' | 'iid'> | null;
  readonly epic: (Epic & { readonly group_path: string }) | null;
  readonly iteration: (Iteration & { readonly group_path: string }) | null;
  readonly counts: IssueCounts;
  /** For the reader that was named. */
  readonly isSubscribed: Responses['isSubscribed'];
}

type PlacedProject = LoadedIssue['project'];

async function projectsOf(
  db: Db,
  ids: readonly number[],
  known: ProjectSubject | undefined,
): Promise<Map<number, PlacedProject>> {
  if (known && ids.every((id) => id === known.project.id)) {
    const { id, namespace_id, path } = known.project;
    return new Map([[id, { id, namespace_id, path, path_with_namespace: `${known.namespace.full_path}/${path}` }]]);
  }
  const { rows } = await sql<PlacedProject>`select p.id, p.namespace_id, p.path,
      n.full_path || '/' || p.path as path_with_namespace
    from projects p join namespaces n on n.id = p.namespace_id where p.id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

interface Involved extends Person {
  readonly issue_id: number;
  readonly role: 'assignee' | 'author' | 'closed_by';
}

/** Everybody whom rows name, assignees in the order in which they were named. */
async function involvedIn(db: Db, rows: readonly Issue[]): Promise<Involved[]> {
  const ids = rows.map(({ id }) => id);
  const { rows: found } = await sql<Involved>`
    select k.issue_id, k.role, u.id, u.name, u.username, u.state, u.avatar_object_key, u.locked_until, u.public_email
    from (
      select issue_id, user_id, 'assignee' as role, position from issue_assignees where issue_id = any(${ids}::bigint[])
      union all
      select *, 0 from unnest(
        ${rows.flatMap(({ id }) => [id, id])}::bigint[],
        ${rows.flatMap((row) => [row.author_id, row.closed_by_id])}::bigint[],
        ${rows.flatMap(() => ['author', 'closed_by'])}::text[])
    ) k (issue_id, user_id, role, position)
    join users u on u.id = k.user_id
    order by k.position, u.id`.execute(db);
  return found;
}

/** Labels by the id of their issue, ordered by title. */
export async function labelsOf(db: Db, ids: readonly number[]): Promise<Map<number, Label[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Label & { issue_id: number }>`
    select l.*, k.issue_id from issue_labels k join labels l on l.id = k.label_id
    where k.issue_id = any(${ids}::bigint[]) order by l.title, l.id`.execute(db);
  return byIssue(rows);
}

function byIssue(rows: readonly (Label & { readonly issue_id: number })[]): Map<number, Label[]> {
  const found = new Map<number, Label[]>();
  for (const { issue_id, ...label } of rows) found.set(issue_id, [...(found.get(issue_id) ?? []), label]);
  return found;
}

/** Counts, and what else people did with it; all in one query. */
async function responsesOf(
  db: Db,
  ids: readonly number[],
  reader: number | null,
): Promise<Map<number, Pick<LoadedIssue, 'counts' | 'isSubscribed'>>> {
  const { columns, from } = responseParts('issue', reader);
  const { rows } = await sql<ResponseRow & Pick<IssueCounts, 'mergeRequests' | 'blocking'> & { id: number }>`
    select t.id,
      (select count(*)::int from merge_request_closes_issues c where c.issue_id = t.id) as "mergeRequests",
      (select count(*)::int from issue_links k join issues b on b.id = k.target_id
        where k.source_id = t.id and k.link_type = 'blocks' and b.state = 'opened') as blocking,
      ${columns}
    from unnest(${ids}::bigint[]) t (id) ${from}`.execute(db);
  return new Map(
    rows.map(({ id, mergeRequests, blocking, ...row }) => {
      const { comments, upvotes, downvotes, isSubscribed } = toResponses(row, reader);
      return [id, { counts: { mergeRequests, blocking, notes: comments, upvotes, downvotes }, isSubscribed }];
    }),
  );
}

const present = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))];

async function byIds<T>(
  ids: readonly number[],
  load: (ids: readonly number[]) => Promise<{ rows: T[] }>,
): Promise<T[]> {
  return ids.length === 0 ? [] : (await load(ids)).rows;
}

type Grouped<T> = T & { readonly group_path: string };

/**
 * Adds all that the JSON of issues shows, with the same few queries for any number of them; epics that the caller sees. A
 * project that is known is not loaded again.
 */
export async function withDetails(
  db: Db,
  rows: readonly Issue[],
  caller: Caller | null,
  known?: ProjectSubject,
  /** Whose subscription is wanted. */
  reader: number | null = null,
): Promise<LoadedIssue[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const of = (column: 'project_id' | 'milestone_id' | 'duplicated_to_id' | 'epic_id' | 'iteration_id') =>
    present(rows.map((row) => row[column]));
  const [projects, involved, labels, milestones, duplicates, epics, iterations, responses] = await Promise.all([
    projectsOf(db, of('project_id'), known),
    involvedIn(db, rows),
    labelsOf(db, ids),
    milestonesById(db, of('milestone_id')),
    byIds(of('duplicated_to_id'), (wanted) =>
      sql<Pick<Issue, 'id' | 'project_id' | 'iid'>>`select id, project_id, iid from issues
        where id = any(${wanted}::bigint[])`.execute(db),
    ),
    byIds(caller ? of('epic_id') : [], (wanted) =>
      sql<Grouped<Epic>>`select e.*, g.full_path as group_path from epics e join namespaces g on g.id = e.namespace_id
        where e.id = any(${wanted}::bigint[]) and exists (select from issues i
          where i.epic_id = e.id and i.id = any(${ids}::bigint[])
            and ${caller ? epicsOfIssuesSeen(caller) : sql`false`})`.execute(db),
    ),
    byIds(of('iteration_id'), (wanted) =>
      sql<Grouped<Iteration>>`select i.*, n.full_path as group_path from iterations i
        join namespaces n on n.id = i.namespace_id where i.id = any(${wanted}::bigint[])`.execute(db),
    ),
    responsesOf(db, ids, reader),
  ]);
  const people = Map.groupBy(involved, ({ issue_id, role }) => `${issue_id}:${role}`);
  return rows.flatMap((row) => {
    const project = projects.get(row.project_id);
    const [author] = people.get(`${row.id}:author`) ?? [];
    const found = responses.get(row.id);
    // The project or the author was removed between two reads, and the issue with them.
    if (!project || !author || !found) return [];
    return [
      {
        row,
        project,
        author,
        closedBy: people.get(`${row.id}:closed_by`)?.[0] ?? null,
        assignees: people.get(`${row.id}:assignee`) ?? [],
        labels: labels.get(row.id) ?? [],
        milestone: milestones.find(({ id }) => id === row.milestone_id) ?? null,
        duplicateOf: duplicates.find(({ id }) => id === row.duplicated_to_id) ?? null,
        epic: epics.find(({ id }) => id === row.epic_id) ?? null,
        iteration: iterations.find(({ id }) => id === row.iteration_id) ?? null,
        ...found,
      },
    ];
  });
}

export async function issueByIid(db: Db, projectId: number, iid: number): Promise<Issue | undefined> {
  return await db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

export async function issueById(db: Db, id: number): Promise<Issue | undefined> {
  return await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function issuesById(db: Db, ids: readonly number[]): Promise<Issue[]> {
  return await db.selectFrom('issues').selectAll().where(sql<boolean>`id = any(${ids}::bigint[])`).execute();
}

/** Those that an issue was moved from, and the ones that it goes on in. */
export async function issuesAroundMoves(
  db: Db,
  { id, moved_to_id, duplicated_to_id }: Pick<Issue, 'id' | 'moved_to_id' | 'duplicated_to_id'>,
): Promise<Issue[]> {
  return await db
    .selectFrom('issues')
    .selectAll()
    .where(sql<boolean>`(moved_to_id = ${id} or id in (${moved_to_id}, ${duplicated_to_id}))`)
    .orderBy('id')
    .execute();
}

/** The row, locked until the transaction ends. */
export async function lockIssue(tx: Db, id: number): Promise<Issue | undefined> {
  return await tx.selectFrom('issues').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function isAssigned(db: Db, issueId: number, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('issue_assignees')
    .select('issue_id')
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}

export async function assigneeIds(db: Db, issueId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issue_assignees')
    .select('user_id')
    .where('issue_id', '=', issueId)
    .orderBy('position')
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id }) => user_id);
}

export type IssueValues = Partial<Omit<Issue, 'id'>>;

export type NewIssueRow = Omit<IssueValues, 'project_id'> & Pick<Issue, 'iid' | 'author_id' | 'title'>;

/** What new issues may be given, with the types that values come in; where nothing is given, the last is meant. */
const given = {
  iid: ['bigint', 'null'],
  author_id: ['bigint', 'null'],
  title: ['text', 'null'],
  description: ['text', 'null'],
  confidential: ['boolean', 'false'],
  type: ['text', `'issue'`],
  severity: ['text', `'unknown'`],
  health_status: ['text', 'null'],
  discussion_locked: ['boolean', 'null'],
  milestone_id: ['bigint', 'null'],
  iteration_id: ['bigint', 'null'],
  epic_id: ['bigint', 'null'],
  weight: ['integer', 'null'],
  start_date: ['date', 'null'],
  due_date: ['date', 'null'],
  user_agent: ['text', 'null'],
  ip_address: ['text', 'null'],
  created_at: ['timestamptz', 'now()'],
  updated_at: ['timestamptz', 'now()'],
} as const satisfies Partial<Record<keyof Issue, readonly [type: string, otherwise: string]>>;

const columns = Object.entries(given);
const otherColumns = columns.filter(([name]) => name !== 'iid');
/** With an expression for the number of a row `g`, and what is read with it. */
const insertText = (iid: string, counter: string) => `with given as (select * from jsonb_to_recordset($1::jsonb)
    as g (${columns.map(([name, [type]]) => `${name} ${type}`).join(', ')})),
  ${counter}counted as (update projects set open_issues_count = open_issues_count
    + (select count(*) from given where confidential is not true)::int where id = $2)
  insert into issues (project_id, iid, ${otherColumns.map(([name]) => name).join(', ')})
  select $2, ${iid}, ${otherColumns.map(([name, [, otherwise]]) => `coalesce(g.${name}, ${otherwise})`).join(', ')}
  from given g order by g.iid returning *`;
const insertNumbered = insertText('g.iid', '');
const insertNext = insertText(
  '(select value from taken) - $3::int + g.iid',
  `taken as (${takingIids('$2', '$4', '$3::int')}), `,
);

/** Adds open issues to a project and to the number of them that it shows; answers them by their numbers. */
export async function insertIssues(tx: Db, projectId: number, rows: readonly NewIssueRow[]): Promise<Issue[]> {
  return await inserted(tx, insertNumbered, [recordset(rows), projectId]);
}

/** The same with the next numbers of the project, in the order of the rows. */
export async function insertNextIssues(
  tx: Db,
  projectId: number,
  rows: readonly Omit<NewIssueRow, 'iid'>[],
): Promise<Issue[]> {
  const numbered = rows.map((row, at) => ({ ...row, iid: at + 1 }));
  return await inserted(tx, insertNext, [recordset(numbered), projectId, rows.length, 'issue']);
}

async function inserted(tx: Db, text: string, parameters: readonly unknown[]): Promise<Issue[]> {
  const made = await tx.executeQuery(CompiledQuery.raw(text, [...parameters]) as CompiledQuery<Issue>);
  return [...made.rows].sort((a, b) => a.iid - b.iid);
}

/** Changes columns of a row and its `updated_at`. */
export async function updateIssue(tx: Db, id: number, values: IssueValues): Promise<Issue> {
  return await tx
    .updateTable('issues')
    .set({ updated_at: sql`now()`, ...values })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => recordNotFound());
}

/** Marks rows as updated; answers those that are there. */
export async function touchIssues(
  tx: Db,
  ids: readonly number[],
): Promise<readonly Pick<Issue, 'id' | 'project_id'>[]> {
  return await tx
    .updateTable('issues')
    .set({ updated_at: sql`now()` })
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .returning(['id', 'project_id'])
    .execute();
}

export async function deleteIssue(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('issues').where('id', '=', id).execute();
}

/** Whether an issue is in the number that its project shows everybody: what is confidential does not show in it either. */
const counts = ({ state, confidential }: Pick<Issue, 'state' | 'confidential'>): boolean =>
  state === 'opened' && !confidential;

/** Keeps the number of open issues that projects show; without what it is now for an issue that goes. */
export async function countOpen(tx: Db, before: Issue, now?: Issue): Promise<void> {
  const change = Number(now !== undefined && counts(now)) - Number(counts(before));
  if (change === 0) return;
  const projectId = before.project_id;
  await sql`update projects set open_issues_count = greatest(0, open_issues_count + ${change})
    where id = ${projectId}`.execute(tx);
}

export async function setAssignees(tx: Db, id: number, userIds: readonly number[]): Promise<void> {
  await sql`delete from issue_assignees where issue_id = ${id} and user_id <> all(${userIds}::bigint[])`.execute(tx);
  await addAssignees(tx, id, userIds);
}

export async function addAssignees(tx: Db, id: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await sql`insert into issue_assignees (issue_id, user_id, position)
    select ${id}, u.id, w.position from unnest(${userIds}::bigint[]) with ordinality w (id, position)
      join users u on u.id = w.id
    on conflict (issue_id, user_id) do update set position = excluded.position`.execute(tx);
}

/** A row that is to have something, and what. */
export type Given = readonly [issueId: number, id: number];

/** Gives new issues labels and people, the latter in their order; answers the labels. What was removed meanwhile is left out. */
export async function equip(tx: Db, labels: readonly Given[], people: readonly Given[]): Promise<Map<number, Label[]>> {
  if (labels.length === 0 && people.length === 0) return new Map();
  const { rows } = await sql<Label & { issue_id: number }>`
    with labelled as (
      insert into issue_labels (issue_id, label_id)
      select g.issue_id, l.id
      from unnest(${labels.map(([issue]) => issue)}::bigint[], ${labels.map(([, id]) => id)}::bigint[]) g (issue_id, label_id)
        join labels l on l.id = g.label_id
      for key share of l
      returning issue_id, label_id),
    assigned as (
      insert into issue_assignees (issue_id, user_id, position)
      select g.issue_id, u.id, row_number() over (partition by g.issue_id order by g.at)
      from unnest(${people.map(([issue]) => issue)}::bigint[], ${people.map(([, id]) => id)}::bigint[])
        with ordinality g (issue_id, user_id, at)
        join users u on u.id = g.user_id)
    select l.*, k.issue_id from labelled k join labels l on l.id = k.label_id order by l.title, l.id`.execute(tx);
  return byIssue(rows);
}

/** Gives an issue these labels and no others; what was removed meanwhile is left out. */
export async function setLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  await sql`delete from issue_labels where issue_id = ${id} and label_id <> all(${labelIds}::bigint[])`.execute(tx);
  await addLabels(tx, id, labelIds);
}

/** What was removed meanwhile is left out. */
export async function addLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  if (labelIds.length === 0) return;
  await sql`insert into issue_labels (issue_id, label_id)
    select ${id}, l.id from labels l where l.id = any(${labelIds}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

/** Titles by number of the issues of a project that meet a condition on rows `i`. */
export async function issueTitles(
  db: Db,
  projectId: number,
  iids: readonly number[],
  seen: Expression<boolean>,
): Promise<Pick<Issue, 'id' | 'iid' | 'title' | 'state' | 'moved_to_id'>[]> {
  return await db
    .selectFrom('issues as i')
    .select(['i.id', 'i.iid', 'i.title', 'i.state', 'i.moved_to_id'])
    .where('i.project_id', '=', projectId)
    .where('i.iid', 'in', [...iids])
    .where(seen)
    .execute();
}
