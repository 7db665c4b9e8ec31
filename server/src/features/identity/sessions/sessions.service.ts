/** Signing in and out of the pages: the check of a password with its limits, and the session it opens. */

import { randomBytes } from 'node:crypto';
import { type AuditOrigin, recordAudit, strangerAt } from '../../../kernel/audit/index.ts';
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { recordFact, userSignInRefused } from '../../../kernel/events/index.ts';
import { currentRequest } from '../../../kernel/http/current-request.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { letters } from '../mails/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { findUserByLogin, userEntity } from '../users/index.ts';
import { countedAttempt } from './attempts.ts';
import {
  acceptTerms,
  deleteSession,
  insertSession,
  knownAddress,
  recordSignIn,
  setActingAs,
  setAdminMode,
} from './sessions.queries.ts';

const minute = 60;
const day = 86_400;
/** Sessions that the user asked to remember last at least this long without use. */
const rememberedSeconds = 14 * day;

/** Seconds that sessions live without being used. */
export async function sessionLifetimes(settings: Settings): Promise<{ usual: number; remembered: number }> {
  const usual = (await settings.read()).session_expire_delay * minute;
  return { usual, remembered: Math.max(usual, rememberedSeconds) };
}

export interface SignIn {
  readonly login: string;
  readonly password: string;
  readonly remember: boolean;
  readonly ipAddress: string;
  readonly userAgent: string | null;
  /** The terms of the instance, where it has some, are accepted with this. */
  readonly acceptTerms: boolean;
}

/** Why somebody whose password is right does not get in. */
export type Refusal = 'inactive' | 'waits' | 'unconfirmed' | 'password_expired' | 'terms';

export type SignedIn =
  | { readonly outcome: 'signed-in'; readonly user: User; readonly token: string }
  /** The password was right; a second factor is missing. */
  | { readonly outcome: 'second-factor'; readonly user: User }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: Refusal };

/** A session to open for somebody who proved everything. */
export type Opening = Omit<SignIn, 'login' | 'password' | 'acceptTerms'>;

/** The session of a request, whose it is, and who asks. */
export interface OpenSession {
  readonly id: number;
  readonly user: Pick<User, 'id' | 'username'>;
  readonly origin: AuditOrigin;
}

/** Hours that an administrator keeps the rights for which they proved themselves again. */
const adminHours = 6;

export interface Sessions {
  signIn(request: SignIn): Promise<SignedIn>;
  /** Opens a session; every factor has been proved. */
  open(user: User, request: Opening): Promise<{ user: User; token: string }>;
  signOut(session: OpenSession): Promise<void>;
  /** Whether this is the password of somebody who is signed in already; a wrong one counts as a failed sign-in. */
  passwordIsRight(user: User, password: string, address?: string): Promise<boolean>;
  /**
   * The user whose name or address and password these are; null when wrong or locked, for whoever would not get in on
   * the page, and for everybody who has a second factor: a password alone does not let them in.
   */
  checkOnlyPassword(login: string, password: string, address?: string): Promise<User | null>;
  /** The user whose password has expired and is this one; null for everybody else. */
  checkExpiredPassword(login: string, password: string, address?: string): Promise<User | null>;
  /** Gives the session an administrator's rights for some hours. */
  enterAdminMode(session: OpenSession): Promise<void>;
  leaveAdminMode(session: OpenSession): Promise<void>;
  /** Lets the session of an administrator stand for somebody else. */
  actAs(session: OpenSession, user: User): Promise<void>;
  /** Lets it stand for the administrator again. */
  stopActing(session: OpenSession, user: User): Promise<void>;
}

const unconfirmedDays = 3;

/** Whether the user's address must be confirmed before they get in. */
function needsConfirmation(user: User, setting: ApplicationSettings['email_confirmation_setting']): boolean {
  if (user.confirmed_at !== null || setting === 'off') return false;
  return setting === 'hard' || user.created_at.getTime() < Date.now() - unconfirmedDays * day * 1000;
}

/** Why somebody with the right password does not get in; null when they do. Who was away comes back by signing in. */
function refusalFor(user: User, acceptsTerms: boolean, settings: ApplicationSettings): Refusal | null {
  if (user.state === 'blocked_pending_approval') return 'waits';
  if (isBlocked(user)) return 'inactive';
  if (needsConfirmation(user, settings.email_confirmation_setting)) return 'unconfirmed';
  if (user.password_expired) return 'password_expired';
  return settings.enforce_terms && user.accepted_terms_at === null && !acceptsTerms ? 'terms' : null;
}

export interface SessionDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly mail: Pick<Mail, 'send'>;
  /** Makes a deactivated user active again. */
  readonly reactivate: (user: User, ipAddress: string) => Promise<void>;
  readonly forget: () => void;
}

export function createSessions(deps: SessionDependencies): Sessions {
  const { db, settings, passwords, mail, forget } = deps;

  /** Counts the attempt before it looks; `clears` where a right password is all that is asked. */
  const verified = (user: User, password: string, clears: boolean, address: string | null): Promise<boolean> =>
    countedAttempt(db, settings, { user, factor: 'password', address, clears }, (allowed) =>
      passwords.verify(allowed ? user.password_hash : null, password),
    );
  const check = async (login: string, password: string, alone: boolean, address: string | null) => {
    const user = await findUserByLogin(db, login.trim());
    const usable = user?.user_type === 'human' && user.password_hash !== null && !(alone && user.two_factor_enabled);
    if (!usable) {
      await passwords.verify(null, password);
      return null;
    }
    return (await verified(user, password, !user.two_factor_enabled, address)) ? user : null;
  };
  const open: Sessions['open'] = async (user, { remember, ipAddress, userAgent }) => {
    if (user.state === 'deactivated') await deps.reactivate(user, ipAddress);
    const token = randomBytes(32).toString('base64url');
    const { usual, remembered } = await sessionLifetimes(settings);
    const { notify_on_unknown_sign_in } = await settings.read();
    return await transaction(db, async (tx) => {
      const known = user.sign_in_count === 0 || (await knownAddress(tx, user, ipAddress));
      await insertSession(tx, {
        userId: user.id,
        tokenSha256: tokenHash(token),
        remember,
        ipAddress,
        userAgent: userAgent?.slice(0, 500) ?? null,
        lifetimeSeconds: remember ? remembered : usual,
      });
      const sign = { address: ipAddress, agent: userAgent, at: new Date() };
      if (!known && notify_on_unknown_sign_in) await mail.send(tx, letters.unknownSignIn(user, sign));
      await recordAudit(tx, {
        author: { id: user.id, name: user.name, email: user.email },
        address: ipAddress,
        entity: userEntity(user),
        event: 'user_signed_in',
        details: { two_factor: user.two_factor_enabled, remember, user_agent: userAgent?.slice(0, 500) ?? null },
      });
      return { user: await recordSignIn(tx, user.id, ipAddress), token };
    });
  };
  const accept = (user: User, address: string) =>
    transaction(db, async (tx) => {
      if (!(await acceptTerms(tx, user.id))) return;
      const author = { id: user.id, name: user.name, email: user.email };
      const event = { entity: userEntity(user), event: 'user_terms_accepted', details: {} };
      await recordAudit(tx, { author, address, ...event });
      await announceChange(tx);
    });
  /** A change of a session together with its event. */
  const changed = async (
    session: OpenSession,
    event: string,
    work: (tx: Db) => Promise<void>,
    about: Pick<User, 'id' | 'username'> = session.user,
  ) => {
    await transaction(db, async (tx) => {
      await work(tx);
      await recordAudit(tx, { ...session.origin, entity: userEntity(about), event, details: {} });
      await announceChange(tx);
    });
    forget();
  };
  const refused = async (user: User, reason: Refusal, address: string) => {
    const event = { entity: userEntity(user), event: 'user_sign_in_refused', details: { reason } };
    await transaction(db, async (tx) => {
      await recordAudit(tx, { ...strangerAt(address), ...event });
      await recordFact(tx, userSignInRefused, { user_id: user.id, reason });
    });
    return { outcome: reason } as const;
  };

  return {
    passwordIsRight: (user, password, address) =>
      verified(user, password, true, address ?? currentRequest()?.clientAddress ?? null),
    checkOnlyPassword: async (login, password, address) => {
      const user = await check(login, password, true, address ?? null);
      if (user?.state !== 'active') return null;
      return refusalFor(user, false, await settings.read()) === null ? user : null;
    },
    checkExpiredPassword: async (login, password, address) => {
      const user = await check(login, password, false, address ?? null);
      if (!user?.password_expired) return null;
      return refusalFor(user, true, await settings.read()) === 'password_expired' ? user : null;
    },
    open,
    enterAdminMode: (session) =>
      changed(session, 'admin_mode_entered', (tx) => setAdminMode(tx, session.id, adminHours)),
    leaveAdminMode: (session) => changed(session, 'admin_mode_left', (tx) => setAdminMode(tx, session.id, null)),
    actAs: (session, user) =>
      changed(session, 'user_impersonation_started', (tx) => setActingAs(tx, session.id, user.id), user),
    stopActing: (session, user) =>
      changed(session, 'user_impersonation_stopped', (tx) => setActingAs(tx, session.id, null), user),
    signIn: async (request) => {
      const user = await check(request.login, request.password, false, request.ipAddress);
      if (!user) return { outcome: 'wrong' };
      const values = await settings.read();
      const refusal = refusalFor(user, request.acceptTerms, values);
      if (refusal) return await refused(user, refusal, request.ipAddress);
      if (values.enforce_terms && request.acceptTerms) await accept(user, request.ipAddress);
      if (user.two_factor_enabled) return { outcome: 'second-factor', user };
      return { outcome: 'signed-in', ...(await open(user, request)) };
    },
    signOut: (session) => changed(session, 'user_signed_out', (tx) => deleteSession(tx, session.id)),
  };
}
