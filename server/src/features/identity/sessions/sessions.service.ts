/** Signing in and out of the pages: the check of a password with its limits, and the session it opens. */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { findUserByLogin } from '../users/index.ts';
import { clearAttempts, deleteSession, insertSession, recordSignIn, reserveAttempt } from './sessions.queries.ts';

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
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'inactive' };

export interface Sessions {
  signIn(request: SignIn): Promise<SignedIn>;
  signOut(sessionId: number): Promise<void>;
  /** The user whose name or address and password these are, whatever their state; null when wrong or locked. */
  checkPassword(login: string, password: string): Promise<User | null>;
}

export interface SessionDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly forget: () => void;
}

export function createSessions({ db, settings, passwords, forget }: SessionDependencies): Sessions {
  const checkPassword = async (login: string, password: string) => {
    const user = await findUserByLogin(db, login.trim());
    const hash = user?.user_type === 'human' ? user.password_hash : null;
    if (!user || hash === null) {
      await passwords.verify(null, password);
      return null;
    }
    const { max_login_attempts, failed_login_attempts_unlock_period_in_minutes } = await settings.read();
    const allowed = await reserveAttempt(
      db,
      user.id,
      max_login_attempts,
      failed_login_attempts_unlock_period_in_minutes,
    );
    const right = await passwords.verify(allowed ? hash : null, password);
    if (!right) return null;
    await clearAttempts(db, user.id);
    return user;
  };

  return {
    checkPassword,
    signIn: async (request) => {
      const user = await checkPassword(request.login, request.password);
      if (!user) return { outcome: 'wrong' };
      if (user.state !== 'active') return { outcome: 'inactive' };
      const token = randomBytes(32).toString('base64url');
      const { usual, remembered } = await sessionLifetimes(settings);
      await insertSession(db, {
        userId: user.id,
        tokenSha256: tokenHash(token),
        remember: request.remember,
        ipAddress: request.ipAddress,
        userAgent: request.userAgent?.slice(0, 500) ?? null,
        lifetimeSeconds: request.remember ? remembered : usual,
      });
      return { outcome: 'signed-in', user: await recordSignIn(db, user.id), token };
    },
    signOut: async (sessionId) => {
      await deleteSession(db, sessionId);
      forget();
    },
  };
}
