/** Snippets of people and projects: files, visibility, roles, git over HTTP and SSH, discussions, removal. */
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildMember, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { queuedPayloads } from '../../../../test/queue.queries.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { addKey, connect, sshCommand } from '../../../../test/ssh.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Json {
  readonly id: number;
  readonly [key: string]: unknown;
}
type By = BuiltToken | null;

let app: TestApp;
let git: GitClient;
let sshPort: number;
let project: RepositoryProject;
let base: string;
let owner: BuiltToken;
let reporter: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let external: BuiltToken;
let admin: BuiltToken;
beforeAll(async () => {
  const token = () => buildToken(app);
  app = await startTestApp();
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  git = await gitClient();
  [owner, reporter, guest, stranger] = [await token(), await token(), await token(), await token()];
  external = await buildToken(app, { user: await buildUser(app, { external: true }) });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  project = await buildRepositoryProject(app, { owner, files: null, settings: { visibility: 'public' } });
  const of = await project.row();
  await buildMember(app, { user: reporter.user, of, level: Level.reporter });
  await buildMember(app, { user: guest.user, of, level: Level.guest });
  base = `/projects/${project.id}/snippets`;
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, by: By, json?: object) =>
  app.api<T>(method, url, { token: by?.secret, ...(json ? { json } : {}) });
const statuses = (url: string, people: readonly By[]) =>
  Promise.all(people.map(async (by) => (await call('GET', url, by)).status));
async function raw(url: string, by: By): Promise<string> {
  const answer = await fetch(url, { headers: by ? { 'PRIVATE-TOKEN': by.secret } : {} });
  return `${answer.status} ${await answer.text()}`;
}
async function made(at: string, by: BuiltToken, more: object = {}): Promise<Json> {
  const json = { title: unique('snippet'), visibility: 'private', file_name: 'a.txt', content: 'one', ...more };
  const answer = await call('POST', at, by, json);
  expect(answer.status).toBe(201);
  return answer.body;
}
function remote(snippet: Json, by?: BuiltToken): string {
  const url = new URL(String(snippet.http_url_to_repo));
  if (by) [url.username, url.password] = ['git', by.secret];
  return url.href;
}
const run = (name: string, payload: object) => runTask(app, name, payload);

it('snippets of people and projects are created, read by file and ref, changed by actions, and deleted', async () => {
  const files = [
    { file_path: 'a.rb', content: 'puts 1\n' },
    { file_path: 'docs/ü b.md', content: '# Ü' },
  ];
  for (const at of ['/snippets', base]) {
    const json = { title: ' Title ', description: 'What', visibility: 'internal', files };
    const answer = await call('POST', at, reporter, json);
    const { id } = answer.body;
    const prefix = at === base ? `${project.fullPath}/` : '';
    const web = `${app.url}/${prefix}-/snippets/${id}`;
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id,
      title: 'Title',
      description: 'What',
      visibility: 'internal',
      author: expect.objectContaining({ id: reporter.user.id }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      project_id: at === base ? project.id : null,
      web_url: web,
      raw_url: `${web}/raw`,
      ssh_url_to_repo: expect.stringMatching(new RegExp(`${prefix}snippets/${id}\\.git$`)),
      http_url_to_repo: `${app.url}/${prefix}snippets/${id}.git`,
      file_name: 'a.rb',
      files: [
        { path: 'a.rb', raw_url: `${web}/raw/main/a.rb` },
        { path: 'docs/ü b.md', raw_url: `${web}/raw/main/docs/%C3%BC%20b.md` },
      ],
      imported: false,
      imported_from: 'none',
    });
    const url = `${at}/${id}`;
    expect((await call('GET', url, stranger)).body).toEqual(answer.body);
    expect((await call<Json[]>('GET', at, reporter)).body).toContainEqual(answer.body);
    const api = `${app.url}/api/v4${url}`;
    expect(await raw(`${api}/raw`, stranger)).toBe('200 puts 1\n');
    expect(await raw(`${api}/files/main/${encodeURIComponent('docs/ü b.md')}/raw`, stranger)).toBe('200 # Ü');
    expect(await raw(`${web}/raw`, stranger)).toBe('200 puts 1\n');
    expect(await raw(`${web}/raw/main/docs/%C3%BC%20b.md`, stranger)).toBe('200 # Ü');
    expect(await raw(`${api}/files/nowhere/a.rb/raw`, stranger)).toBe('404 {"message":"404 Reference Not Found"}');
    expect(await raw(`${api}/files/main/b.rb/raw`, stranger)).toBe('404 {"message":"404 File Not Found"}');
    const outside = '400 {"error":"file_path should be a valid file path"}';
    expect(await raw(`${api}/files/main/%2Fetc%2Fpasswd/raw`, stranger)).toBe(outside);

    expect((await call('PUT', url, reporter, { content: 'x' })).body).toEqual({
      message: { error: 'To update Snippets with multiple files, you must use the `files` parameter' },
    });
    const update = { action: 'update', file_path: 'a.rb', content: 'x' };
    const wrong: readonly [object, number, object][] = [
      [{ title: '' }, 400, { error: 'title is empty' }],
      [{ content: '' }, 400, { error: 'content is empty' }],
      [{ content: 'x', files: [update] }, 400, { error: 'files, content are mutually exclusive' }],
      [{ file_name: 'x', files: [update] }, 400, { error: 'files, file_name are mutually exclusive' }],
      [
        { files: [{ ...update, previous_path: '../x' }] },
        400,
        { error: 'files[0][previous_path] should be a valid file path' },
      ],
      [
        { files: [{ action: 'move', file_path: 'x' }] },
        422,
        { message: { error: 'Snippet files have invalid data: files[0][previous_path] is missing' } },
      ],
      [
        { files: [{ action: 'delete', file_path: 'none' }] },
        400,
        {
          message: {
            error: expect.stringMatching(
              /^Repository Error updating the snippet - A file with this name doesn't exist/,
            ),
          },
        },
      ],
    ];
    for (const [json, status, body] of wrong)
      expect(await call('PUT', url, reporter, json)).toMatchObject({ status, body });
    const changes = [
      { action: 'move', previous_path: 'a.rb', file_path: 'z.rb' },
      { action: 'update', file_path: 'docs/ü b.md', content: 'New' },
      { action: 'create', file_path: 'c.txt', content: 'c' },
    ];
    const changed = await call('PUT', url, reporter, { title: 'Other', visibility: 'public', files: changes });
    expect(changed.body).toMatchObject({ title: 'Other', visibility: 'public', file_name: 'c.txt' });
    expect(await raw(`${api}/files/main/z.rb/raw`, null)).toBe('200 puts 1\n');
    await call('PUT', url, reporter, {
      files: [
        { action: 'delete', file_path: 'z.rb' },
        { action: 'delete', file_path: 'c.txt' },
      ],
    });
    // The one file that is left is renamed and changed by the old parameters.
    const old = await call('PUT', url, reporter, { file_name: 'only.md', content: 'Only' });
    expect(old.body.files).toMatchObject([{ path: 'only.md' }]);
    expect(await raw(`${api}/raw`, null)).toBe('200 Only');

    expect((await call('GET', `${url}/user_agent_detail`, reporter)).status).toBe(403);
    expect((await call('GET', `${url}/user_agent_detail`, admin)).body).toMatchObject({
      user_agent: expect.any(String),
      ip_address: expect.any(String),
      akismet_submitted: false,
    });
    const row = await app.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    await run('repository.measure_snippet', { snippet_id: id });
    expect((await call('DELETE', url, stranger)).status).toBe(403);
    expect((await call('DELETE', url, reporter)).status).toBe(204);
    expect((await call('GET', url, reporter)).status).toBe(404);
    const directory = path.join(app.directory, 'repositories', row.repository_path);
    expect(await queuedPayloads(app.db, row.repository_path)).toHaveLength(1);
    await run('repository.remove', { storage: row.repository_storage, path: row.repository_path });
    await expect(access(directory)).rejects.toThrow();
  }
});

it('what is not valid is refused and leaves nothing: titles, files, paths, sizes, visibility', async () => {
  const count = async () => (await app.db.selectFrom('snippets').select('id').execute()).length;
  const before = await count();
  const file = { file_path: 'a', content: 'x' };
  const refused: readonly [object, RegExp][] = [
    [{ files: [file] }, /title is missing/],
    [{ title: 'x' }, /files, content are missing/],
    [{ title: 'x', content: 'x' }, /file_name is missing/],
    [{ title: 'x', content: 'x', files: [file] }, /files, content are mutually exclusive|exactly one/],
    [{ title: ' ', files: [file] }, /title is empty/],
    [{ title: 'x'.repeat(256), files: [file] }, /too long/],
    [
      { title: 'x', files: Array.from({ length: 11 }, (_, at) => ({ file_path: `f${at}`, content: 'x' })) },
      /more than 10/,
    ],
    [{ title: 'x', files: [{ file_path: '../a', content: 'x' }] }, /file_path\] should be a valid file path/],
    [{ title: 'x', files: [{ file_path: '.git/config', content: 'x' }] }, /special names/],
    [{ title: 'x', files: [file, file] }, /already exists/],
    [{ title: 'x', visibility: 'secret', files: [file] }, /visibility/],
  ];
  for (const [json, text] of refused) {
    const answer = await call('POST', '/snippets', owner, json);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringMatching(text)]);
  }
  expect((await call('POST', '/snippets', external, { title: 'x', files: [file] })).status).toBe(403);
  expect((await call('POST', base, owner, { title: 'x', files: [file] })).body).toEqual({
    error: 'visibility is missing',
  });
  await call('PUT', '/application/settings', admin, {
    snippet_size_limit: 2000,
    restricted_visibility_levels: ['public'],
  });
  const large = await call('POST', '/snippets', owner, { title: 'x', files: [{ ...file, content: 'x'.repeat(2001) }] });
  expect(large).toMatchObject({
    status: 400,
    body: { message: { error: expect.stringContaining('maximum size') } },
  });
  const open = await call('POST', '/snippets', owner, { title: 'x', visibility: 'public', files: [file] });
  expect([open.status, JSON.stringify(open.body)]).toEqual([400, expect.stringContaining('restricted')]);
  await call('PUT', '/application/settings', admin, {
    snippet_size_limit: 52_428_800,
    restricted_visibility_levels: [],
  });
  expect(await count()).toBe(before);
  const { id } = await made('/snippets', owner);
  for (const [status, file] of [
    [400, { action: 'delete', file_path: 'a.txt' }],
    [400, { action: 'update', file_path: 'b.txt', content: 'x' }],
    [422, { action: 'move', file_path: 'b.txt' }],
    [422, { action: 'create', content: 'x' }],
    [400, { action: 'create', file_path: 'a.txt', content: 'x' }],
  ] as const)
    expect((await call('PUT', `/snippets/${id}`, owner, { files: [file] })).status).toBe(status);
  expect((await call('PUT', `/snippets/${id}`, owner, {})).status).toBe(400);
});

it('visibility and roles decide who reads, lists and changes', async () => {
  const [hidden, inside, open] = await Promise.all(
    ['private', 'internal', 'public'].map((visibility) => made('/snippets', owner, { visibility })),
  );
  const everybody = [owner, stranger, external, null, admin];
  expect(await statuses(`/snippets/${hidden?.id}`, everybody)).toEqual([200, 404, 404, 404, 200]);
  expect(await statuses(`/snippets/${inside?.id}`, everybody)).toEqual([200, 200, 404, 404, 200]);
  expect(await statuses(`/snippets/${open?.id}`, everybody)).toEqual([200, 200, 200, 200, 200]);
  const [secret, internal, shown] = await Promise.all(
    ['private', 'internal', 'public'].map((visibility) => made(base, reporter, { visibility })),
  );
  const people = [reporter, guest, stranger, external, null, admin];
  expect(await statuses(`${base}/${secret?.id}`, people)).toEqual([200, 200, 404, 404, 404, 200]);
  expect(await statuses(`/snippets/${secret?.id}`, people)).toEqual([200, 200, 404, 404, 404, 200]);
  expect(await statuses(`${base}/${internal?.id}`, people)).toEqual([200, 200, 200, 404, 404, 200]);
  expect(await statuses(`${base}/${shown?.id}`, people)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(await statuses(`${base}/${open?.id}`, [owner])).toEqual([404]);
  const seen = async (url: string, by: By) => {
    const all = [hidden, inside, open, secret, internal, shown].map((each) => each?.id);
    const { body } = await call<Json[]>('GET', `${url}?per_page=100`, by);
    return body
      .map(({ id }) => all.indexOf(id))
      .filter((at) => at >= 0)
      .sort();
  };
  expect(await seen('/snippets', owner)).toEqual([0, 1, 2]);
  expect(await seen('/snippets', reporter)).toEqual([3, 4, 5]);
  expect(await seen('/snippets/public', stranger)).toEqual([2, 5]);
  expect(await seen('/snippets/all', stranger)).toEqual([1, 2, 4, 5]);
  expect(await seen('/snippets/all', external)).toEqual([2, 5]);
  expect(await seen('/snippets/all', guest)).toEqual([1, 2, 3, 4, 5]);
  expect(await seen('/snippets/all', admin)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await seen(base, stranger)).toEqual([4, 5]);
  expect(await seen(base, guest)).toEqual([3, 4, 5]);
  expect((await call<Json[]>('GET', '/snippets?created_before=2020-01-01T00:00:00Z', owner)).body).toEqual([]);
  for (const url of ['/snippets', '/snippets/public', '/snippets/all'])
    expect((await call('GET', url, null)).status).toBe(401);
  // Reporters change their own, maintainers all of the project; nobody but the author and administrators a personal one.
  const json = { title: 'x' };
  const change = async (url: string, by: By) => (await call('PUT', url, by, json)).status;
  expect(await change(`/snippets/${open?.id}`, stranger)).toBe(403);
  expect(await change(`/snippets/${hidden?.id}`, admin)).toBe(200);
  expect(await change(`${base}/${shown?.id}`, guest)).toBe(403);
  expect(await change(`${base}/${shown?.id}`, reporter)).toBe(200);
  expect(await change(`${base}/${shown?.id}`, owner)).toBe(200);
  expect(
    (await call('POST', base, guest, { ...json, visibility: 'private', file_name: 'a', content: 'x' })).status,
  ).toBe(403);
  await call('PUT', `/projects/${project.id}`, owner, { snippets_access_level: 'private' });
  expect(await statuses(base, [guest, stranger])).toEqual([200, 403]);
  expect(await seen('/snippets/public', stranger)).toEqual([2]);
  await call('PUT', `/projects/${project.id}`, owner, { snippets_enabled: false });
  expect(await statuses(base, [owner, guest])).toEqual([403, 403]);
  expect(await seen('/snippets/all', guest)).toEqual([1, 2]);
  await call('PUT', `/projects/${project.id}`, owner, { snippets_enabled: true });
});

it('git clones and pushes over HTTP and SSH with the same rights; a push keeps to one branch, ten files and the size', async () => {
  const mine = await addKey(app, reporter.secret);
  const theirs = await addKey(app, stranger.secret);
  const [asReporter, asStranger] = [await sshCommand(git, mine), await sshCommand(git, theirs)];
  for (const at of ['/snippets', base]) {
    const snippet = await made(at, reporter, { visibility: 'private' });
    const url = `${at}/${snippet.id}`;
    const where = unique('snippet');
    await git.run(['clone', '-q', remote(snippet, reporter), where]);
    await git.commit(where, 'b.txt', 'two');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);
    expect((await call('GET', url, reporter)).body.files).toMatchObject([{ path: 'a.txt' }, { path: 'b.txt' }]);
    for (const by of [stranger, undefined])
      expect((await git.try(['ls-remote', remote(snippet, by)])).code).not.toBe(0);
    expect((await git.try(['push', 'origin', 'HEAD:other'], where)).stderr).toContain('can not create or delete');
    expect((await git.try(['push', 'origin', ':main'], where)).stderr).toContain('can not create or delete');
    const { pathname } = new URL(remote(snippet));
    const ssh = `ssh://git@127.0.0.1:${sshPort}${pathname}`;
    const other = unique('snippet');
    await git.run(['clone', '-q', ssh, other], '.', asReporter);
    await git.commit(other, 'a.txt', 'by key');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], other, asReporter);
    expect(await raw(`${app.url}/api/v4${url}/raw`, reporter)).toBe('200 by key');
    expect((await git.try(['ls-remote', ssh], '.', asStranger)).code).not.toBe(0);
    await call('PUT', url, reporter, { visibility: 'public' });
    expect(await git.run(['ls-remote', ssh, 'HEAD'], '.', asStranger)).toMatch(/HEAD$/);
    expect(await git.run(['ls-remote', remote(snippet), 'HEAD'])).toMatch(/HEAD$/);
    expect((await git.try(['push', ssh, 'HEAD:main'], other, asStranger)).stderr).toContain('not allowed to update');
    for (let file = 0; file < 9; file += 1) await writeFile(path.join(git.directory, other, `f${file}`), 'x');
    await git.run(['add', '.'], other);
    await git.commit(other, 'a.txt', 'many');
    const many = await git.try(['push', 'origin', 'HEAD:main'], other, asReporter);
    expect(many.stderr).toContain('at most 10 files');
    const read = await buildToken(app, { user: reporter.user, scopes: ['read_repository'] });
    expect((await git.try(['push', remote(snippet, read), 'HEAD:main'], where)).stderr).toContain('write_repository');
    const connection = await connect(sshPort, mine);
    const lfs = await connection.run(`git-lfs-authenticate ${pathname.slice(1)} download`);
    connection.end();
    expect(lfs).toMatchObject({ code: 1, stderr: expect.stringContaining('not available for snippets') });
    await call('PUT', '/application/settings', admin, { snippet_size_limit: 1 });
    await git.run(['reset', '-q', '--hard', 'origin/main'], other);
    await git.commit(other, 'a.txt', 'more');
    expect((await git.try(['push', 'origin', 'HEAD:main'], other, asReporter)).stderr).toContain('snippet_size_limit');
    await call('PUT', '/application/settings', admin, { snippet_size_limit: 52_428_800 });
    const page = await fetch(remote(snippet), { redirect: 'manual' });
    expect(page.headers.get('location')).toBe(snippet.web_url);
  }
});

it('[2/api.discussions/8 /projects/:id/snippets/:snippet_id/discussions] [2/api.discussions/8 snippet_id] [2/fields.discussion-and-note/2 Snippet] snippets of projects have discussions, comments and reactions', async () => {
  const snippet = await made(base, reporter, { visibility: 'private' });
  const url = `${base}/${snippet.id}`;
  const begun = await call<{ id: string; notes: Json[] }>('POST', `${url}/discussions`, guest, { body: 'First' });
  expect(begun).toMatchObject({
    status: 201,
    body: {
      notes: [{ noteable_type: 'Snippet', noteable_id: snippet.id, noteable_iid: null, project_id: project.id }],
    },
  });
  const thread = `${url}/discussions/${begun.body.id}`;
  const reply = await call('POST', `${thread}/notes`, reporter, { body: 'Second' });
  expect(reply).toMatchObject({ status: 201, body: { type: 'DiscussionNote', noteable_type: 'Snippet' } });
  expect((await call('GET', thread, guest)).body).toMatchObject({ notes: [{ body: 'First' }, { body: 'Second' }] });
  expect((await call('PUT', `${thread}/notes/${reply.body.id}`, reporter, { body: 'Third' })).body.body).toBe('Third');
  expect((await call<Json[]>('GET', `${url}/discussions`, guest)).body).toHaveLength(1);
  expect((await call('DELETE', `${thread}/notes/${reply.body.id}`, reporter)).status).toBe(204);
  expect(await statuses(`${url}/discussions`, [stranger, null])).toEqual([404, 404]);
  const note = await call('POST', `${url}/notes`, guest, { body: 'Alone' });
  expect((await call<Json[]>('GET', `${url}/notes`, guest)).body.map(({ id }) => id)).toContain(note.body.id);
  const alone = `${url}/notes/${note.body.id}`;
  for (const [at, awardable_type] of [
    [url, 'Snippet'],
    [alone, 'Note'],
  ]) {
    const award = await call('POST', `${at}/award_emoji`, guest, { name: 'thumbsup' });
    expect(award).toMatchObject({ status: 201, body: { awardable_type } });
    expect((await call<Json[]>('GET', `${at}/award_emoji`, guest)).body).toEqual([award.body]);
    expect((await call('GET', `${at}/award_emoji/${award.body.id}`, guest)).body).toEqual(award.body);
    expect((await call('DELETE', `${at}/award_emoji/${award.body.id}`, guest)).status).toBe(204);
  }
  expect((await call('PUT', alone, guest, { body: 'Changed' })).body.body).toBe('Changed');
  expect((await call('GET', alone, reporter)).body).toMatchObject({ body: 'Changed', noteable_type: 'Snippet' });
  expect((await call('DELETE', alone, guest)).status).toBe(204);
  expect((await call<Json[]>('GET', `${thread}/notes`, guest)).body).toMatchObject([{ body: 'First' }]);
  const first = `${thread}/notes/${begun.body.notes[0]?.id}`;
  expect((await call('GET', first, guest)).body).toMatchObject({ body: 'First' });
  await call('DELETE', url, reporter);
  const left = app.db.selectFrom('notes').select('id').where('noteable_type', '=', 'snippet');
  expect(await left.where('noteable_id', '=', snippet.id).execute()).toEqual([]);
});

it('repositories go with their project and their author; what a removed person wrote in projects stays with the ghost', async () => {
  const gone = await buildToken(app);
  const place = await buildRepositoryProject(app, { owner, files: null });
  await buildMember(app, { user: gone.user, of: await place.row(), level: Level.reporter });
  const personal = await made('/snippets', gone, { visibility: 'public' });
  const kept = await made(`/projects/${place.id}/snippets`, gone);
  const rows = await app.db
    .selectFrom('snippets')
    .select(['id', 'repository_path'])
    .where('author_id', '=', gone.user.id)
    .orderBy('id')
    .execute();
  expect(rows.map(({ id }) => id)).toEqual([personal.id, kept.id]);
  const paths = rows.map(({ repository_path }) => repository_path);
  const queued = () => Promise.all(paths.map(async (at) => (await queuedPayloads(app.db, at)).length));
  await call('DELETE', `/users/${gone.user.id}`, admin);
  await run('users.remove', { user_id: gone.user.id, hard: false });
  expect(await queued()).toEqual([1, 0]);
  expect((await call('GET', `/projects/${place.id}/snippets/${kept.id}`, owner)).body).toMatchObject({
    author: { name: 'Ghost User' },
  });
  await run('namespaces.remove_project', { project_id: place.id });
  expect(await queued()).toEqual([1, 1]);
});
