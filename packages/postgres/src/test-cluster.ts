/** A throw-away cluster for test suites: no fsync, in the temporary folder, gone when it is stopped. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startPostgres } from './start.ts';

export type TestCluster = EmbeddedPostgres;

/** Starts a cluster that keeps nothing; `stop()` also removes its files. One per test run, one database per test file. */
export async function createTestCluster(): Promise<TestCluster> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const server = await startPostgres({
    dataDir: join(root, 'postgres'),
    durable: false,
    settings: { max_connections: 200, shared_buffers: '64MB' },
    log: { info: () => undefined, warn: () => undefined },
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
