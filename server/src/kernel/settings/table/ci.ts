/** Settings of pipelines, jobs, artifacts and runners. */
import { flag, map, text, texts, whole, words } from '../row.ts';

/** Numbers of bytes may pass 32 bits. */
const bytes = { min: 1, max: Number.MAX_SAFE_INTEGER };
const lifetime = { min: 7_200 };

export const ci = {
  allow_runner_registration_token: flag('ci', true, 'Runners register with a registration token', {
    acts: 'registration of runners',
  }),
  archive_builds_in_human_readable: text(
    'ci',
    null,
    'Age from which jobs cannot be started or retried, in words; empty for never',
    {
      format: 'age',
      acts: 'starts and retries of jobs',
    },
  ),
  ci_delete_pipelines_in_seconds_limit_human_readable: text(
    'ci',
    '1 year',
    'Longest life of pipelines that a project sets',
    {
      format: 'age',
      acts: 'settings of projects',
    },
  ),
  ci_job_live_trace_enabled: flag('compatibility', true, 'Logs appear while jobs run; always so'),
  ci_max_includes: whole('ci', 150, 'Files that a configuration includes', { max: 1_000, acts: 'CI configuration' }),
  ci_max_total_yaml_size_bytes: whole('ci', 2_097_152, 'Bytes of a configuration with all its files', {
    ...bytes,
    acts: 'CI configuration',
  }),
  ci_partitions_size_limit: whole('compatibility', 107_374_182_400, 'Bytes of one partition of CI data', bytes),
  default_artifacts_expire_in: text('ci', '30 days', 'Life of artifacts that say none, in words; 0 keeps them', {
    format: 'duration',
    acts: 'artifacts',
  }),
  default_ci_config_path: text('ci', null, 'Configuration file of new projects', {
    format: 'file',
    acts: 'new projects',
  }),
  enforce_ci_inbound_job_token_scope_enabled: flag('ci', true, 'Job tokens of other projects need permission'),
  external_pipeline_validation_service_timeout: whole(
    'ci',
    null,
    'Seconds to wait for the service that allows pipelines',
    { min: 1, acts: 'new pipelines' },
  ),
  external_pipeline_validation_service_token: text('ci', null, 'Token sent to the service that allows pipelines', {
    secret: 'masked',
    acts: 'new pipelines',
  }),
  external_pipeline_validation_service_url: text('ci', null, 'Service that allows or refuses pipelines', {
    format: 'url',
    acts: 'new pipelines',
  }),
  group_runner_token_expiration_interval: whole('ci', null, 'Seconds of life of tokens of group runners', lifetime),
  jobs_per_stage_page_size: whole('web', 200, 'Jobs of a stage on one page', { min: 1 }),
  keep_latest_artifact: flag('ci', true, 'Keep the artifacts of the latest successful pipeline of a ref', {
    acts: 'removal of artifacts',
  }),
  max_artifacts_content_include_size: whole('ci', 5_242_880, 'Bytes of an included file out of artifacts'),
  max_artifacts_size: whole('ci', 100, 'Megabytes of the artifacts of one job', { min: 1, acts: 'artifacts' }),
  max_terraform_state_size_bytes: whole('ci', 0, 'Bytes of one Terraform state; 0 for any'),
  max_yaml_depth: whole('ci', 100, 'Levels of a configuration', { min: 1, max: 1_000, acts: 'CI configuration' }),
  max_yaml_size_bytes: whole('ci', 524_288, 'Bytes of one configuration file', { ...bytes, acts: 'CI configuration' }),
  project_runner_token_expiration_interval: whole('ci', null, 'Seconds of life of tokens of project runners', lifetime),
  protected_ci_variables: flag('ci', true, 'New variables are protected in the pages'),
  public_runner_releases_url: text('compatibility', '', 'Where releases of runners are listed', { max: 2_048 }),
  runner_token_expiration_interval: whole('ci', null, 'Seconds of life of tokens of instance runners', lifetime),
  shared_runners_enabled: flag('ci', true, 'New projects use the runners of the instance', { acts: 'new projects' }),
  shared_runners_minutes: whole('compatibility', 0, 'Minutes of instance runners for one group in a month; 0 for any'),
  shared_runners_text: text('web', null, 'Note beside the runners of the instance', { max: 65_535 }),
  show_migrate_from_jenkins_banner: flag('compatibility', true, 'Offer a migration'),
  suggest_pipeline_enabled: flag('web', true, 'Suggest a first pipeline'),
  terraform_state_encryption_enabled: flag('ci', true, 'Encrypt Terraform states'),
  update_runner_versions_enabled: flag('compatibility', true, 'Look for releases of runners'),
  valid_runner_registrars: words('ci', ['project', 'group'], ['project', 'group'], 'Where runners may be registered'),
  resource_usage_limits: map('compatibility', {}, 'Limits of background work'),
  receptive_cluster_agents_enabled: flag('compatibility', false, 'Cluster agents that are called'),
  security_txt_content: text('web', null, 'Contact for reports of vulnerabilities', { max: 2_048 }),
  allowed_integrations: texts('outbound', [], 'Integrations that may be used when not all may'),
  allow_all_integrations: flag('outbound', true, 'Every integration may be used'),
};
