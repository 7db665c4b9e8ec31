/** Routes by which administrators make and change accounts. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Avatars } from '../avatars/index.ts';
import { withAccount } from './accounts.queries.ts';
import { attributeParameters } from './attributes.ts';
import type { UserEditing } from './editing.service.ts';
import { UserForAdmin, userForAdmin } from './users.entity.ts';
import { findUser } from './users.queries.ts';
import { type ExternalIdentity, type ProfileColumns, randomPassword, type Users } from './users.service.ts';

export interface EditingRouteDependencies {
  readonly db: Db;
  readonly users: Users;
  readonly editing: UserEditing;
  readonly avatars: Avatars;
  readonly settings: Settings;
  readonly externalUrl: string;
}

const common = {
  credentials: ['token', 'session'],
  tag: 'Users',
  access: { on: 'instance', ability: 'admin' },
} as const;

const attributes = Type.Object(attributeParameters);
type Attributes = Static<typeof attributes>;

/** An upload may be larger than what is kept, so that the answer can say what is kept. */
const maxFileBytes = 10 * 1024 * 1024;

const missingPassword = () =>
  invalidParameters([
    'password, reset_password, force_random_password are missing, at least one parameter must be provided',
  ]);

function identityOf({ provider, extern_uid }: Attributes): ExternalIdentity | undefined {
  if (!provider && !extern_uid) return undefined;
  if (!provider || !extern_uid) throw invalidParameters(['provider, extern_uid provide all or none of parameters']);
  return { provider, extern_uid, saml_provider_id: null };
}

type Keys = 'admin' | 'external' | 'can_create_group' | 'projects_limit' | 'private_profile';
interface Split {
  readonly profile: ProfileColumns;
  readonly rights: Pick<Attributes, Keys>;
  readonly identity: ExternalIdentity | undefined;
}

export function editingRoutes(deps: EditingRouteDependencies): Route[] {
  const { db, users, editing, avatars, settings, externalUrl } = deps;

  /** The parameters by what becomes of them; runs the change, and removes its picture again when that fails. */
  async function withAttributes<T>(params: Attributes, change: (split: Split) => Promise<T>): Promise<T> {
    const { avatar, admin, external, can_create_group, projects_limit, private_profile, ...rest } = params;
    const { provider: _, extern_uid: __, ...columns } = rest;
    const identity = identityOf(params);
    const key = avatar ? await avatars.store(avatar) : avatar;
    const rights = { admin, external, can_create_group, projects_limit, private_profile };
    try {
      return await change({
        profile: { ...columns, ...(key === undefined ? {} : { avatar_object_key: key }) },
        rights,
        identity,
      });
    } catch (error) {
      if (key) await avatars.discard(key);
      throw error;
    }
  }

  const privacy = async (value: boolean | null | undefined) =>
    value === null ? (await settings.read()).user_defaults_to_private_profile : value;

  const create = route({
    ...common,
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    params: Type.Object({
      email: Str({ description: 'Email address' }),
      name: Str({ description: 'Name of the person' }),
      username: Str({ description: 'Username' }),
      password: Optional(Str({ description: 'Password; or one of the two below' })),
      reset_password: Optional(Bool({ description: 'A random password, and a mail with a link to choose one' })),
      force_random_password: Optional(Bool({ description: 'A random password that nobody knows' })),
      skip_confirmation: Optional(
        Bool({ description: 'Whether the address counts without a confirmation; the setting decides unless given' }),
      ),
      ...attributeParameters,
    }),
    maxFileBytes,
    responses: { 201: UserForAdmin },
    errors: [409],
    handler: async (context) => {
      const { email, name, username, password, reset_password, force_random_password, skip_confirmation, ...given } =
        context.params;
      const random = reset_password === true || force_random_password === true;
      if (password === undefined && !random) throw missingPassword();
      const skip = skip_confirmation ?? (await settings.read()).email_confirmation_setting === 'off';
      const user = await withAttributes(given, async ({ profile, rights, identity }) =>
        users.create({
          email,
          name,
          username,
          password: random ? randomPassword() : password,
          ...rights,
          private_profile: await privacy(rights.private_profile),
          createdById: context.caller.user?.id,
          profile,
          identity,
          confirmed: skip,
          invite: reset_password === true,
          origin: originOf(context),
        }),
      );
      return userForAdmin(await withAccount(db, user), externalUrl);
    },
  });

  const update = route({
    ...common,
    method: 'PUT',
    path: '/users/:id',
    summary: 'Update a user',
    params: Type.Object({
      id: Int({ description: 'User' }),
      email: Optional(Str({ description: 'Email address; counts when it is confirmed' })),
      skip_reconfirmation: Optional(Bool({ description: 'The new address counts at once' })),
      name: Optional(Str({ description: 'Name of the person' })),
      username: Optional(Str({ description: 'Username; the personal namespace moves with it' })),
      password: Optional(Str({ description: 'Password, to be changed at the next sign-in; ends all sessions' })),
      ...attributeParameters,
    }),
    maxFileBytes,
    responses: { 200: UserForAdmin },
    errors: [409],
    handler: async (context) => {
      const { id, email, skip_reconfirmation, name, username, password, ...given } = context.params;
      if (!(await findUser(db, id))) throw notFound('User');
      const user = await withAttributes(given, async ({ profile, rights, identity }) => {
        const private_profile = await privacy(rights.private_profile);
        const wanted = { ...profile, ...rights, private_profile };
        const columns = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
        return await editing.update(
          id,
          { email, skipReconfirmation: skip_reconfirmation, name, username, password, columns, identity },
          originOf(context),
        );
      });
      return userForAdmin(await withAccount(db, user), externalUrl);
    },
  });

  const removeIdentity = route({
    ...common,
    method: 'DELETE',
    path: '/users/:id/identities/:provider',
    summary: 'Delete an external identity of a user',
    params: Type.Object({ id: Int({ description: 'User' }), provider: Str({ description: 'Name of the provider' }) }),
    responses: { 204: Empty },
    conditional: 'An identity is replaced whole and has no date of change.',
    handler: async (context) => {
      const user = await findUser(db, context.params.id);
      if (!user) throw notFound('User');
      if (!(await editing.removeIdentity(user, context.params.provider, originOf(context)))) throw notFound('Identity');
    },
  });

  return [create, update, removeIdentity];
}
