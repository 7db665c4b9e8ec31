/** What callers bring at the same time is done together. */
import { expect, it } from 'vitest';
import { sharedRead, together } from './together.ts';

it('runs what comes meanwhile together, by its key and in its order', async () => {
  const runs: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const add = together<string, string>(
    (item) => item.slice(0, 1),
    async (items) => {
      runs.push([...items]);
      if (items[0] === 'a1') await gate.promise;
      return items.map((item) => item.toUpperCase());
    },
    2,
  );
  const first = Promise.all(['a1', 'b1', 'a2'].map(add));
  // The first run of each takes whatever has arrived with it.
  expect(await add('b2')).toBe('B2');
  expect(runs).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2'],
  ]);
  const others = Promise.all(['a3', 'a4', 'a5'].map(add));
  gate.resolve();
  expect(await first).toEqual(['A1', 'B1', 'A2']);
  expect(await others).toEqual(['A3', 'A4', 'A5']);
  expect(runs.slice(2)).toEqual([['a3', 'a4'], ['a5']]);
  expect(await add('a6')).toBe('A6');
});

it('tries each by itself when several fail, so that only one to blame fails', async () => {
  const add = together<number, number>(
    () => '',
    async (items) => {
      await Promise.resolve();
      if (items.includes(2)) throw new Error(`no ${items.join()}`);
      return items;
    },
  );
  const settled = await Promise.allSettled([1, 2, 3].map(add));
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    1,
    'Error: no 2',
    3,
  ]);
});

it('shares a read with those who asked before it began, never with those who asked later', async () => {
  let value = 0;
  let reads = 0;
  const read = sharedRead<string, number>(
    (key) => key,
    async () => {
      reads += 1;
      const seen = value;
      await new Promise(setImmediate);
      return seen;
    },
  );
  const before = read('k');
  value = 1;
  expect(await Promise.all([before, read('k'), read('k'), read('other')])).toEqual([0, 1, 1, 1]);
  expect(reads).toBe(3);
});
