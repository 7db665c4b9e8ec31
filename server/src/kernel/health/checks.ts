/** What readiness asks: each check really uses its part and throws when it cannot be used. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Db } from '../db/index.ts';
import type { ObjectStore } from '../objects/index.ts';
import { type Queue, queueDepth } from '../queue/index.ts';
import { ping } from './health.queries.ts';

export interface CheckDependencies {
  readonly db: Db;
  readonly listener: { readonly connected: boolean };
  readonly objects: ObjectStore;
  readonly queue: Pick<Queue, 'running'>;
  /** Directories of the repository storages by name. */
  readonly repositories: Readonly<Record<string, string>>;
}

async function writable(directory: string): Promise<void> {
  const probe = path.join(directory, `.check-${randomBytes(6).toString('hex')}`);
  await writeFile(probe, '', { flag: 'wx', mode: 0o600 });
  await rm(probe);
}

export function readinessChecks(deps: CheckDependencies): Readonly<Record<string, () => Promise<void>>> {
  return {
    database: async () => {
      await ping(deps.db);
      if (!deps.listener.connected) throw new Error('notifications do not arrive');
    },
    git_storage: async () => {
      for (const [name, directory] of Object.entries(deps.repositories)) {
        await writable(directory).catch((error: unknown) => {
          throw new Error(`repository storage ${name}: ${(error as Error).message}`);
        });
      }
    },
    object_storage: () => deps.objects.check(),
    queue: async () => {
      if (!deps.queue.running) throw new Error('background tasks are not being run');
      await queueDepth(deps.db);
    },
  };
}
