/** Routes of who takes a seat of a top-level group. */
import Type from 'typebox';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { badRequest, forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { MemberService } from '../members/members.service.ts';
import { roleOf } from '../members/rules.ts';
import {
  type BillableRow,
  billableSorts,
  countBillable,
  countMemberships,
  listBillable,
  listMemberships,
  type MembershipRow,
} from './billable-members.queries.ts';

const BillableMember = Entity('BillableMember', {
  ...UserReference.properties,
  email: Sometimes(Text({ description: 'Administrators only' })),
  last_activity_on: Nullable(Day()),
  membership_type: Word(['group_member', 'project_member', 'group_invite', 'project_invite'], {
    description: 'How they got the seat',
  }),
  removable: Flag({ description: 'Whether they are a member themselves, not only by an invited group' }),
  created_at: Timestamp(),
  last_login_at: Nullable(Timestamp()),
});
const Membership = Entity('BillableMembership', {
  id: Id(),
  source_id: Id({ description: 'Id of the group or project' }),
  source_full_name: Text(),
  source_members_url: Text(),
  created_at: Timestamp(),
  expires_at: Nullable(Day()),
  access_level: Fields({ string_value: Text(), integer_value: Count() }),
});

const common = { credentials: ['token', 'session'], tag: 'Members' } as const;
const id = { id: IdOrPath('Group') };
const person = { ...id, user_id: Int({ description: 'Id of the user' }) };
const base = '/groups/:id/billable_members';

function requireTop(subject: GroupSubject): number {
  if (subject.group.parent_id !== null) throw badRequest();
  return subject.group.id;
}

export function billableMemberRoutes({ db, externalUrl }: NamespacesDependencies, members: MemberService): Route[] {
  const json = (row: BillableRow, caller: Caller) => ({
    ...userReference(row, externalUrl),
    ...(caller.admin ? { email: row.email } : {}),
    last_activity_on: row.last_activity_on,
    membership_type: row.membership_type,
    removable: row.removable,
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  });
  const membershipJson = (row: MembershipRow) => ({
    id: row.id,
    source_id: row.source_id,
    source_full_name: row.source_full_name,
    source_members_url: row.project
      ? `${externalUrl}/${row.source_path}/-/project_members`
      : `${externalUrl}/groups/${row.source_path}/-/group_members`,
    created_at: row.created_at,
    expires_at: row.expires_at,
    access_level: { string_value: roleOf(row.level), integer_value: row.level },
  });

  async function billable(rootId: number, userId: number): Promise<BillableRow> {
    const [row] = await listBillable(db, rootId, { userId }, 'name_asc', { limit: 1, offset: 0 });
    if (!row) throw notFound('User');
    return row;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List billable members of a top-level group',
      access: { on: 'group', ability: 'read_billable_member' },
      params: Type.Object({
        ...id,
        search: Optional(Str({ description: 'In names and usernames, or the whole public address' })),
        sort: Optional(OneOf(billableSorts, { default: 'name_asc', description: 'Order of the list' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(BillableMember) },
      handler: async ({ subject, params, page, caller }) => {
        const rootId = requireTop(subject);
        const filter = { search: params.search };
        const [rows, total] = await Promise.all([
          listBillable(db, rootId, filter, params.sort ?? 'name_asc', page),
          countBillable(db, rootId, filter),
        ]);
        return mapPage(offsetPage(page, rows, total), (row) => json(row, caller));
      },
    }),
    ...(['direct', 'indirect'] as const).map((reach) =>
      route({
        ...common,
        method: 'GET',
        path: reach === 'direct' ? `${base}/:user_id/memberships` : `${base}/:user_id/indirect`,
        summary:
          reach === 'direct'
            ? 'List memberships of a billable member of a top-level group'
            : 'List indirect memberships of a billable member of a top-level group',
        access: { on: 'group', ability: 'admin_group_member' },
        params: Type.Object(person),
        pagination: 'offset',
        responses: { 200: ListOf(Membership) },
        handler: async ({ subject, params, page }) => {
          const rootId = requireTop(subject);
          const { id: userId } = await billable(rootId, params.user_id);
          const [rows, total] = await Promise.all([
            listMemberships(db, rootId, userId, reach, page),
            countMemberships(db, rootId, userId, reach),
          ]);
          return mapPage(offsetPage(page, rows, total), membershipJson);
        },
      }),
    ),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:user_id`,
      summary: 'Remove a billable member from a top-level group and everything below it',
      access: { on: 'group', ability: 'admin_group_member' },
      params: Type.Object(person),
      responses: { 204: Empty },
      conditional: 'A seat follows from any number of memberships: it has no date of change.',
      handler: async ({ subject, params, caller }) => {
        const row = await billable(requireTop(subject), params.user_id);
        if (!row.removable) throw forbidden('They have their role by an invited group.');
        await members.removeEverywhere(caller, subject, row.id);
      },
    }),
  ];
}
