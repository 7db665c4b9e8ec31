/** Numbers of the whole instance. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

interface InstanceNumbers {
  readonly version: string;
  readonly size: number;
  readonly connections: number;
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  readonly runners: number;
  readonly online: number;
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
      (select count(*) from runners where contacted_at > ${onlineSince}) as online`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database has no numbers');
  return row;
}
