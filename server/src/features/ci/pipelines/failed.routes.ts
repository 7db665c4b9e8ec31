/** Failed pipelines of the caller in all projects: part of what waits for them. */
import Type, { type Static } from 'typebox';
import { Entity, Fields, Id, ListOf, Text } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { type FailedPipelineRow, listFailedPipelines } from './failed.queries.ts';
import { PipelineListed, pipelineListed } from './pipelines.entity.ts';

const FailedPipeline = Entity('FailedPipeline', {
  ...PipelineListed.properties,
  project: Fields({ id: Id(), name_with_namespace: Text(), path_with_namespace: Text() }),
});

function failedPipeline(row: FailedPipelineRow, externalUrl: string): Static<typeof FailedPipeline> {
  const path = `${row.namespace_full_path}/${row.project_path}`;
  return {
    ...pipelineListed(row, `${externalUrl}/${path}`),
    project: {
      id: row.project_id,
      name_with_namespace: `${row.namespace_full_name} / ${row.project_name}`,
      path_with_namespace: path,
    },
  };
}

export function failedPipelineRoutes({ db, externalUrl }: Pick<CiDependencies, 'db' | 'externalUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/failed_pipelines',
      summary: 'List failed pipelines of the caller that no newer pipeline of the same ref has replaced',
      tag: 'Pipelines',
      credentials: ['token', 'session'],
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(FailedPipeline) },
      handler: async ({ caller, page }) => {
        if (!caller.user) throw unauthorized();
        const { rows, total } = await listFailedPipelines(db, caller.user.id, page);
        return mapPage(offsetPage(page, rows, total), (row) => failedPipeline(row, externalUrl));
      },
    }),
  ];
}
