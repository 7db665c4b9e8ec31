/** Archives of a commit as a stream: tar, tar.gz, tar.bz2, zip. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Repo } from './context.ts';
import { GitError } from './errors.ts';
import { splitPath } from './objects/tree.ts';
import { ownedOutput, streamGit } from './process/run.ts';
import { spawnBzip2 } from './process/spawn.ts';
import type { Sha } from './types.ts';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip';

/**
 * The files of a commit below `prefix/`. Destroying the stream ends the processes; a failure in the middle destroys it
 * with a GitError. Throws `unavailable` for tar.bz2 where bzip2 is not installed.
 */
export async function archive(
  repo: Repo,
  commit: Sha,
  options: { format: ArchiveFormat; prefix: string; path?: string },
): Promise<Readable> {
  const parts = splitPath(options.path ?? '');
  if (!parts || /[\0\n]/.test(options.prefix)) throw new GitError('invalid', 'not an acceptable path');
  const format = options.format === 'tar.bz2' ? 'tar' : options.format;
  const paths = parts.length > 0 ? [parts.join('/')] : [];
  const args = [
    'archive',
    `--format=${format}`,
    `--prefix=${options.prefix.replace(/\/*$/, '/')}`,
    commit,
    '--',
    ...paths,
  ];
  if (options.format === 'tar.bz2') await requireBzip2(repo);
  const stream = await streamGit(repo, args, { work: 'download' });
  // Nothing goes out before git has begun to write: a bad path is an error, not half an answer.
  await Promise.race([once(stream.stdout, 'readable'), stream.done]);
  if (stream.stdout.readableLength === 0) await stream.done;
  const tar = ownedOutput(stream);
  if (options.format !== 'tar.bz2') return tar;
  const { child, stdin, stdout, stderr } = spawnBzip2(repo.git);
  stderr.resume();
  stdin?.on('error', () => {});
  if (stdin) tar.pipe(stdin);
  tar.on('error', (error) => stdout.destroy(error));
  stdout.once('close', () => {
    if (stdout.readableEnded) return;
    child.kill('SIGKILL');
    tar.destroy();
  });
  return stdout;
}

const bzip2Works = new Map<string, Promise<boolean>>();

async function requireBzip2(repo: Repo): Promise<void> {
  let known = bzip2Works.get(repo.git.path);
  if (!known) {
    known = new Promise((resolve) => {
      const probe = spawnBzip2(repo.git);
      probe.child.on('error', () => resolve(false));
      probe.child.on('close', (code) => resolve(code === 0));
      probe.stdin?.on('error', () => {});
      probe.stdin?.end();
      probe.stdout.resume();
      probe.stderr.resume();
    });
    bzip2Works.set(repo.git.path, known);
  }
  if (!(await known)) throw new GitError('unavailable', 'bzip2 is not installed on this server');
}
