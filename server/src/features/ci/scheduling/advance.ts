/** Decides what becomes of the jobs of one pipeline that wait: pure, one call per change, to a fixed point. */
import { compositeStatus } from './composite-status.ts';
import { completedStatuses, type JobStatus } from './job-states.ts';

export type When = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed' | 'never';

export interface WaitingJob {
  readonly id: number;
  readonly name: string;
  readonly stageIndex: number;
  readonly status: JobStatus;
  readonly allowFailure: boolean;
  readonly when: When;
  /** Names of the jobs that it needs; null when it waits for the stages before. */
  readonly needs: readonly string[] | null;
}

export interface Move {
  readonly id: number;
  readonly event: 'enqueue' | 'actionize' | 'schedule' | 'skip';
}

/** After which outcomes a job runs. One that needs jobs wants their results, a stage that was skipped does no harm. */
function runsAfter(when: When, dag: boolean): readonly JobStatus[] {
  switch (when) {
    case 'on_success':
    case 'manual':
    case 'delayed':
      return dag ? ['success'] : ['success', 'skipped'];
    case 'on_failure':
      return ['failed'];
    case 'always':
      return ['success', 'failed', 'skipped', 'canceled'];
    case 'never':
      return [];
  }
}

const eventOf = (when: When): Move['event'] =>
  when === 'manual' ? 'actionize' : when === 'delayed' ? 'schedule' : 'enqueue';

const statusAfter: Readonly<Record<Move['event'], JobStatus>> = {
  enqueue: 'pending',
  actionize: 'manual',
  schedule: 'scheduled',
  skip: 'skipped',
};

/**
 * The moves for all jobs in `created` that no longer wait for anything. `jobs` are the pipeline's newest attempts.
 */
export function advance(jobs: readonly WaitingJob[]): Move[] {
  const now = new Map(jobs.map((job) => [job.id, job.status]));
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const inputOf = (job: WaitingJob) => ({ status: now.get(job.id) ?? job.status, allowFailure: job.allowFailure });
  const ordered = [...jobs].sort((a, b) => a.stageIndex - b.stageIndex || a.id - b.id);
  const moves: Move[] = [];

  const before = (job: WaitingJob, stages: Map<number, JobStatus | null>): JobStatus => {
    if (job.needs !== null) {
      const needed = job.needs.map((name) => byName.get(name)).filter((found) => found !== undefined);
      return compositeStatus(needed.map(inputOf), true)?.status ?? 'success';
    }
    let status = stages.get(job.stageIndex);
    if (status === undefined) {
      const earlier = ordered.filter((other) => other.stageIndex < job.stageIndex);
      status = compositeStatus(earlier.map(inputOf))?.status ?? null;
      stages.set(job.stageIndex, status);
    }
    return status ?? 'success';
  };

  for (let moved = true; moved; ) {
    moved = false;
    const stages = new Map<number, JobStatus | null>();
    for (const job of ordered) {
      if (now.get(job.id) !== 'created') continue;
      const outcome = before(job, stages);
      if (!completedStatuses.has(outcome)) continue;
      const event = runsAfter(job.when, job.needs !== null).includes(outcome) ? eventOf(job.when) : 'skip';
      now.set(job.id, statusAfter[event]);
      moves.push({ id: job.id, event });
      moved = true;
      for (const index of [...stages.keys()]) if (index > job.stageIndex) stages.delete(index);
    }
  }
  return moves;
}

/**
 * Jobs that were skipped or wait because of `changed`, directly or not: what waits again when those are retried.
 */
export function dependents(jobs: readonly WaitingJob[], changed: ReadonlySet<string>): WaitingJob[] {
  const reached = new Set(changed);
  const found = new Set<WaitingJob>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const job of jobs) {
      if (found.has(job) || changed.has(job.name)) continue;
      const follows =
        job.needs === null
          ? jobs.some((other) => reached.has(other.name) && other.stageIndex < job.stageIndex)
          : job.needs.some((name) => reached.has(name));
      if (!follows) continue;
      found.add(job);
      reached.add(job.name);
      grew = true;
    }
  }
  return [...found];
}
