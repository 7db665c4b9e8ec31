/** Submodules over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  await git.run(['clone', '-q', project.remote(project.owner.secret), 'clone']);
  await git.run(['update-index', '--add', '--cacheinfo', `160000,${first},lib/part`], 'clone');
  await git.run(['commit', '-q', '-m', 'With a submodule'], 'clone');
  await git.run(['push', '-q', 'origin', 'HEAD:sub'], 'clone');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

it('is pointed to another commit by a commit of its own; who may not push is refused', async () => {
  const put = (path: string, json: Json, token: string | null = project.owner.secret) =>
    project.api('PUT', `/repository/submodules/${encodeURIComponent(path)}`, { json, token });
  const moved = await put('lib/part', { branch: 'sub', commit_sha: second });
  expect([moved.status, moved.body]).toMatchObject([
    200,
    { title: `Update submodule lib/part with oid ${second}`, project_id: project.id, stats: { total: 2 } },
  ]);
  const tree = await project.api<Json[]>('GET', '/repository/tree', { query: { ref: 'sub', path: 'lib' } });
  expect(tree.body).toMatchObject([{ name: 'part', type: 'commit', mode: '160000', id: second }]);
  const worded = await put('lib/part', { branch: 'sub', commit_sha: first, commit_message: 'Back again' });
  expect(worded.body).toMatchObject({ title: 'Back again', parent_ids: [moved.body.id] });
  for (const [path, json, message] of [
    ['lib/part', { branch: 'sub', commit_sha: first }, `The submodule lib/part is already at ${first}`],
    ['README.md', { branch: 'sub', commit_sha: first }, 'Invalid submodule path'],
    ['../lib/part', { branch: 'sub', commit_sha: first }, 'Invalid submodule path'],
    ['lib/part', { branch: 'main', commit_sha: first }, 'Invalid submodule path'],
    ['lib/part', { branch: 'none', commit_sha: first }, 'You can only create or edit files when you are on a branch'],
  ] as const)
    expect([path, json, await put(path, json)]).toMatchObject([path, json, { status: 400, body: { message } }]);
  expect((await put('lib/part', { branch: 'sub', commit_sha: 'main' })).status).toBe(400);
  expect((await put('lib/part', {})).body).toEqual({ error: 'commit_sha is missing, branch is missing' });
  const reporter = await project.member(20);
  expect((await put('lib/part', { branch: 'sub', commit_sha: second }, reporter.secret)).status).toBe(403);
  expect((await put('lib/part', { branch: 'sub', commit_sha: second }, null)).status).toBe(401);
  const empty = await buildRepositoryProject(app, { files: null });
  const none = await empty.api('PUT', '/repository/submodules/a', { json: { branch: 'main', commit_sha: first } });
  expect([none.status, none.body.message]).toEqual([400, 'The repository is empty']);
});
