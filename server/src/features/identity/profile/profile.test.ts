/** Status, preferences, followers, memberships, counts and activity. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: string;
let owner: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  owner = await buildToken(app);
});
afterAll(() => app.close());

describe('status', () => {
  const set = (method: 'PUT' | 'PATCH', json: Json) =>
    app.api<Json>(method, '/user/status', { token: owner.secret, json });
  const read = () => app.api<Json>('GET', '/user/status', { token: owner.secret });
  const none = { emoji: null, message: null, availability: null, message_html: '', clear_status_at: null };

  it('is set as a whole, changed in part, seen by everybody, and cleared', async () => {
    expect((await read()).body).toEqual(none);
    const text = 'at <lunch> & "back"';
    expect(await set('PUT', { emoji: 'coffee', message: text, availability: 'busy' })).toMatchObject({
      status: 200,
      body: { emoji: 'coffee', message: text, availability: 'busy', clear_status_at: null },
    });
    expect((await read()).body.message_html).toBe('at &lt;lunch&gt; &amp; &quot;back&quot;');
    expect((await set('PATCH', { message: 'here' })).body).toMatchObject({ emoji: 'coffee', message: 'here' });
    expect((await set('PUT', { message: 'only this' })).body).toMatchObject({
      emoji: 'speech_balloon',
      availability: 'not_set',
    });
    for (const who of [owner.user.id, owner.user.username.toUpperCase()])
      expect((await app.api('GET', `/users/${who}/status`)).body).toMatchObject({ message: 'only this' });
    expect((await set('PUT', {})).body).toEqual(none);
    expect((await read()).body).toEqual(none);
  });

  it('ends by itself', async () => {
    const { body } = await set('PUT', { message: 'soon', clear_status_after: '30_minutes' });
    expect(Date.parse(String(body.clear_status_at)) - Date.now()).toBeGreaterThan(29 * 60_000);
    const past = { clear_status_at: new Date(Date.now() - 1000) };
    await app.db.updateTable('user_statuses').set(past).where('user_id', '=', owner.user.id).execute();
    expect((await read()).body).toEqual(none);
  });

  it('refuses what is none', async () => {
    expect((await set('PUT', { message: 'x'.repeat(101) })).body).toMatchObject({
      message: { message: ['is too long (maximum is 100 characters)'] },
    });
    expect((await set('PUT', { emoji: '<b>' })).status).toBe(400);
    expect((await set('PUT', { availability: 'never' })).status).toBe(400);
    expect((await app.api('GET', '/user/status')).status).toBe(401);
    expect((await app.api('GET', '/users/nobody-at-all/status')).status).toBe(404);
  });
});

describe('preferences and counts', () => {
  it('preferences are kept', async () => {
    const put = (json: Json) => app.api<Json>('PUT', '/user/preferences', { token: owner.secret, json });
    expect((await put({ view_diffs_file_by_file: true, show_whitespace_in_diffs: false })).status).toBe(200);
    const got = await app.api<Json>('GET', '/user/preferences', { token: owner.secret });
    expect(got.body).toMatchObject({
      user_id: owner.user.id,
      view_diffs_file_by_file: true,
      show_whitespace_in_diffs: false,
      pass_user_identities_to_ci_jwt: false,
    });
    expect((await put({})).status).toBe(400);
    expect((await app.api('GET', '/user/preferences')).status).toBe(401);
  });

  it('counts the open merge requests that wait', async () => {
    const project = await buildProject(app);
    const values = { project_id: project.id, source_branch: 'a', target_branch: 'b', title: 'x' };
    for (const [iid, state, role] of [
      [1, 'opened', 'assignee'],
      [2, 'opened', 'reviewer'],
      [3, 'closed', 'assignee'],
    ] as const) {
      const made = await app.db
        .insertInto('merge_requests')
        .values({ ...values, iid, state })
        .returning('id')
        .executeTakeFirstOrThrow();
      const person = { merge_request_id: made.id, user_id: owner.user.id, role };
      await app.db.insertInto('merge_request_people').values(person).execute();
    }
    expect((await app.api('GET', '/user_counts', { token: owner.secret })).body).toEqual({
      merge_requests: 1,
      assigned_merge_requests: 1,
      review_requested_merge_requests: 1,
      todos: 0,
      failed_pipelines: 0,
      waiting: 2,
    });
    expect((await app.api('GET', '/user_counts')).status).toBe(401);
  });
});

describe('followers', () => {
  it('people follow and unfollow; a second time changes nothing', async () => {
    const { user } = await buildToken(app);
    const send = (what: string, id = user.id) => app.api<Json>('POST', `/users/${id}/${what}`, { token: owner.secret });
    const list = async (id: number, side: string) =>
      (await app.api<Json[]>('GET', `/users/${id}/${side}`, { token: owner.secret })).body.map((each) => each.id);
    expect(await send('follow')).toMatchObject({ status: 201, body: { id: user.id } });
    expect((await send('follow')).status).toBe(304);
    expect(await list(user.id, 'followers')).toEqual([owner.user.id]);
    expect(await list(owner.user.id, 'following')).toEqual([user.id]);
    expect((await app.api('GET', `/users/${user.id}`, { token: owner.secret })).body).toMatchObject({
      followers: 1,
      following: 0,
      is_followed: true,
    });
    expect((await send('unfollow')).status).toBe(201);
    expect((await send('unfollow')).status).toBe(304);
    expect(await list(user.id, 'followers')).toEqual([]);
    expect((await send('follow', owner.user.id)).status).toBe(400);
    expect((await send('follow', 999_999)).status).toBe(404);
    expect((await app.api('POST', `/users/${user.id}/follow`)).status).toBe(401);
    expect(await app.api('GET', `/users/${user.id}/followers`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Not authorized!' },
    });
  });

  it('a private profile shows none and takes none', async () => {
    const hidden = await buildUser(app, { private_profile: true });
    const get = (token: string) => app.api('GET', `/users/${hidden.id}/followers`, { token });
    expect((await get(owner.secret)).status).toBe(404);
    expect((await get(admin)).status).toBe(200);
    expect((await app.api('POST', `/users/${hidden.id}/follow`, { token: owner.secret })).status).toBe(404);
  });
});

describe('what belongs to a user', () => {
  it('memberships and counts', async () => {
    const { user, secret } = await buildToken(app);
    const [group, project] = [await buildGroup(app), await buildProject(app)];
    await buildMember(app, { user, of: group, level: Level.reporter });
    await buildMember(app, { user, of: project, level: Level.maintainer });
    await buildMember(app, { user, of: await buildGroup(app), level: Level.owner, expiresAt: '2020-01-01' });
    const path = `/users/${user.id}/memberships`;
    const inGroup = { source_id: group.id, source_name: group.name, source_type: 'Namespace', access_level: 20 };
    const inProject = { source_id: project.id, source_name: project.name, source_type: 'Project', access_level: 40 };
    expect((await app.api('GET', path, { token: admin })).body).toEqual([inGroup, inProject]);
    expect((await app.api('GET', path, { token: admin, query: { type: 'Project' } })).body).toEqual([inProject]);
    const beyond = await app.api('GET', path, { token: admin, query: { page: 9, per_page: 1 } });
    expect([beyond.body, beyond.headers.get('x-total'), beyond.headers.get('x-total-pages')]).toEqual([[], '2', '2']);
    expect((await app.api('GET', path, { token: secret })).status).toBe(403);
    expect((await app.api('GET', '/users/999999/memberships', { token: admin })).status).toBe(404);
    const counts = (token: string) => app.api('GET', `/users/${user.id}/associations_count`, { token });
    const own = await buildProject(app, { owner: user });
    await app.api('POST', `/projects/${own.id}/issues`, { token: secret, json: { title: 'mine' } });
    expect((await counts(secret)).body).toEqual({
      groups_count: 2,
      projects_count: 2,
      issues_count: 1,
      merge_requests_count: 0,
    });
    expect((await counts(admin)).status).toBe(200);
    expect((await counts(owner.secret)).status).toBe(403);
    const details = await app.api('GET', `/users/${user.id}`, { token: admin });
    expect(details.body).toMatchObject({ highest_role: 40, sign_in_count: 0, current_sign_in_ip: null });
  });

  it('activities, for administrators', async () => {
    const user = await buildUser(app);
    const day = '2021-03-04';
    await app.db.updateTable('users').set({ last_activity_on: day }).where('id', '=', user.id).execute();
    const list = (query: Json, token = admin) => app.api<Json[]>('GET', '/user/activities', { token, query });
    expect((await list({ from: '2021-01-01' })).body[0]).toEqual({
      username: user.username,
      last_activity_on: day,
      last_activity_at: day,
    });
    expect((await list({})).body.map((each) => each.username)).not.toContain(user.username);
    expect((await list({}, owner.secret)).status).toBe(403);
    expect((await list({ from: 'yesterday' })).status).toBe(400);
  });
});
