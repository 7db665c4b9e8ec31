/** Parameters of approval rules. */
import { Bool, IdOrPath, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { reportTypes, ruleTypes } from './rules.entity.ts';

export const projectId = IdOrPath('Id or path of the project');
export const ruleId = Int({ description: 'Id of the approval rule' });
export const requestIid = Int({ description: 'Internal id of the merge request' });

export const ruleName = Str({ description: 'Name' });
export const approvalsRequired = Int({ description: 'How many approvals it requires' });

/** Whom rules name. */
export const approvers = {
  user_ids: Optional(List(Int(), { commas: true, maxItems: 1000, description: 'Users who may approve' })),
  usernames: Optional(
    List(Str({ maxLength: 255 }), {
      commas: true,
      maxItems: 1000,
      description: 'Usernames of users who may approve, besides `user_ids`',
    }),
  ),
  group_ids: Optional(List(Int(), { commas: true, maxItems: 1000, description: 'Groups whose members may approve' })),
};

export const branches = {
  applies_to_all_protected_branches: Optional(
    Bool({ description: 'Whether it is for all protected branches; `protected_branch_ids` is ignored then' }),
  ),
  protected_branch_ids: Optional(
    List(Int(), {
      commas: true,
      maxItems: 1000,
      description: 'Protected branches that it is for; all target branches without any',
    }),
  ),
};

export const kinds = {
  rule_type: Optional(OneOf(ruleTypes, { description: 'Kind of rule' })),
  report_type: Optional(
    OneOf(reportTypes, { description: 'Report that asks for the approvals, for `report_approver`' }),
  ),
};

export const removeHidden = {
  remove_hidden_groups: Optional(
    Bool({ default: false, description: 'Also remove groups that the caller may not see' }),
  ),
};
