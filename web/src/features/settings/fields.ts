/** The fields of the parts of a project's settings. */
import type { Field } from './FieldsForm.tsx';

const levels = { choice: { enabled: 'Everyone with access', private: 'Only members', disabled: 'Nobody' } } as const;

export const featureFields: readonly Field[] = [
  { key: 'repository_access_level', label: 'Repository', kind: levels },
  { key: 'merge_requests_access_level', label: 'Merge requests', kind: levels },
  { key: 'forking_access_level', label: 'Forks', kind: levels },
  { key: 'builds_access_level', label: 'Pipelines and jobs', kind: levels },
  { key: 'wiki_access_level', label: 'Wiki', kind: levels },
  { key: 'request_access_enabled', label: 'Users can request access', kind: 'switch' },
  { key: 'lfs_enabled', label: 'Git LFS', kind: 'switch' },
  { key: 'warn_about_potentially_unwanted_characters', label: 'Warn about hidden Unicode characters', kind: 'switch' },
  { key: 'emails_enabled', label: 'Notifications by email', kind: 'switch' },
];

export const pipelineFields: readonly Field[] = [
  {
    key: 'ci_config_path',
    label: 'Configuration file',
    help: 'Leave empty for .gitlab-ci.yml. Also ci.yml@group/project:ref, or a URL',
    kind: 'text',
  },
  { key: 'build_timeout', label: 'Job timeout', help: 'Accepts 1h 30m', kind: 'duration' },
  {
    key: 'build_git_strategy',
    label: 'Git strategy',
    kind: { choice: { fetch: 'git fetch (faster)', clone: 'git clone (clean)' } },
  },
  { key: 'ci_default_git_depth', label: 'Git shallow clone depth', help: '0 for all commits', kind: 'number' },
  {
    key: 'auto_cancel_pending_pipelines',
    label: 'Auto-cancel redundant pipelines',
    kind: { choice: { enabled: 'Yes', disabled: 'No' } },
  },
  {
    key: 'ci_pipeline_variables_minimum_override_role',
    label: 'Minimum role to use pipeline variables',
    kind: { choice: { developer: 'Developers', maintainer: 'Maintainers', owner: 'Owners', no_one_allowed: 'Nobody' } },
  },
  {
    key: 'ci_restrict_pipeline_cancellation_role',
    label: 'Minimum role to cancel pipelines and jobs',
    kind: { choice: { developer: 'Developers', maintainer: 'Maintainers', no_one: 'Nobody' } },
  },
  {
    key: 'max_artifacts_size',
    label: 'Maximum artifacts size',
    help: 'In MiB. Leave empty to inherit',
    kind: 'number',
  },
  {
    key: 'ci_delete_pipelines_in_seconds',
    label: 'Delete pipelines older than',
    help: 'Days; leave empty to keep them',
    kind: 'days',
  },
  {
    key: 'public_jobs',
    label: 'Public pipelines: everyone with access to the project can see its jobs',
    kind: 'switch',
  },
  {
    key: 'ci_job_terminals_enabled',
    label: 'Users can open a terminal in the running jobs they started',
    kind: 'switch',
  },
  {
    key: 'protect_merge_request_pipelines',
    label: 'Allow merge request pipelines to access protected variables and runners',
    help: 'Only if the source and target branches are protected and belong to this project',
    kind: 'switch',
  },
  { key: 'keep_latest_artifact', label: 'Keep artifacts of the latest successful pipelines', kind: 'switch' },
  { key: 'ci_separated_caches', label: 'Use separate caches for protected branches', kind: 'switch' },
  { key: 'shared_runners_enabled', label: 'Enable instance runners', kind: 'switch' },
  { key: 'group_runners_enabled', label: 'Enable group runners', kind: 'switch' },
];

export const messageFields: readonly Field[] = [
  { key: 'merge_request_title_regex', label: 'Titles must match', help: 'A regular expression', kind: 'text' },
  { key: 'merge_request_title_regex_description', label: 'Description of the pattern', kind: 'text' },
  { key: 'merge_requests_template', label: 'Default description of new merge requests', kind: 'long text' },
  { key: 'merge_commit_template', label: 'Merge commit message template', kind: 'long text' },
  { key: 'squash_commit_template', label: 'Squash commit message template', kind: 'long text' },
  { key: 'printing_merge_request_link_enabled', label: 'Show a merge request link after git push', kind: 'switch' },
];
