/** The environment of a job: what its rules see of it, and what of it is expanded when the job is compiled. */
import { fail } from '../diagnostics.ts';
import { parseDuration } from '../duration.ts';
import { layer, type Scope, type Variable } from '../expand/variables.ts';
import { type Environment, NEVER, TIERS, tierProblem } from '../keywords/environment.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import { type JobFrame, jobScope, type Layers } from './scope.ts';

/** What is known of an environment that there is already. */
export type KnownEnvironment = { readonly tier: string; readonly url: string | null };
/** The environment of this name; null when there is none yet. */
export type EnvironmentOf = (name: string) => Promise<KnownEnvironment | null>;

/** What people set for jobs of an environment, later ones winning; null where that is the same as for other jobs. */
export type VariablesFor = (environment: string) => readonly Variable[] | null;

export type Environments = { readonly environmentOf: EnvironmentOf; readonly variablesFor: VariablesFor };

/** The job with what its environment adds to its variables. `ofRule` are the variables of the rule that held. */
export async function inEnvironment(
  frame: JobFrame,
  layers: Layers,
  { environmentOf, variablesFor }: Environments,
  ofRule: readonly YamlVariable[] = [],
): Promise<JobFrame> {
  const environment = await environmentVariables(frame, layers, environmentOf, ofRule);
  const [name] = environment;
  if (!name) return frame;
  const own = variablesFor(name.value);
  return { ...frame, environment, above: own && [layer(own)] };
}

/**
 * The predefined variables of a job's environment, its name first. What the job does not say of it is looked up only where the job uses
 * such a variable.
 */
async function environmentVariables(
  frame: JobFrame,
  layers: Layers,
  environmentOf: EnvironmentOf,
  ofRule: readonly YamlVariable[],
): Promise<Variable[]> {
  const { environment, rules, only, except, tags, resource_group: group, variables } = frame.config;
  if (!environment) return [];
  const scope = jobScope(frame, layers, ofRule);
  const name = scope.expand(environment.name, 'empty');
  const used = () => JSON.stringify([rules, only, except, tags, group, variables, frame.inherited.list]);
  const asks = !(environment.deploymentTier && environment.url) && /CI_ENVIRONMENT_(?:TIER|URL)/.test(used());
  const known = asks ? await environmentOf(name) : null;
  const tier = environment.deploymentTier ?? known?.tier;
  const url = environment.url ?? known?.url;
  return [
    { key: 'CI_ENVIRONMENT_NAME', value: name, raw: true },
    { key: 'CI_ENVIRONMENT_ACTION', value: environment.action, raw: true },
    ...(tier ? [{ key: 'CI_ENVIRONMENT_TIER', value: scope.expand(tier, 'keep') }] : []),
    ...(url ? [{ key: 'CI_ENVIRONMENT_URL', value: scope.expand(url, 'keep') }] : []),
  ];
}

/** The environment with its variables expanded, those of its address excepted: it may use what the job itself reports. */
export function expandEnvironment(environment: Environment, scope: Scope, { job }: JobFrame): Environment {
  const name = scope.expand(environment.name, 'empty');
  const known = (text: string | null) => (text === null ? null : scope.expand(text, 'keep'));
  const { kubernetes, autoStopIn, deploymentTier } = environment;
  const expanded = { ...environment, name, autoStopIn: known(autoStopIn), deploymentTier: known(deploymentTier) };
  const mark = job.markOf('environment');
  if (expanded.autoStopIn !== null && expanded.autoStopIn !== NEVER && parseDuration(expanded.autoStopIn) === null)
    fail(mark, `jobs:${job.name}:environment auto_stop_in should be a duration: ${expanded.autoStopIn}`);
  if (expanded.deploymentTier !== null && !(TIERS as readonly string[]).includes(expanded.deploymentTier))
    fail(mark, `jobs:${job.name}:environment ${tierProblem}`);
  if (!kubernetes) return expanded;
  const { namespace, fluxResourcePath } = kubernetes;
  return { ...expanded, kubernetes: { namespace: known(namespace), fluxResourcePath: known(fluxResourcePath) } };
}
