/** The rule that pipelines must succeed, asked of the pipeline of the commit that would be merged. */
import { type MergeCheck, type PipelineRule, refusedAs } from './merge-check.ts';

const finished: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Whether the pipeline goes on by itself, so that auto-merge has something to wait for. */
export const isPipelineActive = (status: string | null): boolean =>
  status !== null && !finished.has(status) && status !== 'manual';

const allows = (rule: PipelineRule, status: string | null) =>
  !rule.required || status === 'success' || (status === 'skipped' && rule.skippedAllowed);

export const pipelineSucceeded: MergeCheck = {
  awaitable: true,
  byTrain: true,
  refusal({ rules, pipelineStatus: status }) {
    if (allows(rules.pipeline, status)) return null;
    return refusedAs(status !== null && !finished.has(status) ? 'ci_still_running' : 'ci_must_pass');
  },
};
