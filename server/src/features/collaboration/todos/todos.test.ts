/** To-dos marked as done by filter, and restored; who hears of changes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let other: BuiltToken;
let first: number;
let second: number;
beforeAll(async () => {
  app = await startTestApp();
  [owner, other] = [await buildToken(app), await buildToken(app)];
  [first, second] = [
    (await buildProject(app, { owner: owner.user })).id,
    (await buildProject(app, { owner: owner.user })).id,
  ];
});
afterAll(() => app.close());

const call = <T = Json>(method: Method, path: string, json?: object, token: BuiltToken = owner) =>
  app.api<T>(method, path, { token: token.secret, ...(json ? { json } : {}) });
async function add(projectId: number, title: string): Promise<{ id: number; issue: string }> {
  const { body } = await call<{ iid: number }>('POST', `/projects/${projectId}/issues`, { title });
  const issue = `/projects/${projectId}/issues/${body.iid}`;
  return { id: (await call<{ id: number }>('POST', `${issue}/todo`)).body.id, issue };
}
const titles = async (query = '') =>
  (await call<{ body: string }[]>('GET', `/todos${query}`)).body.map(({ body }) => body);

it('to-dos are marked as done by filter, and restored', async () => {
  const one = await add(first, 'One');
  const two = await add(second, 'Two');
  const marked = await call('POST', '/todos/mark_as_done', { project_id: first, with_ids: true });
  expect([marked.status, marked.body]).toEqual([201, { ids: [one.id] }]);
  expect(await titles()).toEqual(['Two']);
  expect(await titles('?state=done')).toEqual(['One']);
  const restored = await call('POST', '/todos/mark_as_pending', { ids: [one.id, two.id, 999_999] });
  expect([restored.status, restored.body]).toEqual([201, { ids: [one.id] }]);
  expect(await titles()).toEqual(['Two', 'One']);
  const all = await call('POST', '/todos/mark_as_done');
  expect([all.status, await titles()]).toEqual([204, []]);
});

it('a thing has one pending to-do, whatever is restored; those of others stay as they are', async () => {
  const { id, issue } = await add(first, 'Once');
  await call('POST', `/todos/${id}/mark_as_done`);
  const again = (await call<{ id: number }>('POST', `${issue}/todo`)).body.id;
  expect((await call('POST', '/todos/mark_as_pending', { ids: [id] })).body).toEqual({ ids: [] });
  await call('POST', `/todos/${again}/mark_as_done`);
  expect((await call('POST', '/todos/mark_as_pending', { ids: [id, again] }, other)).body).toEqual({ ids: [] });
  expect((await call('POST', '/todos/mark_as_pending', { ids: [id, again] })).body).toEqual({ ids: [again] });
  for (const json of [{}, { ids: 'all' }, { ids: [[1]] }])
    expect((await call('POST', '/todos/mark_as_pending', json)).status).toBe(400);
  expect((await app.api('POST', '/todos/mark_as_pending', { json: { ids: [id] } })).status).toBe(401);
});

it('about an internal comment are for those who may read it still', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const project = await buildProject(app, { namespace: group });
  const reader = await buildToken(app);
  await buildMember(app, { user: reader.user, of: group, level: Level.reporter });
  const { body: issue } = await call('POST', `/projects/${project.id}/issues`, { title: 'Open to all' });
  const { body: epic } = await call('POST', `/groups/${group.id}/epics`, { title: 'Epic for all' });
  const internal = { body: `Between us, @${reader.user.username}`, internal: true };
  for (const at of [`/projects/${project.id}/issues/${issue.iid}`, `/groups/${group.id}/epics/${epic.id}`])
    expect((await call('POST', `${at}/notes`, internal)).status).toBe(201);
  await app.delivery.drain();
  const seen = async () => (await call<Json[]>('GET', '/todos', undefined, reader)).body.map(({ body }) => body);
  expect(await seen()).toEqual([internal.body, internal.body]);
  const { body: all } = await call<Json[]>('GET', '/todos', undefined, reader);
  const { id, name, path, full_path } = group;
  expect(all.map(({ project: of, group: above }) => [of, above])).toEqual([
    [
      null,
      {
        ...{ id, name, path, full_path, kind: 'group', parent_id: null, avatar_url: null },
        web_url: `${app.url}/groups/${full_path}`,
      },
    ],
    [expect.objectContaining({ id: project.id }), undefined],
  ]);
  await call('PUT', `/groups/${group.id}/members/${reader.user.id}`, { access_level: Level.guest });
  expect(await seen()).toEqual([]);
  expect((await call('GET', `/projects/${project.id}/issues/${issue.iid}`, undefined, reader)).status).toBe(200);
});

it('only the person hears of changes of their to-dos', async () => {
  const heard: (string | null)[] = [];
  const mine = `user:${owner.user.id}:todos`;
  const stop = app.live.subscribe([mine], (topic) => heard.push(topic));
  const { id } = await add(first, 'Heard');
  await expect.poll(() => heard).toEqual([mine]);
  await call('POST', `/todos/${id}/mark_as_done`);
  await expect.poll(() => heard).toEqual([mine, mine]);
  stop();
  const controller = new AbortController();
  // Asked for the topic of somebody else beside one's own, one hears of one's own alone.
  const topics = `${mine},user:${other.user.id}:todos`;
  const response = await fetch(`${app.url}/api/v4/live?topics=${topics}`, {
    headers: { 'PRIVATE-TOKEN': other.secret },
    signal: controller.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await call('POST', '/todos/mark_as_pending', { ids: [id] });
  const { iid } = (await call('POST', `/projects/${first}/issues`, { title: 'For other' })).body;
  await call('POST', `/projects/${first}/members`, { user_id: other.user.id, access_level: 30 });
  await call('PUT', `/projects/${first}/issues/${iid}`, { assignee_ids: [other.user.id] });
  let text = '';
  while (!text.includes(`user:${other.user.id}:todos`)) text += (await reader?.read())?.value ?? '';
  expect(text).not.toContain(mine);
  controller.abort();
});
