/** Routes of backups: list, create, cancel, verify, delete, and their schedule. */
import Type from 'typebox';
import { instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { conflict, invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Int32, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { nextRun, ScheduleError } from '../../../kernel/queue/index.ts';
import { Backup, BackupSchedule, backupJson, scheduleJson } from './backups.entity.ts';
import * as queries from './backups.queries.ts';
import type { Backups } from './backups.service.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Backups',
  access: { on: 'instance', ability: 'admin' },
} as const;
const one = { id: Int({ description: 'Id of the backup' }) };

interface BackupRouteDependencies {
  readonly db: Db;
  readonly config: { readonly backups: string; readonly backupPassphrase: string | null };
}

export function backupRoutes({ db, config }: BackupRouteDependencies, backups: Backups): Route[] {
  async function find(id: number) {
    const row = await queries.findBackup(db, id);
    if (!row) throw notFound('Backup');
    return row;
  }

  /** A backup whose files are there. */
  async function findKept(id: number) {
    const row = await find(id);
    if (row.state === 'running') throw conflict('The backup is still running');
    if (row.name === null || row.removed_at !== null) throw conflict('The backup has no files');
    return { ...row, name: row.name };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/admin/backups',
      summary: 'List backups of the instance, newest first',
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(Backup) },
      handler: async ({ page }) => {
        const rows = await queries.listBackups(db, page);
        return mapPage(offsetPage(page, rows, await queries.countBackups(db)), backupJson);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/backups',
      summary: 'Start a backup of the instance',
      params: Type.Object({
        full: Optional(Bool({ default: false, description: 'Do not reuse files of earlier backups' })),
      }),
      responses: { 202: Backup },
      errors: [409],
      handler: async (context) => {
        if (await queries.runningBackup(db)) throw conflict('A backup is already running');
        const full = context.params.full ?? false;
        const id = await backups.start({ trigger: 'api', userId: context.caller.user?.id ?? null, full });
        await recordAudit(db, {
          ...originOf(context),
          entity: instanceEntity,
          event: 'backup_started',
          details: { full },
        });
        return backupJson(await find(id));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/admin/backups/:id',
      summary: 'Get one backup',
      params: Type.Object(one),
      responses: { 200: Backup },
      handler: async ({ params }) => backupJson(await find(params.id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/backups/:id/cancel',
      summary: 'Cancel a running backup',
      params: Type.Object(one),
      responses: { 202: Backup },
      errors: [409],
      handler: async (context) => {
        const { id } = await find(context.params.id);
        if (!(await queries.requestCancel(db, id))) throw conflict('The backup is not running');
        await recordAudit(db, {
          ...originOf(context),
          entity: instanceEntity,
          event: 'backup_canceled',
          details: { id },
        });
        return backupJson(await find(id));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/backups/:id/verify',
      summary: 'Verify all files of a backup, in the background',
      params: Type.Object(one),
      responses: { 202: Backup },
      errors: [409],
      handler: async (context) => {
        const row = await findKept(context.params.id);
        await backups.askVerification(row.name);
        return backupJson(row);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/admin/backups/:id',
      summary: 'Delete the files of a backup, in the background',
      params: Type.Object(one),
      conditional: 'Its files never change.',
      responses: { 202: Empty },
      errors: [409],
      handler: async (context) => {
        const { id, name } = await findKept(context.params.id);
        await backups.askRemoval(name);
        await recordAudit(db, {
          ...originOf(context),
          entity: instanceEntity,
          event: 'backup_deleted',
          details: { id, name },
        });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/admin/backup_schedule',
      summary: 'Get the schedule of backups',
      params: Type.Object({}),
      responses: { 200: BackupSchedule },
      handler: async () => scheduleJson(await queries.readSchedule(db), config),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/admin/backup_schedule',
      summary: 'Update the schedule of backups',
      params: Type.Object({
        enabled: Optional(Bool({ description: 'Whether backups are created by schedule' })),
        schedule: Optional(Str({ minLength: 1, maxLength: 100, description: 'Cron expression with five fields' })),
        time_zone: Optional(Str({ minLength: 1, maxLength: 64, description: 'IANA time zone of the schedule' })),
        keep: Optional(Int32({ minimum: 1, maximum: 1000, description: 'Backups to keep in the destination' })),
      }),
      responses: { 200: BackupSchedule },
      handler: async (context) => {
        const now = await queries.readSchedule(db);
        const { enabled = now.enabled, schedule = now.schedule, keep = now.keep } = context.params;
        const zone = context.params.time_zone ?? now.time_zone;
        let next: Date | null;
        try {
          next = nextRun(schedule, zone, new Date());
        } catch (error) {
          if (!(error instanceof ScheduleError)) throw error;
          throw invalidParameters([`schedule is invalid: ${error.message}`]);
        }
        const values = { enabled, schedule, time_zone: zone, keep, next_run_at: enabled ? next : null };
        await queries.writeSchedule(db, values);
        await recordAudit(db, {
          ...originOf(context),
          entity: instanceEntity,
          event: 'backup_schedule_updated',
          details: { enabled, schedule, time_zone: zone, keep },
        });
        return scheduleJson(values, config);
      },
    }),
  ];
}
