/** A security key in software, for tests: makes P-256 keys and signs challenges as a browser's answer carries them. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer) => data.toString('base64url');

/** CBOR of what a key's answers need: integers, byte strings, texts and maps. */
type Cbor = number | string | Buffer | Map<number | string, Cbor>;
function cbor(value: Cbor): Buffer {
  const head = (major: number, size: number): Buffer =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -value - 1);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

export interface Authenticator {
  readonly id: string;
  /** Answers `navigator.credentials.create`. */
  register(options: { challenge: string }): Record<string, unknown>;
  /** Answers `navigator.credentials.get`; the counter moves on unless `counter` names one. */
  assert(options: { challenge: string }, counter?: number): Record<string, unknown>;
}

/** A key that belongs to a site, as a browser on `origin` would reach it. */
export function createAuthenticator(origin: string, host = new URL(origin).hostname): Authenticator {
  const id = randomBytes(32);
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey: KeyObject = pair.privateKey;
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  let uses = 0;
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const header = (flags: number, counter: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(host), Buffer.from([flags]), count]);
  };
  const answer = (response: Record<string, unknown>) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    id: base64url(id),
    register: ({ challenge }) => {
      const key = new Map<number | string, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const size = Buffer.from([id.length >> 8, id.length & 255]);
      const data = Buffer.concat([header(0x41, uses), Buffer.alloc(16), size, id, cbor(key)]);
      const attestation = cbor(
        new Map<number | string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map<number | string, Cbor>()],
          ['authData', data],
        ]),
      );
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', challenge)),
        attestationObject: base64url(attestation),
        transports: ['usb'],
      });
    },
    assert: ({ challenge }, counter) => {
      uses = counter ?? uses + 1;
      const data = header(0x01, uses);
      const client = clientData('webauthn.get', challenge);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      });
    },
  };
}
