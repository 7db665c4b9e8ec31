/** What values are encrypted for: one that is copied to another column does not open. */
export const sealed = {
  variable: 'ci_variables.value',
  pipelineVariable: 'pipeline_variables.value',
  scheduleVariable: 'pipeline_schedule_variables.value',
  triggerToken: 'pipeline_triggers.token',
  manualVariables: 'jobs.manual_variables',
  dotenv: 'jobs.dotenv',
  idTokenKey: 'id_token_keys.private_key',
  secureFile: 'secure_files.object_key',
  runnerSession: 'job_sessions.authorization',
} as const;
