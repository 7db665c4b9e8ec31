/** Lists of members, parameter by parameter, and the object of a member, key by key. */
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
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let outsider: BuiltToken;
let top: Namespace;
let below: Namespace;
let project: Project;
let open: Namespace;
let hidden: Namespace;
let anna: User;
let bert: User;
let cleo: User;
let dora: User;
let emil: User;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
  outsider = await buildToken(app);
  top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  below = await buildGroup(app, { parent: top, visibility: 'public' });
  project = await buildProject(app, { namespace: below, visibility: 'public' });
  // One after the other: lists are in the order of ids.
  anna = await buildUser(app, { name: 'Anna Alpha' });
  bert = await buildUser(app, { name: 'Bert Beta' });
  cleo = await buildUser(app, { name: 'Cleo' });
  dora = await buildUser(app, { name: 'Dora' });
  emil = await buildUser(app, { name: 'Emil' });
  // In each place: Anna by the higher role above, Bert by the higher one below, Cleo and Dora by invited groups.
  for (const [of, level] of [
    [top, Level.maintainer],
    [below, Level.guest],
    [project, Level.guest],
  ] as const)
    await buildMember(app, { user: anna, of, level });
  await buildMember(app, { user: bert, of: below, level: Level.developer });
  await buildMember(app, { user: bert, of: project, level: Level.maintainer });
  open = await buildGroup(app, { visibility: 'public' });
  hidden = await buildGroup(app);
  await buildMember(app, { user: cleo, of: open, level: Level.owner });
  await buildMember(app, { user: dora, of: hidden, level: Level.reporter });
  for (const [group, level] of [
    [open, 30],
    [hidden, 50],
  ] as const)
    await app.db.insertInto('grants').values({ group_id: group.id, namespace_id: top.id, level }).execute();
  await buildMember(app, { user: emil, of: top, level: Level.owner, expiresAt: '2020-01-01' });
});
afterAll(() => app.close());

const get = <T = Json>(target: string, token?: BuiltToken, query: RequestParts['query'] = {}) =>
  app.api<T>('GET', target, { token: token?.secret, query });

describe.each([
  ['/groups/:id', (): string => `/groups/${below.id}`, { anna: 10, bert: 30 }],
  ['/projects/:id', (): string => `/projects/${project.id}`, { anna: 10, bert: 40 }],
] as const)('%s', (_path, at, direct) => {
  const list = async (reach: '' | '/all', query: RequestParts['query'] = {}, token: BuiltToken | undefined = owner) => {
    const { status, body } = await get<Json[]>(`${at()}/members${reach}`, token, query);
    expect(status).toBe(200);
    return Object.fromEntries(body.map((member) => [member.name, member.access_level]));
  };
  const mine = () => owner.user.name;

  test('[3/api.members/1 /groups/:id, /projects/:id] [3/api.members/2] direct members with the role that they have here', async () => {
    expect(await list('')).toEqual({ 'Anna Alpha': direct.anna, 'Bert Beta': direct.bert });
  });

  test('[3/api.members/2 query, user_ids, skip_users, show_seat_info] filters, each with what it leaves out', async () => {
    expect(await list('', { query: 'ALPHA' })).toEqual({ 'Anna Alpha': 10 });
    expect(await list('', { query: bert.username.slice(0, -1) })).toHaveProperty('Bert Beta');
    expect(await list('', { query: '_' })).toEqual({});
    expect(await list('', { query: '' })).toHaveProperty('Anna Alpha');
    expect(await list('', { user_ids: [anna.id, cleo.id, 999_999_999] })).toEqual({ 'Anna Alpha': 10 });
    expect(await list('', { user_ids: `${anna.id},${bert.id}` })).toHaveProperty('Bert Beta');
    expect(await list('', { skip_users: [anna.id] })).toEqual({ 'Bert Beta': direct.bert });
    expect(await list('', { user_ids: [anna.id, bert.id], skip_users: [bert.id], query: 'a' })).toEqual({
      'Anna Alpha': 10,
    });
    const seats = await get<Json[]>(`${at()}/members`, owner, { show_seat_info: true });
    expect(seats.body.map((member) => [member.id, member.is_using_seat])).toEqual([
      [anna.id, false],
      [bert.id, true],
    ]);
    expect((await get<Json[]>(`${at()}/members`, owner, { show_seat_info: false })).body[0]).not.toHaveProperty(
      'is_using_seat',
    );
    for (const wrong of [{ user_ids: ['x'] }, { skip_users: ['1.5'] }, { show_seat_info: 'x' }])
      expect([wrong, (await get(`${at()}/members`, owner, wrong)).status]).toEqual([wrong, 400]);
  });

  test('[3/api.members/3 query, user_ids, show_seat_info] each person once with the highest role; invited groups where they may be seen', async () => {
    const everybody = { [mine()]: 50, 'Anna Alpha': 40, 'Bert Beta': direct.bert, Cleo: 30 };
    expect(await list('/all')).toEqual(everybody);
    expect(await list('/all', {}, outsider)).toEqual(everybody);
    expect(await list('/all', {}, undefined)).toEqual(everybody);
    const member = await buildToken(app, { user: dora });
    expect(await list('/all', {}, member)).toEqual({ ...everybody, Dora: 20 });
    expect(await list('/all', {}, admin)).toEqual({ ...everybody, Dora: 20 });
    expect(await list('/all', { query: 'anna' })).toEqual({ 'Anna Alpha': 40 });
    expect(await list('/all', { user_ids: [cleo.id, dora.id, emil.id] })).toEqual({ Cleo: 30 });
    const seats = await get<Json[]>(`${at()}/members/all`, owner, { show_seat_info: true });
    for (const each of seats.body) expect(each.is_using_seat).toBe(true);
  });

  test('[3/api.members/4 GET .../members/:user_id, GET .../members/all/:user_id, user_id] one member, direct or not', async () => {
    const one = (reach: '' | '/all', id: unknown, token: BuiltToken | undefined = owner) =>
      get(`${at()}/members${reach}/${id}`, token);
    expect(await one('', anna.id)).toMatchObject({ status: 200, body: { id: anna.id, access_level: 10 } });
    expect(await one('/all', anna.id)).toMatchObject({ status: 200, body: { id: anna.id, access_level: 40 } });
    expect(await one('/all', cleo.id)).toMatchObject({ status: 200, body: { id: cleo.id, access_level: 30 } });
    const none = { status: 404, body: { message: '404 Not found' } };
    expect(await one('', cleo.id)).toMatchObject(none);
    expect(await one('/all', dora.id)).toMatchObject(none);
    expect(await one('/all', dora.id, admin)).toMatchObject({ status: 200, body: { access_level: 20 } });
    expect(await one('/all', emil.id)).toMatchObject(none);
    for (const id of [999_999_999, 0]) expect(await one('/all', id)).toMatchObject(none);
    for (const id of ['x', anna.username, '1.5'])
      for (const reach of ['', '/all'] as const) expect((await one(reach, id)).status).toBe(400);
  });
});

test('[3/api.members/3 awaiting, active, state] who waits for a seat is told with their state, and told apart', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const sub = await buildGroup(app, { parent: group });
  const waiting = await buildUser(app);
  const both = await buildUser(app);
  for (const [user, of] of [
    [waiting, sub],
    [both, sub],
  ] as const) {
    const { grant } = await buildMember(app, { user, of, level: Level.maintainer });
    await app.db.updateTable('grants').set({ state: 'awaiting' }).where('id', '=', grant.id).execute();
  }
  await buildMember(app, { user: both, of: group, level: Level.reporter });
  const list = async (query: Json = {}, reach = '/all') =>
    (await get<Json[]>(`/groups/${sub.id}/members${reach}`, owner, query)).body.map((member) => [
      member.id,
      member.access_level,
      member.membership_state,
    ]);
  const here = [owner.user.id, 50, 'active'];
  // Whoever takes part with a lower role takes part.
  expect(await list()).toEqual([here, [waiting.id, 40, 'awaiting'], [both.id, 20, 'active']]);
  expect(await list({ state: 'active' })).toEqual([here, [both.id, 20, 'active']]);
  expect(await list({ state: 'awaiting' })).toEqual([
    [waiting.id, 40, 'awaiting'],
    [both.id, 40, 'awaiting'],
  ]);
  expect(await list({}, '')).toEqual([
    [waiting.id, 40, 'awaiting'],
    [both.id, 40, 'awaiting'],
  ]);
  expect((await get(`/groups/${sub.id}/members/all`, owner, { state: 'gone' })).status).toBe(400);
  const seats = await get<Json[]>(`/groups/${sub.id}/members/all`, owner, { show_seat_info: true });
  expect(seats.body.map((member) => member.is_using_seat)).toEqual([true, false, true]);
});

describe('[3/fields.member/1] the object', () => {
  test('[3/fields.member/1 id, username, name, state, avatar_url, web_url, created_at, expires_at, access_level, created_by] as it was given, and by whom', async () => {
    const user = await buildUser(app, { name: 'Zoë Z.' });
    const at = `/projects/${project.id}/members`;
    const json = { user_id: user.id, access_level: 20, expires_at: '2999-12-31' };
    const made = await app.api<Json>('POST', at, { token: owner.secret, json });
    const expected = {
      id: user.id,
      username: user.username,
      name: 'Zoë Z.',
      state: 'active',
      avatar_url: null,
      web_url: `${app.url}/${user.username}`,
      expires_at: '2999-12-31',
      access_level: 20,
      created_by: {
        id: owner.user.id,
        username: owner.user.username,
        name: owner.user.name,
        state: 'active',
        avatar_url: null,
        web_url: `${app.url}/${owner.user.username}`,
      },
    };
    expect(made).toMatchObject({ status: 201, body: expected });
    expect(made.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await get<Json[]>(at, owner, { user_ids: [user.id] })).body).toMatchObject([expected]);
    expect((await get(`${at}/all/${user.id}`)).body).toMatchObject(expected);
    const never = await app.api<Json>('PUT', `${at}/${user.id}`, {
      token: owner.secret,
      json: { access_level: 30, expires_at: null },
    });
    expect(never.body).toMatchObject({ access_level: 30, expires_at: null, created_at: made.body.created_at });
    // Made by nobody known: the key is not there.
    expect((await get(`${at}/${bert.id}`, owner)).body).not.toHaveProperty('created_by');
    await app.api('POST', `/users/${user.id}/block`, { token: admin.secret });
    expect((await get(`${at}/${user.id}`, owner)).body.state).toBe('blocked');
  });

  test('[3/fields.member/1 email, group_saml_identity, extern_uid, provider, saml_provider_id] of single sign-on, for owners of a group that has it', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const plain = await buildMember(app, { of: group });
    const managed = await buildMember(app, { of: group });
    const maintainer = await buildToken(app);
    await buildMember(app, { user: maintainer.user, of: group, level: Level.maintainer });
    await app.db
      .insertInto('identities')
      .values({ user_id: managed.user.id, provider: 'group_saml', extern_uid: unique('uid'), saml_provider_id: 10 })
      .execute();
    const one = async (id: number, token = owner) => (await get(`/groups/${group.id}/members/${id}`, token)).body;
    for (const key of ['email', 'group_saml_identity']) expect(await one(managed.user.id)).not.toHaveProperty(key);
    const link = { saml_group_name: 'Admins', access_level: 30 };
    const linked = await app.api('POST', `/groups/${group.id}/saml_group_links`, { token: owner.secret, json: link });
    expect(linked.status).toBe(201);
    expect(await one(managed.user.id)).toMatchObject({
      email: managed.user.email,
      group_saml_identity: {
        extern_uid: expect.stringMatching(/^uid-/),
        provider: 'group_saml',
        saml_provider_id: 10,
      },
    });
    const without = await one(plain.user.id);
    expect(without.group_saml_identity).toBeNull();
    expect(without).not.toHaveProperty('email');
    for (const key of ['email', 'group_saml_identity'])
      expect(await one(managed.user.id, maintainer)).not.toHaveProperty(key);
  });
});
