/** The fields of the parts of a project's settings. */
import type { Field } from './FieldsForm.tsx';

const levels = { choice: { enabled: 'Everyone with access', private: 'Only members', disabled: 'Nobody' } } as const;

export const featureFields: readonly Field[] = [
  { key: 'repository_access_level', label: 'Repository', kind: levels },
  { key: 'merge_requests_access_level', label: 'Merge requests', kind: levels },
  { key: 'forking_access_level', label: 'Forks', kind: levels },
  { key: 'builds_access_level', label: 'Pipelines and jobs', kind: levels },
  { key: 'wiki_access_level', label: 'Wiki', kind: levels },
  { key: 'request_access_enabled', label: 'People may ask to become members', kind: 'switch' },
  { key: 'lfs_enabled', label: 'Git LFS', kind: 'switch' },
  { key: 'warn_about_potentially_unwanted_characters', label: 'Mark hidden characters in code', kind: 'switch' },
  { key: 'emails_enabled', label: 'Notifications by email', kind: 'switch' },
];

export const pipelineFields: readonly Field[] = [
  { key: 'ci_config_path', label: 'Configuration file', help: 'Empty for the usual one', kind: 'text' },
  { key: 'build_timeout', label: 'Job timeout', help: 'Accepts 1h 30m', kind: 'duration' },
  {
    key: 'build_git_strategy',
    label: 'How jobs get the repository',
    kind: { choice: { fetch: 'git fetch (faster)', clone: 'git clone (clean)' } },
  },
  { key: 'ci_default_git_depth', label: 'Git shallow clone depth', help: '0 for all commits', kind: 'number' },
  {
    key: 'auto_cancel_pending_pipelines',
    label: 'A newer pipeline cancels older ones of its branch',
    kind: { choice: { enabled: 'Yes', disabled: 'No' } },
  },
  {
    key: 'ci_pipeline_variables_minimum_override_role',
    label: 'Who may give variables to a pipeline',
    kind: { choice: { developer: 'Developers', maintainer: 'Maintainers', owner: 'Owners', no_one_allowed: 'Nobody' } },
  },
  {
    key: 'ci_restrict_pipeline_cancellation_role',
    label: 'Who may cancel pipelines and jobs',
    kind: { choice: { developer: 'Developers', maintainer: 'Maintainers', no_one: 'Nobody' } },
  },
  {
    key: 'max_artifacts_size',
    label: 'Largest artifacts',
    help: 'MiB; empty for the limit of the nearest group above, or of the instance',
    kind: 'number',
  },
  {
    key: 'ci_delete_pipelines_in_seconds',
    label: 'Delete pipelines older than',
    help: 'Days; leave empty to keep them',
    kind: 'days',
  },
  { key: 'public_jobs', label: 'Everyone who sees the project sees its jobs', kind: 'switch' },
  {
    key: 'ci_job_terminals_enabled',
    label: 'Users can open a terminal in the running jobs they started',
    kind: 'switch',
  },
  { key: 'keep_latest_artifact', label: 'Keep artifacts of the latest pipeline of each branch', kind: 'switch' },
  { key: 'ci_separated_caches', label: 'Protected branches have caches of their own', kind: 'switch' },
  { key: 'shared_runners_enabled', label: 'Runners of the instance take jobs', kind: 'switch' },
  { key: 'group_runners_enabled', label: 'Runners of the groups above take jobs', kind: 'switch' },
];

export const messageFields: readonly Field[] = [
  { key: 'merge_request_title_regex', label: 'Titles must match', help: 'A regular expression', kind: 'text' },
  { key: 'merge_request_title_regex_description', label: 'What it asks for, in words', kind: 'text' },
  { key: 'merge_requests_template', label: 'Description that new merge requests start with', kind: 'long text' },
  { key: 'merge_commit_template', label: 'Message of merge commits', kind: 'long text' },
  { key: 'squash_commit_template', label: 'Message of squashed commits', kind: 'long text' },
  { key: 'printing_merge_request_link_enabled', label: 'A push prints the link to a merge request', kind: 'switch' },
];
