/** SQL of merge requests and the pipelines of their heads. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import type { PipelineRule } from './mergeability.ts';

/** Open requests whose head is the pipeline's commit: its merge request, or those from its branch. */
export async function openForPipeline(
  db: Db,
  pipeline: { projectId: number; mergeRequestId: number | null; ref: string; sha: string },
): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('state', '=', 'opened')
    .where('head_sha', '=', pipeline.sha)
    .where((eb) =>
      pipeline.mergeRequestId !== null
        ? eb('id', '=', pipeline.mergeRequestId)
        : eb.and([eb('source_project_id', '=', pipeline.projectId), eb('source_branch', '=', pipeline.ref)]),
    )
    .execute();
}

export async function setHeadPipeline(db: Db, id: number, pipelineId: number): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({ head_pipeline_id: pipelineId })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('head_pipeline_id', 'is', null), eb('head_pipeline_id', '<', pipelineId)]))
    // Somebody may be removing the pipeline: wait for them, and then leave it.
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('pipelines').select('pipelines.id').where('pipelines.id', '=', pipelineId).forKeyShare()),
    )
    .execute();
}

/** The newest pipeline for a head commit of a request: its own, else one of the source branch. */
export async function newestPipelineFor(db: Db, request: MergeRequest): Promise<number | null> {
  if (request.head_sha === null || request.source_project_id === null) return null;
  const row = await db
    .selectFrom('pipelines')
    .select('id')
    .where('sha', '=', request.head_sha)
    .where((eb) =>
      eb.or([
        eb('merge_request_id', '=', request.id),
        eb.and([
          eb('project_id', '=', request.source_project_id),
          eb('ref', '=', request.source_branch),
          eb('merge_request_id', 'is', null),
        ]),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Open requests that wait for this pipeline, their head's newest. */
export async function waitingForPipeline(db: Db, pipelineId: number): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('head_pipeline_id', '=', pipelineId)
    .where('state', '=', 'opened')
    .where('auto_merge', '=', true)
    .execute();
}

/** What of a pipeline tells which requests it belongs to. */
export async function pipelineHead(
  db: Db,
  id: number,
): Promise<{ projectId: number; mergeRequestId: number | null; ref: string; sha: string } | null> {
  const row = await db
    .selectFrom('pipelines')
    .select(['project_id', 'merge_request_id', 'ref', 'sha'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { projectId: row.project_id, mergeRequestId: row.merge_request_id, ref: row.ref, sha: row.sha } : null;
}

/**
 * What the project and the groups above it ask of pipelines: whoever requires one says for itself whether a skipped one
 * will do, and a project that does not say takes what the groups do.
 */
export async function pipelineRuleOf(db: Db, projectId: number): Promise<PipelineRule> {
  const { rows } = await sql<PipelineRule>`
    select
      p.only_allow_merge_if_pipeline_succeeds or coalesce(g.requires, false) as required,
      coalesce(g.skipped_will_do, true) and (
        not p.only_allow_merge_if_pipeline_succeeds
        or coalesce(p.allow_merge_on_skipped_pipeline, g.says_skipped, false)
      ) as "skippedWillDo"
    from projects p
    join namespaces n on n.id = p.namespace_id
    cross join lateral (
      select
        bool_or(above.only_allow_merge_if_pipeline_succeeds) as requires,
        bool_or(above.allow_merge_on_skipped_pipeline) as says_skipped,
        bool_and(above.allow_merge_on_skipped_pipeline)
          filter (where above.only_allow_merge_if_pipeline_succeeds) as skipped_will_do
      from namespaces above
      where above.id = any (n.traversal_ids)
    ) g
    where p.id = ${projectId}`.execute(db);
  return rows[0] ?? { required: true, skippedWillDo: false };
}
