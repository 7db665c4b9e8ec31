/** Repositories as they were at one point of the database, for backups, and the way back. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import { atSnapshot, countRepositories, writesOf } from './backup.queries.ts';
import { type RepositoryPlace, repositoryPlaces } from './inspect.queries.ts';

export interface CapturedRepository {
  /** Equal in every backup. */
  readonly id: string;
  readonly name: string;
  readonly storage: string;
  readonly path: string;
  readonly head: string | null;
  /** Sorted by name. */
  readonly refs: ReadonlyArray<readonly [ref: git.RefName, id: git.Sha]>;
  /** A pack of everything that the refs reach, without what the known ids reach; null where that is nothing. */
  pack(known: readonly string[]): Promise<Readable | null>;
}

export interface RepositoryBackups {
  count(): Promise<number>;
  /** All repositories at a point that is kept in view under `snapshot`; a text names one that cannot be read. */
  each(
    snapshot: string,
    visit: (repository: CapturedRepository | string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/**
 * Refs as they were at the point: what later writes moved has its old value. An intent is written before its refs move,
 * so that whoever reads refs first and intents then sees the intent of every move.
 */
async function refsAt(db: Db, at: Db, repo: git.Repo, row: RepositoryPlace): Promise<Map<git.RefName, git.Sha>> {
  const refs = await git.currentRefs(repo);
  const now = await writesOf(db, row.owner, row.id);
  const before = new Set((await writesOf(at, row.owner, row.id)).map(({ id }) => id));
  const restored = new Set<string>();
  for (const { id, changes } of now) {
    if (before.has(id)) continue;
    // The first write after the point knows what the ref was then.
    for (const change of changes) {
      if (restored.has(change.ref)) continue;
      restored.add(change.ref);
      const ref = change.ref as git.RefName;
      const old = git.parseSha(change.before);
      if (old === null || old === git.ZERO_SHA) refs.delete(ref);
      else refs.set(ref, old);
    }
  }
  return refs;
}

const kindOf = { project_id: 'project', wiki_id: 'wiki', snippet_id: 'snippet' } as const;

export function repositoryBackups(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly storages: Readonly<Record<string, string>>;
}): RepositoryBackups {
  const { db } = deps;

  async function captured(at: Db, row: RepositoryPlace, signal: AbortSignal): Promise<CapturedRepository | string> {
    const root = deps.storages[row.repository_storage];
    if (root === undefined) return `${row.name}: its storage ${row.repository_storage} is not configured`;
    const directory = path.join(root, row.repository_path);
    if (!(await stat(path.join(directory, 'objects')).catch(() => null)))
      return `${row.name}: its repository ${directory} is missing`;
    const repo = git.withSignal(deps.open({ ...row, refs_generation: 0 }), signal);
    const refs = await refsAt(db, at, repo, row);
    return {
      id: `${kindOf[row.owner]}:${row.id}`,
      name: row.name,
      storage: row.repository_storage,
      path: row.repository_path,
      head: row.default_branch,
      refs: [...refs].sort(([a], [b]) => (a < b ? -1 : 1)),
      async pack(known) {
        const wanted = new Set(refs.values());
        const there = await git.existingObjects(
          repo,
          known.flatMap((id) => git.parseSha(id) ?? []),
        );
        const missing = [...wanted].filter((id) => !there.has(id));
        return missing.length === 0 ? null : await git.createPack(repo, missing, [...there]);
      },
    };
  }

  return {
    count: () => countRepositories(db),
    each: (snapshot, visit, signal) =>
      atSnapshot(db, snapshot, async (at) => {
        for await (const rows of repositoryPlaces(at))
          for (const row of rows) {
            signal.throwIfAborted();
            await visit(await captured(at, row, signal));
          }
      }),
  };
}

/** Puts a repository of a backup in its place, over whatever is there. Throws a GitError where it is not whole. */
export async function restoreRepository(
  shared: git.Git,
  root: string,
  of: {
    readonly path: string;
    readonly head: string | null;
    readonly refs: ReadonlyArray<readonly [string, string]>;
  },
  packs: Iterable<AsyncIterable<Buffer>>,
): Promise<void> {
  const place = path.join(root, of.path);
  if (!place.startsWith(`${path.resolve(root)}/`)) throw new git.GitError('invalid', 'a path outside of its storage');
  const at = git.repoPath(place);
  await git.removeRepository(shared, at);
  await git.initRepository(at, { defaultBranch: of.head ?? 'main' });
  const repo = git.openRepository(shared, at, { caller: 'system' });
  const quarantine = await git.createQuarantine(repo);
  try {
    for (const pack of packs) await git.ingestPack(quarantine, pack, {});
    const updates = of.refs.flatMap(([name, id]) => {
      const sha = git.parseSha(id);
      return sha && git.isWellFormed(name) ? [{ ref: name as git.RefName, new: sha }] : [];
    });
    await git.checkConnectivity(
      quarantine,
      updates.map(({ new: id }) => id),
    );
    await git.migrateQuarantine(quarantine);
    await git.updateRefs(repo, updates);
  } catch (error) {
    await git.discardQuarantine(quarantine);
    throw error;
  }
}
