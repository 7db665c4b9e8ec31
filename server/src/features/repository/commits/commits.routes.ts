/** The API of commits: list, create, look, diff, refs. */

import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, offsetPage, slicePage } from '../../../kernel/http/pagination.ts';
import { mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateTimeParam,
  IdOrPath,
  List,
  OneOf,
  Optional,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { LogFilter, RepositoryReader } from '../reading/reader.ts';
import { CommitDetail, CommitRef, FileDiff, ListedCommit } from './commits.entity.ts';
import { commitJson, unified } from './commits.json.ts';
import { newestPipelines } from './commits.queries.ts';
import type { CommitService } from './commits.service.ts';
import type { CommitDetails } from './detail.ts';

export interface CommitRoutesDependencies {
  readonly db: Db;
  readonly details: CommitDetails;
  readonly reader: RepositoryReader;
  readonly commits: CommitService;
  /** The project of a start point; undefined for the project itself. Refuses what the caller may not read, or is no relative. */
  readonly startProject: (
    subject: ProjectSubject,
    idOrPath: string,
    caller: Caller,
  ) => Promise<ProjectSubject | undefined>;
}

const tag = 'Commits';
const id = IdOrPath('Id or path of the project');
const sha = Str({ description: 'Hash, branch or tag' });
const readCode = { on: 'project', ability: 'read_code' } as const;
const credentials = ['token', 'session'] as const;

/** Refs that lead to commits of merge requests, and of nothing else that has not refs of its own. */
const ofRequests = ['refs/merge-requests', 'refs/pipelines'];

const commitAction = Type.Object({
  action: OneOf(['create', 'delete', 'move', 'update', 'chmod'], { description: 'What is done with the file' }),
  file_path: Str({ minLength: 1, maxLength: 4096, description: 'Full path' }),
  previous_path: Optional(Str({ maxLength: 4096, description: 'Where a moved file was' })),
  content: Optional(Str({ description: 'Needed by `create` and `update`' })),
  encoding: Optional(OneOf(['text', 'base64'], { default: 'text', description: 'How `content` is written' })),
  last_commit_id: Optional(Str({ description: 'Last known commit of the file' })),
  execute_filemode: Optional(Bool({ description: 'Only for `chmod`, which needs it' })),
});

export function commitRoutes(deps: CommitRoutesDependencies): Route[] {
  const { reader, details } = deps;
  const { urlOf, resolved } = details;

  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits',
      summary: 'List commits',
      tag,
      credentials,
      access: readCode,
      pagination: 'offset',
      params: Type.Object({
        id,
        ref_name: Optional(Str({ description: 'Branch, tag or revision range; the default branch when absent' })),
        since: Optional(DateTimeParam({ description: 'Only commits at or after this time' })),
        until: Optional(DateTimeParam({ description: 'Only commits at or before this time' })),
        path: Optional(Str({ maxLength: 4096, description: 'Only what is below this path' })),
        follow: Optional(Bool({ description: 'Follow renames of `path`' })),
        author: Optional(
          Str({ maxLength: 255, description: 'Only commits whose author, as `Name <email>`, contains this text' }),
        ),
        all: Optional(Bool({ description: 'From every ref' })),
        with_stats: Optional(Bool({ description: 'Also give numbers of added and removed lines' })),
        first_parent: Optional(Bool({ description: 'Follow only the first parent of merge commits' })),
        order: Optional(
          OneOf(['default', 'topo'], {
            default: 'default',
            description: 'Order of commits: by date, or children before parents',
          }),
        ),
        trailers: Optional(Bool({ description: 'Also give the trailers of messages' })),
        with_pipelines: Optional(Bool({ description: 'Also give the newest pipeline of each commit' })),
      }),
      responses: { 200: ListOf(ListedCommit) },
      handler: async ({ params, subject, caller, page }) => {
        const project = subject.project;
        const range = await revisionRange(reader, subject, params.ref_name || undefined, params.all ?? false);
        if (!range) return slicePage(page, []);
        const found = await reader.log(project, {
          ...range,
          // Who may not see merge requests learns nothing of what waits in them.
          hidden: canOnProject(caller, 'read_merge_request', subject) ? [] : ofRequests,
          path: params.path,
          follow: params.follow,
          since: params.since,
          until: params.until,
          author: params.author,
          firstParent: params.first_parent,
          topological: params.order === 'topo',
          skip: page.offset,
          limit: page.limit,
        });
        // History is never counted: a page knows only whether there is another.
        const base = urlOf(subject);
        const paged = offsetPage(page, found, null);
        const ids = canOnProject(caller, 'read_pipeline', subject) ? paged.items.map((commit) => commit.id) : [];
        const pipelines = params.with_pipelines ? await newestPipelines(deps.db, project.id, ids) : null;
        return mapPageAsync(paged, async (commit) => ({
          ...commitJson(commit, base, {
            stats: params.with_stats ? await reader.stats(project, commit.id) : undefined,
            trailers: params.trailers,
          }),
          ...(pipelines ? { pipeline: pipelines.get(commit.id) ?? null } : {}),
        }));
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits',
      summary: 'Create a commit with several actions',
      tag,
      credentials,
      scopes: ['api'],
      access: { on: 'project', ability: 'push_code' },
      params: Type.Object(
        {
          id,
          branch: Str({
            minLength: 1,
            maxLength: 1024,
            description:
              'Branch that the commit is made on; created from `start_branch` or `start_sha` when it is missing',
          }),
          commit_message: Str({ minLength: 1, maxLength: 1_048_576, description: 'Message of the commit' }),
          actions: List(commitAction, {
            maxItems: 10_000,
            description: 'The changes of files that make the commit, in order; none only with `allow_empty`',
          }),
          allow_empty: Optional(Bool({ default: false, description: 'Make the commit also with no `actions`' })),
          start_branch: Optional(Str({ minLength: 1, description: 'Branch that a new branch starts from' })),
          start_sha: Optional(Str({ minLength: 1, description: 'Commit that a new branch starts from' })),
          start_project: Optional(IdOrPath('Id or path of the project that the start point is in; the project itself')),
          author_email: Optional(Str({ maxLength: 255, description: "The author's email; the caller's by default" })),
          author_name: Optional(Str({ maxLength: 255, description: "The author's name; the caller's by default" })),
          stats: Optional(Bool({ default: true, description: 'Also give numbers of added and removed lines' })),
          force: Optional(
            Bool({ default: false, description: 'Replace the branch by a new one from `start_branch` or `start_sha`' }),
          ),
        },
        rules(mutuallyExclusive('start_branch', 'start_sha')),
      ),
      responses: { 201: CommitDetail },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        // A list that came out empty by mistake shall not leave a commit behind.
        if (params.actions.length === 0 && !params.allow_empty) throw invalidParameters(['actions is empty']);
        const startProject =
          params.start_project === undefined
            ? undefined
            : await deps.startProject(subject, params.start_project, caller);
        const made = await deps.commits.create(subject, caller, {
          branch: params.branch,
          message: params.commit_message,
          // The bit is chmod's alone.
          actions: params.actions.map(({ execute_filemode, ...action }) =>
            action.action === 'chmod' && execute_filemode !== undefined ? { ...action, execute_filemode } : action,
          ),
          startBranch: params.start_branch,
          startSha: params.start_sha,
          startProject,
          authorName: params.author_name,
          authorEmail: params.author_email,
          force: params.force ?? false,
        });
        return details.of(subject, caller, made, params.stats ?? true);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha',
      summary: 'Get a commit',
      tag,
      credentials: ['token', 'session', 'job'],
      access: readCode,
      params: Type.Object({
        id,
        sha,
        stats: Optional(Bool({ default: true, description: 'Also give numbers of added and removed lines' })),
      }),
      responses: { 200: CommitDetail },
      handler: async ({ params, subject, caller }) =>
        details.of(subject, caller, await resolved(subject, params.sha), params.stats ?? true),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/diff',
      summary: 'Get the changed files of a commit',
      tag,
      credentials,
      access: readCode,
      pagination: 'offset',
      params: Type.Object({ id, sha, unidiff: Optional(Bool({ description: 'Give diffs in the unified format' })) }),
      responses: { 200: ListOf(FileDiff) },
      handler: async ({ params, subject, page }) => {
        const commitId = await resolved(subject, params.sha);
        const { files } = await deps.commits.diffOfCommit(subject.project, commitId);
        return slicePage(page, params.unidiff ? files.map(unified) : files);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/refs',
      summary: 'List branches and tags that contain a commit',
      tag,
      credentials,
      access: readCode,
      pagination: 'offset',
      params: Type.Object({
        id,
        sha,
        type: Optional(OneOf(['branch', 'tag', 'all'], { default: 'all', description: 'Only branches, or only tags' })),
      }),
      responses: { 200: ListOf(CommitRef) },
      handler: async ({ params, subject, page }) => {
        const commitId = await resolved(subject, params.sha);
        const kinds = params.type === 'branch' || params.type === 'tag' ? [params.type] : (['branch', 'tag'] as const);
        const names = await Promise.all(
          kinds.map(async (type) =>
            (await reader.containing(subject.project, commitId, type)).map((name) => ({ type, name })),
          ),
        );
        return slicePage(page, names.flat());
      },
    }),
  ];
}

/** Start and excluded commits of `main`, `a..b`, `a...b`, everything, or the default branch; null when a name is unknown. */
async function revisionRange(
  reader: RepositoryReader,
  subject: ProjectSubject,
  refName: string | undefined,
  all: boolean,
): Promise<Pick<LogFilter, 'from' | 'not' | 'either'> | null> {
  const project = subject.project;
  if (all) return { from: null };
  const text = refName ?? project.default_branch ?? 'HEAD';
  const direct = await reader.resolve(project, text);
  if (direct !== null) return { from: [direct] };
  const range = /^(.*?)(\.\.\.?)(.*)$/.exec(text);
  if (!range) {
    // An empty repository has no commits; an unknown name in one with commits is an error.
    if (refName === undefined) return null;
    throw notFound('Ref');
  }
  const [, left, dots, right] = range as unknown as [string, string, string, string];
  const name = (side: string) => (side === '' ? (project.default_branch ?? 'HEAD') : side);
  const [a, b] = await Promise.all([reader.resolve(project, name(left)), reader.resolve(project, name(right))]);
  if (a === null || b === null) throw notFound('Ref');
  if (dots === '..') return { from: [b], not: [a] };
  return { from: [], either: [a, b] };
}
