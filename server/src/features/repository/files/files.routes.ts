/** The API of trees and files. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound, tooLarge } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { baseOf, isMarkdownFile, type Markdown } from '../../../kernel/markdown/index.ts';
import { byPath, pageOfList } from '../reading/positions.ts';
import type { RepositoryReader, TreeItem } from '../reading/reader.ts';
import { factHeaders, fileFacts, finder, revisionOf } from './facts.ts';
import { RepositoryFile, TreeEntry } from './files.entity.ts';
import { filePath } from './files.params.ts';
import { type LargeFilesDependencies, largeFiles } from './large-files.ts';

export interface FileRoutesDependencies extends LargeFilesDependencies {
  readonly reader: RepositoryReader;
  readonly markdown: Pick<Markdown, 'html'>;
  /** Files above this many bytes are not put into JSON; raw streams any size. */
  readonly maximumContentBytes: number;
}

const id = IdOrPath('Id or path of the project');
const readCode = { on: 'project', ability: 'read_code' } as const;
const credentials = ['token', 'session'] as const;
const scopes = ['api', 'read_api', 'read_repository'];
export function fileRoutes(deps: FileRoutesDependencies): Route[] {
  const { reader } = deps;

  const { file } = finder(reader);
  const facts = fileFacts(reader);
  const largeFile = largeFiles(deps);

  /** A Markdown file as HTML, its links relative to the ref that was asked for; null for other files. */
  async function htmlOf(
    subject: ProjectSubject,
    caller: Caller,
    { file_path: path, ref }: { readonly file_path: string; readonly ref: string },
    content: Buffer,
  ): Promise<string | null> {
    if (!isMarkdownFile(path)) return null;
    const folder = path.split('/').slice(0, -1).join('/');
    return await deps.markdown.html(content.toString('utf8'), { caller, base: baseOf(subject, ref, folder) });
  }

  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tree',
      summary: 'List files and directories',
      tag: 'Repositories',
      credentials,
      access: readCode,
      pagination: 'token',
      params: Type.Object({
        id,
        path: Optional(Str({ maxLength: 4096, description: 'Only what is below this path' })),
        ref: Optional(Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' })),
        recursive: Optional(Bool({ default: false, description: 'Also what is in the folders below' })),
        pagination: Optional(
          OneOf(['keyset', 'offset', 'legacy', 'none'], {
            description: '`keyset` pages by `page_token`, `none` answers everything at once',
          }),
        ),
      }),
      responses: { 200: ListOf(TreeEntry) },
      handler: async ({ params, subject, page }) => {
        if (params.pagination === 'none' && !params.recursive)
          throw invalidParameters(['pagination cannot be "none" unless "recursive" is true']);
        const sha = await reader.resolve(subject.project, revisionOf(subject, params.ref));
        if (sha === null) throw notFound('Tree');
        const path = (params.path ?? '').replace(/^\/+|\/+$/g, '');
        const entries = await reader.tree(subject.project, sha, path, params.recursive ?? false);
        if (!entries) throw notFound('invalid revision or path');
        const ordered = params.recursive ? entries : directoriesFirst(entries);
        if (params.pagination === 'none') return ordered;
        return pageOfList(page, ordered, byPath(ordered, !params.recursive));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path',
      summary: 'Get a file with its content',
      tag: 'Repository files',
      credentials,
      scopes,
      access: readCode,
      params: Type.Object({
        id,
        file_path: filePath,
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag; HEAD is the default branch' }),
        render_html: Optional(Bool({ description: 'Also give a Markdown file as HTML' })),
      }),
      responses: { 200: RepositoryFile },
      handler: async ({ params, subject, caller, header, request, signal }) => {
        const found = await file(subject, params.file_path, params.ref);
        const content = await reader.blobContent(subject.project, found.blob.id, deps.maximumContentBytes);
        // HEAD tells of any file, and where GET has an answer, of that one.
        if (!content && request.method !== 'HEAD') throw tooLarge('max_file_content_bytes', deps.maximumContentBytes);
        const told = await facts(subject, found, signal);
        for (const [name, value] of factHeaders(told)) header(name, value);
        const html = params.render_html && content ? { html: await htmlOf(subject, caller, params, content) } : {};
        return { ...told, content: content?.toString('base64') ?? '', ...html };
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path/raw',
      summary: 'Get the raw content of a file',
      rate: 'raw_blob',
      tag: 'Repository files',
      credentials: ['token', 'session', 'job'],
      scopes,
      access: readCode,
      params: Type.Object({
        id,
        file_path: filePath,
        ref: Optional(Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' })),
        lfs: Optional(Bool({ description: 'Send the object that an LFS pointer stands for' })),
      }),
      responses: { 200: Binary, 206: Binary, 302: Empty },
      errors: [416],
      media: ['text/plain', 'application/octet-stream'],
      handler: async ({ params, subject, signal, request }) => {
        const found = await file(subject, params.file_path, params.ref);
        const large = params.lfs ? await largeFile(subject, found, request) : null;
        if (large) return large;
        // What takes a walk through the history, or the whole of a large file, is told to those who ask for it alone.
        const told =
          request.method === 'HEAD'
            ? await facts(subject, found, signal)
            : await facts.cheap(subject, found, deps.maximumContentBytes, signal);
        return streamed(() => reader.blobStream(subject.project, found.blob.id, signal), 'text/plain', {
          ETag: `"${found.blob.id}"`,
          'Content-Length': String(found.blob.size),
          'Content-Disposition': `inline; filename*=UTF-8''${encodeURIComponent(params.file_path.split('/').at(-1) ?? 'file')}`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          ...Object.fromEntries(factHeaders(told)),
        });
      },
    }),
  ];
}

/** The order of trees. */
export const directoriesFirst = (entries: readonly TreeItem[]): TreeItem[] => [
  ...entries.filter((entry) => entry.type === 'tree'),
  ...entries.filter((entry) => entry.type !== 'tree'),
];
