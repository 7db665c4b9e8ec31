/** The API of trees and files. */
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { HttpError, invalidParameters, notFound, tooLarge } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { rangeOf } from '../../../kernel/http/ranges.ts';
import {
  type Answer,
  Binary,
  Empty,
  elsewhere,
  type Route,
  redirectSeconds,
  route,
  type Streamed,
  streamed,
} from '../../../kernel/http/route.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { type LfsObjects, longestPointer } from '../lfs/index.ts';
import { byPath, pageOfList } from '../reading/positions.ts';
import type { RepositoryReader, TreeItem } from '../reading/reader.ts';
import { type FoundFile, factHeaders, fileFacts, finder, revisionOf } from './facts.ts';
import { RepositoryFile, TreeEntry } from './files.entity.ts';
import { filePath } from './files.params.ts';

export interface FileRoutesDependencies {
  readonly reader: RepositoryReader;
  readonly lfs: Pick<LfsObjects, 'behind'>;
  readonly objects: Pick<ObjectStore, 'get' | 'size' | 'signedUrl'>;
  /** Files above this many bytes are not put into JSON; raw streams any size. */
  readonly maximumContentBytes: number;
}

const id = IdOrPath('Id or path of the project');
const readCode = { on: 'project', ability: 'read_code' } as const;
const credentials = ['token', 'session', 'job'] as const;
const scopes = ['api', 'read_api', 'read_repository'];
export function fileRoutes(deps: FileRoutesDependencies): Route[] {
  const { reader } = deps;

  const { file } = finder(reader);
  const facts = fileFacts(reader);

  /** The object of Git LFS that a file stands for; null for files that stand for themselves. */
  async function largeFile(
    subject: ProjectSubject,
    { blob, path, sha }: FoundFile,
    request: FastifyRequest,
  ): Promise<Streamed | Answer | null> {
    const content = await reader.blobContent(subject.project, blob.id, longestPointer);
    const object = content && (await deps.lfs.behind(subject, content));
    if (!object) return null;
    const { oid, size, object_key: key } = object;
    const [type, filename] = ['application/octet-stream', path.split('/').at(-1) ?? oid];
    const address =
      request.method === 'GET'
        ? await deps.objects.signedUrl(key, { seconds: redirectSeconds, filename, contentType: type })
        : null;
    if (address !== null) return elsewhere(address);
    if ((await deps.objects.size(key)) === null) throw notFound('LFS Object');
    const etag = `"${oid}"`;
    const same = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const range = same ? rangeOf(request.headers.range, size) : null;
    if (range === 'outside')
      throw new HttpError(
        416,
        { message: `416 Range Not Satisfiable - the file has ${size} bytes` },
        { 'Content-Range': `bytes */${size}` },
      );
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const open = async () => (range ? deps.objects.get(key, range) : deps.objects.get(key));
    const headers = {
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Length': String(end - start + 1),
      ...(range ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
      'Content-Disposition': attachment(filename),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      [`${headerPrefix}Blob-Id`]: blob.id,
      [`${headerPrefix}Commit-Id`]: sha,
      [`${headerPrefix}Size`]: String(size),
    };
    return streamed(open, type, headers, range ? 206 : 200);
  }

  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tree',
      summary: 'List files and directories',
      tag: 'Repositories',
      credentials: ['token', 'session'],
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
      }),
      responses: { 200: RepositoryFile },
      handler: async ({ params, subject, header, request, signal }) => {
        const found = await file(subject, params.file_path, params.ref);
        const content = await reader.blobContent(subject.project, found.blob.id, deps.maximumContentBytes);
        // HEAD tells of any file, and where GET has an answer, of that one.
        if (!content && request.method !== 'HEAD') throw tooLarge('max_file_content_bytes', deps.maximumContentBytes);
        const told = await facts(subject, found, signal);
        for (const [name, value] of factHeaders(told)) header(name, value);
        return { ...told, content: content?.toString('base64') ?? '' };
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path/raw',
      summary: 'Get the bytes of a file',
      rate: 'raw_blob',
      tag: 'Repository files',
      credentials,
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
