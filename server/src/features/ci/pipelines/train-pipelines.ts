/** Pipelines of merge trains: started and canceled for whoever runs the trains. */
import { ZERO_SHA } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { projectUrl } from '../jobs/serialize.ts';
import { completedStatuses } from '../scheduling/job-states.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import type { Pipelines } from './create.ts';
import { type PipelineJson, pipelineBasic } from './pipelines.entity.ts';
import { trainPipeline } from './pipelines.queries.ts';
import { trainRef } from './references.ts';

/** What became of the wish for a pipeline. */
export type TrainRun =
  | { readonly kind: 'pipeline'; readonly id: number }
  /** The project has no configuration, or no pipelines: there is nothing to test. */
  | { readonly kind: 'untested' }
  | { readonly kind: 'refused'; readonly reason: string };

export interface TrainPipelines {
  /** Starts the pipeline of a commit that is made of the head `source` and of `target`; one that is there is found. */
  start(
    subject: ProjectSubject,
    caller: Caller,
    request: MergeRequest,
    commit: { readonly sha: string; readonly source: string; readonly target: string },
  ): Promise<TrainRun>;
  /** Cancels what has not ended. */
  cancel(id: number): Promise<void>;
  json(subject: ProjectSubject, pipeline: Pipeline): PipelineJson;
}

const goesOn = ({ status }: Pipeline) => !completedStatuses.has(status) && status !== 'canceling';

export function trainPipelines(deps: CiDependencies, pipelines: Pipelines): TrainPipelines {
  /**
   * Whether a configuration without jobs for merge requests is tested with those of a push to the source branch. Not where that
   * is a branch that jobs may publish from: nothing is merged yet.
   */
  async function standsForPush({ project }: ProjectSubject, request: MergeRequest): Promise<boolean> {
    const { source_project_id: from, source_branch: branch } = request;
    if (from !== project.id || branch === project.default_branch) return false;
    return !(await deps.repository.isProtected(project, `refs/heads/${branch}`));
  }

  return {
    async start(subject, caller, request, { sha, source, target }) {
      if (subject.project.builds_access_level === 'disabled') return { kind: 'untested' };
      const ref = trainRef(request.iid);
      const known = await trainPipeline(deps.db, { mergeRequestId: request.id, ref, sha });
      // One that a worker left behind when it ended; not one of an earlier entry.
      if (known && goesOn(known)) return { kind: 'pipeline', id: known.id };
      const run = {
        ...{ subject, caller, ref, sha, mergeRequest: request },
        merged: { source, target, train: true },
        keepBroken: true,
      } as const;
      let outcome = await pipelines.create({ ...run, beforeSha: ZERO_SHA, source: 'merge_request_event' });
      if (
        outcome.kind === 'refused' &&
        outcome.filtered &&
        !outcome.unconfigured &&
        (await standsForPush(subject, request))
      )
        outcome = await pipelines.create({ ...run, beforeSha: target, source: 'push' });
      if (outcome.kind === 'created') return { kind: 'pipeline', id: outcome.pipeline.id };
      if (outcome.unconfigured) return { kind: 'untested' };
      return { kind: 'refused', reason: outcome.reasons.join(', ') };
    },
    async cancel(id) {
      await transaction(deps.db, async (tx) => {
        const pipeline = await lockPipeline(tx, id);
        if (pipeline && goesOn(pipeline)) await cancelJobs(deps, tx, pipeline, null);
      });
    },
    json: (subject, pipeline) => pipelineBasic(pipeline, projectUrl(deps, subject)),
  };
}
