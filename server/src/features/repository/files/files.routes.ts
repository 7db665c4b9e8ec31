/** The API of trees, files and archives. */
import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { etagOf } from '../../../kernel/http/conditional.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound, tooLarge } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import { byPath, pageOfList } from '../reading/positions.ts';
import type { ArchiveFormat, RepositoryReader, TreeItem } from '../reading/reader.ts';
import { RepositoryFile, TreeEntry } from './files.entity.ts';

export interface FileRoutesDependencies {
  readonly reader: RepositoryReader;
  /** Files above this many bytes are not put into JSON; raw streams any size. */
  readonly maximumContentBytes: number;
}

const id = IdOrPath('Id or path of the project');
const readCode = { on: 'project', ability: 'read_code' } as const;
const credentials = ['token', 'session', 'job'] as const;
const scopes = ['api', 'read_api', 'read_repository'];
const filePath = Str({ minLength: 1, maxLength: 4096, description: 'Path of the file, URL-encoded' });
const formats = ['tar.gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2', 'tar', 'zip'] as const;
const types: Readonly<Record<string, string>> = {
  zip: 'application/zip',
  tar: 'application/x-tar',
  'tar.gz': 'application/gzip',
};
const mediaOf = (format: string): string => types[format] ?? 'application/octet-stream';

export function fileRoutes(deps: FileRoutesDependencies): Route[] {
  const { reader } = deps;

  async function commitOf(subject: ProjectSubject, ref: string | undefined): Promise<{ sha: string; name: string }> {
    const name = ref === undefined || ref === 'HEAD' ? (subject.project.default_branch ?? 'HEAD') : ref;
    const sha = await reader.resolve(subject.project, name);
    if (sha === null) throw notFound('Commit');
    return { sha, name };
  }

  async function file(subject: ProjectSubject, path: string, ref: string | undefined) {
    const { sha, name } = await commitOf(subject, ref);
    const blob = await reader.blob(subject.project, sha, path);
    if (!blob) throw notFound('File');
    return { sha, name, blob, path };
  }

  async function json(
    subject: ProjectSubject,
    path: string,
    ref: string | undefined,
  ): Promise<Static<typeof RepositoryFile>> {
    const found = await file(subject, path, ref);
    const content = await reader.blobContent(subject.project, found.blob.id, deps.maximumContentBytes);
    if (!content) throw tooLarge('max_file_content_bytes', deps.maximumContentBytes);
    return {
      file_name: path.split('/').at(-1) ?? path,
      file_path: path,
      size: found.blob.size,
      encoding: 'base64',
      content: content.toString('base64'),
      content_sha256: createHash('sha256').update(content).digest('hex'),
      ref: found.name,
      blob_id: found.blob.id,
      commit_id: found.sha,
      last_commit_id: (await reader.lastCommitOf(subject.project, found.sha, path)) ?? found.sha,
      execute_filemode: found.blob.mode === '100755',
    };
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
        const name =
          params.ref === undefined || params.ref === 'HEAD' ? (subject.project.default_branch ?? 'HEAD') : params.ref;
        const sha = await reader.resolve(subject.project, name);
        if (sha === null) throw notFound('Tree');
        const path = (params.path ?? '').replace(/^\/+|\/+$/g, '');
        const entries = await reader.tree(subject.project, sha, path, params.recursive ?? false);
        if (!entries) throw notFound('Tree');
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
        ref: Optional(Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' })),
      }),
      responses: { 200: RepositoryFile },
      handler: async ({ params, subject, header }) => {
        const found = await json(subject, params.file_path, params.ref);
        for (const [key, value] of Object.entries(found)) {
          if (key !== 'content')
            header(headerPrefix + headerName(key), encodeURIComponent(String(value)).replaceAll('%2F', '/'));
        }
        return found;
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
      responses: { 200: Binary },
      media: ['text/plain'],
      handler: async ({ params, subject, signal }) => {
        const found = await file(subject, params.file_path, params.ref);
        return streamed(() => reader.blobStream(subject.project, found.blob.id, signal), 'text/plain', {
          ETag: `"${found.blob.id}"`,
          'Content-Length': String(found.blob.size),
          'Content-Disposition': `inline; filename*=UTF-8''${encodeURIComponent(params.file_path.split('/').at(-1) ?? 'file')}`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          [`${headerPrefix}Blob-Id`]: found.blob.id,
          [`${headerPrefix}Commit-Id`]: found.sha,
          [`${headerPrefix}Size`]: String(found.blob.size),
        });
      },
    }),
    ...['archive', ...formats.map((format) => `archive.${format}`)].map((name) =>
      route({
        method: 'GET',
        path: `/projects/:id/repository/${name}`,
        summary: 'Download the files of a commit as an archive',
        rate: ['project_repositories_archive', 'project_repositories_archive_unauthenticated'],
        tag: 'Repositories',
        credentials,
        scopes,
        access: readCode,
        params: Type.Object({
          id,
          sha: Optional(Str({ minLength: 1, description: 'Commit, branch or tag' })),
          // Where the path names the kind, nothing else does.
          ...(name === 'archive' ? { format: Optional(OneOf(formats, { description: 'Kind of archive' })) } : {}),
          path: Optional(Str({ maxLength: 4096, description: 'Only what is below this path' })),
        }),
        responses: { 200: Binary },
        media: name === 'archive' ? [...new Set(formats.map(mediaOf))] : [mediaOf(name.slice('archive.'.length))],
        handler: async ({ params, subject, signal }) => {
          const { sha, name: ref } = await commitOf(subject, params.sha);
          const asked = (params as { format?: ArchiveFormat }).format ?? 'tar.gz';
          const format = name === 'archive' ? asked : (name.slice('archive.'.length) as ArchiveFormat);
          const path = params.path?.replace(/^\/+|\/+$/g, '');
          if (path && !(await reader.tree(subject.project, sha, path, false)))
            throw badRequest('path is not a directory of the commit');
          const base = [subject.project.path, ref.replaceAll('/', '-'), sha === ref ? '' : sha]
            .filter((part) => part !== '')
            .join('-');
          return streamed(
            () => reader.archive(subject.project, sha, format, `${base}/`, path, signal),
            mediaOf(format),
            {
              // The same files in the same directory; how they are compressed is no promise.
              ETag: etagOf([sha, format, base, path ?? ''].join('\n')),
              'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${base}.${format}`)}`,
            },
          );
        },
      }),
    ),
  ];
}

const directoriesFirst = (entries: readonly TreeItem[]): TreeItem[] => [
  ...entries.filter((entry) => entry.type === 'tree'),
  ...entries.filter((entry) => entry.type !== 'tree'),
];

/** `last_commit_id` to `Last-Commit-Id`. */
const headerName = (key: string) =>
  key
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-');
