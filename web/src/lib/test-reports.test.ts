import { expect, test } from 'vitest';
import { testCounts } from './test-reports.ts';

test('numbers of tests leave out what there is none of', () => {
  const none = { failed: 0, error: 0, success: 0, skipped: 0 };
  expect(testCounts(none)).toBe('No tests');
  expect(testCounts({ ...none, success: 3 })).toBe('3 passed');
  expect(testCounts({ failed: 2, error: 1, success: 30, skipped: 4 })).toBe('2 failed, 1 error, 30 passed, 4 skipped');
  expect(testCounts({ ...none, error: 2 })).toBe('2 errors');
});
