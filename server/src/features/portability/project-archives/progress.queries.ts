/** Rows of the progress of imports. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Outcome } from './taking.ts';

export async function setProgress(
  tx: Db,
  projectId: number,
  { stages, done, outcome }: { readonly stages: readonly string[]; readonly done: string[]; readonly outcome: Outcome },
): Promise<void> {
  const { failures, ...stats } = outcome;
  await tx
    .updateTable('project_imports')
    .set({ stages: [...stages], done_stages: done })
    .set({ stats: JSON.stringify(stats), failures: JSON.stringify(failures) })
    .where('project_id', '=', projectId)
    .execute();
}

/** Issues and requests that an attempt before has brought. */
export async function broughtBefore(db: Db, projectId: number) {
  const issues = await db.selectFrom('issues').select('iid').where('project_id', '=', projectId).execute();
  const requests = await db
    .selectFrom('merge_requests')
    .select(['iid', 'head_sha', 'base_sha'])
    .where('project_id', '=', projectId)
    .orderBy('iid')
    .execute();
  return { issues: issues.map(({ iid }) => iid), requests };
}
