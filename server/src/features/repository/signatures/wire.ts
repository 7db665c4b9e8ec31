/** The wire format of SSH: fields of a length and its bytes, and public keys in it as keys that can check. */
import { createPublicKey, type KeyObject } from 'node:crypto';

export const field = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as Buffer);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** The fields one after the other; null where the bytes are none. */
export function fieldsOf(data: Buffer): Buffer[] | null {
  const found: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    if (at + 4 > data.length) return null;
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) return null;
    found.push(data.subarray(at + 4, end));
    at = end;
  }
  return found;
}

/** A number in exactly so many bytes; null when it is larger. */
export function fixed(number: Buffer | undefined, bytes: number): Buffer | null {
  if (!number) return null;
  const bare = number[0] === 0 ? number.subarray(1) : number;
  return bare.length > bytes ? null : Buffer.concat([Buffer.alloc(bytes - bare.length), bare]);
}

/** Bytes of a coordinate, by the name of the curve. */
export const curveBytes: Readonly<Record<string, number>> = { nistp256: 32, nistp384: 48, nistp521: 66 };
const curveNames: Readonly<Record<string, string>> = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' };

export interface PublicKey {
  readonly type: string;
  readonly key: KeyObject;
  /** Of a security key; null for others. */
  readonly application: Buffer | null;
  readonly curve: string | null;
}

function ecKey(curve: string, named: Buffer | undefined, point: Buffer | undefined): KeyObject {
  const bytes = curveBytes[curve] ?? 0;
  if (named?.toString('latin1') !== curve || point?.length !== 2 * bytes + 1 || point[0] !== 4)
    throw new Error('not a point of the curve');
  const x = point.subarray(1, bytes + 1).toString('base64url');
  const y = point.subarray(bytes + 1).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: curveNames[curve] ?? '', x, y }, format: 'jwk' });
}

const ed25519 = (x: Buffer | undefined): KeyObject =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: (x ?? Buffer.alloc(0)).toString('base64url') },
    format: 'jwk',
  });

/** Null for a key that is damaged, or of a type that signs nothing here (DSA, certificates). */
export function publicKeyOf(blob: Buffer): PublicKey | null {
  const [name, first, second, third] = fieldsOf(blob) ?? [];
  const type = name?.toString('latin1') ?? '';
  const made = (key: KeyObject, more: Partial<PublicKey> = {}) => ({
    type,
    key,
    application: null,
    curve: null,
    ...more,
  });
  try {
    if (type === 'ssh-ed25519') return made(ed25519(first));
    if (type === 'sk-ssh-ed25519@openssh.com') return made(ed25519(first), { application: second ?? Buffer.alloc(0) });
    if (type === 'sk-ecdsa-sha2-nistp256@openssh.com')
      return made(ecKey('nistp256', first, second), { application: third ?? Buffer.alloc(0), curve: 'nistp256' });
    const curve = /^ecdsa-sha2-(nistp256|nistp384|nistp521)$/.exec(type)?.[1];
    if (curve) return made(ecKey(curve, first, second), { curve });
    if (type !== 'ssh-rsa') return null;
    const [e = '', n = ''] = [first, second].map((number) => number?.toString('base64url') ?? '');
    return made(createPublicKey({ key: { kty: 'RSA', e, n }, format: 'jwk' }));
  } catch {
    // OpenSSL takes no such key.
    return null;
  }
}

/** A public key as the wire has it. */
export function blobOf(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  // Numbers are signed: one that begins with its highest bit gets a zero in front.
  const number = (value: Buffer) => field((value[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), value]) : value);
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return Buffer.concat([field('ssh-ed25519'), field(bytes(jwk.x))]);
  if (jwk.kty === 'RSA') return Buffer.concat([field('ssh-rsa'), number(bytes(jwk.e)), number(bytes(jwk.n))]);
  throw new Error('an Ed25519 or RSA key');
}
