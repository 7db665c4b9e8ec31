/** Archives, blame, repositories on disk, maintenance, and the budgets that all git processes share. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archive } from '../archive.ts';
import { blame } from '../blame.ts';
import { createGit, openRepository, type Repo, withCaller } from '../context.ts';
import { logIds } from '../history/log.ts';
import { readCommit } from '../objects/read.ts';
import { createLimiter, DEFAULT_BUDGETS } from '../process/limiter.ts';
import { runGit } from '../process/run.ts';
import { readHead } from '../refs/files.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { repoPath, type Sha } from '../types.ts';
import {
  copyRepository,
  diskSize,
  initRepository,
  moveRepository,
  removeRepository,
  repositoryExists,
} from './lifecycle.ts';
import { fsck, gitVersion, maintain, storeCounts } from './maintenance.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 81);
});
afterAll(() => fixture.close());

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const tarNames = (tar: Buffer) => execFileSync('tar', ['-tf', '-'], { input: tar }).toString().trim().split('\n');

describe('archive', () => {
  const tip = () => tips[0] as Sha;

  test('tar equals git archive; gzip, bzip2 and zip hold the same', async () => {
    const tar = await collect(await archive(repo, tip(), { format: 'tar', prefix: 'p-1' }));
    expect(tar.equals(fixture.bytes(repo.path, ['archive', '--format=tar', '--prefix=p-1/', tip()]))).toBe(true);
    const gzip = await collect(await archive(repo, tip(), { format: 'tar.gz', prefix: 'p-1' }));
    expect(gunzipSync(gzip).equals(tar)).toBe(true);
    const zip = await collect(await archive(repo, tip(), { format: 'zip', prefix: 'p-1' }));
    expect(zip.toString('latin1', 0, 2)).toBe('PK');
    const bzip2 = await archive(repo, tip(), { format: 'tar.bz2', prefix: 'p-1' }).then(
      collect,
      (error: unknown) => error,
    );
    if (Buffer.isBuffer(bzip2)) expect(execFileSync('bzip2', ['-dc'], { input: bzip2 }).equals(tar)).toBe(true);
    else expect(bzip2).toMatchObject({ code: 'unavailable' });
    const part = await collect(await archive(repo, tip(), { format: 'tar', prefix: 'x', path: 'moved' }));
    expect(tarNames(part).every((name) => name === 'x/' || name.startsWith('x/moved/'))).toBe(true);
  });

  test('security 4: absent and option-like paths are errors before the first byte', async () => {
    for (const path of ['none', '--output=/tmp/millrace-archive', '../..', '--exec=id']) {
      await expect(archive(repo, tip(), { format: 'tar', prefix: 'p', path })).rejects.toMatchObject({
        name: 'GitError',
      });
    }
    expect(existsSync('/tmp/millrace-archive')).toBe(false);
  });

  test('without bzip2 the format is unavailable', async () => {
    const bare = createGit({ path: '/nonexistent', binary: '/usr/bin/git' });
    const mine = openRepository(bare, repo.path);
    await expect(archive(mine, tip(), { format: 'tar.bz2', prefix: 'p' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await bare.close();
  });
});

describe('blame', () => {
  test('groups equal the lines of plain blame', async () => {
    const tip = tips[0] as Sha;
    for (const path of fixture
      .plain(repo.path, ['ls-tree', '-r', '-z', '--name-only', tip])
      .split('\0')
      .filter(Boolean)) {
      const groups = await blame(repo, tip, path);
      const ours = groups.flatMap(({ commit, lines }) => lines.map((line) => `${commit} ${line}`));
      const plain = fixture.plain(repo.path, ['blame', '--line-porcelain', tip, '--', path]).split('\n');
      const theirs: string[] = [];
      let commit = '';
      for (const row of plain) {
        if (row.startsWith('\t')) theirs.push(`${commit} ${row.slice(1)}`);
        else commit = /^([0-9a-f]{40}) /.exec(row)?.[1] ?? commit;
      }
      expect(ours).toEqual(theirs);
      expect(groups.map(({ start }) => start)).toEqual([...groups.map(({ start }) => start)].sort((a, b) => a - b));
    }
    const part = await blame(repo, tip, 'README.md', { from: 2, to: 3 });
    expect(part.flatMap(({ lines }) => lines)).toHaveLength(2);
  });

  test('absent files, bad ranges and option-like paths', async () => {
    const tip = tips[0] as Sha;
    await expect(blame(repo, tip, 'none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(blame(repo, tip, '--contents=/etc/passwd')).rejects.toMatchObject({ code: 'not_found' });
    await expect(blame(repo, tip, 'README.md', { from: 9999 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(blame(repo, tip, '../x')).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('repositories on disk', () => {
  test('init makes what git accepts, once', async () => {
    const path = repoPath(join(fixture.directory, 'deep/er/new.git'));
    await initRepository(path, { defaultBranch: 'trunk' });
    expect(await repositoryExists(path)).toBe(true);
    expect(fixture.plain(path, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/trunk');
    expect(fixture.plain(path, ['rev-parse', '--is-bare-repository']).trim()).toBe('true');
    await expect(initRepository(path)).rejects.toMatchObject({ code: 'exists' });
    await expect(initRepository(repoPath('/tmp/x'), { defaultBranch: '-x' })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(readdirSync(join(fixture.directory, 'deep/er'))).toEqual(['new.git']);
  });

  test('paths that git would misread are refused', () => {
    for (const path of ['relative', '/a/../b', '/a:b', '/a\nb', '/"a']) expect(() => repoPath(path)).toThrow();
    expect(repoPath('/data/@hashed/ab.git/')).toBe('/data/@hashed/ab.git');
  });

  test('copy, move, size, removal, and borrowed objects', async () => {
    const copy = openRepository(fixture.git, repoPath(join(fixture.directory, 'copy.git')));
    await copyRepository(repo, copy.path);
    expect((await fsck(copy)).healthy).toBe(true);
    expect(await diskSize(copy)).toBeGreaterThan(10_000);
    const moved = openRepository(fixture.git, repoPath(join(fixture.directory, 'moved/m.git')));
    expect(await readCommit(copy, tips[0] as Sha)).not.toBeNull();
    await moveRepository(fixture.git, copy.path, moved.path);
    expect(await readCommit(moved, tips[0] as Sha)).not.toBeNull();
    const fork = openRepository(fixture.git, repoPath(join(fixture.directory, 'fork.git')));
    await initRepository(fork.path, { alternates: [moved.path] });
    expect((await readCommit(fork, tips[0] as Sha))?.id).toBe(tips[0]);
    await maintain(fork);
    await maintain(fork, { full: true });
    await maintain(moved, { full: true, lent: true });
    const fresh = await fixture.create();
    await maintain(fresh);
    await maintain(fresh, { full: true });
    await removeRepository(fixture.git, moved.path);
    await removeRepository(fixture.git, moved.path);
    expect(await repositoryExists(moved.path)).toBe(false);
  });

  test('maintenance keeps every object and answer, damage is reported', async () => {
    const own = openRepository(fixture.git, repoPath(join(fixture.directory, 'kept.git')));
    await copyRepository(repo, own.path);
    const before = fixture.plain(own.path, ['rev-list', '--all', '--objects']).split('\n').sort();
    await maintain(own);
    await maintain(own, { full: true });
    expect(fixture.plain(own.path, ['rev-list', '--all', '--objects']).split('\n').sort()).toEqual(before);
    expect(await storeCounts(own)).toEqual({ looseObjects: 0, packs: 1 });
    expect(await fsck(own)).toEqual({ healthy: true, problems: [] });
    const pack = readdirSync(join(own.path, 'objects/pack')).find((name) => name.endsWith('.pack')) as string;
    execFileSync('chmod', ['u+w', join(own.path, 'objects/pack', pack)]);
    writeFileSync(join(own.path, 'objects/pack', pack), Buffer.alloc(500), { flag: 'r+' });
    expect((await fsck(own)).healthy).toBe(false);
  });

  test('the version of git is known, and a missing program is unavailable', async () => {
    expect(await gitVersion(fixture.git)).toMatch(/^2\.\d+/);
    const none = createGit({ binary: '/nonexistent/git' });
    await expect(gitVersion(none)).rejects.toMatchObject({ code: 'unavailable' });
    await none.close();
  });
});

describe('budgets', () => {
  test('a class runs so many at once, queues so many, refuses the next; anonymous callers have their own', async () => {
    const limiter = createLimiter({
      ...DEFAULT_BUDGETS,
      heavy: { ...DEFAULT_BUDGETS.heavy, concurrency: 2, queue: 1, waitMs: 10_000, timeoutMs: 1000 },
    });
    const releases = [await limiter.acquire('heavy', 'user'), await limiter.acquire('heavy', 'user')];
    const third = limiter.acquire('heavy', 'user');
    await expect(limiter.acquire('heavy', 'user')).rejects.toMatchObject({
      code: 'busy',
      message: 'the git budget heavy is used up: 2 at once, 1 waiting',
    });
    const anonymous = await limiter.acquire('heavy', 'anonymous');
    expect(limiter.usage()['heavy:user']).toEqual({ active: 2, waiting: 1 });
    releases[0]?.();
    releases[0]?.();
    (await third)();
    releases[1]?.();
    anonymous();
    expect(limiter.usage()).toEqual({
      'heavy:user': { active: 0, waiting: 0 },
      'heavy:anonymous': { active: 0, waiting: 0 },
    });
  });

  test('who leaves the queue takes no place', async () => {
    const limiter = createLimiter({
      ...DEFAULT_BUDGETS,
      read: { ...DEFAULT_BUDGETS.read, concurrency: 1, queue: 5, waitMs: 10_000, timeoutMs: 1000 },
    });
    const release = await limiter.acquire('read', 'user');
    const controller = new AbortController();
    const leaving = limiter.acquire('read', 'user', controller.signal);
    const staying = limiter.acquire('read', 'user');
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'aborted' });
    release();
    (await staying)();
    expect(limiter.usage()['read:user']).toEqual({ active: 0, waiting: 0 });
  });

  test('who waits too long is refused and leaves the queue', async () => {
    const limiter = createLimiter({
      ...DEFAULT_BUDGETS,
      anonymous_heavy: { ...DEFAULT_BUDGETS.anonymous_heavy, concurrency: 1, queue: 5, waitMs: 20, timeoutMs: 1000 },
    });
    const release = await limiter.acquire('heavy', 'anonymous');
    await expect(limiter.acquire('heavy', 'anonymous')).rejects.toMatchObject({
      code: 'busy',
      message: 'the git budget anonymous_heavy is used up: 1 at once, no place within 0.02 s',
    });
    expect(limiter.usage()['heavy:anonymous']).toEqual({ active: 1, waiting: 0 });
    release();
    (await limiter.acquire('heavy', 'anonymous'))();
  });

  test('time and output limits end the process', async () => {
    const slow = runGit(repo, ['cat-file', '--batch'], { work: 'read', timeoutMs: 100, input: never() });
    await expect(slow).rejects.toMatchObject({ code: 'timeout' });
    const loud = runGit(repo, ['log', '-p', '--all'], { work: 'read', maxBytes: 1000 });
    await expect(loud).rejects.toMatchObject({ code: 'limit' });
    await expect.poll(() => fixture.git.limiter.usage()['read:user']?.active).toBe(0);
  });

  test('nothing of the machine reaches git: no system, user or inherited configuration', async () => {
    const text = await runGit(repo, ['config', '--list', '--show-scope'], { work: 'read' });
    const scopes = new Set(
      text.stdout
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    );
    expect([...scopes].sort()).toEqual(['command', 'local']);
  });

  test('helpers end when idle and when there are too many, and start again', async () => {
    const own = createFixture({ maxHelpers: 2, helperIdleMs: 150 });
    const repositories = await Promise.all([1, 2, 3].map(() => own.create()));
    for (const one of repositories) {
      const ids = randomHistory(own, one, 5, 5);
      expect(await readCommit(one, ids[0] as Sha)).not.toBeNull();
      expect(own.git.helpers.size()).toBeLessThanOrEqual(2);
    }
    await expect.poll(() => own.git.helpers.size()).toBe(0);
    own.git.cache.clear();
    const first = withCaller(repositories[0] as Repo, 'anonymous');
    expect(await logIds(first, { from: [(await readHead(repositories[0] as Repo)) as Sha] })).not.toEqual([]);
    await own.close();
  });

  async function* never(): AsyncGenerator<Buffer> {
    await new Promise(() => {});
    yield Buffer.alloc(0);
  }
});
