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
});
