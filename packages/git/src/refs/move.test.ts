/** A single reference moved without git, beside git. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Repo } from '../context.ts';
import { packRefs, tend } from '../repository/maintenance.ts';
import { removeStaleLocks } from '../repository/sweep.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { readRef } from './files.ts';
import { moveAlone } from './move.ts';
import { clearLocks, updateRefs } from './update.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];
const ref = (name: string) => `refs/heads/${name}` as RefName;

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 7);
});
afterAll(() => fixture.close());

test('a single one moves without git, and leaves to git what it has more to say about', async () => {
  const [a, b] = tips as [Sha, Sha];
  const name = (text: string) => `alone/${text}`;
  const file = (text: string) => join(repo.path, 'refs/heads', name(text));
  const alone = (text: string, old: Sha | undefined, id: Sha, last?: () => Promise<void>) =>
    moveAlone(repo, { ref: ref(name(text)), ...(old ? { old } : {}), new: id }, last);
  expect(await alone('x', ZERO_SHA, a)).toBe(true);
  expect(readFileSync(file('x'), 'utf8')).toBe(`${a}\n`);
  await packRefs(repo);
  expect(existsSync(file('x'))).toBe(false);
  await expect(alone('x', ZERO_SHA, b)).rejects.toMatchObject({ code: 'exists' });
  await expect(alone('x', b, a)).rejects.toMatchObject({ code: 'conflict' });
  await expect(alone('y', a, b)).rejects.toMatchObject({ code: 'conflict' });
  expect(await alone('x', a, b)).toBe(true);
  expect(fixture.plain(repo.path, ['rev-parse', ref(name('x'))]).trim()).toBe(b);
  // Seen by git before and after it has packed them: nothing else would do.
  fixture.plain(repo.path, ['pack-refs', '--all', '--prune']);
  expect(await readRef(repo, ref(name('x')))).toBe(b);
  const tree = shaFromGit(fixture.plain(repo.path, ['rev-parse', 'main^{tree}']).trim());
  expect(await alone('tree', ZERO_SHA, tree)).toBe(false);
  expect(await alone('none', ZERO_SHA, 'deadbeef'.repeat(5) as Sha)).toBe(false);
  expect(await alone('x/below', ZERO_SHA, a)).toBe(false);
  expect(await moveAlone(repo, { ref: ref('alone'), old: ZERO_SHA, new: a })).toBe(false);
  expect(await alone('y/deep', ZERO_SHA, a)).toBe(true);
  expect(await alone('y', ZERO_SHA, a)).toBe(false);
  expect(await alone('y/deep/er', ZERO_SHA, a)).toBe(false);
  writeFileSync(file('symbolic'), 'ref: refs/heads/main\n');
  expect(await alone('symbolic', undefined, a)).toBe(false);
  expect(readFileSync(file('symbolic'), 'utf8')).toBe('ref: refs/heads/main\n');
  writeFileSync(`${file('z')}.lock`, '');
  expect(await alone('z', ZERO_SHA, a)).toBe(false);
  rmSync(`${file('z')}.lock`);
  // The last word: no, and a lock file that somebody took away and another made again.
  await expect(alone('x', b, a, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const replaced = async () => {
    writeFileSync(`${file('x')}.lock2`, 'theirs');
    renameSync(`${file('x')}.lock2`, `${file('x')}.lock`);
  };
  await expect(alone('x', b, a, replaced)).rejects.toMatchObject({ code: 'locked' });
  expect(readFileSync(`${file('x')}.lock`, 'utf8')).toBe('theirs');
  rmSync(`${file('x')}.lock`);
  expect(await readRef(repo, ref(name('x')))).toBe(b);
  expect(
    readdirSync(join(repo.path, 'refs/heads/alone'), { recursive: true }).filter((at) => `${at}`.endsWith('.lock')),
  ).toEqual([]);
  fixture.plain(repo.path, ['fsck', '--strict']);
});

test('refs that the service keeps are made side by side, also when packing took their folder away', async () => {
  const [a] = tips as [Sha];
  const kept = (id: number) => `refs/pipelines/${id}` as RefName;
  const make = (ids: readonly number[]) => Promise.all(ids.map((id) => moveAlone(repo, { ref: kept(id), new: a })));
  expect(await make([1, 2, 3, 4])).toEqual([true, true, true, true]);
  await packRefs(repo);
  expect(existsSync(join(repo.path, 'refs/pipelines/1'))).toBe(false);
  expect(await make([4, 5])).toEqual([true, true]);
  const written = fixture.plain(repo.path, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/pipelines']);
  expect(written.trim().split('\n')).toEqual([1, 2, 3, 4, 5].map((id) => `${kept(id)} ${a}`));
});

test('nobody takes the lock of a living move: not maintenance, not another writer, which waits for it', async () => {
  const [a, b] = tips as [Sha, Sha];
  const moved = ref('living/moved');
  await updateRefs(repo, [{ ref: moved, old: ZERO_SHA, new: a }]);
  const inTheWay: Promise<unknown>[] = [];
  const last = async () => {
    expect(await clearLocks(repo, { exclusive: true })).toBe(0);
    await tend(repo);
    inTheWay.push(updateRefs(repo, [{ ref: moved, old: b, new: a }]), packRefs(repo));
    const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
    const line = (pid: string) => (existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'latin1') : '');
    // Git meets the lock.
    await expect.poll(() => children().filter((pid) => /update-ref/.test(line(pid))).length).toBeGreaterThan(0);
  };
  await updateRefs(repo, [{ ref: moved, old: a, new: b }], last);
  await Promise.all(inTheWay);
  expect(await readRef(repo, moved)).toBe(a);
  expect(statSync(join(repo.path, 'HEAD')).mode & 0o111).toBe(0);
});

test('a lock of another process is removed when it is dead: by who writes alone at once, by others with time', async () => {
  const [a] = tips as [Sha];
  const lockOf = (name: string, mode: number, age = 0) => {
    const path = join(repo.path, `${name}.lock`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '', { mode });
    utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
    return path;
  };
  const branch = lockOf('refs/heads/dead/branch', 0o744);
  const service = lockOf('refs/merge-requests/7/head', 0o744);
  const old = lockOf('refs/merge-requests/8/head', 0o744, 20);
  const ofGit = lockOf('refs/heads/dead/git', 0o644);
  const removed = async (...given: Parameters<typeof removeStaleLocks>) =>
    (await removeStaleLocks(...given)).map(({ path }) => path).sort();
  expect(await removed(repo)).toEqual([ofGit, old].sort());
  await updateRefs(repo, [{ ref: ref('dead/branch'), old: ZERO_SHA, new: a }], async () => undefined);
  expect(existsSync(branch)).toBe(false);
  expect(await removed(repo, { exclusive: true })).toEqual([]);
  expect(existsSync(service)).toBe(true);
  rmSync(service);
});

test('a reference of the service is locked for no longer than its name takes to move', async () => {
  const [a, b] = tips as [Sha, Sha];
  const probe = await open(join(repo.path, 'HEAD'));
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { sync } = handles;
  const locks: string[][] = [];
  const spy = vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    locks.push(
      readdirSync(join(repo.path, 'refs'), { recursive: true, encoding: 'utf8' }).filter((name) => /lock$/.test(name)),
    );
    await sync.call(this);
  });
  try {
    const kept = 'refs/pipelines/16' as RefName;
    for (const id of [a, b, b]) {
      await updateRefs(repo, [{ ref: kept, new: id }]);
      expect(await readRef(repo, kept)).toBe(id);
    }
    await updateRefs(repo, [{ ref: ref('slow/branch'), old: ZERO_SHA, new: a }]);
  } finally {
    spy.mockRestore();
  }
  expect(locks).toEqual([[], [], [], ['heads/slow/branch.lock']]);
  expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  expect(statSync(join(repo.path, 'refs/pipelines/16')).nlink).toBe(1);
  writeFileSync(join(repo.path, 'refs/pipelines/17.lock'), '');
  await updateRefs(repo, [{ ref: 'refs/pipelines/17' as RefName, new: a }]);
  expect(await readRef(repo, 'refs/pipelines/17' as RefName)).toBe(a);
});

test('a move whose lock was lost begins again and asks for the last word again', async () => {
  const [a, b] = tips as [Sha, Sha];
  const moved = ref('lost/moved');
  await updateRefs(repo, [{ ref: moved, old: ZERO_SHA, new: a }]);
  expect(statSync(join(repo.path, moved)).mode & 0o111).toBe(0);
  let asked = 0;
  await updateRefs(repo, [{ ref: moved, old: a, new: b }], async () => {
    asked += 1;
    if (asked === 1) rmSync(join(repo.path, `${moved}.lock`));
  });
  expect(asked).toBe(2);
  expect(await readRef(repo, moved)).toBe(b);
});
