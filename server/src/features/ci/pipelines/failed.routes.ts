/** Failed pipelines of the caller in all projects: part of what waits for them. */
import Type, { type Static } from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { type FailedPipelineRow, listFailedPipelines } from './failed.queries.ts';
import { PipelineAcross, pipelineAcross } from './pipelines.entity.ts';

const failedPipeline = (row: FailedPipelineRow, externalUrl: string): Static<typeof PipelineAcross> =>
  pipelineAcross(row, externalUrl, {
    id: row.project_id,
    name: `${row.namespace_full_name} / ${row.project_name}`,
    path: `${row.namespace_full_path}/${row.project_path}`,
  });

export function failedPipelineRoutes({ db, externalUrl }: Pick<CiDependencies, 'db' | 'externalUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/failed_pipelines',
      summary: 'List your failed pipelines that no newer pipeline of the same ref has replaced',
      tag: 'Pipelines',
      credentials: ['token', 'session'],
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(PipelineAcross) },
      handler: async ({ caller, page }) => {
        if (!caller.user) throw unauthorized();
        const { rows, total } = await listFailedPipelines(db, caller.user.id, page);
        return mapPage(offsetPage(page, rows, total), (row) => failedPipeline(row, externalUrl));
      },
    }),
  ];
}
