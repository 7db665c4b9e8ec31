/** What git clients do over HTTP besides the plain fetch and push: each as its user, with the real client. */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildToken, buildUser, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
/** Five commits a day apart, the second one tagged, a branch beside them. */
let project: RepositoryProject;
let open: RepositoryProject;
let url: string;
const ids: string[] = [];

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app, { files: null });
  open = await buildRepositoryProject(app, { visibility: 'public' });
  url = project.remote(project.owner.secret);
  await git.run(['init', '-q', 'source']);
  for (const day of [1, 2, 3, 4, 5]) {
    const date = `2024-05-0${day}T12:00:00Z`;
    await git.commit('source', `file${day}.txt`, `${day}\n`.repeat(day === 4 ? 5000 : 3));
    await git.run(['commit', '-q', '--amend', '--no-edit', '--date', date], 'source', { GIT_COMMITTER_DATE: date });
    ids.push(await git.run(['rev-parse', 'HEAD'], 'source'));
  }
  await git.run(['tag', '-a', '-m', 'two', 'two', ids[1] ?? ''], 'source');
  await git.run(['branch', 'side', ids[2] ?? ''], 'source');
  await git.run(['push', '-q', url, 'main', 'side', 'two'], 'source');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

async function clone(args: readonly string[] = [], from = url): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', ...args, from, name]);
  return name;
}
const count = async (where: string, rev = 'HEAD') => Number(await git.run(['rev-list', '--count', rev], where));
const head = (where: string) => git.run(['rev-parse', 'HEAD'], where);
const authorization = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

describe('fetching', () => {
  it.each([0, 1, 2])(
    'shallow clones of all kinds with protocol version %i, deepened and made whole',
    async (version) => {
      const v = ['-c', `protocol.version=${version}`];
      const shallow = await clone([...v, '--depth', '2']);
      expect(await count(shallow)).toBe(2);
      await git.run([...v, 'fetch', '-q', '--deepen', '1'], shallow);
      expect(await count(shallow)).toBe(3);
      await git.run([...v, 'fetch', '-q', '--unshallow', '--tags'], shallow);
      expect([await count(shallow), await git.run(['tag'], shallow)]).toEqual([5, 'two']);
      expect(await count(await clone([...v, '--shallow-since=2024-05-04T00:00:00Z']))).toBe(2);
      expect(await count(await clone([...v, '--shallow-exclude=side']))).toBe(2);
      expect(await git.run(['rev-parse', 'HEAD'], await clone([...v, '--single-branch', '-b', 'two']))).toBe(ids[1]);
    },
  );

  it.each([['blob:none'], ['tree:0'], ['blob:limit=1k']])(
    'a partial clone with %s fetches what it lacks later',
    async (filter) => {
      const where = await clone(['--no-checkout', `--filter=${filter}`]);
      const missing = async () =>
        (await git.run(['rev-list', '--objects', '--all', '--missing=print'], where))
          .split('\n')
          .filter((line) => line.startsWith('?')).length;
      expect(await missing()).toBeGreaterThan(0);
      await git.run(['checkout', '-q', 'main'], where);
      expect((await readdir(path.join(git.directory, where))).filter((name) => name.endsWith('.txt'))).toHaveLength(5);
      expect(await git.run(['log', '-p', '--format=%s', '--', 'file4.txt'], where)).toContain('+4');
      // A filter by a file's content would let a client read what it names.
      const sparse = await git.try(['clone', `--filter=sparse:oid=${ids[4]}:file1.txt`, url, unique('sparse')]);
      expect([sparse.code, sparse.stderr]).toEqual([128, expect.stringContaining("filter 'sparse:oid' not supported")]);
    },
  );

  it('a sparse, partial clone holds one directory', async () => {
    const where = await clone(['--filter=blob:none', '--sparse']);
    await git.run(['sparse-checkout', 'set', '--no-cone', '/file1.txt'], where);
    expect((await readdir(path.join(git.directory, where))).filter((name) => name.endsWith('.txt'))).toEqual([
      'file1.txt',
    ]);
  });

  it('a long negotiation arrives gzipped, in chunks where it is longer than the client’s buffer', async () => {
    const where = await clone();
    // A history that we do not know: the client offers all of it.
    const commits = Array.from(
      { length: 2000 },
      (_, index) => `commit refs/heads/own\ncommitter A <a@example.com> ${1_800_000_000 + index} +0000\ndata 1\nx\n\n`,
    );
    await writeFile(path.join(git.directory, where, 'stream'), commits.join(''));
    await git.run(['-c', 'alias.import=!git fast-import --quiet <stream', 'import'], where);
    for (const version of [0, 2])
      for (const [buffer, header] of [
        ['1m', 'Content-Encoding: gzip'],
        ['65536', 'Transfer-Encoding: chunked'],
      ]) {
        const id = await project.commit('main', { [unique('new')]: 'x' });
        ids.push(id);
        const v = ['-c', `protocol.version=${version}`, '-c', `http.postBuffer=${buffer}`];
        const trace = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' };
        const { stderr, code } = await git.try([...v, 'fetch', 'origin', 'main'], where, trace);
        const sent = stderr.split('\n').some((line) => line.includes(`Send header: ${header}`));
        expect([version, buffer, code, sent]).toEqual([version, buffer, 0, true]);
        expect(await git.run(['rev-parse', 'FETCH_HEAD'], where)).toBe(id);
      }
  });

  it('mirrors, both ways, without what only the service writes', async () => {
    const kept = await project.api<Json>('GET', '/repository/commits/main');
    expect(kept.status).toBe(200);
    const mirror = await clone(['--mirror']);
    expect((await git.run(['for-each-ref', '--format=%(refname)'], mirror)).split('\n')).toEqual([
      'refs/heads/main',
      'refs/heads/side',
      'refs/tags/two',
    ]);
    const copy = await buildRepositoryProject(app, { files: null });
    await git.run(['push', '-q', '--mirror', copy.remote(copy.owner.secret)], mirror);
    await git.run(['branch', '-D', 'side'], mirror);
    await git.run(['push', '-q', '--mirror', copy.remote(copy.owner.secret)], mirror);
    expect((await git.run(['ls-remote', copy.remote(copy.owner.secret)])).replaceAll(/^\S+\s+/gm, '')).toBe(
      'HEAD\nrefs/heads/main\nrefs/tags/two\nrefs/tags/two^{}',
    );
  });
});

describe('pushing', () => {
  it('after `Expect: 100-continue`, and in chunks', async () => {
    const where = await clone();
    const id = await git.commit(where, 'large', 'noise '.repeat(100_000));
    const expecting = ['-c', 'http.extraHeader=Expect: 100-continue', '-c', 'core.compression=0'];
    const push = ['push', 'origin', 'HEAD:expecting'];
    const { stderr, code } = await git.try([...expecting, '-c', 'http.postBuffer=65536', ...push], where, {
      GIT_TRACE_CURL: '1',
      GIT_TRACE_CURL_NO_DATA: '1',
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/HTTP\/1.1 100 Continue/i);
    expect(stderr).toContain('Transfer-Encoding: chunked');
    expect(await git.run(['ls-remote', url, 'expecting'])).toContain(id);
  });
});

describe('signing in', () => {
  it('[security 16] a token with any name, `oauth2`, a deploy token with its own, a password; wrong ones are told why', async () => {
    const { secret } = project.owner;
    for (const name of ['oauth2', 'git', 'x-token-auth', 'whoever'])
      expect(await git.run(['ls-remote', project.remote(secret, name), 'main'])).toContain('refs/heads/main');
    const json = { name: 'deploy', scopes: ['read_repository'], username: unique('deployer') };
    const deploy = (await project.api('POST', '/deploy_tokens', { json })).body;
    expect(await git.run(['ls-remote', project.remote(String(deploy.token), json.username), 'main'])).toContain('main');
    expect((await git.try(['ls-remote', project.remote(String(deploy.token), 'another')])).code).not.toBe(0);
    const where = await clone([], project.remote(String(deploy.token), json.username));
    await git.commit(where, 'deployed', 'x');
    expect((await git.try(['push', '-q', 'origin', 'HEAD:deployed'], where)).stderr).toContain('403');
    const password = 'correct horse battery';
    const user = await buildUser(app, { password });
    expect((await project.api('POST', '/members', { json: { user_id: user.id, access_level: 30 } })).status).toBe(201);
    expect(await git.run(['ls-remote', project.remote(password, user.username), 'main'])).toContain('main');
    await app.settings.write({ password_authentication_enabled_for_git: false });
    try {
      const refused = await git.try(['ls-remote', project.remote(password, user.username)]);
      expect([refused.code, refused.stderr]).toEqual([
        128,
        expect.stringContaining('remote: HTTP Basic: Access denied'),
      ]);
      expect(refused.stderr).toContain('takes access tokens');
    } finally {
      await app.settings.write({ password_authentication_enabled_for_git: true });
    }
    const wrong = await git.try(['ls-remote', project.remote('glpat-wrong', 'oauth2')]);
    expect(wrong.stderr).toContain('wrong, expired or revoked');
  });
});

describe('addresses', () => {
  it('without `.git`, with a slash behind, in another case, after a rename', async () => {
    const bare = url.replace(/\.git$/, '');
    const upper = url.replace(project.fullPath, project.fullPath.toUpperCase());
    for (const address of [bare, `${bare}/`, `${url}/`, upper]) {
      const where = await clone([], address);
      expect([address, await head(where)]).toEqual([address, ids.at(-1)]);
    }
    const moved = await buildRepositoryProject(app);
    const old = moved.remote(moved.owner.secret);
    const where = await clone([], old);
    const name = unique('renamed');
    expect((await moved.api('PUT', '', { json: { path: name } })).status).toBe(200);
    const fetched = await git.try(['fetch', 'origin'], where);
    expect([fetched.code, fetched.stderr]).toEqual([0, expect.stringContaining('redirecting to')]);
    expect(fetched.stderr).toContain(`${moved.fullPath.split('/')[0]}/${name}.git`);
    const id = await git.commit(where, 'after', 'x');
    await git.run(['push', '-q', 'origin', 'HEAD:after'], where);
    expect(((await moved.api('GET', '/repository/branches/after')).body.commit as Json).id).toBe(id);
    const target = `/${moved.fullPath}.git/info/refs?service=git-upload-pack`;
    const answer = await app.request<string>('GET', target, { headers: authorization('x', moved.owner.secret) });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      301,
      `${app.url}/${moved.fullPath.split('/')[0]}/${name}.git/info/refs?service=git-upload-pack`,
    ]);
    expect(answer.body).toContain('git remote set-url origin');
    // Where it went is for those who may see it.
    expect((await app.request('GET', target)).status).toBe(401);
    const stranger = authorization('x', (await buildToken(app)).secret);
    expect((await app.request('GET', target, { headers: stranger })).status).toBe(404);
  });

  it('a browser that opens a clone address lands on the page', async () => {
    const visit = async (target: string, headers: Record<string, string> = {}) => {
      const { status, headers: got } = await app.request('GET', target, {
        headers: { Accept: 'text/html', ...headers },
      });
      return [status, got.get('location')];
    };
    expect(await visit(`/${project.fullPath}.git`)).toEqual([302, `${app.url}/${project.fullPath}`]);
    expect(await visit(`/${project.fullPath}.git/`)).toEqual([302, `${app.url}/${project.fullPath}`]);
    expect(await visit(`/${project.fullPath}.wiki.git`)).toEqual([302, `${app.url}/${project.fullPath}/-/wikis/home`]);
    // Slashes too many count once: nothing leads to another host.
    expect(await visit('//evil.example/x.git')).toEqual([302, `${app.url}/evil.example/x`]);
    expect((await visit(`/${project.fullPath}.git`, { 'User-Agent': 'git/2.39.5' }))[0]).toBe(403);
    // Pages of files that are called like repositories are pages.
    expect((await visit(`/${project.fullPath}/-/blob/main/x.git`))[0]).not.toBe(302);
    expect((await visit(`/${project.fullPath}/-/blob/main/info/refs`))[0]).not.toBe(301);
  });

  it('the dumb protocol is refused with words, whatever it asks for', async () => {
    for (const target of [
      'info/refs',
      'HEAD',
      'objects/info/packs',
      `objects/${ids[0]?.slice(0, 2)}/${ids[0]?.slice(2)}`,
    ])
      for (const method of ['GET', 'HEAD'] as const) {
        if (method === 'HEAD' && target === 'info/refs') continue;
        const answer = await app.request<string>(method, `/${open.fullPath}.git/${target}`);
        expect([method, target, answer.status]).toEqual([method, target, 403]);
        if (method === 'GET') expect(answer.body).toContain('dumb HTTP protocol is not supported');
      }
    const archive = await app.request<string>('GET', `/${open.fullPath}.git/info/refs?service=git-upload-archive`);
    expect([archive.status, archive.body]).toEqual([403, expect.stringContaining('archives come from the API')]);
    expect((await git.try(['archive', `--remote=${open.remote()}`, 'main'])).code).not.toBe(0);
    const twice = `/${open.fullPath}.git/info/refs?service=git-upload-pack&service=git-receive-pack`;
    expect((await app.request('GET', twice)).status).toBe(403);
  });

  it('[security 1] wrong methods are 405, wrong types 415; the names inside are nobody’s', async () => {
    const base = `/${open.fullPath}.git`;
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'] as const) {
      const answer = await app.request(method, `${base}/info/refs?service=git-upload-pack`);
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
    for (const service of ['git-upload-pack', 'git-receive-pack'])
      for (const method of ['GET', 'HEAD', 'PATCH'] as const) {
        const answer = await app.request(method, `${base}/${service}`);
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST']);
      }
    const post = (headers: Record<string, string>, service = 'git-upload-pack') =>
      app.request<string>('POST', `${base}/${service}`, {
        raw: '0000',
        headers: { ...authorization('x', open.owner.secret), ...headers },
      });
    for (const type of ['text/plain', 'application/x-git-receive-pack-request', ''])
      expect([type, (await post({ 'Content-Type': type })).status]).toEqual([type, 415]);
    const right = { 'Content-Type': 'application/x-git-upload-pack-request' };
    expect((await post({ ...right, 'Content-Encoding': 'br' })).status).toBe(415);
    expect((await post(right)).status).toBe(200);
    // Who may not push is told so first.
    const anonymous = await app.request('POST', `${base}/git-receive-pack`, { raw: '0000', headers: right });
    expect(anonymous.status).toBe(401);
    const name = encodeURIComponent(project.fullPath);
    for (const target of [
      `/-/git/${name}/git/info/refs`,
      `/-/%67it/${name}/git/info/refs`,
      '/-/git-dumb',
      `/-/git-page/${name}`,
    ])
      expect([target, (await app.request('GET', `${target}?service=git-upload-pack`)).status]).toEqual([target, 404]);
  });
});
