/** Routes of approvals: who has approved a merge request, approving it, and taking that back. */
import Type, { type Static } from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { Count } from '../../../kernel/http/entity.ts';
import { Bool, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { NoteableKind } from '../../collaboration/notes/index.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { ReviewService } from '../reviews/reviews.service.ts';
import type { ApprovalService } from './approvals.service.ts';
import type { JudgedRule } from './judging.ts';
import { MergeRequestApprovals, peopleJson } from './rules.entity.ts';
import { projectId as id, requestIid } from './rules.params.ts';
import type { ApprovalStates } from './state.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Merge requests' } as const;
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';
const of = { id, merge_request_iid: requestIid };

const briefly = ({ rule, name, type }: JudgedRule) => ({ id: rule?.id ?? null, name, rule_type: type });
/** More people than required approvals can never be asked, where it is not everybody. */
const isInvalid = ({ type, eligible, approvalsRequired }: JudgedRule) =>
  type !== 'any_approver' && eligible.length < approvalsRequired;

interface Dependencies {
  readonly db: Db;
  readonly externalUrl: string;
  /** Merge requests, as something that people discuss. */
  readonly kind: Pick<NoteableKind, 'load'>;
  readonly reviews: Pick<ReviewService, 'submit'>;
}

export function approvalRoutes(
  { db, externalUrl, kind, reviews }: Dependencies,
  service: ApprovalService,
  states: Pick<ApprovalStates, 'stateOf'>,
): Route[] {
  async function shown(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequest,
  ): Promise<Static<typeof MergeRequestApprovals>> {
    const me = caller.user?.id ?? null;
    const state = await states.stateOf(subject, row, undefined, me);
    const context = { externalUrl, voters: state.voters };
    const open = state.rules.filter((rule) => !rule.approved);
    const asked = new Set(
      open.flatMap(({ eligible, approvedBy }) => eligible.filter((each) => !approvedBy.includes(each))),
    );
    return {
      id: row.id,
      iid: row.iid,
      project_id: row.project_id,
      title: row.title,
      description: row.description,
      state: row.state,
      created_at: row.created_at,
      updated_at: row.updated_at,
      merge_status: row.merge_status,
      approved: state.approved,
      approvals_required: state.required,
      approvals_left: state.left,
      require_password_to_approve: state.settings.require_password_to_approve,
      approved_by: state.approvals.flatMap(({ user_id, created_at }) =>
        peopleJson(context, [user_id]).map((user) => ({ user, approved_at: created_at })),
      ),
      suggested_approvers: peopleJson(context, [...asked]),
      approvers: [],
      approver_groups: [],
      user_has_approved: state.approvals.some(({ user_id }) => user_id === me),
      user_can_approve: me !== null && state.mayApprove(me),
      approval_rules_left: open.map(briefly),
      has_approval_rules: state.rules.some(({ rule }) => rule !== null),
      merge_request_approvers_available: true,
      multiple_approval_rules_available: true,
      invalid_approvers_rules: state.rules.filter(isInvalid).map(briefly),
    };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: `${path}/approvals`,
      summary: 'Get the approvals of a merge request',
      access: read,
      params: Type.Object(of),
      responses: { 200: MergeRequestApprovals },
      handler: async ({ params, subject, caller }) =>
        shown(subject, caller, await requireByIid(db, subject.project.id, params.merge_request_iid)),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/approve`,
      summary: 'Approve a merge request',
      access: read,
      params: Type.Object({
        ...of,
        sha: Optional(Str({ description: 'Must be the head of the source branch' })),
        approval_password: Optional(
          Str({ maxLength: 128, description: 'Password of the caller, where the project asks for it' }),
        ),
        publish_review: Optional(
          Bool({ description: 'Whether own draft notes on the merge request are published with the approval' }),
        ),
      }),
      responses: { 201: MergeRequestApprovals },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const { merge_request_iid: iid, sha, approval_password } = params;
        if (!params.publish_review)
          return await shown(subject, caller, await service.approve(subject, caller, iid, { sha, approval_password }));
        const place = await kind.load(subject, { merge_request_iid: iid }, caller);
        await reviews.submit(place, caller, { sha, approval_password, reviewer_state: 'approved' });
        return await shown(subject, caller, await requireByIid(db, subject.project.id, iid));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/unapprove`,
      summary: 'Unapprove a merge request',
      access: read,
      params: Type.Object(of),
      responses: { 201: MergeRequestApprovals },
      handler: async ({ params, subject, caller }) =>
        shown(subject, caller, await service.unapprove(subject, caller, params.merge_request_iid)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/reset_approvals`,
      summary: 'Reset the approvals of a merge request, as a bot user of a project or group',
      access: read,
      params: Type.Object(of),
      // Clients of the ecosystem decode what comes with 202, and there it is the number itself.
      responses: { 202: Count({ description: 'The status once more: 202' }) },
      handler: async ({ params, subject, caller }) => {
        await service.reset(subject, caller, params.merge_request_iid);
        return 202;
      },
    }),
  ];
}
