/** Branches and tags over HTTP. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import type { BuiltToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let tip: string;
let git: GitClient;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  developer = await project.member(30);
  tip = String((await project.api('GET', '/repository/commits/main')).body.id);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

/** Pushes something of the far future: times of this run are all the same second. */
async function pushLater(to: RepositoryProject, push: string[]): Promise<void> {
  const later = { GIT_COMMITTER_DATE: '2035-01-01T00:00:00Z' };
  const clone = `clone-${to.id}`;
  await git.run(['clone', '-q', to.remote(to.owner.secret), clone]);
  await git.run(['commit', '-q', '--allow-empty', '-m', 'later'], clone, later);
  await git.run(['tag', '-a', '-m', 'later', 'later'], clone, later);
  await git.run(push, clone);
}

const branches = '/repository/branches';
const tags = '/repository/tags';
const encoded = encodeURIComponent;

describe('branches', () => {
  it('created from a branch, tag or hash, with every field', async () => {
    const answer = await project.api('POST', branches, {
      json: { branch: 'feature/a', ref: 'main' },
      token: developer.secret,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      name: 'feature/a',
      commit: { id: tip, title: 'Initial commit' },
      merged: false,
      protected: false,
      developers_can_push: false,
      developers_can_merge: false,
      can_push: true,
      default: false,
      web_url: `${app.url}/${project.fullPath}/-/tree/feature/a`,
    });
    for (const [branch, ref] of [
      ['by-hash', tip],
      ['by-short', tip.slice(0, 8)],
      ['by-ref', 'refs/heads/main'],
    ])
      expect([branch, (await project.api('POST', branches, { query: { branch, ref } })).status]).toEqual([branch, 201]);
  });

  it('[1/errors/7] one that exists, an unknown start and bad names are 400', async () => {
    await project.api('POST', branches, { json: { branch: 'twice', ref: 'main' } });
    const again = await project.api('POST', branches, { json: { branch: 'twice', ref: 'main' } });
    expect([again.status, again.body]).toEqual([400, { message: 'Branch already exists' }]);
    const unknown = await project.api('POST', branches, { json: { branch: 'x', ref: 'nothing' } });
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { message: "Failed to create branch 'x': invalid reference name 'nothing'" },
    ]);
    const missing = await project.api('POST', branches, { json: {} });
    expect([missing.status, missing.body]).toEqual([400, { error: 'branch is missing, ref is missing' }]);
  });

  it('in an empty project the default branch that it is made from is made too', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    const make = (branch: string, ref: string) => empty.api('POST', branches, { json: { branch, ref } });
    expect(await make('x', 'other')).toMatchObject({ status: 400 });
    expect((await empty.api<Json[]>('GET', branches)).body).toEqual([]);
    expect(await make('my.branch', 'main')).toMatchObject({ status: 201, body: { name: 'my.branch', default: false } });
    const listed = await empty.api<{ name: string; commit: { id: string; title: string } }[]>('GET', branches);
    expect(listed.body.map(({ name, commit }) => [name, commit.title])).toEqual([
      ['main', 'Add README.md'],
      ['my.branch', 'Add README.md'],
    ]);
    expect((await empty.api<Json[]>('GET', '/repository/tree')).body.map(({ path }) => path)).toEqual(['README.md']);
    expect(await make('main', 'main')).toMatchObject({ status: 400, body: { message: 'Branch already exists' } });
    const other = await buildRepositoryProject(app, { files: null });
    expect(await other.api('POST', branches, { json: { branch: 'main', ref: 'main' } })).toMatchObject({
      status: 201,
      body: { name: 'main', default: true },
    });
  });

  it('security 4, security 22: names like options, ids, HEAD or malformed are refused', async () => {
    for (const branch of [
      '-x',
      '--upload-pack=x',
      tip,
      'A'.repeat(40),
      'HEAD',
      'a..b',
      'a b',
      'a.lock',
      'refs/heads/a',
      '../x',
      '@',
    ]) {
      const answer = await project.api('POST', branches, { json: { branch, ref: 'main' } });
      expect([branch, answer.status, answer.body]).toEqual([branch, 400, { message: 'Branch name is invalid' }]);
    }
    for (const ref of ['-x', '--help', 'main..x', 'main:README.md']) {
      const answer = await project.api('POST', branches, { json: { branch: 'opt', ref } });
      expect([ref, answer.status]).toEqual([ref, 400]);
    }
  });

  it('a name that is a directory of another is refused', async () => {
    await project.api('POST', branches, { json: { branch: 'dir/one', ref: 'main' } });
    const answer = await project.api('POST', branches, { json: { branch: 'dir', ref: 'main' } });
    expect([answer.status, answer.body]).toEqual([400, { message: 'a ref with a conflicting name exists' }]);
    const below = await project.api('POST', branches, { json: { branch: 'dir/one/two', ref: 'main' } });
    expect([below.status, below.body]).toEqual([400, { message: 'a ref with a conflicting name exists' }]);
  });

  it('read by name, with slashes encoded', async () => {
    const got = await project.api('GET', `${branches}/${encoded('feature/a')}`);
    expect([got.status, got.body.name]).toEqual([200, 'feature/a']);
    const main = await project.api('GET', `${branches}/main`, { token: developer.secret });
    expect(main.body).toMatchObject({ default: true, protected: true, can_push: false, merged: false });
    for (const name of ['nothing', '..%2f..%2fHEAD', '-h', tip]) {
      const answer = await project.api('GET', `${branches}/${name}`);
      expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Branch Not Found' }]);
    }
    expect((await project.api('GET', `${branches}/main`, { token: null })).body).toEqual({
      message: '404 Project Not Found',
    });
  });

  it('HEAD answers as GET without a body', async () => {
    expect((await project.api('HEAD', `${branches}/main`)).status).toBe(200);
    expect((await project.api('HEAD', `${branches}/nothing`)).status).toBe(404);
  });

  it('listed by name, searched and paged', async () => {
    const other = await buildRepositoryProject(app);
    for (const branch of ['alpha', 'beta/one', 'beta/two', 'gamma'])
      await other.api('POST', branches, { json: { branch, ref: 'main' } });
    const names = async (query: Json = {}) =>
      (await other.api<Json[]>('GET', branches, { query })).body.map((branch) => branch.name);
    expect(await names()).toEqual(['alpha', 'beta/one', 'beta/two', 'gamma', 'main']);
    expect(await names({ search: 'ETA' })).toEqual(['beta/one', 'beta/two']);
    expect(await names({ search: '^beta' })).toEqual(['beta/one', 'beta/two']);
    expect(await names({ search: 'two$' })).toEqual(['beta/two']);
    expect(await names({ regex: '^(alpha|ga.*)$' })).toEqual(['alpha', 'gamma']);
    const bad = await other.api('GET', branches, { query: { regex: '(' } });
    expect([bad.status, bad.body]).toEqual([400, { message: 'Regex is invalid' }]);
    const page = await other.api<Json[]>('GET', branches, { query: { per_page: 2, page: 2 } });
    expect(page.body.map((branch) => branch.name)).toEqual(['beta/two', 'gamma']);
    expect([page.headers.get('x-total'), page.headers.get('x-total-pages')]).toEqual(['5', '3']);
    const keyset = await other.api<Json[]>('GET', branches, { query: { pagination: 'keyset', per_page: 2 } });
    expect(keyset.body.map((branch) => branch.name)).toEqual(['alpha', 'beta/one']);
    const next = /<([^>]+)>; rel="next"/.exec(keyset.headers.get('link') ?? '')?.[1] ?? '';
    const second = await app.request<Json[]>('GET', next.slice(app.url.length), { token: other.owner.secret });
    expect(second.body.map((branch) => branch.name)).toEqual(['beta/two', 'gamma']);
    await pushLater(other, ['push', '-q', 'origin', 'HEAD:gamma']);
    expect((await names({ sort: 'updated_desc' }))[0]).toBe('gamma');
    expect((await names({ sort: 'updated_asc' })).at(-1)).toBe('gamma');
  });

  it('protected and not, by the words from before protections had rules', async () => {
    const own = await buildRepositoryProject(app);
    await own.api('POST', branches, { json: { branch: 'kept/one', ref: 'main' } });
    const at = `${branches}/${encoded('kept/one')}`;
    const put = async (what: string, json: Json = {}, token = own.owner.secret) => {
      const { status, body } = await own.api('PUT', `${at}/${what}`, { json, token });
      return [status, body.protected, body.developers_can_push, body.developers_can_merge];
    };
    const rule = async () =>
      (await own.api<Json>('GET', `/protected_branches/${encoded('kept/one')}`)).body as Record<string, Json[]>;
    expect(await put('protect')).toEqual([200, true, false, false]);
    expect((await rule()).push_access_levels).toMatchObject([{ access_level: 40 }]);
    // Again is no error, and changes what it is given only.
    expect(await put('protect', { developers_can_merge: true })).toEqual([200, true, false, true]);
    expect(await put('protect', { developers_can_push: true })).toEqual([200, true, true, true]);
    expect(await put('protect', { developers_can_push: true })).toEqual([200, true, true, true]);
    expect(await put('protect', { developers_can_push: false, developers_can_merge: false })).toEqual([
      ...[200, true, false, false],
    ]);
    const member = (await own.member(30)).secret;
    for (const what of ['protect', 'unprotect']) {
      expect([what, (await put(what, {}, member))[0]]).toEqual([what, 403]);
      const unknown = await own.api('PUT', `${branches}/nothing/${what}`);
      expect([what, unknown.status, unknown.body]).toEqual([what, 404, { message: '404 Branch Not Found' }]);
    }
    expect(await put('unprotect')).toEqual([200, false, false, false]);
    expect(await put('unprotect')).toEqual([200, false, false, false]);
    expect(await put('protect', { developers_can_push: true, developers_can_merge: true })).toEqual([
      ...[200, true, true, true],
    ]);
  });

  it('deleted, but not the default or a protected one', async () => {
    await project.api('POST', branches, { json: { branch: 'del/me', ref: 'main' } });
    const done = await project.api('DELETE', `${branches}/${encoded('del/me')}`, { token: developer.secret });
    expect([done.status, done.body]).toEqual([204, null]);
    const gone = await project.api('DELETE', `${branches}/${encoded('del/me')}`);
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Branch Not Found' }]);
    const main = await project.api('DELETE', `${branches}/main`);
    expect([main.status, main.body.message]).toEqual([
      403,
      '403 Forbidden - The default branch of a project cannot be deleted.',
    ]);
    expect((await project.api('GET', `${branches}/main`)).status).toBe(200);
  });

  it('[1/errors/9] reporters may look but not write', async () => {
    const reporter = await project.member(20);
    expect((await project.api('GET', branches, { token: reporter.secret })).status).toBe(200);
    for (const answer of [
      await project.api('POST', branches, { token: reporter.secret, json: { branch: 'r', ref: 'main' } }),
      await project.api('DELETE', `${branches}/twice`, { token: reporter.secret }),
      await project.api('POST', tags, { token: reporter.secret, json: { tag_name: 'r', ref: 'main' } }),
    ])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }]);
    const anonymous = await project.api('POST', branches, { token: null, json: { branch: 'r', ref: 'main' } });
    expect(anonymous.status).toBe(401);
  });

  it('an empty repository has none', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    for (const target of [branches, tags]) {
      const answer = await empty.api('GET', target);
      expect([answer.status, answer.body, answer.headers.get('x-total')]).toEqual([200, [], '0']);
    }
  });
});

describe('tags', () => {
  it('lightweight and annotated, read back with slashes encoded', async () => {
    const light = await project.api('POST', tags, { json: { tag_name: 'v1.0', ref: 'main' }, token: developer.secret });
    expect(light.status).toBe(201);
    expect(light.body).toMatchObject({
      name: 'v1.0',
      message: null,
      target: tip,
      commit: { id: tip },
      release: null,
      protected: false,
      created_at: null,
    });
    const annotated = await project.api('POST', tags, {
      json: { tag_name: 'rel/2.0', ref: 'main', message: 'Second' },
    });
    expect(annotated.body).toMatchObject({ name: 'rel/2.0', message: 'Second', commit: { id: tip } });
    expect(annotated.body.target).not.toBe(tip);
    const read = await project.api('GET', `${tags}/${encoded('rel/2.0')}`);
    expect(read.body).toEqual(annotated.body);
    const commit = await project.api('GET', `/repository/commits/${encoded('rel/2.0')}`);
    expect(commit.body.id).toBe(tip);
  });

  it('refused when they exist, have a bad name or no target', async () => {
    await project.api('POST', tags, { json: { tag_name: 'dup', ref: 'main' } });
    const again = await project.api('POST', tags, { json: { tag_name: 'dup', ref: 'main' } });
    expect([again.status, again.body]).toEqual([400, { message: 'Tag dup already exists' }]);
    for (const name of ['-d', tip, 'HEAD', 'a..b'])
      expect((await project.api('POST', tags, { json: { tag_name: name, ref: 'main' } })).body).toEqual({
        message: 'Tag name invalid',
      });
    const target = await project.api('POST', tags, { json: { tag_name: 'x', ref: 'nothing' } });
    expect([target.status, target.body]).toEqual([400, { message: 'Target nothing is invalid' }]);
  });

  it('listed newest first, by name or version, searched', async () => {
    const other = await buildRepositoryProject(app);
    for (const tag_name of ['v1.9', 'v1.10', 'v1.2', 'other'])
      await other.api('POST', tags, { json: { tag_name, ref: 'main' } });
    const names = async (query: Json) => (await other.api<Json[]>('GET', tags, { query })).body.map((tag) => tag.name);
    expect(await names({ order_by: 'name', sort: 'asc' })).toEqual(['other', 'v1.10', 'v1.2', 'v1.9']);
    expect(await names({ order_by: 'version', sort: 'desc', search: '^v' })).toEqual(['v1.10', 'v1.9', 'v1.2']);
    await pushLater(other, ['push', '-q', 'origin', 'later:refs/tags/aa-newest']);
    expect((await names({}))[0]).toBe('aa-newest');
  });

  it('the signature of one is told, unverified; 404 where there is none', async () => {
    const signature = (name: string, token?: null) =>
      project.api('GET', `${tags}/${encoded(name)}/signature`, token === null ? { token } : {});
    await project.api('POST', tags, { json: { tag_name: 'plain', ref: 'main' } });
    await project.api('POST', tags, { json: { tag_name: 'noted', ref: 'main', message: 'Text' } });
    for (const name of ['plain', 'noted'])
      expect([name, (await signature(name)).body]).toEqual([name, { message: '404 Signature Not Found' }]);
    expect((await signature('nothing')).body).toEqual({ message: '404 Tag Not Found' });
    expect((await signature('plain', null)).status).toBe(404);
    await git.run(['clone', '-q', project.remote(project.owner.secret), 'signed']);
    const armoured = '-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n';
    const object = `object ${tip}\ntype commit\ntag signed\ntagger A <a@example.com> 1700000000 +0000\n\nText\n${armoured}`;
    await writeFile(path.join(git.directory, 'signed', 'object'), object);
    const id = await git.run(['hash-object', '-t', 'tag', '-w', 'object'], 'signed');
    await git.run(['push', '-q', 'origin', `${id}:refs/tags/signed`], 'signed');
    const told = await signature('signed');
    expect([told.status, told.body]).toMatchObject([200, { signature_type: 'SSH', verification_status: 'unverified' }]);
    expect((await project.api('GET', `${tags}/signed`)).body.message).toBe('Text');
  });

  it('deleted; unknown ones are 404', async () => {
    await project.api('POST', tags, { json: { tag_name: 'gone', ref: 'main' } });
    expect((await project.api('DELETE', `${tags}/gone`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await project.api(method, `${tags}/gone`);
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Tag Not Found' }]);
    }
  });
});
