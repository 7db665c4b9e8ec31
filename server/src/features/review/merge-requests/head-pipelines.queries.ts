/** SQL of merge requests and the pipelines of their heads. */
import { type Expression, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

export interface HeadPipeline {
  readonly id: number;
  readonly status: string;
}

/**
 * The newest pipeline of a commit for the request `m`: its own, of the commit or of its merge into the target, else one of the
 * source branch. Those of merge trains say nothing of the request alone.
 */
export const newestPipeline = (sha: Expression<unknown>) => sql<HeadPipeline | null>`(
  select json_build_object('id', l.id, 'status', l.status) from pipelines l
  where l.source <> 'parent_pipeline' and ((l.merge_request_id = m.id and (l.sha = ${sha} or l.source_sha = ${sha})
      and l.ref <> 'refs/merge-requests/' || m.iid || '/train')
    or (l.sha = ${sha} and l.project_id = m.source_project_id and l.ref = m.source_branch and l.merge_request_id is null))
  order by l.id desc limit 1)`;

export async function newestPipelineOf(db: Db, requestId: number, sha: string): Promise<HeadPipeline | null> {
  const found = await db
    .selectFrom('merge_requests as m')
    .select(newestPipeline(sql.val(sha)).as('pipeline'))
    .where('m.id', '=', requestId)
    .executeTakeFirst();
  return found?.pipeline ?? null;
}

/**
 * Whether the head of a request may still get its first pipeline: nobody has made one for the push or the request that brought
 * it, which were moments ago. What is older is stuck, and nobody waits for it.
 */
export async function pipelineIsComing(
  db: Db,
  { id, head_sha, source_project_id }: Pick<MergeRequest, 'id' | 'head_sha' | 'source_project_id'>,
): Promise<boolean> {
  const { rows } = await sql`select from facts f
    where f.delivered_at is null and f.created_at > now() - interval '5 seconds'
      and (f.kind in ('merge_request.opened', 'merge_request.head_changed') and f.payload->'merge_request_id' = to_jsonb(${id}::bigint)
        or f.kind = 'push' and f.project_id = ${source_project_id} and f.payload->>'after' = ${head_sha})
      and not exists (select from merge_requests m where m.id = ${id} and ${newestPipeline(sql.val(head_sha))} is not null)
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Open requests whose head is the commit of one of the pipelines: its merge request, or those from its branch. Children are
 * a part of their parent, and merge trains decide on their own.
 */
export async function openForPipelines(
  db: Db,
  pipelineIds: readonly number[],
): Promise<Array<MergeRequest & { readonly pipeline_id: number }>> {
  const where = sql`p.id = any(${pipelineIds}::bigint[]) and p.source <> 'parent_pipeline'
    and m.state = 'opened' and m.head_sha = coalesce(p.source_sha, p.sha)`;
  const { rows } = await sql<MergeRequest & { readonly pipeline_id: number }>`
    select m.*, p.id as pipeline_id from pipelines p join merge_requests m on m.id = p.merge_request_id
      where ${where} and p.ref not like '%/train'
    union all
    select m.*, p.id from pipelines p
      join merge_requests m on m.source_project_id = p.project_id and m.source_branch = p.ref
      where ${where} and p.merge_request_id is null`.execute(db);
  // The newest last: it stays.
  return rows.sort((one, other) => one.pipeline_id - other.pipeline_id);
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
