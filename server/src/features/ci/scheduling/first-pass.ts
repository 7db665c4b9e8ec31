/** Where the jobs of a new pipeline begin: what a pass over them would do first, known before their rows are written. Pure. */
import type { NewJob } from '../pipelines/pipelines.queries.ts';
import { advance, type When } from './advance.ts';
import { compositeStatus } from './composite-status.ts';
import type { JobStatus } from './job-states.ts';
import { type PipelineStatus, pipelineChange } from './pipeline-states.ts';

export interface Beginning {
  readonly statuses: readonly JobStatus[];
  /** The pipeline's, where nothing is left for a pass over its rows; null where there is. */
  readonly pipeline: PipelineStatus | null;
}

/** Needs more than a status: somebody who admits it, a turn, a time, or the queue. */
const isInvolved = ({ kind, environment, resourceGroup, when }: NewJob): boolean =>
  kind === 'bridge' || environment !== null || resourceGroup !== null || when === 'delayed';

/** Jobs that need more stay `created`: the pass over the rows comes to the same result for them. */
export function beginningOf(jobs: readonly NewJob[]): Beginning {
  const statuses: JobStatus[] = jobs.map(() => 'created');
  const waiting = jobs.map((job, id) => ({
    ...{ id, name: job.name, stageIndex: job.stageIndex, status: 'created' as const, when: job.when as When },
    ...{ allowFailure: job.allowFailure, needs: job.needs === null ? null : job.needs.map(({ name }) => name) },
  }));
  const after = { enqueue: 'pending', actionize: 'manual', schedule: 'created', skip: 'skipped' } as const;
  for (const { id, event } of advance(waiting)) {
    const job = jobs[id];
    if (job && !isInvolved(job)) statuses[id] = after[event];
  }
  const composite = compositeStatus(
    jobs.map(({ allowFailure }, at) => ({ status: statuses[at] as JobStatus, allowFailure })),
  );
  const change = composite && pipelineChange('created', composite.status);
  // One that runs or has ended has times, and others to tell.
  const plain = change !== null && !change.starts && !change.finishes && !jobs.some(isInvolved);
  return { statuses, pipeline: plain ? change.status : null };
}
