/** Routes of groups. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound, savedOr } from '../../../kernel/http/errors.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, IdOrPath, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { findGroupSubject, findProjectSubject } from '../access/parents.queries.ts';
import { runnersTokenFor } from '../access/registration.ts';
import { openCounts } from '../access/requests.queries.ts';
import { type Pictures, pictureTypes } from '../avatars/pictures.ts';
import { customAttributesOf } from '../custom-attributes/custom-attributes.queries.ts';
import type { DeletionService } from '../deletion/deletion.service.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { countMembers } from '../members/members.queries.ts';
import { placeOf } from '../members/rules.ts';
import { listProjects } from '../projects/listing.queries.ts';
import type { PresentProjects } from '../projects/presenter.ts';
import { firstStorage, shownStorage } from '../projects/storages.ts';
import { projectTransfer } from '../projects/transfer.service.ts';
import { groupStatistics } from '../statistics/statistics.queries.ts';
import { attributes, laterAttributes } from './attributes.params.ts';
import { Group, GroupDetail, groupDetailJson } from './groups.entity.ts';
import { groupId, wideListParameters } from './groups.params.ts';
import { sharedWith } from './groups.queries.ts';
import type { GroupService } from './groups.service.ts';
import { listingHandler } from './listing.ts';
import { groupTransfer } from './transfer.ts';

export interface GroupRouteDependencies extends NamespacesDependencies {
  readonly groups: GroupService;
  readonly deletion: DeletionService;
  readonly present: PresentProjects;
  readonly pictures: Pictures;
}

const common = { credentials: ['token', 'session'], tag: 'Groups' } as const;
const Accepted = Entity('Accepted', { message: Text() });
/** Most projects that a group's own answer lists; the rest is at `/groups/:id/projects`. */
const listedProjects = 100;

export function groupRoutes(deps: GroupRouteDependencies): Route[] {
  const { db, groups, deletion, present } = deps;
  const list = listingHandler(deps);
  const transfer = groupTransfer(deps);
  const moveProject = projectTransfer(deps);

  async function projectsOf(group: Namespace, caller: Caller) {
    const window = { order: 'created_at', direction: 'desc', limit: listedProjects, offset: 0, after: null } as const;
    const [own, shared] = await Promise.all([
      listProjects(db, caller, { namespaceId: group.id }, window, { counted: false }),
      listProjects(db, caller, { onlySharedWith: group.id }, window, { counted: false }),
    ]);
    const shown = { inGroup: true };
    return { own: await present(own.items, caller, shown), shared: await present(shared.items, caller, shown) };
  }

  interface DetailOptions {
    readonly counts?: boolean;
    readonly projects?: boolean;
    readonly statistics?: boolean;
    readonly customAttributes?: boolean;
    readonly ownLevel?: boolean;
  }

  async function countsOf(subject: GroupSubject, caller: Caller) {
    const [open, members] = await Promise.all([
      openCounts(db, subject, caller),
      countMembers(db, caller, placeOf(subject), 'all', {}),
    ]);
    return { ...open, members };
  }

  async function detail(subject: GroupSubject, caller: Caller, options: DetailOptions = {}) {
    const { group, level } = subject;
    const owner = caller.admin || level === Level.owner;
    const [statistics, attributes, runnersToken, counts] = await Promise.all([
      options.statistics && caller.admin ? groupStatistics(db, [group.id]) : null,
      options.customAttributes && caller.admin ? customAttributesOf(db, 'group', [group.id]) : null,
      runnersTokenFor(deps, subject, caller),
      options.counts ? countsOf(subject, caller) : undefined,
    ]);
    return groupDetailJson(group, {
      externalUrl: deps.externalUrl,
      repositoryStorage: shownStorage(caller, deps.repositoryStorages),
      owner,
      runnersToken,
      statistics: statistics?.get(group.id),
      customAttributes: attributes?.get(group.id),
      sharedWith: await sharedWith(db, group.id, caller),
      ...(options.projects ? { projects: await projectsOf(group, caller) } : {}),
      ...(options.ownLevel ? { ownLevel: level } : {}),
      ...(counts ? { counts } : {}),
    });
  }

  async function reloaded({ group }: GroupSubject, caller: Caller) {
    const found = await findGroupSubject(db, String(group.id), caller.user?.id ?? null);
    if (!found) throw notFound('Group');
    return await detail(found, caller);
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/groups',
      summary: 'List groups that you can see',
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
          none: storage !== undefined && storage !== firstStorage(deps.repositoryStorages),
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
      handler: async (context) => {
        const { name, path, parent_id, ...settings } = context.params;
        const wanted = { name, path, parentId: parent_id ?? null };
        return await reloaded(
          await savedOr('Failed to save group', () => groups.create(context.caller, wanted, settings)),
          context.caller,
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id',
      summary: 'Get a group',
      rate: 'group_api',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        ...groupId,
        with_projects: Optional(Bool({ default: true, deprecated: true, description: 'Use `/groups/:id/projects`' })),
        with_custom_attributes: Optional(
          Bool({ default: false, description: 'Also give custom attributes; administrators only' }),
        ),
        statistics: Optional(Bool({ default: false, description: 'Administrators only' })),
        with_own_access_level: Optional(Bool({ default: false, description: 'Also give the level of the caller' })),
        with_counts: Optional(
          Bool({
            default: false,
            description: 'Also how many members, and open issues and merge requests that the caller sees',
          }),
        ),
      }),
      responses: { 200: GroupDetail },
      handler: ({ params, caller, subject }) =>
        detail(subject, caller, {
          counts: params.with_counts ?? false,
          ownLevel: params.with_own_access_level ?? false,
          projects: params.with_projects ?? true,
          statistics: params.statistics ?? false,
          customAttributes: params.with_custom_attributes ?? false,
        }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id',
      summary: 'Update a group',
      rate: 'update_namespace_name',
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
      handler: async (context) => {
        const { subject, caller } = context;
        const { id: _, name, path, ...settings } = context.params;
        const names = { ...(name === undefined ? {} : { name }), ...(path === undefined ? {} : { path }) };
        await groups.update(subject, context.caller, names, settings);
        return await reloaded(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/groups/:id',
      summary: 'Delete a group and everything in it, after the retention period',
      access: { on: 'group', ability: 'remove_group' },
      params: Type.Object({
        ...groupId,
        permanently_remove: Optional(Bool({ default: false, description: 'Now; it must wait for removal already' })),
        full_path: Optional(Str({ description: 'Of the group; required to remove it now' })),
      }),
      responses: { 202: Accepted },
      conditional: true,
      handler: async (context) => {
        const { params, subject } = context;
        context.unmodifiedSince(subject.group.updated_at);
        const options = { permanently: params.permanently_remove, fullPath: params.full_path };
        await deletion.scheduleGroup(subject, context.caller, options);
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/avatar',
      summary: 'Download the avatar of a group',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object(groupId),
      responses: { 200: Binary },
      media: pictureTypes,
      handler: async ({ subject }) => {
        const picture = await deps.pictures.read(subject.group.avatar_object_key);
        if (!picture) throw notFound('Avatar');
        return streamed(Readable.from([picture.bytes]), picture.type, { 'Content-Disposition': 'attachment' });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/archive',
      rate: 'group_archive_unarchive_api',
      errors: [422],
      summary: 'Archive a group: it becomes read-only',
      access: { on: 'group', ability: 'archive_group' },
      params: Type.Object(groupId),
      responses: { 201: GroupDetail },
      handler: async (context) => {
        await groups.setArchived(context.subject, context.caller, true);
        return await reloaded(context.subject, context.caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/unarchive',
      rate: 'group_archive_unarchive_api',
      errors: [422],
      summary: 'Unarchive a group',
      access: { on: 'group', ability: 'archive_group' },
      params: Type.Object(groupId),
      responses: { 201: GroupDetail },
      handler: async (context) => {
        await groups.setArchived(context.subject, context.caller, false);
        return await reloaded(context.subject, context.caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/restore',
      summary: 'Restore a group that is scheduled for deletion',
      access: { on: 'group', ability: 'restore_group' },
      params: Type.Object(groupId),
      responses: { 201: GroupDetail },
      handler: async ({ caller, subject }) => {
        await deletion.restoreGroup(subject, caller);
        return await reloaded(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/transfer',
      summary: 'Transfer a group to another parent group, or make it top-level',
      access: { on: 'group', ability: 'transfer_group' },
      params: Type.Object({
        ...groupId,
        group_id: Optional(OrNull(IdOrPath('Id or path of the group above; left out for the top'))),
      }),
      responses: { 201: GroupDetail },
      handler: async ({ params, caller, subject }) => {
        await transfer(subject, caller, params.group_id || null);
        return await reloaded(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/projects/:project_id',
      summary: 'Transfer a project to a group, as an administrator',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({ ...groupId, project_id: IdOrPath('Project') }),
      responses: { 201: GroupDetail },
      handler: async ({ params, caller }) => {
        const user = caller.user?.id ?? null;
        const group = await findGroupSubject(db, params.id, user);
        if (!group) throw notFound('Group');
        const project = await findProjectSubject(db, params.project_id, user);
        if (!project) throw notFound('Project');
        await moveProject(project, caller, String(group.group.id));
        return await detail(group, caller, { projects: true });
      },
    }),
  ];
}
