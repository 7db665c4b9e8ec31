/** What people do with jobs: play, retry, cancel, erase. Each is one transaction under the pipeline's lock. */
import { jobInputValues } from '@millrace/ci-config';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { forbidden, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { deleteArtifactsOf } from '../artifacts/artifacts.queries.ts';
import type { CiDependencies } from '../deps.ts';
import { dependents } from '../scheduling/advance.ts';
import {
  cancelableStatuses,
  executingStatuses,
  type JobStatus,
  nextJobStatus,
  playableStatuses,
  retryableStatuses,
} from '../scheduling/job-states.ts';
import { lockPipeline, newestJobs, notifyPending } from '../scheduling/process.queries.ts';
import { processPipeline, waitingJob } from '../scheduling/process.ts';
import { deleteTrace } from '../traces/traces.queries.ts';
import { type ManualVariable, manualVariables } from '../variables/manual.ts';
import { sealed as purposes } from '../variables/sealing.ts';
import { archivedNow } from './archived.ts';
import { cancelOne } from './cancel.ts';
import {
  cloneJob,
  findJob,
  jobsInStatuses,
  lockJob,
  markErased,
  moveJob,
  resetSkipped,
  setPlan,
} from './jobs.queries.ts';
import type { JobPlan } from './plan.ts';

type JobInputs = Readonly<Record<string, unknown>>;

/** What somebody gives the run of a job that they start. */
interface GivenToRun {
  readonly variables: readonly ManualVariable[];
  readonly inputs: JobInputs;
}

export type JobsService = ReturnType<typeof jobsService>;

export function jobsService(deps: CiDependencies) {
  const { db } = deps;

  /** Runs the work with the job and its pipeline locked. */
  async function locked<T>(
    job: Pick<Job, 'id' | 'pipeline_id'>,
    work: (tx: Db, job: Job, pipeline: Pipeline) => Promise<T>,
  ): Promise<T> {
    return await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, job.pipeline_id);
      const current = pipeline && (await lockJob(tx, job.id));
      if (!pipeline || !current) throw recordNotFound();
      return await work(tx, current, pipeline);
    });
  }

  async function isArchived(pipeline: Pipeline, of: Pick<Job, 'created_at'> = pipeline): Promise<boolean> {
    return (await archivedNow(deps))(pipeline, of);
  }

  /** Whoever starts a job on a protected branch must be allowed to change it. */
  const userId = (caller: Caller): number => caller.user?.id ?? 0;

  /** What was skipped because of these jobs, or waits for one of them to be played, waits again. */
  async function resetDependents(
    tx: Db,
    pipelineId: number,
    names: ReadonlySet<string>,
    by: number | null,
  ): Promise<void> {
    const rows = await newestJobs(tx, [pipelineId]);
    const following = dependents(rows.map(waitingJob), names);
    const skipped = following.filter((job) => job.status === 'skipped').map((job) => job.id);
    await resetSkipped(tx, skipped, by);
  }

  /** The plan with values of the job's inputs; null when none are given. 400 when they do not fit. */
  function planWith(job: Job, given: JobInputs): JobPlan | null {
    if (Object.keys(given).length === 0) return null;
    const plan = job.plan as unknown as JobPlan;
    const before = plan.input_values ?? {};
    const found = jobInputValues(plan.inputs ?? [], { ...before, ...given });
    if ('errors' in found) throw plainError(400, found.errors.join(', '));
    return { ...plan, input_values: found.values };
  }

  /** Variables of a run as its job keeps them: those of the run before stay unless others of their names are given. */
  function sealedVariables(before: Buffer | null, given: readonly ManualVariable[]): Buffer | null {
    if (given.length === 0) return before;
    const all = new Map([...manualVariables(deps, before), ...given].map(({ key, value }) => [key, value]));
    const rows = [...all].map(([key, value]) => ({ key, value }));
    return deps.secrets.seal(JSON.stringify(rows), purposes.manualVariables);
  }

  /** Starts a manual or delayed job now, with variables and inputs of its own. */
  async function play(job: Job, caller: Caller, { variables, inputs }: GivenToRun): Promise<Job> {
    return await locked(job, async (tx, current, pipeline) => {
      if (!playableStatuses.has(current.status) || (await isArchived(pipeline, current)))
        throw plainError(400, '400 Bad request - Unplayable Job');
      const plan = planWith(current, inputs);
      await moveJob(tx, current.id, current.status as JobStatus, 'pending', {
        user_id: userId(caller),
        manual_variables_encrypted: sealedVariables(null, variables),
      });
      if (plan) await setPlan(tx, current.id, plan);
      await notifyPending(tx);
      await deps.announce(tx, `job:${current.id}`);
      await resetDependents(tx, pipeline.id, new Set([current.name]), userId(caller));
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return (await findJob(tx, current.project_id, current.id)) ?? current;
    });
  }

  /** Stops the timer of a delayed job: it then waits for somebody to start it. */
  async function unschedule(job: Job): Promise<Job> {
    return await locked(job, async (tx, current, pipeline) => {
      if (current.status !== 'scheduled') throw plainError(400, '400 Bad request - the job is not scheduled');
      await moveJob(tx, current.id, 'scheduled', 'manual');
      await deps.announce(tx, `job:${current.id}`);
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return (await findJob(tx, current.project_id, current.id)) ?? current;
    });
  }

  /** A new attempt that waits for a runner at once; the new job. */
  async function retry(job: Job, caller: Caller, { variables, inputs }: GivenToRun): Promise<Job> {
    return await locked(job, async (tx, current, pipeline) => {
      if (current.retried || !retryableStatuses.has(current.status) || (await isArchived(pipeline, current)))
        throw forbidden('Job is not retryable');
      const plan = planWith(current, inputs);
      const sealed = sealedVariables(current.manual_variables_encrypted, variables);
      const next = { ...current, manual_variables_encrypted: sealed };
      const again = await cloneJob(tx, next, { userId: userId(caller), attempt: 0 });
      if (plan) await setPlan(tx, again.id, plan);
      await moveJob(tx, again.id, 'created', 'pending');
      await notifyPending(tx);
      await resetDependents(tx, pipeline.id, new Set([current.name]), userId(caller));
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return (await findJob(tx, again.project_id, again.id)) ?? again;
    });
  }

  async function cancel(job: Job, caller: Caller, force: boolean): Promise<Job> {
    return await locked(job, async (tx, current, pipeline) => {
      const stops = force && current.status === 'canceling';
      if (stops || cancelableStatuses.has(current.status)) {
        await cancelOne(deps, tx, current, userId(caller), force);
        await processPipeline(deps, tx, pipeline.id, pipeline);
      }
      return (await findJob(tx, current.project_id, current.id)) ?? current;
    });
  }

  /** New attempts of what failed or was canceled; skipped jobs wait again. */
  async function retryAll(pipelineId: number, caller: Caller): Promise<void> {
    await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, pipelineId);
      if (!pipeline) throw recordNotFound();
      if (await isArchived(pipeline)) throw forbidden();
      const jobs = await jobsInStatuses(tx, pipelineId, ['failed', 'canceled']);
      const names = new Set<string>();
      for (const job of jobs) {
        await cloneJob(tx, job, { userId: userId(caller), attempt: 0 });
        names.add(job.name);
      }
      await resetDependents(tx, pipelineId, names, userId(caller));
      await processPipeline(deps, tx, pipelineId, pipeline);
    });
  }

  /** Removes log and artifacts of a job that has ended. */
  async function erase(job: Job, caller: Caller): Promise<Job> {
    return await locked(job, async (tx, current) => {
      const ended = nextJobStatus(current.status as JobStatus, 'drop') === null;
      if (!ended || executingStatuses.has(current.status) || current.erased_at !== null)
        throw forbidden('Job is not erasable!');
      await deleteArtifactsOf(tx, current.id);
      await deleteTrace(tx, current);
      return await markErased(tx, current.id, userId(caller));
    });
  }

  return { play, unschedule, retry, cancel, retryAll, erase, resetDependents };
}
