/** Fingerprints against Node's own hash. */
import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256, sshFingerprint } from './fingerprint.ts';

test('every length around the edges of a block hashes as it should', () => {
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 400]) {
    const bytes = randomBytes(length);
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

test('a key has the fingerprint that ssh-keygen prints', () => {
  const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  expect(sshFingerprint(`ssh-ed25519 ${blob} somebody`)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
  expect(sshFingerprint('no key')).toBeNull();
});
