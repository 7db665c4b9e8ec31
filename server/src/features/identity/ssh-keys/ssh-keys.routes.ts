/** Routes of SSH keys: one's own, those of a user, and any by fingerprint for administrators. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { SshKey, User } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { DateTimeParam, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser, findUserByIdOrName, userAccount, withAccount } from '../users/index.ts';
import { parseFingerprint } from './parse.ts';
import { SshKeyEntity, SshKeyWithUser, sshKey } from './ssh-keys.entity.ts';
import {
  countSshKeys,
  deployKeyProjects,
  findSshKey,
  findSshKeyByFingerprint,
  listSshKeys,
} from './ssh-keys.queries.ts';
import type { SshKeys } from './ssh-keys.service.ts';

export interface SshKeyRouteDependencies {
  readonly db: Db;
  readonly sshKeys: SshKeys;
  readonly externalUrl: string;
}

const common = { credentials: ['token', 'session'], tag: 'SSH and GPG keys' } as const;
const reading = ['api', 'read_api', 'read_user'];
const own = { on: 'instance', ability: 'signed_in' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const keyId = { key_id: Int({ description: 'Key' }) };
const newKey = {
  title: Str({ maxLength: 255, description: 'What it is called' }),
  key: Str({ maxLength: 50_000, description: 'The public key' }),
  expires_at: Optional(DateTimeParam({ description: 'When it stops working' })),
  usage_type: Optional(
    OneOf(['auth_and_signing', 'auth', 'signing'], {
      default: 'auth_and_signing',
      description: 'What it may be used for',
    }),
  ),
};

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function sshKeyRoutes({ db, sshKeys, externalUrl }: SshKeyRouteDependencies): Route[] {
  const user = async (idOrName: string | number): Promise<User> => {
    const found = await findUserByIdOrName(db, String(idOrName));
    if (!found) throw notFound('User');
    return found;
  };
  const keyOf = async (owner: User, id: number): Promise<SshKey> => {
    const key = await findSshKey(db, id);
    if (key?.user_id !== owner.id) throw notFound('Key');
    return key;
  };
  const pageFor = async (owner: User, page: Page) =>
    mapPage(offsetPage(page, await listSshKeys(db, owner.id, page), await countSshKeys(db, owner.id)), (key) =>
      sshKey(key, owner, externalUrl),
    );
  const added = async (
    owner: User,
    context: { readonly caller: Caller; readonly clientAddress: string },
    given: {
      readonly title: string;
      readonly key: string;
      readonly expires_at?: Date;
      readonly usage_type?: SshKey['usage_type'];
    },
  ) => {
    const { title, key, expires_at = null, usage_type = 'auth_and_signing' } = given;
    const wanted = { title, key, expiresAt: expires_at, usageType: usage_type };
    return sshKey(await sshKeys.add(owner, wanted, originOf(context)), owner, externalUrl);
  };
  const withUser = async (key: SshKey | undefined) => {
    if (!key) throw notFound('Key');
    const holder = key.user_id ?? key.created_by_id;
    const owner = holder === null ? undefined : await findUser(db, holder);
    const user = owner ? userAccount(await withAccount(db, owner), externalUrl) : null;
    if (key.kind !== 'deploy') {
      if (!owner) throw notFound('Key');
      return { ...sshKey(key, owner, externalUrl), user };
    }
    const projects = await deployKeyProjects(db, key.id);
    return {
      ...sshKey(key, null, externalUrl),
      user,
      deploy_keys_projects: projects.map(({ key_id, ...project }) => ({ ...project, deploy_key_id: key_id })),
    };
  };

  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/keys',
      summary: 'List your SSH keys',
      scopes: reading,
      access: own,
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(SshKeyEntity) },
      handler: ({ caller, page }) => pageFor(selfOf(caller), page),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/user/keys/:key_id',
      summary: 'Get an SSH key of yours',
      scopes: reading,
      access: own,
      params: Type.Object(keyId),
      responses: { 200: SshKeyEntity },
      handler: async ({ caller, params }) => {
        const owner = selfOf(caller);
        return sshKey(await keyOf(owner, params.key_id), owner, externalUrl);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/user/keys',
      summary: 'Add an SSH key to your account',
      access: own,
      params: Type.Object(newKey),
      responses: { 201: SshKeyEntity },
      handler: (context) => added(selfOf(context.caller), context, context.params),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/user/keys/:key_id',
      summary: 'Delete an SSH key of yours',
      access: own,
      params: Type.Object(keyId),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const owner = selfOf(context.caller);
        const key = await keyOf(owner, context.params.key_id);
        context.unmodifiedSince(key.created_at);
        await sshKeys.remove(owner, key, originOf(context));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:user_id/keys',
      summary: 'List SSH keys of a user',
      rate: 'user_ssh_keys',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ user_id: IdOrPath('User, by id or name') }),
      pagination: 'offset',
      responses: { 200: ListOf(SshKeyEntity) },
      handler: async ({ params, page }) => pageFor(await user(params.user_id), page),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:user_id/keys/:key_id',
      summary: 'Get an SSH key of a user',
      rate: 'user_ssh_key',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ user_id: Int({ description: 'User' }), ...keyId }),
      responses: { 200: SshKeyEntity },
      handler: async ({ params }) => {
        const owner = await user(params.user_id);
        return sshKey(await keyOf(owner, params.key_id), owner, externalUrl);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/users/:user_id/keys',
      summary: 'Add an SSH key for a user',
      access: admin,
      params: Type.Object({ user_id: Int({ description: 'User' }), ...newKey }),
      responses: { 201: SshKeyEntity },
      handler: async (context) => added(await user(context.params.user_id), context, context.params),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/users/:user_id/keys/:key_id',
      summary: 'Delete an SSH key of a user',
      access: admin,
      params: Type.Object({ user_id: Int({ description: 'User' }), ...keyId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const owner = await user(context.params.user_id);
        const key = await keyOf(owner, context.params.key_id);
        context.unmodifiedSince(key.created_at);
        await sshKeys.remove(owner, key, originOf(context));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/keys',
      summary: 'Get the SSH key with a fingerprint, and its user',
      access: admin,
      params: Type.Object({ fingerprint: Str({ description: '`SHA256:...`, or MD5 as `aa:bb:...`' }) }),
      responses: { 200: SshKeyWithUser },
      errors: [404],
      handler: async ({ params }) => {
        const fingerprint = parseFingerprint(params.fingerprint);
        if (!fingerprint) throw plainError(400, 'Failed to return the key');
        return await withUser(await findSshKeyByFingerprint(db, fingerprint));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/keys/:id',
      summary: 'Get an SSH key with its user',
      access: admin,
      params: Type.Object({ id: Int({ description: 'Key' }) }),
      responses: { 200: SshKeyWithUser },
      handler: async ({ params }) => withUser(await findSshKey(db, params.id)),
    }),
  ];
}
