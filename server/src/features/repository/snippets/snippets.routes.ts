/** The API of snippets, of people and of projects. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Snippet as SnippetRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, invalidParameters, nestedError, notFound } from '../../../kernel/http/errors.ts';
import { atLeastOneOf, exactlyOneOf, mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  DateTimeParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { visibilities } from '../../namespaces/index.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { type SnippetSubject, seesSnippet, writesSnippet } from './access.ts';
import { snippetLists, snippetPresenter } from './listing.ts';
import { Snippet, UserAgentDetail } from './snippets.entity.ts';
import { findSnippet } from './snippets.queries.ts';
import type { SnippetFileAction, SnippetService } from './snippets.service.ts';

export interface SnippetRoutesDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly sshPrefix: () => string | null;
  readonly reader: RepositoryReader;
  readonly snippets: SnippetService;
  /** A project by id as a caller has it. */
  readonly projectAs: (id: number, caller: Caller) => Promise<ProjectSubject | null>;
}

const common = { credentials: ['token', 'session'], tag: 'Snippets' } as const;
const signedIn = { on: 'instance', ability: 'signed_in' } as const;
const path = Str({ minLength: 1, maxLength: 4096, description: 'Path of the file' });
const text = Str({ minLength: 1, description: 'What the file holds' });
const title = Str({ minLength: 1, description: 'Title of the snippet' });
const described = Optional(OrNull(Str({ maxLength: 1_048_576, description: 'Text in Markdown' })));
const visibility = OneOf(visibilities, { description: 'Who sees it; the default is a setting of the instance' });
const oldFile = {
  file_name: Optional(Str({ maxLength: 4096, description: 'Name of the one file; `files` has several' })),
  content: Optional(Str({ minLength: 1, description: 'What the one file holds' })),
};
const created = {
  title,
  description: described,
  ...oldFile,
  files: Optional(
    List(Type.Object({ file_path: path, content: text }), { maxItems: 100, description: 'The files, at most 10' }),
  ),
};
const changed = {
  title: Optional(title),
  description: described,
  visibility: Optional(visibility),
  ...oldFile,
  files: Optional(
    List(
      Type.Object({
        action: OneOf(['create', 'update', 'delete', 'move'], { description: 'What is done with the file' }),
        file_path: Optional(Str({ maxLength: 4096, description: 'Path of the file' })),
        previous_path: Optional(Str({ maxLength: 4096, description: 'Where a moved file was' })),
        content: Optional(Str({ description: 'Needed by `create` and `update`' })),
      }),
      { maxItems: 100, description: 'Changes of files, in order' },
    ),
  ),
};
const dates = {
  created_after: Optional(DateTimeParam({ description: 'Created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Created at or before this time' })),
};
const oneOf = rules(exactlyOneOf('files', 'content'));
const some = rules(
  atLeastOneOf('content', 'description', 'files', 'file_name', 'title', 'visibility'),
  mutuallyExclusive('files', 'content'),
  mutuallyExclusive('files', 'file_name'),
);
const ref = Str({ minLength: 1, maxLength: 1024, description: 'Branch, tag or commit' });

interface Given {
  readonly file_name?: string | undefined;
  readonly content?: string | undefined;
}

/** Whether a path leads out of a repository. */
const isOutside = (path: string) => path.startsWith('/') || path.split('/').includes('..');

function refuseOutside(files: ReadonlyArray<{ file_path?: string | undefined; previous_path?: string | undefined }>) {
  const wrong = files.flatMap((file, at) =>
    (['file_path', 'previous_path'] as const)
      .filter((name) => isOutside(file[name] ?? ''))
      .map((name) => `files[${at}][${name}] should be a valid file path`),
  );
  if (wrong.length > 0) throw invalidParameters(wrong);
}

function newFiles(
  given: Given & { readonly files?: ReadonlyArray<{ file_path: string; content: string }> | undefined },
) {
  if (given.files) {
    refuseOutside(given.files);
    return given.files;
  }
  if (!given.file_name) throw invalidParameters(['file_name is missing']);
  return [{ file_path: given.file_name, content: given.content ?? '' }];
}

/** Actions that have what they need; 422 for others, as the ecosystem answers. */
function checked(files: readonly SnippetFileAction[]): readonly SnippetFileAction[] {
  refuseOutside(files);
  const missing = files.flatMap(({ action, file_path, previous_path, content }, at) => [
    ...(file_path || action === 'delete' ? [] : [`files[${at}][file_path] is missing`]),
    ...(action === 'move' && !previous_path ? [`files[${at}][previous_path] is missing`] : []),
    ...(action === 'delete' && !file_path && !previous_path ? [`files[${at}][file_path] is missing`] : []),
    ...((action === 'create' || action === 'update') && content === undefined
      ? [`files[${at}][content] is missing`]
      : []),
  ]);
  if (missing.length > 0) throw nestedError(422, `Snippet files have invalid data: ${missing.join(', ')}`);
  return files;
}

/** The actions of a change, also where it names the one file by the old parameters. */
function changedFiles(
  { files: paths }: SnippetRow,
  given: Given & { readonly files?: readonly SnippetFileAction[] | undefined },
): readonly SnippetFileAction[] {
  if (given.files) return checked(given.files);
  const { file_name: name, content } = given;
  if (name === undefined && content === undefined) return [];
  const [only, another] = paths;
  if (another !== undefined || only === undefined)
    throw nestedError(400, 'To update Snippets with multiple files, you must use the `files` parameter');
  if (name !== undefined && name !== '' && name !== only)
    return [{ action: 'move', previous_path: only, file_path: name, content }];
  return content === undefined ? [] : [{ action: 'update', file_path: only, content }];
}

export function snippetRoutes(deps: SnippetRoutesDependencies): Route[] {
  const { db, reader, snippets } = deps;

  const shown = snippetPresenter(deps);
  const listed = snippetLists(deps);
  async function one(row: SnippetRow) {
    const [found] = await shown([row]);
    if (!found) throw notFound('Snippet');
    return found;
  }
  /** One that the caller sees: of the project, or of any where none is given. */
  async function find(id: number, caller: Caller, place: ProjectSubject | null): Promise<SnippetSubject> {
    const snippet = await findSnippet(db, id);
    if (!snippet || (place !== null && snippet.project_id !== place.project.id)) throw notFound('Snippet');
    const at = snippet.project_id === null ? null : (place ?? (await deps.projectAs(snippet.project_id, caller)));
    const subject = { snippet, place: at };
    if ((snippet.project_id !== null && at === null) || !seesSnippet(caller, subject)) throw notFound('Snippet');
    return subject;
  }
  async function writable(id: number, caller: Caller, place: ProjectSubject | null): Promise<SnippetSubject> {
    const subject = await find(id, caller, place);
    if (!writesSnippet(caller, subject)) throw forbidden();
    return subject;
  }
  async function raw({ snippet }: SnippetSubject, revision: string | null, file: string, signal: AbortSignal) {
    if (isOutside(file)) throw invalidParameters(['file_path should be a valid file path']);
    const name = revision ?? snippet.default_branch ?? 'main';
    const sha = await reader.resolve(snippet, revision === null ? `refs/heads/${name}` : name);
    if (sha === null) throw notFound('Reference');
    const blob = await reader.blob(snippet, sha, file);
    if (!blob) throw notFound('File');
    return streamed(
      async () => Readable.from(await reader.blobStream(snippet, blob.id, signal), { objectMode: false }),
      'text/plain; charset=utf-8',
      {
        ETag: `"${blob.id}"`,
        'Content-Length': String(blob.size),
        'Content-Disposition': `inline; filename*=UTF-8''${encodeURIComponent(file.split('/').at(-1) ?? 'file')}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
      },
    );
  }
  const origin = (request: FastifyRequest, clientAddress: string) => ({
    userAgent: request.headers['user-agent'] ?? null,
    address: clientAddress,
  });
  function agentOf({ user_agent, ip_address }: SnippetRow) {
    if (user_agent === null) throw notFound('UserAgentDetail');
    return { user_agent, ip_address, akismet_submitted: false };
  }

  const lists = [
    route({
      ...common,
      method: 'GET',
      path: '/snippets',
      summary: 'List your snippets',
      access: signedIn,
      params: Type.Object(dates),
      pagination: 'offset',
      responses: { 200: ListOf(Snippet) },
      handler: ({ params, caller, page }) =>
        listed(
          caller,
          { authorId: caller.user?.id ?? 0, createdAfter: params.created_after, createdBefore: params.created_before },
          page,
        ),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/snippets/public',
      summary: 'List public snippets',
      access: signedIn,
      params: Type.Object(dates),
      pagination: 'offset',
      responses: { 200: ListOf(Snippet) },
      handler: ({ params, caller, page }) =>
        listed(caller, { open: true, createdAfter: params.created_after, createdBefore: params.created_before }, page),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/snippets/all',
      summary: 'List all snippets that you can see',
      access: signedIn,
      params: Type.Object({
        ...dates,
        repository_storage: Optional(
          Str({ maxLength: 255, description: 'Only those in this storage; for administrators' }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Snippet) },
      handler: ({ params, caller, page }) =>
        listed(
          caller,
          {
            createdAfter: params.created_after,
            createdBefore: params.created_before,
            storage: caller.admin ? params.repository_storage : undefined,
          },
          page,
        ),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/snippets',
      summary: 'Create a personal snippet',
      access: signedIn,
      params: Type.Object({ ...created, visibility: Optional(visibility) }, oneOf),
      responses: { 201: Snippet },
      errors: [409],
      handler: async ({ params, caller, request, clientAddress }) => {
        if (caller.user?.external) throw forbidden();
        const { title, description, visibility } = params;
        const values = { title, description, visibility, files: newFiles(params) };
        return await one(await snippets.create(null, caller, { ...values, ...origin(request, clientAddress) }));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/snippets',
      summary: 'List snippets of a project',
      access: { on: 'project', ability: 'read_snippet' },
      params: Type.Object({ id: IdOrPath('Project') }),
      pagination: 'offset',
      responses: { 200: ListOf(Snippet) },
      handler: ({ subject, caller, page }) => listed(caller, { place: subject }, page),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/snippets',
      summary: 'Create a snippet of a project',
      access: { on: 'project', ability: 'create_snippet' },
      params: Type.Object({ id: IdOrPath('Project'), ...created, visibility }, oneOf),
      responses: { 201: Snippet },
      errors: [409],
      handler: async ({ params, subject, caller, request, clientAddress }) => {
        const { title, description, visibility } = params;
        const values = { title, description, visibility, files: newFiles(params) };
        return await one(await snippets.create(subject, caller, { ...values, ...origin(request, clientAddress) }));
      },
    }),
  ];

  const numbered = { id: Int({ description: 'Id of the snippet' }) };
  const inProject = { id: IdOrPath('Project'), snippet_id: Int({ description: 'Id of the snippet' }) };
  const anybody = { on: 'public' } as const;
  const reads = { on: 'project', ability: 'read_snippet' } as const;
  const file = { ref, file_path: Str({ minLength: 1, maxLength: 4096, description: 'Path of the file, URL-encoded' }) };
  const first = ({ snippet }: SnippetSubject) => snippet.files[0] ?? '';
  const plain = { responses: { 200: Binary }, media: ['text/plain'] };
  const conditional = { conditional: true, responses: { 204: Empty } } as const;

  return [
    ...lists,
    route({
      ...common,
      method: 'GET',
      path: '/snippets/:id',
      summary: 'Get a snippet',
      access: anybody,
      params: Type.Object(numbered),
      responses: { 200: Snippet },
      handler: async ({ params, caller }) => await one((await find(params.id, caller, null)).snippet),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id',
      summary: 'Get a snippet of a project',
      access: reads,
      params: Type.Object(inProject),
      responses: { 200: Snippet },
      handler: async ({ params, subject, caller }) =>
        await one((await find(params.snippet_id, caller, subject)).snippet),
    }),
    route({
      ...common,
      ...plain,
      method: 'GET',
      path: '/snippets/:id/raw',
      summary: 'Get the first file of a snippet',
      access: anybody,
      params: Type.Object(numbered),
      handler: async ({ params, caller, signal }) => {
        const subject = await find(params.id, caller, null);
        return await raw(subject, null, first(subject), signal);
      },
    }),
    route({
      ...common,
      ...plain,
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/raw',
      summary: 'Get the first file of a snippet of a project',
      access: reads,
      params: Type.Object(inProject),
      handler: async ({ params, subject, caller, signal }) => {
        const found = await find(params.snippet_id, caller, subject);
        return await raw(found, null, first(found), signal);
      },
    }),
    route({
      ...common,
      ...plain,
      method: 'GET',
      path: '/snippets/:id/files/:ref/:file_path/raw',
      summary: 'Get a file of a snippet',
      access: anybody,
      params: Type.Object({ ...numbered, ...file }),
      handler: async ({ params, caller, signal }) =>
        await raw(await find(params.id, caller, null), params.ref, params.file_path, signal),
    }),
    route({
      ...common,
      ...plain,
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw',
      summary: 'Get a file of a snippet of a project',
      access: reads,
      params: Type.Object({ ...inProject, ...file }),
      handler: async ({ params, subject, caller, signal }) =>
        await raw(await find(params.snippet_id, caller, subject), params.ref, params.file_path, signal),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/snippets/:id',
      summary: 'Update a snippet',
      access: signedIn,
      params: Type.Object({ ...numbered, ...changed }, some),
      responses: { 200: Snippet },
      errors: [409, 422],
      handler: async ({ params, caller }) => {
        const subject = await writable(params.id, caller, null);
        const { title, description, visibility } = params;
        const files = changedFiles(subject.snippet, params);
        return await one(await snippets.update(subject, caller, { title, description, visibility, files }));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/snippets/:snippet_id',
      summary: 'Update a snippet of a project',
      access: reads,
      params: Type.Object({ ...inProject, ...changed }, some),
      responses: { 200: Snippet },
      errors: [409, 422],
      handler: async ({ params, subject: place, caller }) => {
        const subject = await writable(params.snippet_id, caller, place);
        const { title, description, visibility } = params;
        const files = changedFiles(subject.snippet, params);
        return await one(await snippets.update(subject, caller, { title, description, visibility, files }));
      },
    }),
    route({
      ...common,
      ...conditional,
      method: 'DELETE',
      path: '/snippets/:id',
      summary: 'Delete a snippet',
      access: signedIn,
      params: Type.Object(numbered),
      handler: async ({ params, caller, unmodifiedSince }) => {
        const { snippet } = await writable(params.id, caller, null);
        unmodifiedSince(snippet.updated_at);
        await snippets.remove(snippet, caller);
      },
    }),
    route({
      ...common,
      ...conditional,
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id',
      summary: 'Delete a snippet of a project',
      access: reads,
      params: Type.Object(inProject),
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const { snippet } = await writable(params.snippet_id, caller, subject);
        unmodifiedSince(snippet.updated_at);
        await snippets.remove(snippet, caller);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/snippets/:id/user_agent_detail',
      summary: 'Get the user agent that created a snippet',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object(numbered),
      responses: { 200: UserAgentDetail },
      handler: async ({ params, caller }) => agentOf((await find(params.id, caller, null)).snippet),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/user_agent_detail',
      summary: 'Get the user agent that created a snippet of a project',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object(inProject),
      responses: { 200: UserAgentDetail },
      handler: async ({ params, caller }) => {
        const { snippet, place } = await find(params.snippet_id, caller, null);
        const names = place === null ? [] : [String(place.project.id), projectPath(place)];
        if (!names.includes(String(params.id))) throw notFound('Snippet');
        return agentOf(snippet);
      },
    }),
  ];
}

const projectPath = ({ namespace, project }: ProjectSubject): string => `${namespace.full_path}/${project.path}`;
