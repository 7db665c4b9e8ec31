/** The API of merging: merge, auto-merge, rebase. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { MergeRequestDetailOf } from '../merge-requests/detail.ts';
import { AutoMergeCanceled, MergeRequestDetail, RebaseStarted } from '../merge-requests/merge-requests.entity.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { MergingService } from './merging.service.ts';
import type { rebasing } from './rebasing.ts';

const tag = 'Merge requests';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const iid = Int({ description: 'Internal id of the merge request' });
const one = Type.Object({ id, merge_request_iid: iid });
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';

export function mergingRoutes(
  db: Db,
  service: MergingService,
  rebases: Pick<ReturnType<typeof rebasing>, 'start'>,
  detail: MergeRequestDetailOf,
): Route[] {
  const find = (subject: ProjectSubject, number: number): Promise<MergeRequest> =>
    requireByIid(db, subject.project.id, number);

  return [
    route({
      method: 'PUT',
      path: `${path}/merge`,
      summary: 'Merge a merge request, or set it to auto-merge',
      tag,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        merge_commit_message: Optional(Str({ minLength: 1, description: 'Message of the merge commit' })),
        squash_commit_message: Optional(Str({ minLength: 1, description: 'Message of the squashed commit' })),
        squash: Optional(Bool({ description: 'Whether the commits become one when merged' })),
        should_remove_source_branch: Optional(Bool({ description: 'Whether to remove the source branch' })),
        sha: Optional(Str({ description: 'Must be the head of the source branch' })),
        merge_when_pipeline_succeeds: Optional(Bool({ deprecated: true, description: 'Use `auto_merge`' })),
        auto_merge: Optional(
          Bool({ description: 'Merge when the pipeline succeeds, through the merge train where the project has them' }),
        ),
        skip_merge_train: Optional(
          Bool({ description: 'Merge ahead of the merge train, where the project allows it' }),
        ),
      }),
      responses: { 200: MergeRequestDetail },
      errors: [405, 409, 422],
      handler: async ({ params, subject, caller }) => {
        const row = await service.accept(subject, caller, params.merge_request_iid, {
          mergeCommitMessage: params.merge_commit_message,
          squashCommitMessage: params.squash_commit_message,
          squash: params.squash,
          shouldRemoveSourceBranch: params.should_remove_source_branch,
          sha: params.sha,
          skipMergeTrain: params.skip_merge_train,
          whenPipelineSucceeds: params.auto_merge ?? params.merge_when_pipeline_succeeds ?? false,
        });
        return detail(subject, caller, row);
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/rebase`,
      summary: 'Rebase the source branch onto the target branch',
      tag,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        skip_ci: Optional(
          Bool({ default: false, description: 'Whether no pipeline runs for the branch as it is then' }),
        ),
      }),
      responses: { 202: RebaseStarted },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        await rebases.start(caller, await find(subject, params.merge_request_iid), params.skip_ci ?? false);
        return { rebase_in_progress: true };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/cancel_merge_when_pipeline_succeeds`,
      summary: 'Cancel auto-merge of a merge request',
      tag,
      credentials,
      access: { on: 'project', ability: 'update_merge_request' },
      params: one,
      responses: { 201: AutoMergeCanceled },
      errors: [405],
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        await service.cancelAutoMerge(row, caller);
        return { status: 'success' };
      },
    }),
  ];
}
