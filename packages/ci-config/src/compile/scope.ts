/** The variables that a job sees while it is compiled. */
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
import type { JobConfig } from '../keywords/index.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import { groupName, nameSlug } from '../names.ts';
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
  /** Predefined variables of its environment. */
  readonly environment: readonly Variable[];
  /** What stands in place of the layers above where variables are for its environment alone. */
  readonly above: readonly Layer[] | null;
};

/** Layers below and above those of the configuration. */
export type Layers = {
  readonly below: readonly Layer[];
  readonly above: readonly Layer[];
  readonly budget: ExpansionBudget;
};

const STARTED_BY_PEOPLE: ReadonlySet<string | undefined> = new Set(['manual', 'delayed']);

/** What variables a job sees while it is compiled: `more` are those of the rule that held. */
export function jobScope(frame: JobFrame, layers: Layers, ...more: readonly (readonly YamlVariable[])[]): Scope {
  const { instance, stage, job, config, inherited } = frame;
  const own: Variable[] = [
    { key: 'CI_JOB_NAME', value: instance.name, raw: true },
    { key: 'CI_JOB_NAME_SLUG', value: nameSlug(instance.name), raw: true },
    { key: 'CI_JOB_GROUP_NAME', value: groupName(instance.name), raw: true },
    { key: 'CI_JOB_STAGE', value: stage, raw: true },
    { key: 'CI_NODE_TOTAL', value: String(instance.parallel?.total ?? 1), raw: true },
  ];
  if (STARTED_BY_PEOPLE.has(config.when)) own.push({ key: 'CI_JOB_MANUAL', value: 'true', raw: true });
  if (config.image) own.push({ key: 'CI_JOB_IMAGE', value: config.image.name });
  if (instance.parallel) {
    own.push({ key: 'CI_NODE_INDEX', value: String(instance.parallel.index), raw: true });
  }
  const over = [config.variables ?? [], instance.variables, ...more];
  // Those of the configuration replace each other: none refers to the one that it replaces.
  const yaml = over.some((list) => list.length > 0) ? layer(mergeVariables(inherited.list, ...over)) : inherited.layer;
  const all = [...layers.below, layer([...own, ...frame.environment]), yaml, ...(frame.above ?? layers.above)];
  return variableScope(all, layers.budget, job.mark);
}
