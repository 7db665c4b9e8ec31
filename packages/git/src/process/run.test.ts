/** What programs print, for readers who come early and late, and how long they may take. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { createBundle, readBundle } from '../transfer/bundle.ts';
import { DEFAULT_BUDGETS } from './limiter.ts';
import { runGit } from './run.ts';

let fixture: Fixture;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  randomHistory(fixture, repo, 3);
});
afterAll(() => fixture.close());

/** Lines that all differ, so many bytes of them. */
function lines(bytes: number, word: string): Buffer {
  const text = Buffer.alloc(bytes, `${word} 0123456789abcdef 0123456789abcdef\n`);
  for (let at = 0, count = 0; at + 60 < bytes; at += 52, count += 1) text.write(String(count).padStart(8), at);
  return text;
}

const running = () => Object.values(repo.git.limiter.usage()).reduce((sum, { active }) => sum + active, 0);

test('a short output waits for a reader who comes when git has ended', async () => {
  const late = await createBundle(repo);
  await expect.poll(running).toBe(0);
  const { refs } = await readBundle(late);
  expect(refs.length).toBeGreaterThan(0);
});

test('a reader who goes away ends git, and a failure is told to whoever reads', async () => {
  (await createBundle(repo)).destroy();
  await expect.poll(running).toBe(0);
  // git bundles nothing that is empty; it says so behind the head of the file.
  const broken = await createBundle(await fixture.create());
  const read = async () => {
    for await (const _ of broken) await Promise.resolve();
  };
  await expect(read()).rejects.toMatchObject({ name: 'GitError' });
  await expect.poll(running).toBe(0);
});

const mebibyte = 1024 ** 2;

test('security: a git process that allocates more than its budget ends, and says so', async () => {
  const small = createFixture({ limits: { heavy: { ...DEFAULT_BUDGETS.heavy, memoryBytes: 64 * mebibyte } } });
  const place = await small.create();
  const ids = ['one', 'two'].map((word) =>
    small.plain(place.path, ['hash-object', '-w', '--stdin'], lines(40 * mebibyte, word)).trim(),
  );
  const compared = (work: 'heavy' | 'download') => runGit(place, ['diff', '--stat', ...ids], { work });
  await expect(compared('heavy')).rejects.toMatchObject({
    code: 'memory',
    message: `git diff needs more memory than ${64 * mebibyte} bytes, the git budget heavy`,
  });
  await expect(compared('download')).resolves.toMatchObject({ code: 0 });
  await small.close();
});

test('security: files of more than 50 MiB are compared as binary ones, without loading them', async () => {
  const small = createFixture({ limits: { heavy: { ...DEFAULT_BUDGETS.heavy, memoryBytes: 64 * mebibyte } } });
  const place = await small.create();
  const ids = ['one', 'two'].map((word) =>
    small.plain(place.path, ['hash-object', '-w', '--stdin'], lines(51 * mebibyte, word)).trim(),
  );
  const { stdout } = await runGit(place, ['diff', ...ids], { work: 'heavy' });
  expect(stdout.toString()).toMatch(/^Binary files .* differ$/m);
  await small.close();
});

test('a git that cannot be started is unavailable, whatever starts it', async () => {
  const none = createFixture({ binary: '/nonexistent/git' });
  const place = { git: none.git, path: null, caller: 'system' } as const;
  await expect(runGit(place, ['version'], { work: 'read' })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'git could not be started',
  });
  await none.close();
});

test('requests wait as long as the timeouts say, where the budget allows more; background work and writes have the budget', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-slow-git-'));
  const binary = join(directory, 'git');
  writeFileSync(binary, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const timeouts = () => ({ fast: 40, medium: 60, other: 80 });
  const slow = createFixture({ binary, timeouts });
  const leaving = new AbortController();
  const run = (command: string, work: 'read' | 'heavy' | 'write', caller: 'user' | 'anonymous' | 'system' = 'user') =>
    runGit({ git: slow.git, path: null, caller, signal: leaving.signal }, [command], { work });
  const patient = [run('rev-parse', 'read', 'system'), run('diff', 'heavy', 'system'), run('receive-pack', 'write')];
  const ended = Promise.allSettled(patient);
  const late = (command: string, seconds: number) => ({
    code: 'timeout',
    message: `git ${command} took longer than ${seconds} s, a timeout of the settings`,
  });
  await expect(run('rev-parse', 'read')).rejects.toMatchObject(late('rev-parse', 0.04));
  await expect(run('rev-list', 'heavy', 'anonymous')).rejects.toMatchObject(late('rev-list', 0.06));
  await expect(run('diff', 'heavy')).rejects.toMatchObject(late('diff', 0.08));
  await expect(run('merge-tree', 'write')).rejects.toMatchObject(late('merge-tree', 0.08));
  leaving.abort();
  expect(await ended).toMatchObject(patient.map(() => ({ reason: { code: 'aborted' } })));
  const short = createFixture({
    binary,
    timeouts,
    limits: { read: { ...DEFAULT_BUDGETS.read, timeoutMs: 20 } },
  });
  await expect(
    runGit({ git: short.git, path: null, caller: 'user' }, ['rev-parse'], { work: 'read' }),
  ).rejects.toMatchObject({ code: 'timeout', message: 'git rev-parse took longer than 0.02 s, the git budget read' });
  await slow.close();
  await short.close();
  rmSync(directory, { recursive: true });
});
