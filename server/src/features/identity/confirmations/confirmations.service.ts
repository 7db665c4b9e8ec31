/** Proving that an address belongs to a user: a link that only its reader has. Nothing counts before that. */
import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { recordAudit, strangerAt } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Email, User } from '../../../kernel/db/rows.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { announceChange } from '../changes/index.ts';
import { letters } from '../mails/index.ts';
import {
  addressTaken,
  confirmEmail,
  confirmPrimary,
  dropOldUnconfirmed,
  findEmailToConfirm,
  findUserToConfirm,
  setEmailConfirmation,
  setUserConfirmation,
} from './confirmations.queries.ts';

export interface ConfirmationDependencies {
  readonly db: Db;
  readonly mail: Pick<Mail, 'send'>;
  readonly externalUrl: string;
  readonly forget: () => void;
}

/** Days that a link works, and that an address waits. */
const days = 3;

export interface Confirmations {
  /** Asks for the confirmation of the primary address, or of the one that is to replace it. */
  askPrimary(tx: Db, user: User, newAddress: string | null): Promise<void>;
  askFurther(tx: Db, user: User, email: Email): Promise<void>;
  /** The address that the link confirmed; null when it is unknown, used or too old, or the address is taken by now. */
  confirm(token: string, clientAddress: string): Promise<string | null>;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
}

const newLinkToken = () => randomBytes(32).toString('base64url');

export function createConfirmations({ db, mail, externalUrl, forget }: ConfirmationDependencies): Confirmations {
  const record = (tx: Db, user: Pick<User, 'id' | 'username'>, email: string, clientAddress: string) =>
    recordAudit(tx, {
      ...strangerAt(clientAddress),
      entity: { type: 'User', id: user.id, path: user.username },
      event: 'email_confirmed',
      details: { email },
    });
  const confirmUser = async (tx: Db, hash: Buffer, clientAddress: string): Promise<string | null> => {
    const user = await findUserToConfirm(tx, hash, days);
    if (!user) return null;
    const address = user.unconfirmed_email ?? user.email;
    if (await addressTaken(tx, address, user.id)) return null;
    await confirmPrimary(tx, user.id, address);
    await record(tx, user, address, clientAddress);
    if (address !== user.email && user.confirmed_at) await mail.send(tx, letters.addressChanged(user, user.email));
    await announceChange(tx);
    return address;
  };
  const confirmFurther = async (tx: Db, hash: Buffer, clientAddress: string): Promise<string | null> => {
    const email = await findEmailToConfirm(tx, hash, days);
    if (!email || (await addressTaken(tx, email.email, email.user_id))) return null;
    await confirmEmail(tx, email.id);
    await record(tx, { id: email.user_id, username: email.username }, email.email, clientAddress);
    return email.email;
  };
  const sweep = defineTask('emails.remove_unconfirmed', Type.Object({}), () => dropOldUnconfirmed(db, days));

  return {
    askPrimary: async (tx, user, newAddress) => {
      const token = newLinkToken();
      await setUserConfirmation(tx, user.id, newAddress, tokenHash(token));
      await mail.send(tx, letters.confirmAddress(user, newAddress ?? user.email, token, externalUrl));
    },
    askFurther: async (tx, user, email) => {
      const token = newLinkToken();
      await setEmailConfirmation(tx, email.id, tokenHash(token));
      await mail.send(tx, letters.confirmAddress(user, email.email, token, externalUrl));
    },
    confirm: async (token, clientAddress) => {
      const hash = tokenHash(token);
      try {
        const address = await transaction(
          db,
          async (tx) => (await confirmUser(tx, hash, clientAddress)) ?? (await confirmFurther(tx, hash, clientAddress)),
        );
        if (address !== null) forget();
        return address;
      } catch (error) {
        if (isUniqueViolation(error, 'users_email_key')) return null;
        throw error;
      }
    },
    tasks: [sweep],
    cron: [{ task: sweep.name, schedule: '41 3 * * *' }],
  };
}
