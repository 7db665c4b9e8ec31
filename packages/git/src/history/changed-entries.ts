/** One walk of git over all commits that changed entries of a directory, for histories too long to be walked in process. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { streamGit } from '../process/run.ts';
import type { Sha } from '../types.ts';

/** A commit with the parents that git's simplified history gives it, and which entries differ from each of them. */
interface ChangedEntries {
  readonly parents: readonly Sha[];
  /** By parent; one that is missing has the same directory. The empty name stands for a commit without parents. */
  readonly changed: ReadonlyMap<Sha | '', ReadonlySet<string>>;
}

const header = /^([0-9a-f]{40,64})((?: [0-9a-f]{40,64})*)(?: \(from ([0-9a-f]{40,64})\))? /;
/** A token longer than any path that git takes: not what was asked for. */
const longestToken = 1024 * 1024;

/** What git says, and whether it ended well: of what was cut off nothing is complete. */
interface Told {
  readonly stdout: AsyncIterable<Buffer>;
  whole(): Promise<boolean>;
}

async function* tokens({ stdout, whole }: Told): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stdout) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, from)) {
      yield data.toString('utf8', from, end);
      from = end + 1;
    }
    rest = Buffer.from(data.subarray(from));
    if (rest.length > longestToken) throw new GitError('corrupt', 'a name in the history has no end');
  }
  if (rest.length > 0 && (await whole())) yield rest.toString('utf8');
}

interface Heard {
  readonly id: Sha;
  readonly parents: Sha[];
  readonly changed: Map<Sha | '', Set<string>>;
}

/** Commits that changed the directory, and all merges, in no promised order. */
async function* changedEntries(told: Told, prefix: string): AsyncGenerator<[Sha, ChangedEntries], void> {
  let current = null as Heard | null;
  let names = new Set<string>();
  let isPath = false;
  for await (const token of tokens(told)) {
    if (isPath) {
      // Directories that lead there are told, too.
      const name = token.startsWith(prefix) ? token.slice(prefix.length) : '/';
      if (!name.includes('/')) names.add(name);
      isPath = false;
    } else if (token.startsWith(':')) isPath = true;
    else {
      const [, id, list, against] = header.exec(token) ?? [];
      if (id === undefined || list === undefined) throw new GitError('corrupt', 'git told its history in another way');
      if (current?.id !== id) {
        if (current) yield [current.id, current];
        current = { id: id as Sha, parents: list.split(' ').filter(Boolean) as Sha[], changed: new Map() };
      }
      names = new Set();
      // A subject may look like a parent where git names none.
      const parent = current.parents.find((one) => one === against) ?? current.parents[0] ?? '';
      current.changed.set(current.parents.length > 1 ? parent : (current.parents[0] ?? ''), names);
    }
  }
  if (current && (await told.whole())) yield [current.id, current];
}

/**
 * For each of the names directly below a directory (`''` is the top) the newest commit that changed it, in the history of
 * `from`: at a merge the first parent that has the same entry is followed. `not` ends the walk at a commit whose history
 * is left out; names whose walk ends there are told under `rest` by the commit where it ended. Names that are not found
 * until `deadline` (milliseconds of `Date.now()`) are in neither.
 */
export async function walkEntries(
  repo: Repo,
  query: { from: Sha; not?: Sha; path: string; names: Iterable<string>; deadline: number },
): Promise<{ found: Map<string, Sha>; rest: Map<Sha, Set<string>> }> {
  const { from, not, path, deadline } = query;
  const prefix = path === '' ? '' : `${path}/`;
  const wanted = new Set(query.names);
  const found = new Map<string, Sha>();
  /** Names that wait at a commit that was not told yet. */
  const pending = new Map<Sha, Set<string>>();
  /** Told before the names arrived: clocks may go backwards. */
  const early = new Map<Sha, ChangedEntries>();
  let first = true;

  function wait(id: Sha, names: Iterable<string>): void {
    const there = pending.get(id);
    if (there) for (const name of names) there.add(name);
    else pending.set(id, new Set(names));
  }
  /** Moves the names at a commit to its parents, or says that it changed them. */
  function settle(id: Sha, { parents, changed }: ChangedEntries, names: Set<string>): void {
    let left = names;
    for (const parent of parents) {
      const differing = new Set<string>();
      const others = changed.get(parent);
      if (others)
        for (const name of others.size < left.size ? others : left)
          if (others.has(name) && left.has(name)) differing.add(name);
      for (const name of differing) left.delete(name);
      // The set moves on as it is: most commits change one entry of many.
      if (left.size > 0) pending.has(parent) ? wait(parent, left) : pending.set(parent, left);
      left = differing;
    }
    for (const name of left) {
      found.set(name, id);
      wanted.delete(name);
    }
  }
  function take(id: Sha, commit: ChangedEntries): void {
    const told: [Sha, ChangedEntries][] = [[id, commit]];
    for (let next = told.pop(); next; next = told.pop()) {
      const [at, entries] = next;
      const names = pending.get(at);
      if (!names) {
        early.set(at, entries);
        continue;
      }
      pending.delete(at);
      early.delete(at);
      settle(at, entries, names);
      for (const parent of entries.parents) {
        const waiting = early.get(parent);
        if (waiting) told.push([parent, waiting]);
      }
    }
  }

  if (Date.now() >= deadline) return { found, rest: new Map() };
  const args = ['log', '--pretty=oneline', '--no-abbrev-commit', '--no-decorate', '--no-mailmap', '--parents'];
  const differences = ['--full-history', '--diff-merges=separate', '--raw', '-r', '-t', '-z', '--no-renames'];
  const place = path === '' ? [] : [path];
  const started = await streamGit(
    repo,
    [...args, ...differences, '--ignore-submodules=none', from, ...(not ? [`^${not}`] : []), '--', ...place],
    {
      work: 'heavy',
      config: ['log.showRoot=true', 'log.showSignature=false', 'log.follow=false'],
      timeoutMs: deadline - Date.now(),
    },
  );
  const ended = started.done.then(
    () => null,
    (error: unknown) => error,
  );
  const told = { stdout: started.stdout, whole: async () => (await ended) === null };
  try {
    for await (const [id, commit] of changedEntries(told, prefix)) {
      // Everything else is in the history of the first: where `from` changed nothing, git passed it over.
      if (first) pending.set(id, new Set(wanted));
      first = false;
      take(id, commit);
      if (wanted.size === 0) return { found, rest: new Map() };
    }
    if (first && not) pending.set(not, wanted);
  } finally {
    started.stop();
  }
  const failure = await ended;
  if (failure instanceof GitError && failure.code === 'timeout') return { found, rest: new Map() };
  if (failure) throw failure;
  return { found, rest: pending };
}
