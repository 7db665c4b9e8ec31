/** Rows of `pipeline_schedules` and their variables. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline, PipelineSchedule, PipelineScheduleVariable } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { usersById } from '../jobs/jobs.queries.ts';
import type { QueuePriority } from '../pipelines/priority.ts';
import type { OwnedSchedule, ScheduleInput } from './schedules.entity.ts';

export interface ScheduleValues {
  readonly description: string;
  readonly ref: string;
  readonly cron: string;
  readonly cron_timezone: string;
  readonly active: boolean;
  readonly inputs: readonly ScheduleInput[];
  readonly queue_priority: QueuePriority;
  readonly next_run_at: Date;
}

/** Adds the owners: one read for all. */
async function withOwners(db: Db, schedules: readonly PipelineSchedule[]): Promise<OwnedSchedule[]> {
  const owners = await usersById(
    db,
    schedules.map(({ owner_id }) => ({ user_id: owner_id })),
  );
  return schedules.map((schedule) => ({
    schedule,
    owner: schedule.owner_id === null ? null : (owners.get(schedule.owner_id) ?? null),
  }));
}

export async function listSchedules(
  db: Db,
  projectId: number,
  active: boolean | undefined,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: OwnedSchedule[]; total: number }> {
  let query = db.selectFrom('pipeline_schedules').where('project_id', '=', projectId);
  if (active !== undefined) query = query.where('active', '=', active);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows: await withOwners(db, rows), total };
}

export async function findSchedule(db: Db, projectId: number, id: number): Promise<PipelineSchedule | undefined> {
  return await db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function scheduleWithOwner(db: Db, schedule: PipelineSchedule): Promise<OwnedSchedule> {
  const [owned] = await withOwners(db, [schedule]);
  return owned ?? { schedule, owner: null };
}

/** Those of them that are switched on. */
export async function activeSchedules(db: Db, ids: readonly number[]): Promise<PipelineSchedule[]> {
  return await db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .where('active', '=', true)
    .orderBy('id')
    .execute();
}

export async function insertSchedule(
  tx: Db,
  place: { readonly projectId: number; readonly ownerId: number | null },
  { inputs, ...values }: ScheduleValues,
): Promise<PipelineSchedule> {
  return await tx
    .insertInto('pipeline_schedules')
    .values({ ...values, inputs: JSON.stringify(inputs), project_id: place.projectId, owner_id: place.ownerId })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateSchedule(
  tx: Db,
  id: number,
  { inputs, ...values }: Partial<ScheduleValues> & { readonly owner_id?: number },
): Promise<PipelineSchedule | undefined> {
  return await tx
    .updateTable('pipeline_schedules')
    .set({ ...values, ...(inputs ? { inputs: JSON.stringify(inputs) } : {}), updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Whether it was there: of several requests one deletes it. */
export async function deleteSchedule(tx: Db, id: number): Promise<boolean> {
  const result = await tx.deleteFrom('pipeline_schedules').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** The newest pipeline that a schedule created. */
export async function lastPipelineOf(db: Db, id: number): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('schedule_id', '=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The same for several schedules, by their ids. */
export async function lastPipelinesOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Pipeline>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Pipeline & { of: number }>`
    select p.*, s.id as of from unnest(${[...ids]}::bigint[]) as s (id)
    cross join lateral (select * from pipelines where schedule_id = s.id order by id desc limit 1) as p`.execute(db);
  return new Map(rows.map(({ of, ...pipeline }) => [of, pipeline]));
}

/** Those of them that have created a pipeline since then. */
export async function ranSince(db: Db, ids: readonly number[], since: Date): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`select s.id from unnest(${ids}::bigint[]) as s (id)
    where exists (select from pipelines p where p.schedule_id = s.id and p.created_at >= ${since})`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export async function variablesOf(db: Db, scheduleIds: readonly number[]): Promise<PipelineScheduleVariable[]> {
  return await db
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .where(sql<boolean>`schedule_id = any(${scheduleIds}::bigint[])`)
    .orderBy('id')
    .execute();
}

export async function findScheduleVariable(
  db: Db,
  scheduleId: number,
  key: string,
): Promise<PipelineScheduleVariable | undefined> {
  return await db
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export interface VariableColumns {
  readonly key: string;
  readonly value_encrypted: Buffer;
  readonly variable_type: 'env_var' | 'file';
}

/** The new row; undefined when the schedule has the key. */
export async function insertScheduleVariable(
  tx: Db,
  scheduleId: number,
  columns: VariableColumns,
): Promise<PipelineScheduleVariable | undefined> {
  return await tx
    .insertInto('pipeline_schedule_variables')
    .values({ schedule_id: scheduleId, ...columns })
    .onConflict((conflict) => conflict.constraint('pipeline_schedule_variables_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateScheduleVariable(
  tx: Db,
  id: number,
  columns: Omit<VariableColumns, 'key'>,
): Promise<PipelineScheduleVariable | undefined> {
  return await tx
    .updateTable('pipeline_schedule_variables')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteScheduleVariable(tx: Db, id: number): Promise<boolean> {
  const result = await tx.deleteFrom('pipeline_schedule_variables').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Schedules whose time has come, locked; what another process holds is left to it. */
export async function dueSchedules(
  tx: Db,
  limit: number,
): Promise<Array<Pick<PipelineSchedule, 'id' | 'project_id' | 'owner_id' | 'cron' | 'cron_timezone' | 'next_run_at'>>> {
  return await tx
    .selectFrom('pipeline_schedules')
    .select(['id', 'project_id', 'owner_id', 'cron', 'cron_timezone', 'next_run_at'])
    .where('active', '=', true)
    .where('next_run_at', '<=', sql<Date>`now()`)
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Sets the next times of many schedules; null: the schedule has none and is switched off. */
export async function setNextRuns(
  tx: Db,
  runs: ReadonlyArray<{ readonly id: number; readonly at: Date | null }>,
): Promise<void> {
  await sql`
    update pipeline_schedules s set
      next_run_at = coalesce(run.at, s.next_run_at),
      active = s.active and run.at is not null
    from unnest(
      ${runs.map(({ id }) => id)}::bigint[],
      ${runs.map(({ at }) => at?.toISOString() ?? null)}::timestamptz[]
    ) as run (id, at)
    where s.id = run.id`.execute(tx);
}

/** It does not run by itself any more: its owner may not run pipelines there. */
export async function deactivateSchedule(tx: Db, id: number, ownerId: number | null): Promise<void> {
  await tx
    .updateTable('pipeline_schedules')
    .set({ active: false, updated_at: sql`now()` })
    .where('id', '=', id)
    // Somebody may have taken it over meanwhile.
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .execute();
}

/** Those that somebody owns. */
export async function deactivateSchedulesOf(tx: Db, ownerId: number): Promise<void> {
  await tx
    .updateTable('pipeline_schedules')
    .set({ active: false, updated_at: sql`now()` })
    .where('owner_id', '=', ownerId)
    .where('active', '=', true)
    .execute();
}
