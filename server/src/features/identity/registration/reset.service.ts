/**
 * New passwords by mail. A link goes to the stored primary address and nowhere else, works once and for two days, and
 * asking for one tells nobody whether an account exists.
 */

import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { type AuditOrigin, recordAudit, strangerAt } from '../../../kernel/audit/index.ts';
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { isMailAddress, type Mail } from '../../../kernel/mail/index.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { type Secrets, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { letters } from '../mails/index.ts';
import type { Passwords } from '../passwords/index.ts';
import {
  check,
  findUser,
  lockUser,
  passwordReasons,
  setResetToken,
  updatePassword,
  updateUser,
  userEntity,
} from '../users/index.ts';
import { findByResetToken, findForReset } from './registration.queries.ts';

export interface ResetDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly externalUrl: string;
  /** The user whose password has expired and is this one; null for everybody else. */
  readonly checkPassword: (
    login: string,
    password: string,
    clientAddress: string,
  ) => Promise<{ readonly id: number } | null>;
  readonly endSessions: (tx: Db, userId: number) => Promise<void>;
  readonly forget: () => void;
}

export interface PasswordReset {
  /** Asks for a link. The same work and the same answer for every address. Throws 422 where no mail can be sent. */
  request(address: string, clientAddress: string): Promise<void>;
  /** A link for somebody, asked for by an administrator. Throws 403 for those who cannot use it, 404 and 422. */
  send(userId: number, origin: AuditOrigin): Promise<void>;
  /** Sets the password of whoever the link belongs to; ends their sessions. Throws the API's 400. */
  complete(token: string, password: string, clientAddress: string): Promise<void>;
  /** For those who must change their password before they can sign in. Throws the API's 400 and 401. */
  replace(login: string, password: string, newPassword: string, clientAddress: string): Promise<void>;
  /** For somebody who is signed in and gave their password again. Ends every session. Throws the API's 400. */
  change(user: User, newPassword: string, clientAddress: string): Promise<void>;
  readonly tasks: readonly Task[];
}

const hours = 48;
/** Whoever asks again sooner gets no second message. */
const quietSeconds = 60;
const purpose = 'password reset';
const LinkRequest = Type.Object({ sealed: Type.String(), asked_from: Type.Optional(Type.String()) });

export function createPasswordReset(deps: ResetDependencies): PasswordReset {
  const { db, settings, passwords, mail, secrets, externalUrl } = deps;

  async function sendLink(tx: Db, user: User, origin: AuditOrigin): Promise<void> {
    const token = randomBytes(32).toString('base64url');
    await setResetToken(tx, user.id, tokenHash(token));
    await mail.send(tx, letters.resetPassword(user, token, externalUrl));
    const event = { entity: userEntity(user), event: 'user_password_reset_requested', details: {} };
    await recordAudit(tx, { ...origin, ...event });
  }

  const task = defineTask('passwords.send_link', LinkRequest, async ({ sealed, asked_from }) => {
    const address = secrets.open(Buffer.from(sealed, 'base64'), purpose);
    await transaction(db, async (tx) => {
      const user = await findForReset(tx, address, quietSeconds);
      if (user) await sendLink(tx, user, strangerAt(asked_from ?? null));
    });
  });

  /** Runs `allowed` on the locked row, so that a link that is used twice at once works once. */
  async function set(
    userId: number,
    password: string,
    clientAddress: string,
    allowed: (user: NonNullable<Awaited<ReturnType<typeof lockUser>>>) => boolean,
    byMail: boolean,
  ): Promise<boolean> {
    const passwordHash = await passwords.hash(password);
    const done = await transaction(db, async (tx) => {
      const user = await lockUser(tx, userId);
      if (!user || !allowed(user)) return false;
      await updatePassword(tx, user.id, passwordHash);
      // The link came by the primary address: whoever used it reads what is sent there.
      if (byMail && !user.confirmed_at) await updateUser(tx, user.id, { confirmed_at: new Date() });
      await deps.endSessions(tx, user.id);
      await mail.send(tx, letters.passwordChanged(user, false));
      await recordAudit(tx, {
        author: { id: user.id, name: user.name, email: user.email },
        address: clientAddress,
        entity: userEntity(user),
        event: 'user_password_updated',
        details: { by: byMail ? 'link' : 'password' },
      });
      await announceChange(tx);
      return true;
    });
    if (done) deps.forget();
    return done;
  }

  const invalidLink = () => invalidRecord({ reset_password_token: ['is invalid'] });

  return {
    send: async (userId, origin) => {
      if (!mail.configured) throw plainError(422, 'No mail server is configured. Set a password instead.');
      await transaction(db, async (tx) => {
        const user = await lockUser(tx, userId);
        if (!user) throw notFound('User');
        if (user.user_type !== 'human' || isBlocked(user)) throw forbidden('only active people choose passwords');
        await sendLink(tx, user, origin);
      });
    },
    request: async (address, clientAddress) => {
      if (!mail.configured)
        throw plainError(422, 'No mail server is configured. Ask an administrator for a new password.');
      if (!isMailAddress(address.trim())) throw invalidRecord({ email: ['is invalid'] });
      await addJob(db, task, {
        sealed: secrets.seal(address.trim(), purpose).toString('base64'),
        asked_from: clientAddress,
      });
    },
    complete: async (token, password, clientAddress) => {
      const hash = tokenHash(token);
      const user = await findByResetToken(db, hash, hours);
      if (!user) throw invalidLink();
      check({ password: passwordReasons(password, user, await settings.read()) });
      const mine = (row: { reset_password_token_sha256: Buffer | null }) =>
        row.reset_password_token_sha256?.equals(hash) ?? false;
      if (!(await set(user.id, password, clientAddress, mine, true))) throw invalidLink();
    },
    replace: async (login, password, newPassword, clientAddress) => {
      const found = await deps.checkPassword(login, password, clientAddress);
      const user = found && (await findUser(db, found.id));
      if (!user) throw plainError(401, 'Invalid login or password.');
      const same = newPassword === password ? ['must be different from the current one'] : [];
      check({ password: [...same, ...passwordReasons(newPassword, user, await settings.read())] });
      const still = (row: { password_hash: string | null }) => row.password_hash === user.password_hash;
      if (!(await set(user.id, newPassword, clientAddress, still, false)))
        throw plainError(401, 'Invalid login or password.');
    },
    change: async (user, newPassword, clientAddress) => {
      check({ password: passwordReasons(newPassword, user, await settings.read()) });
      const still = (row: { password_hash: string | null }) => row.password_hash === user.password_hash;
      if (!(await set(user.id, newPassword, clientAddress, still, false)))
        throw invalidRecord({ current_password: ['is invalid'] });
    },
    tasks: [task],
  };
}
