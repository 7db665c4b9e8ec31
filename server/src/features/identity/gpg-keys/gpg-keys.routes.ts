/** Routes of GPG keys: one's own, and those of a user. */
import Type, { type TObject, type TProperties } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { GpgKey, User } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int, Str } from '../../../kernel/http/params/schema.ts';
import { type Access, answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import { GpgKeyEntity, gpgKey } from './gpg-keys.entity.ts';
import { countGpgKeys, findGpgKey, listGpgKeys } from './gpg-keys.queries.ts';
import type { GpgKeys } from './gpg-keys.service.ts';

const common = { credentials: ['token', 'session'], tag: 'SSH and GPG keys' } as const;
const reading = ['api', 'read_api', 'read_user'];
const keyId = { key_id: Int({ description: 'Key' }) };
const newKey = { key: Str({ maxLength: 100_000, description: 'The armored public key' }) };

/** Whose keys a set of routes is about. */
interface Owner {
  readonly path: string;
  readonly whose: string;
  readonly params: TProperties;
  readonly read: Access;
  readonly write: Access;
  /** Whether reading has limits of its own. */
  readonly counted: boolean;
  find(params: Readonly<Record<string, unknown>>, caller: Caller): Promise<User>;
}

export function gpgKeyRoutes(db: Db, gpgKeys: GpgKeys): Route[] {
  const self: Owner = {
    path: '/user/gpg_keys',
    whose: 'one’s own GPG keys',
    params: {},
    read: { on: 'instance', ability: 'signed_in' },
    write: { on: 'instance', ability: 'signed_in' },
    counted: false,
    find: async (_params, caller) => {
      if (!caller.user) throw unauthorized();
      return caller.user;
    },
  };
  const others: Owner = {
    path: '/users/:id/gpg_keys',
    whose: 'the GPG keys of a user',
    params: { id: Int({ description: 'User' }) },
    read: { on: 'public' },
    write: { on: 'instance', ability: 'admin' },
    counted: true,
    find: async ({ id }) => {
      const user = await findUser(db, id as number);
      if (!user) throw notFound('User');
      return user;
    },
  };
  const keyOf = async (user: User, id: number): Promise<GpgKey> => {
    const key = await findGpgKey(db, user.id, id);
    if (!key) throw notFound('GPG Key');
    return key;
  };
  const withKey = (owner: Owner): TObject<typeof keyId> => Type.Object({ ...owner.params, ...keyId });

  const of = (owner: Owner): Route[] => [
    route({
      ...common,
      method: 'GET',
      path: owner.path,
      summary: `List ${owner.whose}`,
      ...(owner.counted ? { rate: 'user_gpg_keys' as const } : {}),
      scopes: reading,
      access: owner.read,
      params: Type.Object(owner.params),
      pagination: 'offset',
      responses: { 200: ListOf(GpgKeyEntity) },
      handler: async ({ params, caller, page }) => {
        const user = await owner.find(params, caller);
        return mapPage(offsetPage(page, await listGpgKeys(db, user.id, page), await countGpgKeys(db, user.id)), gpgKey);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${owner.path}/:key_id`,
      summary: `Get one of ${owner.whose}`,
      ...(owner.counted ? { rate: 'user_gpg_key' as const } : {}),
      scopes: reading,
      access: owner.read,
      params: withKey(owner),
      responses: { 200: GpgKeyEntity },
      handler: async ({ params, caller }) => gpgKey(await keyOf(await owner.find(params, caller), params.key_id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: owner.path,
      summary: `Add a key to ${owner.whose}`,
      access: owner.write,
      params: Type.Object({ ...owner.params, ...newKey }),
      responses: { 201: GpgKeyEntity },
      handler: async (context) => {
        const user = await owner.find(context.params, context.caller);
        return gpgKey(await gpgKeys.add(user, String(context.params.key), originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${owner.path}/:key_id`,
      summary: `Delete one of ${owner.whose}`,
      access: owner.write,
      params: withKey(owner),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const user = await owner.find(context.params, context.caller);
        const key = await keyOf(user, context.params.key_id);
        context.unmodifiedSince(key.created_at);
        await gpgKeys.remove(user, key, 'destroyed', originOf(context));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${owner.path}/:key_id/revoke`,
      summary: `Revoke one of ${owner.whose}`,
      access: owner.write,
      params: withKey(owner),
      responses: { 202: Empty },
      handler: async (context) => {
        const user = await owner.find(context.params, context.caller);
        await gpgKeys.remove(user, await keyOf(user, context.params.key_id), 'revoked', originOf(context));
        return answer(202);
      },
    }),
  ];
  return [...of(self), ...of(others)];
}
