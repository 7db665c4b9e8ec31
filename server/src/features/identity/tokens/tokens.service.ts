/** Issuing, rotating and revoking access tokens. */
import { type AuditOrigin, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { AccessToken, User } from '../../../kernel/db/rows.ts';
import { badRequest, forbidden, invalidParameters, unprocessable } from '../../../kernel/http/errors.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { createBot, type NewBot } from './bots.ts';
import { placeScopes, unavailableScopes } from './scopes.ts';
import { today } from './tokens.entity.ts';
import {
  botsWithoutTokens,
  deleteEndedTokens,
  entityOfToken,
  familyOf,
  findToken,
  findTokenBySecret,
  groupWantsEnd,
  insertToken,
  listTokens,
  lockToken,
  retireBots,
  revokeTokens,
} from './tokens.queries.ts';

export interface TokenDependencies {
  readonly db: Db;
  readonly settings: Settings;
  /** Makes this process forget cached callers at once; the others hear of it. */
  readonly forget: () => void;
  /** Whether impersonation is switched on. */
  readonly impersonationEnabled: boolean;
  /** Takes these bots' memberships away, in the transaction that ends their last token. */
  readonly botsRetired: (tx: Db, userIds: readonly number[]) => Promise<void>;
  /** Removes a bot; what it contributed moves to the ghost user. */
  readonly removeBot: (userId: number) => Promise<void>;
}

/** Where a bot's token belongs, and with which role. */
export interface TokenPlace {
  readonly kind: 'project' | 'group';
  readonly id: number;
  readonly accessLevel: number;
}

export interface IssueToken {
  readonly user: Pick<User, 'id' | 'admin'>;
  /** `personal` unless told; those of a place have `place`. */
  readonly kind?: 'personal' | 'impersonation';
  readonly place?: TokenPlace;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  /** An administrator makes it: its scopes may be those that act once its owner is an administrator as well. */
  readonly byAdministrator?: boolean;
  /** `YYYY-MM-DD`, the first day on which it no longer works; null for never. */
  readonly expiresAt: string | null;
  readonly createdById: number | null;
  /** A given secret instead of a random one, at the first start. */
  readonly secret?: string;
  readonly origin?: AuditOrigin;
}

export interface IssuedToken {
  readonly row: AccessToken;
  /** Shown now and never again. */
  readonly secret: string;
}

/** Whose token it is, as far as its end depends on it. */
type TokenHolder = Pick<User, 'id' | 'user_type'>;

export interface Rotation {
  readonly expiresAt?: string | undefined;
  readonly origin: AuditOrigin;
  /** Whose it is, where tokens of service accounts are rotated. */
  readonly of?: TokenHolder;
}

export interface Tokens {
  find(id: number): Promise<AccessToken | undefined>;
  /** The account behind the token of a project or group. */
  createBot(tx: Db, bot: NewBot): Promise<User>;
  /** Throws the API's 400 and 422. Joins the transaction that it is given. */
  issue(token: IssueToken, handle?: Db): Promise<IssuedToken>;
  /** The expiry of a token that somebody asks for: within the instance's limit. Throws the API's 422. */
  expiry(wanted: string | null | undefined, of?: TokenHolder): Promise<string | null>;
  /**
   * Ends the token and makes its successor. Of a token that was revoked before, the whole family ends instead: somebody
   * has an old copy. `changed` runs in the same transaction.
   */
  rotate(id: number, rotation: Rotation, changed?: (tx: Db, next: AccessToken) => Promise<void>): Promise<IssuedToken>;
  /** Revoking a token that is revoked changes nothing. */
  revoke(id: number, origin?: AuditOrigin): Promise<void>;
  /** A secret came back to be rotated: if it was revoked, what it was rotated into ends too. */
  reused(secret: string, origin: AuditOrigin): Promise<void>;
  /** The first tokens of a user, by id. */
  list(userId: number, limit: number): Promise<AccessToken[]>;
  /** Deactivates bots whose last token has expired; removes tokens of bots that ended long ago, and then the bots. */
  sweep(): Promise<void>;
}

/** `YYYY-MM-DD` a number of days from today. */
export const inDays = (days: number): string => today(new Date(Date.now() + days * 86_400_000));

/** The longest life of a token where the setting names none. */
const longestLifetimeDays = 365;
const rotatedLifetimeDays = 7;
const botsAtOnce = 1000;

const eventNames: Readonly<Record<AccessToken['kind'], string>> = {
  personal: 'personal_access_token',
  impersonation: 'impersonation_token',
  project: 'project_access_token',
  group: 'group_access_token',
};

async function record(
  tx: Db,
  what: 'created' | 'rotated' | 'revoked' | 'family_revoked',
  token: AccessToken,
  origin: AuditOrigin,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await recordAudit(tx, {
    ...origin,
    entity: await entityOfToken(tx, token),
    event: `${eventNames[token.kind]}_${what}`,
    details: { scopes: token.scopes, expires_at: token.expires_at, ...details },
    target: { type: 'PersonalAccessToken', id: token.id, details: token.name },
  });
}

export function createTokens(deps: TokenDependencies): Tokens {
  const { db, settings, forget } = deps;

  function checkScopes(token: IssueToken): void {
    const unavailable = token.place
      ? token.scopes.filter((scope) => !placeScopes.includes(scope))
      : unavailableScopes(token.scopes, token.user.admin || token.byAdministrator === true);
    if (unavailable.length > 0) throw invalidParameters(['scopes does not have a valid value']);
    if (token.scopes.length === 0) throw unprocessable("Scopes can't be blank");
  }

  async function newSecret(): Promise<string> {
    const values = await settings.read();
    // The name of all tokens of the instance comes before that of personal ones.
    const own = values.instance_token_prefix === '' ? values.personal_access_token_prefix : tokenPrefixes.personal;
    return newToken(instancePrefix(own, values));
  }

  /** Programs that run for years may be let off where people are not: by their group, those of the instance by it. */
  async function needsEnd(values: ApplicationSettings, of: TokenHolder | undefined): Promise<boolean> {
    if (of?.user_type === 'service_account')
      return (await groupWantsEnd(db, of.id)) ?? values.service_access_tokens_expiration_enforced;
    return values.require_personal_access_token_expiry || values.max_personal_access_token_lifetime !== null;
  }

  async function expiry(wanted: string | null | undefined, of?: TokenHolder): Promise<string | null> {
    const values = await settings.read();
    const latest = inDays(values.max_personal_access_token_lifetime ?? longestLifetimeDays);
    if (wanted === undefined || wanted === null) return (await needsEnd(values, of)) ? latest : null;
    if (wanted > latest) throw unprocessable(`Expiration date must be before ${latest}`);
    return wanted;
  }

  /** A week; the longest life where a token needs no end. */
  async function rotatedExpiry(of: TokenHolder | undefined): Promise<string> {
    const values = await settings.read();
    const short = of?.user_type !== 'service_account' || (await needsEnd(values, of));
    return inDays(short ? rotatedLifetimeDays : (values.max_personal_access_token_lifetime ?? longestLifetimeDays));
  }

  /** Revokes, and retires the bots that this leaves without a token. */
  async function end(tx: Db, ids: readonly number[], userId: number): Promise<number[]> {
    const ended = await revokeTokens(tx, ids);
    const retired = await retireBots(tx, [userId]);
    if (retired.length > 0) await deps.botsRetired(tx, retired);
    await announceChange(tx);
    return ended;
  }

  /** True when the token had been revoked before: then nothing of its family works any more. */
  async function endFamilyOfReused(tx: Db, token: AccessToken, origin: AuditOrigin): Promise<boolean> {
    if (token.revoked_at === null) return false;
    const ended = await end(tx, await familyOf(tx, token), token.user_id);
    if (ended.length > 0) await record(tx, 'family_revoked', token, origin, { revoked_ids: ended });
    return true;
  }

  return {
    find: (id) => findToken(db, id),
    createBot,
    expiry,
    issue: async (token, handle = db) => {
      if (token.kind === 'impersonation' && !deps.impersonationEnabled) throw badRequest('Impersonation is disabled');
      const kind = token.place?.kind ?? token.kind ?? 'personal';
      if (kind === 'personal' && (await settings.read()).disable_personal_access_tokens)
        throw forbidden('Personal access tokens are disabled');
      checkScopes(token);
      if (token.name.trim() === '') throw unprocessable("Name can't be blank");
      // Today is taken, as clients send it: the token is inactive at once. So are impersonation tokens with an earlier end.
      if (kind !== 'impersonation' && token.expiresAt !== null && token.expiresAt < today())
        throw unprocessable('Expiration date must be in the future');
      const secret = token.secret ?? (await newSecret());
      const { place } = token;
      const row = await transaction(handle, async (tx) => {
        const made = await insertToken(tx, {
          kind,
          project_id: place?.kind === 'project' ? place.id : null,
          namespace_id: place?.kind === 'group' ? place.id : null,
          access_level: place?.accessLevel ?? null,
          user_id: token.user.id,
          name: token.name,
          description: token.description ?? null,
          token_sha256: tokenHash(secret),
          scopes: [...new Set(token.scopes)],
          expires_at: token.expiresAt,
          created_by_id: token.createdById,
        });
        await record(tx, 'created', made, token.origin ?? systemOrigin);
        return made;
      });
      return { row, secret };
    },
    rotate: async (id, { expiresAt, origin, of }, changed) => {
      const expires = expiresAt === undefined ? await rotatedExpiry(of) : await expiry(expiresAt);
      if (expires !== null && expires <= today()) throw badRequest('Expiration date must be in the future');
      const secret = await newSecret();
      const row = await transaction(db, async (tx) => {
        const old = await lockToken(tx, id);
        if (!old || (await endFamilyOfReused(tx, old, origin))) return null;
        if (old.expires_at !== null && old.expires_at <= today()) throw badRequest('token already expired');
        const next = await insertToken(tx, {
          kind: old.kind,
          project_id: old.project_id,
          namespace_id: old.namespace_id,
          access_level: old.access_level,
          family_id: old.family_id ?? old.id,
          user_id: old.user_id,
          name: old.name,
          description: old.description,
          token_sha256: tokenHash(secret),
          scopes: old.scopes,
          expires_at: expires,
          created_by_id: origin.author?.id ?? null,
        });
        await end(tx, [old.id], old.user_id);
        await record(tx, 'rotated', next, origin, { previous_id: old.id });
        await changed?.(tx, next);
        return next;
      });
      forget();
      // After the transaction, so that the end of the family stays.
      if (!row) throw badRequest('token already revoked');
      return { row, secret };
    },
    revoke: async (id, origin = systemOrigin) => {
      await transaction(db, async (tx) => {
        const token = await lockToken(tx, id);
        if (!token || token.revoked_at !== null) return;
        await end(tx, [id], token.user_id);
        await record(tx, 'revoked', token, origin);
      });
      forget();
    },
    reused: async (secret, origin) => {
      const found = await findTokenBySecret(db, tokenHash(secret));
      if (!found || found.revoked_at === null) return;
      await transaction(db, async (tx) => void (await endFamilyOfReused(tx, found, origin)));
      forget();
    },
    list: (userId, limit) => listTokens(db, { kinds: ['personal'], user_id: userId }, undefined, { limit, offset: 0 }),
    sweep: async () => {
      await transaction(db, async (tx) => {
        const retired = await retireBots(tx, null);
        if (retired.length === 0) return;
        await deps.botsRetired(tx, retired);
        await announceChange(tx);
      });
      await deleteEndedTokens(db, (await settings.read()).inactive_resource_access_tokens_delete_after_days);
      for (const id of await botsWithoutTokens(db, botsAtOnce)) await deps.removeBot(id);
    },
  };
}
