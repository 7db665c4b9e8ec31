/** Adding and removing SSH keys, within the sizes and types that the instance takes. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { SshKey, User } from '../../../kernel/db/rows.ts';
import { recordFact, sshKeyFacts, toInstant } from '../../../kernel/events/index.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { letters } from '../mails/index.ts';
import { check, userEntity } from '../users/index.ts';
import { type KeyKind, keyKinds, type ParsedSshKey, parseSshKey } from './parse.ts';
import { deleteSshKey, deleteSshKeysOf, insertSshKey } from './ssh-keys.queries.ts';

export interface SshKeyDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'send'>;
}

export interface NewSshKey {
  readonly title: string;
  readonly key: string;
  readonly expiresAt: Date | null;
  readonly usageType: SshKey['usage_type'];
}

export interface SshKeys {
  /** Throws the API's 400. */
  add(user: User, key: NewSshKey, origin: AuditOrigin): Promise<SshKey>;
  remove(user: User, key: SshKey, origin: AuditOrigin): Promise<void>;
}

function restrictionOf(values: ApplicationSettings, kind: KeyKind): number {
  const restrictions: Readonly<Record<KeyKind, number>> = {
    rsa: values.rsa_key_restriction,
    dsa: values.dsa_key_restriction,
    ecdsa: values.ecdsa_key_restriction,
    ed25519: values.ed25519_key_restriction,
    ecdsa_sk: values.ecdsa_sk_key_restriction,
    ed25519_sk: values.ed25519_sk_key_restriction,
  };
  return restrictions[kind];
}

function sentence(words: readonly string[]): string {
  if (words.length < 3) return words.join(' or ');
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}

/** Why the instance does not take a key; empty when it does. */
export function keyReasons(parsed: ParsedSshKey | null, expiresAt: Date | null, values: ApplicationSettings): string[] {
  if (!parsed) return ['is invalid'];
  const minimum = restrictionOf(values, parsed.kind);
  const allowed = keyKinds.filter((kind) => restrictionOf(values, kind) >= 0).map((kind) => kind.toUpperCase());
  if (minimum < 0) return [`type is forbidden. Must be ${sentence(allowed)}`];
  if (parsed.bits < minimum) return [`must be at least ${minimum} bits`];
  return expiresAt !== null && expiresAt <= new Date() ? ['has expired'] : [];
}

/** Keys that live longer than the instance lets them are refused, and so are those without an end. */
function expiryReasons(expiresAt: Date | null, values: ApplicationSettings): string[] {
  const days = values.max_ssh_key_lifetime;
  if (days === null) return [];
  const latest = Date.now() + days * 86_400_000;
  return expiresAt !== null && expiresAt.getTime() <= latest ? [] : [`must be within ${days} days`];
}

const taken = ['has already been taken'];

const recordKeyFact = (tx: Db, event: keyof typeof sshKeyFacts, user: User, row: SshKey) =>
  recordFact(
    tx,
    sshKeyFacts[event],
    { id: row.id, key: row.key, username: user.username, created_at: toInstant(row.created_at) },
    { actor_id: user.id },
  );

/** The keys of somebody who goes. */
export async function endSshKeys(tx: Db, user: User): Promise<void> {
  for (const row of await deleteSshKeysOf(tx, user.id)) await recordKeyFact(tx, 'destroyed', user, row);
}

export function createSshKeys({ db, settings, mail }: SshKeyDependencies): SshKeys {
  return {
    add: async (user, { title, key, expiresAt, usageType }, origin) => {
      const parsed = parseSshKey(key);
      const values = await settings.read();
      check({
        key: keyReasons(parsed, expiresAt, values),
        expires_at: expiryReasons(expiresAt, values),
        title: title.trim() === '' ? ["can't be blank"] : [],
      });
      if (!parsed) throw invalidRecord({ key: ['is invalid'] });
      try {
        return await transaction(db, async (tx) => {
          const row = await insertSshKey(tx, {
            user_id: user.id,
            title: title.trim(),
            key: `${parsed.type} ${parsed.blob}`,
            key_type: parsed.kind,
            bits: parsed.bits,
            fingerprint: parsed.fingerprint,
            fingerprint_sha256: parsed.fingerprintSha256,
            usage_type: usageType,
            expires_at: expiresAt,
          });
          await recordAudit(tx, {
            ...origin,
            entity: userEntity(user),
            event: 'ssh_key_created',
            details: { title: row.title, fingerprint_sha256: row.fingerprint_sha256, usage_type: row.usage_type },
            target: { type: 'Key', id: row.id, details: row.title },
          });
          await recordKeyFact(tx, 'created', user, row);
          await mail.send(tx, letters.keyAdded(user, 'SSH', row.title));
          return row;
        });
      } catch (error) {
        if (isUniqueViolation(error, 'ssh_keys_fingerprint_sha256_key'))
          throw invalidRecord({ fingerprint: taken, fingerprint_sha256: taken, key: taken });
        throw error;
      }
    },
    remove: async (user, key, origin) => {
      await transaction(db, async (tx) => {
        if (!(await deleteSshKey(tx, key.id))) throw notFound('Key');
        await recordKeyFact(tx, 'destroyed', user, key);
        await recordAudit(tx, {
          ...origin,
          entity: userEntity(user),
          event: 'ssh_key_destroyed',
          details: { title: key.title, fingerprint_sha256: key.fingerprint_sha256 },
          target: { type: 'Key', id: key.id, details: key.title },
        });
      });
    },
  };
}
