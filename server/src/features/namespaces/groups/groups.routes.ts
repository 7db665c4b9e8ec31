/** Routes of groups. */
import Type from 'typebox';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import type { DeletionService } from '../deletion/deletion.service.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { listProjects } from '../projects/listing.queries.ts';
import type { PresentProjects } from '../projects/presenter.ts';
import { Group, GroupDetail, groupDetailJson } from './groups.entity.ts';
import { attributes, groupId, laterAttributes, listParameters, wideListParameters } from './groups.params.ts';
import { groupStatistics, sharedWith } from './groups.queries.ts';
import type { GroupService } from './groups.service.ts';
import { listingHandler } from './listing.ts';

export interface GroupRouteDependencies extends NamespacesDependencies {
  readonly groups: GroupService;
  readonly deletion: DeletionService;
  readonly present: PresentProjects;
}

const common = { credentials: ['token', 'session'], tag: 'Groups' } as const;
const Accepted = Entity('Accepted', { message: Text() });
/** Most projects that a group's own answer lists; the rest is at `/groups/:id/projects`. */
const listedProjects = 100;

export function groupRoutes(deps: GroupRouteDependencies): Route[] {
  const { db, groups, deletion, present } = deps;
  const list = listingHandler(deps);

  async function projectsOf(group: Namespace, caller: Caller) {
    const window = { order: 'created_at', direction: 'desc', limit: listedProjects, offset: 0, after: null } as const;
    const [own, shared] = await Promise.all([
      listProjects(db, caller, { namespaceId: group.id }, window),
      listProjects(db, caller, { onlySharedWith: group.id }, window),
    ]);
    return { own: await present(own, caller), shared: await present(shared, caller) };
  }

  async function detail(group: Namespace, caller: Caller, options: { projects?: boolean; statistics?: boolean }) {
    const statistics = options.statistics && caller.admin ? await groupStatistics(db, [group.id]) : null;
    return groupDetailJson(group, {
      externalUrl: deps.externalUrl,
      repositoryStorage: caller.admin ? deps.repositoryStorage : null,
      statistics: statistics?.get(group.id),
      sharedWith: await sharedWith(db, group.id),
      ...(options.projects ? { projects: await projectsOf(group, caller) } : {}),
    });
  }

  async function reloaded({ group }: GroupSubject, caller: Caller) {
    const found = await findGroupSubject(db, String(group.id), caller.user?.id ?? null);
    if (!found) throw notFound('Group');
    return await detail(found.group, caller, {});
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/groups',
      summary: 'Groups that the caller may see',
      rate: 'groups_api',
      access: { on: 'public' },
      params: Type.Object(wideListParameters),
      pagination: 'both',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller }) => {
        const storage = caller.admin ? params.repository_storage : undefined;
        return list(caller, page, params, {
          topLevelOnly: params.top_level_only ?? false,
          idAfter: params.id_after,
          idBefore: params.id_before,
          none: storage !== undefined && storage !== deps.repositoryStorage,
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups',
      summary: 'Create a group',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        ...attributes,
        name: Str({ description: 'Name of the group' }),
        path: Str({ description: 'Last part of the address of the group' }),
        parent_id: Optional(OrNull(Int({ description: 'Id of the group above; left out for a top-level group' }))),
      }),
      responses: { 201: GroupDetail },
      handler: async ({ params, caller }) => {
        const { name, path, parent_id, ...settings } = params;
        const created = await groups.create(caller, { name, path, parentId: parent_id ?? null }, settings);
        return await detail(created.group, caller, {});
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id',
      summary: 'A group',
      rate: 'group_api',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        ...groupId,
        with_projects: Optional(Bool({ default: true, deprecated: true, description: 'Use `/groups/:id/projects`' })),
        with_custom_attributes: Optional(
          Bool({ default: false, description: 'Also give custom attributes; administrators only' }),
        ),
        statistics: Optional(Bool({ default: false, description: 'Administrators only' })),
      }),
      responses: { 200: GroupDetail },
      handler: ({ params, caller, subject }) =>
        detail(subject.group, caller, {
          projects: params.with_projects ?? true,
          statistics: params.statistics ?? false,
        }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id',
      summary: 'Change a group',
      access: { on: 'group', ability: 'update_group' },
      params: Type.Object(
        {
          ...groupId,
          ...attributes,
          ...laterAttributes,
          name: Optional(Str({ description: 'Name of the group' })),
          path: Optional(Str({ description: 'Last part of the address of the group' })),
        },
        rules(atLeastOneOf('name', 'path', ...Object.keys({ ...attributes, ...laterAttributes }))),
      ),
      responses: { 200: GroupDetail },
      handler: async ({ params, caller, subject }) => {
        const { id: _, name, path, ...settings } = params;
        const names = { ...(name === undefined ? {} : { name }), ...(path === undefined ? {} : { path }) };
        await groups.update(subject, caller, names, settings);
        return await reloaded(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/groups/:id',
      summary: 'Remove a group and everything in it, after the days of grace',
      access: { on: 'group', ability: 'remove_group' },
      params: Type.Object({
        ...groupId,
        permanently_remove: Optional(Bool({ default: false, description: 'Now; it must wait for removal already' })),
        full_path: Optional(Str({ description: 'Of the group; required to remove it now' })),
      }),
      responses: { 202: Accepted },
      conditional: true,
      handler: async ({ params, caller, subject, unmodifiedSince }) => {
        unmodifiedSince(subject.group.updated_at);
        const options = { permanently: params.permanently_remove, fullPath: params.full_path };
        await deletion.scheduleGroup(subject, caller, options);
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/restore',
      summary: 'Bring back a group that waits for removal',
      access: { on: 'group', ability: 'remove_group' },
      params: Type.Object(groupId),
      responses: { 201: GroupDetail },
      handler: async ({ caller, subject }) => {
        await deletion.restoreGroup(subject, caller);
        return await reloaded(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/subgroups',
      summary: 'Groups directly below a group',
      access: { on: 'group', ability: 'read_group' },
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
      summary: 'Groups anywhere below a group',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ ...groupId, ...listParameters }),
      pagination: 'offset',
      responses: { 200: ListOf(Group) },
      handler: ({ params, page, caller, subject }) =>
        list(caller, page, params, { ancestorId: subject.group.id, shortPaths: true }),
    }),
  ];
}
