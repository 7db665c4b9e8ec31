/** Hooks of the instance: their API, and what happens everywhere told to a real receiver. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildGroup, buildUser, unique } from '../../../../test/factories.ts';
import { sshKeyText } from '../../../../test/keys.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';

type Json = Record<string, unknown>;
let world: World;
let receiver: Receiver;
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object, as?: Account) =>
  world.app.api<T>(method, path, { token: (as ?? world.admin).token, ...(json ? { json } : {}) });
const named = (name: string, more: Json = {}) =>
  eventually(name, async () => {
    const payloads = receiver.received.map(({ text }) => JSON.parse(text) as Json);
    return payloads.find(
      (payload) => payload.event_name === name && Object.entries(more).every(([key, value]) => payload[key] === value),
    );
  });

it('[3/api.system-hooks/1] [3/api.system-hooks/2] [3/api.system-hooks/3] [3/api.system-hooks/4 url, token, push_events, tag_push_events, merge_requests_events, repository_update_events, enable_ssl_verification] [3/api.system-hooks/6] [3/fields.system-hook/1 id, url, created_at, push_events, tag_push_events, merge_requests_events, repository_update_events, enable_ssl_verification, token] [1/events/3 token, enable_ssl_verification] hooks are added, read, changed and removed by administrators; the token is never answered', async () => {
  const made = await call('POST', '/hooks', { url: 'https://hooks.example/in', token: 'canary-token' });
  expect(made).toEqual({
    status: 201,
    headers: expect.anything(),
    body: {
      id: expect.any(Number),
      url: 'https://hooks.example/in',
      name: null,
      description: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      ...{ push_events: false, tag_push_events: false, merge_requests_events: false },
      ...{ repository_update_events: true, enable_ssl_verification: true },
      ...{ push_events_branch_filter: null, branch_filter_strategy: 'wildcard' },
      ...{ alert_status: 'executable', disabled_until: null },
    },
  });
  const one = `/hooks/${made.body.id}`;
  const json = {
    push_events: true,
    tag_push_events: true,
    merge_requests_events: true,
    enable_ssl_verification: false,
  };
  const all = await call('POST', '/hooks', { url: 'https://hooks.example/', repository_update_events: false, ...json });
  expect(all).toMatchObject({ status: 201, body: { repository_update_events: false, ...json } });
  expect((await call('GET', one)).body).toEqual(made.body);
  expect((await call<Json[]>('GET', '/hooks')).body).toEqual([made.body, all.body]);
  expect(
    (await call('PUT', one, { push_events: true, name: 'All', url: 'https://other.example/' })).body,
  ).toMatchObject({
    ...{ push_events: true, name: 'All', repository_update_events: true, url: 'https://other.example/' },
  });
  expect((await call('POST', '/hooks', {})).body).toEqual({ error: 'url is missing' });
  for (const url of ['nonsense', 'ftp://x.example/', 'file:///etc/passwd'])
    expect((await call('POST', '/hooks', { url })).status).toBe(422);
  const rows = JSON.stringify([
    await world.app.db.selectFrom('web_hooks').selectAll().execute(),
    await world.app.db.selectFrom('audit_events').selectAll().where('target_type', '=', 'SystemHook').execute(),
  ]);
  expect(rows).not.toContain('canary');
  expect(rows).toContain('system_hook_created');
  for (const [method, path] of [
    ['GET', '/hooks'],
    ['GET', one],
    ['POST', '/hooks'],
    ['POST', one],
    ['PUT', one],
    ['DELETE', one],
    ['GET', `${one}/events`],
    ['POST', `${one}/events/1/resend`],
  ] as const) {
    expect((await world.app.api(method, path)).status).toBe(401);
    expect(
      (await call(method, path, method === 'POST' ? { url: 'https://x.example' } : undefined, world.owner)).status,
    ).toBe(403);
  }
  expect((await call('DELETE', one)).status).toBe(204);
  for (const method of ['GET', 'DELETE', 'POST', 'PUT'] as const) expect((await call(method, one)).status).toBe(404);
  // A hook of a project is none of the instance (security 17).
  const { id } = await world.project();
  const hook = await call('POST', `/projects/${id}/hooks`, { url: 'https://hooks.example' }, world.owner);
  expect((await call('GET', `/hooks/${hook.body.id}`)).status).toBe(404);
  await world.app.db.deleteFrom('web_hooks').execute();
});

it('[3/api.system-hooks/5] [1/events/4 project_id, owner_email, owner_name, name, path, event_name, project_create] a try sends the mock payload and answers it, whatever the receiver says; security 8: as settings allow', async () => {
  // What happened before is nobody's news here.
  await world.app.delivery.drain();
  const { id } = (await call('POST', '/hooks', { url: `${receiver.url}/try`, token: 'canary-token' })).body;
  const mock = {
    project_id: expect.any(Number),
    ...{ owner_email: expect.any(String), owner_name: expect.any(String), name: expect.any(String) },
    ...{ path: expect.any(String), event_name: 'project_create' },
  };
  for (const status of [200, 500]) {
    receiver.answer = { status };
    const tried = await call('POST', `/hooks/${id}`);
    expect(tried).toMatchObject({ status: 201, body: mock });
    const sent = receiver.received.pop();
    expect(JSON.parse(sent?.text ?? '')).toEqual(tried.body);
    expect(sent?.headers).toMatchObject({ 'x-gitlab-event': 'System Hook', 'x-gitlab-token': 'canary-token' });
  }
  const log = (await call<Json[]>('GET', `/hooks/${id}/events`)).body;
  expect(log.map(({ response_status }) => response_status)).toEqual(['500', '200']);
  receiver.answer = { status: 202 };
  expect((await call('POST', `/hooks/${id}/events/${log[0]?.id}/resend`)).body).toEqual({ response_status: 202 });
  expect((await call('POST', `/hooks/${id}/events/999999/resend`)).status).toBe(404);
  receiver.received.length = 0;
  await world.app.settings.write({ allow_local_requests_from_system_hooks: false });
  expect((await call('POST', `/hooks/${id}`)).status).toBe(201);
  expect((await call('POST', '/hooks', { url: receiver.url })).status).toBe(422);
  await world.app.settings.write({ allow_local_requests_from_system_hooks: true });
  expect(receiver.received).toEqual([]);
  await world.app.db.deleteFrom('web_hooks').execute();
});

it('[1/events/1] [1/events/5] [1/events/6] [1/events/2 push_events, tag_push_events, merge_requests_events, repository_update_events] tells of projects, groups, people, members, keys and pushes', async () => {
  receiver.answer = { status: 500 };
  await call('POST', '/hooks', {
    url: receiver.url,
    push_events: true,
    tag_push_events: true,
    merge_requests_events: true,
  });
  const { username, name, email, id: userId } = await buildUser(world.app);
  expect(await named('user_create', { user_id: userId })).toMatchObject({ username, name, email });
  const group = await buildGroup(world.app, { owner: world.owner.user });
  const path = unique('made');
  const made = (await call('POST', '/groups', { name: path, path, parent_id: group.id }, world.owner)).body;
  expect(await named('group_create', { group_id: made.id })).toMatchObject({ name: path, path });
  const asking = await world.account();
  await call('PUT', `/groups/${made.id}`, { visibility: 'internal' }, world.admin);
  await call('PUT', `/groups/${group.id}`, { visibility: 'internal' }, world.admin);
  await call('PUT', `/groups/${made.id}`, { visibility: 'internal' }, world.admin);
  expect((await call('POST', `/groups/${made.id}/access_requests`, undefined, asking)).status).toBe(201);
  const asked = { group_id: made.id, user_id: asking.user.id };
  expect(await named('user_access_request_to_group', asked)).toMatchObject({
    group_access: 'Developer',
    user_username: asking.user.username,
  });
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  await call('POST', `/groups/${made.id}/hooks`, { url: receiver.url, member_events: true }, world.owner);
  await call('DELETE', `/groups/${made.id}/access_requests/${asking.user.id}`, undefined, world.owner);
  await named('user_access_request_revoked_for_group', asked);
  await named('user_access_request_denied_for_group', asked);
  const leaving = await world.account();
  const request = `/groups/${made.id}/access_requests`;
  expect((await call('POST', request, undefined, leaving)).status).toBe(201);
  expect((await call('DELETE', `${request}/${leaving.user.id}`, undefined, leaving)).status).toBe(204);
  await named('user_access_request_revoked_for_group', { group_id: made.id, user_id: leaving.user.id });
  await call('PUT', `/groups/${made.id}`, { path: `${path}-2` }, world.owner);
  expect(await named('group_rename')).toMatchObject({
    ...{ path: `${path}-2`, old_path: path, full_path: `${group.full_path}/${path}-2` },
    old_full_path: `${group.full_path}/${path}`,
  });
  const project = await world.project({ namespace_id: made.id });
  expect(await named('project_create', { project_id: project.id })).toMatchObject({
    path_with_namespace: project.path,
    owner_name: world.owner.user.name,
    owners: [{ name: world.owner.user.name, email: world.owner.user.email }],
    project_visibility: 'private',
  });
  const at = `/projects/${project.id}`;
  await call('PUT', at, { description: 'New' }, world.owner);
  await named('project_update', { project_id: project.id });
  const renamed = unique('renamed');
  await call('PUT', at, { path: renamed }, world.owner);
  expect(await named('project_rename')).toMatchObject({ old_path_with_namespace: project.path, path: renamed });
  await call('PUT', `${at}/transfer`, { namespace: group.id }, world.owner);
  expect(await named('project_transfer')).toMatchObject({
    old_path_with_namespace: `${group.full_path}/${path}-2/${renamed}`,
    path_with_namespace: `${group.full_path}/${renamed}`,
  });
  for (const [place, add, change, gone, level] of [
    [at, 'user_add_to_team', 'user_update_for_team', 'user_remove_from_team', 'access_level'],
    [`/groups/${group.id}`, 'user_add_to_group', 'user_update_for_group', 'user_remove_from_group', 'group_access'],
  ] as const) {
    await call('POST', `${place}/members`, { user_id: userId, access_level: 40 }, world.owner);
    expect(await named(add, { user_id: userId })).toMatchObject({ [level]: 'Maintainer', user_email: email });
    await call('PUT', `${place}/members/${userId}`, { access_level: 30 }, world.owner);
    expect(await named(change, { user_id: userId })).toMatchObject({ [level]: 'Developer' });
    await call('DELETE', `${place}/members/${userId}`, undefined, world.owner);
    expect(await named(gone, { user_id: userId })).toMatchObject({ [level]: 'Developer' });
  }
  // The new name alone was told as such: a transfer is a transfer.
  const told = receiver.received.map(({ text }) => JSON.parse(text) as Json);
  const renames = told.filter(
    ({ event_name, project_id }) => event_name === 'project_rename' && project_id === project.id,
  );
  expect([...new Set(renames.map(({ path_with_namespace }) => path_with_namespace))]).toEqual([
    `${group.full_path}/${path}-2/${renamed}`,
  ]);
  const sha = await project.commit(null, { files: { x: 'x' } });
  expect(await named('push', { after: sha })).toMatchObject({ commits: [], total_commits_count: 1 });
  const update = await eventually('the update', async () =>
    receiver.received
      .map(({ text }) => JSON.parse(text) as Json)
      .find(
        ({ event_name, changes }) =>
          event_name === 'repository_update' && (changes as Json[]).some(({ after }) => after === sha),
      ),
  );
  expect(update).toMatchObject({ project_id: project.id, refs: ['refs/heads/main'], user_id: world.owner.user.id });
  await call('POST', `${at}/repository/tags`, { tag_name: 'v1', ref: 'main' }, world.owner);
  await named('tag_push');
  await project.commit(null, { branch: 'topic', files: { y: 'y' } });
  await call(
    'POST',
    `${at}/merge_requests`,
    { source_branch: 'topic', target_branch: 'main', title: 'x' },
    world.owner,
  );
  await eventually('the merge request', async () =>
    receiver.received.some(({ text }) => text.includes('"merge_request"')),
  );
  const key = (await call('POST', '/user/keys', { title: 'x', key: sshKeyText() }, world.owner)).body;
  expect(await named('key_create')).toMatchObject({ id: key.id, username: world.owner.user.username });
  await call('DELETE', `/user/keys/${key.id}`, undefined, world.owner);
  await named('key_destroy', { id: key.id });
  await call('PUT', `/users/${userId}`, { username: `${username}-2` });
  expect(await named('user_rename')).toMatchObject({ username: `${username}-2`, old_username: username });
  await world.app.settings.write({ deletion_adjourned_period: 0 });
  await call('DELETE', at, undefined, world.owner);
  expect(await named('project_destroy')).toMatchObject({
    path: expect.stringContaining(renamed),
    owner_name: world.owner.user.name,
  });
  await call('DELETE', `/groups/${made.id}`, undefined, world.owner);
  await named('group_destroy', { group_id: made.id });
  const blocked = await buildUser(world.app, { password: 'correct horse battery', state: 'blocked_pending_approval' });
  await world.app.request('POST', '/-/session', {
    json: { login: blocked.username, password: 'correct horse battery' },
  });
  expect(await named('user_failed_login')).toMatchObject({
    username: blocked.username,
    state: 'blocked_pending_approval',
  });
  const last = (await call('POST', `/users/${userId}/keys`, { title: 'x', key: sshKeyText() })).body;
  await call('DELETE', `/users/${userId}`);
  await named('key_destroy', { id: last.id, username: `${username}-2` });
  expect(await named('user_destroy')).toMatchObject({ user_id: userId, email });
  // All of it was refused by the receiver, and it is still called.
  receiver.received.length = 0;
  await buildUser(world.app);
  await named('user_create');
});

it('hears of the branches that its filter lets through, and of all tags', async () => {
  await world.app.db.deleteFrom('web_hooks').execute();
  receiver.answer = { status: 200 };
  const filtered = { url: receiver.url, push_events: true, tag_push_events: true, repository_update_events: false };
  const made = await call('POST', '/hooks', { ...filtered, push_events_branch_filter: 'release/*' });
  expect(made).toMatchObject({
    status: 201,
    body: { push_events_branch_filter: 'release/*', branch_filter_strategy: 'wildcard' },
  });
  expect((await call('POST', '/hooks', { ...filtered, branch_filter_strategy: 'none' })).status).toBe(400);
  const project = await world.project();
  const heard = () =>
    receiver.received
      .map(({ text }) => JSON.parse(text) as Json)
      .filter(({ project_id }) => project_id === project.id)
      .map(({ ref }) => ref)
      .filter((ref) => typeof ref === 'string');
  await project.commit(null, { branch: 'main', files: { x: 'x' } });
  await project.commit(null, { branch: 'release/1', files: { x: 'y' } });
  await eventually('the push to the release', async () => heard().includes('refs/heads/release/1'));
  const regex = { push_events_branch_filter: '^topic', branch_filter_strategy: 'regex' };
  expect((await call('PUT', `/hooks/${String(made.body.id)}`, regex)).body).toMatchObject(regex);
  await project.commit(null, { branch: 'release/2', files: { x: 'z' } });
  await project.commit(null, { branch: 'topic', files: { x: 'w' } });
  await eventually('the push to the topic', async () => heard().includes('refs/heads/topic'));
  await call('POST', `/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'topic' }, world.owner);
  await eventually('the tag', async () => heard().includes('refs/tags/v1'));
  expect(heard()).toEqual(['refs/heads/release/1', 'refs/heads/topic', 'refs/tags/v1']);
  await world.app.db.deleteFrom('web_hooks').execute();
});
