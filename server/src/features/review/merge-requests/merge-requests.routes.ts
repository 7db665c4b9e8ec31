/** The API of merge requests: create, list, look, change, merge. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest as MergeRequestRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, offsetPage, type Page, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { PipelineBasic, type PipelineDetail, type PipelineJson } from '../../ci/index.ts';
import { Commit, FileDiff } from '../../repository/index.ts';
import { mergeConflict } from './conflicts.entity.ts';
import {
  MergeRequestChanges,
  MergeRequestDetail,
  type MergeRequestDetailJson,
  MergeRequestVersion,
  mergeRequestJson,
  RebaseStarted,
  versionJson,
} from './merge-requests.entity.ts';
import { people, planned, relabelled } from './merge-requests.params.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';
import { rebaseInProgress, type rebasing } from './rebasing.ts';
import { requestSources } from './sources.ts';

/** What the routes need of pipelines; the JSON is the pipelines' own. */
export interface PipelineReader {
  detail(id: number): Promise<Static<typeof PipelineDetail> | null>;
  ofMergeRequest(request: MergeRequestRow, page: Page): Promise<{ rows: readonly PipelineJson[]; total: number }>;
  createForMergeRequest(subject: ProjectSubject, caller: Caller, request: MergeRequestRow): Promise<PipelineJson>;
}

const tag = 'Merge requests';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const iid = Int({ description: 'Internal id of the merge request' });
const one = Type.Object({ id, merge_request_iid: iid });
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';

/** The part of a pipeline that every object carries. */
const briefly = ({
  id,
  iid,
  project_id,
  sha,
  ref,
  status,
  source,
  created_at,
  updated_at,
  web_url,
}: PipelineJson): PipelineJson => ({ id, iid, project_id, sha, ref, status, source, created_at, updated_at, web_url });

function assignees(params: { assignee_id?: number; assignee_ids?: number[] }): number[] | undefined {
  const ids = params.assignee_ids ?? (params.assignee_id === undefined ? undefined : [params.assignee_id]);
  return ids?.filter((each) => each !== 0);
}

export function mergeRequestRoutes(
  deps: MergeRequestDependencies,
  service: MergeRequestService,
  pipelines: PipelineReader,
  rebases: Pick<ReturnType<typeof rebasing>, 'start'>,
): Route[] {
  const { db, repository } = deps;
  const urls = { base: deps.externalUrl };
  const { targetOf } = requestSources(deps);

  async function find(subject: ProjectSubject, number: number): Promise<MergeRequestRow> {
    const row = await queries.byIid(db, subject.project.id, number);
    if (!row) throw notFound('Merge Request');
    return row;
  }

  async function detail(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequestRow,
    extra: { diverged?: boolean | undefined; rebase?: boolean | undefined } = {},
  ): Promise<MergeRequestDetailJson> {
    const current = await service.refresh(subject, caller, row);
    const [loaded] = await queries.withPeople(db, [current.row]);
    if (!loaded) throw notFound('Merge Request');
    const head = current.row.head_pipeline_id === null ? null : await pipelines.detail(current.row.head_pipeline_id);
    const refs = current.row;
    const target = extra.diverged ? await repository.branch(subject.project, refs.target_branch) : null;
    return {
      ...mergeRequestJson(loaded, urls, current.status),
      subscribed: caller.user !== null && caller.user.id === row.author_id,
      changes_count: await changesCount(subject, refs),
      latest_build_started_at: head?.started_at ?? null,
      latest_build_finished_at: head?.finished_at ?? null,
      first_deployed_to_production_at: null,
      pipeline: head && briefly(head),
      head_pipeline: head,
      diff_refs:
        refs.base_sha && refs.head_sha && refs.start_sha
          ? { base_sha: refs.base_sha, head_sha: refs.head_sha, start_sha: refs.start_sha }
          : null,
      merge_error: refs.merge_error,
      ...(extra.rebase ? { rebase_in_progress: rebaseInProgress(current.row) } : {}),
      ...(target !== null && refs.head_sha
        ? { diverged_commits_count: await repository.ahead(subject.project, refs.head_sha, target) }
        : {}),
      ...(await conflictsOf(subject, caller, current.row)),
      first_contribution: false,
      user: { can_merge: row.state === 'opened' && (await repository.mayMerge(subject, caller, row.target_branch)) },
    };
  }

  /** Of the two commits that it was checked with. */
  async function conflictsOf(subject: ProjectSubject, caller: Caller, row: MergeRequestRow) {
    const [target, head] = row.checked_against?.split(':') ?? [];
    if (row.state !== 'opened' || !row.has_conflicts || !target || !head) return {};
    if (!canOnProject(caller, 'read_code', subject)) return {};
    return { conflicts: (await repository.conflicts(subject.project, target, head)).map(mergeConflict) };
  }

  /** Number of changed files as text, with a plus where the limit cut it; null before there are any. */
  async function changesCount(subject: ProjectSubject, row: MergeRequestRow): Promise<string | null> {
    if (row.base_sha === null || row.head_sha === null) return null;
    const files = await repository.changedFiles(subject.project, row.base_sha, row.head_sha);
    return files > 1000 ? '1000+' : String(files);
  }

  async function files(subject: ProjectSubject, row: MergeRequestRow) {
    if (row.base_sha === null || row.head_sha === null) return { files: [], overflow: false };
    return repository.diff(subject.project, row.base_sha, row.head_sha);
  }

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
        allow_collaboration: Optional(
          Bool({ description: 'Whether who may merge into the target may push to the source branch' }),
        ),
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
        const row = await service.create(target, caller, {
          source: subject,
          sourceBranch: params.source_branch,
          targetBranch: params.target_branch,
          title: params.title,
          description: params.description ?? null,
          squash: params.squash,
          removeSourceBranch: params.remove_source_branch,
          allowCollaboration: params.allow_collaboration ?? false,
          assigneeIds: assignees(params) ?? [],
          reviewerIds: params.reviewer_ids ?? [],
          labels: params.labels,
          milestone_id: params.milestone_id,
        });
        return detail(target, caller, row);
      },
    }),
    route({
      method: 'GET',
      path,
      summary: 'Get a merge request',
      tag,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        render_html: Optional(Bool({ description: 'Also give title and description as HTML' })),
        include_diverged_commits_count: Optional(
          Bool({ description: 'Also tell how many commits the source branch is behind' }),
        ),
        include_rebase_in_progress: Optional(Bool({ description: 'Also tell whether a rebase is in progress' })),
      }),
      responses: { 200: MergeRequestDetail },
      handler: async ({ params, subject, caller }) =>
        detail(subject, caller, await find(subject, params.merge_request_iid), {
          diverged: params.include_diverged_commits_count,
          rebase: params.include_rebase_in_progress,
        }),
    }),
    route({
      method: 'PUT',
      path,
      summary: 'Change, close or reopen a merge request',
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
        state_event: Optional(OneOf(['close', 'reopen'], { description: 'Close it or open it again' })),
        squash: Optional(Bool({ description: 'Whether the commits become one when merged' })),
        remove_source_branch: Optional(Bool({ description: 'Whether merging removes the source branch' })),
        allow_collaboration: Optional(
          Bool({ description: 'Whether who may merge into the target may push to the source branch' }),
        ),
        discussion_locked: Optional(Bool({ description: 'Whether only members may comment' })),
        ...people,
        ...planned,
        ...relabelled,
      }),
      responses: { 200: MergeRequestDetail },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        if (row.author_id !== caller.user?.id || caller.user === null)
          requireOnProject(caller, 'update_merge_request', subject);
        return detail(
          subject,
          caller,
          await service.update(subject, caller, row, { ...params, assignee_ids: assignees(params) }),
        );
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
        await transaction(db, (tx) => queries.deleteRow(tx, row.id));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/commits`,
      summary: 'List commits of a merge request',
      tag,
      credentials,
      access: read,
      pagination: 'offset',
      params: one,
      responses: { 200: ListOf(Commit) },
      handler: async ({ params, subject, page }) => {
        const row = await find(subject, params.merge_request_iid);
        if (row.base_sha === null || row.head_sha === null) return slicePage(page, []);
        const commits = await repository.commitsBetween(subject, row.base_sha, row.head_sha, {
          skip: page.offset,
          limit: page.limit,
        });
        return offsetPage(page, commits, await repository.ahead(subject.project, row.base_sha, row.head_sha));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/diffs`,
      summary: 'List changed files of a merge request',
      tag,
      credentials,
      access: read,
      pagination: 'offset',
      params: Type.Object({
        id,
        merge_request_iid: iid,
        unidiff: Optional(Bool({ description: 'Give diffs in the unified format' })),
      }),
      responses: { 200: ListOf(FileDiff) },
      handler: async ({ params, subject, page }) =>
        slicePage(page, (await files(subject, await find(subject, params.merge_request_iid))).files),
    }),
    route({
      method: 'GET',
      path: `${path}/changes`,
      summary: 'Get a merge request with its changed files',
      tag,
      deprecated: true,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        access_raw_diffs: Optional(Bool({ description: 'Whole files instead of the stored, shortened diffs' })),
      }),
      responses: { 200: MergeRequestChanges },
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        const changes = await files(subject, row);
        return { ...(await detail(subject, caller, row)), changes: changes.files, overflow: changes.overflow };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/versions`,
      summary: 'List versions of the changes',
      tag,
      credentials,
      access: read,
      pagination: 'offset',
      params: one,
      responses: { 200: ListOf(MergeRequestVersion) },
      handler: async ({ params, subject, page }) => {
        const row = await find(subject, params.merge_request_iid);
        const paged = slicePage(page, await queries.versions(db, row.id));
        return mapPageAsync(paged, async (each) =>
          versionJson(each, String(await repository.changedFiles(subject.project, each.base_sha, each.head_sha))),
        );
      },
    }),
    route({
      method: 'GET',
      path: `${path}/pipelines`,
      summary: 'List pipelines of a merge request',
      tag,
      credentials,
      access: read,
      pagination: 'offset',
      params: one,
      responses: { 200: ListOf(PipelineBasic) },
      handler: async ({ params, subject, caller, page }) => {
        requireOnProject(caller, 'read_pipeline', subject);
        const found = await pipelines.ofMergeRequest(await find(subject, params.merge_request_iid), page);
        return offsetPage(page, found.rows, found.total);
      },
    }),
    route({
      method: 'POST',
      path: `${path}/pipelines`,
      summary: 'Run a pipeline for a merge request',
      tag,
      credentials,
      access: read,
      params: one,
      responses: { 201: PipelineBasic },
      handler: async ({ params, subject, caller }) =>
        pipelines.createForMergeRequest(subject, caller, await find(subject, params.merge_request_iid)),
    }),
    route({
      method: 'PUT',
      path: `${path}/merge`,
      summary: 'Merge, or merge when the pipeline succeeds',
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
        auto_merge: Optional(Bool({ description: 'Merge when the pipeline succeeds' })),
      }),
      responses: { 200: MergeRequestDetail },
      errors: [405, 409, 422],
      handler: async ({ params, subject, caller }) => {
        const row = await service.accept(subject, caller, await find(subject, params.merge_request_iid), {
          mergeCommitMessage: params.merge_commit_message,
          squashCommitMessage: params.squash_commit_message,
          squash: params.squash,
          shouldRemoveSourceBranch: params.should_remove_source_branch,
          sha: params.sha,
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
      summary: 'Stop waiting for the pipeline',
      tag,
      credentials,
      access: { on: 'project', ability: 'update_merge_request' },
      params: one,
      responses: { 201: MergeRequestDetail },
      errors: [405],
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        return detail(subject, caller, await service.cancelAutoMerge(row, caller));
      },
    }),
  ];
}
