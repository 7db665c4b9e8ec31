/** The plan: what the server needs to make a pipeline and its jobs' payloads. Plain JSON data, frozen. */
import type { Mark } from '../diagnostics.ts';
import type { InputDeclaration } from '../inputs/declarations.ts';
import type { Artifacts } from '../keywords/artifacts.ts';
import type { Environment } from '../keywords/environment.ts';
import type { Hook } from '../keywords/hooks.ts';
import type { IdToken } from '../keywords/id-tokens.ts';
import type { Image } from '../keywords/image.ts';
import type { NeedElsewhere } from '../keywords/needs.ts';
import type { Release } from '../keywords/release.ts';
import type { Retry } from '../keywords/retry.ts';
import type { RunStep } from '../keywords/run.ts';
import type { Secret } from '../keywords/secrets.ts';
import type { Service } from '../keywords/services.ts';
import type { Trigger } from '../keywords/trigger.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import type { When } from '../keywords/when.ts';
import type { AutoCancel } from '../keywords/workflow.ts';
import type { RuleTrace } from '../rules/rules.ts';

export type PlanVariable = { readonly key: string; readonly value: string; readonly raw: boolean };

/** `artifacts`: whether the needed job's are fetched. `optional` needs of absent jobs are left out of the plan. */
export type PlanNeed = { readonly job: string; readonly artifacts: boolean; readonly optional: boolean };

export type PlanCache = {
  /** With digests computed; variables in it are the runner's to expand. */
  readonly key: string;
  readonly paths: readonly string[];
  readonly untracked: boolean;
  readonly policy: string;
  readonly when: string;
  readonly fallbackKeys: readonly string[];
  readonly unprotect: boolean;
};

export type PlanJob = {
  readonly name: string;
  readonly stage: string;
  /** Position of the stage in `Plan.stages`. */
  readonly stageIndex: number;
  readonly when: Exclude<When, 'never'>;
  /** Seconds, for `delayed` jobs. */
  readonly startIn: number | null;
  readonly allowFailure: boolean;
  /** Exit codes with which the job may fail when `allowFailure` is false. */
  readonly allowFailureExitCodes: readonly number[];
  /** Null: waits for all earlier stages. Empty: starts at once. */
  readonly needs: readonly PlanNeed[] | null;
  /** Null: artifacts of all earlier stages, or of `needs`. Jobs that the plan lacks are left out. */
  readonly dependencies: readonly string[] | null;
  readonly script: readonly string[];
  readonly beforeScript: readonly string[];
  readonly afterScript: readonly string[];
  /** Of the configuration, inherited ones included; references in values are not expanded. */
  readonly variables: readonly PlanVariable[];
  readonly image: Image | null;
  readonly services: readonly Service[];
  readonly artifacts: Artifacts | null;
  readonly cache: readonly PlanCache[];
  /** `max` is 0 without the keyword. */
  readonly retry: Retry;
  readonly timeoutSeconds: number | null;
  /** Null when neither the job nor `default` says. */
  readonly interruptible: boolean | null;
  readonly tags: readonly string[];
  /** Source of a regular expression in RE2 syntax. */
  readonly coverage: string | null;
  readonly environment: Environment | null;
  readonly resourceGroup: string | null;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly hooks: readonly Hook[];
  readonly release: Release | null;
  /** Of a job that starts another pipeline. */
  readonly trigger: Trigger | null;
  /** Jobs of other pipelines whose artifacts are fetched. */
  readonly needsElsewhere: readonly NeedElsewhere[];
  /** Path of the project whose latest pipeline says how the job ends; variables are expanded when the job starts. */
  readonly upstream: string | null;
  /** Steps instead of a script; null for jobs with a script. */
  readonly run: readonly RunStep[] | null;
  readonly idTokens: readonly IdToken[];
  readonly secrets: readonly Secret[];
  /** Values that whoever starts the job may change. */
  readonly inputs: readonly InputDeclaration[];
  /** Folder that is published as a site, an artifact of the job; null for others. */
  readonly pages: {
    readonly publish: string;
    readonly pathPrefix: string | null;
    readonly expireIn: string | null;
  } | null;
  /** What people are asked before they start the job. */
  readonly manualConfirmation: string | null;
};

export type Plan = {
  /** Those with jobs, in order. */
  readonly stages: readonly string[];
  /** All that the configuration names, with `.pre` and `.post`. */
  readonly allStages: readonly string[];
  readonly workflow: { readonly name: string | null; readonly autoCancel: AutoCancel | null };
  /** Root variables, those of the matching workflow rule over them. */
  readonly variables: readonly YamlVariable[];
  /** In the order of the configuration. */
  readonly jobs: readonly PlanJob[];
};

/** Why a job is in the plan or not. `rule` is the place of the rule that decided. */
export type Decision = {
  readonly job: string;
  readonly included: boolean;
  readonly reason: string;
  readonly rule: Mark | null;
  /** Where the job is written. */
  readonly mark: Mark;
  /** The rules that were looked at, in order. */
  readonly rules: readonly RuleTrace[];
};

/** What `workflow:rules` decided. */
export type WorkflowDecision = { readonly included: boolean; readonly rules: readonly RuleTrace[] };

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
