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
  | 'environments';

export interface ProjectRule {
  /** The lowest role of a member that has it. */
  readonly role: Level;
  /** Also for everyone who can see the project: anyone on a public one, signed-in people on an internal one. */
  readonly open?: 'anyone' | 'signed-in';
  /** The feature that must be on for the caller. */
  readonly feature?: Feature;
  /** Refused while the project is archived or waits for its deletion. */
  readonly changes?: true;
  /** A role below which a condition of the project may lift or drop the rule. */
  readonly condition?: 'public-jobs';
}

const { guest, reporter, developer, maintainer, owner } = Level;

export const projectAbilities = {
  read_project: { role: guest, open: 'anyone' },
  read_project_member: { role: guest, open: 'anyone' },
  update_project: { role: maintainer },
  archive_project: { role: owner },
  rename_project: { role: owner },
  change_project_visibility: { role: owner },
  transfer_project: { role: owner },
  remove_project: { role: owner },
  admin_project_member: { role: maintainer },
  read_code: { role: reporter, open: 'anyone', feature: 'repository' },
  push_code: { role: developer, feature: 'repository', changes: true },
  push_to_protected: { role: maintainer, feature: 'repository', changes: true },
  admin_protected_branch: { role: maintainer },
  read_merge_request: { role: reporter, open: 'anyone', feature: 'merge_requests' },
  create_merge_request: { role: developer, open: 'signed-in', feature: 'merge_requests', changes: true },
  update_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  accept_merge_request: { role: developer, feature: 'merge_requests', changes: true },
  remove_merge_request: { role: owner, feature: 'merge_requests' },
  read_pipeline: { role: guest, open: 'anyone', feature: 'builds', condition: 'public-jobs' },
  read_job: { role: guest, open: 'anyone', feature: 'builds', condition: 'public-jobs' },
  read_artifacts: { role: guest, open: 'anyone', feature: 'builds', condition: 'public-jobs' },
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
  read_own_audit_events: { role: developer },
  read_audit_events: { role: maintainer },
  manage_access_tokens: { role: maintainer },
  manage_deploy_tokens: { role: maintainer },
  admin_job_token_scope: { role: maintainer },
} as const satisfies Record<string, ProjectRule>;
export type ProjectAbility = keyof typeof projectAbilities;

export interface GroupRule {
  readonly role: Level | 'project_creation_level' | 'subgroup_creation_level';
  readonly open?: 'anyone';
  readonly changes?: true;
}

export const groupAbilities = {
  read_group: { role: guest, open: 'anyone' },
  read_group_member: { role: guest, open: 'anyone' },
  create_project: { role: 'project_creation_level', changes: true },
  create_subgroup: { role: 'subgroup_creation_level', changes: true },
  import_project: { role: maintainer, changes: true },
  update_group: { role: owner },
  remove_group: { role: owner },
  admin_group_member: { role: owner },
  admin_group_ci_variable: { role: owner },
  read_group_runner: { role: maintainer },
  admin_group_runner: { role: owner },
  read_own_group_audit_events: { role: developer },
  read_group_audit_events: { role: owner },
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
