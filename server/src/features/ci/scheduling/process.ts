/**
 * One pass over a pipeline after any of its jobs changed: starts what no longer waits, skips what will never run, and
 * computes the pipeline's status. Runs in the transaction of the change, under the pipeline's row lock.
 */
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import type { PlanNeed } from '../jobs/plan.ts';
import { advance, type Move, type WaitingJob, type When } from './advance.ts';
import { compositeStatus } from './composite-status.ts';
import type { JobStatus } from './job-states.ts';
import { type PipelineStatus, pipelineChange, runningSeconds } from './pipeline-states.ts';
import {
  databaseNow,
  type EngineJob,
  externalStatuses,
  lockPipeline,
  moveJobs,
  newestJobs,
  notifyPending,
  type PipelineUpdate,
  runPeriods,
  scheduleJob,
  updatePipeline,
} from './process.queries.ts';

/** Task that starts a delayed job. */
export const playScheduledTask = 'ci.play_scheduled';

export type EngineDependencies = Pick<CiDependencies, 'recordFact' | 'announce' | 'enqueue'>;

/** The row as the pure rules see it. */
export function waitingJob(job: EngineJob): WaitingJob {
  const needs = job.needs as readonly PlanNeed[] | null;
  return {
    id: job.id,
    name: job.name,
    stageIndex: job.stage_index,
    status: job.status as JobStatus,
    allowFailure: job.allow_failure,
    when: job.when as When,
    needs: needs === null ? null : needs.map((need) => need.name),
  };
}

const targets = { enqueue: 'pending', actionize: 'manual', schedule: 'scheduled', skip: 'skipped' } as const;

async function apply(deps: EngineDependencies, tx: Db, jobs: readonly EngineJob[], moves: readonly Move[]) {
  const byEvent = (event: Move['event']) => moves.filter((move) => move.event === event).map((move) => move.id);
  const enqueued = byEvent('enqueue');
  await moveJobs(tx, enqueued, 'pending');
  await moveJobs(tx, byEvent('actionize'), 'manual');
  await moveJobs(tx, byEvent('skip'), 'skipped');
  for (const id of byEvent('schedule')) {
    const seconds = jobs.find((job) => job.id === id)?.start_in_seconds ?? 0;
    const runAt = await scheduleJob(tx, id, seconds);
    await deps.enqueue(tx, playScheduledTask, { job_id: id }, { runAt, key: `${playScheduledTask}:${id}` });
  }
  if (enqueued.length > 0) await notifyPending(tx);
  for (const move of moves) await deps.announce(tx, `job:${move.id}`);
}

function averageCoverage(jobs: ReadonlyArray<{ readonly coverage: string | null }>): string | null {
  const values = jobs.map((job) => job.coverage).filter((value) => value !== null);
  if (values.length === 0) return null;
  return (values.reduce((sum, value) => sum + Number(value), 0) / values.length).toFixed(2);
}

/** Sets the pipeline's status from its jobs, with its times, facts and topics. The lock is the caller's. */
async function settle(
  deps: EngineDependencies,
  tx: Db,
  pipeline: Pipeline,
  jobs: readonly { status: JobStatus; allowFailure: boolean }[],
  rows: ReadonlyArray<{ readonly coverage: string | null }>,
): Promise<void> {
  const composite = compositeStatus(jobs);
  const change = composite && pipelineChange(pipeline.status as PipelineStatus, composite.status);
  if (!change) return;
  const now = await databaseNow(tx);
  const values: PipelineUpdate = { status: change.status };
  if (change.starts && pipeline.started_at === null) {
    values.started_at = now;
    values.queued_duration = Math.round((now.getTime() - pipeline.created_at.getTime()) / 1000);
  }
  if (change.finishes) {
    values.finished_at = now;
    values.duration = runningSeconds(await runPeriods(tx, pipeline.id));
    values.coverage = averageCoverage(rows);
  } else if (pipeline.finished_at !== null) {
    values.finished_at = null;
  }
  await updatePipeline(tx, pipeline.id, values);
  await deps.recordFact(tx, {
    kind: change.finishes ? 'pipeline.finished' : 'pipeline.changed',
    projectId: pipeline.project_id,
    actorId: pipeline.user_id,
    payload: { pipeline_id: pipeline.id, status: change.status },
  });
  await deps.announce(tx, `pipeline:${pipeline.id}`);
  await deps.announce(tx, `project:${pipeline.project_id}:pipelines`);
}

/**
 * Processes a pipeline. `locked` is its row when the caller holds the lock already; a pipeline that is gone is nothing
 * to do.
 */
export async function processPipeline(
  deps: EngineDependencies,
  tx: Db,
  pipelineId: number,
  locked?: Pipeline,
): Promise<void> {
  const pipeline = locked ?? (await lockPipeline(tx, pipelineId));
  if (!pipeline) return;
  const rows = await newestJobs(tx, pipelineId);
  const moves = advance(rows.map(waitingJob));
  if (moves.length > 0) await apply(deps, tx, rows, moves);
  const moved = new Map(moves.map((move) => [move.id, targets[move.event]]));
  const now = rows.map((row) => ({
    status: moved.get(row.id) ?? (row.status as JobStatus),
    allowFailure: row.allow_failure,
  }));
  const external = await externalStatuses(tx, pipelineId);
  const said = external.map(({ status }) => ({ status: status as JobStatus, allowFailure: false }));
  await settle(deps, tx, pipeline, [...now, ...said], [...rows, ...external]);
}
