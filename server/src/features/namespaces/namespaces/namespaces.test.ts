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
  buildUser,
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
  await buildProject(app, { namespace: owned, statistics: { repository_size: 5 } });
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

test('[3/fields.namespace/1 id, name, path, kind, user, group, full_path, parent_id, avatar_url, web_url, billable_members_count, trial_ends_on, trial, members_count_with_descendants, root_repository_size, projects_count, plan] [3/api.namespaces/2] by id and path, with figures for owners', async () => {
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
  expect(other).toMatchObject({ status: 200, body: { id: joined.id, billable_members_count: 1, trial: false } });
  for (const key of ['members_count_with_descendants', 'root_repository_size', 'projects_count', 'plan'])
    expect(other.body).not.toHaveProperty(key);
  const personal = await get(`/namespaces/${alice.user.username}`, alice);
  expect(personal.body).toMatchObject({
    name: alice.user.name,
    path: alice.user.username,
    kind: 'user',
    full_path: alice.user.username,
    parent_id: null,
    avatar_url: null,
    web_url: `${app.url}/${alice.user.username}`,
    projects_count: 0,
    root_repository_size: 0,
    plan: 'default',
  });
  expect(personal.body).not.toHaveProperty('members_count_with_descendants');
  const stranger = await buildToken(app);
  expect(await get(`/namespaces/${owned.id}`, stranger)).toMatchObject({
    status: 404,
    body: { message: '404 Namespace Not Found' },
  });
});

test('[3/fields.namespace/1 max_seats_used, seats_in_use, max_seats_used_changed_at] what only a hosted service counts is not there, for nobody', async () => {
  for (const body of [
    (await get(`/namespaces/${owned.id}`, admin)).body,
    ...(await get<Json[]>('/namespaces', alice)).body,
  ])
    for (const key of ['max_seats_used', 'seats_in_use', 'max_seats_used_changed_at'])
      expect(body).not.toHaveProperty(key);
});

test('[3/fields.namespace/1 members_count_with_descendants, projects_count, root_repository_size, parent_id] figures of a whole tree, and of what is below another group', async () => {
  const top = await buildGroup(app, { owner: alice.user });
  const below = await buildGroup(app, { parent: top });
  const deep = await buildGroup(app, { parent: below });
  const { user } = await buildMember(app, { of: below, level: Level.guest });
  await buildMember(app, { user, of: deep, level: Level.developer });
  await buildMember(app, { of: below, expiresAt: '2020-01-01' });
  await buildMember(app, { of: await buildProject(app, { namespace: deep, statistics: { repository_size: 7 } }) });
  await buildProject(app, { namespace: top, statistics: { repository_size: 1 } });
  const of = async (id: number) => (await get(`/namespaces/${id}`, alice)).body;
  expect(await of(top.id)).toMatchObject({
    parent_id: null,
    members_count_with_descendants: 2,
    projects_count: 2,
    root_repository_size: 8,
    // The owner, the developer below and the one of the project: guests take no seat.
    billable_members_count: 3,
  });
  expect(await of(deep.id)).toMatchObject({
    parent_id: below.id,
    full_path: `${top.path}/${below.path}/${deep.path}`,
    members_count_with_descendants: 1,
    projects_count: 1,
  });
});

test('[3/fields.namespace/1 avatar_url] the picture of a group, and of the owner for a personal namespace', async () => {
  const picture = async (target: string) => {
    const form = new FormData();
    form.set('avatar', new File([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')], 'x.png'));
    expect((await app.api('PUT', target, { token: alice.secret, form })).status).toBe(200);
  };
  await picture(`/groups/${owned.id}`);
  await picture('/user/avatar');
  const own = `${app.url}/uploads/-/system/user/avatar/${alice.user.id}/`;
  const group = `${app.url}/uploads/-/system/group/avatar/${owned.id}/`;
  const urls = async (target: string) => (await get(target, alice)).body.avatar_url;
  expect(await urls(`/namespaces/${owned.id}`)).toContain(group);
  expect(await urls(`/namespaces/${alice.user.username}`)).toContain(own);
  const listed = await get<Json[]>('/namespaces', alice, { owned_only: true, search: alice.user.username });
  expect(listed.body).toMatchObject([{ kind: 'user', avatar_url: expect.stringContaining(own) }]);
  const mine = await buildProject(app, { owner: alice.user });
  expect((await get(`/projects/${mine.id}`, alice)).body.namespace).toMatchObject({
    kind: 'user',
    avatar_url: expect.stringContaining(own),
  });
  const served = await fetch(String(await urls(`/namespaces/${alice.user.username}`)));
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('[3/api.namespaces/1 search, owned_only] what the caller has a role in: inherited and invited ones, too', async () => {
  const bea = await buildToken(app);
  const top = await buildGroup(app);
  const below = await buildGroup(app, { parent: top });
  const invited = await buildGroup(app);
  await buildMember(app, { user: bea.user, of: top, level: Level.guest });
  await app.db.insertInto('grants').values({ group_id: top.id, namespace_id: invited.id, level: 10 }).execute();
  const all = [bea.user.username, top.full_path, below.full_path, invited.full_path];
  expect(await paths(bea)).toEqual(all);
  expect(await paths(bea, { owned_only: true })).toEqual([bea.user.username]);
  expect(await paths(bea, { owned_only: false })).toEqual(all);
  expect(await paths(bea, { search: below.path.toUpperCase() })).toEqual([below.full_path]);
  // Paths are compared one by one, not the whole.
  expect(await paths(bea, { search: below.full_path })).toEqual([]);
  expect(await paths(bea, { search: '%' })).toEqual([]);
  expect(await paths(admin, { search: below.path })).toEqual([below.full_path]);
  expect(await paths(admin, { owned_only: true })).toEqual([admin.user.username]);
  expect((await get('/namespaces', bea, { owned_only: 'x' })).status).toBe(400);
});

test('[3/api.namespaces/2] by number, by path in any case, and by where it was', async () => {
  const bea = await buildToken(app);
  const top = await buildGroup(app, { owner: bea.user });
  const below = await buildGroup(app, { parent: top });
  const idOf = async (key: string | number) =>
    (await get(`/namespaces/${encodeURIComponent(key)}`, bea)).body.id ?? null;
  expect(await idOf(below.id)).toBe(below.id);
  expect(await idOf(below.full_path.toUpperCase())).toBe(below.id);
  expect(await idOf(below.path)).toBeNull();
  const json = { path: unique('renamed') };
  expect((await app.api('PUT', `/groups/${top.id}`, { token: bea.secret, json })).status).toBe(200);
  expect([await idOf(top.full_path), await idOf(below.full_path)]).toEqual([top.id, below.id]);
  const before = bea.user.username;
  const username = unique('Renamed');
  expect((await app.api('PUT', `/users/${bea.user.id}`, { token: admin.secret, json: { username } })).status).toBe(200);
  expect(await get(`/namespaces/${before}`, bea)).toMatchObject({
    status: 200,
    body: { path: username, kind: 'user' },
  });
  // Whoever takes the old name has it.
  const next = await buildToken(app, {
    user: await buildUser(app, { username: before, email: `${unique('next')}@example.com` }),
  });
  expect((await get(`/namespaces/${before}`, next)).body).toMatchObject({ path: before });
  expect((await get(`/namespaces/${before}`, bea)).status).toBe(404);
  for (const key of ['0', '999999999', 'no-such', `${username}/x`])
    expect((await get(`/namespaces/${encodeURIComponent(key)}`, bea)).status).toBe(404);
  expect((await get(`/namespaces/${username}`)).status).toBe(401);
});

test('[3/api.namespaces/3 namespace, exists, suggests, parent_id] nothing is told of what is in a group that the caller may not see', async () => {
  const hidden = await buildGroup(app);
  const child = await buildGroup(app, { parent: hidden });
  const exists = async (token: BuiltToken, name: string, query = {}) =>
    (await get(`/namespaces/${encodeURIComponent(name)}/exists`, token, query)).body;
  const free = { exists: false, suggests: [] };
  expect(await exists(alice, child.path, { parent_id: hidden.id })).toEqual(free);
  expect(await exists(alice, child.path, { parent_id: 999_999_999 })).toEqual(free);
  expect(await exists(admin, child.path.toUpperCase(), { parent_id: hidden.id })).toEqual({
    exists: true,
    suggests: [`${child.path.toUpperCase()}1`],
  });
  // Users are namespaces at the top as well.
  expect(await exists(alice, alice.user.username)).toEqual({ exists: true, suggests: [`${alice.user.username}1`] });
  expect(await exists(alice, 'a%b')).toEqual(free);
  expect(await exists(alice, 'a/b')).toEqual(free);
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
