/** The approval rules of one merge request. */
import { requestRules } from '../../lib/approval-rules.ts';
import { ApprovalRules } from '../approvals/ApprovalRules.tsx';
import { useProject } from '../projects/useProject.ts';

export default function RequestRules({ iid }: { iid: number }) {
  const { path } = useProject();
  return <ApprovalRules place={requestRules(path, iid)} mayChange />;
}
