/** Pass: `default` and `inherit`. What a job does not say itself, it takes over. */
import type { JobConfig } from '../keywords/index.ts';
import { INHERITABLE } from '../keywords/index.ts';
import type { Inherited } from '../keywords/inherit.ts';
import type { YamlVariable } from '../keywords/variables.ts';

export function inherits(rule: Inherited | undefined, name: string): boolean {
  return rule === undefined || rule === true || (Array.isArray(rule) && rule.includes(name));
}

/** The job with each inheritable keyword that it lacks taken from `defaults`, whole: lists are not joined. */
export function applyDefaults(job: JobConfig, defaults: JobConfig): JobConfig {
  const missing = INHERITABLE.filter((name) => job[name] === undefined && inherits(job.inherit?.default, name));
  const taken = Object.fromEntries(missing.map((name) => [name, defaults[name]]));
  return { ...taken, ...job };
}

/** The root variables that the job inherits, with its own over them. */
export function inheritVariables(job: JobConfig, root: readonly YamlVariable[]): YamlVariable[] {
  const inherited = root.filter((variable) => inherits(job.inherit?.variables, variable.key));
  return mergeVariables(inherited, job.variables ?? []);
}

/** `over` replaces variables of the same name in place and adds the others. */
export function mergeVariables(below: readonly YamlVariable[], over: readonly YamlVariable[]): YamlVariable[] {
  if (over.length === 0) return [...below];
  const merged = new Map(below.map((variable) => [variable.key, variable]));
  for (const variable of over) merged.set(variable.key, variable);
  return [...merged.values()];
}
