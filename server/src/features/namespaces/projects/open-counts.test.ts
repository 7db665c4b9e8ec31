/** How many open issues and merge requests projects and groups tell somebody of. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('a project counts what is open and seen by the caller, where that is asked for', async () => {
  const project = await buildRepositoryProject(app, { visibility: 'public' });
  const [stranger, planner] = [await buildToken(app), await project.member(Level.planner)];
  const counts = async (token: BuiltToken | null, query: Json = { with_counts: true }) =>
    (await project.api('GET', '', { query, token: token === null ? null : token.secret })).body.counts;
  const make = async (target: string, json: Json, token = project.owner) =>
    expect((await project.api('POST', target, { json, token: token.secret })).status).toBe(201);
  expect(await counts(project.owner)).toEqual({ issues: 0, merge_requests: 0 });
  await make('/issues', { title: 'Seen by all' });
  await make('/issues', { title: 'Seen by planners', confidential: true });
  await make('/issues', { title: 'Seen by its author', confidential: true }, stranger);
  await make('/issues', { title: 'Closed' });
  await project.api('PUT', '/issues/4', { json: { state_event: 'close' } });
  await project.commit('topic', { 'topic.md': '# Topic\n' }, { start_branch: 'main' });
  await make('/merge_requests', { source_branch: 'topic', target_branch: 'main', title: 'Topic' });
  expect(await counts(planner)).toEqual({ issues: 3, merge_requests: 1 });
  expect(await counts(stranger)).toEqual({ issues: 2, merge_requests: 1 });
  expect(await counts(null)).toEqual({ issues: 1, merge_requests: 1 });
  expect(await counts(planner, {})).toBeUndefined();
  const visitor = async (id: number) =>
    (await app.api<Json>('GET', `/projects/${id}`, { query: { with_counts: true } })).body.empty_repo;
  const empty = await buildRepositoryProject(app, { visibility: 'public', files: null });
  expect([await visitor(project.id), await visitor(empty.id)]).toEqual([false, true]);
  await project.api('PUT', '', { json: { issues_access_level: 'private', merge_requests_access_level: 'disabled' } });
  expect(await counts(stranger)).toEqual({});
  expect(await counts(planner)).toEqual({ issues: 3 });
});

it('a group counts those of all that is below it and that the caller sees', async () => {
  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const below = await buildGroup(app, { parent: group, visibility: 'public' });
  const projects = [
    await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } }),
    await buildRepositoryProject(app, { owner, visibility: 'public', settings: { namespace_id: below.id } }),
  ];
  for (const project of projects) {
    const json = { title: 'Open' };
    expect((await project.api('POST', '/issues', { json })).status).toBe(201);
    await project.commit('topic', { 'topic.md': '# Topic\n' }, { start_branch: 'main' });
    const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    expect((await project.api('POST', '/merge_requests', { json: request })).status).toBe(201);
  }
  const counts = async (token?: BuiltToken) =>
    (
      await app.api<Json>('GET', `/groups/${group.id}`, {
        token: token?.secret,
        query: { with_projects: false, with_counts: true },
      })
    ).body.counts;
  expect(await counts(owner)).toEqual({ issues: 2, merge_requests: 2, members: 1 });
  expect(await counts()).toEqual({ issues: 1, merge_requests: 1, members: 1 });
});
