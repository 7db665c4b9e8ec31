/** Merge requests that wait for others, who takes part in them, and what they are together with their target. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Request = Json & { readonly id: number; readonly iid: number };

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

async function open(of: RepositoryProject, more: Json = {}): Promise<Request> {
  const branch = unique('part');
  await of.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch, ...more };
  const made = await of.api<Request>('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  return made.body;
}
const at = ({ iid }: Request, rest: string) => `/merge_requests/${iid}${rest}`;
const statusOf = async (request: Request) =>
  (await project.api('GET', at(request, ''))).body.detailed_merge_status as string;

it('a merge request waits until those that block it are merged, also when they were closed', async () => {
  const [base, top] = [await open(project), await open(project)];
  const add = (of: Request, blocking: number, token = developer.secret) =>
    project.api<Json & { id: number }>('POST', at(of, '/blocks'), {
      token,
      json: { blocking_merge_request_id: blocking },
    });
  expect((await add(top, base.id, reporter.secret)).status).toBe(403);
  expect((await add(top, 999_999_999)).status).toBe(404);
  expect((await add(top, top.id)).status).toBe(422);
  const made = await add(top, base.id);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    project_id: project.id,
    blocking_merge_request: { id: base.id },
    blocked_merge_request: { id: top.id },
  });
  expect((await add(top, base.id)).status).toBe(409);
  expect((await add(base, top.id)).status).toBe(422);
  expect((await project.api<Json[]>('GET', at(top, '/blocks'))).body.map(({ id }) => id)).toEqual([made.body.id]);
  expect((await project.api<Json[]>('GET', at(base, '/blockees'))).body.map(({ id }) => id)).toEqual([made.body.id]);
  expect((await project.api<Json[]>('GET', at(base, '/blocks'))).body).toEqual([]);

  expect(await statusOf(top)).toBe('merge_request_blocked');
  expect((await project.api('PUT', at(top, '/merge'))).status).toBe(405);
  await project.api('PUT', at(base, ''), { json: { state_event: 'close' } });
  expect((await project.api('PUT', at(top, '/merge'))).status).toBe(405);
  await project.api('PUT', at(base, ''), { json: { state_event: 'reopen' } });
  expect((await project.api('PUT', at(base, '/merge'))).status).toBe(200);
  expect((await project.api('PUT', at(top, '/merge'))).status).toBe(200);
});

it('a dependency is removed once, and hidden from those who do not see its other side', async () => {
  const hidden = await buildRepositoryProject(app);
  const [base, top] = [await open(hidden), await open(project)];
  await hidden.api('POST', '/members', { json: { user_id: project.owner.user.id, access_level: Level.developer } });
  const json = { blocking_merge_request_id: base.id };
  expect((await project.api('POST', at(top, '/blocks'), { token: developer.secret, json })).status).toBe(404);
  const made = await project.api<{ id: number }>('POST', at(top, '/blocks'), { json });
  expect(made.status).toBe(201);
  const seen = (token: string) => project.api<Json[]>('GET', at(top, '/blocks'), { token });
  expect((await seen(developer.secret)).body).toEqual([]);
  expect((await seen(project.owner.secret)).body).toHaveLength(1);
  const remove = (token: string) => project.api('DELETE', at(top, `/blocks/${made.body.id}`), { token });
  expect((await remove(reporter.secret)).status).toBe(403);
  expect((await remove(developer.secret)).status).toBe(204);
  expect((await remove(developer.secret)).status).toBe(404);
  expect(await statusOf(top)).toBe('mergeable');
});

it('participants: author, assignees, reviewers and commenters; reviewers with how far they are', async () => {
  const [first, second] = [await project.member(Level.developer), await project.member(Level.developer)];
  const request = await open(project, { assignee_ids: [second.user.id], reviewer_ids: [first.user.id] });
  const note = (body: string, token: string, internal = false) =>
    project.api('POST', at(request, '/notes'), { token, json: { body, internal } });
  const guest = await project.member(Level.guest);
  await note('Seen', reporter.secret);
  await note('Not for all', developer.secret, true);
  const people = async (token: string) =>
    (await project.api<Json[]>('GET', at(request, '/participants'), { token })).body.map(({ id }) => id);
  const everybody = [project.owner.user.id, second.user.id, first.user.id, reporter.user.id];
  expect(await people(project.owner.secret)).toEqual([...everybody, developer.user.id]);
  expect((await project.api('GET', at(request, '/participants'), { token: guest.secret })).status).not.toBe(500);

  const reviewers = async () =>
    (await project.api<{ user: { id: number }; state: string }[]>('GET', at(request, '/reviewers'))).body.map(
      ({ user, state }) => [user.id, state],
    );
  expect(await reviewers()).toEqual([[first.user.id, 'unreviewed']]);
  const draft = { token: first.secret, json: { note: 'Why?' } };
  await project.api('POST', at(request, '/draft_notes'), draft);
  await project.api('POST', at(request, '/draft_notes/bulk_publish'), { token: first.secret });
  expect(await reviewers()).toEqual([[first.user.id, 'reviewed']]);
  await project.api('POST', at(request, '/approve'), { token: first.secret });
  // Whoever is added does not change how far others are.
  await project.api('PUT', at(request, ''), { json: { reviewer_ids: [second.user.id, first.user.id] } });
  expect(await reviewers()).toEqual([
    [second.user.id, 'unreviewed'],
    [first.user.id, 'approved'],
  ]);
  await project.api('POST', at(request, '/unapprove'), { token: first.secret });
  expect((await reviewers())[1]).toEqual([first.user.id, 'unapproved']);
});

it('merge_ref: the merge of both branches under a ref of its own, made anew when one of them moved', async () => {
  const request = await open(project);
  const ask = () => project.api<{ commit_id: string }>('GET', at(request, '/merge_ref'), { token: reporter.secret });
  const { status, body } = await ask();
  expect(status).toBe(200);
  expect((await ask()).body).toEqual(body);
  const commit = await project.api<{ parent_ids: string[] }>('GET', `/repository/commits/${body.commit_id}`);
  const main = await project.api<{ commit: { id: string } }>('GET', '/repository/branches/main');
  expect(commit.body.parent_ids).toEqual([main.body.commit.id, request.sha]);
  await project.commit('main', { [unique('file')]: '1' });
  expect((await ask()).body.commit_id).not.toBe(body.commit_id);
  await project.api('PUT', at(request, ''), { json: { state_event: 'close' } });
  expect((await ask()).status).toBe(400);
});
