/** The API of who changed the entries of a directory last: what pages show beside its tree. */
import Type from 'typebox';
import { Entity, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { Commit, type CommitJson } from '../commits/commits.entity.ts';
import { commitJson } from '../commits/commits.json.ts';
import type { CommitDetails } from '../commits/detail.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { directoriesFirst } from './files.routes.ts';
import type { LastCommitsOfDirectories } from './last-commits.ts';

const TreeEntryCommit = Entity('TreeEntryCommit', {
  name: Text(),
  path: Text(),
  type: Text({ description: '`tree`, `blob` or `commit` (submodule)' }),
  commit: Nullable(Commit, { description: 'The newest commit that changed it; null where it was not found in time' }),
});

export function lastCommitRoutes(deps: {
  readonly lastCommits: Pick<LastCommitsOfDirectories, 'of'>;
  readonly reader: RepositoryReader;
  readonly details: CommitDetails;
}): Route[] {
  const { lastCommits, reader, details } = deps;
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tree/last_commits',
      summary: 'List the last commits of the entries of a directory',
      tag: 'Repositories',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_code' },
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        path: Optional(Str({ maxLength: 4096, description: 'The directory; the top one when absent' })),
        ref: Optional(Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' })),
      }),
      responses: { 200: ListOf(TreeEntryCommit) },
      handler: async ({ params, subject, page, signal }) => {
        const { project } = subject;
        const name =
          params.ref === undefined || params.ref === 'HEAD' ? (project.default_branch ?? 'HEAD') : params.ref;
        const sha = await reader.resolve(project, name);
        if (sha === null) throw notFound('Tree');
        const path = (params.path ?? '').replace(/^\/+|\/+$/g, '');
        const entries = await reader.tree(project, sha, path, false);
        if (!entries) throw notFound('Tree');
        // In the order of the tree, so that the same page of both is about the same entries.
        const window = slicePage(page, directoriesFirst(entries));
        const found = await lastCommits.of(project, sha, path, signal);
        const shas = [...new Set(window.items.flatMap((entry) => found.get(entry.name) ?? []))];
        const url = details.urlOf(subject);
        const known = new Map<string, CommitJson>(
          await Promise.all(shas.map(async (at) => [at, commitJson(await reader.commit(project, at), url)] as const)),
        );
        return mapPage(window, ({ name, path: full, type }) => ({
          name,
          path: full,
          type,
          commit: known.get(found.get(name) ?? '') ?? null,
        }));
      },
    }),
  ];
}
