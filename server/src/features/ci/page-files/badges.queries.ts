/** What badges tell of a branch. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';

export async function newestUnskipped(db: Db, projectId: number, ref: string): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('status', '!=', 'skipped')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Percent of the newest pipeline of the branch that passed, or of one job of it; null without any. */
export async function newestCoverage(
  db: Db,
  projectId: number,
  ref: string,
  job: string | undefined,
): Promise<number | null> {
  const pipeline = await db
    .selectFrom('pipelines')
    .select(['id', 'coverage'])
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!pipeline) return null;
  if (job === undefined) return pipeline.coverage === null ? null : Number(pipeline.coverage);
  const found = await db
    .selectFrom('jobs')
    .select('coverage')
    .where('pipeline_id', '=', pipeline.id)
    .where('name', '=', job)
    .where('coverage', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.coverage === null || found?.coverage === undefined ? null : Number(found.coverage);
}
