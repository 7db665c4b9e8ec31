/** Who has approved which merge request. */
import type { Db } from '../../../kernel/db/index.ts';

export interface Approval {
  readonly user_id: number;
  readonly head_sha: string;
  readonly patch_id: string;
  readonly created_at: Date;
}

export async function approvalsOf(db: Db, mergeRequestId: number): Promise<Approval[]> {
  return await db
    .selectFrom('approvals')
    .select(['user_id', 'head_sha', 'patch_id', 'created_at'])
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id')
    .execute();
}

/** Who has approved each of some merge requests, in that order. */
export async function approversOfEach(db: Db, mergeRequestIds: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('approvals')
    .select(['merge_request_id', 'user_id'])
    .where('merge_request_id', 'in', [...mergeRequestIds])
    .orderBy('id')
    .execute();
  const found = new Map<number, number[]>();
  for (const { merge_request_id, user_id } of rows)
    found.set(merge_request_id, [...(found.get(merge_request_id) ?? []), user_id]);
  return found;
}

/** False where they have approved already. */
export async function insertApproval(
  tx: Db,
  values: Omit<Approval, 'created_at'> & { readonly merge_request_id: number },
): Promise<boolean> {
  const row = await tx
    .insertInto('approvals')
    .values(values)
    .onConflict((conflict) => conflict.constraint('approvals_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where there was none. */
export async function deleteApproval(tx: Db, mergeRequestId: number, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteApprovals(tx: Db, mergeRequestId: number): Promise<void> {
  await tx.deleteFrom('approvals').where('merge_request_id', '=', mergeRequestId).execute();
}

/** Takes back what was approved of other changes than these. */
export async function deleteOtherApprovals(
  tx: Db,
  mergeRequestId: number,
  now: { readonly headSha: string; readonly patchId: string },
): Promise<void> {
  await tx
    .deleteFrom('approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('head_sha', '<>', now.headSha)
    .where('patch_id', '<>', now.patchId)
    .execute();
}

export async function deleteApprovalsBy(tx: Db, mergeRequestId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .deleteFrom('approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', 'in', [...userIds])
    .execute();
}
