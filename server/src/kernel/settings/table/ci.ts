/** Settings of pipelines, jobs, artifacts and runners. */
import { flag, map, text, texts, whole, words } from '../row.ts';

/** Numbers of bytes may pass 32 bits. */
const bytes = { min: 1, max: Number.MAX_SAFE_INTEGER };
const lifetime = { min: 7_200, acts: 'new tokens of runners' };

export const ci = {
  allow_runner_registration_token: flag('ci', true, 'Allow runner registration tokens', {
    acts: 'registration of runners',
  }),
  archive_builds_in_human_readable: text(
    'ci',
    null,
    'Time after which jobs are archived and cannot be retried, in words; empty for never',
    {
      format: 'age',
      acts: 'starts and retries of jobs',
    },
  ),
  ci_delete_pipelines_in_seconds_limit_human_readable: text(
    'ci',
    '1 year',
    'Maximum age of pipelines that projects can set',
    {
      format: 'age',
      acts: 'settings of projects',
    },
  ),
  ci_job_live_trace_enabled: flag('compatibility', true, 'Show logs while jobs run; always on'),
  ci_max_includes: whole('ci', 150, 'Maximum includes per pipeline', { max: 1_000, acts: 'CI configuration' }),
  ci_max_total_yaml_size_bytes: whole('ci', 2_097_152, 'Maximum total size of a pipeline configuration in bytes', {
    ...bytes,
    acts: 'CI configuration',
  }),
  ci_partitions_size_limit: whole(
    'compatibility',
    107_374_182_400,
    'Maximum size of a CI database partition in bytes',
    bytes,
  ),
  default_artifacts_expire_in: text('ci', '30 days', 'Default artifacts expiration, in words; 0 for never', {
    format: 'duration',
    acts: 'artifacts',
  }),
  default_ci_config_path: text('ci', null, 'Default CI/CD configuration file of new projects', {
    format: 'file',
    acts: 'new projects',
  }),
  enforce_ci_inbound_job_token_scope_enabled: flag('ci', false, 'Enforce the job token allowlist in all projects', {
    acts: 'job tokens',
  }),
  external_pipeline_validation_service_timeout: whole(
    'ci',
    null,
    'Timeout of the pipeline validation service in seconds',
    { min: 1, acts: 'new pipelines' },
  ),
  external_pipeline_validation_service_token: text('ci', null, 'Token of the pipeline validation service', {
    secret: 'shown',
    acts: 'new pipelines',
  }),
  external_pipeline_validation_service_url: text('ci', null, 'URL of the pipeline validation service', {
    format: 'url',
    acts: 'new pipelines',
  }),
  group_runner_token_expiration_interval: whole('ci', null, 'Expiration of group runner tokens in seconds', lifetime),
  jobs_per_stage_page_size: whole('web', 200, 'Jobs of a stage per page', { min: 1, acts: 'the graph of a pipeline' }),
  keep_latest_artifact: flag('ci', true, 'Keep the artifacts of the latest successful pipeline of each ref', {
    acts: 'removal of artifacts',
  }),
  max_artifacts_content_include_size: whole(
    'ci',
    5_242_880,
    'Maximum size of a file included from artifacts in bytes',
    {
      ...bytes,
      acts: 'child pipelines',
    },
  ),
  max_artifacts_size: whole('ci', 100, 'Maximum artifacts size of a job in MB', { min: 1, acts: 'artifacts' }),
  max_terraform_state_size_bytes: whole('ci', 0, 'Maximum size of a Terraform state in bytes; 0 for unlimited'),
  max_yaml_depth: whole('ci', 100, 'Maximum depth of CI/CD configuration', {
    min: 1,
    max: 1_000,
    acts: 'CI configuration',
  }),
  max_yaml_size_bytes: whole('ci', 524_288, 'Maximum size of a CI/CD configuration file in bytes', {
    ...bytes,
    acts: 'CI configuration',
  }),
  project_runner_token_expiration_interval: whole(
    'ci',
    null,
    'Expiration of project runner tokens in seconds',
    lifetime,
  ),
  protected_ci_variables: flag('ci', true, 'Protect CI/CD variables by default', {
    acts: 'the page that adds variables',
  }),
  public_runner_releases_url: text('compatibility', '', 'URL of runner releases', { max: 2_048 }),
  runner_token_expiration_interval: whole('ci', null, 'Expiration of instance runner tokens in seconds', lifetime),
  shared_runners_enabled: flag('ci', true, 'Enable instance runners for new projects', { acts: 'new projects' }),
  shared_runners_minutes: whole(
    'compatibility',
    0,
    'Monthly compute minutes of instance runners per group; 0 for unlimited',
  ),
  shared_runners_text: text('web', null, 'Instance runner details, in Markdown', {
    max: 65_535,
    acts: 'pages of runners',
  }),
  show_migrate_from_jenkins_banner: flag('compatibility', true, 'Show the banner about migrating from Jenkins'),
  suggest_pipeline_enabled: flag('web', true, 'Suggest to set up pipelines where a merge request has none', {
    acts: 'merge requests',
  }),
  terraform_state_encryption_enabled: flag('ci', true, 'Encrypt Terraform states'),
  update_runner_versions_enabled: flag('compatibility', true, 'Check for runner releases'),
  valid_runner_registrars: words('ci', ['project', 'group'], ['project', 'group'], 'Where runners can be registered', {
    acts: 'registration of runners',
  }),
  resource_usage_limits: map('compatibility', {}, 'Resource limits of background jobs'),
  receptive_cluster_agents_enabled: flag('compatibility', false, 'Enable receptive cluster agents'),
  security_txt_content: text('web', null, 'Content of security.txt', {
    max: 2_048,
    acts: '`/.well-known/security.txt`',
  }),
  allowed_integrations: texts('outbound', [], 'Allowed integrations, when not all are allowed', {
    acts: 'integrations',
  }),
  allow_all_integrations: flag('outbound', true, 'Allow all integrations', { acts: 'integrations' }),
};
