/** SQL of the order that people give to issues, and of who takes part in them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Between two issues are this many places when they are put in order. */
const gap = 1024;

interface Neighbours {
  readonly after: number | null;
  readonly before: number | null;
}

const positionOf = async (tx: Db, id: number | null): Promise<number | null> => {
  if (id === null) return null;
  const { rows } = await sql<{ position: number | null }>`select relative_position as position from issues
    where id = ${id}`.execute(tx);
  return rows[0]?.position ?? null;
};

/** Gives every issue of a project a place with room around it, in the order that there is. */
async function spread(tx: Db, projectId: number): Promise<void> {
  await sql`update issues i set relative_position = o.place * ${gap}
    from (select id, row_number() over (order by relative_position nulls last, id) as place
      from issues where project_id = ${projectId}) o
    where i.id = o.id`.execute(tx);
}

/** The place between the neighbours; null where there is no room. */
async function between(tx: Db, projectId: number, id: number, { after, before }: Neighbours): Promise<number | null> {
  const low = await positionOf(tx, after);
  const high = await positionOf(tx, before);
  if ((after !== null && low === null) || (before !== null && high === null)) return null;
  if (low !== null && high !== null) return high - low > 1 ? Math.floor((low + high) / 2) : null;
  const [edge, sign] = low === null ? [high ?? 0, sql`<`] : [low, sql`>`];
  // Right beside the one neighbour, before whatever is on its other side.
  const { rows } = await sql<{
    next: number | null;
  }>`select ${low === null ? sql`max` : sql`min`}(relative_position) as next
    from issues where project_id = ${projectId} and id <> ${id} and relative_position ${sign} ${edge}`.execute(tx);
  const next = rows[0]?.next ?? null;
  if (next === null) return low === null ? edge - gap : edge + gap;
  return Math.abs(next - edge) > 1 ? Math.floor((next + edge) / 2) : null;
}

/** Puts an issue behind and before others of its project. One after the other in a project. */
export async function reorder(tx: Db, projectId: number, id: number, neighbours: Neighbours): Promise<void> {
  await sql`select from project_counters where project_id = ${projectId} and kind = 'issue' for update`.execute(tx);
  let place = await between(tx, projectId, id, neighbours);
  if (place === null) {
    await spread(tx, projectId);
    place = await between(tx, projectId, id, neighbours);
  }
  if (place !== null) await sql`update issues set relative_position = ${place} where id = ${id}`.execute(tx);
}

/** Author, assignees and whoever commented, in this order; internal comments count for those who read them. */
export async function participantsOf(db: Db, issueId: number, internal: boolean): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from (
      select author_id as user_id, 0 as part, created_at as at from issues where id = ${issueId}
      union all select user_id, 1, created_at from issue_assignees where issue_id = ${issueId}
      union all select author_id, 2, created_at from notes
        where noteable_type = 'issue' and noteable_id = ${issueId} and not system and (${internal} or not internal)) taking
    group by user_id order by min(part), min(at), user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}
