/** Routes of the approval rules of groups, which are for all protected branches of the projects below them. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { groupRuleContext } from './rule-context.ts';
import { ApprovalRuleEntity, approvalRuleJson } from './rules.entity.ts';
import { approvalsRequired, approvers, kinds, removeHidden, ruleId, ruleName } from './rules.params.ts';
import { type ApprovalRule, countRules, findRule, listRules } from './rules.queries.ts';
import type { ApprovalRuleService } from './rules.service.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Merge request approvals',
  access: { on: 'group', ability: 'admin_group_approval_rule' },
} as const;
const id = IdOrPath('Id or path of the group');
const rules = '/groups/:id/approval_rules';

export function groupRuleRoutes(
  deps: { readonly db: Db; readonly externalUrl: string },
  service: ApprovalRuleService,
): Route[] {
  const { db } = deps;
  const presented = async (caller: Caller, list: readonly ApprovalRule[]) => {
    const context = await groupRuleContext(deps, caller, list);
    return (rule: ApprovalRule) => approvalRuleJson(rule, context);
  };
  const one = async (caller: Caller, rule: ApprovalRule) => (await presented(caller, [rule]))(rule);
  const ownerOf = ({ group }: GroupSubject) => ({ groupId: group.id });

  return [
    route({
      ...common,
      method: 'GET',
      path: rules,
      summary: 'List approval rules of a group',
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(ApprovalRuleEntity) },
      handler: async ({ subject, caller, page }) => {
        const owner = ownerOf(subject);
        const [rows, total] = await Promise.all([listRules(db, owner, page), countRules(db, owner)]);
        return mapPage(offsetPage(page, rows, total), await presented(caller, rows));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${rules}/:approval_rule_id`,
      summary: 'Get an approval rule of a group',
      params: Type.Object({ id, approval_rule_id: ruleId }),
      responses: { 200: ApprovalRuleEntity },
      handler: async ({ params, subject, caller }) => {
        const rule = await findRule(db, ownerOf(subject), params.approval_rule_id);
        if (!rule) throw notFound('Approval Rule');
        return await one(caller, rule);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: rules,
      summary: 'Add an approval rule to a group',
      params: Type.Object({ id, name: ruleName, approvals_required: approvalsRequired, ...kinds, ...approvers }),
      responses: { 201: ApprovalRuleEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        const wishes = { ...params, applies_to_all_protected_branches: true };
        return await one(caller, await service.create(change, ownerOf(subject), wishes));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${rules}/:approval_rule_id`,
      summary: 'Update an approval rule of a group',
      params: Type.Object({
        id,
        approval_rule_id: ruleId,
        name: Optional(ruleName),
        approvals_required: Optional(approvalsRequired),
        ...approvers,
        ...removeHidden,
      }),
      responses: { 200: ApprovalRuleEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        return await one(caller, await service.update(change, ownerOf(subject), params.approval_rule_id, params));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${rules}/:approval_rule_id`,
      summary: 'Delete an approval rule of a group',
      params: Type.Object({ id, approval_rule_id: ruleId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        await service.remove(change, ownerOf(subject), params.approval_rule_id, context.unmodifiedSince);
      },
    }),
  ];
}
