/** Namespaces over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let alice: BuiltToken;
let owned: Namespace;
let joined: Namespace;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  alice = await buildToken(app);
  owned = await buildGroup(app, { owner: alice.user });
  joined = await buildGroup(app);
  await buildMember(app, { user: alice.user, of: joined, level: Level.reporter });
  await buildGroup(app, { visibility: 'public' });
  await buildProject(app, { namespace: owned, repository_size: 5 });
});
afterAll(() => app.close());

const get = <T = Json>(target: string, token?: BuiltToken, query: RequestParts['query'] = {}) =>
  app.api<T>('GET', target, { token: token?.secret, query });
const paths = async (token: BuiltToken, query = {}) =>
  (await get<Json[]>('/namespaces', token, query)).body.map(({ full_path }) => full_path);

test("[3/api.namespaces/1] the caller's namespaces; for administrators all", async () => {
  expect(await paths(alice)).toEqual([alice.user.username, owned.full_path, joined.full_path]);
  expect((await paths(admin)).length).toBeGreaterThan(4);
  expect((await get('/namespaces')).status).toBe(401);
});

test('[3/api.namespaces/1 search] [3/api.namespaces/1 owned_only] filters', async () => {
  expect(await paths(alice, { search: owned.path })).toEqual([owned.full_path]);
  expect(await paths(alice, { owned_only: 'true' })).toEqual([alice.user.username, owned.full_path]);
  expect(await paths(alice, { top_level_only: 'true', search: joined.full_path, full_path_search: 'true' })).toEqual([
    joined.full_path,
  ]);
});

test('[3/fields.namespace/1] [3/api.namespaces/2] by id and path, with figures for owners', async () => {
  const mine = await get(`/namespaces/${owned.id}`, alice);
  expect(mine).toMatchObject({
    status: 200,
    body: {
      id: owned.id,
      name: owned.name,
      path: owned.path,
      kind: 'group',
      full_path: owned.full_path,
      parent_id: null,
      avatar_url: null,
      web_url: `${app.url}/groups/${owned.full_path}`,
      billable_members_count: 1,
      trial_ends_on: null,
      trial: false,
      members_count_with_descendants: 1,
      root_repository_size: 5,
      projects_count: 1,
      plan: 'default',
    },
  });
  const other = await get(`/namespaces/${encodeURIComponent(joined.full_path)}`, alice);
  expect(other).toMatchObject({ status: 200, body: { id: joined.id } });
  for (const key of ['members_count_with_descendants', 'root_repository_size', 'projects_count', 'plan'])
    expect(other.body).not.toHaveProperty(key);
  const personal = await get(`/namespaces/${alice.user.username}`, alice);
  expect(personal.body).toMatchObject({
    kind: 'user',
    web_url: `${app.url}/${alice.user.username}`,
    projects_count: 0,
  });
  expect(personal.body).not.toHaveProperty('members_count_with_descendants');
  const stranger = await buildToken(app);
  expect(await get(`/namespaces/${owned.id}`, stranger)).toMatchObject({
    status: 404,
    body: { message: '404 Namespace Not Found' },
  });
});

test('[3/api.namespaces/3] [3/api.namespaces/3 parent_id] [3/api.namespaces/3 exists] [3/api.namespaces/3 suggests] whether a path is taken', async () => {
  const exists = (path: string, query = {}) => get(`/namespaces/${path}/exists`, alice, query);
  expect((await exists(owned.path.toUpperCase())).body).toEqual({
    exists: true,
    suggests: [`${owned.path.toUpperCase()}1`],
  });
  expect((await exists(unique('free'))).body).toEqual({ exists: false, suggests: [] });
  const child = await buildGroup(app, { parent: owned, path: unique('child') });
  await buildGroup(app, { parent: owned, path: `${child.path}1` });
  expect((await exists(child.path)).body).toMatchObject({ exists: false });
  expect((await exists(child.path, { parent_id: owned.id })).body).toEqual({
    exists: true,
    suggests: [`${child.path}2`],
  });
  expect((await get(`/namespaces/${owned.path}/exists`)).status).toBe(401);
  expect((await exists(owned.path, { parent_id: 'x' })).status).toBe(400);
});
