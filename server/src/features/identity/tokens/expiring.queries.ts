/** Access tokens that expire soon, taken once for each number of days before. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { AccessToken } from '../../../kernel/db/rows.ts';

export interface ExpiringToken
  extends Pick<AccessToken, 'id' | 'kind' | 'name' | 'user_id' | 'project_id' | 'namespace_id' | 'created_at'> {
  /** `YYYY-MM-DD`. */
  readonly expires_at: string;
  /** It expires within so many days. */
  readonly days: number;
}

/** A batch of tokens whose people have not been told that they expire within one of these numbers of days. */
export async function takeExpiring(tx: Db, days: readonly number[], limit: number): Promise<ExpiringToken[]> {
  const { rows } = await sql<ExpiringToken>`
    with due as (
      select t.id, w.days from access_tokens t
        cross join lateral (
          select min(each) as days from unnest(${[...days]}::int[]) as each where t.expires_at - current_date <= each) w
      where t.revoked_at is null and t.kind <> 'impersonation'
        and t.expires_at > current_date and t.expires_at <= current_date + ${Math.max(...days)}::int
        and (t.expiry_told is null or t.expiry_told > w.days)
      order by t.id limit ${limit} for update of t skip locked)
    update access_tokens t set expiry_told = due.days from due where t.id = due.id
    returning t.id, t.kind, t.name, t.user_id, t.project_id, t.namespace_id, t.created_at,
      t.expires_at::text as expires_at, due.days`.execute(tx);
  return rows;
}
