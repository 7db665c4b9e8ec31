/** Searching the files of a commit. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture } from '../test-repository.ts';
import { type Sha, shaFromGit } from '../types.ts';
import { type FoundLines, grep } from './grep.ts';

let fixture: Fixture;
let repo: Repo;
let commit: Sha;
const options = { around: 2, mostPerFile: 100, maxBytes: 1024 * 1024, timeoutMs: 20_000 };

function commitOf(files: Readonly<Record<string, string | Buffer>>): Sha {
  const entries = Object.entries(files).map(([path, text]) => {
    const id = fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], text).trim();
    return `100644 ${id}\t${path}\0`;
  });
  fixture.plain(repo.path, ['update-index', '-z', '--index-info'], entries.join(''));
  const tree = fixture.plain(repo.path, ['write-tree']).trim();
  return shaFromGit(fixture.plain(repo.path, ['commit-tree', '-m', 'x', tree]).trim());
}
const all = async (text: string, more: Partial<typeof options> = {}) => {
  const found: FoundLines[] = [];
  for await (const place of grep(repo, commit, text, { ...options, ...more })) found.push(place);
  return found;
};

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  commit = commitOf({
    'a.txt': 'one\ntwo\nThe NEEDLE\nfour\nfive\nsix\nseven\neight\nneedle again\r\n',
    'b\nname: odd.txt': '--\nneedle\n--\n',
    'c.bin': Buffer.from('needle\0'),
    'd.txt': '-e needle.*\n',
    'long.txt': `needle ${'x'.repeat(5000)}\n`,
  });
});
afterAll(() => fixture.close());

test('finds places whatever their case, with the lines around them and odd names whole; binary files are left out', async () => {
  const found = await all('needle');
  expect(found.map(({ path, startLine }) => [path, startLine])).toEqual([
    ['a.txt', 1],
    ['a.txt', 7],
    ['b\nname: odd.txt', 1],
    ['d.txt', 1],
    ['long.txt', 1],
  ]);
  expect(found[0]?.lines).toEqual(['one', 'two', 'The NEEDLE', 'four', 'five']);
  expect(found[1]?.lines).toEqual(['seven', 'eight', 'needle again']);
  expect(found[2]?.lines).toEqual(['--', 'needle', '--']);
  expect(found.at(-1)?.lines[0]?.length).toBe(2000);
});

test('takes a text as it is, never as a pattern or an option', async () => {
  expect((await all('needle.*')).map(({ path }) => path)).toEqual(['d.txt']);
  expect((await all('-e needle')).map(({ path }) => path)).toEqual(['d.txt']);
  expect(await all('--output=/tmp/x')).toEqual([]);
  await expect(all('a\nb')).rejects.toMatchObject({ code: 'invalid' });
});

test('ends where enough was read', async () => {
  const found = await all('needle', { maxBytes: 1 });
  expect(found.length).toBeGreaterThan(0);
  for await (const place of grep(repo, commit, 'needle', options)) {
    expect(place.path).toBe('a.txt');
    break;
  }
});
