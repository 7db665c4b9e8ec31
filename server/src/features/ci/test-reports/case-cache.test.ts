/** What is kept of reports that were read. */
import { expect, test } from 'vitest';
import { createCaseCache } from './case-cache.ts';

test('a report is read once, until others need its place', async () => {
  const cache = createCaseCache(10);
  const reads: number[] = [];
  const ask = (id: number, bytes: number) =>
    cache.of(id, bytes, async () => {
      reads.push(id);
      return [];
    });
  await ask(1, 4);
  await ask(2, 4);
  await ask(1, 4);
  expect(reads).toEqual([1, 2]);
  // The third takes the place of what nobody has asked for longest.
  await ask(3, 4);
  await ask(1, 4);
  expect(reads).toEqual([1, 2, 3]);
  await ask(2, 4);
  expect(reads).toEqual([1, 2, 3, 2]);
});

test('one that is larger than all that is kept pushes nothing out', async () => {
  const cache = createCaseCache(10);
  let reads = 0;
  const ask = (id: number, bytes: number) =>
    cache.of(id, bytes, async () => {
      reads++;
      return [];
    });
  await ask(1, 10);
  await ask(2, 11);
  await ask(2, 11);
  await ask(1, 10);
  expect(reads).toBe(3);
});
