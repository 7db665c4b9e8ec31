/** Merges by object ids against git's own, over random changes of both sides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Repo } from '../context.ts';
import { createQuarantine, discardQuarantine } from '../objects/quarantine.ts';
import { treeOf } from '../objects/tree.ts';
import { createFixture, type Fixture, random } from '../test-repository.ts';
import { EMPTY_TREE, type Sha, shaFromGit } from '../types.ts';
import { mergeTree, surelyMerges } from './merge-tree.ts';
import { mergeTrees, writeMerged } from './tree-merge.ts';

let fixture: Fixture;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
});
afterAll(() => fixture.close());

type Files = Map<string, string>;
const directories = ['', 'a/', 'b/', 'a/in/', 'c/d/'];
const names = ['one', 'two', 'three'];
const text = (first: number, second: number) =>
  `${Array.from({ length: 8 }, (_, at) => `line ${first} of ${at}`).join('\n')}\n${second}\n`;

/** One change, as people make them. */
function change(files: Files, next: (below: number) => number): void {
  const paths = [...files.keys()];
  const path = paths[next(paths.length)] ?? 'one';
  const free = `${directories[next(directories.length)]}${names[next(names.length)]}${next(3)}`;
  const fits = (to: string) =>
    ![...files.keys()].some((each) => each === to || each.startsWith(`${to}/`) || to.startsWith(`${each}/`));
  switch (next(8)) {
    case 0:
    case 1:
    case 2:
      files.set(path, `${files.get(path) ?? ''}more ${next(3)}\n`);
      break;
    case 3:
      if (fits(free)) files.set(free, text(next(6), next(50)));
      break;
    case 4:
      files.delete(path);
      break;
    case 5:
      if (fits(free)) {
        files.set(free, `${files.get(path) ?? ''}${next(2) ? 'moved\n' : ''}`);
        files.delete(path);
      }
      break;
    case 6: {
      const from = directories[1 + next(4)] as string;
      const to = `moved${next(2)}/`;
      for (const [each, content] of [...files])
        if (each.startsWith(from) && files.delete(each)) files.set(`${to}${each.slice(from.length)}`, content);
      break;
    }
    default:
      // A file where a directory was, or the other way round.
      if (fits(`${path}/in`)) break;
      files.delete(path);
      files.set(`${path}/in`, text(next(6), 0));
  }
}

const commit = (name: string, files: Files, from: string | null) =>
  [
    `commit refs/heads/${name}\ncommitter C <c@example.org> 1700000000 +0000\ndata 0\n`,
    ...(from === null ? [] : [`from refs/heads/${from}\ndeleteall`]),
    ...[...files].map(([path, content]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}`),
  ].join('\n');

/** What git makes of each pair: the tree where it is clean, null where it is not. */
function merges(pairs: readonly string[]): Array<string | null> {
  const out = fixture.plain(
    repo.path,
    ['merge-tree', '--write-tree', '--stdin', '--no-messages'],
    `${pairs.join('\n')}\n`,
  );
  const fields = out.split('\0');
  return fields.flatMap((field, at) => {
    const tree = fields[at + 1] ?? '';
    return /^[01]$/.test(field) && /^[0-9a-f]{40}$/.test(tree) ? [field === '1' ? tree : null] : [];
  });
}

const tip = (name: string): Sha => shaFromGit(fixture.plain(repo.path, ['rev-parse', name]).trim());

async function written(base: Sha, ours: Sha, theirs: Sha): Promise<Sha | null> {
  const quarantine = await createQuarantine(repo);
  try {
    const [one, left, right] = await Promise.all([base, ours, theirs].map((id) => treeOf(repo, id)));
    const merged = await mergeTrees(quarantine.repo, one as Sha, left as Sha, right as Sha);
    return merged && (await writeMerged(quarantine, merged));
  } finally {
    await discardQuarantine(quarantine);
  }
}

describe('merges by ids', () => {
  it('what is decided without git is what git merges, over 400 random pairs', async () => {
    const next = random(20261127);
    const input: string[] = [];
    const count = 400;
    for (let at = 0; at < count; at += 1) {
      const base: Files = new Map();
      for (const directory of directories)
        for (const name of names) if (next(3) > 0) base.set(`${directory}${name}`, text(next(6), next(50)));
      base.set('always', 'here\n');
      const sides = [0, 1].map(() => {
        const files = new Map(base);
        for (let left = 1 + next(3); left > 0; left -= 1) change(files, next);
        return files;
      }) as [Files, Files];
      input.push(
        commit(`b${at}`, base, null),
        commit(`o${at}`, sides[0], `b${at}`),
        commit(`t${at}`, sides[1], `b${at}`),
      );
    }
    fixture.plain(repo.path, ['fast-import', '--quiet'], `${input.join('\n')}\n`);
    const ids = new Map(
      fixture
        .plain(repo.path, ['for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads'])
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, Sha]),
    );
    const id = (name: string) => ids.get(name) as Sha;
    const numbers = Array.from({ length: count }, (_, at) => at);
    const expected = merges(numbers.map((at) => `${id(`o${at}`)} ${id(`t${at}`)}`));
    expect(expected.length).toBe(count);
    let decided = 0;
    for (const at of numbers) {
      const found = await written(id(`b${at}`), id(`o${at}`), id(`t${at}`));
      if (found === null) continue;
      decided += 1;
      expect(found, `pair ${at}`).toBe(expected[at]);
    }
    const clean = expected.filter((tree) => tree !== null).length;
    expect(clean).toBeLessThan(count);
    expect(decided).toBeGreaterThan(clean / 2);
  });

  it('a whole merge, its commits related over merges, starts no process where the sides changed other files', async () => {
    const files = (...more: [string, string][]): Files => new Map([['a', '1\n'], ['d/b', '1\n'], ...more]);
    const input = [
      commit('base', files(), null),
      commit('side', files(['s', '1\n']), 'base'),
      commit('topic', files(['t', '1\n']), 'base'),
      `${commit('main', files(['m', '1\n']), 'base')}`,
      `commit refs/heads/main\ncommitter C <c@example.org> 1700000009 +0000\ndata 0\n\nmerge refs/heads/side\nM 100644 inline s\ndata 2\n1\n`,
      commit('clash', files(['m', '2\n']), 'base'),
    ];
    fixture.plain(repo.path, ['fast-import', '--quiet', '--force'], `${input.join('\n')}\n`);
    const [main, topic, clash] = ['main', 'topic', 'clash'].map(tip) as [Sha, Sha, Sha];
    expect(await surelyMerges(repo, main, topic)).toBe(true);
    expect(await surelyMerges(repo, main, clash)).toBe(false);
    const quarantine = await createQuarantine(repo);
    try {
      const merged = await mergeTree(quarantine, main, topic);
      expect(merged).toMatchObject({ clean: true, conflictPaths: [] });
      expect(merged.treeId).toBe(fixture.plain(repo.path, ['merge-tree', '--write-tree', main, topic]).trim());
      expect(await mergeTree(quarantine, main, clash)).toMatchObject({ clean: false, conflictPaths: ['m'] });
    } finally {
      await discardQuarantine(quarantine);
    }
  });

  it('both sides remove what is in a directory: none is left', async () => {
    const base: Files = new Map([
      ['x/a', '1\n'],
      ['x/b', '2\n'],
      ['y', '3\n'],
    ]);
    const without = (path: string) => new Map([...base].filter(([each]) => each !== path));
    const input = [
      commit('full', base, null),
      commit('no-a', without('x/a'), 'full'),
      commit('no-b', without('x/b'), 'full'),
    ];
    fixture.plain(repo.path, ['fast-import', '--quiet', '--force'], `${input.join('\n')}\n`);
    const found = await written(tip('full'), tip('no-a'), tip('no-b'));
    expect(found).toBe(fixture.plain(repo.path, ['merge-tree', '--write-tree', 'no-a', 'no-b']).trim());
    expect(await mergeTrees(repo, EMPTY_TREE, EMPTY_TREE, EMPTY_TREE)).toMatchObject({ id: EMPTY_TREE });
  });
});
