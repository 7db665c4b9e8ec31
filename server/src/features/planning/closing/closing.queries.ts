/** Which issues merge requests close when they are merged. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

export async function requestById(db: Db, id: number): Promise<MergeRequest | undefined> {
  return await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function requestByIid(db: Db, projectId: number, iid: number): Promise<MergeRequest | undefined> {
  return await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

/** Whether a commit is the merge commit or the squash commit of a request that was merged lately. */
export async function isMerge(db: Db, projectId: number, sha: string): Promise<boolean> {
  const { rows } = await sql`select from merge_requests where project_id = ${projectId} and state = 'merged'
    and merged_at > now() - interval '1 day' and ${sha} in (merge_commit_sha, squash_commit_sha) limit 1`.execute(db);
  return rows.length > 0;
}

/** The request closes these issues and no others; what was removed meanwhile is left out. */
export async function setClosed(tx: Db, requestId: number, issueIds: readonly number[]): Promise<void> {
  await sql`delete from merge_request_closes_issues
    where merge_request_id = ${requestId} and issue_id <> all(${[...issueIds]}::bigint[])`.execute(tx);
  if (issueIds.length === 0) return;
  await sql`insert into merge_request_closes_issues (merge_request_id, issue_id)
    select m.id, i.id from merge_requests m, issues i
    where m.id = ${requestId} and i.id = any(${[...issueIds]}::bigint[]) on conflict do nothing`.execute(tx);
}

export async function closedBy(db: Db, requestId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_closes_issues')
    .select('issue_id')
    .where('merge_request_id', '=', requestId)
    .orderBy('issue_id')
    .execute();
  return rows.map(({ issue_id }) => issue_id);
}

export async function requestsClosing(db: Db, issueId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_closes_issues')
    .select('merge_request_id')
    .where('issue_id', '=', issueId)
    .orderBy('merge_request_id')
    .execute();
  return rows.map(({ merge_request_id }) => merge_request_id);
}

/** Merge requests that refer to an issue, that the issue refers to, or that close it, the oldest first. */
export async function requestsAround(db: Db, issueId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select n.source_id as id from notes n
      where n.noteable_type = 'issue' and n.noteable_id = ${issueId} and n.source_type = 'merge_request'
    union
    select n.noteable_id from notes n
      where n.source_type = 'issue' and n.source_id = ${issueId} and n.noteable_type = 'merge_request'
    union
    select merge_request_id from merge_request_closes_issues where issue_id = ${issueId}
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Issues that a merge request refers to, that refer to it, or that it closes, the oldest first. */
export async function issuesAround(db: Db, requestId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select n.source_id as id from notes n
      where n.noteable_type = 'merge_request' and n.noteable_id = ${requestId} and n.source_type = 'issue'
    union
    select n.noteable_id from notes n
      where n.source_type = 'merge_request' and n.source_id = ${requestId} and n.noteable_type = 'issue'
    union
    select issue_id from merge_request_closes_issues where merge_request_id = ${requestId}
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}
