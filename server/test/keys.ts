/** Public keys for tests; each is new. */
import { randomBytes } from 'node:crypto';
import { generateKey } from 'openpgp';

const field = (data: Buffer | string) => {
  const bytes = Buffer.from(data);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** An SSH key of any type from the fields after its name. */
export const sshKeyText = (type = 'ssh-ed25519', fields: readonly (Buffer | string)[] = [randomBytes(32)]): string =>
  `${type} ${Buffer.concat([type, ...fields].map(field)).toString('base64')}`;

/** An armored GPG key, with the secret one. */
export async function gpgKeyTexts(email: string): Promise<{ publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = await generateKey({ userIDs: [{ name: 'Person', email }], format: 'armored' });
  return { publicKey: publicKey.trim(), privateKey };
}
