/** Backups and their schedule as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import type { BackupRow, ScheduleRow } from './backups.queries.ts';

export const Backup = Entity('Backup', {
  id: Id(),
  name: Nullable(Text({ description: 'Name in the destination, for `millrace backup verify` and `restore`' })),
  destination: Text({ description: 'URL without parameters' }),
  status: Word(['running', 'finished', 'failed', 'canceled']),
  trigger: Word(['schedule', 'api', 'command']),
  user: Nullable(Fields({ id: Id(), username: Text(), name: Text() })),
  full: Flag({ description: 'Files of earlier backups were not used again' }),
  encrypted: Flag(),
  phase: Word(['database', 'repositories', 'objects', 'manifest', 'done']),
  repositories_total: Nullable(Count()),
  repositories_done: Count(),
  objects_done: Count(),
  bytes_total: Count({ description: 'Bytes of all files of the backup' }),
  bytes_stored: Count({ description: 'Bytes written by this backup' }),
  problems: ListOf(Text(), { description: 'What could not be backed up' }),
  error: Nullable(Text()),
  started_at: Timestamp(),
  point_at: Nullable(Timestamp({ description: 'Everything acknowledged before this time is in the backup' })),
  finished_at: Nullable(Timestamp()),
  verified_at: Nullable(Timestamp()),
  verification_error: Nullable(Text()),
  removed_at: Nullable(Timestamp({ description: 'When its files were removed' })),
});

export function backupJson(row: BackupRow): Static<typeof Backup> {
  const { user_id: userId, username, user_name: userName } = row;
  return {
    id: row.id,
    name: row.name,
    destination: row.destination,
    status: row.state,
    trigger: row.trigger,
    user: userId !== null && username !== null ? { id: userId, username, name: userName ?? username } : null,
    full: row.full_copy,
    encrypted: row.encrypted,
    phase: row.phase,
    repositories_total: row.repositories_total,
    repositories_done: row.repositories_done,
    objects_done: row.objects_done,
    bytes_total: row.bytes_total,
    bytes_stored: row.bytes_stored,
    problems: row.problems,
    error: row.error,
    started_at: row.started_at,
    point_at: row.point_at,
    finished_at: row.finished_at,
    verified_at: row.verified_at,
    verification_error: row.verification_error,
    removed_at: row.removed_at,
  };
}

export const BackupSchedule = Entity('BackupSchedule', {
  enabled: Flag(),
  schedule: Text({ description: 'Cron expression' }),
  time_zone: Text(),
  keep: Count({ description: 'Backups kept in the destination' }),
  next_run_at: Nullable(Timestamp()),
  destination: Text({ description: '`MILLRACE_BACKUPS` without parameters' }),
  encrypted: Flag({ description: 'Whether `MILLRACE_BACKUP_PASSPHRASE` is set' }),
});

export const scheduleJson = (
  row: ScheduleRow,
  config: { readonly backups: string; readonly backupPassphrase: string | null },
): Static<typeof BackupSchedule> => ({
  enabled: row.enabled,
  schedule: row.schedule,
  time_zone: row.time_zone,
  keep: row.keep,
  next_run_at: row.next_run_at,
  destination: config.backups.split('?')[0] ?? config.backups,
  encrypted: config.backupPassphrase !== null,
});
