/** The API of merge requests: create, look, change, delete. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { forbidden, recordNotFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { TaskParam } from '../../collaboration/index.ts';
import type { QuickActions } from '../../collaboration/quick-actions/index.ts';
import { mayUpdateRequest } from './access.ts';
import type { MergeRequestDetailOf } from './detail.ts';
import { MergeRequestDetail } from './merge-requests.entity.ts';
import { approvals_before_merge, merge_after, people, planned, relabelled } from './merge-requests.params.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';
import { placeOfRequest } from './noteable.ts';
import { requestSources } from './sources.ts';

const tag = 'Merge requests';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const iid = Int({ description: 'Internal id of the merge request' });
const one = Type.Object({ id, merge_request_iid: iid });
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';

const collaboration = {
  allow_collaboration: Optional(
    Bool({ description: 'Whether who may merge into the target may push to the source branch' }),
  ),
  allow_maintainer_to_push: Optional(Bool({ deprecated: true, description: 'Use `allow_collaboration`' })),
};

const collaborates = (params: { allow_collaboration?: boolean; allow_maintainer_to_push?: boolean }) =>
  params.allow_collaboration ?? params.allow_maintainer_to_push;

function assignees(params: { assignee_id?: number; assignee_ids?: number[] }): number[] | undefined {
  const ids = params.assignee_ids ?? (params.assignee_id === undefined ? undefined : [params.assignee_id]);
  return ids?.filter((each) => each !== 0);
}

export function mergeRequestRoutes(
  deps: MergeRequestDependencies & { readonly quickActions: Pick<QuickActions, 'creating' | 'describing'> },
  service: MergeRequestService,
  detail: MergeRequestDetailOf,
): Route[] {
  const { db, repository } = deps;
  const { targetOf } = requestSources(deps);
  const find = (subject: ProjectSubject, number: number): Promise<MergeRequest> =>
    queries.requireByIid(db, subject.project.id, number);

  return [
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests',
      summary: 'Create a merge request',
      tag,
      credentials,
      access: { on: 'project', ability: 'create_merge_request' },
      params: Type.Object({
        id,
        source_branch: Str({ minLength: 1, description: 'Branch with the changes' }),
        target_branch: Str({ minLength: 1, description: 'Branch that the changes go to' }),
        title: Str({ minLength: 1, maxLength: 255, description: 'Title of the merge request' }),
        description: Optional(
          OrNull(Str({ maxLength: 1_048_576, description: 'Text of the merge request, in Markdown' })),
        ),
        target_project_id: Optional(Int({ description: 'Project that the changes go to; this one by default' })),
        squash: Optional(Bool({ description: 'Whether the commits become one when merged' })),
        remove_source_branch: Optional(Bool({ description: 'Whether merging removes the source branch' })),
        ...collaboration,
        merge_after,
        approvals_before_merge,
        ...people,
        ...planned,
      }),
      responses: { 201: MergeRequestDetail },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        requireOnProject(caller, 'read_code', subject);
        if (!(await repository.mayPush(subject, caller, params.source_branch)) && subject.level < 30 && !caller.admin)
          throw forbidden();
        const target = await targetOf(subject, params.target_project_id, caller);
        const create = (description: string | null) =>
          service.create(target, caller, {
            source: subject,
            sourceBranch: params.source_branch,
            targetBranch: params.target_branch,
            title: params.title,
            description,
            squash: params.squash,
            removeSourceBranch: params.remove_source_branch,
            allowCollaboration: collaborates(params) ?? false,
            mergeAfter: params.merge_after ?? null,
            approvalsBeforeMerge: params.approvals_before_merge,
            assigneeIds: assignees(params) ?? [],
            reviewerIds: params.reviewer_ids ?? [],
            labels: params.labels,
            milestone_id: params.milestone_id,
          });
        const made = await deps.quickActions.creating('merge_request', caller, params.description, create, (row) =>
          placeOfRequest(row, target),
        );
        return detail(target, caller, (await queries.byId(db, made.id)) ?? made);
      },
    }),
    route({
      method: 'GET',
      path,
      summary: 'Get a merge request',
      tag,
      credentials: ['token', 'session', 'job'],
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        render_html: Optional(Bool({ description: 'Also give title and description as HTML' })),
        include_diverged_commits_count: Optional(
          Bool({ description: 'Also tell how many commits the source branch is behind' }),
        ),
        include_rebase_in_progress: Optional(Bool({ description: 'Also tell whether a rebase is in progress' })),
        with_counts: Optional(
          Bool({
            description:
              'Also count its commits, pipelines, open threads, versions, stacked requests, status checks and events, and name its reports',
          }),
        ),
      }),
      responses: { 200: MergeRequestDetail },
      handler: async ({ params, subject, caller }) =>
        detail(subject, caller, await find(subject, params.merge_request_iid), {
          diverged: params.include_diverged_commits_count,
          rebase: params.include_rebase_in_progress,
          html: params.render_html,
          counts: params.with_counts,
        }),
    }),
    route({
      method: 'PUT',
      path,
      summary: 'Update, close or reopen a merge request',
      tag,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        title: Optional(Str({ minLength: 1, maxLength: 255, description: 'Title of the merge request' })),
        description: Optional(
          OrNull(Str({ maxLength: 1_048_576, description: 'Text of the merge request, in Markdown' })),
        ),
        target_branch: Optional(Str({ minLength: 1, description: 'Branch that the changes go to' })),
        update_task: TaskParam,
        state_event: Optional(OneOf(['close', 'reopen'], { description: 'Close it or open it again' })),
        squash: Optional(Bool({ description: 'Whether the commits become one when merged' })),
        remove_source_branch: Optional(Bool({ description: 'Whether merging removes the source branch' })),
        ...collaboration,
        discussion_locked: Optional(Bool({ description: 'Whether only members may comment' })),
        override_requested_changes: Optional(
          Bool({ description: 'Whether it may be merged despite requested changes; for those who may merge it' }),
        ),
        merge_after,
        approvals_before_merge,
        ...people,
        ...planned,
        ...relabelled,
      }),
      responses: { 200: MergeRequestDetail },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        if (!(await mayUpdateRequest(db, subject, caller, row)))
          requireOnProject(caller, 'update_merge_request', subject);
        const updated = await deps.quickActions.describing(
          placeOfRequest(row, subject),
          caller,
          params.description,
          (description) =>
            service.update(subject, caller, row, {
              ...params,
              description,
              assignee_ids: assignees(params),
              allow_collaboration: collaborates(params),
            }),
          () => queries.byId(db, row.id),
        );
        return detail(subject, caller, updated);
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: 'Delete a merge request',
      tag,
      credentials,
      access: { on: 'project', ability: 'remove_merge_request' },
      params: one,
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, subject, unmodifiedSince }) => {
        const row = await find(subject, params.merge_request_iid);
        unmodifiedSince(row.updated_at);
        if (!(await transaction(db, (tx) => queries.deleteRow(tx, row.id)))) throw recordNotFound();
      },
    }),
  ];
}
