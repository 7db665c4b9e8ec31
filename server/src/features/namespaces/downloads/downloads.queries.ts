/** Rows of `project_downloads` and `project_download_alerts`: only of groups that limit downloads. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds } from '../access/access.queries.ts';

export interface Download {
  readonly userId: number;
  readonly projectId: number;
}

/** Somebody in a top-level group. */
export interface Downloader {
  readonly namespace_id: number;
  readonly user_id: number;
}

/** Somebody who has downloaded more projects of a group in its interval than it allows. */
export interface Excess extends Downloader {
  readonly projects: number;
  readonly allowed: number;
  readonly seconds: number;
  readonly group_name: string;
  readonly group_path: string;
  readonly name: string;
  readonly username: string;
}

const limited = sql`top.unique_project_download_limit > 0
  and top.unique_project_download_limit_interval_in_seconds > 0`;
const counts = sql`d.downloaded_at > now()
  - make_interval(secs => top.unique_project_download_limit_interval_in_seconds)`;

const owns = (user: string, group: string) => sql`exists (
  select from grants g where g.user_id = ${sql.ref(user)} and g.namespace_id = ${sql.ref(group)}
    and g.level = ${Level.owner} and ${grantHolds('g')})`;

/** Keeps those of projects whose top-level group limits them for the person; answers who was counted where. */
export async function recordDownloads(tx: Db, downloads: readonly Download[]): Promise<Downloader[]> {
  const { rows } = await sql<Downloader>`
    with counted as (
      insert into project_downloads (namespace_id, user_id, project_id, downloaded_at)
      select top.id, u.id, p.id, now()
      from unnest(${downloads.map(({ userId }) => userId)}::bigint[], ${downloads.map(({ projectId }) => projectId)}::bigint[])
        as done (user_id, project_id)
      join projects p on p.id = done.project_id
      join namespaces n on n.id = p.namespace_id
      join namespaces top on top.id = n.traversal_ids[1] and top.kind = 'group' and ${limited}
      join users u on u.id = done.user_id
      where lower(u.username) not in (select lower(free) from unnest(top.unique_project_download_limit_allowlist) as free)
        and not ${owns('u.id', 'top.id')}
      on conflict (namespace_id, user_id, project_id) do update set downloaded_at = excluded.downloaded_at
      returning namespace_id, user_id)
    select distinct namespace_id, user_id from counted order by namespace_id, user_id`.execute(tx);
  return rows;
}

/** Those of them who have passed the limit. */
export async function excessesOf(tx: Db, of: readonly Downloader[]): Promise<Excess[]> {
  const { rows } = await sql<Excess>`
    select top.id as namespace_id, u.id as user_id, seen.projects, u.name, u.username,
      top.unique_project_download_limit as allowed,
      top.unique_project_download_limit_interval_in_seconds as seconds,
      top.name as group_name, top.full_path as group_path
    from unnest(${of.map((each) => each.namespace_id)}::bigint[], ${of.map((each) => each.user_id)}::bigint[])
      as who (namespace_id, user_id)
    join namespaces top on top.id = who.namespace_id and ${limited}
    join users u on u.id = who.user_id
    cross join lateral (
      select count(*)::int as projects from project_downloads d
      where d.namespace_id = top.id and d.user_id = u.id and ${counts}) seen
    where seen.projects > top.unique_project_download_limit`.execute(tx);
  return rows;
}

/** False when the excess was told of in the same interval; whoever comes second, in any process, waits and gets this. */
export async function markTold(tx: Db, { namespace_id, user_id, seconds }: Excess): Promise<boolean> {
  const row = await tx
    .insertInto('project_download_alerts')
    .values({ namespace_id, user_id })
    .onConflict((conflict) =>
      conflict
        .columns(['namespace_id', 'user_id'])
        .doUpdateSet({ told_at: sql`now()` })
        .where('project_download_alerts.told_at', '<=', sql<Date>`now() - make_interval(secs => ${seconds})`),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Who is told: those of the list who are members of the group, or its owners where nobody is listed. */
export async function toldOf(tx: Db, groupId: number): Promise<{ readonly name: string; readonly email: string }[]> {
  const { rows } = await sql<{ name: string; email: string }>`
    select u.name, u.email
    from namespaces top
    join users u on u.state = 'active' and u.user_type = 'human'
    where top.id = ${groupId} and case
      when cardinality(top.unique_project_download_limit_alertlist) = 0 then ${owns('u.id', 'top.id')}
      else u.id = any(top.unique_project_download_limit_alertlist) and exists (
        select from grants g where g.user_id = u.id and g.namespace_id = top.id and ${grantHolds('g')})
      end
    order by u.id limit 100`.execute(tx);
  return rows;
}

/** What no interval reaches back to any more. */
export async function forgetDownloads(db: Db, seconds: number): Promise<void> {
  const old = sql<Date>`now() - make_interval(secs => ${seconds})`;
  await db.deleteFrom('project_downloads').where('downloaded_at', '<', old).execute();
  await db.deleteFrom('project_download_alerts').where('told_at', '<', old).execute();
}
