/** What the command does with backups: create beside a running server, list, verify, and restore into an empty instance. */
import { mkdir } from 'node:fs/promises';
import { headsOf, openBackup, openDestination, restoreBackup, verifyBackup } from './features/admin/index.ts';
import type { Config } from './kernel/config/config.ts';
import { createPool } from './kernel/db/index.ts';
import { openObjectStore } from './kernel/objects/index.ts';
import { openDatabase } from './kernel/process/database.ts';
import { createLifecycle } from './kernel/process/lifecycle.ts';
import { createLogger, logDestination } from './kernel/telemetry/index.ts';
import { withInstance } from './operations.ts';

/** Where, and with which passphrase, where it is not as configured. */
interface BackupPlace {
  readonly url?: string | undefined;
  readonly passphrase?: string | undefined;
}

const placed = (config: Config, { url, passphrase }: BackupPlace) => ({
  url: url ?? config.backups,
  passphrase: passphrase ?? config.backupPassphrase,
});

interface BackupSummary {
  readonly name: string;
  readonly point_at: string;
  readonly release: string;
  readonly encrypted: boolean;
  readonly repositories: number;
  readonly objects: number;
  readonly bytes: number;
}

export async function listBackups(config: Config, place: BackupPlace): Promise<BackupSummary[]> {
  const heads = await headsOf(await openDestination(config, placed(config, place).url));
  return heads.map(({ name, point_at, release, encryption, repositories, objects, bytes }) => ({
    name,
    point_at,
    release,
    encrypted: encryption !== null,
    repositories,
    objects,
    bytes,
  }));
}

export const createBackup = (
  config: Config,
  place: BackupPlace,
  options: { readonly full: boolean; readonly keep: number | null; readonly signal: AbortSignal },
  report: (text: string) => void,
): Promise<{ readonly name: string; readonly problems: readonly string[] }> =>
  withInstance(config, async ({ backups }) => {
    let phase: string | null = null;
    return await backups.createNow(place, options, (progress) => {
      if (progress.phase === phase) return;
      phase = progress.phase;
      if (phase !== 'done') report(`${phase} ...`);
    });
  });

export async function verifyBackupNamed(
  config: Config,
  place: BackupPlace,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly files: number; readonly bytes: number; readonly problems: readonly string[] }> {
  const { url, passphrase } = placed(config, place);
  return await verifyBackup(await openDestination(config, url), name, passphrase, { signal });
}

/** Nobody waits for a restore to end at once, and what it wrote is still on its way to the disk. */
const restoredMilliseconds = 120_000;

/** Starts the database of the instance for as long as it takes; refuses while a server runs on the data directory. */
export async function restoreBackupNamed(
  config: Config,
  place: BackupPlace,
  name: string,
  report: (text: string) => void,
) {
  const { url, passphrase } = placed(config, place);
  const destination = await openDestination(config, url);
  // Before a database is made: a wrong name or passphrase leaves none behind.
  await openBackup(destination, name, passphrase);
  const log = createLogger('warn', logDestination(2, false));
  const lifecycle = createLifecycle(log);
  try {
    const database = await openDatabase({
      data: config.data,
      databaseUrl: config.databaseUrl,
      lifecycle,
      log,
      stopTimeout: restoredMilliseconds,
    });
    const pool = createPool({ ...database.address, max: 2, copies: true, log });
    lifecycle.onStop('database', () => pool.end());
    for (const directory of Object.values(config.repositories))
      await mkdir(directory, { recursive: true, mode: 0o700 });
    const target = {
      pool,
      objects: await openObjectStore(config),
      storages: config.repositories,
      secretsFile: config.secrets,
    };
    return await restoreBackup(destination, name, passphrase, target, report);
  } finally {
    await lifecycle.stop();
  }
}
