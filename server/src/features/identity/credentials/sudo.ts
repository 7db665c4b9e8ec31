/** Acting as somebody else: who may, as whom, and the record of it. */
import { originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, CallerUser } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ActAsRequest } from '../../../kernel/http/credentials.ts';
import { forbidden, insufficientScope, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { findUser, findUserByUsername } from '../users/index.ts';
import type { Administers } from './resolver.ts';

const scope = 'sudo';
/** A second look within this time is the same visit; every change is recorded. */
const visitMilliseconds = 60_000;
const mostVisits = 1000;

/** What people are told whose account may not be used. */
export const accountRefusals: Readonly<Record<Exclude<CallerUser['state'], 'active'>, string>> = {
  blocked: 'Your account has been blocked.',
  banned: 'Your account has been banned.',
  deactivated: 'Your account has been deactivated.',
  blocked_pending_approval: 'Your account is pending approval from your administrator and hence blocked.',
};

/** Digits are an id; everything else, and digits that are nobody's id, is a username in any case. */
async function find(db: Db, wanted: string): Promise<CallerUser | undefined> {
  const byId = /^\d{1,15}$/.test(wanted) ? await findUser(db, Number(wanted)) : undefined;
  // PostgreSQL takes no NUL in a text, and no name has one.
  return byId ?? (wanted.includes('\0') ? undefined : await findUserByUsername(db, wanted));
}

export function createSudo(db: Db, administers: Administers, now: () => number = () => performance.now()) {
  let visits = new Map<string, number>();

  function isNewVisit(key: string): boolean {
    const before = visits.get(key);
    if (before !== undefined && now() - before < visitMilliseconds) return false;
    if (visits.size >= mostVisits) visits = new Map();
    visits.set(key, now());
    return true;
  }

  return async (caller: Caller, wanted: string, request: ActAsRequest): Promise<Caller> => {
    if (caller.user === null) throw unauthorized();
    if (!caller.admin) throw forbidden('Must be admin to use sudo');
    const { credential } = caller;
    if (credential.kind !== 'token' && credential.kind !== 'oauth')
      throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo');
    const { scopes } = caller;
    if (!scopes?.has(scope)) throw insufficientScope([scope]);
    // `sudo` changes whose permissions apply; it does not widen what the token may do.
    if (!request.scopes.some((accepted) => scopes.has(accepted))) throw insufficientScope(request.scopes);
    const user = await find(db, wanted);
    if (!user) throw plainError(404, `404 User with ID or username ${wanted} Not Found`);
    if (user.state !== 'active') throw forbidden(accountRefusals[user.state]);
    const { method, path, clientAddress } = request;
    if (method !== 'GET' || isNewVisit(`${credential.kind}:${credential.tokenId}:${user.id}`))
      await recordAudit(db, {
        ...originOf({ caller, clientAddress }),
        entity: { type: 'User', id: user.id, path: user.username },
        event: 'user_impersonated_with_sudo',
        details: { method, path, [credential.kind === 'token' ? 'token_id' : 'oauth_token_id']: credential.tokenId },
      });
    const admin = await administers(user, scopes.has('admin_mode'));
    return { user, credential, scopes, admin, impersonator: caller.user };
  };
}
