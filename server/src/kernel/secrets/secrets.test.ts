/** Keys, sealed values, signatures, tokens. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { createDb, createPool, type Db } from '../db/index.ts';
import {
  checkFingerprint,
  equalSecrets,
  instancePrefix,
  isOfKind,
  loadMasterKey,
  newToken,
  secretsFrom,
  tokenHash,
} from './index.ts';

let database: TestDatabase;
let db: Db;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-secrets-'));
  database = await createTestDatabase();
  db = createDb(createPool({ ...database, max: 2 }));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const master = randomBytes(32);
const secrets = secretsFrom(master);

it('opens what it sealed, and only for the same purpose and with the same key', () => {
  const sealed = secrets.seal('hunter2 ✓', 'webhook');
  expect(secrets.open(sealed, 'webhook')).toBe('hunter2 ✓');
  expect(sealed.equals(secrets.seal('hunter2 ✓', 'webhook'))).toBe(false);
  expect(sealed.includes('hunter2')).toBe(false);
  expect(() => secrets.open(sealed, 'variable')).toThrow();
  expect(() => secrets.open(sealed)).toThrow();
  expect(() => secretsFrom(randomBytes(32)).open(sealed, 'webhook')).toThrow();
  expect(secretsFrom(master).open(sealed, 'webhook')).toBe('hunter2 ✓');
});

it('refuses a sealed value that was changed anywhere or cut', () => {
  const sealed = secrets.seal('value');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => secrets.open(changed), `byte ${index}`).toThrow();
    expect(() => secrets.open(sealed.subarray(0, index)), `cut at ${index}`).toThrow();
  }
});

it('signs for a purpose', () => {
  const signature = secrets.sign('session', 'csrf');
  expect(secrets.verify('session', signature, 'csrf')).toBe(true);
  expect(secrets.verify('session', signature, 'other')).toBe(false);
  expect(secrets.verify('other', signature, 'csrf')).toBe(false);
  expect(secrets.verify('session', '', 'csrf')).toBe(false);
});

it('[security 21] makes tokens of 160 random bits and stores their hash', () => {
  const [a, b] = [newToken('glpat-'), newToken('glpat-')];
  expect(a).toMatch(/^glpat-[A-Za-z0-9_-]{27}$/);
  expect(a).not.toBe(b);
  expect(tokenHash(a)).toHaveLength(32);
  expect(tokenHash(a).equals(tokenHash(a))).toBe(true);
  expect([equalSecrets(a, a), equalSecrets(a, b), equalSecrets(a, '')]).toEqual([true, false, false]);
});

it('knows the kind of a token, with and without the prefix of the instance', () => {
  const acme = { instance_token_prefix: 'acme' };
  const made = newToken(instancePrefix('gldt-', acme));
  expect(made).toMatch(/^acme-gldt-[A-Za-z0-9_-]{27}$/);
  expect(instancePrefix('gldt-', { instance_token_prefix: '' })).toBe('gldt-');
  expect([made, newToken('gldt-'), 'gldt-old'].map((token) => isOfKind(token, 'gldt-'))).toEqual([true, true, true]);
  const others = [
    newToken('glpat-'),
    'a password with -gldt- in it',
    'acme-gldt-short',
    `xgldt-${made.slice(-27)}`,
    '',
  ];
  expect(others.map((token) => isOfKind(token, 'gldt-'))).toEqual(others.map(() => false));
});

it('makes the key file once, for its owner only, when many start at the same time', async () => {
  const file = path.join(directory, 'new', 'secrets.key');
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey(file)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(keys[0]).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(path.dirname(file))).toEqual(['secrets.key']);
});

it('refuses a file that holds no key', async () => {
  const file = path.join(directory, 'short.key');
  await writeFile(file, 'c2hvcnQ=\n');
  await expect(loadMasterKey(file)).rejects.toThrow(/does not hold a key of 32 bytes/);
});

it('refuses a process with another key than the first one had', async () => {
  await checkFingerprint(db, master);
  await checkFingerprint(db, master);
  await expect(checkFingerprint(db, randomBytes(32))).rejects.toThrow(/MILLRACE_SECRETS/);
  const stored = await db.selectFrom('instance_state').selectAll().where('key', '=', 'secrets_fingerprint').execute();
  expect(JSON.stringify(stored)).not.toContain(master.toString('hex'));
});
