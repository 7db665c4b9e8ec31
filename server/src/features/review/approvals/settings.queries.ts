/** What projects require of approvals in general. */
import type { Db } from '../../../kernel/db/index.ts';

export interface ApprovalSettings {
  readonly reset_approvals_on_push: boolean;
  readonly selective_code_owner_removals: boolean;
  readonly disable_overriding_approvers_per_merge_request: boolean;
  readonly merge_requests_author_approval: boolean;
  readonly merge_requests_disable_committers_approval: boolean;
  readonly require_password_to_approve: boolean;
}

const defaults: ApprovalSettings = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
};

const names = Object.keys(defaults) as readonly (keyof ApprovalSettings)[];

export async function readApprovalSettings(db: Db, projectId: number): Promise<ApprovalSettings> {
  const row = await db
    .selectFrom('project_approval_settings')
    .select(names)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? defaults;
}

export async function writeApprovalSettings(tx: Db, projectId: number, values: ApprovalSettings): Promise<void> {
  await tx
    .insertInto('project_approval_settings')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .execute();
}
