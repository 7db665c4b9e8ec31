/** Linking issues, and taking links back, with the notes under both. */
import { sql } from 'kysely';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Issue as IssueRow } from '../../../kernel/db/rows.ts';
import { ofProject, type SystemNoteAction, systemNote } from '../../collaboration/notes/index.ts';
import { issueJson } from './issues.entity.ts';
import { withDetails } from './issues.queries.ts';
import { deleteLink, insertLink, type LinkRow } from './links.queries.ts';

export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const;
export type LinkType = (typeof linkTypes)[number];

/** Whether everybody who sees the one project sees the other one as well. */
async function isSeenFrom(tx: Db, projectId: number, other: number): Promise<boolean> {
  if (projectId === other) return true;
  const { rows } = await sql<{ seen: boolean }>`
    select o.visibility = 'public' or (o.visibility = 'internal' and p.visibility <> 'public') as seen
    from projects p, projects o where p.id = ${projectId} and o.id = ${other}`.execute(tx);
  return rows[0]?.seen === true;
}

/**
 * How an issue is written in texts of another one's project: `#1`, `group/project#1`. The name of a project that not
 * everybody there sees is left out.
 */
export async function referenceFrom(tx: Db, of: Pick<IssueRow, 'project_id'>, about: IssueRow): Promise<string> {
  if (!(await isSeenFrom(tx, of.project_id, about.project_id))) return 'an issue of another project';
  const [loaded] = await withDetails(tx, [about], null);
  return loaded ? issueJson(loaded, '', { projectId: of.project_id }).references.relative : `#${about.iid}`;
}

async function tell(tx: Db, of: IssueRow, about: IssueRow, userId: number, action: SystemNoteAction, text: string) {
  await systemNote(tx, ofProject('issue', of), userId, action, `${text} ${await referenceFrom(tx, of, about)}`);
}

/**
 * Undefined where the two are linked already. Who may is asked before. With `replacing`, issues that relate to each other
 * become ones of which one blocks the other.
 */
export async function linkIssues(
  db: Db,
  issue: IssueRow,
  other: IssueRow,
  type: LinkType,
  userId: number,
  { replacing = false } = {},
): Promise<LinkRow | undefined> {
  const [source, target] = type === 'is_blocked_by' ? [other, issue] : [issue, other];
  return await transaction(db, async (tx) => {
    const link_type = type === 'relates_to' ? 'relates_to' : 'blocks';
    const made = await insertLink(tx, { source_id: source.id, target_id: target.id, link_type }, replacing);
    if (!made) return undefined;
    const [there, here] =
      type === 'relates_to'
        ? ['marked this issue as related to', 'marked this issue as related to']
        : ['marked this issue as blocking', 'marked this issue as blocked by'];
    await tell(tx, source, target, userId, 'relate', there);
    await tell(tx, target, source, userId, 'relate', here);
    return made;
  });
}

/** False where it was removed meanwhile. */
export async function unlinkIssues(
  db: Db,
  link: LinkRow,
  issue: IssueRow,
  other: IssueRow,
  userId: number,
): Promise<boolean> {
  return await transaction(db, async (tx) => {
    if (!(await deleteLink(tx, link.id))) return false;
    await tell(tx, issue, other, userId, 'unrelate', 'removed the relation with');
    await tell(tx, other, issue, userId, 'unrelate', 'removed the relation with');
    return true;
  });
}
