/** Issues that merge requests close. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildProject, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { closedIn, keysClosedIn } from './patterns.ts';

interface Found extends Json {
  readonly id: number;
  readonly iid: number;
  readonly state: string;
  readonly merge_requests_count: number;
}

describe('closing patterns', () => {
  it.each([
    ['Closes #1', ['#1']],
    ['closes #1, #2 and #3', ['#1', '#2', '#3']],
    ['Fixed: group/sub/p#4, and resolves https://x.example/group/p/-/issues/5.', ['group/sub/p#4', 'group/p#5']],
    ['Implements issue #6\nfixing #7', ['#6', '#7']],
    ['closes #1, closes #1', ['#1']],
    ['Closes PROJ-1, #2 and PROJ-3', ['#2']],
    ['See #1. Discloses #2, close #0, fix !3, closes#4', []],
    ['`Closes #1`\n```\nCloses #2\n```', []],
  ])('%j', (text, closed) => {
    expect(closedIn(text).map(({ project, iid }) => `${project ?? ''}#${iid}`)).toEqual(closed);
  });
});

it('keys of issues in trackers elsewhere are closed by the same sentences', () => {
  expect(keysClosedIn('Closes PROJ-1, #2 and PROJ-3; see PROJ-4, closes PROJ-1 `Closes PROJ-5`')).toEqual([
    'PROJ-1',
    'PROJ-3',
  ]);
  expect(keysClosedIn('fixes proj-1')).toEqual([]);
});

describe('issues that merge requests close', () => {
  let app: TestApp;
  let project: RepositoryProject;
  let developer: BuiltToken;
  let guest: BuiltToken;
  beforeAll(async () => {
    app = await startTestApp({ background: true });
    project = await buildRepositoryProject(app);
    developer = await project.member(Level.developer);
    guest = await project.member(Level.guest);
  });
  afterAll(() => app.close());

  const issue = async (json: Json = {}) =>
    (await project.api<Found>('POST', '/issues', { json: { title: 'An issue', ...json } })).body;
  const get = async <T = Found>(path: string, by?: BuiltToken) =>
    (await project.api<T>('GET', path, by ? { token: by.secret } : {})).body;
  async function request(description: string) {
    const branch = unique('topic');
    await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main' });
    const json = { source_branch: branch, target_branch: 'main', title: 'A change', description };
    const made = await project.api<Found>('POST', '/merge_requests', { json, token: developer.secret });
    expect(made.status).toBe(201);
    return { ...made.body, path: `/merge_requests/${made.body.iid}` };
  }
  const counted = (iid: number, count: number) =>
    eventually('the count', async () => (await get(`/issues/${iid}`)).merge_requests_count === count);

  it('are those that messages of its commits close, too', async () => {
    const [one, two] = [await issue(), await issue()];
    const branch = unique('topic');
    const message = `Change it\n\nCloses #${one.iid}`;
    await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main', commit_message: message });
    const json = { source_branch: branch, target_branch: 'main', title: 'A change' };
    const { body: made } = await project.api<Found>('POST', '/merge_requests', { json, token: developer.secret });
    await counted(one.iid, 1);
    await project.commit(branch, { [`${branch}-2.txt`]: 'y\n' }, { commit_message: `Fixes #${two.iid}` });
    await counted(two.iid, 1);
    const found = await get<Found[]>(`/merge_requests/${made.iid}/closes_issues`);
    expect(found.map(({ id }) => id)).toEqual([one.id, two.id]);
  });

  it('are listed on both sides for those who see them, and closed with the merge', async () => {
    const [one, secret] = [await issue(), await issue({ confidential: true })];
    const foreign = await buildProject(app, { visibility: 'private' });
    const made = await request(`Closes #${one.iid}, #${secret.iid} and #999 and x/${foreign.path}#1`);
    await counted(one.iid, 1);
    const ids = async (path: string, by?: BuiltToken) => (await get<Found[]>(path, by)).map(({ id }) => id);
    expect(await ids(`${made.path}/closes_issues`)).toEqual([one.id, secret.id]);
    expect(await ids(`/issues/${one.iid}/closed_by`)).toEqual([made.id]);
    expect((await project.api('GET', `/issues/${secret.iid}/closed_by`, { token: guest.secret })).status).toBe(404);
    await project.api('PUT', made.path, { json: { description: `Closes #${one.iid}` } });
    await counted(secret.iid, 0);
    expect(await ids(`${made.path}/closes_issues`)).toEqual([one.id]);
    await project.api('PUT', `${made.path}/merge`);
    const closed = await eventually('the issue is closed', async () => {
      const found = await get(`/issues/${one.iid}`);
      return found.state === 'closed' && found;
    });
    expect(closed).toMatchObject({ closed_by: expect.objectContaining({ id: expect.any(Number) }) });
    expect(await get(`/issues/${one.iid}/resource_state_events`)).toMatchObject([
      { state: 'closed', source_merge_request_id: made.id, source_commit: null },
    ]);
    expect(await get(`/issues/${secret.iid}`)).toMatchObject({ state: 'opened' });
  });

  it('are listed with those that a merge request refers to', async () => {
    const [closed, mentioned, secret] = [await issue(), await issue(), await issue({ confidential: true })];
    const made = await request(`Closes #${closed.iid}, see #${mentioned.iid} and #${secret.iid}`);
    await counted(closed.iid, 1);
    const related = async () => (await get<Found[]>(`${made.path}/related_issues`)).map(({ id }) => id);
    await eventually('the references', async () => (await related()).length === 3);
    expect(await related()).toEqual([closed.id, mentioned.id, secret.id]);
    const refused = await project.api('GET', `${made.path}/related_issues`, { token: guest.secret });
    expect([403, 404]).toContain(refused.status);
    expect((await project.api('GET', '/merge_requests/999/related_issues')).status).toBe(404);
  });

  it('stay open where the project wants that', async () => {
    await project.api('PUT', '', { json: { autoclose_referenced_issues: false } });
    const [kept, told] = [await issue(), await issue()];
    const made = await request(`Closes #${kept.iid}`);
    await counted(kept.iid, 1);
    await project.api('PUT', `${made.path}/merge`);
    // Facts of the project come in order: that of the merge was followed before this one.
    await request(`Closes #${told.iid}`);
    await counted(told.iid, 1);
    expect(await get(`/issues/${kept.iid}`)).toMatchObject({ state: 'opened' });
  });

  it('are closed by commits that come to the default branch, by those who may', async () => {
    await project.api('PUT', '', { json: { autoclose_referenced_issues: true } });
    const [closed, kept] = [await issue(), await issue()];
    await project.commit('side', { 'side.txt': 'x' }, { start_branch: 'main', commit_message: `Fixes #${kept.iid}` });
    await project.commit('main', { 'main.txt': 'x' }, { commit_message: `Work\n\nCloses #${closed.iid}` });
    await eventually('the issue is closed', async () => (await get(`/issues/${closed.iid}`)).state === 'closed');
    const [head] = await get<{ id: string }[]>('/repository/commits');
    expect(await get(`/issues/${closed.iid}/resource_state_events`)).toMatchObject([
      { state: 'closed', source_merge_request_id: null, source_commit: head?.id },
    ]);
    expect(await get(`/issues/${kept.iid}`)).toMatchObject({ state: 'opened' });
  });
});
