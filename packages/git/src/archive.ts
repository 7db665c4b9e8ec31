/** Archives of a commit as a stream: tar, tar.gz, tar.bz2, zip. */
import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Repo } from './context.ts';
import { GitError } from './errors.ts';
import { splitPath } from './objects/tree.ts';
import { ownedOutput, streamGit } from './process/run.ts';
import { spawnBzip2 } from './process/spawn.ts';
import { EMPTY_TREE, type Sha } from './types.ts';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip';

export interface ArchiveOptions {
  format: ArchiveFormat;
  prefix: string;
  /** Only what is below it. */
  path?: string;
  /** Files and directories that are left out, as they are written: no patterns. */
  exclude?: readonly string[];
  /** Makes another tar of git's own, before it is compressed. Not for zip. */
  rewrite?: (tar: Readable) => Readable;
}

/**
 * The files of a commit below `prefix/`. Destroying the stream ends the processes; a failure in the middle destroys it
 * with a GitError. Throws `unavailable` for tar.bz2 where bzip2 is not installed.
 */
export async function archive(repo: Repo, commit: Sha, options: ArchiveOptions): Promise<Readable> {
  const parts = splitPath(options.path ?? '');
  const left = (options.exclude ?? []).map(splitPath);
  if (!parts || left.some((each) => !each) || /[\0\n]/.test(options.prefix))
    throw new GitError('invalid', 'not an acceptable path');
  if (options.rewrite && options.format === 'zip') throw new GitError('invalid', 'a zip is not rewritten');
  const gzipped = options.rewrite !== undefined && options.format === 'tar.gz';
  const format = options.format === 'tar.bz2' || gzipped ? 'tar' : options.format;
  const path = parts.join('/');
  const exclude = left.map((each) => (each ?? []).join('/')).filter(Boolean);
  const prefix = `--prefix=${options.prefix.replace(/\/*$/, '/')}`;
  if (options.format === 'tar.bz2') await requireBzip2(repo);
  async function begin(tree: Sha, { paths, env }: ReturnType<typeof pathspecs>) {
    const args = ['archive', `--format=${format}`, prefix, tree, '--', ...paths];
    const stream = await streamGit(repo, args, { work: 'download', env });
    // Nothing goes out before git has begun to write: a bad path is an error, not half an answer.
    await Promise.race([once(stream.stdout, 'readable'), stream.done]);
    if (stream.stdout.readableLength === 0) await stream.done;
    return stream;
  }
  const stream = await begin(commit, pathspecs(path, exclude)).catch((error: unknown) => {
    // Where all files are left out, or there are none, git finds nothing to look for.
    if (path === '' && exclude.length > 0 && isUnmatched(error)) return begin(EMPTY_TREE, pathspecs('', []));
    throw error;
  });
  const tar = ownedOutput(stream);
  const written = options.rewrite ? options.rewrite(tar) : tar;
  // An error on either side ends both.
  if (gzipped) return pipeline(written, createGzip(), () => {});
  return options.format === 'tar.bz2' ? bzipped(repo, written) : written;
}

const isUnmatched = (error: unknown): boolean =>
  error instanceof GitError && error.stderr.includes('did not match any files');

/** Paths are taken as they are written, also where some are left out and git has to know which. */
function pathspecs(path: string, exclude: readonly string[]): { paths: string[]; env: Record<string, string> } {
  if (exclude.length === 0) return { paths: path === '' ? [] : [path], env: {} };
  return {
    paths: [
      path === '' ? ':(top)' : `:(top,literal)${path}`,
      ...exclude.map((each) => `:(top,exclude,literal)${each}`),
    ],
    env: { GIT_LITERAL_PATHSPECS: '0' },
  };
}

function bzipped(repo: Repo, tar: Readable): Readable {
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
