/** Routes of members; the same below groups and projects. */
import Type from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, HttpError, invalidParameters, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { exactlyOneOf } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  OneOrMore,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { Member, type MemberRow, MembersAdded, memberJson } from './members.entity.ts';
import {
  countMembers,
  listMembers,
  type MemberFilter,
  memberSorts,
  type Reach,
  samlIdentities,
} from './members.queries.ts';
import type { MemberService } from './members.service.ts';
import { type MemberSubject, placeOf, reasonOf, refuseCustomRole } from './rules.ts';

const common = { credentials: ['token', 'session'], tag: 'Members' } as const;

const filters = {
  query: Optional(Str({ description: 'In names and usernames' })),
  user_ids: Optional(List(Int(), { commas: true, description: 'Only members with these user ids' })),
  show_seat_info: Optional(Bool({ default: false, description: 'Also tell whether the member takes a seat' })),
};
const expiry = Optional(OrNull(DateParam({ description: 'Day when the membership ends; null for never' })));

const memberRole = Optional(OrNull(Int({ description: "There are no roles of one's own: refused unless left out" })));

/** Adding one member answers the member, adding several a summary. */
interface Addition {
  readonly user_id?: number[];
  readonly username?: string;
  readonly access_level: number;
  readonly expires_at?: string | null;
}

function peopleOf({ user_id, username }: Addition): Array<number | string> {
  const names = (username ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const people = user_id ?? names;
  if (people.length === 0) throw invalidParameters([`${user_id ? 'user_id' : 'username'} is empty`]);
  if (people.length > 100) throw invalidParameters(['user_id has more than 100 elements']);
  return people;
}

const managesMembers = (caller: Caller, subject: MemberSubject): boolean =>
  subject.kind === 'group'
    ? canOnGroup(caller, 'admin_group_member', subject)
    : canOnProject(caller, 'admin_project_member', subject);

interface Shown {
  readonly seats?: boolean;
  readonly source?: boolean;
}

/** Members as JSON: for these routes and for those of requests. */
export function memberPresenter({ db, externalUrl }: Pick<NamespacesDependencies, 'db' | 'externalUrl'>) {
  async function present(rows: readonly MemberRow[], caller: Caller, subject: MemberSubject, shown: Shown) {
    const creators = await findReferences(
      db,
      rows.flatMap((row) => row.granted_by ?? []),
    );
    const told = subject.kind === 'group' && canOnGroup(caller, 'admin_group_member', subject);
    const ids = rows.map(({ id }) => id);
    const saml = told ? await samlIdentities(db, placeOf(subject).namespaceIds, ids) : null;
    return (row: MemberRow) =>
      memberJson(row, {
        externalUrl,
        createdBy: creators.get(row.granted_by ?? 0),
        seats: shown.seats ?? false,
        source: shown.source ?? false,
        saml: saml ? (saml.get(row.id) ?? null) : undefined,
      });
  }

  async function one(caller: Caller, subject: MemberSubject, reach: Reach, userId: number) {
    const window = { limit: 1, offset: 0 };
    const [row] = await listMembers(db, caller, placeOf(subject), reach, { userIds: [userId] }, window);
    if (!row) throw recordNotFound();
    return (await present([row], caller, subject, {}))(row);
  }
  return { present, one };
}

export type MemberPresenter = ReturnType<typeof memberPresenter>;

export function memberRoutes(deps: NamespacesDependencies, members: MemberService): Route[] {
  const { db } = deps;
  const { present, one } = memberPresenter(deps);

  async function list(caller: Caller, subject: MemberSubject, reach: Reach, page: Page, filter: MemberFilter & Shown) {
    const place = placeOf(subject);
    const [rows, total] = await Promise.all([
      listMembers(db, caller, place, reach, filter, page),
      countMembers(db, caller, place, reach, filter),
    ]);
    const found = offsetPage(page, rows, total);
    return mapPage(found, await present(found.items, caller, subject, filter));
  }

  async function add(caller: Caller, subject: MemberSubject, params: Addition) {
    const people = peopleOf(params);
    const terms = { level: params.access_level, expiresAt: params.expires_at ?? null };
    const [only] = people;
    if (people.length === 1 && only !== undefined) {
      const user = await members.findPerson(only);
      await members.add(caller, subject, user, terms);
      return answer(201, await one(caller, subject, 'direct', user.id));
    }
    const failed: Record<string, string> = {};
    for (const who of people) {
      try {
        await members.add(caller, subject, await members.findPerson(who), terms);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status === 403) throw error;
        failed[String(who)] = reasonOf(error);
      }
    }
    return Object.keys(failed).length === 0 ? { status: 'success' } : { status: 'error', message: failed };
  }

  const parents = [
    {
      noun: 'group',
      base: '/groups/:id/members',
      read: { on: 'group', ability: 'read_group_member' },
      admin: { on: 'group', ability: 'admin_group_member' },
    },
    {
      noun: 'project',
      base: '/projects/:id/members',
      read: { on: 'project', ability: 'read_project_member' },
      admin: { on: 'project', ability: 'admin_project_member' },
    },
  ] as const;

  return parents.flatMap(({ noun, base, read, admin }) => {
    const id = { id: IdOrPath(noun === 'group' ? 'Group' : 'Project') };
    const user = { ...id, user_id: Int({ description: 'Id of the user' }) };
    const counted = noun === 'project' ? ({ rate: 'project_members_api' } as const) : {};
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List direct members of a ${noun}`,
        ...counted,
        access: read,
        params: Type.Object({
          ...id,
          ...filters,
          skip_users: Optional(List(Int(), { commas: true, description: 'Leave out the users with these ids' })),
        }),
        pagination: 'offset',
        listsPeople: true,
        responses: { 200: ListOf(Member) },
        handler: ({ params, caller, subject, page }) =>
          list(caller, subject, 'direct', page, {
            query: params.query,
            userIds: params.user_ids,
            skipUsers: params.skip_users,
            seats: params.show_seat_info ?? false,
          }),
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/all`,
        summary: `List direct and inherited members of a ${noun}, and those of invited groups`,
        ...counted,
        access: read,
        params: Type.Object({
          ...id,
          ...filters,
          state: Optional(OneOf(['awaiting', 'active'], { description: 'Only members in this state' })),
          with_source: Optional(Bool({ default: false, description: 'Also tell where the role comes from' })),
          access_level: Optional(Int({ minimum: 0, maximum: 60, description: 'Only members with this role' })),
          source: Optional(
            OneOf(['direct', 'inherited', 'shared'], { description: 'Only members whose role comes from there' }),
          ),
          expires: Optional(Bool({ description: 'Only memberships that end some day, or only those that do not' })),
          two_factor: Optional(
            OneOf(['enabled', 'disabled'], {
              description: 'Only members with or without a second factor; for those who decide about members',
            }),
          ),
          sort: Optional(OneOf(memberSorts, { description: 'By the ids of users unless told' })),
        }),
        pagination: 'offset',
        listsPeople: true,
        responses: { 200: ListOf(Member) },
        handler: ({ params, caller, subject, page }) => {
          if (params.two_factor && !managesMembers(caller, subject)) throw forbidden();
          return list(caller, subject, 'all', page, {
            query: params.query,
            userIds: params.user_ids,
            state: params.state,
            level: params.access_level,
            sourceKind: params.source,
            expires: params.expires,
            twoFactor: params.two_factor,
            sort: params.sort,
            seats: params.show_seat_info ?? false,
            source: params.with_source ?? false,
          });
        },
      }),
      ...(['direct', 'all'] as const).map((reach) =>
        route({
          ...common,
          method: 'GET',
          path: reach === 'all' ? `${base}/all/:user_id` : `${base}/:user_id`,
          summary:
            reach === 'all' ? `Get a direct or inherited member of a ${noun}` : `Get a direct member of a ${noun}`,
          access: read,
          params: Type.Object(user),
          responses: { 200: Member },
          handler: ({ params, caller, subject }) => one(caller, subject, reach, params.user_id),
        }),
      ),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Add members to a ${noun}`,
        access: admin,
        params: Type.Object(
          {
            ...id,
            user_id: Optional(OneOrMore(Int(), { description: 'One id or several, comma-separated' })),
            username: Optional(Str({ description: 'Instead of `user_id`' })),
            access_level: Int({
              description:
                'Role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner; 5 minimal access',
            }),
            expires_at: expiry,
            invite_source: Optional(Str({ maxLength: 255, description: 'Where the invitation comes from' })),
            member_role_id: memberRole,
          },
          rules(exactlyOneOf('user_id', 'username')),
        ),
        responses: { 201: Type.Union([Member, MembersAdded]) },
        errors: [409],
        handler: ({ params, caller, subject }) => {
          refuseCustomRole(params.member_role_id);
          return add(caller, subject, params);
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:user_id`,
        summary: `Update a member of a ${noun}`,
        access: admin,
        params: Type.Object({
          ...user,
          access_level: Int({
            description:
              'Role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner; 5 minimal access',
          }),
          expires_at: expiry,
          member_role_id: memberRole,
        }),
        responses: { 200: Member },
        handler: async ({ params, caller, subject }) => {
          refuseCustomRole(params.member_role_id);
          const terms = { level: params.access_level, expiresAt: params.expires_at };
          await members.change(caller, subject, params.user_id, terms);
          return await one(caller, subject, 'direct', params.user_id);
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:user_id`,
        summary: `Remove a member from a ${noun}, or leave it`,
        rate: 'members_delete',
        access: read,
        params: Type.Object({
          ...user,
          skip_subresources: Optional(
            Bool({ default: false, description: 'Keep direct memberships in the groups and projects below' }),
          ),
          unassign_issuables: Optional(
            Bool({ default: false, description: 'Also take the user off issues and merge requests' }),
          ),
        }),
        responses: { 204: Empty },
        conditional: true,
        handler: async ({ params, caller, subject, unmodifiedSince }) => {
          await members.remove(caller, subject, params.user_id, {
            below: !(params.skip_subresources ?? false),
            unassign: params.unassign_issuables ?? false,
            unmodifiedSince,
          });
        },
      }),
    ];
  });
}
