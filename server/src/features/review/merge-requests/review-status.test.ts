/** Rows of the list of merge requests that say how far their reviews are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
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
