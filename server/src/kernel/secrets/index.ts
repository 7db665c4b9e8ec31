/** Keys and what is made with them: values that must be read back, tokens that must not, signatures. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Db } from '../db/index.ts';
import { claimFingerprint } from './secrets.queries.ts';

export interface Secrets {
  /** AES-256-GCM, for what must be read back. A `purpose` is bound to the text: a value copied to another place does not open. */
  seal(content: string | Buffer, purpose?: string): Buffer;
  /** Throws when the value was made with another key or for another purpose. */
  open(sealed: Buffer, purpose?: string): string;
  /** The same for content that is not text. */
  openBytes(sealed: Buffer, purpose?: string): Buffer;
  /** HMAC-SHA-256 with a key of its own per purpose. */
  sign(text: string, purpose: string): string;
  verify(text: string, signature: string, purpose: string): boolean;
}

/** SHA-256 of a token of high entropy: what is stored and looked up. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A kind of token as this instance writes it: behind the name that administrators gave all of its tokens. */
export const instancePrefix = (
  prefix: string,
  { instance_token_prefix: own }: { readonly instance_token_prefix: string },
): string => (own === '' ? prefix : `${own}-${prefix}`);

/** Characters of the random part of a new token. */
const randomLength = 27;

/** A new token: the prefix and at least 160 random bits. */
export const newToken = (prefix: string): string => prefix + randomBytes(20).toString('base64url');

/** Whether a token is of a kind, whatever the instance was called when it was made. */
export const isOfKind = (token: string, prefix: string): boolean =>
  token.startsWith(prefix) ||
  (token.length > randomLength + prefix.length && token.slice(0, -randomLength).endsWith(`-${prefix}`));

/** Compares without telling by time where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

const version = 1;
const ivBytes = 12;
const tagBytes = 16;

/** The operations over a 32-byte master key. */
export function secretsFrom(master: Buffer): Secrets {
  // As objects: node converts keys that are bytes anew for each use, which takes five times what the use does.
  const key = (use: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `millrace ${use}`, 32)));
  const sealing = key('encrypt');
  const signing = new Map<string, KeyObject>();
  const signingKey = (purpose: string) => {
    const known = signing.get(purpose) ?? key(`sign ${purpose}`);
    signing.set(purpose, known);
    return known;
  };
  const sign = (text: string, purpose: string) =>
    createHmac('sha256', signingKey(purpose)).update(text).digest('base64url');
  function openBytes(sealed: Buffer, purpose = ''): Buffer {
    if (sealed[0] !== version || sealed.length < 1 + ivBytes + tagBytes) throw new Error('not a sealed value');
    const iv = sealed.subarray(1, 1 + ivBytes);
    const tag = sealed.subarray(1 + ivBytes, 1 + ivBytes + tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', sealing, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(1 + ivBytes + tagBytes)), decipher.final()]);
  }
  return {
    seal(content, purpose = '') {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([
        cipher.update(typeof content === 'string' ? Buffer.from(content) : content),
        cipher.final(),
      ]);
      return Buffer.concat([Buffer.from([version]), iv, cipher.getAuthTag(), body]);
    },
    open: (sealed, purpose) => openBytes(sealed, purpose).toString('utf8'),
    openBytes,
    sign,
    verify: (text, signature, purpose) => equalSecrets(sign(text, purpose), signature),
  };
}

/** Makes the key file in one step, so that another process that looks at the same time sees all of it or nothing. */
async function createKeyFile(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    // Another process made it first: that one counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

/** Reads the key file, making it (0600) on the first start. Throws when it holds no key. */
export async function loadMasterKey(file: string): Promise<Buffer> {
  const read = () => readFile(file, 'utf8');
  const text = await read().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await createKeyFile(file);
    return await read();
  });
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes in base64`);
  return key;
}

/**
 * Refuses a process whose key is not the one that the database's values were sealed with. The first process to come
 * decides.
 */
export async function checkFingerprint(db: Db, master: Buffer): Promise<void> {
  const fingerprint = createHash('sha256').update('millrace fingerprint').update(master).digest('hex');
  const recorded = await claimFingerprint(db, fingerprint);
  if (recorded !== fingerprint) {
    throw new Error(
      'the key file (MILLRACE_SECRETS) is not the one that this database was used with: values that it sealed could not be read',
    );
  }
}
