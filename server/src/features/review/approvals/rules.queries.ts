/** Approval rules of projects and of merge requests, with the people, groups and protected branches that they name. */
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { groupScope, withTables } from '../../namespaces/index.ts';

export type RuleType = 'any_approver' | 'regular' | 'report_approver';
export type ReportType = 'license_scanning' | 'code_coverage';

/** What rules belong to. */
export type RuleOwner =
  | { readonly projectId: number }
  | { readonly mergeRequestId: number }
  | { readonly groupId: number };

export interface ApprovalRule {
  readonly id: number;
  readonly source_rule_id: number | null;
  /** The group that it belongs to; null for rules of projects and merge requests. */
  readonly namespace_id: number | null;
  readonly name: string;
  readonly rule_type: RuleType;
  readonly report_type: ReportType | null;
  readonly approvals_required: number;
  readonly applies_to_all_protected_branches: boolean;
  readonly updated_at: Date;
  readonly user_ids: readonly number[];
  readonly group_ids: readonly number[];
  readonly branch_ids: readonly number[];
  /** Of the rule that it was copied from. */
  readonly source_required: number | null;
}

const ids = (table: string, column: string): RawBuilder<number[]> =>
  sql<number[]>`array(select k.${sql.ref(column)} from ${sql.table(table)} k where k.rule_id = r.id order by 1)`;

const columns = sql`r.id, r.source_rule_id, r.namespace_id, r.name, r.rule_type, r.report_type, r.approvals_required,
  r.applies_to_all_protected_branches, r.updated_at, ${ids('approval_rule_users', 'user_id')} as user_ids,
  ${ids('approval_rule_groups', 'namespace_id')} as group_ids,
  ${ids('approval_rule_branches', 'protected_branch_id')} as branch_ids,
  (select s.approvals_required from approval_rules s where s.id = r.source_rule_id) as source_required`;

const ownedBy = (owner: RuleOwner) =>
  'projectId' in owner
    ? sql<boolean>`r.project_id = ${owner.projectId}`
    : 'groupId' in owner
      ? sql<boolean>`r.namespace_id = ${owner.groupId}`
      : sql<boolean>`r.merge_request_id = ${owner.mergeRequestId}`;

/** In the order in which they were made. */
export async function listRules(
  db: Db,
  owner: RuleOwner,
  window?: { readonly limit: number; readonly offset: number },
): Promise<ApprovalRule[]> {
  const { rows } = await sql<ApprovalRule>`select ${columns} from approval_rules r where ${ownedBy(owner)}
    order by r.id ${window ? sql`limit ${window.limit} offset ${window.offset}` : sql``}`.execute(db);
  return rows;
}

/** The rules of a request, and those of its project and of the groups above it. */
export async function rulesFor(
  db: Db,
  request: { readonly id: number; readonly project_id: number },
): Promise<{ readonly project: readonly ApprovalRule[]; readonly request: readonly ApprovalRule[] }> {
  const { rows } = await sql<ApprovalRule & { own: boolean }>`
    select ${columns}, r.merge_request_id is not null as own from approval_rules r
    where r.project_id = ${request.project_id} or r.merge_request_id = ${request.id} or r.namespace_id = any((
      select n.traversal_ids from projects p join namespaces n on n.id = p.namespace_id
      where p.id = ${request.project_id})::bigint[])
    order by r.id`.execute(db);
  return { project: rows.filter(({ own }) => !own), request: rows.filter(({ own }) => own) };
}

/** All rules that count for any of some merge requests, each with what it belongs to. */
export async function rulesOver(
  db: Db,
  requests: readonly { readonly id: number; readonly project_id: number }[],
): Promise<Array<ApprovalRule & { readonly project_id: number | null; readonly merge_request_id: number | null }>> {
  const projects = [...new Set(requests.map(({ project_id }) => project_id))];
  const { rows } = await sql<ApprovalRule & { project_id: number | null; merge_request_id: number | null }>`
    select ${columns}, r.project_id, r.merge_request_id from approval_rules r
    where r.project_id = any(${projects}::bigint[])
      or r.merge_request_id = any(${requests.map(({ id }) => id)}::bigint[])
      or r.namespace_id in (select unnest(n.traversal_ids) from projects p join namespaces n on n.id = p.namespace_id
        where p.id = any(${projects}::bigint[]))
    order by r.id`.execute(db);
  return rows;
}

export const countRules = (db: Db, owner: RuleOwner): Promise<number> =>
  countUpTo(db, db.selectFrom('approval_rules as r').select('r.id').where(ownedBy(owner)));

export async function findRule(db: Db, owner: RuleOwner, id: number): Promise<ApprovalRule | undefined> {
  const { rows } = await sql<ApprovalRule>`
    select ${columns} from approval_rules r where r.id = ${id} and ${ownedBy(owner)}`.execute(db);
  return rows[0];
}

/** Locks the rule until the transaction ends; false when it is gone. */
export async function lockRule(tx: Db, id: number): Promise<boolean> {
  const row = await tx.selectFrom('approval_rules').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}

export interface RuleValues {
  readonly name: string;
  readonly rule_type: RuleType;
  readonly report_type: ReportType | null;
  readonly approvals_required: number;
  readonly applies_to_all_protected_branches: boolean;
  readonly source_rule_id: number | null;
}

export async function insertRule(tx: Db, owner: RuleOwner, values: RuleValues): Promise<number> {
  const row = await tx
    .insertInto('approval_rules')
    .values({
      ...values,
      project_id: 'projectId' in owner ? owner.projectId : null,
      merge_request_id: 'mergeRequestId' in owner ? owner.mergeRequestId : null,
      namespace_id: 'groupId' in owner ? owner.groupId : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function updateRule(
  tx: Db,
  id: number,
  values: Partial<Pick<RuleValues, 'name' | 'rule_type' | 'approvals_required' | 'applies_to_all_protected_branches'>>,
): Promise<void> {
  await tx
    .updateTable('approval_rules')
    .set({ ...values, updated_at: new Date() })
    .where('id', '=', id)
    .execute();
}

/** False when somebody else was faster. */
export async function deleteRule(tx: Db, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('approval_rules').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Replaces what a rule names. */
export async function setLinks(
  tx: Db,
  id: number,
  links: {
    readonly users?: readonly number[];
    readonly groups?: readonly number[];
    readonly branches?: readonly number[];
  },
): Promise<void> {
  const replace = async (table: string, column: string, wanted: readonly number[] | undefined) => {
    if (!wanted) return;
    await sql`delete from ${sql.table(table)} where rule_id = ${id}`.execute(tx);
    if (wanted.length > 0)
      await sql`insert into ${sql.table(table)} (rule_id, ${sql.ref(column)})
        select distinct ${id}::bigint, wanted from unnest(${[...wanted]}::bigint[]) wanted`.execute(tx);
  };
  await replace('approval_rule_users', 'user_id', links.users);
  await replace('approval_rule_groups', 'namespace_id', links.groups);
  await replace('approval_rule_branches', 'protected_branch_id', links.branches);
}

/** Active users by id and by name. */
export async function usersMeant(db: Db, wanted: readonly number[], names: readonly string[]): Promise<number[]> {
  if (wanted.length === 0 && names.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    select id from users where state = 'active' and (id = any(${[...wanted]}::bigint[])
      or lower(username) = any(${names.map((name) => name.toLowerCase())}::text[])) order by id`.execute(db);
  return rows.map(({ id }) => id);
}

export interface RuleGroup {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly visibility: string;
  readonly lfs_enabled: boolean | null;
  readonly avatar_object_key: string | null;
  readonly request_access_enabled: boolean;
  readonly full_name: string;
  readonly full_path: string;
  readonly parent_id: number | null;
}

/** Of some groups, those that the caller may see. */
export async function visibleGroups(db: Db, caller: Caller, wanted: readonly number[]): Promise<RuleGroup[]> {
  if (wanted.length === 0) return [];
  const scope = groupScope(caller, { minimum: null });
  const { rows } = await sql<RuleGroup>`${withTables(scope.tables)}
    select n.id, n.name, n.path, n.description, n.visibility, n.lfs_enabled, n.avatar_object_key,
      n.request_access_enabled, n.full_name, n.full_path, n.parent_id
    from namespaces n where n.kind = 'group' and n.id = any(${[...wanted]}::bigint[]) and ${scope.condition}
    order by n.id`.execute(db);
  return rows;
}

export interface RuleBranch {
  readonly id: number;
  readonly name: string;
  readonly code_owner_approval_required: boolean;
  readonly grants: ReadonlyArray<{
    readonly kind: 'push' | 'merge' | 'unprotect';
    readonly level: number | null;
    readonly title: string | null;
  }>;
}

/** The protected branches of a project, those of its top-level group included. */
export async function protectedBranches(db: Db, projectId: number): Promise<RuleBranch[]> {
  const { rows } = await sql<RuleBranch>`
    select b.id, b.name, b.code_owner_approval_required, coalesce((
        select json_agg(json_build_object('kind', l.kind, 'level', l.level,
          'title', coalesce(u.name, g.name, k.title)) order by l.id)
        from protected_branch_levels l left join users u on u.id = l.user_id
          left join namespaces g on g.id = l.group_id left join ssh_keys k on k.id = l.deploy_key_id
        where l.protected_branch_id = b.id), '[]') as grants
    from projects p join namespaces n on n.id = p.namespace_id
      join protected_branches b on b.project_id = p.id or b.namespace_id = n.traversal_ids[1]
    where p.id = ${projectId} order by b.id`.execute(db);
  return rows;
}

/** The protected branches of several projects, without who may do what there. */
export async function protectedBranchesOf(
  db: Db,
  projectIds: readonly number[],
): Promise<Array<Omit<RuleBranch, 'grants'> & { readonly project_id: number }>> {
  const { rows } = await sql<Omit<RuleBranch, 'grants'> & { project_id: number }>`
    select p.id as project_id, b.id, b.name, b.code_owner_approval_required
    from projects p join namespaces n on n.id = p.namespace_id
      join protected_branches b on b.project_id = p.id or b.namespace_id = n.traversal_ids[1]
    where p.id = any(${[...projectIds]}::bigint[]) order by b.id`.execute(db);
  return rows;
}
