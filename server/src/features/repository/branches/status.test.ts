/** Lists of branches and commits that say how far they are: distance, newest pipeline, open merge request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, {
    files: { 'a.txt': 'one\n' },
    settings: { visibility: 'public', builds_access_level: 'private', merge_requests_access_level: 'private' },
  });
});
afterAll(() => app.close());

interface Status {
  readonly ahead: number;
  readonly behind: number;
  readonly pipeline: { readonly id: number; readonly status: string } | null;
  readonly merge_request: { readonly iid: number; readonly title: string } | null;
}
const branches = async (query: Record<string, string>, token: string | null = project.owner.secret) => {
  const { body } = await project.api<Array<Json & { name: string; status?: Status }>>('GET', '/repository/branches', {
    ...{ query, token },
  });
  return new Map(body.map(({ name, status }) => [name, status]));
};

it('with_status and with_pipelines tell distance, newest pipeline and open merge request to those who may see them', async () => {
  const configured = { w: '1', '.gitlab-ci.yml': 'one: {script: [make]}\n' };
  await project.commit('work', configured, { start_branch: 'main' });
  await project.commit('work', { w2: '2' });
  await project.commit('main', { 'b.txt': 'two' });
  await project.commit('merged-back', { m: '1' }, { start_branch: 'main' });
  for (const title of ['First try', 'Work'])
    expect(
      (
        await project.api('POST', '/merge_requests', {
          json: { source_branch: 'work', target_branch: title === 'Work' ? 'main' : 'merged-back', title },
        })
      ).status,
    ).toBe(201);
  const status = await eventually('the pipeline of the branch', async () => {
    const found = (await branches({ with_status: 'true' })).get('work');
    return found?.pipeline ? found : null;
  });
  expect(status).toMatchObject({ ahead: 2, behind: 1, merge_request: { iid: 2, title: 'Work' } });
  const all = await branches({ with_status: 'true' });
  expect(all.get('main')).toEqual({ ahead: 0, behind: 0, pipeline: null, merge_request: null });
  expect(all.get('merged-back')).toMatchObject({ ahead: 1, behind: 0 });
  expect((await branches({})).get('work')).toBeUndefined();

  const commits = (query: Record<string, string>, token: string | null = project.owner.secret) =>
    project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: 'work', ...query }, token });
  const listed = await commits({ with_pipelines: 'true' });
  expect(listed.body[0]?.pipeline).toEqual(status.pipeline);
  expect(listed.body.at(-1)?.pipeline).toBeNull();
  expect((await commits({})).body[0]).not.toHaveProperty('pipeline');

  const counts = (query: Record<string, string>) => project.api('GET', '/repository/counts', { query });
  expect((await counts({})).body).toEqual({ commits: 2, branches: 3, tags: 0 });
  expect((await counts({ ref: 'work' })).body.commits).toBe(3);
  expect((await counts({ ref: 'nowhere' })).status).toBe(404);

  // Pipelines and merge requests are for members: others see the distance.
  expect((await branches({ with_status: 'true' }, null)).get('work')).toEqual({
    ...{ ahead: 2, behind: 1, pipeline: null, merge_request: null },
  });
  expect((await commits({ with_pipelines: 'true' }, null)).body[0]?.pipeline).toBeNull();
});
