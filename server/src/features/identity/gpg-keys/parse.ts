/** Public GPG keys: fingerprints, key ids, subkeys, addresses of the user ids. The key's signatures are not judged here. */

export interface ParsedGpgKey {
  /** Upper case hex, 40 or 64 signs. */
  readonly fingerprint: string;
  /** The last 16 signs of it, or what the key's version says. */
  readonly keyid: string;
  readonly subkeys: readonly { readonly fingerprint: string; readonly keyid: string }[];
  /** In the order of the user ids, lower case; nobody proved that they own them. */
  readonly emails: readonly string[];
}

// One block: of several the library reads the first and passes over the rest.
const armor = /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:(?!-----)[\s\S])+\r?\n-----END PGP PUBLIC KEY BLOCK-----$/;

/** Null for what is not exactly one armored public key. */
export async function parseGpgKey(text: string): Promise<ParsedGpgKey | null> {
  if (!armor.test(text.trim())) return null;
  // The library is large, and most processes never see a key.
  const { readKeys } = await import('openpgp');
  const keys = await readKeys({ armoredKeys: text.trim() }).catch(() => []);
  const [key] = keys;
  if (!key || keys.length !== 1 || key.isPrivate()) return null;
  const emails = key.users.map(({ userID }) => userID?.email?.toLowerCase() ?? '').filter((email) => email !== '');
  return {
    fingerprint: key.getFingerprint().toUpperCase(),
    keyid: key.getKeyID().toHex().toUpperCase(),
    subkeys: key.subkeys.map((subkey) => ({
      fingerprint: subkey.getFingerprint().toUpperCase(),
      keyid: subkey.getKeyID().toHex().toUpperCase(),
    })),
    emails: [...new Set(emails)],
  };
}
