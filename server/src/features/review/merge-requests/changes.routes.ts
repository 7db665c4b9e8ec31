/** What a merge request brings: its commits, changed files and pipelines. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage, type Page, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { PipelineBasic, type PipelineDetailJson, type PipelineJson } from '../../ci/index.ts';
import { Commit, FileDiff, unified } from '../../repository/index.ts';
import type { MergeRequestDetailOf } from './detail.ts';
import { MergeRequestChanges } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { changesSince } from './since-version.ts';

/** What the routes need of pipelines; the JSON is the pipelines' own. */
export interface PipelineReader {
  detail(id: number): Promise<PipelineDetailJson | null>;
  ofMergeRequest(request: MergeRequest, page: Page): Promise<{ rows: readonly PipelineJson[]; total: number }>;
  createForMergeRequest(subject: ProjectSubject, caller: Caller, request: MergeRequest): Promise<PipelineJson>;
  countOfMergeRequest(request: MergeRequest): Promise<number>;
  reportsOfMergeRequest(request: MergeRequest): Promise<string[]>;
  /** Makes one in the background, with the caller's rights at that time. */
  requestForMergeRequest(subject: ProjectSubject, caller: Caller, request: MergeRequest): Promise<void>;
}

interface DiffWishes {
  readonly ignoreWhitespace?: true;
  readonly whole?: true;
}

/** Nothing for who asks for nothing: the same key, so that what is cached is shared. */
const diffWishes = (params: { ignore_whitespace?: boolean; access_raw_diffs?: boolean }): DiffWishes => ({
  ...(params.ignore_whitespace ? { ignoreWhitespace: true } : {}),
  ...(params.access_raw_diffs ? { whole: true } : {}),
});

const tag = 'Merge requests';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const iid = Int({ description: 'Internal id of the merge request' });
const one = Type.Object({ id, merge_request_iid: iid });
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';
const access_raw_diffs = Optional(
  Bool({ description: 'Whole files, also those that are left out as too large otherwise' }),
);

export function changesRoutes(
  { db, repository }: Pick<MergeRequestDependencies, 'db' | 'repository'>,
  pipelines: PipelineReader,
  detail: MergeRequestDetailOf,
): Route[] {
  const find = (subject: ProjectSubject, number: number): Promise<MergeRequest> =>
    queries.requireByIid(db, subject.project.id, number);

  async function files(subject: ProjectSubject, row: MergeRequest, options: DiffWishes = {}) {
    if (row.base_sha === null || row.head_sha === null) return { files: [], overflow: false };
    return repository.diff(subject.project, row.base_sha, row.head_sha, options);
  }

  return [
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
        return offsetPage(
          page,
          commits,
          (await repository.divergence(subject.project, row.base_sha, row.head_sha)).ahead,
        );
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
        access_raw_diffs,
        ignore_whitespace: Optional(Bool({ description: 'Leave out changes of white space alone' })),
        since_version: Optional(Int({ description: 'Only what changed since the version with this id' })),
      }),
      responses: { 200: ListOf(FileDiff) },
      handler: async ({ params, subject, page }) => {
        const row = await find(subject, params.merge_request_iid);
        const { since_version: since } = params;
        const options = diffWishes(params);
        const changes =
          since === undefined
            ? await files(subject, row, options)
            : await changesSince({ db, repository }, subject.project, row, since, options);
        const paged = slicePage(page, changes.files);
        return params.unidiff ? mapPage(paged, unified) : paged;
      },
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
        access_raw_diffs,
        unidiff: Optional(Bool({ description: 'Give diffs in the unified format' })),
      }),
      responses: { 200: MergeRequestChanges },
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        const changes = await files(subject, row, diffWishes(params));
        const shown = params.unidiff ? changes.files.map(unified) : changes.files;
        return { ...(await detail(subject, caller, row)), changes: shown, overflow: changes.overflow };
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
      params: Type.Object({
        id,
        merge_request_iid: iid,
        async: Optional(Bool({ description: 'Answer 202 at once; the pipeline is made in the background' })),
      }),
      responses: { 201: PipelineBasic, 202: Empty },
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, params.merge_request_iid);
        if (!params.async) return pipelines.createForMergeRequest(subject, caller, row);
        await pipelines.requestForMergeRequest(subject, caller, row);
        return answer(202, undefined);
      },
    }),
  ];
}
