/** From a pipeline's row to its full JSON, and the answers that other slices read. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { archivedNow } from '../jobs/archived.ts';
import { findPlace } from '../jobs/context.queries.ts';
import { type Place, projectUrl } from '../jobs/serialize.ts';
import { compositeStatus } from '../scheduling/composite-status.ts';
import type { JobStatus } from '../scheduling/job-states.ts';
import { newestJobs } from '../scheduling/process.queries.ts';
import { type PipelineDetailJson, pipelineDetail } from './pipelines.entity.ts';
import { findPipelineById, findUser } from './pipelines.queries.ts';

/** Whether a job that may fail did, in a pipeline that passed. */
async function passedWithWarnings(db: Db, pipeline: Pipeline): Promise<boolean> {
  if (pipeline.status !== 'success') return false;
  const jobs = await newestJobs(db, [pipeline.id]);
  const composite = compositeStatus(
    jobs.map((job) => ({ status: job.status as JobStatus, allowFailure: job.allow_failure })),
  );
  return composite?.warnings ?? false;
}

export async function presentPipeline(
  deps: Pick<CiDependencies, 'db' | 'externalUrl' | 'settings'>,
  place: Place,
  pipeline: Pipeline,
): Promise<PipelineDetailJson> {
  const [user, warnings, isArchived] = await Promise.all([
    findUser(deps.db, pipeline.user_id),
    passedWithWarnings(deps.db, pipeline),
    archivedNow(deps),
  ]);
  return pipelineDetail({
    pipeline,
    user,
    warnings,
    archived: isArchived(pipeline, pipeline),
    projectUrl: projectUrl(deps, place),
    externalUrl: deps.externalUrl,
  });
}

/** A pipeline by id, for objects that have one; null when it is gone. */
export async function pipelineDetailById(
  deps: Pick<CiDependencies, 'db' | 'externalUrl' | 'settings'>,
  id: number,
): Promise<PipelineDetailJson | null> {
  const pipeline = await findPipelineById(deps.db, id);
  const place = pipeline && (await findPlace(deps.db, pipeline.project_id));
  return pipeline && place ? await presentPipeline(deps, place, pipeline) : null;
}
