/** Access tokens of projects and groups: each has a bot that is a member with the token's role. */
import { randomBytes } from 'node:crypto';
import type { AuditOrigin } from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import { badRequest, HttpError, invalidParameters, methodNotAllowed } from '../../../kernel/http/errors.ts';
import { findUser, type IssuedToken } from '../../identity/index.ts';
import { outranks } from '../access/privileges.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { insertMember } from '../members/members.queries.ts';
import { type MemberSubject, placeOf } from '../members/rules.ts';
import { botLevels, extendGrant } from './access-tokens.queries.ts';

export interface NewResourceToken {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  readonly accessLevel: number;
  readonly expiresAt: string | null | undefined;
}

const notEligible = 'Not eligible to rotate token with access level higher than the user';

/** Roles that a bot can have. */
const botLevelsAllowed: readonly number[] = [10, 15, 20, 30, 40, 50];

/** These routes answer 400 where those of personal tokens answer 422. */
function asBadRequest(error: unknown): never {
  if (error instanceof HttpError && error.status === 422 && 'message' in error.body)
    throw badRequest(String(error.body.message));
  throw error;
}

export function accessTokenService({ db, tokens, externalUrl }: NamespacesDependencies) {
  function requireRole(caller: Caller, subject: MemberSubject, level: number, reason: string): void {
    if (!caller.admin && level > subject.level) throw badRequest(reason);
  }

  async function create(
    caller: Caller,
    subject: MemberSubject,
    wanted: NewResourceToken,
    origin: AuditOrigin,
  ): Promise<IssuedToken> {
    const { user } = caller;
    if (user?.user_type !== 'human')
      throw badRequest(`User does not have permission to create ${subject.kind} access token`);
    if (!botLevelsAllowed.includes(wanted.accessLevel))
      throw invalidParameters(['access_level does not have a valid value']);
    requireRole(
      caller,
      subject,
      wanted.accessLevel,
      "Access level of the token can't be greater the access level of the user who created the token",
    );
    const place = placeOf(subject);
    try {
      const expiresAt = await tokens.expiry(wanted.expiresAt);
      const issued = await transaction(db, async (tx) => {
        const username = `${place.kind}_${place.id}_bot_${randomBytes(16).toString('hex')}`;
        const bot = await tokens.createBot(tx, {
          kind: `${place.kind}_bot`,
          username,
          name: wanted.name,
          email: `${username}@noreply.${new URL(externalUrl).hostname}`,
          external: user.external,
          createdById: user.id,
        });
        const terms = { level: wanted.accessLevel, expiresAt, createdById: user.id };
        await insertMember(tx, place, { userId: bot.id, ...terms, state: 'active' });
        return await tokens.issue(
          {
            user: bot,
            place: { kind: place.kind, id: place.id, accessLevel: wanted.accessLevel },
            name: wanted.name,
            description: wanted.description,
            scopes: wanted.scopes,
            expiresAt,
            createdById: user.id,
            origin,
          },
          tx,
        );
      });
      return issued;
    } catch (error) {
      return asBadRequest(error);
    }
  }

  async function rotated(
    subject: MemberSubject,
    token: AccessToken,
    expiresAt: string | undefined,
    origin: AuditOrigin,
  ): Promise<IssuedToken> {
    const place = placeOf(subject);
    return await tokens
      .rotate(token.id, { expiresAt, origin }, (tx, next) => extendGrant(tx, place, next.user_id, next.expires_at))
      .catch(asBadRequest);
  }

  return {
    create,

    /** Nobody gets a stronger token than they could make. */
    async rotate(
      caller: Caller,
      subject: MemberSubject,
      token: AccessToken,
      expiresAt: string | undefined,
      origin: AuditOrigin,
    ): Promise<IssuedToken> {
      const levels = await botLevels(db, placeOf(subject), [token.user_id]);
      const level = levels.get(token.user_id) ?? token.access_level ?? Level.owner;
      requireRole(caller, subject, level, notEligible);
      const bot = await findUser(db, token.user_id);
      if (bot && (await outranks(db, bot, caller))) throw badRequest(notEligible);
      return await rotated(subject, token, expiresAt, origin);
    },

    /** The token that the request carries, which must belong here. */
    async rotateSelf(
      caller: Caller,
      subject: MemberSubject,
      expiresAt: string | undefined,
      origin: AuditOrigin,
    ): Promise<IssuedToken> {
      const { credential } = caller;
      const token = credential.kind === 'token' ? await tokens.find(credential.tokenId) : undefined;
      const { kind, id } = placeOf(subject);
      if (!token || token.kind !== kind || (token.project_id ?? token.namespace_id) !== id)
        throw methodNotAllowed([], 'state');
      return await rotated(subject, token, expiresAt, origin);
    },
  };
}

export type AccessTokenService = ReturnType<typeof accessTokenService>;
