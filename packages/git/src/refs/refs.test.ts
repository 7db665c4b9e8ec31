/** Names by git's own rules, revisions without git parsing them, snapshots, windows, transactions. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGit, type Repo } from '../context.ts';
import { guarded } from '../process/guard.ts';
import { packRefs, tend } from '../repository/maintenance.ts';
import { removeStaleLocks } from '../repository/sweep.ts';
import { createFixture, type Fixture, random, randomHistory } from '../test-repository.ts';
import { type RefName, type RepoPath, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { branchesMergedInto, refsContaining } from './containing.ts';
import { defaultBranch, packedEntries, packedRefs, readHead, readRef, setDefaultBranch } from './files.ts';
import { compareVersions, listRefs } from './list.ts';
import { branchRef, isCreatableRef, isWellFormed, parseRefName, tagRef } from './names.ts';
import { parseRevision, resolve, resolveCommit } from './resolve.ts';
import { advanceSnapshot, rangeOf, refNamed, refsSnapshot } from './snapshot.ts';
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
    for (const name of [`${hex}/x`, `${hex}-/x`]) expect([name, branchRef(name)]).toEqual([name, null]);
    expect([branchRef(`${hex}-x`), branchRef(`x/${hex}`)]).toEqual([`refs/heads/${hex}-x`, `refs/heads/x/${hex}`]);
    for (const name of [`${hex}1`, `${hex}${hex.slice(16)}`, `${hex}-x`, `${hex}/x`])
      expect([name, tagRef(name)]).toEqual([name, null]);
    expect(tagRef(`v${hex}`)).toBe(`refs/tags/v${hex}`);
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
    expect(fixture.git.snapshots.get(key)).toMatchObject({ generation: 3 });
    expect(await shown(3)).toBe(printed());
  });

  test('many references: packed and loose ones, nested tags, any order of the file, found by name', async () => {
    const other = await fixture.create();
    const [tip = '' as Sha, older = tip] = randomHistory(fixture, other, 13);
    const plain = (...args: string[]) => fixture.plain(other.path, args).trim();
    for (const [name, target] of [
      ['inner', tip],
      ['outer', 'inner'],
    ] as const)
      plain('tag', '-a', '-m', name, name, target);
    plain('tag', '-a', '-m', 'of a tree', 'tree', `${tip}^{tree}`);
    const names = Array.from({ length: 3000 }, (_, index) => `refs/heads/many/${index % 7}/branch-${index}`);
    for (const name of ['refs/heads/Ünï', 'refs/heads/\u{1f30a}', 'refs/heads/\uff5e', 'refs/keep/x']) names.push(name);
    fixture.plain(other.path, ['update-ref', '--stdin'], names.map((name) => `create ${name} ${tip}\n`).join(''));
    const equal = async (generation: number) => {
      const snapshot = await refsSnapshot(other, generation);
      const shown = snapshot.refs.map(({ ref, id, peeled }) => `${id} ${ref}${peeled ? `\n${peeled} ${ref}^{}` : ''}`);
      expect(shown.join('\n')).toBe(plain('show-ref', '--dereference'));
      for (const { ref, id } of snapshot.refs) if (refNamed(snapshot, ref)?.id !== id) throw new Error(`lost ${ref}`);
      expect(refNamed(snapshot, 'refs/heads/many')).toBeNull();
      return snapshot;
    };
    // So many loose ones are read by git, packed ones by us.
    await equal(1);
    plain('pack-refs', '--all');
    const packed = await equal(2);
    for (const { ref, id } of packed.refs) expect(await readRef(other, ref)).toBe(id);
    for (const name of ['refs/a', 'refs/heads/many/3', 'refs/heads/many/3/branch-1', 'refs/zzz/z'])
      expect(await readRef(other, name as RefName)).toBeNull();
    plain('update-ref', 'refs/heads/many/0/branch-0', older);
    plain('update-ref', '-d', 'refs/heads/many/1/branch-1');
    plain('tag', '-a', '-m', 'late', 'late', 'outer');
    const mixed = await equal(3);
    const [from, to] = rangeOf(mixed, 'refs/heads/many/2/');
    expect(mixed.refs.slice(from, to).map(({ ref }) => ref)).toEqual(
      mixed.refs.map(({ ref }) => ref).filter((ref) => ref.startsWith('refs/heads/many/2/')),
    );
    // Another program may have written them without an order.
    const { readFileSync } = await import('node:fs');
    const file = join(other.path, 'packed-refs');
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const groups: string[] = [];
    for (const line of lines) line.startsWith('^') ? groups.push(`${groups.pop()}\n${line}`) : groups.push(line);
    writeFileSync(file, `# pack-refs with: peeled fully-peeled \n${groups.reverse().join('\n')}\n`);
    for (const { ref, id } of mixed.refs) expect(await readRef(other, ref)).toBe(id);
    await equal(4);
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

  test('lock files of killed writers are no obstacle, whatever they lock', async () => {
    const locks = ['refs/heads/locked/x.lock', 'packed-refs.lock', 'packed-refs.new', 'HEAD.lock'];
    const leave = () => {
      mkdirSync(join(repo.path, 'refs/heads/locked'), { recursive: true });
      for (const name of locks) writeFileSync(join(repo.path, name), '');
    };
    leave();
    const tip = tips[0] as Sha;
    expect(await removeStaleLocks(repo, { minAgeMs: 3_600_000 })).toEqual([]);
    await updateRefs(repo, [{ ref: ref('locked/x'), old: ZERO_SHA, new: tip }]);
    expect(locks.filter((name) => existsSync(join(repo.path, name)))).toEqual([]);
    await packRefs(repo);
    leave();
    await updateRefs(repo, [{ ref: ref('locked/x'), old: tip, new: ZERO_SHA }]);
    expect(await readRef(repo, ref('locked/x'))).toBeNull();
    leave();
    await setDefaultBranch(repo, 'main');
    expect((await removeStaleLocks(repo)).length).toBeGreaterThan(0);
  });

  test('packed references of any length and script are all read, with what their tags lead to', async () => {
    const own = await fixture.create();
    const tip = randomHistory(fixture, own, 3, 2)[0] as Sha;
    const names = Array.from(
      { length: 3000 },
      (_, at) => `refs/tags/${at % 7 === 0 ? 'größe-水' : 'v'}${String(at).padStart(5, '0')}`,
    );
    const lines = names.map((name, at) => ({ name, text: `${tip} ${name}\n${at % 3 === 0 ? `^${tip}\n` : ''}` }));
    lines.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    writeFileSync(
      join(own.path, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${lines.map(({ text }) => text).join('')}`,
    );
    const read = [];
    for await (const batch of packedEntries(await packedRefs(own))) read.push(...batch);
    expect(read).toEqual(
      lines.map(({ name, text }) => ({ ref: name, id: tip, peeled: text.includes('^') ? tip : null })),
    );
  });

  test('packing references leaves no lock: not when git is killed, and not when its server was', async () => {
    const lock = join(repo.path, 'refs/heads/nobody-writes-me.lock');
    const binary = join(repo.path, 'killed-git');
    writeFileSync(binary, `#!/bin/sh\n: > '${lock}'\nkill -9 $$\n`, { mode: 0o755 });
    await expect(packRefs({ ...repo, git: createGit({ binary }) })).rejects.toThrow('ended by a signal');
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, '');
    await tend(repo);
    expect(existsSync(lock)).toBe(false);
  });

  test('nothing moves when the last word is no, or git is killed before it', async () => {
    const [a, b] = tips as [Sha, Sha];
    const names = ['word/1', 'word/2'];
    await updateRefs(
      repo,
      names.map((name) => ({ ref: ref(name), old: ZERO_SHA, new: a })),
    );
    const moving = (last: () => Promise<void>) =>
      updateRefs(
        repo,
        names.map((name) => ({ ref: ref(name), old: a, new: b })),
        last,
      );
    const locked = () => names.map((name) => existsSync(join(repo.path, `refs/heads/${name}.lock`)));
    await expect(
      moving(async () => {
        expect(locked()).toEqual([true, true]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(locked()).toEqual([false, false]);
    await expect(
      moving(async () => {
        const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
        const moves = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('update-ref');
        for (const pid of children.filter(moves)) process.kill(Number(pid), 'SIGKILL');
      }),
    ).rejects.toMatchObject({ exitCode: null });
    expect(locked()).toEqual([false, false]);
    for (const name of names) expect(await readRef(repo, ref(name))).toBe(a);
    await moving(async () => undefined);
    for (const name of names) expect(await readRef(repo, ref(name))).toBe(b);
  });

  test('a guard is held against the git of every process, and ends with whoever holds it', async () => {
    const tip = tips[0] as Sha;
    const order: string[] = [];
    const holder = spawn('flock', ['-F', join(repo.path, 'refs.guard'), 'cat']);
    await new Promise((resolve) => {
      holder.stdout.once('data', resolve);
      holder.stdin.write('x');
    });
    // Two of them: a single one is moved without git.
    const pair = ['guarded', 'guarded-too'].map((name) => ({ ref: ref(name), old: ZERO_SHA, new: tip }));
    const moved = updateRefs(repo, pair).then(() => order.push('moved'));
    const mine = guarded(repo, 'objects', async () => order.push('another guard'));
    await mine;
    expect(await readRef(repo, ref('guarded'))).toBeNull();
    order.push('killed');
    holder.kill('SIGKILL');
    await moved;
    expect(order).toEqual(['another guard', 'killed', 'moved']);
    await expect(guarded({ ...repo, path: '/nonexistent' as RepoPath }, 'refs', async () => 1)).rejects.toMatchObject({
      code: 'missing',
    });
  });

  test('of many concurrent writers with the same expectation exactly one wins', { retry: 0 }, async () => {
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
