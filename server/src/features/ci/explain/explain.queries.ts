/** SQL of the explanations of pipelines. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

export async function insertExplanations(
  tx: Db,
  explanations: ReadonlyArray<{ readonly pipelineId: number; readonly explanation: object }>,
): Promise<void> {
  await tx
    .insertInto('pipeline_explanations')
    .values(
      explanations.map(({ pipelineId, explanation }) => ({
        pipeline_id: pipelineId,
        explanation: JSON.stringify(explanation),
      })),
    )
    .execute();
}

export async function findExplanation(db: Db, pipelineId: number): Promise<unknown> {
  const row = await db
    .selectFrom('pipeline_explanations')
    .select('explanation')
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
  return row?.explanation ?? null;
}

/** A merge request of which the project is the target. */
export async function findRequest(db: Db, projectId: number, iid: number): Promise<MergeRequest | undefined> {
  return await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}
