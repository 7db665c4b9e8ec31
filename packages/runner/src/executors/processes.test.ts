/** Which processes can be new since a moment, as the kernel numbers them. */
import { expect, test } from 'vitest';
import { firstNewPid, momentNow } from './processes.ts';

test('only larger numbers are new until the numbers may have begun again', () => {
  const since = { lastPid: 1000, forks: 50_000 };
  expect(firstNewPid(since, { lastPid: 1010, forks: 50_010 }, 300, 32_768)).toBe(1001);
  expect(firstNewPid(since, { lastPid: 1000, forks: 50_000 }, 300, 32_768)).toBe(1001);
  // As many starts as there are numbers up to the largest, with those that are passed over.
  expect(firstNewPid(since, { lastPid: 32_000, forks: 50_000 + 31_467 }, 300, 32_768)).toBe(1001);
  expect(firstNewPid(since, { lastPid: 32_000, forks: 50_000 + 31_468 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(since, { lastPid: 900, forks: 50_010 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(undefined, { lastPid: 1, forks: 1 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(since, undefined, 300, 32_768)).toBe(0);
});

test.runIf(process.platform === 'linux')('the kernel says how far it has counted', () => {
  const moment = momentNow();
  expect(moment?.lastPid).toBeGreaterThan(0);
  expect(moment?.forks).toBeGreaterThan(0);
});
