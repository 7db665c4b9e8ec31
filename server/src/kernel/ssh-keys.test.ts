/** Keys that are made can be used. */
import { createPublicKey } from 'node:crypto';
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { type KeyPair, newKeyPair } from './ssh-keys.ts';

/** What ssh2 makes of a key whose first byte is zero: a byte too short. */
function shortened(): KeyPair {
  const { private: text } = ssh2.utils.generateKeyPairSync('ed25519');
  const data = Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64');
  return { private: text, public: `ssh-ed25519 ${data.subarray(0, 40).toString('base64')}` };
}

it('a pair that cannot be read is not handed out: the next one is', () => {
  let asked = 0;
  const utils = {
    parseKey: ssh2.utils.parseKey,
    generateKeyPairSync: ((...args: Parameters<typeof ssh2.utils.generateKeyPairSync>) => {
      asked += 1;
      return asked === 1 ? shortened() : ssh2.utils.generateKeyPairSync(...args);
    }) as typeof ssh2.utils.generateKeyPairSync,
  };
  const pair = newKeyPair(utils, 'ed25519', { comment: 'millrace' });
  expect(asked).toBeGreaterThan(1);
  expect(pair.public).toMatch(/^ssh-ed25519 AAAA\S+ millrace$/);
});

it('every pair is whole and signs, whatever its first byte is', () => {
  // One in 256 would not be.
  for (let count = 0; count < 500; count += 1) {
    const pair = newKeyPair(ssh2.utils, 'ed25519');
    expect(Buffer.from(pair.public.split(' ')[1] ?? '', 'base64')).toHaveLength(51);
    const key = ssh2.utils.parseKey(pair.private);
    if (key instanceof Error) throw key;
    expect(createPublicKey(key.getPublicPEM()).asymmetricKeyType).toBe('ed25519');
  }
});
