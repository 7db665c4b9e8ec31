/** Where the repository of a new project goes. */
import { randomInt } from 'node:crypto';
import type { Caller } from '../../../kernel/authz/subjects.ts';

/** The storage of what says nothing else: the first one. */
export const firstStorage = (storages: readonly string[]): string => storages[0] ?? 'default';

/** The storage as answers about groups name it: administrators alone learn of storages. */
export const shownStorage = (caller: Pick<Caller, 'admin'>, storages: readonly string[]): string | null =>
  caller.admin ? firstStorage(storages) : null;

/** One of the storages, by chance and weight; the first one where none has a weight. */
export function storageFor(
  storages: readonly string[],
  weights: Readonly<Record<string, unknown>>,
  random: (below: number) => number = (below) => randomInt(below),
): string {
  const weighed = storages
    .map((name) => [name, Number(weights[name] ?? 0)] as const)
    .filter(([, weight]) => weight > 0);
  const all = weighed.reduce((sum, [, weight]) => sum + weight, 0);
  if (all === 0) return firstStorage(storages);
  let left = random(all);
  for (const [name, weight] of weighed) {
    if (left < weight) return name;
    left -= weight;
  }
  return firstStorage(storages);
}
