/** Routes of users. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Entity, ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { keysetPage, mapPage } from '../../../kernel/http/pagination.ts';
import { Bool, DateTimeParam, Hash, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import {
  customAttributesOf,
  followCounts,
  highestRole,
  isFollowed,
  withAccount,
  withAccounts,
} from './accounts.queries.ts';
import { countKinds, userKinds } from './kinds.queries.ts';
import {
  UserAccount,
  UserView,
  userAccount,
  userDetails,
  userForAdmin,
  userProfile,
  userReference,
  withheld,
} from './users.entity.ts';
import { findUser, listUsers, userOrder } from './users.queries.ts';

export interface UserRouteDependencies {
  readonly db: Db;
  readonly externalUrl: string;
}

const UserKindCounts = Entity('UserKindCounts', {
  active: Count(),
  admins: Count(),
  blocked: Count(),
  blocked_pending_approval: Count(),
  banned: Count(),
  deactivated: Count(),
  locked: Count(),
  external: Count(),
  bots: Count(),
  service_accounts: Count(),
  two_factor_enabled: Count(),
  two_factor_disabled: Count(),
});

const common = { credentials: ['token', 'session'], tag: 'Users' } as const;
const reading = ['api', 'read_api', 'read_user'];

const listFilters = {
  username: Optional(Str({ description: 'Username' })),
  search: Optional(Str({ description: 'In names and usernames; exact for an email address' })),
  public_email: Optional(Str({ description: 'Administrators only' })),
  active: Optional(Bool({ description: 'Only active users' })),
  exclude_active: Optional(Bool({ description: 'Leave out active users' })),
  blocked: Optional(Bool({ description: 'Only blocked users' })),
  external: Optional(Bool({ description: 'Whether the user is external: sees internal projects as a member only' })),
  exclude_external: Optional(Bool({ description: 'Leave out external users' })),
  humans: Optional(Bool({ description: 'Only human users: neither bots nor internal users' })),
  exclude_humans: Optional(Bool({ description: 'Only bots and internal users' })),
  exclude_internal: Optional(Bool({ description: 'Leave out internal users' })),
  without_project_bots: Optional(Bool({ description: 'Leave out bots of projects' })),
  without_projects: Optional(Bool({ description: 'Administrators only' })),
  admins: Optional(Bool({ description: 'Administrators only' })),
  auditors: Optional(Bool({ description: 'Only auditors; for administrators' })),
  created_after: Optional(DateTimeParam({ description: 'Only users made after this' })),
  created_before: Optional(DateTimeParam({ description: 'Only users made before this' })),
  id_after: Optional(Int({ description: 'Only users with an id above this' })),
  id_before: Optional(Int({ description: 'Only users with an id below this' })),
  filter: Optional(OneOf(userKinds, { description: 'Administrators only: one kind of accounts' })),
  two_factor: Optional(OneOf(['enabled', 'disabled'], { description: 'Administrators only' })),
  extern_uid: Optional(Str({ description: 'Administrators only; with `provider`' })),
  provider: Optional(Str({ description: 'Administrators only; with `extern_uid`' })),
  saml_provider_id: Optional(Int({ description: 'Administrators only: users of the SAML provider of a group' })),
  skip_ldap: Optional(Bool({ description: 'Leaves out users of LDAP servers' })),
  custom_attributes: Optional(Hash(Str(), { description: 'Administrators only: values that they must have' })),
  with_custom_attributes: Optional(Bool({ description: 'Administrators only' })),
  order_by: Optional(
    OneOf(['id', 'name', 'username', 'created_at', 'updated_at'], { description: 'Administrators only' }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'Administrators only' })),
};

/** The person at a provider that a list is asked for; only for administrators. */
function identityOf(
  { provider, extern_uid }: { readonly provider?: string; readonly extern_uid?: string },
  caller: Caller,
): { provider: string; extern_uid: string } | undefined {
  if (provider === undefined && extern_uid === undefined) return undefined;
  if (!provider || !extern_uid) throw invalidParameters(['provider, extern_uid provide all or none of parameters']);
  if (!caller.admin) throw forbidden();
  return { provider, extern_uid };
}

export function userRoutes({ db, externalUrl }: UserRouteDependencies): Route[] {
  /** Custom attributes of each user, where an administrator asks for them. */
  const attributesFor = async (users: readonly { readonly id: number }[], wanted: boolean, caller: Caller) =>
    wanted && caller.admin
      ? await customAttributesOf(
          db,
          users.map(({ id }) => id),
        )
      : null;
  const withAttributes = (found: Awaited<ReturnType<typeof attributesFor>>, id: number) =>
    found ? { custom_attributes: found.get(id) ?? [] } : {};

  return [
    route({
      ...common,
      method: 'GET',
      path: '/user',
      summary: 'Get the current user',
      scopes: reading,
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({}),
      responses: { 200: UserAccount },
      handler: async ({ caller }) => {
        const user = caller.user;
        if (!user) throw notFound('User');
        const account = await withAccount(db, user);
        return caller.admin ? userForAdmin(account, externalUrl) : userAccount(account, externalUrl);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users',
      summary: 'List users',
      scopes: reading,
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(listFilters),
      pagination: 'keyset',
      listsPeople: true,
      responses: { 200: ListOf(UserView) },
      handler: async ({ params, page, caller }) => {
        const { public_email, without_projects, admins, auditors, order_by, sort, ...more } = params;
        const {
          provider,
          extern_uid,
          saml_provider_id,
          two_factor,
          filter: kind,
          custom_attributes,
          with_custom_attributes,
          ...open
        } = more;
        const identity = identityOf({ provider, extern_uid }, caller);
        const privileged = {
          public_email,
          without_projects,
          admins,
          auditors,
          saml_provider_id,
          two_factor,
          filter: kind,
          identity,
          custom_attributes,
        };
        const filter = { ...open, ...(caller.admin ? privileged : {}), privateEmails: caller.admin };
        const order = userOrder(
          (caller.admin ? order_by : undefined) ?? 'id',
          (caller.admin ? sort : undefined) ?? 'desc',
        );
        const rows = await listUsers(db, filter, { order, limit: page.limit, after: page.after });
        const found = keysetPage(page, rows, order.cursorOf);
        if (!caller.admin) return mapPage(found, (user) => userReference(user, externalUrl));
        const accounts = new Map((await withAccounts(db, found.items)).map((account) => [account.id, account]));
        const attributes = await attributesFor(found.items, with_custom_attributes === true, caller);
        return mapPage(found, (user) => {
          const account = accounts.get(user.id);
          if (!account) throw new Error('a listed user has no account');
          return { ...userForAdmin(account, externalUrl), ...withAttributes(attributes, user.id) };
        });
      },
    }),
    route({
      ...common,
      // For the page alone.
      credentials: ['session'],
      method: 'GET',
      path: '/admin/users/counts',
      summary: 'Count users by kind; one more than the count limit stands for more',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({}),
      responses: { 200: UserKindCounts },
      handler: () => countKinds(db),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id',
      summary: 'Get a user',
      rate: 'users_get_by_id',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({
        id: Int({ description: 'Id of the user' }),
        with_custom_attributes: Optional(Bool({ description: 'Administrators only' })),
      }),
      responses: { 200: UserView },
      handler: async ({ params, caller }) => {
        // Whoever is not signed in could count through the ids of everybody.
        if (!caller.user) throw forbidden('Not authorized!');
        const user = await findUser(db, params.id);
        if (!user) throw notFound('User');
        const attributes = await attributesFor([user], params.with_custom_attributes === true, caller);
        if (caller.admin) {
          const account = await withAccount(db, user);
          const role = await highestRole(db, user.id);
          return { ...userDetails(account, role, externalUrl), ...withAttributes(attributes, user.id) };
        }
        if (user.private_profile && caller.user.id !== user.id) return userProfile(withheld(user), externalUrl);
        const counts = await followCounts(db, user.id);
        const is_followed = await isFollowed(db, caller.user.id, user.id);
        return { ...userProfile(user, externalUrl), ...counts, is_followed };
      },
    }),
  ];
}
