/** Variables of jobs of merge requests and of jobs that release. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type JobPayload, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';

let world: World;
let runner: ProtocolRunner;

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const variableOf = (job: JobPayload, name: string): string | undefined =>
  job.variables.find(({ key }) => key === name)?.value;

it('jobs of a merge request know its labels, milestone, version and the addresses of its projects', async () => {
  const project = await world.project();
  const { token } = world.owner;
  const post = async (path: string, json: object) =>
    (await world.app.api<{ id: number }>('POST', `/projects/${project.id}${path}`, { token, json })).body;
  await project.commit('test: {script: [x], rules: [{if: $CI_MERGE_REQUEST_IID}]}\n');
  const milestone = await post('/milestones', { title: 'Harbour day' });
  await post('/repository/commits', {
    ...{ branch: 'topic', start_branch: 'main', commit_message: 'Dredge' },
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  });
  await post('/merge_requests', {
    ...{ source_branch: 'topic', target_branch: 'main', title: 'Dredge', labels: 'water,crane' },
    ...{ milestone_id: milestone.id, description: 'd'.repeat(2701) },
  });
  const job = await runner.next();
  const url = `${world.app.url}/${project.path}`;
  expect(
    ['LABELS', 'MILESTONE', 'PROJECT_URL', 'SOURCE_PROJECT_URL'].map((name) =>
      variableOf(job, `CI_MERGE_REQUEST_${name}`),
    ),
  ).toEqual(['crane,water', 'Harbour day', url, url]);
  expect(Number(variableOf(job, 'CI_MERGE_REQUEST_DIFF_ID'))).toBeGreaterThan(0);
  expect(variableOf(job, 'CI_RELEASE_DESCRIPTION')).toBeUndefined();
  expect(variableOf(job, 'CI_OPEN_MERGE_REQUESTS')).toBe(`${project.path}!1`);
  expect(variableOf(job, 'CI_MERGE_REQUEST_ASSIGNEES')).toBeUndefined();
  expect(variableOf(job, 'CI_MERGE_REQUEST_DESCRIPTION')).toBe(`${'d'.repeat(2697)}...`);
  expect(variableOf(job, 'CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED')).toBe('true');
  await runner.update(job, 'success');
});

it('[20/4] [security 20] open requests of a project are named to those alone who may read them', async () => {
  const target = await world.project();
  await target.commit(
    'own: {script: [x], rules: [{if: $CI_COMMIT_BRANCH == "topic"}]}\n' +
      'known: {script: [x], rules: [{if: $CI_OPEN_MERGE_REQUESTS && $CI_COMMIT_BRANCH}]}\n',
  );
  const post = async (path: string, json: object, token = world.owner.token) => {
    const answer = await world.app.api<{ id: number }>('POST', `/projects/${path}`, { token, json });
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };
  const name = unique('fork');
  const { id } = await post(`${target.id}/fork`, { path: name, name });
  await eventually('the fork', async () => {
    const { body } = await world.app.api<{ import_status: string }>('GET', `/projects/${id}`, {
      token: world.owner.token,
    });
    return body.import_status === 'finished';
  });
  const change = (file: string, token: string, more = {}) =>
    post(
      `${id}/repository/commits`,
      {
        ...{ branch: 'topic', commit_message: 'Dredge', ...more },
        actions: [{ action: 'create', file_path: file, content: 'a' }],
      },
      token,
    );
  await change('a', world.owner.token, { start_branch: 'main', commit_message: 'Dredge [skip ci]' });
  await post(`${id}/merge_requests`, {
    ...{ source_branch: 'topic', target_branch: 'main', title: 'Dredge', target_project_id: target.id },
  });
  const helper = await world.account();
  await post(`${id}/members`, { user_id: helper.user.id, access_level: 30 });
  await change('b', helper.token);
  const [theirs, none] = [await runner.run(), await runner.request()];
  expect([theirs.job_info.name, variableOf(theirs, 'CI_OPEN_MERGE_REQUESTS'), none.status]).toEqual([
    'own',
    undefined,
    204,
  ]);
  await change('c', world.owner.token);
  const jobs = [await runner.run(), await runner.run()];
  expect(jobs.map((job) => job.job_info.name).sort()).toEqual(['known', 'own']);
  for (const job of jobs) expect(variableOf(job, 'CI_OPEN_MERGE_REQUESTS')).toBe(`${target.path}!1`);
});

it('a job that releases knows the description of the release as it is written', async () => {
  const project = await world.project();
  await project.push('ship: {script: [x], release: {tag_name: v1, description: "Costs $5"}}\n');
  const job = await runner.next();
  expect(variableOf(job, 'CI_RELEASE_DESCRIPTION')).toBe('Costs $5');
  expect(job.variables.find(({ key }) => key === 'CI_RELEASE_DESCRIPTION')?.raw).toBe(true);
  await runner.update(job, 'success');
});

it('[20/4] whether commits are squashed, and protected variables, are what the project says', async () => {
  const project = await world.project();
  const { token } = world.owner;
  const call = async (method: 'POST' | 'PUT', path: string, json: object) => {
    const answer = await world.app.api(method, `/projects/${project.id}${path}`, { token, json });
    expect([path, answer.status]).toEqual([path, method === 'PUT' ? 200 : 201]);
  };
  await project.commit('test: {script: [x], rules: [{if: $CI_MERGE_REQUEST_IID}]}\n');
  await call('POST', '/variables', { key: 'SECRET', value: 'hidden', protected: true });
  await call('POST', '/repository/commits', {
    ...{ branch: 'topic', start_branch: 'main', commit_message: 'Dredge' },
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  });
  await call('POST', '/protected_branches', { name: 'topic' });
  await call('POST', '/merge_requests', { source_branch: 'topic', target_branch: 'main', title: 'Dredge' });
  const known = async () => {
    const job = await runner.next();
    const found = [variableOf(job, 'CI_MERGE_REQUEST_SQUASH_ON_MERGE'), variableOf(job, 'SECRET')];
    await runner.update(job, 'success');
    return [...found, variableOf(job, 'CI_COMMIT_REF_PROTECTED')];
  };
  expect(await known()).toEqual(['false', 'hidden', 'true']);
  await call('PUT', '', { squash_option: 'always', protect_merge_request_pipelines: false });
  await call('POST', '/merge_requests/1/pipelines', {});
  expect(await known()).toEqual(['true', undefined, 'false']);
});
