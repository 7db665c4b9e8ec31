/** SQL of the order that people give to issues, and of who takes part in them. */
import { sql } from 'kysely';
import { type Db, lockInTransaction } from '../../../kernel/db/index.ts';
import { projectsWithin } from '../../namespaces/index.ts';

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

/** Positions are compared within a top-level namespace: boards of groups show issues of several projects. */
const projectsOf = (rootId: number) => projectsWithin({ kind: 'group', id: rootId });

/** Gives a place to issues that have none: those up to an id, behind all others, in the order that lists show. */
async function placeUpTo(tx: Db, rootId: number, id: number): Promise<void> {
  await sql`with placed as (
      select coalesce(max(relative_position), 0) as last from issues where project_id in ${projectsOf(rootId)}),
    added as (
      select id, row_number() over (order by id) as place from issues
      where project_id in ${projectsOf(rootId)} and relative_position is null and id <= ${id})
    update issues i set relative_position = placed.last + added.place * ${gap}
    from placed, added where i.id = added.id`.execute(tx);
}

/** Gives every issue that has a place one with room around it, in the order that there is. */
async function spread(tx: Db, rootId: number): Promise<void> {
  await sql`update issues i set relative_position = o.place * ${gap}
    from (select id, row_number() over (order by relative_position, id) as place
      from issues where project_id in ${projectsOf(rootId)} and relative_position is not null) o
    where i.id = o.id`.execute(tx);
}

/** The place between the neighbours; null where there is no room. */
async function between(tx: Db, rootId: number, id: number, { after, before }: Neighbours): Promise<number | null> {
  const low = await positionOf(tx, after);
  const high = await positionOf(tx, before);
  if (low !== null && high !== null && high > low) return high - low > 1 ? Math.floor((low + high) / 2) : null;
  // With one neighbour, or two that others have put in another order meanwhile: right beside the first.
  const [edge, sign, next] =
    low === null ? ([high ?? 0, sql`<`, sql`max`] as const) : ([low, sql`>`, sql`min`] as const);
  const { rows } = await sql<{ next: number | null }>`select ${next}(found.place) as next from projects p,
    lateral (select ${next}(relative_position) as place from issues
      where project_id = p.id and id <> ${id} and relative_position ${sign} ${edge}) found
    where p.id in ${projectsOf(rootId)}`.execute(tx);
  const other = rows[0]?.next ?? null;
  if (other === null) return low === null ? edge - gap : edge + gap;
  return Math.abs(other - edge) > 1 ? Math.floor((other + edge) / 2) : null;
}

/** First in a transaction that orders issues, before it locks any of them: one after the other in a top-level namespace. */
export const lockOrder = (tx: Db, rootId: number): Promise<void> => lockInTransaction(tx, 'issue_order', rootId);

/** Puts an issue behind and before others of its top-level namespace. The order is locked. */
export async function reorder(tx: Db, rootId: number, id: number, neighbours: Neighbours): Promise<void> {
  await placeUpTo(tx, rootId, Math.max(neighbours.after ?? 0, neighbours.before ?? 0));
  let place = await between(tx, rootId, id, neighbours);
  if (place === null) {
    await spread(tx, rootId);
    place = await between(tx, rootId, id, neighbours);
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
