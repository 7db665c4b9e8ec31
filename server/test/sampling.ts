/** The part of a sweep that this run takes; global-setup.ts tells which. */
import { inject } from 'vitest';
import { isDrawn, partOf, type Sweeps, sweepParts } from '../../scripts/lib/sweeps.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sweeps: Sweeps;
  }
}

export const wholeSweeps = (): boolean => inject('sweeps').whole;

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

/** How many of random requests this run sends. */
export const sampledCount = (count: number): number => (wholeSweeps() ? count : Math.ceil(count / sweepParts));

/** What tells the random requests of this run from those of others; 0 when all are sent. */
export const sampledSeed = (): number => (wholeSweeps() ? 0 : 1 + partOf(inject('sweeps')));
