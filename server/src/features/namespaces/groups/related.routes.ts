/** Routes of groups around a group: below it, invited, and where it may go. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { ListProjects } from '../projects/listing.ts';
import { Project } from '../projects/projects.entity.ts';
import { filterOf, listOptions, listParameters as projectListParameters } from '../projects/projects.params.ts';
import { Group, PublicGroup, publicGroupJson } from './groups.entity.ts';
import { groupId, listParameters, sharedListParameters } from './groups.params.ts';
import { listingHandler } from './listing.ts';
import { countTransferLocations, listTransferLocations } from './transfer-locations.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Groups' } as const;
const readable = { on: 'group', ability: 'read_group' } as const;

export function relatedGroupRoutes(deps: NamespacesDependencies, listProjects: ListProjects): Route[] {
  const list = listingHandler(deps);
  return [
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/subgroups',
      summary: 'List subgroups of a group',
      access: readable,
      params: Type.Object({ ...groupId, ...listParameters }),
      pagination: 'offset',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller, subject }) =>
        list(caller, page, params, { parentId: subject.group.id, shortPaths: true }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/descendant_groups',
      summary: 'List descendant groups of a group',
      access: readable,
      params: Type.Object({ ...groupId, ...listParameters }),
      pagination: 'offset',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller, subject }) =>
        list(caller, page, params, { ancestorId: subject.group.id, shortPaths: true }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/groups/shared',
      summary: 'List groups that a group was invited to',
      rate: 'group_shared_groups_api',
      access: readable,
      params: Type.Object({ ...groupId, ...sharedListParameters }),
      pagination: 'offset',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller, subject }) =>
        list(caller, page, { all_available: true, ...params }, { sharedWith: subject.group.id }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/invited_groups',
      summary: 'List invited groups of a group',
      rate: 'group_invited_groups_api',
      access: readable,
      params: Type.Object({
        ...groupId,
        ...sharedListParameters,
        relation: Optional(
          List(OneOf(['direct', 'inherited']), {
            commas: true,
            description: 'Invited to the group itself, to a group above it, or both',
          }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller, subject }) => {
        const wanted = params.relation?.length ? params.relation : ['direct', 'inherited'];
        const { id, traversal_ids: all } = subject.group;
        const to = all.filter((each) => wanted.includes(each === id ? 'direct' : 'inherited'));
        return list(caller, page, { all_available: true, ...params }, { invitedTo: to });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/projects/shared',
      summary: 'List projects that a group was invited to',
      rate: 'group_projects_api',
      access: readable,
      params: Type.Object({ ...groupId, ...projectListParameters }),
      pagination: 'offset',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller, subject }) =>
        listProjects(
          caller,
          page,
          { ...filterOf(params, caller), onlySharedWith: subject.group.id },
          { ...listOptions(params, caller), inGroup: true },
        ),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/transfer_locations',
      summary: 'List groups that a group can be transferred to',
      access: { on: 'group', ability: 'transfer_group' },
      params: Type.Object({
        ...groupId,
        search: Optional(Str({ description: 'Only those whose name or path contains this text' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(PublicGroup) },
      handler: async ({ params, page, caller, subject }) => {
        const [rows, total] = await Promise.all([
          listTransferLocations(deps.db, caller, subject.group, params.search, page),
          countTransferLocations(deps.db, caller, subject.group, params.search),
        ]);
        return mapPage(offsetPage(page, rows, total), (row) => publicGroupJson(row, deps.externalUrl));
      },
    }),
  ];
}
