/** Whether a signature proves the possession of a user's key: by ssh2, and by us for security keys, which it does not know. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { PublicKeyAuthContext } from 'ssh2';

type Offered = Pick<PublicKeyAuthContext, 'key' | 'hashAlgo' | 'signature' | 'blob'>;

/** Types of keys that sign in. `ssh-dss` does not: SHA-1. */
const acceptedTypes: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];

/** Whether an offered key is of a type, and will be used with a hash, that is accepted. RSA needs SHA-2. */
export const isAccepted = ({ key, hashAlgo }: Pick<Offered, 'key' | 'hashAlgo'>): boolean =>
  acceptedTypes.includes(key.algo) && (key.algo !== 'ssh-rsa' || hashAlgo === 'sha256' || hashAlgo === 'sha512');

/** The fields of a wire format, each a length and its bytes; what does not fit is left out. */
function fields(data: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 4 <= data.length; ) {
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) break;
    found.push(data.subarray(at + 4, end));
    at = end;
  }
  return found;
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();

/** A number of the wire format in exactly 32 bytes; null when it is larger. */
function fixed(number: Buffer): Buffer | null {
  const bare = number[0] === 0 ? number.subarray(1) : number;
  return bare.length > 32 ? null : Buffer.concat([Buffer.alloc(32 - bare.length), bare]);
}

const trailer = 5;
const userPresent = 1;

/** The signature of a security key: over the application, flags, a counter, and the hash of what is signed. */
function securityKeySigned(data: Buffer, signature: Buffer, blob: Buffer): boolean {
  const flags = signature.at(-trailer);
  // OpenSSH's servers too insist on the touch.
  if (flags === undefined || (flags & userPresent) === 0) return false;
  const [type = Buffer.alloc(0), ...parts] = fields(data);
  const application = parts.at(-1) ?? Buffer.alloc(0);
  const signed = Buffer.concat([sha256(application), signature.subarray(-trailer), sha256(blob)]);
  const raw = signature.subarray(0, -trailer);
  if (type.toString('latin1').startsWith('sk-ssh-ed25519')) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: (parts[0] ?? Buffer.alloc(0)).toString('base64url') };
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), raw);
  }
  const point = parts[1] ?? Buffer.alloc(0);
  const [r, s] = fields(raw).map(fixed);
  if (point.length !== 65 || !r || !s) return false;
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
}

/** True when the request carries a signature of the key over this connection's id. Never throws. */
export async function isSigned(offered: Offered): Promise<boolean> {
  const { key, hashAlgo, signature, blob } = offered;
  if (!signature || !blob || !isAccepted(offered)) return false;
  try {
    if (key.algo.startsWith('sk-')) return securityKeySigned(key.data, signature, blob);
    const { default: ssh2 } = await import('ssh2');
    const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
    return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
  } catch {
    // A key or signature that OpenSSL does not take.
    return false;
  }
}
