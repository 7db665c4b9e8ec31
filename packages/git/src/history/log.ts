/** Commit walks: small ones in process over cached commits, all others by rev-list; results cached by their ids. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import type { Commit } from '../objects/parse.ts';
import { readCommit, readCommits } from '../objects/read.ts';
import { splitPath } from '../objects/tree.ts';
import { gitText } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';
import { keptWindow } from './kept-order.ts';
import { mergeBase } from './relations.ts';
import { straightLine, walkByDate } from './walk.ts';

export interface LogQuery {
  /** Commits to start from. */
  from: readonly Sha[];
  /** Commits whose history is left out. */
  not?: readonly Sha[];
  /**
   * Two commits: what one of them has and the other not. Without their common ancestors is not the same: git looks
   * less far there, and misses commits where clocks went backwards.
   */
  either?: readonly [Sha, Sha];
  /** Start from all references as well; such results are not cached. */
  all?: boolean;
  /** References that `all` leaves out: those below these names. */
  hidden?: readonly string[];
  /** Only commits that change these files or directories. */
  paths?: readonly string[];
  /** Follow renames; needs exactly one path. */
  follow?: boolean;
  /** Seconds since 1970, by committer date. */
  since?: number;
  until?: number;
  /** Substring of `Name <email>`, case-insensitive. */
  author?: string;
  /** Substring of the message, case-insensitive. */
  grep?: string;
  firstParent?: boolean;
  /** Leave merge commits out. */
  noMerges?: boolean;
  /** `default` by date as found; `date` and `topo` never show a parent before its children. */
  order?: 'default' | 'date' | 'topo';
  skip?: number;
  /** Default 20. */
  limit?: number;
}

/** Walks up to this long are done in process. */
const IN_PROCESS_COMMITS = 150;

function selection(query: LogQuery): string[] {
  const args: string[] = [];
  if (query.since !== undefined) args.push(`--since=@${Math.trunc(query.since)}`);
  if (query.until !== undefined) args.push(`--until=@${Math.trunc(query.until)}`);
  if (query.author !== undefined) args.push('-i', '--fixed-strings', `--author=${oneLine(query.author)}`);
  if (query.grep !== undefined) args.push('-i', '--fixed-strings', `--grep=${oneLine(query.grep)}`);
  if (query.firstParent) args.push('--first-parent');
  if (query.noMerges) args.push('--no-merges');
  if (query.order === 'topo') args.push('--topo-order');
  if (query.order === 'date') args.push('--date-order');
  return args;
}

/** A newline would make two patterns of one, NUL cannot be passed at all. */
function oneLine(pattern: string): string {
  if (/[\n\0]/.test(pattern) || pattern.length > 1000) throw new GitError('invalid', 'not an acceptable search text');
  return pattern;
}

const everything = ({ hidden = [] }: LogQuery) => [...hidden.map((name) => `--exclude=${name}/*`), '--all'];

function revisions(query: LogQuery): string[] {
  const either = query.either ? [query.either.join('...')] : [];
  return [
    ...query.from,
    ...either,
    ...(query.not ?? []).map((id) => `^${id}`),
    ...(query.all ? everything(query) : []),
  ];
}

function pathArguments(query: LogQuery): string[] {
  const paths = query.paths ?? [];
  for (const path of paths) {
    if (splitPath(path) === null) throw new GitError('invalid', 'not an acceptable path');
  }
  // The root as a path means no limit; an empty pathspec would be an error.
  const cleaned = paths.map((path) => splitPath(path)?.join('/') ?? '').filter((path) => path !== '');
  return ['--', ...cleaned];
}

/** Whether every commit in the history of the starts is selected but for those of `not`. */
function unfiltered({ all, either, paths, follow, since, until, author, grep, noMerges }: LogQuery): boolean {
  const filtered = all || either || follow || author || grep || noMerges || since !== undefined || until !== undefined;
  return !filtered && !paths?.length;
}

const simple = (query: LogQuery) => unfiltered(query) && (query.order ?? 'default') === 'default' && !query.not?.length;

/**
 * The commits of `base..head` where they are few and in one line, or in one that was merged into `base`: the same in any
 * order that git has. Else null.
 */
async function shortRange(repo: Repo, query: LogQuery): Promise<Sha[] | null> {
  const [head, ...otherHeads] = query.from;
  const [base, ...otherBases] = query.not ?? [];
  if (!head || !base || otherHeads.length > 0 || otherBases.length > 0 || !unfiltered(query)) return null;
  const line = await straightLine(repo, head, (id) => id === base);
  if (line || query.firstParent) return line;
  const [into, merged, ...more] = (await readCommit(repo, head))?.parents ?? [];
  if (into !== base || merged === undefined || more.length > 0) return null;
  const fork = await mergeBase(repo, base, merged);
  const brought = fork && (await straightLine(repo, merged, (id) => id === fork));
  return brought ? [head, ...brought] : null;
}

async function load(repo: Repo, query: LogQuery): Promise<Sha[]> {
  const { skip, limit } = windowOf(query);
  if (query.from.length === 0 && !query.either && !query.all) return [];
  const range = await shortRange(repo, query);
  if (range) return range.slice(skip, skip + limit);
  // Following renames git skips commits that it would not show: the window is cut out here.
  const window = query.follow ? [`--max-count=${skip + limit}`] : [`--skip=${skip}`, `--max-count=${limit}`];
  const selected = [...selection(query), ...window, ...revisions(query), ...pathArguments(query)];
  // rev-list does not know --follow.
  const args = query.follow
    ? ['log', '--format=%H', '--no-mailmap', '--follow', ...selected]
    : ['rev-list', ...selected];
  const ids = (await gitText(repo, args, { work: 'heavy' })).split('\n').filter(isSha);
  return query.follow ? ids.slice(skip) : ids;
}

const windowOf = ({ skip = 0, limit = 20 }: LogQuery) => ({ skip, limit });

/** A window of all that is behind the starts, from what is kept of it; null when the query is another, or looks too deep. */
async function plainWindow(repo: Repo, query: LogQuery): Promise<readonly Sha[] | null> {
  if (!simple(query) || query.from.length === 0) return null;
  const { skip, limit } = windowOf(query);
  const firstParent = query.firstParent ?? false;
  const end = skip + limit;
  return end <= IN_PROCESS_COMMITS
    ? (await walkByDate(repo, query.from, end, firstParent)).slice(skip)
    : await keptWindow(repo, query.from, firstParent, skip, end);
}

/** Ids of one window of history. Cached where the answer depends on ids only. */
export async function logIds(repo: Repo, query: LogQuery): Promise<readonly Sha[]> {
  if (query.all) return load(repo, query);
  const key = `log${repo.key}:${JSON.stringify(query)}`;
  const known = repo.git.cache.get(key) as readonly Sha[] | undefined;
  if (known) return known;
  const ids = (await plainWindow(repo, query)) ?? (await load(repo, query));
  repo.git.cache.set(key, ids, 2 * key.length + 60 * ids.length);
  return ids;
}

/** Parsed commits of one window of history. */
export async function log(repo: Repo, query: LogQuery): Promise<Commit[]> {
  return readCommits(repo, await logIds(repo, query));
}

const countKey = (repo: Repo, query: LogQuery, max?: number) =>
  `count${repo.key}:${max ?? ''}:${JSON.stringify(query)}`;

/** All commits of a head a few above one that was counted: that is what a push makes of a branch. */
async function countAbove(repo: Repo, query: LogQuery): Promise<number | null> {
  const [head, ...others] = query.from;
  if (!head || others.length > 0 || query.not?.length || !unfiltered(query)) return null;
  let below: number | undefined;
  const line = await straightLine(repo, head, (id) => {
    below = repo.git.cache.get(countKey(repo, { ...query, from: [id] })) as number | undefined;
    return below !== undefined;
  });
  return line && below !== undefined ? line.length + below : null;
}

/** How many commits the query selects, its window disregarded; `max` ends the counting early. */
export async function countCommits(repo: Repo, query: LogQuery, max?: number): Promise<number> {
  if (query.from.length === 0 && !query.either && !query.all) return 0;
  const { skip: _skip, limit: _limit, order: _order, ...selected } = query;
  const key = countKey(repo, selected, max);
  const known = repo.git.cache.get(key) as number | undefined;
  if (known !== undefined) return known;
  const keep = (count: number) => {
    if (!query.all) repo.git.cache.set(key, count, key.length * 2);
    return count;
  };
  const range = await shortRange(repo, selected);
  const few = range?.length ?? (max === undefined ? await countAbove(repo, selected) : null);
  if (few !== null) return keep(Math.min(few, max ?? few));
  const bound = max === undefined ? [] : [`--max-count=${max}`];
  const args = [
    'rev-list',
    '--count',
    ...selection(selected),
    ...bound,
    ...revisions(selected),
    ...pathArguments(selected),
  ];
  return keep(Number((await gitText(repo, args, { work: 'heavy' })).trim()));
}

/** Ids that are reachable from `tips` and from no reference: what a push brings. At most `limit`, newest first. */
export async function newCommits(
  repo: Repo,
  tips: readonly Sha[],
  options: { limit: number; reverse?: boolean },
): Promise<Sha[]> {
  if (tips.length === 0) return [];
  const flags = [`--max-count=${options.limit}`, ...(options.reverse ? ['--reverse'] : [])];
  const text = await gitText(repo, ['rev-list', ...flags, ...tips, '--not', '--all', '--'], { work: 'write' });
  return text.split('\n').filter(isSha);
}
