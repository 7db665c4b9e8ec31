/** Second factors of a person: making, proving and removing them, and who has to have one. */

import { randomBytes } from 'node:crypto';
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { type Secrets, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { countedAttempt } from '../sessions/attempts.ts';
import { findUser, userEntity } from '../users/index.ts';
import {
  provenKey,
  registeredKey,
  registrationOptions,
  requestOptions,
  siteOf,
  sitesHaveKeys,
} from './security-keys.ts';
import { newTotpSecret, totpStep, totpUri } from './totp.ts';
import {
  clearRequirement,
  countRecoveryCodes,
  countSecurityKeys,
  deleteChallenge,
  deleteSecurityKeys,
  deleteTotp,
  findChallenge,
  findTotp,
  insertChallenge,
  insertSecurityKey,
  listSecurityKeys,
  noteRequirement,
  replaceRecoveryCodes,
  type SecurityKey,
  settleTwoFactor,
  startTotp,
  useRecoveryCode,
  useSecurityKey,
  useTotpStep,
} from './two-factor.queries.ts';

export type { SecurityKey } from './two-factor.queries.ts';

const totpPurpose = 'totp';
const challengeSeconds = 600;
const recoveryCodeCount = 10;
const hour = 3_600_000;
/** Security keys of one person; more than anybody has, fewer than hurt. */
export const largestKeyCount = 50;

/** What a person shows: a code of the application or a recovery code, or what a security key signed. */
export interface Proof {
  readonly code?: string | undefined;
  readonly webauthn?: unknown;
}

export interface TwoFactorState {
  readonly enabled: boolean;
  readonly totp: boolean;
  readonly keys: readonly SecurityKey[];
  readonly recoveryCodes: number;
  /** Until when a second factor has to be set up; null when nobody asks for it or there is one. */
  readonly requiredUntil: Date | null;
}

/** A sign-in that waits for the second factor. */
export interface WaitingSignIn {
  readonly challenge: string;
  readonly methods: ('totp' | 'webauthn' | 'recovery_code')[];
  readonly webauthn: unknown;
}

export type Proven =
  | { readonly outcome: 'proven'; readonly user: User; readonly remember: boolean }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'expired' };

export interface TwoFactor {
  state(user: User): Promise<TwoFactorState>;
  /** A secret to confirm with its first code; null when there is a confirmed one. */
  startTotp(user: User): Promise<{ secret: string; uri: string } | null>;
  /** False when the code is wrong; the recovery codes when this is the first factor, else none. */
  confirmTotp(user: User, code: string, origin: AuditOrigin): Promise<readonly string[] | false>;
  removeTotp(user: User, origin: AuditOrigin): Promise<boolean>;
  /** What the browser needs to make a key, and the challenge to give back with its answer; null where keys cannot be. */
  startKey(user: User): Promise<{ challenge: string; options: unknown } | null>;
  /** Null when the answer does not prove a key, `taken` when it is registered already, `many` when there are enough. */
  addKey(
    user: User,
    request: { challenge: string; name: string; answer: unknown },
    origin: AuditOrigin,
  ): Promise<{ key: SecurityKey; recoveryCodes: readonly string[] } | 'taken' | 'many' | null>;
  removeKey(user: User, id: number, origin: AuditOrigin): Promise<boolean>;
  /** New codes in place of all former ones; null without a second factor. */
  newRecoveryCodes(user: User, origin: AuditOrigin): Promise<readonly string[] | null>;
  /** Removes every factor; false when there was none. */
  disable(user: User, origin: AuditOrigin): Promise<boolean>;
  /** Lets a sign-in wait for the second factor of a person who has one. */
  wait(user: User, remember: boolean): Promise<WaitingSignIn>;
  /** Ends the waiting. A wrong proof counts as a failed sign-in. */
  prove(challenge: string, proof: Proof, address: string): Promise<Proven>;
  /** Whether a code is right, outside a sign-in; a wrong one counts as a failed sign-in. */
  checkCode(user: User, code: string, address: string): Promise<boolean>;
  /** Until when a person without a second factor has to set one up; null when nobody asks for it. */
  requiredUntil(user: User): Promise<Date | null>;
}

export interface TwoFactorDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly externalUrl: string;
  /** Hours of grace of the groups that ask their members for a second factor. */
  readonly groupsAsk: (userId: number) => Promise<readonly number[]>;
}

const newCodes = () => Array.from({ length: recoveryCodeCount }, () => randomBytes(8).toString('hex'));
const normalised = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();

export function createTwoFactor(deps: TwoFactorDependencies): TwoFactor {
  const { db, settings, secrets, externalUrl } = deps;
  const site = () => siteOf(externalUrl, 'Millrace');
  const place = (userId: number) => `${totpPurpose}:${userId}`;

  /** Recovery codes for the first factor; a later one keeps those that are there. */
  const settled = async (tx: Db, user: User): Promise<readonly string[]> => {
    await settleTwoFactor(tx, user.id);
    await clearRequirement(tx, user.id);
    await announceChange(tx);
    if (user.two_factor_enabled) return [];
    const codes = newCodes();
    await replaceRecoveryCodes(tx, user.id, codes.map(tokenHash));
    return codes;
  };

  const totpIsRight = async (userId: number, code: string): Promise<boolean> => {
    const row = await findTotp(db, userId);
    if (!row?.confirmed) return false;
    const step = totpStep(secrets.open(row.secret_sealed, place(userId)), code);
    return step !== null && (await useTotpStep(db, userId, step));
  };
  const codeIsRight = async (userId: number, code: string): Promise<boolean> =>
    /^\s*\d{3}\s*\d{3}\s*$/.test(code)
      ? await totpIsRight(userId, code)
      : await useRecoveryCode(db, userId, tokenHash(normalised(code)));

  /** Counts the attempt before it is looked at; a right one clears the count. */
  const counted = (user: User, address: string, check: () => Promise<boolean>): Promise<boolean> =>
    countedAttempt(
      db,
      settings,
      { user, factor: 'second_factor', address, clears: true },
      async (allowed) => allowed && (await check()),
    );

  const record = (tx: Db, user: User, origin: AuditOrigin, event: string, details: object = {}) =>
    recordAudit(tx, { ...origin, entity: userEntity(user), event, details: { ...details } });

  const changed = (
    user: User,
    origin: AuditOrigin,
    event: string,
    work: (tx: Db) => Promise<boolean>,
    details: object = {},
  ): Promise<boolean> =>
    transaction(db, async (tx) => {
      if (!(await work(tx))) return false;
      await settleTwoFactor(tx, user.id);
      await record(tx, user, origin, event, details);
      await announceChange(tx);
      return true;
    });

  const requiredUntil = async (user: User): Promise<Date | null> => {
    if (user.two_factor_enabled || user.user_type !== 'human') return null;
    const now = await settings.read();
    const hours = [
      ...(now.require_two_factor_authentication || (user.admin && now.require_admin_two_factor_authentication)
        ? [now.two_factor_grace_period]
        : []),
      ...(await deps.groupsAsk(user.id)),
    ];
    if (hours.length === 0) {
      if (user.two_factor_required_since !== null) await clearRequirement(db, user.id);
      return null;
    }
    const since = user.two_factor_required_since ?? (await noteRequirement(db, user.id));
    return new Date(since.getTime() + Math.min(...hours) * hour);
  };

  return {
    requiredUntil,
    state: async (user) => {
      const totp = await findTotp(db, user.id);
      return {
        enabled: user.two_factor_enabled,
        totp: totp?.confirmed ?? false,
        keys: await listSecurityKeys(db, user.id),
        recoveryCodes: await countRecoveryCodes(db, user.id),
        requiredUntil: await requiredUntil(user),
      };
    },
    startTotp: async (user) => {
      const secret = newTotpSecret();
      const started = await startTotp(db, user.id, secrets.seal(secret, place(user.id)));
      return started ? { secret, uri: totpUri(secret, site().host, user.username) } : null;
    },
    confirmTotp: (user, code, origin) =>
      transaction(db, async (tx) => {
        const row = await findTotp(tx, user.id);
        if (!row || row.confirmed) return false;
        const step = totpStep(secrets.open(row.secret_sealed, place(user.id)), code);
        if (step === null || !(await useTotpStep(tx, user.id, step))) return false;
        await record(tx, user, origin, 'user_totp_added');
        return await settled(tx, user);
      }),
    removeTotp: (user, origin) => changed(user, origin, 'user_totp_removed', (tx) => deleteTotp(tx, user.id)),
    startKey: async (user) => {
      if (!sitesHaveKeys(externalUrl)) return null;
      const options = await registrationOptions(site(), user, await listSecurityKeys(db, user.id));
      const challenge = randomBytes(32).toString('base64url');
      await insertChallenge(db, {
        tokenSha256: tokenHash(challenge),
        userId: user.id,
        purpose: 'register',
        remember: false,
        webauthnChallenge: options.challenge,
        lifetimeSeconds: challengeSeconds,
      });
      return { challenge, options };
    },
    addKey: async (user, request, origin) => {
      if ((await countSecurityKeys(db, user.id)) >= largestKeyCount) return 'many';
      const hash = tokenHash(request.challenge);
      const waiting = await findChallenge(db, hash, 'register');
      if (waiting?.user_id !== user.id || waiting.webauthn_challenge === null) return null;
      const found = await registeredKey(site(), waiting.webauthn_challenge, request.answer);
      if (!found || !(await deleteChallenge(db, hash))) return null;
      return await transaction(db, async (tx) => {
        const key = await insertSecurityKey(tx, { ...found, userId: user.id, name: request.name });
        if (!key) return 'taken';
        await record(tx, user, origin, 'user_security_key_added', { name: key.name });
        return { key, recoveryCodes: await settled(tx, user) };
      });
    },
    removeKey: async (user, id, origin) => {
      const name = (await listSecurityKeys(db, user.id)).find((key) => key.id === id)?.name;
      const remove = async (tx: Db) => (await deleteSecurityKeys(tx, user.id, id)) > 0;
      return await changed(user, origin, 'user_security_key_removed', remove, { name });
    },
    newRecoveryCodes: (user, origin) =>
      transaction(db, async (tx) => {
        if (!(await settleTwoFactor(tx, user.id))) return null;
        const codes = newCodes();
        await replaceRecoveryCodes(tx, user.id, codes.map(tokenHash));
        await record(tx, user, origin, 'user_recovery_codes_created');
        return codes;
      }),
    disable: (user, origin) =>
      changed(user, origin, 'user_two_factor_disabled', async (tx) => {
        const totp = await deleteTotp(tx, user.id);
        const keys = await deleteSecurityKeys(tx, user.id);
        return totp || keys > 0;
      }),
    wait: async (user, remember) => {
      const [totp, keys, codes] = await Promise.all([
        findTotp(db, user.id),
        listSecurityKeys(db, user.id),
        countRecoveryCodes(db, user.id),
      ]);
      const options = keys.length > 0 ? await requestOptions(site(), keys) : null;
      const challenge = randomBytes(32).toString('base64url');
      await insertChallenge(db, {
        tokenSha256: tokenHash(challenge),
        userId: user.id,
        purpose: 'sign_in',
        remember,
        webauthnChallenge: options?.challenge ?? null,
        lifetimeSeconds: challengeSeconds,
      });
      return {
        challenge,
        methods: [
          ...(options ? (['webauthn'] as const) : []),
          ...(totp?.confirmed ? (['totp'] as const) : []),
          ...(codes > 0 ? (['recovery_code'] as const) : []),
        ],
        webauthn: options,
      };
    },
    prove: async (challenge, proof, address) => {
      const hash = tokenHash(challenge);
      const waiting = await findChallenge(db, hash, 'sign_in');
      if (!waiting) return { outcome: 'expired' };
      const { user_id: userId, webauthn_challenge: expected, remember } = waiting;
      const tried = await findUser(db, userId);
      if (!tried) return { outcome: 'expired' };
      const right = await counted(tried, address, async () => {
        if (proof.code !== undefined) return await codeIsRight(userId, proof.code);
        if (expected === null) return false;
        const proven = await provenKey(site(), expected, await listSecurityKeys(db, userId), proof.webauthn);
        return proven !== null && (await useSecurityKey(db, proven.key.id, proven.counter));
      });
      if (!right) return { outcome: 'wrong' };
      const user = await findUser(db, userId);
      // Whoever was blocked meanwhile does not get in, and a challenge opens one session only.
      if (!(await deleteChallenge(db, hash)) || !user || isBlocked(user)) return { outcome: 'expired' };
      return { outcome: 'proven', user, remember };
    },
    checkCode: (user, code, address) => counted(user, address, () => codeIsRight(user.id, code)),
  };
}
