/** How much of the rate limits is used in the windows that are open. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { ApplicationSettings } from '../settings/index.ts';
import { type LimitName, namedLimits } from './limits.ts';

export interface RateUsage {
  readonly name: string;
  /** Requests per window; null for a general limit, whose value depends on the request. */
  readonly limit: number | null;
  /** Users, addresses and the like that are counted now. */
  readonly subjects: number;
  /** Those of them that have reached the limit. */
  readonly reached: number;
  /** The most that one of them took. */
  readonly most: number;
}

const isNamed = (name: string): name is LimitName => Object.hasOwn(namedLimits, name);

/** The limits that somebody takes from now, those that are used most first. */
export async function rateUsage(db: Db, values: ApplicationSettings): Promise<RateUsage[]> {
  const limits = Object.entries(namedLimits).map(([name, { setting }]) => ({ name, limit: Number(values[setting]) }));
  const { rows } = await sql<{ name: string; subjects: number; reached: number; most: number }>`
    select w.limit_name as name, count(*)::int as subjects, max(w.taken)::int as most,
      count(*) filter (where w.taken >= l.limit_value)::int as reached
    from rate_limit_windows w
    left join unnest(${limits.map(({ name }) => name)}::text[], ${limits.map(({ limit }) => limit)}::bigint[])
      l (name, limit_value) on l.name = w.limit_name and l.limit_value > 0
    where w.ends_at > now() group by w.limit_name order by reached desc, most desc, w.limit_name limit 50`.execute(db);
  return rows.map((row) => ({
    ...row,
    limit: isNamed(row.name) ? Number(values[namedLimits[row.name].setting]) : null,
  }));
}
