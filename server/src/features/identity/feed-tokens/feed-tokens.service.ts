/** Tokens with which feed readers read the feeds of a person, and nothing else. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, newToken, type Secrets, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { userEntity } from '../users/index.ts';
import { findByFeedToken, saveFeedToken, sealedFeedToken } from './feed-tokens.queries.ts';

export interface FeedTokenDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}

export interface FeedTokens {
  /** The present token; null when there is none yet. Throws 403 where the setting hides them. */
  show(userId: number): Promise<string | null>;
  /** A new one; the one before works no more. */
  reset(user: User, origin: AuditOrigin): Promise<string>;
  /** Who reads a feed; null for an unknown token. The caller has no right but to see what the person sees. */
  caller(token: string): Promise<Caller | null>;
}

const purpose = 'feed token';

export function createFeedTokens({ db, settings, secrets }: FeedTokenDependencies): FeedTokens {
  const hidden = async () => (await settings.read()).disable_feed_token;
  const requireShown = async () => {
    if (await hidden()) throw forbidden('Feed tokens are disabled');
  };
  return {
    show: async (userId) => {
      await requireShown();
      const sealed = await sealedFeedToken(db, userId);
      return sealed && secrets.open(sealed, purpose);
    },
    reset: async (user, origin) => {
      await requireShown();
      const token = newToken(instancePrefix(tokenPrefixes.feed, await settings.read()));
      await transaction(db, async (tx) => {
        await saveFeedToken(tx, user.id, tokenHash(token), secrets.seal(token, purpose));
        await recordAudit(tx, { ...origin, entity: userEntity(user), event: 'user_feed_token_reset', details: {} });
      });
      return token;
    },
    caller: async (token) => {
      if (await hidden()) return null;
      const user = await findByFeedToken(db, tokenHash(token));
      return user ? { user, credential: { kind: 'none' }, scopes: new Set<string>(), admin: false } : null;
    },
  };
}
