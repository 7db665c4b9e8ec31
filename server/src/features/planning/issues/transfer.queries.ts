/** Issues as archives of projects hold them, and the way back into a project that is being imported. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { awardsJson, historyJson, type IterationName, meantBy, meantIterations } from '../../collaboration/index.ts';
import { insertEntries, type NewEntry } from '../../collaboration/time-tracking/index.ts';
import { settlingNumbers } from '../../namespaces/index.ts';

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
        coalesce((select jsonb_agg(jsonb_build_object('seconds', t.seconds, 'summary', t.summary, 'spent_at', t.spent_at,
            'by', (select username from users where id = t.user_id)) order by t.id)
          from time_entries t where t.issue_id = i.id), '[]') as time_entries
      from issues i where i.project_id = ${projectId} and i.iid > ${after}
      order by i.iid limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

const epicOf = (projectId: number, { above, iid, created_at }: EpicAbove) => sql`
  (select e.id from projects p join namespaces n on n.id = p.namespace_id
    join epics e on e.namespace_id = n.traversal_ids[cardinality(n.traversal_ids) - ${above}::int]
    where p.id = ${projectId} and e.iid = ${iid} and e.created_at = ${created_at})`;

/** As few statements as possible: archives have many. Its id; undefined where the number is taken. */
export async function insertArchivedIssue(
  tx: Db,
  projectId: number,
  line: IssueLine,
  people: IssuePeople,
): Promise<number | undefined> {
  const { times } = people;
  const { iteration, epic } = line;
  const sum = times.reduce((total, { seconds }) => total + seconds, 0);
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into issues (project_id, iid, author_id, title, description, state, type, severity, health_status,
        confidential, discussion_locked, milestone_id, iteration_id, epic_id, epic_position,
        weight, start_date, due_date, relative_position, time_estimate, time_spent, closed_at, closed_by_id, last_edited_at, last_edited_by_id, created_at, updated_at)
      values (${projectId}, ${line.iid}, ${people.authorId}, ${line.title}, ${line.description ?? null}, ${line.state},
        ${line.type}, ${line.severity ?? 'unknown'}, ${line.health_status ?? null}, ${line.confidential},
        ${line.discussion_locked ?? null}, (select id from (${meantBy('milestones', { projectId }, [line.milestone])}) m),
        ${iteration ? sql`(select id from (${meantIterations({ projectId }, [iteration])}) t)` : null},
        ${epic ? epicOf(projectId, epic) : null}, ${epic?.position ?? null},
        ${line.weight ?? null}, ${line.start_date ?? null}, ${line.due_date ?? null}, ${line.relative_position ?? null},
        ${line.time_estimate ?? 0}, ${Math.max(sum, 0)},
        ${line.state === 'closed' ? (line.closed_at ?? line.updated_at) : null}, ${people.closedById},
        ${line.last_edited_at ?? null}, ${people.editedById}, ${line.created_at}, ${line.updated_at})
      on conflict do nothing returning id),
    assigned as (
      insert into issue_assignees (issue_id, user_id, position)
      select made.id, a.user_id, a.position - 1
      from made, unnest(${[...people.assignees]}::bigint[]) with ordinality a (user_id, position)),
    labeled as (
      insert into issue_labels (issue_id, label_id)
      select made.id, l.id from made, (${meantBy('labels', { projectId }, line.labels)}) l)
    select id from made`.execute(tx);
  const id = rows[0]?.id;
  if (id !== undefined) await insertEntries(tx, 'issues', id, times);
  return id;
}

const settle = settlingNumbers('issues', 'issue');

/** Counts anew how many are open, and gives back the numbers that were reserved beyond the last one. */
export async function settleIssues(tx: Db, projectId: number): Promise<void> {
  await sql`update projects set open_issues_count =
      (select count(*) from issues where project_id = ${projectId} and state = 'opened')
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
