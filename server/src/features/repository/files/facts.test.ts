/** What is told of a file besides its content, in headers; odd names, links and submodules in every read; parts of large files. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Method } from '../../../../test/app.ts';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let first: string;
let tip: string;
const encoded = encodeURIComponent;
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const odd = {
  'sp ace/ü.txt': 'ü\n',
  'new\nline.txt': 'newline\n',
  'quo"te\\back.txt': 'quoted\n',
  '%2F.txt': 'percent\n',
  '-option': 'option\n',
  '*.md': 'star\n',
  'HEAD:a': 'colon\n',
};
const binary = Buffer.from([0, 255, 128, 13, 10, 0, 7]);
const object = made(Buffer.from('0123456789'.repeat(100)));

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app, { files: { 'bin/run.sh': '#!/bin/sh\n', 'a.txt': 'a\n' } });
  first = String((await project.api('GET', '/repository/commits/main')).body.id);
  await project.commit('main', [{ action: 'chmod', file_path: 'bin/run.sh', execute_filemode: true }]);
  expect((await lfsClient(app, project).put(object)).status).toBe(200);
  await git.run(['clone', '-q', project.remote(project.owner.secret), 'work']);
  const add = async (mode: string, name: string, content: Buffer | string) => {
    await writeFile(path.join(git.directory, 'content'), content);
    const id = await git.run(['hash-object', '-w', '../content'], 'work');
    await git.run(['update-index', '--add', '--cacheinfo', `${mode},${id},${name}`], 'work');
  };
  for (const [name, content] of Object.entries(odd)) await add('100644', name, content);
  await add('100644', 'binary', binary);
  await add('100644', 'large', pointer(object));
  await add('120000', 'link', 'bin/run.sh');
  await git.run(['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`], 'work');
  await git.run(['commit', '-q', '-m', 'Odd ones'], 'work');
  await git.run(['push', '-q', 'origin', 'HEAD:main'], 'work');
  tip = await git.run(['rev-parse', 'HEAD'], 'work');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const facts = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-gitlab-')).map(([k, v]) => [k.slice(9), v]));
const ask = async (method: Method, name: string, rest = '', query: Json = { ref: 'main' }) =>
  await project.api(method, `/repository/files/${encoded(name)}${rest}`, { query });

it('HEAD of a file, its bytes and its blame have every header; so has GET, but for history before bytes', async () => {
  const blob = String((await ask('GET', 'bin/run.sh')).body.blob_id);
  const wanted = {
    'blob-id': blob,
    'commit-id': tip,
    'content-sha256': sha256('#!/bin/sh\n'),
    encoding: 'base64',
    'execute-filemode': 'true',
    'file-name': 'run.sh',
    'file-path': 'bin/run.sh',
    'last-commit-id': expect.not.stringMatching(new RegExp(`${first}|${tip}`)),
    ref: 'main',
    size: '10',
  };
  const { 'last-commit-id': _, ...cheap } = wanted;
  for (const [method, rest, headers] of [
    ['HEAD', '', wanted],
    ['GET', '', wanted],
    ['HEAD', '/raw', wanted],
    ['GET', '/raw', cheap],
    ['HEAD', '/blame', wanted],
    ['GET', '/blame', wanted],
  ] as const) {
    const answer = await ask(method, 'bin/run.sh', rest);
    expect([method, rest, answer.status, facts(answer.headers)]).toEqual([method, rest, 200, headers]);
    if (method === 'HEAD') expect(answer.body).toBeNull();
  }
  // The ref as it was asked for, and the history before it.
  const old = await ask('HEAD', 'bin/run.sh', '', { ref: first });
  expect(facts(old.headers)).toMatchObject({ ref: first, 'last-commit-id': first, 'execute-filemode': 'false' });
  expect((await ask('GET', 'a.txt', '', { ref: 'HEAD' })).body).toMatchObject({ ref: 'HEAD', last_commit_id: first });
  for (const rest of ['', '/raw', '/blame'])
    expect([rest, (await ask('HEAD', 'nothing', rest)).status]).toEqual([rest, 404]);
});

it('odd names, bytes that are no text, links: read as they are, everywhere', async () => {
  for (const [name, content] of [...Object.entries(odd), ['binary', binary], ['link', 'bin/run.sh']] as const) {
    const base64 = Buffer.from(content).toString('base64');
    const { status, body } = await ask('GET', name);
    expect([name, status, body.content, body.file_path, body.content_sha256]).toEqual([
      ...[name, 200, base64, name, sha256(content as string)],
    ]);
    const raw = await fetch(`${app.url}/api/v4/projects/${project.id}/repository/files/${encoded(name)}/raw?ref=main`, {
      headers: { 'PRIVATE-TOKEN': project.owner.secret },
    });
    expect([name, Buffer.from(await raw.arrayBuffer()).toString('base64')]).toEqual([name, base64]);
    const blame = await project.api<Json[]>('GET', `/repository/files/${encoded(name)}/blame`, {
      query: { ref: 'main' },
    });
    expect([name, blame.status, blame.body]).toMatchObject([name, 200, [{ commit: { id: tip } }]]);
    const log = await project.api<Json[]>('GET', '/repository/commits', { query: { path: name } });
    expect([name, log.body.map(({ id }) => id)]).toEqual([name, [tip]]);
  }
  const tree = await project.api<Json[]>('GET', '/repository/tree', { query: { recursive: true, per_page: 100 } });
  const paths = tree.body.map(({ path: each }) => each);
  expect(paths).toEqual(expect.arrayContaining([...Object.keys(odd), 'link', 'module', 'binary']));
  const modes = Object.fromEntries(tree.body.map(({ path: each, mode }) => [each, mode]));
  expect(modes).toMatchObject({ link: '120000', module: '160000', 'bin/run.sh': '100755', bin: '040000' });
  // A submodule is no file and no directory; a link is not followed.
  for (const name of [
    'module',
    'link/x',
    'bin',
    'a.txt/',
    'bin/',
    'a.txt/x',
    '',
    '.',
    './a.txt',
    'bin/../a.txt',
    'a\0',
  ])
    for (const rest of ['', '/raw', '/blame'])
      if (name !== '' || rest !== '')
        expect([name, rest, [400, 404]]).toEqual([
          ...[name, rest],
          expect.arrayContaining([(await ask('GET', name, rest)).status]),
        ]);
  for (const name of ['module', 'link', 'a.txt'])
    expect((await project.api('GET', '/repository/tree', { query: { path: name } })).status).toBe(404);
  expect((await ask('GET', '/a.txt', '/raw')).status).toBe(200);
});

it('a part of a large file, and nothing where it is known', async () => {
  const get = (headers: Record<string, string>, query: Json = { lfs: true }) =>
    project.api<string>('GET', '/repository/files/large/raw', { query, headers });
  const whole = await get({});
  expect([whole.status, whole.body, whole.headers.get('accept-ranges')]).toEqual([200, String(object.bytes), 'bytes']);
  const etag = whole.headers.get('etag') ?? '';
  const part = await get({ Range: 'bytes=5-8' });
  expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, '5678', 'bytes 5-8/1000']);
  expect((await get({ Range: 'bytes=-3' })).body).toBe('789');
  expect([(await get({ Range: 'bytes=5-8', 'If-Range': '"other"' })).status]).toEqual([200]);
  const outside = await get({ Range: 'bytes=1000-' });
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
  expect((await get({ 'If-None-Match': etag })).status).toBe(304);
  // Without `lfs` it is the pointer, with an ETag of its own.
  const small = await get({}, {});
  expect([small.status, small.body]).toEqual([200, pointer(object)]);
  expect((await get({ 'If-None-Match': small.headers.get('etag') ?? '' }, {})).status).toBe(304);
  expect((await get({ 'If-None-Match': etag }, {})).status).toBe(200);
});

it('a tree comes whole only with everything below it', async () => {
  const tree = (query: Json) => project.api<Json[]>('GET', '/repository/tree', { query });
  expect(await tree({ pagination: 'none' })).toMatchObject({
    status: 400,
    body: { error: 'pagination cannot be "none" unless "recursive" is true' },
  });
  const all = await tree({ pagination: 'none', recursive: true, per_page: 2 });
  expect([all.status, all.body.length > 10]).toEqual([200, true]);
});

it('an empty repository has an answer on every route', async () => {
  const empty = await buildRepositoryProject(app, { files: null });
  const id = '1'.repeat(40);
  for (const [target, status] of [
    ['tree', 404],
    ['archive', 404],
    ['files/a', 400],
    ['files/a?ref=main', 404],
    ['files/a/raw', 404],
    ['files/a/blame?ref=main', 404],
    [`blobs/${id}`, 404],
    ['blobs/short', 404],
    [`blobs/${id}/raw`, 404],
    ['branches', 200],
    ['branches/main', 404],
    ['tags', 200],
    ['tags/v1', 404],
    ['tags/v1/signature', 404],
    ['commits', 200],
    ['commits/main', 404],
    ['commits/main/diff', 404],
    ['commits/main/refs', 404],
    ['commits/main/signature', 404],
    ['commits/main/sequence', 404],
    ['contributors', 200],
    ['compare?from=a&to=b', 404],
    ['merge_base?refs[]=a&refs[]=b', 400],
  ] as const) {
    const answer = await empty.api('GET', `/repository/${target}`);
    expect([target, answer.status]).toEqual([target, status]);
    if (status === 200) expect([target, answer.body]).toEqual([target, []]);
  }
});

it('common ancestors of more than two, of tags, and which names are unknown', async () => {
  const at = await project.commit('fork', { fork: '' }, { start_branch: 'main' });
  await project.commit('left', { left: '' }, { start_branch: 'fork' });
  await project.commit('right', { right: '' }, { start_branch: 'fork' });
  expect(
    (await project.api('POST', '/repository/tags', { json: { tag_name: 't', ref: 'main', message: 'T' } })).status,
  ).toBe(201);
  const base = (refs: string) => project.api('GET', `/repository/merge_base?${refs}`);
  expect((await base('refs[]=left&refs[]=right')).body.id).toBe(at);
  expect((await base('refs[]=left&refs[]=right&refs[]=t')).body.id).toBe(tip);
  expect((await base('refs=left,right')).body.id).toBe(at);
  expect((await base('refs[]=left&refs[]=no')).body).toEqual({ message: '400 Bad request - Could not find ref: no' });
  expect((await base('refs[]=no&refs[]=left&refs[]=none')).body).toEqual({
    message: '400 Bad request - Could not find refs: no, none',
  });
});
