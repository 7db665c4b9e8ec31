/** Kept answers: made once, never wrong, never in the way. git is played here; transfer tests have the real one. */
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { GitError } from '../errors.ts';
import type { GitStream } from '../process/run.ts';
import { type RepoPath, repoPath } from '../types.ts';
import { createAnswerCache } from './answer-cache.ts';
import { writeEntry } from './answer-entry.ts';
import { createRun } from './answer-run.ts';

const root = mkdtempSync(join(tmpdir(), 'answers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let directory: string;
let repository: RepoPath;
let made = 0;
beforeEach(() => {
  made += 1;
  directory = join(root, `cache${made}`);
  repository = repoPath(join(root, `repository${made}`));
  mkdirSync(repository);
});

const megabyte = 1024 * 1024;
const digest = (name: string) => createHash('sha256').update(name).digest('hex');
const asked = (name: string, sharing = 'user') => ({ repository, digest: digest(name), sharing });
const files = () =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'repository')
    .map((entry) => join(entry.parentPath, entry.name));

async function bytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Played {
  readonly make: (signal: AbortSignal) => Promise<GitStream>;
  /** How often git was started, and how often it was ended early. */
  starts: number;
  stops: number;
}

/** A git that writes these bytes in pieces; `pause` holds it after the first. */
function play(data: Buffer, options: { fails?: GitError; pause?: Promise<unknown>; step?: number } = {}): Played {
  const played: Played = {
    starts: 0,
    stops: 0,
    async make(signal) {
      played.starts += 1;
      async function* pieces() {
        const step = options.step ?? 64 * 1024;
        for (let at = 0; at < data.length; at += step) {
          if (at > 0) await Promise.race([options.pause, stopped.promise]);
          yield data.subarray(at, at + step);
        }
      }
      const stopped = Promise.withResolvers<void>();
      const stdout = Readable.from(pieces(), { objectMode: false });
      const done = new Promise<{ code: number; stderr: string }>((resolve, reject) => {
        stdout.once('close', () => {
          if (!stdout.readableEnded) reject(new GitError('aborted', 'ended'));
          else if (options.fails) reject(options.fails);
          else resolve({ code: 0, stderr: '' });
        });
      });
      done.catch(() => undefined);
      signal.addEventListener('abort', () => {
        played.stops += 1;
        stdout.destroy();
        stopped.resolve();
      });
      return { stdin: null, stdout, done, stop: () => stdout.destroy() };
    },
  };
  return played;
}

describe('answers are made once', () => {
  test.each([
    ['small', 5000],
    ['large', 3 * megabyte],
  ])('%s ones: kept, for another process too where they are on disk', async (_name, size) => {
    const data = randomBytes(size);
    const git = play(data);
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    expect(await bytes(await cache.answer(asked('a'), git.make))).toEqual(data);
    expect(await bytes(await cache.answer(asked('a', 'anonymous'), git.make))).toEqual(data);
    expect([git.starts, cache.counts()]).toEqual([1, { kept: 1, shared: 0, made: 1 }]);
    const other = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    expect(await bytes(await other.answer(asked('a'), git.make))).toEqual(data);
    expect(git.starts).toBe(size > megabyte ? 1 : 2);
    expect(await bytes(await cache.answer(asked('b'), git.make))).toEqual(data);
    expect(git.starts).toBe(size > megabyte ? 2 : 3);
  });

  test('who asks meanwhile reads along, from the beginning; people do not join crowds', async () => {
    const data = randomBytes(20 * megabyte);
    const gate = Promise.withResolvers<void>();
    const git = play(data, { pause: gate.promise });
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const first = await cache.answer(asked('a'), git.make);
    const rest = await Promise.all([1, 2, 3].map(() => cache.answer(asked('a'), git.make)));
    const crowd = await cache.answer(asked('a', 'anonymous'), git.make);
    expect([git.starts, cache.counts()]).toEqual([2, { kept: 0, shared: 3, made: 2 }]);
    gate.resolve();
    const all = await Promise.all([first, ...rest, crowd].map(bytes));
    for (const got of all) expect(got.equals(data)).toBe(true);
    expect(files()).toHaveLength(1);
  });

  test('a reader that waits does not hold the others, nor git; what it missed it reads from the disk', async () => {
    const data = randomBytes(40 * megabyte);
    const git = play(data);
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const slow = await cache.answer(asked('a'), git.make);
    const quick = await cache.answer(asked('a'), git.make);
    expect((await bytes(quick)).equals(data)).toBe(true);
    expect(files().map((file) => statSync(file).size)).toEqual([data.length + 32]);
    expect((await bytes(slow)).equals(data)).toBe(true);
    expect(git.starts).toBe(1);
  });
});

describe('nothing wrong is given', () => {
  test('an answer that failed is told to its askers and to nobody else', async () => {
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const told = play(randomBytes(megabyte), { fails: new GitError('failed', 'git failed', { exitCode: 128 }) });
    expect((await bytes(await cache.answer(asked('a'), told.make))).length).toBe(megabyte);
    await bytes(await cache.answer(asked('a'), told.make));
    expect([told.starts, files()]).toEqual([2, []]);
    const died = play(randomBytes(megabyte), { fails: new GitError('failed', 'killed') });
    await expect(cache.answer(asked('a'), died.make).then(bytes)).rejects.toThrow('killed');
    const busy = () => Promise.reject(new GitError('busy', 'used up'));
    await expect(cache.answer(asked('a'), busy)).rejects.toMatchObject({ code: 'busy' });
    expect(files()).toEqual([]);
  });

  test('damaged, shortened and foreign files are made again', async () => {
    const data = randomBytes(megabyte);
    const git = play(data);
    const harm: ((file: string) => Promise<void>)[] = [
      async (file) => {
        const whole = await readFile(file);
        whole[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1;
        await writeFile(file, whole);
      },
      async (file) => truncateSync(file, 500_000),
      async (file) => truncateSync(file, 0),
      async (file) => writeFile(file, Buffer.concat([await readFile(file), Buffer.from('x')])),
      async (file) => {
        const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
        await bytes(await cache.answer(asked('other'), play(randomBytes(megabyte)).make));
        const other = files().find((each) => each !== file) ?? '';
        await writeFile(file, await readFile(other));
      },
    ];
    for (const [index, each] of harm.entries()) {
      const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
      await bytes(await cache.answer(asked('a'), git.make));
      await each(files().find((file) => file.endsWith(digest('a'))) ?? '');
      expect((await bytes(await cache.answer(asked('a'), git.make))).equals(data)).toBe(true);
      expect(git.starts).toBe(index + 2);
    }
  });

  test('who leaves ends what nobody else waits for, and leaves nothing behind', async () => {
    const git = play(randomBytes(4 * megabyte), { pause: new Promise(() => undefined), step: megabyte });
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const [one, two] = await Promise.all([1, 2].map(() => cache.answer(asked('a'), git.make)));
    await expect.poll(() => files().length).toBe(1);
    one?.destroy();
    expect(git.stops).toBe(0);
    two?.destroy();
    expect(git.stops).toBe(1);
    await expect.poll(files).toEqual([]);
    // The next does not join what is ending.
    const again = play(Buffer.from('again'));
    expect((await bytes(await cache.answer(asked('a'), again.make))).toString()).toBe('again');
    // Who leaves before git has its place gives it up.
    const waits = new AbortController();
    let ended = false;
    const waiting = cache.answer(
      asked('b'),
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new GitError('aborted', 'ended'));
          });
        }),
      waits.signal,
    );
    waits.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(ended).toBe(true);
  });
});

describe('the disk', () => {
  test('least recently used answers go first; one of more than half is not kept', async () => {
    const cache = createAnswerCache({ directory, maxBytes: 5 * megabyte });
    const ask = async (name: string, size = megabyte) => {
      const git = play(randomBytes(size));
      expect((await bytes(await cache.answer(asked(name), git.make))).length).toBe(size);
      return git.starts;
    };
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
      expect(await ask(name)).toBe(1);
      const at = new Date(Date.now() - 600_000 + index * 1000);
      utimesSync(files().find((file) => file.endsWith(digest(name))) ?? '', at, at);
    }
    expect(await ask('a')).toBe(0);
    expect(await ask('huge', 3 * megabyte)).toBe(1);
    expect(await ask('huge', 3 * megabyte)).toBe(1);
    expect(files()).toHaveLength(4);
    expect(await ask('e')).toBe(1);
    await expect.poll(() => files().length).toBe(4);
    expect([await ask('a'), await ask('e'), await ask('d'), await ask('b')]).toEqual([0, 0, 0, 1]);
  });

  test('without room, or where nothing can be written, everybody is served and nothing is kept', async () => {
    const data = randomBytes(12 * megabyte);
    writeFileSync(directory, 'a file');
    const blocked = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const git = play(data);
    expect((await bytes(await blocked.answer(asked('a'), git.make))).equals(data)).toBe(true);
    expect((await bytes(await blocked.answer(asked('a'), git.make))).equals(data)).toBe(true);
    expect(git.starts).toBe(2);

    // The disk is full in the middle: readers at different places get the rest at their own pace.
    const file = join(root, `entry${made}`);
    const finished: unknown[] = [];
    let closed = 0;
    const gate = Promise.withResolvers<void>();
    const run = createRun({
      make: play(data, { pause: gate.promise, step: 256 * 1024 }).make,
      spoolFrom: 1000,
      spoolUpTo: 1e9,
      async spool() {
        const entry = await writeEntry(file, digest('a'));
        return {
          ...entry,
          get size() {
            return entry.size;
          },
          append: (pieces) => (entry.size > 5 * megabyte ? Promise.reject(new Error('ENOSPC')) : entry.append(pieces)),
        };
      },
      closed: () => {
        closed += 1;
      },
      finished: async (result) => void finished.push(result),
    });
    const [one, two] = await Promise.all([run.read(), run.read()]);
    gate.resolve();
    const slow = (async () => {
      await expect.poll(() => closed).toBe(1);
      return await bytes(two);
    })();
    for (const got of await Promise.all([bytes(one), slow])) expect(got.equals(data)).toBe(true);
    expect(finished).toEqual([]);
    expect(readdirSync(root)).not.toContain(`entry${made}`);
  });

  test('answers of removed repositories and of killed processes go', async () => {
    const cache = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    const git = play(randomBytes(megabyte));
    await bytes(await cache.answer(asked('a'), git.make));
    const [kept = ''] = files();
    const old = new Date(Date.now() - 2 * 3_600_000);
    const left = join(kept, '..', 'tmp-left');
    writeFileSync(left, 'half an answer');
    writeFileSync(join(kept, '..', 'tmp-written-now'), 'half an answer');
    utimesSync(left, old, old);
    const other = createAnswerCache({ directory, maxBytes: 100 * megabyte });
    await other.sweep();
    expect(
      files()
        .map((file) => file.split('/').at(-1))
        .sort(),
    ).toEqual([digest('a'), 'tmp-written-now'].sort());
    await cache.forget(repository);
    expect(files()).toEqual([]);
    await bytes(await other.answer(asked('a'), git.make));
    expect(git.starts).toBe(2);
    rmSync(repository, { recursive: true });
    await cache.sweep();
    expect(files()).toEqual([]);
  });
});
