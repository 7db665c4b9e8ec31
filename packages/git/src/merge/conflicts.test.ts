/** Every kind of conflict, by the smallest history that has it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture } from '../test-repository.ts';
import { shaFromGit } from '../types.ts';
import { type MergeConflict, mergeConflicts } from './conflicts.ts';

let fixture: Fixture;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
});
afterAll(() => fixture.close());

/** Content by path; with a mode in front where it is no plain file: `100755 `, `120000 `, `160000 `. */
type Files = Readonly<Record<string, string>>;
const lines = (changed = '', count = 10) =>
  Array.from({ length: count }, (_, at) => (at === 4 && changed ? changed : `line ${at}`)).join('\n');

function commit(name: string, files: Files, parent: string | null): string {
  const input = [`commit refs/heads/${name}`, 'committer C <c@example.org> 1700000000 +0000', 'data 0', ''];
  if (parent !== null) input.push(`from ${parent}`, 'deleteall');
  for (const [path, text] of Object.entries(files)) {
    const [, mode = '100644', content = text] = /^(100755|120000|160000) ([\s\S]*)$/.exec(text) ?? [];
    if (mode === '160000') input.push(`M 160000 ${content} "${path}"`);
    else input.push(`M ${mode} inline "${path}"`, `data ${Buffer.byteLength(content)}`, content);
  }
  fixture.plain(repo.path, ['fast-import', '--quiet', '--force'], `${input.join('\n')}\n`);
  return fixture.plain(repo.path, ['rev-parse', name]).trim();
}

function isClean(left: string, right: string): boolean {
  try {
    fixture.plain(repo.path, ['merge-tree', '--write-tree', '--allow-unrelated-histories', left, right]);
    return true;
  } catch {
    return false;
  }
}

async function merged(base: Files | null, ours: Files, theirs: Files): Promise<MergeConflict[]> {
  const from = base && commit('base', base, null);
  const [left, right] = [shaFromGit(commit('ours', ours, from)), shaFromGit(commit('theirs', theirs, from))];
  const found = await mergeConflicts(repo, left, right);
  expect(found.length === 0).toBe(isClean(left, right));
  // The second time from memory.
  expect(await mergeConflicts(repo, left, right)).toBe(found);
  // Ids are true: what git itself has under them.
  for (const each of found.flatMap(({ base: before, ours: left, theirs: right }) => [before, left, right]))
    if (each && each.mode !== '160000')
      expect(fixture.plain(repo.path, ['cat-file', '-t', each.id]).trim()).toBe('blob');
  for (const { message } of found) expect(message).not.toMatch(/[0-9a-f]{40}/);
  return [...found];
}

const side = (path: string, mode = '100644') => ({ path, mode, id: expect.stringMatching(/^[0-9a-f]{40}$/) });
const [one, two, three] = ['1', '2', '3'].map((digit) => `160000 ${digit.repeat(40)}`) as [string, string, string];

describe('kinds of conflicts', () => {
  test.each<[MergeConflict['kind'], Files | null, Files, Files, Partial<MergeConflict>]>([
    [
      'content',
      { f: lines() },
      { f: lines('ours') },
      { f: lines('theirs') },
      { paths: ['f'], base: side('f') as never, message: 'CONFLICT (content): Merge conflict in f' },
    ],
    ['content', { l: '120000 a' }, { l: '120000 b' }, { l: '120000 c' }, { ours: side('l', '120000') as never }],
    ['add/add', {}, { f: 'ours' }, { f: 'theirs' }, { base: null, ours: side('f') as never }],
    ['modify/delete', { f: lines() }, { f: lines('x') }, {}, { theirs: null, ours: side('f') as never }],
    ['modify/delete', { f: lines() }, {}, { f: lines('x') }, { ours: null, theirs: side('f') as never }],
    [
      'rename/delete',
      { f: lines() },
      { g: lines() },
      {},
      { paths: ['f', 'g'], base: side('f') as never, ours: side('g') as never, theirs: null },
    ],
    ['rename/delete', { f: lines() }, { g: lines('x') }, {}, { paths: ['f', 'g'], base: side('f') as never }],
    [
      'rename/rename',
      { f: lines() },
      { g: lines() },
      { h: lines() },
      { paths: ['f', 'g', 'h'], base: side('f') as never, ours: side('g') as never, theirs: side('h') as never },
    ],
    [
      'mode',
      {},
      { f: `100755 ${lines()}` },
      { f: lines() },
      { ours: side('f', '100755') as never, theirs: side('f') as never },
    ],
    [
      'type',
      { f: lines() },
      { f: '120000 x' },
      { f: lines('y') },
      { paths: ['f'], base: side('f') as never, ours: side('f', '120000') as never, theirs: side('f') as never },
    ],
    ['binary', { f: 'a\0b' }, { f: 'a\0c' }, { f: 'a\0d' }, { paths: ['f'], base: side('f') as never }],
    [
      'submodule',
      { s: one },
      { s: two },
      { s: three },
      { paths: ['s'], ours: side('s', '160000') as never, theirs: side('s', '160000') as never },
    ],
    [
      'file/directory',
      { f: 'x' },
      { 'f/y': 'y' },
      { f: 'z' },
      { paths: ['f'], ours: null, theirs: side('f') as never },
    ],
    [
      'directory rename',
      { 'd/a': lines('a'), 'd/b': lines('b'), 'd/c': lines('c') },
      { 'e/a': lines('a'), 'e/b': lines('b'), 'e/c': lines('c') },
      { 'd/a': lines('a'), 'd/b': lines('b'), 'd/c': lines('c'), 'd/new': 'new' },
      { paths: ['e/new', 'd/new'] },
    ],
  ])('%s', async (kind, base, ours, theirs, more) => {
    const found = await merged(base, ours, theirs);
    expect(found).toMatchObject([{ kind, ...more }]);
  });

  test('several at once, with odd names, each for itself; what merges is not told', async () => {
    const odd = 'ü "q".txt';
    const found = await merged(
      { a: lines(), b: lines('b'), [odd.replaceAll('"', "'")]: 'x', fine: lines() },
      { a: lines('1'), b: lines('b2'), [odd.replaceAll('"', "'")]: 'y', fine: lines('ours') },
      { a: lines('2'), [odd.replaceAll('"', "'")]: 'z', fine: lines(), new: '' },
    );
    expect(found.map(({ kind, paths }) => [kind, ...paths]).sort()).toEqual([
      ['content', 'a'],
      ['content', "ü 'q'.txt"],
      ['modify/delete', 'b'],
    ]);
  });

  test('none in a clean merge; unrelated histories have no base', async () => {
    expect(await merged({ a: lines(), b: 'b' }, { a: lines('1'), b: 'b' }, { a: lines(), b: 'c' })).toEqual([]);
    expect(await merged(null, { a: 'x' }, { a: 'y' })).toMatchObject([{ kind: 'add/add', base: null }]);
  });
});
