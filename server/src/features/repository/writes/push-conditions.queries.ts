/** Limits, rule and locks that count for a write to a project, by one statement. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PushRule } from '../../../kernel/db/rows.ts';
import { sizeColumns, sizeTables } from '../limits/limits.queries.ts';
import { nearestRule } from '../push-rules/push-rules.queries.ts';

export interface ConditionsOfProject {
  readonly size: { readonly used: number; readonly limit: number | null };
  /** The push rule in force. */
  readonly rule: Omit<PushRule, 'created_at' | 'updated_at'> | null;
  /** Whether anybody has locked a file or folder. */
  readonly locks: boolean;
}

export async function conditionsOfProject(
  db: Db,
  projectId: number,
  namespaceIds: readonly number[],
): Promise<ConditionsOfProject> {
  const { rows } = await sql<{
    used: number;
    size_limit: number | null;
    locks: boolean;
    rule: ConditionsOfProject['rule'];
  }>`
    select ${sizeColumns}, exists (select from path_locks l where l.project_id = p.id) as locks,
      (select to_jsonb(r) from (${nearestRule(projectId, namespaceIds)}) r) as rule
    from ${sizeTables} where p.id = ${projectId}`.execute(db);
  const [row] = rows;
  return {
    size: { used: row?.used ?? 0, limit: row?.size_limit ?? null },
    rule: row?.rule ?? null,
    locks: row?.locks ?? false,
  };
}
