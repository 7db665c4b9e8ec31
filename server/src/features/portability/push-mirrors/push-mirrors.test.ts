/** Push mirrors: to a repository that git itself serves over HTTP, and to servers that refuse, hang up or repeat secrets. Slow, sampled: servers hang up and are tried again. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { gitBackend } from '../../../../test/git-backend.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let git: GitClient;
let mails: MailServer;
let admin: BuiltToken;
/** With two branches and a tag. */
let shared: RepositoryProject;
const servers: Server[] = [];
const secret = 'pass-word-9Xy';

beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  await setting({ allow_local_requests_from_web_hooks_and_services: true });
  shared = await filled();
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  await git.close();
  await app.close();
  await mails.close();
});

const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A bare repository that `git http-backend` serves to who knows the password; its address and a way to look into it. */
async function target(): Promise<{ address: string; refs: () => Promise<Record<string, string>>; name: string }> {
  const name = `${unique('target')}.git`;
  await git.run(['init', '--bare', '--quiet', name]);
  await git.run(['config', 'http.receivepack', 'true'], name);
  const proof = `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`;
  const host = await served((request, response) => {
    if (request.headers.authorization !== proof) return void response.writeHead(401).end();
    void gitBackend(git.directory, request, response);
  });
  return {
    name,
    address: `http://robot:${secret}@${host}/${name}`,
    refs: async () => refsOf(await git.run(['for-each-ref', '--format=%(refname) %(objectname)'], name)),
  };
}

const refsOf = (text: string) =>
  Object.fromEntries(text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ') as [string, string]])));

interface Mirror extends Json {
  readonly id: number;
  readonly url: string;
  readonly update_status: string;
  readonly last_error: string | null;
}

const made = async (project: RepositoryProject, json: Json) => {
  const { status, body } = await project.api<Mirror>('POST', '/remote_mirrors', { json: { enabled: true, ...json } });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};
/** When no push waits or runs any more. */
const settled = (project: RepositoryProject, id: number) =>
  eventually('the push', async () => {
    const { body } = await project.api<Mirror>('GET', `/remote_mirrors/${id}`);
    return ['finished', 'failed'].includes(body.update_status) ? body : null;
  });
async function synced(project: RepositoryProject, id: number) {
  expect((await project.api('POST', `/remote_mirrors/${id}/sync`)).status).toBe(204);
  return await settled(project, id);
}

async function filled(): Promise<RepositoryProject> {
  const project = await buildRepositoryProject(app, { files: { 'README.md': '# Here\n' } });
  await project.commit('topic/one', { 'b.ts': 'b\n' }, { start_branch: 'main' });
  const tag = { tag_name: 'v1.0', ref: 'main', message: 'First' };
  expect((await project.api('POST', '/repository/tags', { json: tag })).status).toBe(201);
  return project;
}

describe('push mirrors', () => {
  it('security: get all branches and tags; name and password are never told, and sealed at rest', async () => {
    const project = shared;
    const { address, refs } = await target();
    const mirror = await made(project, { url: address });
    expect(mirror).toMatchObject({
      ...{ enabled: true, update_status: 'scheduled', last_error: null, auth_method: 'password', host_keys: [] },
      ...{ only_protected_branches: false, keep_divergent_refs: false, mirror_branch_regex: null },
      url: address.replace(`robot:${secret}`, '*****:*****'),
    });
    const done = await settled(project, mirror.id);
    expect(done).toMatchObject({ update_status: 'finished', last_error: null });
    for (const key of ['last_update_at', 'last_update_started_at', 'last_successful_update_at'])
      expect(done[key]).toEqual(expect.any(String));
    const there = await refs();
    expect(Object.keys(there)).toEqual(['refs/heads/main', 'refs/heads/topic/one', 'refs/tags/v1.0']);
    const own = await git.run(['ls-remote', '--heads', '--tags', '--refs', project.remote(project.owner.secret)]);
    expect(own.split('\n').map((line) => line.split('\t').reverse())).toEqual(Object.entries(there));
    const row = await app.db
      .selectFrom('push_mirrors')
      .selectAll()
      .where('id', '=', mirror.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify({ ...row, address_sealed: row.address_sealed.toString('latin1') })).not.toContain(secret);
    expect((await project.api('GET', '/remote_mirrors')).body).toContainEqual(done);
  });

  it('follow changes of the repository in the background, deletions of what was merged too', async () => {
    const project = await filled();
    const { address, refs } = await target();
    const { id } = await made(project, { url: address });
    await settled(project, id);
    // Pushes are some time apart; the last one is long ago.
    const before = { last_update_started_at: new Date(0), update_status: 'none' as const };
    await app.db.updateTable('push_mirrors').set(before).where('id', '=', id).execute();
    const sha = await project.commit('main', { 'c.ts': 'c\n' });
    await eventually('the change', async () => (await refs())['refs/heads/main'] === sha);
    await settled(project, id);
    // What has commits of its own stays at the mirror, what was merged goes with the branch here.
    await project.api('POST', '/repository/branches', { json: { branch: 'merged', ref: 'main' } });
    expect(await synced(project, id)).toMatchObject({ update_status: 'finished' });
    expect(Object.keys(await refs())).toContain('refs/heads/merged');
    for (const name of ['merged', 'topic%2Fone']) await project.api('DELETE', `/repository/branches/${name}`);
    expect(await synced(project, id)).toMatchObject({ update_status: 'finished' });
    expect(Object.keys(await refs())).toEqual(['refs/heads/main', 'refs/heads/topic/one', 'refs/tags/v1.0']);
  });

  it('take protected branches only, or those of a pattern', async () => {
    const project = shared;
    const first = await target();
    const guarded = await made(project, { url: first.address, only_protected_branches: true });
    expect(await settled(project, guarded.id)).toMatchObject({ update_status: 'finished' });
    expect(Object.keys(await first.refs())).toEqual(['refs/heads/main', 'refs/tags/v1.0']);
    const second = await target();
    const some = await made(project, { url: second.address, mirror_branch_regex: '^topic/' });
    expect(await settled(project, some.id)).toMatchObject({ mirror_branch_regex: '^topic/' });
    expect(Object.keys(await second.refs())).toEqual(['refs/heads/topic/one', 'refs/tags/v1.0']);
    // One rule takes the place of the other.
    const put = (json: Json) => project.api('PUT', `/remote_mirrors/${some.id}`, { json });
    const protectedOnly = { only_protected_branches: true, mirror_branch_regex: null };
    expect(await put({ only_protected_branches: true })).toMatchObject({ status: 200, body: protectedOnly });
    expect(await put({ mirror_branch_regex: 'x' })).toMatchObject({ body: { only_protected_branches: false } });
    for (const refused of [{ mirror_branch_regex: '(' }, { only_protected_branches: true, mirror_branch_regex: 'x' }])
      expect(await put(refused)).toMatchObject({ status: 400 });
  });

  it('overwrite what diverged at the mirror, unless it is to be kept', async () => {
    const project = await filled();
    const { address, refs, name } = await target();
    const { id } = await made(project, { url: address, keep_divergent_refs: true });
    await settled(project, id);
    const clone = unique('clone');
    await git.run(['clone', '--quiet', path.join(git.directory, name), clone]);
    const other = await git.commit(clone, 'elsewhere.txt', 'x\n');
    await git.run(['push', '--quiet', 'origin', 'HEAD:main'], clone);
    const sha = await project.commit('main', { 'c.ts': 'c\n' });
    const error = expect.stringContaining('refs/heads/main');
    expect(await synced(project, id)).toMatchObject({ update_status: 'failed', last_error: error });
    expect((await refs())['refs/heads/main']).toBe(other);
    await project.api('PUT', `/remote_mirrors/${id}`, { json: { keep_divergent_refs: false } });
    expect(await synced(project, id)).toMatchObject({ update_status: 'finished', last_error: null });
    expect((await refs())['refs/heads/main']).toBe(sha);
  });

  it('security: tell why a push failed, without what proved us; try again what may pass', async () => {
    const project = shared;
    const { address } = await target();
    const wrong = await made(project, { url: address.replace(secret, 'other') });
    const error = expect.stringContaining('name and password');
    expect(await settled(project, wrong.id)).toMatchObject({ update_status: 'failed', last_error: error });
    // One that is overloaded, then repeats the password.
    let asked = 0;
    const host = await served((request, response) => {
      asked += 1;
      if (asked === 1) return void response.writeHead(503).end();
      const [, proof = ''] = (request.headers.authorization ?? '').split(' ');
      const told = `ERR no ${Buffer.from(proof, 'base64').toString()}\n`;
      const line = '# service=git-receive-pack\n';
      const framed = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
      if (request.method === 'GET') {
        const caps = `${'0'.repeat(40)} capabilities^{}\0report-status delete-refs\n`;
        return void response.end(`${framed(line)}0000${framed(caps)}0000`);
      }
      request.resume().once('end', () => response.end(`${framed(`unpack ${told}`)}0000`));
    });
    const repeats = await made(project, { url: `http://robot:${secret}@${host}/a.git` });
    const refused = await settled(project, repeats.id);
    expect(asked).toBe(3);
    expect(refused.last_error).toContain('robot:*****');
    expect(refused.last_error).not.toContain(secret);
  });

  it('tell Maintainers and Owners by mail that one fails, once until it works again', async () => {
    const project = await filled();
    const developer = await project.member(Level.developer);
    const maintainer = await project.member(Level.maintainer);
    const told = (who: BuiltToken) => mails.received.filter(({ to }) => to.includes(who.user.email)).length;
    let works = false;
    const host = await served((_request, response) => {
      if (!works) return void response.writeHead(404).end();
      // Nothing is missing there.
      const line = '# service=git-receive-pack\n';
      const framed = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
      const [first = '', ...others] = refs;
      const caps = framed(`${first}\0report-status delete-refs\n`);
      response.end(`${framed(line)}0000${caps}${others.map((each) => framed(`${each}\n`)).join('')}0000`);
    });
    const own = await git.run(['ls-remote', '--heads', '--tags', '--refs', project.remote(project.owner.secret)]);
    const refs = own.split('\n').map((each) => each.replace('\t', ' '));
    const { id, url } = await made(project, { url: `http://robot:${secret}@${host}/a.git` });
    expect(await settled(project, id)).toMatchObject({ update_status: 'failed' });
    const mail = await mails.next(maintainer.user.email);
    expect(mail.header('Subject')).toBe(`${(await project.row()).name} | Remote mirror update failed`);
    for (const part of [url, project.fullPath, 'no such repository']) expect(mail.text).toContain(part);
    expect(mail.text).not.toContain(secret);
    await mails.next(project.owner.user.email);
    expect(await synced(project, id)).toMatchObject({ update_status: 'failed' });
    works = true;
    expect(await synced(project, id)).toMatchObject({ update_status: 'finished' });
    works = false;
    expect(await synced(project, id)).toMatchObject({ update_status: 'failed' });
    await mails.next(maintainer.user.email);
    expect([told(developer), told(maintainer)]).toEqual([0, 2]);
  });

  it('security: are refused for addresses that the instance does not reach, and silent with it', async () => {
    const project = shared;
    const { address, refs } = await target();
    const post = (json: Json) => project.api('POST', '/remote_mirrors', { json });
    for (const url of ['ssh://git:secret@example.com/a.git', 'file:///etc', 'nothing', 'ext::sh -c id'])
      expect(await post({ url })).toMatchObject({ status: 400, body: { message: { url: [expect.any(String)] } } });
    expect(await post({ url: 'https://a.example', auth_method: 'ssh_public_key' })).toMatchObject({ status: 400 });
    await setting({ allow_local_requests_from_web_hooks_and_services: false });
    for (const url of [address, 'http://localhost/a.git', 'http://[::ffff:127.0.0.1]/a.git', 'http://2130706433/a.git'])
      expect(await post({ url })).toMatchObject({ status: 400, body: { message: { url: [expect.any(String)] } } });
    await setting({ allow_local_requests_from_web_hooks_and_services: true, silent_mode_enabled: true });
    const { id } = await made(project, { url: address });
    const error = expect.stringContaining('Silent mode');
    expect(await settled(project, id)).toMatchObject({ update_status: 'failed', last_error: error });
    expect(await refs()).toEqual({});
    await setting({ silent_mode_enabled: false });
  });

  it('are for maintainers where the instance lets them, ten for a project, and pushed only while they are on', async () => {
    const project = await buildRepositoryProject(app);
    const { address } = await target();
    const { id } = await made(project, { url: address, enabled: false });
    expect(await project.api('POST', `/remote_mirrors/${id}/sync`)).toMatchObject({ status: 400 });
    const developer = await project.member(Level.developer);
    for (const target of ['/remote_mirrors', `/remote_mirrors/${id}`])
      expect((await project.api('GET', target, { token: developer.secret })).status).toBe(403);
    const others: number[] = [];
    for (let number = 0; number < 10; number += 1)
      others.push((await made(project, { url: address, enabled: false })).id);
    await app.db.updateTable('push_mirrors').set({ enabled: true }).where('id', 'in', others).execute();
    const refusal = { status: 400, body: { message: { base: [expect.stringContaining('10 enabled')] } } };
    const json = { url: address, enabled: true };
    expect(await project.api('POST', '/remote_mirrors', { json })).toMatchObject(refusal);
    expect(await project.api('PUT', `/remote_mirrors/${id}`, { json: { enabled: true } })).toMatchObject(refusal);
    expect((await project.api('POST', '/remote_mirrors', { json: { url: address } })).status).toBe(201);
    await app.db.deleteFrom('push_mirrors').where('id', 'in', others).execute();
    await setting({ mirror_available: false });
    expect(await project.api('PUT', `/remote_mirrors/${id}`, { json: { enabled: true } })).toMatchObject({
      status: 403,
    });
    await app.db.updateTable('push_mirrors').set({ enabled: true }).where('id', '=', id).execute();
    const asAdmin = (method: 'POST' | 'PUT', target: string, json?: Json) =>
      project.api(method, target, { token: admin.secret, ...(json ? { json } : {}) });
    expect((await asAdmin('POST', `/remote_mirrors/${id}/sync`)).status).toBe(204);
    const off = await eventually('the refusal', async () => {
      const row = await app.db.selectFrom('push_mirrors').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      return row.update_status === 'failed' ? row : null;
    });
    expect(off.last_error).toContain('mirror_available');
    // What an administrator saved counts.
    expect(await asAdmin('PUT', `/remote_mirrors/${id}`, { keep_divergent_refs: true })).toMatchObject({ status: 200 });
    expect((await asAdmin('POST', `/remote_mirrors/${id}/sync`)).status).toBe(204);
    await setting({ mirror_available: true });
    expect(await settled(project, id)).toMatchObject({ update_status: 'finished' });
    const removed = await project.api('DELETE', `/remote_mirrors/${id}`);
    expect([removed.status, (await project.api('GET', `/remote_mirrors/${id}`)).status]).toEqual([204, 404]);
  });
});
