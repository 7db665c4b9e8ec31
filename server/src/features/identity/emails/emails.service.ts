/** Adding and removing addresses. An address counts for nothing until its owner confirmed it. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Email, User } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { announceChange } from '../changes/index.ts';
import { addressTaken, type Confirmations, confirmedAddresses, dropUnconfirmed } from '../confirmations/index.ts';
import { check, emailReasons, updateUser, userEntity } from '../users/index.ts';
import { deleteEmail, insertEmail } from './emails.queries.ts';

export interface Emails {
  /** Throws the API's 400. */
  add(user: User, address: string, confirmed: boolean, origin: AuditOrigin): Promise<Email>;
  remove(user: User, email: Email, origin: AuditOrigin): Promise<void>;
}

/** Sends the mail of a user elsewhere: to a confirmed address of theirs; an empty one is the primary one. */
export async function setNotificationEmail(tx: Db, user: User, given: string): Promise<void> {
  const address = given.trim();
  const own = await confirmedAddresses(tx, user);
  if (address !== '' && !own.some((each) => each.toLowerCase() === address.toLowerCase()))
    throw invalidRecord({ notification_email: ['must be an email you have verified'] });
  const isPrimary = address === '' || address.toLowerCase() === user.email.toLowerCase();
  await updateUser(tx, user.id, { notification_email: isPrimary ? null : address });
  await announceChange(tx);
}

const taken = () => invalidRecord({ email: ['has already been taken'] });

export function createEmails(db: Db, confirmations: Confirmations): Emails {
  return {
    add: async (user, given, confirmed, origin) => {
      const address = given.trim();
      check({ email: emailReasons(address) });
      try {
        return await transaction(db, async (tx) => {
          const own = address.toLowerCase() === user.email.toLowerCase();
          if (own || (await addressTaken(tx, address, user.id))) throw taken();
          await dropUnconfirmed(tx, address, user.id);
          const email = await insertEmail(tx, user.id, address, confirmed);
          if (!confirmed) await confirmations.askFurther(tx, user, email);
          await recordAudit(tx, {
            ...origin,
            entity: userEntity(user),
            event: 'email_created',
            details: { email: email.email, confirmed },
            target: { type: 'Email', id: email.id, details: email.email },
          });
          return email;
        });
      } catch (error) {
        throw isUniqueViolation(error, 'emails_email_key') ? taken() : error;
      }
    },
    remove: async (user, email, origin) => {
      await transaction(db, async (tx) => {
        if (!(await deleteEmail(tx, email))) throw notFound('Email');
        await recordAudit(tx, {
          ...origin,
          entity: userEntity(user),
          event: 'email_destroyed',
          details: { email: email.email },
          target: { type: 'Email', id: email.id, details: email.email },
        });
        await announceChange(tx);
      });
    },
  };
}
