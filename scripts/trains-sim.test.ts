/** The simulator of merge trains keeps what the trains promise. */
import { expect, it } from 'vitest';
import { simulate } from './lib/trains-sim.ts';

const options = {
  requests: 150,
  arrivalMinutes: 4,
  pipelineMinutes: 20,
  failing: 0.1,
  flaky: 0,
  limit: 20,
  seed: 1,
};

it.each([1, 2, 3, 4, 5])('all good requests are merged in their order, and only they, with seed %i', (seed) => {
  const result = simulate({ ...options, seed });
  expect(result.merged + result.dropped).toBe(options.requests);
  expect(result.order).toEqual([...result.order].sort((a, b) => a - b));
  // Only what is broken itself is dropped, whatever stood before it: nobody pays for others.
  expect(simulate({ ...options, seed, failing: 0 }).dropped).toBe(0);
  expect(result.order).toEqual(simulate({ ...options, seed, limit: 1 }).order);
});

it('side by side is faster than one after the other', () => {
  expect(simulate(options).longWait).toBeLessThan(simulate({ ...options, limit: 1 }).longWait);
});
