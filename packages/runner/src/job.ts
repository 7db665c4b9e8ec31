/** One job from its payload to its result: the stages, in the order and with the rules of official runners. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { extractZip } from './archive/extract.ts';
import { artifactsFor, uploadArtifact } from './artifacts.ts';
import { type CacheStore, cachesToRestore, cachesToSave, restoreCache, saveCache } from './cache.ts';
import type { ArtifactUpload } from './client.ts';
import { JobFailure, messageOf } from './errors.ts';
import type { Account, Executor, Sandbox, Stage } from './executors/types.ts';
import { resolveJob } from './inputs.ts';
import { type JobLimits, watchLimits } from './limits.ts';
import { type Author, createJobLog, type JobLog } from './log.ts';
import {
  type JobDependency,
  type JobPayload,
  type JobResult,
  type JobStep,
  RUNNER_NAME,
  RUNNER_VERSION,
} from './protocol.ts';
import { notedCommand, type ReleaseRequest, releaseRequest, releaseTool } from './release.ts';
import { gitEnvironment, gitHomeFiles, remoteOf, sourceCommands, strategyOf, withoutSources } from './sources.ts';
import type { Session } from './terminal/sessions.ts';
import { numberOf, resolveVariables, type Variables } from './variables.ts';
import { closeWorkspace, openWorkspace, removeLeft, type Workspace, writeForJob } from './workspace.ts';

/** Where artifacts of this and of other jobs go and come from. Failures are thrown. */
export type JobServices = {
  upload(upload: ArtifactUpload, signal: AbortSignal): Promise<void>;
  /** Puts the dependency's archive into the file `target`. */
  download(dependency: JobDependency, target: string, signal: AbortSignal): Promise<void>;
  /** Makes a release with the job's token and answers its address; absent where there is no server to ask. */
  release?(request: ReleaseRequest, signal: AbortSignal): Promise<string>;
};

export type JobOptions = {
  job: JobPayload;
  executor: Executor;
  account: Account | undefined;
  workDir: string;
  /** Names the slot's directories; jobs with the same slot never run at the same time. */
  slot: string;
  /** What jobs may see of the runner's token. */
  runnerShortToken?: string | undefined;
  /** PATH of the job's commands. */
  path: string;
  /** Scheme, host and port under which this runner reaches repositories, if it is not what the payload says. */
  cloneUrl?: string | undefined;
  limits?: JobLimits | undefined;
  services: JobServices;
  /** Where caches are kept, if not in a folder of this machine. */
  caches?: CacheStore | undefined;
  /** Through which people open terminals while the script runs. */
  session?: Session | undefined;
  output(chunk: Buffer, author: Author): void;
  /** Ends the job at once; its reason may be a JobFailure. */
  abort: AbortSignal;
  /** Ends the script; after_script and the rest still run. */
  cancel: AbortSignal;
};

/** Default and largest duration of a job without a timeout of its own, in seconds. */
const DEFAULT_TIMEOUT = 3600;
const AFTER_SCRIPT_TIMEOUT = 300_000;
/** How long a job that is done waits for people to close their terminals. */
const TERMINAL_TIMEOUT = 30 * 60_000;
const PATIENCE_FOR_GIT_OUTPUT = 64 * 1024 * 1024;

type Run = JobOptions & {
  log: JobLog;
  workspace: Workspace;
  variables: Variables;
  sandbox: Sandbox;
  environment: Record<string, string>;
  /** Everything that ends the job at once, the timeout included. */
  end: AbortSignal;
};

/** Runs a job to its end; never rejects. When it resolves, no process of the job is left, and its private files are where none comes. */
export async function runJob(options: JobOptions): Promise<JobResult> {
  const log = createJobLog(options.output);
  const seconds = options.job.runner_info?.timeout || DEFAULT_TIMEOUT;
  const timeout = new AbortController();
  const timer = setTimeout(
    () => {
      const message = `execution took longer than ${seconds} seconds`;
      timeout.abort(new JobFailure('job_execution_timeout', message));
    },
    Math.min(seconds * 1000, 2 ** 31 - 1),
  );
  try {
    const limit = new AbortController();
    const end = AbortSignal.any([options.abort, timeout.signal, limit.signal]);
    log.line(`Running with ${RUNNER_NAME} ${RUNNER_VERSION} on ${hostname()}`);
    const result = await inWorkspace(options, log, end, (why) => limit.abort(why));
    if (result.state === 'success') log.good('Job succeeded');
    else log.bad(`ERROR: Job failed: ${result.message}`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

async function inWorkspace(
  given: JobOptions,
  log: JobLog,
  end: AbortSignal,
  exceeded: (why: JobFailure) => void,
): Promise<JobResult> {
  let unwatch = () => {};
  let workspace: Workspace | undefined;
  let sandbox: Sandbox | undefined;
  let result: JobResult;
  let options = given;
  // The clock of files is a little behind.
  const begun = Date.now() - 1000;
  try {
    options = { ...given, job: resolveJob(given.job) };
    const run = await log.section('prepare_executor', 'Preparing the executor', async () => {
      const reuse = ['fetch', 'none'].includes(strategyOf(options.job, (name) => rawVariable(options.job, name)));
      workspace = await openWorkspace({ ...options, reuse });
      sandbox = await options.executor.open(workspace, options.account, options.job);
      log.line(`Using the ${sandbox.name} executor`);
      const { limits = {} } = options;
      const opened = sandbox;
      const memoryBytes = opened.memoryBytes && (() => opened.memoryBytes?.(limits.memoryBytes ?? 0) ?? 0);
      const directories = [workspace.workspace, workspace.private];
      unwatch = watchLimits({ limits, directories, memoryBytes }, exceeded);
      // A job before this one may have left something that waited.
      await sandbox.settle();
      const prepared = prepare({ ...options, log, workspace, sandbox, end });
      await sandbox.start?.({
        get: prepared.variables.get,
        variables: prepared.variables.environment,
        say: log.line,
        warn: log.warn,
        signal: AbortSignal.any([end, options.cancel]),
      });
      return prepared;
    });
    result = await stages(run);
  } catch (error) {
    result = resultOf(error, options.abort, end);
  }
  unwatch();
  try {
    await log.section('cleanup_file_variables', 'Cleaning up project directory and file based variables', async () => {
      try {
        await sandbox?.settle();
      } finally {
        await sandbox?.close?.();
      }
      await removeLeft(options.account, begun);
      if (workspace) await closeWorkspace(workspace);
    });
  } catch (error) {
    log.warn(`WARNING: cleaning up failed: ${messageOf(error)}`);
  }
  return result;
}

function rawVariable(job: JobPayload, name: string): string | undefined {
  return job.variables?.findLast((variable) => variable.key === name)?.value;
}

function prepare(run: Omit<Run, 'variables' | 'environment'>): Run {
  const { job, workspace, account } = run;
  const own = {
    CI_PROJECT_DIR: workspace.workspace,
    CI_BUILDS_DIR: workspace.builds,
    CI_SERVER: 'yes',
    CI_CONCURRENT_ID: run.slot,
    CI_CONCURRENT_PROJECT_ID: '0',
    ...(run.runnerShortToken === undefined ? {} : { CI_RUNNER_SHORT_TOKEN: run.runnerShortToken }),
    CI_RUNNER_VERSION: RUNNER_VERSION,
    CI_RUNNER_REVISION: RUNNER_VERSION,
    CI_RUNNER_EXECUTABLE_ARCH: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    // Files outside of the project are there for the next job only where jobs run on the host.
    [run.sandbox.start ? 'CI_DISPOSABLE_ENVIRONMENT' : 'CI_SHARED_ENVIRONMENT']: 'true',
  };
  const added = Object.entries(own).map(([key, value]) => ({ key, value, raw: true }));
  const variables = resolveVariables([...(job.variables ?? []), ...added], workspace.variableFile);
  for (const [name, content] of variables.files) writeForJob(workspace.variableFile(name), content, account);
  const home = gitHomeFiles(remoteOf(job.git_info.repo_url, run.cloneUrl), workspace.home);
  for (const [name, content] of Object.entries(home)) writeForJob(`${workspace.home}/${name}`, content, account);
  const environment = {
    PATH: run.path,
    HOME: workspace.home,
    USER: 'millrace',
    LOGNAME: 'millrace',
    TMPDIR: workspace.temporary,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    CI_JOB_STATUS: 'running',
    ...variables.environment,
  };
  return { ...run, variables, environment };
}

async function stages(run: Run): Promise<JobResult> {
  const { log, job } = run;
  const steps = job.steps ?? [];
  const get = run.variables.get;
  await log.section('prepare_script', 'Preparing environment', async () => {
    log.line(`Running on ${hostname()}...`);
    if (job.image?.name && !run.sandbox.start)
      log.warn(`WARNING: the ${run.sandbox.name} executor ignores the image ${job.image.name}`);
  });
  if (run.executor.hasShell)
    await log.section('get_sources', 'Getting source from Git repository', () => getSources(run));
  const caches = {
    ...run.workspace,
    account: run.account,
    get,
    untracked: () => untracked(run),
    store: run.caches,
    end: run.end,
    say: (text: string) => log.line(text),
  };
  const restore = cachesToRestore(job.cache ?? [], get);
  if (restore.length > 0) {
    await log.section('restore_cache', 'Restoring cache', async () => {
      await run.sandbox.settle();
      for (const cache of restore) await restoreCache(cache, caches);
    });
  }
  const dependencies = (job.dependencies ?? []).filter((dependency) => dependency.artifacts_file?.filename);
  if (dependencies.length > 0)
    await log.section('download_artifacts', 'Downloading artifacts', () => download(run, dependencies));

  let result = await withTerminals(run, async () => {
    const ended = await scripts(
      run,
      steps.filter((step) => step.name !== 'after_script'),
    );
    const after = steps.find((step) => step.name === 'after_script' && step.script.length > 0);
    return after && !run.end.aborted ? await afterScript(run, after, ended) : ended;
  });
  await run.sandbox.settle();
  if (run.end.aborted) throw run.end.reason;
  const success = result.state === 'success';
  const save = cachesToSave(job.cache ?? [], success, get);
  if (save.length > 0) {
    const name = success ? 'archive_cache' : 'archive_cache_on_failure';
    await log.section(name, success ? 'Saving cache for successful job' : 'Saving cache for failed job', async () => {
      for (const cache of save) await saveCache(cache, caches);
    });
  }
  const canceled = result.state === 'failed' && result.reason === 'job_canceled';
  const artifacts = canceled ? [] : artifactsFor(job.artifacts ?? [], success);
  if (artifacts.length > 0) {
    const name = success ? 'upload_artifacts_on_success' : 'upload_artifacts_on_failure';
    await log.section(
      name,
      success ? 'Uploading artifacts for successful job' : 'Uploading artifacts for failed job',
      async () => {
        const upload = (file: ArtifactUpload) => run.services.upload(file, run.end);
        for (const [index, artifact] of artifacts.entries()) {
          try {
            await uploadArtifact(artifact, index, { ...caches, spool: run.workspace.spool, upload });
          } catch (error) {
            if (run.end.aborted) throw run.end.reason;
            log.bad(`ERROR: ${messageOf(error)}`);
            if (result.state === 'success') result = failed('script_failure', 'the artifacts could not be uploaded', 1);
          }
        }
      },
    );
  }
  return result;
}

/** Lets terminals be opened during `work`, and waits afterwards until those that are open are closed. */
async function withTerminals<T>(run: Run, work: () => Promise<T>): Promise<T> {
  const { session, sandbox, workspace } = run;
  if (!session || !sandbox.terminal) return await work();
  const open = sandbox.terminal;
  session.serve((size) => open({ ...ofScript(run, 'running'), cwd: workspace.workspace }, size));
  // Told before the script is ended: that ends the shells, too, which would not know why.
  const canceled = () => session.stop('The job was canceled');
  const ended = () => session.stop(whyOf(run.end.reason));
  run.cancel.addEventListener('abort', canceled, { once: true });
  run.end.addEventListener('abort', ended, { once: true });
  if (run.cancel.aborted) canceled();
  if (run.end.aborted) ended();
  try {
    const result = await work();
    if (session.open > 0 && !run.end.aborted && !run.cancel.aborted) {
      run.log.warn(
        `A terminal is open: the job ends when it is closed, after ${TERMINAL_TIMEOUT / 60_000} minutes at most`,
      );
      const signal = AbortSignal.any([run.end, run.cancel]);
      await Promise.race([session.idle(), sleep(TERMINAL_TIMEOUT, undefined, { signal })]).catch(() => undefined);
    }
    return result;
  } finally {
    run.cancel.removeEventListener('abort', canceled);
    run.end.removeEventListener('abort', ended);
    session.stop('The job ended');
  }
}

/** Why a job is ended at once, as people in its terminals read it. */
function whyOf(reason: unknown): string {
  if (!(reason instanceof JobFailure)) return 'The job ended';
  return reason.reason === 'job_canceled' ? 'The job was canceled' : `The job ended: ${reason.message}`;
}

function failed(
  reason: 'script_failure' | 'job_canceled' | 'job_execution_timeout',
  message: string,
  exitCode?: number,
): JobResult {
  return { state: 'failed', reason, message, ...(exitCode === undefined ? {} : { exitCode }) };
}

function resultOf(error: unknown, abort: AbortSignal, end: AbortSignal): JobResult {
  const cause: unknown = abort.aborted ? abort.reason : end.aborted ? end.reason : error;
  if (!(cause instanceof JobFailure))
    return { state: 'failed', reason: 'runner_system_failure', message: messageOf(cause) };
  const { reason, message, exitCode } = cause;
  return { state: 'failed', reason, message, ...(exitCode === undefined ? {} : { exitCode }) };
}

async function stage(
  run: Run,
  details: Partial<Stage> & Pick<Stage, 'name' | 'commands'>,
  signal: AbortSignal,
): Promise<number> {
  const { workspace, environment } = run;
  const whole = { echo: false, inImage: false, env: environment, cwd: workspace.workspace, ...details };
  const code = await run.sandbox.run(whole, run.log.raw, signal);
  if (run.end.aborted) throw run.end.reason;
  return code;
}

/** What all scripts of the job have in common. An image has an environment of its own, to which only variables are added. */
function ofScript(run: Run, status: string): Pick<Stage, 'echo' | 'inImage' | 'env'> {
  const base = run.sandbox.start ? run.variables.environment : run.environment;
  return { echo: true, inImage: true, env: { ...base, CI_JOB_STATUS: status } };
}

async function getSources(run: Run): Promise<void> {
  const { job, variables, log } = run;
  const hook = job.hooks?.find((candidate) => candidate.name === 'pre_get_sources_script');
  const remote = remoteOf(job.git_info.repo_url, run.cloneUrl);
  const env = { ...run.environment, ...gitEnvironment(remote) };
  const strategy = strategyOf(job, variables.get);
  if (hook && (await stage(run, { name: 'pre_get_sources', commands: hook.script, echo: true }, run.end)) !== 0) {
    throw new JobFailure('script_failure', 'the pre_get_sources_script failed', 1);
  }
  if (strategy === 'none' || strategy === 'empty') return void log.line(withoutSources(strategy));
  const commands = sourceCommands(job, remote, variables.get);
  const attempts = numberOf(variables.get('GET_SOURCES_ATTEMPTS'), 1, 1, 10);
  for (let attempt = 1; ; attempt++) {
    const code = await stage(run, { name: 'get_sources', commands, env }, run.end);
    if (code === 0) return;
    if (attempt >= attempts)
      throw new JobFailure('runner_system_failure', `getting the sources failed: exit status ${code}`, code);
    log.warn(`Getting the sources failed; attempt ${attempt + 1} of ${attempts}`);
  }
}

async function download(run: Run, dependencies: JobDependency[]): Promise<void> {
  const attempts = numberOf(run.variables.get('ARTIFACT_DOWNLOAD_ATTEMPTS'), 3, 1, 10);
  await run.sandbox.settle();
  for (const dependency of dependencies) {
    run.log.line(`Downloading artifacts for ${dependency.name} (${dependency.id})...`);
    const archive = `${run.workspace.spool}/dependency-${dependency.id}.zip`;
    for (let attempt = 1; ; attempt++) {
      try {
        await run.services.download(dependency, archive, run.end);
        break;
      } catch (error) {
        if (run.end.aborted) throw run.end.reason;
        run.log.warn(`WARNING: ${messageOf(error)}`);
        if (attempt >= attempts || error instanceof JobFailure) {
          throw new JobFailure('runner_system_failure', `artifacts of ${dependency.name} could not be downloaded`, 1);
        }
      }
    }
    try {
      await extractZip(archive, run.workspace.workspace, run.account);
    } catch (error) {
      throw new JobFailure('script_failure', `artifacts of ${dependency.name} were refused: ${messageOf(error)}`, 1);
    }
  }
}

async function scripts(run: Run, steps: JobStep[]): Promise<JobResult> {
  let result: JobResult = { state: 'success' };
  const limit = durationOf(run.variables.get('RUNNER_SCRIPT_TIMEOUT'));
  const timeout = limit === undefined ? undefined : AbortSignal.timeout(limit);
  for (const step of steps) {
    const wanted = step.when === 'always' || (step.when === 'on_failure') === (result.state === 'failed');
    if (!wanted || step.script.length === 0) continue;
    const name = `step_${step.name}`;
    const signal = AbortSignal.any([run.end, run.cancel, ...(timeout ? [timeout] : [])]);
    const execute = step.name === 'release' && run.services.release ? releaseStage : stage;
    const code = await run.log.section(name, `Executing "${name}" stage of the job script`, () =>
      execute(run, { ...ofScript(run, 'running'), name, commands: step.script }, signal),
    );
    if (run.cancel.aborted) return failed('job_canceled', 'canceled');
    if (timeout?.aborted)
      return failed('job_execution_timeout', `the script took longer than ${(limit ?? 0) / 1000} seconds`);
    if (code !== 0 && !step.allow_failure && result.state === 'success')
      result = failed('script_failure', `exit status ${code}`, code);
  }
  return result;
}

/** A step that makes a release, with a program of ours behind those in PATH. */
async function releaseStage(
  run: Run,
  details: Partial<Stage> & Pick<Stage, 'name' | 'commands'>,
  signal: AbortSignal,
): Promise<number> {
  const directory = `${run.workspace.temporary}/release`;
  const made = await stage(run, { name: 'release_tool', commands: releaseTool(directory) }, signal);
  if (made !== 0) return made;
  const code = await stage(run, { ...details, tools: directory }, signal);
  if (code !== 0) return code;
  // Read as the job: what lies there may be a link to anything.
  const request = releaseRequest(await printed(run, 'release_noted', notedCommand(directory)), run.job);
  if (request) run.log.line(`Release made: ${await run.services.release?.(request, signal)}`);
  return 0;
}

/** The result of the job: what goes wrong here counts where AFTER_SCRIPT_IGNORE_ERRORS says so, and nothing failed before. */
async function afterScript(run: Run, step: JobStep, result: JobResult): Promise<JobResult> {
  const { log, variables } = run;
  const status = result.state === 'success' ? 'success' : result.reason === 'job_canceled' ? 'canceled' : 'failed';
  const limit = durationOf(variables.get('RUNNER_AFTER_SCRIPT_TIMEOUT')) ?? AFTER_SCRIPT_TIMEOUT;
  const counts = result.state === 'success' && /^(f|false|0)$/i.test(variables.get('AFTER_SCRIPT_IGNORE_ERRORS') ?? '');
  const timeout = AbortSignal.timeout(limit);
  return await log.section('after_script', 'Running after_script', async () => {
    log.line('Running after script...');
    const details = { ...ofScript(run, status), name: 'after_script', commands: step.script };
    const code = await stage(run, details, AbortSignal.any([run.end, timeout]));
    if (!timeout.aborted && code === 0) return result;
    const why = timeout.aborted ? `after_script was ended after ${limit / 1000} seconds` : 'after_script failed';
    if (!counts) {
      const status = timeout.aborted ? '' : `, but job will continue unaffected: exit status ${code}`;
      log.warn(`WARNING: ${why}${status}`);
      return result;
    }
    return timeout.aborted
      ? failed('job_execution_timeout', why)
      : failed('script_failure', `${why}: exit status ${code}`, code);
  });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST = 2 ** 31 - 1;

/** Milliseconds of a duration as Go writes it (`40s`, `1h20m`); undefined for anything else. */
function durationOf(text: string | undefined): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text ?? '')) return undefined;
  const parts = [...(text ?? '').matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const sum = parts.reduce((total, [, number, unit]) => total + Number(number) * (UNITS[unit ?? ''] ?? 0), 0);
  return Math.min(Math.round(sum), LONGEST);
}

/** Paths that git does not track, asked as the job: its repository's configuration is not to be trusted. */
async function untracked(run: Run): Promise<string[]> {
  if (!run.executor.hasShell) return [];
  const text = (await printed(run, 'untracked', 'git ls-files --others -z')).toString('utf8');
  return text.split('\0').filter(Boolean);
}

/** What a command of ours prints, run as the job. */
async function printed(run: Run, name: string, command: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= PATIENCE_FOR_GIT_OUTPUT) chunks.push(chunk);
  };
  const { workspace, environment } = run;
  const details = {
    name,
    commands: [command],
    echo: false,
    inImage: false,
    env: environment,
    cwd: workspace.workspace,
  };
  const code = await run.sandbox.run(details, take, run.end);
  await run.sandbox.settle();
  if (code !== 0) throw new JobFailure('runner_system_failure', `${command.split(' ')[0]} failed in ${name}`);
  return Buffer.concat(chunks);
}
