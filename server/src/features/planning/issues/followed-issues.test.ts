/** Who hears of issues, what people have to do about them, their history, and burndown events. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let groupId: number;
let projectId: number;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  const group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  groupId = group.id;
  projectId = (await buildProject(app, { namespace: group })).id;
  base = `/projects/${projectId}/issues`;
});
afterAll(() => app.close());

const call = <T = Json>(method: Method, path: string, token: BuiltToken = owner, json?: object) =>
  app.api<T>(method, path, { token: token.secret, ...(json ? { json } : {}) });
async function make(json: Json = {}): Promise<string> {
  const { status, body } = await call('POST', base, owner, { title: 'An issue', ...json });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return `${base}/${body.iid}`;
}

it('[2/api.issues/30 POST /projects/:id/issues/:issue_iid/subscribe, POST .../unsubscribe, issue_iid, 304] [2/fields.issue/25] [2/states.issue-subscription/1] [2/states.issue-subscription/2] subscribing and unsubscribing answer the issue, or 304', async () => {
  const issue = await make();
  expect((await call('GET', issue)).body.subscribed).toBe(true);
  expect((await call('GET', issue, guest)).body.subscribed).toBe(false);
  expect((await call('POST', `${issue}/unsubscribe`, guest)).status).toBe(304);
  const on = await call('POST', `${issue}/subscribe`, guest);
  expect([on.status, on.body.title, on.body.subscribed]).toEqual([201, 'An issue', true]);
  expect((await call('POST', `${issue}/subscribe`, guest)).status).toBe(304);
  const off = await call('POST', `${issue}/unsubscribe`, guest);
  expect([off.status, off.body.subscribed]).toEqual([201, false]);
  expect((await call('POST', `${issue}/unsubscribe`, guest)).status).toBe(304);
  expect((await call('GET', issue, guest)).body.subscribed).toBe(false);
  for (const word of ['subscribe', 'unsubscribe']) {
    const raced = await Promise.all([1, 2, 3].map(() => call('POST', `${issue}/${word}`, guest)));
    expect(raced.map(({ status }) => status).sort()).toEqual([201, 304, 304]);
  }
  const hidden = await make({ confidential: true });
  expect((await call('POST', `${hidden}/subscribe`, guest)).status).toBe(404);
});

it('[2/api.issues/31] a to-do is added once', async () => {
  const issue = await make();
  const made = await call('POST', `${issue}/todo`);
  expect(made).toMatchObject({
    status: 201,
    body: { action_name: 'marked', target_type: 'Issue', state: 'pending', target: { title: 'An issue' } },
  });
  expect((await call('POST', `${issue}/todo`)).status).toBe(304);
  await call('PUT', issue, owner, { title: 'Done' });
  expect((await call('POST', `${issue}/todo`)).status).toBe(201);
});

it('whoever is assigned has something to do, until the issue is theirs no more', async () => {
  const mine = async () =>
    (await call<Json[]>('GET', '/todos', guest)).body.map(({ action_name, target }) => [
      action_name,
      (target as Json).title,
    ]);
  const issue = await make({ title: 'For guest', assignee_ids: [guest.user.id] });
  expect(await mine()).toEqual([['assigned', 'For guest']]);
  await call('PUT', issue, guest, { state_event: 'close' });
  expect(await mine()).toEqual([]);
});

it('labels, milestones, states and weights have a history', async () => {
  const milestone = (await call('POST', `/projects/${projectId}/milestones`, owner, { title: 'v1' })).body;
  const issue = await make({ labels: 'a', weight: 1 });
  await call('PUT', issue, owner, { labels: 'b', milestone_id: milestone.id, weight: 2, state_event: 'close' });
  await call('PUT', issue, owner, { state_event: 'reopen', milestone_id: 0 });
  const events = async (kind: string) => (await call<Json[]>('GET', `${issue}/resource_${kind}_events`)).body;
  const labels = (await events('label')).map(({ action, label }) => [action, (label as Json).name]);
  expect(labels).toEqual([
    ['add', 'a'],
    ['add', 'b'],
    ['remove', 'a'],
  ]);
  expect((await events('milestone')).map(({ action }) => action)).toEqual(['add', 'remove']);
  expect((await events('state')).map(({ state }) => state)).toEqual(['closed', 'reopened']);
  expect((await events('weight')).map(({ weight }) => weight)).toEqual([1, 2]);
  for (const kind of ['label', 'milestone', 'state', 'weight']) {
    const [first] = await events(kind);
    expect((await call('GET', `${issue}/resource_${kind}_events/${first?.id}`)).body).toEqual(first);
  }
});

it('reactions to an issue and to its comments', async () => {
  const issue = await make();
  const { body: note } = await call('POST', `${issue}/notes`, owner, { body: 'x' });
  for (const at of [issue, `${issue}/notes/${note.id}`]) {
    const made = await call('POST', `${at}/award_emoji`, guest, { name: 'thumbsdown' });
    expect([made.status, made.body.name]).toEqual([201, 'thumbsdown']);
    const one = `${at}/award_emoji/${made.body.id}`;
    expect((await call<Json[]>('GET', `${at}/award_emoji`)).body).toHaveLength(1);
    expect((await call('GET', one)).status).toBe(200);
    if (at === issue) expect((await call('GET', issue)).body).toMatchObject({ upvotes: 0, downvotes: 1 });
    expect((await call('DELETE', one, guest)).status).toBe(204);
  }
});

it('[3/api.group-milestones/8 GET, /:milestone_id/burndown_events] burndown events of milestones', async () => {
  const dates = { start_date: '2026-01-01', due_date: '2030-01-01' };
  for (const place of [`/groups/${groupId}`, `/projects/${projectId}`]) {
    const milestone = (await call('POST', `${place}/milestones`, owner, { title: `chart of ${place}`, ...dates })).body;
    const plan = { milestone_id: milestone.id, weight: 3 };
    const first = await make({ ...plan, created_at: '2026-01-02T00:00:00.000Z' });
    await make({ ...plan, weight: null, confidential: true, created_at: '2026-01-03T00:00:00.000Z' });
    for (const state_event of ['close', 'reopen', 'close']) await call('PUT', first, owner, { state_event });
    const events = (by: BuiltToken) => call<Json[]>('GET', `${place}/milestones/${milestone.id}/burndown_events`, by);
    expect((await events(owner)).body).toEqual([
      { created_at: '2026-01-02T00:00:00.000Z', weight: 3, action: 'created' },
      { created_at: '2026-01-03T00:00:00.000Z', weight: null, action: 'created' },
      { created_at: expect.any(String), weight: 3, action: 'closed' },
      { created_at: expect.any(String), weight: 3, action: 'reopened' },
      { created_at: expect.any(String), weight: 3, action: 'closed' },
    ]);
    expect((await events(guest)).body).toHaveLength(4);
  }
  const undated = (await call('POST', `/projects/${projectId}/milestones`, owner, { title: 'undated' })).body;
  await make({ milestone_id: undated.id });
  const path = `/projects/${projectId}/milestones/${undated.id}/burndown_events`;
  expect((await call('GET', path)).body).toEqual([]);
  expect((await call('GET', `/projects/${projectId}/milestones/999999/burndown_events`)).status).toBe(404);
});
