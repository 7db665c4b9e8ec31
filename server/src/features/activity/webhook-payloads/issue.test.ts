/** Webhooks of issues and of comments on them, from what happens to a real receiver. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildProject } from '../../../../test/factories.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';

type Json = Record<string, unknown>;
interface Payload extends Json {
  readonly object_attributes: Json;
}
let world: World;
let receiver: Receiver;
let base: string;
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  const project = await buildProject(world.app, { owner: world.owner.user });
  base = `/projects/${project.id}`;
  const none = { push_events: false };
  for (const event of ['issues_events', 'confidential_issues_events', 'note_events', 'confidential_note_events'])
    await call('POST', `${base}/hooks`, { ...none, [event]: true, url: `${receiver.url}/${event}` });
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = async (method: 'POST' | 'PUT', path: string, json?: object) => {
  const answer = await world.app.api<Json>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const payloadOf = (received: Received) => JSON.parse(received.text) as Payload;
const heard = (path: string, wanted: (payload: Payload) => boolean) =>
  eventually(`a call of ${path}`, async () =>
    receiver.received.find((each) => each.path === `/${path}` && wanted(payloadOf(each))),
  );
const ofIssue = (id: unknown, action: string) => (payload: Payload) =>
  payload.object_attributes.id === id && payload.object_attributes.action === action;

describe('issues', () => {
  it('are told when they are opened, changed, closed and reopened, with what changed', async () => {
    const { id: me } = world.owner.user;
    await call('POST', `${base}/labels`, { name: 'bug', color: '#ff0000' });
    const made = await call('POST', `${base}/issues`, { title: 'Broken', description: 'x', labels: 'bug' });
    const opened = await heard('issues_events', ofIssue(made.id, 'open'));
    expect(opened.headers['x-gitlab-event']).toBe('Issue Hook');
    expect(payloadOf(opened)).toMatchObject({
      object_kind: 'issue',
      event_type: 'issue',
      user: { id: me, username: world.owner.user.username },
      project: { id: Number(base.split('/').at(-1)) },
      object_attributes: {
        ...{ iid: made.iid, title: 'Broken', description: 'x', state: 'opened', state_id: 1, type: 'Issue' },
        ...{ author_id: me, assignee_ids: [], assignee_id: null, confidential: false, url: made.web_url },
        created_at: expect.stringMatching(/ UTC$/),
        labels: [expect.objectContaining({ title: 'bug', type: 'ProjectLabel' })],
      },
      labels: [expect.objectContaining({ title: 'bug' })],
      changes: {},
    });
    await call('PUT', `${base}/issues/${made.iid}`, { title: 'Fixed', assignee_ids: [me], labels: '' });
    const updated = payloadOf(await heard('issues_events', ofIssue(made.id, 'update')));
    expect(updated).toMatchObject({
      assignees: [{ id: me }],
      assignee: { id: me },
      changes: {
        title: { previous: 'Broken', current: 'Fixed' },
        assignees: { previous: [], current: [expect.objectContaining({ id: me })] },
        labels: { previous: [expect.objectContaining({ title: 'bug' })], current: [] },
        updated_at: { previous: expect.stringMatching(/ UTC$/), current: expect.stringMatching(/ UTC$/) },
      },
    });
    await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'close' });
    const closed = payloadOf(await heard('issues_events', ofIssue(made.id, 'close')));
    expect(closed.changes).toMatchObject({ state_id: { previous: 1, current: 2 } });
    await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'reopen' });
    await heard('issues_events', ofIssue(made.id, 'reopen'));
  });

  it('that are confidential, and comments on them, are told to the hooks of these alone', async () => {
    const made = await call('POST', `${base}/issues`, { title: 'Secret', confidential: true, issue_type: 'incident' });
    const told = await heard('confidential_issues_events', ofIssue(made.id, 'open'));
    expect(told.headers['x-gitlab-event']).toBe('Confidential Issue Hook');
    expect(payloadOf(told)).toMatchObject({ object_kind: 'work_item', event_type: 'confidential_work_item' });
    const note = await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'Hush' });
    const commented = await heard('confidential_note_events', ({ object_attributes: { id } }) => id === note.id);
    expect(payloadOf(commented)).toMatchObject({ event_type: 'confidential_note', issue: { id: made.id } });
    await world.app.delivery.drain();
    const elsewhere = receiver.received.filter(({ path }) => path === '/issues_events' || path === '/note_events');
    expect(elsewhere.filter(({ text }) => /Secret|Hush/.test(text))).toEqual([]);
  });

  it('are what a hook is tested with', async () => {
    const hook = await call('POST', `${base}/hooks`, { url: `${receiver.url}/test`, push_events: false });
    for (const [event, kind] of [
      ['issues_events', 'issue'],
      ['confidential_issues_events', 'confidential_work_item'],
    ] as const) {
      await call('POST', `${base}/hooks/${hook.id}/test/${event}`);
      await heard('test', ({ event_type }) => event_type === kind);
    }
  });
});

it('comments on issues are told with the issue', async () => {
  const made = await call('POST', `${base}/issues`, { title: 'Discussed' });
  const note = await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'Hello' });
  const received = await heard('note_events', ({ object_attributes: { id } }) => id === note.id);
  expect(received.headers['x-gitlab-event']).toBe('Note Hook');
  expect(payloadOf(received)).toMatchObject({
    event_type: 'note',
    object_attributes: { note: 'Hello', noteable_type: 'Issue', noteable_id: made.id, action: 'create' },
    issue: { id: made.id, iid: made.iid, title: 'Discussed', state: 'opened', labels: [] },
  });
});
