/** Why an entry leaves a train before it was merged, in the words of its note. */
import type { MergeTrainEntry } from '../../../kernel/db/rows.ts';

export const reasons = {
  canceled: 'auto-merge was canceled',
  closed: 'the merge request was closed',
  retargeted: 'the target branch was changed',
  below: 'the merge request below it in the stack left the merge train',
  pushed: 'new commits were pushed to the source branch',
  source_deleted: 'the source branch was deleted',
  target_deleted: 'the target branch was deleted',
  disabled: 'merge trains were disabled for the project',
  not_allowed: 'the user who added it is not allowed to merge',
  conflict: 'it conflicts with the target branch',
  empty: 'it has no changes that the target branch does not have',
  unconfigured: 'the project requires a pipeline and has no configuration for one',
  pipeline_failed: 'its pipeline failed',
  pipeline_canceled: 'its pipeline was canceled',
  pipeline_skipped: 'its pipeline was skipped',
} as const;

/** What keeps an entry from being tested or merged; anything else is a text of its own. */
export type Problem = keyof typeof reasons;

const wordsOf = (problem: string): string => (problem in reasons ? reasons[problem as Problem] : problem);

/** Why the first entry of a train failed. */
export function failureOf(entry: Pick<MergeTrainEntry, 'problem'>, pipelineStatus: string | null): string {
  if (entry.problem !== null) return wordsOf(entry.problem);
  if (pipelineStatus === 'canceled') return reasons.pipeline_canceled;
  return pipelineStatus === 'skipped' ? reasons.pipeline_skipped : reasons.pipeline_failed;
}
