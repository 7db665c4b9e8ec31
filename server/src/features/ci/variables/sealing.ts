/** What values are encrypted for: one that is copied to another column does not open. */
export const sealed = {
  variable: 'ci_variables.value',
  pipelineVariable: 'pipeline_variables.value',
  manualVariables: 'jobs.manual_variables',
  dotenv: 'jobs.dotenv',
} as const;
