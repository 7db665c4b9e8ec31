/** What a project requires of approvals in general, in an archive. */
import Type from 'typebox';
import { Bool } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { storedApprovalSettings, writeApprovalSettings } from './settings.queries.ts';

export const approvalSettingRelation: Relation = relation({
  name: 'approval_setting',
  schema: Type.Object({
    reset_approvals_on_push: Bool(),
    selective_code_owner_removals: Bool(),
    disable_overriding_approvers_per_merge_request: Bool(),
    merge_requests_author_approval: Bool(),
    merge_requests_disable_committers_approval: Bool(),
    require_password_to_approve: Bool(),
  }),
  rows: (db, projectId) => once(storedApprovalSettings(db, projectId)),
  insert: async (tx, row, { projectId }) => {
    await writeApprovalSettings(tx, projectId, row);
    return null;
  },
  remove: removing('project_approval_settings'),
});
