/** What the database knows of a merge request that is about to be merged: all of it in one statement. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { type HeadPipeline, newestPipeline } from '../merge-requests/head-pipelines.queries.ts';
import type { MergeRules } from './merge-check.ts';

/** A merge request with what its project requires, and the newest pipeline of its stored head. */
export interface StoredCandidate {
  readonly row: MergeRequest;
  readonly rules: MergeRules;
  readonly pipeline: HeadPipeline | null;
  readonly hasLocks: boolean;
  readonly authorName: string | null;
}

/**
 * The project's rules. Of pipelines, whoever requires one decides for itself whether a skipped one is enough; a project that
 * does not decide takes what the groups above say.
 */
const rules = sql<MergeRules>`json_build_object(
  'merge_method', p.merge_method,
  'squash_option', p.squash_option,
  'merge_request_title_regex', p.merge_request_title_regex,
  'only_allow_merge_if_all_status_checks_passed', p.only_allow_merge_if_all_status_checks_passed,
  'merge_commit_template', p.merge_commit_template,
  'squash_commit_template', p.squash_commit_template,
  'only_allow_merge_if_all_discussions_are_resolved', p.only_allow_merge_if_all_discussions_are_resolved or exists (
    select from namespaces above where above.id = any (n.traversal_ids)
      and above.only_allow_merge_if_all_discussions_are_resolved),
  'hasApprovalRules', p.approvals_before_merge > 0
    or exists (select from approval_rules r where r.project_id = p.id and r.approvals_required > 0)
    or exists (select from approval_rules r where r.merge_request_id = m.id and r.approvals_required > 0)
    or exists (select from approval_rules r where r.namespace_id = any (n.traversal_ids) and r.approvals_required > 0)
    or exists (select from protected_branches b where b.code_owner_approval_required
      and (b.project_id = p.id or b.namespace_id = n.traversal_ids[1])),
  'hasRequestedChanges', not m.override_requested_changes and exists (
    select from merge_request_requested_changes c where c.merge_request_id = m.id),
  'hasOpenDependencies', exists (
    select from merge_request_dependencies d join merge_requests b on b.id = d.blocking_id
    where d.blocked_id = m.id and b.state <> 'merged'),
  'pipeline', (
    select json_build_object(
      'required', p.only_allow_merge_if_pipeline_succeeds
        or coalesce(bool_or(above.only_allow_merge_if_pipeline_succeeds), false),
      'skippedAllowed', coalesce(bool_and(above.allow_merge_on_skipped_pipeline)
          filter (where above.only_allow_merge_if_pipeline_succeeds), true)
        and (not p.only_allow_merge_if_pipeline_succeeds or coalesce(
          p.allow_merge_on_skipped_pipeline, bool_or(above.allow_merge_on_skipped_pipeline), false)))
    from namespaces above where above.id = any (n.traversal_ids)))`;

/** Null when the request is gone. */
export async function storedCandidate(
  db: Db,
  request: { readonly id: number } | { readonly projectId: number; readonly iid: number },
): Promise<StoredCandidate | null> {
  const found = await db
    .selectFrom('merge_requests as m')
    .innerJoin('projects as p', 'p.id', 'm.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .leftJoin('users as a', 'a.id', 'm.author_id')
    .selectAll('m')
    .select([
      'a.name as author_name',
      rules.as('rules'),
      newestPipeline(sql.ref('m.head_sha')).as('pipeline'),
      sql<boolean>`exists (select from path_locks k where k.project_id = p.id)`.as('has_locks'),
    ])
    .where((eb) =>
      'id' in request
        ? eb('m.id', '=', request.id)
        : eb.and([eb('m.project_id', '=', request.projectId), eb('m.iid', '=', request.iid)]),
    )
    .executeTakeFirst();
  if (!found) return null;
  const { author_name, rules: required, pipeline, has_locks, ...row } = found;
  return { row, rules: required, pipeline, hasLocks: has_locks, authorName: author_name };
}

/** A merge request of a list with what its project requires, as far as the checks ask without its branches. */
export interface ListedCandidate {
  readonly row: MergeRequest;
  readonly rules: MergeRules;
  readonly pipelineStatus: string | null;
  /** Whether anything is locked that the target branch and the people concerned have to heed. */
  readonly hasLocks: boolean;
}

/** The same for many at once. */
export async function listedCandidates(
  db: Db,
  rows: readonly MergeRequest[],
  callerId: number | null,
): Promise<ListedCandidate[]> {
  if (rows.length === 0) return [];
  const found = await db
    .selectFrom('merge_requests as m')
    .innerJoin('projects as p', 'p.id', 'm.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select([
      'm.id',
      rules.as('rules'),
      newestPipeline(sql.ref('m.head_sha')).as('pipeline'),
      sql<boolean>`exists (select from path_locks k where k.project_id = p.id
        and k.user_id is distinct from m.author_id and k.user_id is distinct from ${callerId}::bigint
        and (k.lfs or m.target_branch = p.default_branch))`.as('has_locks'),
    ])
    .where(
      'm.id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id, rules: required, pipeline, has_locks }) => {
    const row = byId.get(id);
    return row ? [{ row, rules: required, pipelineStatus: pipeline?.status ?? null, hasLocks: has_locks }] : [];
  });
}
