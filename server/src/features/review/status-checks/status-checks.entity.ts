/** JSON of external status checks. */
import type { Static } from 'typebox';
import { Entity, Flag, Id, ListOf, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { MergeRequest } from '../merge-requests/merge-requests.entity.ts';
import type { CheckBranch, StatusCheck } from './status-checks.queries.ts';

export const checkStatuses = ['passed', 'failed', 'pending'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

const CheckedBranch = Entity('StatusCheckBranch', {
  id: Id(),
  project_id: Id(),
  name: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  code_owner_approval_required: Flag(),
});

export const ExternalStatusCheck = Entity('ExternalStatusCheck', {
  id: Id(),
  name: Text(),
  project_id: Id(),
  external_url: Text({ description: 'Where it is told of merge requests' }),
  hmac: Flag({ description: 'Whether what it is told is signed with a secret' }),
  protected_branches: ListOf(CheckedBranch, { description: 'The only target branches that it is for; none: all' }),
});

export function externalStatusCheck(check: StatusCheck): Static<typeof ExternalStatusCheck> {
  return {
    id: check.id,
    name: check.name,
    project_id: check.project_id,
    external_url: check.external_url,
    hmac: check.shared_secret_encrypted !== null,
    protected_branches: check.branches.map((branch: CheckBranch) => ({
      id: branch.id,
      project_id: check.project_id,
      name: branch.name,
      created_at: branch.created_at,
      updated_at: branch.updated_at,
      code_owner_approval_required: branch.code_owner_approval_required,
    })),
  };
}

export const MergeRequestStatusCheck = Entity('MergeRequestStatusCheck', {
  id: Id(),
  name: Text(),
  external_url: Text(),
  status: Word(checkStatuses),
});

export const StatusCheckResponse = Entity('StatusCheckResponse', {
  id: Id(),
  merge_request: MergeRequest,
  external_status_check: ExternalStatusCheck,
  sha: Text(),
  status: Word(checkStatuses),
});

export const StatusCheckRetried = Entity('StatusCheckRetried', { message: Text() });
