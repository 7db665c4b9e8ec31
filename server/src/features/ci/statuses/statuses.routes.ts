/** The API of statuses of commits: listing those of jobs and other systems, and setting those of other systems. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, Float, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { usersById } from '../jobs/jobs.queries.ts';
import { projectUrl } from '../jobs/serialize.ts';
import { CommitStatus, commitStatusJson } from './statuses.entity.ts';
import { listStatuses } from './statuses.queries.ts';
import type { StatusService } from './statuses.service.ts';
import { externalStates } from './transitions.ts';

const id = IdOrPath('Id or path of the project');
const sha = Str({ description: 'Hash, branch or tag' });
const ref = Optional(Str({ minLength: 1, maxLength: 1024, description: 'Branch or tag of the pipeline' }));
const pipeline_id = Optional(Int({ description: 'Id of the pipeline' }));
const credentials = ['token', 'session'] as const;
const tag = 'Commits';
const text = (description: string) => Optional(Str({ minLength: 1, maxLength: 255, description }));

export function statusRoutes(deps: CiDependencies, statuses: StatusService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/statuses',
      summary: 'List the statuses of a commit',
      tag,
      credentials,
      access: { on: 'project', ability: 'read_pipeline' },
      pagination: 'offset',
      params: Type.Object({
        id,
        sha,
        ref,
        stage: text('Only of this stage; `external` for those of other systems'),
        name: text('Only of this name'),
        pipeline_id: Optional(
          Int({ description: 'Only of this pipeline; child pipelines are listed by their ids alone' }),
        ),
        all: Optional(Bool({ default: false, description: 'Also what later ones have replaced' })),
        order_by: Optional(OneOf(['id', 'pipeline_id'], { default: 'id', description: 'What the list is ordered by' })),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
      }),
      responses: { 200: ListOf(CommitStatus) },
      handler: async ({ params, subject, page }) => {
        const filter = {
          projectId: subject.project.id,
          sha: await statuses.commitOf(subject, params.sha),
          ref: params.ref,
          stage: params.stage,
          name: params.name,
          pipelineId: params.pipeline_id,
          all: params.all ?? false,
        };
        const order = { by: params.order_by ?? 'id', direction: params.sort ?? 'asc' } as const;
        const { rows, total } = await listStatuses(deps.db, filter, order, page);
        const authors = await usersById(deps.db, rows);
        const place = { projectUrl: projectUrl(deps, subject), externalUrl: deps.externalUrl };
        return mapPage(offsetPage(page, rows, total), (row) =>
          commitStatusJson(row, row.user_id === null ? undefined : authors.get(row.user_id), place),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/statuses/:sha',
      summary: 'Set the status of a commit',
      tag,
      credentials: ['token', 'session'],
      scopes: ['api'],
      access: { on: 'project', ability: 'create_commit_status' },
      params: Type.Object({
        id,
        sha,
        state: OneOf(externalStates, { description: 'What is said of the commit' }),
        ref,
        name: text('What it is about; `default` unless given'),
        context: text('Another name of `name`'),
        target_url: Optional(
          Str({ maxLength: 1024, pattern: '^https?://', description: 'Where the work behind it is seen' }),
        ),
        description: Optional(Str({ maxLength: 255, description: 'A short text' })),
        coverage: Optional(Float({ minimum: 0, maximum: 100, description: 'Percentage' })),
        pipeline_id,
      }),
      responses: { 201: CommitStatus },
      handler: async ({ params, subject, caller }) => {
        const row = await statuses.set(subject, caller, {
          revision: params.sha,
          state: params.state,
          name: params.name ?? params.context ?? 'default',
          ref: params.ref,
          pipelineId: params.pipeline_id,
          targetUrl: params.target_url,
          description: params.description,
          coverage: params.coverage,
        });
        const authors = await usersById(deps.db, [row]);
        const place = { projectUrl: projectUrl(deps, subject), externalUrl: deps.externalUrl };
        return commitStatusJson(row, row.user_id === null ? undefined : authors.get(row.user_id), place);
      },
    }),
  ];
}
