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
    'Guests can create groups and personal projects',
    { acts: 'new groups and projects' },
  ),
  auto_devops_domain: text('ci', null, 'Auto DevOps domain'),
  auto_devops_enabled: flag('ci', true, 'Enable Auto DevOps for all projects by default'),
  automatic_purchased_storage_allocation: flag('compatibility', false, 'Allocate purchased storage automatically'),
  check_namespace_plan: flag('compatibility', false, 'Check the plan of a group; Millrace has one plan'),
  custom_project_templates_group_id: whole('namespaces', null, 'Group of custom project templates', {
    ...bytes,
    acts: 'templates of projects',
  }),
  dashboard_limit: whole('compatibility', 0, 'User limit of groups without a plan'),
  dashboard_limit_enabled: flag('compatibility', false, 'Enable dashboard_limit'),
  default_branch_name: text('repository', 'main', 'Default branch of new projects', {
    format: 'branch',
    ...newProjects,
  }),
  default_branch_protection: level('repository', [0, 1, 2, 3, 4], 2, 'Default branch protection', {
    acts: 'new projects, where their group says nothing',
    deprecated: 'default_branch_protection_defaults',
  }),
  default_branch_protection_defaults: map(
    'repository',
    { allowed_to_push: [{ access_level: 40 }], allow_force_push: false, allowed_to_merge: [{ access_level: 40 }] },
    'Default branch protection in detail',
    { format: 'protection', acts: 'new projects, where their group says nothing' },
  ),
  default_group_visibility: word('namespaces', visibilities, 'private', 'Default visibility of groups', {
    acts: 'new groups',
  }),
  default_project_creation: level('namespaces', [0, 1, 2, 3, 4], 2, 'Default role that can create projects', {
    acts: 'creation of projects',
  }),
  default_project_deletion_protection: flag('namespaces', false, 'Only administrators can delete projects', {
    acts: 'deletion of projects',
  }),
  default_project_visibility: word(
    'namespaces',
    visibilities,
    'private',
    'Default visibility of projects',
    newProjects,
  ),
  default_snippet_visibility: word('content', visibilities, 'private', 'Default visibility of snippets', {
    acts: 'snippets',
  }),
  delete_inactive_projects: flag('namespaces', false, 'Delete inactive projects', { acts: 'inactive projects' }),
  deletion_adjourned_period: whole(
    'namespaces',
    30,
    'Retention period of deleted groups and projects in days; 0 deletes at once',
    {
      max: 90,
      acts: 'deletion of groups and projects',
    },
  ),
  disable_invite_members: flag('namespaces', false, 'Only administrators can invite members', { acts: 'new members' }),
  disable_overriding_approvers_per_merge_request: flag(
    'review',
    false,
    'Prevent editing approval rules in merge requests',
    { acts: 'approval rules of merge requests' },
  ),
  enable_member_promotion_management: flag('compatibility', false, 'Role promotions require administrator approval'),
  enforce_namespace_storage_limit: flag('compatibility', false, 'Enforce storage limits of groups'),
  file_template_project_id: whole('namespaces', null, 'Project of instance file templates', {
    ...bytes,
    acts: 'templates of files',
  }),
  group_owners_can_manage_default_branch_protection: flag(
    'namespaces',
    true,
    'Group owners can manage default branch protection',
    {
      acts: 'groups',
    },
  ),
  hashed_storage_enabled: flag('compatibility', true, 'Use hashed storage for repositories; always on'),
  inactive_projects_delete_after_months: whole('namespaces', 2, 'Months until an inactive project is deleted', {
    acts: 'inactive projects',
  }),
  inactive_projects_min_size_mb: whole('namespaces', 0, 'Minimum size of inactive projects to delete, in MB', {
    acts: 'inactive projects',
  }),
  inactive_projects_send_warning_email_after_months: whole(
    'namespaces',
    1,
    'Months until members of an inactive project are warned',
    { ...one, acts: 'inactive projects' },
  ),
  invitation_flow_enforcement: flag('namespaces', false, 'New members must accept an invitation'),
  namespace_aggregation_schedule_lease_duration_in_seconds: whole(
    'compatibility',
    300,
    'Seconds between updates of namespace statistics',
    one,
  ),
  namespace_storage_forks_cost_factor: decimal(
    'compatibility',
    1,
    'Cost factor of forks in the storage of a namespace',
    { max: 1 },
  ),
  prevent_merge_requests_author_approval: flag('review', false, 'Prevent approval by the author of a merge request', {
    acts: 'approvals',
  }),
  prevent_merge_requests_committers_approval: flag(
    'review',
    false,
    'Prevent approval by committers of a merge request',
    {
      acts: 'approvals',
    },
  ),
  productivity_analytics_start_date: text('compatibility', null, 'Start date of productivity analytics', { max: 40 }),
  restricted_visibility_levels: words('namespaces', visibilities, [], 'Restricted visibility levels', {
    acts: 'groups and projects',
  }),
  root_moved_permanently_redirection_enabled: flag(
    'web',
    false,
    'Redirect visitors who open the root of the instance permanently: to home_page_url, or to the sign-in page',
    { acts: 'the start page of visitors' },
  ),
  time_tracking_limit_to_hours: flag('planning', false, 'Show time tracking in hours', {
    acts: 'issues and merge requests',
  }),
  first_day_of_week: level('planning', [0, 1, 6], 0, 'First day of the week: 0 Sunday, 1 Monday, 6 Saturday', {
    acts: 'contribution calendars',
  }),
  top_level_group_creation_enabled: flag('compatibility', true, 'Older name of can_create_group'),
  required_instance_ci_template: text('ci', null, 'CI/CD template that every pipeline includes', { max: 1_024 }),

  commit_email_hostname: text('repository', null, 'Hostname of private commit email addresses', {
    acts: 'private commit addresses',
  }),
  custom_http_clone_url_root: text('repository', null, 'Custom root of HTTP clone URLs', {
    acts: 'addresses of projects',
    format: 'url',
    max: 511,
  }),
  diff_max_files: whole('repository', 1_000, 'Maximum files of a diff', { min: 1, max: 3_000, acts: 'diffs' }),
  diff_max_lines: whole('repository', 50_000, 'Maximum lines of a diff', { min: 1, max: 100_000, acts: 'diffs' }),
  diff_max_patch_bytes: whole('repository', 204_800, 'Maximum size of a file in a diff in bytes', {
    min: 1,
    max: 512_000,
    acts: 'diffs',
  }),
  enabled_git_access_protocol: word('repository', ['ssh', 'http', 'all'], 'all', 'Enabled git access protocols', {
    acts: 'git',
  }),
  gitaly_timeout_default: whole(
    'repository',
    55,
    'Seconds that a request waits for git where no other timeout counts, such as diffs, blame and merges; 0 for the bounds of MILLRACE_GIT_BUDGETS alone',
    { acts: 'git' },
  ),
  gitaly_timeout_fast: whole(
    'repository',
    10,
    'Seconds that a request waits for look-ups in a repository; 0 for the bounds of MILLRACE_GIT_BUDGETS alone',
    { acts: 'git' },
  ),
  gitaly_timeout_medium: whole(
    'repository',
    30,
    'Seconds that a request waits for walks through history; between those of fast and all other operations; 0 for the bounds of MILLRACE_GIT_BUDGETS alone',
    { acts: 'git' },
  ),
  housekeeping_bitmaps_enabled: flag('compatibility', true, 'Create bitmaps during housekeeping; always on', {
    deprecated: 'nothing',
  }),
  housekeeping_enabled: flag('repository', true, 'Enable automatic housekeeping', { acts: 'maintenance' }),
  housekeeping_full_repack_period: whole('compatibility', 50, 'Pushes between full repacks', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_gc_period: whole('compatibility', 200, 'Pushes between garbage collections', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_incremental_repack_period: whole('compatibility', 10, 'Pushes between incremental repacks', {
    min: 1,
    deprecated: 'housekeeping_optimize_repository_period',
  }),
  housekeeping_optimize_repository_period: whole('repository', 10, 'Pushes between optimizations of a repository', {
    ...one,
    acts: 'maintenance',
  }),
  lock_web_based_commit_signing_enabled: flag(
    'repository',
    false,
    'Groups cannot change web_based_commit_signing_enabled',
  ),
  mirror_available: flag('imports', true, 'Maintainers can set up mirrors', { acts: 'mirrors' }),
  mirror_capacity_threshold: whole('imports', 50, 'Free capacity before more mirrors are scheduled', {
    ...one,
    acts: 'pull mirrors',
  }),
  mirror_max_capacity: whole('imports', 100, 'Maximum concurrent mirror updates', { ...one, acts: 'pull mirrors' }),
  mirror_max_delay: whole('imports', 300, 'Most minutes between updates of a mirror', { ...one, acts: 'pull mirrors' }),
  receive_max_input_size: whole('repository', null, 'Maximum push size in MB', {
    min: 1,
    max: 8_796_093_022,
    acts: 'pushes',
  }),
  repository_checks_enabled: flag('repository', false, 'Check each repository with git fsck once a month', {
    acts: 'repositories',
  }),
  repository_size_limit: whole('repository', 0, 'Repository size limit in MB; 0 for unlimited', {
    ...bytes,
    acts: 'pushes',
  }),
  repository_storages_weighted: map(
    'repository',
    { default: 100 },
    'Weights of repository storages for new repositories',
    {
      format: 'weights',
      acts: 'new projects: a storage with weight 0 or none gets none',
    },
  ),
  sourcegraph_enabled: flag('web', false, 'Enable Sourcegraph', { needs: ['sourcegraph_url'] }),
  sourcegraph_public_only: flag('web', true, 'Sourcegraph only in public projects'),
  sourcegraph_url: text('web', null, 'Sourcegraph URL', { format: 'url' }),
  static_objects_external_storage_auth_token: text(
    'repository',
    null,
    'Authentication token of the external storage of static objects',
    {
      secret: 'masked',
    },
  ),
  static_objects_external_storage_url: text('repository', null, 'URL of the external storage of static objects', {
    format: 'url',
    needs: ['static_objects_external_storage_auth_token'],
  }),
  web_based_commit_signing_enabled: flag('repository', false, 'Sign commits created in the web interface'),
  package_metadata_purl_types: integers(
    'scanning',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    'Package registries to sync metadata of',
  ),
};
