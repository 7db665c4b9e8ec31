/** Who is shut out. */
import type { User } from '../db/rows.ts';

/** Whether an account may not be used: blocked, banned, or not approved yet. Who was away for long only has to sign in. */
export const isBlocked = ({ state }: Pick<User, 'state'>): boolean => state !== 'active' && state !== 'deactivated';
