/** Routes of users. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { keysetPage, mapPage } from '../../../kernel/http/pagination.ts';
import { Bool, DateTimeParam, Int, Int32, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import {
  UserAccount,
  UserForAdmin,
  UserView,
  userAccount,
  userForAdmin,
  userProfile,
  userReference,
  withheld,
} from './users.entity.ts';
import { findUser, listUsers, userOrder, withAccounts } from './users.queries.ts';
import { randomPassword, type Users } from './users.service.ts';

export interface UserRouteDependencies {
  readonly db: Db;
  readonly users: Users;
  readonly externalUrl: string;
}

const common = { credentials: ['token', 'session'], tag: 'Users' } as const;
const reading = ['api', 'read_api', 'read_user'];

const listFilters = {
  username: Optional(Str({ description: 'Username' })),
  search: Optional(Str({ description: 'In names and user names; exact for an e-mail address' })),
  public_email: Optional(Str({ description: 'Administrators only' })),
  active: Optional(Bool({ description: 'Only active users' })),
  exclude_active: Optional(Bool({ description: 'Leave out active users' })),
  blocked: Optional(Bool({ description: 'Only blocked users' })),
  external: Optional(Bool({ description: 'Whether the user is external: sees internal projects as a member only' })),
  exclude_external: Optional(Bool({ description: 'Leave out external users' })),
  humans: Optional(Bool({ description: 'Only people: neither bots nor internal users' })),
  exclude_humans: Optional(Bool({ description: 'Only bots and internal users' })),
  exclude_internal: Optional(Bool({ description: 'Leave out internal users' })),
  without_project_bots: Optional(Bool({ description: 'Leave out bots of projects' })),
  without_projects: Optional(Bool({ description: 'Administrators only' })),
  admins: Optional(Bool({ description: 'Administrators only' })),
  created_after: Optional(DateTimeParam({ description: 'Administrators only' })),
  created_before: Optional(DateTimeParam({ description: 'Administrators only' })),
  id_after: Optional(Int({ description: 'Only users with an id above this' })),
  id_before: Optional(Int({ description: 'Only users with an id below this' })),
  order_by: Optional(
    OneOf(['id', 'name', 'username', 'created_at', 'updated_at'], { description: 'Administrators only' }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'Administrators only' })),
};

const missingPassword = () =>
  invalidParameters([
    'password, reset_password, force_random_password are missing, at least one parameter must be provided',
  ]);

export function userRoutes({ db, users, externalUrl }: UserRouteDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/user',
      summary: 'The caller',
      scopes: reading,
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({}),
      responses: { 200: UserAccount },
      handler: async ({ caller }) => {
        const user = caller.user;
        if (!user) throw notFound('User');
        if (!caller.admin) return userAccount(user, externalUrl);
        const [account] = await withAccounts(db, [user]);
        return account && userForAdmin(account, externalUrl);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users',
      summary: 'Users',
      scopes: reading,
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(listFilters),
      pagination: 'keyset',
      responses: { 200: ListOf(UserView) },
      handler: async ({ params, page, caller }) => {
        const { public_email, without_projects, admins, created_after, created_before, order_by, sort, ...open } =
          params;
        const privileged = { public_email, without_projects, admins, created_after, created_before };
        const filter = { ...open, ...(caller.admin ? privileged : {}), privateEmails: caller.admin };
        const order = userOrder(
          (caller.admin ? order_by : undefined) ?? 'id',
          (caller.admin ? sort : undefined) ?? 'desc',
        );
        const rows = await listUsers(db, filter, { order, limit: page.limit, after: page.after });
        const found = keysetPage(page, rows, order.cursorOf);
        if (!caller.admin) return mapPage(found, (user) => userReference(user, externalUrl));
        const accounts = new Map((await withAccounts(db, found.items)).map((account) => [account.id, account]));
        return mapPage(found, (user) =>
          userForAdmin(accounts.get(user.id) ?? { ...user, namespace_id: null, created_by: null }, externalUrl),
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id',
      summary: 'A user',
      rate: 'users_get_by_id',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ id: Int({ description: 'Id of the user' }) }),
      responses: { 200: UserView },
      handler: async ({ params, caller }) => {
        const user = await findUser(db, params.id);
        if (!user) throw notFound('User');
        const [account] = caller.admin ? await withAccounts(db, [user]) : [];
        if (account) return userForAdmin(account, externalUrl);
        const open = !user.private_profile || caller.user?.id === user.id;
        return userProfile(open ? user : withheld(user), externalUrl);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/users',
      summary: 'Create a user',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({
        email: Str({ description: 'Email address' }),
        name: Str({ description: 'Display name' }),
        username: Str({ description: 'Username' }),
        password: Optional(Str({ description: 'Password for signing in' })),
        reset_password: Optional(Bool({ description: 'The password is random until the user sets one' })),
        force_random_password: Optional(Bool({ description: 'Give a random password' })),
        skip_confirmation: Optional(Bool({ description: 'Addresses given by administrators count as confirmed' })),
        admin: Optional(Bool({ description: 'Whether the user is an administrator' })),
        external: Optional(
          Bool({ description: 'Whether the user is external: sees internal projects as a member only' }),
        ),
        can_create_group: Optional(Bool({ description: 'Whether the user may create top-level groups' })),
        projects_limit: Optional(
          Int32({ minimum: 0, description: 'Projects that the user may create in the personal namespace' }),
        ),
        private_profile: Optional(OrNull(Bool({ description: 'Whether the profile is hidden from others' }))),
        bio: Optional(Str({ maxLength: 255, description: 'About the user' })),
        location: Optional(Str({ maxLength: 255, description: 'Where the user is' })),
        public_email: Optional(Str({ maxLength: 255, description: 'Address shown on the profile' })),
        commit_email: Optional(Str({ maxLength: 255, description: 'Address in commits made on the page' })),
        skype: Optional(Str({ maxLength: 255, description: "The user's Skype name" })),
        linkedin: Optional(Str({ maxLength: 500, description: "The user's LinkedIn name" })),
        twitter: Optional(Str({ maxLength: 500, description: "The user's X name" })),
        discord: Optional(Str({ maxLength: 500, description: "The user's Discord id" })),
        website_url: Optional(Str({ maxLength: 500, description: "Address of the user's site" })),
        organization: Optional(Str({ maxLength: 255, description: 'Organization that the user belongs to' })),
        job_title: Optional(Str({ maxLength: 255, description: "The user's job title" })),
        pronouns: Optional(Str({ maxLength: 50, description: "The user's pronouns" })),
        note: Optional(Str({ maxLength: 2000, description: 'Notes of administrators about the user' })),
        theme_id: Optional(Int32({ minimum: 1, description: 'Theme of the page: a number from 1 to 10' })),
        color_scheme_id: Optional(Int32({ minimum: 1, description: 'Colours of code: a number from 1 to 6' })),
      }),
      responses: { 201: UserForAdmin },
      errors: [409],
      handler: async ({ params, caller }) => {
        const { email, name, username, password, reset_password, force_random_password, skip_confirmation, ...rest } =
          params;
        const { admin, external, can_create_group, projects_limit, private_profile, ...profile } = rest;
        const random = reset_password === true || force_random_password === true;
        if (password === undefined && !random) throw missingPassword();
        if (!caller.user) throw forbidden();
        const user = await users.create({
          email,
          name,
          username,
          password: password ?? randomPassword(),
          admin,
          external,
          can_create_group,
          projects_limit,
          private_profile: private_profile ?? undefined,
          createdById: caller.user.id,
          profile,
        });
        const [account] = await withAccounts(db, [user]);
        return account && userForAdmin(account, externalUrl);
      },
    }),
  ];
}
