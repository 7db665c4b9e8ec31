/** Routes of lists of projects: of the instance, a user, a group. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { ListProjects } from './listing.ts';
import { Project } from './projects.entity.ts';
import { filterOf, listParameters, wideFilterOf, wideListParameters } from './projects.params.ts';
import { findPersonalNamespace } from './projects.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Projects' } as const;

export function projectListRoutes({ db }: NamespacesDependencies, list: ListProjects): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects',
      summary: 'Projects that the caller may see',
      rate: ['projects_api', 'projects_api_rate_limit_unauthenticated'],
      access: { on: 'public' },
      params: Type.Object(wideListParameters),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller }) =>
        list(caller, page, wideFilterOf(params, caller.admin), {
          order: params.order_by,
          direction: params.sort,
          simple: params.simple,
          statistics: params.statistics,
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/projects',
      summary: "Projects in a user's personal namespace",
      rate: 'user_projects_api',
      access: { on: 'public' },
      params: Type.Object({ id: IdOrPath('User'), ...wideListParameters }),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: async ({ params, page, caller }) => {
        const namespace = await findPersonalNamespace(db, /^\d{1,15}$/.test(params.id) ? Number(params.id) : params.id);
        if (!namespace) throw notFound('User');
        const filter = { ...wideFilterOf(params, caller.admin), namespaceId: namespace.id };
        return await list(caller, page, filter, {
          order: params.order_by,
          direction: params.sort,
          simple: params.simple,
          statistics: params.statistics,
        });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/projects',
      summary: 'Projects of a group',
      rate: 'group_projects_api',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        id: IdOrPath('Group'),
        ...listParameters,
        with_shared: Optional(Bool({ default: true, description: 'Also those that the group was invited to' })),
        include_subgroups: Optional(Bool({ default: false, description: 'Also projects of the groups below' })),
      }),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller, subject }) =>
        list(
          caller,
          page,
          {
            ...filterOf(params),
            namespaceId: subject.group.id,
            descendants: params.include_subgroups,
            shared: params.with_shared,
          },
          { order: params.order_by, direction: params.sort, simple: params.simple },
        ),
    }),
  ];
}
