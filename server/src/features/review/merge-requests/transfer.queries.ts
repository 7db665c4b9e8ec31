/** Merge requests as archives of projects hold them, and the way back into a project that is being imported. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { awardsJson, historyJson, meantBy } from '../../collaboration/index.ts';
import { insertEntries, type NewEntry } from '../../collaboration/time-tracking/index.ts';
import { settlingNumbers } from '../../namespaces/index.ts';
import { newestPipeline } from './head-pipelines.queries.ts';

type Maybe<T> = T | null | undefined;

export interface VersionLine {
  readonly head_sha: string;
  readonly base_sha: string;
  readonly start_sha: string;
  readonly created_at: Date;
}

export interface MergeRequestLine {
  readonly iid: number;
  readonly source_branch: string;
  readonly target_branch: string;
  readonly title: string;
  readonly description?: Maybe<string>;
  readonly state: 'opened' | 'closed' | 'merged';
  readonly own_source: boolean;
  readonly head_sha?: Maybe<string>;
  readonly base_sha?: Maybe<string>;
  readonly start_sha?: Maybe<string>;
  readonly squash: boolean;
  readonly force_remove_source_branch?: Maybe<boolean>;
  readonly discussion_locked?: Maybe<boolean>;
  readonly merge_commit_sha?: Maybe<string>;
  readonly squash_commit_sha?: Maybe<string>;
  readonly merged_commit_sha?: Maybe<string>;
  readonly changes_count?: Maybe<string>;
  readonly merged_at?: Maybe<Date>;
  readonly closed_at?: Maybe<Date>;
  readonly prepared_at?: Maybe<Date>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly author?: Maybe<string>;
  readonly merged_by?: Maybe<string>;
  readonly closed_by?: Maybe<string>;
  readonly assignees: readonly string[];
  readonly reviewers: readonly string[];
  /** Titles; those of the project and of groups above. */
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: Maybe<string>;
  readonly versions: readonly VersionLine[];
  readonly allow_collaboration?: boolean;
  readonly override_requested_changes?: boolean;
  readonly merge_after?: Maybe<Date>;
  readonly approvals_before_merge?: Maybe<number>;
  readonly time_estimate?: number;
}

const batch = 200;

/** By number, in batches. */
export async function* mergeRequestsOf(db: Db, projectId: number): AsyncGenerator<MergeRequestLine[]> {
  const people = (role: string) => sql`coalesce((select jsonb_agg(u.username order by a.position, a.user_id)
    from merge_request_people a join users u on u.id = a.user_id
    where a.merge_request_id = m.id and a.role = ${role}), '[]')`;
  for (let after = 0; ; ) {
    const { rows } = await sql<MergeRequestLine>`
      select m.iid, m.source_branch, m.target_branch, m.title, m.description,
        case m.state when 'locked' then 'opened' else m.state end as state,
        m.source_project_id is not distinct from m.project_id as own_source,
        m.head_sha, m.base_sha, m.start_sha, m.squash, m.force_remove_source_branch, m.discussion_locked,
        m.merge_commit_sha, m.squash_commit_sha, m.merged_commit_sha, m.changes_count,
        m.merged_at, m.closed_at, m.prepared_at, m.created_at, m.updated_at,
        (select username from users where id = m.author_id) as author,
        (select username from users where id = m.merge_user_id) as merged_by,
        (select username from users where id = m.closed_by_id) as closed_by,
        coalesce((select jsonb_agg(distinct l.title) from merge_request_labels k join labels l on l.id = k.label_id
          where k.merge_request_id = m.id), '[]') as labels,
        (select title from milestones where id = m.milestone_id) as milestone,
        ${historyJson('merge_request', sql`m.id`)} as history,
        ${awardsJson({ type: 'merge_request', id: sql`m.id` })} as award_emoji,
        ${people('assignee')} as assignees, ${people('reviewer')} as reviewers,
        m.allow_collaboration, m.override_requested_changes, m.merge_after, m.approvals_before_merge, m.time_estimate,
        coalesce((select jsonb_agg(jsonb_build_object('seconds', t.seconds, 'summary', t.summary, 'spent_at', t.spent_at,
            'by', (select username from users where id = t.user_id)) order by t.id)
          from time_entries t where t.merge_request_id = m.id), '[]') as time_entries,
        coalesce((select jsonb_agg(jsonb_build_object('by', u.username, 'created_at', r.created_at) order by u.username)
          from merge_request_requested_changes r join users u on u.id = r.user_id
          where r.merge_request_id = m.id), '[]') as requested_changes,
        coalesce((select jsonb_agg(jsonb_build_object('sha', c.sha, 'committed_at', c.committed_at) order by c.committed_at, c.sha)
          from merge_request_context_commits c where c.merge_request_id = m.id), '[]') as context_commits,
        coalesce((select jsonb_agg(jsonb_build_object('head_sha', v.head_sha, 'base_sha', v.base_sha,
            'start_sha', v.start_sha, 'created_at', v.created_at) order by v.id)
          from merge_request_versions v where v.merge_request_id = m.id), '[]') as versions
      from merge_requests m where m.project_id = ${projectId} and m.iid > ${after}
      order by m.iid limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

/** Whom the names of a line stand for. */
export interface LinePeople {
  readonly authorId: number;
  readonly mergedById: number | null;
  readonly closedById: number | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
}

/** Its id; undefined where the number, or an open one from the same branch to the same, is there already. */
export async function insertMergeRequest(
  tx: Db,
  projectId: number,
  line: MergeRequestLine,
  people: LinePeople,
): Promise<number | undefined> {
  const { own_source, author: _, merged_by: __, closed_by: ___, assignees, reviewers, versions, ...rest } = line;
  const { labels = [], milestone, ...columns } = rest;
  const made = await tx
    .insertInto('merge_requests')
    .values({
      ...columns,
      project_id: projectId,
      source_project_id: own_source ? projectId : null,
      author_id: people.authorId,
      merge_user_id: people.mergedById,
      closed_by_id: people.closedById,
      imported_from: sql<string>`coalesce((select import_type from projects where id = ${projectId}), 'none')`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return undefined;
  const listed = (role: 'assignee' | 'reviewer', ids: readonly number[]) =>
    [...new Set(ids)].map((user_id, position) => ({ merge_request_id: made.id, role, user_id, position }));
  const rows = [...listed('assignee', people.assignees), ...listed('reviewer', people.reviewers)];
  if (labels.length > 0)
    await sql`insert into merge_request_labels (merge_request_id, label_id)
      select ${made.id}, meant.id from (${meantBy('labels', { projectId }, labels)}) meant`.execute(tx);
  if (milestone)
    await sql`update merge_requests set milestone_id = (select id from (${meantBy('milestones', { projectId }, [milestone])}) m)
      where id = ${made.id}`.execute(tx);
  if (rows.length > 0) await tx.insertInto('merge_request_people').values(rows).execute();
  if (versions.length > 0)
    await tx
      .insertInto('merge_request_versions')
      .values(versions.map((version) => ({ ...version, merge_request_id: made.id })))
      .execute();
  return made.id;
}

/** Commits of the context, and who has requested changes. */
export async function insertReviewed(
  tx: Db,
  id: number,
  context: readonly { readonly sha: string; readonly committed_at: Date }[],
  requested: readonly { readonly user_id: number | null; readonly created_at: Date }[],
): Promise<void> {
  if (context.length > 0)
    await tx
      .insertInto('merge_request_context_commits')
      .values(context.map((commit) => ({ ...commit, merge_request_id: id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const known = requested.flatMap(({ user_id, created_at }) =>
    user_id === null ? [] : [{ user_id, created_at, merge_request_id: id }],
  );
  if (known.length > 0)
    await tx
      .insertInto('merge_request_requested_changes')
      .values(known)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function insertTimes(tx: Db, id: number, times: readonly NewEntry[]): Promise<void> {
  if (times.length === 0) return;
  await insertEntries(tx, 'merge_requests', id, times);
  const sum = times.reduce((total, { seconds }) => total + seconds, 0);
  await tx
    .updateTable('merge_requests')
    .set({ time_spent: Math.max(sum, 0) })
    .where('id', '=', id)
    .execute();
}

const settle = settlingNumbers('merge_requests', 'merge_request');

/** Each has the newest pipeline of its head, now that pipelines are there; numbers reserved beyond the last one are free. */
export async function settleMergeRequests(tx: Db, projectId: number): Promise<void> {
  await sql`update merge_requests m set head_pipeline_id = (${newestPipeline(sql.ref('m.head_sha'))} ->> 'id')::bigint
    where m.project_id = ${projectId} and m.head_sha is not null`.execute(tx);
  await settle(tx, projectId);
}

export async function removeMergeRequests(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('merge_requests').where('project_id', '=', projectId).execute();
}
