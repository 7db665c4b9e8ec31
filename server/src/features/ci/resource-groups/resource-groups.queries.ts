/** Rows of `resource_groups`, the jobs that wait for one, and the job that has it. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, ResourceGroup } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** With the resource, or next to get a runner. */
const holding = ['pending', 'running', 'canceling'];
/** Not begun, whether or not it is its turn in its pipeline. */
const upcoming = ['created', 'scheduled', 'waiting_for_resource'];

/** Jobs of a group that are counted. */
const mostCounted = 1000;

type Group = Pick<ResourceGroup, 'project_id' | 'key'>;

/** Groups are known from the first pipeline that names them. */
export async function ensureGroups(tx: Db, projectId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .insertInto('resource_groups')
    .values(keys.map((key) => ({ project_id: projectId, key })))
    .onConflict((conflict) => conflict.constraint('resource_groups_key').doNothing())
    .execute();
}

export async function listGroups(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: ResourceGroup[]; total: number }> {
  const query = db.selectFrom('resource_groups').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export async function findGroup(db: Db, projectId: number, key: string): Promise<ResourceGroup | undefined> {
  return await db
    .selectFrom('resource_groups')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** The group, locked: jobs get and leave it one after the other. */
export async function lockGroup(tx: Db, { project_id, key }: Group): Promise<ResourceGroup | undefined> {
  return await tx
    .selectFrom('resource_groups')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst();
}

export async function setProcessMode(
  tx: Db,
  id: number,
  mode: ResourceGroup['process_mode'],
): Promise<ResourceGroup | undefined> {
  return await tx
    .updateTable('resource_groups')
    .set({ process_mode: mode, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

const jobsOf = (db: Db, { project_id, key }: Group, statuses: readonly string[]) =>
  db
    .selectFrom('jobs')
    .where('project_id', '=', project_id)
    .where('resource_group', '=', key)
    .where('status', 'in', [...statuses]);

/** The job that has the resource. */
export async function currentJob(db: Db, group: Group): Promise<Job | undefined> {
  return await jobsOf(db, group, holding).selectAll().orderBy('id').limit(1).executeTakeFirst();
}

/**
 * The jobs of a group that have not begun, in the order of the group: pipelines have an order, the jobs of one have not. Those whose
 * turn it is in their pipeline come first, so that none waits for one that waits for it.
 */
function upcomingJobs(db: Db, group: ResourceGroup) {
  const ready = group.process_mode === 'unordered' || group.process_mode === 'newest_ready_first';
  const direction = group.process_mode.startsWith('newest') ? 'desc' : 'asc';
  return jobsOf(db, group, ready ? ['waiting_for_resource'] : upcoming)
    .where('retried', '=', false)
    .orderBy('pipeline_id', direction)
    .orderBy(sql`status <> 'waiting_for_resource'`)
    .orderBy('id');
}

export async function listUpcoming(
  db: Db,
  group: ResourceGroup,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Job[]; total: number }> {
  const query = upcomingJobs(db, group);
  const [rows, total] = await Promise.all([
    query.selectAll().limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.clearOrderBy().select('id')),
  ]);
  return { rows, total };
}

/** The first of them. */
export async function upcomingIds(db: Db, group: ResourceGroup): Promise<number[]> {
  const rows = await upcomingJobs(db, group).select('id').limit(mostCounted).execute();
  return rows.map(({ id }) => id);
}

/** The job whose turn it is, if it waits; undefined when another has the resource or has to come before. */
export async function nextJob(db: Db, group: ResourceGroup): Promise<Job | undefined> {
  if (await currentJob(db, group)) return undefined;
  const first = await upcomingJobs(db, group).selectAll().limit(1).executeTakeFirst();
  return first?.status === 'waiting_for_resource' ? first : undefined;
}

/** Groups with jobs that wait, for when a task was lost. */
export async function waitingGroups(db: Db, limit: number): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select distinct project_id, resource_group as key from jobs
    where status = 'waiting_for_resource' and resource_group is not null limit ${limit}`.execute(db);
  return rows;
}
