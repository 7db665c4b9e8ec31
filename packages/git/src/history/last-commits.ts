/** The commit that last changed a path, and the same for all entries of a directory in one walk over cached objects. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { type Commit, eachTreeEntry } from '../objects/parse.ts';
import { readCommit } from '../objects/read.ts';
import { lookupPath } from '../objects/tree.ts';
import { rawObject } from '../process/cat-file.ts';
import type { Sha } from '../types.ts';
import { logIds } from './log.ts';

/** The newest commit in the history of `from` that changed the path; null when none did. */
export async function lastCommitOf(repo: Repo, from: Sha, path: string): Promise<Sha | null> {
  return (await logIds(repo, { from: [from], paths: [path], limit: 1 }))[0] ?? null;
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

/**
 * For each entry directly below a directory the newest commit that changed it, by entry name, as `git log -1` answers
 * for each: at a merge the first parent that has the same entry is followed. Entries not found within the time limit
 * (default 5 s) are missing. Cached by (commit, directory); a walk ends where it meets a cached answer.
 */
export async function lastCommitsOf(
  repo: Repo,
  from: Sha,
  directory = '',
  options: { timeoutMs?: number } = {},
): Promise<ReadonlyMap<string, Sha>> {
  const path = (await lookupPath(repo, from, directory))?.path;
  const start = await readCommit(repo, from);
  const found = new Map<string, Sha>();
  if (path === undefined || !start) return found;
  const keyOf = (id: Sha) => `last${repo.key}:${id}:${path}`;
  const known = repo.git.cache.get(keyOf(from)) as ReadonlyMap<string, Sha> | undefined;
  if (known) return known;

  const read = directoryReader(repo, path);
  const deadline = Date.now() + (options.timeoutMs ?? 5_000);
  const steps = new Map<Sha, Step>([[from, { commit: start, names: new Set((await read(start.tree)).keys()) }]]);
  for (let step = newest(steps); step; step = newest(steps)) {
    if (repo.signal?.aborted) throw new GitError('aborted', 'the caller went away');
    if (Date.now() > deadline) return found;
    const { commit, names } = step;
    steps.delete(commit.id);
    const earlier = repo.git.cache.get(keyOf(commit.id)) as ReadonlyMap<string, Sha> | undefined;
    const listing = earlier ? NOTHING : await read(commit.tree);
    const parents = earlier ? [] : await parentsOf(repo, commit, read);
    for (const name of names) {
      const cached = earlier?.get(name);
      const same = parents.find((parent) => parent.listing.get(name) === listing.get(name));
      if (cached) found.set(name, cached);
      else if (same) assign(steps, same.commit, name);
      else found.set(name, commit.id);
    }
  }
  repo.git.cache.set(keyOf(from), found, 200 + found.size * 150);
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
