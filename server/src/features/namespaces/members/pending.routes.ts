/** Routes of memberships that wait for the approval of an owner, because all seats are taken. */
import Type from 'typebox';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, Flag, ListOf } from '../../../kernel/http/entity.ts';
import { badRequest } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, OneOf } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { PendingMember } from './members.entity.ts';
import type { MemberService } from './members.service.ts';
import { countPending, listPending } from './pending.queries.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Members',
  access: { on: 'group', ability: 'admin_group_member' },
} as const;
const id = { id: IdOrPath('Group') };
const StateChanged = Entity('MembershipStateChanged', { success: Flag() });

function requireTop(subject: GroupSubject): void {
  if (subject.group.parent_id !== null) throw badRequest();
}

export function pendingMemberRoutes({ db, externalUrl }: NamespacesDependencies, members: MemberService): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/pending_members',
      summary: 'List pending members of a top-level group',
      params: Type.Object(id),
      pagination: 'offset',
      responses: { 200: ListOf(PendingMember) },
      handler: async ({ subject, page }) => {
        requireTop(subject);
        const rows = await listPending(db, subject.group.id, page);
        const people = await findReferences(
          db,
          rows.flatMap(({ user_id }) => user_id ?? []),
        );
        return mapPage(offsetPage(page, rows, await countPending(db, subject.group.id)), (row) => {
          const user = people.get(row.user_id ?? 0);
          const person = user && userReference(user, externalUrl);
          return {
            id: row.pending_id,
            ...(person ? { name: person.name, username: person.username } : {}),
            ...(row.invite_email === null ? {} : { email: row.invite_email }),
            avatar_url: person?.avatar_url ?? null,
            web_url: person?.web_url ?? null,
            approved: false,
            invited: row.invite_email !== null,
          };
        });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id/members/:member_id/approve',
      summary: 'Approve a pending member of a top-level group',
      params: Type.Object({ ...id, member_id: Int({ description: 'Id of the membership' }) }),
      responses: { 200: Empty },
      handler: async ({ params, caller, subject }) => {
        requireTop(subject);
        await members.approve(caller, subject, params.member_id);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/members/approve_all',
      summary: 'Approve all pending members of a top-level group',
      params: Type.Object(id),
      responses: { 200: Empty },
      handler: async ({ caller, subject }) => {
        requireTop(subject);
        await members.approveAll(caller, subject);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id/members/:user_id/state',
      summary: 'Set the membership state of a user in a top-level group',
      params: Type.Object({
        ...id,
        user_id: Int({ description: 'Id of the user' }),
        state: OneOf(['awaiting', 'active'], { description: 'Awaiting takes all roles away until it is active again' }),
      }),
      responses: { 200: StateChanged },
      handler: async ({ params, caller, subject }) => {
        requireTop(subject);
        await members.setState(caller, subject, params.user_id, params.state);
        return { success: true };
      },
    }),
  ];
}
