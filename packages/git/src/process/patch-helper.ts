/**
 * `git diff-tree --stdin -p` kept running per repository: a patch without starting a process, which from a large server
 * takes as long as the patch of hundreds of files. One patch at a time; a long one takes the helper with it, so that
 * only short ones are ever held in memory.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Git, Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import type { Sha } from '../types.ts';
import { type Coprocess, gone } from './coprocess.ts';
import { budgetName } from './limiter.ts';
import { spawnGit } from './spawn.ts';

/** Bytes of a patch that wait for their reader while the helper goes on. */
const MOST_HELD_BYTES = 1024 * 1024;
/** A helper that works for longer belongs to its reader; the next one gets another. */
const SHARED_MS = 1000;
const KILL_AFTER_MS = 1000;

interface PatchHelper extends Coprocess {
  /** The changes between two commits; null when there are none, or git has something to say about them. */
  patch(from: Sha, to: Sha, asked: Asked): Promise<Readable | null>;
}

interface Asked {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Called once, when the patch has ended. */
  readonly ended: () => void;
}

interface Patch {
  readonly output: Readable;
  readonly begun: PromiseWithResolvers<Readable | null>;
  readonly end: () => void;
  bytes: number;
}

function startPatchHelper(git: Git, repo: Repo, renames: string): PatchHelper {
  const started = spawnGit(git, {
    gitDir: repo.path,
    memoryBytes: git.limits.download.memoryBytes,
    args: ['diff-tree', '--stdin', '-r', '-p', '--no-commit-id', renames],
  });
  const { child, stdin, stdout, stderr } = started;
  // diff-tree echoes a line that is no id and flushes: an unguessable line marks the end of each answer.
  const mark = Buffer.from(`end ${randomBytes(12).toString('hex')}\n`);
  let tail: Buffer = Buffer.alloc(0);
  let current: Patch | null = null;
  let shared = true;
  let dead = false;

  function quit(): void {
    shared = false;
    stdin?.end();
    setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
  }

  function fail(error: GitError): void {
    shared = false;
    dead = true;
    const patch = current;
    current = null;
    patch?.end();
    patch?.begun.reject(error);
    patch?.output.destroy(error);
    child.kill('SIGKILL');
  }

  function give(patch: Patch, data: Buffer): void {
    if (data.length === 0) return;
    patch.bytes += data.length;
    const wanted = patch.output.push(data);
    patch.begun.resolve(patch.output);
    if (patch.bytes > MOST_HELD_BYTES) shared = false;
    if (!wanted && !shared) stdout.pause();
  }

  stdout.on('data', (chunk: Buffer) => {
    const patch = current;
    if (!patch) return;
    // The mark ends an answer, and comes in one piece, or with what is left of the chunk before.
    const data = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk;
    const ends = data.length >= mark.length && data.subarray(data.length - mark.length).equals(mark);
    const whole = ends ? data.length - mark.length : Math.max(0, data.length - mark.length + 1);
    tail = ends ? Buffer.alloc(0) : data.subarray(whole);
    give(patch, data.subarray(0, whole));
    if (!ends) return;
    current = null;
    patch.output.push(null);
    patch.begun.resolve(null);
    patch.end();
    if (!shared) quit();
  });
  stderr.resume();
  const closed = gone(started, fail, (exitCode) => new GitError('failed', 'diff-tree ended', { exitCode }));

  return {
    pending: () => (current ? 1 : 0),
    alive: () => shared,
    close() {
      if (!current && !dead) quit();
      else fail(new GitError('aborted', 'git was closed'));
      return closed;
    },
    patch(from, to, { signal, timeoutMs, ended }) {
      const leave = setTimeout(() => {
        shared = false;
      }, SHARED_MS);
      const overdue = setTimeout(() => fail(new GitError('timeout', 'diff-tree took too long')), timeoutMs);
      overdue.unref();
      leave.unref();
      const abort = () => fail(new GitError('aborted', 'the caller went away'));
      signal?.addEventListener('abort', abort, { once: true });
      const output = new Readable({
        read: () => stdout.resume(),
        destroy(error, done) {
          // The reader went away before the end.
          if (current?.output === output) fail(new GitError('aborted', 'the reader went away'));
          done(error);
        },
      });
      const begun = Promise.withResolvers<Readable | null>();
      const end = () => {
        clearTimeout(leave);
        clearTimeout(overdue);
        signal?.removeEventListener('abort', abort);
        ended();
      };
      current = { output, begun, end, bytes: 0 };
      // Nobody hears of a failure before the first bytes but whoever waits for them.
      output.on('error', () => {});
      stdin?.write(`${to} ${from}\n${mark.toString()}`);
      return begun.promise;
    },
  };
}

/** The patch between two commits from the repository's helper; null where a process of its own has to make it. */
export async function helperPatch(repo: Repo, from: Sha, to: Sha, renames: string): Promise<Readable | null> {
  const { git, caller, signal } = repo;
  const release = await git.limiter.acquire('download', caller, signal);
  const helper = git.helpers.get(repo.key, 'diff-tree patch', () => startPatchHelper(git, repo, renames));
  if (helper.pending() > 0) {
    release();
    return null;
  }
  const { timeoutMs } = git.limits[budgetName('download', caller)];
  try {
    return await helper.patch(from, to, { signal, timeoutMs, ended: release });
  } catch (error) {
    if (isGitError(error, 'failed')) return null;
    throw error;
  }
}
