/** `git diff-tree --stdin` kept running per repository: what commits changed, without starting a process for each. */
import { randomBytes } from 'node:crypto';
import type { Git, Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import type { Sha } from '../types.ts';
import { type Coprocess, gone } from './coprocess.ts';
import { spawnGit } from './spawn.ts';

/** One commit that takes longer than this ends the helper; the caller falls back to a process with its own budget. */
const ANSWER_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

interface DiffTree extends Coprocess {
  /** What it says of a commit against another (null: against its parent or nothing). */
  compare(commit: Sha, parent: Sha | null): Promise<string>;
}

interface Request {
  resolve(text: string): void;
  reject(error: GitError): void;
}

function startDiffTree(git: Git, repo: Repo, flags: readonly string[]): DiffTree {
  const started = spawnGit(git, {
    gitDir: repo.path,
    memoryBytes: git.limits.heavy.memoryBytes,
    args: ['diff-tree', '--stdin', '-r', '--no-commit-id', ...flags],
  });
  const { child, stdin, stdout, stderr } = started;
  // diff-tree echoes a line that is no id and flushes: an unguessable line marks the end of each answer.
  const mark = `end ${randomBytes(12).toString('hex')}\n`;
  const markBytes = Buffer.from(mark);
  const queue: Request[] = [];
  let buffered: Buffer = Buffer.alloc(0);
  let alive = true;
  let timer: NodeJS.Timeout | undefined;

  function fail(error: GitError): void {
    alive = false;
    clearTimeout(timer);
    for (const request of queue.splice(0)) request.reject(error);
    child.kill('SIGKILL');
  }

  function watch(): void {
    clearTimeout(timer);
    if (queue.length === 0) return;
    timer = setTimeout(() => fail(new GitError('timeout', 'diff-tree does not answer')), ANSWER_TIMEOUT_MS);
    timer.unref();
  }

  stdout.on('data', (chunk: Buffer) => {
    let from = Math.max(0, buffered.length - markBytes.length);
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    let at = buffered.indexOf(markBytes, from);
    while (at >= 0) {
      queue.shift()?.resolve(buffered.toString('utf8', 0, at));
      buffered = buffered.subarray(at + markBytes.length);
      from = 0;
      at = buffered.indexOf(markBytes);
      watch();
    }
    if (buffered.length > MAX_ANSWER_BYTES) fail(new GitError('limit', 'the commit changes too many files'));
  });
  stderr.resume();
  const closed = gone(started, fail, (exitCode) => new GitError('failed', 'diff-tree ended', { exitCode }));

  return {
    pending: () => queue.length,
    alive: () => alive,
    close() {
      if (alive && queue.length === 0) {
        alive = false;
        stdin?.end();
        setTimeout(() => child.kill('SIGKILL'), 1_000).unref();
      } else fail(new GitError('aborted', 'git was closed'));
      return closed;
    },
    compare(commit, parent) {
      return new Promise((resolve, reject) => {
        queue.push({ resolve, reject });
        if (queue.length === 1) watch();
        stdin?.write(`${commit}${parent ? ` ${parent}` : ''}\n${mark}`);
      });
    },
  };
}

/** The NUL-separated numstat of a commit against a parent (null: against nothing) through the shared helper. */
export function helperNumstat(repo: Repo, commit: Sha, parent: Sha | null): Promise<string> {
  const start = () => startDiffTree(repo.git, repo, ['-M', '--root', '--numstat', '-z']);
  return repo.git.helpers.get(repo.key, 'diff-tree', start).compare(commit, parent);
}

/** Lines of `--raw` between two commits through the shared helper. */
export function helperRaw(repo: Repo, from: Sha, to: Sha, renames: string): Promise<string> {
  const start = () => startDiffTree(repo.git, repo, ['--raw', '--full-index', renames]);
  return repo.git.helpers.get(repo.key, `diff-tree raw ${renames}`, start).compare(to, from);
}
