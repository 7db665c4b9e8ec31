/** Figures of all runners: versions of their processes, and what they ran in a month. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { onlineSeconds } from './runner-status.ts';

export interface VersionRow {
  readonly version: string | null;
  readonly runners: number;
  readonly managers: number;
  readonly online: number;
}

/** Processes of runners by version; those of the built-in runner left out, which is as old as the server. */
export async function runnerVersions(db: Db): Promise<VersionRow[]> {
  const found = await sql<VersionRow>`
    select runner_managers.version, count(distinct runner_managers.runner_id)::integer as runners,
      count(*)::integer as managers,
      (count(*) filter (where runner_managers.contacted_at > now() - make_interval(secs => ${onlineSeconds})))::integer
        as online
    from runner_managers join runners on runners.id = runner_managers.runner_id
    where not runners.built_in
    group by runner_managers.version
    order by regexp_match(runner_managers.version, '^v?([0-9]{1,9})\\.([0-9]{1,9})(?:\\.([0-9]{1,9}))?')::bigint[] desc nulls last,
      runner_managers.version desc
  `.execute(db);
  return found.rows;
}

export type UsageGroup = 'runner' | 'project';

export interface UsageRow {
  readonly id: number;
  readonly name: string;
  /** `runner_type` of a runner. */
  readonly type: string | null;
  readonly jobs: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Jobs that began in the month, by runner or project; those that took the most time first. */
export async function runnerUsage(
  db: Db,
  by: UsageGroup,
  month: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: UsageRow[]; total: number }> {
  const from = sql`(${month} || '-01')::timestamp at time zone 'UTC'`;
  const key = sql.ref(by === 'runner' ? 'jobs.runner_id' : 'jobs.project_id');
  const used = sql`
    select ${key} as id, count(*)::integer as jobs, (count(*) filter (where status = 'failed'))::integer as failed,
      round(sum(extract(epoch from coalesce(finished_at, now()) - started_at)))::bigint as seconds
    from jobs
    where started_at >= ${from} and started_at < (${month} || '-01')::timestamp at time zone 'UTC' + interval '1 month'
      and runner_id is not null
    group by ${key}`;
  const named =
    by === 'runner'
      ? sql`select used.*, coalesce(runners.description, '') as name, runners.runner_type as type
          from (${used}) as used join runners on runners.id = used.id`
      : sql`select used.*, namespaces.full_path || '/' || projects.path as name, null as type
          from (${used}) as used join projects on projects.id = used.id
          join namespaces on namespaces.id = projects.namespace_id`;
  const [found, count] = await Promise.all([
    sql<UsageRow>`${named} order by seconds desc, id limit ${page.limit} offset ${page.offset}`.execute(db),
    sql<{ total: number }>`select count(*)::integer as total from (${used}) as used`.execute(db),
  ]);
  return {
    rows: found.rows.map((row) => ({ ...row, seconds: Number(row.seconds) })),
    total: count.rows[0]?.total ?? 0,
  };
}
