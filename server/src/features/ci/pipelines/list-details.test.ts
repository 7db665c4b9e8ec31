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
    commit_title: 'Build and ship',
    user: expect.objectContaining({ username: project.owner.user.username }),
    duration: null,
    stages: [
      { name: 'build', status: 'pending' },
      { name: 'ship', status: 'created' },
    ],
  });
  expect((await list({})).body[0]).not.toHaveProperty('details');
});
