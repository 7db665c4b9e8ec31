/** Giving jobs to runners: which waiting job suits a runner, and the claim that only one of them wins. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { announcing } from '../../../kernel/events/index.ts';
import { deleteSession, keepingSession, type SealedSession } from '../terminals/terminals.queries.ts';

/** Whose projects the built-in runner serves. */
export type BuiltInScope = 'all' | 'administrators';

/**
 * Whether waiting `jobs` are for `runners`, over the joined rows jobs, projects, namespaces, runners. Without isolation the
 * built-in runner takes only what administrators started in projects that administrators made. A project's own runners take
 * its jobs even without CI/CD: they fail then.
 */
export const suits = (builtIn: BuiltInScope): RawBuilder<boolean> => sql<boolean>`(
  jobs.status = 'pending'
  and jobs.kind = 'job'
  and ${hasTags}
  and ${takesRef}
  and (projects.builds_access_level <> 'disabled' or runners.runner_type = 'project_type')
  and projects.marked_for_deletion_on is null
  and ${serves(builtIn)}
)`;

/** Whether they may run there now. */
export const matches = (builtIn: BuiltInScope): RawBuilder<boolean> => sql<boolean>`(
  not runners.paused
  and (runners.token_expires_at is null or runners.token_expires_at > now())
  and ${suits(builtIn)}
)`;

/** Whether the runner takes jobs with these tags, or without any. */
export const hasTags = sql<boolean>`
  (jobs.tag_list <@ runners.tag_list and (cardinality(jobs.tag_list) > 0 or runners.run_untagged))`;

/** Whether the runner takes jobs of this ref. */
export const takesRef = sql<boolean>`(runners.access_level = 'not_protected' or jobs.ref_protected)`;

/** Whether the runner is there for the project. */
export const serves = (builtIn: BuiltInScope): RawBuilder<boolean> => sql<boolean>`(
  case runners.runner_type
    when 'instance_type' then projects.shared_runners_enabled
    when 'group_type' then projects.group_runners_enabled and runners.namespace_id = any (namespaces.traversal_ids)
    else exists (
      select from runner_projects where runner_projects.runner_id = runners.id and runner_projects.project_id = projects.id
    )
  end
  and (not runners.built_in or ${builtIn === 'all'}::boolean or (
    exists (select from users where users.id = projects.creator_id and users.admin and users.state = 'active')
    and exists (select from users where users.id = jobs.user_id and users.admin and users.state = 'active')
  ))
)`;

export const candidates = sql`jobs
  join projects on projects.id = jobs.project_id
  join namespaces on namespaces.id = projects.namespace_id
  cross join runners`;

export interface Claim {
  readonly runnerId: number;
  readonly managerId: number | null;
  readonly tokenSha256: Buffer;
  readonly cancelGracefully: boolean;
  readonly builtIn: BuiltInScope;
  /** Where the runner accepts terminals. */
  readonly session?: SealedSession | null;
}

/** `low`, `normal` and `high` as numbers that sort. */
export const priorityRank = (
  column: 'projects.ci_queue_priority' | 'place.ci_queue_priority' | 'pipelines.queue_priority',
): RawBuilder<number> => sql<number>`(case ${sql.ref(column)} when 'high' then 1 when 'low' then -1 else 0 end)`;

/** A job that a runner was given just now. */
export interface Claimed {
  readonly job: Job;
  /** Whether its pipeline runs already, so that another job changes nothing; false where that is not certain. */
  readonly runs: boolean;
}

/**
 * Jobs that wait and that no runner tells apart: what is asked for each of them is asked once. A pipeline of hundreds of jobs
 * is mostly one row. Under the name of the table, with `id` as the oldest of them and `number` as how many there are.
 */
const alike = sql`(
  select project_id, pipeline_id, user_id, tag_list, ref_protected, kind, status, min(id) as id, count(*) as number
  from jobs where status = 'pending' and kind = 'job'
  group by project_id, pipeline_id, user_id, tag_list, ref_protected, kind, status
) as jobs
  join projects on projects.id = jobs.project_id
  join namespaces on namespaces.id = projects.namespace_id
  cross join runners`;

/** When a project or a person was last given a runner. */
const lastServed = (column: 'project_id' | 'user_id', of: 'place' | 'suitable') => sql`(
  select max(served.started_at) from jobs as served
  where ${sql.ref(`served.${column}`)} = ${sql.ref(`${of}.${column}`)} and served.started_at is not null
)`;

/** Which of the jobs that are alike is given next, if its row is free. */
const nextOf = (line: 'line') => sql`
  select jobs.id,
    least(
      coalesce((jobs.plan ->> 'timeout_seconds')::integer, ${sql.ref(`${line}.build_timeout`)}),
      coalesce(${sql.ref(`${line}.maximum_timeout`)}, 2147483647)
    ) as timeout_seconds
  from jobs
  where jobs.pipeline_id = ${sql.ref(`${line}.pipeline_id`)} and jobs.id >= ${sql.ref(`${line}.id`)}
    and jobs.status = 'pending' and jobs.kind = 'job'
    and jobs.user_id is not distinct from ${sql.ref(`${line}.user_id`)}
    and jobs.tag_list = ${sql.ref(`${line}.tag_list`)} and jobs.ref_protected = ${sql.ref(`${line}.ref_protected`)}
  order by jobs.id limit 1 for update skip locked`;

/**
 * Gives the next suitable job to a runner; undefined when there is none. Projects of a higher priority come first, of
 * these those with fewer running jobs, of these the one that was not given a runner for the longest time; of a project its
 * pipelines of a higher priority, of these the people by the same rules, then the oldest job. Rows that another claim
 * holds are skipped.
 *
 * One statement, and so one commit. Who processes a pipeline holds its row: where it is free, nobody has looked at the
 * jobs of the pipeline without seeing this one run. Whose row is held is not waited for: here the job is locked first.
 */
export async function claimJob(db: Db, claim: Claim): Promise<Claimed | undefined> {
  const found = await sql<Job & { line: string | null; told: unknown }>`
    with suitable as materialized (
      select jobs.*, projects.ci_queue_priority, projects.build_timeout, runners.maximum_timeout
      from ${alike}
      where runners.id = ${claim.runnerId} and ${matches(claim.builtIn)}
    ), busy as materialized (
      select user_id, count(*) as number from jobs where status in ('running', 'canceling') group by user_id
    ), next as (
      select job.* from (
        select place.project_id from (
          select project_id, ci_queue_priority, min(id) as oldest from suitable group by project_id, ci_queue_priority
        ) as place
        order by ${priorityRank('place.ci_queue_priority')} desc, (
          select count(*) from jobs
          where jobs.project_id = place.project_id and jobs.status in ('running', 'canceling')
        ), ${lastServed('project_id', 'place')} nulls first, place.oldest
      ) as turn
      cross join lateral (
        select suitable.* from suitable
        join pipelines on pipelines.id = suitable.pipeline_id
        left join busy on busy.user_id = suitable.user_id
        where suitable.project_id = turn.project_id
        order by ${priorityRank('pipelines.queue_priority')} desc, coalesce(busy.number, 0),
          ${lastServed('user_id', 'suitable')} nulls first, suitable.id
      ) as line
      cross join lateral (${nextOf('line')}) as job
      limit 1
    ), taken as (
      update jobs set status = 'running', runner_id = ${claim.runnerId}, runner_manager_id = ${claim.managerId}::bigint,
        token_sha256 = ${claim.tokenSha256}::bytea, cancel_gracefully = ${claim.cancelGracefully},
        timeout_seconds = next.timeout_seconds, started_at = now(), contacted_at = now(), updated_at = now()
      from next where jobs.id = next.id and jobs.status = 'pending'
      returning jobs.*
    ), line as (
      select status from pipelines where id = (select pipeline_id from taken) for update skip locked
    )${claim.session ? sql`, listening as (${keepingSession(claim.session)})` : sql``}
    select taken.*, (select status from line) as line, ${announcing(sql`'job:' || taken.id`)} as told from taken
  `.execute(db);
  const [row] = found.rows;
  if (!row) return undefined;
  const { line, told: _told, ...job } = row;
  return { job, runs: line === 'running' };
}

/** Hand-outs of one job without a word from the runner, after which it fails: it may be what ends them. */
const mostLostHandouts = 3;

/**
 * Takes a job back from a runner that was given it and has never said anything about it: it did not begin. Its token ends.
 * False when it has, or when too many runners were lost with it.
 */
export async function takeBackJob(tx: Db, id: number): Promise<boolean> {
  const lost = await tx
    .updateTable('jobs')
    .set({ lost_handouts: sql<number>`lost_handouts + 1` })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('trace_size', '=', 0)
    .whereRef('contacted_at', '=', 'started_at')
    .where('lost_handouts', '<', mostLostHandouts - 1)
    .executeTakeFirst();
  if (lost.numUpdatedRows !== 1n) return false;
  await releaseJob(tx, id);
  return true;
}

/** Gives a job back that never reached its runner, with the address for terminals that came with the hand-out. */
export async function releaseJob(tx: Db, id: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      status: 'pending',
      runner_id: null,
      runner_manager_id: null,
      token_sha256: null,
      started_at: null,
      contacted_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
  await deleteSession(tx, id);
}

/** How many jobs wait for each of these runners, and whether any does for the built-in one. */
export async function waitingWork(
  db: Db,
  runnerIds: readonly number[],
  builtIn: BuiltInScope,
): Promise<{ readonly of: Map<number, number>; readonly builtIn: boolean }> {
  const found = await sql<{ id: number; built_in: boolean; waiting: number }>`
    select runners.id, runners.built_in, sum(jobs.number) as waiting from ${alike}
    where (runners.id = any (${[...runnerIds]}::bigint[]) or runners.built_in) and ${matches(builtIn)}
    group by runners.id, runners.built_in
  `.execute(db);
  return {
    of: new Map(found.rows.map((row) => [row.id, Number(row.waiting)])),
    builtIn: found.rows.some((row) => row.built_in),
  };
}

/** A usable runner by its token. */
export async function findRunnerByToken(db: Db, tokenSha256: Buffer): Promise<Runner | undefined> {
  return await db
    .selectFrom('runners')
    .selectAll()
    .where('token_sha256', '=', tokenSha256)
    .where((where) =>
      where.or([where('token_expires_at', 'is', null), where('token_expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
}

/** What is known of a process of a runner. */
interface KnownManager {
  readonly id: number;
  readonly version: string | null;
  readonly executor: string | null;
  readonly ipAddress: string | null;
  readonly contactedAt: Date;
}

/** A usable runner by its token, and what is known of the process that asks. */
export async function findPollingRunner(
  db: Db,
  tokenSha256: Buffer,
  systemId: string,
): Promise<{ readonly runner: Runner; readonly manager: KnownManager | null } | undefined> {
  const row = await db
    .selectFrom('runners as r')
    .leftJoin('runner_managers as m', (join) => join.onRef('m.runner_id', '=', 'r.id').on('m.system_id', '=', systemId))
    .selectAll('r')
    .select(['m.id as m_id', 'm.version as m_version', 'm.executor as m_executor', 'm.ip_address as m_ip_address'])
    .select('m.contacted_at as m_contacted_at')
    .where('r.token_sha256', '=', tokenSha256)
    .where((where) =>
      where.or([where('r.token_expires_at', 'is', null), where('r.token_expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  const { m_id, m_version, m_executor, m_ip_address, m_contacted_at, ...runner } = row;
  const known = m_id !== null && m_contacted_at !== null;
  return {
    runner,
    manager: known
      ? {
          ...{ id: m_id, version: m_version, executor: m_executor },
          ...{ ipAddress: m_ip_address, contactedAt: m_contacted_at },
        }
      : null,
  };
}

export interface ManagerInfo {
  readonly systemId: string;
  readonly version: string | null;
  readonly revision: string | null;
  readonly platform: string | null;
  readonly architecture: string | null;
  readonly executor: string | null;
  readonly ipAddress: string;
}

/** Seconds between two writes of the last contact of one runner. */
const contactSeconds = 40;

/** Notes a contact of a runner process; its id. Written at most every `contactSeconds` unless it changed. */
export async function touchManager(
  db: Db,
  runnerId: number,
  info: ManagerInfo,
  known: KnownManager | null = null,
): Promise<number> {
  const same =
    known &&
    known.version === (info.version ?? known.version) &&
    known.executor === (info.executor ?? known.executor) &&
    known.ipAddress === info.ipAddress &&
    known.contactedAt.getTime() > Date.now() - contactSeconds * 1000;
  if (same) return known.id;
  const told = ['version', 'revision', 'platform', 'architecture', 'executor'] as const;
  const kept = (name: (typeof told)[number]) =>
    sql<string | null>`coalesce(${sql.ref(`excluded.${name}`)}, ${sql.ref(`runner_managers.${name}`)})`;
  const contact = { ip_address: info.ipAddress, contacted_at: sql<Date>`now()` };
  const row = await db
    .insertInto('runner_managers')
    .values({
      ...{ runner_id: runnerId, system_id: info.systemId, version: info.version, revision: info.revision },
      ...{ platform: info.platform, architecture: info.architecture, executor: info.executor, ...contact },
    })
    .onConflict((conflict) =>
      conflict
        .columns(['runner_id', 'system_id'])
        .doUpdateSet({ ...Object.fromEntries(told.map((name) => [name, kept(name)])), ...contact }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.updateTable('runners').set({ contacted_at: sql<Date>`now()` }).where('id', '=', runnerId).execute();
  return row.id;
}
