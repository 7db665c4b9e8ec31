/** Generic packages: published and downloaded with every credential that may, listed, deleted, and refused. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestParts } from '../../../../test/app.ts';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;

let world: World;
let project: TestProject;
let group: { readonly id: number; readonly full_path: string };
let admin: string;
let owner: string;
beforeAll(async () => {
  world = await startWorld();
  admin = (await buildToken(world.app, { user: await buildAdmin(world.app) })).secret;
  owner = world.owner.token;
  const path = unique('group');
  const made = await world.app.api<typeof group>('POST', '/groups', { token: owner, json: { name: path, path } });
  group = made.body;
  project = await world.project({ namespace_id: group.id });
});
afterAll(() => world.close());

const api = <T = Json>(method: 'GET' | 'PUT' | 'DELETE' | 'POST', target: string, parts: RequestParts = {}) =>
  world.app.api<T>(method, `/projects/${project.id}${target}`, { token: owner, ...parts });
const file = (name: string, of = 'tool/1.0.0') => `/packages/generic/${of}/${name}`;

/** Over the wire, as `curl --upload-file` sends it. */
async function upload(
  name: string,
  content: string,
  headers: Readonly<Record<string, string>> = { 'PRIVATE-TOKEN': owner },
  target = `/projects/${project.id}`,
) {
  const url = `${world.app.url}/api/v4${target}${name}`;
  const answer = await fetch(url, { method: 'PUT', body: content, headers });
  return { status: answer.status, body: (await answer.json()) as Json };
}
async function download(name: string, headers: Readonly<Record<string, string>> = { 'PRIVATE-TOKEN': owner }) {
  const answer = await fetch(`${world.app.url}/api/v4/projects/${project.id}${name}`, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const basic = (name: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const size = async () => {
  const { body } = await world.app.api<{ statistics: Json }>('GET', `/projects/${project.id}`, {
    token: admin,
    query: { statistics: 'true' },
  });
  return body.statistics.packages_size;
};

describe('generic packages', () => {
  it('are published file by file, listed with their files, and downloaded as they were', async () => {
    expect(await upload(file('tool.tar.gz'), 'first')).toEqual({ status: 201, body: { message: '201 Created' } });
    const second = await upload(`${file('docs%2Fread.me')}?select=package_file`, 'documents');
    expect(second).toMatchObject({
      status: 201,
      body: { file_name: 'docs%2Fread.me', size: 9, file_sha256: sha256('documents') },
    });
    const listed = await api<Json[]>('GET', '/packages');
    const [one] = listed.body;
    expect(one).toEqual({
      id: expect.any(Number),
      ...{ name: 'tool', version: '1.0.0', package_type: 'generic', status: 'default', tags: [] },
      _links: {
        web_path: `/${project.path}/-/packages/${String(one?.id)}`,
        delete_api_path: `${world.app.url}/api/v4/projects/${project.id}/packages/${String(one?.id)}`,
      },
      created_at: expect.any(String),
      last_downloaded_at: null,
      creator_id: world.owner.user.id,
    });
    // Clients that release print the address of what they have published.
    const { url } = (second.body as { file: { url: string } }).file;
    expect(await (await fetch(url, { headers: { 'PRIVATE-TOKEN': owner } })).text()).toBe('documents');
    const files = await api<Json[]>('GET', `/packages/${String(one?.id)}/package_files`);
    const md5 = createHash('md5').update('first').digest('hex');
    expect(files.body[0]).toEqual({
      id: expect.any(Number),
      package_id: one?.id,
      created_at: expect.any(String),
      ...{ file_name: 'tool.tar.gz', size: 5, file_md5: md5, file_sha256: sha256('first') },
      file_sha1: createHash('sha1').update('first').digest('hex'),
    });
    const got = await download(file('tool.tar.gz'));
    expect([got.status, got.text, got.headers.get('x-checksum-sha256')]).toEqual([200, 'first', sha256('first')]);
    expect(got.headers.get('content-disposition')).toContain('attachment; filename="tool.tar.gz"');
    expect((await download(file('docs/read.me'))).text).toBe('documents');
    // What is published again under the same name is what is downloaded.
    await upload(file('tool.tar.gz'), 'second time');
    expect((await download(file('tool.tar.gz'))).text).toBe('second time');
    expect(await size()).toBe('first'.length + 'documents'.length + 'second time'.length);
    expect((await api('GET', `/packages/${String(one?.id)}`)).body.last_downloaded_at).toEqual(expect.any(String));
  });

  it('are found by name, version and status, with their other versions, in the project and its group', async () => {
    await upload(file('a.bin', 'search/1.0'), 'a');
    await upload(file('a.bin', 'search/2.0'), 'a');
    await upload(`${file('a.bin', 'secret-search/1.0')}?status=hidden`, 'a');
    const names = async (query: Readonly<Record<string, string>>, at = `/projects/${project.id}`) => {
      const { body } = await world.app.api<Json[]>('GET', `${at}/packages`, { token: owner, query });
      return body.map(({ name, version }) => `${String(name)} ${String(version)}`);
    };
    const search = { package_name: 'search' };
    expect(await names(search)).toEqual(['search 1.0', 'search 2.0']);
    expect(await names({ ...search, order_by: 'version', sort: 'desc' })).toEqual(['search 2.0', 'search 1.0']);
    expect(await names({ ...search, package_version: '2.0' })).toEqual(['search 2.0']);
    expect(await names({ ...search, status: 'hidden' })).toEqual(['secret-search 1.0']);
    expect(await names(search, `/groups/${group.id}`)).toEqual(['search 1.0', 'search 2.0']);
    const found = await api<Json[]>('GET', '/packages', { query: { ...search, package_version: '2.0' } });
    const one = await api('GET', `/packages/${String(found.body[0]?.id)}`);
    expect(one.body.versions).toMatchObject([{ version: '1.0', tags: [] }]);
    const inGroup = await world.app.api<Json[]>('GET', `/groups/${group.id}/packages`, {
      token: owner,
      query: { ...search, order_by: 'project_path' },
    });
    expect(inGroup.body[0]).toMatchObject({ project_id: project.id, project_path: expect.stringContaining('/') });
    const stranger = await world.account();
    const none = await world.app.api('GET', `/groups/${group.id}/packages`, { token: stranger.token });
    expect(none.status).toBe(404);
  });

  it('security 16: deploy tokens, job tokens and access tokens open them, also as Basic, each by its scope', async () => {
    const token = async (scopes: readonly string[]) => {
      const made = await api<{ username: string; token: string }>('POST', '/deploy_tokens', {
        json: { name: unique('token'), scopes },
      });
      return made.body;
    };
    const writer = await token(['write_package_registry']);
    const reader = await token(['read_package_registry']);
    const git = await token(['read_repository']);
    const ways = ({ username, token: secret }: typeof reader) => [{ 'DEPLOY-TOKEN': secret }, basic(username, secret)];
    for (const [at, headers] of ways(writer).entries())
      expect((await upload(file(`deploy-${at}.txt`), 'x', headers)).status).toBe(201);
    for (const headers of ways(reader)) {
      expect((await download(file('deploy-0.txt'), headers)).status).toBe(200);
      expect(await upload(file('other.txt'), 'x', headers)).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope' },
      });
    }
    for (const headers of ways(git)) expect((await download(file('deploy-0.txt'), headers)).status).toBe(403);
    expect((await download(file('deploy-0.txt'), basic('wrong', reader.token))).status).toBe(401);
    expect((await download(file('deploy-0.txt'), { 'DEPLOY-TOKEN': 'gldt-wrong' })).status).toBe(401);
    expect((await download(file('deploy-0.txt'), basic('anything', owner))).status).toBe(200);
    // It is for packages only, and only of its project.
    expect((await download('/repository/branches', { 'DEPLOY-TOKEN': writer.token })).status).toBe(401);
    const other = await world.project();
    const elsewhere = await upload(file('x.txt'), 'x', { 'DEPLOY-TOKEN': writer.token }, `/projects/${other.id}`);
    expect(elsewhere.status).toBe(404);
    const found = await api<Json[]>('GET', '/packages', { query: { package_name: 'tool' } });
    const removal = await fetch(
      `${world.app.url}/api/v4/projects/${project.id}/packages/${String(found.body[0]?.id)}`,
      {
        ...{ method: 'DELETE', headers: { 'DEPLOY-TOKEN': writer.token } },
      },
    );
    expect(removal.status).toBe(401);
  });

  it('name the pipeline whose job published them', async () => {
    const runner = await world.runner();
    await project.push('publish: {script: [x]}');
    const job = await runner.next();
    expect((await upload(file('built.bin', 'built/1.0'), 'x', { 'JOB-TOKEN': job.token })).status).toBe(201);
    expect((await download(file('built.bin', 'built/1.0'), basic('gitlab-ci-token', job.token))).status).toBe(200);
    const { body } = await api<Json[]>('GET', '/packages', { query: { package_name: 'built' } });
    const pipeline = { project_id: project.id, ref: 'main', user: { id: world.owner.user.id } };
    expect(body[0]).toMatchObject({ pipeline, pipelines: [pipeline] });
    const files = await api<Json[]>('GET', `/packages/${String(body[0]?.id)}/package_files`);
    expect(files.body[0]).toMatchObject({ pipelines: [pipeline] });
  });

  it('security 3: are refused under names that are none, when they are too large, and to who may not', async () => {
    for (const name of ['..%2fa', 'a%2f..%2fb', '~a', 'a@', 'with%20blank', 'a%00b', 'a%2f%2fb'])
      expect([name, (await upload(file(name), 'x')).status]).toEqual([name, 400]);
    for (const of of ['tool/..', 'to%2Fol/1.0', '../1.0', 'tool/1..2', 'to ol/1.0'])
      expect([of, [400, 404].includes((await upload(file('a.txt', of), 'x')).status)]).toEqual([of, true]);
    const limit = (bytes: number) =>
      world.app.api('PUT', '/application/settings', {
        token: admin,
        json: { generic_packages_max_file_size: bytes },
      });
    const before = await size();
    await limit(8);
    expect((await upload(file('eight.txt'), '12345678')).status).toBe(201);
    const refused = await upload(file('nine.txt'), '123456789');
    expect(refused.status).toBe(413);
    expect(JSON.stringify(refused.body)).toMatch(/generic_packages_max_file_size.*8|8.*generic_packages_max_file_size/);
    await limit(5 * 1024 ** 3);
    expect(await size()).toBe(Number(before) + 8);
    const row = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    const member = async (level: Level) => {
      const { user } = await buildMember(world.app, { of: row, level });
      return { 'PRIVATE-TOKEN': (await buildToken(world.app, { user })).secret };
    };
    const [reporter, developer] = [await member(Level.reporter), await member(Level.developer)];
    expect((await upload(file('eight.txt'), 'x', reporter)).status).toBe(403);
    expect((await upload(file('eight.txt'), 'x', developer)).status).toBe(201);
    expect((await download(file('eight.txt'), reporter)).status).toBe(200);
    expect((await upload(file('eight.txt'), 'x', {})).status).toBe(401);
    expect((await download(file('eight.txt'), {})).status).toBe(404);
    // Switched off, nobody has them.
    await api('PUT', '', { json: { package_registry_access_level: 'disabled' } });
    expect((await download(file('eight.txt'))).status).toBe(403);
    await api('PUT', '', { json: { packages_enabled: true } });
    expect((await download(file('eight.txt'))).status).toBe(200);
  });

  it('security: are pulled by anyone where a private project and the instance let them', async () => {
    await upload(file('open.txt', 'open/1.0'), 'open');
    const allow = (on: boolean) =>
      world.app.api('PUT', '/application/settings', {
        token: admin,
        json: { package_registry_allow_anyone_to_pull_option: on },
      });
    const stranger = { 'PRIVATE-TOKEN': (await buildToken(world.app)).secret };
    const seen = async (name = 'open.txt') => {
      const statuses = [];
      for (const headers of [{}, stranger]) statuses.push((await download(file(name, 'open/1.0'), headers)).status);
      return statuses;
    };
    expect(await seen()).toEqual([404, 404]);
    await api('PUT', '', { json: { package_registry_access_level: 'public' } });
    expect(await seen()).toEqual([200, 200]);
    expect(await seen('other.txt')).toEqual([404, 404]);
    // Nothing else is open: no list, and nobody publishes.
    expect((await world.app.api('GET', `/projects/${project.id}/packages`)).status).toBe(404);
    expect((await upload(file('open.txt', 'open/1.0'), 'x', stranger)).status).toBe(404);
    await allow(false);
    expect(await seen()).toEqual([404, 404]);
    await allow(true);
    await api('PUT', '', { json: { package_registry_access_level: 'enabled' } });
    expect(await seen()).toEqual([404, 404]);
  });

  it('go with all of their files, or file by file, and leave the store', async () => {
    await upload(file('a.bin', 'gone/1.0'), 'aaa');
    await upload(file('b.bin', 'gone/1.0'), 'bb');
    const before = Number(await size());
    const { body } = await api<Json[]>('GET', '/packages', { query: { package_name: 'gone' } });
    const one = `/packages/${String(body[0]?.id)}`;
    const files = await api<{ id: number }[]>('GET', `${one}/package_files`);
    const rows = await world.app.db
      .selectFrom('package_files')
      .select('object_key')
      .where('package_id', '=', Number(body[0]?.id))
      .execute();
    expect((await api('DELETE', `${one}/package_files/${String(files.body[0]?.id)}`)).status).toBe(204);
    expect((await download(file('a.bin', 'gone/1.0'))).status).toBe(404);
    expect(await size()).toBe(before - 3);
    expect((await api('DELETE', one)).status).toBe(204);
    expect([(await api('GET', one)).status, await size()]).toEqual([404, before - 5]);
    const left = await world.app.db
      .selectFrom('object_deletions')
      .select('object_key')
      .where(
        'object_key',
        'in',
        rows.map(({ object_key }) => object_key),
      )
      .execute();
    expect(left).toHaveLength(2);
    const events = await api<Json[]>('GET', '/audit_events');
    const names = events.body.map(({ event_name }) => event_name);
    for (const name of ['package_file_published', 'package_file_deleted', 'package_deleted'])
      expect(names).toContain(name);
  });
});
