/** Approvals of a merge request: what is missing, who has approved, and one's own vote. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { approvalsOf } from '../../lib/approvals.ts';
import { approvalSentence, approve, unapprove } from '../../lib/approving.ts';
import { FormError } from '../../ui/FormError.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

// Few projects ask for it.
const VotePassword = lazy(() => import('./VotePassword.tsx'));

export function ApprovalRow({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path } = useProject();
  const cache = useQueryClient();
  const { data: approvals } = useQuery(approvalsOf(path, request.iid));
  const [password, setPassword] = useState('');
  const vote = useMutation({
    mutationFn: (yes: boolean) =>
      yes ? approve(path, request.iid, { sha: request.sha, password }) : unapprove(path, request.iid),
    onSuccess: () => setPassword(''),
    onSettled: () => cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] }),
  });
  if (!approvals) return null;
  const { approved, approvals_required: required, approved_by: by, suggested_approvers: asked } = approvals;
  const asks = approvals.user_can_approve && approvals.require_password_to_approve;
  return (
    <section
      className={classes.part}
      aria-label="Approvals"
      data-tone={required === 0 ? undefined : approved ? 'ready' : 'blocked'}
    >
      <span>{approvalSentence(approvals)}</span>
      {by.map(({ user }) => (
        <UserChip key={user.id} user={user} />
      ))}
      {!approved && asked.length > 0 && asked.length <= 5 ? (
        <span className={classes.dim}>can be given by {asked.map(({ name }) => name).join(', ')}</span>
      ) : null}
      {asks ? (
        <Suspense fallback={null}>
          <VotePassword value={password} change={setPassword} />
        </Suspense>
      ) : null}
      {approvals.user_can_approve ? (
        <Button size="xs" loading={vote.isPending} disabled={asks && password === ''} onClick={() => vote.mutate(true)}>
          Approve
        </Button>
      ) : null}
      {approvals.user_has_approved ? (
        <Button size="xs" variant="default" loading={vote.isPending} onClick={() => vote.mutate(false)}>
          Revoke approval
        </Button>
      ) : null}
      <FormError error={vote.error} />
    </section>
  );
}
