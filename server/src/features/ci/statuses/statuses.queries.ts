/** Rows of what other systems say of commits, and both kinds of statuses in one list. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { CommitStatusRow } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';
import type { ExternalState } from './transitions.ts';

/** A job or an external status, as the list of a commit tells it. */
export interface StatusRow {
  readonly id: number;
  readonly pipeline_id: number;
  readonly ref: string;
  readonly sha: string;
  readonly name: string;
  readonly status: string;
  readonly allow_failure: boolean;
  readonly target_url: string | null;
  readonly description: string | null;
  readonly coverage: string | null;
  readonly user_id: number | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  /** Whether it is a job of ours: its page is the target. */
  readonly job: boolean;
}

export interface StatusFilter {
  readonly projectId: number;
  readonly sha: string;
  readonly ref?: string | undefined;
  readonly stage?: string | undefined;
  readonly name?: string | undefined;
  readonly pipelineId?: number | undefined;
  /** Also those that later ones have replaced. */
  readonly all: boolean;
}

/** The name of the stage that statuses of other systems are in. */
const externalStage = 'external';

export async function listStatuses(
  db: Db,
  filter: StatusFilter,
  order: { readonly by: 'id' | 'pipeline_id'; readonly direction: 'asc' | 'desc' },
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: StatusRow[]; total: number }> {
  const { projectId, sha, ref, stage, name, pipelineId, all } = filter;
  const given = (column: RawBuilder<unknown>, value: string | number | undefined) =>
    value === undefined ? sql`` : sql`and ${column} = ${value}`;
  // The trigger job stands for a child pipeline, whose own jobs may fail without failing it.
  const which = pipelineId === undefined ? sql`and p.source <> 'parent_pipeline'` : sql`and p.id = ${pipelineId}`;
  const ofCommit = sql`p.project_id = ${projectId} and p.sha = ${sha} ${given(sql`p.ref`, ref)} ${which}`;
  const either = sql`
    select j.id, j.pipeline_id, p.ref, p.sha, j.name, j.status, j.allow_failure, null::text as target_url,
      null::text as description, j.coverage, j.user_id, j.created_at, j.started_at, j.finished_at, true as job
    from pipelines p join jobs j on j.pipeline_id = p.id
    where ${ofCommit} ${given(sql`j.stage`, stage)} ${given(sql`j.name`, name)} ${all ? sql`` : sql`and not j.retried`}
    union all
    select s.id, s.pipeline_id, p.ref, p.sha, s.name, s.status, false, s.target_url, s.description, s.coverage, s.user_id,
      s.created_at, s.started_at, s.finished_at, false
    from pipelines p join commit_statuses s on s.pipeline_id = p.id
    where ${ofCommit} ${given(sql`${externalStage}::text`, stage)} ${given(sql`s.name`, name)}
      ${all ? sql`` : sql`and not s.retried`}`;
  const direction = sql.raw(order.direction);
  const by = order.by === 'id' ? sql`id ${direction}` : sql`pipeline_id ${direction}, id ${direction}`;
  const [{ rows }, counted] = await Promise.all([
    sql<StatusRow>`select * from (${either}) either order by ${by} limit ${page.limit} offset ${page.offset}`.execute(
      db,
    ),
    sql<{
      count: number;
    }>`select count(*)::int as count from (select 1 from (${either}) either limit ${countLimit + 1}) counted`.execute(
      db,
    ),
  ]);
  return { rows, total: counted.rows[0]?.count ?? 0 };
}

/** The one of that name that counts, locked with its pipeline. */
export async function latestStatus(tx: Db, pipelineId: number, name: string): Promise<CommitStatusRow | undefined> {
  return await tx
    .selectFrom('commit_statuses')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', false)
    .executeTakeFirst();
}

export interface StatusValues {
  readonly status: ExternalState;
  readonly target_url?: string | undefined;
  readonly description?: string | undefined;
  readonly coverage?: string | undefined;
}

const times = (status: ExternalState, started: Date | null = null) => ({
  ...(status === 'pending' || started !== null ? {} : { started_at: sql<Date>`now()` }),
  ...(status === 'pending' || status === 'running' ? {} : { finished_at: sql<Date>`now()` }),
});

const present = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** A new status; whatever had its name in the pipeline counts no more. */
export async function insertStatus(
  tx: Db,
  place: { readonly project_id: number; readonly pipeline_id: number; readonly user_id: number | null },
  name: string,
  values: StatusValues,
): Promise<CommitStatusRow> {
  await tx
    .updateTable('commit_statuses')
    .set({ retried: true })
    .where('pipeline_id', '=', place.pipeline_id)
    .where('name', '=', name)
    .where('retried', '=', false)
    .execute();
  return await tx
    .insertInto('commit_statuses')
    .values({ ...place, name, ...present(values), status: values.status, ...times(values.status) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateStatus(tx: Db, row: CommitStatusRow, values: StatusValues): Promise<CommitStatusRow> {
  return await tx
    .updateTable('commit_statuses')
    .set({ ...present(values), ...times(values.status, row.started_at) })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** How many names a pipeline has statuses of. */
export async function statusCount(tx: Db, pipelineId: number): Promise<number> {
  const row = await tx
    .selectFrom('commit_statuses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
