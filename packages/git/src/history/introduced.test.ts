/** What a push brings: against a repository whose main has some of it already. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture } from '../test-repository.ts';
import type { Sha } from '../types.ts';
import { differingPaths, introducedLargeFile, introducedPaths, touchedPaths } from './introduced.ts';

let fixture: Fixture;
let repo: Repo;
let old: Sha;
let tip: Sha;

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  const at = repo.path;
  const blob = (content: string) => fixture.plain(at, ['hash-object', '-w', '--stdin'], content).trim();
  const tree = (files: Record<string, string>) => {
    const index = Object.entries(files).map(([name, content]) => `100644 blob ${blob(content)}\t${name}\0`);
    return fixture.plain(at, ['mktree', '-z'], index.join('')).trim();
  };
  const commit = (files: Record<string, string>, message: string, ...parents: string[]) =>
    fixture.plain(at, ['commit-tree', tree(files), '-m', message, ...parents.flatMap((id) => ['-p', id])]).trim();
  old = commit({ a: 'one\n' }, 'old') as Sha;
  fixture.plain(at, ['update-ref', 'refs/heads/main', old]);
  const left = commit({ 'moved\nname': 'one\n' }, 'rename', old);
  const right = commit({ a: 'one\n', big: 'x'.repeat(3000) }, 'right', old);
  tip = commit({ 'moved\nname': 'one\n', big: 'x'.repeat(3000), evil: '!' }, 'merge', left, right) as Sha;
});
afterAll(() => fixture.close());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('added and renamed paths, and what a merge alone adds', async () => {
  const found = await all(introducedPaths(repo, [tip]));
  expect(found.map(({ path }) => path).sort()).toEqual(['big', 'evil', 'moved\nname']);
  expect(found.find(({ path }) => path === 'evil')?.commit).toBe(tip);
  expect(await all(introducedPaths(repo, []))).toEqual([]);
});

test('paths that new commits touch, and those that differ between two trees', async () => {
  expect(new Set(await all(touchedPaths(repo, tip)))).toEqual(new Set(['moved\nname', 'a', 'big', 'evil']));
  expect((await all(differingPaths(repo, old, tip))).sort()).toEqual(['a', 'big', 'evil', 'moved\nname']);
  expect(await all(differingPaths(repo, tip, tip))).toEqual([]);
  // What is ended early ends.
  for await (const path of differingPaths(repo, old, tip)) {
    expect(path).toBe('a');
    break;
  }
});

test('a file above a size', async () => {
  expect(await introducedLargeFile(repo, [tip], 2999)).toBe('big');
  expect(await introducedLargeFile(repo, [tip], 3000)).toBeNull();
});
