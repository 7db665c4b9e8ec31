/** What projects and groups require of approvals in general. */
import { sql } from 'kysely';
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

/** What a group allows in the projects below it; projects can be stricter. */
export interface GroupApprovalSettings {
  readonly allow_author_approval: boolean;
  readonly allow_committer_approval: boolean;
  readonly allow_overrides_to_approver_list_per_merge_request: boolean;
  readonly retain_approvals_on_push: boolean;
  readonly require_reauthentication_to_approve: boolean;
}

const groupDefaults: GroupApprovalSettings = {
  allow_author_approval: true,
  allow_committer_approval: true,
  allow_overrides_to_approver_list_per_merge_request: true,
  retain_approvals_on_push: true,
  require_reauthentication_to_approve: false,
};

const groupNames = Object.keys(groupDefaults) as readonly (keyof GroupApprovalSettings)[];

/** As the project has them, whatever the groups above it say. */
export async function readApprovalSettings(db: Db, projectId: number): Promise<ApprovalSettings> {
  const row = await db
    .selectFrom('project_approval_settings')
    .select(names)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? defaults;
}

/** None where nobody has changed them. */
export const storedApprovalSettings = (db: Db, projectId: number): Promise<ApprovalSettings[]> =>
  db.selectFrom('project_approval_settings').select(names).where('project_id', '=', projectId).execute();

export async function writeApprovalSettings(tx: Db, projectId: number, values: ApprovalSettings): Promise<void> {
  await tx
    .insertInto('project_approval_settings')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .execute();
}

export async function readGroupSettings(db: Db, namespaceId: number): Promise<GroupApprovalSettings> {
  const row = await db
    .selectFrom('group_approval_settings')
    .select(groupNames)
    .where('namespace_id', '=', namespaceId)
    .executeTakeFirst();
  return row ?? groupDefaults;
}

export async function writeGroupSettings(tx: Db, namespaceId: number, values: GroupApprovalSettings): Promise<void> {
  await tx
    .insertInto('group_approval_settings')
    .values({ namespace_id: namespaceId, ...values })
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet(values))
    .execute();
}

/** What all of some groups allow. */
const combined = (ids: ReturnType<typeof sql>) => sql<GroupApprovalSettings>`
  select coalesce(bool_and(allow_author_approval), true) as allow_author_approval,
    coalesce(bool_and(allow_committer_approval), true) as allow_committer_approval,
    coalesce(bool_and(allow_overrides_to_approver_list_per_merge_request), true)
      as allow_overrides_to_approver_list_per_merge_request,
    coalesce(bool_and(retain_approvals_on_push), true) as retain_approvals_on_push,
    coalesce(bool_or(require_reauthentication_to_approve), false) as require_reauthentication_to_approve
  from group_approval_settings where namespace_id = any(${ids})`;

/** What the groups above a project allow, its own included. */
export async function groupSettingsOver(db: Db, projectId: number): Promise<GroupApprovalSettings> {
  const ids = sql`(select n.traversal_ids from projects p join namespaces n on n.id = p.namespace_id
    where p.id = ${projectId})::bigint[]`;
  return (await combined(ids).execute(db)).rows[0] ?? groupDefaults;
}

/** What the groups above a group allow, without itself. */
export async function groupSettingsAbove(db: Db, namespaceId: number): Promise<GroupApprovalSettings> {
  const ids = sql`(select array_remove(n.traversal_ids, n.id) from namespaces n where n.id = ${namespaceId})::bigint[]`;
  return (await combined(ids).execute(db)).rows[0] ?? groupDefaults;
}

/** The settings of a project as far as the groups above it let it have them. */
export async function settingsUnderGroups(db: Db, projectId: number): Promise<ApprovalSettings> {
  const [own, groups] = await Promise.all([readApprovalSettings(db, projectId), groupSettingsOver(db, projectId)]);
  return underGroups(own, groups);
}

function underGroups(own: ApprovalSettings, groups: GroupApprovalSettings): ApprovalSettings {
  const reset = own.reset_approvals_on_push || !groups.retain_approvals_on_push;
  return {
    reset_approvals_on_push: reset,
    // To reset approvals on every push leaves nothing to remove selectively.
    selective_code_owner_removals: own.selective_code_owner_removals && !reset,
    disable_overriding_approvers_per_merge_request:
      own.disable_overriding_approvers_per_merge_request || !groups.allow_overrides_to_approver_list_per_merge_request,
    merge_requests_author_approval: own.merge_requests_author_approval && groups.allow_author_approval,
    merge_requests_disable_committers_approval:
      own.merge_requests_disable_committers_approval || !groups.allow_committer_approval,
    require_password_to_approve: own.require_password_to_approve || groups.require_reauthentication_to_approve,
  };
}

/** A project as far as the approvals of its merge requests depend on it. */
export interface ApprovalProject {
  readonly id: number;
  readonly approvals_before_merge: number;
  /** The groups that it is in. */
  readonly groups: readonly number[];
  readonly settings: ApprovalSettings;
}

/** The same for several projects at once, each with what else its approvals depend on. */
export async function approvalProjects(db: Db, ids: readonly number[]): Promise<Map<number, ApprovalProject>> {
  const { rows } = await sql<{
    id: number;
    approvals_before_merge: number;
    groups: number[];
    own: ApprovalSettings | null;
    above: GroupApprovalSettings;
  }>`select p.id, p.approvals_before_merge, n.traversal_ids as groups, to_jsonb(s) as own,
      (select to_jsonb(g) from (${combined(sql`n.traversal_ids`)}) g) as above
    from projects p join namespaces n on n.id = p.namespace_id
      left join project_approval_settings s on s.project_id = p.id
    where p.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(
    rows.map(({ own, above, ...project }) => [
      project.id,
      { ...project, settings: underGroups(own ?? defaults, above) },
    ]),
  );
}
