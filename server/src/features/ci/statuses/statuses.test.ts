/** Statuses of other systems: set on commits, told beside jobs, and counted in pipelines. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
});
afterAll(() => app.close());

const fresh = (branch: string) => project.commit(branch, { [branch]: '' }, { start_branch: 'main' });
const set = (sha: string, json: Json, token?: string | null) =>
  project.api<Json>('POST', `/statuses/${sha}`, { json, ...(token === undefined ? {} : { token }) });
const list = async (sha: string, query: Record<string, string> = {}) =>
  (await project.api<Json[]>('GET', `/repository/commits/${sha}/statuses`, { query })).body;
const pipeline = async (id: unknown) => (await project.api<Json>('GET', `/pipelines/${id}`)).body;

it('makes a pipeline of another system, whose results decide its status', async () => {
  const sha = await fresh('first');
  const target = { target_url: 'https://ci.example.com/1', description: 'It runs' };
  const made = await set(sha, { state: 'pending', name: 'build', ref: 'first', ...target });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    ...{ id: expect.any(Number), sha, ref: 'first', name: 'build', status: 'pending', ...target },
    ...{ created_at: expect.any(String), started_at: null, finished_at: null },
    ...{ allow_failure: false, coverage: null, pipeline_id: expect.any(Number) },
    author: expect.objectContaining({ id: project.owner.user.id, username: project.owner.user.username }),
  });
  const id = made.body.pipeline_id;
  expect(await pipeline(id)).toMatchObject({ sha, ref: 'first', source: 'external', status: 'pending', tag: false });
  await set(sha, { state: 'running', context: 'lint' });
  expect(await pipeline(id)).toMatchObject({ status: 'running' });
  const running = await set(sha, { state: 'running', name: 'build' });
  expect([running.body.id, running.body.started_at]).toEqual([made.body.id, expect.any(String)]);
  await set(sha, { state: 'success', name: 'build', coverage: 87.5 });
  const failed = await set(sha, { state: 'failed', name: 'lint' });
  expect(failed.body).toMatchObject({ status: 'failed', finished_at: expect.any(String), pipeline_id: id });
  expect(await pipeline(id)).toMatchObject({ status: 'failed', coverage: '87.50' });
  // What is said once more after an end counts instead.
  const again = await set(sha, { state: 'success', name: 'lint' });
  expect(again.body.id).not.toBe(failed.body.id);
  expect(await pipeline(id)).toMatchObject({ status: 'success', finished_at: expect.any(String) });
  expect((await project.api<Json>('GET', `/repository/commits/${sha}`)).body).toMatchObject({
    status: 'success',
    last_pipeline: { id, source: 'external' },
  });
  expect((await list(sha)).map(({ name, status }) => [name, status])).toEqual([
    ['build', 'success'],
    ['lint', 'success'],
  ]);
  expect((await list(sha, { all: 'true' })).map(({ status }) => status)).toEqual(['success', 'failed', 'success']);
});

it('joins the pipeline that is there, and is told beside its jobs', async () => {
  const config = 'stages: [build]\nown:\n  stage: build\n  script: echo\n';
  const sha = await project.commit('jobs', { '.gitlab-ci.yml': config }, { start_branch: 'main' });
  const made = await project.api<Json>('POST', '/pipeline', { json: { ref: 'jobs' } });
  expect(made.status).toBe(201);
  const said = await set(sha, { state: 'success', ref: 'refs/heads/jobs' });
  expect(said.body).toMatchObject({ pipeline_id: made.body.id, name: 'default' });
  expect(await pipeline(made.body.id)).toMatchObject({ status: 'running', source: 'api' });
  const all = await list(sha);
  expect(all.map(({ name }) => name)).toEqual(['own', 'default']);
  expect(all[0]).toMatchObject({
    status: 'pending',
    target_url: `${app.url}/${project.fullPath}/-/jobs/${all[0]?.id}`,
  });
  expect((await list(sha, { stage: 'external' })).map(({ name }) => name)).toEqual(['default']);
  expect((await list(sha, { stage: 'build' })).map(({ name }) => name)).toEqual(['own']);
  expect((await list(sha, { name: 'own' })).length).toBe(1);
  expect((await list(sha, { sort: 'desc', order_by: 'pipeline_id' })).map(({ name }) => name)).toEqual([
    'default',
    'own',
  ]);
  expect(await list(sha, { ref: 'main' })).toEqual([]);
  // Another pipeline of the commit is meant by its id only.
  const second = await project.api<Json>('POST', '/pipeline', { json: { ref: 'jobs' } });
  const older = await set(sha, { state: 'failed', pipeline_id: made.body.id });
  expect(older.body).toMatchObject({ pipeline_id: made.body.id, status: 'failed' });
  expect((await list(sha, { pipeline_id: String(second.body.id) })).map(({ name }) => name)).toEqual(['own']);
});

it('keeps two that come first at the same time in one pipeline', async () => {
  const sha = await fresh('twice');
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => set(sha, { state: 'success', name, ref: 'twice' })),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(answers.map(({ body }) => body.pipeline_id)).size).toBe(1);
  expect(await pipeline(answers[0]?.body.pipeline_id)).toMatchObject({ status: 'success' });
});

it('is for the ref that is named, even one of a fork, or else for that of the newest pipeline of the commit', async () => {
  const sha = await fresh('twins');
  await project.api('POST', '/repository/tags', { json: { tag_name: 'twins-1', ref: 'twins' } });
  const tagged = await set(sha, { state: 'running', ref: 'twins-1', name: 'deploy' });
  expect(await pipeline(tagged.body.pipeline_id)).toMatchObject({ ref: 'twins-1', tag: true });
  const unnamed = await set(sha, { state: 'success', name: 'more' });
  expect(unnamed.body.pipeline_id).toBe(tagged.body.pipeline_id);
  const elsewhere = await set(sha, { state: 'success', ref: 'branch-of-a-fork' });
  expect(await pipeline(elsewhere.body.pipeline_id)).toMatchObject({ ref: 'branch-of-a-fork', tag: false });
});

it('[security 20] is set on protected branches and tags by those who may change them', async () => {
  const developer = (await project.member(Level.developer)).secret;
  const guarded = await fresh('guarded');
  await project.api('POST', '/protected_branches', { json: { name: 'guarded' } });
  await project.api('POST', '/repository/tags', { json: { tag_name: 'guarded-1', ref: 'guarded' } });
  await project.api('POST', '/protected_tags', { json: { name: 'guarded-*' } });
  for (const ref of ['guarded', 'guarded-1']) {
    expect((await set(guarded, { state: 'success', ref }, developer)).status).toBe(403);
    const made = await set(guarded, { state: 'success', ref });
    expect(made.status).toBe(201);
    const { pipeline_id } = made.body;
    expect((await set(guarded, { state: 'failed', pipeline_id }, developer)).status).toBe(403);
  }
  expect((await set(guarded, { state: 'success', ref: 'guarded-not' }, developer)).status).toBe(201);
});

it('refuses what cannot follow, what is not there, and who may not', async () => {
  const sha = await fresh('refusals');
  await set(sha, { state: 'running', ref: 'refusals' });
  for (const [state, event] of [
    ['running', 'run'],
    ['pending', 'enqueue'],
  ]) {
    const refused = await set(sha, { state, ref: 'refusals' });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `Cannot transition status via :${event} from :running (Reason(s): Status cannot transition via "${event}")`,
    ]);
  }
  expect((await set('f'.repeat(40), { state: 'success' })).body).toEqual({ message: '404 Commit Not Found' });
  // A commit that no branch has, because the branch that had it is gone.
  const lost = await project.commit('lost', { lost: '' }, { start_branch: 'main' });
  expect((await project.api('DELETE', '/repository/branches/lost')).status).toBe(204);
  expect((await set(lost, { state: 'success' })).body).toEqual({ message: '404 References for commit Not Found' });
  expect((await set(sha, { state: 'success', pipeline_id: 999_999 })).body).toEqual({
    message: '404 Pipeline Not Found',
  });
  expect((await set(sha, {})).body).toEqual({ error: 'state is missing' });
  expect((await set(sha, { state: 'created' })).body).toEqual({ error: 'state does not have a valid value' });
  expect((await set(sha, { state: 'success', target_url: 'javascript:alert(1)' })).status).toBe(400);
  expect((await set(sha, { state: 'success', coverage: 101 })).status).toBe(400);
  expect((await set(sha, { state: 'success' }, null)).status).toBe(401);
  expect((await set(sha, { state: 'success' }, (await buildToken(app)).secret)).status).toBe(404);
  expect((await set(sha, { state: 'success' }, (await project.member(Level.reporter)).secret)).status).toBe(403);
  expect((await set(sha, { state: 'success' }, (await project.member(Level.developer)).secret)).status).toBe(201);
  expect((await project.api('GET', `/repository/commits/${sha}/statuses`, { token: null })).status).toBe(404);
});
