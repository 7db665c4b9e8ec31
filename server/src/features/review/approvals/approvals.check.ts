/** The rule that those have approved whose approvals the project requires. */
import { type FactSource, type MergeCheck, refusedAs } from '../merge-checks/merge-check.ts';
import type { ApprovalStates } from './state.service.ts';

export const approvalsGiven =
  (states: Pick<ApprovalStates, 'stateOf'>): FactSource<boolean> =>
  async ({ subject, row }, heads) =>
    (await states.stateOf(subject, row, heads)).approved;

export const isApproved = (given: FactSource<boolean>): MergeCheck => ({
  awaitable: true,
  async refusal({ rules, heads, get }) {
    if (!rules.hasApprovalRules || heads === null) return null;
    return (await get(given, heads)) ? null : refusedAs('not_approved');
  },
});
