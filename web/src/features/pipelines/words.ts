/** What the API's words about pipelines and jobs mean. */

export const sources: Readonly<Record<string, string>> = {
  push: 'by a push',
  web: 'started here',
  api: 'by the API',
  trigger: 'by a trigger',
  schedule: 'by a schedule',
  merge_request_event: 'for a merge request',
  pipeline: 'by another pipeline',
  parent_pipeline: 'by its parent',
};

export const failures: Readonly<Record<string, string>> = {
  script_failure: 'The script failed.',
  runner_system_failure: 'The runner had a problem of its own.',
  job_execution_timeout: 'The job took longer than it may.',
  stuck_or_timeout_failure: 'No runner took the job in time, or it stopped answering.',
  missing_dependency_failure: 'Artifacts that it needs are gone.',
  data_integrity_failure: 'The configuration of the job could not be read.',
  unknown_failure: 'The reason is not known.',
  api_failure: 'The runner could not reach the server.',
  unmet_prerequisites: 'What it needs was not prepared.',
  archived_failure: 'The pipeline is too old to be run again.',
  ci_quota_exceeded: 'The time for jobs is used up.',
};

export const activeStatuses: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'canceling',
  'scheduled',
]);
