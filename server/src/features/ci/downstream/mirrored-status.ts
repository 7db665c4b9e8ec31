/** What trigger jobs say of the pipelines that they started. Pure. */
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { Ending } from '../jobs/finish.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { completedStatuses } from '../scheduling/job-states.ts';

type Strategy = NonNullable<JobPlan['trigger']>['strategy'];

export type Mirrored =
  | { readonly status: 'running' | 'manual' | 'skipped' }
  | { readonly status: 'success' | 'failed' | 'canceled'; readonly ending: Ending };

const success: Mirrored = { status: 'success', ending: { event: 'succeed' } };
const failed = (failureReason: string): Mirrored => ({ status: 'failed', ending: { event: 'drop', failureReason } });

/** What a trigger job says of its pipeline. Without a strategy it says whether there is one. */
export function mirrored(
  strategy: Strategy,
  { status, failure_reason: reason }: Pick<Pipeline, 'status' | 'failure_reason'>,
): Mirrored {
  if (strategy === null) return reason === null ? success : failed('downstream_pipeline_creation_failed');
  if (strategy === 'mirror' && (status === 'manual' || status === 'skipped')) return { status };
  if (!completedStatuses.has(status)) return { status: 'running' };
  if (status === 'success') return success;
  if (status === 'canceled') return { status, ending: { event: 'cancel' } };
  return failed(reason === null ? 'unknown_failure' : 'downstream_pipeline_creation_failed');
}

/** Whether a job in this status follows its pipeline: once without a strategy; not before it has begun. */
export const mirrors = (strategy: Strategy, status: string): boolean =>
  status === 'running' || (strategy !== null && (status === 'manual' || completedStatuses.has(status)));
