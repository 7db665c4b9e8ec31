/** The API of blobs by their id, and of who last changed the lines of a file. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { Count, Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { badRequest, notFound, tooLarge } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { factHeaders, fileFacts, finder } from './facts.ts';
import { filePath } from './files.params.ts';

const RepositoryBlob = Entity('RepositoryBlob', {
  size: Count({ description: 'Bytes' }),
  encoding: Text(),
  content: Text({ description: 'Base64' }),
  sha: Text(),
});
const BlameCommit = Entity('BlameCommit', {
  id: Text(),
  parent_ids: ListOf(Text(), { description: 'Hashes of the commits before' }),
  message: Text(),
  authored_date: Text(),
  author_name: Text(),
  author_email: Text(),
  committed_date: Text(),
  committer_name: Text(),
  committer_email: Text(),
});
const BlameRange = Entity('BlameRange', { commit: BlameCommit, lines: ListOf(Text()) });

const id = IdOrPath('Id or path of the project');
const blobSha = Str({ minLength: 1, maxLength: 64, description: 'Hash of the blob, in full' });
const declared = {
  method: 'GET',
  credentials: ['token', 'session'],
  scopes: ['api', 'read_api', 'read_repository'],
  access: { on: 'project', ability: 'read_code' },
} as const;

export function blobRoutes(deps: {
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  /** Larger ones are not put into JSON. */
  readonly maximumContentBytes: number;
}): Route[] {
  const { open, reader } = deps;
  const { file } = finder(reader);
  const facts = fileFacts(reader);

  async function blob(project: Parameters<OpenRepository>[0], sha: string) {
    if (!git.isSha(sha)) throw notFound('Blob');
    const header = await translated(git.readHeader(open(project), knownSha(sha)));
    if (header?.type !== 'blob') throw notFound('Blob');
    return { id: sha, size: header.size };
  }

  return [
    route({
      ...declared,
      path: '/projects/:id/repository/blobs/:sha',
      summary: 'Get a blob',
      tag: 'Repositories',
      params: Type.Object({ id, sha: blobSha }),
      responses: { 200: RepositoryBlob },
      handler: async ({ params, subject }) => {
        const found = await blob(subject.project, params.sha);
        const content = await reader.blobContent(subject.project, found.id, deps.maximumContentBytes);
        if (!content) throw tooLarge('max_file_content_bytes', deps.maximumContentBytes);
        return { size: found.size, encoding: 'base64', content: content.toString('base64'), sha: found.id };
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/blobs/:sha/raw',
      summary: 'Get the raw content of a blob',
      rate: 'raw_blob',
      tag: 'Repositories',
      params: Type.Object({ id, sha: blobSha }),
      responses: { 200: Binary },
      media: ['application/octet-stream'],
      handler: async ({ params, subject, signal }) => {
        const found = await blob(subject.project, params.sha);
        return streamed(() => reader.blobStream(subject.project, found.id, signal), 'application/octet-stream', {
          ETag: `"${found.id}"`,
          'Content-Length': String(found.size),
          'Content-Disposition': 'attachment',
          'Content-Security-Policy': "default-src 'none'; sandbox",
        });
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/files/:file_path/blame',
      summary: 'Get the blame of a file',
      tag: 'Repository files',
      params: Type.Object({
        id,
        file_path: filePath,
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' }),
        range: Optional(
          Type.Object(
            {
              start: Int({ minimum: 1, maximum: 2 ** 31 - 1, description: 'First line' }),
              end: Int({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Last line' }),
            },
            { description: 'Only these lines' },
          ),
        ),
      }),
      responses: { 200: ListOf(BlameRange) },
      handler: async ({ params, subject, header, signal }) => {
        const project = subject.project;
        const found = await file(subject, params.file_path, params.ref);
        const { range } = params;
        if (range && range.end < range.start) throw badRequest('range[start] must be less than or equal to range[end]');
        for (const [name, value] of factHeaders(await facts(subject, found, signal))) header(name, value);
        const lines = range ? { from: range.start, to: range.end } : {};
        const groups = await translated(git.blame(open(project), knownSha(found.sha), found.path, lines));
        const ids = [...new Set(groups.map(({ commit }) => commit))];
        const commits = new Map(
          await Promise.all(ids.map(async (each) => [each, await reader.commit(project, each)] as const)),
        );
        return groups.flatMap(({ commit: commitId, lines: own }) => {
          const commit = commits.get(commitId);
          if (!commit) return [];
          const { author, committer } = commit;
          return [
            {
              commit: {
                id: commit.id,
                parent_ids: [...commit.parents],
                message: commit.message,
                authored_date: author.date,
                author_name: author.name,
                author_email: author.email,
                committed_date: committer.date,
                committer_name: committer.name,
                committer_email: committer.email,
              },
              lines: own,
            },
          ];
        });
      },
    }),
  ];
}
