/** The dialog that publishes one's pending comments with a summary and an outcome. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../lib/api.ts';
import { approvalsOf } from '../../../lib/approvals.ts';
import { Modal } from '../../../ui/Modal.tsx';
import { useDrafts } from '../../comments/useDrafts.ts';
import { useProject } from '../../projects/useProject.ts';
import ReviewForm from '../ReviewForm.tsx';

interface Props {
  readonly request: Schemas['MergeRequestDetail'];
  readonly ownId: number;
  readonly opened: boolean;
  close(): void;
}

export default function ReviewDialog({ request, ownId, opened, close }: Props) {
  const { path } = useProject();
  const { iid } = request;
  const { drafts } = useDrafts(path, iid, request.counts?.pending_comments ?? 0);
  const { data: approvals } = useQuery(approvalsOf(path, iid));
  return (
    <Modal opened={opened} onClose={close} title="Your review" size="lg">
      <ReviewForm
        request={request}
        drafts={drafts}
        mayApprove={approvals?.user_can_approve === true}
        passwordRequired={approvals?.require_password_to_approve === true}
        ownId={ownId}
        submitted={close}
      />
    </Modal>
  );
}
