/** An instance that has nothing yet, to restore backups into. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDestination } from '../src/features/admin/backups/destination.ts';
import { restoreBackup } from '../src/features/admin/backups/restore.ts';
import { createPool } from '../src/kernel/db/index.ts';
import { openObjectStore } from '../src/kernel/objects/index.ts';
import type { TestApp } from './app.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface RestoredInstance {
  readonly database: TestDatabase;
  readonly directory: string;
  /** Restores a backup of the instance that it was opened for. */
  restore(name: string): ReturnType<typeof restoreBackup>;
  rows<T extends pg.QueryResultRow>(text: string): Promise<T[]>;
  close(): Promise<void>;
}

/** `app` is the instance whose backups are restored, from the destination that it has. */
export async function emptyInstance(app: TestApp, passphrase: string | null): Promise<RestoredInstance> {
  const database = await createTestDatabase('template1');
  const directory = await mkdtemp(path.join(tmpdir(), 'millrace-restored-'));
  const repositories = path.join(directory, 'repositories');
  await mkdir(repositories);
  const { config } = app.kernels;
  return {
    database,
    directory,
    async restore(name) {
      const pool = createPool({ ...database, max: 2, copies: true });
      try {
        const objects = `file:${path.join(directory, 'objects')}`;
        const target = {
          pool,
          objects: await openObjectStore({ ...config, data: directory, objects }),
          storages: { default: repositories },
          secretsFile: path.join(directory, 'secrets.key'),
        };
        const from = await openDestination(config, config.backups);
        return await restoreBackup(from, name, passphrase, target, () => undefined);
      } finally {
        await pool.end();
      }
    },
    async rows<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
      const client = new pg.Client(database);
      await client.connect();
      try {
        return (await client.query<T>(text)).rows;
      } finally {
        await client.end();
      }
    },
    close: async () => {
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
