/** Giving jobs to runners: which waiting job suits a runner, and the claim that only one of them wins. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { deleteSession } from '../terminals/terminals.queries.ts';

/** Whose projects the built-in runner serves. */
export type BuiltInScope = 'all' | 'administrators';

/**
 * Whether `jobs` may run on `runners`, over the joined rows jobs, projects, namespaces, runners. Without isolation the
 * built-in runner takes only what administrators started in projects that administrators made.
 */
export const matches = (builtIn: BuiltInScope): RawBuilder<boolean> => sql<boolean>`(
  jobs.status = 'pending'
  and jobs.kind = 'job'
  and not runners.paused
  and (runners.token_expires_at is null or runners.token_expires_at > now())
  and ${hasTags}
  and ${takesRef}
  and projects.builds_access_level <> 'disabled'
  and projects.marked_for_deletion_on is null
  and ${serves(builtIn)}
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
}

/** Running jobs of each project, and when a project whose jobs wait was last given a runner. */
const projectLoad = sql`
  left join (
    select project_id, count(*) as number from jobs where status in ('running', 'canceling') group by project_id
  ) as running on running.project_id = jobs.project_id
  left join (
    select waiting.project_id, (
      select max(served.started_at) from jobs as served
      where served.project_id = waiting.project_id and served.started_at is not null
    ) as at
    from (select distinct project_id from jobs where status = 'pending') as waiting
  ) as project_turn on project_turn.project_id = jobs.project_id`;

/** The same of people. */
const personLoad = sql`
  left join (
    select user_id, count(*) as number from jobs where status in ('running', 'canceling') group by user_id
  ) as started on started.user_id = jobs.user_id
  left join (
    select waiting.user_id, (
      select max(served.started_at) from jobs as served
      where served.user_id = waiting.user_id and served.started_at is not null
    ) as at
    from (select distinct user_id from jobs where status = 'pending') as waiting
  ) as user_turn on user_turn.user_id = jobs.user_id`;

/** For the place of one job in the queue: both, for all that wait. */
export const load = sql`${projectLoad} ${personLoad}`;

/** `low`, `normal` and `high` as numbers that sort. */
export const priorityRank = (column: 'projects.ci_queue_priority' | 'pipelines.queue_priority'): RawBuilder<number> =>
  sql<number>`(case ${sql.ref(column)} when 'high' then 1 when 'low' then -1 else 0 end)`;

/** Projects with jobs for the runner in their turn. What is asked for each of them is asked once, not for each job. */
async function projectsInTurn(tx: Db, claim: Claim): Promise<readonly number[]> {
  const found = await sql<{ project_id: number }>`
    select jobs.project_id
    from (
      select jobs.project_id, min(jobs.id) as oldest from ${candidates}
      where runners.id = ${claim.runnerId} and ${matches(claim.builtIn)}
      group by jobs.project_id
    ) as jobs
    join projects on projects.id = jobs.project_id
    ${projectLoad}
    order by ${priorityRank('projects.ci_queue_priority')} desc, coalesce(running.number, 0),
      project_turn.at nulls first, jobs.oldest
  `.execute(tx);
  return found.rows.map((row) => row.project_id);
}

/**
 * Gives the next suitable job to a runner; undefined when there is none. Projects of a higher priority come first, of
 * these those with fewer running jobs, of these the one that was not given a runner for the longest time; of a project its
 * pipelines of a higher priority, of these the people by the same rules, then the oldest job. Rows that another claim
 * holds are skipped.
 */
export async function claimJob(tx: Db, claim: Claim): Promise<Job | undefined> {
  for (const projectId of await projectsInTurn(tx, claim)) {
    const job = await claimJobOf(tx, projectId, claim);
    if (job) return job;
  }
  return undefined;
}

async function claimJobOf(tx: Db, projectId: number, claim: Claim): Promise<Job | undefined> {
  const found = await sql<{ id: number; timeout_seconds: number }>`
    select jobs.id,
      least(
        coalesce((jobs.plan ->> 'timeout_seconds')::integer, projects.build_timeout),
        coalesce(runners.maximum_timeout, 2147483647)
      ) as timeout_seconds
    from ${candidates}
    join pipelines on pipelines.id = jobs.pipeline_id
    ${personLoad}
    where jobs.project_id = ${projectId} and runners.id = ${claim.runnerId} and ${matches(claim.builtIn)}
    order by ${priorityRank('pipelines.queue_priority')} desc, coalesce(started.number, 0), user_turn.at nulls first, jobs.id
    limit 1
    for update of jobs skip locked
  `.execute(tx);
  const next = found.rows[0];
  if (!next) return undefined;
  return await tx
    .updateTable('jobs')
    .set({
      status: 'running',
      runner_id: claim.runnerId,
      runner_manager_id: claim.managerId,
      token_sha256: claim.tokenSha256,
      cancel_gracefully: claim.cancelGracefully,
      timeout_seconds: next.timeout_seconds,
      started_at: sql<Date>`now()`,
      contacted_at: sql<Date>`now()`,
      updated_at: sql`now()`,
    })
    .where('id', '=', next.id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst();
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

/** How many jobs wait for each of these runners; those without any are left out. */
export async function workFor(
  db: Db,
  runnerIds: readonly number[],
  builtIn: BuiltInScope,
): Promise<Map<number, number>> {
  if (runnerIds.length === 0) return new Map();
  const found = await sql<{ id: number; waiting: number }>`
    select runners.id, count(*) as waiting from ${candidates}
    where runners.id = any (${[...runnerIds]}::bigint[]) and ${matches(builtIn)} group by runners.id
  `.execute(db);
  return new Map(found.rows.map((row) => [row.id, Number(row.waiting)]));
}

/** Whether the built-in runner has something to do. */
export async function builtInHasWork(db: Db, builtIn: BuiltInScope): Promise<boolean> {
  const found = await sql`
    select from ${candidates} where runners.built_in and ${matches(builtIn)} limit 1
  `.execute(db);
  return found.rows.length > 0;
}

/** Running jobs of a project on the instance's runners, this one included. */
export async function runningOnInstanceRunners(db: Db, projectId: number): Promise<number> {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('runners', 'runners.id', 'jobs.runner_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('jobs.project_id', '=', projectId)
    .where('jobs.status', 'in', ['running', 'canceling'])
    .where('runners.runner_type', '=', 'instance_type')
    .executeTakeFirstOrThrow();
  return Number(row.count);
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
export async function touchManager(db: Db, runnerId: number, info: ManagerInfo): Promise<number> {
  const known = await db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', '=', runnerId)
    .where('system_id', '=', info.systemId)
    .executeTakeFirst();
  const same =
    known &&
    known.version === (info.version ?? known.version) &&
    known.executor === (info.executor ?? known.executor) &&
    known.ip_address === info.ipAddress &&
    known.contacted_at.getTime() > Date.now() - contactSeconds * 1000;
  if (same) return known.id;
  const values = {
    version: info.version ?? known?.version ?? null,
    revision: info.revision ?? known?.revision ?? null,
    platform: info.platform ?? known?.platform ?? null,
    architecture: info.architecture ?? known?.architecture ?? null,
    executor: info.executor ?? known?.executor ?? null,
    ip_address: info.ipAddress,
    contacted_at: sql<Date>`now()`,
  };
  const row = await db
    .insertInto('runner_managers')
    .values({ runner_id: runnerId, system_id: info.systemId, ...values })
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.updateTable('runners').set({ contacted_at: sql<Date>`now()` }).where('id', '=', runnerId).execute();
  return row.id;
}
