/** The runner protocol's shapes, as official runners and the server exchange them. */

export type JobVariable = {
  key: string;
  value: string;
  public?: boolean;
  masked?: boolean;
  file?: boolean;
  raw?: boolean;
};

export type JobStep = {
  name: string;
  script: string[];
  timeout?: number;
  when?: string;
  allow_failure?: boolean;
};

export type JobArtifact = {
  name?: string | null;
  untracked?: boolean | null;
  paths?: string[] | null;
  exclude?: string[] | null;
  when?: string | null;
  expire_in?: string | null;
  artifact_type?: string | null;
  artifact_format?: string | null;
};

export type JobCache = {
  key?: string | null;
  untracked?: boolean | null;
  paths?: string[] | null;
  policy?: string | null;
  when?: string | null;
  fallback_keys?: string[] | null;
};

export type JobDependency = {
  id: number;
  name: string;
  token: string;
  artifacts_file?: { filename?: string | null; size?: number | null } | null;
};

/** A container image and what a job wants of it. */
export type JobImage = {
  name?: string | null;
  entrypoint?: string[] | null;
  pull_policy?: string[] | null;
  executor_opts?: { docker?: { user?: string; platform?: string } | null } | null;
};

/** A container beside the job. */
export type JobService = JobImage & {
  alias?: string | null;
  command?: string[] | null;
  variables?: JobVariable[] | null;
};

/** The part of a job payload that this runner acts on; servers send more. */
export type JobPayload = {
  id: number;
  token: string;
  allow_git_fetch?: boolean;
  job_info: { name: string; stage: string; project_id: number; project_name: string };
  git_info: {
    repo_url: string;
    ref: string;
    sha: string;
    before_sha?: string;
    ref_type?: string;
    refspecs?: string[] | null;
    /** Where the refs of the clone are after the fetch; our server says it. */
    refs?: Record<string, string>;
    depth?: number | null;
    repo_object_format?: string | null;
  };
  runner_info?: { timeout?: number | null } | null;
  variables?: JobVariable[] | null;
  steps?: JobStep[] | null;
  image?: JobImage | null;
  services?: JobService[] | null;
  credentials?: unknown[] | null;
  artifacts?: JobArtifact[] | null;
  cache?: JobCache[] | null;
  dependencies?: JobDependency[] | null;
  features?: {
    failure_reasons?: string[] | null;
    token_mask_prefixes?: string[] | null;
    /** The server keeps caches. */
    cache_store?: boolean;
    /** The server takes the end of the log with the end of the job. */
    last_piece?: boolean;
  } | null;
  hooks?: { name: string; script: string[] }[] | null;
  /** Values that `${{ job.inputs.NAME }}` stands for. */
  inputs?: JobInput[] | null;
  /** Steps instead of a script: a list as JSON. */
  run?: string | null;
};

export type JobInput = { key: string; value: { type: string; content: unknown; sensitive?: boolean } };

export type FailureReason =
  | 'script_failure'
  | 'runner_system_failure'
  | 'job_execution_timeout'
  | 'job_canceled'
  | 'image_pull_failure';

/** How a job ended; `exitCode` is the script's, where a script ended it. */
export type JobResult =
  | { state: 'success' }
  | { state: 'failed'; reason: FailureReason; message: string; exitCode?: number };

/** Names and version that the runner announces with each request. */
export const RUNNER_NAME = 'millrace-runner';
export const RUNNER_VERSION = '0.1.0';

// The names are the official runner's; the server decides by them what it may send to us.
const FEATURES = [
  'variables',
  'artifacts',
  'cache',
  'upload_multiple_artifacts',
  'upload_raw_artifacts',
  'artifacts_exclude',
  'refspecs',
  'masking',
  'raw_variables',
  'trace_reset',
  'trace_checksum',
  'trace_size',
  'cancelable',
  'cancel_gracefully',
  'return_exit_code',
  'multi_build_steps',
  'cache_fallback_keys',
  'job_inputs',
  'pre_get_sources_script',
  'token_mask_prefixes',
] as const; // prettier-ignore
/** Where jobs can run in images. */
const OF_IMAGES = [
  'image',
  'services',
  'service_variables',
  'service_multiple_aliases',
  'image_executor_opts',
  'service_executor_opts',
] as const; // prettier-ignore
/** Where a shell can be opened beside the job. */
const OF_TERMINALS = ['session', 'terminal'] as const;
const ABSENT = ['shared', 'proxy', 'vault_secrets', 'native_steps_integration'] as const; // prettier-ignore

/** The `info` object of jobs/request and PUT /jobs/:id. */
export function runnerInfo(executor: string, { hasImages = false, hasTerminals = false }): Record<string, unknown> {
  const features = Object.fromEntries([
    ...FEATURES.map((name) => [name, true] as const),
    ...OF_IMAGES.map((name) => [name, hasImages] as const),
    ...OF_TERMINALS.map((name) => [name, hasTerminals] as const),
    ...ABSENT.map((name) => [name, false] as const),
  ]);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return {
    name: RUNNER_NAME,
    version: RUNNER_VERSION,
    revision: RUNNER_VERSION,
    platform: process.platform,
    architecture,
    executor,
    shell: 'bash',
    features,
    config: { gpus: '' },
  };
}
