/** The part of a sweep that this run takes; global-setup.ts tells which. */
import { inject } from 'vitest';
import { isDrawn, partOf, type Sweeps, sweepParts } from '../../scripts/lib/sweeps.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sweeps: Sweeps;
  }
}

export const wholeSweeps = (): boolean => inject('sweeps').whole;

/** Every combination is asked, not only each pair. */
export const exhaustiveSweeps = (): boolean => inject('sweeps').exhaustive;

/** Those of the items that this run takes. Their order must be that of the declarations, the same in every run. */
export function sampled<T>(items: readonly T[]): T[] {
  const sweeps = inject('sweeps');
  return items.filter((_, index) => isDrawn(sweeps, index));
}

/** The same of groups of items, of which each gives at least one, another one from run to run. */
export function sampledOfEach<T>(groups: ReadonlyArray<readonly T[]>): T[] {
  const sweeps = inject('sweeps');
  let index = 0;
  return groups.flatMap((group) => {
    const drawn = group.filter(() => isDrawn(sweeps, index++));
    const always = group[partOf(sweeps) % Math.max(1, group.length)];
    return drawn.length > 0 || always === undefined ? drawn : [always];
  });
}

/**
 * Of things that are independent of each other by design (in which transport a token comes, and what its scope opens): the one
 * whose turn it is at `index`, so that over many routes each is asked with everything else; all of them in exhaustive sweeps.
 */
export function rotated<T>(items: readonly T[], index: number): readonly T[] {
  if (exhaustiveSweeps() || items.length === 0) return items;
  return [items[index % items.length] as T];
}

/** Runs all, several at once, in order: one after the other leaves the machine idle while the database works. */
export async function severalAtOnce<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  lanes = 12,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of left) await run(item);
    }),
  );
}

/** How many of random requests this run sends. */
export const sampledCount = (count: number): number => (wholeSweeps() ? count : Math.ceil(count / sweepParts));

/** What tells the random requests of this run from those of others; 0 when all are sent. */
export const sampledSeed = (): number => (wholeSweeps() ? 0 : 1 + partOf(inject('sweeps')));
