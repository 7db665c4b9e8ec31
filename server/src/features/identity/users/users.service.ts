/** Making accounts and setting their passwords. */
import { randomBytes } from 'node:crypto';
import { RE2JS } from 're2js';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { longestPassword, type Passwords } from '../passwords/index.ts';
import {
  findUserByLogin,
  findUserByUsername,
  insertUser,
  listUsers,
  pathTaken,
  updatePassword,
  userOrder,
} from './users.queries.ts';

/** Runs in the transaction that makes the user: the namespaces feature adds the personal namespace and its grant. */
export type UserCreatedHook = (tx: Db, user: User) => Promise<unknown>;

export interface UserDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly userCreated: UserCreatedHook;
  /** Ends the user's sessions, in the transaction that changes the password. */
  readonly endSessions: (tx: Db, userId: number) => Promise<void>;
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
  /** Columns of the profile, taken as they are. */
  readonly profile?: Partial<
    Pick<
      User,
      | 'bio'
      | 'location'
      | 'public_email'
      | 'commit_email'
      | 'skype'
      | 'linkedin'
      | 'twitter'
      | 'discord'
      | 'website_url'
      | 'organization'
      | 'job_title'
      | 'pronouns'
      | 'note'
      | 'theme_id'
      | 'color_scheme_id'
    >
  >;
}

const usernamePattern = /^(?:[A-Za-z0-9_.][A-Za-z0-9_.-]*[A-Za-z0-9_-]|[A-Za-z0-9_])$/;
const addressPattern = /^[^@\s]+@[^@\s]+$/;
const longestText = 255;

const usernameReason =
  "can contain only letters, digits, '_', '-' and '.', and must not start with '-' or end in '.', '.git' or '.atom'.";

function textReasons(value: string): string[] {
  if (value.trim() === '') return ["can't be blank"];
  return value.length > longestText ? [`is too long (maximum is ${longestText} characters)`] : [];
}

function passwordReasons(password: string, values: ApplicationSettings): string[] {
  const minimum = values.minimum_password_length;
  if (password.length < minimum) return [`is too short (minimum is ${minimum} characters)`];
  if (password.length > longestPassword) return [`is too long (maximum is ${longestPassword} characters)`];
  const kinds: ReadonlyArray<[required: boolean, pattern: RegExp, what: string]> = [
    [values.password_number_required, /\p{N}/u, 'number'],
    [values.password_lowercase_required, /\p{Ll}/u, 'lowercase letter'],
    [values.password_uppercase_required, /\p{Lu}/u, 'uppercase letter'],
    [values.password_symbol_required, /[^\p{L}\p{N}\s]/u, 'symbol character'],
  ];
  return kinds
    .filter(([required, pattern]) => required && !pattern.test(password))
    .map(([, , what]) => `requires at least one ${what}`);
}

/** New accounts are external where the settings say so, unless their address is of the house. */
function externalByDefault(email: string, values: ApplicationSettings): boolean {
  const internal = values.user_default_internal_regex;
  return values.user_default_external && (internal === null || !RE2JS.compile(internal).matcher(email).find());
}

function check(fields: Readonly<Record<string, string[]>>): void {
  const wrong = Object.entries(fields).filter(([, reasons]) => reasons.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

const usernameTaken = () => plainError(409, 'Username has already been taken');
const emailTaken = () => plainError(409, 'Email has already been taken');

/** A password for accounts whose owner never types it. */
export const randomPassword = (): string => randomBytes(24).toString('base64url');

export interface Users {
  /** Makes the account with its namespace. Throws the API's 400 and 409. */
  create(user: CreateUser): Promise<User>;
  /** By user name or e-mail address. */
  find(login: string): Promise<User | null>;
  /** Up to `limit` users with an id above `after`, in the order of their ids. */
  list(after: number, limit: number): Promise<User[]>;
  /** Sets a password and ends the user's sessions; false when there is no such user. */
  setPassword(username: string, password: string): Promise<boolean>;
}

export function createUsers(deps: UserDependencies): Users {
  const { db, settings, passwords } = deps;

  const checkFree = async (user: CreateUser) => {
    if (await findUserByLogin(db, user.email)) throw emailTaken();
    if ((await findUserByUsername(db, user.username)) || (await pathTaken(db, user.username))) throw usernameTaken();
  };

  return {
    create: async (wanted) => {
      const values = await settings.read();
      const user = { ...wanted, username: wanted.username.trim(), email: wanted.email.trim() };
      const usable = usernamePattern.test(user.username) && !/\.(git|atom)$/i.test(user.username);
      check({
        username: textReasons(user.username).concat(usable ? [] : [usernameReason]),
        name: textReasons(user.name),
        email: textReasons(user.email).concat(addressPattern.test(user.email) ? [] : ['is invalid']),
        password: user.password === undefined ? [] : passwordReasons(user.password, values),
      });
      await checkFree(user);
      const passwordHash = user.password === undefined ? null : await passwords.hash(user.password);
      try {
        return await transaction(db, async (tx) => {
          const row = await insertUser(tx, {
            ...user.profile,
            username: user.username,
            name: user.name,
            email: user.email,
            password_hash: passwordHash,
            admin: user.admin ?? false,
            external: user.external ?? externalByDefault(user.email, values),
            can_create_group: user.can_create_group ?? values.can_create_group,
            projects_limit: user.projects_limit ?? values.default_projects_limit,
            private_profile: user.private_profile ?? values.user_defaults_to_private_profile,
            created_by_id: user.createdById ?? null,
            confirmed_at: new Date(),
          });
          await deps.userCreated(tx, row);
          return row;
        });
      } catch (error) {
        if (isUniqueViolation(error, 'users_email_key')) throw emailTaken();
        if (isUniqueViolation(error, 'users_username_key')) throw usernameTaken();
        if (isUniqueViolation(error, 'namespaces_full_path_key')) throw usernameTaken();
        throw error;
      }
    },
    find: async (login) => (await findUserByLogin(db, login)) ?? null,
    list: (after, limit) =>
      listUsers(db, { id_after: after, privateEmails: true }, { order: userOrder('id', 'asc'), limit, after: null }),
    setPassword: async (username, password) => {
      const user = await findUserByUsername(db, username);
      if (!user) return false;
      check({ password: passwordReasons(password, await settings.read()) });
      const passwordHash = await passwords.hash(password);
      await transaction(db, async (tx) => {
        await updatePassword(tx, user.id, passwordHash);
        await deps.endSessions(tx, user.id);
        await announceChange(tx);
      });
      return true;
    },
  };
}
