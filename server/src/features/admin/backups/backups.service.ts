/** Runs backups one at a time over all processes, keeps how far they are, and removes those that are too many. */
import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import type { DatabaseDump } from '../../../kernel/db/dump.ts';
import { type Db, withLockIfFree } from '../../../kernel/db/index.ts';
import type { ObjectStore, ObjectsConfig } from '../../../kernel/objects/index.ts';
import { addJob, type CronItem, defineTask, nextRun, type Task } from '../../../kernel/queue/index.ts';
import type { RepositoryBackups } from '../../repository/index.ts';
import * as queries from './backups.queries.ts';
import { type BackupProgress, createBackup } from './create.ts';
import { type Destination, openDestination } from './destination.ts';
import { PassphraseError } from './manifest.ts';
import { exceeding, removeBackups } from './retention.ts';
import { DamagedBackup } from './sealing.ts';
import { type Verified, verifyBackup } from './verify.ts';

export interface BackupDependencies {
  readonly db: Db;
  /** Over connections that only hold locks. */
  readonly lockDb: Db;
  readonly dump: DatabaseDump;
  readonly objects: ObjectStore;
  readonly repositories: RepositoryBackups;
  readonly release: string;
  readonly config: ObjectsConfig & {
    readonly backups: string;
    readonly backupPassphrase: string | null;
    readonly secrets: string;
  };
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Another backup is being made. */
class BackupRunning extends Error {
  override readonly name = 'BackupRunning';
}

class Canceled extends Error {
  override readonly name = 'Canceled';
}

/** Where and how, where it is not as configured. */
interface BackupTarget {
  readonly url?: string | undefined;
  readonly passphrase?: string | null | undefined;
}

const lock = ['backup'] as const;
/** Milliseconds between two tries to be the only one, and how many there are. */
const retryAfter = 500;
const mostTries = 60;
/** Milliseconds between two updates of a row. */
const reportEvery = 500;
const longest = 24 * 3_600_000;
/** Milliseconds until a removal tries again that another backup kept from its work. */
const removalRetry = 5_000;
/** What a row says of a URL: without its parameters. */
const shown = (url: string) => url.split('?')[0] ?? url;

export function backupService(deps: BackupDependencies) {
  const { db, config } = deps;
  const urlOf = (target: BackupTarget) => target.url ?? config.backups;
  const passphraseOf = (target: BackupTarget) =>
    target.passphrase === undefined ? config.backupPassphrase : target.passphrase;
  const open = (target: BackupTarget): Promise<Destination> => openDestination(config, urlOf(target));

  /** Removals of old files end soon, another backup may take hours: waits a while, then gives up. */
  async function exclusively<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let result: { value: T } | undefined;
    for (let tries = 0; tries < mostTries; tries++) {
      const free = await withLockIfFree(deps.lockDb, lock, async () => {
        result = { value: await work() };
      });
      if (free && result) return result.value;
      await sleep(retryAfter, undefined, { signal });
    }
    throw new BackupRunning('another backup is being created or removed');
  }

  /** Those beyond `keep`, of this destination. */
  async function prune(destination: Destination, keep: number, signal: AbortSignal): Promise<readonly string[]> {
    const doomed = exceeding(await destination.names(), keep);
    await removeBackups(destination, doomed, signal);
    await queries.recordRemoved(db, doomed);
    return doomed;
  }

  const interrupted = 'the process that made it ended before it was complete';

  /** Fills the row. Throws what went wrong, after the row says it. */
  async function run(
    id: number,
    target: BackupTarget,
    options: { readonly full: boolean; readonly keep: number | null; readonly signal: AbortSignal },
    report: (progress: BackupProgress) => void = () => undefined,
  ): Promise<string> {
    return await exclusively(options.signal, async () => {
      await queries.endAbandoned(db, interrupted, id);
      let last = 0;
      let phase: string | null = null;
      try {
        const destination = await open(target);
        await destination.check();
        const name = await createBackup({ ...deps, secretsFile: config.secrets }, destination, {
          passphrase: passphraseOf(target),
          full: options.full,
          signal: options.signal,
          report: async (progress) => {
            report(progress);
            const now = performance.now();
            if (progress.phase === phase && now - last < reportEvery) return;
            last = now;
            phase = progress.phase;
            if (await queries.updateProgress(db, id, progress)) throw new Canceled('canceled');
          },
        });
        await queries.recordName(db, id, name);
        // Files of interrupted backups go as well.
        if (options.keep !== null)
          await prune(destination, options.keep, options.signal).catch((error: unknown) =>
            deps.log.error({ err: error }, 'old backups could not be removed'),
          );
        await queries.endBackup(db, id, { state: 'finished' });
        return name;
      } catch (error) {
        const state = error instanceof Canceled ? 'canceled' : 'failed';
        await queries.endBackup(db, id, { state, error: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    });
  }

  const createTask = { name: 'backups.create', maxAttempts: 1 };
  const create = defineTask(
    createTask.name,
    Type.Object({ backup_id: Type.Integer() }),
    async ({ backup_id: id }, { signal }) => {
      const row = await queries.findBackup(db, id);
      if (row?.state !== 'running') return;
      const { keep } = await queries.readSchedule(db);
      try {
        await run(id, {}, { full: row.full_copy, keep, signal });
      } catch (error) {
        if (error instanceof BackupRunning) await queries.endBackup(db, id, { state: 'failed', error: error.message });
        else if (!(error instanceof Canceled)) deps.log.error({ err: error, backup: id }, 'a backup failed');
      }
    },
    { maxAttempts: createTask.maxAttempts, timeout: longest },
  );

  async function start(of: { trigger: 'schedule' | 'api'; userId: number | null; full: boolean }): Promise<number> {
    const id = await queries.insertBackup(db, { ...of, destination: shown(config.backups) });
    await addJob(db, createTask, { backup_id: id });
    return id;
  }

  const verifyTask = { name: 'backups.verify', maxAttempts: 1 };
  const verifyOne = defineTask(
    verifyTask.name,
    Type.Object({ backup: Type.String() }),
    async ({ backup }, { signal }) => {
      await verify(backup, {}, signal).catch((error: unknown) => {
        if (!(error instanceof DamagedBackup || error instanceof PassphraseError)) throw error;
        // Its verification says so; the instance itself works as it should.
        deps.log.warn({ err: error, backup }, 'a backup is damaged');
      });
    },
    { maxAttempts: verifyTask.maxAttempts, timeout: longest },
  );

  async function verify(
    name: string,
    target: BackupTarget,
    signal: AbortSignal,
    report?: (files: number, bytes: number) => void,
  ): Promise<Verified> {
    try {
      const options = { signal, ...(report ? { report } : {}) };
      const result = await verifyBackup(await open(target), name, passphraseOf(target), options);
      await queries.recordVerification(db, name, null);
      return result;
    } catch (error) {
      if (error instanceof DamagedBackup) await queries.recordVerification(db, name, error.message);
      throw error;
    }
  }

  const removeTask = { name: 'backups.remove', maxAttempts: 5 };
  const askRemoval = (name: string, runAt?: Date) =>
    addJob(db, removeTask, { backup: name }, { jobKey: `${removeTask.name}:${name}`, ...(runAt ? { runAt } : {}) });
  const removeOne = defineTask(
    removeTask.name,
    Type.Object({ backup: Type.String() }),
    async ({ backup }, { signal }) => {
      const free = await withLockIfFree(deps.lockDb, lock, async () => {
        await removeBackups(await open({}), [backup], signal);
        await queries.recordRemoved(db, [backup]);
      });
      // A backup may take hours: its end is not waited for here.
      if (!free) await askRemoval(backup, new Date(Date.now() + removalRetry));
    },
    { maxAttempts: removeTask.maxAttempts, timeout: longest },
  );

  /** Every minute: what is due begins, and what nobody works on any more is told so. */
  const tick = defineTask(
    'backups.tick',
    Type.Object({}),
    async () => {
      if (await queries.runningBackup(db))
        await withLockIfFree(deps.lockDb, lock, async () => {
          // Those that were asked for a moment ago have not begun yet.
          await queries.endStale(db, interrupted);
        });
      const { enabled, schedule, time_zone: zone } = await queries.readSchedule(db);
      if (!enabled) return;
      if (await queries.claimDue(db, nextRun(schedule, zone, new Date())))
        await start({ trigger: 'schedule', userId: null, full: false });
    },
    { maxAttempts: 1 },
  );

  return {
    tasks: [create, verifyOne, removeOne, tick] as readonly Task[],
    cron: [{ schedule: '* * * * *', task: tick.name }] as readonly CronItem[],
    start,
    askVerification: (name: string) =>
      addJob(db, verifyTask, { backup: name }, { jobKey: `${verifyTask.name}:${name}` }),
    askRemoval: (name: string) => askRemoval(name),
    verify,
    /** For the command: makes one now. */
    async createNow(
      target: BackupTarget,
      options: { readonly full: boolean; readonly keep: number | null; readonly signal: AbortSignal },
      report: (progress: BackupProgress) => void,
    ): Promise<{ readonly name: string; readonly problems: readonly string[] }> {
      const id = await queries.insertBackup(db, {
        destination: shown(urlOf(target)),
        trigger: 'command',
        userId: null,
        full: options.full,
      });
      const name = await run(id, target, options, report).catch(async (error: unknown) => {
        if (error instanceof BackupRunning) await queries.endBackup(db, id, { state: 'failed', error: error.message });
        throw error;
      });
      return { name, problems: (await queries.findBackup(db, id))?.problems ?? [] };
    },
  };
}

export type Backups = ReturnType<typeof backupService>;
