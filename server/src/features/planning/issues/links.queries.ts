/** SQL of links between issues. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface LinkRow {
  readonly id: number;
  readonly source_id: number;
  readonly target_id: number;
  readonly link_type: 'relates_to' | 'blocks';
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Links of an issue in both directions, by id. */
export async function linksOf(db: Db, issueId: number): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`select * from issue_links
    where source_id = ${issueId} or target_id = ${issueId} order by id`.execute(db);
  return rows;
}

export async function linkOf(db: Db, issueId: number, linkId: number): Promise<LinkRow | undefined> {
  return (await linksOf(db, issueId)).find(({ id }) => id === linkId);
}

/** Undefined where the two are linked already; two that only relate to each other become what is said now, if `replacing`. */
export async function insertLink(
  tx: Db,
  values: Pick<LinkRow, 'source_id' | 'target_id' | 'link_type'>,
  replacing = false,
): Promise<LinkRow | undefined> {
  const made = await tx
    .insertInto('issue_links')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made || !replacing || values.link_type === 'relates_to') return made;
  const { rows } = await sql<LinkRow>`update issue_links set source_id = ${values.source_id},
      target_id = ${values.target_id}, link_type = ${values.link_type}, updated_at = now()
    where least(source_id, target_id) = ${Math.min(values.source_id, values.target_id)}
      and greatest(source_id, target_id) = ${Math.max(values.source_id, values.target_id)} and link_type = 'relates_to'
    returning *`.execute(tx);
  return rows[0];
}

/** False when it was removed meanwhile. */
export async function deleteLink(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('issue_links').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** Gives an issue the links of another one, but for one between the two. */
export async function copyLinks(tx: Db, from: number, to: number): Promise<void> {
  await sql`insert into issue_links (source_id, target_id, link_type)
    select case when source_id = ${from} then ${to}::bigint else source_id end,
      case when target_id = ${from} then ${to}::bigint else target_id end, link_type
    from issue_links where ${from} in (source_id, target_id) and ${to} not in (source_id, target_id)
    on conflict do nothing`.execute(tx);
}
