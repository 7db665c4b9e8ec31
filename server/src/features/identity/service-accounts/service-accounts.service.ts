/** Accounts of programs: nobody signs in to them with a password, they take no seat, and work with tokens. */
import { randomBytes } from 'node:crypto';
import { type AuditOrigin, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { badRequest, HttpError } from '../../../kernel/http/errors.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { addressTaken, type Confirmations, dropUnconfirmed } from '../confirmations/index.ts';
import type { Removal } from '../removal/index.ts';
import {
  check,
  conflictFrom,
  emailReasons,
  findUserByUsername,
  insertUser,
  pathTaken,
  textReasons,
  type UserEditing,
  userEntity,
  usernameReasons,
} from '../users/index.ts';
import {
  findServiceAccount,
  homelessServiceAccounts,
  placeServiceAccount,
  type ServiceAccountPlace,
} from './service-accounts.queries.ts';

export interface ServiceAccountDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly externalUrl: string;
  readonly confirmations: Confirmations;
  readonly editing: UserEditing;
  readonly removal: Removal;
}

interface Wanted {
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
}

/** What an event about the account is filed under; the account itself where it belongs to the instance. */
interface Entity {
  readonly type: 'Group' | 'Project';
  readonly id: number;
  readonly path: string;
}

export interface ServiceAccounts {
  find(place: ServiceAccountPlace, id: number): Promise<User | undefined>;
  /** Throws the API's 400. */
  create(place: ServiceAccountPlace, wanted: Wanted, maker: User, origin: AuditOrigin, entity?: Entity): Promise<User>;
  /** Throws the API's 400. */
  update(account: User, changes: Wanted, origin: AuditOrigin, entity?: Entity): Promise<User>;
  /** What it contributed moves to the ghost user; with `hard` it goes too. Throws the API's 409. */
  remove(account: User, hard: boolean, origin: AuditOrigin, entity: Entity): Promise<void>;
  /** Removes those whose group or project is gone. */
  removeHomeless(): Promise<void>;
}

const homelessAtOnce = 1000;

/** These routes answer 400 where those of people answer 409. */
function asBadRequest(error: unknown): never {
  if (error instanceof HttpError && error.status === 409 && 'message' in error.body)
    throw badRequest(String(error.body.message));
  throw error;
}

export function createServiceAccounts(deps: ServiceAccountDependencies): ServiceAccounts {
  const { db, settings, externalUrl, confirmations, editing, removal } = deps;

  const confirmationOff = async () => (await settings.read()).email_confirmation_setting === 'off';

  function generatedName({ kind, id }: ServiceAccountPlace): string {
    const random = randomBytes(16).toString('hex');
    return kind === 'instance' ? `service_account_${random}` : `service_account_${kind}_${id}_${random}`;
  }

  async function checkValues(user: { username: string; name: string; email: string }): Promise<void> {
    const { username, name, email } = user;
    check({ username: usernameReasons(username), name: textReasons(name), email: emailReasons(email) });
    if (await addressTaken(db, email, null)) throw badRequest('Email has already been taken');
    if ((await findUserByUsername(db, username)) || (await pathTaken(db, username)))
      throw badRequest('Username has already been taken');
  }

  const record = (
    tx: Db,
    what: 'created' | 'updated' | 'removed',
    account: User,
    origin: AuditOrigin,
    entity: Entity | undefined,
  ) =>
    recordAudit(tx, {
      ...origin,
      entity: entity ?? userEntity(account),
      event: `service_account_${what}`,
      details: { username: account.username, name: account.name },
      target: { type: 'User', id: account.id, details: account.username },
    });

  return {
    find: (place, id) => findServiceAccount(db, place, id),
    create: async (place, wanted, maker, origin, entity) => {
      const username = wanted.username?.trim() ?? generatedName(place);
      const name = wanted.name?.trim() ?? 'Service account user';
      const host = new URL(externalUrl).hostname.replace(/^\[|\]$/g, '').replaceAll(':', '-');
      const generated = `${username}@noreply.${host}`;
      const own = wanted.email?.trim();
      await checkValues({ username, name, email: own ?? generated });
      const values = await settings.read();
      const counts = own !== undefined && (await confirmationOff());
      try {
        return await transaction(db, async (tx) => {
          if (counts) await dropUnconfirmed(tx, own, 0);
          const account = await insertUser(tx, {
            user_type: 'service_account',
            username,
            name,
            email: counts ? own : generated,
            // It must not see internal projects that its maker does not.
            external: maker.external || values.user_default_external,
            can_create_group: false,
            projects_limit: 0,
            private_profile: values.user_defaults_to_private_profile,
            confirmed_at: new Date(),
            created_by_id: maker.id,
          });
          await placeServiceAccount(tx, account.id, place);
          await record(tx, 'created', account, origin, entity);
          if (own === undefined || counts) return account;
          await confirmations.askPrimary(tx, account, own);
          return { ...account, unconfirmed_email: own };
        });
      } catch (error) {
        return asBadRequest(conflictFrom(error));
      }
    },
    update: async (account, changes, origin, entity) => {
      const skipReconfirmation = await confirmationOff();
      const changed = await editing
        .update(account.id, { ...changes, skipReconfirmation, columns: {} }, origin)
        .catch(asBadRequest);
      if (entity) await record(db, 'updated', changed, origin, entity);
      return changed;
    },
    remove: async (account, hard, origin, entity) => {
      await removal.remove(account.id, hard, origin);
      await record(db, 'removed', account, origin, entity);
    },
    removeHomeless: async () => {
      // One that owns a group alone stays blocked until somebody else owns it too.
      for (const id of await homelessServiceAccounts(db, homelessAtOnce))
        await removal.remove(id, false, systemOrigin).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        });
    },
  };
}
