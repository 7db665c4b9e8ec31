/**
 * Who may do what, as data: one row per ability. The checks, the generated denial tests and the permission page of the
 * documentation are made from these tables. An ability that is not in a table does not exist; nobody has it.
 */
import { Level } from './levels.ts';

/** A part of a project that can be switched off, or kept for members. */
export type Feature =
  | 'repository'
  | 'merge_requests'
  | 'builds'
  | 'issues'
  | 'wiki'
  | 'snippets'
  | 'releases'
  | 'environments'
  | 'forking';

/** What both kinds of rule say. */
interface Rule {
  /** Also for everyone who can see it: anyone on a public one, signed-in people on an internal one. */
  readonly open?: 'anyone' | 'signed-in';
  /** Planners have it, although reporters or developers are needed otherwise. */
  readonly planner?: true;
  /** Auditors have it everywhere. */
  readonly auditor?: true;
  /** Refused while the project is archived, or it or the group waits for its deletion. */
  readonly changes?: true;
}

export interface ProjectRule extends Rule {
  /** The lowest role of a member that has it. */
  readonly role: Level;
  /** The feature that must be on for the caller. */
  readonly feature?: Feature;
  /** A role below which a condition of the project may lift or drop the rule. */
  readonly condition?: 'public-jobs';
}

const { guest, planner, reporter, developer, maintainer, owner } = Level;
/** Above every role: administrators alone. */
const nobody = 60 as Level;

export const projectAbilities = {
  // The project itself.
  read_project: { role: guest, open: 'anyone', auditor: true },
  star_project: { role: guest, open: 'signed-in', auditor: true },
  fork_project: { role: reporter, open: 'signed-in', auditor: true, feature: 'forking' },
  update_project: { role: maintainer },
  archive_project: { role: owner },
  rename_project: { role: owner },
  change_project_visibility: { role: owner },
  transfer_project: { role: owner },
  remove_project: { role: owner },
  restore_project: { role: owner },
  admin_custom_attribute: { role: nobody },
  export_project: { role: maintainer },
  housekeep_project: { role: maintainer },
  link_fork: { role: owner },
  read_project_statistics: { role: reporter, auditor: true },
  read_fetch_statistics: { role: developer, auditor: true },
  // Who is in it.
  read_project_member: { role: guest, open: 'anyone', auditor: true },
  admin_project_member: { role: maintainer },
  share_project: { role: maintainer },
  request_project_access: { role: guest, open: 'signed-in' },
  manage_project_service_accounts: { role: maintainer },
  // Code.
  read_code: { role: reporter, open: 'anyone', auditor: true, feature: 'repository' },
  push_code: { role: developer, feature: 'repository', changes: true },
  push_to_protected: { role: maintainer, feature: 'repository', changes: true },
  admin_protected_branch: { role: maintainer },
  read_push_rule: { role: maintainer },
  admin_push_rule: { role: maintainer },
  read_deploy_key: { role: maintainer },
  admin_deploy_key: { role: maintainer },
  // Merge requests.
  read_merge_request: { role: reporter, open: 'anyone', auditor: true, feature: 'merge_requests' },
  create_merge_request: { role: developer, open: 'signed-in', feature: 'merge_requests', changes: true },
  update_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  accept_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  remove_merge_request: { role: owner, feature: 'merge_requests' },
  read_external_status_check: { role: developer, auditor: true },
  admin_external_status_check: { role: maintainer },
  answer_external_status_check: { role: developer, changes: true },
  // Pipelines.
  read_pipeline: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_job: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_artifacts: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_pipeline_variable: { role: maintainer, feature: 'builds' },
  create_pipeline: { role: developer, feature: 'builds', changes: true },
  update_pipeline: { role: developer, feature: 'builds', changes: true },
  remove_pipeline: { role: owner, feature: 'builds' },
  update_job: { role: developer, feature: 'builds', changes: true },
  erase_job: { role: developer, feature: 'builds', changes: true },
  keep_artifacts: { role: developer, feature: 'builds' },
  remove_artifacts: { role: maintainer, feature: 'builds' },
  lint_ci: { role: developer, feature: 'builds' },
  admin_ci_variable: { role: maintainer, feature: 'builds' },
  read_runner: { role: maintainer, feature: 'builds' },
  admin_runner: { role: maintainer, feature: 'builds' },
  // Plans and pages.
  read_label: { role: guest, open: 'anyone', auditor: true },
  subscribe_label: { role: guest, open: 'signed-in', auditor: true },
  choose_notifications: { role: guest, open: 'signed-in', auditor: true },
  admin_label: { role: planner, changes: true },
  read_wiki: { role: guest, open: 'anyone', auditor: true, feature: 'wiki' },
  create_wiki: { role: developer, planner: true, feature: 'wiki', changes: true },
  admin_wiki: { role: maintainer, planner: true, feature: 'wiki', changes: true },
  read_badge: { role: guest, open: 'anyone', auditor: true },
  admin_badge: { role: maintainer },
  // Administration.
  admin_hook: { role: maintainer },
  admin_integration: { role: maintainer },
  read_own_audit_events: { role: developer, auditor: true },
  read_audit_events: { role: maintainer, auditor: true },
  manage_access_tokens: { role: maintainer },
  manage_deploy_tokens: { role: maintainer },
  admin_job_token_scope: { role: maintainer },
} as const satisfies Record<string, ProjectRule>;
export type ProjectAbility = keyof typeof projectAbilities;

export interface GroupRule extends Rule {
  readonly role: Level | 'project_creation_level' | 'subgroup_creation_level';
  /** Minimal access is enough on a top-level group. */
  readonly minimal?: true;
  /** The group's wiki must be on for the caller. */
  readonly feature?: 'wiki';
  /** Owners and administrators reach it from any address, whatever the group says of addresses. */
  readonly anyAddress?: true;
}

export const groupAbilities = {
  // The group itself.
  read_group: { role: guest, open: 'anyone', auditor: true, minimal: true, anyAddress: true },
  create_project: { role: 'project_creation_level', changes: true },
  create_subgroup: { role: 'subgroup_creation_level', changes: true },
  import_project: { role: maintainer, changes: true },
  update_group: { role: owner, anyAddress: true },
  archive_group: { role: owner },
  transfer_group: { role: owner },
  remove_group: { role: owner },
  restore_group: { role: owner },
  export_group: { role: owner },
  admin_group_custom_attribute: { role: nobody },
  read_group_statistics: { role: owner, auditor: true },
  // Who is in it.
  read_group_member: { role: guest, open: 'anyone', auditor: true },
  admin_group_member: { role: owner },
  read_billable_member: { role: owner, auditor: true },
  share_group: { role: owner },
  request_group_access: { role: guest, open: 'signed-in' },
  manage_group_service_accounts: { role: owner },
  admin_saml_group_link: { role: owner },
  admin_ldap_group_link: { role: owner },
  // Code and pipelines of everything below.
  read_group_push_rule: { role: owner },
  admin_group_push_rule: { role: owner },
  admin_group_ci_variable: { role: owner },
  read_group_runner: { role: maintainer },
  admin_group_runner: { role: owner },
  // Plans and pages.
  read_group_label: { role: guest, open: 'anyone', auditor: true },
  subscribe_group_label: { role: guest, open: 'signed-in', auditor: true },
  choose_group_notifications: { role: guest, open: 'signed-in', auditor: true },
  admin_group_label: { role: planner, changes: true },
  read_group_wiki: { role: guest, open: 'anyone', auditor: true, feature: 'wiki' },
  create_group_wiki: { role: developer, planner: true, feature: 'wiki', changes: true },
  admin_group_wiki: { role: maintainer, planner: true, feature: 'wiki', changes: true },
  read_group_badge: { role: guest, open: 'anyone', auditor: true },
  admin_group_badge: { role: owner },
  // Administration.
  admin_group_hook: { role: owner },
  admin_group_integration: { role: owner },
  read_own_group_audit_events: { role: developer, auditor: true },
  read_group_audit_events: { role: owner, auditor: true },
  manage_group_access_tokens: { role: owner },
  read_group_deploy_tokens: { role: maintainer },
  manage_group_deploy_tokens: { role: owner },
} as const satisfies Record<string, GroupRule>;
export type GroupAbility = keyof typeof groupAbilities;

/** Abilities on the instance itself: `admin` needs an administrator, `signed_in` any active user. */
const instanceAbilities = {
  admin: { admin: true },
  signed_in: { admin: false },
} as const;
export type InstanceAbility = keyof typeof instanceAbilities;
