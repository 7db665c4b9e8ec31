/** Lists of merge requests over all projects, and by who has approved. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function open(project: RepositoryProject, author: BuiltToken): Promise<Json & { id: number; iid: number }> {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<Json & { id: number; iid: number }>('POST', '/merge_requests', {
    token: author.secret,
    json,
  });
  expect(made.status).toBe(201);
  return made.body;
}

it('GET /merge_requests: those that the caller sees, own ones by default', async () => {
  const [one, other] = [await buildRepositoryProject(app), await buildRepositoryProject(app)];
  const author = await one.member(Level.developer);
  const [own, foreign, hidden] = [await open(one, author), await open(one, one.owner), await open(other, other.owner)];
  const list = async (query: Record<string, string> = {}, who: BuiltToken | null = author) => {
    const answer = await app.api<Json[]>('GET', '/merge_requests', { ...(who ? { token: who.secret } : {}), query });
    return answer.status === 200 ? answer.body.map(({ id }) => id) : answer.status;
  };
  expect(await list()).toEqual([own.id]);
  expect(await list({ scope: 'all' })).toEqual([foreign.id, own.id]);
  expect(await list({ scope: 'all', sort: 'asc', state: 'opened' })).toEqual([own.id, foreign.id]);
  expect(await list({}, other.owner)).toEqual([hidden.id]);
  expect(await list({}, null)).toBe(401);
  // Whoever leaves sees none of them, not even their own.
  expect((await one.api('DELETE', `/members/${author.user.id}`)).status).toBe(204);
  expect(await list({ scope: 'all' })).toEqual([]);
});

it('approved_by_ids and approved_by_usernames: those that all of them have approved', async () => {
  const project = await buildRepositoryProject(app);
  const [first, second] = [await project.member(Level.developer), await project.member(Level.developer)];
  const [one, both] = [await open(project, project.owner), await open(project, project.owner)];
  for (const [request, who] of [
    [one, first],
    [both, first],
    [both, second],
  ] as const)
    expect((await project.api('POST', `/merge_requests/${request.iid}/approve`, { token: who.secret })).status).toBe(
      201,
    );
  const list = async (query: Record<string, string>) =>
    (await project.api<Json[]>('GET', '/merge_requests', { query })).body.map(({ id }) => id);
  expect(await list({ approved_by_ids: String(first.user.id) })).toEqual([both.id, one.id]);
  expect(await list({ 'approved_by_ids[]': String(second.user.id) })).toEqual([both.id]);
  const names = `${first.user.username},${second.user.username}`;
  expect(await list({ approved_by_usernames: names })).toEqual([both.id]);
  expect(await list({ approved_by_usernames: project.owner.user.username })).toEqual([]);
});
