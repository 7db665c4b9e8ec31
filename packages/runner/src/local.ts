/** Jobs without a server, for trying a pipeline on a laptop: same stages, same executors. */
import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ArtifactUpload } from './client.ts';
import { JobFailure } from './errors.ts';
import { chooseExecutor, type ExecutorName } from './executors/choose.ts';
import type { Executor } from './executors/types.ts';
import { runJob } from './job.ts';
import type { JobDependency, JobPayload, JobResult } from './protocol.ts';
import { DEFAULT_PATH } from './runner.ts';
import { secretsOf } from './secrets.ts';
import { createMasker } from './trace/masker.ts';
import { removedEnded } from './workspace.ts';

export type LocalSink = {
  /** The job's log, secrets masked. */
  output(chunk: Buffer): void;
  /** Takes a packed artifact; the file is gone afterwards. Without it artifacts are dropped. */
  artifact?(upload: ArtifactUpload): Promise<void>;
  /** The file that holds a dependency's archive. Without it jobs with dependencies fail. */
  dependency?(dependency: JobDependency): Promise<string>;
};

export type LocalOptions = {
  workDir: string;
  /** Must differ between jobs that run at the same time. Default `local`. */
  slot?: string;
  path?: string;
  /** Ends the job at once. */
  signal?: AbortSignal;
};

/** Runs one job as the current user and resolves with its result. The repository is fetched from `git_info.repo_url`. */
export async function runJobLocally(
  job: JobPayload,
  executor: Executor | ExecutorName,
  sink: LocalSink,
  options: LocalOptions,
): Promise<JobResult> {
  const path = options.path ?? DEFAULT_PATH;
  const account = undefined;
  // The images are the person's own: there are no others whose passwords could have pulled them.
  const containers = { pullPolicies: ['if-not-present' as const, 'always' as const, 'never' as const] };
  const masker = createMasker(secretsOf(job), job.features?.token_mask_prefixes ?? []);
  const result = await runJob({
    job,
    executor:
      typeof executor === 'string'
        ? await chooseExecutor(executor, { hidden: [], path, account, containers })
        : executor,
    account,
    workDir: resolve(options.workDir),
    slot: options.slot ?? 'local',
    path,
    output: (chunk) => sink.output(masker.push(chunk)),
    abort: options.signal ?? new AbortController().signal,
    cancel: new AbortController().signal,
    services: {
      upload: async (upload) => await sink.artifact?.(upload),
      download: async (dependency, target) => {
        if (!sink.dependency)
          throw new JobFailure('runner_system_failure', `no artifacts of ${dependency.name} are here`);
        await copyFile(await sink.dependency(dependency), target);
      },
    },
  });
  sink.output(masker.end());
  await removedEnded();
  return result;
}
