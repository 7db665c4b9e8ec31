/** Who waits in the tree of a top-level group: for a seat, or by an invitation that is not accepted yet. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { below } from '../access/hierarchy.queries.ts';

export interface PendingRow {
  readonly pending_id: number;
  readonly invite_email: string | null;
  readonly user_id: number | null;
}

const pending = (groupId: number) => sql`(
  select g.id as pending_id, null::text as invite_email, g.user_id from grants g
  where g.state = 'awaiting' and g.user_id is not null and (g.expires_at is null or g.expires_at > current_date)
    and (g.namespace_id in ${below(groupId)}
      or g.project_id in (select p.id from projects p where p.namespace_id in ${below(groupId)}))
  union all
  select i.id, i.email, null from member_invitations i
  where i.namespace_id in ${below(groupId)}
    or i.project_id in (select p.id from projects p where p.namespace_id in ${below(groupId)})) found`;

export async function listPending(
  db: Db,
  groupId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<PendingRow[]> {
  const { rows } = await sql<PendingRow>`select * from ${pending(groupId)}
    order by invite_email is not null, pending_id limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function countPending(db: Db, groupId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from ${pending(groupId)} limit 10001) counted`.execute(db);
  return rows[0]?.count ?? 0;
}
