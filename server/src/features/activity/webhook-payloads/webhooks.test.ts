/** Webhooks from what happens to a real receiver: who is told, what they are told, what is kept of it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Account, eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildGroup, buildMember, buildProject, buildUser, unique } from '../../../../test/factories.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { runTask } from '../../../../test/tasks.ts';
import { stopClock } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
const unlimited = { web_hook_test_limit: 0, web_hook_event_resend_limit: 0 };
let world: World;
let receiver: Receiver;
let group: Namespace;
let project: TestProject;
let projectId: number;
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true, ...unlimited });
  group = await buildGroup(world.app, { owner: world.owner.user });
  const inner = await buildGroup(world.app, { owner: world.owner.user, parent: group });
  project = await world.project({ namespace_id: inner.id });
  projectId = project.id;
  // Hooks that are added before its first commit is delivered would hear of that, too.
  await world.app.delivery.drain();
});
afterEach(async () => {
  // What is on its way would reach the next test.
  await silent();
  await world.app.db.deleteFrom('web_hooks').execute();
  receiver.received.length = 0;
  receiver.answer = { status: 200, body: 'ok' };
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object, as?: Account) =>
  world.app.api<T>(method, path, { token: (as ?? world.owner).token, ...(json ? { json } : {}) });
const addHook = async (place: string, json: object = {}, as?: Account) => {
  const made = await call('POST', `${place}/hooks`, { url: `${receiver.url}/in`, ...json }, as);
  expect(made.status).toBe(201);
  return `${place}/hooks/${made.body.id}`;
};
const payloadOf = (received: Received) => JSON.parse(received.text) as Json;
/** The first request whose body says so. */
const heard = (what: string, wanted: (payload: Json, received: Received) => boolean) =>
  eventually(what, async () => receiver.received.find((each) => wanted(payloadOf(each), each)));
const logOf = async (hook: string, query = '') => (await call<Json[]>('GET', `${hook}/events${query}`)).body;
/** Everything that happened so far is told to whoever wants to hear of it; what is to be tried again may wait. */
const silent = async () => {
  await world.app.delivery.drain();
  const open = world.app.db
    .selectFrom('web_hook_calls')
    .select('id')
    .where((eb) => eb.or([eb('state', '=', 'sending'), eb.and([eb('state', '=', 'waiting'), eb('attempts', '=', 0)])]));
  await eventually('the end of all calls', async () => (await open.execute()).length === 0);
};

it('a push is told to the project and to the groups above, with headers, commits and what they change', async () => {
  const secret = { token: 'canary-token', custom_headers: [{ key: 'X-Own', value: 'canary-header' }] };
  const hook = await addHook(`/projects/${projectId}`, {
    ...secret,
    url: `${receiver.url}/{part}/in`,
    url_variables: [{ key: 'part', value: 'canary-part' }],
  });
  await addHook(`/groups/${group.id}`, { url: `${receiver.url}/group` });
  const before = await project.commit(null, { files: { 'a.txt': 'a' } });
  const sha = await project.commit(null, { message: 'Second\n\nMore', files: { 'a.txt': 'b', 'c.txt': 'c' } });
  const at = (path: string) => heard(path, (payload, { path: to }) => payload.after === sha && to === path);
  const [mine, groups] = await Promise.all([at('/canary-part/in'), at('/group')]);
  expect(mine.method).toBe('POST');
  expect(mine.headers).toMatchObject({
    'content-type': 'application/json',
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-token': 'canary-token',
    'x-own': 'canary-header',
    'x-gitlab-instance': world.app.url,
    'x-gitlab-event-uuid': groups.headers['x-gitlab-event-uuid'],
    'idempotency-key': mine.headers['x-gitlab-webhook-uuid'],
    'user-agent': expect.stringMatching(/^Millrace\//),
  });
  expect(mine.headers['x-gitlab-webhook-uuid']).not.toBe(groups.headers['x-gitlab-webhook-uuid']);
  const { id, username, name } = world.owner.user;
  expect(payloadOf(mine)).toMatchObject({
    object_kind: 'push',
    event_name: 'push',
    ...{ before, after: sha, ref: 'refs/heads/main', ref_protected: true, checkout_sha: sha },
    ...{ user_id: id, user_username: username, user_name: name, project_id: projectId },
    project: {
      id: projectId,
      path_with_namespace: project.path,
      web_url: `${world.app.url}/${project.path}`,
      git_http_url: `${world.app.url}/${project.path}.git`,
      visibility_level: 0,
      default_branch: 'main',
    },
    commits: [
      {
        id: sha,
        message: 'Second\n\nMore',
        title: 'Second',
        url: `${world.app.url}/${project.path}/-/commit/${sha}`,
        ...{ added: ['c.txt'], modified: ['a.txt'], removed: [] },
      },
    ],
    total_commits_count: 1,
    repository: { homepage: `${world.app.url}/${project.path}`, visibility_level: 0 },
  });
  // Both pushes arrive in order, and the log has them with secrets masked (security 21).
  const log = await eventually('the log', async () => {
    const rows = await logOf(hook);
    return rows.length === 2 && rows;
  });
  const path = receiver.received.filter((each) => each.path !== '/group').map((each) => payloadOf(each).after);
  expect(path).toEqual([before, sha]);
  expect(log[0]).toMatchObject({
    url: `${receiver.url}/{part}/in`,
    trigger: 'push_hooks',
    request_headers: { 'X-Gitlab-Token': '[REDACTED]', 'X-Own': '[REDACTED]', 'X-Gitlab-Event': 'Push Hook' },
    request_data: { after: sha },
    response_body: 'ok',
    response_status: '200',
    execution_duration: expect.any(Number),
  });
  const kept = await world.app.db.selectFrom('web_hook_calls').selectAll().execute();
  expect(JSON.stringify([log, kept])).not.toContain('canary');
});

it('what receivers send back is kept without what is secret, 8 KB of it; redirects are not followed', async () => {
  const hook = await addHook(`/projects/${projectId}`, { token: 'canary-token' });
  receiver.answer = {
    status: 302,
    headers: { Location: `${receiver.url}/elsewhere`, 'X-Echo': 'canary-token' },
    body: `canary-token\0${'x'.repeat(9000)}`,
  };
  expect((await call('POST', `${hook}/test/push_events`)).status).toBe(201);
  const [row] = await logOf(hook, '?status=302');
  expect(row).toMatchObject({ response_status: '302', response_headers: { 'x-echo': '[REDACTED]' } });
  expect(String(row?.response_body)).toMatch(/^\[REDACTED\]x+$/);
  expect(String(row?.response_body).length).toBeLessThan(8200);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/in']);
});

describe('hooks hear', () => {
  it('of branches that they ask for, of tags with their switch, and of no push with many refs', async () => {
    await addHook(`/projects/${projectId}`, { push_events_branch_filter: 'rel*/x', url: `${receiver.url}/wildcard` });
    await addHook(`/projects/${projectId}`, {
      ...{ push_events_branch_filter: '^re(l|n)/', branch_filter_strategy: 'regex', url: `${receiver.url}/regex` },
    });
    await addHook(`/projects/${projectId}`, {
      ...{ push_events_branch_filter: '(', branch_filter_strategy: 'regex', url: `${receiver.url}/broken` },
    });
    await addHook(`/projects/${projectId}`, { push_events: false, tag_push_events: true, url: `${receiver.url}/tags` });
    const branch = (name: string) =>
      call('POST', `/projects/${projectId}/repository/branches`, { branch: name, ref: 'main' });
    expect([(await branch('rel/x')).status, (await branch('ren/x')).status]).toEqual([201, 201]);
    const tag = { tag_name: 'v1', ref: 'main', message: 'First' };
    expect((await call('POST', `/projects/${projectId}/repository/tags`, tag)).status).toBe(201);
    const tagged = await heard('the tag', (payload) => payload.object_kind === 'tag_push');
    expect(tagged.headers['x-gitlab-event']).toBe('Tag Push Hook');
    expect(payloadOf(tagged)).toMatchObject({
      ref: 'refs/tags/v1',
      before: '0'.repeat(40),
      checkout_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      total_commits_count: 1,
    });
    await call('DELETE', `/projects/${projectId}/repository/tags/v1`);
    const removed = await heard('the end of the tag', (payload) => payload.after === '0'.repeat(40));
    expect(payloadOf(removed)).toMatchObject({ checkout_sha: null, commits: [], total_commits_count: 0 });
    await silent();
    const told = receiver.received.map((each) => `${each.path} ${payloadOf(each).ref}`);
    expect(told.sort()).toEqual([
      '/regex refs/heads/rel/x',
      '/regex refs/heads/ren/x',
      '/tags refs/tags/v1',
      '/tags refs/tags/v1',
      '/wildcard refs/heads/rel/x',
    ]);
    receiver.received.length = 0;
    await world.app.settings.write({ push_event_hooks_limit: 0 });
    await branch('rel/y/x');
    await silent();
    await world.app.settings.write({ push_event_hooks_limit: 3 });
    expect(receiver.received).toEqual([]);
  });

  it('of merge requests: what was done and what changed', async () => {
    await addHook(`/groups/${group.id}`, { push_events: false, merge_requests_events: true });
    const branch = unique('topic');
    const sha = await project.commit(null, { branch, files: { 'mr.txt': 'x' }, message: 'On a branch' });
    const json = {
      source_branch: branch,
      target_branch: 'main',
      title: 'Draft: One',
      assignee_id: world.owner.user.id,
    };
    const { iid } = (await call('POST', `/projects/${projectId}/merge_requests`, json)).body;
    const action = (name: string) =>
      heard(name, (payload) => (payload.object_attributes as Json).action === name).then(payloadOf);
    expect(await action('open')).toMatchObject({
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: { id: world.owner.user.id, email: '[REDACTED]' },
      project: { id: projectId },
      object_attributes: {
        ...{ iid, title: 'Draft: One', draft: true, state: 'opened', state_id: 1, target_project_id: projectId },
        ...{ source_branch: branch, assignee_ids: [world.owner.user.id] },
        url: `${world.app.url}/${project.path}/-/merge_requests/${iid}`,
        last_commit: { id: sha, title: 'On a branch' },
        source: { id: projectId },
      },
      labels: [],
      changes: {},
      assignees: [{ id: world.owner.user.id }],
    });
    const one = `/projects/${projectId}/merge_requests/${iid}`;
    await call('PUT', one, { title: 'One' });
    expect(await action('update')).toMatchObject({
      changes: { title: { previous: 'Draft: One', current: 'One' }, draft: { previous: true, current: false } },
    });
    const next = await project.commit(null, { branch, files: { 'mr.txt': 'y' } });
    const moved = await heard('the new head', (payload) => (payload.object_attributes as Json).oldrev === sha);
    expect(payloadOf(moved)).toMatchObject({ object_attributes: { action: 'update', last_commit: { id: next } } });
    await call('PUT', one, { state_event: 'close' });
    expect(await action('close')).toMatchObject({ changes: { state_id: { previous: 1, current: 2 } } });
    await call('PUT', one, { state_event: 'reopen' });
    await action('reopen');
    expect((await call('PUT', `${one}/merge`)).status).toBe(200);
    expect(await action('merge')).toMatchObject({ object_attributes: { state: 'merged' } });
  });

  it('of pipelines with their jobs, and of jobs', async () => {
    await addHook(`/projects/${projectId}`, { push_events: false, pipeline_events: true, job_events: true });
    const runner = await world.runner();
    const pipeline = await project.push('one: {script: [x]}');
    await runner.run();
    const ended = await heard(
      'the end',
      (payload) => payload.object_kind === 'pipeline' && (payload.object_attributes as Json).status === 'success',
    );
    expect(ended.headers['x-gitlab-event']).toBe('Pipeline Hook');
    expect(payloadOf(ended)).toMatchObject({
      object_attributes: { id: pipeline.id, ref: 'main', source: 'push', stages: ['test'], variables: [] },
      merge_request: null,
      user: { id: world.owner.user.id },
      commit: { id: pipeline.sha },
      builds: [{ name: 'one', stage: 'test', status: 'success', manual: false, runner: { active: true } }],
    });
    const job = await heard('the job', (payload) => payload.object_kind === 'build');
    expect(payloadOf(job)).toMatchObject({
      ...{ build_name: 'one', build_status: 'success', retries_count: 0, pipeline_id: pipeline.id, sha: pipeline.sha },
      commit: { id: pipeline.id, sha: pipeline.sha },
      runner: { is_shared: true },
      repository: { homepage: `${world.app.url}/${project.path}` },
    });
    await eventually('running', async () =>
      receiver.received.some((each) => (payloadOf(each).object_attributes as Json | undefined)?.status === 'running'),
    );
  });

  it('of members, projects and subgroups that come and go', async () => {
    await addHook(`/groups/${group.id}`, {
      ...{ push_events: false, member_events: true, subgroup_events: true, project_events: true },
    });
    const user = await buildUser(world.app);
    const members = `/groups/${group.id}/members`;
    const named = (name: string) => heard(name, (payload) => payload.event_name === name).then(payloadOf);
    await call('POST', members, { user_id: user.id, access_level: 30, expires_at: '2999-01-02' });
    expect(await named('user_add_to_group')).toEqual({
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      event_name: 'user_add_to_group',
      ...{ group_name: group.name, group_path: group.path, group_id: group.id },
      ...{ user_username: user.username, user_name: user.name, user_email: '[REDACTED]', user_id: user.id },
      ...{ group_access: 'Developer', group_plan: null, expires_at: '2999-01-02T00:00:00Z' },
    });
    await call('PUT', `${members}/${user.id}`, { access_level: 20 });
    expect(await named('user_update_for_group')).toMatchObject({ group_access: 'Reporter' });
    await call('DELETE', `${members}/${user.id}`);
    expect(await named('user_remove_from_group')).toMatchObject({ group_access: 'Reporter', user_id: user.id });
    const path = unique('sub');
    const sub = (await call('POST', '/groups', { name: path, path, parent_id: group.id })).body;
    expect(await named('subgroup_create')).toMatchObject({
      group_id: sub.id,
      full_path: `${group.full_path}/${path}`,
      parent_group_id: group.id,
      parent_full_path: group.full_path,
    });
    const made = (await call('POST', '/projects', { name: unique('made'), namespace_id: sub.id })).body;
    expect(await named('project_create')).toMatchObject({
      project_id: made.id,
      path_with_namespace: made.path_with_namespace,
      project_namespace_id: sub.id,
      owners: [{ name: world.owner.user.name }],
      project_visibility: 'private',
    });
    await world.app.settings.write({ deletion_adjourned_period: 0 });
    await call('DELETE', `/groups/${sub.id}`);
    expect(await named('project_destroy')).toMatchObject({ project_id: made.id, name: made.name });
    expect(await named('subgroup_destroy')).toMatchObject({ group_id: sub.id, parent_group_id: group.id });
  });
});

it('bodies of their own are filled in as JSON writes it; one that is no JSON is a failure of the hook', async () => {
  const hook = await addHook(`/projects/${projectId}`, {
    custom_webhook_template:
      '{"at":"{{project.name}} {{ project_id }}","who":{{user_id}},"no":{{nothing.here}},"t":"{{commits}}"}',
  });
  expect((await call('POST', `${hook}/test/push_events`)).status).toBe(422);
  await call('PUT', hook, {
    custom_webhook_template: '{"at":"{{project.name}} {{ project_id }}","no":{{nothing.here}}}',
  });
  expect((await call('POST', `${hook}/test/push_events`)).status).toBe(201);
  const { name } = await buildProjectName();
  expect(payloadOf(receiver.received[0] as Received)).toEqual({ at: `${name} ${projectId}`, no: null });
  expect((await logOf(hook)).map(({ response_status }) => response_status)).toEqual(['200', 'internal error']);
});
const buildProjectName = () =>
  world.app.db.selectFrom('projects').select('name').where('id', '=', projectId).executeTakeFirstOrThrow();

it('one that is removed while it is called is not there', async () => {
  const slow = await startReceiver();
  slow.answer = { status: -1 };
  const hook = await addHook(`/projects/${projectId}`, { url: slow.url });
  const trying = call('POST', `${hook}/test/push_events`);
  await eventually('the call', async () => slow.received.length > 0);
  expect((await call('DELETE', hook)).status).toBe(204);
  await slow.close();
  expect((await trying).status).toBe(404);
});

it('tries tell of something that is there, or say that nothing is; repetitions send the same again', async () => {
  const hook = await addHook(`/projects/${projectId}`);
  expect(await call('POST', `${hook}/test/push_events`)).toMatchObject({
    status: 201,
    body: { message: '201 Created' },
  });
  const [first] = await logOf(hook);
  expect(await call('POST', `${hook}/events/${first?.id}/resend`)).toMatchObject({
    status: 201,
    body: { response_status: 200 },
  });
  const [one, two] = receiver.received as [Received, Received];
  expect(two.text).toBe(one.text);
  for (const name of ['idempotency-key', 'x-gitlab-event-uuid']) expect(two.headers[name]).toBe(one.headers[name]);
  expect(two.headers['x-gitlab-webhook-uuid']).not.toBe(one.headers['x-gitlab-webhook-uuid']);
  expect((await call('POST', `${hook}/test/wiki_page_events`)).status).toBe(422);
  expect((await call('POST', `${hook}/test/nonsense`)).status).toBe(400);
  const empty = await addHook(`/projects/${(await buildProject(world.app, { owner: world.owner.user })).id}`);
  for (const trigger of ['push_events', 'tag_push_events', 'merge_requests_events', 'pipeline_events', 'job_events'])
    expect([trigger, await call('POST', `${empty}/test/${trigger}`)]).toMatchObject([
      trigger,
      { status: 422, body: { message: expect.stringMatching(/^Ensure the project has/) } },
    ]);
  const above = await addHook(`/groups/${group.id}`);
  const triggers = [
    'push_events',
    'tag_push_events',
    'member_events',
    'subgroup_events',
    'project_events',
    'pipeline_events',
  ];
  for (const trigger of [...triggers, 'job_events', 'merge_requests_events'])
    expect([trigger, (await call('POST', `${above}/test/${trigger}`)).status]).toEqual([trigger, 201]);
  const [last] = await logOf(above);
  expect((await call('POST', `${above}/events/${last?.id}/resend`)).body).toEqual({ response_status: 200 });
  receiver.answer = { status: 500 };
  expect((await call('POST', `${hook}/test/push_events`)).status).toBe(422);
  for (const [query, count] of [
    ['', 3],
    ['?status=successful', 2],
    ['?status=500', 1],
    ['?status=server_failure', 1],
    ['?status=client_failure', 0],
  ] as const)
    expect([query, (await logOf(hook, query)).length]).toEqual([query, count]);
  expect((await call('GET', `${hook}/events?status=often`)).status).toBe(400);
  // The address is another one now; and calls of other hooks are not here (security 17).
  await call('PUT', hook, { url: `${receiver.url}/other` });
  expect((await call('POST', `${hook}/events/${first?.id}/resend`)).status).toBe(422);
  expect((await call('POST', `${empty}/events/${first?.id}/resend`)).status).toBe(404);
  stopClock();
  await world.app.settings.write({ web_hook_test_limit: 5, web_hook_event_resend_limit: 5 });
  const many = await Promise.all(Array.from({ length: 6 }, () => call('POST', `${empty}/test/push_events`)));
  expect(many.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 422, 429]);
  await world.app.settings.write(unlimited);
});

it('belong to those in charge, with their log', async () => {
  const hook = await addHook(`/projects/${projectId}`);
  const developer = await world.account();
  await buildMember(world.app, { user: developer.user, of: group, level: Level.developer });
  for (const [method, path] of [
    ['GET', `${hook}/events`],
    ['POST', `${hook}/events/1/resend`],
    ['POST', `${hook}/test/push_events`],
  ] as const) {
    expect((await call(method, path, undefined, developer)).status).toBe(403);
    expect((await world.app.api(method, path)).status).toBe(401);
  }
});

it('security 8: what may not be reached is not called, and the log says why', async () => {
  const hook = await addHook(`/projects/${projectId}`);
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: false });
  const tried = await call('POST', `${hook}/test/push_events`);
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  expect(tried).toMatchObject({ status: 422, body: { message: expect.stringMatching(/not allowed/) } });
  expect(receiver.received).toEqual([]);
  expect(await logOf(hook)).toMatchObject([{ response_status: 'internal error' }]);
});

describe('hooks that fail', () => {
  it('pause after four failures, end after forty, and come back with a try that works', async () => {
    const hook = await addHook(`/projects/${projectId}`);
    const id = Number(hook.split('/').at(-1));
    const state = async () => {
      const { alert_status, disabled_until } = (await call('GET', hook)).body;
      const minutes = disabled_until && Math.round((Date.parse(String(disabled_until)) - Date.now()) / 60_000);
      return [alert_status, minutes];
    };
    const failed = () => call('POST', `${hook}/test/push_events`);
    const set = (values: object) => world.app.db.updateTable('web_hooks').set(values).where('id', '=', id).execute();
    receiver.answer = { status: 404 };
    for (let count = 0; count < 3; count += 1) await failed();
    expect(await state()).toEqual(['executable', null]);
    await failed();
    expect(await state()).toEqual(['temporarily_disabled', 1]);
    await failed();
    expect(await state()).toEqual(['temporarily_disabled', 2]);
    // Nothing is called meanwhile, and it is called again when the pause is over.
    receiver.received.length = 0;
    await project.commit(null, { files: { 'quiet.txt': unique('x') } });
    await silent();
    expect(receiver.received).toEqual([]);
    await set({ disabled_until: new Date(Date.now() - 1000) });
    const sha = await project.commit(null, { files: { 'loud.txt': unique('x') } });
    await heard('the push', (payload) => payload.after === sha);
    await eventually('its failure', async () => (await state())[0] !== 'executable');
    await set({ failures: 38, pauses: 30 });
    await failed();
    expect(await state()).toEqual(['temporarily_disabled', 1440]);
    await failed();
    expect(await state()).toEqual(['disabled', null]);
    receiver.answer = { status: 204 };
    expect((await failed()).status).toBe(201);
    expect(await state()).toEqual(['executable', null]);
  });

  it('are called again where nobody was reached, with the same id, and not where somebody answered', async () => {
    const hook = await addHook(`/projects/${projectId}`);
    const calls = () => world.app.db.selectFrom('web_hook_calls').selectAll().orderBy('id').execute();
    receiver.answer = { status: 0 };
    const sha = await project.commit(null, { files: { 'again.txt': unique('x') } });
    const waiting = await eventually('the first attempt', async () => {
      const [row] = await calls();
      return row?.state === 'waiting' && row.attempts === 1 && row;
    });
    expect(Math.round((waiting.run_at.getTime() - Date.now()) / 1000)).toBeGreaterThan(5);
    expect(await logOf(hook)).toMatchObject([{ response_status: 'internal error' }]);
    receiver.answer = { status: 500 };
    await world.app.db
      .updateTable('web_hook_calls')
      .set({ run_at: new Date(0) })
      .execute();
    await project.commit(null, { files: { 'again.txt': unique('x') } });
    const rows = await eventually('both', async () => {
      const all = await calls();
      return all.length === 2 && all.every(({ state }) => state === 'done') && all;
    });
    expect(rows.map(({ attempts, response_code }) => [attempts, response_code])).toEqual([
      [2, 500],
      [1, 500],
    ]);
    const told = receiver.received.filter((each) => payloadOf(each).after === sha);
    expect(new Set(told.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(told).toHaveLength(2);
  });

  it('are told once of a fact however often it is delivered; the log ends after a week', async () => {
    await world.app.delivery.drain();
    const hook = await addHook(`/projects/${projectId}`);
    const sha = await project.commit(null, { files: { 'once.txt': unique('x') } });
    await heard('the push', (payload) => payload.after === sha);
    await eventually('the log', async () => (await logOf(hook)).length === 1);
    await world.app.db.updateTable('facts').set({ delivered_at: null }).where('kind', '=', 'push').execute();
    await world.app.delivery.drain();
    await silent();
    expect((await logOf(hook)).filter(({ request_data }) => (request_data as Json).after === sha)).toHaveLength(1);
    const old = new Date(Date.now() - 8 * 86_400_000);
    await world.app.db.updateTable('web_hook_calls').set({ created_at: old }).execute();
    await runTask(world.app, 'hooks.forget');
    expect(await logOf(hook)).toEqual([]);
  });
});
