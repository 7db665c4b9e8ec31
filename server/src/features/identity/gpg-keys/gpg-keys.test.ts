/** GPG keys over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { gpgKeyTexts } from '../../../../test/keys.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { parseGpgKey } from './parse.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: string;
let owner: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  owner = await buildToken(app);
});
afterAll(() => app.close());

const pair = (email = `${unique('gpg')}@example.com`) => gpgKeyTexts(email);
const add = (key: string, token = owner.secret, path = '/user/gpg_keys') =>
  app.api<Json>('POST', path, { token, json: { key } });

describe('/user/gpg_keys', () => {
  it('adds, shows and removes one, with what is in it', async () => {
    const { publicKey } = await pair(owner.user.email);
    const made = await add(publicKey);
    expect(made).toMatchObject({ status: 201, body: { key: publicKey } });
    const parsed = await parseGpgKey(publicKey);
    expect(made.body).toMatchObject({ fingerprint: parsed?.fingerprint, primary_keyid: parsed?.keyid });
    expect(parsed?.fingerprint).toMatch(/^[0-9A-F]{40}$/);
    expect(parsed?.emails).toEqual([owner.user.email]);
    const subkeys = await app.db
      .selectFrom('gpg_key_subkeys')
      .select('keyid')
      .where('gpg_key_id', '=', Number(made.body.id))
      .execute();
    expect(subkeys).toHaveLength(parsed?.subkeys.length ?? -1);
    const path = `/user/gpg_keys/${made.body.id}`;
    expect((await app.api('GET', path, { token: owner.secret })).body).toEqual(made.body);
    expect((await app.api('GET', '/user/gpg_keys', { token: owner.secret })).body).toEqual([made.body]);
    expect((await app.api('GET', `/users/${owner.user.id}/gpg_keys`)).body).toEqual([made.body]);
    expect((await app.api('DELETE', path, { token: (await buildToken(app)).secret })).status).toBe(404);
    expect((await app.api('DELETE', path, { token: owner.secret })).status).toBe(204);
    expect(await app.api('GET', path, { token: owner.secret })).toMatchObject({
      status: 404,
      body: { message: '404 GPG Key Not Found' },
    });
  });

  it('a revoked one is gone, and another may add it', async () => {
    const { publicKey } = await pair();
    const made = await add(publicKey);
    const path = `/user/gpg_keys/${made.body.id}/revoke`;
    expect((await app.api('POST', path, { token: (await buildToken(app)).secret })).status).toBe(404);
    expect(await app.api('POST', path, { token: owner.secret })).toMatchObject({ status: 202, body: null });
    expect((await add(publicKey, (await buildToken(app)).secret)).status).toBe(201);
  });

  it('takes one public key that nobody has yet, and nothing else', async () => {
    const { publicKey, privateKey } = await pair();
    expect((await add(publicKey)).status).toBe(201);
    expect(await add(publicKey, (await buildToken(app)).secret)).toMatchObject({
      status: 400,
      body: { message: { key: ['has already been taken'], fingerprint: ['has already been taken'] } },
    });
    const second = (await pair()).publicKey;
    for (const wrong of [
      'nonsense',
      privateKey,
      `${publicKey}\n${second}`,
      second.replace(/(\n\n[^\n]{30})[^\n]*\n/, '$1\n'),
    ])
      expect(await add(wrong)).toMatchObject({
        status: 400,
        body: { message: { key: [expect.stringMatching(/^is invalid/)] } },
      });
    expect((await app.api('POST', '/user/gpg_keys', { token: owner.secret, json: {} })).status).toBe(400);
    expect((await app.api('GET', '/user/gpg_keys')).status).toBe(401);
  });
});

describe('/users/:id/gpg_keys', () => {
  it('administrators add, revoke and remove', async () => {
    const { user } = await buildToken(app);
    const path = `/users/${user.id}/gpg_keys`;
    const made = await add((await pair()).publicKey, admin, path);
    expect(made.status).toBe(201);
    expect((await app.api('GET', `${path}/${made.body.id}`)).body).toEqual(made.body);
    expect((await add((await pair()).publicKey, owner.secret, path)).status).toBe(403);
    expect((await app.api('POST', `${path}/${made.body.id}/revoke`, { token: admin })).status).toBe(202);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: admin })).status).toBe(404);
    const other = await add((await pair()).publicKey, admin, path);
    expect((await app.api('DELETE', `${path}/${other.body.id}`, { token: owner.secret })).status).toBe(403);
    expect((await app.api('DELETE', `${path}/${other.body.id}`, { token: admin })).status).toBe(204);
    expect((await app.api('GET', '/users/999999/gpg_keys')).status).toBe(404);
  });
});
