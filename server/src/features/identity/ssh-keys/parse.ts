/** Public SSH keys as people paste them: type, size, fingerprints. Nothing but the key itself is taken over. */
import { createHash } from 'node:crypto';

/** Kinds of keys by the names that the `*_key_restriction` settings give them. */
export const keyKinds = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const;
export type KeyKind = (typeof keyKinds)[number];

export interface ParsedSshKey {
  readonly kind: KeyKind;
  /** As in the key: `ssh-ed25519` ... */
  readonly type: string;
  /** The key's base64 text. */
  readonly blob: string;
  readonly bits: number;
  /** MD5, `aa:bb:...` */
  readonly fingerprint: string;
  /** SHA-256 in base64 without padding and prefix. */
  readonly fingerprintSha256: string;
}

/** The fields of the wire format: each a length of four bytes and as many bytes. Null when they do not fit exactly. */
function fields(data: Buffer): Buffer[] | null {
  const found: Buffer[] = [];
  let at = 0;
  while (at < data.length) {
    if (at + 4 > data.length) return null;
    const length = data.readUInt32BE(at);
    if (at + 4 + length > data.length) return null;
    found.push(data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

function bitsOf(number: Buffer | undefined): number {
  const first = number?.findIndex((byte) => byte !== 0) ?? -1;
  if (!number || first < 0) return 0;
  return (number.length - first) * 8 - Math.clz32(number[first] ?? 0) + 24;
}

const curves: Readonly<Record<string, { readonly bits: number; readonly bytes: number }>> = {
  nistp256: { bits: 256, bytes: 65 },
  nistp384: { bits: 384, bytes: 97 },
  nistp521: { bits: 521, bytes: 133 },
};

function ecdsaBits(curve: Buffer | undefined, point: Buffer | undefined, type: string): number {
  const name = curve?.toString('latin1') ?? '';
  const known = curves[name];
  return known && type.includes(name) && point?.length === known.bytes && point[0] === 4 ? known.bits : 0;
}

/** Kind, number of fields, and size in bits (0: not a key) by type. */
const types: Readonly<
  Record<
    string,
    { readonly kind: KeyKind; readonly fields: number; bits(parts: readonly Buffer[], type: string): number }
  >
> = {
  'ssh-rsa': { kind: 'rsa', fields: 3, bits: ([, , modulus]) => bitsOf(modulus) },
  'ssh-dss': { kind: 'dsa', fields: 5, bits: ([, prime]) => bitsOf(prime) },
  'ssh-ed25519': { kind: 'ed25519', fields: 2, bits: ([, key]) => (key?.length === 32 ? 256 : 0) },
  'sk-ssh-ed25519@openssh.com': { kind: 'ed25519_sk', fields: 3, bits: ([, key]) => (key?.length === 32 ? 256 : 0) },
  'sk-ecdsa-sha2-nistp256@openssh.com': {
    kind: 'ecdsa_sk',
    fields: 4,
    bits: ([, curve, point], type) => ecdsaBits(curve, point, type),
  },
  ...Object.fromEntries(
    Object.keys(curves).map((curve) => [
      `ecdsa-sha2-${curve}`,
      {
        kind: 'ecdsa' as const,
        fields: 3,
        bits: ([, name, point]: readonly Buffer[], type: string) => ecdsaBits(name, point, type),
      },
    ]),
  ),
};

/** Null for what is no public key: private keys, several lines, damaged or unknown ones. */
export function parseSshKey(text: string): ParsedSshKey | null {
  const line = text.trim();
  const match = /^([a-z0-9@.-]{1,64})[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+[^\r\n]*)?$/.exec(line);
  const [, type = '', blob = ''] = match ?? [];
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!known) return null;
  const data = Buffer.from(blob, 'base64');
  if (data.toString('base64').replace(/=+$/, '') !== blob.replace(/=+$/, '')) return null;
  const parts = fields(data);
  if (parts?.length !== known.fields || parts[0]?.toString('latin1') !== type) return null;
  const bits = known.bits(parts, type);
  if (bits === 0) return null;
  const md5 = createHash('md5').update(data).digest('hex');
  return {
    kind: known.kind,
    type,
    blob: data.toString('base64'),
    bits,
    fingerprint: md5.match(/../g)?.join(':') ?? '',
    fingerprintSha256: createHash('sha256').update(data).digest('base64').replace(/=+$/, ''),
  };
}

/** A fingerprint that somebody looks for; null when it is none. */
export function parseFingerprint(text: string): { readonly md5: string } | { readonly sha256: string } | null {
  const md5 = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(text.trim())?.[1];
  if (md5) return { md5: md5.toLowerCase() };
  const sha256 = /^SHA256[:/]([A-Za-z0-9+/]{43})=?$/.exec(text.trim())?.[1];
  return sha256 ? { sha256 } : null;
}
