/** How many vulnerabilities were open on which day. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface OpenOnDay {
  readonly date: string;
  readonly total: number;
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly unknown: number;
  readonly info: number;
}

/** Resolved and dismissed ones are open until they were; a decision that was taken back is none. */
export async function openByDay(db: Db, projectId: number, days: number): Promise<OpenOnDay[]> {
  const of = (severity: string) => sql`count(v.id) filter (where v.severity = ${severity})::int`;
  const { rows } = await sql<OpenOnDay>`
    with days as (select (now() at time zone 'utc')::date - back as date from generate_series(0, ${days - 1}::int) back),
      lives as materialized (select id, severity, (created_at at time zone 'utc')::date as born,
        (coalesce(resolved_at, dismissed_at) at time zone 'utc')::date as gone
        from vulnerabilities where project_id = ${projectId})
    select d.date, count(v.id)::int as total, ${of('critical')} as critical, ${of('high')} as high,
      ${of('medium')} as medium, ${of('low')} as low, ${of('unknown')} as unknown, ${of('info')} as info
    from days d left join lives v on v.born <= d.date and (v.gone is null or v.gone > d.date)
    group by d.date order by d.date`.execute(db);
  return rows;
}
