/** Rows of the list of pipelines with what people look for in them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

it('with_details adds the title of the commit, who started it, and the states of the stages in their order', async () => {
  const project = await buildRepositoryProject(app, { files: { 'a.txt': 'one' } });
  const text = 'stages: [build, ship]\none: {stage: ship, script: [x]}\ntwo: {stage: build, script: [x]}\n';
  await project.commit('main', { '.gitlab-ci.yml': text }, { commit_message: 'Build and ship\n\nBoth.' });
  const list = (query: Record<string, string>) => project.api<Json[]>('GET', '/pipelines', { query });
  const row = await eventually('a pipeline', async () => (await list({ with_details: 'true' })).body[0]);
  expect(row.details).toEqual({
    tag: false,
    commit_title: 'Build and ship',
    user: expect.objectContaining({ username: project.owner.user.username }),
    duration: null,
    stages: [
      { name: 'build', status: 'pending' },
      { name: 'ship', status: 'created' },
    ],
    failed_jobs: [],
    failed_jobs_count: 0,
  });
  expect((await list({})).body[0]).not.toHaveProperty('details');
});

it('names the jobs that failed, the first ones of many, and not those that may fail', async () => {
  const project = await buildRepositoryProject(app, { files: { 'a.txt': 'one' } });
  const failing = ['d', 'c', 'b', 'a'].map((name) => `${name}: {script: [x]}\n`).join('');
  const text = `${failing}soft: {script: [x], stage: build, allow_failure: true}\nfirst: {script: [x], stage: build}\n`;
  await project.commit('main', { '.gitlab-ci.yml': text });
  const list = () => project.api<Json[]>('GET', '/pipelines', { query: { with_details: 'true' } });
  const { id } = await eventually('a pipeline', async () => (await list()).body[0]);
  await app.db.updateTable('jobs').set({ status: 'failed' }).where('pipeline_id', '=', Number(id)).execute();
  const [row] = (await list()).body;
  expect(row?.details).toMatchObject({
    failed_jobs: [
      { id: expect.any(Number), name: 'first', stage: 'build' },
      { name: 'd', stage: 'test' },
      { name: 'c', stage: 'test' },
    ],
    failed_jobs_count: 5,
  });
});
