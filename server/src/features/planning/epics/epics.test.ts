/** Epics of groups: their life, who sees them, what is above them, and what is said about them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
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
const titles = async (path: string, query: object = {}, token: BuiltToken | null = owner) =>
  (await call<Json[]>('GET', path, token ?? undefined, undefined, query)).body.map(({ title }) => title);

async function groupOf(visibility: 'private' | 'public' = 'private') {
  const group = await buildGroup(app, { owner: owner.user, visibility });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  return { group, path: `/groups/${group.id}/epics` };
}
const missing = { status: 404, body: { message: '404 Epic Not Found' } };

describe('epics', () => {
  it('are dated by administrators and owners', async () => {
    const { path } = await groupOf();
    const created_at = '2020-02-03T04:05:06.000Z';
    const dated = async (who: BuiltToken) => (await call<Json>('POST', path, who, { title: 'Old', created_at })).body;
    expect(await dated(owner)).toMatchObject({ created_at, updated_at: created_at });
    expect((await dated(planner)).created_at).not.toBe(created_at);
    expect((await call('POST', path, owner, { title: 'Old', created_at: 'long ago' })).status).toBe(400);
  });

  it('are created, changed, closed, opened again and deleted', async () => {
    const { group, path } = await groupOf();
    const made = await call('POST', path, planner, { title: ' Launch ', description: 'Soon', labels: 'b,a' });
    expect(made).toMatchObject({ status: 201 });
    const url = `${app.url}/groups/${group.full_path}/-/epics/1`;
    expect(made.body).toEqual({
      text_color: '#FFFFFF',
      id: expect.any(Number),
      iid: 1,
      color: '#1068bf',
      group_id: group.id,
      parent_id: null,
      parent_iid: null,
      title: 'Launch',
      description: 'Soon',
      confidential: false,
      discussion_locked: false,
      health_status: null,
      time_stats: expect.objectContaining({ time_estimate: 0, total_time_spent: 0 }),
      author: expect.objectContaining({ id: planner.user.id, username: planner.user.username }),
      start_date: null,
      start_date_is_fixed: false,
      start_date_fixed: null,
      start_date_from_inherited_source: null,
      start_date_from_milestones: null,
      end_date: null,
      due_date: null,
      due_date_is_fixed: false,
      due_date_fixed: null,
      due_date_from_inherited_source: null,
      due_date_from_milestones: null,
      state: 'opened',
      web_url: url,
      reference: '&1',
      references: { short: '&1', relative: '&1', full: `${group.full_path}&1` },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      closed_at: null,
      labels: ['a', 'b'],
      subscribed: true,
      upvotes: 0,
      downvotes: 0,
      _links: {
        self: `${app.url}/api/v4/groups/${group.id}/epics/1`,
        epic_issues: `${app.url}/api/v4/groups/${group.id}/epics/1/issues`,
        group: `${app.url}/api/v4/groups/${group.id}`,
        parent: null,
      },
    });
    expect((await call('GET', `${path}/1`, guest)).body).toEqual({ ...made.body, subscribed: false });
    expect(
      (await call('PUT', `${path}/1`, planner, { title: 'Go', remove_labels: 'a', add_labels: 'c' })).body,
    ).toMatchObject({
      title: 'Go',
      description: 'Soon',
      labels: ['b', 'c'],
    });
    expect((await call('PUT', `${path}/1`, planner, { labels: [], color: '#112233' })).body).toMatchObject({
      labels: [],
      text_color: '#FFFFFF',
      color: '#112233',
    });
    expect((await call('PUT', `${path}/1`, planner, { state_event: 'close' })).body).toMatchObject({
      state: 'closed',
      closed_at: expect.any(String),
    });
    expect((await call('PUT', `${path}/1`, planner, { state_event: 'reopen' })).body).toMatchObject({
      state: 'opened',
      closed_at: null,
    });
    for (const wrong of [{}, { title: ' ' }, { title: 'x'.repeat(256) }, { color: 'red' }, { state_event: 'open' }])
      expect((await call('PUT', `${path}/1`, planner, wrong)).status).toBe(400);
    expect((await call('POST', path, planner, {})).body).toEqual({ error: 'title is missing' });
    expect((await call('DELETE', `${path}/1`, owner)).status).toBe(204);
    expect(await call('GET', `${path}/1`, owner)).toMatchObject(missing);
    expect((await call('POST', path, planner, { title: 'Next' })).body.iid).toBe(2);
    const facts = await app.db
      .selectFrom('facts')
      .select('kind')
      .where('namespace_id', '=', group.id)
      .where('kind', 'like', 'epic.%')
      .orderBy('id')
      .execute();
    expect(facts.map(({ kind }) => kind.slice(5))).toEqual([
      'opened',
      'updated',
      'updated',
      'closed',
      'reopened',
      'deleted',
      'opened',
    ]);
  });

  it('have fixed days, or those of milestones and of epics below', async () => {
    const { group, path } = await groupOf();
    const project = await buildProject(app, { namespace: group });
    const milestone = { title: 'm', start_date: '2030-01-05', due_date: '2030-02-05' };
    const { id: milestone_id } = (await call('POST', `/projects/${project.id}/milestones`, owner, milestone)).body;
    const parent = (await call('POST', path, planner, { title: 'Parent' })).body;
    const child = (await call('POST', path, planner, { title: 'Child', parent_id: parent.id })).body;
    expect(child).toMatchObject({ parent_id: parent.id, parent_iid: 1 });
    await call('POST', `/projects/${project.id}/issues`, owner, { title: 'x', milestone_id, epic_id: child.id });
    const inherits = { start_date: '2030-01-05', due_date: '2030-02-05', end_date: '2030-02-05' };
    expect((await call('GET', `${path}/2`, guest)).body).toMatchObject(inherits);
    expect((await call('GET', `${path}/1`, guest)).body).toMatchObject({
      ...inherits,
      start_date_from_inherited_source: '2030-01-05',
      due_date_from_milestones: '2030-02-05',
    });
    const fixed = { start_date_is_fixed: true, start_date_fixed: '2030-01-20' };
    expect((await call('PUT', `${path}/2`, planner, fixed)).body).toMatchObject({
      ...fixed,
      start_date: '2030-01-20',
      start_date_from_inherited_source: '2030-01-05',
    });
    expect((await call('GET', `${path}/1`, guest)).body).toMatchObject({ start_date: '2030-01-20' });
    expect(await call('PUT', `${path}/2`, planner, { due_date_fixed: '2030-01-19' })).toMatchObject({
      status: 400,
      body: { message: { due_date_fixed: ['must be greater than or equal to start date'] } },
    });
  });

  it('are below each other without a circle, seven levels deep', async () => {
    const { path } = await groupOf();
    let above: unknown = null;
    for (let level = 1; level <= 7; level++)
      above = (await call('POST', path, planner, { title: `Level ${level}`, parent_id: above })).body.id;
    expect(await call('POST', path, planner, { title: 'x', parent_id: above })).toMatchObject({
      status: 400,
      body: { message: { parent: ['cannot have more than 7 levels of epics'] } },
    });
    expect(await call('PUT', `${path}/1`, planner, { parent_id: above })).toMatchObject({
      status: 400,
      body: { message: { parent: ['cannot be the epic itself or one below it'] } },
    });
    const other = await groupOf();
    const { id } = (await call('POST', other.path, planner, { title: 'elsewhere' })).body;
    expect(await call('PUT', `${path}/1`, planner, { parent_id: id })).toMatchObject(missing);
    expect((await call('PUT', `${path}/2`, planner, { parent_id: null })).body.parent_id).toBeNull();
  });

  it('are listed with those of the groups below, each filter narrows', async () => {
    const { group, path } = await groupOf('public');
    const below = await buildGroup(app, { parent: group, visibility: 'public' });
    const hidden = await buildGroup(app, { parent: group, visibility: 'private' });
    await call('POST', path, planner, { title: 'First', description: 'soup', labels: 'one,two' });
    await call('POST', path, owner, { title: 'Second', labels: 'one' });
    await call('PUT', `${path}/2`, owner, { state_event: 'close' });
    await call('POST', `/groups/${below.id}/epics`, owner, { title: 'Below' });
    await call('POST', `/groups/${hidden.id}/epics`, owner, { title: 'Hidden' });
    expect(await titles(path)).toEqual(['Hidden', 'Below', 'Second', 'First']);
    expect(await titles(path, {}, null)).toEqual(['Below', 'Second', 'First']);
    expect(await titles(path, { include_descendant_groups: false })).toEqual(['Second', 'First']);
    expect(await titles(`/groups/${below.id}/epics`, { include_ancestor_groups: true })).toEqual([
      'Below',
      'Second',
      'First',
    ]);
    const own = { include_descendant_groups: false };
    expect(await titles(path, { ...own, sort: 'asc' })).toEqual(['First', 'Second']);
    expect(await titles(path, { ...own, order_by: 'title' })).toEqual(['Second', 'First']);
    expect(await titles(path, { ...own, order_by: 'updated_at', sort: 'asc' })).toEqual(['First', 'Second']);
    expect(await titles(path, { author_id: planner.user.id })).toEqual(['First']);
    expect(await titles(path, { author_username: planner.user.username.toUpperCase() })).toEqual(['First']);
    expect(await titles(path, { ...own, 'not[author_username]': planner.user.username })).toEqual(['Second']);
    expect(await titles(path, { ...own, 'not[labels]': 'two' })).toEqual(['Second']);
    await call('POST', `${path}/1/award_emoji`, owner, { name: 'rocket' });
    expect(await titles(path, { my_reaction_emoji: 'rocket' })).toEqual(['First']);
    expect(await titles(path, { my_reaction_emoji: 'tada' })).toEqual([]);
    expect(await titles(path, { ...own, my_reaction_emoji: 'None' })).toEqual(['Second']);
    expect(await titles(path, { my_reaction_emoji: 'Any' }, planner)).toEqual([]);
    expect(await titles(path, { labels: 'one' })).toEqual(['Second', 'First']);
    expect(await titles(path, { labels: 'one,two' })).toEqual(['First']);
    const labelled = await titles(path, { labels: 'Any' });
    expect(labelled).toEqual(['Second', 'First']);
    const all = await titles(path);
    expect(await titles(path, { labels: 'none' })).toEqual(all.filter((title) => !labelled.includes(title)));
    expect(await titles(path, { 'not[labels]': 'None' })).toEqual(labelled);
    expect(await titles(path, { search: 'SOUP' })).toEqual(['First']);
    expect(await titles(path, { state: 'closed' })).toEqual(['Second']);
    expect(await titles(path, { ...own, state: 'opened' })).toEqual(['First']);
    const first = app.db
      .updateTable('epics')
      .set({ created_at: new Date('2020-01-01'), updated_at: new Date('2020-01-02') });
    await first.where('namespace_id', '=', group.id).where('iid', '=', 1).execute();
    expect(await titles(path, { created_before: '2020-01-01T00:00:00Z' })).toEqual(['First']);
    expect(await titles(path, { ...own, created_after: '2020-01-02T00:00:00Z' })).toEqual(['Second']);
    expect(await titles(path, { updated_before: '2020-01-02T00:00:00Z' })).toEqual(['First']);
    expect(await titles(path, { ...own, updated_after: '2020-01-03T00:00:00Z' })).toEqual(['Second']);
    const detailed = await call<Json[]>('GET', path, guest, undefined, {
      ...own,
      with_labels_details: true,
      state: 'closed',
    });
    expect(detailed.body[0]?.labels).toMatchObject([{ name: 'one', color: '#6699CC' }]);
    expect((await call<Json[]>('GET', path, guest)).body.find(({ title }) => title === 'Below')?.references).toEqual({
      short: '&1',
      relative: `${below.full_path}&1`,
      full: `${below.full_path}&1`,
    });
    const paged = await call<Json[]>('GET', path, owner, undefined, { per_page: 1, page: 2 });
    expect([paged.body.length, paged.headers.get('x-total')]).toEqual([1, '4']);
  });

  it('are for whom they are: confidential ones for planners and their author', async () => {
    const { group, path } = await groupOf('public');
    const made = await call('POST', path, planner, { title: 'Secret', confidential: true });
    expect(made.body.confidential).toBe(true);
    const stranger = await buildToken(app);
    for (const token of [undefined, stranger, guest]) {
      expect(await call('GET', `${path}/1`, token)).toMatchObject(missing);
      expect(await titles(path, {}, token ?? null)).toEqual([]);
      expect((await call('GET', `${path}/${made.body.id}/discussions`, token)).status).toBe(404);
    }
    expect(await titles(path, { confidential: true }, planner)).toEqual(['Secret']);
    expect(await titles(path, { confidential: false }, planner)).toEqual([]);
    for (const [token, status] of [
      [undefined, 401],
      [stranger, 403],
      [guest, 403],
    ] as const) {
      expect((await call('POST', path, token, { title: 'x' })).status).toBe(status);
      expect((await call('PUT', `${path}/1`, token, { title: 'x' })).status).toBe(status);
      expect((await call('DELETE', `${path}/1`, token)).status).toBe(status);
    }
    const project = await buildProject(app, { namespace: group, visibility: 'public' });
    const filed = await call('POST', `/projects/${project.id}/issues`, planner, { title: 'x', epic_id: made.body.id });
    expect(filed.body).toMatchObject({ epic_iid: 1, epic: { title: 'Secret' } });
    const found = async (epic_id: unknown, token?: BuiltToken) =>
      await titles(`/projects/${project.id}/issues`, { epic_id }, token ?? null);
    for (const token of [undefined, stranger, guest]) {
      expect((await call('GET', `/projects/${project.id}/issues/1`, token)).body).toMatchObject({
        epic_iid: null,
        epic: null,
      });
      expect(await found(made.body.id, token)).toEqual([]);
      expect(await found('None', token)).toEqual(['x']);
    }
    for (const epic_id of [made.body.id, 'Any']) expect(await found(epic_id, planner)).toEqual(['x']);
    const hidden = await groupOf();
    expect((await call('GET', hidden.path, stranger)).status).toBe(404);
  });
});

describe('what is said about epics', () => {
  it('[2/api.discussions/8 GET /groups/:id/epics/:epic_id/discussions, epic_id, id] [2/fields.discussion-and-note/2 Epic] is listed as threads, by the id of the epic', async () => {
    const { group, path } = await groupOf('public');
    // So that ids and numbers differ.
    const epic = (await call('POST', path, planner, { title: 'Discussed' })).body;
    const at = `${path}/${epic.id}`;
    expect((await call('GET', `${at}/discussions`)).body).toEqual([]);
    const stranger = await buildToken(app);
    const thread = await call('POST', `${at}/discussions`, stranger, { body: 'Why?' });
    expect(thread.status).toBe(201);
    const reply = await call('POST', `${at}/discussions/${thread.body.id}/notes`, guest, { body: 'Because' });
    expect(reply.status).toBe(201);
    const single = await call('POST', `${at}/notes`, guest, { body: 'Alone' });
    expect(single.status).toBe(201);
    const listed = await call<Json[]>('GET', `${at}/discussions`);
    expect(listed).toMatchObject({
      status: 200,
      body: [
        {
          id: thread.body.id,
          individual_note: false,
          notes: [
            {
              type: 'DiscussionNote',
              body: 'Why?',
              noteable_type: 'Epic',
              noteable_id: epic.id,
              noteable_iid: 1,
              resolvable: false,
            },
            { body: 'Because', author: { id: guest.user.id } },
          ],
        },
        { individual_note: true, notes: [{ type: null, body: 'Alone' }] },
      ],
    });
    expect((await call<Json[]>('GET', `${at}/notes`)).body).toHaveLength(3);
    const note = `${at}/notes/${single.body.id}`;
    expect((await call('PUT', note, stranger, { body: 'x' })).status).toBe(403);
    expect((await call('PUT', note, guest, { body: 'Changed' })).body.body).toBe('Changed');
    expect((await call('DELETE', note, owner)).status).toBe(204);
    const begun = `${at}/discussions/${thread.body.id}`;
    expect((await call('GET', begun)).body).toMatchObject({ id: thread.body.id, notes: [{ body: 'Why?' }, {}] });
    expect((await call<Json[]>('GET', `${begun}/notes`)).body).toHaveLength(2);
    const answer = `${begun}/notes/${reply.body.id}`;
    expect((await call('PUT', answer, guest, { body: 'So it is' })).body.body).toBe('So it is');
    expect((await call('GET', answer)).body.body).toBe('So it is');
    expect((await call('GET', `${at}/notes/${reply.body.id}`)).body.body).toBe('So it is');
    expect((await call('DELETE', answer, stranger)).status).toBe(403);
    expect((await call('DELETE', answer, guest)).status).toBe(204);
    expect((await call('POST', `${at}/discussions`, undefined, { body: 'x' })).status).toBe(401);
    expect(await call('GET', `${path}/0/discussions`)).toMatchObject(missing);
    const other = await groupOf();
    expect(await call('GET', `${other.path}/${epic.id}/discussions`, owner)).toMatchObject(missing);
    await call('DELETE', `${path}/1`, owner);
    const left = await app.db.selectFrom('notes').select('id').where('namespace_id', '=', group.id).execute();
    expect(left).toEqual([]);
  });
});
