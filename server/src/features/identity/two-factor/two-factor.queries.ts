/** Rows of second factors: one-time passwords, recovery codes, security keys, and sign-ins that wait for one of them. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { WebauthnCredentialsTable } from '../../../kernel/db/tables.ts';

export type SecurityKey = Selectable<WebauthnCredentialsTable>;
export type ChallengePurpose = 'sign_in' | 'register';

export interface TotpRow {
  readonly secret_sealed: Buffer;
  readonly confirmed: boolean;
}

/** Replaces a secret that was never confirmed; false when a confirmed one is there. */
export async function startTotp(db: Db, userId: number, sealed: Buffer): Promise<boolean> {
  const row = await db
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret_sealed: sealed })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret_sealed: sealed, created_at: sql`now()` })
        .where('totp_secrets.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function findTotp(db: Db, userId: number): Promise<TotpRow | undefined> {
  const row = await db
    .selectFrom('totp_secrets')
    .select(['secret_sealed', 'confirmed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { secret_sealed: row.secret_sealed, confirmed: row.confirmed_at !== null };
}

/** Uses up a step of the clock: false when this or a later one was used before, so that no code counts twice. */
export async function useTotpStep(db: Db, userId: number, step: number): Promise<boolean> {
  const row = await db
    .updateTable('totp_secrets')
    .set({ last_step: step, confirmed_at: sql`coalesce(confirmed_at, now())` })
    .where('user_id', '=', userId)
    .where((where) => where.or([where('last_step', 'is', null), where('last_step', '<', step)]))
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteTotp(db: Db, userId: number): Promise<boolean> {
  const row = await db.deleteFrom('totp_secrets').where('user_id', '=', userId).returning('user_id').executeTakeFirst();
  return row !== undefined;
}

export async function replaceRecoveryCodes(db: Db, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_sha256) => ({ user_id: userId, code_sha256 })))
    .execute();
}

/** Uses up a recovery code; false when it is none. */
export async function useRecoveryCode(db: Db, userId: number, codeSha256: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_sha256', '=', codeSha256)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface NewSecurityKey {
  readonly userId: number;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
}

/** Null when the key is registered already, by whomever. */
export async function insertSecurityKey(db: Db, key: NewSecurityKey): Promise<SecurityKey | null> {
  const row = await db
    .insertInto('webauthn_credentials')
    .values({
      user_id: key.userId,
      credential_id: key.credentialId,
      public_key: key.publicKey,
      counter: key.counter,
      transports: [...key.transports],
      name: key.name,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function listSecurityKeys(db: Db, userId: number): Promise<SecurityKey[]> {
  return await db.selectFrom('webauthn_credentials').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

export async function countSecurityKeys(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom('webauthn_credentials')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Notes a use; false when the signature counter did not move on, which a copied key would show. */
export async function useSecurityKey(db: Db, id: number, counter: number): Promise<boolean> {
  const row = await db
    .updateTable('webauthn_credentials')
    .set({ counter, last_used_at: sql`now()` })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('counter', '<', counter), where.and([where('counter', '=', 0), where.lit(counter === 0)])]),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** One key, or all of a person. */
export async function deleteSecurityKeys(db: Db, userId: number, id?: number): Promise<number> {
  const rows = await db
    .deleteFrom('webauthn_credentials')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? 0))
    .returning('id')
    .execute();
  return rows.length;
}

/** Keeps `users.two_factor_enabled` true to the factors; without any, recovery codes go too. Answers the new value. */
export async function settleTwoFactor(db: Db, userId: number): Promise<boolean> {
  const enabled = sql<boolean>`(exists (select 1 from totp_secrets where user_id = ${userId} and confirmed_at is not null)
    or exists (select 1 from webauthn_credentials where user_id = ${userId}))`;
  const row = await db
    .updateTable('users')
    .set({ two_factor_enabled: enabled })
    .where('id', '=', userId)
    .returning('two_factor_enabled')
    .executeTakeFirstOrThrow();
  if (!row.two_factor_enabled) await replaceRecoveryCodes(db, userId, []);
  return row.two_factor_enabled;
}

export interface NewChallenge {
  readonly tokenSha256: Buffer;
  readonly userId: number;
  readonly purpose: ChallengePurpose;
  readonly remember: boolean;
  readonly webauthnChallenge: string | null;
  readonly lifetimeSeconds: number;
}

export async function insertChallenge(db: Db, challenge: NewChallenge): Promise<void> {
  await db
    .insertInto('sign_in_challenges')
    .values({
      token_sha256: challenge.tokenSha256,
      user_id: challenge.userId,
      purpose: challenge.purpose,
      remember: challenge.remember,
      webauthn_challenge: challenge.webauthnChallenge,
      expires_at: sql<Date>`now() + make_interval(secs => ${challenge.lifetimeSeconds})`,
    })
    .execute();
}

export interface Challenge {
  readonly user_id: number;
  readonly remember: boolean;
  readonly webauthn_challenge: string | null;
}

const usableChallenges = (db: Db, tokenSha256: Buffer, purpose: ChallengePurpose) =>
  db
    .selectFrom('sign_in_challenges')
    .select(['user_id', 'remember', 'webauthn_challenge'])
    .where('token_sha256', '=', tokenSha256)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`);

/** The sign-in that waits; it stays, because a mistyped code may be tried again. */
export async function findChallenge(
  db: Db,
  tokenSha256: Buffer,
  purpose: ChallengePurpose,
): Promise<Challenge | undefined> {
  return await usableChallenges(db, tokenSha256, purpose).executeTakeFirst();
}

/** Uses up a challenge; false when another request did. */
export async function deleteChallenge(db: Db, tokenSha256: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('sign_in_challenges')
    .where('token_sha256', '=', tokenSha256)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteExpiredChallenges(db: Db): Promise<void> {
  await db.deleteFrom('sign_in_challenges').where('expires_at', '<', sql<Date>`now()`).execute();
}

/** The moment from which the person has been asked for a second factor: now, when it is the first time. */
export async function noteRequirement(db: Db, userId: number): Promise<Date> {
  const row = await db
    .updateTable('users')
    // Cut, not rounded to the column's milliseconds: what begins in the future would let people in until then.
    .set({ two_factor_required_since: sql`coalesce(two_factor_required_since, date_trunc('milliseconds', now()))` })
    .where('id', '=', userId)
    .returning('two_factor_required_since')
    .executeTakeFirstOrThrow();
  return row.two_factor_required_since ?? new Date();
}

/** Nobody asks any more: a later requirement starts its own time. */
export async function clearRequirement(db: Db, userId: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ two_factor_required_since: null })
    .where('id', '=', userId)
    .where('two_factor_required_since', 'is not', null)
    .execute();
}
