/** Routes of people and groups around a project, and of where it may go. */
import Type from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { mapPage, mapPresent, offsetPage, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { pictureUrl } from '../avatars/pictures.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { PresentProjects } from './presenter.ts';
import { Project } from './projects.entity.ts';
import { askedLevel, minimumLevel, projectId } from './projects.params.ts';
import type { ProjectService } from './projects.service.ts';
import {
  invitedGroups,
  type Listing,
  projectGroups,
  projectUsers,
  shareLocations,
  transferLocations,
} from './related.queries.ts';
import { projectTransfer } from './transfer.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Around projects' } as const;
const read = { on: 'project', ability: 'read_project' } as const;
const search = { search: Optional(Str({ description: 'Only those whose name or path contains this text' })) };
const skipped = (what: string) =>
  Optional(List(Int(), { commas: true, description: `${what} that are left out, by id` }));

const GroupAround = Entity('GroupAround', {
  id: Id(),
  web_url: Text(),
  name: Text(),
  avatar_url: Nullable(Text()),
  full_name: Text(),
  full_path: Text(),
});

export function relatedProjectRoutes(
  deps: NamespacesDependencies,
  projects: Pick<ProjectService, 'reload'>,
  present: PresentProjects,
): Route[] {
  const { db, externalUrl } = deps;
  const transfer = projectTransfer(deps);
  const pageOf = async <T>(page: Page, listing: Listing<T>): Promise<Paged<T>> => {
    const [rows, total] = await Promise.all([listing.rows(db, page), listing.count(db)]);
    return offsetPage(page, rows, total);
  };
  const groupJson = (group: Namespace) => ({
    id: group.id,
    web_url: `${externalUrl}/groups/${group.full_path}`,
    name: group.name,
    avatar_url: pictureUrl(externalUrl, 'group', group.id, group.avatar_object_key),
    full_name: group.full_name,
    full_path: group.full_path,
  });
  const groupsPage = async (page: Page, listing: Listing<Namespace>) =>
    mapPage((await pageOf(page, listing)) as Paged<Namespace>, groupJson);

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/users',
      summary: 'List users of a project',
      access: { on: 'project', ability: 'read_project_member' },
      params: Type.Object({
        ...projectId,
        search: Optional(Str({ description: 'Only those whose name or username contains this text' })),
        skip_users: skipped('Users'),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(UserReference) },
      handler: async ({ subject, params, page }) => {
        const listing = projectUsers(subject, { search: params.search, skip: params.skip_users });
        const found = (await pageOf(page, listing)) as Paged<{ id: number }>;
        const users = await findReferences(
          db,
          found.items.map(({ id }) => id),
        );
        return mapPresent(found, ({ id }) => {
          const user = users.get(id);
          return user && userReference(user, externalUrl);
        });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/groups',
      summary: 'List ancestor groups and invited groups of a project',
      access: read,
      params: Type.Object({
        ...projectId,
        ...search,
        skip_groups: skipped('Groups'),
        with_shared: Optional(Bool({ default: false, description: 'Also invited groups' })),
        shared_visible_only: Optional(Bool({ default: false, description: 'Of those only what the caller sees' })),
        shared_min_access_level: Optional(Int({ description: 'The lowest level that they were invited with' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(GroupAround) },
      handler: ({ subject, caller, params, page }) =>
        groupsPage(
          page,
          projectGroups(subject, caller, {
            search: params.search,
            skip: params.skip_groups,
            shared: params.with_shared,
            // Groups that the caller does not see are told to those alone who run the project.
            sharedVisibleOnly: params.shared_visible_only || !caller.admin,
            sharedLevel: askedLevel('shared_min_access_level', params.shared_min_access_level),
          }),
        ),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/invited_groups',
      summary: 'List invited groups of a project that you can see',
      rate: 'project_invited_groups_api',
      access: read,
      params: Type.Object({
        ...projectId,
        ...search,
        min_access_level: Optional(Int({ description: 'The lowest level of the caller on them' })),
        relation: Optional(
          List(OneOf(['direct', 'inherited']), {
            commas: true,
            description: 'Invited to the project itself, to a group above it, or both',
          }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(GroupAround) },
      handler: ({ subject, caller, params, page }) => {
        const wanted = params.relation?.length ? params.relation : ['direct', 'inherited'];
        return groupsPage(
          page,
          invitedGroups(subject, caller, {
            search: params.search,
            level: minimumLevel(params),
            direct: wanted.includes('direct'),
            inherited: wanted.includes('inherited'),
          }),
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/share_locations',
      summary: 'List groups that can be invited to a project',
      access: { on: 'project', ability: 'share_project' },
      params: Type.Object({ ...projectId, ...search }),
      pagination: 'offset',
      responses: { 200: ListOf(GroupAround) },
      handler: ({ subject, caller, params, page }) => groupsPage(page, shareLocations(subject, caller, params.search)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/transfer_locations',
      summary: 'List groups that a project can be transferred to',
      access: { on: 'project', ability: 'transfer_project' },
      params: Type.Object({ ...projectId, ...search }),
      pagination: 'offset',
      responses: { 200: ListOf(GroupAround) },
      handler: ({ subject, caller, params, page }) =>
        groupsPage(page, transferLocations(subject, caller, params.search)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/transfer',
      summary: 'Transfer a project to another namespace',
      access: { on: 'project', ability: 'transfer_project' },
      params: Type.Object({ ...projectId, namespace: IdOrPath('Group or personal namespace') }),
      responses: { 200: Project },
      handler: async ({ subject, caller, params }) => {
        await transfer(subject, caller, params.namespace);
        return (await present([await projects.reload(subject.project, caller)], caller))[0];
      },
    }),
  ];
}
