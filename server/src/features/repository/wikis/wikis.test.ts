/** Wikis of projects and groups: pages over the API and over git, in one repository; who may; hostile names and texts. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { queuedPayloads } from '../../../../test/queue.queries.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { addKey, connect, sshCommand } from '../../../../test/ssh.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { frontMatterOf, pageAt, slugFor } from './pages.ts';

type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

let app: TestApp;
let git: GitClient;
let sshPort: number;
let owner: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  git = await gitClient();
  [owner, stranger] = [await buildToken(app), await buildToken(app)];
});
afterAll(async () => {
  await git.close();
  await app.close();
});

interface At {
  readonly of: Namespace | Project;
  readonly path: string;
  readonly fullPath: string;
  member(level: Level): Promise<BuiltToken>;
  call<T = Json>(method: Method, target?: string, json?: object, by?: BuiltToken | null): ReturnType<typeof app.api<T>>;
  remote(by?: BuiltToken): string;
}

async function place(kind: 'projects' | 'groups', settings: Json = {}): Promise<At> {
  let of: Namespace | Project;
  let fullPath: string;
  if (kind === 'projects') {
    const project = await buildRepositoryProject(app, { owner, files: null, settings });
    [of, fullPath] = [await project.row(), project.fullPath];
  } else {
    of = await buildGroup(app, { owner: owner.user });
    fullPath = of.full_path;
    await app.api('PUT', `/groups/${of.id}`, { token: owner.secret, json: settings });
  }
  const base = `/${kind}/${of.id}/wikis`;
  return {
    of,
    path: base,
    fullPath,
    member: async (level) => {
      const built = await buildToken(app);
      await buildMember(app, { user: built.user, of, level });
      return built;
    },
    call: (method, target = '', json = undefined, by = owner) =>
      app.api(method, base + target, { token: by?.secret, ...(json ? { json } : {}) }),
    remote: (by) => {
      const url = new URL(`${app.url}/${fullPath}.wiki.git`);
      if (by) [url.username, url.password] = ['git', by.secret];
      return url.href;
    },
  };
}

describe.each(['projects', 'groups'] as const)('wikis of %s', (kind) => {
  it('pages are created, read, listed, changed, moved and deleted', async () => {
    const at = await place(kind);
    expect((await at.call('GET')).body).toEqual([]);
    expect((await at.call('GET', '/home')).body).toEqual({ message: '404 Wiki Page Not Found' });
    const made = await at.call('POST', '', { title: ' Page  with words ', content: 'Text' });
    const page = {
      format: 'markdown',
      slug: 'Page-with-words',
      title: 'Page with words',
      wiki_page_meta_id: expect.any(Number),
    };
    const whole = { ...page, content: 'Text', encoding: 'UTF-8', front_matter: {} };
    expect(made).toMatchObject({ status: 201, body: whole });
    expect((await at.call('GET', '/Page-with-words')).body).toEqual(whole);
    expect((await at.call('GET', '/Page%20with%20words')).body).toEqual(whole);
    expect((await at.call('POST', '', { title: 'Page with words', content: 'x', format: 'org' })).body).toEqual({
      message: { base: ['Duplicate page: A page with that title already exists'] },
    });
    const nested = await at.call('POST', '', {
      title: 'guide/install/Linux',
      content: '---\ntitle: "On Linux"\n---\n# x',
      format: 'asciidoc',
    });
    expect(nested.body).toMatchObject({
      slug: 'guide/install/Linux',
      title: 'On Linux',
      format: 'asciidoc',
      front_matter: { title: 'On Linux' },
    });
    expect((await at.call<Json[]>('GET')).body.map(({ slug }) => slug)).toEqual([
      'Page-with-words',
      'guide/install/Linux',
    ]);
    expect((await at.call<Json[]>('GET', '?with_content=1')).body[0]).toEqual({
      ...page,
      content: 'Text',
      encoding: 'UTF-8',
    });
    expect((await at.call<Json[]>('GET')).body[0]).toEqual(page);

    const linux = `/${encodeURIComponent('guide/install/Linux')}`;
    expect((await at.call('PUT', linux, {})).body).toEqual({
      error: 'content, title, format are missing, at least one parameter must be provided',
    });
    const moved = await at.call('PUT', linux, { title: 'GNU Linux', content: 'New' });
    expect(moved).toMatchObject({
      status: 200,
      body: { slug: 'guide/install/GNU-Linux', content: 'New', format: 'asciidoc' },
    });
    expect(moved.body.wiki_page_meta_id).not.toBeNull();
    expect((await at.call('GET', linux)).status).toBe(404);
    expect((await at.call('PUT', '/Page-with-words', { title: 'guide/install/GNU Linux' })).body).toEqual({
      message: { base: ['There is already a page with the same title in that path.'] },
    });
    expect((await at.call('PUT', '/Page-with-words', { format: 'rdoc' })).body).toMatchObject({
      format: 'rdoc',
      content: 'Text',
    });

    const versions = await at.call<Json[]>('GET', '/Page-with-words/versions');
    expect(versions.body.map(({ title }) => title)).toEqual([
      `${owner.user.username} updated page: Page with words`,
      `${owner.user.username} created page: Page with words`,
    ]);
    const [newest, oldest] = versions.body.map(({ id }) => String(id));
    expect((await at.call('GET', `/Page-with-words?version=${oldest}`)).body).toMatchObject({ format: 'markdown' });
    expect((await at.call('GET', `/Page-with-words?version=${'0'.repeat(40)}`)).status).toBe(404);
    const late = { content: 'Mine', last_commit_sha: oldest };
    expect((await at.call('PUT', '/Page-with-words', late)).status).toBe(409);
    expect((await at.call('PUT', '/Page-with-words', { ...late, last_commit_sha: newest })).status).toBe(200);
    expect((await at.call('DELETE', '/Page-with-words')).status).toBe(204);
    expect((await at.call('DELETE', '/Page-with-words')).body).toEqual({ message: '404 Wiki Page Not Found' });
  });

  it('files are attached beside the pages, and sent as what cannot run', async () => {
    const at = await place(kind);
    const attach = async (name: string, text: string, by = owner) => {
      const form = new FormData();
      form.append('file', new Blob([text]), name);
      return await app.api<Json & { link: Json }>('POST', `${at.path}/attachments`, { token: by.secret, form });
    };
    const made = await attach('dk.png', 'PNG');
    const file = made.body.file_path;
    expect(made).toMatchObject({
      status: 201,
      body: { file_name: 'dk.png', branch: 'main', link: { url: file, markdown: `![dk](${file})` } },
    });
    expect(file).toMatch(/^uploads\/[0-9a-f]{32}\/dk\.png$/);
    const read = (name: unknown, by: BuiltToken | null = owner) =>
      app.api('GET', `${at.path}/attachments/${String(name).replace('uploads/', '')}`, { token: by?.secret });
    expect((await read(file)).headers.get('content-type')).toBe('image/png');
    const page = await attach('note.md.html', '<script>');
    expect((await read(page.body.file_path)).headers.get('content-disposition')).toMatch(/^attachment/);
    expect((await read(file, stranger)).status).toBe(404);
    expect((await read(String(file).replace('dk.png', '..%2Fdk.png'))).status).toBe(404);
    expect((await at.call('GET')).body).toEqual([]);
    expect((await attach('x', 'x', await at.member(Level.guest))).status).toBe(403);
  });

  it('roles: members read, developers write, maintainers delete; who does not see the place is told nothing', async () => {
    const at = await place(kind);
    await at.call('POST', '', { title: 'home', content: 'x' });
    const [guest, developer] = [await at.member(Level.guest), await at.member(Level.developer)];
    expect((await at.call('GET', '/home', undefined, guest)).status).toBe(200);
    expect((await at.call('POST', '', { title: 'a', content: 'x' }, guest)).status).toBe(403);
    expect((await at.call('PUT', '/home', { content: 'y' }, developer)).status).toBe(200);
    expect((await at.call('DELETE', '/home', undefined, developer)).status).toBe(403);
    for (const by of [stranger, null])
      for (const target of ['', '/home', '/home/versions'])
        expect((await at.call('GET', target, undefined, by)).status).toBe(404);
    const set = (json: Json) => app.api('PUT', at.path.replace('/wikis', ''), { token: owner.secret, json });
    expect((await set({ wiki_access_level: 'disabled' })).status).toBe(200);
    expect((await at.call('GET', '/home', undefined, guest)).status).toBe(403);
    expect((await git.try(['ls-remote', at.remote(owner)])).stderr).toContain('not allowed to read this wiki');
    await set({ wiki_access_level: 'private', visibility: 'public' });
    expect((await at.call('GET', '/home', undefined, null)).status).toBe(401);
    expect((await at.call('GET', '/home', undefined, guest)).status).toBe(200);
    await set({ wiki_access_level: 'enabled' });
    expect((await at.call('GET', '/home', undefined, null)).status).toBe(200);
    expect(await git.run(['ls-remote', at.remote(), 'HEAD'])).toMatch(/HEAD$/);
  });

  it('git clones and pushes the same pages; strangers get nothing', async () => {
    const at = await place(kind);
    const guest = await at.member(Level.guest);
    expect((await git.try(['ls-remote', at.remote(guest)])).stderr).toContain('no pages yet');
    const where = unique('wiki');
    await git.run(['clone', '-q', at.remote(owner), where]);
    await git.commit(where, 'guide/First-page.md', 'From git');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);
    expect((await at.call('GET', `/${encodeURIComponent('guide/First-page')}`)).body).toMatchObject({
      content: 'From git',
      title: 'First page',
      wiki_page_meta_id: expect.any(Number),
    });
    await at.call('POST', '', { title: 'Second', content: 'From the API' });
    await git.run(['pull', '-q', 'origin', 'main'], where);
    expect(await git.run(['show', 'HEAD:Second.md'], where)).toBe('From the API');
    expect((await git.try(['push', at.remote(guest), 'HEAD:x'], where)).stderr).toContain('not allowed to write');
    for (const by of [stranger, undefined]) expect((await git.try(['ls-remote', at.remote(by)])).code).not.toBe(0);
    expect((await git.try(['push', 'origin', ':main'], where)).stderr).toContain('cannot be deleted');
    expect((await git.try(['push', 'origin', 'HEAD:refs/keep-around/x'], where)).code).not.toBe(0);
    const { id } = await app.db
      .selectFrom('wikis')
      .select('id')
      .where(kind === 'projects' ? 'project_id' : 'namespace_id', '=', at.of.id)
      .executeTakeFirstOrThrow();
    await runTask(app, 'repository.measure_wiki', { wiki_id: id });
    const { body } = await app.api<{ statistics?: { wiki_size: number } }>('GET', at.path.replace('/wikis', ''), {
      token: owner.secret,
      query: { statistics: true },
    });
    if (kind === 'projects') expect(body.statistics?.wiki_size).toBeGreaterThan(0);
  });

  it('over SSH it is the same repository, and the same people', async () => {
    const at = await place(kind);
    const [mine, theirs] = [await addKey(app, owner.secret), await addKey(app, stranger.secret)];
    const [asOwner, asStranger] = [await sshCommand(git, mine), await sshCommand(git, theirs)];
    const remote = `ssh://git@127.0.0.1:${sshPort}/${at.fullPath}.wiki.git`;
    const where = unique('wiki');
    await git.run(['clone', '-q', remote, where], '.', asOwner);
    await git.commit(where, 'home.md', 'By key');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where, asOwner);
    expect((await at.call('GET', '/home')).body).toMatchObject({ content: 'By key' });
    await at.call('PUT', '/home', { content: 'By the API' });
    await git.run(['pull', '-q', 'origin', 'main'], where, asOwner);
    expect(await git.run(['show', 'HEAD:home.md'], where)).toBe('By the API');
    expect((await git.try(['ls-remote', remote], '.', asStranger)).stderr).toContain('could not be found');
    const guest = await sshCommand(git, await addKey(app, (await at.member(Level.guest)).secret));
    expect(await git.run(['ls-remote', remote, 'HEAD'], '.', guest)).toMatch(/HEAD$/);
    expect((await git.try(['push', remote, 'HEAD:x'], where, guest)).stderr).toContain('not allowed to write');
    const connection = await connect(sshPort, mine);
    const lfs = await connection.run(`git-lfs-authenticate ${at.fullPath}.wiki.git download`);
    connection.end();
    expect(lfs).toMatchObject({ code: 1, stderr: expect.stringContaining('not available for wikis') });
    await app.api('PUT', at.path.replace('/wikis', ''), {
      token: owner.secret,
      json: { wiki_access_level: 'disabled' },
    });
    expect((await git.try(['ls-remote', remote], '.', asOwner)).stderr).toContain('not allowed to read this wiki');
  });

  it('security 3, 4 titles and slugs never leave the wiki, and nothing of git is written', async () => {
    const at = await place(kind);
    expect((await at.call('POST', '', { title: '../../../etc/passwd', content: 'x' })).body).toMatchObject({
      slug: 'etc/passwd',
    });
    for (const title of ['.git/config', 'a/.GIT/x', 'uploads/x/page', 'git~1/x'])
      expect([title, (await at.call('POST', '', { title, content: 'x' })).body]).toEqual([
        title,
        { message: { title: ['is invalid'] } },
      ]);
    for (const title of ['', ' / ', '..'])
      expect((await at.call('POST', '', { title, content: 'x' })).body).toEqual({
        message: { title: ["can't be blank"] },
      });
    expect((await at.call('POST', '', { title: 'x', content: ' ' })).body).toEqual({
      message: { content: ["can't be blank"] },
    });
    expect((await at.call('POST', '', { title: 'x'.repeat(246), content: 'x' })).body).toEqual({
      message: { title: ['exceeds the limit of 245 bytes'] },
    });
    for (const slug of ['../HEAD', '%2Fetc', '--output=x', 'etc/../etc/passwd', '.git/config', 'etc%00'])
      expect([slug, (await at.call('GET', `/${encodeURIComponent(slug)}`)).status]).toEqual([slug, 404]);
    expect((await at.call('GET', '/etc%2Fpasswd?version=--output%3Dx')).status).toBe(404);
    expect((await at.call('POST', '', { title: '--help', content: 'x' })).body).toMatchObject({ slug: '--help' });
    expect((await at.call('GET', '/--help/versions')).body).toHaveLength(1);
  });

  it('the repository goes with its place, and comes back with it before', async () => {
    const at = await place(kind);
    await at.call('POST', '', { title: 'home', content: 'x' });
    const wiki = await app.db
      .selectFrom('wikis')
      .selectAll()
      .where(kind === 'projects' ? 'project_id' : 'namespace_id', '=', at.of.id)
      .executeTakeFirstOrThrow();
    const directory = path.join(app.directory, 'repositories', wiki.repository_path);
    await access(directory);
    const parent = at.path.replace('/wikis', '');
    await app.api('DELETE', parent, { token: owner.secret });
    expect((await at.call('PUT', '/home', { content: 'y' })).status).toBe(403);
    await app.api('POST', `${parent}/restore`, { token: owner.secret });
    expect((await at.call('PUT', '/home', { content: 'y' })).status).toBe(200);
    const run = (name: string, payload: object) => runTask(app, name, payload);
    if (kind === 'projects') await run('namespaces.remove_project', { project_id: at.of.id });
    else await run('namespaces.remove_group', { group_id: at.of.id });
    await run('repository.remove', { storage: wiki.repository_storage, path: wiki.repository_path });
    await expect(access(directory)).rejects.toThrow();
  });
});

it('with a group go the wikis of the groups below it, and of no other', async () => {
  const top = await buildGroup(app, { owner: owner.user });
  const below = await buildGroup(app, { parent: top });
  const other = await buildGroup(app, { owner: owner.user });
  // The id of one is that of its own group: numbers of two tables are nothing to each other.
  const ids = [7_000_001, 7_000_002, other.id];
  const paths = ids.map((id) => `@hashed/00/00/${id}.wiki.git`);
  for (const [at, group] of [top, below, other].entries())
    await app.db
      .insertInto('wikis')
      .values({
        id: ids[at] ?? 0,
        namespace_id: group.id,
        repository_storage: 'default',
        repository_path: paths[at] ?? '',
      })
      .execute();
  await runTask(app, 'namespaces.remove_group', { group_id: top.id });
  const going = await queuedPayloads(app.db, '@hashed/00/00/');
  expect(going.map((payload) => (JSON.parse(payload) as { path: string }).path).sort()).toEqual(paths.slice(0, 2));
});

it('slugs, formats and front matter', () => {
  expect([slugFor('/a/ b  c', 'dir'), slugFor('b', 'dir'), slugFor('a/./../b')]).toEqual(['a/b-c', 'dir/b', 'b']);
  expect([pageAt('a.adoc')?.format, pageAt('a.txt'), pageAt('uploads/x/a.md'), pageAt('.md')]).toEqual([
    'asciidoc',
    null,
    null,
    null,
  ]);
  expect([frontMatterOf("---\ntitle: 'x y'\n---\n"), frontMatterOf('text\n---\ntitle: x\n---')]).toEqual([
    { title: 'x y' },
    {},
  ]);
});

it('[3/api.application-settings/27 wiki_page_max_content_bytes] says in units that fit how long a page may be', async () => {
  const wiki = await place('projects');
  const said = async (maximum: number, bytes: number) => {
    await app.settings.write({ wiki_page_max_content_bytes: maximum });
    const { status, body } = await wiki.call('POST', '', { title: unique('t'), content: 'x'.repeat(bytes) });
    return [status, body.message];
  };
  expect(await said(1_024, 1_536)).toEqual([400, { content: ['is too long (1.5 KiB. The maximum size is 1 KiB.)'] }]);
  expect(await said(1_572_864, 1_572_865)).toEqual([
    400,
    { content: ['is too long (1.5 MiB. The maximum size is 1.5 MiB.)'] },
  ]);
  await app.settings.write({ wiki_page_max_content_bytes: 5_242_880 });
});
