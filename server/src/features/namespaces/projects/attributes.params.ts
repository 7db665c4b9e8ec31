/** Parameters of the attributes of projects: what creating and changing one takes besides name, path and place. */
import { type TSchema, Type } from 'typebox';
import { Bool, FileParam, Int, Int32, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';

const featureLevels = ['disabled', 'private', 'enabled'] as const;
const openLevels = ['disabled', 'private', 'enabled', 'public'] as const;

const flag = (description: string) => Optional(Bool({ description }));
const text = (maxLength: number, description: string) => Optional(OrNull(Str({ maxLength, description })));
const old = (replacement: string) => Optional(Bool({ deprecated: true, description: `Use \`${replacement}\`` }));
const level = (what: string) => Optional(OneOf(featureLevels, { description: `Who may use ${what}` }));
const openLevel = (what: string) => Optional(OneOf(openLevels, { description: `Who may use ${what}` }));
const topics = { commas: true, maxItems: 100 } as const;

/** Columns that are parameters of the same name and type. */
export const columnParameters = {
  allow_merge_on_skipped_pipeline: Optional(OrNull(Bool({ description: 'A skipped pipeline counts as passed' }))),
  allow_pipeline_trigger_approve_deployment: flag('Whether who starts a pipeline may approve its deployments'),
  analytics_access_level: level('analytics'),
  approvals_before_merge: Optional(
    Int32({ minimum: 0, maximum: 100, deprecated: true, description: 'Use approval rules' }),
  ),
  auto_devops_deploy_strategy: Optional(
    OneOf(['continuous', 'manual', 'timed_incremental'], { description: 'How Auto DevOps deploys' }),
  ),
  auto_devops_enabled: flag('Whether pipelines are made without a configuration'),
  autoclose_referenced_issues: flag('Whether commits on the default branch close the issues that they name'),
  build_coverage_regex: text(255, 'Where the coverage is in the log of jobs that do not say it'),
  artifacts_quota: Optional(
    OrNull(
      Int({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Bytes that all artifacts may have together; null for no limit; administrators only',
      }),
    ),
  ),
  build_git_strategy: Optional(
    OneOf(['fetch', 'clone'], {
      description: 'How jobs get the repository: `fetch` into what is there, or `clone` anew',
    }),
  ),
  build_timeout: Optional(Int({ minimum: 600, maximum: 2_592_000, description: 'Seconds that a job may take' })),
  builds_access_level: level('pipelines and jobs'),
  ci_allow_fork_pipelines_to_run_in_parent_project: flag('Whether pipelines of merge requests from forks run here'),
  ci_job_terminals_enabled: flag('Whether whoever started a job can open a terminal in it while it runs'),
  ci_queue_priority: Optional(
    OneOf(['low', 'normal', 'high'], {
      description:
        'Jobs of `high` projects are given to runners before, those of `low` ones after the others; administrators only',
    }),
  ),
  ci_config_path: text(
    255,
    'Path of the CI configuration in the repository, `FILE@PROJECT:REF` or a URL; null for the usual one',
  ),
  ci_default_git_depth: Optional(
    OrNull(Int({ minimum: 0, maximum: 1000, description: 'Commits that jobs fetch; 0 for all' })),
  ),
  ci_delete_pipelines_in_seconds: Optional(
    OrNull(
      Int32({
        minimum: 86_400,
        description: 'Age at which pipelines are removed, at most what the instance allows; null for never',
      }),
    ),
  ),
  ci_forward_deployment_enabled: flag('Whether older deployment jobs are skipped'),
  ci_forward_deployment_rollback_allowed: flag('Whether older deployment jobs may be repeated'),
  ci_id_token_sub_claim_components: Optional(
    List(Str({ maxLength: 255 }), { maxItems: 10, description: 'Parts of the subject of identity tokens' }),
  ),
  ci_job_token_scope_enabled: flag('Whether job tokens of this project reach only listed projects'),
  ci_pipeline_variables_minimum_override_role: Optional(
    OneOf(['no_one_allowed', 'developer', 'maintainer', 'owner'], {
      description: 'The lowest role that may give variables to a new pipeline',
    }),
  ),
  ci_push_repository_for_job_token_allowed: flag('Whether jobs may push to their own project with their token'),
  ci_restrict_pipeline_cancellation_role: Optional(
    OneOf(['developer', 'maintainer', 'no_one'], { description: 'The lowest role that may cancel pipelines and jobs' }),
  ),
  ci_separated_caches: flag('Whether protected branches have caches of their own'),
  container_registry_access_level: level('the container registry'),
  description: text(2000, 'What the project is about'),
  emails_enabled: flag('Whether notifications are sent by email'),
  enforce_auth_checks_on_uploads: flag('Whether uploaded files are only for those who see the project'),
  environments_access_level: level('environments'),
  external_authorization_classification_label: text(255, 'Label for an external authorization service'),
  feature_flags_access_level: level('feature flags'),
  forking_access_level: level('forks'),
  group_runners_enabled: flag('Whether runners of the groups above run jobs'),
  infrastructure_access_level: level('infrastructure'),
  issue_branch_template: text(255, 'Template of names of branches made from issues'),
  issues_access_level: level('issues'),
  issues_template: text(50_000, 'Text with which new issues start'),
  keep_latest_artifact: flag('Whether artifacts of the latest pipeline of each ref are kept beyond their expiry'),
  lfs_enabled: flag('Whether Git LFS is on'),
  max_artifacts_size: Optional(
    OrNull(
      Int32({
        minimum: 1,
        maximum: 1_000_000,
        description: 'MiB of the artifacts of a job; null as the group; administrators only',
      }),
    ),
  ),
  merge_commit_template: text(500, 'Template of messages of merge commits; null for the usual one'),
  merge_method: Optional(OneOf(['merge', 'rebase_merge', 'ff'], { description: 'How merge requests are merged' })),
  merge_pipelines_enabled: flag('Whether merge requests run pipelines of the merged result'),
  merge_request_title_regex: text(255, 'What titles of merge requests must match'),
  merge_request_title_regex_description: text(255, 'The same in words'),
  merge_requests_access_level: level('merge requests'),
  merge_requests_template: text(50_000, 'Text with which new merge requests start'),
  merge_trains_enabled: flag('Whether merge requests are merged in trains'),
  merge_trains_skip_train_allowed: flag('Whether a merge may pass the train'),
  model_experiments_access_level: level('model experiments'),
  model_registry_access_level: level('the model registry'),
  monitor_access_level: level('monitoring'),
  mr_default_target_self: flag('Whether merge requests of a fork stay in it by default'),
  only_allow_merge_if_all_discussions_are_resolved: flag('Whether open discussions keep a merge request open'),
  only_allow_merge_if_all_status_checks_passed: flag('Whether a merge request needs all external checks passed'),
  only_allow_merge_if_pipeline_succeeds: flag('Whether a merge request needs a passed pipeline'),
  package_registry_access_level: openLevel('the package registry'),
  pages_access_level: openLevel('Pages'),
  prevent_merge_without_jira_issue: flag('Whether a merge request must name an issue of Jira'),
  printing_merge_request_link_enabled: flag('Whether a push prints the link to a merge request'),
  releases_access_level: level('releases'),
  protect_merge_request_pipelines: flag(
    'Whether pipelines of merge requests between protected branches get protected variables and runners',
  ),
  remove_source_branch_after_merge: flag('Whether new merge requests remove their source branch when merged'),
  repository_access_level: level('the repository'),
  repository_size_limit: Optional(
    OrNull(
      Int({
        minimum: 0,
        description:
          'Bytes of the repository with its large files; 0 for no limit, null as the group; administrators only',
      }),
    ),
  ),
  request_access_enabled: flag('Whether users may ask to become members'),
  requirements_access_level: level('requirements'),
  resolve_outdated_diff_discussions: flag('Whether discussions of lines that changed resolve themselves'),
  resource_group_default_process_mode: Optional(
    OneOf(['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'], {
      description: 'The order of jobs in new resource groups',
    }),
  ),
  security_and_compliance_access_level: level('security and compliance'),
  service_desk_enabled: flag('Whether issues arrive by mail'),
  shared_runners_enabled: flag('Whether runners of the instance run jobs'),
  show_default_award_emojis: flag('Whether thumbs are offered on issues and merge requests'),
  show_diff_preview_in_email: flag('Whether mails about comments show the lines'),
  snippets_access_level: level('snippets'),
  squash_commit_template: text(500, 'Template of messages of squashed commits; null for the usual one'),
  squash_option: Optional(
    OneOf(['never', 'always', 'default_on', 'default_off'], { description: 'Whether merge requests are squashed' }),
  ),
  suggestion_commit_message: text(255, 'Template of messages of applied suggestions; null for the usual one'),
  warn_about_potentially_unwanted_characters: flag('Whether pages warn of invisible and mirrored characters'),
  web_based_commit_signing_enabled: flag('Whether commits made on the page are signed'),
  wiki_access_level: level('the wiki'),
} as const satisfies Record<string, TSchema>;

/** Parameters that are kept in another form, or checked before. */
const otherParameters = {
  auto_cancel_pending_pipelines: Optional(
    OneOf(['enabled', 'disabled'], {
      description: 'Whether a newer pipeline of the branch cancels older ones that wait',
    }),
  ),
  avatar: Optional(OrNull(FileParam({ description: 'Picture: PNG, JPEG, GIF, WebP, BMP or ICO; empty removes it' }))),
  container_expiration_policy_attributes: Optional(
    Type.Object(
      {
        cadence: Optional(OneOf(['1d', '7d', '14d', '1month', '3month'], { description: 'How often' })),
        enabled: flag('Whether tags are removed'),
        keep_n: Optional(OrNull(Int32({ minimum: 1, maximum: 100, description: 'Tags kept of each image' }))),
        older_than: Optional(OrNull(OneOf(['7d', '14d', '30d', '60d', '90d'], { description: 'Age of removed tags' }))),
        name_regex: text(255, 'Tags that are removed'),
        name_regex_delete: text(255, 'The same'),
        name_regex_keep: text(255, 'Tags that are kept'),
      },
      { description: 'When tags of the container registry are removed' },
    ),
  ),
  default_branch: Optional(Str({ minLength: 1, maxLength: 255, description: 'Name of the default branch' })),
  public_jobs: flag('Whether everyone who sees the project sees its jobs'),
  topics: Optional(List(Str({ maxLength: 255 }), { ...topics, description: 'Words that describe the project' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
} as const satisfies Record<string, TSchema>;

/** Old names of others. */
const oldParameters = {
  container_registry_enabled: old('container_registry_access_level'),
  emails_disabled: old('emails_enabled'),
  issues_enabled: old('issues_access_level'),
  jobs_enabled: old('builds_access_level'),
  merge_requests_enabled: old('merge_requests_access_level'),
  packages_enabled: old('package_registry_access_level'),
  public_builds: old('public_jobs'),
  restrict_user_defined_variables: old('ci_pipeline_variables_minimum_override_role'),
  snippets_enabled: old('snippets_access_level'),
  tag_list: Optional(
    OrNull(List(Str({ maxLength: 255 }), { ...topics, deprecated: true, description: 'Use `topics`' })),
  ),
  wiki_enabled: old('wiki_access_level'),
} as const satisfies Record<string, TSchema>;

/** Who else sets them is not refused: they are left as they are, as clients expect. */
export const administratorAttributes = [
  'artifacts_quota',
  'ci_queue_priority',
  'max_artifacts_size',
  'repository_size_limit',
] as const;

/** What `POST /projects` and `PUT /projects/:id` have in common. */
export const attributeParameters = { ...columnParameters, ...otherParameters, ...oldParameters } as const;
export type AttributeName = keyof typeof attributeParameters;
