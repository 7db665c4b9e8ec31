/** Routes of groups that are invited to other groups and to projects; the lists of them are with the groups and projects. */
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import { Count, Day, Entity, Id, Nullable } from '../../../kernel/http/entity.ts';
import { DateParam, IdOrPath, Int, Optional, OrNull } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { runnersTokenFor } from '../access/registration.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { GroupDetail, groupDetailJson } from '../groups/groups.entity.ts';
import { sharedWith } from '../groups/groups.queries.ts';
import { shownStorage } from '../projects/storages.ts';
import type { ShareService } from './shares.service.ts';

const ProjectShare = Entity('ProjectShare', {
  id: Id(),
  project_id: Id(),
  group_id: Id({ description: 'Group that was invited' }),
  group_access: Count({ description: 'Role: 10, 15, 20, 30, 40 or 50' }),
  expires_at: Nullable(Day()),
});

const credentials = ['token', 'session'] as const;
const role = 'Role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner';
const sharing = {
  group_id: Int({ description: 'Group whose members get the role' }),
  group_access: Int({ description: role }),
  expires_at: Optional(OrNull(DateParam({ description: 'Day when the invitation ends; null for never' }))),
};
export function shareRoutes(deps: NamespacesDependencies, shares: ShareService): Route[] {
  const { db, externalUrl } = deps;
  const group = { credentials, tag: 'Groups' } as const;
  const project = { credentials, tag: 'Projects' } as const;
  return [
    route({
      ...group,
      method: 'POST',
      path: '/groups/:id/share',
      summary: 'Invite a group to a group',
      access: { on: 'group', ability: 'share_group' },
      params: Type.Object({ id: IdOrPath('Group'), ...sharing }),
      responses: { 200: GroupDetail },
      errors: [409],
      handler: async ({ params, caller, subject }) => {
        const terms = { groupId: params.group_id, level: params.group_access, expiresAt: params.expires_at ?? null };
        await shares.share(caller, subject, terms);
        const shown = {
          externalUrl,
          repositoryStorage: shownStorage(caller, deps.repositoryStorages),
          sharedWith: await sharedWith(db, subject.group.id, caller),
          owner: caller.admin || subject.level === Level.owner,
          runnersToken: await runnersTokenFor(deps, subject, caller),
        };
        return groupDetailJson(subject.group, shown);
      },
    }),
    route({
      ...group,
      method: 'DELETE',
      path: '/groups/:id/share/:group_id',
      summary: 'Remove an invited group from a group',
      access: { on: 'group', ability: 'share_group' },
      params: Type.Object({ id: IdOrPath('Group'), group_id: Int({ description: 'Group that was invited' }) }),
      responses: { 204: Empty },
      conditional: true,
      handler: ({ params, caller, subject, unmodifiedSince }) =>
        shares.unshare(caller, subject, params.group_id, unmodifiedSince),
    }),
    route({
      ...project,
      method: 'POST',
      path: '/projects/:id/share',
      summary: 'Invite a group to a project',
      access: { on: 'project', ability: 'share_project' },
      params: Type.Object({ id: IdOrPath('Project'), ...sharing }),
      responses: { 201: ProjectShare },
      errors: [409],
      handler: async ({ params, caller, subject }) => {
        const terms = { groupId: params.group_id, level: params.group_access, expiresAt: params.expires_at ?? null };
        const { id, level, expires_at } = await shares.share(caller, subject, terms);
        return { id, project_id: subject.project.id, group_id: params.group_id, group_access: level, expires_at };
      },
    }),
    route({
      ...project,
      method: 'DELETE',
      path: '/projects/:id/share/:group_id',
      summary: 'Remove an invited group from a project',
      access: { on: 'project', ability: 'share_project' },
      params: Type.Object({ id: IdOrPath('Project'), group_id: Int({ description: 'Group that was invited' }) }),
      responses: { 204: Empty },
      conditional: true,
      handler: ({ params, caller, subject, unmodifiedSince }) =>
        shares.unshare(caller, subject, params.group_id, unmodifiedSince),
    }),
  ];
}
