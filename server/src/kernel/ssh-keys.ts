/** Pairs of SSH keys, as ssh2 makes them and can read them again. */
import type ssh2 from 'ssh2';

export interface KeyPair {
  /** In OpenSSH's format. */
  readonly private: string;
  /** `ssh-ed25519 AAAA... comment` */
  readonly public: string;
}

type Utils = Pick<typeof ssh2.utils, 'generateKeyPairSync' | 'parseKey'>;
type KeyPairOptions = { readonly bits?: number; readonly comment?: string };

/**
 * A new pair. ssh2 takes zeros at the start of an Ed25519 key for padding and cuts them off: one in 256 of its pairs nobody
 * can read, itself included. Such a pair is thrown away.
 */
export function newKeyPair(utils: Utils, type: 'ed25519' | 'ecdsa' | 'rsa', options: KeyPairOptions = {}): KeyPair {
  for (;;) {
    const pair = utils.generateKeyPairSync(type as 'ed25519', options);
    if ([pair.private, pair.public].every((text) => !(utils.parseKey(text) instanceof Error))) return pair;
  }
}
