/** The rule that a merge request waits for those that it depends on. */
import { type MergeCheck, refusedAs } from '../merge-checks/merge-check.ts';

/** One that was closed blocks as well: whoever gives it up takes the dependency away. */
export const waitsForNone: MergeCheck = {
  awaitable: true,
  refusal: ({ rules }) => (rules.hasOpenDependencies ? refusedAs('merge_request_blocked') : null),
};
