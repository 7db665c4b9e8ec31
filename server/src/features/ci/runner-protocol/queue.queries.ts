/** Why a job waits for a runner, and how many are given out before it. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { onlineSeconds } from '../runners/runner-status.ts';
import { type JobViewer, seenBy } from '../runners/runners.queries.ts';
import {
  type BuiltInScope,
  candidates,
  hasTags,
  matches,
  priorityRank,
  serves,
  suits,
  takesRef,
} from './claim.queries.ts';

export interface BuiltIn {
  readonly exists: boolean;
  readonly serves: BuiltInScope;
}

/** How many runners are left with each condition, the earlier ones included. */
export interface RunnerCounts {
  /** Of the project. */
  readonly available: number;
  readonly tagged: number;
  /** That take jobs of the ref. */
  readonly allowed: number;
  readonly active: number;
  /** The built-in one is started for the job. */
  readonly online: number;
  readonly busy: number;
}

const isOnline = (builtIn: BuiltIn) => sql<boolean>`case
  when runners.built_in then ${builtIn.exists}::boolean
  else runners.contacted_at > now() - make_interval(secs => ${onlineSeconds}) end`;

/** Of each of the jobs. */
export async function runnersFor(
  db: Db,
  jobIds: readonly number[],
  builtIn: BuiltIn,
): Promise<ReadonlyMap<number, RunnerCounts>> {
  const found = await sql<RunnerCounts & { job_id: number }>`
    select job_id,
      count(*)::integer as available,
      (count(*) filter (where tagged))::integer as tagged,
      (count(*) filter (where tagged and allowed))::integer as allowed,
      (count(*) filter (where tagged and allowed and active))::integer as active,
      (count(*) filter (where tagged and allowed and active and online))::integer as online,
      (count(*) filter (where tagged and allowed and active and online and busy))::integer as busy
    from (
      select jobs.id as job_id, ${hasTags} as tagged, ${takesRef} as allowed,
        not runners.paused and (runners.token_expires_at is null or runners.token_expires_at > now()) as active,
        ${isOnline(builtIn)} as online,
        exists (
          select from jobs as others where others.runner_id = runners.id and others.status in ('running', 'canceling')
        ) as busy
      from ${candidates}
      where jobs.id = any (${jobIds}) and ${serves(builtIn.serves)}
    ) as runners
    group by job_id
  `.execute(db);
  return new Map(found.rows.map(({ job_id: id, ...counts }) => [Number(id), counts]));
}

/**
 * Under the first name, how many jobs of each project or person run; under the second, when one whose jobs wait was last
 * given a runner.
 */
const loadOf = (column: 'project_id' | 'user_id', running: string, turn: string) =>
  sql.raw(`
  left join (
    select ${column}, count(*) as number from jobs where status in ('running', 'canceling') group by ${column}
  ) as ${running} on ${running}.${column} = jobs.${column}
  left join (
    select waiting.${column}, (
      select max(served.started_at) from jobs as served
      where served.${column} = waiting.${column} and served.started_at is not null
    ) as at
    from (select distinct ${column} from jobs where status = 'pending') as waiting
  ) as ${turn} on ${turn}.${column} = jobs.${column}`);
const load = sql`${loadOf('project_id', 'running', 'project_turn')} ${loadOf('user_id', 'started', 'user_turn')}`;

/**
 * What a `with` holds to say whose turn it is, of the waiting jobs of runners: by priority, then each project and each person
 * in turn, as `claimJob` does. The first by `inTurn` is given out first, as far as that can be said now.
 */
const turnsOf = (runners: RawBuilder<unknown>, suitable: RawBuilder<boolean>) => sql`waiting as (
      select distinct jobs.id, jobs.project_id, jobs.user_id,
        -${priorityRank('projects.ci_queue_priority')} as project_rank, -${priorityRank('pipelines.queue_priority')} as rank,
        coalesce(running.number, 0) as project_running, coalesce(project_turn.at, '-infinity') as project_served,
        coalesce(started.number, 0) as user_running, coalesce(user_turn.at, '-infinity') as user_served
      from ${candidates} join pipelines on pipelines.id = jobs.pipeline_id
      ${load}
      where runners.id in (${runners}) and ${suitable}
    ), people as (
      select waiting.*,
        user_running + row_number() over (partition by project_id, user_id order by rank, id) as user_turn
      from waiting
    ), turns as (
      select people.*, project_running
        + row_number() over (partition by project_id order by rank, user_turn, user_served, id) as project_turn
      from people
    )`;

const inTurn = (of: 'turns' | 'own') =>
  sql.raw(['project_rank', 'project_turn', 'project_served', 'id'].map((column) => `${of}.${column}`).join(', '));

/** Waiting jobs that its runners are given before this one. Of each of the jobs, which all have the same runners. */
export async function jobsAhead(
  db: Db,
  jobIds: readonly [number, ...number[]],
  builtIn: BuiltIn,
): Promise<ReadonlyMap<number, number>> {
  const suitable = matches(builtIn.serves);
  const found = await sql<{ id: number; ahead: number }>`
    with own_runners as (
      select runners.id from ${candidates} where jobs.id = ${jobIds[0]} and ${suitable} and ${isOnline(builtIn)}
    ), ${turnsOf(sql`select id from own_runners`, suitable)}
    select own.id, count(*)::integer as ahead from turns, turns as own
    where own.id = any (${jobIds}) and (${inTurn('turns')}) < (${inTurn('own')})
    group by own.id
  `.execute(db);
  return new Map(found.rows.map(({ id, ahead }) => [Number(id), ahead]));
}

/** A page of the jobs that wait and that a runner may take, also while it takes none, in the order in which it is given them. */
export async function queueOf(
  db: Db,
  runnerId: number,
  viewer: JobViewer,
  builtIn: BuiltIn,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Job[]; total: number }> {
  const found = await sql<{ ids: string[]; total: number }>`
    with ${turnsOf(sql`${runnerId}::bigint`, suits(builtIn.serves))}, shown as (
      select turns.* from turns join jobs on jobs.id = turns.id where ${seenBy(viewer)}
    )
    select (select count(*)::integer from shown) as total,
      array(select id from shown as turns order by ${inTurn('turns')} limit ${page.limit} offset ${page.offset}) as ids
  `.execute(db);
  const { ids = [], total = 0 } = found.rows[0] ?? {};
  const order = ids.map(Number);
  const jobs = order.length === 0 ? [] : await db.selectFrom('jobs').selectAll().where('id', 'in', order).execute();
  return { rows: jobs.sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id)), total };
}

export interface Later {
  readonly id: number;
  readonly pipeline_id: number;
  readonly stage_index: number;
  readonly needs: readonly string[] | null;
}

/**
 * Names of the jobs that each waits for: those it needs, else all of the stages before, that have not ended and must.
 * Nobody waits for what may be left undone.
 */
export async function unfinishedBefore(db: Db, jobs: readonly Later[]): Promise<ReadonlyMap<number, string[]>> {
  const found = await sql<{ id: number; names: string[] }>`
    select own.id, array(
      select jobs.name from jobs
      where jobs.pipeline_id = own.pipeline_id and not jobs.retried
        and jobs.status not in ('success', 'failed', 'canceled', 'skipped')
        and (jobs.status <> 'manual' or not jobs.allow_failure)
        and case when own.needs is null then jobs.stage_index < own.stage_index else jobs.name = any (own.needs) end
      order by jobs.stage_index, jobs.id limit 4
    ) as names
    from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      as own(id bigint, pipeline_id bigint, stage_index integer, needs text[])
  `.execute(db);
  return new Map(found.rows.map(({ id, names }) => [Number(id), names]));
}
