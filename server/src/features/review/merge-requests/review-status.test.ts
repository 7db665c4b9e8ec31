/** Rows of the list of merge requests that say how far their reviews are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let reviewer: BuiltToken;
let other: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, {
    files: { 'a.txt': 'one\n' },
    settings: { visibility: 'public', builds_access_level: 'private' },
  });
  reviewer = await project.member(Level.developer);
  other = await project.member(Level.developer);
});
afterAll(() => app.close());

async function open(json: Json = {}) {
  const branch = unique('work');
  await project.commit(
    branch,
    { [branch]: '1', '.gitlab-ci.yml': 'one: {script: [make]}\n' },
    { start_branch: 'main' },
  );
  const made = await project.api<Json & { iid: number; head_pipeline: Json | null }>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: branch, ...json },
  });
  expect(made.status).toBe(201);
  return made.body.iid;
}
const list = async (query: Record<string, string>, token: string | null = project.owner.secret) =>
  (await project.api<Json[]>('GET', '/merge_requests', { query, token })).body;

it('with_review_status adds head pipeline, approvals, open threads and the states of reviewers', async () => {
  const iid = await open({ reviewer_ids: [reviewer.user.id, other.user.id] });
  const plain = await open();
  const call = (target: string, json: Json, who: BuiltToken) =>
    project.api('POST', `/merge_requests/${iid}${target}`, { json, token: who.secret });
  expect((await call('/approve', {}, reviewer)).status).toBe(201);
  expect((await call('/draft_notes/bulk_publish', { reviewer_state: 'requested_changes' }, other)).status).toBe(204);
  for (const body of ['One', 'Two']) expect((await call('/discussions', { body }, other)).status).toBe(201);
  const { pipeline, rows } = await eventually('the head pipeline', async () => {
    const { body } = await project.api('GET', `/merge_requests/${iid}`);
    const found = body.head_pipeline as { id: number; status: string } | null;
    const rows = await list({ with_review_status: 'true', sort: 'asc' });
    return found ? { pipeline: { id: found.id, status: found.status }, rows } : null;
  });
  expect(rows.map((row) => [row.iid, row.review_status])).toEqual([
    [
      iid,
      {
        pipeline,
        approvals: 1,
        open_threads: 2,
        reviewers: [
          { id: reviewer.user.id, state: 'approved' },
          { id: other.user.id, state: 'requested_changes' },
        ],
      },
    ],
    [plain, expect.objectContaining({ approvals: 0, open_threads: 0, reviewers: [] })],
  ]);
  expect((await list({}))[0]).not.toHaveProperty('review_status');
  // Pipelines are for members: others see the rest.
  const seen = await list({ with_review_status: 'true', sort: 'asc' }, null);
  expect(seen[0]?.review_status).toMatchObject({ pipeline: null, approvals: 1, open_threads: 2 });
});

it('with_review_status tells the same in lists of a group and of all projects, of each project what the caller sees', async () => {
  const group = await buildGroup(app, { visibility: 'public', owner: project.owner.user });
  const inside = async (settings: Json) =>
    await buildRepositoryProject(app, {
      owner: project.owner,
      files: { 'a.txt': 'one\n' },
      settings: { visibility: 'public', namespace_id: group.id, ...settings },
    });
  const [shown, hidden] = [await inside({}), await inside({ builds_access_level: 'private' })];
  for (const each of [shown, hidden]) {
    await each.commit('work', { '.gitlab-ci.yml': 'one: {script: [make]}\n' }, { start_branch: 'main' });
    const made = await each.api<Json & { iid: number }>('POST', '/merge_requests', {
      json: { source_branch: 'work', target_branch: 'main', title: 'Work' },
    });
    expect(made.status).toBe(201);
    const discussion = await each.api('POST', `/merge_requests/${made.body.iid}/discussions`, {
      json: { body: 'Why?' },
    });
    expect(discussion.status).toBe(201);
    await eventually('the head pipeline', async () => {
      const { body } = await each.api('GET', `/merge_requests/${made.body.iid}`);
      return body.head_pipeline;
    });
  }
  const seen = async (path: string, token: string) =>
    new Map(
      (
        await app.api<{ project_id: number; review_status: Json }[]>('GET', path, {
          token,
          query: { with_review_status: 'true', scope: 'all' },
        })
      ).body.map(({ project_id, review_status }) => [project_id, review_status]),
    );
  for (const path of [`/groups/${group.id}/merge_requests`, '/merge_requests']) {
    const all = await seen(path, project.owner.secret);
    for (const each of [shown, hidden])
      expect(all.get(each.id)).toMatchObject({ pipeline: { status: 'pending' }, open_threads: 1, approvals: 0 });
  }
  const strangers = await seen(`/groups/${group.id}/merge_requests`, other.secret);
  expect(strangers.get(shown.id)).toMatchObject({ pipeline: { status: 'pending' }, open_threads: 1 });
  expect(strangers.get(hidden.id)).toMatchObject({ pipeline: null, open_threads: 1 });
});
