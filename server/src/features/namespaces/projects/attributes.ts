/**
 * Every attribute of a project that creating and changing one takes: where it is kept, who is told it, and what it does.
 * docs/api/project-attributes.md and the tests are made from it.
 */
import type { Project } from '../../../kernel/db/rows.ts';
import type { AttributeName } from './attributes.params.ts';

interface Attribute {
  /** The column of `projects`, or what else keeps it. */
  readonly stored: keyof Project | { readonly elsewhere: string };
  /** The key of the answer where it has another name; null: not told. */
  readonly as?: string | null;
  /** Told to everybody, to signed-in people, to maintainers, or to administrators, who alone set it then. */
  readonly to: 'everybody' | 'signed in' | 'maintainers' | 'administrators';
  /** Who sets it, where those are not all who may change the project. */
  readonly setBy?: 'administrators';
  /** What changes besides that it is told; `later` names the part of the product that it waits for. */
  readonly effect: string | { readonly later: string };
  /** The test that proves the effect, by its file below `server/src/features`. */
  readonly test?: string;
  /** A value other than the default, for the test of storing and returning. */
  readonly sample: unknown;
  /** What is answered for the sample, where it is not the sample itself. */
  readonly told?: unknown;
}

type Told = Partial<Pick<Attribute, 'as' | 'to' | 'setBy' | 'test' | 'told'>>;

const reviews = 'review/merge-requests';
const own = 'namespaces/projects/effects.test.ts';
/** In a browser. */
const pages = '../../../e2e/src/scenarios/hidden-characters.ts';

/** Kept in the column of its name, told to whoever is signed in. */
const kept = (name: AttributeName, sample: unknown, effect: Attribute['effect'], rest: Told = {}) =>
  ({ stored: name as keyof Project, to: 'signed in', sample, effect, ...rest }) satisfies Attribute;
const later = (name: AttributeName, sample: unknown, part: string, rest: Told = {}) =>
  kept(name, sample, { later: part }, rest);
/** An old name of another. */
const oldName = (stored: keyof Project, sample: unknown, replacement: string, rest: Told = {}): Attribute => ({
  stored,
  to: 'signed in',
  sample,
  effect: `as \`${replacement}\``,
  test: 'namespaces/projects/attributes.test.ts',
  ...rest,
});

/** What becomes of each attribute. */
export const projectAttributes: Readonly<Record<AttributeName, Attribute>> = {
  allow_merge_on_skipped_pipeline: kept('allow_merge_on_skipped_pipeline', true, 'a skipped pipeline lets merge', {
    test: 'review/merge-checks/merge-checks.test.ts',
  }),
  allow_pipeline_trigger_approve_deployment: kept(
    'allow_pipeline_trigger_approve_deployment',
    true,
    'whoever starts a pipeline may approve its deployments',
    { test: 'delivery/protected-environments/protected-environments.test.ts' },
  ),
  analytics_access_level: later('analytics_access_level', 'private', 'analytics'),
  approvals_before_merge: kept('approvals_before_merge', 2, 'so many approvals are needed, whatever rules say', {
    test: 'review/approvals/approvals.test.ts',
  }),
  auto_cancel_pending_pipelines: {
    stored: 'auto_cancel_pending_pipelines',
    to: 'signed in',
    sample: 'disabled',
    effect: 'a newer pipeline cancels older ones of the branch',
    test: own,
  },
  auto_devops_deploy_strategy: later('auto_devops_deploy_strategy', 'manual', 'Auto DevOps'),
  auto_devops_enabled: later('auto_devops_enabled', true, 'Auto DevOps'),
  autoclose_referenced_issues: kept(
    'autoclose_referenced_issues',
    false,
    'merging a request closes the issues that its description names',
    { test: 'planning/closing/closing.test.ts' },
  ),
  avatar: {
    stored: 'avatar_object_key',
    as: 'avatar_url',
    to: 'everybody',
    sample: undefined,
    effect: 'the picture is served to who sees the project',
    test: 'namespaces/projects/avatars.test.ts',
  },
  build_coverage_regex: kept(
    'build_coverage_regex',
    '\\d+%',
    'only told: as in the ecosystem today, coverage is read where a job says so with `coverage`',
    { test: 'namespaces/projects/attributes.test.ts' },
  ),
  artifacts_quota: kept('artifacts_quota', 4096, 'artifacts that do not fit are refused', {
    to: 'administrators',
    test: 'ci/artifacts/usage.test.ts',
  }),
  build_git_strategy: kept('build_git_strategy', 'clone', 'jobs clone anew', { to: 'maintainers', test: own }),
  build_timeout: kept('build_timeout', 1200, 'how long a job may take', { test: own }),
  builds_access_level: kept('builds_access_level', 'private', 'who may use pipelines and jobs', { test: own }),
  ci_allow_fork_pipelines_to_run_in_parent_project: kept(
    'ci_allow_fork_pipelines_to_run_in_parent_project',
    false,
    'off: pipelines that members run for merge requests of forks are the fork’s',
    { test: `${reviews}/forks.test.ts` },
  ),
  ci_job_terminals_enabled: kept('ci_job_terminals_enabled', false, 'off: nobody opens a terminal in a running job', {
    to: 'maintainers',
    test: 'ci/terminals/terminals.test.ts',
  }),
  ci_queue_priority: kept('ci_queue_priority', 'high', 'runners get its jobs before those of other projects', {
    to: 'administrators',
    test: 'ci/runner-protocol/queue.test.ts',
  }),
  ci_config_path: kept('ci_config_path', 'ci/main.yml', 'where the configuration is read', { test: own }),
  ci_default_git_depth: kept('ci_default_git_depth', 7, 'commits that jobs fetch', { test: own }),
  ci_delete_pipelines_in_seconds: kept(
    'ci_delete_pipelines_in_seconds',
    604_800,
    'pipelines that ended go when they are as old',
    { to: 'maintainers', test: 'ci/pipelines/removal.test.ts' },
  ),
  ci_forward_deployment_enabled: kept(
    'ci_forward_deployment_enabled',
    false,
    'jobs that deploy something older than what was deployed last fail',
    {
      test: 'delivery/environments/environments.test.ts',
    },
  ),
  ci_forward_deployment_rollback_allowed: kept(
    'ci_forward_deployment_rollback_allowed',
    false,
    'whether such a job may be retried',
    {
      test: 'delivery/environments/environments.test.ts',
    },
  ),
  ci_id_token_sub_claim_components: later(
    'ci_id_token_sub_claim_components',
    ['project_path', 'ref'],
    'identity tokens of jobs',
    { to: 'maintainers' },
  ),
  ci_job_token_scope_enabled: kept('ci_job_token_scope_enabled', true, 'which projects its jobs reach', {
    test: 'namespaces/job-token-scope/job-token-scope.test.ts',
  }),
  ci_pipeline_variables_minimum_override_role: kept(
    'ci_pipeline_variables_minimum_override_role',
    'maintainer',
    'who may give variables to a new pipeline',
    { to: 'maintainers', test: own },
  ),
  ci_push_repository_for_job_token_allowed: kept(
    'ci_push_repository_for_job_token_allowed',
    true,
    'jobs push to the project with their token',
    { to: 'maintainers', test: '../transport/git-http/git-http.test.ts' },
  ),
  ci_restrict_pipeline_cancellation_role: kept(
    'ci_restrict_pipeline_cancellation_role',
    'maintainer',
    'who may cancel pipelines and jobs',
    { to: 'maintainers', test: own },
  ),
  ci_separated_caches: kept('ci_separated_caches', false, 'names of caches of protected branches', { test: own }),
  container_expiration_policy_attributes: {
    stored: 'container_expiration_policy',
    as: 'container_expiration_policy',
    to: 'signed in',
    sample: { enabled: true, keep_n: 5 },
    told: { cadence: '1d', enabled: true, keep_n: 5, older_than: '90d', name_regex: '.*', name_regex_keep: null },
    effect: { later: 'the container registry' },
  },
  container_registry_access_level: later('container_registry_access_level', 'private', 'the container registry'),
  container_registry_enabled: oldName('container_registry_access_level', true, 'container_registry_access_level'),
  default_branch: {
    stored: 'default_branch',
    to: 'everybody',
    sample: 'trunk',
    effect: 'what is cloned and shown',
    test: 'namespaces/projects/projects.test.ts',
  },
  description: kept('description', 'About it', 'found by a search', {
    to: 'everybody',
    test: 'namespaces/projects/project-lists.test.ts',
  }),
  emails_disabled: oldName('emails_enabled', true, 'emails_enabled'),
  emails_enabled: kept('emails_enabled', false, 'off: no mail about memberships and requests for access', {
    test: 'namespaces/members/entry.test.ts',
  }),
  enforce_auth_checks_on_uploads: kept(
    'enforce_auth_checks_on_uploads',
    false,
    'whether a picture is shown to whoever knows its address',
    { to: 'maintainers', test: 'collaboration/uploads/uploads.test.ts' },
  ),
  environments_access_level: kept('environments_access_level', 'private', 'who sees environments and deployments', {
    test: 'delivery/environments/environments.test.ts',
  }),
  external_authorization_classification_label: kept(
    'external_authorization_classification_label',
    'secret',
    'what an external authorization service is asked about',
    { test: 'namespaces/access/external-authorization.test.ts' },
  ),
  feature_flags_access_level: kept('feature_flags_access_level', 'private', 'who sees feature flags', {
    test: 'delivery/feature-flags/feature-flags.test.ts',
  }),
  forking_access_level: kept('forking_access_level', 'private', 'who may fork the project', {
    test: 'portability/forks/forks.test.ts',
  }),
  group_runners_enabled: kept('group_runners_enabled', false, 'runners of groups take no jobs', { test: own }),
  infrastructure_access_level: later('infrastructure_access_level', 'private', 'infrastructure'),
  issue_branch_template: kept(
    'issue_branch_template',
    '%{id}-x',
    'names of branches that `/create_merge_request` makes',
    {
      test: 'planning/issues/branches.test.ts',
    },
  ),
  issues_access_level: kept('issues_access_level', 'private', 'filter of lists; who may use issues comes with them', {
    test: 'namespaces/projects/project-lists.test.ts',
  }),
  issues_enabled: oldName('issues_access_level', false, 'issues_access_level'),
  issues_template: kept('issues_template', 'Steps:', 'the text that the form of a new issue starts with', {
    test: '../../../e2e/src/scenarios/issues.ts',
  }),
  jobs_enabled: oldName('builds_access_level', false, 'builds_access_level'),
  keep_latest_artifact: kept('keep_latest_artifact', false, 'expired artifacts of the latest pipeline go too', {
    test: own,
  }),
  lfs_enabled: kept('lfs_enabled', false, 'off: objects of Git LFS are neither taken nor handed out', {
    test: '../transport/lfs/lfs.test.ts',
  }),
  max_artifacts_size: kept('max_artifacts_size', 5, 'larger artifacts are refused', {
    setBy: 'administrators',
    test: own,
  }),
  merge_commit_template: kept('merge_commit_template', 'Merge %{title}', 'message of merge commits', {
    test: own,
  }),
  merge_method: kept('merge_method', 'ff', 'how merge requests are merged', { test: 'review/merging/merging.test.ts' }),
  merge_pipelines_enabled: kept(
    'merge_pipelines_enabled',
    true,
    'pipelines of merge requests run on the merge with the target branch',
    { test: 'review/merge-trains/merged-results.test.ts' },
  ),
  merge_request_title_regex: kept('merge_request_title_regex', '^PRJ-', 'titles that do not match keep it open', {
    test: own,
  }),
  merge_request_title_regex_description: kept(
    'merge_request_title_regex_description',
    'Starts with PRJ-',
    'only told: what the page says of the rule',
    { test: 'namespaces/projects/attributes.test.ts' },
  ),
  merge_requests_access_level: kept('merge_requests_access_level', 'private', 'who may use merge requests', {
    test: own,
  }),
  merge_requests_enabled: oldName('merge_requests_access_level', false, 'merge_requests_access_level'),
  merge_requests_template: kept('merge_requests_template', 'What:', 'the text that new merge requests start with', {
    test: `${reviews}/new-merge-request.test.ts`,
  }),
  merge_trains_enabled: kept(
    'merge_trains_enabled',
    true,
    'merge requests may be merged in trains; needs `merge_pipelines_enabled`',
    { test: 'review/merge-trains/merge-trains.test.ts' },
  ),
  merge_trains_skip_train_allowed: kept(
    'merge_trains_skip_train_allowed',
    true,
    'merges may go ahead of the train (`skip_merge_train`)',
    { test: 'review/merge-trains/merge-trains.test.ts' },
  ),
  model_experiments_access_level: later('model_experiments_access_level', 'private', 'model experiments'),
  model_registry_access_level: later('model_registry_access_level', 'private', 'the model registry'),
  monitor_access_level: later('monitor_access_level', 'private', 'monitoring'),
  mr_default_target_self: kept('mr_default_target_self', true, 'what pushes with `merge_request.create` are for', {
    test: `${reviews}/forks.test.ts`,
  }),
  only_allow_merge_if_all_discussions_are_resolved: kept(
    'only_allow_merge_if_all_discussions_are_resolved',
    true,
    'merge requests need all their threads resolved',
    { test: 'review/draft-notes/draft-notes.test.ts' },
  ),
  only_allow_merge_if_all_status_checks_passed: kept(
    'only_allow_merge_if_all_status_checks_passed',
    true,
    'needs passed external checks',
    { test: 'review/status-checks/status-checks.test.ts' },
  ),
  only_allow_merge_if_pipeline_succeeds: kept(
    'only_allow_merge_if_pipeline_succeeds',
    true,
    'needs a passed pipeline',
    {
      test: 'review/merge-checks/merge-checks.test.ts',
    },
  ),
  package_registry_access_level: kept(
    'package_registry_access_level',
    'public',
    'who sees packages; with `public` anyone pulls them, also of private projects',
    {
      test: 'delivery/packages/packages.test.ts',
    },
  ),
  packages_enabled: oldName('package_registry_access_level', false, 'package_registry_access_level'),
  pages_access_level: later('pages_access_level', 'private', 'Pages'),
  prevent_merge_without_jira_issue: later('prevent_merge_without_jira_issue', true, 'Jira'),
  printing_merge_request_link_enabled: kept('printing_merge_request_link_enabled', false, 'pushes print no link', {
    test: own,
  }),
  public_builds: oldName('public_jobs', false, 'public_jobs', { as: 'public_jobs' }),
  protect_merge_request_pipelines: kept(
    'protect_merge_request_pipelines',
    false,
    'off: no pipeline of a merge request gets protected variables and runners',
    { test: 'ci/variables/merge-request-variables.test.ts' },
  ),
  public_jobs: kept('public_jobs', false, 'who sees pipelines and jobs', { test: own }),
  releases_access_level: kept('releases_access_level', 'private', 'who may see releases', {
    test: 'delivery/releases/releases.test.ts',
  }),
  remove_source_branch_after_merge: kept('remove_source_branch_after_merge', false, 'default of new merge requests', {
    test: own,
  }),
  repository_access_level: kept('repository_access_level', 'private', 'who may see the repository', { test: own }),
  repository_size_limit: kept('repository_size_limit', 4096, 'what would make the repository larger is refused', {
    to: 'administrators',
    test: 'repository/limits/limits.test.ts',
  }),
  request_access_enabled: kept('request_access_enabled', false, 'whether people may ask to become members', {
    test: 'namespaces/access-requests/access-requests.test.ts',
  }),
  requirements_access_level: later('requirements_access_level', 'private', 'requirements'),
  resolve_outdated_diff_discussions: later('resolve_outdated_diff_discussions', true, 'discussions'),
  resource_group_default_process_mode: later('resource_group_default_process_mode', 'oldest_first', 'resource groups'),
  restrict_user_defined_variables: oldName(
    'ci_pipeline_variables_minimum_override_role',
    true,
    'ci_pipeline_variables_minimum_override_role',
  ),
  security_and_compliance_access_level: later('security_and_compliance_access_level', 'enabled', 'security'),
  service_desk_enabled: later('service_desk_enabled', true, 'the service desk'),
  shared_runners_enabled: kept('shared_runners_enabled', false, 'runners of the instance take no jobs', { test: own }),
  show_default_award_emojis: later('show_default_award_emojis', false, 'reactions'),
  show_diff_preview_in_email: later('show_diff_preview_in_email', false, 'notifications'),
  snippets_access_level: later('snippets_access_level', 'private', 'snippets'),
  snippets_enabled: oldName('snippets_access_level', false, 'snippets_access_level'),
  squash_commit_template: kept('squash_commit_template', '%{title}!', 'message of squashed commits', {
    test: own,
  }),
  squash_option: kept('squash_option', 'always', 'whether merge requests are squashed', {
    test: own,
  }),
  suggestion_commit_message: kept(
    'suggestion_commit_message',
    'Apply',
    'the message of commits that apply suggestions',
    {
      test: 'review/suggestions/suggestions.test.ts',
    },
  ),
  tag_list: oldName('topics', ['old', 'words'], 'topics', { to: 'everybody' }),
  topics: {
    stored: 'topics',
    to: 'everybody',
    sample: ['one', 'two words'],
    effect: 'filter of lists',
    test: 'namespaces/projects/project-lists.test.ts',
  },
  visibility: {
    stored: 'visibility',
    to: 'everybody',
    sample: 'internal',
    effect: 'who sees the project',
    test: 'namespaces/projects/project-lists.test.ts',
  },
  warn_about_potentially_unwanted_characters: kept(
    'warn_about_potentially_unwanted_characters',
    false,
    'off: pages show code without marking hidden characters',
    { test: pages },
  ),
  web_based_commit_signing_enabled: kept(
    'web_based_commit_signing_enabled',
    true,
    'only told: an instance with a key (`MILLRACE_COMMIT_SIGNING_KEY`) signs in every project, one without in none',
    { test: 'namespaces/projects/attributes.test.ts' },
  ),
  wiki_access_level: kept('wiki_access_level', 'private', 'who reads and writes the wiki', {
    test: 'repository/wikis/wikis.test.ts',
  }),
  wiki_enabled: oldName('wiki_access_level', false, 'wiki_access_level'),
};
