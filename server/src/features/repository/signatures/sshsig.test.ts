/** SSH signatures beside OpenSSH's own: each reads what the other wrote. */
import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadInstanceKeys } from './instance-keys.ts';
import { isSignedBy, parseSshSignature } from './sshsig.ts';
import { blobOf, field, publicKeyOf } from './wire.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'millrace-sshsig-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string) => path.join(directory, name);
const keygen = (args: readonly string[], input = '') => execFileSync('ssh-keygen', args, { input, encoding: 'utf8' });
const message = Buffer.from('tree 0\n\nwhat is signed\n');

function made(type: string, bits: number | null, name = `${type}-${bits}`, format: string[] = []): string {
  keygen(['-q', '-t', type, ...(bits ? ['-b', String(bits)] : []), '-N', '', '-f', file(name), ...format]);
  return file(name);
}
function signedBy(key: string, namespace = 'git'): string {
  writeFileSync(file('message'), message);
  rmSync(file('message.sig'), { force: true });
  keygen(['-q', '-Y', 'sign', '-f', key, '-n', namespace, file('message')]);
  return readFileSync(file('message.sig'), 'utf8');
}
const judged = (armoured: string, data = message) => {
  const found = parseSshSignature(armoured);
  return found !== null && isSignedBy(found, data);
};
const config = (commitSigningKey: string | null, commitSigningOldKeys: string | null = null) => ({
  ...{ commitSigningKey, commitSigningOldKeys, committerName: null, committerEmail: null },
});

describe('signatures of OpenSSH', () => {
  it.each([
    ['ed25519', null],
    ['rsa', 2048],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
  ] as const)('of %s %s are good over their bytes and no others', (type, bits) => {
    const key = made(type, bits);
    const armoured = signedBy(key);
    expect(judged(armoured)).toBe(true);
    expect(judged(armoured, Buffer.from(`${message}x`))).toBe(false);
    expect(judged(signedBy(key, 'file'))).toBe(false);
    // Every byte counts: of the key, the namespace, the hash, the signature. Those of the line ends do not.
    const lines = armoured.trim().split('\n');
    const data = Buffer.from(lines.slice(1, -1).join(''), 'base64');
    for (let at = 0; at < data.length; at += 7) {
      const broken = Buffer.from(data);
      broken[at] = (broken[at] ?? 0) ^ 0x41;
      const again = [lines[0], broken.toString('base64'), lines.at(-1)].join('\n');
      expect([at, judged(again)]).toEqual([at, false]);
    }
  });

  it('security: keys that are too short, damaged text and other versions are nothing', () => {
    expect(judged(signedBy(made('rsa', 1024)))).toBe(false);
    const good = signedBy(made('ed25519', null, 'good'));
    for (const text of [
      '',
      'x',
      good.slice(0, 40),
      good.replace('SSH SIGNATURE', 'PGP SIGNATURE'),
      `${good}x`,
      'a'.repeat(1e6),
    ])
      expect(parseSshSignature(text)).toBeNull();
  });

  it('of security keys count with the touch of a person', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const type = 'sk-ssh-ed25519@openssh.com';
    const blob = Buffer.concat([field(type), field(x), field('ssh:')]);
    const hashed = (name: string, data: Buffer | string) => createHash(name).update(data).digest();
    const of = (flags: number, application = 'ssh:') => {
      const inner = Buffer.concat([
        ...[Buffer.from('SSHSIG'), field('git'), field(''), field('sha512'), field(hashed('sha512', message))],
      ]);
      const trailer = Buffer.from([flags, 0, 0, 0, 9]);
      const raw = sign(
        null,
        Buffer.concat([hashed('sha256', application), trailer, hashed('sha256', inner)]),
        privateKey,
      );
      const signature = Buffer.concat([field(type), field(raw), trailer]);
      const head = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1])]);
      const data = Buffer.concat([head, field(blob), field('git'), field(''), field('sha512'), field(signature)]);
      return `-----BEGIN SSH SIGNATURE-----\n${data.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
    };
    expect([judged(of(1)), judged(of(5)), judged(of(0)), judged(of(1, 'web:'))]).toEqual([true, true, false, false]);
  });
});

describe('the key of the instance', () => {
  it.each([
    ['ed25519', null, []],
    ['rsa', 3072, []],
    ['rsa', 2048, ['-m', 'PEM']],
  ] as const)('%s %s %s signs as OpenSSH believes', async (type, bits, format) => {
    const key = made(type, bits, `instance-${type}-${bits}`, [...format]);
    const { stamp, publicKey, isOwn } = await loadInstanceKeys(config(key), 'https://git.example.com:8443');
    expect([stamp?.name, stamp?.email]).toEqual(['Millrace', 'noreply@git.example.com']);
    expect(readFileSync(`${key}.pub`, 'utf8')).toContain(publicKey ?? 'none');
    const armoured = stamp?.sign(message) ?? '';
    writeFileSync(file('instance.sig'), armoured);
    writeFileSync(file('signers'), `* ${publicKey}\n`);
    const args = ['-Y', 'verify', '-f', file('signers'), '-I', 'anybody', '-n', 'git', '-s', file('instance.sig')];
    expect(keygen(args, String(message))).toContain('Good "git" signature');
    expect(judged(armoured)).toBe(true);
    expect(isOwn(parseSshSignature(armoured)?.keyBlob ?? Buffer.alloc(0))).toBe(true);
    expect(isOwn(Buffer.from('x'))).toBe(false);
  });

  it('is refused with a reason when it is none, or former ones are', async () => {
    const locked = file('locked');
    keygen(['-q', '-t', 'ed25519', '-N', 'secret', '-f', locked]);
    writeFileSync(file('text'), 'no key');
    const load = (...files: Parameters<typeof config>) => loadInstanceKeys(config(...files), 'http://localhost');
    await expect(load(locked)).rejects.toThrow(/MILLRACE_COMMIT_SIGNING_KEY: .* without a passphrase/);
    await expect(load(file('text'))).rejects.toThrow(/no usable private key/);
    await expect(load(made('ecdsa', 256, 'curve'))).rejects.toThrow(/only Ed25519 keys and RSA keys of 2048 bits/);
    await expect(load(made('rsa', 1024, 'short'))).rejects.toThrow(/only Ed25519 keys and RSA keys of 2048 bits/);
    await expect(load(file('missing'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await expect(load(null, file('text'))).rejects.toThrow(/MILLRACE_COMMIT_SIGNING_OLD_KEYS: .* no public SSH key/);
    const none = await load(null);
    expect([none.stamp, none.publicKey]).toEqual([null, null]);
  });

  it('keys with a high first byte are written as numbers are', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const again = publicKeyOf(blobOf(publicKey));
    expect(again?.key.equals(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })))).toBe(true);
  });
});
