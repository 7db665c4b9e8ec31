/** Runs the jobs of a plan one after the other on this machine, in the order that stages and needs ask for. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan, PlanJob } from '@millrace/ci-config';
import type { WorkTree } from '@millrace/git';
import { type ExecutorName, runJobLocally } from '@millrace/runner';
import { CiError, type LocalPipeline } from './event.ts';
import { dependenciesOf, payloadOf } from './payload.ts';

type Outcome = 'success' | 'failed' | 'warning' | 'skipped' | 'manual';

export interface RunOptions {
  /** Jobs to run with all that they need; all without it. */
  readonly only: readonly string[];
  readonly executor: ExecutorName;
  readonly path: string | undefined;
  output(chunk: Buffer): void;
  say(line: string): void;
}

/** What a job waits for. */
const before = (job: PlanJob, plan: Plan): PlanJob[] =>
  plan.jobs.filter((other) =>
    job.needs === null ? other.stageIndex < job.stageIndex : job.needs.some((need) => need.job === other.name),
  );

/** In an order in which each comes after what it waits for. */
function orderOf(plan: Plan, only: readonly string[]): PlanJob[] {
  const done = new Set<PlanJob>();
  const visit = (job: PlanJob): void => {
    if (done.has(job)) return;
    for (const other of before(job, plan)) visit(other);
    done.add(job);
  };
  for (const name of only) {
    const named = plan.jobs.filter(
      (job) => job.name === name || job.name.startsWith(`${name} `) || job.name.startsWith(`${name}: [`),
    );
    if (named.length === 0)
      throw new CiError(`the pipeline has no job ${name}; millrace ci list shows those that it has`);
    // A job that is named runs with what it needs, not with all stages before it.
    for (const job of named) {
      if (job.needs !== null) visit(job);
      done.add(job);
    }
  }
  if (only.length === 0) for (const job of plan.jobs) visit(job);
  return [...done];
}

function mayStart(job: PlanJob, plan: Plan, outcomes: ReadonlyMap<string, Outcome>): boolean {
  const waited = before(job, plan).map(({ name }) => outcomes.get(name));
  const failed = waited.some((outcome) => outcome === 'failed');
  if (job.when === 'always') return true;
  if (job.when === 'on_failure') return failed;
  return !failed && !waited.includes('skipped');
}

/** How each job ended, by name. */
export async function runPlan(
  tree: WorkTree,
  pipeline: LocalPipeline,
  plan: Plan,
  options: RunOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  const order = orderOf(plan, options.only);
  const snapshot = await tree.snapshot(pipeline.ref);
  const workDir = await mkdtemp(join(tmpdir(), 'millrace-run-'));
  const outcomes = new Map<string, Outcome>();
  const archives = new Map<string, number>();
  const archive = (id: number) => join(workDir, `archive-${id}.zip`);
  try {
    for (const [index, job] of order.entries()) {
      const named = options.only.includes(job.name);
      if (job.when === 'manual' && !named) outcomes.set(job.name, 'manual');
      else if (job.trigger || job.upstream !== null || !mayStart(job, plan, outcomes))
        outcomes.set(job.name, 'skipped');
      else {
        const id = index + 1;
        options.say(`=== ${job.name} (${job.stage})`);
        const payload = payloadOf(job, id, { pipeline, snapshot, archives }, dependenciesOf(job, plan));
        const result = await runJobLocally(
          payload,
          options.executor,
          {
            output: options.output,
            artifact: async (upload) => {
              await copyFile(upload.file, archive(id));
              archives.set(job.name, id);
            },
            dependency: async (dependency) => archive(dependency.id),
          },
          { workDir, ...(options.path === undefined ? {} : { path: options.path }) },
        );
        const exit = result.state === 'failed' ? result.exitCode : undefined;
        const allowed = job.allowFailure || (exit !== undefined && job.allowFailureExitCodes.includes(exit));
        outcomes.set(job.name, result.state === 'success' ? 'success' : allowed ? 'warning' : 'failed');
      }
    }
  } finally {
    await snapshot.remove();
    await rm(workDir, { recursive: true, force: true });
  }
  return outcomes;
}
