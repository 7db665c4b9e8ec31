/** `/user`: changing and removing one's own account. Only for pages: a token that leaked must not take an account over. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { Bool, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Confirmations } from '../confirmations/index.ts';
import { findEmail } from '../emails/index.ts';
import type { Removal } from '../removal/index.ts';
import {
  attributeParameters,
  findUser,
  UserAccount,
  type UserEditing,
  userAccount,
  withAccount,
} from '../users/index.ts';

export interface AccountDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly editing: UserEditing;
  readonly removal: Removal;
  readonly confirmations: Confirmations;
  readonly mail: Pick<Mail, 'configured'>;
  /** Whether this is the person's password; a wrong one counts as a failed sign-in. */
  readonly passwordIsRight: (user: User, password: string) => Promise<boolean>;
  readonly externalUrl: string;
}

const common = {
  credentials: ['session'],
  tag: 'Users',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

const {
  bio,
  color_scheme_id,
  commit_email,
  discord,
  github,
  job_title,
  linkedin,
  location,
  organization,
  pronouns,
  public_email,
  skype,
  theme_id,
  twitter,
  view_diffs_file_by_file,
  website_url,
} = attributeParameters;
/** What everybody may say about themselves. */
const profile = {
  bio,
  color_scheme_id,
  commit_email,
  discord,
  github,
  job_title,
  linkedin,
  location,
  organization,
  preferred_language: Optional(Str({ minLength: 1, maxLength: 16, description: 'Language of the pages' })),
  private_profile: Optional(Bool({ description: 'Details are shown to nobody else' })),
  pronouns,
  public_email,
  skype,
  theme_id,
  timezone: Optional(OrNull(Str({ maxLength: 64, description: 'Time zone, as `Europe/Berlin`; null for none' }))),
  twitter,
  view_diffs_file_by_file,
  website_url,
};
const password = Optional(
  Str({ maxLength: 500, description: 'The present password; for a new username, a new address, and removal' }),
);

function timeZoneReasons(name: string | null | undefined): string[] {
  if (name === null || name === undefined) return [];
  try {
    new Date().toLocaleString('en', { timeZone: name });
    return [];
  } catch {
    return ['is invalid'];
  }
}

export function accountRoutes(deps: AccountDependencies): Route[] {
  const { db, settings, editing, removal, confirmations, mail, externalUrl } = deps;

  /** As the row is now, not as it was when the session was looked up. */
  async function selfOf(caller: Caller): Promise<User> {
    const user = caller.user && (await findUser(db, caller.user.id));
    if (!user) throw unauthorized();
    return user;
  }

  /** Whoever sits down at somebody's open page must not take the account over. */
  async function requirePassword(user: User, given: string | undefined): Promise<void> {
    if (user.password_hash === null) return;
    if (given === undefined || !(await deps.passwordIsRight(user, given)))
      throw invalidRecord({ current_password: ['is invalid'] });
  }

  const requireMail = () => {
    if (!mail.configured) throw plainError(422, 'No mail server is configured. Ask an administrator.');
  };

  const update = route({
    ...common,
    method: 'PUT',
    path: '/user',
    summary: 'Update your account',
    params: Type.Object({
      name: Optional(Str({ description: 'Name of the person' })),
      username: Optional(
        Str({ description: 'Username; the personal namespace moves with it, old addresses lead there' }),
      ),
      email: Optional(Str({ description: 'Email address; counts when it is confirmed' })),
      current_password: password,
      ...profile,
    }),
    responses: { 200: UserAccount },
    errors: [409],
    handler: async (context) => {
      const { name, username, email, current_password, timezone, ...columns } = context.params;
      const user = await selfOf(context.caller);
      const values = await settings.read();
      const renames = name !== undefined && name !== user.name;
      if (renames && values.updating_name_disabled_for_users && !context.caller.admin)
        throw invalidRecord({ name: ['can only be changed by an administrator'] });
      if (columns.private_profile && !user.private_profile && !values.make_profile_private && !context.caller.admin)
        throw invalidRecord({ private_profile: ['is not allowed here'] });
      if (timeZoneReasons(timezone).length > 0) throw invalidRecord({ timezone: timeZoneReasons(timezone) });
      const moves = username !== undefined && username !== user.username;
      const readdresses = email !== undefined && email !== user.email;
      if (moves || readdresses) await requirePassword(user, current_password);
      const unproven = readdresses && !mail.configured;
      if (unproven && values.email_confirmation_setting !== 'off') requireMail();
      const given = Object.entries({ ...columns, timezone }).filter(([, value]) => value !== undefined);
      const changed = await editing.update(
        user.id,
        {
          name,
          username,
          email: readdresses ? email : undefined,
          // Where nobody can be asked and nobody has to be.
          skipReconfirmation: unproven,
          columns: Object.fromEntries(given),
        },
        originOf(context),
      );
      return userAccount(await withAccount(db, changed), externalUrl);
    },
  });

  const remove = route({
    ...common,
    method: 'DELETE',
    path: '/user',
    summary: 'Delete your account; your contributions move to the ghost user',
    params: Type.Object({ current_password: password }),
    responses: { 204: Empty },
    errors: [409],
    conditional: 'One’s own account: the password says that it is meant.',
    handler: async (context) => {
      const user = await selfOf(context.caller);
      const { allow_account_deletion, delay_user_account_self_deletion } = await settings.read();
      if (!allow_account_deletion && !context.caller.admin)
        throw forbidden('Account deletion is not allowed by your administrator');
      await requirePassword(user, context.params.current_password);
      await removal.remove(user.id, false, originOf(context), delay_user_account_self_deletion ? 7 : 0);
    },
  });

  const confirmFurther = route({
    ...common,
    method: 'POST',
    path: '/user/emails/:email_id/confirmation',
    summary: 'Resend the confirmation mail of an email address of yours',
    rate: 'profile_resend_email_confirmation',
    params: Type.Object({ email_id: Int({ description: 'Address, by its id' }) }),
    responses: { 202: Empty },
    errors: [409, 422],
    handler: async ({ caller, params }) => {
      const user = await selfOf(caller);
      const email = await findEmail(db, user.id, params.email_id);
      if (!email) throw notFound('Email');
      if (email.confirmed_at) throw plainError(409, 'Email is already confirmed');
      requireMail();
      await transaction(db, (tx) => confirmations.askFurther(tx, user, email));
    },
  });

  const confirmPrimary = route({
    ...common,
    method: 'POST',
    path: '/user/confirmation',
    summary: 'Resend the confirmation mail of your primary email address',
    rate: 'profile_resend_email_confirmation',
    params: Type.Object({}),
    responses: { 202: Empty },
    errors: [409, 422],
    handler: async ({ caller }) => {
      const user = await selfOf(caller);
      if (user.confirmed_at && user.unconfirmed_email === null) throw plainError(409, 'Email is already confirmed');
      requireMail();
      await transaction(db, (tx) => confirmations.askPrimary(tx, user, user.unconfirmed_email));
    },
  });

  return [update, remove, confirmFurther, confirmPrimary];
}
