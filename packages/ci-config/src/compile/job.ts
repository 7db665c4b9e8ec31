/** One instance of a job that is in the pipeline -> its entry in the plan. */
import { mergeVariables } from '../expand/defaults.ts';
import { declarationOf } from '../inputs/declarations.ts';
import { NO_ARTIFACTS } from '../keywords/artifacts.ts';
import { isEnvironmentName } from '../keywords/environment-name.ts';
import { publishedFolder } from '../keywords/publish.ts';
import type { Rule } from '../keywords/rules.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import type { Paths } from '../rules/paths.ts';
import { planCache, type VersionOf } from './cache-key.ts';
import { type Environments, expandEnvironment, inEnvironment } from './environment.ts';
import type { PlanJob, PlanVariable } from './plan.ts';
import { type JobFrame, jobScope, type Layers } from './scope.ts';

/** Needs and dependencies are filled in when it is known which jobs are in. */
export async function planJob(
  frame: JobFrame,
  rule: Rule | null,
  layers: Layers,
  files: Environments & { readonly paths: Paths; readonly versionOf: VersionOf },
): Promise<Omit<PlanJob, 'needs' | 'dependencies'>> {
  const { config, instance, stage, stageIndex } = frame;
  const ofRule = rule?.variables ?? [];
  const variables = mergeVariables(frame.inherited.list, config.variables ?? [], instance.variables, ofRule);
  const named = await inEnvironment(frame, layers, files, ofRule);
  const scope = jobScope(named, layers, ofRule);
  const environment = config.environment ? expandEnvironment(config.environment, scope, frame) : null;
  const group = scope.expand(config.resource_group ?? '', 'empty');
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
    cache: await Promise.all((config.cache ?? []).map((cache) => planCache(cache, files.paths, files.versionOf))),
    retry: config.retry ?? { max: 0, when: [], exitCodes: [] },
    timeoutSeconds: config.timeout ?? null,
    interruptible: rule?.interruptible ?? config.interruptible ?? null,
    tags: (config.tags ?? []).map((tag) => scope.expand(tag, 'keep')),
    coverage: config.coverage ?? null,
    environment,
    resourceGroup: isEnvironmentName(group) ? group : null,
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
