/** `retry`: how often a failed job runs again, and after which failures. */

import { exitCodesSchema } from './allow-failure.ts';
import type { Keyword } from './keyword.ts';
import { field, numberOf, numbersOf, textsOf } from './read.ts';
import { either, hash, integer, isHash, isList, isScalar, isText, oneOf, textsOfThese } from './schema.ts';

/** `max` further runs; empty lists mean any failure and any exit code. */
export type Retry = { readonly max: number; readonly when: readonly string[]; readonly exitCodes: readonly number[] };

/** Why a job may fail, for the ecosystem: all of them may be named, also those that cannot occur here. */
const REASONS = [
  'always',
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'stuck_pending_timeout',
  'stuck_running_timeout',
  'stuck_pending_no_matching_runners',
  'stuck_no_matching_runners',
  'runner_system_failure',
  'runner_unsupported',
  'image_pull_failure',
  'job_router_failure',
  'runner_provisioning_timeout',
  'runner_configuration_error',
  'runner_external_dependency_failure',
  'runner_interrupted',
  'stuck_pending_with_matching_runners',
  'no_updates_running',
  'no_updates_canceling',
  'server_timeout_running',
  'server_timeout_canceling',
  'stale_schedule',
  'job_execution_timeout',
  'job_execution_server_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'protected_environment_failure',
  'user_blocked',
  'project_deleted',
  'ci_quota_exceeded',
  'pipeline_loop_detected',
  'no_matching_runner',
  'trace_size_exceeded',
  'builds_disabled',
  'environment_creation_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'insufficient_bridge_permissions',
  'downstream_bridge_project_not_found',
  'invalid_bridge_trigger',
  'upstream_bridge_project_not_found',
  'insufficient_upstream_permissions',
  'bridge_pipeline_is_child_pipeline',
  'downstream_pipeline_creation_failed',
  'secrets_provider_not_found',
  'reached_max_descendant_pipelines_depth',
  'reached_max_pipeline_hierarchy_size',
  'reached_downstream_pipeline_trigger_rate_limit',
  'ip_restriction_failure',
];
const MOST = 2;
const max = integer(0, MOST);

export const retry: Keyword<Retry> = {
  name: 'retry',
  inheritable: true,
  schema: either(
    [
      [
        isHash,
        hash({
          keys: {
            max,
            when: either(
              [
                [isText, oneOf(REASONS, 'is not included in the list of failure reasons')],
                [isList, textsOfThese(REASONS)],
              ],
              'should be an array of strings or a string',
            ),
            exit_codes: exitCodesSchema,
          },
        }),
      ],
      [(node) => isScalar(node) && typeof node.value === 'number', max],
    ],
    'has to be either an integer or a hash',
  ),
  normalise: (node) => ({
    max: numberOf(node) ?? numberOf(field(node, 'max')) ?? MOST,
    when: textsOf(field(node, 'when')),
    exitCodes: numbersOf(field(node, 'exit_codes')),
  }),
};
