/** SSH keys over HTTP, and what is taken for one. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
import { sshKeyText } from '../../../../test/keys.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { parseFingerprint, parseSshKey } from './parse.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: { user: User; secret: string };
let owner: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
});
afterAll(() => app.close());

const keyOf = (type: string, ...fields: (Buffer | string)[]) => sshKeyText(type, fields);
const ed25519 = () => sshKeyText();
/** A positive number of exactly so many bits. */
const number = (bits: number) => {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return Buffer.concat([Buffer.alloc(1), bytes]);
};
const rsa = (bits: number) => keyOf('ssh-rsa', Buffer.from([1, 0, 1]), number(bits));
const point = (bytes: number) => Buffer.concat([Buffer.from([4]), randomBytes(bytes - 1)]);

/** A published key of a public service, with the fingerprint that it publishes. */
const known = {
  key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  sha256: '+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
};

const add = (json: Json, token = owner.secret, path = '/user/keys') => app.api<Json>('POST', path, { token, json });

describe('what is a key', () => {
  it('of every type, with its size and fingerprints', () => {
    expect(parseSshKey(known.key)).toMatchObject({ kind: 'ed25519', bits: 256, fingerprintSha256: known.sha256 });
    expect(parseSshKey(`  ${rsa(3072)} a comment\n`)).toMatchObject({ kind: 'rsa', bits: 3072 });
    expect(parseSshKey(keyOf('ssh-dss', number(1024), number(160), number(1024), number(1024)))).toMatchObject({
      kind: 'dsa',
      bits: 1024,
    });
    const curve = keyOf('ecdsa-sha2-nistp384', 'nistp384', point(97));
    expect(parseSshKey(curve)).toMatchObject({ kind: 'ecdsa', bits: 384 });
    expect(parseSshKey(keyOf('sk-ssh-ed25519@openssh.com', randomBytes(32), 'ssh:'))).toMatchObject({
      kind: 'ed25519_sk',
    });
    const token = keyOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point(65), 'ssh:');
    expect(parseSshKey(token)).toMatchObject({ kind: 'ecdsa_sk', bits: 256 });
  });

  it('and what is none', () => {
    const wrong = [
      '',
      'ssh-ed25519',
      'ssh-ed25519 !!!!',
      known.key.replace('ssh-ed25519', 'ssh-rsa'),
      known.key.slice(0, -4),
      `${known.key}\n${known.key}`,
      `command="rm" ${known.key}`,
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----',
      keyOf('ssh-ed25519', randomBytes(31)),
      keyOf('ecdsa-sha2-nistp384', 'nistp256', point(65)),
      keyOf('constructor', randomBytes(32)),
      keyOf('ssh-ed25519', randomBytes(32), 'more'),
    ];
    for (const text of wrong) expect([text, parseSshKey(text)]).toEqual([text, null]);
    expect(parseFingerprint('SHA256:short')).toBeNull();
  });
});

describe('/user/keys', () => {
  it('adds, shows and removes one', async () => {
    const key = ed25519();
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const made = await add({ title: 'laptop', key: `${key} me@laptop`, expires_at, usage_type: 'auth' });
    expect(made).toMatchObject({ status: 201, body: { title: 'laptop', usage_type: 'auth', expires_at } });
    expect(made.body.key).toBe(`${key} ${owner.user.name} (127.0.0.1)`);
    const path = `/user/keys/${made.body.id}`;
    expect((await app.api('GET', path, { token: owner.secret })).body).toEqual(made.body);
    const list = await app.api<Json[]>('GET', '/user/keys', { token: owner.secret });
    expect(list.body).toEqual([made.body]);
    expect(list.headers.get('x-total')).toBe('1');
    expect((await app.api('DELETE', path, { token: (await buildToken(app)).secret })).status).toBe(404);
    expect((await app.api('DELETE', path, { token: owner.secret })).status).toBe(204);
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(404);
    expect((await app.api('GET', '/user/keys')).status).toBe(401);
  });

  it('a key belongs to one person', async () => {
    const key = ed25519();
    const taken = ['has already been taken'];
    expect((await add({ title: 'a', key })).status).toBe(201);
    expect(await add({ title: 'b', key: `${key} other` }, (await buildToken(app)).secret)).toMatchObject({
      status: 400,
      body: { message: { fingerprint: taken, fingerprint_sha256: taken, key: taken } },
    });
  });

  it('names what is missing or wrong', async () => {
    expect(await add({ key: ed25519() })).toMatchObject({ status: 400, body: { error: 'title is missing' } });
    expect(await add({ title: 'x', key: 'nonsense' })).toMatchObject({
      status: 400,
      body: { message: { key: ['is invalid'] } },
    });
    expect(await add({ title: ' ', key: ed25519(), expires_at: '2020-01-01' })).toMatchObject({
      body: { message: { key: ['has expired'], title: ["can't be blank"] } },
    });
    expect((await add({ title: 'x', key: ed25519(), usage_type: 'all' })).status).toBe(400);
  });

  it('keeps to the types and sizes that the instance takes', async () => {
    const key = keyOf('ssh-dss', number(1024), number(160), number(1024), number(1024));
    expect((await add({ title: 'x', key })).body).toMatchObject({
      message: { key: ['type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK'] },
    });
    await app.settings.write({ rsa_key_restriction: 3072, ed25519_key_restriction: -1 });
    try {
      expect((await add({ title: 'x', key: rsa(2048) })).body).toMatchObject({
        message: { key: ['must be at least 3072 bits'] },
      });
      expect((await add({ title: 'x', key: rsa(4096) })).status).toBe(201);
      expect((await add({ title: 'x', key: ed25519() })).status).toBe(400);
    } finally {
      await app.settings.write({ rsa_key_restriction: 0, ed25519_key_restriction: 0 });
    }
  });
});

describe('keys of others', () => {
  it('everybody reads them, administrators change them', async () => {
    const { user } = await buildToken(app);
    const path = `/users/${user.id}/keys`;
    const made = await add({ title: 'by admin', key: ed25519() }, admin.secret, path);
    expect(made.status).toBe(201);
    expect((await app.api('GET', `/users/${user.username}/keys`)).body).toEqual([made.body]);
    expect((await app.api('GET', `${path}/${made.body.id}`)).body).toEqual(made.body);
    expect((await app.api('GET', '/users/nobody-at-all/keys')).status).toBe(404);
    expect((await app.api('GET', `/users/${owner.user.id}/keys/${made.body.id}`)).status).toBe(404);
    expect((await add({ title: 'x', key: ed25519() }, owner.secret, path)).status).toBe(403);
    expect((await add({ title: 'x', key: ed25519() }, admin.secret, '/users/999999/keys')).status).toBe(404);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: owner.secret })).status).toBe(403);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: admin.secret })).status).toBe(204);
    const query = { entity_type: 'User', entity_id: user.id };
    const events = await app.api<Json[]>('GET', '/audit_events', { token: admin.secret, query });
    expect(events.body.map((event) => event.event_name)).toEqual(
      expect.arrayContaining(['ssh_key_created', 'ssh_key_destroyed']),
    );
  });

  it('administrators find one by id and by fingerprint', async () => {
    const made = await add({ title: 'known', key: known.key });
    const expected = { id: made.body.id, user: { id: owner.user.id } };
    const find = (query: Json, token = admin.secret) => app.api<Json>('GET', '/keys', { token, query });
    const md5 = parseSshKey(known.key)?.fingerprint;
    expect((await app.api('GET', `/keys/${made.body.id}`, { token: admin.secret })).body).toMatchObject(expected);
    for (const fingerprint of [`SHA256:${known.sha256}`, md5, `MD5:${md5}`])
      expect((await find({ fingerprint })).body).toMatchObject(expected);
    expect(await find({ fingerprint: 'nonsense' })).toMatchObject({
      status: 400,
      body: { message: 'Failed to return the key' },
    });
    expect((await find({ fingerprint: `SHA256:${'A'.repeat(43)}` })).status).toBe(404);
    expect((await find({})).status).toBe(400);
    expect((await find({ fingerprint: 'x' }, owner.secret)).status).toBe(403);
  });
});
