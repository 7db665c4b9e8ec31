/** Routes of what a project requires of approvals: its configuration and its rules. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Count, Entity, Flag, ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { UserReference } from '../../identity/index.ts';
import { findProject } from '../../namespaces/index.ts';
import { ruleContext } from './rule-context.ts';
import { ApprovalRuleEntity, approvalRuleJson } from './rules.entity.ts';
import {
  approvalsRequired,
  approvers,
  branches,
  projectId as id,
  kinds,
  removeHidden,
  ruleId,
  ruleName,
} from './rules.params.ts';
import { type ApprovalRule, countRules, findRule, listRules } from './rules.queries.ts';
import type { ApprovalRuleService } from './rules.service.ts';
import type { ApprovalSettingsService } from './settings.service.ts';
import { effectiveSettings, type StateDependencies } from './state.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Merge request approvals' } as const;
const read = { on: 'project', ability: 'read_approval_rule' } as const;
const admin = { on: 'project', ability: 'admin_approval_rule' } as const;
const rules = '/projects/:id/approval_rules';

const ApprovalConfiguration = Entity('ApprovalConfiguration', {
  approvers: ListOf(UserReference, { deprecated: true, description: 'Always empty; use approval rules' }),
  approver_groups: ListOf(Type.Object({}), { deprecated: true, description: 'Always empty; use approval rules' }),
  approvals_before_merge: Count({ deprecated: true, description: 'Use approval rules' }),
  reset_approvals_on_push: Flag({ description: 'Whether a push that changes something takes approvals back' }),
  selective_code_owner_removals: Flag({
    description: 'Whether a push takes back the approvals of code owners whose files it changes',
  }),
  disable_overriding_approvers_per_merge_request: Flag(),
  merge_requests_author_approval: Flag({ description: 'Whether authors may approve their own merge requests' }),
  merge_requests_disable_committers_approval: Flag({ description: 'Whether who added commits may not approve' }),
  require_password_to_approve: Flag(),
});

const switches = {
  disable_overriding_approvers_per_merge_request: 'Whether merge requests have no approval rules of their own',
  merge_requests_author_approval: 'Whether authors may approve their own merge requests',
  merge_requests_disable_committers_approval: 'Whether who added commits may not approve',
  require_password_to_approve: 'Whether approving asks for the password',
  reset_approvals_on_push: 'Whether a push that changes something takes approvals back',
  selective_code_owner_removals:
    'Whether a push takes back the approvals of code owners whose files it changes; not with `reset_approvals_on_push`',
} as const;
type Switch = keyof typeof switches;
const names = Object.keys(switches) as Switch[];
const parameters = Object.fromEntries(
  names.map((name) => [name, Optional(Bool({ description: switches[name] }))]),
) as Record<Switch, ReturnType<typeof Type.Optional<ReturnType<typeof Bool>>>>;

type Dependencies = Pick<StateDependencies, 'db' | 'settings'> & { readonly externalUrl: string };

export function projectApprovalRoutes(
  deps: Dependencies,
  service: ApprovalRuleService,
  settings: ApprovalSettingsService,
): Route[] {
  const { db } = deps;
  const presented = async (subject: ProjectSubject, caller: Caller, list: readonly ApprovalRule[]) => {
    const context = await ruleContext(deps, subject.project.id, caller, list);
    return (rule: ApprovalRule) => approvalRuleJson(rule, context);
  };
  const one = async (subject: ProjectSubject, caller: Caller, rule: ApprovalRule) =>
    (await presented(subject, caller, [rule]))(rule);

  async function configuration({ project }: ProjectSubject) {
    const [effective, current] = await Promise.all([effectiveSettings(deps, project.id), findProject(db, project.id)]);
    return {
      approvers: [],
      approver_groups: [],
      approvals_before_merge: current?.approvals_before_merge ?? 0,
      ...effective,
    };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/approvals',
      summary: 'Get the approval configuration of a project',
      deprecated: true,
      access: read,
      params: Type.Object({ id }),
      responses: { 200: ApprovalConfiguration },
      handler: ({ subject }) => configuration(subject),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/approvals',
      summary: 'Update the approval configuration of a project',
      deprecated: true,
      access: admin,
      params: Type.Object({
        id,
        approvals_before_merge: Optional(
          Int({ minimum: 0, maximum: 100, deprecated: true, description: 'Use approval rules' }),
        ),
        ...parameters,
      }),
      responses: { 201: ApprovalConfiguration },
      handler: async (context) => {
        const { id: _, approvals_before_merge: before, ...changes } = context.params;
        await settings.configureProject(context.subject, changes, originOf(context), before);
        return await configuration(context.subject);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: rules,
      summary: 'List approval rules of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(ApprovalRuleEntity) },
      handler: async ({ subject, caller, page }) => {
        const owner = { projectId: subject.project.id };
        const [rows, total] = await Promise.all([listRules(db, owner, page), countRules(db, owner)]);
        return mapPage(offsetPage(page, rows, total), await presented(subject, caller, rows));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${rules}/:approval_rule_id`,
      summary: 'Get an approval rule of a project',
      access: read,
      params: Type.Object({ id, approval_rule_id: ruleId }),
      responses: { 200: ApprovalRuleEntity },
      handler: async ({ params, subject, caller }) => {
        const rule = await findRule(db, { projectId: subject.project.id }, params.approval_rule_id);
        if (!rule) throw notFound('Approval Rule');
        return await one(subject, caller, rule);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: rules,
      summary: 'Add an approval rule to a project',
      access: admin,
      params: Type.Object({
        id,
        name: ruleName,
        approvals_required: approvalsRequired,
        ...kinds,
        ...approvers,
        ...branches,
      }),
      responses: { 201: ApprovalRuleEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        return await one(subject, caller, await service.create(change, { projectId: subject.project.id }, params));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${rules}/:approval_rule_id`,
      summary: 'Update an approval rule of a project',
      access: admin,
      params: Type.Object({
        id,
        approval_rule_id: ruleId,
        name: ruleName,
        approvals_required: approvalsRequired,
        ...approvers,
        ...branches,
        ...removeHidden,
      }),
      responses: { 200: ApprovalRuleEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        const owner = { projectId: subject.project.id };
        return await one(subject, caller, await service.update(change, owner, params.approval_rule_id, params));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${rules}/:approval_rule_id`,
      summary: 'Delete an approval rule of a project',
      access: admin,
      params: Type.Object({ id, approval_rule_id: ruleId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { subject, caller, params } = context;
        const change = { subject, caller, origin: originOf(context) };
        await service.remove(
          change,
          { projectId: subject.project.id },
          params.approval_rule_id,
          context.unmodifiedSince,
        );
      },
    }),
  ];
}
