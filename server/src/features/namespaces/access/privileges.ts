/**
 * The ceiling of privileges: nobody gets a token, a key or anything else that acts as somebody who may do more than they
 * may. One rule for tokens of bots and service accounts, for deploy keys, and for whatever acts in another's name next.
 */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { findProjectSubject } from './parents.queries.ts';
import { hasRoleAbove } from './privileges.queries.ts';

type Account = Pick<User, 'id' | 'admin' | 'auditor' | 'external'>;

/** Whether the account is more than the caller by itself, whatever its roles. */
const isMore = (account: Account, { user }: Caller): boolean =>
  account.admin || (account.auditor && user?.auditor !== true);

/** Whether the account has a role anywhere that is above the caller's there. What acts as it must not be the caller's. */
export async function outranks(db: Db, account: Account, caller: Caller): Promise<boolean> {
  if (caller.admin || caller.user?.id === account.id) return false;
  if (caller.user === null || isMore(account, caller)) return true;
  // Outsiders see nothing that is internal.
  if (caller.user.external && !account.external) return true;
  return await hasRoleAbove(db, { of: account.id, above: caller.user.id });
}

/** The same for what acts in one project only. */
export async function outranksOn(db: Db, projectId: number, account: Account, caller: Caller): Promise<boolean> {
  if (caller.admin || caller.user?.id === account.id) return false;
  if (caller.user === null || isMore(account, caller)) return true;
  const levelOf = async (userId: number) => (await findProjectSubject(db, String(projectId), userId))?.level ?? 0;
  return (await levelOf(account.id)) > (await levelOf(caller.user.id));
}
