/** Seats of a top-level group: who takes one, who waits for one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let top: Namespace;
let below: Namespace;
let project: Project;
let anna: User;
let bert: User;
let cleo: User;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
  owner = await buildToken(app, { user: await buildUser(app, { name: 'Oscar Owner' }) });
  top = await buildGroup(app, { owner: owner.user });
  below = await buildGroup(app, { parent: top });
  project = await buildProject(app, { namespace: below });
  [anna, bert, cleo] = [
    await buildUser(app, { name: 'Anna' }),
    await buildUser(app, { name: 'Bert' }),
    await buildUser(app, { name: 'Cleo' }),
  ];
  await buildMember(app, { user: anna, of: below, level: Level.reporter });
  await buildMember(app, { user: bert, of: project, level: Level.maintainer });
  await buildMember(app, { of: top, level: Level.guest });
  await buildMember(app, { of: top, level: Level.minimal });
  const invited = await buildGroup(app);
  await buildMember(app, { user: cleo, of: invited, level: Level.developer });
  await app.db.insertInto('grants').values({ group_id: invited.id, namespace_id: below.id, level: 30 }).execute();
  const facts = [
    { user: owner.user, day: '2024-01-04', at: '2024-02-02T00:00:00Z' },
    { user: anna, day: '2024-01-03', at: '2024-02-03T00:00:00Z' },
    { user: bert, day: '2024-01-02', at: '2024-02-04T00:00:00Z' },
    { user: cleo, day: '2024-01-01', at: '2024-02-01T00:00:00Z' },
  ];
  for (const [order, { user }] of [owner, { user: anna }, { user: bert }, { user: cleo }].entries())
    await app.db
      .updateTable('grants')
      .set({ created_at: new Date(Date.UTC(2024, 0, 1 + order)) })
      .where('user_id', '=', user.id)
      .execute();
  for (const { user, day, at } of facts)
    await app.db
      .updateTable('users')
      .set({ last_activity_on: day, last_sign_in_at: new Date(at) })
      .where('id', '=', user.id)
      .execute();
});
afterAll(() => app.close());

const call = <T = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  target: string,
  token: BuiltToken | undefined = owner,
  json?: Json,
) => app.api<T>(method, target, { token: token?.secret, ...(json ? { json } : {}) });
const names = async (query: string) =>
  (await call<Json[]>('GET', `/groups/${top.id}/billable_members?${query}`)).body.map(({ name }) => name);

describe('[3/api.members/5] the list', () => {
  test('[3/fields.billable-member/1 id, username, name, state, avatar_url, web_url, email, last_activity_on, membership_type, group_member, group_invite, removable, created_at, last_login_at] roles above guest anywhere below, and by invited groups', async () => {
    const { status, body } = await call<Json[]>('GET', `/groups/${top.id}/billable_members`);
    expect(status).toBe(200);
    expect(body.map(({ name, membership_type, removable }) => [name, membership_type, removable])).toEqual([
      ['Anna', 'group_member', true],
      ['Bert', 'project_member', true],
      ['Cleo', 'group_invite', false],
      ['Oscar Owner', 'group_member', true],
    ]);
    expect(body[0]).toMatchObject({
      id: anna.id,
      username: anna.username,
      state: 'active',
      avatar_url: null,
      web_url: `${app.url}/${anna.username}`,
      last_activity_on: '2024-01-03',
      last_login_at: '2024-02-03T00:00:00.000Z',
    });
    expect(body[0]?.created_at).toBe(anna.created_at.toISOString());
    expect(body[0]).not.toHaveProperty('email');
    const seen = await call<Json[]>('GET', `/groups/${top.id}/billable_members`, admin);
    expect(seen.body[0]).toMatchObject({ email: anna.email });
    expect((await call('GET', `/namespaces/${top.id}`)).body).toMatchObject({ billable_members_count: 4 });
  });

  test.each([
    ['access_level_asc', ['Anna', 'Cleo', 'Bert', 'Oscar Owner']],
    ['access_level_desc', ['Oscar Owner', 'Bert', 'Cleo', 'Anna']],
    ['last_joined', ['Cleo', 'Bert', 'Anna', 'Oscar Owner']],
    ['oldest_joined', ['Oscar Owner', 'Anna', 'Bert', 'Cleo']],
    ['name_asc', ['Anna', 'Bert', 'Cleo', 'Oscar Owner']],
    ['name_desc', ['Oscar Owner', 'Cleo', 'Bert', 'Anna']],
    ['oldest_sign_in', ['Cleo', 'Oscar Owner', 'Anna', 'Bert']],
    ['recent_sign_in', ['Bert', 'Anna', 'Oscar Owner', 'Cleo']],
    ['last_activity_on_asc', ['Cleo', 'Bert', 'Anna', 'Oscar Owner']],
    ['last_activity_on_desc', ['Oscar Owner', 'Anna', 'Bert', 'Cleo']],
  ])('[3/api.members/5 %s, sort]', async (sort, expected) => {
    expect(await names(`sort=${sort}`)).toEqual(expected);
  });

  test('[3/api.members/5 recent_sign_in, oldest_sign_in] the order is that of what is shown, those who never came last', async () => {
    const at = new Date('2024-03-01T00:00:00Z');
    await app.db.updateTable('users').set({ current_sign_in_at: at }).where('id', '=', cleo.id).execute();
    await app.db.updateTable('users').set({ last_sign_in_at: null }).where('id', '=', anna.id).execute();
    const shown = async (sort: string) =>
      (await call<Json[]>('GET', `/groups/${top.id}/billable_members?sort=${sort}`)).body.map(
        ({ last_login_at }) => last_login_at,
      );
    const ascending = ['2024-02-02T00:00:00.000Z', '2024-02-04T00:00:00.000Z', '2024-03-01T00:00:00.000Z'];
    expect(await shown('oldest_sign_in')).toEqual([...ascending, null]);
    expect(await shown('recent_sign_in')).toEqual([...ascending.reverse(), null]);
  });

  test('[3/api.members/5 search] names, usernames and the public address', async () => {
    expect(await names('search=scar')).toEqual(['Oscar Owner']);
    expect(await names(`search=${bert.username}`)).toEqual(['Bert']);
    expect(await names('search=nobody')).toEqual([]);
    expect(await names('search=%25')).toEqual([]);
    const address = `${bert.username}@public.example`;
    await app.db.updateTable('users').set({ public_email: address }).where('id', '=', bert.id).execute();
    expect(await names(`search=${address.toUpperCase()}`)).toEqual(['Bert']);
    // Other addresses are nobody's business.
    expect(await names(`search=${anna.email}`)).toEqual([]);
    expect(await names('')).toEqual(['Anna', 'Bert', 'Cleo', 'Oscar Owner']);
    expect((await call('GET', `/groups/${top.id}/billable_members?sort=id`)).status).toBe(400);
  });

  test('top-level groups and owners only', async () => {
    const stranger = await buildToken(app);
    const { secret } = await buildToken(app, { user: anna });
    const at = (id: number, token?: string) => app.api('GET', `/groups/${id}/billable_members`, { token });
    expect(await call('GET', `/groups/${below.id}/billable_members`)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request' },
    });
    expect((await at(top.id)).status).toBe(401);
    expect((await at(top.id, stranger.secret)).status).toBe(404);
    expect((await at(below.id, secret)).status).toBe(403);
  });
});

test('[3/api.members/6 id, source_id, source_full_name, source_members_url] memberships of one, direct and by invited groups', async () => {
  const at = (id: number, what: string) => call<Json[]>('GET', `/groups/${top.id}/billable_members/${id}/${what}`);
  expect((await at(bert.id, 'memberships')).body).toMatchObject([
    {
      id: expect.any(Number),
      source_id: project.id,
      source_full_name: `${below.full_name} / ${project.name}`,
      source_members_url: `${app.url}/${below.full_path}/${project.path}/-/project_members`,
      access_level: { string_value: 'Maintainer', integer_value: 40 },
    },
  ]);
  expect((await at(cleo.id, 'memberships')).body).toEqual([]);
  expect((await at(cleo.id, 'indirect')).body).toMatchObject([{ source_id: below.id }]);
  expect((await at(owner.user.id, 'memberships')).body).toMatchObject([
    {
      source_id: top.id,
      source_full_name: top.full_name,
      source_members_url: `${app.url}/groups/${top.full_path}/-/group_members`,
    },
  ]);
  const { secret } = await buildToken(app, { user: bert });
  const mine = await app.api('GET', `/groups/${top.id}/billable_members/${bert.id}/memberships`, { token: secret });
  // A role below lets them see the group, not who is in it.
  expect(mine.status).toBe(403);
  expect((await at(999_999, 'memberships')).status).toBe(404);
  expect((await call('GET', `/groups/${below.id}/billable_members/${bert.id}/memberships`)).status).toBe(400);
});

test('taking a seat away removes from all of the tree; not what an invited group gives', async () => {
  const remove = (id: number) => call('DELETE', `/groups/${top.id}/billable_members/${id}`);
  expect((await remove(cleo.id)).status).toBe(403);
  expect((await remove(owner.user.id)).status).toBe(403);
  const { user } = await buildMember(app, { of: project, level: Level.developer });
  await buildMember(app, { user, of: below, level: Level.developer });
  expect((await remove(user.id)).status).toBe(204);
  const left = app.db.selectFrom('grants').select('id').where('user_id', '=', user.id);
  expect(await left.where('namespace_id', '=', below.id).execute()).toEqual([]);
  expect(await left.where('project_id', '=', project.id).execute()).toEqual([]);
  expect((await remove(user.id)).status).toBe(404);
});

test('[3/api.members/3 state] with all seats taken, who is added waits until an owner lets them in', async () => {
  expect((await call('PUT', `/groups/${top.id}`, owner, { new_user_signups_cap: 4 })).status).toBe(200);
  const late = await buildToken(app);
  const at = `/groups/${top.id}`;
  const added = await call('POST', `/groups/${below.id}/members`, owner, { user_id: late.user.id, access_level: 30 });
  expect(added).toMatchObject({ status: 201, body: { membership_state: 'awaiting' } });
  expect((await call('GET', `/groups/${below.id}`, late)).status).toBe(404);
  const guest = await buildUser(app);
  const asGuest = await call('POST', `${at}/members`, owner, { user_id: guest.id, access_level: 10 });
  expect(asGuest.body).toMatchObject({ membership_state: 'active' });
  const waiting = () => call<Json[]>('GET', `/groups/${below.id}/members/all?state=awaiting`);
  expect((await waiting()).body).toMatchObject([{ id: late.user.id, membership_state: 'awaiting' }]);
  const pending = await call<Json[]>('GET', `${at}/pending_members`);
  expect(pending.body).toMatchObject([{ username: late.user.username, approved: false, invited: false }]);
  expect((await call('PUT', `${at}/members/${pending.body[0]?.id}/approve`, late)).status).toBe(404);
  expect((await call('PUT', `${at}/members/${pending.body[0]?.id}/approve`)).status).toBe(200);
  expect((await call('PUT', `${at}/members/${pending.body[0]?.id}/approve`)).status).toBe(404);
  expect((await call('GET', `/groups/${below.id}`, late)).status).toBe(200);
  expect((await waiting()).body).toEqual([]);

  const state = (value: string) => call('PUT', `${at}/members/${late.user.id}/state`, owner, { state: value });
  expect(await state('awaiting')).toMatchObject({ status: 200, body: { success: true } });
  expect((await call('GET', `/groups/${below.id}`, late)).status).toBe(404);
  expect((await state('active')).status).toBe(200);
  expect((await state('gone')).status).toBe(400);
  expect((await call('PUT', `${at}/members/999999/state`, owner, { state: 'active' })).status).toBe(404);
  await state('awaiting');
  expect((await call('POST', `${at}/members/approve_all`)).status).toBe(200);
  expect((await call('GET', `/groups/${below.id}`, late)).status).toBe(200);
  expect((await call('GET', `/groups/${below.id}/pending_members`)).status).toBe(400);
  await app.db.updateTable('namespaces').set({ new_user_signups_cap: null }).where('id', '=', top.id).execute();
});
