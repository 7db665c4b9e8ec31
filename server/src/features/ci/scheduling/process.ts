/**
 * One pass over a pipeline after any of its jobs changed: starts what no longer waits, skips what will never run, and
 * computes the pipeline's status. Runs in the transaction of the change, under the pipeline's row lock.
 */

import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { pipelineFacts, recordFact } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { bridgeOf, followersOf } from '../downstream/sources.queries.ts';
import type { PlanNeed } from '../jobs/plan.ts';
import { advance, type Move, type WaitingJob, type When } from './advance.ts';
import { compositeStatus, type StatusInput } from './composite-status.ts';
import { completedStatuses, type JobStatus } from './job-states.ts';
import { type PipelineStatus, pipelineChange, runningSeconds } from './pipeline-states.ts';
import {
  databaseNow,
  type EngineJob,
  type JobGroup,
  jobGroups,
  jobsAfter,
  lockPipeline,
  moveJobs,
  newestJobs,
  notifyPending,
  type PipelineUpdate,
  runPeriods,
  scheduleJob,
  updatePipelines,
} from './process.queries.ts';

/** Task that starts a delayed job. */
export const playScheduledTask = 'ci.play_scheduled';

/** Task that lets the next job of a resource group run. */
export const assignResourceTask = 'ci.assign_resource';
/** Tasks of trigger jobs: start the pipeline, end as it has ended, cancel it. */
export const startDownstreamTask = 'ci.start_downstream';
export const mirrorDownstreamTask = 'ci.mirror_downstream';
export const cancelDownstreamTask = 'ci.cancel_downstream';
/** Task that ends jobs as the pipeline has ended that they follow. */
export const mirrorUpstreamTask = 'ci.mirror_upstream';

export type EngineDependencies = Pick<CiDependencies, 'announce' | 'enqueue' | 'deployments'>;

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
  const grouped = new Set(jobs.filter((job) => job.resource_group !== null).map((job) => job.id));
  const enqueued = byEvent('enqueue').filter((id) => !grouped.has(id));
  await moveJobs(tx, enqueued, 'pending');
  await moveJobs(
    tx,
    byEvent('enqueue').filter((id) => grouped.has(id)),
    'waiting_for_resource',
  );
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

function averageCoverage(groups: readonly JobGroup[]): string | null {
  const covered = groups.reduce((sum, group) => sum + group.covered, 0);
  if (covered === 0) return null;
  return (groups.reduce((sum, group) => sum + group.coverage, 0) / covered).toFixed(2);
}

/** What a pass knows of the jobs of a pipeline after it. */
interface Passed {
  readonly jobs: readonly StatusInput[];
  readonly groups: readonly JobGroup[];
}

/** The pipeline's new status and times; null where nothing changes. */
async function changeOf(tx: Db, pipeline: Pipeline, { jobs, groups }: Passed) {
  const composite = compositeStatus(jobs);
  const change = composite && pipelineChange(pipeline.status as PipelineStatus, composite.status);
  if (!change) return null;
  const values: PipelineUpdate = { status: change.status };
  const begins = change.starts && pipeline.started_at === null;
  if (begins || change.finishes) {
    const now = await databaseNow(tx);
    if (begins) {
      values.started_at = now;
      values.queued_duration = Math.round((now.getTime() - pipeline.created_at.getTime()) / 1000);
    }
    if (change.finishes) values.finished_at = now;
  }
  if (change.finishes) {
    values.duration = runningSeconds(await runPeriods(tx, pipeline.id));
    values.coverage = averageCoverage(groups);
  } else if (pipeline.finished_at !== null) {
    values.finished_at = null;
  }
  return { pipeline, values, status: change.status, finishes: change.finishes };
}

/** Writes what changes; pipelines that are told apart by nothing but their ids with one statement. */
async function update(
  tx: Db,
  changes: ReadonlyArray<{ readonly pipeline: Pipeline; readonly values: PipelineUpdate }>,
) {
  const alike = new Map<string, { readonly ids: number[]; readonly values: PipelineUpdate }>();
  for (const { pipeline, values } of changes) {
    const key = JSON.stringify(values);
    const found = alike.get(key);
    if (found) found.ids.push(pipeline.id);
    else alike.set(key, { ids: [pipeline.id], values });
  }
  for (const { ids, values } of alike.values()) await updatePipelines(tx, ids, values);
}

/** Sets the statuses of pipelines from their jobs, with their times, facts and topics. The locks are the caller's. */
async function settle(
  deps: EngineDependencies,
  tx: Db,
  pipelines: readonly Pipeline[],
  passed: (pipelineId: number) => Passed,
): Promise<void> {
  const changes = [];
  for (const pipeline of pipelines) {
    const change = await changeOf(tx, pipeline, passed(pipeline.id));
    if (change) changes.push(change);
  }
  await update(tx, changes);
  for (const { pipeline, status, finishes } of changes) {
    await recordFact(
      tx,
      pipelineFacts[finishes ? 'finished' : 'changed'],
      { pipeline_id: pipeline.id, status },
      { project_id: pipeline.project_id, actor_id: pipeline.user_id },
    );
    if (pipeline.source === 'parent_pipeline' || pipeline.source === 'pipeline') {
      const bridge = await bridgeOf(tx, pipeline.id);
      if (bridge !== null) await deps.enqueue(tx, mirrorDownstreamTask, { job_id: bridge });
    }
    if (finishes && (await followersOf(tx, pipeline.id, 1)).length > 0)
      await deps.enqueue(tx, mirrorUpstreamTask, { pipeline_id: pipeline.id });
    await deps.announce(tx, `pipeline:${pipeline.id}`);
    await deps.announce(tx, `project:${pipeline.project_id}:pipelines`);
  }
}

/** Jobs that deploy where an approval is needed wait for it, as manual jobs do for a person. */
async function admitted(
  deps: EngineDependencies,
  tx: Db,
  rows: readonly EngineJob[],
  moves: readonly Move[],
): Promise<Move[]> {
  const deploying = new Set(rows.filter((row) => row.environment !== null).map((row) => row.id));
  const result: Move[] = [];
  for (const move of moves) {
    const asks = move.event !== 'skip' && deploying.has(move.id);
    const blocked = asks && (await deps.deployments.admit(tx, move)) === 'block';
    result.push(blocked ? { id: move.id, event: 'actionize' } : move);
  }
  return result;
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
  ended?: Ended,
): Promise<void> {
  const pipeline = locked ?? (await lockPipeline(tx, pipelineId));
  if (pipeline) await processPipelines(deps, tx, [pipeline], ended);
}

/**
 * Names of the jobs that have ended since the last pass, where nothing else has changed that others wait for. Without them
 * a pass looks at all jobs.
 */
export type Ended = readonly string[];

const inputOf = ({ status, allow_failure: allowFailure }: Pick<JobGroup, 'status' | 'allow_failure'>): StatusInput => ({
  status: status as JobStatus,
  allowFailure,
});

/**
 * Which jobs of a pipeline can have something to do in this pass, seen from its groups: `some` are those that need a job that
 * has ended, or are given to the queue with every pass.
 */
function lookAt(groups: readonly JobGroup[], ended: Ended | undefined): 'all' | 'some' | 'none' {
  const rest = ended === undefined ? 'all' : 'some';
  let found: 'some' | 'none' = 'none';
  for (const { stage_index: stage, status, bridge, needs } of groups) {
    if (stage === null) continue;
    const again = status === 'waiting_for_resource' || (bridge && status === 'pending');
    if (again || (status === 'created' && needs && ended?.length !== 0)) {
      if (rest === 'all') return 'all';
      found = 'some';
    }
    if (status !== 'created' || needs) continue;
    const before = groups.filter(({ stage_index: other }) => other !== null && other < stage);
    if (completedStatuses.has(compositeStatus(before.map(inputOf))?.status ?? 'success')) return 'all';
  }
  return found;
}

interface Proposed {
  readonly rows: readonly EngineJob[];
  readonly moves: readonly Move[];
}

async function proposedOfAll(tx: Db, pipelineIds: readonly number[]): Promise<Proposed> {
  const rows = pipelineIds.length > 0 ? await newestJobs(tx, pipelineIds) : [];
  const rowsOf = Map.groupBy(rows, (row) => row.pipeline_id);
  return { rows, moves: [...rowsOf.values()].flatMap((own) => advance(own.map(waitingJob))) };
}

/**
 * Where only jobs can move that need those that ended. What is skipped has ended, too, and what is manual may be nothing to
 * wait for: then all are looked at.
 */
async function proposedAfter(tx: Db, pipelineId: number, ended: Ended): Promise<Proposed> {
  const rows = await jobsAfter(tx, pipelineId, ended);
  const moves = advance(rows.map(waitingJob));
  return moves.some(({ event }) => event === 'skip' || event === 'actionize')
    ? await proposedOfAll(tx, [pipelineId])
    : { rows, moves };
}

/** A job that was moved, and what it was before. */
type Moved = Pick<EngineJob, 'pipeline_id' | 'allow_failure'> & { readonly from: string; readonly to: JobStatus };

/** Starts and skips what no longer waits in pipelines, and gives the queue what it does. */
async function moveOn(deps: EngineDependencies, tx: Db, { rows, moves: proposed }: Proposed): Promise<Moved[]> {
  const moves = await admitted(deps, tx, rows, proposed);
  if (moves.length > 0) await apply(deps, tx, rows, moves);
  const grouped = new Map(rows.map((row) => [row.id, row.resource_group !== null]));
  const moved = new Map<number, JobStatus>(
    moves.map(({ id, event }) => [
      id,
      event === 'enqueue' && grouped.get(id) ? 'waiting_for_resource' : targets[event],
    ]),
  );
  const after = (row: EngineJob) => moved.get(row.id) ?? (row.status as JobStatus);
  for (const row of rows)
    if (after(row) === 'waiting_for_resource')
      await deps.enqueue(tx, assignResourceTask, { job_id: row.id }, { key: `${assignResourceTask}:${row.id}` });
  // No runner takes these: the queue does.
  for (const row of rows)
    if (row.kind === 'bridge' && after(row) === 'pending')
      await deps.enqueue(tx, startDownstreamTask, { job_id: row.id }, { key: `${startDownstreamTask}:${row.id}` });
  return rows
    .filter((row) => moved.has(row.id))
    .map((row) => ({
      pipeline_id: row.pipeline_id,
      allow_failure: row.allow_failure,
      from: row.status,
      to: after(row),
    }));
}

/** The statuses that there are of jobs after some were moved. */
function statusesAfter(groups: readonly JobGroup[], moved: readonly Moved[]): StatusInput[] {
  const left = new Map<string, StatusInput & { jobs: number }>();
  const add = (status: string, allowFailure: boolean, jobs: number) => {
    const key = `${status} ${allowFailure}`;
    const known = left.get(key);
    left.set(key, { status: status as JobStatus, allowFailure, jobs: (known?.jobs ?? 0) + jobs });
  };
  for (const group of groups) add(group.status, group.allow_failure, group.jobs);
  for (const { from, to, allow_failure: allowFailure } of moved) {
    add(from, allowFailure, -1);
    add(to, allowFailure, 1);
  }
  return [...left.values()].filter(({ jobs }) => jobs > 0);
}

/** Processes pipelines whose locks the caller holds: with the statements of one, where they differ in nothing that is written. */
export async function processPipelines(
  deps: EngineDependencies,
  tx: Db,
  pipelines: readonly Pipeline[],
  ended?: Ended,
): Promise<void> {
  if (pipelines.length === 0) return;
  const groups = await jobGroups(
    tx,
    pipelines.map(({ id }) => id),
  );
  const groupsOf = Map.groupBy(groups, (group) => group.pipeline_id);
  const whole: number[] = [];
  const moved: Moved[] = [];
  for (const { id } of pipelines) {
    const look = lookAt(groupsOf.get(id) ?? [], ended);
    if (look === 'all') whole.push(id);
    else if (look === 'some') moved.push(...(await moveOn(deps, tx, await proposedAfter(tx, id, ended ?? []))));
  }
  if (whole.length > 0) moved.push(...(await moveOn(deps, tx, await proposedOfAll(tx, whole))));
  const movedOf = Map.groupBy(moved, (each) => each.pipeline_id);
  await settle(deps, tx, pipelines, (id) => {
    const own = groupsOf.get(id) ?? [];
    return { jobs: statusesAfter(own, movedOf.get(id) ?? []), groups: own };
  });
  for (const pipeline of pipelines)
    if (groupsOf.get(pipeline.id)?.some((group) => group.deploys)) await deps.deployments.follow(tx, pipeline);
}
