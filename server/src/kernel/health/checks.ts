/** What readiness asks: each check really uses its part and throws when it cannot be used. */
import type { Db } from '../db/index.ts';
import type { ObjectStore } from '../objects/index.ts';
import { type Queue, queueDepth } from '../queue/index.ts';
import { ping } from './health.queries.ts';
import type { Storages } from './storages.ts';

export interface CheckDependencies {
  readonly db: Db;
  readonly listener: { readonly connected: boolean };
  readonly objects: ObjectStore;
  readonly queue: Pick<Queue, 'running'>;
  readonly storages: Storages;
}

export function readinessChecks(deps: CheckDependencies): Readonly<Record<string, () => Promise<void>>> {
  return {
    database: async () => {
      await ping(deps.db);
      if (!deps.listener.connected) throw new Error('notifications do not arrive');
    },
    git_storage: async () => {
      await Promise.all(deps.storages.names.map((name) => deps.storages.check(name)));
    },
    object_storage: () => deps.objects.check(),
    queue: async () => {
      if (!deps.queue.running) throw new Error('background tasks are not being run');
      await queueDepth(deps.db);
    },
  };
}
