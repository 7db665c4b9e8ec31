/** Issues and merge requests in a few words: who works on them, and what they are planned for. */
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';

const tables = {
  issue: sql`
    select i.id, i.milestone_id, i.health_status, array(
      select u.name from issue_assignees a join users u on u.id = a.user_id
      where a.issue_id = i.id order by a.position, u.id limit 3) as names
    from issues i`,
  merge_request: sql`
    select m.id, m.milestone_id, null as health_status, array(
      select u.name from merge_request_people p join users u on u.id = p.user_id
      where p.merge_request_id = m.id and p.role = 'assignee' order by p.position, u.id limit 3) as names
    from merge_requests m`,
} as const;

interface Found {
  readonly id: number;
  readonly names: readonly string[];
  readonly milestone: string | null;
  readonly health_status: string | null;
}

/** Of several people the first two are named. */
const people = (names: readonly string[]): string =>
  names.length === 0 ? 'Unassigned' : `${names.slice(0, 2).join(', ')}${names.length > 2 ? '+' : ''}`;

const sentence = (status: string) => `${status.slice(0, 1).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`;

/** Assignees, milestone and health status, those that there are, by the id of each. */
export async function summariesOf(
  db: Db,
  kind: keyof typeof tables,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Found>`
    select s.id, s.names, t.title as milestone, s.health_status
    from (${tables[kind]}) s left join milestones t on t.id = s.milestone_id
    where s.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(
    rows.map(({ id, names, milestone, health_status: health }) => [
      id,
      [people(names), ...(milestone === null ? [] : [milestone]), ...(health === null ? [] : [sentence(health)])],
    ]),
  );
}
