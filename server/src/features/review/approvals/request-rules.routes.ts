/** Routes of the approval rules that a merge request has of its own. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import { ruleContext, stateContext } from './rule-context.ts';
import { ApprovalStateEntity, judgedRuleJson, MergeRequestApprovalRule, requestRuleJson } from './rules.entity.ts';
import {
  approvalsRequired,
  approvers,
  projectId as id,
  removeHidden,
  requestIid,
  ruleId,
  ruleName,
} from './rules.params.ts';
import { type ApprovalRule, countRules, findRule, listRules } from './rules.queries.ts';
import type { ApprovalRuleService } from './rules.service.ts';
import { type ApprovalStates, effectiveSettings, type StateDependencies } from './state.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Merge requests' } as const;
const read = { on: 'project', ability: 'read_merge_request' } as const;
const request = '/projects/:id/merge_requests/:merge_request_iid';
const rules = `${request}/approval_rules`;
const of = { id, merge_request_iid: requestIid };

type Dependencies = Pick<StateDependencies, 'db' | 'settings'> & { readonly externalUrl: string };

export function requestRuleRoutes(
  deps: Dependencies,
  service: ApprovalRuleService,
  states: Pick<ApprovalStates, 'stateOf'>,
): Route[] {
  const { db } = deps;
  const presented = async (subject: ProjectSubject, caller: Caller, list: readonly ApprovalRule[]) => {
    const context = await ruleContext(deps, subject.project.id, caller, list);
    return (rule: ApprovalRule) => requestRuleJson(rule, context);
  };
  const one = async (subject: ProjectSubject, caller: Caller, rule: ApprovalRule) =>
    (await presented(subject, caller, [rule]))(rule);

  /** Changed by who may change every request, unless the project keeps to its own rules: no author from outside does. */
  async function changeable(subject: ProjectSubject, caller: Caller, iid: number): Promise<MergeRequest> {
    const row = await requireByIid(db, subject.project.id, iid);
    if (!canOnProject(caller, 'update_merge_request', subject)) throw forbidden();
    const settings = await effectiveSettings(deps, subject.project.id);
    if (settings.disable_overriding_approvers_per_merge_request) throw forbidden();
    return row;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: `${request}/approval_state`,
      summary: 'Get the approval state of a merge request: its rules and approvals',
      access: read,
      params: Type.Object(of),
      responses: { 200: ApprovalStateEntity },
      handler: async ({ params, subject, caller }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const state = await states.stateOf(subject, row);
        const context = await stateContext(deps, caller, state);
        return {
          approval_rules_overwritten: state.overwritten,
          rules: state.rules.map((judged) => judgedRuleJson(judged, context)),
        };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: rules,
      summary: 'List approval rules of a merge request',
      access: read,
      pagination: 'offset',
      params: Type.Object(of),
      responses: { 200: ListOf(MergeRequestApprovalRule) },
      handler: async ({ params, subject, caller, page }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const owner = { mergeRequestId: row.id };
        const [list, total] = await Promise.all([listRules(db, owner, page), countRules(db, owner)]);
        return mapPage(offsetPage(page, list, total), await presented(subject, caller, list));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${rules}/:approval_rule_id`,
      summary: 'Get an approval rule of a merge request',
      access: read,
      params: Type.Object({ ...of, approval_rule_id: ruleId }),
      responses: { 200: MergeRequestApprovalRule },
      handler: async ({ params, subject, caller }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const rule = await findRule(db, { mergeRequestId: row.id }, params.approval_rule_id);
        if (!rule) throw notFound('Approval Rule');
        return await one(subject, caller, rule);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: rules,
      summary: 'Add an approval rule to a merge request',
      access: read,
      params: Type.Object({
        ...of,
        name: ruleName,
        approvals_required: approvalsRequired,
        approval_project_rule_id: Optional(
          Int({ description: 'Rule of the project whose name, users and groups it gets' }),
        ),
        ...approvers,
      }),
      responses: { 201: MergeRequestApprovalRule },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const row = await changeable(subject, caller, params.merge_request_iid);
        const { approval_project_rule_id: sourceId } = params;
        const source =
          sourceId === undefined ? undefined : await findRule(db, { projectId: subject.project.id }, sourceId);
        if (sourceId !== undefined && !source) throw notFound('Approval Rule');
        const change = { subject, caller, origin: originOf(context) };
        return await one(subject, caller, await service.create(change, { mergeRequestId: row.id }, params, source));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${rules}/:approval_rule_id`,
      summary: 'Update an approval rule of a merge request',
      access: read,
      params: Type.Object({
        ...of,
        approval_rule_id: ruleId,
        name: Optional(ruleName),
        approvals_required: Optional(approvalsRequired),
        ...approvers,
        ...removeHidden,
      }),
      responses: { 200: MergeRequestApprovalRule },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const row = await changeable(subject, caller, params.merge_request_iid);
        const change = { subject, caller, origin: originOf(context) };
        const owner = { mergeRequestId: row.id };
        return await one(subject, caller, await service.update(change, owner, params.approval_rule_id, params));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${rules}/:approval_rule_id`,
      summary: 'Delete an approval rule of a merge request',
      access: read,
      params: Type.Object({ ...of, approval_rule_id: ruleId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { subject, caller, params } = context;
        const row = await changeable(subject, caller, params.merge_request_iid);
        const change = { subject, caller, origin: originOf(context) };
        await service.remove(change, { mergeRequestId: row.id }, params.approval_rule_id, context.unmodifiedSince);
      },
    }),
  ];
}
