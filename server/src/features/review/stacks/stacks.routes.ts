/** The API of stacks: the merge requests that one stands on, and those that stand on it. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { requestsById } from '../merge-requests/history.queries.ts';
import { MergeRequest, mergeRequestJson } from '../merge-requests/merge-requests.entity.ts';
import { requireByIid, withPeople } from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies } from '../merge-requests/merge-requests.service.ts';
import { stackOf } from './stacks.queries.ts';

export function stackRoutes({
  db,
  externalUrl,
  statusesOf,
}: Pick<MergeRequestDependencies, 'db' | 'externalUrl'> & Pick<MergeCheckService, 'statusesOf'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/stack',
      summary: 'List the stack of a merge request',
      tag: 'Merge requests',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_merge_request' },
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        merge_request_iid: Int({ description: 'Internal id of the merge request' }),
      }),
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const paged = slicePage(page, await stackOf(db, row));
        const rows = await requestsById(
          db,
          paged.items.map(({ id }) => id),
        );
        const [people, statusOf] = await Promise.all([withPeople(db, rows, subject), statusesOf(rows, caller)]);
        const byId = new Map(people.map((loaded) => [loaded.row.id, loaded]));
        return mapPresent(paged, ({ id }) => {
          const loaded = byId.get(id);
          return loaded && mergeRequestJson(loaded, { base: externalUrl }, statusOf(loaded.row));
        });
      },
    }),
  ];
}
