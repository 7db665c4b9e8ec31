/** Single files made, changed and removed through the API; blobs, blame and what is asked of histories. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\ntwo\n' } });
});
afterAll(() => app.close());

const file = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json: Json) =>
  project.api<Json>(
    method,
    `/repository/files/${encodeURIComponent(path)}`,
    method === 'GET' ? { query: json as Record<string, string> } : { json },
  );
const change = { branch: 'main', commit_message: 'change' };
const read = async (path: string, ref = 'main') => (await file('GET', path, { ref })).body;

it('makes, changes and deletes a file, each as a commit', async () => {
  const path = 'dir with space/ü.txt';
  const author = { author_name: 'Ann', author_email: 'ann@example.com' };
  const made = await file('POST', path, { ...change, ...author, content: 'aGk=', encoding: 'base64' });
  expect([made.status, made.body]).toEqual([201, { file_path: path, branch: 'main' }]);
  const first = await read(path);
  expect(first).toMatchObject({ content: 'aGk=', execute_filemode: false });
  const [commit] = (await project.api<Json[]>('GET', '/repository/commits')).body;
  expect(commit).toMatchObject({ id: first.last_commit_id, ...author, title: 'change' });
  const changed = await file('PUT', path, {
    ...change,
    content: 'more',
    execute_filemode: true,
    last_commit_id: first.last_commit_id,
  });
  expect([changed.status, changed.body]).toEqual([200, { file_path: path, branch: 'main' }]);
  const second = await read(path);
  expect(second).toMatchObject({ content: Buffer.from('more').toString('base64'), execute_filemode: true });
  for (const method of ['PUT', 'DELETE'] as const) {
    const stale = await file(method, path, { ...change, content: 'x', last_commit_id: first.last_commit_id });
    expect([stale.status, stale.body.message, stale.body.reason]).toEqual([
      400,
      'You are attempting to update a file that has changed since you started editing it.',
      'file_changed',
    ]);
  }
  const gone = await file('DELETE', path, { ...change, last_commit_id: second.last_commit_id });
  expect(gone.status).toBe(204);
  expect((await file('GET', path, { ref: 'main' })).status).toBe(404);
});

it('starts branches, and refuses what cannot be', async () => {
  const started = await file('POST', 'b.txt', { ...change, branch: 'b', start_branch: 'main', content: '' });
  expect(started.status).toBe(201);
  expect((await file('GET', 'b.txt', { ref: 'main' })).status).toBe(404);
  const taken = await file('POST', 'a.txt', { ...change, content: '' });
  expect([taken.status, taken.body.message]).toEqual([400, 'A file with this name already exists']);
  const missing = await file('PUT', 'nothing', { ...change, content: '' });
  expect([missing.status, missing.body.message]).toEqual([400, "A file with this name doesn't exist"]);
  expect((await file('DELETE', 'nothing', change)).status).toBe(400);
  expect((await file('POST', '../x', { ...change, content: '' })).status).toBe(400);
  expect((await file('POST', '.git/config', { ...change, content: '' })).status).toBe(400);
  expect((await file('POST', 'c', { ...change, content: '*', encoding: 'base64' })).status).toBe(400);
  expect((await file('POST', 'c', { branch: 'main', content: '' })).body).toEqual({
    error: 'commit_message is missing',
  });
  expect((await file('POST', 'c', change)).body).toEqual({ error: 'content is missing' });
});

it('refuses a protected branch with the status that clients look for', async () => {
  const { secret: token } = await project.member(30);
  const to = (method: 'POST' | 'PUT' | 'DELETE', path: string) =>
    project.api<Json>(method, `/repository/files/${path}`, { json: { ...change, content: 'x' }, token });
  const refused = { message: 'You are not allowed to push into this branch' };
  for (const answer of [await to('POST', 'new'), await to('PUT', 'a.txt'), await to('DELETE', 'a.txt')])
    expect([answer.status, answer.body]).toEqual([400, refused]);
  // Who may push nowhere is refused as everywhere.
  const reporter = (await project.member(20)).secret;
  const denied = await project.api('PUT', '/repository/files/a.txt', {
    json: { ...change, content: 'x' },
    token: reporter,
  });
  expect(denied.status).toBe(403);
});

it('gives blobs by their id', async () => {
  const { blob_id } = await read('a.txt');
  const id = String(blob_id);
  expect((await project.api('GET', `/repository/blobs/${id}`)).body).toEqual({
    size: 8,
    encoding: 'base64',
    content: Buffer.from('one\ntwo\n').toString('base64'),
    sha: id,
  });
  const raw = await project.api<string>('GET', `/repository/blobs/${id}/raw`);
  expect([raw.body, raw.headers.get('content-disposition')]).toEqual(['one\ntwo\n', 'attachment']);
  const { commit_id } = await read('a.txt');
  for (const other of [String(commit_id), 'f'.repeat(40), '-'.repeat(40)])
    for (const end of ['', '/raw'])
      expect((await project.api('GET', `/repository/blobs/${other}${end}`)).body).toEqual({
        message: '404 Blob Not Found',
      });
});

it('tells who last changed each line', async () => {
  const first = String((await read('a.txt')).last_commit_id);
  const tip = (await project.api<{ commit: Json }>('GET', '/repository/branches/main')).body.commit.id;
  const second = await project.commit('blamed', [{ action: 'update', file_path: 'a.txt', content: 'one\n2\n' }], {
    start_branch: 'main',
  });
  const blame = (query: Record<string, string | undefined>) =>
    project.api<Json[]>('GET', '/repository/files/a.txt/blame', {
      query: { ref: 'blamed', ...query } as Record<string, string>,
    });
  expect((await blame({})).body).toMatchObject([
    { commit: { id: first }, lines: ['one'] },
    { commit: { id: second, parent_ids: [tip], author_name: project.owner.user.name }, lines: ['2'] },
  ]);
  expect((await blame({ 'range[start]': '2', 'range[end]': '2' })).body).toMatchObject([{ lines: ['2'] }]);
  for (const range of [{ 'range[start]': '2' }, { 'range[start]': '2', 'range[end]': '1' }])
    expect((await blame(range)).status).toBe(400);
  expect((await blame({ 'range[start]': '7', 'range[end]': '9' })).status).toBe(400);
  expect((await blame({ ref: 'nothing' })).status).toBe(404);
  const missing = await project.api('GET', '/repository/files/nothing/blame', { query: { ref: 'main' } });
  expect(missing.body).toEqual({ message: '404 File Not Found' });
});

it('answers common ancestors, contributors and lengths', async () => {
  const [base] = (await project.api<Json[]>('GET', '/repository/commits')).body;
  const left = await project.commit('left', { left: '' }, { start_branch: 'main' });
  await project.commit('right', { right: '' }, { start_branch: 'main', author_name: 'Zoe', author_email: 'z@x.org' });
  const ancestor = (refs: string[]) =>
    project.api<Json>('GET', `/repository/merge_base?${refs.map((ref) => `refs[]=${ref}`).join('&')}`);
  expect((await ancestor(['left', 'right'])).body.id).toBe(base?.id);
  expect((await ancestor(['left', left])).body.id).toBe(left);
  expect((await ancestor(['left'])).status).toBe(400);
  expect((await ancestor(['left', 'nothing'])).status).toBe(400);
  const people = (query: Record<string, string>) =>
    project.api<{ name: string; commits: number }[]>('GET', '/repository/contributors', { query });
  const owner = project.owner.user.name;
  expect((await people({ ref: 'right' })).body.map(({ name }) => name)).toEqual(['Ann', 'Zoe', owner]);
  expect((await people({ ref: 'right', order_by: 'email', sort: 'desc' })).body[0]).toMatchObject({
    name: 'Zoe',
    commits: 1,
  });
  expect((await people({ ref: 'nothing' })).status).toBe(404);
  // One address is one person, by the name of most commits, and merges are nobody's work.
  await project.commit('left', { again: '' }, { author_name: 'Zo', author_email: 'z@x.org' });
  await project.commit('left', { more: '' }, { author_name: 'Zoe', author_email: 'z@x.org' });
  await project.commit('left', { most: '' }, { author_name: 'Zoe', author_email: 'z@x.org' });
  const zoe = { name: 'Zoe', email: 'z@x.org', commits: 3 };
  expect((await people({ ref: 'left', order_by: 'email', sort: 'desc' })).body[0]).toMatchObject(zoe);
  const length = async (query: Record<string, string> = {}) =>
    (await project.api<{ count: number }>('GET', `/repository/commits/${left}/sequence`, { query })).body.count;
  expect(await length()).toBe(
    (await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: left } })).body.length,
  );
  expect(await length({ first_parent: 'true' })).toBe(await length());
});

it('diffs have the headers of patches where they are asked for', async () => {
  const sha = await project.commit('patch', { 'p.txt': 'x\n' }, { start_branch: 'main' });
  const diffs = async (query: Record<string, string>) =>
    (await project.api<{ diff: string }[]>('GET', `/repository/commits/${sha}/diff`, { query })).body[0]?.diff;
  const plain = await diffs({});
  expect(plain).toMatch(/^@@/);
  expect(await diffs({ unidiff: 'true' })).toBe(`--- /dev/null\n+++ b/p.txt\n${plain}`);
  const compared = await project.api<{ web_url: string; diffs: { diff: string }[] }>('GET', '/repository/compare', {
    query: { from: 'main', to: 'patch', unidiff: 'true' },
  });
  expect(compared.body.diffs[0]?.diff).toBe(`--- /dev/null\n+++ b/p.txt\n${plain}`);
  const [base, from] = await Promise.all(
    ['patch~1', 'main'].map(async (ref) => (await project.api(`GET`, `/repository/commits/${ref}`)).body.id as string),
  );
  expect(compared.body.web_url).toMatch(new RegExp(`/-/compare/${base}\\.\\.\\.${sha}$`));
  await project.commit('main', { 'ahead.txt': 'x\n' });
  const straight = await project.api<{ web_url: string }>('GET', '/repository/compare', {
    query: { from: 'main', to: 'patch', straight: true },
  });
  const ahead = (await project.api('GET', '/repository/commits/main')).body.id as string;
  expect([from, straight.body.web_url]).toEqual([base, expect.stringContaining(`/-/compare/${ahead}...${sha}`)]);
  expect(createHash('sha256').update('x\n').digest('hex')).toBe((await read('p.txt', 'patch')).content_sha256);
});
