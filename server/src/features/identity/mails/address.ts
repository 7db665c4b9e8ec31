/** Where mail to somebody goes. */
import type { User } from '../../../kernel/db/rows.ts';
import { isMailAddress } from '../../../kernel/mail/index.ts';

/** The address for notifications; null for programs and for those who never confirmed theirs. */
export function mailAddressOf(user: User): string | null {
  const address = user.notification_email || user.email;
  return user.user_type === 'human' && user.confirmed_at && address && isMailAddress(address) ? address : null;
}
