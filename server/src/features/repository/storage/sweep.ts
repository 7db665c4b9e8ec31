/** Every night: storages are looked through for what no project or wiki knows, and for what dead writers left in those they do. */
import path from 'node:path';
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePathDependencies } from '../writes/write-path.ts';
import { knownPaths } from './sweep.queries.ts';

const day = 86_400_000;
/** A repository is there before its row is committed, and for a while after the row has gone. */
const graceMilliseconds = { making: day, removing: day, repository: 7 * day } as const;

export function storageSweep(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly storages: Readonly<Record<string, string>>;
  readonly log: WritePathDependencies<unknown>['log'];
}): Task {
  async function looked(storage: string, root: string, found: readonly git.Found[]): Promise<void> {
    const known = await knownPaths(
      deps.db,
      storage,
      found.map(({ path: at }) => at),
    );
    for (const entry of found)
      try {
        if (entry.kind === 'repository' && known.has(entry.path)) {
          const repo = deps.open({
            id: 0,
            repository_storage: storage,
            repository_path: entry.path,
            refs_generation: 0,
            default_branch: null,
          });
          const removed = await git.clean(repo);
          if (removed > 0) deps.log.warn({ storage, path: entry.path, removed }, 'removed what dead writers left');
        } else if (entry.ageMs > graceMilliseconds[entry.kind]) {
          const to = await git.setAside(root, entry);
          deps.log.warn({ storage, path: entry.path, to }, 'a directory of no project was set aside');
        }
      } catch (error) {
        deps.log.warn(
          { err: error, storage, path: path.join(root, entry.path) },
          'a repository could not be looked after',
        );
      }
  }

  return defineTask(
    'repository.sweep_storages',
    Type.Object({}),
    async () => {
      for (const [storage, root] of Object.entries(deps.storages))
        for await (const found of git.repositoriesBelow(root)) if (found.length > 0) await looked(storage, root, found);
    },
    { maxAttempts: 1, timeout: 6 * 3_600_000 },
  );
}
