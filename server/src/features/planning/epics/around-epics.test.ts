/** What is around epics: their issues, epics below and beside them, reactions, to-dos, subscriptions and history. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown> & { readonly id: number; readonly iid: number };
let app: TestApp;
let owner: BuiltToken;
let planner: BuiltToken;
let guest: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [owner, planner, guest] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());

const call = callsOf(() => app);
const titles = async (path: string, token: BuiltToken | undefined = owner) =>
  (await call<Json[]>('GET', path, token)).body.map(({ title }) => title);

async function groupOf(visibility: 'private' | 'public' = 'public') {
  const group = await buildGroup(app, { owner: owner.user, visibility });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  const path = `/groups/${group.id}/epics`;
  const epic = async (title: string, more: object = {}) => (await call('POST', path, planner, { title, ...more })).body;
  return { group, path, epic };
}

it('epics have issues in an order that people give them', async () => {
  const { group, path, epic } = await groupOf();
  const project = await buildProject(app, { namespace: group, visibility: 'public' });
  const made = await epic('Launch');
  const other = await epic('Other');
  const issue = async (title: string, more: object = {}) =>
    (await call('POST', `/projects/${project.id}/issues`, planner, { title, ...more })).body;
  const [a, b, c] = [await issue('a', { epic_id: other.id }), await issue('b'), await issue('c')];
  const at = `${path}/1/issues`;
  const ids: number[] = [];
  for (const { id } of [a, b, c]) {
    const answer = await call<{ id: number; epic: Json; issue: Json }>('POST', `${at}/${id}`, planner);
    expect(answer).toMatchObject({
      status: 201,
      body: { epic: { id: made.id }, issue: { id, epic_iid: 1, epic: { id: made.id } } },
    });
    ids.push(answer.body.id);
  }
  expect(await titles(`${path}/2/issues`)).toEqual([]);
  expect((await call<Json[]>('GET', at)).body[0]).toMatchObject({
    title: 'a',
    epic_issue_id: ids[0],
    relative_position: expect.any(Number),
  });
  const move = async (place: number, json: object, token = planner) =>
    await call<Json[]>('PUT', `${at}/${ids[place]}`, token, json);
  expect((await move(2, { move_after_id: ids[0] })).body.map(({ title }) => title)).toEqual(['c', 'a', 'b']);
  expect((await move(2, { move_before_id: ids[0] })).body.map(({ title }) => title)).toEqual(['a', 'c', 'b']);
  expect((await move(2, { move_before_id: 999_999 })).status).toBe(404);
  expect((await move(2, { move_before_id: ids[0] }, guest)).status).toBe(403);
  // At the same time, none is lost and no two are at one place.
  await Promise.all(
    [0, 1, 2, 0, 1, 2].map((place, round) => move(place, { move_after_id: ids[(place + round + 1) % 3] })),
  );
  const after = (await call<Json[]>('GET', at)).body;
  expect(after.map(({ title }) => title).sort()).toEqual(['a', 'b', 'c']);
  expect(new Set(after.map((each) => each.relative_position)).size).toBe(3);

  await call('PUT', `/projects/${project.id}/issues/${b.iid}`, planner, { confidential: true });
  await call('PUT', `/projects/${project.id}/issues/${c.iid}`, planner, { state_event: 'close', weight: 3 });
  expect((await titles(at, guest)).sort()).toEqual(['a', 'c']);
  await call('POST', `${path}/1/epics`, planner, { title: 'Below' });
  // Together they are more than an integer of the database holds.
  const heavy = 2 ** 31 - 1;
  for (const { iid } of [a, b]) await call('PUT', `/projects/${project.id}/issues/${iid}`, planner, { weight: heavy });
  const statistics = (opened: number) => ({
    statistics: {
      epics: { opened: 1, closed: 0 },
      issues: { opened, closed: 1 },
      weight: { opened: opened * heavy, closed: 3 },
    },
  });
  expect((await call('GET', `${path}/1/statistics`, planner)).body).toEqual(statistics(2));
  expect((await call('GET', `${path}/1/statistics`, guest)).body).toEqual(statistics(1));
  expect((await call('DELETE', `${at}/${ids[1]}`, guest)).status).toBe(404);
  expect((await call('DELETE', `${at}/${ids[0]}`, guest)).status).toBe(403);
  expect((await call('DELETE', `${at}/${ids[0]}`, planner)).body).toMatchObject({
    id: ids[0],
    epic: { id: made.id },
    issue: { id: a.id, epic: null },
  });
  expect((await call('DELETE', `${at}/${ids[0]}`, planner)).status).toBe(404);
  expect((await call('POST', `${at}/${a.id}`, guest)).status).toBe(403);
  expect((await call('POST', `${at}/${a.id}`)).status).toBe(401);
});

it('issues of other groups and of people belong to epics of groups whose members add them, and show those to whoever sees both', async () => {
  const { group, path, epic } = await groupOf('private');
  const made = await epic('Launch');
  const hidden = await epic('Hidden', { confidential: true });
  const at = `${path}/${made.iid}/issues`;
  const project = await buildProject(app, { owner: guest.user, visibility: 'public' });
  const base = `/projects/${project.id}/issues`;
  const first = (await call('POST', base, guest, { title: 'First', epic_id: made.id, weight: 2 })).body;
  expect(first).toMatchObject({ epic: { id: made.id, group_id: group.id } });
  const second = (await call('POST', base, guest, { title: 'Second' })).body;
  const added = await call<Json>('POST', `${at}/${second.id}`, guest);
  expect(added).toMatchObject({ status: 201, body: { epic: { id: made.id }, issue: { id: second.id } } });
  expect(await titles(at, planner)).toEqual(['First', 'Second']);
  expect((await call('GET', `${path}/${made.iid}/statistics`, planner)).body).toMatchObject({
    statistics: { issues: { opened: 2, closed: 0 }, weight: { opened: 2 } },
  });

  // Who sees the issue and not the group learns nothing of the epic, by whichever way they ask.
  const stranger = await buildToken(app);
  for (const token of [stranger, undefined]) {
    const listed = async (epicId: number | string) =>
      (await call<Json[]>('GET', `${base}?epic_id=${epicId}`, token)).body.map(({ title }) => title);
    expect((await call('GET', `${base}/${first.iid}`, token)).body).toMatchObject({ epic: null, epic_iid: null });
    expect((await call<Json[]>('GET', base, token)).body.map((each) => each.epic)).toEqual([null, null]);
    expect([await listed(made.id as number), await listed('Any')]).toEqual([[], []]);
    expect(await listed('None')).toEqual(['Second', 'First']);
  }
  expect(await titles(`${base}?epic_id=${made.id}`, planner)).toEqual(['Second', 'First']);
  expect((await call('GET', `${base}/${first.iid}`, planner)).body).toMatchObject({ epic: { id: made.id } });

  expect((await call('DELETE', `${at}/${added.body.id}`, guest)).body).toMatchObject({ issue: { epic: null } });
  // A confidential epic is none for guests, and a private group's is none for strangers.
  expect((await call('PUT', `${base}/${second.iid}`, guest, { epic_id: hidden.id })).status).toBe(404);
  const theirs = await buildProject(app, { owner: stranger.user });
  const outside = { title: 'Outside', epic_id: made.id };
  expect((await call('POST', `/projects/${theirs.id}/issues`, stranger, outside)).status).toBe(404);
});

it('only members of an open group add issues from elsewhere to its epics', async () => {
  const { path, epic } = await groupOf('public');
  const made = await epic('Launch');
  const stranger = await buildToken(app);
  const project = await buildProject(app, { owner: stranger.user });
  const issue = (await call('POST', `/projects/${project.id}/issues`, stranger, { title: 'x' })).body;
  expect(await call('POST', `${path}/${made.iid}/issues/${issue.id}`, stranger)).toMatchObject({
    status: 404,
    body: { message: 'No matching issue found. Make sure that you are adding a valid issue URL.' },
  });
  const update = await call('PUT', `/projects/${project.id}/issues/${issue.iid}`, stranger, { epic_id: made.id });
  expect(update.status).toBe(404);
  // An issue that somebody cannot plan is not theirs to add either.
  expect((await call('POST', `${path}/${made.iid}/issues/${issue.id}`, planner)).status).toBe(404);
  expect(await titles(`${path}/${made.iid}/issues`)).toEqual([]);
});

it('epics have epics below them in an order that people give them', async () => {
  const { path, epic, group } = await groupOf();
  const top = await epic('Top', { confidential: true });
  const at = `${path}/${top.iid}/epics`;
  const made = await call('POST', at, planner, { title: 'One' });
  expect(made).toMatchObject({
    status: 201,
    body: { iid: 2, parent_id: top.id, has_children: false, has_issues: false, reference: '&2', group_id: group.id },
  });
  expect((await call('GET', `${path}/2`, planner)).body.confidential).toBe(true);
  const [two, three] = [await epic('Two'), await epic('Three')];
  for (const { id } of [two, three])
    expect(await call('POST', `${at}/${id}`, planner)).toMatchObject({ status: 201, body: { parent_id: top.id } });
  expect(await titles(at, planner)).toEqual(['One', 'Two', 'Three']);
  const answer = await call<Json[]>('PUT', `${at}/${three.id}`, planner, { move_before_id: made.body.id });
  expect(answer.body.map(({ title }) => title)).toEqual(['One', 'Three', 'Two']);
  await call('PUT', `${at}/${two.id}`, planner, { move_after_id: made.body.id });
  expect(await titles(at, planner)).toEqual(['Two', 'One', 'Three']);
  expect((await call('PUT', `${at}/${top.id}`, planner, { move_after_id: two.id })).status).toBe(404);
  expect((await call('POST', `${path}/${two.iid}/epics/${top.id}`, planner)).status).toBe(400);
  expect((await call('GET', at, guest)).status).toBe(404);
  expect((await call('DELETE', `${at}/${two.id}`, planner)).body).toMatchObject({ id: two.id, parent_id: null });
  expect((await call('DELETE', `${at}/${two.id}`, planner)).status).toBe(404);
  expect(await titles(at, planner)).toEqual(['One', 'Three']);
});

it('epics relate to and block epics, also of other groups', async () => {
  const [here, there] = [await groupOf(), await groupOf()];
  const [a, b] = [await here.epic('A'), await there.epic('B')];
  const at = `${here.path}/1/related_epics`;
  const target = { target_group_id: there.group.full_path, target_epic_iid: b.iid };
  const made = await call('POST', at, planner, { ...target, link_type: 'is_blocked_by' });
  expect(made).toMatchObject({
    status: 201,
    body: { link_type: 'blocks', source_epic: { id: b.id }, target_epic: { id: a.id } },
  });
  expect((await call('POST', at, planner, target)).status).toBe(409);
  expect((await call('POST', at, planner, { ...target, target_epic_iid: 9 })).status).toBe(404);
  const stranger = await buildToken(app);
  expect((await call('POST', at, stranger, target)).status).toBe(403);
  const related = { title: 'B', related_epic_link_id: made.body.id, link_type: 'is_blocked_by' };
  expect((await call<Json[]>('GET', at)).body).toMatchObject([related]);
  expect((await call<Json[]>('GET', `${there.path}/1/related_epics`)).body).toMatchObject([
    { title: 'A', link_type: 'blocks' },
  ]);
  const all = `/groups/${here.group.id}/related_epic_links`;
  expect((await call<Json[]>('GET', all)).body).toMatchObject([{ id: made.body.id, source_epic: { title: 'B' } }]);
  expect(
    (await call<Json[]>('GET', all, undefined, undefined, { created_before: '2020-01-01T00:00:00Z' })).body,
  ).toEqual([]);
  await call('PUT', `${there.path}/1`, planner, { confidential: true });
  expect((await call<Json[]>('GET', at, guest)).body).toEqual([]);
  expect((await call<Json[]>('GET', all, guest)).body).toEqual([]);
  expect((await call('DELETE', `${at}/${made.body.id}`, guest)).status).toBe(404);
  expect((await call('DELETE', `${at}/${made.body.id}`, planner)).body).toMatchObject({ id: made.body.id });
  expect((await call<Json[]>('GET', at, planner)).body).toEqual([]);
});

it('people react to epics, follow them, and have them to do; labels and states have a history', async () => {
  const { group, path, epic } = await groupOf();
  // So that ids and numbers differ.
  await epic('First');
  const made = await epic('Second', { labels: 'one' });
  const [byNumber, byId] = [`${path}/${made.iid}`, `${path}/${made.id}`];
  const award = await call('POST', `${byNumber}/award_emoji`, guest, { name: 'thumbsup' });
  expect(award).toMatchObject({ status: 201, body: { awardable_type: 'Epic', awardable_id: made.id } });
  expect((await call('GET', byNumber)).body).toMatchObject({ upvotes: 1, downvotes: 0 });
  expect((await call<Json[]>('GET', `${byNumber}/award_emoji`)).body).toEqual([award.body]);
  expect((await call('GET', `${byNumber}/award_emoji/${award.body.id}`)).body).toEqual(award.body);
  expect((await call('DELETE', `${byNumber}/award_emoji/${award.body.id}`, guest)).status).toBe(204);
  const note = (await call('POST', `${byId}/notes`, owner, { body: 'Well' })).body;
  const onNote = `${byNumber}/notes/${note.id}/award_emoji`;
  const liked = await call('POST', onNote, planner, { name: 'heart' });
  expect(liked).toMatchObject({ status: 201, body: { awardable_type: 'Note', awardable_id: note.id } });
  expect((await call<Json[]>('GET', onNote)).body).toEqual([liked.body]);
  expect((await call('GET', `${onNote}/${liked.body.id}`)).body).toEqual(liked.body);
  expect((await call('DELETE', `${onNote}/${liked.body.id}`, planner)).status).toBe(204);
  expect((await call('POST', `${byNumber}/subscribe`, guest)).body).toMatchObject({ iid: 2, subscribed: true });
  expect((await call('POST', `${byNumber}/subscribe`, guest)).status).toBe(304);
  expect((await call('POST', `${byNumber}/unsubscribe`, planner)).body).toMatchObject({ subscribed: false });
  const todo = await call('POST', `${byNumber}/todo`, guest);
  expect(todo).toMatchObject({ status: 201, body: { target_type: 'Epic', target: { id: made.id }, project: null } });
  const todos = () => call<Json[]>('GET', '/todos', guest, undefined, { type: 'Epic', group_id: group.id });
  expect((await todos()).body).toMatchObject([{ id: todo.body.id, target_url: made.web_url }]);
  const [labelled] = (await call<Json[]>('GET', `${byId}/resource_label_events`)).body;
  expect((await call('GET', `${byId}/resource_label_events/${labelled?.id}`)).body).toEqual(labelled);
  await call('PUT', byNumber, planner, { labels: 'two', state_event: 'close' });
  expect((await call<Json[]>('GET', `${byId}/resource_label_events`)).body).toMatchObject([
    { action: 'add', label: { name: 'one' }, resource_type: 'Epic', resource_id: made.id },
    { action: 'add', label: { name: 'two' } },
    { action: 'remove', label: { name: 'one' } },
  ]);
  const states = await call<Json[]>('GET', `${byId}/resource_state_events`);
  expect(states.body).toMatchObject([{ state: 'closed', user: { id: planner.user.id } }]);
  expect((await call('GET', `${byId}/resource_state_events/${states.body[0]?.id}`)).body).toEqual(states.body[0]);
  await call('PUT', byNumber, planner, { confidential: true });
  expect((await todos()).body).toEqual([]);
  expect((await call('GET', `${byNumber}/award_emoji`, guest)).status).toBe(404);
  expect((await call('GET', `${byId}/resource_state_events`, guest)).status).toBe(404);
});
