/** What becomes of issues whose labels, milestones or people change. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Replacement } from '../../collaboration/index.ts';
import { moveEntries } from '../../collaboration/time-tracking/index.ts';
import { projectsWithin } from '../../namespaces/index.ts';

/** What has one of the labels has the other one instead. */
export async function replaceLabels(tx: Db, { from, to, projectId }: Replacement): Promise<void> {
  const of = sql`k.label_id = any(${[...from]}::bigint[]) and i.id = k.issue_id
    and (${projectId ?? null}::bigint is null or i.project_id = ${projectId ?? null})`;
  await sql`insert into issue_labels (issue_id, label_id)
    select distinct k.issue_id, ${to}::bigint from issue_labels k, issues i where ${of}
    on conflict do nothing`.execute(tx);
  await sql`delete from issue_labels k using issues i where ${of}`.execute(tx);
}

/** What was planned for one of the milestones is planned for the other one. */
export async function replaceMilestones(tx: Db, { from, to, projectId }: Replacement): Promise<void> {
  await sql`update issues set milestone_id = ${to} where milestone_id = any(${[...from]}::bigint[])
    and (${projectId ?? null}::bigint is null or project_id = ${projectId ?? null})`.execute(tx);
}

/** Makes another user the author, and whoever closed, edited or worked. */
export async function moveIssues(tx: Db, from: number, to: number): Promise<void> {
  for (const column of ['author_id', 'closed_by_id', 'last_edited_by_id'] as const)
    for (const table of ['issues', 'epics'] as const)
      await tx
        .updateTable(table)
        .set({ [column]: to })
        .where(column, '=', from)
        .execute();
  await moveEntries(tx, from, to);
}

/** Removes the issues that somebody opened. */
export async function removeIssuesOf(tx: Db, userId: number): Promise<void> {
  await sql`with gone as (delete from issues where author_id = ${userId} returning project_id, state, confidential)
    update projects p set open_issues_count = greatest(0, p.open_issues_count - g.open)
    from (select project_id, count(*)::int as open from gone
      where state = 'opened' and not confidential group by 1) g
    where p.id = g.project_id`.execute(tx);
  await tx.deleteFrom('epics').where('author_id', '=', userId).execute();
}

/** Takes somebody off the open issues of a project, or of all projects in the tree of a group. */
export async function unassign(
  tx: Db,
  userId: number,
  place: { readonly kind: 'group' | 'project'; readonly id: number },
): Promise<void> {
  await sql`delete from issue_assignees a using issues i
    where a.issue_id = i.id and a.user_id = ${userId} and i.state = 'opened'
      and i.project_id in ${projectsWithin(place)}`.execute(tx);
}
