/** A throw-away cluster for test suites: no fsync, in the temporary folder, gone when it is stopped. */
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, readPidFile, servesDirectory } from './postmaster.ts';
import { type EmbeddedPostgres, startPostgres } from './start.ts';

export type TestCluster = EmbeddedPostgres;

const PREFIX = 'millrace-test-';

/**
 * Starts a cluster that keeps nothing; `stop()` also removes its files. One per test run, one database per test file.
 * It ends with this process, and what a killed run left behind ends with the next start.
 */
export async function createTestCluster(): Promise<TestCluster> {
  await sweep();
  const root = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const server = await startPostgres({
    dataDir: join(root, 'postgres'),
    durable: false,
    settings: { max_connections: 200, shared_buffers: '64MB' },
    log: { info: () => undefined, warn: () => undefined },
  });
  const drop = () => {
    kill(server.pid);
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', drop);
  return {
    ...server,
    stop: async () => {
      process.off('exit', drop);
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (!owner || isAlive(Number(owner))) continue;
    const root = join(tmpdir(), name);
    const data = join(root, 'postgres/data');
    const pid = readPidFile(data)?.pid;
    if (pid && servesDirectory(pid, data)) kill(pid);
    await rm(root, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

// Nothing is worth a checkpoint: SIGQUIT ends it at once, its children with it. Synchronous, for the end of a process.
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // Gone already.
  }
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < 2000 && isAlive(pid); waited += 5) Atomics.wait(never, 0, 0, 5);
}
