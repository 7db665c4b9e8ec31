/** What happened to the issues of a milestone: made, closed, opened again; with the weight that each has. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { issuesSeen, type Place } from '../../namespaces/index.ts';

export interface BurndownRow {
  readonly created_at: Date;
  readonly weight: number | null;
  readonly action: 'created' | 'closed' | 'reopened';
}

/** In the order of time; of issues that the caller sees. Closed ones from before their history was kept count by their day. */
export async function burndownOf(db: Db, place: Place, caller: Caller, milestoneId: number): Promise<BurndownRow[]> {
  const seen = issuesSeen(caller, place);
  if (seen === null) return [];
  const { rows } = await sql<BurndownRow>`
    with planned as (select i.* from issues i where i.milestone_id = ${milestoneId} and ${seen}),
    kept as (
      select e.noteable_id as id, e.created_at, e.state from resource_events e
      where e.noteable_type = 'issue' and e.kind = 'state' and e.noteable_id in (select id from planned))
    select created_at, weight, action from (
      select id, created_at, weight, 'created' as action from planned
      union all select p.id, k.created_at, p.weight, k.state from kept k join planned p on p.id = k.id
        where k.state in ('closed', 'reopened')
      union all select p.id, p.closed_at, p.weight, 'closed' from planned p
        where p.closed_at is not null and not exists (select from kept k where k.id = p.id and k.state = 'closed')
    ) events order by created_at, id`.execute(db);
  return rows;
}
