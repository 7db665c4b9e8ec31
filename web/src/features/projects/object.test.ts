/** Addresses of pages of projects from before they moved below `/-/`. */
import { expect, test } from 'vitest';
import { oldAddress } from './object.ts';

test('old addresses of pages of a project lead below its own path', () => {
  expect(oldAddress('group/project/issues/1')).toBe('/p/group~project/issues/1');
  expect(oldAddress('group/sub/project/blob/main/a b.md')).toBe('/p/group~sub~project/blob/main/a%20b.md');
  expect(oldAddress('group/project/activity')).toBe('/p/group~project/activity');
  expect(oldAddress('group/project/edit')).toBe('/p/group~project/edit');
  expect(oldAddress('issues/tree')).toBeNull();
  expect(oldAddress('group/project/nonsense')).toBeNull();
});
