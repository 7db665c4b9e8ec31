/** Objects written from here are those that git would write; tree edits, commits, merges, rebases; quarantine. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { logIds } from '../history/log.ts';
import { mergeTree } from '../merge/merge-tree.ts';
import { cherryPick, rebase, revert, squash } from '../merge/rebase.ts';
import { readRef } from '../refs/files.ts';
import { updateRefs } from '../refs/update.ts';
import { fsck } from '../repository/maintenance.ts';
import { listQuarantines, removeStaleQuarantines } from '../repository/sweep.ts';
import { createFixture, type Fixture, random, randomHistory } from '../test-repository.ts';
import { EMPTY_TREE, type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { writablePath } from './paths.ts';
import { createQuarantine, discardQuarantine, migrateQuarantine, type Quarantine } from './quarantine.ts';
import { readBlob, readCommit, readTag } from './read.ts';
import { lookupPath, walkTree } from './tree.ts';
import { createTreeEditor, type TreeAction } from './tree-editor.ts';
import { createCommit, createTag, type Person, writeBlob } from './write.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];
const person: Person = { name: 'Ann', email: 'ann@example.org', seconds: 1_700_000_000, offset: '+0130' };

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 41);
});
afterAll(() => fixture.close());

async function inQuarantine<T>(work: (quarantine: Quarantine) => Promise<T>): Promise<T> {
  const quarantine = await createQuarantine(repo);
  const result = await work(quarantine);
  await migrateQuarantine(quarantine);
  return result;
}

async function edit(base: Sha | null, actions: TreeAction[]): Promise<Sha> {
  return inQuarantine(async (quarantine) => {
    const editor = createTreeEditor(quarantine, base);
    for (const action of actions) await editor.apply(action);
    return editor.write();
  });
}

const text = (content: string) => new TextEncoder().encode(content);
const treeId = (revision: string) => shaFromGit(fixture.plain(repo.path, ['rev-parse', `${revision}^{tree}`]).trim());

async function commitOn(parents: Sha[], actions: TreeAction[], message = 'change'): Promise<Sha> {
  const base = parents[0] ? treeId(parents[0]) : null;
  const tree = await edit(base, actions);
  return inQuarantine((quarantine) =>
    createCommit(quarantine, { tree, parents, author: person, committer: person, message }),
  );
}

describe('writing', () => {
  test('commits and tags are byte for byte those of git', async () => {
    const made = await inQuarantine((quarantine) =>
      createCommit(quarantine, {
        tree: treeId('main'),
        parents: [tips[0] as Sha, tips[1] as Sha],
        author: person,
        committer: person,
        message: 'Grüße\r\n\r\nText',
      }),
    );
    const raw = `tree ${treeId('main')}\nparent ${tips[0]}\nparent ${tips[1]}\nauthor Ann <ann@example.org> 1700000000 +0130\ncommitter Ann <ann@example.org> 1700000000 +0130\n\nGrüße\n\nText`;
    expect(fixture.plain(repo.path, ['hash-object', '-t', 'commit', '--stdin'], raw).trim()).toBe(made);
    expect(fixture.plain(repo.path, ['cat-file', 'commit', made])).toBe(raw);
    const tag = await inQuarantine((quarantine) =>
      createTag(quarantine, { target: made, targetType: 'commit', name: 'v2', tagger: person, message: 'Second' }),
    );
    expect(await readTag(repo, tag)).toMatchObject({
      target: made,
      name: 'v2',
      message: 'Second\n',
      tagger: { name: 'Ann' },
    });
    expect(fixture.plain(repo.path, ['mktag'], fixture.plain(repo.path, ['cat-file', 'tag', tag])).trim()).toBe(tag);
  });

  test('security 4: names, dates and messages cannot forge header lines', async () => {
    const forged = { ...person, name: 'Eve\nparent x <eve@x>\0', email: 'a>b\n<c' };
    const id = await inQuarantine((quarantine) =>
      createCommit(quarantine, { tree: EMPTY_TREE, parents: [], author: forged, committer: forged, message: 'a\0b' }),
    );
    expect(await readCommit(repo, id)).toMatchObject({
      parents: [],
      message: 'ab',
      author: { name: 'Eveparent x eve@x', email: 'abc' },
    });
    const bad = { ...person, offset: '+01\nparent' };
    const quarantine = await createQuarantine(repo);
    expect(() =>
      createCommit(quarantine, { tree: EMPTY_TREE, parents: [], author: bad, committer: bad, message: '' }),
    ).toThrow();
    await discardQuarantine(quarantine);
  });

  test('large and empty blobs, twice the same', async () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(300_000, 'abc')]) {
      const [id, again] = await inQuarantine((q) => Promise.all([writeBlob(q, content), writeBlob(q, content)]));
      expect(again).toBe(id);
      expect(fixture.bytes(repo.path, ['cat-file', 'blob', id]).equals(content)).toBe(true);
    }
  });
});

describe('tree editor', () => {
  test('random edits give the tree that an index gives', async () => {
    const next = random(5);
    const index = ['-c', 'core.bare=false'];
    const work = join(fixture.directory, 'edit');
    fixture.plain(fixture.directory, ['init', '-q', 'edit']);
    fixture.plain(work, ['fetch', '-q', repo.path, tips[0] as string]);
    for (let round = 0; round < 12; round += 1) {
      const tip = tips[round % tips.length] as Sha;
      fixture.plain(work, ['fetch', '-q', repo.path, tip]);
      fixture.plain(work, ['read-tree', tip]);
      const files = new Map<string, string>();
      for await (const entry of walkTree(repo, tip)) if (entry.type === 'blob') files.set(entry.path, entry.mode);
      const actions: TreeAction[] = [];
      for (let i = 0; i < 6; i += 1) {
        const existing = [...files.keys()];
        const path = existing[next(existing.length)] as string;
        const fresh = `new${next(3)}/d${next(3)}/f${round}-${i}`;
        const content = `content ${next(1000)}\n`;
        const put = (name: string, mode: string, id: string) =>
          fixture.plain(work, ['update-index', '-z', '--add', '--index-info'], `${mode} ${id}\t${name}\0`);
        const store = (value: string) => fixture.plain(work, ['hash-object', '-w', '--stdin'], value).trim();
        const idOf = (name: string) => fixture.plain(work, ['rev-parse', `:${name}`]).trim();
        const drop = (name: string) =>
          fixture.plain(work, ['update-index', '-z', '--index-info'], `0 ${ZERO_SHA}\t${name}\0`);
        const roll = next(5);
        if (roll === 0 || existing.length < 2) {
          actions.push({ action: 'create', path: fresh, content: text(content) });
          put(fresh, '100644', store(content));
          files.set(fresh, '100644');
        } else if (roll === 1) {
          actions.push({ action: 'update', path, content: text(content) });
          put(path, files.get(path) as string, store(content));
        } else if (roll === 2) {
          actions.push({ action: 'delete', path });
          drop(path);
          files.delete(path);
        } else if (roll === 3) {
          actions.push({ action: 'move', path: fresh, previousPath: path });
          put(fresh, files.get(path) as string, idOf(path));
          drop(path);
          files.set(fresh, files.get(path) as string);
          files.delete(path);
        } else {
          actions.push({ action: 'chmod', path, executable: true });
          put(path, '100755', idOf(path));
          files.set(path, '100755');
        }
      }
      expect(await edit(treeId(tip), actions)).toBe(fixture.plain(work, [...index, 'write-tree']).trim());
    }
  });

  test('removing everything gives the empty tree, and an empty base works', async () => {
    const tree = await edit(null, [
      { action: 'create', path: 'a/b/c', content: text('x') },
      { action: 'mkdir', path: 'dir' },
      { action: 'put', path: 'sub', mode: '160000', id: tips[0] as Sha },
    ]);
    expect(fixture.plain(repo.path, ['ls-tree', '-r', '--name-only', tree])).toBe('a/b/c\ndir/.gitkeep\nsub\n');
    const gone = await edit(
      tree,
      ['a/b/c', 'dir/.gitkeep', 'sub'].map((path) => ({ action: 'delete', path }) as const),
    );
    expect(gone).toBe(EMPTY_TREE);
  });

  test('bytes of names that are not UTF-8 survive an edit next to them', async () => {
    const blob = fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], 'x').trim();
    const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\tcaf`), Buffer.from([0xe9, 0])]);
    const base = shaFromGit(fixture.plain(repo.path, ['mktree', '-z'], line).trim());
    const edited = await edit(base, [{ action: 'create', path: 'new', content: text('n') }]);
    expect(fixture.bytes(repo.path, ['ls-tree', '-z', '--name-only', edited])).toEqual(
      Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9, 0]), Buffer.from('new\0')]),
    );
  });

  test.each<[string, TreeAction]>([
    ['exists', { action: 'create', path: 'dir/file', content: text('x') }],
    ['exists', { action: 'create', path: 'dir/file/below', content: text('x') }],
    ['directory', { action: 'create', path: 'dir', content: text('x') }],
    ['missing', { action: 'update', path: 'none', content: text('x') }],
    ['missing', { action: 'delete', path: 'dir' }],
    ['missing', { action: 'move', path: 'x', previousPath: 'none' }],
    ['exists', { action: 'move', path: 'other', previousPath: 'dir/file' }],
    ['directory', { action: 'move', path: 'dir', previousPath: 'other' }],
    ['missing', { action: 'chmod', path: 'none', executable: true }],
    ['type', { action: 'chmod', path: 'sub', executable: true }],
    ['directory', { action: 'mkdir', path: 'dir' }],
    ['path', { action: 'create', path: '../x', content: text('x') }],
  ])('%s: %j', async (problem, action) => {
    const base = await edit(null, [
      { action: 'create', path: 'dir/file', content: text('1') },
      { action: 'create', path: 'other', content: text('2') },
      { action: 'put', path: 'sub', mode: '160000', id: tips[0] as Sha },
    ]);
    const quarantine = await createQuarantine(repo);
    const editor = createTreeEditor(quarantine, base);
    await expect(editor.apply(action)).rejects.toMatchObject({ code: 'invalid', problem });
    expect(await editor.write()).toBe(base);
    await discardQuarantine(quarantine);
  });

  test('security 2: paths that leave the tree or reach .git on any platform are refused', () => {
    const bad = [
      '',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      '.git',
      '.GIT/config',
      'a/.git/hooks',
      '.git.',
      '.git ',
      'git~1',
    ];
    bad.push(
      '.g\u200cit/x',
      '.git::$INDEX_ALLOCATION',
      'a\\.git\\x',
      'a\0b',
      'a\nb',
      'x'.repeat(300),
      'y/'.repeat(3000),
    );
    for (const path of bad) expect([path, writablePath(path)]).toEqual([path, null]);
    for (const path of ['.gitignore', '.github/x', 'a b/ü', '-rf', 'git', '...'])
      expect(writablePath(path)).not.toBeNull();
  });
});

describe('merging', () => {
  test('a clean merge and a conflict equal git merge-tree', async () => {
    const base = await commitOn([], [{ action: 'create', path: 'f', content: text('1\n2\n3\n4\n5\n') }]);
    const ours = await commitOn([base], [{ action: 'update', path: 'f', content: text('1 ours\n2\n3\n4\n5\n') }]);
    const theirs = await commitOn([base], [{ action: 'update', path: 'f', content: text('1\n2\n3\n4\n5 theirs\n') }]);
    const rival = await commitOn([base], [{ action: 'update', path: 'f', content: text('1 rival\n2\n3\n4\n5\n') }]);
    const quarantine = await createQuarantine(repo);
    const clean = await mergeTree(quarantine, ours, theirs);
    expect(clean).toMatchObject({ clean: true, conflicts: [] });
    const file = await lookupPath(quarantine.repo, clean.treeId, 'f');
    expect((await readBlob(quarantine.repo, file?.id as Sha))?.data.toString()).toBe('1 ours\n2\n3\n4\n5 theirs\n');
    // Nothing of it is in the repository yet.
    expect(await readBlob(repo, file?.id as Sha)).toBeNull();
    const conflict = await mergeTree(quarantine, ours, rival);
    expect(conflict).toMatchObject({ clean: false, conflictPaths: ['f'] });
    expect(conflict.conflicts.map(({ stage }) => stage)).toEqual([1, 2, 3]);
    expect(conflict.notes.map(({ text }) => text).join('\n')).toContain('CONFLICT (content)');
    await discardQuarantine(quarantine);
  });

  test('cherry-pick, revert, rebase and squash', async () => {
    const lines = (first: string, last: string) => text(`${first}\n2\n3\n4\n5\n6\n7\n8\n${last}\n`);
    const base = await commitOn([], [{ action: 'create', path: 'f', content: lines('1', '9') }]);
    const target = await commitOn([base], [{ action: 'update', path: 'f', content: lines('one', '9') }], 'target');
    const first = await commitOn([base], [{ action: 'update', path: 'f', content: lines('1', 'nine') }], 'first');
    const second = await commitOn([first], [{ action: 'create', path: 'g', content: text('g') }], 'second');
    const quarantine = await createQuarantine(repo);
    const view = quarantine.repo;
    const content = async (id: Sha, path = 'f') =>
      (await readBlob(view, (await lookupPath(view, id, path))?.id as Sha))?.data.toString();

    const picked = await cherryPick(quarantine, first, { onto: target, committer: person });
    expect(picked.status === 'done' && (await content(picked.id))).toBe(
      lines('one', 'nine').reduce((s, c) => s + String.fromCharCode(c), ''),
    );
    expect(await cherryPick(quarantine, first, { onto: first, committer: person })).toEqual({ status: 'empty' });

    const reverted = await revert(quarantine, first, { onto: second, committer: person });
    expect(reverted.status === 'done' && (await readCommit(view, reverted.id))?.message).toBe(
      `Revert "first"\n\nThis reverts commit ${first}`,
    );
    // A root commit brought all of its files.
    const root = await revert(quarantine, base, { onto: base, committer: person });
    expect(root.status === 'done' && root.treeId).toBe(EMPTY_TREE);

    const rebased = await rebase(quarantine, { head: second, onto: target, committer: person });
    expect(rebased.status === 'done' && rebased.commits.map(({ from }) => from)).toEqual([first, second]);
    if (rebased.status === 'done') expect(await logIds(view, { from: [rebased.id], not: [target] })).toHaveLength(2);
    expect(await rebase(quarantine, { head: second, onto: base, committer: person })).toMatchObject({ id: second });

    const squashed = await squash(quarantine, {
      head: second,
      onto: target,
      author: person,
      committer: person,
      message: 'all',
    });
    expect(squashed.status === 'done' && (await readCommit(view, squashed.id))?.parents).toEqual([target]);
    if (squashed.status === 'done' && rebased.status === 'done') {
      expect(squashed.treeId).toBe((await readCommit(view, rebased.id))?.tree);
    }

    const rival = await commitOn([base], [{ action: 'update', path: 'f', content: lines('1', 'neuf') }], 'rival');
    expect(await rebase(quarantine, { head: second, onto: rival, committer: person })).toMatchObject({
      status: 'conflict',
      commit: first,
    });

    // Synthetic commits of the merges are gone: only what was returned is left.
    await migrateQuarantine(quarantine);
    const messages = fixture.plain(repo.path, ['fsck', '--unreachable', '--no-progress']).split('\n');
    const ids = messages
      .filter((line) => line.startsWith('unreachable commit '))
      .map((line) => line.split(' ')[2] ?? '');
    for (const id of ids)
      expect(fixture.plain(repo.path, ['log', '-1', '--format=%ae', id]).trim()).not.toBe('merge@localhost');
  });
});

describe('quarantine', () => {
  test('what is discarded never was; what is migrated is whole', async () => {
    const quarantine = await createQuarantine(repo);
    const id = await writeBlob(quarantine, text('only here'));
    expect((await readBlob(quarantine.repo, id))?.size).toBe(9);
    await expect(
      updateRefs(quarantine.repo, [{ ref: 'refs/heads/q' as RefName, new: tips[0] as Sha }]),
    ).rejects.toMatchObject({
      code: 'invalid',
    });
    await discardQuarantine(quarantine);
    expect(await readBlob(repo, id)).toBeNull();
    expect(existsSync(quarantine.path)).toBe(false);
    expect(await fsck(repo)).toEqual({ healthy: true, problems: [] });
  });

  test('the sweep removes old quarantines and leaves fresh ones', async () => {
    const quarantine = await createQuarantine(repo);
    await writeBlob(quarantine, text('left behind'));
    expect(await removeStaleQuarantines(repo)).toEqual([]);
    expect((await listQuarantines(repo)).map(({ path }) => path)).toEqual([quarantine.path]);
    expect(await removeStaleQuarantines(repo, 0)).toHaveLength(1);
    expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('incoming-'))).toEqual([]);
  });

  test('a whole API commit: edit, commit, migrate, move the reference', async () => {
    const parent = (await readRef(repo, 'refs/heads/main' as RefName)) as Sha;
    const quarantine = await createQuarantine(repo);
    const editor = createTreeEditor(quarantine, (await readCommit(repo, parent))?.tree ?? null);
    await editor.apply({ action: 'create', path: 'api/file.txt', content: text('by API') });
    const tree = await editor.write();
    const id = await createCommit(quarantine, {
      tree,
      parents: [parent],
      author: person,
      committer: person,
      message: 'API',
    });
    await migrateQuarantine(quarantine);
    await updateRefs(repo, [{ ref: 'refs/heads/main' as RefName, old: parent, new: id }]);
    expect(fixture.plain(repo.path, ['show', 'main:api/file.txt'])).toBe('by API');
    expect((await fsck(repo)).healthy).toBe(true);
  });
});
