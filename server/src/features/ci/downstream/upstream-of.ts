/** The job of another pipeline that a pipeline was started by, for those who may see it. */
import type { Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import type { PipelineDetail } from '../pipelines/pipelines.entity.ts';
import { upstreamJob } from './sources.queries.ts';

type UpstreamJson = NonNullable<Static<typeof PipelineDetail>['upstream']>;

export async function upstreamOf(
  { db, parents }: Pick<CiDependencies, 'db' | 'parents'>,
  { project }: ProjectSubject,
  caller: Caller,
  pipeline: Pick<Pipeline, 'id' | 'source'>,
): Promise<UpstreamJson | null> {
  // Only these have one.
  if (pipeline.source !== 'parent_pipeline' && pipeline.source !== 'pipeline') return null;
  const job = await upstreamJob(db, pipeline.id);
  if (!job || job.project_id === project.id) return job ?? null;
  const other = await parents.project(String(job.project_id), caller);
  return other && canOnProject(caller, 'read_pipeline', other) ? job : null;
}
