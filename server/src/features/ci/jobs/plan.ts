/** What a job is to do, as it is stored with its row when the pipeline is made: the runtime sees only this. */
import type { InputDeclaration, RunStep } from '@millrace/ci-config';

interface PlanVariable {
  readonly key: string;
  readonly value: string;
  readonly raw: boolean;
}

interface PlanImage {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly pull_policy: readonly string[] | null;
  readonly executor_opts: Readonly<Record<string, unknown>>;
}

export interface PlanArtifacts {
  readonly name: string | null;
  readonly untracked: boolean;
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly when: 'on_success' | 'on_failure' | 'always';
  readonly expire_in: string | null;
  /** `none`: only people with access to the project's artifacts by role. */
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Text of the link to them in the merge request; absent where there is none. */
  readonly expose_as?: string;
  readonly reports: Readonly<Record<string, readonly string[]>>;
}

export interface PlanCache {
  readonly key: string;
  readonly untracked: boolean;
  readonly paths: readonly string[];
  /** `pull-push`, `pull`, `push`, or a variable that the runner expands. */
  readonly policy: string;
  readonly when: string;
  readonly fallback_keys: readonly string[];
  /** Shared between protected and other refs. */
  readonly unprotect: boolean;
}

interface PlanRetry {
  readonly max: number;
  /** Failure reasons; `always` stands for all, and so does an empty list without exit codes. */
  readonly when: readonly string[];
  readonly exit_codes: readonly number[];
}

export interface PlanNeed {
  readonly name: string;
  readonly artifacts: boolean;
}

/** What is published at a tag when the script has succeeded; the job's shell replaces variables in it. */
export interface PlanRelease {
  readonly tag_name: string;
  readonly tag_message: string | null;
  readonly name: string | null;
  readonly description: string;
  readonly ref: string | null;
  readonly released_at: string | null;
  readonly milestones: readonly string[];
  readonly links: ReadonlyArray<{
    readonly name: string;
    readonly url: string;
    readonly filepath: string | null;
    readonly link_type: string | null;
  }>;
}

/** The pipeline that a trigger job starts. */
export interface PlanTrigger {
  /** Of another project; variables are expanded when the job starts. */
  readonly project: string | null;
  readonly branch: string | null;
  /** What the configuration of a child pipeline includes. */
  readonly include: ReadonlyArray<Readonly<Record<string, unknown>>> | null;
  /** Whether the job ends as the pipeline does. */
  readonly strategy: 'depend' | 'mirror' | null;
  readonly forward: { readonly yamlVariables: boolean; readonly pipelineVariables: boolean };
  readonly inputs: Readonly<Record<string, unknown>> | null;
}

/** A job of another pipeline whose artifacts are fetched; variables are expanded when the job starts. */
export type PlanNeedElsewhere =
  | { readonly kind: 'project'; readonly project: string; readonly ref: string; readonly job: string }
  | { readonly kind: 'pipeline'; readonly pipeline: string; readonly job: string };

/** What the job does with its environment, whose name is a column of the job. */
export interface PlanEnvironment {
  readonly action: 'start' | 'prepare' | 'verify' | 'access' | 'stop';
  /** Variables are expanded when the job starts, and those that it reports when it has ended. */
  readonly url: string | null;
  /** Name of the job that stops it. */
  readonly on_stop: string | null;
  /** 0 for never; null where the job does not say. */
  readonly auto_stop_in_seconds: number | null;
  readonly tier: string | null;
  readonly kubernetes?: { readonly namespace: string | null; readonly flux_resource_path: string | null };
}

/** An ID token that the job gets as a variable. */
export interface PlanIdToken {
  readonly name: string;
  readonly audience: readonly string[];
}

/** A value that the runner fetches from a store of secrets. */
export interface PlanSecret {
  readonly name: string;
  readonly provider: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly file: boolean;
  readonly token: string | null;
}

export interface JobPlan {
  readonly script: readonly string[];
  readonly after_script: readonly string[];
  readonly variables: readonly PlanVariable[];
  readonly image: PlanImage | null;
  readonly services: readonly unknown[];
  readonly artifacts: PlanArtifacts | null;
  readonly cache: readonly PlanCache[];
  /** Names of jobs whose artifacts it gets; null: all of the stages before, or of its needs. */
  readonly dependencies: readonly string[] | null;
  readonly retry: PlanRetry | null;
  readonly timeout_seconds: number | null;
  /** Regular expression that finds the coverage in the log. */
  readonly coverage: string | null;
  readonly start_in_seconds: number | null;
  /** Exit codes with which it may fail; null when they do not matter. */
  readonly allow_failure_exit_codes: readonly number[] | null;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly hooks: ReadonlyArray<{ readonly name: string; readonly script: readonly string[] }>;
  /** Jobs of before it was known have none. */
  readonly release?: PlanRelease | null;
  readonly environment?: PlanEnvironment;
  /** Only of trigger jobs. */
  readonly trigger?: PlanTrigger;
  /** Why its last attempt could create no pipeline. */
  readonly downstream_errors?: readonly string[];
  readonly needs_elsewhere?: readonly PlanNeedElsewhere[];
  /** Path of the project whose latest pipeline says how the job ends; variables are expanded when the job starts. */
  readonly upstream?: string;
  /** Steps instead of a script. */
  readonly run?: readonly RunStep[];
  readonly id_tokens?: readonly PlanIdToken[];
  readonly secrets?: readonly PlanSecret[];
  readonly inputs?: readonly InputDeclaration[];
  /** Values of `inputs` that somebody gave when starting the job. */
  readonly input_values?: Readonly<Record<string, unknown>>;
  /** What people are asked before they start the job. */
  readonly manual_confirmation?: string;
}

/** Failures after which another attempt would fail in the same way, or is not wanted: `retry` does not count for them. */
const notRetried: ReadonlySet<string> = new Set([
  'trace_size_exceeded',
  'user_blocked',
  'ci_quota_exceeded',
  'project_deleted',
  'no_matching_runner',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'failed_outdated_deployment_job',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'archived_failure',
]);
/** Attempts that follow where the job says nothing of this failure: it is none of its own. */
const unaskedRetries: Readonly<Record<string, number>> = { scheduler_failure: 2 };

/**
 * What a failure that the server itself noticed is called beside its reason, by the status that the job was in: newer
 * configurations name these. Whether a runner would have matched a job that none took is not asked.
 */
const noticedNames: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  stuck_or_timeout_failure: {
    pending: ['stuck_pending_with_matching_runners', 'stuck_pending_no_matching_runners'],
    running: ['no_updates_running'],
    canceling: ['no_updates_canceling'],
  },
  job_execution_timeout: {
    running: ['job_execution_server_timeout', 'server_timeout_running'],
    canceling: ['job_execution_server_timeout', 'server_timeout_canceling'],
  },
};

/** All that `retry:when` may call a failure that the server noticed. */
export const noticedAs = (reason: string, status: string): readonly string[] => [
  reason,
  ...(noticedNames[reason]?.[status] ?? []),
];

/** Whether an attempt that failed is followed by another one by itself. `names`: its reason, then what it is called else. */
export function retriesAfter(
  plan: JobPlan,
  attempt: number,
  names: readonly string[],
  exitCode: number | null,
): boolean {
  if (names.some((name) => notRetried.has(name))) return false;
  const { max, when, exit_codes: codes } = plan.retry ?? { max: 0, when: [], exit_codes: [] };
  const any = when.length === 0 && codes.length === 0;
  const asked =
    any ||
    when.includes('always') ||
    names.some((name) => when.includes(name)) ||
    (exitCode !== null && codes.includes(exitCode));
  return attempt < (plan.retry && asked ? max : (unaskedRetries[names[0] ?? ''] ?? 0));
}
