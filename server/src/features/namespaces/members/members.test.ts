/** Members of groups and projects over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { insideDay } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let group: Namespace;
let project: Project;
let maintainer: BuiltToken;

beforeAll(async () => {
  await insideDay();
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group });
  maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
});
afterAll(() => app.close());

const call = <T = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  target: string,
  token?: BuiltToken,
  parts: RequestParts = {},
) => app.api<T>(method, target, { token: token?.secret, ...parts });
const ids = (body: unknown) => (body as Array<{ id: number }>).map(({ id }) => id);
const add = (token: BuiltToken | undefined, target: string, json: Json) =>
  call('POST', `${target}/members`, token, { json });

describe('adding', () => {
  test.each(['groups', 'projects'] as const)(
    '[3/fields.member/1] [3/api.members/1] [3/api.members/7] POST /%s/:id/members answers the member',
    async (kind) => {
      const user = await buildUser(app);
      const target = `/${kind}/${kind === 'groups' ? group.id : project.id}`;
      const answer = await add(owner, target, { user_id: user.id, access_level: 30, expires_at: '2999-12-31' });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        id: user.id,
        username: user.username,
        name: user.name,
        state: 'active',
        avatar_url: null,
        web_url: `${app.url}/${user.username}`,
        expires_at: '2999-12-31',
        access_level: 30,
        created_by: { id: owner.user.id, username: owner.user.username },
        membership_state: 'active',
      });
      expect(answer.body.created_at).toMatch(/Z$/);
      expect(await call('GET', `${target}/members/${user.id}`, owner)).toMatchObject({
        status: 200,
        body: answer.body,
      });
      const fact = await app.db
        .selectFrom('facts')
        .selectAll()
        .where('kind', '=', 'member.changed')
        .orderBy('id', 'desc')
        .executeTakeFirst();
      expect(fact).toMatchObject({ actor_id: owner.user.id, payload: { user_id: user.id, change: 'added' } });
    },
  );

  test('by username, several at once, and what is wrong with some', async () => {
    const [one, two, three] = [await buildUser(app), await buildUser(app), await buildUser(app)];
    const target = `/groups/${group.id}`;
    expect((await add(owner, target, { username: one.username, access_level: 10 })).body.id).toBe(one.id);
    expect(await add(owner, target, { user_id: `${two.id},${three.id}`, access_level: 10 })).toMatchObject({
      status: 201,
      body: { status: 'success' },
    });
    const some = await add(owner, target, { user_id: `${one.id},999999999`, access_level: 10 });
    expect(some.body).toEqual({
      status: 'error',
      message: { [one.id]: 'Member already exists', '999999999': '404 User Not Found' },
    });
    // A lower role than in the group above, as a sentence.
    const within = `/projects/${project.id}`;
    const lower = await add(owner, within, { user_id: `${owner.user.id},${one.id}`, access_level: 10 });
    expect(lower.body).toEqual({
      status: 'error',
      message: {
        [owner.user.id]: expect.stringMatching(/^Access level should be greater than or equal to Owner inherited /),
      },
    });
  });

  test('[1/errors/12] [1/errors/7] twice is 409, bad values are 400', async () => {
    const user = await buildUser(app);
    const target = `/projects/${project.id}`;
    await add(owner, target, { user_id: user.id, access_level: 30 });
    expect(await add(owner, target, { user_id: user.id, access_level: 30 })).toMatchObject({
      status: 409,
      body: { message: 'Member already exists' },
    });
    const wrong: Array<[Json, unknown]> = [
      [{ user_id: user.id }, { error: 'access_level is missing' }],
      [{ user_id: user.id, access_level: 31 }, { error: 'access_level does not have a valid value' }],
      [{ user_id: 'x', access_level: 30 }, { error: 'user_id is invalid' }],
      [{ access_level: 30 }, { error: 'user_id, username are missing, exactly one parameter must be provided' }],
      [{ user_id: 1, username: 'root', access_level: 30 }, { error: 'user_id, username are mutually exclusive' }],
      [{ user_id: user.id, access_level: 30, expires_at: 'soon' }, { error: 'expires_at is invalid' }],
      [
        { user_id: user.id, access_level: 30, expires_at: '2020-01-01' },
        { message: { expires_at: ['cannot be a date in the past'] } },
      ],
      [
        { user_id: user.id, access_level: 30, expires_at: new Date().toISOString().slice(0, 10) },
        { message: { expires_at: ['must be after today'] } },
      ],
    ];
    for (const [json, body] of wrong) expect(await add(owner, target, json)).toMatchObject({ status: 400, body });
    expect(await add(owner, target, { user_id: 999_999_999, access_level: 30 })).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    });
  });

  test('a membership that has expired can be given anew', async () => {
    const { user } = await buildMember(app, { of: group, expiresAt: '2020-01-01' });
    expect((await call('GET', `/groups/${group.id}/members/${user.id}`, owner)).status).toBe(404);
    expect((await add(owner, `/groups/${group.id}`, { user_id: user.id, access_level: 20 })).status).toBe(201);
  });

  test('not below what the group above gives already', async () => {
    const { user } = await buildMember(app, { of: group, level: Level.maintainer });
    expect(await add(owner, `/projects/${project.id}`, { user_id: user.id, access_level: 30 })).toMatchObject({
      status: 400,
      body: {
        message: {
          access_level: [`should be greater than or equal to Maintainer inherited membership from group ${group.name}`],
        },
      },
    });
  });

  test('[1/errors/8] [1/errors/9] [1/errors/10] who may not', async () => {
    const user = await buildUser(app);
    const json = { user_id: user.id, access_level: 30 };
    const stranger = await buildToken(app);
    expect((await add(undefined, `/groups/${group.id}`, json)).status).toBe(401);
    expect((await add(stranger, `/groups/${group.id}`, json)).status).toBe(404);
    const openGroup = await buildGroup(app, { visibility: 'public' });
    expect((await add(undefined, `/groups/${openGroup.id}`, json)).status).toBe(401);
    expect((await add(stranger, `/groups/${openGroup.id}`, json)).status).toBe(403);
    expect((await add(maintainer, `/projects/${project.id}`, { ...json, access_level: 50 })).status).toBe(403);
    expect((await add(maintainer, `/projects/${project.id}`, json)).status).toBe(201);
  });
});

describe('changing and removing', () => {
  test('[1/errors/1] [1/errors/4] a level and a date, then out', async () => {
    const { user } = await buildMember(app, { of: project });
    const target = `/projects/${project.id}/members/${user.id}`;
    const changed = await call('PUT', target, maintainer, { json: { access_level: 20, expires_at: '2999-01-01' } });
    expect(changed).toMatchObject({ status: 200, body: { access_level: 20, expires_at: '2999-01-01' } });
    const kept = await call('PUT', target, maintainer, { json: { access_level: 30 } });
    expect(kept.body).toMatchObject({ access_level: 30, expires_at: '2999-01-01' });
    const cleared = await call('PUT', target, maintainer, { form: { access_level: '30', expires_at: '' } });
    expect(cleared.body).toMatchObject({ expires_at: null });
    expect(await call('DELETE', target, maintainer)).toMatchObject({ status: 204, body: null });
    expect(await call('GET', target, maintainer)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
    expect((await call('DELETE', target, maintainer)).status).toBe(404);
    expect((await call('PUT', target, maintainer, { json: { access_level: 20 } })).status).toBe(404);
  });

  test('a maintainer leaves owners alone', async () => {
    const { user } = await buildMember(app, { of: project, level: Level.owner });
    const target = `/projects/${project.id}/members/${user.id}`;
    expect((await call('PUT', target, maintainer, { json: { access_level: 20 } })).status).toBe(403);
    expect((await call('DELETE', target, maintainer)).status).toBe(403);
    expect((await call('DELETE', target, admin)).status).toBe(204);
  });

  test('the last owner of a group stays; with another one they may go', async () => {
    const lone = await buildGroup(app, { owner: owner.user });
    const target = `/groups/${lone.id}/members/${owner.user.id}`;
    expect((await call('DELETE', target, owner)).status).toBe(403);
    expect((await call('PUT', target, owner, { json: { access_level: 40 } })).status).toBe(403);
    expect((await call('DELETE', target, admin)).status).toBe(403);
    const until = (expires_at: string | null) => call('PUT', target, owner, { json: { access_level: 50, expires_at } });
    expect((await until('2999-12-31')).status).toBe(403);
    expect(await until(null)).toMatchObject({ status: 200, body: { expires_at: null } });
    await buildMember(app, { of: lone, level: Level.owner });
    expect(await until('2999-12-31')).toMatchObject({ status: 200, body: { expires_at: '2999-12-31' } });
    expect((await call('DELETE', target, owner)).status).toBe(204);
  });

  test('of two owners who leave at once one stays', { retry: 0 }, async () => {
    const second = await buildToken(app);
    const pairs = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const pair = await buildGroup(app, { owner: owner.user });
        await buildMember(app, { user: second.user, of: pair, level: Level.owner });
        return pair;
      }),
    );
    const leave = (pair: Namespace, each: BuiltToken) =>
      call('DELETE', `/groups/${pair.id}/members/${each.user.id}`, each);
    const answers = await Promise.all(pairs.map((pair) => Promise.all([leave(pair, owner), leave(pair, second)])));
    for (const pair of answers) expect(pair.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  test('the owner of a personal namespace stays in its projects', async () => {
    const made = await call('POST', '/projects', owner, { json: { name: `own ${Date.now()}` } });
    const target = `/projects/${made.body.id}/members/${owner.user.id}`;
    expect((await call('GET', target, owner)).body.access_level).toBe(50);
    expect((await call('DELETE', target, owner)).status).toBe(403);
  });

  test("[security 18] leaving is everybody's right, and ends all access", async () => {
    const guest = await buildToken(app);
    await buildMember(app, { user: guest.user, of: project, level: Level.guest });
    const { user: other } = await buildMember(app, { of: project, level: Level.guest });
    expect((await call('DELETE', `/projects/${project.id}/members/${other.id}`, guest)).status).toBe(403);
    expect((await call('DELETE', `/projects/${project.id}/members/${guest.user.id}`, guest)).status).toBe(204);
    expect((await call('GET', `/projects/${project.id}`, guest)).status).toBe(404);
  });

  test('removal from a group reaches what is below it, unless told not to', async () => {
    const user = await buildUser(app);
    const below = await buildGroup(app, { parent: group });
    const inside = await buildProject(app, { namespace: below });
    for (const of of [group, below, inside]) await buildMember(app, { user, of });
    const left = async () =>
      (await app.db.selectFrom('grants').select('id').where('user_id', '=', user.id).execute()).length;
    const before = await left();
    await call('DELETE', `/groups/${group.id}/members/${user.id}`, owner, { query: { skip_subresources: 'true' } });
    expect(await left()).toBe(before - 1);
    await buildMember(app, { user, of: group });
    await call('DELETE', `/groups/${group.id}/members/${user.id}`, owner);
    expect(await left()).toBe(before - 3);
  });
});

test('unassign_issuables takes a removed member off merge requests', async () => {
  const repository = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  const developer = await repository.member(Level.developer);
  await repository.commit('topic', { a: 'x' }, { start_branch: 'main' });
  const json = { source_branch: 'topic', target_branch: 'main', title: 'T', assignee_ids: [developer.user.id] };
  expect((await repository.api('POST', '/merge_requests', { json })).body).toMatchObject({
    assignees: [{ id: developer.user.id }],
  });
  const remove = (query: RequestParts['query']) =>
    repository.api('DELETE', `/members/${developer.user.id}`, { ...(query ? { query } : {}) });
  const assignees = async () => (await repository.api('GET', '/merge_requests/1')).body.assignees;
  expect((await remove({})).status).toBe(204);
  expect(await assignees()).toHaveLength(1);
  await buildMember(app, { user: developer.user, of: await repository.row() });
  expect((await remove({ unassign_issuables: true })).status).toBe(204);
  expect(await assignees()).toEqual([]);
});

test('custom roles are refused clearly, the source of an invitation is taken', async () => {
  const user = await buildUser(app);
  const json = { user_id: user.id, access_level: 30, member_role_id: 4 };
  expect(await add(owner, `/groups/${group.id}`, json)).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - member_role_id: there are no custom roles' },
  });
  const taken = await add(owner, `/groups/${group.id}`, { ...json, member_role_id: null, invite_source: 'x' });
  expect(taken.status).toBe(201);
  const put = await call('PUT', `/groups/${group.id}/members/${user.id}`, owner, { json });
  expect(put.status).toBe(400);
});

test('[3/api.members/3] with_source tells where a role comes from', async () => {
  const [top, invited] = [
    await buildGroup(app, { owner: owner.user }),
    await buildGroup(app, { visibility: 'public' }),
  ];
  const inner = await buildGroup(app, { parent: top });
  const { user: here } = await buildMember(app, { of: inner });
  const { user: there } = await buildMember(app, { of: invited });
  await app.db.insertInto('grants').values({ group_id: invited.id, namespace_id: top.id, level: 20 }).execute();
  const list = await call<Json[]>('GET', `/groups/${inner.id}/members/all`, owner, { query: { with_source: true } });
  const sources = Object.fromEntries(list.body.map(({ id, source }) => [id, source]));
  expect(sources).toEqual({
    [owner.user.id]: { kind: 'inherited', id: top.id, name: top.full_name, web_url: `${app.url}/groups/${top.path}` },
    [here.id]: { kind: 'direct', id: null, name: null, web_url: null },
    [there.id]: {
      kind: 'shared',
      id: invited.id,
      name: invited.full_name,
      web_url: `${app.url}/groups/${invited.path}`,
    },
  });
});

describe('lists', () => {
  let top: Namespace;
  let sub: Namespace;
  let inside: Project;
  let anna: User;
  let bert: User;
  let cleo: User;
  let dora: User;
  let invited: Namespace;

  beforeAll(async () => {
    top = await buildGroup(app, { owner: owner.user });
    sub = await buildGroup(app, { parent: top });
    inside = await buildProject(app, { namespace: sub });
    [anna, bert, cleo, dora] = [
      await buildUser(app, { name: 'Anna Alpha' }),
      await buildUser(app, { name: 'Bert Beta' }),
      await buildUser(app),
      await buildUser(app),
    ];
    await buildMember(app, { user: anna, of: inside, level: Level.developer });
    await buildMember(app, { user: bert, of: inside, level: Level.guest });
    await buildMember(app, { user: bert, of: sub, level: Level.maintainer });
    invited = await buildGroup(app, { visibility: 'public' });
    await buildMember(app, { user: cleo, of: invited, level: Level.owner });
    const hidden = await buildGroup(app);
    await buildMember(app, { user: dora, of: hidden, level: Level.developer });
    for (const each of [invited, hidden])
      await app.db.insertInto('grants').values({ group_id: each.id, project_id: inside.id, level: 20 }).execute();
  });

  const list = (reach: '' | '/all', query: RequestParts['query'] = {}, token = owner) =>
    call<Json[]>('GET', `/projects/${inside.id}/members${reach}`, token, { query });

  test('[3/api.members/2] direct members only', async () => {
    const answer = await list('');
    expect(ids(answer.body)).toEqual([anna.id, bert.id]);
    expect(answer.body[1]).toMatchObject({ access_level: 10 });
    expect(ids((await call('GET', `/groups/${top.id}/members`, owner)).body)).toEqual([owner.user.id]);
  });

  test('[3/api.members/2 query] [3/api.members/2 user_ids] [3/api.members/2 skip_users] [3/api.members/2 show_seat_info] filters', async () => {
    expect(ids((await list('', { query: 'alpha' })).body)).toEqual([anna.id]);
    expect(ids((await list('', { user_ids: [bert.id, 1] })).body)).toEqual([bert.id]);
    expect(ids((await list('', { skip_users: [bert.id] })).body)).toEqual([anna.id]);
    const seats = await list('', { show_seat_info: 'true' });
    expect(seats.body[0]).toMatchObject({ is_using_seat: true });
    expect((await list('')).body[0]).not.toHaveProperty('is_using_seat');
    expect((await list('', { user_ids: ['x'] })).status).toBe(400);
  });

  test('[3/api.members/3] inherited and invited ones, each once at the highest level', async () => {
    const answer = await list('/all');
    const levels = Object.fromEntries(answer.body.map((member) => [member.id, member.access_level]));
    expect(levels).toEqual({ [owner.user.id]: 50, [anna.id]: 30, [bert.id]: 40, [cleo.id]: 20 });
    expect(ids((await list('/all', {}, admin)).body)).toContain(dora.id);
  });

  test('[3/api.members/3 query] [3/api.members/3 user_ids] [3/api.members/3 show_seat_info] [3/api.members/3 state] filters of all', async () => {
    expect(ids((await list('/all', { query: bert.username })).body)).toEqual([bert.id]);
    expect(ids((await list('/all', { user_ids: [cleo.id], show_seat_info: 'true' })).body)).toEqual([cleo.id]);
    expect((await list('/all', { state: 'awaiting' })).body).toEqual([]);
    expect((await list('/all', { state: 'active' })).body).toHaveLength(4);
  });

  test('[3/api.members/4] one member, direct or not', async () => {
    const one = (path: string) => call('GET', `/projects/${inside.id}/members${path}`, owner);
    expect((await one(`/${bert.id}`)).body).toMatchObject({ access_level: 10 });
    expect((await one(`/all/${bert.id}`)).body).toMatchObject({ access_level: 40 });
    expect((await one(`/all/${cleo.id}`)).body).toMatchObject({ access_level: 20 });
    expect((await one(`/${cleo.id}`)).status).toBe(404);
    expect((await one('/x')).status).toBe(400);
    expect((await call('GET', `/projects/${inside.id}/members`)).status).toBe(404);
  });

  test('[1/limits.pagination/2] pages', async () => {
    const answer = await list('/all', { per_page: 1, page: 2 });
    expect(answer.body).toHaveLength(1);
    expect(answer.headers.get('x-total')).toBe('4');
  });
});
