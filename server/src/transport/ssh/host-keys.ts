/**
 * The keys by which clients know the server: made once, sealed with the instance's key, and in the database, so that all
 * processes have the same.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/db/index.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import { type KeyPair, newKeyPair } from '../../kernel/ssh-keys.ts';
import { claimHostKeys, findHostKeys } from './host-keys.queries.ts';

/** What everybody may know of a host key. */
export interface PublicHostKey {
  readonly type: string;
  readonly bits: number;
  /** As in `known_hosts`: type and key. */
  readonly key: string;
  /** MD5, `aa:bb:...` */
  readonly md5: string;
  /** In base64 without padding and prefix. */
  readonly sha256: string;
}

export interface HostKeys {
  readonly private: readonly string[];
  readonly public: readonly PublicHostKey[];
}

const purpose = 'ssh host keys';

function publicPart(line: string): PublicHostKey {
  const [type = '', blob = ''] = line.trim().split(' ');
  const data = Buffer.from(blob, 'base64');
  return {
    type,
    // Both kinds that are made have keys of this size.
    bits: 256,
    key: `${type} ${blob}`,
    md5: createHash('md5').update(data).digest('hex').match(/../g)?.join(':') ?? '',
    sha256: createHash('sha256').update(data).digest('base64').replace(/=+$/, ''),
  };
}

async function made(): Promise<KeyPair[]> {
  const { default: ssh2 } = await import('ssh2');
  return [
    newKeyPair(ssh2.utils, 'ed25519', { comment: 'millrace' }),
    newKeyPair(ssh2.utils, 'ecdsa', { bits: 256, comment: 'millrace' }),
  ];
}

/** The host keys, made by whichever process asks first. */
export async function loadHostKeys(db: Db, secrets: Pick<Secrets, 'seal' | 'open'>): Promise<HostKeys> {
  const kept =
    (await findHostKeys(db)) ??
    (await claimHostKeys(db, {
      sealed: secrets.seal(JSON.stringify(await made()), purpose).toString('base64'),
    }));
  const { sealed } = kept as { sealed: string };
  const pairs = JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), purpose)) as KeyPair[];
  return { private: pairs.map((pair) => pair.private), public: pairs.map((pair) => publicPart(pair.public)) };
}
