/** What becomes of pipelines and jobs whose people go. */
import type { Db } from '../../../kernel/db/index.ts';

/** Makes another user the one who started them. */
export async function movePipelines(tx: Db, from: number, to: number): Promise<void> {
  await tx.updateTable('pipelines').set({ user_id: to }).where('user_id', '=', from).execute();
  for (const column of ['user_id', 'canceled_by_id', 'erased_by_id'] as const)
    await tx
      .updateTable('jobs')
      .set({ [column]: to })
      .where(column, '=', from)
      .execute();
}
