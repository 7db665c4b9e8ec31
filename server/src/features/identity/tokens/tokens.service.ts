/** Issuing and revoking access tokens. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { AccessToken, User } from '../../../kernel/db/rows.ts';
import { invalidParameters, unprocessable } from '../../../kernel/http/errors.ts';
import { newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { unavailableScopes } from './scopes.ts';
import { today } from './tokens.entity.ts';
import { insertToken, listTokens, revokeToken } from './tokens.queries.ts';

export interface TokenDependencies {
  readonly db: Db;
  readonly settings: Settings;
  /** Makes this process forget cached callers at once; the others hear of it. */
  readonly forget: () => void;
}

export interface IssueToken {
  readonly user: Pick<User, 'id' | 'admin'>;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  /** `YYYY-MM-DD`, the first day on which it no longer works; null for never. */
  readonly expiresAt: string | null;
  readonly createdById: number | null;
  /** A given secret instead of a random one, at the first start. */
  readonly secret?: string;
}

export interface IssuedToken {
  readonly row: AccessToken;
  /** Shown now and never again. */
  readonly secret: string;
}

export interface Tokens {
  /** Throws the API's 400 and 422. */
  issue(token: IssueToken): Promise<IssuedToken>;
  /** Revoking a token that is revoked changes nothing. */
  revoke(id: number): Promise<void>;
  /** The first tokens of a user, by id. */
  list(userId: number, limit: number): Promise<AccessToken[]>;
}

/** `YYYY-MM-DD` a number of days from today. */
export const inDays = (days: number): string => today(new Date(Date.now() + days * 86_400_000));

export function createTokens({ db, settings, forget }: TokenDependencies): Tokens {
  return {
    issue: async (token) => {
      const unavailable = unavailableScopes(token.scopes, token.user.admin);
      if (unavailable.length > 0) throw invalidParameters(['scopes does not have a valid value']);
      if (token.scopes.length === 0) throw unprocessable("Scopes can't be blank");
      if (token.name.trim() === '') throw unprocessable("Name can't be blank");
      if (token.expiresAt !== null && token.expiresAt <= today())
        throw unprocessable('Expiration date must be in the future');
      const secret = token.secret ?? newToken((await settings.read()).personal_access_token_prefix);
      const row = await insertToken(db, {
        kind: 'personal',
        user_id: token.user.id,
        name: token.name,
        description: token.description ?? null,
        token_sha256: tokenHash(secret),
        scopes: [...new Set(token.scopes)],
        expires_at: token.expiresAt,
        created_by_id: token.createdById,
      });
      return { row, secret };
    },
    list: (userId, limit) => listTokens(db, { user_id: userId }, undefined, { limit, offset: 0 }),
    revoke: async (id) => {
      await transaction(db, async (tx) => {
        await revokeToken(tx, id);
        await announceChange(tx);
      });
      forget();
    },
  };
}
