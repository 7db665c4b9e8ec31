/** Issues as archives of projects hold them, and the way back into a project that is being imported. */
import { sql } from 'kysely';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { awardsJson, historyJson, type IterationName, meantIterations, meantPlans } from '../../collaboration/index.ts';
import { insertEntries, type NewEntry, timesJson } from '../../collaboration/time-tracking/index.ts';
import { importedFrom, settlingNumbers } from '../../namespaces/index.ts';

type Maybe<T> = T | null | undefined;

/** Columns that a line has as they are. */
type Kept = Pick<Issue, 'iid' | 'title' | 'state' | 'type' | 'confidential' | 'created_at' | 'updated_at'> & {
  readonly [Key in
    | 'description'
    | 'health_status'
    | 'discussion_locked'
    | 'weight'
    | 'start_date'
    | 'due_date'
    | 'relative_position'
    | 'closed_at'
    | 'last_edited_at']?: Maybe<Issue[Key]>;
} & { readonly severity?: Issue['severity']; readonly time_estimate?: number };

export interface IssueLine extends Kept {
  /** Titles. */
  readonly labels: readonly string[];
  readonly milestone?: Maybe<string>;
  readonly iteration?: Maybe<IterationName>;
  readonly epic?: Maybe<EpicAbove>;
}

/** An epic of a group above the project. */
export interface EpicAbove {
  /** How far its group is above the project's. */
  readonly above: number;
  readonly iid: number;
  /** Tells it from one that has the number by chance. */
  readonly created_at: Date;
  /** Among the issues of the epic. */
  readonly position?: Maybe<number>;
}

/** Whom the names of a line stand for. */
export interface IssuePeople {
  readonly authorId: number;
  readonly closedById: number | null;
  readonly editedById: number | null;
  readonly assignees: readonly number[];
  readonly times: readonly NewEntry[];
}

const batch = 200;

/** By number, in batches. */
export async function* issuesOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  const person = (column: string) => sql`(select username from users where id = i.${sql.ref(column)})`;
  for (let after = 0; ; ) {
    const { rows } = await sql<{ iid: number }>`
      select i.iid, i.title, i.description, i.state, i.type, i.severity, i.health_status, i.confidential,
        i.discussion_locked, i.weight, i.start_date, i.due_date, i.relative_position, i.time_estimate, i.closed_at,
        i.last_edited_at, i.created_at, i.updated_at, ${person('author_id')} as author,
        ${person('closed_by_id')} as closed_by, ${person('last_edited_by_id')} as last_edited_by,
        coalesce((select jsonb_agg(u.username order by a.position, a.user_id)
          from issue_assignees a join users u on u.id = a.user_id where a.issue_id = i.id), '[]') as assignees,
        coalesce((select jsonb_agg(distinct l.title) from issue_labels k join labels l on l.id = k.label_id
          where k.issue_id = i.id), '[]') as labels,
        (select title from milestones where id = i.milestone_id) as milestone,
        (select jsonb_build_object('iid', t.iid, 'start_date', t.start_date) from iterations t
          where t.id = i.iteration_id) as iteration,
        (select jsonb_build_object('iid', e.iid, 'created_at', e.created_at, 'position', i.epic_position,
            'above', cardinality(n.traversal_ids) - array_position(n.traversal_ids, e.namespace_id))
          from epics e join projects p on p.id = i.project_id join namespaces n on n.id = p.namespace_id
          where e.id = i.epic_id and e.namespace_id = any(n.traversal_ids)) as epic,
        ${historyJson('issue', sql`i.id`)} as history, ${awardsJson({ type: 'issue', id: sql`i.id` })} as award_emoji,
        ${timesJson(sql`t.issue_id = i.id`)} as time_entries
      from issues i where i.project_id = ${projectId} and i.iid > ${after}
      order by i.iid limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

/** Ids of epics of groups above a project, by what lines say of them. */
async function epicIds(tx: Db, projectId: number, epics: readonly EpicAbove[]): Promise<ReadonlyMap<string, number>> {
  if (epics.length === 0) return new Map();
  const { rows } = await sql<{ key: string; id: number }>`
    select w.key, e.id
    from json_to_recordset(${JSON.stringify(epics.map((epic) => ({ ...epic, key: epicKey(epic) })))}::json)
        w (key text, above integer, iid bigint, created_at timestamptz)
      join projects p on p.id = ${projectId} join namespaces n on n.id = p.namespace_id
      join epics e on e.namespace_id = n.traversal_ids[cardinality(n.traversal_ids) - w.above]
        and e.iid = w.iid and e.created_at = w.created_at`.execute(tx);
  return new Map(rows.map(({ key, id }) => [key, id]));
}
const epicKey = ({ above, iid, created_at }: EpicAbove) => `${above} ${iid} ${created_at.getTime()}`;

async function iterationIds(tx: Db, projectId: number, names: readonly IterationName[]) {
  if (names.length === 0) return new Map<string, number>();
  const { rows } = await meantIterations({ projectId }, names).execute(tx);
  return new Map(rows.map(({ id, iid, start_date }) => [iterationKey({ iid, start_date }), id]));
}
const iterationKey = ({ iid, start_date }: IterationName) => `${iid} ${start_date}`;

/** With as few statements as possible: archives have many. Their ids by number; none for a number that is taken. */
export async function insertArchivedIssues(
  tx: Db,
  projectId: number,
  issues: readonly { readonly line: IssueLine; readonly people: IssuePeople }[],
): Promise<ReadonlyMap<number, number>> {
  const lines = issues.map(({ line }) => line);
  const { milestones, labels } = await meantPlans(tx, { projectId }, lines);
  const iterations = await iterationIds(
    tx,
    projectId,
    lines.flatMap(({ iteration }) => iteration ?? []),
  );
  const epics = await epicIds(
    tx,
    projectId,
    lines.flatMap(({ epic }) => epic ?? []),
  );
  const imported_from = await importedFrom(tx, projectId);
  const rows = issues.map(({ line, people }) => {
    const { labels: _, milestone, iteration, epic, ...kept } = line;
    return {
      ...columnsOf(kept),
      project_id: projectId,
      milestone_id: milestones.get(milestone ?? '') ?? null,
      iteration_id: iteration ? (iterations.get(iterationKey(iteration)) ?? null) : null,
      epic_id: epic ? (epics.get(epicKey(epic)) ?? null) : null,
      epic_position: epic?.position ?? null,
      author_id: people.authorId,
      closed_by_id: people.closedById,
      last_edited_by_id: people.editedById,
      time_spent: Math.max(sumOf(people.times), 0),
      imported_from,
    };
  });
  const made = await insertMany(tx, 'issues', rows, ['id', 'iid']);
  const ids = new Map(made.map(({ id, iid }) => [iid, id]));
  const there = issues.flatMap(({ line, people }) => {
    const id = ids.get(line.iid);
    return id === undefined ? [] : [{ id, line, people }];
  });
  const assigned = there.flatMap(({ id, people }) =>
    people.assignees.map((user_id, position) => ({ issue_id: id, user_id, position })),
  );
  await insertMany(tx, 'issue_assignees', assigned);
  const labeled = there.flatMap(({ id, line }) =>
    line.labels.flatMap((title) => {
      const label = labels.get(title);
      return label === undefined ? [] : [{ issue_id: id, label_id: label }];
    }),
  );
  await insertMany(tx, 'issue_labels', labeled);
  await insertEntries(
    tx,
    'issues',
    there.map(({ id, people }) => ({ id, entries: people.times })),
  );
  return ids;
}

const sumOf = (times: readonly NewEntry[]) => times.reduce((total, { seconds }) => total + seconds, 0);

/** The columns that a line has, each with what counts where it is left out. */
const columnsOf = (line: Kept) => ({
  iid: line.iid,
  title: line.title,
  description: line.description ?? null,
  state: line.state,
  type: line.type,
  severity: line.severity ?? 'unknown',
  health_status: line.health_status ?? null,
  confidential: line.confidential,
  discussion_locked: line.discussion_locked ?? null,
  weight: line.weight ?? null,
  start_date: line.start_date ?? null,
  due_date: line.due_date ?? null,
  relative_position: line.relative_position ?? null,
  time_estimate: line.time_estimate ?? 0,
  closed_at: line.state === 'closed' ? (line.closed_at ?? line.updated_at) : null,
  last_edited_at: line.last_edited_at ?? null,
  created_at: line.created_at,
  updated_at: line.updated_at,
});

const settle = settlingNumbers('issues', 'issue');

/** Counts anew how many are open, and gives back the numbers that were reserved beyond the last one. */
export async function settleIssues(tx: Db, projectId: number): Promise<void> {
  await sql`update projects set open_issues_count =
      (select count(*) from issues where project_id = ${projectId} and state = 'opened' and not confidential)
    where id = ${projectId}`.execute(tx);
  await settle(tx, projectId);
}

interface LinkLine {
  /** Numbers. */
  readonly source: number;
  readonly target: number;
  readonly link_type: 'relates_to' | 'blocks' | 'duplicates';
  readonly created_at: Date;
}

/** Those within the project. */
export async function* linksOf(db: Db, projectId: number): AsyncGenerator<LinkLine[]> {
  const { rows } = await sql<LinkLine>`
    select source, target, link_type, created_at from (
      select s.iid as source, t.iid as target, k.link_type, k.created_at
      from issues s join issue_links k on k.source_id = s.id
        join issues t on t.id = k.target_id and t.project_id = s.project_id
      where s.project_id = ${projectId}
      union all
      select s.iid, t.iid, 'duplicates', coalesce(s.closed_at, s.updated_at)
      from issues s join issues t on t.id = s.duplicated_to_id and t.project_id = s.project_id
      where s.project_id = ${projectId}) links
    order by source, target, link_type`.execute(db);
  yield rows;
}

/** False where it is there already, or one of the issues is not. */
export async function insertArchivedLink(tx: Db, projectId: number, line: LinkLine): Promise<boolean> {
  const pair = sql`issues s join issues t on t.project_id = s.project_id and t.iid = ${line.target}
    where s.project_id = ${projectId} and s.iid = ${line.source}`;
  const { numAffectedRows } =
    line.link_type === 'duplicates'
      ? await sql`update issues set duplicated_to_id = (select t.id from ${pair})
          where project_id = ${projectId} and iid = ${line.source} and duplicated_to_id is null
            and exists (select from ${pair})`.execute(tx)
      : await sql`insert into issue_links (source_id, target_id, link_type, created_at)
          select s.id, t.id, ${line.link_type}, ${line.created_at} from ${pair} on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0) > 0;
}

/** They go with the issues; here for an import that begins again after those are gone. */
export async function removeLinks(tx: Db, projectId: number): Promise<void> {
  await sql`delete from issue_links where source_id in (select id from issues where project_id = ${projectId})`.execute(
    tx,
  );
}
