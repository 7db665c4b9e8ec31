/** Approval rules as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { pictureUrl } from '../../namespaces/index.ts';
import { describedGrant } from '../../repository/index.ts';
import type { Person } from '../merge-requests/merge-requests.queries.ts';
import type { JudgedRule } from './judging.ts';
import type { ApprovalRule, RuleBranch, RuleGroup } from './rules.queries.ts';

export const ruleTypes = ['any_approver', 'regular', 'report_approver'] as const;
export const reportTypes = ['license_scanning', 'code_coverage'] as const;

const ApproverGroup = Entity('ApproverGroup', {
  id: Id(),
  name: Text(),
  path: Text(),
  description: Text(),
  visibility: Text(),
  lfs_enabled: Flag(),
  avatar_url: Nullable(Text()),
  web_url: Text(),
  request_access_enabled: Flag(),
  full_name: Text(),
  full_path: Text(),
  parent_id: Nullable(Id()),
  ldap_cn: Nullable(Text()),
  ldap_access: Nullable(Count()),
});

const accesses = () => ListOf(Fields({ access_level: Count(), access_level_description: Text() }));
const RuleBranchEntity = Fields({
  id: Id(),
  name: Text(),
  push_access_levels: accesses(),
  merge_access_levels: accesses(),
  unprotect_access_levels: accesses(),
  code_owner_approval_required: Text({ description: '`true` or `false`, as text' }),
});

const shared = {
  name: Text(),
  eligible_approvers: ListOf(UserReference, { description: 'Who may give these approvals' }),
  approvals_required: Count(),
  users: ListOf(UserReference),
  groups: ListOf(ApproverGroup, { description: 'Groups that the caller may see' }),
  contains_hidden_groups: Flag({ description: 'Whether it names groups that the caller may not see' }),
};
const ofRow = {
  id: Id(),
  rule_type: Word(ruleTypes),
  report_type: Nullable(Word(reportTypes, { description: 'The report that asks for the approvals' })),
};

export const ApprovalRuleEntity = Entity('ApprovalRule', {
  ...ofRow,
  ...shared,
  applies_to_all_protected_branches: Flag(),
  protected_branches: ListOf(RuleBranchEntity, { description: 'The target branches that it is for; none: all' }),
});

const SourceRule = Fields({ approvals_required: Count() });

export const MergeRequestApprovalRule = Entity('MergeRequestApprovalRule', {
  ...ofRow,
  ...shared,
  section: Nullable(Text()),
  source_rule: Nullable(SourceRule, { description: 'The rule of the project that it was copied from' }),
  overridden: Flag({ description: 'Whether it differs from that rule' }),
});

export const JudgedRuleEntity = Entity('MergeRequestApprovalRuleState', {
  ...shared,
  id: Nullable(Id({ description: 'Null for a rule of code owners' })),
  rule_type: Word([...ruleTypes, 'code_owner']),
  report_type: ofRow.report_type,
  section: Nullable(Text({ description: 'Of the file CODEOWNERS' })),
  source_rule: Nullable(SourceRule),
  overridden: Flag(),
  code_owner: Flag(),
  approved_by: ListOf(UserReference),
  approved: Flag(),
});

export const ApprovalStateEntity = Entity('MergeRequestApprovalState', {
  approval_rules_overwritten: Flag({ description: 'Whether the merge request has rules of its own' }),
  rules: ListOf(JudgedRuleEntity),
});

/** What is looked up for rules of one caller. */
export interface RuleContext {
  readonly externalUrl: string;
  readonly voters: ReadonlyMap<number, Person>;
  readonly groups: ReadonlyMap<number, RuleGroup>;
  readonly branches: readonly RuleBranch[];
  /** By rule, who may give its approvals. */
  readonly eligible: ReadonlyMap<number, readonly number[]>;
}

type Users = Array<Static<typeof UserReference>>;
export const peopleJson = (context: Pick<RuleContext, 'voters' | 'externalUrl'>, ids: readonly number[]): Users =>
  ids.flatMap((id) => {
    const voter = context.voters.get(id);
    return voter ? [userReference(voter, context.externalUrl)] : [];
  });

const groupJson = (group: RuleGroup, externalUrl: string): Static<typeof ApproverGroup> => ({
  id: group.id,
  name: group.name,
  path: group.path,
  description: group.description,
  visibility: group.visibility,
  lfs_enabled: group.lfs_enabled ?? true,
  avatar_url: pictureUrl(externalUrl, 'group', group.id, group.avatar_object_key),
  web_url: `${externalUrl}/groups/${group.full_path}`,
  request_access_enabled: group.request_access_enabled,
  full_name: group.full_name,
  full_path: group.full_path,
  parent_id: group.parent_id,
  ldap_cn: null,
  ldap_access: null,
});

/** One person or group that is named has a maintainer's word, as clients that know roles alone read it. */
const levelOfNamed = 40;
const branchJson = (branch: RuleBranch): Static<typeof RuleBranchEntity> => {
  const levels = (kind: RuleBranch['grants'][number]['kind']) =>
    branch.grants
      .filter((grant) => grant.kind === kind)
      .map((grant) => ({
        access_level: grant.level ?? levelOfNamed,
        access_level_description: describedGrant(grant),
      }));
  return {
    id: branch.id,
    name: branch.name,
    push_access_levels: levels('push'),
    merge_access_levels: levels('merge'),
    unprotect_access_levels: levels('unprotect'),
    code_owner_approval_required: String(branch.code_owner_approval_required),
  };
};

function namedJson(rule: Pick<ApprovalRule, 'user_ids' | 'group_ids'>, context: RuleContext) {
  const groups = rule.group_ids.flatMap((id) => context.groups.get(id) ?? []);
  return {
    users: peopleJson(context, rule.user_ids),
    groups: groups.map((group) => groupJson(group, context.externalUrl)),
    contains_hidden_groups: groups.length < rule.group_ids.length,
  };
}

const rowJson = (rule: ApprovalRule, context: RuleContext) => ({
  id: rule.id,
  name: rule.name,
  rule_type: rule.rule_type,
  report_type: rule.report_type,
  eligible_approvers: peopleJson(context, context.eligible.get(rule.id) ?? []),
  approvals_required: rule.approvals_required,
  ...namedJson(rule, context),
});

export const approvalRuleJson = (rule: ApprovalRule, context: RuleContext): Static<typeof ApprovalRuleEntity> => ({
  ...rowJson(rule, context),
  applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
  protected_branches: context.branches
    .filter(({ id }) => rule.applies_to_all_protected_branches || rule.branch_ids.includes(id))
    .map(branchJson),
});

/** Where the rule that it came from requires another number. */
const overridden = (rule: ApprovalRule) =>
  rule.source_required !== null && rule.source_required !== rule.approvals_required;
const sourceJson = ({ source_required: required }: ApprovalRule) =>
  required === null ? null : { approvals_required: required };

export const requestRuleJson = (rule: ApprovalRule, context: RuleContext): Static<typeof MergeRequestApprovalRule> => ({
  ...rowJson(rule, context),
  section: null,
  source_rule: sourceJson(rule),
  overridden: overridden(rule),
});

export const judgedRuleJson = (judged: JudgedRule, context: RuleContext): Static<typeof JudgedRuleEntity> => ({
  id: judged.rule?.id ?? null,
  name: judged.name,
  rule_type: judged.type,
  report_type: judged.rule?.report_type ?? null,
  eligible_approvers: peopleJson(context, judged.eligible),
  approvals_required: judged.approvalsRequired,
  ...namedJson(judged.rule ?? { user_ids: judged.eligible, group_ids: [] }, context),
  section: judged.section,
  source_rule: judged.rule && sourceJson(judged.rule),
  overridden: judged.rule !== null && overridden(judged.rule),
  code_owner: judged.type === 'code_owner',
  approved_by: peopleJson(context, judged.approvedBy),
  approved: judged.approved,
});

const LeftRule = Fields({ id: Nullable(Id()), name: Text(), rule_type: Text() });

export const MergeRequestApprovals = Entity('MergeRequestApprovals', {
  id: Id(),
  iid: Id(),
  project_id: Id(),
  title: Text(),
  description: Nullable(Text()),
  state: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  merge_status: Text(),
  approved: Flag(),
  approvals_required: Count(),
  approvals_left: Count(),
  require_password_to_approve: Flag(),
  approved_by: ListOf(Fields({ user: UserReference, approved_at: Timestamp() })),
  suggested_approvers: ListOf(UserReference, { description: 'Who may approve what is left' }),
  approvers: ListOf(UserReference, { deprecated: true, description: 'Use approval rules' }),
  approver_groups: ListOf(ApproverGroup, { deprecated: true, description: 'Use approval rules' }),
  user_has_approved: Flag(),
  user_can_approve: Flag(),
  approval_rules_left: ListOf(LeftRule),
  has_approval_rules: Flag(),
  merge_request_approvers_available: Flag(),
  multiple_approval_rules_available: Flag(),
  invalid_approvers_rules: ListOf(LeftRule, { description: 'Rules with more approvals than users who may give them' }),
});
