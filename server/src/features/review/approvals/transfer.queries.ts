/** Rules and approvals of a project as archives hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { insertRule } from './rules.queries.ts';

type Maybe<T> = T | null | undefined;

export interface ApprovalRuleLine {
  readonly name: string;
  readonly rule_type: 'any_approver' | 'regular' | 'report_approver';
  readonly report_type?: Maybe<'license_scanning' | 'code_coverage'>;
  readonly approvals_required: number;
  readonly applies_to_all_protected_branches: boolean;
  readonly branches: readonly string[];
  readonly users: readonly string[];
  readonly groups: boolean;
}

/** The project's own rules; those that merge requests have changed stay behind. */
export async function approvalRulesOf(db: Db, projectId: number): Promise<ApprovalRuleLine[]> {
  const { rows } = await sql<ApprovalRuleLine>`
    select r.name, r.rule_type, r.report_type, r.approvals_required, r.applies_to_all_protected_branches,
      array(select b.name from approval_rule_branches k join protected_branches b on b.id = k.protected_branch_id
        where k.rule_id = r.id and b.project_id = r.project_id order by b.name) as branches,
      array(select u.username from approval_rule_users k join users u on u.id = k.user_id
        where k.rule_id = r.id and u.user_type = 'human' order by u.username) as users,
      exists (select from approval_rule_groups k where k.rule_id = r.id) as groups
    from approval_rules r where r.project_id = ${projectId} order by r.id`.execute(db);
  return rows;
}

export async function insertBroughtRule(
  tx: Db,
  projectId: number,
  { branches, report_type, ...row }: Omit<ApprovalRuleLine, 'users' | 'groups'>,
  people: readonly number[],
): Promise<string | null> {
  const { rows: taken } = await sql`select from approval_rules r where r.project_id = ${projectId}
    and (r.name = ${row.name} or r.rule_type = 'any_approver' and ${row.rule_type} = 'any_approver')`.execute(tx);
  if (taken.length > 0) return 'is there already';
  const own = await tx
    .selectFrom('protected_branches')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', 'in', branches.length > 0 ? [...branches] : [''])
    .execute();
  // Without its branches it would hold for all.
  if (branches.length > 0 && own.length === 0) return 'is about protected branches that the archive does not have';
  const { name, rule_type, approvals_required, applies_to_all_protected_branches } = row;
  const values = { name, rule_type, approvals_required, applies_to_all_protected_branches };
  const id = await insertRule(tx, { projectId }, { ...values, report_type: report_type ?? null, source_rule_id: null });
  if (own.length > 0)
    await tx
      .insertInto('approval_rule_branches')
      .values(own.map((branch) => ({ rule_id: id, protected_branch_id: branch.id })))
      .execute();
  if (people.length > 0)
    await tx
      .insertInto('approval_rule_users')
      .values(people.map((user_id) => ({ rule_id: id, user_id })))
      .execute();
  return null;
}

export interface ApprovalLine {
  readonly merge_request: number;
  readonly username: string;
  readonly head_sha: string;
  readonly patch_id: string;
  readonly created_at: Date;
}

export async function approvalsOf(db: Db, projectId: number): Promise<ApprovalLine[]> {
  return await db
    .selectFrom('approvals as a')
    .innerJoin('merge_requests as m', 'm.id', 'a.merge_request_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['m.iid as merge_request', 'u.username', 'a.head_sha', 'a.patch_id', 'a.created_at'])
    .where('m.project_id', '=', projectId)
    .where('u.user_type', '=', 'human')
    .orderBy('a.id')
    .execute();
}

export async function insertBroughtApproval(
  tx: Db,
  projectId: number,
  { merge_request: iid, userId, head_sha, patch_id, created_at }: ApprovalLine & { readonly userId: number },
): Promise<string | null> {
  const request = await tx
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  if (!request) return 'is about a merge request that the archive does not have';
  await tx
    .insertInto('approvals')
    .values({ merge_request_id: request.id, user_id: userId, head_sha, patch_id, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return null;
}

export async function removeApprovals(tx: Db, projectId: number): Promise<void> {
  await sql`delete from approvals a using merge_requests m
    where m.id = a.merge_request_id and m.project_id = ${projectId}`.execute(tx);
}
