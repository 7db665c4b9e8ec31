/** Where a merge request can be looked at: the newest deployment of its branch to each environment that runs. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { slicePage, withItems } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { deployedBranches, deploymentsOfRefs } from './deployments.queries.ts';
import { Deployment, type DeploymentPresenter } from './environments.entity.ts';

export function mergeRequestDeploymentRoutes(db: Db, presenter: Pick<DeploymentPresenter, 'many'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/deployments',
      summary: 'List the newest deployment of a merge request to each of its environments',
      tag: 'Deployments',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_deployment' },
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        merge_request_iid: Int({ description: 'Internal id of the merge request' }),
      }),
      responses: { 200: ListOf(Deployment) },
      handler: async ({ subject, caller, params, page }) => {
        requireOnProject(caller, 'read_merge_request', subject);
        const refs = await deployedBranches(db, subject.project.id, params.merge_request_iid);
        if (!refs) throw recordNotFound();
        const paged = slicePage(page, await deploymentsOfRefs(db, subject.project.id, refs));
        const json = await presenter.many(subject, paged.items);
        return withItems(
          paged,
          paged.items.flatMap((row) => json.get(row.id) ?? []),
        );
      },
    }),
  ];
}
