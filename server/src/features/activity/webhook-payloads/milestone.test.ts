/** Webhooks of milestones, from what happens to a real receiver. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildGroup, buildProject } from '../../../../test/factories.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';

type Json = Record<string, unknown>;
let world: World;
let receiver: Receiver;
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = async (method: 'POST' | 'PUT' | 'DELETE', path: string, json?: object) => {
  const answer = await world.app.api<Json>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const payloadOf = (received: Received) => JSON.parse(received.text) as Json;
/** The first request whose body says so. */
const heard = (what: string, wanted: (payload: Json, received: Received) => boolean) =>
  eventually(what, async () => receiver.received.find((each) => wanted(payloadOf(each), each)));

it('milestones are told with their place: those of projects to all above, those of groups to theirs', async () => {
  const group = await buildGroup(world.app, { owner: world.owner.user });
  const inner = await buildGroup(world.app, { parent: group });
  const project = await buildProject(world.app, { namespace: inner });
  const base = `/projects/${project.id}`;
  const hook = { push_events: false, milestone_events: true };
  await call('POST', `${base}/hooks`, { ...hook, url: `${receiver.url}/in` });
  await call('POST', `/groups/${group.id}/hooks`, { ...hook, url: `${receiver.url}/group` });
  const values = { title: 'v1.0', description: 'Stable', start_date: '2026-06-16', due_date: '2026-06-30' };
  const made = await call('POST', `${base}/milestones`, values);
  const own = (action: string, path = '/in') =>
    heard(action, (payload, { path: to }) => payload.action === action && payload.project !== null && to === path);
  const received = await own('create');
  expect(received.headers['x-gitlab-event']).toBe('Milestone Hook');
  expect(payloadOf(received)).toEqual({
    object_kind: 'milestone',
    event_type: 'milestone',
    project: expect.objectContaining({ id: project.id, path_with_namespace: `${inner.full_path}/${project.path}` }),
    object_attributes: {
      ...{ id: made.id, iid: 1, ...values, state: 'active', project_id: project.id, group_id: null },
      created_at: expect.stringMatching(/ UTC$/),
      updated_at: expect.stringMatching(/ UTC$/),
    },
    action: 'create',
  });
  await own('create', '/group');
  for (const [state_event, action] of [
    ['close', 'close'],
    ['activate', 'reopen'],
  ] as const) {
    await call('PUT', `${base}/milestones/${made.id}`, { state_event });
    await own(action);
  }
  await call('DELETE', `${base}/milestones/${made.id}`);
  expect(payloadOf(await own('delete')).object_attributes).toMatchObject({ id: made.id, title: values.title });
  await call('POST', `/groups/${group.id}/milestones`, { title: 'of the group' });
  const ofGroup = await heard('group', (payload) => payload.project === null);
  expect([ofGroup.path, payloadOf(ofGroup).group]).toEqual([
    '/group',
    { group_name: group.name, group_path: group.path, group_id: group.id, full_path: group.full_path },
  ]);
  await world.app.delivery.drain();
  expect(receiver.received.filter((each) => payloadOf(each).action === 'update')).toEqual([]);
});
