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
  | 'feature_flags'
  | 'package_registry'
  | 'forking';

/** What shows or works on code is on only for whom the repository is on, whatever its own switch says. */
const overCode: ReadonlySet<Feature> = new Set(['merge_requests', 'builds', 'releases', 'environments']);

/** The switches that must all let the caller in for a feature to be on. */
export const switchesOf = (feature: Feature): readonly Feature[] =>
  overCode.has(feature) ? [feature, 'repository'] : [feature];

/** What both kinds of rule say. */
interface Rule {
  /** Also for everyone who can see it: anyone on a public one, signed-in people on an internal one. */
  readonly open?: 'anyone' | 'signed-in';
  /** Planners have it, although reporters or developers are needed otherwise. */
  readonly planner?: true;
  /** Auditors have it everywhere. */
  readonly auditor?: true;
  /** Refused while the project or group, or a group above, is archived or waits for its deletion. */
  readonly changes?: true;
}

export interface ProjectRule extends Rule {
  /** The lowest role of a member that has it. */
  readonly role: Level;
  /** The feature that must be on for the caller; of several one is enough. */
  readonly feature?: Feature | readonly Feature[];
  /** Another ability that it takes besides. */
  readonly needs?: 'read_code';
  /** A role below which a condition of the project may lift or drop the rule. */
  readonly condition?: 'public-jobs';
  /** Also for everyone where the project lets anyone pull packages, whoever sees the project. */
  readonly openPackages?: true;
}

/** The features that a rule names. */
export const featuresOf = ({ feature = [] }: ProjectRule): readonly Feature[] =>
  typeof feature === 'string' ? [feature] : feature;

const { guest, planner, reporter, developer, maintainer, owner } = Level;
/** Above every role: administrators alone. */
const nobody = 60 as Level;
/** What milestones are for. */
const planned = ['issues', 'merge_requests'] as const;

export const projectAbilities = {
  // The project itself.
  read_project: { role: guest, open: 'anyone', auditor: true },
  star_project: { role: guest, open: 'signed-in', auditor: true },
  // Who copies the code must be able to read it.
  fork_project: { role: reporter, open: 'signed-in', auditor: true, feature: 'forking', needs: 'read_code' },
  update_project: { role: maintainer },
  archive_project: { role: owner },
  rename_project: { role: owner },
  change_project_visibility: { role: owner },
  transfer_project: { role: owner },
  remove_project: { role: owner },
  restore_project: { role: owner },
  admin_custom_attribute: { role: nobody },
  read_repository_snapshot: { role: nobody },
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
  // Whoever reads the code and is signed in.
  create_commit_note: { role: reporter, open: 'signed-in', feature: 'repository', changes: true },
  push_code: { role: developer, feature: 'repository', changes: true },
  force_file_unlock: { role: maintainer, feature: 'repository', changes: true },
  read_push_rule: { role: maintainer },
  admin_push_rule: { role: maintainer },
  admin_protected_ref: { role: maintainer },
  admin_remote_mirror: { role: maintainer },
  read_deploy_key: { role: maintainer },
  admin_deploy_key: { role: maintainer },
  // Releases.
  read_release: { role: guest, open: 'anyone', auditor: true, feature: 'releases' },
  // By its tag, which is told to whoever reads the code.
  read_tagged_release: { role: guest, open: 'anyone', auditor: true, feature: 'releases', needs: 'read_code' },
  admin_release: { role: developer, feature: 'releases', changes: true },
  // The catalogue of CI components.
  admin_catalog_resource: { role: owner, changes: true },
  // Packages.
  read_package: { role: reporter, open: 'anyone', auditor: true, feature: 'package_registry' },
  pull_package: { role: reporter, open: 'anyone', auditor: true, feature: 'package_registry', openPackages: true },
  create_package: { role: developer, feature: 'package_registry', changes: true },
  destroy_package: { role: maintainer, feature: 'package_registry', changes: true },
  read_package_protection_rule: { role: maintainer, feature: 'package_registry' },
  admin_package_protection_rule: { role: maintainer, feature: 'package_registry', changes: true },
  // Feature flags, and what proves their clients.
  read_feature_flag: { role: developer, feature: 'feature_flags' },
  admin_feature_flag: { role: developer, feature: 'feature_flags', changes: true },
  admin_feature_flags_user_lists: { role: developer, feature: 'feature_flags' },
  admin_feature_flags_client: { role: maintainer, feature: 'feature_flags', changes: true },
  // Environments and deployments.
  read_environment: { role: reporter, open: 'anyone', auditor: true, feature: 'environments' },
  create_environment: { role: developer, feature: 'environments', changes: true },
  update_environment: { role: developer, feature: 'environments', changes: true },
  stop_environment: { role: developer, feature: 'environments', changes: true },
  stop_stale_environments: { role: maintainer, feature: 'environments', changes: true },
  destroy_environment: { role: developer, feature: 'environments', changes: true },
  read_deployment: { role: reporter, open: 'anyone', auditor: true, feature: 'environments' },
  create_deployment: { role: developer, feature: 'environments', changes: true },
  update_deployment: { role: developer, feature: 'environments', changes: true },
  destroy_deployment: { role: maintainer, feature: 'environments', changes: true },
  read_freeze_period: { role: reporter, auditor: true, feature: 'environments' },
  admin_freeze_period: { role: maintainer, feature: 'environments', changes: true },
  read_protected_environment: { role: maintainer, feature: 'environments' },
  admin_protected_environment: { role: maintainer, feature: 'environments', changes: true },
  // Merge requests.
  read_merge_request: { role: reporter, open: 'anyone', auditor: true, feature: 'merge_requests' },
  create_merge_request: { role: developer, open: 'signed-in', feature: 'merge_requests', changes: true },
  update_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  set_merge_request_metadata: { role: reporter, planner: true, feature: 'merge_requests', changes: true },
  accept_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  remove_merge_request: { role: owner, feature: 'merge_requests' },
  // Whoever reads it and is signed in.
  create_merge_request_note: { role: reporter, open: 'signed-in', feature: 'merge_requests', changes: true },
  // Merge trains.
  read_merge_train: { role: developer, auditor: true, feature: 'merge_requests' },
  admin_merge_train: { role: developer, feature: 'merge_requests', changes: true },
  read_approval_rule: { role: developer, auditor: true },
  admin_approval_rule: { role: maintainer, changes: true },
  read_external_status_check: { role: developer, auditor: true },
  admin_external_status_check: { role: maintainer },
  answer_external_status_check: { role: developer, changes: true },
  // Issues.
  read_issue: { role: guest, open: 'anyone', auditor: true, feature: 'issues' },
  // Those that only their authors and assignees see besides.
  read_confidential_issue: { role: planner, auditor: true, feature: 'issues' },
  create_issue: { role: guest, open: 'signed-in', feature: 'issues', changes: true },
  // Labels, people and dates of what is new; afterwards this is for those who plan.
  set_new_issue_metadata: { role: guest, feature: 'issues', changes: true },
  set_issue_created_at: { role: owner, feature: 'issues', changes: true },
  // Files of issues: one is mailed, the other becomes issues.
  export_issue: { role: guest, open: 'signed-in', auditor: true, feature: 'issues' },
  import_issue: { role: developer, planner: true, feature: 'issues', changes: true },
  create_issue_note: { role: guest, open: 'signed-in', feature: 'issues', changes: true },
  admin_issue_link: { role: guest, feature: 'issues', changes: true },
  update_issue: { role: planner, feature: 'issues', changes: true },
  remove_issue: { role: owner, planner: true, feature: 'issues', changes: true },
  // Pipelines.
  read_pipeline: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_job: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_artifacts: { role: guest, open: 'anyone', auditor: true, feature: 'builds', condition: 'public-jobs' },
  read_pipeline_variable: { role: maintainer, feature: 'builds' },
  create_pipeline: { role: developer, feature: 'builds', changes: true },
  // Its owner and maintainers do more with a schedule than others: the handlers ask who it belongs to.
  read_pipeline_schedule: {
    role: guest,
    open: 'signed-in',
    auditor: true,
    feature: 'builds',
    condition: 'public-jobs',
  },
  create_pipeline_schedule: { role: developer, feature: 'builds', changes: true },
  read_resource_group: { role: developer, feature: 'builds' },
  update_resource_group: { role: developer, feature: 'builds', changes: true },
  admin_pipeline_trigger: { role: maintainer, feature: 'builds', changes: true },
  create_commit_status: { role: developer, feature: 'builds', changes: true },
  update_pipeline: { role: developer, feature: 'builds', changes: true },
  remove_pipeline: { role: owner, feature: 'builds' },
  update_job: { role: developer, feature: 'builds', changes: true },
  read_debug_trace: { role: developer, feature: 'builds' },
  erase_job: { role: developer, feature: 'builds', changes: true },
  keep_artifacts: { role: developer, feature: 'builds' },
  remove_artifacts: { role: maintainer, feature: 'builds' },
  lint_ci: { role: developer, feature: 'builds' },
  admin_ci_variable: { role: maintainer, feature: 'builds' },
  read_secure_file: { role: developer, feature: 'builds' },
  admin_secure_file: { role: maintainer, feature: 'builds', changes: true },
  read_runner: { role: maintainer, feature: 'builds' },
  admin_runner: { role: maintainer, feature: 'builds' },
  // Plans and pages.
  admin_note: { role: maintainer, changes: true },
  resolve_note: { role: developer, changes: true },
  // Also to write one.
  read_internal_note: { role: reporter, planner: true, auditor: true },
  read_label: { role: guest, open: 'anyone', auditor: true },
  subscribe_label: { role: guest, open: 'signed-in', auditor: true },
  choose_notifications: { role: guest, open: 'signed-in', auditor: true },
  read_board: { role: guest, open: 'anyone', auditor: true, feature: 'issues' },
  admin_board: { role: planner, feature: 'issues', changes: true },
  admin_label: { role: planner, changes: true },
  read_milestone: { role: guest, open: 'anyone', auditor: true, feature: planned },
  admin_milestone: { role: planner, feature: planned, changes: true },
  read_iteration: { role: guest, open: 'anyone', auditor: true, feature: 'issues' },
  read_wiki: { role: guest, open: 'anyone', auditor: true, feature: 'wiki' },
  create_wiki: { role: developer, planner: true, feature: 'wiki', changes: true },
  admin_wiki: { role: maintainer, planner: true, feature: 'wiki', changes: true },
  read_snippet: { role: guest, open: 'anyone', auditor: true, feature: 'snippets' },
  create_snippet: { role: reporter, feature: 'snippets', changes: true },
  // To change and remove those of others.
  admin_snippet: { role: maintainer, feature: 'snippets', changes: true },
  create_snippet_note: { role: guest, open: 'signed-in', feature: 'snippets', changes: true },
  upload_file: { role: guest, open: 'signed-in', changes: true },
  read_upload: { role: guest, open: 'anyone', auditor: true },
  admin_upload: { role: maintainer },
  read_badge: { role: guest, open: 'anyone', auditor: true },
  admin_badge: { role: maintainer },
  // Administration.
  admin_hook: { role: maintainer },
  read_own_audit_events: { role: developer, auditor: true },
  read_vulnerability: { role: developer, auditor: true },
  admin_vulnerability: { role: maintainer, changes: true },
  admin_vulnerability_issue_link: { role: developer, changes: true },
  read_security_settings: { role: developer },
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
  /** A role in a subgroup or project below is enough: who works there finds the way to it. */
  readonly below?: true;
  /** The group's wiki must be on for the caller. */
  readonly feature?: 'wiki';
  /** Owners and administrators reach it from any address, whatever the group says of addresses. */
  readonly anyAddress?: true;
}

export const groupAbilities = {
  // The group itself.
  read_group: { role: guest, open: 'anyone', auditor: true, minimal: true, below: true, anyAddress: true },
  create_project: { role: 'project_creation_level', changes: true },
  create_subgroup: { role: 'subgroup_creation_level', changes: true },
  update_group: { role: owner, anyAddress: true },
  archive_group: { role: owner },
  transfer_group: { role: owner },
  export_group: { role: owner },
  remove_group: { role: owner },
  restore_group: { role: owner },
  admin_group_custom_attribute: { role: nobody },
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
  admin_group_protected_branch: { role: owner },
  admin_group_approval_rule: { role: maintainer },
  admin_group_approval_setting: { role: owner },
  admin_group_protected_environment: { role: maintainer },
  admin_group_ci_variable: { role: owner },
  read_group_runner: { role: maintainer },
  admin_group_runner: { role: owner },
  // Plans and pages.
  read_group_label: { role: guest, open: 'anyone', auditor: true },
  subscribe_group_label: { role: guest, open: 'signed-in', auditor: true },
  choose_group_notifications: { role: guest, open: 'signed-in', auditor: true },
  admin_group_label: { role: planner, changes: true },
  read_group_milestone: { role: guest, open: 'anyone', auditor: true },
  admin_group_milestone: { role: planner, changes: true },
  remove_group_milestone: { role: developer, changes: true },
  read_group_iteration: { role: guest, open: 'anyone', auditor: true },
  admin_group_iteration: { role: planner, changes: true },
  read_group_board: { role: guest, open: 'anyone', auditor: true },
  admin_group_board: { role: planner, changes: true },
  read_epic: { role: guest, open: 'anyone', auditor: true },
  create_epic: { role: planner, changes: true },
  update_epic: { role: planner, changes: true },
  admin_epic_link: { role: guest, changes: true },
  remove_epic: { role: owner, planner: true, changes: true },
  create_epic_note: { role: guest, open: 'signed-in', changes: true },
  admin_epic_note: { role: maintainer, changes: true },
  read_internal_epic_note: { role: planner, auditor: true },
  read_group_wiki: { role: guest, open: 'anyone', auditor: true, feature: 'wiki' },
  create_group_wiki: { role: developer, planner: true, feature: 'wiki', changes: true },
  admin_group_wiki: { role: maintainer, planner: true, feature: 'wiki', changes: true },
  upload_group_file: { role: guest, changes: true },
  read_group_upload: { role: guest, open: 'anyone', auditor: true },
  admin_group_upload: { role: maintainer },
  read_group_badge: { role: guest, open: 'anyone', auditor: true },
  admin_group_badge: { role: owner },
  // Administration.
  admin_group_hook: { role: owner },
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
