/** Routes of second factors. Only the pages' session may change them: a leaked token must not lock its owner out. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { badRequest, conflict, forbidden, invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { Int, JsonObject, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import {
  NewSecurityKey,
  RecoveryCodes,
  SecurityKeyChallenge,
  securityKeyView,
  TotpSecret,
  TwoFactorView,
  twoFactorView,
} from './two-factor.entity.ts';
import { largestKeyCount, type TwoFactor } from './two-factor.service.ts';

export interface TwoFactorRouteDependencies {
  readonly db: Db;
  readonly twoFactor: TwoFactor;
  /** Whether this is the person's password; a wrong one counts as a failed sign-in. */
  readonly passwordIsRight: (user: User, password: string) => Promise<boolean>;
}

const own = {
  credentials: ['session'],
  tag: 'Two-factor authentication',
  access: { on: 'instance', ability: 'signed_in' },
  beforeTwoFactor: true,
} as const;
const code = Str({ maxLength: 40, description: 'What the authenticator application shows' });
const currentPassword = {
  current_password: Optional(Str({ maxLength: 500, description: 'Needed by whoever has a password' })),
};

export function twoFactorRoutes({ db, twoFactor, passwordIsRight }: TwoFactorRouteDependencies): Route[] {
  /** The row as it is now: the caller's may be a second old. */
  const person = async (caller: Caller): Promise<User> => {
    const user = caller.user && (await findUser(db, caller.user.id));
    if (!user) throw unauthorized();
    return user;
  };
  /** Not an administrator who acts as somebody: factors are the owner's. */
  const owner = async (caller: Caller): Promise<User> => {
    if (caller.impersonator) throw forbidden('not while impersonating somebody');
    return await person(caller);
  };
  const proven = async (caller: Caller, password: string | undefined): Promise<User> => {
    const user = await owner(caller);
    if (user.password_hash !== null && !(await passwordIsRight(user, password ?? '')))
      throw invalidRecord({ current_password: ['is invalid'] });
    return user;
  };

  return [
    route({
      ...own,
      method: 'GET',
      path: '/user/two_factor',
      summary: 'Get your two-factor authentication settings',
      params: Type.Object({}),
      responses: { 200: TwoFactorView },
      handler: async ({ caller }) => twoFactorView(await twoFactor.state(await person(caller))),
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/user/two_factor',
      summary: 'Disable two-factor authentication',
      errors: [404],
      conditional: 'No date stands in the way of removing a factor.',
      params: Type.Object(currentPassword),
      responses: { 204: Empty },
      handler: async (context) => {
        const user = await proven(context.caller, context.params.current_password);
        if (!(await twoFactor.disable(user, originOf(context)))) throw notFound('Second factor');
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/user/two_factor/totp',
      summary: 'Set up an authenticator app',
      errors: [409],
      params: Type.Object(currentPassword),
      responses: { 201: TotpSecret },
      handler: async ({ caller, params }) => {
        const started = await twoFactor.startTotp(await proven(caller, params.current_password));
        if (!started) throw conflict('an authenticator application is registered already');
        return started;
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/user/two_factor/totp/confirm',
      summary: 'Confirm the authenticator app with its first code',
      params: Type.Object({ code }),
      responses: { 201: RecoveryCodes },
      handler: async (context) => {
        const { caller, params } = context;
        const codes = await twoFactor.confirmTotp(await owner(caller), params.code, originOf(context));
        if (codes === false) throw invalidRecord({ code: ['is invalid'] });
        return { recovery_codes: codes };
      },
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/user/two_factor/totp',
      summary: 'Remove the authenticator app',
      errors: [404],
      conditional: 'No date stands in the way of removing a factor.',
      params: Type.Object(currentPassword),
      responses: { 204: Empty },
      handler: async (context) => {
        const user = await proven(context.caller, context.params.current_password);
        if (!(await twoFactor.removeTotp(user, originOf(context)))) throw notFound('Authenticator application');
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/user/two_factor/recovery_codes',
      summary: 'Generate new recovery codes; previous ones stop working',
      params: Type.Object(currentPassword),
      responses: { 201: RecoveryCodes },
      handler: async (context) => {
        const user = await proven(context.caller, context.params.current_password);
        const codes = await twoFactor.newRecoveryCodes(user, originOf(context));
        if (!codes) throw badRequest('Two-factor authentication is not enabled');
        return { recovery_codes: codes };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/user/two_factor/security_keys/challenge',
      summary: 'Get the WebAuthn challenge for a new security key',
      params: Type.Object(currentPassword),
      responses: { 201: SecurityKeyChallenge },
      handler: async ({ caller, params }) => {
        const started = await twoFactor.startKey(await proven(caller, params.current_password));
        if (!started) throw badRequest('security keys need an instance that is reached by a name, not by an address');
        return started;
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/user/two_factor/security_keys',
      summary: 'Register a WebAuthn security key',
      errors: [409],
      params: Type.Object({
        challenge: Str({ maxLength: 100, description: 'As the challenge named it' }),
        name: Str({ minLength: 1, maxLength: 255, description: 'To tell keys apart' }),
        credential: JsonObject({
          description: 'What `navigator.credentials.create` answered (RegistrationResponseJSON)',
        }),
      }),
      responses: { 201: NewSecurityKey },
      handler: async (context) => {
        const { caller, params } = context;
        const user = await owner(caller);
        const wanted = { challenge: params.challenge, name: params.name, answer: params.credential };
        const added = await twoFactor.addKey(user, wanted, originOf(context));
        if (added === 'many') throw badRequest(`at most ${largestKeyCount} security keys`);
        if (added === 'taken') throw conflict('the security key is registered already');
        if (!added) throw invalidRecord({ credential: ['is invalid'] });
        return { ...securityKeyView(added.key), recovery_codes: added.recoveryCodes };
      },
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/user/two_factor/security_keys/:key_id',
      summary: 'Delete a WebAuthn security key',
      conditional: 'No date stands in the way of removing a factor.',
      params: Type.Object({ key_id: Int({ description: 'As the list names it' }), ...currentPassword }),
      responses: { 204: Empty },
      handler: async (context) => {
        const { caller, params } = context;
        const user = await proven(caller, params.current_password);
        if (!(await twoFactor.removeKey(user, params.key_id, originOf(context)))) throw notFound('Security key');
      },
    }),
    route({
      method: 'PATCH',
      path: '/users/:id/disable_two_factor',
      summary: 'Disable two-factor authentication of a user',
      tag: 'Users',
      credentials: ['token', 'session'],
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({ id: Int({ description: 'Of the person' }) }),
      responses: { 204: Empty },
      handler: async (context) => {
        const user = await findUser(db, context.params.id);
        if (!user) throw notFound('User');
        // Whoever holds one administrator's token must not be able to weaken another administrator.
        if (user.admin) throw forbidden();
        if (!(await twoFactor.disable(user, originOf(context))))
          throw badRequest('Two-factor authentication is not enabled for this user');
      },
    }),
  ];
}
