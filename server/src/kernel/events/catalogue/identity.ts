/** Facts about users and their keys. */
import Type from 'typebox';
import { defineFact, defineFacts, instant, payload } from '../fact.ts';

export const userCreated = defineFact('user.created', payload({ user_id: Type.Integer() }));
export const userRenamed = defineFact(
  'user.renamed',
  payload({ user_id: Type.Integer(), old_username: Type.String() }),
);
export const userSignInRefused = defineFact(
  'user.sign_in_refused',
  payload({ user_id: Type.Integer(), reason: Type.String() }),
);
/** Access was taken from the account: blocked, banned, or it waits for its removal. */
export const userBlocked = defineFact('user.blocked', payload({ user_id: Type.Integer() }));
/** With what the user was: nobody can look it up any more. */
export const userDeleted = defineFact(
  'user.deleted',
  payload({
    user_id: Type.Integer(),
    username: Type.String(),
    name: Type.String(),
    email: Type.String(),
    created_at: instant,
    updated_at: instant,
  }),
);
export const sshKeyFacts = defineFacts(
  'ssh_key',
  ['created', 'destroyed'],
  payload({ id: Type.Integer(), key: Type.String(), username: Type.String(), created_at: instant }),
);

/** An access token of a project or group expires within so many days. */
export const accessTokenExpiring = defineFact(
  'access_token.expiring',
  payload({
    token_id: Type.Integer(),
    user_id: Type.Integer(),
    name: Type.String(),
    created_at: instant,
    /** `YYYY-MM-DD`. */
    expires_at: Type.String(),
    days: Type.Integer(),
  }),
);

export const identityFacts = [
  userCreated,
  userRenamed,
  userSignInRefused,
  userBlocked,
  userDeleted,
  ...Object.values(sshKeyFacts),
  accessTokenExpiring,
] as const;
