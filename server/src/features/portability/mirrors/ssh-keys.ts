/** Keys of SSH: the pair that proves a mirror, and the keys by which its server is known. */
import { createHash } from 'node:crypto';
import { newKeyPair } from '../../../kernel/ssh-keys.ts';

/** A new pair for a mirror. */
export async function mirrorKeyPair(): Promise<{ readonly public: string; readonly private: string }> {
  const { default: ssh2 } = await import('ssh2');
  const pair = newKeyPair(ssh2.utils, 'ed25519', { comment: 'millrace-mirror' });
  return { public: pair.public.trim(), private: pair.private };
}

/** As `ssh-keygen -l` writes it. */
export const fingerprintOf = (hostKey: string): string =>
  `SHA256:${createHash('sha256')
    .update(Buffer.from(hostKey.split(' ')[1] ?? '', 'base64'))
    .digest('base64')
    .replace(/=+$/, '')}`;

/** Type and key of a key as the wire has it. */
export function hostKeyOf(blob: Buffer): string {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  return `${blob.toString('latin1', 4, 4 + length)} ${blob.toString('base64')}`;
}

const types = /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521))$/;

/** A key as people paste it, from `ssh-keyscan`, `known_hosts` or a `.pub` file: type and key. Null for what is none. */
export function readHostKey(line: string): string | null {
  const words = line.trim().split(/\s+/);
  const at = words.findIndex((word) => types.test(word));
  const [type, key] = [words[at], words[at + 1]];
  if (at === -1 || at > 1 || !type || !key || !/^[A-Za-z0-9+/]+=*$/.test(key)) return null;
  const read = hostKeyOf(Buffer.from(key, 'base64'));
  return read === `${type} ${key}` ? read : null;
}

/** What a client accepts so that the server shows a key of a known type. */
export const signaturesOf = (hostKeys: readonly string[]): string[] =>
  [...new Set(hostKeys.map((key) => key.split(' ')[0] ?? ''))].flatMap((type) =>
    type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type],
  );
