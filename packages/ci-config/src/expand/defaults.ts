/** Pass: `default` and `inherit`. What a job does not say itself, it takes over. */
import type { JobConfig } from '../keywords/index.ts';
import { INHERITABLE } from '../keywords/index.ts';
import type { Inherited } from '../keywords/inherit.ts';
import type { YamlVariable } from '../keywords/variables.ts';

function inherits(rule: Inherited | undefined): (name: string) => boolean {
  if (rule === undefined || typeof rule === 'boolean') return () => rule !== false;
  const names = new Set(rule);
  return (name) => names.has(name);
}

/** The job with each inheritable keyword that it lacks taken from `defaults`, whole: lists are not joined. */
export function applyDefaults(job: JobConfig, defaults: JobConfig): JobConfig {
  const isInherited = inherits(job.inherit?.default);
  const missing = INHERITABLE.filter((name) => job[name] === undefined && isInherited(name));
  const taken = Object.fromEntries(missing.map((name) => [name, defaults[name]]));
  return { ...taken, ...job };
}

/** The root variables that the job takes over; the same list when it takes all. */
export function inheritVariables(job: JobConfig, root: readonly YamlVariable[]): readonly YamlVariable[] {
  const rule = job.inherit?.variables;
  if (rule === undefined || rule === true) return root;
  const isInherited = inherits(rule);
  return root.filter((variable) => isInherited(variable.key));
}

/** Later lists replace variables of the same name in place and add the others. */
export function mergeVariables(...lists: readonly (readonly YamlVariable[])[]): readonly YamlVariable[] {
  const [first = [], ...over] = lists.filter((list) => list.length > 0);
  if (over.length === 0) return first;
  const merged = new Map(first.map((variable) => [variable.key, variable]));
  for (const variable of over.flat()) merged.set(variable.key, variable);
  return [...merged.values()];
}
