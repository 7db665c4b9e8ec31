/** What callers bring at the same time is done together. */
import { expect, it } from 'vitest';
import { sharedRead, together } from './together.ts';

it('runs what comes meanwhile together, by its key and in its order', async () => {
  const runs: string[][] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const add = together<string, string>(
    (item) => item.slice(0, 1),
    async (items) => {
      runs.push([...items]);
      if (items[0] === 'a1') await gates[0]?.promise;
      return items.map((item) => item.toUpperCase());
    },
    2,
  );
  const answers = Promise.all(['a1', 'a2', 'a3', 'a4', 'b1'].map(add));
  await add('b2');
  expect(runs).toEqual([['a1'], ['b1'], ['b2']]);
  gates[0]?.resolve();
  expect(await answers).toEqual(['A1', 'A2', 'A3', 'A4', 'B1']);
  expect(runs.slice(3)).toEqual([['a2', 'a3'], ['a4']]);
  expect(await add('a5')).toBe('A5');
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
