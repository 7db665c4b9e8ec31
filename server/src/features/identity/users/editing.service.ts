/** Changing accounts, by administrators: names, address, password, rights, identities; each with its audit event. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { recordFact, userRenamed } from '../../../kernel/events/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { announceChange } from '../changes/index.ts';
import { addressTaken, confirmedAddresses, dropUnconfirmed, swapConfirmed } from '../confirmations/index.ts';
import { letters } from '../mails/index.ts';
import {
  deleteIdentity,
  findUser,
  findUserByUsername,
  insertIdentity,
  lockAdministrators,
  lockUser,
  pathTaken,
  updatePassword,
  updateUser,
} from './users.queries.ts';
import {
  conflictFrom,
  type ExternalIdentity,
  ownPlaces,
  type ProfileColumns,
  privateAddress,
  type UserDependencies,
  userEntity,
} from './users.service.ts';
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

/** What is to change; what is left out stays. */
export interface UserChanges {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** The new address counts at once, without the mail that asks for its confirmation. */
  readonly skipReconfirmation?: boolean | undefined;
  readonly password?: string | undefined;
  readonly columns: ProfileColumns &
    Partial<Pick<User, 'admin' | 'external' | 'can_create_group' | 'projects_limit' | 'private_profile'>>;
  readonly identity?: ExternalIdentity | undefined;
}

export interface UserEditing {
  /** The account afterwards. Throws the API's 400, 404 and 409. */
  update(id: number, changes: UserChanges, origin: AuditOrigin): Promise<User>;
  /** False when the user has no identity at the provider. */
  removeIdentity(user: User, provider: string, origin: AuditOrigin): Promise<boolean>;
}

/** Columns whose change is worth an audit event with both values. */
const audited = [
  'username',
  'name',
  'email',
  'admin',
  'auditor',
  'external',
  'projects_limit',
  'can_create_group',
  'private_profile',
] as const;

/** What changed from what to what; values of the profile are named only. */
function differences(before: User, after: User): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const column of audited)
    if (before[column] !== after[column]) changed[column] = { from: before[column], to: after[column] };
  return changed;
}

export function createEditing(deps: UserDependencies): UserEditing {
  const { db, settings, mail, externalUrl } = deps;

  async function checkValues(user: User, changes: UserChanges): Promise<void> {
    const { username, name, email, password, columns } = changes;
    const own = (await confirmedAddresses(db, user)).map((address) => address.toLowerCase());
    if (changes.skipReconfirmation && email !== undefined) own.push(email.toLowerCase());
    const notOwned = (address: string | null | undefined) =>
      !address || address === '_private' || own.includes(address.toLowerCase()) ? [] : ['is not an email you own'];
    const named = { username: username ?? user.username, name: name ?? user.name, email: email ?? user.email };
    check({
      username: username === undefined ? [] : usernameReasons(username),
      name: name === undefined ? [] : textReasons(name),
      email: email === undefined ? [] : emailReasons(email),
      password: password === undefined ? [] : passwordReasons(password, named, await settings.read()),
      website_url: linkReasons(columns.website_url ?? ''),
      public_email: columns.public_email === user.public_email ? [] : notOwned(columns.public_email),
      commit_email: columns.commit_email === user.commit_email ? [] : notOwned(columns.commit_email),
    });
  }

  async function checkFree(tx: Db, user: User, { username, email }: UserChanges): Promise<void> {
    if (email !== undefined && (await addressTaken(tx, email, user.id))) throw emailTaken();
    if (username === undefined || username.toLowerCase() === user.username.toLowerCase()) return;
    if ((await findUserByUsername(tx, username)) || (await pathTaken(tx, username))) throw usernameTaken();
  }

  /** The columns of a new address, or the mail that asks for its confirmation. */
  async function changeAddress(tx: Db, user: User, address: string, skip: boolean): Promise<Partial<User>> {
    if (address.toLowerCase() === user.email.toLowerCase())
      return skip && !user.confirmed_at ? { email: address, confirmed_at: new Date() } : { email: address };
    const known = await swapConfirmed(tx, user, address);
    if (!known && !skip) {
      await deps.confirmations.askPrimary(tx, user, address);
      return {};
    }
    await dropUnconfirmed(tx, address, 0);
    await mail.send(tx, letters.addressChanged(user, user.email));
    return { email: address, confirmed_at: new Date(), unconfirmed_email: null, confirmation_token_sha256: null };
  }

  /** The commit address follows the username, and an address that is no longer the user's is none for commits. */
  async function commitAddress(user: User, changes: UserChanges, username: string): Promise<Partial<User>> {
    const wanted = changes.columns.commit_email;
    // Whatever host such addresses had when it was chosen.
    const isPrivate = user.commit_email?.startsWith(`${user.id}-${user.username}@`) ?? false;
    if (wanted === '_private' || (wanted === undefined && isPrivate))
      return { commit_email: privateAddress({ id: user.id, username }, externalUrl, await settings.read()) };
    return wanted === undefined ? {} : { commit_email: wanted || null };
  }

  async function apply(
    tx: Db,
    id: number,
    changes: UserChanges,
    passwordHash: string | null,
    origin: AuditOrigin,
  ): Promise<User> {
    const { username, name, email } = changes;
    if (changes.columns.admin === false) await keepAnAdministrator(tx, id);
    const user = await lockUser(tx, id);
    if (!user) throw notFound('User');
    await checkFree(tx, user, changes);
    const byOther = origin.author?.id !== id;
    const external = changes.columns.external ?? user.external;
    const row = await updateUser(tx, id, {
      ...changes.columns,
      ...(external === user.external ? {} : ownPlaces(external, changes.columns, await settings.read())),
      ...(username === undefined ? {} : { username }),
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : await changeAddress(tx, user, email, changes.skipReconfirmation ?? false)),
      ...(await commitAddress(user, changes, username ?? user.username)),
    });
    if (row.username !== user.username || row.name !== user.name) await deps.userRenamed(tx, row);
    if (row.username !== user.username) {
      const payload = { user_id: id, old_username: user.username };
      await recordFact(tx, userRenamed, payload, { actor_id: origin.author?.id ?? null });
    }
    if (changes.identity) await insertIdentity(tx, id, changes.identity);
    if (passwordHash !== null) {
      await updatePassword(tx, id, passwordHash, byOther);
      await deps.endSessions(tx, id);
      await mail.send(tx, letters.passwordChanged(row, byOther));
    }
    const details = {
      ...differences(user, row),
      ...(passwordHash === null ? {} : { password: 'changed' }),
      ...(changes.identity ? { identity: changes.identity.provider } : {}),
      ...(row.unconfirmed_email !== user.unconfirmed_email ? { unconfirmed_email: row.unconfirmed_email } : {}),
    };
    await recordAudit(tx, { ...origin, entity: userEntity(row), event: 'user_updated', details });
    if (passwordHash !== null) {
      const by = byOther ? 'administrator' : 'password';
      await recordAudit(tx, { ...origin, entity: userEntity(row), event: 'user_password_updated', details: { by } });
    }
    await announceChange(tx);
    return row;
  }

  return {
    update: async (id, given, origin) => {
      const changes = { ...given, username: given.username?.trim(), email: given.email?.trim() };
      const user = await findUser(db, id);
      if (!user) throw notFound('User');
      await checkValues(user, changes);
      const passwordHash = changes.password === undefined ? null : await deps.passwords.hash(changes.password);
      try {
        return await transaction(db, (tx) => apply(tx, id, changes, passwordHash, origin));
      } catch (error) {
        throw conflictFrom(error);
      } finally {
        deps.forget();
      }
    },
    removeIdentity: async (user, provider, origin) =>
      await transaction(db, async (tx) => {
        if (!(await deleteIdentity(tx, user.id, provider))) return false;
        const details = { provider };
        await recordAudit(tx, { ...origin, entity: userEntity(user), event: 'user_identity_removed', details });
        return true;
      }),
  };
}

/** Refuses what would leave nobody to administer the instance. */
export async function keepAnAdministrator(tx: Db, userId: number): Promise<void> {
  const ids = await lockAdministrators(tx);
  if (ids.length === 1 && ids[0] === userId) check({ admin: ['cannot be taken from the last administrator'] });
}
