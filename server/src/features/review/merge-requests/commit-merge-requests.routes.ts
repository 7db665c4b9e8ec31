/** The merge requests of a commit: those that bring it, or were merged or squashed into it. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { slicePage, withItems } from '../../../kernel/http/pagination.ts';
import { IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { MergeRequest, mergeRequestJson } from './merge-requests.entity.ts';
import { withPeople } from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { rangesOf, rowsById } from './of-commits.queries.ts';

export function commitMergeRequestRoutes(
  deps: Pick<MergeRequestDependencies, 'db' | 'externalUrl' | 'repository'> & Pick<MergeCheckService, 'statusesOf'>,
): Route[] {
  const { db, repository } = deps;
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/merge_requests',
      summary: 'List merge requests that introduced a commit',
      tag: 'Commits',
      credentials: ['token', 'session', 'job'],
      access: { on: 'project', ability: 'read_merge_request' },
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        sha: Str({ description: 'Hash, branch or tag' }),
        state: Optional(
          OneOf(['all', 'opened', 'closed', 'locked', 'merged'], {
            default: 'all',
            description: 'Only merge requests in this state',
          }),
        ),
      }),
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page }) => {
        requireOnProject(caller, 'read_code', subject);
        const { project } = subject;
        const sha = await repository.resolve(project, params.sha);
        if (sha === null) throw notFound('Commit');
        const ranges = await rangesOf(db, project.id, params.state ?? 'all');
        const brought = await repository.rangesWith(project, sha, ranges);
        const found = slicePage(
          page,
          ranges.filter((range, at) => brought[at] || range.merged === sha || range.squashed === sha),
        );
        const rows = await rowsById(
          db,
          found.items.map(({ id }) => id),
        );
        const [loaded, statusOf] = await Promise.all([withPeople(db, rows), deps.statusesOf(rows, caller)]);
        return withItems(
          found,
          loaded.map((each) => mergeRequestJson(each, { base: deps.externalUrl }, statusOf(each.row))),
        );
      },
    }),
  ];
}
