/** Jobs of several pipelines, as far as the states of their stages need them. */
import type { Db } from '../../../kernel/db/index.ts';

export interface StageJob {
  readonly id: number;
  readonly name: string;
  readonly pipeline_id: number;
  readonly stage: string;
  readonly stage_index: number;
  readonly status: string;
  readonly allow_failure: boolean;
}

export async function stageJobs(db: Db, pipelineIds: readonly number[]): Promise<StageJob[]> {
  if (pipelineIds.length === 0) return [];
  return await db
    .selectFrom('jobs')
    .select(['id', 'name', 'pipeline_id', 'stage', 'stage_index', 'status', 'allow_failure'])
    .where('pipeline_id', 'in', pipelineIds)
    .where('retried', '=', false)
    .orderBy('stage_index')
    .orderBy('id')
    .execute();
}
