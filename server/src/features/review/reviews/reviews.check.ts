/** The rule that nobody who has requested changes still waits for them. */
import { type MergeCheck, refusedAs } from '../merge-checks/merge-check.ts';

export const noChangesRequested: MergeCheck = {
  awaitable: true,
  refusal: ({ rules }) => (rules.hasRequestedChanges ? refusedAs('requested_changes') : null),
};
