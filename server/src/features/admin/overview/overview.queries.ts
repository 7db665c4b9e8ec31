/** Numbers of the whole instance. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { StatisticName } from './overview.entity.ts';

interface InstanceNumbers {
  readonly version: string;
  readonly size: number;
  readonly connections: number;
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  readonly runners: number;
  readonly online: number;
  /** Whether the built-in runner may take jobs. */
  readonly built_in: boolean;
}

/** Groups and projects that wait for their deletion are not counted, nor are accounts of bots. */
export async function instanceNumbers(db: Db, onlineSince: Date): Promise<InstanceNumbers> {
  const { rows } = await sql<InstanceNumbers>`
    select current_setting('server_version') as version,
      pg_database_size(current_database()) as size,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      (select count(*) from users where user_type = 'human') as users,
      (select count(*) from namespaces where kind = 'group' and marked_for_deletion_on is null) as groups,
      (select count(*) from projects where marked_for_deletion_on is null) as projects,
      (select count(*) from runners) as runners,
      (select count(*) from runners where contacted_at > ${onlineSince}) as online,
      exists (select from runners where built_in and not paused) as built_in`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database has no numbers');
  return row;
}

/** Rows from which on the estimate of the database is as good as a count, which would read the whole table. */
const estimatedFrom = 10_000;

/** How many rows the tables have; large ones as the database estimates them. */
export async function applicationStatistics(db: Db): Promise<Readonly<Record<StatisticName, number>>> {
  const rowsOf = (table: string) => sql`(select case when c.reltuples < ${estimatedFrom}
      then (select count(*) from ${sql.table(table)}) else c.reltuples::bigint end
    from pg_class c where c.oid = ${table}::regclass)`;
  const { rows } = await sql<Record<StatisticName, number>>`
    select (select count(*) from projects where forked_from_project_id is not null) as forks,
      ${rowsOf('issues')} as issues, ${rowsOf('merge_requests')} as merge_requests, ${rowsOf('notes')} as notes,
      ${rowsOf('snippets')} as snippets, ${rowsOf('ssh_keys')} as ssh_keys, ${rowsOf('milestones')} as milestones,
      ${rowsOf('users')} as users, ${rowsOf('projects')} as projects,
      (select count(*) from namespaces where kind = 'group') as groups,
      (select count(*) from users where state = 'active') as active_users`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database has no numbers');
  return row;
}
