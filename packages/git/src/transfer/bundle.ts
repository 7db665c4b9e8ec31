/** Bundles: everything of a repository in one file, and reading one that somebody sends. */
import type { Readable } from 'node:stream';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { ownedOutput, streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

/**
 * Branches, tags and what else is named by `globs` (`refs/x/*`) as a bundle. The repository must have one of them: git
 * makes no empty bundles. Destroying the stream ends git.
 */
export async function createBundle(repo: Repo, globs: readonly string[] = []): Promise<Readable> {
  for (const glob of globs)
    if (!/^refs\/[\w/*-]+$/.test(glob)) throw new GitError('invalid', 'not an acceptable pattern of references');
  const args = ['bundle', 'create', '-q', '-', '--branches', '--tags', ...globs.map((glob) => `--glob=${glob}`)];
  return ownedOutput(await streamGit(repo, args, { work: 'maintenance' }));
}

export interface Bundle {
  /** As the file names them: nothing is checked but their form. */
  readonly refs: ReadonlyArray<{ readonly ref: string; readonly id: Sha }>;
  /** For ingestPack; read it to its end. */
  readonly pack: AsyncIterable<Buffer>;
}

const headerLimit = 16 * 1024 * 1024;

async function* following(first: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
}

/** Reads the head of a bundle. Throws `corrupt` for what is none, and for one that builds on another repository. */
export async function readBundle(source: AsyncIterable<Buffer>): Promise<Bundle> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  let end = -1;
  let tail: Buffer = Buffer.alloc(0);
  while (end === -1) {
    const step = await iterator.next();
    if (step.done) throw new GitError('corrupt', 'what was sent is no bundle');
    chunks.push(step.value);
    const seen = Buffer.concat([tail, step.value]);
    const at = seen.indexOf('\n\n');
    if (at !== -1) end = length - tail.length + at + 2;
    tail = seen.subarray(-1);
    length += step.value.length;
    if (end === -1 && length > headerLimit) throw new GitError('limit', 'the bundle names too many references');
  }
  const all = Buffer.concat(chunks);
  const lines = all
    .subarray(0, end - 2)
    .toString('utf8')
    .split('\n');
  if (lines[0] !== '# v2 git bundle') throw new GitError('corrupt', 'what was sent is no bundle');
  const refs = lines.slice(1).map((line) => {
    const [, id = '', ref = ''] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (!isSha(id)) throw new GitError('corrupt', 'the bundle is not complete by itself');
    return { ref, id };
  });
  return { refs, pack: following(all.subarray(end), iterator) };
}
