/** Signatures of OpenPGP over the bytes of a commit or tag. */
import type { GpgKey } from '../../../kernel/db/rows.ts';

/** Ids of the keys that made a signature, upper case; null for what is none. */
export async function signersOf(armoured: string): Promise<string[] | null> {
  // The library is large, and most processes never see such a signature.
  const { readSignature } = await import('openpgp');
  const signature = await readSignature({ armoredSignature: armoured }).catch(() => null);
  return signature === null ? null : signature.getSigningKeyIDs().map((id) => id.toHex().toUpperCase());
}

/** Whether the key, or a subkey of it, signed the bytes. Never throws. */
export async function isSignedByGpg(key: Pick<GpgKey, 'key'>, armoured: string, payload: Buffer): Promise<boolean> {
  const { createMessage, readKey, readSignature, verify } = await import('openpgp');
  try {
    const [verificationKeys, signature, message] = await Promise.all([
      readKey({ armoredKey: key.key }),
      readSignature({ armoredSignature: armoured }),
      createMessage({ binary: new Uint8Array(payload) }),
    ]);
    const { signatures } = await verify({ message, signature, verificationKeys, format: 'binary' });
    return signatures.length === 1 && (await signatures[0]?.verified) === true;
  } catch {
    return false;
  }
}

/** The first name and address that a key says it is of. */
export async function ownerOf(key: Pick<GpgKey, 'key'>): Promise<{ name: string | null; email: string | null }> {
  const { readKey } = await import('openpgp');
  const found = await readKey({ armoredKey: key.key }).catch(() => null);
  const id = found?.users[0]?.userID;
  return { name: id?.name || null, email: id?.email || null };
}
