/** Quick actions on merge requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Found extends Json {
  readonly id: number;
  readonly iid: number;
  readonly commands_changes: Json;
}

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let reporter: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  developer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
});
afterAll(() => app.close());

async function request(json: Json = {}) {
  const branch = unique('topic');
  await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main' });
  const made = await project.api<Found>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: 'A change', ...json },
    token: developer.secret,
  });
  expect(made.status).toBe(201);
  return { made: made.body, path: `/merge_requests/${made.body.iid}` };
}
const say = async (path: string, body: string, by?: BuiltToken) =>
  await project.api<Found>('POST', `${path}/notes`, { json: { body }, ...(by ? { token: by.secret } : {}) });
const get = async (path: string) => (await project.api<Found>('GET', path)).body;

describe('quick actions on merge requests', () => {
  it('change people, marks and the target, also from the description', async () => {
    await project.commit('other', { 'other.txt': 'x\n' }, { start_branch: 'main' });
    const name = developer.user.username;
    const { made, path } = await request({ description: `Why\n/draft\n/assign me\n/assign_reviewer @${name}` });
    expect(made).toMatchObject({
      ...{ title: 'Draft: A change', draft: true, description: 'Why' },
      ...{ assignees: [{ username: name }], reviewers: [{ username: name }] },
    });
    const done = await say(path, '/ready\n/unassign\n/remove_reviewer\n/target_branch other');
    expect([done.status, done.body.commands_changes]).toEqual([
      202,
      { wip_event: 'ready', assignee_ids: [], reviewer_ids: [], target_branch: 'other' },
    ]);
    expect(await get(path)).toMatchObject({
      ...{ title: 'A change', assignees: [], reviewers: [], target_branch: 'other' },
    });
    expect((await say(path, '/close\n/approve', reporter)).status).toBe(400);
    expect(await get(path)).toMatchObject({ state: 'opened' });
  });

  it('replace reviewers, when a description is edited too, and copy from issues; on issues, begin merge requests', async () => {
    const name = reporter.user.username;
    const { path } = await request({ description: `/assign_reviewer @${developer.user.username}` });
    const json = { description: `Why\n/reassign_reviewer @${name}` };
    expect((await project.api('PUT', path, { json })).body).toMatchObject({
      ...{ description: 'Why', reviewers: [{ username: name }] },
    });
    const issue = await project.api<Found>('POST', '/issues', { json: { title: 'Slow: the page', labels: 'perf' } });
    const ofIssue = `/issues/${issue.body.iid}`;
    await say(path, `/copy_metadata #${issue.body.iid}`);
    expect(await get(path)).toMatchObject({ labels: ['perf'] });
    expect((await say(ofIssue, '/create_merge_request', reporter)).body).toMatchObject({ commands_changes: {} });
    const branch = `${issue.body.iid}-slow-the-page`;
    expect((await say(ofIssue, '/create_merge_request', developer)).body.commands_changes).toEqual({
      create_merge_request: { branch_name: branch, issue_iid: issue.body.iid },
    });
    const [made] = (await project.api<Found[]>('GET', '/merge_requests', { query: { source_branch: branch } })).body;
    expect(made).toMatchObject({
      ...{ title: 'Draft: Resolve "Slow: the page"', description: `Closes #${issue.body.iid}`, labels: ['perf'] },
      ...{ author: { id: developer.user.id }, target_branch: 'main' },
    });
    const said = (await project.api<{ body: string }[]>('GET', `${ofIssue}/notes`)).body.map(({ body }) => body);
    expect(said).toContain(`created merge request !${made?.iid} to address this issue`);
    // The branch is there already: the next one gets a number.
    await project.api('PUT', '', { json: { issue_branch_template: 'fix/%{id}' } });
    await say(ofIssue, '/create_merge_request');
    expect((await say(ofIssue, '/create_merge_request')).body.commands_changes).toMatchObject({
      create_merge_request: { branch_name: `fix/${issue.body.iid}-2` },
    });
    expect((await say(ofIssue, '/create_merge_request main')).body.commands_changes).toEqual({});
  });

  it('approve and merge, by those who may', async () => {
    const { path } = await request();
    // A merge waits for the pipelines that what was pushed just now may bring.
    await app.delivery.drain();
    expect((await say(path, '/merge', reporter)).body).toEqual({
      commands_changes: {},
      summary: ['Could not apply merge command.'],
    });
    expect((await say(path, 'Good.\n/approve\n/merge')).body).toMatchObject({
      body: 'Good.',
      commands_changes: { merge: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(await get(path)).toMatchObject({ state: 'merged' });
    expect((await say(path, '/reopen')).body.commands_changes).toEqual({});
  });

  it('ask reviewers once more: what they approved is taken back, and they have something to do', async () => {
    const reviewer = await project.member(Level.developer);
    const name = reviewer.user.username;
    const { made, path } = await request({ reviewer_ids: [reviewer.user.id] });
    await project.api('POST', `${path}/draft_notes`, { json: { note: 'Fine' }, token: reviewer.secret });
    expect((await say(path, '/approve', reviewer)).body).toMatchObject({
      summary: ['Approved the current merge request.'],
    });
    const reviewers = async () =>
      (await project.api<{ user: Json; state: string }[]>('GET', `${path}/reviewers`)).body.map(({ user, state }) => [
        user.username,
        state,
      ]);
    const bodies = async () =>
      (await project.api<{ body: string }[]>('GET', `${path}/notes`)).body.map(({ body }) => body);
    expect([await reviewers(), await bodies()]).toEqual([[[name, 'approved']], expect.arrayContaining(['Fine'])]);
    const todos = () => app.api<Json[]>('GET', '/todos', { token: reviewer.secret });
    await app.api('POST', '/todos/mark_as_done', { token: reviewer.secret });
    const refused = await say(path, `/request_review @${name}`, reporter);
    expect([refused.body.commands_changes, await reviewers()]).toEqual([{}, [[name, 'approved']]]);
    const asked = await say(path, `/request_review @${name} @${developer.user.username}`, developer);
    expect([asked.status, asked.body]).toEqual([
      202,
      {
        commands_changes: { reviewer_ids: [reviewer.user.id, developer.user.id] },
        summary: [`Requested a review from @${name} @${developer.user.username}.`],
      },
    ]);
    expect(await reviewers()).toEqual([
      [name, 'unreviewed'],
      [developer.user.username, 'unreviewed'],
    ]);
    expect(await get(`${path}/approvals`)).toMatchObject({ approved_by: [] });
    expect((await todos()).body).toMatchObject([{ action_name: 'review_requested', target: { id: made.id } }]);
    expect(await bodies()).toEqual(expect.arrayContaining([`requested review from @${name}`]));
  });

  it('run pipelines, ship, and leave out a merge beside a rebase', async () => {
    // Nothing is merged whose pipeline has failed already.
    const broken = await request();
    await project.commit(String(broken.made.source_branch), { '.gitlab-ci.yml': 'job: { script: 5 }\n' });
    await app.delivery.drain();
    expect((await say(broken.path, '/ship')).status).toBe(400);
    expect(await get(broken.path)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: false });
    const config =
      'workflow: { rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }\njob: { script: [date] }\n';
    await project.commit('main', { '.gitlab-ci.yml': config });
    const { path } = await request();
    await app.delivery.drain();
    const pipelines = async () => (await project.api<Json[]>('GET', `${path}/pipelines`)).body.length;
    const before = await pipelines();
    const both = await say(path, '/merge\n/ship', reporter);
    expect(both.body.commands_changes).toEqual({});
    const run = await say(path, '/run_pipeline', developer);
    expect([run.body.commands_changes, await pipelines()]).toEqual([{}, before + 1]);
    expect((await say(path, '/ship', developer)).body.commands_changes).toEqual({});
    const shipped = await say(path, '/ship');
    expect([shipped.status, shipped.body.commands_changes]).toEqual([
      202,
      { merge: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ]);
    expect([await pipelines(), await get(path)]).toMatchObject([
      before + 2,
      { state: 'opened', merge_when_pipeline_succeeds: true },
    ]);
    const rebased = await say(path, '/merge\n/rebase');
    expect(rebased.body).toMatchObject({
      commands_changes: { rebase: true },
      summary: ['Could not apply merge command.', 'Scheduled a rebase.'],
    });
  });
});
