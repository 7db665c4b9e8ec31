/** Approving a merge request, taking that back, and what is missing: for the page where this is done. */
import { client, unwrap } from './api.ts';
import type { Approvals } from './approvals.ts';

const of = (id: string, iid: number) => ({ path: { id, merge_request_iid: iid } });

/** Approves the commit that was looked at: another one answers 409. */
export const approve = (id: string, iid: number, { sha, password }: { sha: string | null; password: string }) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/approve', {
      params: of(id, iid),
      body: { ...(sha ? { sha } : {}), ...(password ? { approval_password: password } : {}) },
    }),
  );

export const unapprove = (id: string, iid: number) =>
  unwrap(client.POST('/projects/{id}/merge_requests/{merge_request_iid}/unapprove', { params: of(id, iid) }));

/** What is missing, and who can give it, in one sentence. */
export function approvalSentence({
  approved,
  approvals_left: left,
  approved_by,
  approval_rules_left,
}: Approvals): string {
  if (!approved && left > 0) {
    const rules = approval_rules_left.map(({ name }) => name).filter(Boolean);
    const more = left === 1 ? '1 approval is missing' : `${left} approvals are missing`;
    return rules.length > 0 ? `${more}: ${rules.join(', ')}` : more;
  }
  return approved_by.length > 0 ? 'Approved' : 'No approval is required';
}
