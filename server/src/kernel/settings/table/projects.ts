/** Settings of groups, projects, their repositories, reviews and planning. */
import { decimal, flag, integers, level, map, text, whole, word, words } from '../row.ts';

const visibilities = ['private', 'internal', 'public'] as const;
/** Numbers of bytes may pass 32 bits. */
const bytes = { max: Number.MAX_SAFE_INTEGER };
const newProjects = { acts: 'new projects' };
const one = { min: 1 };

export const projects = {
  allow_project_creation_for_guest_and_below: flag(
    'namespaces',
    true,
    'Guests may create groups and personal projects',
  ),
  auto_devops_domain: text('ci', null, 'Domain for automatic deployments'),
  auto_devops_enabled: flag('ci', true, 'New projects build by a default configuration'),
  automatic_purchased_storage_allocation: flag('compatibility', false, 'Allot bought storage by itself'),
  check_namespace_plan: flag('compatibility', false, 'Offer what the plan of a group has; Millrace has one plan'),
  custom_project_templates_group_id: whole('namespaces', null, 'Group whose projects are templates', {
    ...bytes,
    acts: 'templates of projects',
  }),
  dashboard_limit: whole('compatibility', 0, 'Bound of groups without a plan'),
  dashboard_limit_enabled: flag('compatibility', false, 'Use dashboard_limit'),
  default_branch_name: text('repository', 'main', 'First branch of new projects', { format: 'branch', ...newProjects }),
  default_branch_protection: level('repository', [0, 1, 2, 3, 4], 2, 'Protection of default branches', {
    acts: 'new projects, where their group says nothing',
    deprecated: 'default_branch_protection_defaults',
  }),
  default_branch_protection_defaults: map(
    'repository',
    { allowed_to_push: [{ access_level: 40 }], allow_force_push: false, allowed_to_merge: [{ access_level: 40 }] },
    'Protection of default branches',
    { format: 'protection', acts: 'new projects, where their group says nothing' },
  ),
  default_group_visibility: word('namespaces', visibilities, 'private', 'Visibility of new groups', {
    acts: 'new groups',
  }),
  default_project_creation: level('namespaces', [0, 1, 2, 3, 4], 2, 'Who creates projects in groups that say nothing', {
    acts: 'creation of projects',
  }),
  default_project_deletion_protection: flag('namespaces', false, 'Only administrators delete projects', {
    acts: 'deletion of projects',
  }),
  default_project_visibility: word('namespaces', visibilities, 'private', 'Visibility of new projects', newProjects),
  default_snippet_visibility: word('content', visibilities, 'private', 'Visibility of new snippets', {
    acts: 'snippets',
  }),
  delete_inactive_projects: flag('namespaces', false, 'Delete projects that nobody uses'),
  deletion_adjourned_period: whole('namespaces', 30, 'Days that what is deleted is kept; 0 removes at once', {
    max: 90,
    acts: 'deletion of groups and projects',
  }),
  disable_invite_members: flag('namespaces', false, 'Only administrators add members'),
  disable_overriding_approvers_per_merge_request: flag(
    'review',
    false,
    'Approval rules are not changed by merge request',
    { acts: 'approval rules of merge requests' },
  ),
  enable_member_promotion_management: flag('compatibility', false, 'Promotions to paid roles wait for approval'),
  enforce_namespace_storage_limit: flag('compatibility', false, 'Enforce storage limits of groups'),
  file_template_project_id: whole('namespaces', null, 'Project whose files are templates', {
    ...bytes,
    acts: 'templates of files',
  }),
  group_owners_can_manage_default_branch_protection: flag('namespaces', true, 'Group owners change the protection', {
    acts: 'groups',
  }),
  hashed_storage_enabled: flag('compatibility', true, 'Repositories have paths without names; always so'),
  inactive_projects_delete_after_months: whole('namespaces', 2, 'Months until a project counts as unused'),
  inactive_projects_min_size_mb: whole('namespaces', 0, 'Megabytes from which unused projects are deleted'),
  inactive_projects_send_warning_email_after_months: whole(
    'namespaces',
    1,
    'Months until members of an unused project are warned',
    one,
  ),
  invitation_flow_enforcement: flag('namespaces', false, 'New members are invited and accept'),
  namespace_aggregation_schedule_lease_duration_in_seconds: whole(
    'compatibility',
    300,
    'Seconds between statistics',
    one,
  ),
  namespace_storage_forks_cost_factor: decimal('compatibility', 1, 'Share of forks in used storage', { max: 1 }),
  prevent_merge_requests_author_approval: flag('review', false, 'Authors do not approve their own merge requests', {
    acts: 'approvals',
  }),
  prevent_merge_requests_committers_approval: flag('review', false, 'Committers do not approve merge requests', {
    acts: 'approvals',
  }),
  productivity_analytics_start_date: text('compatibility', null, 'First day of productivity figures', { max: 40 }),
  restricted_visibility_levels: words('namespaces', visibilities, [], 'Levels that only administrators choose', {
    acts: 'groups and projects',
  }),
  root_moved_permanently_redirection_enabled: flag('namespaces', true, 'Old addresses of moved groups lead to the new'),
  time_tracking_limit_to_hours: flag('planning', false, 'Show spent time in hours at most'),
  first_day_of_week: level('planning', [0, 1, 6], 0, 'First day in calendars: 0 Sunday, 1 Monday, 6 Saturday'),
  top_level_group_creation_enabled: flag('compatibility', true, 'Old switch of can_create_group'),
  required_instance_ci_template: text('ci', null, 'Configuration that every pipeline includes', { max: 1_024 }),

  commit_email_hostname: text('repository', null, 'Host of private commit addresses', {
    acts: 'private commit addresses',
  }),
  custom_http_clone_url_root: text('repository', null, 'Another start of clone addresses over HTTP', {
    format: 'url',
    max: 511,
  }),
  diff_max_files: whole('repository', 1_000, 'Files of one diff', { min: 1, max: 3_000 }),
  diff_max_lines: whole('repository', 50_000, 'Lines of one diff', { min: 1, max: 100_000 }),
  diff_max_patch_bytes: whole('repository', 204_800, 'Bytes of one file in a diff', { min: 1, max: 512_000 }),
  enabled_git_access_protocol: word('repository', ['ssh', 'http', 'all'], 'all', 'How git may be used', {
    acts: 'git',
  }),
  gitaly_timeout_default: whole('repository', 55, 'Seconds of usual repository work; 0 for any'),
  gitaly_timeout_fast: whole('repository', 10, 'Seconds of fast repository work; 0 for any'),
  gitaly_timeout_medium: whole('repository', 30, 'Seconds of middling repository work; 0 for any'),
  housekeeping_bitmaps_enabled: flag('compatibility', true, 'Bitmaps are always made', { deprecated: 'nothing' }),
  housekeeping_enabled: flag('repository', true, 'Maintain repositories', { acts: 'maintenance' }),
  housekeeping_full_repack_period: whole('compatibility', 50, 'Pushes between full repacks', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_gc_period: whole('compatibility', 200, 'Pushes between collections', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_incremental_repack_period: whole('compatibility', 10, 'Pushes between small repacks', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_optimize_repository_period: whole('repository', 10, 'Pushes between two maintenances', {
    ...one,
    acts: 'maintenance',
  }),
  lock_web_based_commit_signing_enabled: flag(
    'repository',
    false,
    'Groups cannot change web_based_commit_signing_enabled',
  ),
  mirror_available: flag('imports', true, 'Maintainers may set up mirrors', { acts: 'push mirrors' }),
  mirror_capacity_threshold: whole('imports', 50, 'Free places before more mirrors are planned', one),
  mirror_max_capacity: whole('imports', 100, 'Mirrors at the same time', one),
  mirror_max_delay: whole('imports', 300, 'Minutes between updates of a mirror', one),
  receive_max_input_size: whole('repository', null, 'Megabytes of one push', {
    min: 1,
    max: 8_796_093_022,
    acts: 'pushes',
  }),
  repository_checks_enabled: flag('repository', false, 'Check repositories now and then'),
  repository_size_limit: whole('repository', 0, 'Megabytes of one repository; 0 for any', { ...bytes, acts: 'pushes' }),
  repository_storages_weighted: map('repository', { default: 100 }, 'Share of new repositories by storage', {
    format: 'weights',
  }),
  sourcegraph_enabled: flag('web', false, 'Code navigation by Sourcegraph', { needs: ['sourcegraph_url'] }),
  sourcegraph_public_only: flag('web', true, 'Sourcegraph in public projects alone'),
  sourcegraph_url: text('web', null, 'Address of Sourcegraph', { format: 'url' }),
  static_objects_external_storage_auth_token: text('repository', null, 'Token for the cache in front of archives', {
    secret: 'masked',
  }),
  static_objects_external_storage_url: text('repository', null, 'Cache in front of archives and raw files', {
    format: 'url',
    needs: ['static_objects_external_storage_auth_token'],
  }),
  web_based_commit_signing_enabled: flag('repository', false, 'Sign commits made in pages'),
  package_metadata_purl_types: integers(
    'scanning',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    'Registries of known licences',
  ),
};
