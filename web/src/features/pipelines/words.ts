/** What the API's words about pipelines and jobs mean. */
import { capitalized } from '../../lib/words.ts';

export const sources: Readonly<Record<string, string>> = {
  push: 'push',
  web: 'started manually',
  api: 'API',
  trigger: 'trigger',
  schedule: 'schedule',
  merge_request_event: 'merge request',
  pipeline: 'upstream pipeline',
  parent_pipeline: 'parent pipeline',
  external: 'external',
};

/** Sources in the order of a filter. */
export const sourceChoices = Object.entries(sources).map(([value, word]) => ({ value, label: capitalized(word) }));

export const failures: Readonly<Record<string, string>> = {
  script_failure: 'The script failed.',
  runner_system_failure: 'Runner system failure.',
  image_pull_failure: 'The image of the job could not be pulled.',
  runner_unsupported: 'The runner does not support something that the job uses.',
  runner_configuration_error: 'The runner is not configured correctly.',
  runner_external_dependency_failure: 'A service that the runner depends on failed.',
  runner_interrupted: 'The runner was interrupted.',
  scheduler_failure: 'The job could not be handed to a runner.',
  job_execution_timeout: 'The job timed out.',
  stuck_or_timeout_failure: 'No runner took the job in time, or it stopped answering.',
  missing_dependency_failure:
    'Artifacts that the job needs are missing: they expired or were erased, the needed job has not succeeded, or its project does not let this job have them.',
  stale_schedule: 'The job was delayed and could not be started in time.',
  job_router_failure: 'The job could not be handed to a runner.',
  secrets_provider_not_found:
    'The secrets provider is not known: variables such as VAULT_SERVER_URL have no value in this job.',
  user_blocked: 'The user who started the job is blocked.',
  builds_disabled: 'CI/CD is disabled in this project.',
  ip_restriction_failure: 'The runner is not in a network from which the group can be reached.',
  environment_creation_failure:
    'The environment could not be created: its name is not valid once the variables in it have their values.',
  protected_environment_failure:
    'The environment is protected: the user who started the job is not allowed to deploy to it.',
  deployment_rejected: 'The deployment was rejected.',
  failed_outdated_deployment_job: 'A newer commit was deployed to the environment meanwhile.',
  pipeline_loop_detected: 'The pipeline would trigger itself over and over.',
  invalid_bridge_trigger:
    'The job triggers its own project. Use trigger:include to start a child pipeline in the same project.',
  reached_max_descendant_pipelines_depth: 'Child pipelines are nested too deeply: two levels are allowed.',
  reached_max_pipeline_hierarchy_size: 'The pipeline and its downstream pipelines are too many: 1,000 are allowed.',
  reached_downstream_pipeline_trigger_rate_limit:
    'Too many downstream pipelines were triggered in the last minute. Try again later.',
  downstream_bridge_project_not_found: 'The downstream project does not exist, or you have no access to it.',
  insufficient_bridge_permissions: 'You are not allowed to run pipelines in the downstream project.',
  downstream_pipeline_creation_failed: 'The downstream pipeline could not be created.',
  upstream_bridge_project_not_found:
    'The upstream project does not exist, has no pipeline, or you have no access to it.',
  insufficient_upstream_permissions: 'You are not allowed to see pipelines of the upstream project.',
  data_integrity_failure: 'The configuration of the job could not be read.',
  unknown_failure: 'Unknown failure.',
  api_failure: 'The runner could not reach the server.',
  unmet_prerequisites: 'The prerequisites of the job failed.',
  archived_failure: 'The pipeline is too old to be run again.',
  trace_size_exceeded:
    'The log exceeded the size limit of this instance (ci_jobs_trace_size_limit). The job was stopped.',
  ci_quota_exceeded: 'The CI/CD minutes are used up.',
};
