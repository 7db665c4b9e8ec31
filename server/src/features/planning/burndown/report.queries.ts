/** Issues that are or were planned for a milestone or iteration, with what happened to them. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { issuesSeen, type Place } from '../../namespaces/index.ts';
import type { ReportedEvent, ReportedIssue } from './report.ts';

/** Which milestone or iteration. */
export interface Planned {
  readonly kind: 'milestone' | 'iteration';
  readonly id: number;
}

export interface ReportSource {
  readonly issues: readonly ReportedIssue[];
  readonly events: readonly ReportedEvent[];
}

/** Those that the caller sees at a place. Events are in their order. */
export async function reportSource(db: Db, place: Place, caller: Caller, { kind, id }: Planned): Promise<ReportSource> {
  const seen = issuesSeen(caller, place);
  if (seen === null) return { issues: [], events: [] };
  const column = sql.ref(`${kind}_id`);
  const { rows: issues } = await sql<ReportedIssue>`
    select i.id, i.created_at, i.state, i.closed_at, i.weight, i.${column} is not distinct from ${id}::bigint as planned,
      i.moved_to_id is not null or i.promoted_to_epic_id is not null as continued
    from issues i where ${seen} and i.id in (
      select noteable_id from resource_events where noteable_type = 'issue' and ${column} = ${id}
      union select id from issues where ${column} = ${id})`.execute(db);
  const { rows: events } = await sql<ReportedEvent>`
    select e.noteable_id as issue_id, e.created_at, case e.kind when ${kind} then 'plan' else e.kind end as kind,
      e.action = 'add' and e.${column} = ${id} as added, e.state, e.weight
    from resource_events e where e.noteable_type = 'issue' and e.kind in (${kind}, 'state', 'weight')
      and e.noteable_id = any(${issues.map((issue) => issue.id)}::bigint[])
    order by e.created_at, e.id`.execute(db);
  return { issues, events };
}
