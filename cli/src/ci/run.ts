/** Runs the jobs of a plan one after the other on this machine, in the order that stages and needs ask for. */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  expandVariables,
  formatLocated,
  groupName,
  type Plan,
  type PlanJob,
  parseDotenv,
  type Variable,
} from '@millrace/ci-config';
import type { WorkTree, WorkTreeSnapshot } from '@millrace/git/work-tree';
import { type ExecutorName, extractZip, type JobResult, runJobLocally } from '@millrace/runner';
import { byStage, CiError, compileLocally, type LocalPipeline } from './event.ts';
import { dependenciesOf, payloadOf } from './payload.ts';

export interface Outcome {
  /** `elsewhere`: what no machine alone can run. */
  readonly state: 'success' | 'failed' | 'warning' | 'skipped' | 'manual' | 'elsewhere' | 'canceled';
  /** Why, where that is not clear. */
  readonly note?: string;
}

export interface RunOptions {
  /** Jobs to run with all that they need; all without it. */
  readonly only: readonly string[];
  /** Stages whose jobs are run with all that these need. */
  readonly stages: readonly string[];
  readonly executor: ExecutorName;
  readonly path: string | undefined;
  /** Ends the job that runs, and leaves the others. */
  readonly interrupted: AbortSignal;
  output(chunk: Buffer): void;
  say(line: string): void;
}

/** What one run has, children included. */
interface Run extends RunOptions {
  readonly tree: WorkTree;
  readonly snapshot: WorkTreeSnapshot;
  readonly workDir: string;
  readonly outcomes: Map<string, Outcome>;
  nextId: number;
}

/** One pipeline of a run. */
interface Running {
  readonly pipeline: LocalPipeline;
  readonly plan: Plan;
  /** In front of the names of a child's jobs. */
  readonly prefix: string;
  readonly depth: number;
  readonly archives: Map<string, number>;
  readonly reported: Map<string, readonly Variable[]>;
}

/** Children of children: how deep, as on the server. */
const deepestChild = 2;
/** As on the server, until somebody changes it there. */
const dotenvLimits = { bytes: 5120, variables: 150 };

/** What a job waits for. */
const before = (job: PlanJob, plan: Plan): PlanJob[] =>
  plan.jobs.filter((other) =>
    job.needs === null ? other.stageIndex < job.stageIndex : job.needs.some((need) => need.job === other.name),
  );

/** In an order in which each comes after what it waits for. */
function orderOf(plan: Plan, { only, stages }: Pick<RunOptions, 'only' | 'stages'>): PlanJob[] {
  const done = new Set<PlanJob>();
  const visit = (job: PlanJob): void => {
    if (done.has(job)) return;
    for (const other of before(job, plan)) visit(other);
    done.add(job);
  };
  // What is named runs with what it needs, not with all stages before it.
  const visitAlone = (job: PlanJob): void => {
    if (job.needs === null) done.add(job);
    else visit(job);
  };
  for (const stage of stages) {
    const those = plan.jobs.filter((job) => job.stage === stage);
    if (those.length === 0)
      throw new CiError(`no job of the pipeline is in a stage ${stage}; it has ${plan.stages.join(', ')}`);
    for (const job of those) visitAlone(job);
  }
  for (const name of only) {
    const named = plan.jobs.filter((job) => isNamed(job, [name]));
    if (named.length === 0)
      throw new CiError(`the pipeline has no job ${name}; millrace ci list shows those that it has`);
    for (const job of named) visitAlone(job);
  }
  if (only.length === 0 && stages.length === 0) for (const job of byStage(plan)) visit(job);
  return [...done];
}

const isNamed = (job: PlanJob, names: readonly string[]): boolean =>
  names.includes(job.name) || names.includes(groupName(job.name));

/** Why a job does not run; null when it does. */
function heldBack(job: PlanJob, plan: Plan, outcomeOf: (name: string) => Outcome | undefined): Outcome | null {
  const waited = before(job, plan).map((other) => ({ other, state: outcomeOf(other.name)?.state }));
  const failed = waited.find(({ state }) => state === 'failed');
  if (job.when === 'always') return null;
  if (job.when === 'on_failure') return failed ? null : { state: 'skipped', note: 'runs only after a failure' };
  if (failed) return { state: 'skipped', note: `${failed.other.name} failed` };
  // As on the server: what was skipped matters to jobs that need it, and not to later stages.
  const skipped = job.needs !== null && waited.find(({ state }) => state === 'skipped');
  if (skipped) return { state: 'skipped', note: `${skipped.other.name} was skipped` };
  const manual = waited.find(({ other, state }) => state === 'manual' && (job.needs !== null || !other.allowFailure));
  return manual ? { state: 'skipped', note: `waits for the manual job ${manual.other.name}` } : null;
}

const archiveOf = (run: Run, id: number): string => join(run.workDir, `archive-${id}.zip`);

/** A file of what a job has left. */
async function fileOf(run: Run, { archives }: Running, job: string, path: string): Promise<string | null> {
  const id = archives.get(job);
  if (id === undefined || path.split('/').includes('..')) return null;
  const folder = await mkdtemp(join(run.workDir, 'unpacked-'));
  await extractZip(archiveOf(run, id), folder, undefined);
  return await readFile(join(folder, path), 'utf8').catch(() => null);
}

/** The variables that a job hands to the pipeline that it starts. */
function forwarded(job: PlanJob, { pipeline }: Running): Variable[] {
  const { forward } = job.trigger ?? {};
  const scope = [...pipeline.predefined, ...job.variables, ...pipeline.given];
  return [
    ...(forward?.yamlVariables ? job.variables : []).map(({ key, value, raw }) => ({
      key,
      value: raw ? value : expandVariables(value, scope),
      raw: true,
    })),
    ...(forward?.pipelineVariables ? pipeline.given : []),
  ];
}

/** A job that starts another pipeline: one of the checkout's own files runs here. */
async function runBridge(run: Run, running: Running, job: PlanJob): Promise<Outcome> {
  const { trigger } = job;
  if (!trigger?.include) {
    const note = trigger ? `starts a pipeline of ${trigger.project}` : `follows a pipeline of ${job.upstream}`;
    return { state: 'elsewhere', note };
  }
  const name = `${running.prefix}${job.name}`;
  if (running.depth >= deepestChild) return { state: 'failed', note: `children are at most ${deepestChild} deep` };
  const pipeline = await compileLocally(
    run.tree,
    {
      ref: running.pipeline.ref,
      variables: [],
      inputs: [],
      ...(running.pipeline.tag && { tag: running.pipeline.ref }),
    },
    {
      include: trigger.include,
      variables: forwarded(job, running),
      artifact: (from, path) => fileOf(run, running, from, path),
    },
  );
  const { result } = pipeline;
  if (!result.ok) return { state: 'failed', note: result.errors.map(formatLocated).join('; ') };
  run.say(`=== ${name} (${job.stage}): a pipeline of ${result.plan.jobs.length} jobs`);
  const failed = await runJobs(run, {
    pipeline,
    plan: result.plan,
    prefix: `${name} > `,
    depth: running.depth + 1,
    archives: new Map(),
    reported: new Map(),
  });
  // Otherwise it is enough that the pipeline was created.
  if (!failed || trigger.strategy === null) return { state: 'success' };
  return { state: job.allowFailure ? 'warning' : 'failed', note: 'a job of its pipeline failed' };
}

function outcomeOf(job: PlanJob, result: JobResult, run: Run): Outcome {
  if (result.state === 'success') return { state: 'success' };
  if (run.interrupted.aborted) return { state: 'canceled' };
  const { exitCode, message } = result;
  const allowed = job.allowFailure || (exitCode !== undefined && job.allowFailureExitCodes.includes(exitCode));
  return { state: allowed ? 'warning' : 'failed', note: message };
}

async function runScript(run: Run, running: Running, job: PlanJob): Promise<Outcome> {
  const id = run.nextId++;
  const { archives, reported } = running;
  run.say(`=== ${running.prefix}${job.name} (${job.stage})`);
  const { pipeline, plan } = running;
  const payload = payloadOf(
    job,
    id,
    { pipeline, snapshot: run.snapshot, archives, reported },
    dependenciesOf(job, plan),
  );
  let wrong: string | null = null;
  const result = await runJobLocally(
    payload,
    run.executor,
    {
      output: run.output,
      artifact: async (upload) => {
        if (upload.type !== 'dotenv') {
          await copyFile(upload.file, archiveOf(run, id));
          archives.set(job.name, id);
          return;
        }
        const text = (await promisify(gunzip)(await readFile(upload.file))).toString();
        const parsed = parseDotenv(text, dotenvLimits);
        if (parsed.ok) reported.set(job.name, parsed.variables);
        else wrong = `the dotenv report is refused: ${parsed.reason}`;
      },
      dependency: async (dependency) => archiveOf(run, dependency.id),
    },
    {
      workDir: run.workDir,
      signal: run.interrupted,
      ...(run.path === undefined ? {} : { path: run.path }),
    },
  );
  if (wrong !== null && result.state === 'success')
    return { state: job.allowFailure ? 'warning' : 'failed', note: wrong };
  return outcomeOf(job, result, run);
}

/** Whether a job failed that may not. */
async function runJobs(run: Run, running: Running): Promise<boolean> {
  const { plan, prefix } = running;
  const chosen = prefix === '' ? run : { only: [], stages: [] };
  const known = (name: string) => run.outcomes.get(`${prefix}${name}`);
  let failed = false;
  for (const job of orderOf(plan, chosen)) {
    const named = isNamed(job, chosen.only);
    const outcome = async (): Promise<Outcome> => {
      if (run.interrupted.aborted) return { state: 'canceled' };
      const held = named ? null : heldBack(job, plan, known);
      if (held) return held;
      if (job.when === 'manual' && !named)
        return { state: 'manual', note: prefix === '' ? `--job ${JSON.stringify(job.name)} runs it` : 'of a child' };
      if (job.trigger || job.upstream !== null) return await runBridge(run, running, job);
      return await runScript(run, running, job);
    };
    // A child's job comes after the one that starts it.
    run.outcomes.set(`${prefix}${job.name}`, { state: 'skipped' });
    const ended = await outcome();
    run.outcomes.set(`${prefix}${job.name}`, ended);
    failed ||= ended.state === 'failed' || ended.state === 'canceled';
  }
  return failed;
}

/** How each job ended, by name. */
export async function runPlan(
  tree: WorkTree,
  pipeline: LocalPipeline,
  plan: Plan,
  options: RunOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  orderOf(plan, options);
  const snapshot = await tree.snapshot(pipeline.ref);
  const workDir = await mkdtemp(join(tmpdir(), 'millrace-run-'));
  const run: Run = { ...options, tree, snapshot, workDir, outcomes: new Map(), nextId: 1 };
  const first = { pipeline, plan, prefix: '', depth: 0, archives: new Map(), reported: new Map() };
  try {
    await runJobs(run, first);
  } finally {
    await snapshot.remove();
    await rm(workDir, { recursive: true, force: true });
  }
  return run.outcomes;
}
