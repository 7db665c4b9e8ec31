/** Numbers per project or group that users see: issues, merge requests, pipelines, milestones. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The next number of a project's counter, from 1. Concurrent callers wait for each other's transaction. */
export async function nextIid(tx: Db, projectId: number, kind: string): Promise<number> {
  const row = await tx
    .insertInto('project_counters')
    .values({ project_id: projectId, kind, value: 1 })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'kind']).doUpdateSet({ value: sql`project_counters.value + 1` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}

/** The same for a group's counter. */
export async function nextGroupIid(tx: Db, namespaceId: number, kind: string): Promise<number> {
  const row = await tx
    .insertInto('namespace_counters')
    .values({ namespace_id: namespaceId, kind, value: 1 })
    .onConflict((conflict) =>
      conflict.columns(['namespace_id', 'kind']).doUpdateSet({ value: sql`namespace_counters.value + 1` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}
