/** A throw-away cluster for test suites: no fsync, in memory or in the temporary folder, gone when it is stopped. */
import { rmSync } from 'node:fs';
import { access, constants, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, readPidFile, servesDirectory } from './postmaster.ts';
import { type EmbeddedPostgres, startPostgres } from './start.ts';

export type TestCluster = EmbeddedPostgres;

const PREFIX = 'millrace-test-';
/** Files that are memory, on Linux. */
const MEMORY = '/dev/shm';
/** What a run may come to need, and what it leaves to everything else. */
const NEEDED = 3 * 1024 ** 3;

/**
 * Where there is room, in memory: a database is more than a thousand files, and a disk takes ten times as long to make and
 * remove them, whether it writes their content or not. Elsewhere in the temporary folder.
 */
export async function clusterFolder(memory = MEMORY, available = process.availableMemory()): Promise<string> {
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= NEEDED && available >= 2 * NEEDED ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Starts a cluster that keeps nothing; `stop()` also removes its files. One per test run, one database per test file.
 * It ends with this process, and what a killed run left behind ends with the next start.
 */
export async function createTestCluster(): Promise<TestCluster> {
  const folder = await clusterFolder();
  for (const each of new Set([folder, tmpdir()])) await sweep(each);
  const root = await mkdtemp(join(folder, `${PREFIX}${process.pid}-`));
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

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (!owner || isAlive(Number(owner))) continue;
    const root = join(folder, name);
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
