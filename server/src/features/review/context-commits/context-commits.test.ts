/** Context commits of merge requests over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'a\n' } });
});
afterAll(() => app.close());

it('are added, listed and removed by who may change the merge request, and outlive their branch', async () => {
  const branch = unique('old');
  const sha = await project.commit(branch, { 'old.txt': 'x' }, { start_branch: 'main' });
  const other = await project.commit(branch, { 'older.txt': 'x' });
  const work = unique('work');
  const own = await project.commit(work, { 'b.txt': 'b\n' }, { start_branch: 'main' });
  const author = await project.member(Level.developer);
  const made = await project.api<Json>('POST', '/merge_requests', {
    token: author.secret,
    json: { source_branch: work, target_branch: 'main', title: 'x' },
  });
  const path = `/merge_requests/${made.body.iid}/context_commits`;
  const reporter = await project.member(Level.reporter);
  const add = (commits: unknown, token = author.secret) =>
    project.api<Json[]>('POST', path, { token, json: { commits } });
  expect((await project.api('GET', path, { token: null })).status).toBe(404);
  expect((await add([sha], reporter.secret)).status).toBe(403);
  expect((await add([])).status).toBe(400);
  expect((await add(['f'.repeat(40)])).status).toBe(400);
  expect((await add(['main'])).status).toBe(400);
  expect((await add([own])).status).toBe(400);
  expect(await add([sha])).toMatchObject({ status: 201, body: [{ id: sha }] });
  expect((await add([sha])).status).toBe(400);
  expect((await add([other])).status).toBe(201);
  await project.api('DELETE', `/repository/branches/${branch}`);
  const list = await project.api<Json[]>('GET', path, { token: reporter.secret });
  expect(list.body.map(({ id }) => id).sort()).toEqual([sha, other].sort());
  const remove = (commits: string[], token = author.secret) =>
    project.api('DELETE', path, { token, query: { commits } });
  expect((await remove([sha], reporter.secret)).status).toBe(403);
  expect((await remove([own])).status).toBe(400);
  expect((await remove([sha])).status).toBe(204);
  expect((await project.api<Json[]>('GET', path)).body).toMatchObject([{ id: other }]);
});
