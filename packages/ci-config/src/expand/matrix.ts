/** Pass: `parallel`. One job becomes its instances. */
import type { Parallel } from '../keywords/parallel.ts';
import type { YamlVariable } from '../keywords/variables.ts';

export type Instance = {
  readonly name: string;
  /** Null for a job without `parallel`. */
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly variables: readonly YamlVariable[];
};

/** `job 1/3` for a number, `job: [a, b]` for a matrix. */
export function instancesOf(name: string, parallel: Parallel | undefined): Instance[] {
  if (parallel === undefined) return [{ name, parallel: null, variables: [] }];
  if (parallel.kind === 'number') {
    return Array.from({ length: parallel.total }, (_, index) => ({
      name: `${name} ${index + 1}/${parallel.total}`,
      parallel: { index: index + 1, total: parallel.total },
      variables: [],
    }));
  }
  const combinations = parallel.matrix.flatMap(combine);
  // Names come from values alone: what has the name of an earlier one takes its place.
  const instances = new Map<string, Instance>();
  for (const [index, variables] of combinations.entries()) {
    const full = `${name}: [${variables.map(({ value }) => value).join(', ')}]`;
    instances.set(full, { name: full, parallel: { index: index + 1, total: combinations.length }, variables });
  }
  return [...instances.values()];
}

/** Every combination of one matrix entry, the last variable turning fastest. */
export function combine(entry: ReadonlyMap<string, readonly string[]>): YamlVariable[][] {
  let combinations: YamlVariable[][] = [[]];
  for (const [key, values] of entry) {
    combinations = combinations.flatMap((before) => values.map((value) => [...before, { key, value, raw: false }]));
  }
  return combinations;
}
