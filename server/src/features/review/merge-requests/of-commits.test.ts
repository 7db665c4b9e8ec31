/** Merge requests of a commit: those that bring it, and those that became it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { settings: { merge_requests_access_level: 'private' } });
});
afterAll(() => app.close());

const request = async (source_branch: string, target_branch = 'main', more: Json = {}) =>
  Number(
    (await project.api('POST', '/merge_requests', { json: { source_branch, target_branch, title: 't', ...more } })).body
      .iid,
  );
const of = async (sha: string, query: Json = {}, token = project.owner.secret) => {
  const answer = await project.api<Json[]>('GET', `/repository/commits/${sha}/merge_requests`, { query, token });
  return answer.status === 200 ? answer.body.map(({ iid }) => iid) : [answer.status, answer.body];
};

it('tells which bring a commit, by state', async () => {
  const before = (await project.api<Json[]>('GET', '/repository/commits')).body[0]?.id as string;
  const first = await project.commit('one', { one: '1' }, { start_branch: 'main' });
  const second = await project.commit('one', { two: '2' });
  const side = await project.commit('side', { side: '3' }, { start_branch: 'one' });
  const one = await request('one');
  // Its first two commits are of its target.
  const stacked = await request('side', 'one');
  expect(await of(first)).toEqual([one]);
  expect(await of(second)).toEqual([one]);
  expect(await of('one')).toEqual([one]);
  expect(await of(side)).toEqual([stacked]);
  expect(await of(before)).toEqual([]);
  const both = await request('side');
  expect(await of(first)).toEqual([both, one]);
  await project.api('PUT', `/merge_requests/${both}`, { json: { state_event: 'close' } });
  expect(await of(first, { state: 'closed' })).toEqual([both]);
  expect(await of(first, { state: 'opened' })).toEqual([one]);
  expect(await of(first, { state: 'all', per_page: 1, page: 2 })).toEqual([one]);
  expect((await project.api('PUT', `/merge_requests/${one}/merge`, { json: {} })).status).toBe(200);
  expect(await of(second, { state: 'merged' })).toEqual([one]);
  // The merge commit itself, and one that was squashed.
  expect(await of('main')).toEqual([one]);
  await project.commit('many', { m1: '1' }, { start_branch: 'main' });
  await project.commit('many', { m2: '2' });
  const squashed = await request('many', 'main', { squash: true });
  expect((await project.api('PUT', `/merge_requests/${squashed}/merge`, { json: {} })).status).toBe(200);
  const { body } = await project.api('GET', `/merge_requests/${squashed}`);
  expect(body.squash_commit_sha).not.toBeNull();
  expect(await of(String(body.squash_commit_sha))).toEqual([squashed]);
});

it('refuses who may not, and what is not there', async () => {
  expect(await of('nothing')).toEqual([404, { message: '404 Commit Not Found' }]);
  expect(await of('main', { state: 'open' })).toEqual([400, { error: 'state does not have a valid value' }]);
  expect(await of('main', {}, (await buildToken(app)).secret)).toEqual([404, { message: '404 Project Not Found' }]);
  expect(await of('main', {}, (await project.member(Level.guest)).secret)).toEqual([403, { message: '403 Forbidden' }]);
  await project.api('PUT', '', { json: { visibility: 'public' } });
  expect((await of('main', {}, (await buildToken(app)).secret))[0]).toBe(403);
});
