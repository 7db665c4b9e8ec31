/** Rows of `instance_downloads` and `instance_download_alerts`: only while the instance limits downloads. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Download } from './downloads.queries.ts';

/** How many different projects a person may download in how many seconds. */
export interface DownloadLimit {
  readonly allowed: number;
  readonly seconds: number;
  /** Names of users in lower case who are not counted. */
  readonly except: readonly string[];
}

export interface Downloader {
  readonly user_id: number;
  readonly name: string;
  readonly username: string;
  readonly admin: boolean;
  readonly projects: number;
}

/** Keeps the downloads; answers who has passed the limit. */
export async function recordInstanceDownloads(
  tx: Db,
  downloads: readonly Download[],
  { allowed, seconds, except }: DownloadLimit,
): Promise<Downloader[]> {
  const { rows } = await sql<{ user_id: number }>`
    with counted as (
      insert into instance_downloads (user_id, project_id, downloaded_at)
      select u.id, p.id, now()
      from unnest(${downloads.map(({ userId }) => userId)}::bigint[], ${downloads.map(({ projectId }) => projectId)}::bigint[])
        as done (user_id, project_id)
      join projects p on p.id = done.project_id
      join users u on u.id = done.user_id and u.user_type = 'human'
      where lower(u.username) <> all(${[...except]}::text[])
      order by u.id, p.id
      on conflict (user_id, project_id) do update set downloaded_at = excluded.downloaded_at
      returning user_id)
    select distinct user_id from counted order by user_id`.execute(tx);
  const found = await sql<Downloader>`
    select u.id as user_id, u.name, u.username, u.admin, seen.projects
    from users u cross join lateral (
      select count(*)::int as projects from instance_downloads d
      where d.user_id = u.id and d.downloaded_at > now() - make_interval(secs => ${seconds})) seen
    where u.id = any(${rows.map(({ user_id }) => user_id)}::bigint[]) and seen.projects > ${allowed}`.execute(tx);
  return found.rows;
}

/** False when it was told of in the same period; whoever comes second, in any process, waits and gets this. */
export async function markInstanceTold(tx: Db, userId: number, seconds: number): Promise<boolean> {
  const row = await tx
    .insertInto('instance_download_alerts')
    .values({ user_id: userId })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ told_at: sql`now()` })
        .where('instance_download_alerts.told_at', '<=', sql<Date>`now() - make_interval(secs => ${seconds})`),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The people of the list, or administrators where it is empty. */
export async function instanceAlerted(
  tx: Db,
  ids: readonly number[],
): Promise<{ readonly name: string; readonly email: string }[]> {
  return await tx
    .selectFrom('users')
    .select(['name', 'email'])
    .where('state', '=', 'active')
    .where('user_type', '=', 'human')
    .where((where) => (ids.length === 0 ? where('admin', '=', true) : where('id', 'in', [...ids])))
    .orderBy('id')
    .limit(100)
    .execute();
}

/** What no period reaches back to any more. */
export async function forgetInstanceDownloads(db: Db, seconds: number): Promise<void> {
  const old = sql<Date>`now() - make_interval(secs => ${seconds})`;
  await db.deleteFrom('instance_downloads').where('downloaded_at', '<', old).execute();
  await db.deleteFrom('instance_download_alerts').where('told_at', '<', old).execute();
}
