/** The cache of callers by itself, with a clock in hand. */
import { expect, it } from 'vitest';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { createCallerCache } from './caller-cache.ts';

function cacheInHand() {
  const clock = { now: 0, trusted: true, loads: 0 };
  const cache = createCallerCache(
    () => clock.trusted,
    () => clock.now,
  );
  const load = async (): Promise<Caller | null> => {
    clock.loads += 1;
    return anonymous;
  };
  return { clock, cache, load };
}

it('reads a row once a second and after being cleared', async () => {
  const { clock, cache, load } = cacheInHand();
  await cache.get('a', load);
  clock.now = 999;
  await cache.get('a', load);
  expect(clock.loads).toBe(1);
  clock.now = 1000;
  await cache.get('a', load);
  cache.clear();
  await cache.get('a', load);
  expect(clock.loads).toBe(3);
});

it('does not keep what is unknown, nor what was read while it was cleared', async () => {
  const { clock, cache, load } = cacheInHand();
  expect(await cache.get('a', async () => null)).toBeNull();
  await cache.get('a', async () => {
    cache.clear();
    return anonymous;
  });
  await cache.get('a', load);
  expect(clock.loads).toBe(1);
});

it('reads every time while changes made elsewhere do not arrive', async () => {
  const { clock, cache, load } = cacheInHand();
  await cache.get('a', load);
  clock.trusted = false;
  await cache.get('a', load);
  await cache.get('a', load);
  expect(clock.loads).toBe(3);
});
