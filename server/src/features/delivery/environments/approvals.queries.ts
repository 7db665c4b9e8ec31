/** Rows of `deployment_approvals`. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { DeploymentApproval } from '../../../kernel/db/rows.ts';
import type { DeploymentApprovalsTable } from '../../../kernel/db/tables.ts';

export const approvalsOf = (db: Db, deploymentId: number): Promise<DeploymentApproval[]> =>
  db.selectFrom('deployment_approvals').selectAll().where('deployment_id', '=', deploymentId).orderBy('id').execute();

/** The last word of somebody counts. */
export const setApproval = (tx: Db, values: Insertable<DeploymentApprovalsTable>): Promise<DeploymentApproval> =>
  tx
    .insertInto('deployment_approvals')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['deployment_id', 'user_id']).doUpdateSet({
        status: values.status,
        comment: values.comment ?? null,
        represented_as: values.represented_as ?? null,
        created_at: sql<Date>`now()`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
