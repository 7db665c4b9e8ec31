/** Push mirrors to another project of the application under test: over SSH, which knows the mirror by its key; objects of Git LFS over both. Slow, sampled: servers and real pushes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { keyPair } from '../../../../test/ssh.ts';
import { createOutbound } from '../../../kernel/outbound/index.ts';
import { openSshSession, sshRemote } from '../mirrors/remote-ssh.ts';
import { readHostKey } from '../mirrors/ssh-keys.ts';

let app: TestApp;
let admin: BuiltToken;
let port: number;
let source: RepositoryProject;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  await local(true);
  source = await buildRepositoryProject(app, { files: { 'README.md': '# Here\n' } });
  await source.commit('topic/one', { 'b.ts': 'b\n' }, { start_branch: 'main' });
});
afterAll(() => app.close());

const local = async (on: boolean) =>
  expect(
    await app.api('PUT', '/application/settings', {
      token: admin.secret,
      json: { allow_local_requests_from_web_hooks_and_services: on },
    }),
  ).toMatchObject({ status: 200 });

interface Mirror extends Json {
  readonly id: number;
  readonly update_status: string;
  readonly last_error: string | null;
  readonly host_keys: readonly { readonly fingerprint_sha256: string }[];
}
const addressOf = ({ fullPath }: RepositoryProject) => `ssh://git@127.0.0.1:${port}/${fullPath}.git`;
const create = (json: Json) => source.api<Mirror>('POST', '/remote_mirrors', { json });
const keyOf = async ({ id }: Mirror) =>
  (await source.api<{ public_key: string }>('GET', `/remote_mirrors/${id}/public_key`)).body.public_key;
const update = (id: number, json: Json) => source.api<Mirror>('PUT', `/remote_mirrors/${id}`, { json });
/** Pushes, and waits for what becomes of it. */
async function pushed({ id }: Mirror): Promise<Mirror> {
  await update(id, { enabled: true });
  expect((await source.api('POST', `/remote_mirrors/${id}/sync`)).status).toBe(204);
  return await eventually('the push', async () => {
    const { body } = await source.api<Mirror>('GET', `/remote_mirrors/${id}`);
    if (body.update_status === 'to_retry') throw new Error(String(body.last_error));
    return ['finished', 'failed'].includes(body.update_status) ? body : null;
  });
}
const admit = async (target: RepositoryProject, key: string, can_push = true) =>
  expect(await target.api('POST', '/deploy_keys', { json: { title: 'mirror', key, can_push } })).toMatchObject({
    status: 201,
  });
const branches = async (target: RepositoryProject) =>
  (await target.api<{ name: string; commit: { id: string } }[]>('GET', '/repository/branches')).body.map(
    ({ name, commit }) => [name, commit.id],
  );

describe('push mirrors over SSH', () => {
  it('prove themselves by a key of their own, and keep the host key that the server showed first', async () => {
    const target = await buildRepositoryProject(app, { files: null });
    const { status, body: mirror } = await create({ url: addressOf(target) });
    expect({ status, mirror }).toMatchObject({
      status: 201,
      mirror: { url: addressOf(target), auth_method: 'ssh_public_key', host_keys: [] },
    });
    const key = await keyOf(mirror);
    expect(key).toMatch(/^ssh-ed25519 AAAA\S+ millrace-mirror$/);
    expect(await pushed(mirror)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringContaining('does not accept the key'),
    });
    await admit(target, key);
    expect(await pushed(mirror)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await branches(target)).toEqual(await branches(source));
    // Nothing new, then a change.
    expect(await pushed(mirror)).toMatchObject({ update_status: 'finished' });
    const sha = await source.commit('main', { 'c.ts': 'c\n' });
    // The default branch was protected with the first push.
    expect(await pushed(mirror)).toMatchObject({ last_error: expect.stringContaining('refs/heads/main') });
    expect((await target.api('DELETE', '/protected_branches/main')).status).toBe(204);
    const last = await pushed(mirror);
    expect(last).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await branches(target)).toContainEqual(['main', sha]);
    expect(last.host_keys).toEqual([{ fingerprint_sha256: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/) }]);
  });

  it('security: give nothing to a server with another host key, and say which it has', async () => {
    const target = await buildRepositoryProject(app, { files: null });
    const other = keyPair().public;
    const { body: mirror } = await create({ url: addressOf(target), host_keys: [`example.com ${other} comment`] });
    await admit(target, await keyOf(mirror));
    const refused = await pushed(mirror);
    expect(refused).toMatchObject({ update_status: 'failed', last_error: expect.stringContaining('another host key') });
    expect(await branches(target)).toEqual([]);
    // What it has is told, and accepted where it is given; without any the first one is kept.
    const shown = /SHA256:[A-Za-z0-9+/]{43}/.exec(String(refused.last_error))?.[0];
    await update(mirror.id, { host_keys: [] });
    const first = await pushed(mirror);
    expect(first).toMatchObject({ update_status: 'finished', host_keys: [{ fingerprint_sha256: shown }] });
    const stored = await app.db.selectFrom('push_mirrors').select('host_keys').where('id', '=', mirror.id).execute();
    await update(mirror.id, { host_keys: stored[0]?.host_keys ?? [] });
    expect(await pushed(mirror)).toMatchObject({ update_status: 'finished' });
  });

  it('say what the server answers: no such repository, no right to push', async () => {
    const target = await buildRepositoryProject(app, { files: null });
    const { body: mirror } = await create({ url: addressOf(target) });
    await admit(target, await keyOf(mirror), false);
    const refused = await pushed(mirror);
    expect(refused.update_status).toBe('failed');
    expect(refused.last_error).toMatch(/The server said: .*ERROR/);
    expect(refused.last_error).not.toContain('*****');
  });

  it('security: keep the private key sealed, and are not reached where the instance reaches nothing', async () => {
    const { body: mirror } = await create({ url: 'ssh://robot@git.example.com/~team/a.git' });
    expect(mirror).toMatchObject({ url: 'ssh://*****@git.example.com/~team/a.git', enabled: false });
    const row = await app.db.selectFrom('push_mirrors').selectAll().where('id', '=', mirror.id).executeTakeFirst();
    expect(row?.ssh_private_key_sealed?.toString('latin1')).not.toContain('PRIVATE KEY');
    expect(JSON.stringify(mirror)).not.toContain('PRIVATE KEY');
    expect((await source.api('GET', '/remote_mirrors/999999/public_key')).status).toBe(404);
    const { body: plain } = await create({ url: 'https://git.example.com/a.git' });
    expect((await source.api('GET', `/remote_mirrors/${plain.id}/public_key`)).status).toBe(404);
    for (const json of [
      { url: 'ssh://git@git.example.com/a.git', auth_method: 'password' },
      { url: 'https://git.example.com/a.git', auth_method: 'ssh_public_key' },
      { url: 'ssh://git:word@git.example.com/a.git' },
      { url: 'ssh://git.example.com' },
      { url: 'https://git.example.com/a.git', host_keys: [keyPair().public] },
      { url: 'ssh://git@git.example.com/a.git', host_keys: ['nothing'] },
    ])
      expect([json, (await create(json)).status]).toEqual([json, 400]);
    expect((await update(plain.id, { auth_method: 'ssh_public_key' })).status).toBe(400);
    await local(false);
    const outbound = createOutbound({ settings: app.settings });
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      '2130706433',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
    ]) {
      const url = `ssh://git@${host}/a.git`;
      expect([host, (await create({ url })).status]).toEqual([host, 400]);
      const remote = sshRemote(url);
      const proof = { privateKey: keyPair().private, hostKeys: [] };
      if (!remote) throw new Error(url);
      await expect(openSshSession(outbound, remote, proof, AbortSignal.timeout(60_000))).rejects.toThrow(/not allowed/);
    }
    await local(true);
  });
});

describe('objects of Git LFS', () => {
  it('are sent over HTTP before the branches that point at them, and only those that the mirror lacks', async () => {
    const from = await buildRepositoryProject(app, { files: null });
    const [first, second] = [made(), made()];
    const here = lfsClient(app, from);
    for (const object of [first, second]) expect((await here.put(object)).status).toBe(200);
    await from.commit('main', { 'a.bin': pointer(first), 'b.bin': pointer(second) });
    const target = await buildRepositoryProject(app, { files: null });
    const there = lfsClient(app, target);
    expect((await there.put(first)).status).toBe(200);
    const json = { url: target.remote(target.owner.secret), enabled: true };
    const { body } = await from.api<Mirror>('POST', '/remote_mirrors', { json });
    const end = (id: number) =>
      eventually('the push', async () => {
        const found = (await from.api<Mirror>('GET', `/remote_mirrors/${id}`)).body;
        return ['finished', 'failed'].includes(found.update_status) ? found : null;
      });
    expect(await end(body.id)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await branches(target)).toEqual(await branches(from));
    expect((await there.get(second.oid)).status).toBe(200);
    expect(await there.size()).toBe(first.size + second.size);
    // Where the mirror takes none the push says so.
    const without = await buildRepositoryProject(app, { files: null });
    expect((await without.api('PUT', '', { json: { lfs_enabled: false } })).status).toBe(200);
    const other = { url: without.remote(without.owner.secret), enabled: true };
    const refused = await from.api<Mirror>('POST', '/remote_mirrors', { json: other });
    expect(await end(refused.body.id)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringContaining('Objects of Git LFS were not sent'),
    });
    expect(await branches(without)).toEqual(await branches(from));
  });

  it('are sent to where the server says over SSH, with what it says proves the mirror there', async () => {
    const from = await buildRepositoryProject(app, { files: null });
    const object = made();
    expect((await lfsClient(app, from).put(object)).status).toBe(200);
    await from.commit('main', { 'a.bin': pointer(object) });
    const targets = await Promise.all([1, 2].map(() => buildRepositoryProject(app, { files: null })));
    const [target, without] = targets as [RepositoryProject, RepositoryProject];
    expect((await without.api('PUT', '', { json: { lfs_enabled: false } })).status).toBe(200);
    const sent = async (to: RepositoryProject) => {
      const { body } = await from.api<Mirror>('POST', '/remote_mirrors', {
        json: { url: addressOf(to), enabled: false },
      });
      const key = await from.api<{ public_key: string }>('GET', `/remote_mirrors/${body.id}/public_key`);
      await admit(to, key.body.public_key);
      await from.api('PUT', `/remote_mirrors/${body.id}`, { json: { enabled: true } });
      expect((await from.api('POST', `/remote_mirrors/${body.id}/sync`)).status).toBe(204);
      return await eventually('the push', async () => {
        const found = (await from.api<Mirror>('GET', `/remote_mirrors/${body.id}`)).body;
        return ['finished', 'failed'].includes(found.update_status) ? found : null;
      });
    };
    expect(await sent(target)).toMatchObject({ update_status: 'finished', last_error: null });
    expect((await lfsClient(app, target).get(object.oid)).status).toBe(200);
    expect(await sent(without)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringContaining('Objects of Git LFS were not sent'),
    });
    expect(await branches(without)).toEqual(await branches(from));
  });
});

it('reads host keys as people paste them', () => {
  const key = keyPair('ecdsa', 256).public;
  for (const line of [key, ` ${key} comment`, `git.example.com,10.0.0.1 ${key}`]) expect(readHostKey(line)).toBe(key);
  for (const line of [
    '',
    'ssh-ed25519',
    'ssh-ed25519 AAAA',
    `a b ${key}`,
    key.replace('ecdsa-sha2-nistp256', 'ssh-rsa'),
  ])
    expect([line, readHostKey(line)]).toEqual([line, null]);
});
