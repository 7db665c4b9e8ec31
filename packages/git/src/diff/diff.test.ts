/** Parsed differences against plain git: files, line counts, patches that apply, limits, odd names. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { type Sha, shaFromGit } from '../types.ts';
import { changedFiles, commitDiff, diff, patchStream } from './diff.ts';
import { createDiffParser, DEFAULT_DIFF_LIMITS } from './parse.ts';
import { unquotePath } from './quote.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 31, 60);
});
afterAll(() => fixture.close());

/** A tree from `mode name content` rows, through plain git. */
function tree(rows: [string, string, string | Buffer][]): Sha {
  const lines = rows.map(([mode, name, content]) => {
    const id = mode === '160000' ? content : fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], content).trim();
    return `${mode} ${mode === '160000' ? 'commit' : 'blob'} ${id}\t${name}\0`;
  });
  return shaFromGit(fixture.plain(repo.path, ['mktree', '-z'], lines.join('')).trim());
}

describe('diff', () => {
  test('files, statuses and counts of every commit equal plain git', async () => {
    for (const id of fixture.plain(repo.path, ['rev-list', '--all']).trim().split('\n').map(shaFromGit)) {
      const parsed = await commitDiff(repo, id);
      const args = ['show', '-m', '--first-parent', '--format=', '-z', '-M30%', '--numstat', id];
      const numbers = fixture.plain(repo.path, args).split('\0');
      let at = 0;
      for (const file of parsed.files) {
        const [, added, deleted, path] = /^(\S+)\t(\S+)\t(.*)$/s.exec((numbers[at] ?? '').replace(/^\n/, '')) ?? [];
        at += path === '' ? 3 : 1;
        expect([file.newPath, file.additions, file.deletions]).toEqual([
          path === '' ? numbers[at - 1] : path,
          Number(added) || 0,
          Number(deleted) || 0,
        ]);
        expect(file.patch === '' || file.patch.startsWith('@@')).toBe(true);
      }
      expect(parsed.files.length).toBe(parsed.totalFiles);
      const changed = await changedFiles(
        repo,
        (fixture.plain(repo.path, ['rev-list', '--parents', '-1', id]).trim().split(' ')[1] as Sha) ?? null,
        id,
      );
      expect(changed.map(({ newPath, status }) => [newPath, status])).toEqual(
        parsed.files.map(({ newPath, status }) => [newPath, status]),
      );
    }
  });

  test('patches put back together with headers apply and give the other tree', async () => {
    const [a, b] = [tips[0] as Sha, tips[1] as Sha];
    const { files } = await diff(repo, a, b);
    const quote = (path: string) =>
      /["\t]/.test(path) ? `"${path.replace(/"/g, '\\"').replace(/\t/g, '\\t')}"` : path;
    const text = files.map((file) => {
      const head = [`diff --git ${quote(`a/${file.oldPath}`)} ${quote(`b/${file.newPath}`)}`];
      if (file.newFile) head.push(`new file mode ${file.bMode}`);
      else if (file.deletedFile) head.push(`deleted file mode ${file.aMode}`);
      else if (file.aMode !== file.bMode) head.push(`old mode ${file.aMode}`, `new mode ${file.bMode}`);
      if (file.renamedFile) head.push(`rename from ${quote(file.oldPath)}`, `rename to ${quote(file.newPath)}`);
      if (file.patch) {
        head.push(`--- ${file.newFile ? '/dev/null' : quote(`a/${file.oldPath}`)}`);
        head.push(`+++ ${file.deletedFile ? '/dev/null' : quote(`b/${file.newPath}`)}`);
      }
      return `${head.join('\n')}\n${file.patch}`;
    });
    const run = (args: string[], input?: string) => fixture.plain(repo.path, ['-c', 'core.bare=false', ...args], input);
    fixture.plain(fixture.directory, ['init', '-q', 'work']);
    const work = `${fixture.directory}/work`;
    fixture.plain(work, ['fetch', '-q', repo.path, `${a}`, `${b}`]);
    fixture.plain(work, ['checkout', '-q', a]);
    fixture.plain(work, ['apply', '--index', '--whitespace=nowarn'], text.join(''));
    expect(fixture.plain(work, ['write-tree'])).toBe(run(['rev-parse', `${b}^{tree}`]));
  });

  test('binary files, modes, links, submodules and type changes', async () => {
    const commit = tips[0] as string;
    const from = tree([
      ['100644', 'bin', 'a\0b'],
      ['100644', 'mode', 'same\n'],
      ['120000', 'link', 'mode'],
      ['160000', 'sub', commit],
      ['100644', 'eof', 'no newline'],
    ]);
    const to = tree([
      ['100644', 'bin', 'a\0c'],
      ['100755', 'mode', 'same\n'],
      ['100644', 'link', 'now a file\n'],
      ['160000', 'sub', tips[1] as string],
      ['100644', 'eof', 'no newline\nat all'],
    ]);
    const { files } = await diff(repo, from, to);
    const by = (path: string) => files.filter((file) => file.newPath === path);
    expect(by('bin')[0]).toMatchObject({ binary: true, patch: 'Binary files a/bin and b/bin differ\n', additions: 0 });
    expect(by('mode')[0]).toMatchObject({ aMode: '100644', bMode: '100755', patch: '' });
    expect(by('link').map(({ status }) => status)).toEqual(['deleted', 'added']);
    expect(by('link')[1]).toMatchObject({ newFile: true, bMode: '100644', patch: '@@ -0,0 +1 @@\n+now a file\n' });
    expect(by('sub')[0]?.patch).toContain(`+Subproject commit ${tips[1]}`);
    expect(by('eof')[0]?.patch).toContain('\\ No newline at end of file');
  });

  test('security 4: names and contents that imitate patches do not confuse the parser', async () => {
    const names = ['a\ndiff --git x y', '"q"\\', '-p', ':0 x', 'tab\there'];
    const hostile =
      'diff --git a/evil b/evil\n@@ -1 +1 @@\n-x\n+y\n--- a/z\n+++ b/z\nBinary files a and b differ\n:100644\n';
    const from = tree(names.map((name) => ['100644', name, 'one\n']));
    const to = tree(names.map((name) => ['100644', name, hostile]));
    const { files } = await diff(repo, from, to);
    expect(files.map(({ newPath }) => newPath).sort()).toEqual([...names].sort());
    for (const file of files) expect(file).toMatchObject({ additions: 8, deletions: 1, binary: false });
    expect((await diff(repo, from, to, { paths: ['-p'] })).files).toHaveLength(1);
  });

  test('limits leave patches out and say so, counts stay right', async () => {
    const content = (n: number) => 'x\n'.repeat(n);
    const to = tree([
      ['100644', 'a', content(10)],
      ['100644', 'b', content(5000)],
      ['100644', 'c', content(10)],
      ['100644', 'd', `${'y'.repeat(3_000_000)}\n`],
    ]);
    const some = await diff(repo, null, to, { limits: { maxPatchBytes: 1000 } });
    expect(some.files.map(({ tooLarge, additions }) => [tooLarge, additions])).toEqual([
      [false, 10],
      [true, 5000],
      [false, 10],
      [true, 1],
    ]);
    const collapsed = await diff(repo, null, to, { limits: { maxLines: 15 } });
    expect(collapsed.files.map((file) => file.collapsed)).toEqual([false, true, true, false]);
    expect(collapsed.overflow).toBe(true);
    const few = await diff(repo, null, to, { limits: { maxFiles: 2 } });
    expect(few).toMatchObject({ totalFiles: 4, overflow: true, additions: 5021 });
    expect(few.files).toHaveLength(2);
  });

  test('any chunking of the stream gives the same result', async () => {
    const raw = fixture.bytes(repo.path, [
      'diff-tree',
      '-r',
      '--raw',
      '-p',
      '--full-index',
      tips[0] as string,
      tips[1] as string,
    ]);
    const whole = createDiffParser(DEFAULT_DIFF_LIMITS);
    whole.write(raw);
    const bytewise = createDiffParser(DEFAULT_DIFF_LIMITS);
    for (let at = 0; at < raw.length; at += 1) bytewise.write(raw.subarray(at, at + 1));
    expect(bytewise.end()).toEqual(whole.end());
  });

  test('quoted names come back', () => {
    expect(unquotePath('"a\\tb\\"c\\\\\\303\\274\\n"')).toBe('a\tb"c\\ü\n');
    expect(unquotePath('plain"')).toBe('plain"');
  });
});

test('a patch as text is what git says, is kept when it was read to its end, and not when its reader left', async () => {
  const [from, to] = [tips[0] as Sha, tips.at(-1) as Sha];
  const expected = fixture.plain(repo.path, [
    '-c',
    'core.quotePath=false',
    'diff-tree',
    '-r',
    '-p',
    '--find-renames=30%',
    from,
    to,
  ]);
  const before = repo.git.cache.bytes();
  const left = await patchStream(repo, from, to);
  left.destroy();
  await new Promise((resolve) => left.once('close', resolve));
  expect(repo.git.cache.bytes()).toBe(before);
  const read = async () => Buffer.concat(await Array.fromAsync(await patchStream(repo, from, to))).toString();
  expect((await read()).trim()).toBe(expected.trim());
  expect(repo.git.cache.bytes()).toBeGreaterThan(before + expected.length);
  expect((await read()).trim()).toBe(expected.trim());
  await expect(Array.fromAsync(await patchStream(repo, from, shaFromGit('1'.repeat(40))))).rejects.toThrow();
});

test('patches of many commits come whole from one process, at the same time too, and long ones as fast as they are read', async () => {
  const commits = fixture.plain(repo.path, ['rev-list', '--all']).trim().split('\n').map(shaFromGit);
  const pairs = commits.slice(1, 12).map((to, at) => [commits[at] as Sha, to] as const);
  const plain = (from: Sha, to: Sha) =>
    fixture.plain(repo.path, ['-c', 'core.quotePath=false', 'diff-tree', '-r', '-p', '--find-renames=30%', from, to]);
  const read = async (from: Sha, to: Sha) =>
    Buffer.concat(await Array.fromAsync(await patchStream(repo, from, to))).toString();
  for (const [from, to] of pairs) expect((await read(from, to)).trim()).toBe(plain(from, to).trim());
  const turned = pairs.map(([from, to]) => [to, from] as const);
  const together = await Promise.all(turned.map(([from, to]) => read(from, to)));
  expect(together.map((text) => text.trim())).toEqual(turned.map(([from, to]) => plain(from, to).trim()));
  // Of the same tree there is nothing to say.
  expect(await read(commits[0] as Sha, commits[0] as Sha)).toBe('');

  const lines = (word: string) => Array.from({ length: 150_000 }, (_none, at) => `${word} ${at}`).join('\n');
  const commit = (text: string) => {
    const made = ['commit-tree', tree([['100644', 'long', text]]), '-m', 'Long'];
    return shaFromGit(fixture.plain(repo.path, made).trim());
  };
  const [a, b] = [commit(lines('old')), commit(lines('new'))];
  const slow = await patchStream(repo, a, b);
  let bytes = 0;
  for await (const chunk of slow) {
    if (bytes === 0) expect(await read(commits[2] as Sha, commits[5] as Sha)).toContain('diff --git');
    bytes += (chunk as Buffer).length;
  }
  expect(bytes).toBe(fixture.plain(repo.path, ['diff-tree', '-r', '-p', a, b]).length);
  expect(bytes).toBeGreaterThan(3_000_000);
});
