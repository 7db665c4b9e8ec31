/** Routes of lists of projects: of the instance, a user, a group. */
import Type from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { ListProjects } from './listing.ts';
import { Project } from './projects.entity.ts';
import { filterOf, listOptions, listParameters, wideFilterOf, wideListParameters } from './projects.params.ts';
import { findPersonalNamespace, hidesProfile } from './projects.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Projects' } as const;

export function projectListRoutes({ db }: NamespacesDependencies, list: ListProjects): Route[] {
  async function namespaceOf(idOrName: string): Promise<Namespace> {
    const found = await findPersonalNamespace(db, /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : idOrName);
    if (!found) throw notFound('User');
    return found;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects',
      summary: 'List projects that you can see',
      rate: ['projects_api', 'projects_api_rate_limit_unauthenticated'],
      access: { on: 'public' },
      params: Type.Object(wideListParameters),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller }) =>
        list(caller, page, wideFilterOf(params, caller), listOptions(params, caller)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/projects',
      summary: 'List projects in the personal namespace of a user',
      rate: 'user_projects_api',
      access: { on: 'public' },
      params: Type.Object({ id: IdOrPath('User'), ...wideListParameters }),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: async ({ params, page, caller }) => {
        const namespace = await namespaceOf(params.id);
        const filter = { ...wideFilterOf(params, caller), namespaceId: namespace.id };
        return await list(caller, page, filter, listOptions(params, caller));
      },
    }),
    ...(['starred', 'contributed'] as const).map((what) =>
      route({
        ...common,
        method: 'GET',
        path: `/users/:user_id/${what}_projects`,
        tag: 'Around projects',
        summary: what === 'starred' ? 'List projects that a user starred' : 'List projects that a user contributed to',
        rate: what === 'starred' ? 'user_starred_projects_api' : 'user_contributed_projects_api',
        access: { on: 'public' },
        params: Type.Object({ user_id: IdOrPath('User'), ...wideListParameters }),
        pagination: 'both',
        responses: { 200: ListOf(Project) },
        handler: async ({ params, page, caller }) => {
          const namespace = await namespaceOf(params.user_id);
          const of = namespace.owner_id ?? 0;
          const owner = (await findReferences(db, [of])).get(of);
          const hidden = !caller.admin && caller.user?.id !== of && (await hidesProfile(db, of));
          if (!owner || hidden) throw notFound('User');
          const filter = wideFilterOf(params, caller);
          const mine = what === 'starred' ? { starredBy: of } : { contributedBy: of };
          return await list(caller, page, { ...filter, ...mine }, listOptions(params, caller));
        },
      }),
    ),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/projects',
      summary: 'List projects of a group',
      rate: 'group_projects_api',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        id: IdOrPath('Group'),
        ...listParameters,
        with_shared: Optional(Bool({ default: true, description: 'Also those that the group was invited to' })),
        include_subgroups: Optional(Bool({ default: false, description: 'Also projects of the groups below' })),
        with_security_reports: Optional(
          Bool({ default: false, description: 'Only those with artifacts of jobs that scan for weaknesses' }),
        ),
      }),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller, subject }) =>
        list(
          caller,
          page,
          {
            ...filterOf(params, caller),
            namespaceId: subject.group.id,
            descendants: params.include_subgroups,
            shared: params.with_shared,
            securityReports: params.with_security_reports,
          },
          { ...listOptions(params, caller), inGroup: true },
        ),
    }),
  ];
}
