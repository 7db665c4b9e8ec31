/** Attempts at a password or a second factor: counted before they are looked at, recorded when they fail. */
import { recordAudit, strangerAt } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { userEntity } from '../users/index.ts';
import { clearAttempts, reserveAttempt } from './sessions.queries.ts';

export interface CountedAttempt {
  readonly user: Pick<User, 'id' | 'username'>;
  readonly factor: 'password' | 'second_factor';
  readonly address: string | null;
  /** Whether a right one sets the count back. */
  readonly clears: boolean;
}

/**
 * Runs `check`, which is told whether the account may be tried at all. While the account is locked nothing is recorded:
 * whoever floods it must not fill the log.
 */
export async function countedAttempt(
  db: Db,
  settings: Settings,
  { user, factor, address, clears }: CountedAttempt,
  check: (allowed: boolean) => Promise<boolean>,
): Promise<boolean> {
  const { max_login_attempts, failed_login_attempts_unlock_period_in_minutes } = await settings.read();
  const minutes = failed_login_attempts_unlock_period_in_minutes;
  const attempt = await reserveAttempt(db, user.id, max_login_attempts, minutes);
  if ((await check(attempt !== 'refused')) && attempt !== 'refused') {
    if (clears) await clearAttempts(db, user.id);
    return true;
  }
  if (attempt === 'refused') return false;
  const about = { ...strangerAt(address), entity: userEntity(user) };
  await transaction(db, async (tx) => {
    await recordAudit(tx, { ...about, event: 'user_sign_in_failed', details: { factor } });
    if (attempt === 'last') await recordAudit(tx, { ...about, event: 'user_locked', details: { minutes } });
  });
  return false;
}
