/** Whether repositories and objects are what the database says of them, and what to do where they are not. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import { namedObjects, type RepositoryPlace, repositoryPlaces, unsettled } from './inspect.queries.ts';
import { knownPaths } from './sweep.queries.ts';

export interface Problem {
  /** What it is about: `group/project`, a path, `LFS object 7`. */
  readonly of: string;
  readonly text: string;
}

export interface Inspection {
  /** Repositories against their rows, and rows against repositories; with `fsck` all that is in them. */
  repositories(options: { readonly fsck: boolean }): AsyncGenerator<Problem, { readonly looked: number }>;
  /** Objects that rows name against the storage of objects. */
  objects(): AsyncGenerator<Problem, { readonly looked: number }>;
}

const hour = 3_600_000;
/** The nightly sweep would have removed them. */
const oldLock = 25 * hour;
/** A repository is there before its row, and for a while after it. */
const ownerless = 24 * hour;
/** Whoever writes next settles them, and a task does every minute. */
const settledMinutes = 10;

export function storageInspection(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly storages: Readonly<Record<string, string>>;
  readonly objects: Pick<ObjectStore, 'exists'>;
}): Inspection {
  const { db, storages } = deps;

  async function ofRow(row: RepositoryPlace, fsck: boolean): Promise<string[]> {
    const root = storages[row.repository_storage];
    if (root === undefined)
      return [`its storage ${row.repository_storage} is not in MILLRACE_REPOSITORIES: name the directory there`];
    const directory = path.join(root, row.repository_path);
    if (!(await stat(path.join(directory, 'objects')).catch(() => null)))
      return [`its repository ${directory} is missing: put it back from a backup, or remove what it belongs to`];
    const found: string[] = [];
    const repo = deps.open({ ...row, refs_generation: 0 });
    const head = await git.defaultBranch(repo);
    if (row.default_branch !== null && head !== row.default_branch)
      found.push(
        `HEAD of ${directory} names ${head ?? 'no branch'}, the database ${row.default_branch}: git --git-dir=${directory} symbolic-ref HEAD refs/heads/${row.default_branch}`,
      );
    const locks = await git.listLocks(repo, { minAgeMs: oldLock });
    if (locks.length > 0)
      found.push(
        `${locks.length} lock files in ${directory} are older than a day, as ${locks[0]?.path}: they stop nobody, but the nightly task that removes them does not run`,
      );
    if (fsck) {
      const { healthy, problems } = await git.fsck(repo);
      if (!healthy)
        found.push(
          `git fsck of ${directory}: ${problems.slice(0, 3).join('; ')}: take what is damaged from a backup or a clone`,
        );
    }
    return found;
  }

  /** Directories of a storage that no row names. */
  async function* strays(storage: string, root: string): AsyncGenerator<Problem> {
    if (!(await stat(path.join(root, '@hashed')).catch(() => null))) return;
    for await (const found of git.repositoriesBelow(root)) {
      const whole = found.filter(({ kind, ageMs }) => kind === 'repository' && ageMs > ownerless);
      const paths = whole.map(({ path: at }) => at);
      if (paths.length === 0) continue;
      const known = await knownPaths(db, storage, paths);
      for (const at of paths)
        if (!known.has(at))
          yield {
            of: path.join(root, at),
            text: 'belongs to no project and no wiki: a nightly task moves it to @orphans after a week; after an older database was restored it may be what you want back',
          };
    }
  }

  return {
    async *repositories({ fsck }) {
      let looked = 0;
      for await (const rows of repositoryPlaces(db))
        for (const row of rows) {
          looked += 1;
          const found = await ofRow(row, fsck).catch((error: Error) => [`cannot be looked at: ${error.message}`]);
          for (const text of found) yield { of: row.name, text };
        }
      for (const [storage, root] of Object.entries(storages)) yield* strays(storage, root);
      for (const { name, since } of await unsettled(db, settledMinutes))
        yield {
          of: name,
          text: `a write of ${since.toISOString()} is not settled: a running server does that every minute, or its log says why it cannot`,
        };
      return { looked };
    },
    async *objects() {
      let looked = 0;
      for await (const named of namedObjects(db))
        for (const { key, name } of named) {
          looked += 1;
          if (!(await deps.objects.exists(key)))
            yield {
              of: name,
              text: `its object ${key} is missing: put it back from a backup; LFS objects come back with the next git lfs push --all`,
            };
        }
      return { looked };
    },
  };
}
