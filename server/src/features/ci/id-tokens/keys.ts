/** Signing ID tokens: a key of this instance, made when the first token is, and what others check signatures with. */
import { createHash, createPrivateKey, createSign, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../../../kernel/db/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { sealed } from '../variables/sealing.ts';
import { insertSigningKey, signingKeys } from './keys.queries.ts';

const bits = 2048;

export interface SigningKeys {
  /** The public keys, as JSON web keys. */
  published(): Promise<readonly object[]>;
  /** A JSON web token with these claims. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function createSigningKeys({ db, secrets }: { readonly db: Db; readonly secrets: Secrets }): SigningKeys {
  let known: { readonly kid: string; readonly key: KeyObject } | null = null;

  async function create(): Promise<void> {
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
    const { kty, n, e } = pair.publicKey.export({ format: 'jwk' });
    // The thumbprint of RFC 7638.
    const kid = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
    const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' });
    const publicJwk = { kty, n, e, kid, use: 'sig', alg: 'RS256' };
    await insertSigningKey(db, { kid, publicJwk, sealed: secrets.seal(pem, sealed.idTokenKey) });
  }

  async function rows() {
    const found = await signingKeys(db);
    if (found.length > 0) return found;
    // Two processes may both make one: the older signs, and both are published.
    await create();
    return await signingKeys(db);
  }

  async function current() {
    if (known) return known;
    const [first] = await rows();
    if (!first) throw new Error('there is no key for ID tokens');
    known = {
      kid: first.kid,
      key: createPrivateKey(secrets.open(first.private_key_sealed, sealed.idTokenKey)),
    };
    return known;
  }

  return {
    published: async () => (await rows()).map(({ public_jwk }) => public_jwk as object),
    async sign(claims) {
      const { kid, key } = await current();
      const content = `${encoded({ alg: 'RS256', kid, typ: 'JWT' })}.${encoded(claims)}`;
      return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
    },
  };
}
