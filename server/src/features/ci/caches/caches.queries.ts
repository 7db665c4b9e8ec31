/** Rows of `job_caches`: what runners saved under which key. The content is an object; triggers remove it with its row. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { JobCachesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export type JobCache = Selectable<JobCachesTable>;

const ofProject = (db: Db, projectId: number) => db.selectFrom('job_caches').where('project_id', '=', projectId);

/** The most recently used first. */
export async function listCaches(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: JobCache[]; total: number }> {
  const [rows, total] = await Promise.all([
    ofProject(db, projectId)
      .selectAll()
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    countUpTo(db, ofProject(db, projectId).select('id')),
  ]);
  return { rows, total };
}

export interface CacheTotals {
  readonly count: number;
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
}

export async function cacheTotals(db: Db, projectId: number): Promise<CacheTotals> {
  const found = await sql<CacheTotals>`
    select count(*)::integer as count, coalesce(sum(size), 0)::bigint as size,
      coalesce((select hits from job_cache_requests where project_id = ${projectId}), 0) as hits,
      coalesce((select misses from job_cache_requests where project_id = ${projectId}), 0) as misses
    from job_caches where project_id = ${projectId}
  `.execute(db);
  const { count, size, hits, misses } = found.rows[0] as CacheTotals;
  return { count, size: Number(size), hits: Number(hits), misses: Number(misses) };
}

/** Whether protected branches and tags have caches of their own. */
export async function separatesCaches(db: Db, projectId: number): Promise<boolean> {
  const query = db.selectFrom('projects').select('ci_separated_caches').where('id', '=', projectId);
  return (await query.executeTakeFirst())?.ci_separated_caches ?? false;
}

export async function findCache(db: Db, projectId: number, id: number): Promise<JobCache | undefined> {
  return await ofProject(db, projectId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The cache of a key, counted as used; undefined, and counted as missed, when there is none. */
export async function useCache(tx: Db, projectId: number, key: string): Promise<JobCache | undefined> {
  const row = await tx
    .updateTable('job_caches')
    .set({ hits: sql<number>`hits + 1`, last_used_at: sql<Date>`now()` })
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst();
  const [hits, misses] = row ? [1, 0] : [0, 1];
  await sql`
    insert into job_cache_requests as known (project_id, hits, misses) values (${projectId}, ${hits}, ${misses})
    on conflict (project_id) do update set hits = known.hits + ${hits}, misses = known.misses + ${misses}
  `.execute(tx);
  return row;
}

/** Saves a cache in place of the one that the key had. */
export async function saveCache(
  tx: Db,
  cache: { projectId: number; key: string; protected: boolean; objectKey: string; size: number },
): Promise<void> {
  const content = { object_key: cache.objectKey, size: cache.size, protected: cache.protected };
  await tx
    .insertInto('job_caches')
    .values({ project_id: cache.projectId, key: cache.key, ...content })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'key'])
        .doUpdateSet({ ...content, updated_at: sql<Date>`now()`, last_used_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Deletes the caches that have not been used for longest, until the others fit; how many. */
export async function evictCaches(tx: Db, projectId: number, limit: { bytes: number; count: number }): Promise<number> {
  const gone = await sql<{ id: number }>`
    delete from job_caches where id in (
      select id from (
        select id, sum(size) over newest as bytes, row_number() over newest as place
        from job_caches where project_id = ${projectId}
        window newest as (order by last_used_at desc, id desc)
      ) as kept
      where bytes > ${limit.bytes} or place > ${limit.count}
    ) returning id
  `.execute(tx);
  return gone.rows.length;
}

/** Whether it was still there. */
export async function deleteCache(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('job_caches').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes all, and gives the keys of the project another ending: runners elsewhere find nothing either. */
export async function clearCaches(tx: Db, projectId: number): Promise<number> {
  await tx
    .updateTable('projects')
    .set({ jobs_cache_index: sql<number>`jobs_cache_index + 1` })
    .where('id', '=', projectId)
    .execute();
  await tx.deleteFrom('job_cache_requests').where('project_id', '=', projectId).execute();
  const { numDeletedRows } = await tx.deleteFrom('job_caches').where('project_id', '=', projectId).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes up to `limit` caches that nobody has used for so many days; how many. */
export async function deleteUnusedCaches(tx: Db, days: number, limit: number): Promise<number> {
  const gone = await sql<{ id: number }>`
    delete from job_caches where id in (
      select id from job_caches where last_used_at < now() - make_interval(days => ${days})
      order by last_used_at limit ${limit}
    ) returning id
  `.execute(tx);
  return gone.rows.length;
}
