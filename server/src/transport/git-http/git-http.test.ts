/** git over HTTP, with the real client and with bytes that no client sends. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually, protocolRunner } from '../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let open: RepositoryProject;
let developer: BuiltToken;
let maintainer: BuiltToken;

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  open = await buildRepositoryProject(app, { visibility: 'public' });
  developer = await project.member(30);
  maintainer = await project.member(40);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

/** A new clone of a project; answers its directory. */
async function clone(token: BuiltToken, of = project, args: string[] = []): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', ...args, of.remote(token.secret), name]);
  return name;
}
const lastPush = async () =>
  await app.db
    .selectFrom('facts')
    .select(['payload', 'actor_id'])
    .where('kind', '=', 'push')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
const branchTip = async (name: string) =>
  (await project.api<{ commit?: Json }>('GET', `/repository/branches/${encodeURIComponent(name)}`)).body.commit?.id ??
  null;

const basic = (password: string, username = 'git') => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const pkt = (text: string | Buffer) => {
  const data = Buffer.from(text);
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
};
const flush = Buffer.from('0000');
const zeros = '0'.repeat(40);
const exchange = (service: string, body: Buffer, headers: Record<string, string> = {}, of = project) =>
  app.request<string>('POST', `/${of.fullPath}.git/git-${service}`, {
    raw: body,
    headers: { 'Content-Type': `application/x-git-${service}-request`, ...basic(of.owner.secret), ...headers },
  });

describe('fetching', () => {
  it.each([0, 1, 2])('clones and fetches with protocol version %i', async (version) => {
    const where = await clone(project.owner, project, ['-c', `protocol.version=${version}`]);
    expect(await git.run(['log', '--format=%s'], where)).toContain('Initial commit');
    const id = await project.commit('main', { [`v${version}`]: 'x' });
    await git.run(['-c', `protocol.version=${version}`, 'fetch', '-q'], where);
    expect(await git.run(['rev-parse', 'origin/main'], where)).toBe(id);
  });

  it('shallow, partial and by id', async () => {
    await project.commit('main', { more: '1' });
    const shallow = await clone(project.owner, project, ['--depth', '1']);
    expect(await git.run(['rev-list', '--count', 'HEAD'], shallow)).toBe('1');
    await git.run(['fetch', '-q', '--unshallow'], shallow);
    expect(Number(await git.run(['rev-list', '--count', 'HEAD'], shallow))).toBeGreaterThan(1);
    await clone(project.owner, project, ['--filter=blob:none']);
    const old = await git.run(['rev-parse', 'HEAD~1'], shallow);
    await git.run(['init', '-q', 'by-id']);
    await git.run(['fetch', '-q', '--depth', '1', project.remote(project.owner.secret), old], 'by-id');
    expect(await git.run(['rev-parse', 'FETCH_HEAD'], 'by-id')).toBe(old);
  });

  it('an empty repository can be cloned, on its default branch', async () => {
    const empty = await buildRepositoryProject(app, { files: null, settings: { default_branch: 'trunk' } });
    const where = await clone(empty.owner, empty);
    expect(await git.run(['symbolic-ref', 'HEAD'], where)).toBe('refs/heads/trunk');
    expect(await git.run(['ls-remote', empty.remote(empty.owner.secret)])).toBe('');
  });

  it('anonymous callers clone public projects only', async () => {
    await git.run(['clone', '-q', open.remote(), 'public']);
    const refused = await git.try(['clone', '-q', project.remote(), 'private']);
    expect([refused.code === 0, /could not read Username|terminal prompts disabled/.test(refused.stderr)]).toEqual([
      false,
      true,
    ]);
    const answer = await app.request('GET', `/${project.fullPath}.git/info/refs?service=git-upload-pack`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Millrace"']);
    const unknown = await app.request('GET', `/${project.fullPath}x.git/info/refs?service=git-upload-pack`);
    expect([unknown.status, unknown.body]).toEqual([401, answer.body]);
    const push = await app.request('GET', `/${open.fullPath}.git/info/refs?service=git-receive-pack`);
    expect(push.status).toBe(401);
  });

  it('security 16: wrong, expired, revoked and wrongly scoped tokens are refused', async () => {
    const user = project.owner.user;
    const refs = (headers: Record<string, string>, service = 'upload') =>
      app.request<string>('GET', `/${project.fullPath}.git/info/refs?service=git-${service}-pack`, { headers });
    expect((await refs(basic('wrong'))).status).toBe(401);
    expect((await refs(basic(''))).status).toBe(401);
    expect((await refs({ Authorization: 'Basic !!!' })).status).toBe(401);
    expect((await refs(basic((await buildToken(app, { user, expiresAt: '2020-01-01' })).secret))).status).toBe(401);
    const readUser = await buildToken(app, { user, scopes: ['read_user'] });
    expect((await refs(basic(readUser.secret))).status).toBe(403);
    const reading = await buildToken(app, { user, scopes: ['read_repository'] });
    expect([(await refs(basic(reading.secret))).status, (await refs(basic(reading.secret), 'receive')).status]).toEqual(
      [200, 403],
    );
    const writing = await buildToken(app, { user, scopes: ['write_repository'] });
    expect([(await refs(basic(writing.secret))).status, (await refs(basic(writing.secret), 'receive')).status]).toEqual(
      [200, 200],
    );
    const stranger = await buildToken(app);
    expect((await refs(basic(stranger.secret))).status).toBe(404);
    const guest = await project.member(10);
    expect((await refs(basic(guest.secret))).status).toBe(403);
    const reporter = await project.member(20);
    expect([
      (await refs(basic(reporter.secret))).status,
      (await refs(basic(reporter.secret), 'receive')).status,
    ]).toEqual([200, 403]);
  });

  it('security 18: access ends with the membership', async () => {
    const left = await project.member(30);
    const where = await clone(left);
    await project.api('DELETE', `/members/${left.user.id}`);
    expect((await git.try(['fetch', '-q'], where)).code).not.toBe(0);
    await git.commit(where, 'x', 'x');
    expect((await git.try(['push', '-q', 'origin', 'HEAD:left'], where)).code).not.toBe(0);
  });

  it('without .git git is sent to the name that has it, without a service to an explanation', async () => {
    const redirect = await app.request('GET', `/${open.fullPath}/info/refs?service=git-upload-pack`);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      301,
      `${app.url}/${open.fullPath}.git/info/refs?service=git-upload-pack`,
    ]);
    await git.run(['clone', '-q', open.remote().replace(/\.git$/, ''), 'redirected']);
    for (const target of ['info/refs', 'info/refs?service=git-evil', 'HEAD', 'objects/info/packs']) {
      const dumb = await app.request<string>('GET', `/${open.fullPath}.git/${target}`);
      expect([target, dumb.status]).toEqual([target, 403]);
    }
  });

  it('security 2: paths with dots name no repository', async () => {
    for (const path of ['..%2f..%2fetc', `${open.fullPath}%2f..%2f..`, '%2e%2e/x', 'a/%00b']) {
      const answer = await app.request('GET', `/${path}.git/info/refs?service=git-upload-pack`);
      expect([path, [400, 401, 404].includes(answer.status)]).toEqual([path, true]);
    }
    expect((await app.api('GET', '/projects/a%00b')).status).toBe(404);
  });

  it('a job token reads its own project, and pushes there where the project lets it, without a pipeline', async () => {
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const json = { runner_type: 'instance_type', run_untagged: true };
    const runner = await app.api<Json>('POST', '/user/runners', { token: admin.secret, json });
    await project.commit('ci', { '.gitlab-ci.yml': 'one: {script: [make]}\n' }, { start_branch: 'main' });
    expect((await project.api('POST', '/pipeline', { json: { ref: 'ci' } })).status).toBe(201);
    const job = await protocolRunner(app, String(runner.body.token)).next();
    const secret = job.token;
    const kept = `refs/pipelines/${(await project.api<Json[]>('GET', '/pipelines')).body[0]?.id}`;
    expect(await git.run(['ls-remote', project.remote(secret, 'gitlab-ci-token'), kept])).toContain(kept);
    await git.run(['clone', '-q', project.remote(secret, 'gitlab-ci-token'), 'by-job']);
    await git.commit('by-job', 'x', 'x');
    const push = await git.try(['push', 'origin', 'HEAD:by-job'], 'by-job');
    expect([push.code === 0, /403/.test(push.stderr)]).toEqual([false, true]);
    expect((await project.api('PUT', '', { json: { ci_push_repository_for_job_token_allowed: true } })).status).toBe(
      200,
    );
    await app.delivery.drain();
    const pipelines = async () => (await project.api<Json[]>('GET', '/pipelines')).body.length;
    const before = await pipelines();
    await git.commit('by-job', '.gitlab-ci.yml', 'one: {script: [make]}\n');
    await git.run(['push', '-q', 'origin', 'HEAD:by-job'], 'by-job');
    expect((await lastPush()).payload).toMatchObject({ ref: 'refs/heads/by-job', job_id: job.id });
    await app.delivery.drain();
    expect(await pipelines()).toBe(before);
    const elsewhere = await buildRepositoryProject(app, { owner: project.owner });
    const allowed = { json: { ci_push_repository_for_job_token_allowed: true } };
    expect((await elsewhere.api('PUT', '', allowed)).status).toBe(200);
    const foreign = await git.try(['push', elsewhere.remote(secret, 'gitlab-ci-token'), 'HEAD:x'], 'by-job');
    expect([foreign.code === 0, foreign.stderr]).toEqual([false, expect.stringMatching(/could not be found/)]);
    const other = await buildRepositoryProject(app, { owner: project.owner });
    expect((await git.try(['ls-remote', other.remote(secret, 'gitlab-ci-token')])).code).not.toBe(0);
  });

  it('broken requests end with an error, not with the server', async () => {
    for (const body of [
      Buffer.from('garbage'),
      Buffer.from('zzzz'),
      pkt('command=ls-refs\n'),
      Buffer.alloc(0),
      pkt('want x\n'),
    ]) {
      const answer = await exchange('upload-pack', body, { 'Git-Protocol': 'version=2' }, open);
      expect([body.toString('latin1'), answer.status < 500]).toEqual([body.toString('latin1'), true]);
    }
    const gzip = await exchange('upload-pack', Buffer.from('no gzip'), { 'Content-Encoding': 'gzip' }, open);
    expect(gzip.status).toBe(400);
    const lsRefs = Buffer.concat([pkt('command=ls-refs\n'), Buffer.from('0001'), pkt('peel\n'), flush]);
    const packed = await exchange(
      'upload-pack',
      gzipSync(lsRefs),
      { 'Content-Encoding': 'gzip', 'Git-Protocol': 'version=2' },
      open,
    );
    expect([packed.status, packed.body.includes('refs/heads/main')]).toEqual([200, true]);
  });
});

describe('pushing', () => {
  it('a new branch, an update, a tag and deletions, with facts and fresh reads after each', async () => {
    const where = await clone(developer);
    const first = await git.commit(where, 'one.txt', '1');
    const generation = (await project.row()).refs_generation;
    const created = await git.try(['push', 'origin', 'HEAD:refs/heads/feature/x'], where);
    expect([created.code, created.stderr]).toEqual([
      0,
      expect.stringContaining('merge_requests/new?merge_request%5Bsource_branch%5D=feature%2Fx'),
    ]);
    expect(await branchTip('feature/x')).toBe(first);
    expect((await project.row()).refs_generation).toBe(generation + 1);
    expect(await lastPush()).toEqual({
      actor_id: developer.user.id,
      payload: expect.objectContaining({ ref: 'refs/heads/feature/x', before: zeros, after: first, via: 'push' }),
    });
    const second = await git.commit(where, 'one.txt', '2');
    await git.run(['push', '-q', 'origin', 'HEAD:feature/x'], where);
    expect((await lastPush()).payload).toMatchObject({ before: first, after: second });
    expect(await branchTip('feature/x')).toBe(second);
    await git.run(['tag', '-a', '-m', 'tagged', 'v1'], where);
    await git.run(['push', '-q', 'origin', 'v1'], where);
    expect((await project.api('GET', '/repository/tags/v1')).body).toMatchObject({
      message: 'tagged',
      commit: { id: second },
    });
    await git.run(['push', '-q', 'origin', '--delete', 'feature/x', 'v1'], where);
    expect(await branchTip('feature/x')).toBeNull();
    expect((await project.api('GET', '/repository/tags/v1')).status).toBe(404);
    expect((await git.run(['ls-remote', 'origin'], where)).includes('feature/x')).toBe(false);
  });

  it('the first push to an empty repository makes the default branch, and protects it', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    await git.run(['init', '-q', '-b', 'trunk', 'first']);
    await git.commit('first', 'a', 'a');
    await git.run(['push', '-q', empty.remote(empty.owner.secret), 'trunk'], 'first');
    expect((await empty.row()).default_branch).toBe('trunk');
    expect((await empty.api('GET', '/repository/branches/trunk')).body).toMatchObject({
      default: true,
      protected: true,
    });
    const where = await clone(empty.owner, empty);
    expect(await git.run(['symbolic-ref', 'HEAD'], where)).toBe('refs/heads/trunk');
  });

  it('a renamed default branch of an empty repository is what HEAD names after the first push', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    expect((await empty.api('PUT', '', { json: { default_branch: 'dev' } })).status).toBe(200);
    await git.run(['init', '-q', '-b', 'dev', 'renamed']);
    await git.commit('renamed', 'a', 'a');
    await git.run(['push', '-q', empty.remote(empty.owner.secret), 'dev'], 'renamed');
    expect(await git.run(['symbolic-ref', 'HEAD'], await clone(empty.owner, empty))).toBe('refs/heads/dev');
    await empty.api('POST', '/repository/branches', { json: { branch: 'next', ref: 'dev' } });
    expect((await empty.api('PUT', '', { json: { default_branch: 'next' } })).status).toBe(200);
    expect(await git.run(['symbolic-ref', 'HEAD'], await clone(empty.owner, empty))).toBe('refs/heads/next');
  });

  it('history of unprotected branches may be rewritten', async () => {
    const where = await clone(developer);
    await git.commit(where, 'a', '1');
    await git.run(['push', '-q', 'origin', 'HEAD:rewritten'], where);
    await git.run(['commit', '-q', '--amend', '-m', 'other'], where);
    expect((await git.try(['push', '-q', 'origin', 'HEAD:rewritten'], where)).code).not.toBe(0);
    await git.run(['push', '-q', '-f', 'origin', 'HEAD:rewritten'], where);
    expect(await branchTip('rewritten')).toBe(await git.run(['rev-parse', 'HEAD'], where));
  });

  it('protected branches: developers, force and deletion are refused with the reason at the terminal', async () => {
    const where = await clone(developer);
    await git.commit(where, 'protected', '1');
    const refused = async (args: string[], reason: string) => {
      const before = await branchTip('main');
      const { code, stderr } = await git.try(['push', ...args], where);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`remote: Millrace: ${reason}`)]);
      expect(stderr).toContain('[remote rejected]');
      expect(await branchTip('main')).toBe(before);
    };
    await refused(['origin', 'HEAD:main'], 'You are not allowed to push code to protected branches on this project.');
    const as = project.remote(maintainer.secret);
    await git.run(['push', '-q', as, 'HEAD:main'], where);
    await git.run(['commit', '-q', '--amend', '-m', 'other'], where);
    await refused(
      ['-f', as, 'HEAD:main'],
      'You are not allowed to force push code to a protected branch on this project.',
    );
    await refused([as, ':main'], 'The default branch of a project cannot be deleted.');
  });

  it('security 22, security 4: names of refs follow the same rules as in the API', async () => {
    const where = await clone(project.owner);
    const tip = await git.run(['rev-parse', 'HEAD'], where);
    for (const ref of [
      `refs/heads/${tip}`,
      `refs/tags/${tip}`,
      'refs/heads/-x',
      'refs/heads/HEAD',
      'refs/merge-requests/1/head',
      'refs/pipelines/1',
      'refs/keep-around/x',
      'refs/other/x',
    ]) {
      const { code, stderr } = await git.try(['push', 'origin', `HEAD:${ref}`], where);
      expect([ref, code, stderr.includes('[remote rejected]')]).toEqual([ref, 1, true]);
    }
    expect(await git.run(['ls-remote', 'origin'], where)).not.toContain('merge-requests');
  });

  it('one ref of many may be refused; an atomic push is all or nothing', async () => {
    const where = await clone(developer);
    await git.commit(where, 'atomic', '1');
    const atomic = await git.try(['push', '--atomic', 'origin', 'HEAD:main', 'HEAD:at1'], where);
    expect(atomic.code).toBe(1);
    expect(await branchTip('at1')).toBeNull();
    const some = await git.try(['push', 'origin', 'HEAD:main', 'HEAD:at1'], where);
    expect(some.code).toBe(1);
    expect(await branchTip('at1')).toBe(await git.run(['rev-parse', 'HEAD'], where));
    await git.run(['push', '-q', '--atomic', 'origin', 'HEAD:at2', 'HEAD:at3'], where);
    expect(await branchTip('at3')).not.toBeNull();
  });

  it('push options reach the fact', async () => {
    const where = await clone(developer);
    await git.commit(where, 'options', '1');
    await git.run(['push', '-q', '-o', 'ci.skip', '-o', 'ci.variable=A=b', 'origin', 'HEAD:options'], where);
    expect((await lastPush()).payload).toMatchObject({ push_options: ['ci.skip', 'ci.variable=A=b'] });
  });

  it('a name below an existing branch is refused, the others go on', async () => {
    const where = await clone(developer);
    await git.commit(where, 'dirs', '1');
    const pushed = await git.try(['push', 'origin', 'HEAD:dirs', 'HEAD:rewritten/below'], where);
    expect(pushed.code).toBe(1);
    expect(await branchTip('dirs')).not.toBeNull();
  });

  it('a big push arrives whole, chunked and packed', async () => {
    const where = await clone(developer);
    const id = await git.commit(where, 'noise', randomBytes(3 * 1024 * 1024).toString('base64'));
    await git.run(['-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'HEAD:big'], where);
    expect(await branchTip('big')).toBe(id);
  });

  it('pushes at the same time: to different branches all land, to one exactly one', async () => {
    const clones = await Promise.all([1, 2, 3, 4].map(() => clone(developer)));
    await Promise.all(clones.map((where) => git.commit(where, 'race', where)));
    const apart = await Promise.all(
      clones.map((where) => git.try(['push', '-q', 'origin', `HEAD:apart-${where}`], where)),
    );
    expect(apart.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const same = await Promise.all(clones.map((where) => git.try(['push', '-q', 'origin', 'HEAD:same'], where)));
    expect(same.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(await branchTip('same')).not.toBeNull();
  });

  it('a client that goes away in the middle leaves nothing behind', async () => {
    const { request } = await import('node:http');
    const url = new URL(`${app.url}/${project.fullPath}.git/git-receive-pack`);
    const headers = { 'Content-Type': 'application/x-git-receive-pack-request', ...basic(project.owner.secret) };
    const sent = request(url, { method: 'POST', headers });
    const gone = new Promise((resolve) => sent.once('close', resolve));
    sent.on('error', () => undefined);
    sent.write(
      Buffer.concat([
        pkt(`${zeros} ${'1'.repeat(40)} refs/heads/gone\0report-status\n`),
        flush,
        Buffer.from('PACK\0\0\0\x02\0\0\0\x09', 'latin1'),
      ]),
    );
    const quarantines = async () =>
      (await readdir(`${project.directory}/objects`)).filter((name) => name.startsWith('incoming-')).length;
    await eventually('the quarantine', async () => (await quarantines()) === 1);
    sent.destroy();
    await gone;
    await eventually('its removal', async () => (await quarantines()) === 0);
    expect(await branchTip('gone')).toBeNull();
  });

  it('security 18: a blocked person neither fetches nor pushes', async () => {
    const blocked = await project.member(40);
    const where = await clone(blocked);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.user.id).execute();
    app.identity.forgetCallers();
    expect((await git.try(['fetch', '-q'], where)).code).not.toBe(0);
    await git.commit(where, 'blocked', '1');
    expect((await git.try(['push', '-q', 'origin', 'HEAD:blocked'], where)).code).not.toBe(0);
    expect(await branchTip('blocked')).toBeNull();
  });

  it('an archived project takes no push', async () => {
    const old = await buildRepositoryProject(app);
    const where = await clone(old.owner, old);
    await app.db.updateTable('projects').set({ archived: true }).where('id', '=', old.id).execute();
    await git.commit(where, 'a', '1');
    const refused = await git.try(['push', 'origin', 'HEAD:x'], where);
    expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining('This project is archived')]);
    await git.run(['fetch', '-q'], where);
  });

  it('corrupt packs and missing objects change nothing and say so', async () => {
    const caps = 'report-status side-band-64k atomic';
    const tip = String(await branchTip('main'));
    const push = async (commands: string[], pack: Buffer) => {
      const lines = commands.map((line, index) => pkt(index === 0 ? `${line}\0${caps}\n` : `${line}\n`));
      return exchange('receive-pack', Buffer.concat([...lines, flush, pack]));
    };
    const created = `${zeros} ${'1'.repeat(40)} refs/heads/corrupt`;
    for (const pack of [
      Buffer.from('PACK no pack at all'),
      Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01'), randomBytes(200)]),
      Buffer.alloc(0),
    ]) {
      const answer = await push([created], pack);
      expect([answer.status, answer.body]).toEqual([200, expect.stringMatching(/unpack (?!ok)/)]);
      expect(answer.body).toContain('ng refs/heads/corrupt');
      expect(answer.body).not.toContain(app.directory);
    }
    const stale = await push([`${'2'.repeat(40)} ${tip} refs/heads/main`], emptyPack);
    expect(stale.body).toContain('ng refs/heads/main');
    expect(await branchTip('corrupt')).toBeNull();
    expect(await branchTip('main')).toBe(tip);
    const leftovers = async () =>
      (await readdir(`${project.directory}/objects`)).filter((name) => name.startsWith('incoming-'));
    await expect.poll(leftovers).toEqual([]);
  });

  it('garbage, oversized lines and commands, and broken gzip are refused', async () => {
    for (const body of [Buffer.from('garbage'), pkt('not a command\n'), Buffer.from('fff1')]) {
      const answer = await exchange('receive-pack', body);
      expect([body.toString(), answer.status >= 400 && answer.status < 500]).toEqual([body.toString(), true]);
    }
    const tip = String(await branchTip('main'));
    const many = Buffer.concat([
      ...Array.from({ length: 50_001 }, (_, i) =>
        pkt(`${zeros} ${tip} refs/heads/many${i}${i === 0 ? '\0report-status' : ''}\n`),
      ),
      flush,
    ]);
    const tooMany = await exchange('receive-pack', many);
    expect([tooMany.status, tooMany.body]).toEqual([
      200,
      expect.stringContaining('at most 50000 refs (push_refs_limit)'),
    ]);
    expect((await exchange('receive-pack', Buffer.from('no gzip'), { 'Content-Encoding': 'gzip' })).status).toBe(400);
    expect((await exchange('receive-pack', flush)).status).toBe(200);
  });
});

/** `PACK`, version 2, no objects, and its checksum. */
const emptyPack = Buffer.concat([
  Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1'),
  Buffer.from('029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex'),
]);
