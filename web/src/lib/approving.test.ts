/** The sentence about approvals. */
import { expect, it } from 'vitest';
import type { Approvals } from './approvals.ts';
import { approvalSentence } from './approving.ts';

const given = (values: Partial<Approvals>) =>
  approvalSentence({
    approved: true,
    approvals_left: 0,
    approved_by: [],
    approval_rules_left: [],
    ...values,
  } as Approvals);

it('tells what is missing by its rules, or that nothing is', () => {
  expect(given({})).toBe('No approval is required');
  expect(given({ approved_by: [{} as never] })).toBe('Approved');
  expect(given({ approved: false, approvals_left: 1 })).toBe('1 approval is missing');
  const rules = [{ name: 'Security' }, { name: 'Code owners' }] as Approvals['approval_rules_left'];
  expect(given({ approved: false, approvals_left: 3, approval_rules_left: rules })).toBe(
    '3 approvals are missing: Security, Code owners',
  );
});
