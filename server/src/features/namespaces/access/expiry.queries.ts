/** Grants that have expired: they give nothing since that day, and are removed by the day's task. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface ExpiredGrant {
  readonly user_id: number | null;
  /** Of a user, or the full path of an invited group. */
  readonly who: string;
  readonly group_id: number | null;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
  /** Of the group or project. */
  readonly path: string;
  readonly level: number;
}

/** Removes some of them and answers what they were. */
export async function deleteExpired(tx: Db, limit: number): Promise<ExpiredGrant[]> {
  const { rows } = await sql<ExpiredGrant>`
    with gone as (
      delete from grants g using (select id from grants where expires_at <= current_date order by expires_at
        limit ${limit} for update skip locked) e where g.id = e.id
      returning g.user_id, g.group_id, g.namespace_id, g.project_id, g.level)
    select gone.*, coalesce(u.username, i.full_path, '') as who,
      coalesce(n.full_path, h.full_path || '/' || p.path, '') as path
    from gone left join users u on u.id = gone.user_id left join namespaces i on i.id = gone.group_id
      left join namespaces n on n.id = gone.namespace_id
      left join projects p on p.id = gone.project_id left join namespaces h on h.id = p.namespace_id`.execute(tx);
  return rows;
}
