/** The queue library's own schema. */
import type pg from 'pg';
import { quietLogger } from './library-log.ts';

/** Runs the library's migrations on the connection that holds the lock for migrations. */
export async function migrateQueue(client: pg.PoolClient): Promise<void> {
  const { Logger, runMigrations } = await import('graphile-worker');
  // The library takes a pool; this one has a single connection, which is not its own to release.
  const borrowed = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => borrowed, listeners: () => [() => undefined], options: { max: 1 } };
  await runMigrations({ pgPool: pool as unknown as pg.Pool, logger: quietLogger(Logger) });
}
