/** Pipelines of all projects below a group: an extension, for the page of the group. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPresent, offsetPage } from '../../../kernel/http/pagination.ts';
import { OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { groupId } from '../../namespaces/index.ts';
import type { CiDependencies } from '../deps.ts';
import { pipelineStatuses } from '../scheduling/pipeline-states.ts';
import { detailsOf } from './list-details.ts';
import { PipelineAcross, pipelineAcross } from './pipelines.entity.ts';
import { listGroupPipelines } from './pipelines.queries.ts';

export function groupPipelineRoutes(deps: CiDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/pipelines',
      acrossProjects: true,
      summary: 'List pipelines of the projects of a group and of the groups below it',
      tag: 'Pipelines',
      credentials: ['token', 'session'],
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        ...groupId,
        status: Optional(OneOf(pipelineStatuses, { description: 'Only pipelines in this status' })),
        ref: Optional(Str({ description: 'Only pipelines of this branch or tag' })),
        source: Optional(Str({ description: 'Only pipelines started by this' })),
        username: Optional(Str({ description: 'Who caused it' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(PipelineAcross) },
      handler: async ({ subject, caller, params, page }) => {
        const { status, ref, source, username } = params;
        const filter = { ref, source, username, statuses: status && [status] };
        const { rows, total } = await listGroupPipelines(deps.db, caller, subject.group.id, filter, page);
        const paged = offsetPage(page, rows, total);
        const projects = await deps.parents.projects([...new Set(rows.map((row) => row.project_id))], caller);
        const details = await detailsOf(deps, projects, paged.items);
        return mapPresent(paged, (row) => {
          const found = projects.get(row.project_id);
          if (!found) return undefined;
          const { project, namespace } = found;
          const place = {
            id: project.id,
            name: `${namespace.full_name} / ${project.name}`,
            path: `${namespace.full_path}/${project.path}`,
          };
          return pipelineAcross(row, deps.externalUrl, place, details.get(row.id));
        });
      },
    }),
  ];
}
