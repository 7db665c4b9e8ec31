/** One hash for equal changes: it stays the same when commits are rebased, and differs when anything else does. */
import { createHash } from 'node:crypto';
import type { Repo } from '../context.ts';
import { streamGit } from '../process/run.ts';
import type { Sha } from '../types.ts';

const newline = 0x0a;
/** A line is looked at by its beginning; what follows is hashed as it arrives. */
const longestPrefix = 16;

/**
 * Hash of what `from..to` changes, without the line numbers. Unlike `git patch-id` it counts white space and the content of
 * binary files: an approval that outlives a push by it must be about the very same change.
 */
export async function patchId(repo: Repo, from: Sha, to: Sha): Promise<string> {
  const key = `patch-id${repo.key}:${from}:${to}`;
  const known = repo.git.cache.get(key) as string | undefined;
  if (known !== undefined) return known;
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
  const stream = await streamGit(repo, [...args, from, to, '--'], { work: 'heavy' });
  const hash = createHash('sha256');
  let prefix = Buffer.alloc(0);
  let state: 'prefix' | 'hash' | 'skip' | 'index' = 'prefix';
  let index: Buffer[] = [];
  const decide = () => {
    const text = prefix.toString('latin1');
    // Lines of content begin with a sign or a blank: these are git's own.
    if (text.startsWith('index ')) {
      state = 'index';
      index = [prefix];
    } else if (text.startsWith('@@ ')) {
      hash.update('@@\n');
      state = 'skip';
    } else {
      // Of a binary file only the ids of both sides are told.
      if (text.startsWith('Binary files ')) hash.update(Buffer.concat(index));
      hash.update(prefix);
      state = 'hash';
    }
    prefix = Buffer.alloc(0);
  };
  const take = (part: Buffer) => {
    if (state === 'hash') hash.update(part);
    else if (state === 'index') index.push(part);
  };
  stream.stdout.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const end = chunk.indexOf(newline, at);
      const stop = end < 0 ? chunk.length : end + 1;
      if (state === 'prefix') {
        const some = chunk.subarray(at, Math.min(stop, at + longestPrefix - prefix.length));
        prefix = Buffer.concat([prefix, some]);
        at += some.length;
        if (prefix.length >= longestPrefix || prefix.at(-1) === newline) {
          const ended = prefix.at(-1) === newline;
          decide();
          if (ended) state = 'prefix';
        }
        continue;
      }
      take(chunk.subarray(at, stop));
      at = stop;
      if (end >= 0) state = 'prefix';
    }
  });
  await stream.done;
  if (prefix.length > 0) decide();
  const id = hash.digest('hex');
  repo.git.cache.set(key, id, 300);
  return id;
}
