/** Snapshots of repositories, unpacked by the system's tar and read by git. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let admin: BuiltToken;
let project: RepositoryProject;
let directory: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  project = await buildRepositoryProject(app, { visibility: 'public' });
  directory = mkdtempSync(join(tmpdir(), 'mr-snapshot-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await app.close();
});

const git = (at: string, ...args: string[]) => execFileSync('git', ['-C', at, ...args], { encoding: 'utf8' });

async function unpacked(query = ''): Promise<string> {
  const answer = await fetch(`${app.url}/api/v4/projects/${project.id}/snapshot${query}`, {
    headers: { 'PRIVATE-TOKEN': admin.secret },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
  const at = mkdtempSync(join(directory, 'repository-'));
  const file = `${at}.tar`;
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  execFileSync('tar', ['-xf', file, '-C', at]);
  return at;
}

it('is a bare repository with every ref and object', async () => {
  const first = await project.commit('main', { 'a.txt': 'one' });
  await project.commit('topic/ü', { 'b.txt': 'two' }, { start_branch: 'main' });
  const tag = await project.api('POST', '/repository/tags', { json: { tag_name: 'v1', ref: 'main', message: 'x' } });
  expect(tag.status).toBe(201);
  const at = await unpacked();
  expect(git(at, 'fsck', '--full', '--strict')).not.toMatch(/missing|error/);
  expect(git(at, 'rev-parse', 'HEAD').trim()).toBe(first);
  expect(git(at, 'show', 'topic/ü:b.txt')).toBe('two');
  expect(git(at, 'cat-file', '-t', 'v1').trim()).toBe('tag');
  expect(git(at, 'rev-parse', 'v1^{commit}').trim()).toBe(first);
  // Nothing of it is left beside the objects.
  const [{ repository_path: path } = { repository_path: '' }] = await app.db
    .selectFrom('projects')
    .select('repository_path')
    .where('id', '=', project.id)
    .execute();
  const objects = join(app.directory, 'repositories', path, 'objects');
  await expect.poll(() => readdirSync(objects).filter((name) => name.startsWith('incoming-'))).toEqual([]);
});

it('is of the wiki where that is asked for, and 404 while there is none', async () => {
  const missing = await app.api('GET', `/projects/${project.id}/snapshot?wiki=true`, { token: admin.secret });
  expect([missing.status, missing.body]).toEqual([404, { message: '404 Repository Not Found' }]);
  const page = await project.api('POST', '/wikis', { json: { title: 'home', content: 'words' } });
  expect(page.status).toBe(201);
  expect(git(await unpacked('?wiki=true'), 'show', 'HEAD:home.md')).toBe('words');
});

it('is for administrators only', async () => {
  const target = `/projects/${project.id}/snapshot`;
  expect((await app.api('GET', target)).status).toBe(401);
  expect((await app.api('GET', target, { token: project.owner.secret })).status).toBe(403);
  expect((await app.api('GET', target, { token: (await buildToken(app)).secret })).status).toBe(403);
});
