/** Projects from repositories elsewhere: over HTTP from a server that speaks git, and from those that do not or lie. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let admin: BuiltToken;
let person: BuiltToken;
let source: RepositoryProject;
const others: Server[] = [];
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  person = await buildToken(app);
  source = await buildRepositoryProject(app, { files: { 'README.md': '# Elsewhere\n', 'src/a.ts': 'a\n' } });
  await source.commit('topic/one', { 'b.ts': 'b\n' }, { start_branch: 'main' });
  const tag = { tag_name: 'v1.0', ref: 'main', message: 'First' };
  expect((await source.api('POST', '/repository/tags', { json: tag })).status).toBe(201);
  await setting({ allow_local_requests_from_web_hooks_and_services: true });
});
afterEach(() => {
  for (const server of others.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });
const ask = (json: Json, token: string | null = person.secret) =>
  app.api<Json>('POST', '/projects', {
    json: { name: unique('imported'), ...json },
    ...(token === null ? {} : { token }),
  });
const read = async (id: unknown, token = person.secret) =>
  (await app.api<Json>('GET', `/projects/${String(id)}`, { token })).body;
const ended = (id: unknown) =>
  eventually('the import', async () => {
    const { body } = await app.api<Json>('GET', `/projects/${String(id)}/import`, { token: person.secret });
    return body.import_status === 'finished' || body.import_status === 'failed' ? body : null;
  });

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  others.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('import_url', () => {
  it('brings branches, tags and the default branch; what proves us there is not told, and not kept', async () => {
    const address = source.remote(source.owner.secret);
    const made = await ask({ import_url: address });
    expect(made).toMatchObject({ status: 201, body: { import_type: 'git', empty_repo: true } });
    expect(await ended(made.body.id)).toMatchObject({ import_status: 'finished', import_error: null });
    const project = await read(made.body.id);
    const plain = source.remote();
    expect(project).toMatchObject({
      import_url: plain,
      import_status: 'finished',
      default_branch: 'main',
      empty_repo: false,
    });
    const api = <T>(target: string) =>
      app.api<T>('GET', `/projects/${String(made.body.id)}${target}`, { token: person.secret });
    const names = async (target: string) => (await api<{ name: string }[]>(target)).body.map(({ name }) => name);
    expect(await names('/repository/branches')).toEqual(['main', 'topic/one']);
    expect(await names('/repository/tags')).toEqual(['v1.0']);
    const url = new URL(`${app.url}/${String(project.path_with_namespace)}.git`);
    [url.username, url.password] = ['git', person.secret];
    const refs = async (remote: string) => await git.run(['ls-remote', remote]);
    expect(await refs(url.href)).toBe(await refs(address));
    await git.run(['clone', '--quiet', url.href, 'there']);
    expect(await git.run(['fsck', '--full', '--strict'], 'there')).toBe('');
    const row = await app.db
      .selectFrom('project_imports')
      .select(['url_sealed', 'finished_at'])
      .where('project_id', '=', Number(made.body.id))
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ url_sealed: null, finished_at: expect.any(Date) });
    // Another branch may be the default here.
    const other = await ask({ import_url: address, default_branch: 'topic/one' });
    await ended(other.body.id);
    expect(await read(other.body.id)).toMatchObject({ default_branch: 'topic/one' });
    // An address is for who may change the project.
    await app.api('PUT', `/projects/${String(made.body.id)}`, { token: person.secret, json: { visibility: 'public' } });
    const stranger = await buildToken(app);
    expect(await read(made.body.id, stranger.secret)).toMatchObject({ import_url: null });
  });

  it('of an empty repository makes an empty project', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    const made = await ask({ import_url: empty.remote(empty.owner.secret) });
    expect(await ended(made.body.id)).toMatchObject({ import_status: 'finished' });
    expect(await read(made.body.id)).toMatchObject({ empty_repo: true });
  });

  it('is refused at once where no repository is, and leaves nothing', async () => {
    const page = await served((_request, response) => void response.end('<html>'));
    const refusals: [unknown, number, string][] = [
      ['ssh://git@example.com/a.git', 400, 'valid HTTP address'],
      ['file:///etc', 400, 'valid HTTP address'],
      ['not an address', 400, 'valid HTTP address'],
      [source.remote('wrong-token'), 422, 'name and password are wrong'],
      [`${page}/a.git`, 422, 'not a git repository'],
      [`${app.url}/nobody/nothing.git`, 422, 'not a valid HTTP Git repository'],
    ];
    for (const [address, status, words] of refusals) {
      const path = unique('refused');
      const answer = await ask({ import_url: address, path });
      expect([address, answer.status, JSON.stringify(answer.body)]).toEqual([
        address,
        status,
        expect.stringContaining(words),
      ]);
      expect(JSON.stringify(answer.body)).not.toContain('wrong-token');
      expect(
        (await app.api('GET', `/projects/${person.user.username}%2F${path}`, { token: person.secret })).status,
      ).toBe(404);
    }
    expect((await ask({ import_url: 'http://a.example/x.git' }, null)).status).toBe(401);
  });

  it('is refused at once where the other side breaks off while it tells what it has', async () => {
    const url = await served((_request, response) => {
      response.write('001e# service=git-upload-pack\n0000', () => response.destroy());
    });
    const answer = await ask({ import_url: `${url}/a.git` });
    expect(answer).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('The connection broke off') },
    });
  });

  it('fails in words when the other side changes its mind, lies or breaks off', async () => {
    const proper = source.remote(source.owner.secret);
    const advertised = await fetch(`${source.remote()}/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`git:${source.owner.secret}`).toString('base64')}` },
    });
    expect([proper.length > 0, advertised.status]).toEqual([true, 200]);
    const offer = Buffer.from(await advertised.arrayBuffer());
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    const answers: [string | Buffer, string][] = [
      [line('ERR go away\n'), 'go away'],
      [`${line('NAK\n')}${line('\x03out of memory\n')}`, 'out of memory'],
      [line('NAK\n'), 'ended early'],
      [`${line('NAK\n')}${line('\x01PACKnonsense....')}0000`, 'refused'],
    ];
    for (const [answer, words] of answers) {
      const url = await served((request, response) => {
        request.resume();
        response.end(request.method === 'GET' ? offer : answer);
      });
      const made = await ask({ import_url: `${url}/repository.git` });
      expect(made.status).toBe(201);
      const { import_status: status, import_error: error } = await ended(made.body.id);
      expect([status, error]).toEqual(['failed', expect.stringContaining(words)]);
    }
  });

  it('security 8: does not reach the local network, also by a redirect, and does not take proofs along', async () => {
    const seen: (string | undefined)[] = [];
    const secret = await served((request, response) => {
      seen.push(request.headers.authorization);
      response.end('secret');
    });
    const redirecting = await served((request, response) => {
      response.writeHead(302, { Location: `${secret}${request.url}` }).end();
    });
    const [, host = ''] = /\/\/(.*)$/.exec(redirecting) ?? [];
    await ask({ import_url: `http://ada:password@${host}/a.git` });
    expect(seen).toEqual([undefined]);
    await setting({ allow_local_requests_from_web_hooks_and_services: false });
    try {
      const answer = await ask({ import_url: `${secret}/a.git` });
      expect(answer).toMatchObject({ status: 400, body: { message: { import_url: [expect.any(String)] } } });
      await setting({ outbound_local_requests_whitelist: [host] });
      expect(await ask({ import_url: `${redirecting}/a.git` })).toMatchObject({ status: 422 });
      expect(seen).toHaveLength(1);
    } finally {
      await setting({ allow_local_requests_from_web_hooks_and_services: true, outbound_local_requests_whitelist: [] });
    }
  });

  it('is for instances that allow it, and up to their limit', async () => {
    const address = source.remote(source.owner.secret);
    await setting({ import_sources: ['gitlab_project'] });
    expect((await ask({ import_url: address })).status).toBe(403);
    await setting({ import_sources: ['git', 'gitlab_project'], max_import_remote_file_size: 1 });
    const large = await buildRepositoryProject(app, { files: null });
    const content = Buffer.from(Array.from({ length: 1_600_000 }, () => Math.floor(Math.random() * 256))).toString(
      'base64',
    );
    const file = { action: 'create' as const, file_path: 'large.bin', content, encoding: 'base64' };
    await large.commit('main', [file]);
    const made = await ask({ import_url: large.remote(large.owner.secret) });
    expect(await ended(made.body.id)).toMatchObject({
      import_status: 'failed',
      import_error: expect.stringContaining('limit'),
    });
    expect(await read(made.body.id)).toMatchObject({ empty_repo: true });
  });
});
