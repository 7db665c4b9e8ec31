/** Pull mirrors: of a repository that git itself serves over HTTP, and of another project of the application over SSH. Slow, sampled: servers and real fetches. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { gitBackend } from '../../../../test/git-backend.ts';
import { lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { keyPair } from '../../../../test/ssh.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { delayAfter } from './schedule.ts';

let app: TestApp;
let git: GitClient;
let admin: BuiltToken;
let sshPort: number;
const servers: Server[] = [];
const secret = 'pass-word-7Qz';

beforeAll(async () => {
  app = await startTestApp({ background: true });
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  await setting({ allow_local_requests_from_web_hooks_and_services: true });
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await git.close();
  await app.close();
});

const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });

interface Mirror extends Json {
  readonly id: number;
  readonly update_status: string;
  readonly last_error: string | null;
}
interface Upstream {
  readonly address: string;
  readonly host: string;
  readonly clone: string;
  /** Objects of Git LFS by id; what is asked for besides is not there. */
  readonly large: Map<string, Buffer>;
  /** Bytes of the answers to fetches. */
  readonly sent: number[];
  push(branch: string, file: string, content: string): Promise<string>;
}

/** A repository elsewhere with a commit on `main`, that is served to who knows the password. */
async function upstream(): Promise<Upstream> {
  const name = `${unique('upstream')}.git`;
  await git.run(['init', '--bare', '--quiet', '--initial-branch=main', name]);
  const clone = unique('clone');
  await git.run(['clone', '--quiet', name, clone]);
  const proof = `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`;
  const large = new Map<string, Buffer>();
  const sent: number[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== proof) return void response.writeHead(401).end();
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/lfs/')) return void response.end(large.get(pathname.slice(5)));
    if (!pathname.endsWith('/info/lfs/objects/batch'))
      return void gitBackend(git.directory, request, response).then((size) => {
        if (request.method === 'POST') sent.push(size);
      });
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.once('end', () => {
      const { objects } = JSON.parse(Buffer.concat(body).toString()) as { objects: { oid: string; size: number }[] };
      const offered = objects.map(({ oid, size }) =>
        large.has(oid)
          ? { oid, size, actions: { download: { href: `http://${request.headers.host}/lfs/${oid}` } } }
          : { oid, size, error: { code: 404, message: 'no such object' } },
      );
      response.setHeader('Content-Type', 'application/vnd.git-lfs+json').end(JSON.stringify({ objects: offered }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const push = async (branch: string, file: string, content: string) => {
    await git.run(['checkout', '--quiet', '-B', branch], clone);
    const sha = await git.commit(clone, file, content);
    await git.run(['push', '--quiet', '--force', 'origin', branch], clone);
    return sha;
  };
  await push('main', 'README.md', '# There\n');
  return { address: `http://robot:${secret}@${host}/${name}`, host: `${host}/${name}`, clone, large, sent, push };
}

const configure = (project: RepositoryProject, json: Json, token?: string) =>
  project.api<Mirror>('PUT', '/mirror/pull', { json, ...(token ? { token } : {}) });
async function settled(project: RepositoryProject): Promise<Mirror> {
  return await eventually('the update', async () => {
    const { body } = await project.api<Mirror>('GET', '/mirror/pull');
    return ['finished', 'failed'].includes(body.update_status) ? body : null;
  });
}
/** As if the last update were long ago. */
const longAgo = (projectId: number, values: { next_update_at?: Date } = {}) =>
  app.db
    .updateTable('pull_mirrors')
    .set({ last_update_started_at: new Date(0), ...values })
    .where('project_id', '=', projectId)
    .execute();
async function synced(project: RepositoryProject): Promise<Mirror> {
  await longAgo(project.id);
  expect((await project.api('POST', '/mirror/pull')).status).toBe(202);
  return await settled(project);
}
const heads = async (project: RepositoryProject) =>
  Object.fromEntries(
    (await project.api<{ name: string; commit: { id: string } }[]>('GET', '/repository/branches')).body.map(
      ({ name, commit }) => [name, commit.id],
    ),
  );

describe('pull mirrors', () => {
  it('security: bring branches and tags over HTTP; name and password are never shown, and sealed at rest', async () => {
    const from = await upstream();
    const project = await buildRepositoryProject(app, { files: null });
    expect(await project.api('GET', '/mirror/pull')).toMatchObject({
      status: 400,
      body: { message: 'The project is not mirrored' },
    });
    const set = { enabled: true, url: `http://${from.host}`, auth_user: 'robot', auth_password: secret };
    const { status, body: mirror } = await configure(project, set);
    expect({ status, mirror }).toMatchObject({
      status: 200,
      mirror: {
        ...{ enabled: true, update_status: 'scheduled', last_error: null, auth_method: 'password', host_keys: [] },
        ...{ mirror_trigger_builds: false, only_mirror_protected_branches: false, mirror_branch_regex: null },
        ...{ mirror_overwrites_diverged_branches: false, url: `http://*****:*****@${from.host}` },
      },
    });
    const done = await settled(project);
    expect(done).toMatchObject({ update_status: 'finished', last_error: null });
    for (const key of ['last_update_at', 'last_update_started_at', 'last_successful_update_at'])
      expect(done[key]).toEqual(expect.any(String));
    const main = (await git.run(['rev-parse', 'main'], from.clone)).trim();
    expect([await heads(project), (await project.row()).default_branch]).toEqual([{ main }, 'main']);
    expect((await project.api('GET', '')).body).toMatchObject({ mirror: true });
    const row = await app.db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', project.id).execute();
    expect(
      JSON.stringify(row.map((each) => ({ ...each, address_sealed: each.address_sealed.toString('latin1') }))),
    ).not.toContain(secret);
    // What is new comes without what is here; branches that are deleted there stay.
    const big = 'x'
      .repeat(100)
      .split('')
      .map((_, index) => createHash('sha256').update(`${index}`).digest('hex'));
    const topic = await from.push('topic/one', 'big.txt', big.join('\n'));
    await git.run(['tag', '-a', '-m', 'First', 'v1.0'], from.clone);
    await git.run(['push', '--quiet', 'origin', 'v1.0'], from.clone);
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await heads(project)).toEqual({ main, 'topic/one': topic });
    expect((await project.api<{ name: string }[]>('GET', '/repository/tags')).body).toMatchObject([{ name: 'v1.0' }]);
    const next = await from.push('topic/one', 'small.txt', 'x\n');
    await git.run(['push', '--quiet', 'origin', ':main', '--force'], from.clone).catch(() => '');
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await heads(project)).toEqual({ main, 'topic/one': next });
    expect(from.sent.at(-1)).toBeLessThan((from.sent.at(-2) ?? 0) / 4);
    // A push event of the user who set it up, no pipeline.
    const events = await project.api<Json[]>('GET', '/events?action=pushed');
    expect(events.body[0]).toMatchObject({ author_id: project.owner.user.id });
  });

  it('keep what diverged and say so, overwrite it where that is wanted, and take some branches only', async () => {
    const from = await upstream();
    const project = await buildRepositoryProject(app, { files: null });
    await configure(project, { enabled: true, url: from.address });
    await settled(project);
    const here = await project.commit('main', { 'here.txt': 'x\n' });
    const there = await from.push('main', 'there.txt', 'x\n');
    const other = await from.push('other', 'other.txt', 'x\n');
    expect(await synced(project)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringContaining('refs/heads/main'),
    });
    expect(await heads(project)).toEqual({ main: here, other });
    expect((await configure(project, { mirror_overwrites_diverged_branches: true })).status).toBe(200);
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await heads(project)).toEqual({ main: there, other });
    expect((await configure(project, { only_mirror_protected_branches: true })).body).toMatchObject({
      only_mirror_protected_branches: true,
    });
    const later = await from.push('other', 'more.txt', 'x\n');
    expect(await synced(project)).toMatchObject({ update_status: 'finished' });
    expect((await heads(project)).other).toBe(other);
    expect((await configure(project, { mirror_branch_regex: '^oth' })).body).toMatchObject({
      ...{ only_mirror_protected_branches: false, mirror_branch_regex: '^oth' },
    });
    expect(await synced(project)).toMatchObject({ update_status: 'finished' });
    expect((await heads(project)).other).toBe(later);
    for (const json of [
      { mirror_branch_regex: '(' },
      { mirror_branch_regex: 'x', only_mirror_protected_branches: true },
      { url: 'file:///etc' },
      { url: 'ext::sh -c id' },
      { auth_method: 'ssh_public_key' },
      { host_keys: [keyPair().public] },
    ])
      expect([json, (await configure(project, json)).status]).toEqual([json, 400]);
  });

  it('bring objects of Git LFS before the branches that point at them, and name those that are missing', async () => {
    const from = await upstream();
    const content = Buffer.from('large');
    const oid = createHash('sha256').update(content).digest('hex');
    from.large.set(oid, content);
    await from.push('main', 'a.bin', pointer({ oid, size: content.length }));
    const project = await buildRepositoryProject(app, { files: null });
    await configure(project, { enabled: true, url: from.address });
    expect(await settled(project)).toMatchObject({ update_status: 'finished', last_error: null });
    const raw = await project.api<string>('GET', '/repository/files/a.bin/raw?ref=main&lfs=true');
    expect([raw.status, raw.body]).toEqual([200, 'large']);
    const sha = await from.push('main', 'b.bin', pointer({ oid: 'b'.repeat(64), size: 9 }));
    const failed = await synced(project);
    expect(failed).toMatchObject({ update_status: 'failed', last_error: expect.stringContaining('b'.repeat(64)) });
    expect((await heads(project)).main).toBe(sha);
  });

  it('trigger pipelines where that is wanted', async () => {
    const from = await upstream();
    const project = await buildRepositoryProject(app, { files: null });
    await from.push('main', '.gitlab-ci.yml', 'job:\n  script: echo\n');
    await configure(project, { enabled: true, url: from.address });
    await settled(project);
    const pipelines = async () => (await project.api<Json[]>('GET', '/pipelines')).body;
    expect(await pipelines()).toEqual([]);
    await configure(project, { mirror_trigger_builds: true });
    const sha = await from.push('main', 'a.txt', 'x\n');
    expect(await synced(project)).toMatchObject({ update_status: 'finished' });
    const [pipeline] = await eventually('the pipeline', async () =>
      (await pipelines()).length > 0 ? await pipelines() : null,
    );
    expect(pipeline).toMatchObject({ sha, ref: 'main', source: 'push' });
  });

  it('prove themselves over SSH by a key of their own, to a server whose key is known', async () => {
    const source = await buildRepositoryProject(app, { files: { 'README.md': '# Here\n' } });
    const project = await buildRepositoryProject(app, { files: null });
    const url = `ssh://git@127.0.0.1:${sshPort}/${source.fullPath}.git`;
    const { body: mirror } = await configure(project, { enabled: true, url });
    expect(mirror).toMatchObject({ url, auth_method: 'ssh_public_key', host_keys: [] });
    expect(await settled(project)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringContaining('does not accept the key'),
    });
    const { body } = await project.api<{ public_key: string }>('GET', '/mirror/pull/public_key');
    expect(body.public_key).toMatch(/^ssh-ed25519 AAAA\S+ millrace-mirror$/);
    const admitted = await source.api('POST', '/deploy_keys', { json: { title: 'mirror', key: body.public_key } });
    expect(admitted.status).toBe(201);
    expect(await synced(project)).toMatchObject({
      update_status: 'finished',
      host_keys: [{ fingerprint_sha256: expect.stringMatching(/^SHA256:/) }],
    });
    const sha = await source.commit('main', { 'b.ts': 'b\n' });
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
    expect(await heads(project)).toEqual({ main: sha });
    // Objects of Git LFS come from where the server says over SSH.
    const object = made();
    expect((await lfsClient(app, source).put(object)).status).toBe(200);
    const large = await source.commit('main', { 'a.bin': pointer(object) });
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
    expect([await heads(project), (await lfsClient(app, project).get(object.oid)).status]).toEqual([
      { main: large },
      200,
    ]);
    // The same address again keeps the key; a server with another host key gives nothing.
    expect((await configure(project, { url, host_keys: [keyPair().public] })).status).toBe(200);
    const same = await project.api<{ public_key: string }>('GET', '/mirror/pull/public_key');
    expect(same.body.public_key).toBe(body.public_key);
    await source.commit('main', { 'c.ts': 'c\n' });
    expect(await synced(project)).toMatchObject({ last_error: expect.stringContaining('another host key') });
    expect(await heads(project)).toEqual({ main: large });
  });

  it('are updated when their time has come, as many at once as mirror_max_capacity lets, not too often in a row', async () => {
    const from = await upstream();
    const project = await buildRepositoryProject(app, { files: null });
    await configure(project, { enabled: true, url: from.address });
    await settled(project);
    const due = await app.db
      .selectFrom('pull_mirrors')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    const minutes = ((due.next_update_at?.getTime() ?? 0) - (due.last_update_at?.getTime() ?? 0)) / 60_000;
    expect(Math.round(minutes)).toBe(30);
    const sha = await from.push('main', 'a.txt', 'x\n');
    await longAgo(project.id, { next_update_at: new Date(0) });
    // Another one is under way, and there is room for one.
    const busy = await buildRepositoryProject(app, { files: null });
    await configure(busy, { enabled: false, url: from.address });
    const running = { enabled: true, update_status: 'started' as const, last_update_started_at: new Date() };
    await app.db.updateTable('pull_mirrors').set(running).where('project_id', '=', busy.id).execute();
    await setting({ mirror_max_capacity: 1, mirror_capacity_threshold: 1 });
    await runTask(app, 'portability.schedule_pull_mirrors');
    const row = () =>
      app.db
        .selectFrom('pull_mirrors')
        .select(['update_status', 'next_update_at'])
        .where('project_id', '=', project.id)
        .executeTakeFirstOrThrow();
    expect(await row()).toMatchObject({ update_status: 'finished', next_update_at: new Date(0) });
    await app.db
      .updateTable('pull_mirrors')
      .set({ update_status: 'finished', enabled: false })
      .where('project_id', '=', busy.id)
      .execute();
    await runTask(app, 'portability.schedule_pull_mirrors');
    await eventually('the update', async () => (await heads(project)).main === sha);
    // What waits while its project is archived is updated when that is over.
    await settled(project);
    const later = await from.push('main', 'b.txt', 'x\n');
    const waiting = { update_status: 'scheduled' as const, next_update_at: new Date(0) };
    await app.db.updateTable('pull_mirrors').set(waiting).where('project_id', '=', project.id).execute();
    expect((await project.api('POST', '/archive')).status).toBe(201);
    await runTask(app, 'portability.schedule_pull_mirrors');
    expect(await row()).toMatchObject(waiting);
    expect((await project.api('POST', '/unarchive')).status).toBe(201);
    await setting({ mirror_max_capacity: 100, mirror_capacity_threshold: 50 });
    await runTask(app, 'portability.schedule_pull_mirrors');
    await eventually('the update', async () => (await heads(project)).main === later);
    expect([0, 1, 2, 20, 13, 14].map((failures) => delayAfter(failures, 300))).toEqual(
      [30, 30, 60, null, 300, null].map((each) => each && each * 60_000),
    );
    expect(delayAfter(0, 10)).toBe(600_000);
  });

  it('are for maintainers where the instance lets them, and act for somebody who is still there', async () => {
    const from = await upstream();
    const project = await buildRepositoryProject(app, { files: null });
    const developer = await project.member(Level.developer);
    const maintainer = await project.member(Level.maintainer);
    expect((await configure(project, { url: from.address }, developer.secret)).status).toBe(403);
    expect((await configure(project, { enabled: true }, maintainer.secret)).status).toBe(400);
    expect((await configure(project, { url: from.address }, maintainer.secret)).body).toMatchObject({ enabled: false });
    expect((await project.api('POST', '/mirror/pull')).status).toBe(400);
    await setting({ mirror_available: false });
    expect((await configure(project, { enabled: true }, maintainer.secret)).status).toBe(403);
    await setting({ mirror_available: true });
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', maintainer.user.id).execute();
    await app.db.updateTable('pull_mirrors').set({ enabled: true }).where('project_id', '=', project.id).execute();
    expect(await synced(project)).toMatchObject({ last_error: expect.stringContaining('gone or blocked') });
    expect((await configure(project, { enabled: true })).status).toBe(200);
    await setting({ silent_mode_enabled: true });
    expect(await synced(project)).toMatchObject({ last_error: expect.stringContaining('Silent mode') });
    await setting({ silent_mode_enabled: false });
    expect(await synced(project)).toMatchObject({ update_status: 'finished', last_error: null });
  });

  it('are attributes of the project: created, changed and switched off with it', async () => {
    const from = await upstream();
    const owner = await buildToken(app);
    const make = (json: Json) =>
      app.api<Json & { id: number }>('POST', '/projects', {
        token: owner.secret,
        json: { name: unique('made'), ...json },
      });
    const shown = { mirror: true, mirror_user_id: owner.user.id, mirror_trigger_builds: true };
    const first = { ...shown, only_mirror_protected_branches: false, mirror_overwrites_diverged_branches: false };
    const made = await make({ import_url: from.address, mirror: true, mirror_trigger_builds: true });
    expect(made).toMatchObject({ status: 201, body: { ...first, import_url: `http://${from.host}` } });
    const target = `/projects/${made.body.id}`;
    const api = (method: 'GET' | 'PUT' | 'POST', path: string, json?: Json, token = owner.secret) =>
      app.api<Json>(method, `${target}${path}`, { token, json });
    await eventually('the import', async () => (await api('GET', '')).body.import_status === 'finished');
    expect((await api('GET', '/mirror/pull')).body).toMatchObject({
      ...{ enabled: true, update_status: 'none', url: `http://*****:*****@${from.host}`, mirror_trigger_builds: true },
    });
    const sha = await from.push('main', 'a.txt', 'x\n');
    await longAgo(made.body.id, { next_update_at: new Date(0) });
    await runTask(app, 'portability.schedule_pull_mirrors');
    const main = async () => (await api('GET', '/repository/branches/main')).body.commit as Json;
    await eventually('the update', async () => (await main()).id === sha);
    // Other values of it, of another attribute, and what is wrong: then neither changes.
    const changed = { mirror_trigger_builds: false, mirror_overwrites_diverged_branches: true };
    expect((await api('PUT', '', { ...changed, description: 'Other' })).body).toMatchObject({
      ...{ ...first, ...changed, description: 'Other' },
    });
    for (const [json, key] of [
      [{ import_url: 'file:///etc' }, 'import_url'],
      [{ import_url: `https://git.example.com/${'é'.repeat(1000)}` }, 'import_url'],
      [{ mirror_branch_regex: '(' }, 'mirror_branch_regex'],
      [{ mirror_user_id: admin.user.id }, 'mirror_user_id'],
    ] as const)
      expect(await api('PUT', '', { description: 'Wrong', ...json })).toMatchObject({
        ...{ status: 400, body: { message: { [key]: [expect.any(String)] } } },
      });
    expect((await api('GET', '')).body).toMatchObject({ description: 'Other', ...changed });
    expect((await api('PUT', '', { mirror_branch_regex: '^m', mirror: false })).body).toMatchObject({ mirror: false });
    expect((await api('GET', '')).body).not.toHaveProperty('mirror_user_id');
    expect((await api('GET', '/mirror/pull')).body).toMatchObject({ enabled: false, mirror_branch_regex: '^m' });
    // Administrators name who updates are by; where mirrors are switched off for others, nothing changes.
    const by = { mirror: true, mirror_user_id: owner.user.id };
    expect((await api('PUT', '', by, admin.secret)).body).toMatchObject(by);
    expect((await api('PUT', '', { mirror_user_id: (await buildToken(app)).user.id }, admin.secret)).status).toBe(400);
    await setting({ mirror_available: false });
    expect(await api('PUT', '', { mirror: false })).toMatchObject({ status: 200, body: { mirror: true } });
    await setting({ mirror_available: true });
    expect(await make({ mirror: true })).toMatchObject({
      ...{ status: 400, body: { message: { import_url: ["can't be blank"] } } },
    });
    // Without an address there is nothing to say of a mirror; with one it follows.
    const plain = (await make({})).body.id;
    const put = (json: Json) => app.api<Json>('PUT', `/projects/${plain}`, { token: owner.secret, json });
    expect(await put({ mirror: false, mirror_trigger_builds: true })).toMatchObject({
      ...{ status: 200, body: { mirror: false } },
    });
    expect(await put({ mirror: true })).toMatchObject({
      status: 400,
      body: { message: { import_url: expect.anything() } },
    });
    expect(await put({ mirror: true, import_url: from.address })).toMatchObject({
      ...{ status: 200, body: { mirror: true, import_url: `http://${from.host}` } },
    });
  });
});
