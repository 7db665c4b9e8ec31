/** SQL of backups and their schedule. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { BackupProgress } from './create.ts';

export type BackupRow = Awaited<ReturnType<typeof findBackup>> & {};
export type ScheduleRow = Awaited<ReturnType<typeof readSchedule>>;

const selected = (db: Db) =>
  db
    .selectFrom('backups')
    .leftJoin('users', 'users.id', 'backups.user_id')
    .selectAll('backups')
    .select(['users.username', 'users.name as user_name']);

export const findBackup = (db: Db, id: number) => selected(db).where('backups.id', '=', id).executeTakeFirst();

export const listBackups = (db: Db, page: Page) =>
  selected(db).orderBy('backups.id', 'desc').limit(page.limit).offset(page.offset).execute();

export const countBackups = (db: Db) => countUpTo(db, db.selectFrom('backups').select('id'));

export async function insertBackup(
  db: Db,
  values: {
    readonly destination: string;
    readonly trigger: 'schedule' | 'api' | 'command';
    readonly userId: number | null;
    readonly full: boolean;
  },
): Promise<number> {
  const { destination, trigger, userId, full } = values;
  const row = await db
    .insertInto('backups')
    .values({ destination, trigger, user_id: userId, full_copy: full })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Keeps how far a backup is; whether somebody wants it to stop. */
export async function updateProgress(db: Db, id: number, progress: BackupProgress): Promise<boolean> {
  const row = await db
    .updateTable('backups')
    .set({
      phase: progress.phase,
      repositories_total: progress.repositoriesTotal,
      repositories_done: progress.repositoriesDone,
      objects_done: progress.objectsDone,
      bytes_total: progress.bytesTotal,
      bytes_stored: progress.bytesStored,
      problems: [...progress.problems],
      point_at: progress.pointAt,
      encrypted: progress.encrypted,
    })
    .where('id', '=', id)
    .returning('cancel_requested')
    .executeTakeFirst();
  return row?.cancel_requested ?? true;
}

export async function endBackup(
  db: Db,
  id: number,
  end: { readonly state: 'finished' | 'failed' | 'canceled'; readonly error?: string },
): Promise<void> {
  await db
    .updateTable('backups')
    .set({ state: end.state, error: end.error ?? null, finished_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** It is complete from now on, whatever becomes of the process. */
export async function recordName(db: Db, id: number, name: string): Promise<void> {
  await db.updateTable('backups').set({ name }).where('id', '=', id).execute();
}

/** With a name it was complete. */
const ended = (error: string) => ({
  state: sql<'finished' | 'failed'>`case when name is null then 'failed' else 'finished' end`,
  error: sql<string | null>`case when name is null then ${error} end`,
  finished_at: sql<Date>`now()`,
});

/** Those whose process is gone: the caller holds the lock of backups. */
export async function endAbandoned(db: Db, error: string, except: number | null): Promise<number> {
  const result = await db
    .updateTable('backups')
    .set(ended(error))
    .where('state', '=', 'running')
    .$if(except !== null, (query) => query.where('id', '<>', except))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** The same for whoever only looks: a backup that was requested a moment ago has not taken the lock yet. */
export async function endStale(db: Db, error: string): Promise<void> {
  await db
    .updateTable('backups')
    .set(ended(error))
    .where('state', '=', 'running')
    .where(sql<boolean>`started_at < now() - interval '10 minutes'`)
    .execute();
}

export const runningBackup = (db: Db) =>
  db.selectFrom('backups').select('id').where('state', '=', 'running').orderBy('id').executeTakeFirst();

export async function requestCancel(db: Db, id: number): Promise<boolean> {
  const result = await db
    .updateTable('backups')
    .set({ cancel_requested: true })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

export async function recordVerification(db: Db, name: string, error: string | null): Promise<void> {
  await db
    .updateTable('backups')
    .set({ verified_at: sql`now()`, verification_error: error })
    .where('name', '=', name)
    .execute();
}

export async function recordRemoved(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .updateTable('backups')
    .set({ removed_at: sql`now()` })
    .where('name', 'in', [...names])
    .execute();
}

export const readSchedule = (db: Db) =>
  db
    .selectFrom('backup_schedule')
    .select(['enabled', 'schedule', 'time_zone', 'keep', 'next_run_at'])
    .executeTakeFirstOrThrow();

export const writeSchedule = (
  db: Db,
  values: {
    readonly enabled: boolean;
    readonly schedule: string;
    readonly time_zone: string;
    readonly keep: number;
    readonly next_run_at: Date | null;
  },
) => db.updateTable('backup_schedule').set(values).returningAll().executeTakeFirstOrThrow();

/** Takes the due time away and puts the next one in its place; whether one was due. */
export async function claimDue(db: Db, next: Date | null): Promise<boolean> {
  const result = await db
    .updateTable('backup_schedule')
    .set({ next_run_at: next })
    .where('enabled', '=', true)
    .where('next_run_at', '<=', sql<Date>`now()`)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
