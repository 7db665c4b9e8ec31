/**
 * Whether the storages of repositories can be used: something is written, flushed, read and removed. A storage that hangs
 * holds one check, not one more with every question, and is told as hanging at once.
 */
import { randomBytes } from 'node:crypto';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Metrics } from '../telemetry/metrics.ts';

const checkMilliseconds = 3_000;

export interface Storages {
  readonly names: readonly string[];
  /** Throws with a reason when the storage cannot be used. */
  check(name: string): Promise<void>;
  /** Since when a check of the storage has been waiting for longer than it may, in milliseconds; null when none does. */
  hangingFor(name: string): number | null;
}

async function probe(directory: string): Promise<void> {
  const file = path.join(directory, `.check-${randomBytes(6).toString('hex')}`);
  const content = randomBytes(16).toString('hex');
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    if ((await readFile(file, 'utf8')) !== content) throw new Error('what was written is not what is read');
  } finally {
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
  }
}

/** `directories` by name. */
export function createStorages(directories: Readonly<Record<string, string>>, metrics: Metrics): Storages {
  const running = new Map<string, { since: number; done: Promise<void> }>();
  const failures = new Map<string, number>();
  const free = new Map<string, Promise<number>>();

  function begin(name: string, directory: string): { since: number; done: Promise<void> } {
    const entry = { since: performance.now(), done: probe(directory).finally(() => running.delete(name)) };
    entry.done.catch(() => undefined);
    running.set(name, entry);
    return entry;
  }

  async function within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${checkMilliseconds} ms`)), checkMilliseconds);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  const hangingFor = (name: string) => {
    const entry = running.get(name);
    const waited = entry === undefined ? 0 : performance.now() - entry.since;
    return waited > checkMilliseconds ? waited : null;
  };

  async function check(name: string): Promise<void> {
    const directory = directories[name];
    if (directory === undefined) throw new Error(`repository storage ${name} is not configured`);
    try {
      const hanging = hangingFor(name);
      if (hanging !== null) throw new Error(`no answer for ${Math.round(hanging / 1000)} s`);
      await within((running.get(name) ?? begin(name, directory)).done);
    } catch (error) {
      failures.set(name, (failures.get(name) ?? 0) + 1);
      throw new Error(`repository storage ${name}: ${(error as Error).message}`);
    }
  }

  /** Zero where it cannot be told: an alarm about too little is right then. */
  async function freeBytes(directory: string): Promise<number> {
    const asked =
      free.get(directory) ??
      statfs(directory)
        .then(({ bavail, bsize }) => bavail * bsize)
        .finally(() => free.delete(directory));
    free.set(directory, asked);
    return await within(asked).catch(() => 0);
  }

  const names = Object.keys(directories);
  metrics.gauges('millrace_storage_free_bytes', 'Bytes that are free on a repository storage', 'storage', async () =>
    Promise.all(Object.entries(directories).map(async ([name, at]) => [name, await freeBytes(at)] as const)),
  );
  metrics.gauges(
    'millrace_storage_failures_total',
    'Checks of a repository storage that failed since the process started',
    'storage',
    async () => names.map((name) => [name, failures.get(name) ?? 0] as const),
  );
  metrics.gauges('millrace_storage_usable', '1 where a repository storage can be used', 'storage', async () =>
    Promise.all(
      names.map(async (name) => {
        const usable = await check(name).then(
          () => 1,
          () => 0,
        );
        return [name, usable] as const;
      }),
    ),
  );
  return { names, check, hangingFor };
}
