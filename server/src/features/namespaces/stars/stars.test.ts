/** Stars: given once, counted, and told of those who show it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildProject, buildToken, buildUser } from '../../../../test/factories.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let ann: BuiltToken;
let ben: BuiltToken;
let project: Project;
beforeAll(async () => {
  app = await startTestApp();
  ann = await buildToken(app);
  ben = await buildToken(app);
  project = await buildProject(app, { visibility: 'public' });
});
afterAll(() => app.close());

const act = (what: string, token?: BuiltToken, id: unknown = project.id) =>
  app.api<Json>('POST', `/projects/${id}/${what}`, { token: token?.secret });
const starrers = async (token?: BuiltToken, query: Json = {}) => {
  const { status, body } = await app.api<Array<{ user: Json; starred_since: string }>>(
    'GET',
    `/projects/${project.id}/starrers`,
    { token: token?.secret, query },
  );
  expect(status).toBe(200);
  return body.map(({ user }) => user.id);
};
const count = async () =>
  (await app.db.selectFrom('projects').select('star_count').where('id', '=', project.id).executeTakeFirstOrThrow())
    .star_count;

describe('stars', () => {
  it('are given once and taken back once', async () => {
    expect(await act('star', ann)).toMatchObject({ status: 201, body: { id: project.id, star_count: 1 } });
    expect((await act('star', ann)).status).toBe(304);
    expect((await act('star', ben)).body.star_count).toBe(2);
    expect((await act('unstar', ben)).body.star_count).toBe(1);
    expect((await act('unstar', ben)).status).toBe(304);
    expect(await count()).toBe(1);
    expect((await act('star')).status).toBe(401);
    const hidden = await buildProject(app);
    expect((await act('star', ann, hidden.id)).status).toBe(404);
  });

  it('are told with who gave them, newest first', async () => {
    await act('star', ben);
    expect(await starrers()).toEqual([ben.user.id, ann.user.id]);
    expect(await starrers(ann, { search: ben.user.username })).toEqual([ben.user.id]);
    expect(await starrers(ann, { search: 'nobody' })).toEqual([]);
    await app.db.updateTable('users').set({ private_profile: true }).where('id', '=', ben.user.id).execute();
    expect(await starrers(ann)).toEqual([ann.user.id]);
    expect(await starrers(ben)).toHaveLength(2);
  });

  it('a project says whether the caller gave one, where that is asked for', async () => {
    const of = async (token?: BuiltToken, query: Json = { with_starred: true }) => {
      const { status, body } = await app.api<Json>('GET', `/projects/${project.id}`, { token: token?.secret, query });
      return [status, body.starred];
    };
    const cleo = await buildToken(app);
    expect(await of(cleo)).toEqual([200, false]);
    await act('star', cleo);
    expect(await of(cleo)).toEqual([200, true]);
    expect(await of(cleo, {})).toEqual([200, undefined]);
    expect(await of()).toEqual([200, undefined]);
    await act('unstar', cleo);
    expect(await of(cleo)).toEqual([200, false]);
    expect((await of(cleo, { with_starred: 'perhaps' }))[0]).toBe(400);
  });

  it('lists tell what somebody starred, as far as the caller sees it', async () => {
    const own = await buildProject(app, { owner: ann.user });
    await act('star', ann, own.id);
    const ids = async (target: string, token?: BuiltToken, query: Json = {}) => {
      const answer = await app.api<Array<{ id: number }>>('GET', target, { token: token?.secret, query });
      return answer.status === 200 ? answer.body.map(({ id }) => id).sort((one, other) => one - other) : answer.status;
    };
    const theirs = `/users/${ann.user.id}/starred_projects`;
    expect(await ids(theirs)).toEqual([project.id]);
    expect(await ids(theirs, ann)).toEqual([project.id, own.id]);
    expect(await ids(`/users/${ann.user.username}/starred_projects`, ben)).toEqual([project.id]);
    expect(await ids('/projects', ann, { starred: true })).toEqual([project.id, own.id]);
    expect(await ids('/projects', undefined, { starred: true })).toEqual([]);
    expect(await ids('/users/999999/starred_projects', ann)).toBe(404);
    expect(await ids(`/users/${ben.user.id}/starred_projects`, ann)).toBe(404);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect(await ids(`/users/${ben.user.id}/starred_projects`, admin)).toEqual([project.id]);
  });

  it('go with the person', async () => {
    const user = await buildUser(app);
    const before = await count();
    await app.db.insertInto('project_stars').values({ user_id: user.id, project_id: project.id }).execute();
    expect(await count()).toBe(before + 1);
    await app.db.deleteFrom('namespaces').where('owner_id', '=', user.id).execute();
    await app.db.deleteFrom('users').where('id', '=', user.id).execute();
    expect(await count()).toBe(before);
  });
});
