/** Routes of invitations by mail: for those who invite, below groups and projects; and for those who are invited. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import {
  Count,
  Day,
  Entity,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import {
  DateParam,
  IdOrPath,
  Int,
  List,
  OneOrMore,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { nameOf, placeOf, refuseCustomRole, roleOf } from '../members/rules.ts';
import {
  countInvitations,
  type ListedInvitation,
  listInvitations,
  type MemberInvitation,
} from './invitations.queries.ts';
import type { InvitationService, OpenedInvitation } from './invitations.service.ts';

const Invitation = Entity('Invitation', {
  id: Id(),
  invite_email: Text({ description: 'Address that was invited' }),
  created_at: Timestamp(),
  access_level: Count({ description: 'Role: 5, 10, 15, 20, 30, 40 or 50' }),
  expires_at: Nullable(Day({ description: 'Day when the membership will end' })),
  user_name: Nullable(Text({ description: 'Always null: nobody has accepted yet' })),
  created_by_name: Nullable(Text()),
});
const ChangedInvitation = Entity('ChangedInvitation', {
  access_level: Count(),
  expires_at: Nullable(Day()),
});
const InvitationsSent = Entity('InvitationsSent', {
  status: Text({ description: '`success`, or `error` when some could not be invited' }),
  message: Sometimes(MapOf(Text(), { description: 'Reasons by address' })),
});
const OpenInvitation = Entity('OpenInvitation', {
  source_type: Text({ description: '`group` or `project`' }),
  source_name: Text(),
  web_url: Text(),
  access_level: Count(),
  role: Text(),
  expires_at: Nullable(Day()),
  invite_email: Text(),
  created_by_name: Nullable(Text()),
});

const invitationJson = (row: ListedInvitation) => ({
  id: row.id,
  invite_email: row.email,
  created_at: row.created_at,
  access_level: row.level,
  expires_at: row.expires_at,
  user_name: null,
  created_by_name: row.created_by_name,
});
const changedJson = ({ level, expires_at }: MemberInvitation) => ({ access_level: level, expires_at });

const role = 'Role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner; 5 minimal access';
const expiry = Optional(OrNull(DateParam({ description: 'Day when the membership ends; null for never' })));
const common = { credentials: ['token', 'session'], tag: 'Members' } as const;
const parents = [
  { noun: 'group', base: '/groups/:id/invitations', access: { on: 'group', ability: 'admin_group_member' } },
  { noun: 'project', base: '/projects/:id/invitations', access: { on: 'project', ability: 'admin_project_member' } },
] as const;
const token = {
  invitation_token: Str({ minLength: 1, maxLength: 200, description: 'What the link in the mail carries' }),
};

export function invitationRoutes(deps: { db: Db; externalUrl: string; invitations: InvitationService }): Route[] {
  const { db, externalUrl, invitations } = deps;
  const openJson = ({ row, subject, inviter }: OpenedInvitation) => {
    const { noun, name, url } = nameOf(subject, externalUrl);
    return {
      source_type: noun,
      source_name: name,
      web_url: url,
      access_level: row.level,
      role: roleOf(row.level),
      expires_at: row.expires_at,
      invite_email: row.email,
      created_by_name: inviter?.name ?? null,
    };
  };

  const managed = parents.flatMap(({ noun, base, access }) => {
    const id = { id: IdOrPath(noun === 'group' ? 'Group' : 'Project') };
    const email = Str({ maxLength: 254, description: 'Address that was invited' });
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List pending invitations to a ${noun}`,
        access,
        params: Type.Object({ ...id, query: Optional(Str({ description: 'The whole address' })) }),
        pagination: 'offset',
        responses: { 200: ListOf(Invitation) },
        handler: async ({ subject, params, page }) => {
          const place = placeOf(subject);
          const wanted = params.query || null;
          const rows = await listInvitations(db, place, wanted, page);
          return mapPage(offsetPage(page, rows, await countInvitations(db, place, wanted)), invitationJson);
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Invite addresses to a ${noun}`,
        access,
        params: Type.Object(
          {
            ...id,
            email: Optional(
              OneOrMore(Str({ maxLength: 254 }), { description: 'One address or several, comma-separated' }),
            ),
            user_id: Optional(OneOrMore(Int(), { description: 'Ids of users, comma-separated' })),
            access_level: Int({ description: role }),
            expires_at: expiry,
            invite_source: Optional(Str({ maxLength: 255, description: 'Where the invitation comes from' })),
            member_role_id: Optional(
              OrNull(Int({ description: "There are no roles of one's own: refused unless left out" })),
            ),
            areas_of_focus: Optional(List(Str(), { commas: true, deprecated: true, description: 'Read by nobody' })),
          },
          rules(atLeastOneOf('email', 'user_id')),
        ),
        responses: { 201: InvitationsSent },
        handler: async ({ params, caller, subject }) => {
          refuseCustomRole(params.member_role_id);
          const failed = await invitations.invite(caller, subject, {
            emails: (params.email ?? []).map((each) => each.trim()).filter((each) => each !== ''),
            userIds: params.user_id ?? [],
            terms: { level: params.access_level, expiresAt: params.expires_at ?? null },
            source: params.invite_source ?? null,
          });
          return Object.keys(failed).length === 0 ? { status: 'success' } : { status: 'error', message: failed };
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:email`,
        summary: `Update an invitation to a ${noun}`,
        access,
        params: Type.Object({ ...id, email, access_level: Optional(Int({ description: role })), expires_at: expiry }),
        responses: { 200: ChangedInvitation },
        handler: async ({ params, caller, subject }) => {
          const changes = { level: params.access_level, expiresAt: params.expires_at };
          return changedJson(await invitations.change(caller, subject, params.email, changes));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:email`,
        summary: `Delete an invitation to a ${noun}`,
        access,
        params: Type.Object({ ...id, email }),
        responses: { 204: Empty },
        conditional: true,
        handler: ({ params, caller, subject, unmodifiedSince }) =>
          invitations.remove(caller, subject, params.email, unmodifiedSince),
      }),
    ];
  });

  return [
    ...managed,
    route({
      ...common,
      method: 'POST',
      path: '/invitations/look',
      summary: 'Get what an invitation link invites to',
      access: { on: 'public' },
      params: Type.Object(token),
      responses: { 200: OpenInvitation },
      errors: [404],
      handler: async ({ params }) => openJson(await invitations.look(params.invitation_token)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/invitations/accept',
      summary: 'Accept an invitation by its link',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(token),
      responses: { 200: OpenInvitation },
      errors: [404],
      handler: async ({ params, caller }) => openJson(await invitations.accept(caller, params.invitation_token)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/invitations/decline',
      summary: 'Decline an invitation by its link',
      access: { on: 'public' },
      params: Type.Object(token),
      responses: { 204: Empty },
      errors: [404],
      handler: ({ params, caller }) => invitations.decline(params.invitation_token, caller),
    }),
  ];
}
