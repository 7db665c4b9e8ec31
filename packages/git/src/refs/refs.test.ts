/** Names by git's own rules, revisions without git parsing them, snapshots, windows, transactions. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { removeStaleLocks } from '../repository/sweep.ts';
import { createFixture, type Fixture, random, randomHistory } from '../test-repository.ts';
import { type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { branchesMergedInto, refsContaining } from './containing.ts';
import { defaultBranch, readHead, readRef, setDefaultBranch } from './files.ts';
import { compareVersions, listRefs } from './list.ts';
import { branchRef, isCreatableRef, isWellFormed, parseRefName, tagRef } from './names.ts';
import { parseRevision, resolve, resolveCommit } from './resolve.ts';
import { advanceSnapshot, refsSnapshot } from './snapshot.ts';
import { updateRefs, updateRefsSeparately } from './update.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 7);
});
afterAll(() => fixture.close());

function gitAccepts(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', `refs/heads/${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('names', () => {
  test('security 22: the rules equal those of git check-ref-format', () => {
    const pieces = [
      'a',
      '.',
      '/',
      '..',
      '@',
      '{',
      '@{',
      '.lock',
      'lock',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '-',
      'ü',
      '\t',
      'b',
    ];
    const next = random(3);
    const names = new Set(pieces);
    while (names.size < 220) names.add(Array.from({ length: 1 + next(4) }, () => pieces[next(pieces.length)]).join(''));
    for (const name of names) expect([name, isWellFormed(`refs/heads/${name}`)]).toEqual([name, gitAccepts(name)]);
  });

  test('security 22: forty hexadecimal digits, HEAD and option-like names are no branches and no tags', () => {
    const hex = 'deadBEEF'.repeat(5);
    for (const name of [hex, 'HEAD', '-h', '--upload-pack=x', '-', 'refs/heads/x', 'a..b', 'a.lock', '', '@', 'x\n']) {
      expect([name, branchRef(name), tagRef(name)]).toEqual([name, null, null]);
      expect(isCreatableRef(`refs/heads/${name}`)).toBe(false);
      expect(isCreatableRef(`refs/tags/${name}`)).toBe(false);
    }
    expect(branchRef('feature/x')).toBe('refs/heads/feature/x');
    expect(isCreatableRef(`refs/heads/${hex}1`)).toBe(true);
    expect(isCreatableRef('refs/merge-requests/1/head')).toBe(true);
    for (const name of ['main', 'refs/', 'refs/x', 'HEAD', '../refs/heads/x']) expect(parseRefName(name)).toBeNull();
  });
});

describe('revisions', () => {
  test('every accepted form resolves as git does', async () => {
    const head = tips[0] as Sha;
    const forms = [
      'main',
      'HEAD',
      '@',
      'refs/heads/main',
      'heads/main',
      'v1.0',
      'tags/v1.0',
      'light',
      'feature/one',
      head,
    ];
    forms.push(head.slice(0, 8), head.slice(0, 7).toUpperCase());
    const suffixes = [
      '',
      '^{commit}',
      '^{tree}',
      '^{}',
      '~',
      '~1',
      '~3',
      '^',
      '^1',
      '^2',
      '^0',
      '~1^1',
      '~2^{tree}',
      '~99',
    ];
    for (const form of forms) {
      for (const suffix of suffixes) {
        let expected: string | null = null;
        try {
          const args = ['rev-parse', '-q', '--verify', '--end-of-options', form + suffix];
          expected = fixture.plain(repo.path, args).trim();
        } catch {}
        expect([form + suffix, await resolve(repo, form + suffix)]).toEqual([form + suffix, expected]);
      }
    }
  });

  test('security 4: options, ranges, paths and other syntax are refused before git starts', async () => {
    const bad = [
      '-h',
      '--output=/tmp/x',
      '--upload-pack=id',
      '--all',
      'main..feature/one',
      '^main',
      'main:README.md',
      ':/Change',
    ];
    bad.push(
      'main@{1}',
      '@{-1}',
      'main^{/x}',
      'main^!',
      'main^@',
      'main^-',
      'a b',
      'main\n',
      'main\0',
      '',
      '~1',
      'x'.repeat(2000),
    );
    bad.push('../../HEAD', 'refs/heads/../../HEAD', '*', 'main~9999999', '$(id)', '`id`');
    for (const text of bad) expect([text, await resolve(repo, text)]).toEqual([text, null]);
    for (const text of ['-h', 'main..x', 'main:x', '@{u}', 'main^@']) expect(parseRevision(text)).toBeNull();
  });

  test('security 22: a reference named like an object id never wins over the object', async () => {
    const [head, other] = tips as [Sha, Sha];
    const path = join(repo.path, 'refs/heads', other);
    writeFileSync(path, `${head}\n`);
    expect(await resolve(repo, other)).toBe(other);
    expect(await resolve(repo, 'f'.repeat(40))).toBeNull();
    execFileSync('rm', [path]);
  });

  test('branch or tag first where both exist, and hidden references do not resolve', async () => {
    const [head, other] = tips as [Sha, Sha];
    await updateRefs(repo, [
      { ref: 'refs/heads/both' as RefName, old: ZERO_SHA, new: head },
      { ref: 'refs/tags/both' as RefName, old: ZERO_SHA, new: other },
    ]);
    expect(await resolve(repo, 'both')).toBe(other);
    expect(await resolve(repo, 'both', { prefer: 'branch' })).toBe(head);
    expect(await resolve(repo, 'both', { visible: (ref) => !ref.startsWith('refs/tags/') })).toBe(head);
    expect(await resolveCommit(repo, 'v1.0')).toBe(fixture.plain(repo.path, ['rev-parse', 'v1.0^{commit}']).trim());
    expect(await resolveCommit(repo, `${head}^{tree}`)).toBeNull();
  });

  test('loose, packed and changed-after-packing references are all read', async () => {
    const other = await fixture.create();
    const ids = randomHistory(fixture, other, 9);
    fixture.plain(other.path, ['pack-refs', '--all']);
    expect(await readRef(other, 'refs/heads/main' as RefName)).toBe(
      fixture.plain(other.path, ['rev-parse', 'main']).trim(),
    );
    fixture.plain(other.path, ['update-ref', 'refs/heads/main', ids.at(-1) as string]);
    expect(await readRef(other, 'refs/heads/main' as RefName)).toBe(ids.at(-1));
    fixture.plain(other.path, ['update-ref', '-d', 'refs/heads/main']);
    expect(await readRef(other, 'refs/heads/main' as RefName)).toBeNull();
    expect(await readRef(other, 'refs/heads/feature' as RefName)).toBeNull();
    expect(await readHead(other)).toBeNull();
  });
});

describe('snapshots', () => {
  test('a snapshot equals for-each-ref, is kept per generation, and advances without git', async () => {
    const other = await fixture.create();
    const ids = randomHistory(fixture, other, 11);
    const printed = () =>
      fixture.plain(other.path, ['for-each-ref', '--format=%(refname) %(objectname) %(*objectname)']).trim();
    const shown = async (generation: number) =>
      (await refsSnapshot(other, generation)).refs
        .map((entry) => `${entry.ref} ${entry.id} ${entry.peeled ?? ''}`)
        .join('\n');
    expect(await shown(1)).toBe(printed());
    fixture.plain(other.path, ['update-ref', 'refs/heads/new', ids[0] as string]);
    expect(await shown(1)).not.toBe(printed());
    expect(await shown(2)).toBe(printed());
    const updates = [
      { ref: 'refs/heads/zzz' as RefName, new: ids[0] as Sha },
      { ref: 'refs/heads/new' as RefName, new: ZERO_SHA },
      { ref: 'refs/tags/copy' as RefName, new: (await readRef(other, 'refs/tags/v1.0' as RefName)) as Sha },
    ];
    await updateRefs(other, updates);
    await advanceSnapshot(other, 2, 3, updates);
    const key = `refs${other.key}`;
    expect(fixture.git.cache.get(key)).toMatchObject({ generation: 3 });
    expect(await shown(3)).toBe(printed());
  });

  test('windows: prefix, search, sorting by date and version, paging', async () => {
    const snapshot = await refsSnapshot(repo, 1);
    const names = async (query: Partial<Parameters<typeof listRefs>[2]>) =>
      (await listRefs(repo, snapshot, { prefix: 'refs/heads/', ...query })).refs.map(({ name }) => name);
    const all = await names({});
    expect(all).toContain('feature/one');
    expect(await names({ search: 'TURE' })).toEqual(['feature/one']);
    expect(await names({ search: '^fea' })).toEqual(['feature/one']);
    expect(await names({ search: 'one$' })).toEqual(['feature/one']);
    expect(await names({ search: '^one' })).toEqual([]);
    expect(await names({ skip: 1, limit: 1 })).toEqual(all.slice(1, 2));
    expect(await names({ after: 'feature/one' })).toEqual(all.slice(all.indexOf('feature/one') + 1));
    const byDate = fixture.plain(repo.path, [
      'for-each-ref',
      '--sort=committerdate',
      '--format=%(refname:short)',
      'refs/heads/feature',
      'refs/heads/main',
      'refs/heads/two',
    ]);
    const ours = (await names({ sort: 'updated_asc' })).filter((name) => name !== 'both').join('\n');
    expect(ours.split('\n').sort()).toEqual(byDate.trim().split('\n').sort());
    expect((await names({ sort: 'updated_desc' }))[0]).toBe((await names({ sort: 'updated_asc' })).at(-1));
    expect(['v1.10', 'v1.9', 'v1.9-rc1', 'v1.9.1'].sort(compareVersions)).toEqual([
      'v1.9-rc1',
      'v1.9',
      'v1.9.1',
      'v1.10',
    ]);
  });

  test('containing and merged equal plain git', async () => {
    const old = shaFromGit(fixture.plain(repo.path, ['rev-parse', 'main~2']).trim());
    const expected = fixture.plain(repo.path, [
      'for-each-ref',
      `--contains=${old}`,
      '--format=%(refname)',
      'refs/heads/',
    ]);
    expect(await refsContaining(repo, old, { prefix: 'refs/heads/' })).toEqual(expected.trim().split('\n'));
    const merged = fixture.plain(repo.path, ['for-each-ref', '--merged=main', '--format=%(refname)', 'refs/heads/']);
    expect([...(await branchesMergedInto(repo, await mainTip()))]).toEqual(merged.trim().split('\n'));
  });
});

async function mainTip(): Promise<Sha> {
  return (await readRef(repo, 'refs/heads/main' as RefName)) as Sha;
}

describe('updates', () => {
  const ref = (name: string) => `refs/heads/${name}` as RefName;

  test('a transaction is all or nothing, and says why', async () => {
    const [a, b] = tips as [Sha, Sha];
    await updateRefs(repo, [{ ref: ref('up/one'), old: ZERO_SHA, new: a }]);
    const failing = async (code: string, update: { ref: RefName; old?: Sha; new: Sha }) => {
      await expect(updateRefs(repo, [{ ref: ref('side'), new: a }, update])).rejects.toMatchObject({ code });
      expect(await readRef(repo, ref('side'))).toBeNull();
    };
    await failing('conflict', { ref: ref('up/one'), old: b, new: a });
    await failing('exists', { ref: ref('up/one'), old: ZERO_SHA, new: b });
    await failing('conflict', { ref: ref('absent'), old: a, new: b });
    await failing('conflict', { ref: ref('absent'), old: a, new: ZERO_SHA });
    await failing('directory_conflict', { ref: ref('up'), old: ZERO_SHA, new: a });
    await failing('directory_conflict', { ref: ref('up/one/two'), old: ZERO_SHA, new: a });
    await failing('not_found', { ref: ref('missing'), old: ZERO_SHA, new: 'deadbeef'.repeat(5) as Sha });
    await updateRefs(repo, [{ ref: ref('up/one'), old: a, new: ZERO_SHA }]);
    expect(await readRef(repo, ref('up/one'))).toBeNull();
  });

  test('separately: the good ones are done, each bad one has its reason', async () => {
    const [a, b] = tips as [Sha, Sha];
    const results = await updateRefsSeparately(repo, [
      { ref: ref('s1'), old: ZERO_SHA, new: a },
      { ref: ref('s2'), old: b, new: a },
      { ref: ref('s3'), old: ZERO_SHA, new: b },
    ]);
    expect(results.map(({ error }) => error?.code ?? null)).toEqual([null, 'conflict', null]);
    expect(await readRef(repo, ref('s3'))).toBe(b);
  });

  test('a lock file of a dead writer blocks until the sweep removes it', async () => {
    const lock = join(repo.path, 'refs/heads/locked/x.lock');
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    const update = { ref: ref('locked/x'), old: ZERO_SHA, new: tips[0] as Sha };
    await expect(updateRefs(repo, [update])).rejects.toMatchObject({ code: 'locked' });
    expect(await removeStaleLocks(repo, 3_600_000)).toEqual([]);
    expect((await removeStaleLocks(repo)).map(({ path }) => path)).toEqual([lock]);
    await updateRefs(repo, [update]);
  });

  test('of many concurrent writers with the same expectation exactly one wins', async () => {
    const [a, b, c] = tips as [Sha, Sha, Sha];
    await updateRefs(repo, [{ ref: ref('race'), old: ZERO_SHA, new: a }]);
    const attempts = Array.from({ length: 8 }, (_, i) =>
      updateRefs(repo, [{ ref: ref('race'), old: a, new: i % 2 ? b : c }]),
    );
    const done = await Promise.allSettled(attempts);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('the default branch can be set, also to one that does not exist yet', async () => {
    expect(await defaultBranch(repo)).toBe('main');
    await setDefaultBranch(repo, 'feature/one');
    expect(fixture.plain(repo.path, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/feature/one');
    await expect(setDefaultBranch(repo, '../x')).rejects.toMatchObject({ code: 'invalid' });
    await setDefaultBranch(repo, 'main');
  });
});
