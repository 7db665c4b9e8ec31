/** The commit that last changed a path, and the same for all entries of a directory in one walk over cached objects. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { type Commit, eachTreeEntry } from '../objects/parse.ts';
import { readCommit } from '../objects/read.ts';
import { lookupPath } from '../objects/tree.ts';
import { rawObject } from '../process/cat-file.ts';
import type { Sha } from '../types.ts';
import { walkEntries } from './changed-entries.ts';
import { logIds } from './log.ts';
import { isAncestor } from './relations.ts';

/** The newest commit in the history of `from` that changed the path; null when none did. Kept: histories do not change. */
export async function lastCommitOf(repo: Repo, from: Sha, path: string): Promise<Sha | null> {
  const key = `last1${repo.key}:${from}:${path}`;
  const known = repo.git.cache.get(key) as { readonly id: Sha | null } | undefined;
  if (known) return known.id;
  const id = (await logIds(repo, { from: [from], paths: [path], limit: 1 }))[0] ?? null;
  repo.git.cache.set(key, { id }, 200 + key.length);
  return id;
}

/** Entries of one directory as `mode id` by name. */
type Listing = ReadonlyMap<string, string>;
const NOTHING: Listing = new Map();
const MAX_TREE_BYTES = 32 * 1024 * 1024;

/** Directories passed on the way are read once per walk and not kept in the shared cache: they would fill it. */
function directoryReader(repo: Repo, path: string) {
  const trees = new Map<Sha, Promise<Listing>>();
  const parts = path === '' ? [] : path.split('/');

  function list(id: Sha): Promise<Listing> {
    let known = trees.get(id);
    if (!known) {
      known = rawObject(repo, id, MAX_TREE_BYTES).then((object) => {
        const entries = new Map<string, string>();
        if (object?.type === 'tree') {
          eachTreeEntry(object.data, (mode, name, entry) => entries.set(name.toString('utf8'), `${mode} ${entry}`));
        }
        return entries;
      });
      trees.set(id, known);
      // The neighbourhood is enough: a walk compares a commit with its parents.
      if (trees.size > 500) for (const oldest of [...trees.keys()].slice(0, 100)) trees.delete(oldest);
    }
    return known;
  }

  return async (root: Sha): Promise<Listing> => {
    let entries = await list(root);
    for (const part of parts) {
      const [mode, id] = entries.get(part)?.split(' ') ?? [];
      if (mode !== '040000' || !id) return NOTHING;
      entries = await list(id as Sha);
    }
    return entries;
  };
}

interface Step {
  commit: Commit;
  names: Set<string>;
}

function newest(steps: Map<Sha, Step>): Step | undefined {
  let best: Step | undefined;
  for (const step of steps.values()) {
    if (!best || step.commit.committer.seconds > best.commit.committer.seconds) best = step;
  }
  return best;
}

/** Longer walks are git's: in process each commit costs the parsing of a directory. */
const IN_PROCESS_MS = 50;

/** An answer for an earlier commit, kept by the caller. */
export interface KnownEntries {
  readonly commit: Sha;
  readonly entries: ReadonlyMap<string, Sha>;
}

/** Last commits by name, and whether all are known. */
export interface LastCommits {
  readonly entries: ReadonlyMap<string, Sha>;
  readonly complete: boolean;
}

const keyOf = (repo: Repo, id: Sha, path: string) => `last${repo.key}:${id}:${path}`;

/** What is at hand already: last commits by name of the entries of a directory, spelled without slashes around it. */
export const knownLastCommits = (repo: Repo, commit: Sha, directory: string): ReadonlyMap<string, Sha> | undefined =>
  repo.git.cache.get(keyOf(repo, commit, directory)) as ReadonlyMap<string, Sha> | undefined;

/**
 * For each entry directly below a directory the newest commit that changed it, by entry name, as `git log -1` answers
 * for each: at a merge the first parent that has the same entry is followed. Entries not found within the time limit
 * (default 5 s) are missing. Cached by (commit, directory); a walk ends where it meets a cached answer or `earlier`.
 */
export async function lastCommitsOf(
  repo: Repo,
  from: Sha,
  directory = '',
  options: { timeoutMs?: number; earlier?: KnownEntries; inProcessMs?: number } = {},
): Promise<LastCommits> {
  const path = (await lookupPath(repo, from, directory))?.path;
  const start = await readCommit(repo, from);
  if (path === undefined || !start) return { entries: new Map(), complete: true };
  const answerAt = (id: Sha) => knownLastCommits(repo, id, path);
  const keep = (id: Sha, entries: ReadonlyMap<string, Sha>) =>
    repo.git.cache.set(keyOf(repo, id, path), entries, 200 + entries.size * 150);
  const known = answerAt(from);
  if (known) return { entries: known, complete: true };
  const { earlier } = options;
  if (earlier && !answerAt(earlier.commit)) keep(earlier.commit, earlier.entries);

  const read = directoryReader(repo, path);
  const begin = Date.now();
  const deadline = begin + (options.timeoutMs ?? 5_000);
  const names = new Set((await read(start.tree)).keys());
  const found = new Map<string, Sha>();
  const steps = new Map<Sha, Step>([[from, { commit: start, names: new Set(names) }]]);
  for (let step = newest(steps); step; step = newest(steps)) {
    if (repo.signal?.aborted) throw new GitError('aborted', 'the caller went away');
    if (Date.now() - begin > (options.inProcessMs ?? IN_PROCESS_MS)) {
      const left = [...names].filter((name) => !found.has(name));
      const walked = await throughGit(repo, { from, path, names: left, deadline }, earlier);
      for (const [name, id] of walked) found.set(name, id);
      break;
    }
    const { commit, names: here } = step;
    steps.delete(commit.id);
    const answer = answerAt(commit.id);
    const listing = answer ? NOTHING : await read(commit.tree);
    const parents = answer ? [] : await parentsOf(repo, commit, read);
    for (const name of here) {
      const cached = answer?.get(name);
      const same = parents.find((parent) => parent.listing.get(name) === listing.get(name));
      if (cached) found.set(name, cached);
      else if (same) assign(steps, same.commit, name);
      else found.set(name, commit.id);
    }
  }
  const complete = found.size === names.size;
  if (complete) keep(from, found);
  return { entries: found, complete };
}

/** The walk of git: down to what was kept, and beyond where a merge leads past it. */
async function throughGit(
  repo: Repo,
  query: { from: Sha; path: string; names: readonly string[]; deadline: number },
  earlier: KnownEntries | undefined,
): Promise<Map<string, Sha>> {
  const reached = earlier && (await isAncestor(repo, earlier.commit, query.from)) ? earlier : undefined;
  if (!reached) return (await walkEntries(repo, query)).found;
  const { found, rest } = await walkEntries(repo, { ...query, not: reached.commit });
  const beside: string[] = [];
  for (const [id, names] of rest)
    for (const name of names) {
      const kept = id === reached.commit ? reached.entries.get(name) : undefined;
      if (kept) found.set(name, kept);
      else beside.push(name);
    }
  if (beside.length > 0)
    for (const [name, id] of (await walkEntries(repo, { ...query, names: beside })).found) found.set(name, id);
  return found;
}

async function parentsOf(repo: Repo, commit: Commit, read: (root: Sha) => Promise<Listing>) {
  return Promise.all(
    commit.parents.map(async (id) => {
      const parent = await readCommit(repo, id);
      if (!parent) throw new GitError('corrupt', 'a parent commit is missing');
      return { commit: parent, listing: await read(parent.tree) };
    }),
  );
}

function assign(steps: Map<Sha, Step>, commit: Commit, name: string): void {
  const step = steps.get(commit.id);
  if (step) step.names.add(name);
  else steps.set(commit.id, { commit, names: new Set([name]) });
}
