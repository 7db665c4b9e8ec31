/** The API that asks about histories as a whole: common ancestors, who contributed, how long they are. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { Commit, CommitSequence, Contributor, RepositoryCounts } from './commits.entity.ts';
import { commitJson } from './commits.json.ts';
import type { CommitDetails } from './detail.ts';

const id = IdOrPath('Id or path of the project');
const sha = Str({ description: 'Hash, branch or tag' });
const declared = {
  method: 'GET',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_code' },
} as const;
const most = 50;

type Order = 'name' | 'email' | 'commits';
const compared: Readonly<Record<Order, (a: git.Contributor, b: git.Contributor) => number>> = {
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  email: (a, b) => (a.email < b.email ? -1 : a.email > b.email ? 1 : 0),
  commits: (a, b) => a.commits - b.commits,
};

export function historyRoutes(deps: {
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly details: CommitDetails;
}): Route[] {
  const { open, reader, details } = deps;
  return [
    route({
      ...declared,
      path: '/projects/:id/repository/merge_base',
      summary: 'Get the common ancestor of revisions',
      tag: 'Repositories',
      params: Type.Object({
        id,
        refs: List(Str({ minLength: 1 }), {
          description: 'Two or more hashes, branches or tags',
          maxItems: most,
          commas: true,
        }),
      }),
      responses: { 200: Commit },
      handler: async ({ params, subject }) => {
        if (params.refs.length < 2) throw badRequest('Provide at least 2 refs');
        const found = await Promise.all(params.refs.map((ref) => reader.resolve(subject.project, ref)));
        const unknown = params.refs.filter((_, at) => found[at] === null);
        if (unknown.length > 0)
          throw badRequest(`Could not find ${unknown.length > 1 ? 'refs' : 'ref'}: ${unknown.join(', ')}`);
        const ids = found.map((each) => knownSha(each ?? ''));
        const base = await translated(git.mergeBaseOf(open(subject.project), ids));
        if (base === null) throw notFound('Merge Base');
        return commitJson(await reader.commit(subject.project, base), details.urlOf(subject), { trailers: true });
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/contributors',
      summary: 'List contributors',
      tag: 'Repositories',
      pagination: 'offset',
      params: Type.Object({
        id,
        ref: Optional(Str({ minLength: 1, description: 'Branch, tag or commit; the default branch when absent' })),
        order_by: Optional(
          OneOf(['name', 'email', 'commits'], { default: 'commits', description: 'What the list is ordered by' }),
        ),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
      }),
      responses: { 200: ListOf(Contributor) },
      handler: async ({ params, subject, page }) => {
        const found = await reader.resolve(subject.project, params.ref ?? subject.project.default_branch ?? 'HEAD');
        if (found === null && params.ref !== undefined) throw notFound('Ref');
        if (found === null) return slicePage(page, []);
        const all = await translated(git.contributors(open(subject.project), knownSha(found)));
        const direction = params.sort === 'desc' ? -1 : 1;
        const order = compared[params.order_by ?? 'commits'];
        const sorted = all.toSorted((a, b) => direction * order(a, b));
        return slicePage(
          page,
          sorted.map((each) => ({ ...each, additions: 0, deletions: 0 })),
        );
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/counts',
      summary: 'Count the commits of a ref, the branches and the tags',
      tag: 'Repositories',
      params: Type.Object({
        id,
        ref: Optional(Str({ minLength: 1, description: 'Branch, tag or commit; the default branch when absent' })),
      }),
      responses: { 200: RepositoryCounts },
      handler: async ({ params, subject: { project } }) => {
        const found = await reader.resolve(project, params.ref ?? project.default_branch ?? 'HEAD');
        if (found === null && params.ref !== undefined) throw notFound('Ref');
        const [commits, branches, tags] = await Promise.all([
          found === null ? 0 : translated(git.countCommits(open(project), { from: [knownSha(found)] })),
          reader.branches(project),
          reader.tags(project),
        ]);
        return { commits, branches: branches.length, tags: tags.length };
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/commits/:sha/sequence',
      summary: 'Count the commits up to a commit',
      tag: 'Commits',
      params: Type.Object({
        id,
        sha,
        first_parent: Optional(Bool({ default: false, description: 'Follow only the first parent of merge commits' })),
      }),
      responses: { 200: CommitSequence },
      handler: async ({ params, subject }) => {
        const commit = knownSha(await details.resolved(subject, params.sha));
        const query = { from: [commit], ...(params.first_parent ? { firstParent: true } : {}) };
        return { count: await translated(git.countCommits(open(subject.project), query)) };
      },
    }),
  ];
}
