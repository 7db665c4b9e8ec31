/** Signatures of SSH keys over files: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig */
import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { blobOf, curveBytes, field, fieldsOf, fixed, type PublicKey, publicKeyOf } from './wire.ts';

/** What commits and tags are signed for: the same signature is worth nothing for anything else. */
const namespace = 'git';
const magic = 'SSHSIG';
const version = 1;
const begin = '-----BEGIN SSH SIGNATURE-----';
const end = '-----END SSH SIGNATURE-----';
const longest = 64 * 1024;

const signedBytes = (hash: string, message: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(magic),
    field(namespace),
    field(''),
    field(hash),
    field(createHash(hash).update(message).digest()),
  ]);

/** Signs as `ssh-keygen -Y sign -n git` does; the private key is of Ed25519 or RSA. */
export function sshSignature(privateKey: KeyObject, publicKey: KeyObject, message: Buffer): string {
  const hash = 'sha512';
  const rsa = privateKey.asymmetricKeyType === 'rsa';
  const raw = sign(rsa ? 'sha512' : null, signedBytes(hash, message), privateKey);
  const head = Buffer.alloc(magic.length + 4);
  head.write(magic);
  head.writeUInt32BE(version, magic.length);
  const data = Buffer.concat([
    head,
    field(blobOf(publicKey)),
    field(namespace),
    field(''),
    field(hash),
    field(Buffer.concat([field(rsa ? 'rsa-sha2-512' : 'ssh-ed25519'), field(raw)])),
  ]);
  const lines = data.toString('base64').match(/.{1,70}/g) ?? [];
  return [begin, ...lines, end, ''].join('\n');
}

export interface SshSignature {
  /** The key that it says it was made with, as the wire has it. */
  readonly keyBlob: Buffer;
  readonly namespace: string;
  readonly hash: string;
  readonly algorithm: string;
  /** What follows the algorithm: the signature itself and, of security keys, flags and a counter. */
  readonly raw: Buffer;
  readonly trailer: Buffer;
}

/** Null for text that is no such signature. */
export function parseSshSignature(armoured: string): SshSignature | null {
  const text = armoured.trim();
  if (text.length > longest || !text.startsWith(begin) || !text.endsWith(end)) return null;
  const data = Buffer.from(text.slice(begin.length, -end.length).replace(/\s+/g, ''), 'base64');
  const start = magic.length + 4;
  if (data.length < start || data.toString('latin1', 0, magic.length) !== magic) return null;
  if (data.readUInt32BE(magic.length) !== version) return null;
  const [keyBlob, name, , hash, blob, ...more] = fieldsOf(data.subarray(start)) ?? [];
  if (!keyBlob || !name || !hash || !blob || more.length > 0) return null;
  const algorithm = lengthAndBytes(blob);
  const raw = algorithm && lengthAndBytes(algorithm.rest);
  if (!raw) return null;
  return {
    keyBlob,
    namespace: name.toString('utf8'),
    hash: hash.toString('latin1'),
    algorithm: algorithm.bytes.toString('latin1'),
    raw: raw.bytes,
    trailer: raw.rest,
  };
}

function lengthAndBytes(data: Buffer): { bytes: Buffer; rest: Buffer } | null {
  if (data.length < 4) return null;
  const stop = 4 + data.readUInt32BE(0);
  return stop > data.length ? null : { bytes: data.subarray(4, stop), rest: data.subarray(stop) };
}

/** SHA-1 is not among them: whoever can make collisions could move a signature. */
const rsaHashes: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' };
const curveHashes: Readonly<Record<string, string>> = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' };
const shortestRsaBits = 2048;

/** Flags and a counter: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.u2f */
const trailerBytes = 5;
const userPresent = 1;

function overSecurityKey({ application }: PublicKey, trailer: Buffer, message: Buffer): Buffer | null {
  if (application === null) return trailer.length === 0 ? message : null;
  if (trailer.length !== trailerBytes || ((trailer[0] ?? 0) & userPresent) === 0) return null;
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
  return Buffer.concat([sha256(application), trailer, sha256(message)]);
}

/** Whether the signature is over the message, for git, by the key that it names. Never throws. */
export function isSignedBy(signature: SshSignature, message: Buffer): boolean {
  const { hash, algorithm, raw, trailer } = signature;
  if (signature.namespace !== namespace || (hash !== 'sha256' && hash !== 'sha512')) return false;
  const found = publicKeyOf(signature.keyBlob);
  const data = found && overSecurityKey(found, trailer, signedBytes(hash, message));
  if (!found || !data) return false;
  const { key, curve, type } = found;
  try {
    if (type === 'ssh-rsa') {
      const digest = rsaHashes[algorithm];
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
      return digest !== undefined && bits >= shortestRsaBits && verify(digest, data, key, raw);
    }
    if (algorithm !== type) return false;
    if (curve === null) return verify(null, data, key, raw);
    const bytes = curveBytes[curve] ?? 0;
    const [r, s] = (fieldsOf(raw) ?? []).map((number) => fixed(number, bytes));
    if (!r || !s) return false;
    return verify(curveHashes[curve] ?? '', data, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
  } catch {
    // A signature that OpenSSL does not take.
    return false;
  }
}
