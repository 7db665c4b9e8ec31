/**
 * Two locks of the operating system in every repository, held by the git processes themselves: one by whoever moves
 * references, one by whoever rewrites packs. They end with the process, whichever server started it and whether or not
 * that server is still there. Whoever holds one knows that no such git runs, on this machine or (over NFS 4) on another.
 */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Git, Repo } from '../context.ts';
import { codeFromStderr, GitError, storageMessage } from '../errors.ts';

export type Guard = 'refs' | 'objects';

/** Exit code of a git that waited for its guard in vain. */
const IN_VAIN = 75;
const WAIT_SECONDS = 30;

let flockWorks: boolean | undefined;

/** Whether util-linux `flock` can be used here; asked once. */
export function canGuard(path: string): boolean {
  flockWorks ??= spawnSync('flock', ['-F', '/dev/null', 'true'], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
  return flockWorks;
}

const fileOf = (gitDir: string, guard: Guard) => join(gitDir, `${guard}.guard`);

/** Words in front of a program that make it hold the guard of a repository from its first to its last moment. */
export const guardWords = (gitDir: string, guard: Guard): string[] => [
  'flock',
  '-F',
  '-w',
  String(WAIT_SECONDS),
  '-E',
  String(IN_VAIN),
  fileOf(gitDir, guard),
];

/** flock says why it could not open the file; a directory that is not there is a repository that is not there. */
function cannotLock(complaint: string, exitCode: number | null): GitError {
  const code = /No such file or directory/.test(complaint) ? 'missing' : codeFromStderr(complaint);
  const message = storageMessage(code) ?? 'the repository could not be locked';
  return new GitError(code === 'failed' ? 'unavailable' : code, message, { stderr: complaint, exitCode });
}

/** The error of a guarded git that did not get its guard. */
export const inVain = (exitCode: number | null): GitError | null =>
  exitCode === IN_VAIN ? new GitError('busy', 'another git is at work in the repository') : null;

/** Holds a guard while `work` runs: no git moves references (or packs) meanwhile. The guard ends with this process, too. */
export async function guarded<T>(repo: Repo, guard: Guard, work: () => Promise<T>): Promise<T> {
  const release = await hold(repo.git, repo.path, guard);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function hold(git: Git, gitDir: string, guard: Guard): Promise<() => Promise<void>> {
  if (!canGuard(git.path)) return async () => undefined;
  const [program = '', ...words] = guardWords(gitDir, guard);
  // It tells that it runs, and ends when we end.
  const child = spawn(program, [...words, 'cat'], {
    cwd: '/',
    env: { PATH: git.path, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
  });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(0, 1000);
  });
  child.stdin.on('error', () => undefined);
  const gone = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  const held = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  child.stdin.write('\n');
  const ended = await Promise.race([held, gone]);
  if (ended !== undefined) throw inVain(ended) ?? cannotLock(complaint, ended);
  return async () => {
    child.stdin.end();
    await gone;
  };
}
