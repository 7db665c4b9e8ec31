/** Merge requests as archives of projects hold them, and the way back into a project that is being imported. */
import { sql } from 'kysely';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import { awardsJson, historyJson, meantPlans } from '../../collaboration/index.ts';
import { insertEntries, type NewEntry, timesJson } from '../../collaboration/time-tracking/index.ts';
import { importedFrom, settlingNumbers } from '../../namespaces/index.ts';
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
        ${timesJson(sql`t.merge_request_id = m.id`)} as time_entries,
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

/** A merge request that comes in, with what belongs to it. */
export interface NewMergeRequest {
  readonly line: MergeRequestLine;
  readonly people: LinePeople;
  readonly context: readonly { readonly sha: string; readonly committed_at: Date }[];
  readonly requested: readonly { readonly user_id: number | null; readonly created_at: Date }[];
  readonly times: readonly NewEntry[];
}

/** Ids by number; none where the number, or an open one from the same branch to the same, is there already. */
export async function insertMergeRequests(
  tx: Db,
  projectId: number,
  requests: readonly NewMergeRequest[],
): Promise<ReadonlyMap<number, number>> {
  const lines = requests.map(({ line }) => line);
  const { milestones, labels } = await meantPlans(tx, { projectId }, lines);
  const imported_from = await importedFrom(tx, projectId);
  const rows = requests.map(({ line, people, times }) => ({
    ...columnsOf(line),
    project_id: projectId,
    source_project_id: line.own_source ? projectId : null,
    milestone_id: milestones.get(line.milestone ?? '') ?? null,
    author_id: people.authorId,
    merge_user_id: people.mergedById,
    closed_by_id: people.closedById,
    time_spent: Math.max(
      times.reduce((total, { seconds }) => total + seconds, 0),
      0,
    ),
    imported_from,
  }));
  const made = await insertMany(tx, 'merge_requests', rows, ['id', 'iid']);
  const ids = new Map(made.map(({ id, iid }) => [iid, id]));
  const there = requests.flatMap((request) => {
    const id = ids.get(request.line.iid);
    return id === undefined ? [] : [{ id, ...request }];
  });
  const listed = (id: number, role: 'assignee' | 'reviewer', people: readonly number[]) =>
    [...new Set(people)].map((user_id, position) => ({ merge_request_id: id, role, user_id, position }));
  const people = there.flatMap(({ id, people: { assignees, reviewers } }) => [
    ...listed(id, 'assignee', assignees),
    ...listed(id, 'reviewer', reviewers),
  ]);
  await insertMany(tx, 'merge_request_people', people);
  const labeled = there.flatMap(({ id, line }) =>
    (line.labels ?? []).flatMap((title) => {
      const label = labels.get(title);
      return label === undefined ? [] : [{ merge_request_id: id, label_id: label }];
    }),
  );
  await insertMany(tx, 'merge_request_labels', labeled);
  const versions = there.flatMap(({ id, line }) => line.versions.map((each) => ({ ...each, merge_request_id: id })));
  await insertMany(tx, 'merge_request_versions', versions);
  const context = there.flatMap((each) => each.context.map((commit) => ({ ...commit, merge_request_id: each.id })));
  await insertMany(tx, 'merge_request_context_commits', context);
  const requested = there.flatMap((each) =>
    each.requested.flatMap(({ user_id, created_at }) =>
      user_id === null ? [] : [{ user_id, created_at, merge_request_id: each.id }],
    ),
  );
  await insertMany(tx, 'merge_request_requested_changes', requested);
  await insertEntries(
    tx,
    'merge_requests',
    there.map(({ id, times }) => ({ id, entries: times })),
  );
  return ids;
}

/** The columns that a line has, each with what counts where it is left out. */
const columnsOf = (line: MergeRequestLine) => ({
  iid: line.iid,
  source_branch: line.source_branch,
  target_branch: line.target_branch,
  title: line.title,
  description: line.description ?? null,
  state: line.state,
  head_sha: line.head_sha ?? null,
  base_sha: line.base_sha ?? null,
  start_sha: line.start_sha ?? null,
  merge_status: 'unchecked',
  has_conflicts: false,
  squash: line.squash,
  auto_merge: false,
  force_remove_source_branch: line.force_remove_source_branch ?? null,
  discussion_locked: line.discussion_locked ?? null,
  merge_commit_sha: line.merge_commit_sha ?? null,
  squash_commit_sha: line.squash_commit_sha ?? null,
  merged_commit_sha: line.merged_commit_sha ?? null,
  changes_count: line.changes_count ?? null,
  merged_at: line.merged_at ?? null,
  closed_at: line.closed_at ?? null,
  prepared_at: line.prepared_at ?? null,
  created_at: line.created_at,
  updated_at: line.updated_at,
  allow_collaboration: line.allow_collaboration ?? false,
  override_requested_changes: line.override_requested_changes ?? false,
  merge_after: line.merge_after ?? null,
  approvals_before_merge: line.approvals_before_merge ?? null,
  time_estimate: line.time_estimate ?? 0,
});

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
