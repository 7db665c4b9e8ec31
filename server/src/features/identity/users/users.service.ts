/** Making accounts and setting their passwords. */
import { randomBytes } from 'node:crypto';
import { RE2JS } from 're2js';
import { type AuditOrigin, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { recordFact, userCreated } from '../../../kernel/events/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { addressTaken, type Confirmations, dropUnconfirmed } from '../confirmations/index.ts';
import { letters } from '../mails/index.ts';
import type { Passwords } from '../passwords/index.ts';
import {
  findUserByLogin,
  findUserByUsername,
  insertIdentity,
  insertUser,
  listUsers,
  pathTaken,
  setResetToken,
  updatePassword,
  updateUser,
  userOrder,
} from './users.queries.ts';
import {
  check,
  emailReasons,
  emailTaken,
  linkReasons,
  passwordReasons,
  textReasons,
  usernameReasons,
  usernameTaken,
} from './validation.ts';

/** Runs in the transaction that makes the user: the namespaces feature adds the personal namespace and its grant. */
export type UserCreatedHook = (tx: Db, user: User) => Promise<unknown>;
/** Runs in the transaction that changes a user's name or username. */
export type UserRenamedHook = (tx: Db, user: User) => Promise<unknown>;

export interface UserDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly confirmations: Confirmations;
  readonly externalUrl: string;
  readonly userCreated: UserCreatedHook;
  readonly userRenamed: UserRenamedHook;
  /** Ends the user's sessions, in the transaction that changes the password. */
  readonly endSessions: (tx: Db, userId: number) => Promise<void>;
  /** Makes this process forget cached callers. */
  readonly forget: () => void;
  readonly log: { warn(details: object, message: string): void };
}

/** Columns of the profile, taken as they are. */
export type ProfileColumns = Partial<
  Pick<
    User,
    | 'auditor'
    | 'avatar_object_key'
    | 'bio'
    | 'color_scheme_id'
    | 'commit_email'
    | 'discord'
    | 'extra_shared_runners_minutes_limit'
    | 'github'
    | 'job_title'
    | 'linkedin'
    | 'location'
    | 'note'
    | 'organization'
    | 'preferred_language'
    | 'pronouns'
    | 'public_email'
    | 'shared_runners_minutes_limit'
    | 'skype'
    | 'theme_id'
    | 'timezone'
    | 'twitter'
    | 'view_diffs_file_by_file'
    | 'website_url'
  >
>;

export interface ExternalIdentity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id: number | null;
}

/** An account to make. Without a password nobody can sign in to it until one is set. */
export interface CreateUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly password?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly external?: boolean | undefined;
  readonly can_create_group?: boolean | undefined;
  readonly projects_limit?: number | undefined;
  readonly private_profile?: boolean | undefined;
  readonly createdById?: number | undefined;
  readonly profile?: ProfileColumns;
  readonly identity?: ExternalIdentity | undefined;
  /** False: the address counts for nothing until it is confirmed, and a mail asks for that. Default true. */
  readonly confirmed?: boolean;
  /** `blocked_pending_approval`: an administrator decides first. */
  readonly state?: 'active' | 'blocked_pending_approval';
  /** Sends a link to choose a password, where mail is configured. */
  readonly invite?: boolean;
  readonly acceptedTerms?: boolean;
  /** Who makes it; the system unless given. */
  readonly origin?: AuditOrigin;
}

/** What people may make of their own: external ones work in the groups that let them in, and nowhere else. */
export const ownPlaces = (
  external: boolean,
  wanted: { readonly can_create_group?: boolean | undefined; readonly projects_limit?: number | undefined },
  values: ApplicationSettings,
): Pick<User, 'can_create_group' | 'projects_limit'> =>
  external
    ? { can_create_group: false, projects_limit: 0 }
    : {
        can_create_group: wanted.can_create_group ?? values.can_create_group,
        projects_limit: wanted.projects_limit ?? values.default_projects_limit,
      };

/** New accounts are external where the settings say so, unless their address is of the house. */
function externalByDefault(email: string, values: ApplicationSettings): boolean {
  const internal = values.user_default_internal_regex;
  return values.user_default_external && (internal === null || !RE2JS.compile(internal).matcher(email).find());
}

/** A password for accounts whose owner never types it. */
export const randomPassword = (): string => randomBytes(24).toString('base64url');

/** What an account's commits carry instead of an address. */
export function privateAddress(
  user: Pick<User, 'id' | 'username'>,
  externalUrl: string,
  { commit_email_hostname: chosen }: Pick<ApplicationSettings, 'commit_email_hostname'>,
): string {
  const host = () => `users.noreply.${new URL(externalUrl).hostname.replace(/^\[|\]$/g, '').replaceAll(':', '-')}`;
  return `${user.id}-${user.username}@${chosen || host()}`;
}

export interface Users {
  /** Makes the account with its namespace. Throws the API's 400 and 409. */
  create(user: CreateUser): Promise<User>;
  /** By username or email address. */
  find(login: string): Promise<User | null>;
  /** Up to `limit` users with an id above `after`, in the order of their ids. */
  list(after: number, limit: number): Promise<User[]>;
  /** Sets a password and ends the user's sessions; false when there is no such user. */
  setPassword(username: string, password: string): Promise<boolean>;
}

/** What an administrator's entry in the audit log is about. */
export const userEntity = (user: Pick<User, 'id' | 'username'>) =>
  ({ type: 'User', id: user.id, path: user.username }) as const;

/** From a broken unique index to the answer that clients know. */
export function conflictFrom(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_key')) return emailTaken();
  if (isUniqueViolation(error, 'users_username_key')) return usernameTaken();
  if (isUniqueViolation(error, 'namespaces_place_key')) return usernameTaken();
  if (isUniqueViolation(error, 'identities_extern_uid_key'))
    return invalidRecord({ 'identities.extern_uid': ['has already been taken'] });
  return error;
}

export function createUsers(deps: UserDependencies): Users {
  const { db, settings, passwords, mail, externalUrl } = deps;

  const checkFree = async (user: CreateUser) => {
    if (await addressTaken(db, user.email, null)) throw emailTaken();
    if ((await findUserByUsername(db, user.username)) || (await pathTaken(db, user.username))) throw usernameTaken();
  };

  const checkValues = async (user: CreateUser) => {
    const values = await settings.read();
    const own = user.confirmed === false ? [] : [user.email.toLowerCase()];
    const notOwned = (address: string | null | undefined) =>
      !address || address === '_private' || own.includes(address.toLowerCase()) ? [] : ['is not an email you own'];
    check({
      username: usernameReasons(user.username),
      name: textReasons(user.name),
      email: emailReasons(user.email),
      password: user.password === undefined ? [] : passwordReasons(user.password, user, values),
      website_url: linkReasons(user.profile?.website_url ?? ''),
      public_email: notOwned(user.profile?.public_email),
      commit_email: notOwned(user.profile?.commit_email),
    });
  };

  async function insert(tx: Db, user: CreateUser, passwordHash: string | null): Promise<User> {
    const values = await settings.read();
    const { commit_email, ...profile } = user.profile ?? {};
    await dropUnconfirmed(tx, user.email, 0);
    const external = user.external ?? externalByDefault(user.email, values);
    const row = await insertUser(tx, {
      ...profile,
      commit_email: commit_email && commit_email !== '_private' ? commit_email : null,
      username: user.username,
      name: user.name,
      email: user.email,
      password_hash: passwordHash,
      state: user.state ?? 'active',
      admin: user.admin ?? false,
      external,
      ...ownPlaces(external, user, values),
      preferred_language: profile.preferred_language ?? values.default_preferred_language,
      color_scheme_id: profile.color_scheme_id ?? values.default_syntax_highlighting_theme,
      private_profile: user.private_profile ?? values.user_defaults_to_private_profile,
      created_by_id: user.createdById ?? null,
      confirmed_at: user.confirmed === false ? null : new Date(),
      accepted_terms_at: user.acceptedTerms ? new Date() : null,
    });
    return commit_email === '_private'
      ? await updateUser(tx, row.id, { commit_email: privateAddress(row, externalUrl, values) })
      : row;
  }

  async function sendMails(tx: Db, user: User, wanted: CreateUser): Promise<void> {
    if (wanted.confirmed === false) await deps.confirmations.askPrimary(tx, user, null);
    if (!wanted.invite) return;
    const token = randomPassword();
    await setResetToken(tx, user.id, tokenHash(token));
    if (!(await mail.send(tx, letters.accountCreated(user, token, externalUrl))))
      deps.log.warn({ user_id: user.id }, 'no mail server is configured: the new account got no link for its password');
  }

  return {
    create: async (wanted) => {
      const user = { ...wanted, username: wanted.username.trim(), email: wanted.email.trim() };
      await checkValues(user);
      await checkFree(user);
      const passwordHash = user.password === undefined ? null : await passwords.hash(user.password);
      const origin = user.origin ?? systemOrigin;
      try {
        return await transaction(db, async (tx) => {
          const row = await insert(tx, user, passwordHash);
          await deps.userCreated(tx, row);
          if (user.identity) await insertIdentity(tx, row.id, user.identity);
          await recordAudit(tx, {
            ...origin,
            entity: userEntity(row),
            event: 'user_created',
            details: { username: row.username, admin: row.admin, external: row.external, state: row.state },
          });
          await recordFact(tx, userCreated, { user_id: row.id }, { actor_id: origin.author?.id ?? null });
          await sendMails(tx, row, user);
          return row;
        });
      } catch (error) {
        throw conflictFrom(error);
      }
    },
    find: async (login) => (await findUserByLogin(db, login)) ?? null,
    list: (after, limit) =>
      listUsers(db, { id_after: after, privateEmails: true }, { order: userOrder('id', 'asc'), limit, after: null }),
    setPassword: async (username, password) => {
      const user = await findUserByUsername(db, username);
      if (!user) return false;
      check({ password: passwordReasons(password, user, await settings.read()) });
      const passwordHash = await passwords.hash(password);
      await transaction(db, async (tx) => {
        await updatePassword(tx, user.id, passwordHash);
        await deps.endSessions(tx, user.id);
        await recordAudit(tx, {
          ...systemOrigin,
          entity: userEntity(user),
          event: 'user_password_updated',
          details: {},
        });
        await announceChange(tx);
      });
      deps.forget();
      return true;
    },
  };
}
