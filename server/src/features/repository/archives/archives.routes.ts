/** The API of archives: the files of a commit in one file. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { etagOf } from '../../../kernel/http/conditional.ts';
import { badRequest } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { finder } from '../files/facts.ts';
import { type LfsObjects, longestPointer } from '../lfs/index.ts';
import type { ArchiveFormat, RepositoryReader } from '../reading/reader.ts';
import { type ContentBehind, tarWithContent, zipWithContent } from './lfs-content.ts';

export interface ArchiveRoutesDependencies {
  readonly reader: RepositoryReader;
  readonly lfs: Pick<LfsObjects, 'behind' | 'any'>;
  readonly objects: Pick<ObjectStore, 'get' | 'size'>;
  /** Somebody is sent the code of a project. */
  readonly downloaded: (projectId: number, caller: Caller) => void;
}

const formats = ['tar.gz', 'tgz', 'gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2', 'tar', 'zip'] as const;
const types: Readonly<Record<string, string>> = {
  zip: 'application/zip',
  tar: 'application/x-tar',
  'tar.gz': 'application/gzip',
  tgz: 'application/gzip',
  gz: 'application/gzip',
};
const mediaOf = (format: string): string => types[format] ?? 'application/octet-stream';
const mostExcluded = 100;

export function archiveRoutes(deps: ArchiveRoutesDependencies): Route[] {
  const { reader } = deps;
  const { commitOf } = finder(reader);

  /** A pointer whose object the project has lost, or never got, stays a pointer. */
  const behindOf =
    (subject: ProjectSubject): ContentBehind =>
    async (file) => {
      const object = await deps.lfs.behind(subject, file);
      if (!object || (await deps.objects.size(object.object_key)) !== object.size) return null;
      return { size: object.size, open: () => deps.objects.get(object.object_key) };
    };

  return ['archive', ...formats.map((format) => `archive.${format}`)].map((name) =>
    route({
      method: 'GET',
      path: `/projects/:id/repository/${name}`,
      summary: 'Download the files of a commit as an archive',
      rate: ['project_repositories_archive', 'project_repositories_archive_unauthenticated'],
      tag: 'Repositories',
      credentials: ['token', 'session'],
      scopes: ['api', 'read_api', 'read_repository'],
      access: { on: 'project', ability: 'read_code' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        sha: Optional(Str({ minLength: 1, description: 'Commit, branch or tag' })),
        // Where the path names the kind, nothing else does.
        ...(name === 'archive' ? { format: Optional(OneOf(formats, { description: 'Kind of archive' })) } : {}),
        path: Optional(Str({ maxLength: 4096, description: 'Only what is below this path' })),
        include_lfs_blobs: Optional(
          Bool({ default: true, description: 'Content of files of Git LFS in place of the pointers to it' }),
        ),
        exclude_paths: Optional(
          List(Str({ maxLength: 4096 }), {
            commas: true,
            maxItems: mostExcluded,
            description: 'Files and directories that are left out, separated by commas; no patterns',
          }),
        ),
      }),
      responses: { 200: Binary },
      media: name === 'archive' ? [...new Set(formats.map(mediaOf))] : [mediaOf(name.slice('archive.'.length))],
      handler: async ({ params, subject, caller, signal }) => {
        const { project } = subject;
        const { sha, name: ref } = await commitOf(subject, params.sha, 'File');
        const asked = (params as { format?: ArchiveFormat }).format ?? 'tar.gz';
        const format = name === 'archive' ? asked : (name.slice('archive.'.length) as ArchiveFormat);
        const path = params.path?.replace(/^\/+|\/+$/g, '');
        const exclude = (params.exclude_paths ?? []).filter((each) => each !== '');
        if (path && !(await reader.tree(project, sha, path, false)))
          throw badRequest('path is not a directory of the commit');
        const parts = [project.path, ref.replaceAll('/', '-'), sha, ...(path ? [path.replaceAll('/', '-')] : [])];
        const base = parts.join('-');
        const filled = (params.include_lfs_blobs ?? true) && project.lfs_enabled && (await deps.lfs.any(project.id));
        const content = behindOf(subject);
        const open = async () => {
          deps.downloaded(project.id, caller);
          const options = { prefix: `${base}/`, path, exclude, signal };
          if (!filled) return await reader.archive(project, sha, { ...options, format });
          if (format === 'zip') {
            const tar = await reader.archive(project, sha, { ...options, format: 'tar' });
            return zipWithContent(tar, content, longestPointer);
          }
          const rewrite = (tar: Parameters<typeof tarWithContent>[0]) => tarWithContent(tar, content, longestPointer);
          return await reader.archive(project, sha, { ...options, format, rewrite });
        };
        // The same files in the same directory; how they are compressed is no promise. Objects of LFS may come later.
        const etag = etagOf([sha, format, base, path ?? '', ...exclude].join('\n'));
        return streamed(open, mediaOf(format), {
          ...(filled ? {} : { ETag: etag }),
          'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${base}.${format}`)}`,
        });
      },
    }),
  );
}
