/** Routes of what belongs to a user: followers, memberships, counts, activity, and what administrators note. */
import Type from 'typebox';
import { originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { Count, Day, Entity, Id, ListOf, Text } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { DateTimeParam, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import {
  CustomAttribute,
  customAttributesOf,
  findUser,
  UserReference,
  userEntity,
  userReference,
} from '../users/index.ts';
import {
  countAssociations,
  deleteCustomAttribute,
  findCustomAttribute,
  follow,
  listActivities,
  listFollows,
  listMemberships,
  saveCustomAttribute,
  unfollow,
} from './profile.queries.ts';

const Activity = Entity('UserActivity', {
  username: Text(),
  last_activity_on: Day(),
  last_activity_at: Day({ deprecated: true, description: 'Use `last_activity_on`' }),
});
const Membership = Entity('Membership', {
  source_id: Id(),
  source_name: Text(),
  source_type: Text({ description: '`Project` or `Namespace`' }),
  access_level: Count(),
});
const AssociationsCount = Entity('UserAssociationsCount', {
  groups_count: Count(),
  projects_count: Count(),
  issues_count: Count(),
  merge_requests_count: Count(),
});

const common = { credentials: ['token', 'session'], tag: 'Users' } as const;
const reading = ['api', 'read_api', 'read_user'];
const signedIn = { on: 'instance', ability: 'signed_in' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const userId = { id: Int({ description: 'User' }) };
const attributeKey = { key: Str({ minLength: 1, maxLength: 255, description: 'Its name' }) };
const halfYear = 182 * 86_400_000;

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function relationRoutes(db: Db, externalUrl: string): Route[] {
  const user = async (id: number): Promise<User> => {
    const found = await findUser(db, id);
    if (!found) throw notFound('User');
    return found;
  };

  const follows = (['followers', 'following'] as const).map((side) =>
    route({
      ...common,
      method: 'GET',
      path: `/users/:id/${side}`,
      summary: side === 'followers' ? 'List followers of a user' : 'List users that a user follows',
      rate: side === 'followers' ? 'user_followers' : 'user_following',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object(userId),
      pagination: 'offset',
      responses: { 200: ListOf(UserReference) },
      handler: async ({ params, caller, page }) => {
        if (!caller.user) throw forbidden('Not authorized!');
        const of = await user(params.id);
        if (of.private_profile && !caller.admin && caller.user.id !== of.id) throw notFound('User');
        const { rows, total } = await listFollows(db, of.id, side, page);
        return mapPage(offsetPage(page, rows, total), (row) => userReference(row, externalUrl));
      },
    }),
  );

  const changes = (['follow', 'unfollow'] as const).map((what) =>
    route({
      ...common,
      method: 'POST',
      path: `/users/:id/${what}`,
      summary: what === 'follow' ? 'Follow a user' : 'Stop following a user',
      access: signedIn,
      params: Type.Object(userId),
      responses: { 201: UserReference, 304: Empty },
      handler: async ({ params, caller }) => {
        const self = selfOf(caller);
        const other = await user(params.id);
        if (what === 'follow' && other.id === self.id) throw plainError(400, "You can't follow yourself.");
        if (what === 'follow' && other.private_profile && !caller.admin) throw notFound('User');
        const changed = await (what === 'follow' ? follow : unfollow)(db, self.id, other.id);
        return changed ? userReference(other, externalUrl) : answer(304);
      },
    }),
  );

  const places = [
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/memberships',
      summary: 'List memberships of a user',
      scopes: reading,
      access: admin,
      params: Type.Object({
        ...userId,
        type: Optional(OneOf(['Project', 'Namespace'], { description: 'Only projects, or only groups' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Membership) },
      handler: async ({ params, page }) => {
        const { rows, total } = await listMemberships(db, (await user(params.id)).id, params.type, page);
        return offsetPage(page, rows, total);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/associations_count',
      summary: 'Count the associations of a user',
      scopes: reading,
      access: signedIn,
      params: Type.Object(userId),
      responses: { 200: AssociationsCount },
      handler: async ({ params, caller }) => {
        if (!caller.admin && caller.user?.id !== params.id) throw forbidden();
        return await countAssociations(db, (await user(params.id)).id);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/user/activities',
      summary: 'List the last activity of users',
      scopes: reading,
      access: admin,
      params: Type.Object({ from: Optional(DateTimeParam({ description: 'Half a year ago unless given' })) }),
      pagination: 'offset',
      responses: { 200: ListOf(Activity) },
      handler: async ({ params, page }) => {
        const from = (params.from ?? new Date(Date.now() - halfYear)).toISOString().slice(0, 10);
        const { rows, total } = await listActivities(db, from, page);
        return mapPage(offsetPage(page, rows, total), (row) => ({ ...row, last_activity_at: row.last_activity_on }));
      },
    }),
  ];

  const attributes = [
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/custom_attributes',
      summary: 'List custom attributes of a user',
      access: admin,
      params: Type.Object(userId),
      responses: { 200: ListOf(CustomAttribute) },
      handler: async ({ params }) => {
        const { id } = await user(params.id);
        return (await customAttributesOf(db, [id])).get(id) ?? [];
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/custom_attributes/:key',
      summary: 'Get a custom attribute of a user',
      access: admin,
      params: Type.Object({ ...userId, ...attributeKey }),
      responses: { 200: CustomAttribute },
      handler: async ({ params }) => {
        const value = await findCustomAttribute(db, (await user(params.id)).id, params.key);
        if (value === null) throw notFound('Custom Attribute');
        return { key: params.key, value };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/users/:id/custom_attributes/:key',
      summary: 'Set a custom attribute of a user',
      access: admin,
      params: Type.Object({
        ...userId,
        ...attributeKey,
        value: Str({ maxLength: 10_000, description: 'What to note' }),
      }),
      responses: { 200: CustomAttribute },
      handler: async (context) => {
        const { id, key, value } = context.params;
        const of = await user(id);
        await transaction(db, async (tx) => {
          await saveCustomAttribute(tx, id, key, value);
          const event = 'user_custom_attribute_updated';
          await recordAudit(tx, { ...originOf(context), entity: userEntity(of), event, details: { key } });
        });
        return { key, value };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/users/:id/custom_attributes/:key',
      summary: 'Delete a custom attribute of a user',
      access: admin,
      params: Type.Object({ ...userId, ...attributeKey }),
      responses: { 204: Empty },
      conditional: 'A custom attribute has no date of change.',
      handler: async (context) => {
        const { id, key } = context.params;
        const of = await user(id);
        await transaction(db, async (tx) => {
          if (!(await deleteCustomAttribute(tx, id, key))) throw notFound('Custom Attribute');
          const event = 'user_custom_attribute_destroyed';
          await recordAudit(tx, { ...originOf(context), entity: userEntity(of), event, details: { key } });
        });
      },
    }),
  ];

  return [...follows, ...changes, ...places, ...attributes];
}
