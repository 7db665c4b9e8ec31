/** One instance of a job that is in the pipeline -> its entry in the plan. */
import { mergeVariables } from '../expand/defaults.ts';
import type { Instance } from '../expand/matrix.ts';
import {
  type ExpansionBudget,
  type Layer,
  layer,
  type Scope,
  type Variable,
  variableScope,
} from '../expand/variables.ts';
import { declarationOf } from '../inputs/declarations.ts';
import { NO_ARTIFACTS } from '../keywords/artifacts.ts';
import type { Environment } from '../keywords/environment.ts';
import type { JobConfig } from '../keywords/index.ts';
import { publishedFolder } from '../keywords/publish.ts';
import type { Rule } from '../keywords/rules.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import type { Paths } from '../rules/paths.ts';
import { type FileCommit, planCache } from './cache-key.ts';
import type { PlanJob, PlanVariable } from './plan.ts';
import type { ConfigJob } from './structure.ts';

export type JobFrame = {
  readonly job: ConfigJob;
  /** With defaults applied. */
  readonly config: JobConfig;
  readonly instance: Instance;
  readonly stage: string;
  readonly stageIndex: number;
  /** Root variables that the job inherits; shared by all that inherit the same. */
  readonly inherited: { readonly list: readonly YamlVariable[]; readonly layer: Layer };
};

/** Layers below and above those of the configuration. */
export type Layers = {
  readonly below: readonly Layer[];
  readonly above: readonly Layer[];
  readonly budget: ExpansionBudget;
};

/** A job's name as host names and paths may have it. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');

/** What variables a job sees while it is compiled: `more` are those of the rule that held, and of its environment. */
export function jobScope(frame: JobFrame, layers: Layers, ...more: readonly (readonly Variable[])[]): Scope {
  const { instance, stage, job, config, inherited } = frame;
  const own: Variable[] = [
    { key: 'CI_JOB_NAME', value: instance.name, raw: true },
    { key: 'CI_JOB_NAME_SLUG', value: slugOf(instance.name), raw: true },
    { key: 'CI_JOB_STAGE', value: stage, raw: true },
    { key: 'CI_NODE_TOTAL', value: String(instance.parallel?.total ?? 1), raw: true },
  ];
  if (instance.parallel) {
    own.push({ key: 'CI_NODE_INDEX', value: String(instance.parallel.index), raw: true });
  }
  const yaml = [config.variables ?? [], instance.variables, ...more].map(layer);
  const all = [...layers.below, layer(own), inherited.layer, ...yaml, ...layers.above];
  return variableScope(all, layers.budget, job.mark);
}

/** Needs and dependencies are filled in when it is known which jobs are in. */
export async function planJob(
  frame: JobFrame,
  rule: Rule | null,
  layers: Layers,
  files: { paths: Paths; fileCommit: FileCommit },
): Promise<Omit<PlanJob, 'needs' | 'dependencies'>> {
  const { config, instance, stage, stageIndex } = frame;
  const ofRule = rule?.variables ?? [];
  const variables = mergeVariables(frame.inherited.list, config.variables ?? [], instance.variables, ofRule);
  const environment = config.environment
    ? expandEnvironment(config.environment, jobScope(frame, layers, ofRule))
    : null;
  const named = environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: environment.name, raw: true }] : [];
  const scope = jobScope(frame, layers, ofRule, named);
  const when = rule?.when ?? config.when ?? 'on_success';
  const failure = rule?.allowFailure ?? config.allow_failure;
  return {
    name: instance.name,
    stage,
    stageIndex,
    when: when === 'never' ? 'on_success' : when,
    startIn: when === 'delayed' ? (rule?.startIn ?? config.start_in ?? 0) : null,
    // A manual job is optional by default, unless a rule makes it manual: then the pipeline waits for it.
    allowFailure: failure?.allowed ?? (when === 'manual' && config.when === 'manual'),
    allowFailureExitCodes: failure?.exitCodes ?? [],
    script: config.script ?? [],
    beforeScript: config.before_script ?? [],
    afterScript: config.after_script ?? [],
    variables: variables.map(planVariable),
    image: config.image ?? null,
    services: config.services ?? [],
    artifacts: artifactsOf(frame),
    cache: await Promise.all((config.cache ?? []).map((cache) => planCache(cache, files.paths, files.fileCommit))),
    retry: config.retry ?? { max: 0, when: [], exitCodes: [] },
    timeoutSeconds: config.timeout ?? null,
    interruptible: rule?.interruptible ?? config.interruptible ?? null,
    tags: (config.tags ?? []).map((tag) => scope.expand(tag, 'keep')),
    coverage: config.coverage ?? null,
    environment,
    resourceGroup: config.resource_group === undefined ? null : scope.expand(config.resource_group, 'keep'),
    parallel: instance.parallel,
    hooks: config.hooks ?? [],
    release: config.release ?? null,
    trigger: config.trigger ?? null,
    needsElsewhere: (rule?.needs ?? config.needs)?.elsewhere ?? [],
    upstream: (rule?.needs ?? config.needs)?.upstream ?? null,
    run: config.run ?? null,
    idTokens: config.id_tokens ?? [],
    secrets: config.secrets ?? [],
    inputs: (config.inputs ?? []).map((spec) => declarationOf(spec, new Map())),
    pages: pagesOf(frame),
    manualConfirmation: config.manual_confirmation ?? null,
  };
}

function pagesOf({ job, config }: JobFrame): PlanJob['pages'] {
  const publish = publishedFolder(job.name, config);
  if (publish === null) return null;
  return { publish, pathPrefix: config.pages?.pathPrefix ?? null, expireIn: config.pages?.expireIn ?? null };
}

/** The folder of a site is among the artifacts, whether it is listed or not. */
function artifactsOf({ job, config }: JobFrame): PlanJob['artifacts'] {
  const artifacts = config.artifacts ?? null;
  const folder = publishedFolder(job.name, config);
  if (folder === null || artifacts?.paths.includes(folder)) return artifacts;
  return { ...(artifacts ?? NO_ARTIFACTS), paths: [...(artifacts?.paths ?? []), folder] };
}

function planVariable({ key, value, raw }: YamlVariable): PlanVariable {
  return { key, value, raw };
}

// The URL may use what the job itself reports, so it is expanded when the job ends.
function expandEnvironment(environment: Environment, scope: Scope): Environment {
  const name = scope.expand(environment.name, 'empty');
  if (!environment.kubernetes) return { ...environment, name };
  const { namespace, fluxResourcePath } = environment.kubernetes;
  const expanded = (text: string | null) => (text === null ? null : scope.expand(text, 'keep'));
  return {
    ...environment,
    name,
    kubernetes: { namespace: expanded(namespace), fluxResourcePath: expanded(fluxResourcePath) },
  };
}
