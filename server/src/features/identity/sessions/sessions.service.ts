/** Signing in and out of the pages: the check of a password with its limits, and the session it opens. */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { findUserByLogin } from '../users/index.ts';
import {
  clearAttempts,
  deleteSession,
  insertSession,
  recordSignIn,
  reserveAttempt,
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
}

export type SignedIn =
  | { readonly outcome: 'signed-in'; readonly user: User; readonly token: string }
  /** The password was right; a second factor is missing. */
  | { readonly outcome: 'second-factor'; readonly user: User }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'inactive' };

/** A session to open for somebody who proved everything. */
export type Opening = Omit<SignIn, 'login' | 'password'>;

/** Hours that an administrator keeps the rights for which they proved themselves again. */
const adminHours = 6;

export interface Sessions {
  signIn(request: SignIn): Promise<SignedIn>;
  /** Opens a session; every factor has been proved. */
  open(user: User, request: Opening): Promise<{ user: User; token: string }>;
  signOut(sessionId: number): Promise<void>;
  /** Whether this is the password of somebody who is signed in already; a wrong one counts as a failed sign-in. */
  passwordIsRight(user: User, password: string): Promise<boolean>;
  /**
   * The user whose name or address and password these are, whatever their state; null when wrong or locked, and for
   * everybody who has a second factor: a password alone does not let them in.
   */
  checkOnlyPassword(login: string, password: string): Promise<User | null>;
  /** Gives the session an administrator's rights for some hours. */
  enterAdminMode(sessionId: number): Promise<void>;
  leaveAdminMode(sessionId: number): Promise<void>;
}

export interface SessionDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly forget: () => void;
}

export function createSessions({ db, settings, passwords, forget }: SessionDependencies): Sessions {
  /** Counts the attempt before it looks; `clears` where a right password is all that is asked. */
  const verified = async (user: User, password: string, clears: boolean): Promise<boolean> => {
    const { max_login_attempts, failed_login_attempts_unlock_period_in_minutes } = await settings.read();
    const allowed = await reserveAttempt(
      db,
      user.id,
      max_login_attempts,
      failed_login_attempts_unlock_period_in_minutes,
    );
    const right = await passwords.verify(allowed ? user.password_hash : null, password);
    if (right && clears) await clearAttempts(db, user.id);
    return right;
  };
  const check = async (login: string, password: string, alone: boolean) => {
    const user = await findUserByLogin(db, login.trim());
    const usable = user?.user_type === 'human' && user.password_hash !== null && !(alone && user.two_factor_enabled);
    if (!usable) {
      await passwords.verify(null, password);
      return null;
    }
    return (await verified(user, password, !user.two_factor_enabled)) ? user : null;
  };
  const open: Sessions['open'] = async (user, { remember, ipAddress, userAgent }) => {
    const token = randomBytes(32).toString('base64url');
    const { usual, remembered } = await sessionLifetimes(settings);
    await insertSession(db, {
      userId: user.id,
      tokenSha256: tokenHash(token),
      remember,
      ipAddress,
      userAgent: userAgent?.slice(0, 500) ?? null,
      lifetimeSeconds: remember ? remembered : usual,
    });
    return { user: await recordSignIn(db, user.id), token };
  };
  const adminMode = async (sessionId: number, hours: number | null) => {
    await setAdminMode(db, sessionId, hours);
    forget();
  };

  return {
    passwordIsRight: (user, password) => verified(user, password, true),
    checkOnlyPassword: (login, password) => check(login, password, true),
    open,
    enterAdminMode: (sessionId) => adminMode(sessionId, adminHours),
    leaveAdminMode: (sessionId) => adminMode(sessionId, null),
    signIn: async (request) => {
      const user = await check(request.login, request.password, false);
      if (!user) return { outcome: 'wrong' };
      if (user.state !== 'active') return { outcome: 'inactive' };
      if (user.two_factor_enabled) return { outcome: 'second-factor', user };
      return { outcome: 'signed-in', ...(await open(user, request)) };
    },
    signOut: async (sessionId) => {
      await deleteSession(db, sessionId);
      forget();
    },
  };
}
