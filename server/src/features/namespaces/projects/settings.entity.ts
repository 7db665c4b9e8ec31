/** What JSON of projects tells of their settings. */
import Type, { type Static } from 'typebox';
import type { Project } from '../../../kernel/db/rows.ts';
import { AnyJson, Count, Flag, ListOf, Nullable, Sometimes, Text, Word } from '../../../kernel/http/entity.ts';

const level = () => Word(['disabled', 'private', 'enabled']);
const openLevel = () => Word(['disabled', 'private', 'enabled', 'public']);

/** Columns that are told as they are, to whoever is signed in. */
const told = {
  allow_merge_on_skipped_pipeline: Nullable(Flag()),
  allow_pipeline_trigger_approve_deployment: Flag(),
  analytics_access_level: level(),
  approvals_before_merge: Count({ deprecated: true, description: 'Use approval rules' }),
  archived: Flag({ description: 'Whether it is read-only' }),
  auto_devops_deploy_strategy: Word(['continuous', 'manual', 'timed_incremental']),
  auto_devops_enabled: Flag(),
  autoclose_referenced_issues: Flag(),
  build_coverage_regex: Nullable(Text()),
  build_timeout: Count({ description: 'Seconds' }),
  builds_access_level: level(),
  ci_allow_fork_pipelines_to_run_in_parent_project: Flag(),
  ci_default_git_depth: Nullable(Count()),
  ci_forward_deployment_enabled: Flag(),
  ci_forward_deployment_rollback_allowed: Flag(),
  ci_job_token_scope_enabled: Flag(),
  ci_separated_caches: Flag(),
  container_expiration_policy: AnyJson({ description: 'When tags of the container registry are removed' }),
  container_registry_access_level: level(),
  emails_enabled: Flag(),
  environments_access_level: level(),
  external_authorization_classification_label: Nullable(Text()),
  feature_flags_access_level: level(),
  forking_access_level: level(),
  group_runners_enabled: Flag(),
  infrastructure_access_level: level(),
  issue_branch_template: Nullable(Text()),
  issues_access_level: level(),
  issues_template: Nullable(Text()),
  keep_latest_artifact: Flag(),
  lfs_enabled: Flag(),
  max_artifacts_size: Nullable(Count({ description: 'MiB' })),
  merge_commit_template: Nullable(Text()),
  merge_method: Word(['merge', 'rebase_merge', 'ff']),
  merge_pipelines_enabled: Flag(),
  merge_request_title_regex: Nullable(Text()),
  merge_request_title_regex_description: Nullable(Text()),
  merge_requests_access_level: level(),
  merge_requests_template: Nullable(Text()),
  merge_trains_enabled: Flag(),
  merge_trains_skip_train_allowed: Flag(),
  model_experiments_access_level: level(),
  model_registry_access_level: level(),
  monitor_access_level: level(),
  mr_default_target_self: Flag(),
  only_allow_merge_if_all_discussions_are_resolved: Flag(),
  only_allow_merge_if_all_status_checks_passed: Flag(),
  only_allow_merge_if_pipeline_succeeds: Flag(),
  package_registry_access_level: openLevel(),
  pages_access_level: openLevel(),
  prevent_merge_without_jira_issue: Flag(),
  printing_merge_request_link_enabled: Flag(),
  protect_merge_request_pipelines: Flag(),
  public_jobs: Flag(),
  releases_access_level: level(),
  remove_source_branch_after_merge: Flag(),
  repository_access_level: level(),
  request_access_enabled: Flag(),
  requirements_access_level: level(),
  resolve_outdated_diff_discussions: Flag(),
  resource_group_default_process_mode: Word(['unordered', 'oldest_first', 'newest_first', 'newest_ready_first']),
  security_and_compliance_access_level: level(),
  service_desk_enabled: Flag(),
  shared_runners_enabled: Flag(),
  show_default_award_emojis: Flag(),
  show_diff_preview_in_email: Flag(),
  snippets_access_level: level(),
  squash_commit_template: Nullable(Text()),
  squash_option: Word(['never', 'always', 'default_on', 'default_off']),
  suggestion_commit_message: Nullable(Text()),
  warn_about_potentially_unwanted_characters: Flag(),
  web_based_commit_signing_enabled: Flag(),
  wiki_access_level: level(),
};

/** Columns that only those who may change the project are told. */
const guarded = {
  build_git_strategy: Sometimes(Word(['fetch', 'clone'])),
  ci_delete_pipelines_in_seconds: Sometimes(Nullable(Count())),
  ci_id_token_sub_claim_components: Sometimes(ListOf(Text())),
  ci_job_terminals_enabled: Sometimes(Flag()),
  ci_pipeline_variables_minimum_override_role: Sometimes(
    Word(['no_one_allowed', 'developer', 'maintainer', 'owner'], {
      description: 'Who may give variables to a pipeline',
    }),
  ),
  ci_push_repository_for_job_token_allowed: Sometimes(Flag()),
  ci_restrict_pipeline_cancellation_role: Sometimes(Word(['no_one', 'developer', 'maintainer'])),
  enforce_auth_checks_on_uploads: Sometimes(Flag()),
  import_error: Sometimes(Nullable(Text())),
};

/** Columns that only administrators are told. */
const administrators = {
  artifacts_quota: Sometimes(
    Nullable(Count({ description: 'Bytes of all artifacts together; null for no limit; administrators only' })),
  ),
  ci_queue_priority: Sometimes(
    Word(['low', 'normal', 'high'], { description: 'Which projects get runners first; administrators only' }),
  ),
  repository_size_limit: Sometimes(
    Nullable(Count({ description: 'Bytes; 0 for no limit, null as the group; administrators only' })),
  ),
};

/** What is worked out from them. */
const derived = {
  auto_cancel_pending_pipelines: Word(['enabled', 'disabled']),
  ci_config_path: Sometimes(Nullable(Text({ description: 'For those who may see the code' }))),
  container_registry_enabled: Flag(),
  emails_disabled: Flag(),
  issues_enabled: Flag(),
  jobs_enabled: Flag(),
  merge_requests_enabled: Flag(),
  packages_enabled: Flag(),
  requirements_enabled: Flag(),
  restrict_user_defined_variables: Flag(),
  security_and_compliance_enabled: Flag(),
  service_desk_address: Nullable(Text()),
  snippets_enabled: Flag(),
  wiki_enabled: Flag(),
};

export const settingsProperties = { ...told, ...guarded, ...administrators, ...derived };
const settings = Type.Object(settingsProperties);
export type ProjectSettingsJson = Static<typeof settings>;

/** Whoever looks: how much they may see. */
export interface Beholder {
  readonly member: boolean;
  readonly code: boolean;
  readonly maintainer: boolean;
  readonly admin: boolean;
}

function pick<K extends keyof Project>(project: Project, keys: readonly K[]): Pick<Project, K> {
  const found = {} as Pick<Project, K>;
  for (const key of keys) found[key] = project[key];
  return found;
}

const toldKeys = Object.keys(told) as (keyof typeof told)[];
const guardedKeys = Object.keys(guarded) as (keyof typeof guarded)[];

export function settingsJson(project: Project, { member, code, maintainer, admin }: Beholder): ProjectSettingsJson {
  const on = (level: string) => level === 'enabled' || level === 'public' || (level === 'private' && member);
  return {
    ...pick(project, toldKeys),
    lfs_enabled: project.lfs_enabled ?? true,
    ...(maintainer ? pick(project, guardedKeys) : {}),
    ...(admin
      ? {
          artifacts_quota: project.artifacts_quota,
          ci_queue_priority: project.ci_queue_priority,
          repository_size_limit: project.repository_size_limit,
        }
      : {}),
    ...(code ? { ci_config_path: project.ci_config_path } : {}),
    auto_cancel_pending_pipelines: project.auto_cancel_pending_pipelines ? 'enabled' : 'disabled',
    container_registry_enabled: on(project.container_registry_access_level),
    emails_disabled: !project.emails_enabled,
    issues_enabled: on(project.issues_access_level),
    jobs_enabled: on(project.builds_access_level),
    merge_requests_enabled: on(project.merge_requests_access_level),
    packages_enabled: on(project.package_registry_access_level),
    requirements_enabled: on(project.requirements_access_level),
    restrict_user_defined_variables: project.ci_pipeline_variables_minimum_override_role !== 'developer',
    security_and_compliance_enabled: on(project.security_and_compliance_access_level),
    // Nothing takes mail in yet: no project has an address for it.
    service_desk_address: null,
    snippets_enabled: on(project.snippets_access_level),
    wiki_enabled: on(project.wiki_access_level),
  };
}
