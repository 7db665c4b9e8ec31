/** Addresses of pages of projects from before they moved below `/-/`, and where the README of a project is. */
import { expect, test } from 'vitest';
import { oldAddress, readmeOf } from './object.ts';

test('old addresses of pages of a project lead below its own path', () => {
  expect(oldAddress('group/project/issues/1')).toBe('/p/group~project/issues/1');
  expect(oldAddress('group/sub/project/blob/main/a b.md')).toBe('/p/group~sub~project/blob/main/a%20b.md');
  expect(oldAddress('group/project/activity')).toBe('/p/group~project/activity');
  expect(oldAddress('group/project/edit')).toBe('/p/group~project/edit');
  expect(oldAddress('issues/tree')).toBeNull();
  expect(oldAddress('group/project/nonsense')).toBeNull();
});

test.each([
  ['main', 'http://x.example/group/project/-/blob/main/README.md', 'README.md'],
  ['a/b', 'http://x.example/group/project/-/blob/a/b/docs/100%25.md', 'docs/100%.md'],
  ['main', 'http://x.example/group/project/-/blob/other/README.md', null],
  ['main', null, null],
  [null, 'http://x.example/group/project/-/blob/main/README.md', null],
])('the README of the branch %s at %s is %s', (default_branch, readme_url, path) => {
  expect(readmeOf({ default_branch, readme_url })).toBe(path);
});
