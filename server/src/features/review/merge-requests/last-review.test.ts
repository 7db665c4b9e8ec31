/** What somebody reviewed last, and what changed since; who was asked to review, said under the request. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let reviewer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app);
  reviewer = await project.member(Level.developer);
});
afterAll(() => app.close());

async function request() {
  const branch = unique('work');
  await project.commit(branch, { [`${branch}-a`]: '1\n', [`${branch}-b`]: '1\n' }, { start_branch: 'main' });
  const made = await project.api<{ iid: number }>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: branch },
  });
  expect(made.status).toBe(201);
  return { branch, path: `/merge_requests/${made.body.iid}` };
}

it('the version that a review was of is kept, and what changed since is listed without what the target brought', async () => {
  const { branch, path } = await request();
  const last = async (token = reviewer.secret) =>
    (await project.api<Json>('GET', `${path}/last_review`, { token })).body;
  expect(await last()).toEqual({ reviewed_at: null, version_id: null, head_commit_sha: null });
  const review = { note: 'Looks good', reviewer_state: 'reviewed' };
  const sent = await project.api('POST', `${path}/draft_notes/bulk_publish`, { token: reviewer.secret, json: review });
  expect(sent.status).toBe(204);
  const [version] = (await project.api<Json[]>('GET', `${path}/versions`)).body;
  expect(await last()).toEqual({
    reviewed_at: expect.any(String),
    version_id: version?.id,
    head_commit_sha: version?.head_commit_sha,
  });
  expect(await last(project.owner.secret)).toMatchObject({ version_id: null });

  const since = async (id: unknown) => {
    const { status, body } = await project.api<Json[]>('GET', `${path}/diffs`, {
      query: { since_version: Number(id) },
    });
    return status === 200 ? body : status;
  };
  expect(await since(version?.id)).toEqual([]);
  await project.commit('main', { [unique('elsewhere')]: 'x\n' });
  await project.commit(branch, [{ action: 'update', file_path: `${branch}-b`, content: '1\n2\n' }]);
  await project.api('PUT', `${path}/rebase`);
  await vi.waitFor(
    async () => expect((await project.api<Json[]>('GET', `${path}/versions`)).body.length).toBeGreaterThan(1),
    { interval: 20, timeout: 60_000 },
  );
  await vi.waitFor(
    async () =>
      expect(await since(version?.id)).toMatchObject([{ new_path: `${branch}-b`, diff: '@@ -1 +1,2 @@\n 1\n+2\n' }]),
    { interval: 20, timeout: 60_000 },
  );
  expect(await since(1_000_000)).toBe(404);
});

it('changes of people and title are said in notes', async () => {
  const { path } = await request();
  const { username, id } = reviewer.user;
  const change = (json: Json) => project.api('PUT', path, { json });
  await change({ reviewer_ids: [id], assignee_ids: [id] });
  await change({ reviewer_ids: [], title: 'Another title' });
  await change({ reviewer_ids: [] });
  const notes = await project.api<Json[]>('GET', `${path}/notes`, { query: { sort: 'asc' } });
  expect(notes.body.map(({ body, system }) => [body, system])).toEqual([
    [`assigned to @${username}`, true],
    [`requested review from @${username}`, true],
    [`removed review request for @${username}`, true],
    [expect.stringMatching(/^changed title from \*\*.+\*\* to \*\*Another title\*\*$/), true],
  ]);
});
