/** The commit that last changed a path, and the same for all entries of a directory in one walk. */
import type { Repo } from '../context.ts';
import { isGitError } from '../errors.ts';
import { listTree } from '../objects/tree.ts';
import { streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';
import { logIds } from './log.ts';

/** The newest commit in the history of `from` that changed the path; null when none did. */
export async function lastCommitOf(repo: Repo, from: Sha, path: string): Promise<Sha | null> {
  return (await logIds(repo, { from: [from], paths: [path], limit: 1 }))[0] ?? null;
}

/**
 * For each entry directly below a directory the newest commit that changed it, by entry name. Entries that are not
 * found within the time limit are missing. Cached by (commit, directory).
 */
export async function lastCommitsOf(
  repo: Repo,
  from: Sha,
  directory = '',
  options: { timeoutMs?: number } = {},
): Promise<ReadonlyMap<string, Sha>> {
  const path = directory.replace(/^\/+|\/+$/g, '');
  const key = `last${repo.key}:${from}:${path}`;
  const known = repo.git.cache.get(key) as ReadonlyMap<string, Sha> | undefined;
  if (known) return known;
  const found = new Map<string, Sha>();
  const wanted = new Set((await listTree(repo, from, path))?.map((entry) => entry.name));
  if (wanted.size === 0) return found;
  const prefix = path === '' ? '' : `${path}/`;
  // -c lists for merges what differs from all parents; -t is not needed, files name their directories.
  const args = [
    'log',
    '--format=%x00%x00%H',
    '--name-only',
    '-z',
    '--no-renames',
    '-c',
    from,
    '--',
    ...(path ? [path] : []),
  ];
  const stream = await streamGit(repo, args, { work: 'heavy', timeoutMs: options.timeoutMs ?? 30_000 });
  let commit: Sha | null = null;
  let rest = '';
  let complete = true;
  stream.stdout.setEncoding('utf8');

  function field(text: string): void {
    const value = text.replace(/^\n/, '');
    // An empty field announces an id: a file cannot have an empty name.
    if (value === '') commit = null;
    else if (commit === null && isSha(value)) commit = value;
    else if (commit && value.startsWith(prefix)) {
      const name = value.slice(prefix.length).split('/')[0] ?? '';
      if (wanted.delete(name)) found.set(name, commit);
    }
  }

  try {
    for await (const chunk of stream.stdout) {
      const fields = (rest + chunk).split('\0');
      rest = fields.pop() ?? '';
      for (const text of fields) field(text);
      if (wanted.size === 0) break;
    }
    if (wanted.size === 0) stream.stop();
    await stream.done;
  } catch (error) {
    if (!isGitError(error, 'timeout')) throw error;
    complete = false;
  }
  if (complete) repo.git.cache.set(key, found, 200 + found.size * 150);
  return found;
}
