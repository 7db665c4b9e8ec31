/** `/user/password`: a new password for whoever is signed in. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { forbidden, invalidRecord, unauthorized } from '../../../kernel/http/errors.ts';
import { Int, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import type { PasswordReset } from './reset.service.ts';

export interface PasswordRouteDependencies {
  readonly db: Db;
  readonly reset: PasswordReset;
  /** Whether this is the person's password; a wrong one counts as a failed sign-in. */
  readonly passwordIsRight: (user: User, password: string) => Promise<boolean>;
}

const Accepted = Entity('Accepted', { message: Text() });

export function passwordRoutes({ db, reset, passwordIsRight }: PasswordRouteDependencies): Route[] {
  return [
    route({
      method: 'POST',
      // The ecosystem has this on its pages alone.
      path: '/users/:id/password_reset',
      summary: 'Send a password reset link to a user',
      tag: 'Users',
      credentials: ['session'],
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({ id: Int({ description: 'User' }) }),
      responses: { 202: Accepted },
      errors: [422],
      handler: async (context) => {
        await reset.send(context.params.id, originOf(context));
        return { message: '202 Accepted' };
      },
    }),
    route({
      method: 'PUT',
      path: '/user/password',
      summary: 'Update your password',
      tag: 'Users',
      // A token that leaked must not lock its owner out.
      credentials: ['session'],
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        current_password: Str({ maxLength: 500, description: 'The present password' }),
        password: Str({ maxLength: 500, description: 'The new one; every session ends with the change' }),
      }),
      responses: { 204: Empty },
      handler: async ({ caller, params, clientAddress }) => {
        if (caller.impersonator) throw forbidden('not while impersonating somebody');
        const user = caller.user && (await findUser(db, caller.user.id));
        if (!user) throw unauthorized();
        if (!(await passwordIsRight(user, params.current_password)))
          throw invalidRecord({ current_password: ['is invalid'] });
        await reset.change(user, params.password, clientAddress);
      },
    }),
  ];
}
