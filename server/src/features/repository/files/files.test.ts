/** Trees, files, raw bytes, archives and comparisons over HTTP. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
let empty: RepositoryProject;
let tip: string;
const encoded = encodeURIComponent;

beforeAll(async () => {
  app = await startTestApp();
  // Every depth and format is asked for; the limit of archives has a test of its own.
  await app.settings.write({ project_repositories_archive_limit: 0 });
  const files = {
    'README.md': '# Hi\n',
    'src/a.ts': 'a\n',
    'src/deep/b ü.ts': 'b\n',
    'src/page.html': '<script>alert(1)</script>',
  };
  project = await buildRepositoryProject(app, { files });
  empty = await buildRepositoryProject(app, { files: null });
  tip = String((await project.api('GET', '/repository/commits/main')).body.id);
  await project.commit('other/branch', { 'only.txt': 'x' }, { start_branch: 'main' });
});
afterAll(() => app.close());

const file = (path: string, query: Json = {}, more: { token?: string | null } = {}) =>
  project.api(`GET`, `/repository/files/${encoded(path)}`, { query, ...more });

describe('tree', () => {
  const tree = (query: Json = {}) => project.api<Json[]>('GET', '/repository/tree', { query });

  it('lists a directory, directories first', async () => {
    const { status, body } = await tree();
    expect(status).toBe(200);
    expect(body.map((entry) => [entry.type, entry.path, entry.mode])).toEqual([
      ['tree', 'src', '040000'],
      ['blob', 'README.md', '100644'],
    ]);
    expect((await tree({ path: 'src' })).body.map((entry) => entry.path)).toEqual([
      'src/deep',
      'src/a.ts',
      'src/page.html',
    ]);
    expect((await tree({ path: 'src/', ref: tip })).body).toHaveLength(3);
    expect((await tree({ ref: 'other/branch' })).body.map((entry) => entry.name)).toContain('only.txt');
  });

  it('recursively, paged by number and by cursor', async () => {
    const all = await tree({ recursive: true });
    expect(all.body.map((entry) => entry.path)).toEqual(
      expect.arrayContaining(['README.md', 'src', 'src/a.ts', 'src/deep', 'src/deep/b ü.ts', 'src/page.html']),
    );
    const second = await tree({ recursive: true, per_page: 2, page: 2 });
    expect(second.body).toEqual(all.body.slice(2, 4));
    const keyset = await tree({ recursive: true, per_page: 4, pagination: 'keyset' });
    const next = /<([^>]+)>; rel="next"/.exec(keyset.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await app.request<Json[]>('GET', next.slice(app.url.length), { token: project.owner.secret });
    expect([...keyset.body, ...rest.body]).toEqual(all.body);
  });

  it('[1/errors/10] unknown refs and paths, and an empty repository, are 404', async () => {
    for (const query of [{ ref: 'nothing' }, { path: 'nothing' }, { path: 'README.md' }, { ref: '--output=x' }]) {
      const answer = await project.api('GET', '/repository/tree', { query });
      const what = query.path === undefined ? 'Tree' : 'invalid revision or path';
      expect([query, answer.status, answer.body]).toEqual([query, 404, { message: `404 ${what} Not Found` }]);
    }
    const none = await empty.api('GET', '/repository/tree');
    expect([none.status, none.body]).toEqual([404, { message: '404 Tree Not Found' }]);
    expect((await project.api('GET', '/repository/tree', { token: null })).body).toEqual({
      message: '404 Project Not Found',
    });
  });
});

describe('files', () => {
  it('with content, and the same in headers', async () => {
    const { status, body, headers } = await file('src/deep/b ü.ts', { ref: 'main' });
    expect(status).toBe(200);
    expect(body).toEqual({
      file_name: 'b ü.ts',
      file_path: 'src/deep/b ü.ts',
      size: 2,
      encoding: 'base64',
      content: 'Ygo=',
      content_sha256: createHash('sha256').update('b\n').digest('hex'),
      ref: 'main',
      blob_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      commit_id: tip,
      last_commit_id: tip,
      execute_filemode: false,
    });
    const named = [...headers].filter(([name]) => name.endsWith('-file-name') || name.endsWith('-size'));
    expect(named.map(([, value]) => value).sort()).toEqual(['2', 'b%20%C3%BC.ts']);
  });

  it('HEAD gives the headers alone', async () => {
    const answer = await project.api('HEAD', `/repository/files/${encoded('src/a.ts')}`, { query: { ref: 'main' } });
    expect([answer.status, answer.body]).toEqual([200, null]);
    expect([...answer.headers.keys()].some((name) => name.endsWith('-content-sha256'))).toBe(true);
  });

  it('raw: bytes as text, inert in a browser', async () => {
    const answer = await project.api<string>('GET', `/repository/files/${encoded('src/page.html')}/raw`, {
      query: { ref: 'main' },
    });
    expect([answer.status, answer.body]).toEqual([200, '<script>alert(1)</script>']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect((await project.api<string>('GET', '/repository/files/README.md/raw')).body).toBe('# Hi\n');
  });

  it('raw: large files stream whole', async () => {
    const content = Buffer.alloc(3 * 1024 * 1024, 'millrace ').toString('base64');
    await project.commit('large', [{ action: 'create', file_path: 'big', content, encoding: 'base64' }], {
      start_branch: 'main',
    });
    const answer = await project.api<string>('GET', '/repository/files/big/raw', { query: { ref: 'large' } });
    expect([answer.body.length, answer.headers.get('content-length')]).toEqual([
      3 * 1024 * 1024,
      String(3 * 1024 * 1024),
    ]);
  });

  it('[1/errors/10] unknown files and refs are 404', async () => {
    expect((await file('nothing', { ref: 'main' })).body).toEqual({ message: '404 File Not Found' });
    expect((await file('src', { ref: 'main' })).body).toEqual({ message: '404 File Not Found' });
    expect((await file('README.md', { ref: 'nothing' })).body).toEqual({ message: '404 Commit Not Found' });
    expect((await file('README.md', { ref: 'main' }, { token: null })).body).toEqual({
      message: '404 Project Not Found',
    });
    expect((await file('README.md', {})).body).toEqual({ error: 'ref is missing' });
    expect((await file('README.md', { ref: 'HEAD' })).body).toMatchObject({ file_name: 'README.md', ref: 'HEAD' });
    expect((await empty.api('GET', '/repository/files/README.md', { query: { ref: 'main' } })).status).toBe(404);
  });

  it('security 2: dots never leave the tree, at any depth, on file, raw, tree and archive', async () => {
    for (let depth = 0; depth <= 20; depth += 4) {
      for (const dots of ['../', '..%2f', '%2e%2e%2f', '..%252f']) {
        const path = `${dots.repeat(depth)}etc%2fpasswd`;
        for (const target of [
          `/repository/files/${path.replaceAll('../', '..%2f')}/raw?ref=main`,
          `/repository/files/${path.replaceAll('../', '..%2f')}?ref=main`,
          `/repository/tree?path=${path}`,
          `/repository/archive.tar.gz?path=${path}`,
          `/repository/archive.tar.gz?sha=${path}`,
        ]) {
          const answer = await project.api('GET', target);
          expect([target, [400, 404].includes(answer.status), JSON.stringify(answer.body).includes('root:')]).toEqual([
            target,
            true,
            false,
          ]);
        }
      }
    }
  });

  it('[1/authentication/13] a token with read_repository reads files, one with read_user does not', async () => {
    const reading = await buildToken(app, { user: project.owner.user, scopes: ['read_repository'] });
    expect((await file('README.md', { ref: 'main' }, { token: reading.secret })).status).toBe(200);
    expect((await project.api('GET', '/repository/tree', { token: reading.secret })).status).toBe(403);
    const other = await buildToken(app, { user: project.owner.user, scopes: ['read_user'] });
    expect((await file('README.md', { ref: 'main' }, { token: other.secret })).body).toMatchObject({
      error: 'insufficient_scope',
    });
  });
});

describe('archive', () => {
  const bytes = async (target: string): Promise<{ status: number; headers: Headers; data: Buffer }> => {
    const response = await fetch(`${app.url}/api/v4/projects/${project.id}/repository/${target}`, {
      headers: { 'PRIVATE-TOKEN': project.owner.secret },
    });
    return { status: response.status, headers: response.headers, data: Buffer.from(await response.arrayBuffer()) };
  };
  const names = (data: Buffer, flags: string) =>
    execFileSync('tar', [`t${flags}f`, '-'], {
      input: data,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    })
      .trim()
      .split('\n');

  it('in every format, with a directory named after project, ref and commit', async () => {
    const { path } = await project.row();
    const tarred = await bytes('archive');
    expect([tarred.status, tarred.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(tarred.headers.get('content-disposition')).toContain(`${path}-main-${tip}.tar.gz`);
    expect(names(tarred.data, 'z')).toContain(`${path}-main-${tip}/src/a.ts`);
    expect(names((await bytes('archive.tar')).data, '')).toContain(`${path}-main-${tip}/README.md`);
    expect(names((await bytes('archive.tar?path=src')).data, '').some((name) => name.endsWith('README.md'))).toBe(
      false,
    );
    expect((await bytes('archive.zip')).data.subarray(0, 2).toString()).toBe('PK');
    expect((await bytes('archive.tar.bz2')).data.subarray(0, 3).toString()).toBe('BZh');
    for (const name of ['archive.tbz', 'archive.tbz2', 'archive.tb2', 'archive.bz2'])
      expect([name, (await bytes(name)).data.subarray(0, 3).toString()]).toEqual([name, 'BZh']);
    expect((await bytes('archive.tar.gz')).data.subarray(0, 2).toString('hex')).toBe('1f8b');
    expect((await bytes('archive?format=zip&sha=other%2Fbranch')).data.subarray(0, 2).toString()).toBe('PK');
  });

  it('unknown commits are 404, unknown formats 400, outsiders 404', async () => {
    expect((await project.api('GET', '/repository/archive', { query: { sha: 'nothing' } })).body).toEqual({
      message: '404 File Not Found',
    });
    expect((await project.api('GET', '/repository/archive', { query: { format: 'rar' } })).status).toBe(400);
    expect((await project.api('GET', '/repository/archive', { token: null })).status).toBe(404);
    for (const sha of ['--output=/tmp/x', '--remote=x', '-h'])
      expect([sha, (await project.api('GET', '/repository/archive', { query: { sha } })).status]).toEqual([sha, 404]);
    expect((await empty.api('GET', '/repository/archive')).status).toBe(404);
  });
});

describe('compare', () => {
  const compare = (query: Json) => project.api('GET', '/repository/compare', { query });

  it('commits and changes from the merge base, or straight', async () => {
    await project.commit('main', { 'main-only': '1' });
    const answer = await compare({ from: 'main', to: 'other/branch' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      commits: [{ title: 'Change other/branch' }],
      commit: { title: 'Change other/branch' },
      compare_same_ref: false,
      compare_timeout: false,
    });
    const paths = (body: Json) => (body.diffs as Json[]).map((diff) => diff.new_path);
    expect(paths(answer.body)).toEqual(['only.txt']);
    expect(paths((await compare({ from: 'main', to: 'other/branch', straight: true })).body)).toEqual([
      'main-only',
      'only.txt',
    ]);
    expect((await compare({ from: 'main', to: 'main' })).body).toMatchObject({
      commit: null,
      commits: [],
      diffs: [],
      compare_same_ref: true,
    });
  });

  it('with a fork: from its revision to one of this project; others are refused', async () => {
    const origin = await buildRepositoryProject(app, { owner: project.owner });
    const fork = await buildRepositoryProject(app, { owner: project.owner, files: null });
    const parent = { forked_from_project_id: origin.id };
    await app.db.updateTable('projects').set(parent).where('id', '=', fork.id).execute();
    const start = { start_project: origin.id, start_branch: 'main', commit_message: 'In the fork' };
    const forked = await fork.commit('main', { f: 'x' }, start);
    await origin.commit('main', { g: 'y' }, { commit_message: 'In the origin' });
    const ask = (query: Json) =>
      fork.api('GET', '/repository/compare', { query: { from: 'main', to: 'main', ...query } });
    const paths = ({ body }: { body: Json }) => (body.diffs as Json[]).map((diff) => diff.new_path);
    const answer = await ask({ from_project_id: origin.id });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { commit: { id: forked }, commits: [{ title: 'In the fork' }], compare_same_ref: false },
    ]);
    expect(paths(answer)).toEqual(['f']);
    expect(paths(await ask({ from_project_id: origin.id, straight: true }))).toEqual(['f', 'g']);
    expect((await ask({ from_project_id: fork.id })).body.compare_same_ref).toBe(true);
    const unrelated = await ask({ from_project_id: project.id });
    const message = `Target project id:${project.id} is not a fork of project id:${fork.id}`;
    expect([unrelated.status, unrelated.body]).toEqual([400, { message }]);
    const hidden = await buildRepositoryProject(app);
    expect((await ask({ from_project_id: hidden.id })).status).toBe(404);
    expect((await ask({ from_project_id: origin.id, from: 'nothing' })).body).toEqual({ message: '404 Ref Not Found' });
  });

  it('unknown refs are 404, missing ones 400', async () => {
    for (const query of [
      { from: 'x', to: 'main' },
      { from: 'main', to: '--all' },
    ])
      expect((await compare(query)).body).toEqual({ message: '404 Ref Not Found' });
    expect((await compare({ from: 'main' })).body).toEqual({ error: 'to is missing' });
    expect(
      (await project.api('GET', '/repository/compare', { token: null, query: { from: 'main', to: 'main' } })).status,
    ).toBe(404);
  });
});
