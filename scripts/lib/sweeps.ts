/**
 * Sweeps are tests that go through everything that is declared, route by route. `npm test` takes one part of each, another one
 * from run to run; `.ci/run` takes them whole: every route in every respect, and each two respects together somewhere.
 * `npm run test:long` takes every combination. All ask here, and tell the seed.
 */

/** After as many runs with seeds in a row everything was asked. */
export const sweepParts = 8;

export interface Sweeps {
  readonly whole: boolean;
  /** Whole, and every combination of what is independent of each other by design. */
  readonly exhaustive: boolean;
  readonly seed: number;
}

/** `SWEEPS=whole` takes all routes, `SWEEPS=exhaustive` all combinations; `SWEEP_SEED` names the part of a run that shall be repeated. */
export function sweepsOf(environment: Readonly<Record<string, string | undefined>>, now: () => number): Sweeps {
  const { SWEEPS: form = 'sampled', SWEEP_SEED: given } = environment;
  if (!['sampled', 'whole', 'exhaustive'].includes(form))
    throw new Error(`SWEEPS is sampled, whole or exhaustive, not ${form}`);
  const seed = given === undefined ? Math.floor(now() / 1000) % 1_000_000 : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`SWEEP_SEED is a whole number, not ${given}`);
  return { whole: form !== 'sampled', exhaustive: form === 'exhaustive', seed };
}

/** Which of the parts a run takes. */
export const partOf = ({ seed }: Sweeps): number => seed % sweepParts;

/** True where an item belongs to the part of this run. Neighbours go to different parts, in no rhythm that items could have. */
export function isDrawn(sweeps: Sweeps, index: number): boolean {
  let mixed = Math.imul(index + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return sweeps.whole || ((mixed ^ (mixed >>> 13)) >>> 0) % sweepParts === partOf(sweeps);
}

export function sweepsLine(sweeps: Sweeps): string {
  if (sweeps.whole) return `sweeps: ${sweeps.exhaustive ? 'exhaustive' : 'whole'}`;
  return `sweeps: part ${partOf(sweeps) + 1} of ${sweepParts} (SWEEP_SEED=${sweeps.seed} takes it again, SWEEPS=whole takes all)`;
}

/** Those that take a part: what `npm run test:long` takes whole. A test holds the list to the files that draw. */
export const sweepFiles = ['features/planning/issues/random-lists', 'denial', 'hostile', 'paging', 'scopes', 'shapes']
  .map((name) => `server/src/${name}.test.ts`)
  .sort();
