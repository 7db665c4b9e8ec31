/** Jobs that nobody looks after any more, and pipelines that wait for a pass that never came. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryRow } from '../../repository/index.ts';
import { endedStatuses } from './pipeline-states.ts';

export interface JobPlace {
  readonly jobId: number;
  readonly pipelineId: number;
}

type Condition = 'overdue' | 'unclaimed' | 'orphaned';

/** How long jobs may be past their limit, or without a runner. Seconds. */
export interface Patience {
  readonly overdue: number;
  readonly unclaimed: number;
}

const places = async (db: Db, where: ReturnType<typeof sql<boolean>>): Promise<JobPlace[]> => {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'pipeline_id'])
    .where(where)
    .orderBy('id')
    .limit(500)
    .execute();
  return rows.map((row) => ({ jobId: row.id, pipelineId: row.pipeline_id }));
};

/** Jobs in one of the conditions, oldest first. */
export async function neglectedJobs(db: Db, condition: Condition, patience: Patience): Promise<JobPlace[]> {
  switch (condition) {
    case 'overdue':
      return await places(
        db,
        sql<boolean>`status in ('running', 'canceling')
          and started_at < now() - make_interval(secs => timeout_seconds + ${patience.overdue})`,
      );
    case 'unclaimed':
      return await places(
        db,
        sql<boolean>`status = 'pending' and queued_at < now() - make_interval(secs => ${patience.unclaimed})`,
      );
    // The pipeline that they followed was deleted.
    case 'orphaned':
      return await places(
        db,
        sql<boolean>`status = 'running' and kind = 'bridge' and plan ? 'upstream' and upstream_pipeline_id is null
          and started_at < now() - make_interval(secs => ${patience.overdue})`,
      );
  }
}

/** Delayed jobs whose time has come; their task may have been lost. */
export async function dueJobs(db: Db): Promise<JobPlace[]> {
  return await places(db, sql<boolean>`status = 'scheduled' and scheduled_at <= now()`);
}

/** Pipelines whose status does not show that a job of theirs has started: the process died in between. */
export async function stalePipelines(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('status', 'in', ['created', 'pending'])
    .where('updated_at', '<', sql<Date>`now() - interval '1 minute'`)
    .where((where) =>
      where.exists(
        where
          .selectFrom('jobs')
          .select('jobs.id')
          .whereRef('jobs.pipeline_id', '=', 'pipelines.id')
          .where('jobs.status', 'in', ['running', 'success', 'failed', 'canceled']),
      ),
    )
    .limit(100)
    .execute();
  return rows.map((row) => row.id);
}

/** Old pipelines of projects that do not keep them, the oldest of each first, with where their repositories are. */
export async function outlivedPipelines(
  db: Db,
  limit: number,
): Promise<{ readonly pipelineId: number; readonly project: RepositoryRow }[]> {
  const { rows } = await sql<RepositoryRow & { pipeline_id: number }>`
    select p.id, p.repository_storage, p.repository_path, p.refs_generation, p.default_branch, old.id as pipeline_id
    from projects p
      cross join lateral (
        select id from pipelines
        where project_id = p.id and status = any(${[...endedStatuses]}::text[])
          and created_at < now() - make_interval(secs => p.ci_delete_pipelines_in_seconds)
        order by created_at limit ${limit}
      ) old
    where p.ci_delete_pipelines_in_seconds is not null
    order by p.id limit ${limit}`.execute(db);
  return rows.map(({ pipeline_id: pipelineId, ...project }) => ({ pipelineId, project }));
}

/** A backup that runs may still read what no row names any more. */
const noBackup = sql<boolean>`not exists (select from backups where state = 'running')`;

/** Objects that no row names any more. */
export async function doomedObjects(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('object_deletions')
    .select('object_key')
    .where(noBackup)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map((row) => row.object_key);
}

export async function forgetDeletions(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('object_deletions')
    .where('object_key', 'in', [...keys])
    .where(noBackup)
    .execute();
}
