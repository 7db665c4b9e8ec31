/** Who last changed each line of a file: `git blame --porcelain`, parsed. */
import type { Repo } from './context.ts';
import { GitError } from './errors.ts';
import { splitPath } from './objects/tree.ts';
import { gitText } from './process/run.ts';
import type { Sha } from './types.ts';

export interface BlameGroup {
  commit: Sha;
  /** First line of the group in the file, from 1. */
  start: number;
  /** Without their newlines. */
  lines: string[];
  /** The file's path in that commit. */
  path: string;
}

/**
 * Consecutive lines with the same commit, in file order. Throws `not_found` when the file is not in the commit, `limit`
 * for output beyond `maxBytes` (default 32 MiB).
 */
export async function blame(
  repo: Repo,
  commit: Sha,
  path: string,
  options: { from?: number; to?: number; maxBytes?: number } = {},
): Promise<BlameGroup[]> {
  const parts = splitPath(path);
  if (!parts?.length) throw new GitError('invalid', 'not an acceptable path');
  const range = options.from !== undefined || options.to !== undefined;
  const lines = range
    ? [`-L${Math.trunc(options.from ?? 1)},${options.to === undefined ? '' : Math.trunc(options.to)}`]
    : [];
  const args = ['blame', '--porcelain', ...lines, commit, '--', parts.join('/')];
  let text: string;
  try {
    text = await gitText(repo, args, { work: 'heavy', maxBytes: options.maxBytes ?? 32 * 1024 * 1024 });
  } catch (error) {
    if (error instanceof GitError && /no such path/.test(error.stderr)) throw new GitError('not_found', 'no such file');
    if (error instanceof GitError && /has only \d+ lines?/.test(error.stderr)) {
      throw new GitError('invalid', 'the range is outside of the file');
    }
    throw error;
  }
  const groups: BlameGroup[] = [];
  const paths = new Map<Sha, string>();
  let current: Sha | null = null;
  let line = 0;
  for (const row of text.split('\n')) {
    if (row.startsWith('\t')) {
      const last = groups.at(-1);
      if (last && last.commit === current && last.start + last.lines.length === line) last.lines.push(row.slice(1));
      else if (current) groups.push({ commit: current, start: line, lines: [row.slice(1)], path: '' });
      continue;
    }
    const header = /^([0-9a-f]{40}) \d+ (\d+)/.exec(row);
    if (header) {
      current = header[1] as Sha;
      line = Number(header[2]);
    } else if (current && row.startsWith('filename ')) paths.set(current, row.slice('filename '.length));
  }
  for (const group of groups) group.path = paths.get(group.commit) ?? path;
  return groups;
}
