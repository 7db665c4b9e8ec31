/** What a push brings: against a repository whose main has some of it already. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture } from '../test-repository.ts';
import type { Sha } from '../types.ts';
import { introducedLargeFile, introducedPaths } from './introduced.ts';

let fixture: Fixture;
let repo: Repo;
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
  const old = commit({ a: 'one\n' }, 'old');
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

test('a file above a size', async () => {
  expect(await introducedLargeFile(repo, [tip], 2999)).toBe('big');
  expect(await introducedLargeFile(repo, [tip], 3000)).toBeNull();
});
