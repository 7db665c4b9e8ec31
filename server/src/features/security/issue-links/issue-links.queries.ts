/** SQL of links between vulnerabilities and issues. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { VulnerabilityRow } from '../vulnerabilities/vulnerabilities.queries.ts';

export const linkTypes = ['related', 'created'] as const;
type LinkType = (typeof linkTypes)[number];

export interface IssueLinkRow {
  readonly id: number;
  readonly vulnerability_id: number;
  readonly issue_id: number;
  readonly link_type: LinkType;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Of a vulnerability, the oldest first. */
export async function linksOf(db: Db, vulnerabilityId: number): Promise<IssueLinkRow[]> {
  return await db
    .selectFrom('vulnerability_issue_links')
    .selectAll()
    .where('vulnerability_id', '=', vulnerabilityId)
    .orderBy('id')
    .execute();
}

export async function findLink(db: Db, vulnerabilityId: number, id: number): Promise<IssueLinkRow | undefined> {
  return await db
    .selectFrom('vulnerability_issue_links')
    .selectAll()
    .where('id', '=', id)
    .where('vulnerability_id', '=', vulnerabilityId)
    .executeTakeFirst();
}

/** What stands in the way where there is no new link. */
export type Refusal = 'linked' | 'created';

export async function insertLink(
  tx: Db,
  vulnerabilityId: number,
  issueId: number,
  linkType: LinkType,
): Promise<IssueLinkRow | Refusal> {
  const { rows } = await sql<IssueLinkRow>`
    insert into vulnerability_issue_links (vulnerability_id, issue_id, link_type)
    values (${vulnerabilityId}, ${issueId}, ${linkType}) on conflict do nothing returning *`.execute(tx);
  if (rows[0]) return rows[0];
  const same = (await linksOf(tx, vulnerabilityId)).some(({ issue_id }) => issue_id === issueId);
  return same ? 'linked' : 'created';
}

/** False where it was removed meanwhile. */
export async function deleteLink(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('vulnerability_issue_links').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** An issue goes on as another one: what was linked to it is linked to that. */
export async function moveLinks(tx: Db, from: number, to: number): Promise<void> {
  await tx
    .updateTable('vulnerability_issue_links')
    .set({ issue_id: to, updated_at: sql`now()` })
    .where('issue_id', '=', from)
    .execute();
}

/** Vulnerabilities that an issue is linked to, those linked first in front. */
export async function vulnerabilitiesOf(db: Db, issueId: number): Promise<VulnerabilityRow[]> {
  return await db
    .selectFrom('vulnerability_issue_links as l')
    .innerJoin('vulnerabilities as v', 'v.id', 'l.vulnerability_id')
    .selectAll('v')
    .where('l.issue_id', '=', issueId)
    .orderBy('l.id')
    .execute();
}
