/** Texts that may refer to something, as they are now. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface SourceText {
  readonly type: 'issue' | 'merge_request' | 'epic';
  readonly id: number;
  readonly iid: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
  readonly text: string;
}

const tables = { issue: 'issues', merge_request: 'merge_requests', epic: 'epics' } as const;

/** Title and description; undefined where it has gone. */
export async function textOf(db: Db, type: SourceText['type'], id: number): Promise<SourceText | undefined> {
  const place =
    type === 'epic' ? sql`null::bigint as project_id, namespace_id` : sql`project_id, null::bigint as namespace_id`;
  const { rows } = await sql<SourceText>`select ${type}::text as type, id, iid, ${place},
      title || E'\n\n' || coalesce(description, '') as text
    from ${sql.table(tables[type])} where id = ${id}`.execute(db);
  return rows[0];
}

/** Whether the branch is that of the merge request. */
export async function isSourceBranch(db: Db, requestId: number, projectId: number, ref: string): Promise<boolean> {
  const found = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('id', '=', requestId)
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', ref.replace(/^refs\/heads\//, ''))
    .executeTakeFirst();
  return found !== undefined;
}
