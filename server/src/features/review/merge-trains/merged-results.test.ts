/** Pipelines of merged results: when they are made, of what, and when the head alone is tested instead. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { openRequest, type TrainRunner, trainRunner } from '../../../../test/trains.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let owner: BuiltToken;
let runner: TrainRunner;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  runner = await trainRunner(app);
});
afterAll(() => app.close());

const config = `test:
  script: [make]
  rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]
`;
const build = (settings: Json = {}) =>
  buildRepositoryProject(app, {
    owner,
    settings: { merge_pipelines_enabled: true, ...settings },
    files: { 'a.txt': 'one\n', '.gitlab-ci.yml': config },
  });
const pipelines = async (project: RepositoryProject, iid: unknown) =>
  (await project.api<Json[]>('GET', `/merge_requests/${iid}/pipelines`)).body;
const firstOf = (project: RepositoryProject, iid: unknown) =>
  eventually(`a pipeline of !${iid}`, async () => (await pipelines(project, iid))[0]);

it('runs on the merge of head and target, and is the pipeline of the request', async () => {
  const project = await build({ only_allow_merge_if_pipeline_succeeds: true });
  const made = await openRequest(project, 'work');
  const moved = await project.commit('main', { moved: 'x' });
  const first = await firstOf(project, made.iid);
  expect(first).toMatchObject({ ref: `refs/merge-requests/${made.iid}/merge`, source: 'merge_request_event' });
  const again = await project.api('POST', `/merge_requests/${made.iid}/pipelines`);
  expect(again.status).toBe(201);
  const commit = (await project.api('GET', `/repository/commits/${String(again.body.sha)}`)).body;
  expect([commit.parent_ids, commit.message]).toEqual([[moved, made.sha], `Merge ${made.sha} into ${moved}`]);
  const refused = await project.api('PUT', `/merge_requests/${made.iid}/merge`);
  expect(refused.status).toBe(405);
  const job = await runner.end(project, made.iid);
  const variables = Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));
  expect(variables).toMatchObject({
    CI_MERGE_REQUEST_EVENT_TYPE: 'merged_result',
    CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${made.iid}/merge`,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: made.sha,
  });
  await eventually('a passed pipeline', async () => {
    const now = (await project.api('GET', `/merge_requests/${made.iid}`)).body;
    return now.detailed_merge_status === 'mergeable' && (now.head_pipeline as Json).id === again.body.id;
  });
  expect((await project.api('PUT', `/merge_requests/${made.iid}/merge`)).body.state).toBe('merged');
});

it('is made in the background with async, with the rights of who asked', async () => {
  const project = await build();
  const made = await openRequest(project, 'later');
  const first = await firstOf(project, made.iid);
  const ask = (token: string) =>
    project.api('POST', `/merge_requests/${made.iid}/pipelines`, { token, json: { async: true } });
  const reporter = await project.member(Level.reporter);
  expect((await ask(reporter.secret)).status).toBe(403);
  const asked = await ask((await project.member(Level.maintainer)).secret);
  expect([asked.status, asked.body]).toEqual([202, null]);
  await eventually('another pipeline', async () => (await pipelines(project, made.iid)).length === 2);
  expect((await pipelines(project, made.iid)).map(({ ref }) => ref)).toEqual([first.ref, first.ref]);
});

it('is made once for a head, and again for the next one', async () => {
  const project = await build();
  const made = await openRequest(project, 'work');
  await firstOf(project, made.iid);
  const head = await project.commit('work', { next: 'x' });
  await eventually('the pipeline of the next head', async () => (await pipelines(project, made.iid)).length === 2);
  const [newest] = await pipelines(project, made.iid);
  const parents = (await project.api('GET', `/repository/commits/${String(newest?.sha)}`)).body.parent_ids as string[];
  expect(parents[1]).toBe(head);
});

it('a mark in the message of the head skips it, as it does for the head alone', async () => {
  const project = await build();
  await project.commit('work', { one: '1' }, { start_branch: 'main', commit_message: 'Words only [skip ci]' });
  const json = { source_branch: 'work', target_branch: 'main', title: 'Words' };
  const made = (await project.api('POST', '/merge_requests', { json })).body;
  expect((await firstOf(project, made.iid)).status).toBe('skipped');
});

it('tests the head alone where the two conflict, and where the project does not want merged results', async () => {
  const project = await build();
  const change = (branch: string, content: string, more: Json = {}) =>
    project.commit(branch, [{ action: 'update', file_path: 'a.txt', content }], more);
  await change('work', 'two\n', { start_branch: 'main' });
  await change('main', 'three\n');
  const json = { source_branch: 'work', target_branch: 'main', title: 'Words' };
  const made = (await project.api('POST', '/merge_requests', { json })).body;
  expect(await firstOf(project, made.iid)).toMatchObject({
    ref: `refs/merge-requests/${made.iid}/head`,
    sha: made.sha,
  });

  const plain = await build({ merge_pipelines_enabled: false });
  const other = await openRequest(plain, 'work');
  expect((await firstOf(plain, other.iid)).ref).toBe(`refs/merge-requests/${other.iid}/head`);
});

it('of a fork runs in the target where its developers ask for it, else in the fork on the head alone', async () => {
  const project = await build({ visibility: 'public' });
  const author = await buildToken(app);
  const forked = await app.api<Json>('POST', `/projects/${project.id}/fork`, { token: author.secret });
  expect(forked.status).toBe(201);
  const fork = Number(forked.body.id);
  await eventually('the fork', async () => {
    const now = await app.api<Json>('GET', `/projects/${fork}`, { token: author.secret });
    return now.body.import_status === 'finished' || now.body.import_status === 'none';
  });
  const commit = await app.api<Json>('POST', `/projects/${fork}/repository/commits`, {
    token: author.secret,
    json: {
      branch: 'work',
      start_branch: 'main',
      commit_message: 'Of the fork',
      actions: [{ action: 'create', file_path: 'b', content: 'b' }],
    },
  });
  expect(commit.status).toBe(201);
  const made = await app.api<Json>('POST', `/projects/${fork}/merge_requests`, {
    token: author.secret,
    json: { source_branch: 'work', target_branch: 'main', title: 'Of the fork', target_project_id: project.id },
  });
  expect(made.status).toBe(201);
  const own = await firstOf(project, made.body.iid);
  expect(own).toMatchObject({ project_id: fork, ref: 'work', sha: made.body.sha });
  const run = (token: string) => project.api('POST', `/merge_requests/${made.body.iid}/pipelines`, { token });
  expect((await run(author.secret)).body).toMatchObject({ project_id: fork, ref: 'work' });
  const here = await run(owner.secret);
  expect(here.body).toMatchObject({ project_id: project.id, ref: `refs/merge-requests/${made.body.iid}/merge` });
  const built = (await project.api('GET', `/repository/commits/${String(here.body.sha)}`)).body;
  expect((built.parent_ids as string[])[1]).toBe(made.body.sha);
});
