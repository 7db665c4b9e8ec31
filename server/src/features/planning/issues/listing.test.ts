/** Lists of issues: every filter with what it leaves out, every order in both directions, pages, statistics. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let other: BuiltToken;
let group: Namespace;
let subgroup: Namespace;
let project: Project;
let below: Project;
let base: string;

const call = <T = Json[]>(path: string, query: object = {}, token: BuiltToken | null = owner) =>
  app.api<T>('GET', path, { ...(token ? { token: token.secret } : {}), query: { ...query } });
const titles = async (query: object = {}, path = base, token: BuiltToken | null = owner) => {
  const { status, body } = await call(path, { per_page: 100, ...query }, token);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.map(({ title }) => String(title));
};
const sorted = async (...parameters: Parameters<typeof titles>) => (await titles(...parameters)).sort();
const post = async (path: string, json: object, token = owner): Promise<Json> => {
  const { status, body } = await app.api<Json>('POST', path, { token: token.secret, json });
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};
const put = (path: string, json: object) => app.api<Json>('PUT', path, { token: owner.secret, json });
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
/** The first day of a month that begins so many months from now. */
const monthStart = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
};

beforeAll(async () => {
  app = await startTestApp();
  [owner, other] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { owner: owner.user });
  subgroup = await buildGroup(app, { parent: group });
  await buildMember(app, { user: other.user, of: group, level: Level.reporter });
  project = await buildProject(app, { namespace: group });
  below = await buildProject(app, { namespace: subgroup });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());

describe('filters', () => {
  beforeAll(async () => {
    const milestones = `/projects/${project.id}/milestones`;
    const started = await post(milestones, { title: 'started', start_date: day(-5), due_date: day(-1) });
    const upcoming = await post(milestones, { title: 'upcoming', start_date: day(2), due_date: day(9) });
    const closed = await post(milestones, { title: 'over', start_date: day(-9), due_date: day(9) });
    await put(`${milestones}/${closed.id}`, { state_event: 'close' });
    const cadence = await app.db
      .insertInto('iteration_cadences')
      .values({ namespace_id: group.id, title: 'Sprints' })
      .returningAll()
      .executeTakeFirstOrThrow();
    const iterations = await app.db
      .insertInto('iterations')
      .values(
        [
          { iid: 1, sequence: 1, title: 'Sprint 1', start_date: day(-20), due_date: day(-7) },
          { iid: 2, sequence: 2, title: 'Sprint 2', start_date: day(-6), due_date: day(7) },
        ].map((each) => ({ ...each, namespace_id: group.id, cadence_id: cadence.id })),
      )
      .returningAll()
      .execute();
    const epic = await app.db
      .insertInto('epics')
      .values({ namespace_id: group.id, iid: 1, author_id: owner.user.id, title: 'Epic' })
      .returningAll()
      .executeTakeFirstOrThrow();
    await post(base, { title: 'alpha', labels: 'bug,ui', weight: 1, assignee_ids: [owner.user.id], epic_id: epic.id });
    await post(base, { title: 'beta', labels: 'bug', milestone_id: started.id, health_status: 'at_risk' }, other);
    await post(base, { title: 'gamma', description: 'About alpha', milestone_id: upcoming.id, confidential: true });
    await post(base, { title: 'delta', milestone_id: closed.id, weight: 0, issue_type: 'incident' });
    await post(base, { title: 'epsilon', assignee_ids: [owner.user.id, other.user.id], issue_type: 'test_case' });
    await put(`${base}/5`, { state_event: 'close' });
    const iterated = (iid: number, index: number) =>
      app.db
        .updateTable('issues')
        .set({ iteration_id: iterations[index]?.id ?? null })
        .where('project_id', '=', project.id)
        .where('iid', '=', iid)
        .execute();
    await iterated(1, 0);
    await iterated(2, 1);
  });
  const all = ['alpha', 'beta', 'delta', 'epsilon', 'gamma'];

  const cases: readonly (readonly [string, () => object, readonly string[]])[] = [
    ['[2/api.issues/2 assignee_id]', () => ({ assignee_id: owner.user.id }), ['alpha', 'epsilon']],
    ['[2/api.issues/2 None]', () => ({ assignee_id: 'None' }), ['beta', 'delta', 'gamma']],
    ['[2/api.issues/2 assignee_id, Any]', () => ({ assignee_id: 'Any' }), ['alpha', 'epsilon']],
    [
      '[2/api.issues/3] assignee_username, all of them',
      () => ({ assignee_username: [owner.user.username, other.user.username] }),
      ['epsilon'],
    ],
    ['[2/api.issues/4 author_id]', () => ({ author_id: other.user.id }), ['beta']],
    ['[2/api.issues/5] author_username', () => ({ author_username: other.user.username.toUpperCase() }), ['beta']],
    ['[2/api.issues/5] author_username of nobody', () => ({ author_username: 'nobody-of-this-name' }), []],
    ['[2/api.issues/6] confidential', () => ({ confidential: true }), ['gamma']],
    ['[2/api.issues/6] not confidential', () => ({ confidential: false }), ['alpha', 'beta', 'delta', 'epsilon']],
    ['[2/api.issues/9 epic_id, Any]', () => ({ epic_id: 'Any' }), ['alpha']],
    ['[2/api.issues/9 None]', () => ({ epic_id: 'None' }), ['beta', 'delta', 'epsilon', 'gamma']],
    ['[2/api.issues/10 health_status]', () => ({ health_status: 'at_risk' }), ['beta']],
    ['[2/api.issues/10 health_status] health_status, another', () => ({ health_status: 'on_track' }), []],
    ['[2/api.issues/10 None]', () => ({ health_status: 'None' }), ['alpha', 'delta', 'epsilon', 'gamma']],
    ['[2/api.issues/10 health_status, Any]', () => ({ health_status: 'Any' }), ['beta']],
    ['[2/api.issues/11] iids', () => ({ iids: [1, 4, 99] }), ['alpha', 'delta']],
    ['[2/api.issues/12 in] [2/api.issues/23] in both', () => ({ search: 'ALPHA' }), ['alpha', 'gamma']],
    ['[2/api.issues/12 in, title]', () => ({ search: 'alpha', in: 'title' }), ['alpha']],
    ['[2/api.issues/12 description]', () => ({ search: 'alpha', in: 'description' }), ['gamma']],
    [
      "[2/api.issues/12 in, 'title,description'] both, joined",
      () => ({ search: 'alpha', in: 'title,description' }),
      ['alpha', 'gamma'],
    ],
    ['[2/api.issues/23] all words', () => ({ search: 'gam about' }), ['gamma']],
    ['[2/api.issues/13 issue_type, incident]', () => ({ issue_type: 'incident' }), ['delta']],
    ['[2/api.issues/13 issue]', () => ({ issue_type: 'issue' }), ['alpha', 'beta', 'gamma']],
    ['[2/api.issues/13 test_case]', () => ({ issue_type: 'test_case' }), ['epsilon']],
    ['[2/api.issues/14 None]', () => ({ iteration_id: 'None' }), ['delta', 'epsilon', 'gamma']],
    ['[2/api.issues/14 iteration_id, Any]', () => ({ iteration_id: 'Any' }), ['alpha', 'beta']],
    ['[2/api.issues/14 iteration_id] Current', () => ({ iteration_id: 'Current' }), ['beta']],
    ['[2/api.issues/14 iteration_title]', () => ({ iteration_title: 'Sprint 1' }), ['alpha']],
    ['[2/api.issues/15 labels] labels, all of them', () => ({ labels: 'ui,bug' }), ['alpha']],
    ['[2/api.issues/15 labels] labels, one', () => ({ labels: 'bug' }), ['alpha', 'beta']],
    ['[2/api.issues/15 labels, None]', () => ({ labels: 'None' }), ['delta', 'epsilon', 'gamma']],
    ['[2/api.issues/15 labels, Any]', () => ({ labels: 'Any' }), ['alpha', 'beta']],
    ['[2/api.issues/16 milestone]', () => ({ milestone: 'started' }), ['beta']],
    ['[2/api.issues/16 milestone, None]', () => ({ milestone: 'None' }), ['alpha', 'epsilon']],
    ['[2/api.issues/16 milestone, Any]', () => ({ milestone: 'Any' }), ['beta', 'delta', 'gamma']],
    ['[2/api.issues/17 milestone_id, None]', () => ({ milestone_id: 'None' }), ['alpha', 'epsilon']],
    ['[2/api.issues/17 milestone_id, Any]', () => ({ milestone_id: 'Any' }), ['beta', 'delta', 'gamma']],
    ['[2/api.issues/17 milestone_id, Upcoming]', () => ({ milestone_id: 'Upcoming' }), ['gamma']],
    ['[2/api.issues/17 milestone_id, Started]', () => ({ milestone_id: 'Started' }), ['beta']],
    ['[2/api.issues/22 created_by_me]', () => ({ scope: 'created_by_me' }), ['alpha', 'delta', 'epsilon', 'gamma']],
    ['[2/api.issues/22 assigned_to_me]', () => ({ scope: 'assigned_to_me' }), ['alpha', 'epsilon']],
    ['[2/api.issues/4 assigned_to_me]', () => ({ scope: 'assigned_to_me', author_id: other.user.id }), []],
    ['[2/api.issues/4 all]', () => ({ scope: 'all', author_id: other.user.id }), ['beta']],
    ['[2/api.issues/25 state, opened]', () => ({ state: 'opened' }), ['alpha', 'beta', 'delta', 'gamma']],
    ['[2/api.issues/25 state, closed]', () => ({ state: 'closed' }), ['epsilon']],
    ['[2/api.issues/25 state] every state', () => ({}), all],
    ['[2/api.issues/27 weight]', () => ({ weight: 1 }), ['alpha']],
    ['[2/api.issues/27 weight] weight 0', () => ({ weight: 0 }), ['delta']],
    ['[2/api.issues/27 weight, None]', () => ({ weight: 'None' }), ['beta', 'epsilon', 'gamma']],
    ['[2/api.issues/27 weight, Any]', () => ({ weight: 'Any' }), ['alpha', 'delta']],
    [
      '[2/api.issues/20] not assignee_id',
      () => ({ 'not[assignee_id]': other.user.id }),
      ['alpha', 'beta', 'delta', 'gamma'],
    ],
    [
      '[2/api.issues/20] not assignee_username',
      () => ({ 'not[assignee_username]': other.user.username }),
      ['alpha', 'beta', 'delta', 'gamma'],
    ],
    ['[2/api.issues/20] not author_id', () => ({ 'not[author_id]': owner.user.id }), ['beta']],
    ['[2/api.issues/20] not author_username', () => ({ 'not[author_username]': owner.user.username }), ['beta']],
    ['[2/api.issues/20] not iids', () => ({ 'not[iids][]': 1 }), ['beta', 'delta', 'epsilon', 'gamma']],
    [
      '[2/api.issues/20] not iteration_title',
      () => ({ 'not[iteration_title]': 'Sprint 2' }),
      ['alpha', 'delta', 'epsilon', 'gamma'],
    ],
    [
      '[2/api.issues/20] not iteration_id',
      () => ({ 'not[iteration_id]': 'Current' }),
      ['alpha', 'delta', 'epsilon', 'gamma'],
    ],
    ['[2/api.issues/20] not labels', () => ({ 'not[labels]': 'ui,other' }), ['beta', 'delta', 'epsilon', 'gamma']],
    [
      '[2/api.issues/20] not milestone',
      () => ({ 'not[milestone]': 'started' }),
      ['alpha', 'delta', 'epsilon', 'gamma'],
    ],
    [
      '[2/api.issues/20] not milestone_id',
      () => ({ 'not[milestone_id]': 'Upcoming' }),
      ['alpha', 'beta', 'delta', 'epsilon'],
    ],
    ['[2/api.issues/20] not weight', () => ({ 'not[weight]': 1 }), ['beta', 'delta', 'epsilon', 'gamma']],
  ];
  it.each(cases)('%s', async (_, query, expected) => {
    expect(await sorted(query())).toEqual(expected);
  });

  it('[2/api.issues/9 epic_id] [2/api.issues/14 iteration_id] [2/fields.issue/28 epic, id, iid, title, url, group_id] [2/fields.issue/29] [2/fields.issue/30 iteration, id, iid, sequence, group_id, title, description, state, created_at, updated_at, start_date, due_date, web_url] of one epic or iteration, which the issue shows', async () => {
    const found = (await call(base, { iids: [1] })).body[0] ?? {};
    const [epic, iteration] = [found.epic as Json, found.iteration as Json];
    expect(found.epic_iid).toBe(1);
    expect(epic).toEqual({
      id: expect.any(Number),
      iid: 1,
      title: 'Epic',
      url: `/groups/${group.full_path}/-/epics/1`,
      group_id: group.id,
      human_readable_end_date: null,
      human_readable_timestamp: null,
    });
    expect(iteration).toEqual({
      id: expect.any(Number),
      iid: 1,
      sequence: 1,
      group_id: group.id,
      title: 'Sprint 1',
      description: null,
      state: 3,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      start_date: day(-20),
      due_date: day(-7),
      web_url: `${app.url}/groups/${group.full_path}/-/iterations/${iteration.id}`,
    });
    expect(await titles({ epic_id: epic.id })).toEqual(['alpha']);
    expect(await titles({ epic_id: 999_999 })).toEqual([]);
    expect(await titles({ iteration_id: iteration.id })).toEqual(['alpha']);
  });

  it('[2/api.issues/2] [2/api.issues/4] [2/api.issues/14] [2/api.issues/16] what excludes each other is 400', async () => {
    const refused = async (query: object) => {
      const { status, body } = await call<Json>(base, query);
      return [status, body.error];
    };
    for (const [one, two] of [
      [{ assignee_id: 1 }, { assignee_username: 'x' }],
      [{ author_id: 1 }, { author_username: 'x' }],
      [{ milestone: 'x' }, { milestone_id: 'Any' }],
      [{ iteration_id: 1 }, { iteration_title: 'x' }],
    ] as const) {
      const names = [...Object.keys(one), ...Object.keys(two)].join(', ');
      expect(await refused({ ...one, ...two })).toEqual([400, `${names} are mutually exclusive`]);
    }
    for (const [query, name] of [
      [{ assignee_id: 'somebody' }, 'assignee_id is invalid'],
      [{ milestone_id: 'Soon' }, 'milestone_id does not have a valid value'],
      [{ due_date: 'yesterday' }, 'due_date does not have a valid value'],
      [{ state: 'merged' }, 'state does not have a valid value'],
      [{ order_by: 'id' }, 'order_by does not have a valid value'],
      [{ scope: 'mine' }, 'scope does not have a valid value'],
      [{ weight: 'heavy' }, 'weight is invalid'],
      [{ health_status: 'fine' }, 'health_status does not have a valid value'],
      [{ in: 'comments' }, 'in does not have a valid value'],
      [{ created_after: 'x' }, 'created_after is invalid'],
    ] as const)
      expect(await refused(query)).toEqual([400, name]);
  });
});

describe('days and times', () => {
  it('[2/api.issues/8 due_date, 0, any, today, tomorrow, overdue, week, month, next_month_and_previous_two_weeks] due_date', async () => {
    const of = await buildProject(app, { namespace: group });
    const path = `/projects/${of.id}/issues`;
    const days: Record<string, string | null> = {
      none: null,
      past: day(-400),
      yesterday: day(-1),
      today: day(0),
      tomorrow: day(1),
      'next month': monthStart(1),
      'in two months': monthStart(2),
      'two weeks ago': day(-14),
      'before that': day(-15),
    };
    for (const [title, due_date] of Object.entries(days)) await post(path, { title, due_date });
    const within = (from: string, to: string) =>
      Object.entries(days)
        .filter(([, date]) => date !== null && date >= from && date < to)
        .map(([title]) => title)
        .sort();
    const weekday = (new Date().getUTCDay() + 6) % 7;
    const found = (due_date: string) => sorted({ due_date }, path);
    expect(await found('0')).toEqual(['none']);
    expect(await found('any')).toEqual(within('0001-01-01', '9999-01-01'));
    expect(await found('today')).toEqual(within(day(0), day(1)));
    expect(await found('tomorrow')).toEqual(within(day(1), day(2)));
    expect(await found('overdue')).toEqual(within('0001-01-01', day(0)));
    expect(await found('week')).toEqual(within(day(-weekday), day(7 - weekday)));
    expect(await found('month')).toEqual(within(monthStart(0), monthStart(1)));
    expect(await found('next_month_and_previous_two_weeks')).toEqual(within(day(-14), monthStart(2)));
  });

  it('[2/api.issues/7 created_after, created_before] [2/api.issues/26 updated_after, updated_before] bounds are inclusive', async () => {
    const of = await buildProject(app, { owner: owner.user });
    const path = `/projects/${of.id}/issues`;
    for (const at of [1, 2, 3]) await post(path, { title: String(at), created_at: `2020-01-0${at}T12:00:00.000Z` });
    const middle = '2020-01-02T12:00:00.000Z';
    expect(await sorted({ created_after: middle }, path)).toEqual(['2', '3']);
    expect(await sorted({ created_before: middle }, path)).toEqual(['1', '2']);
    expect(await sorted({ created_after: '2020-01-02T12:00:00.001Z' }, path)).toEqual(['3']);
    expect(await sorted({ updated_after: middle }, path)).toEqual(['2', '3']);
    expect(await sorted({ updated_before: middle }, path)).toEqual(['1', '2']);
    await put(`${path}/1`, { title: 'changed' });
    expect(await sorted({ updated_after: middle }, path)).toEqual(['2', '3', 'changed']);
  });
});

describe('orders and pages', () => {
  let path: string;
  beforeAll(async () => {
    const of = await buildProject(app, { owner: owner.user });
    const stranger = await buildToken(app);
    await buildMember(app, { user: stranger.user, of, level: Level.reporter });
    path = `/projects/${of.id}/issues`;
    const milestones = `/projects/${of.id}/milestones`;
    const [early, late] = [
      await post(milestones, { title: 'early', due_date: '2030-01-01' }),
      await post(milestones, { title: 'late', due_date: '2031-01-01' }),
    ];
    for (const [name, priority] of [
      ['urgent', 1],
      ['later', 5],
    ])
      await post(`/projects/${of.id}/labels`, { name, color: '#ff0000', priority });
    await post(path, { title: 'b', due_date: '2030-05-01', weight: 2, labels: 'later', milestone_id: late.id });
    await post(path, { title: 'A', due_date: '2029-05-01', labels: 'urgent,later', milestone_id: early.id });
    await post(path, { title: 'c', weight: 1, labels: 'urgent', milestone_id: late.id });
    await put(`${path}/1`, { description: 'newest change' });
    await post(`${path}/2/award_emoji`, { name: 'thumbsup' });
    await post(`${path}/2/award_emoji`, { name: 'thumbsup' }, stranger);
    await post(`${path}/3/award_emoji`, { name: 'thumbsup' });
    await post(`${path}/1/award_emoji`, { name: 'tada' });
    const positions = app.db.updateTable('issues').where('project_id', '=', of.id);
    await positions.set({ relative_position: 30 }).where('iid', '=', 2).execute();
    await positions.set({ relative_position: 20 }).where('iid', '=', 3).execute();
  });

  it.each([
    ['created_at', ['b', 'A', 'c']],
    ['updated_at', ['A', 'c', 'b']],
    ['title', ['A', 'b', 'c']],
    ['due_date', ['A', 'b', 'c'], ['b', 'A', 'c']],
    ['weight', ['c', 'b', 'A'], ['b', 'c', 'A']],
    ['label_priority', ['A', 'c', 'b'], ['b', 'c', 'A']],
    ['milestone_due', ['A', 'b', 'c'], ['c', 'b', 'A']],
    ['priority', ['A', 'c', 'b'], ['b', 'c', 'A']],
    ['relative_position', ['c', 'A', 'b'], ['A', 'c', 'b']],
    ['popularity', ['b', 'c', 'A']],
  ] as const)(
    '[2/api.issues/21 %s] [2/api.issues/24 sort, asc, desc] [2/api.issues/21 order_by] both ways, and by cursor',
    async (order_by, up, down?) => {
      expect(await titles({ order_by, sort: 'asc' }, path)).toEqual(up);
      const expected = down ?? [...up].reverse();
      expect(await titles({ order_by, sort: 'desc' }, path)).toEqual(expected);
      expect(await titles({ order_by }, path)).toEqual(expected);
      const walked: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const answer = await call(path, {
          order_by,
          sort: 'asc',
          pagination: 'keyset',
          per_page: 1,
          ...(cursor ? { cursor } : {}),
        });
        walked.push(...answer.body.map(({ title }) => String(title)));
        cursor = /cursor=([^&>]+)/.exec(String(answer.headers.get('link') ?? ''))?.[1];
        if (!cursor) break;
      }
      expect(walked).toEqual(up);
    },
  );

  it('[2/api.issues/18 my_reaction_emoji, None, Any] what the caller reacted to', async () => {
    const reacted = (my_reaction_emoji: string) => sorted({ my_reaction_emoji }, path);
    expect(await reacted('thumbsup')).toEqual(['A', 'c']);
    expect(await reacted('tada')).toEqual(['b']);
    expect(await reacted('Any')).toEqual(['A', 'b', 'c']);
    expect(await reacted('None')).toEqual([]);
    expect(await sorted({ 'not[my_reaction_emoji]': 'tada' }, path)).toEqual(['A', 'c']);
    expect((await call(path, { iids: [2] })).body[0]).toMatchObject({ upvotes: 2, downvotes: 0 });
  });

  it('[2/api.issues/21] [2/api.issues/24] the newest come first', async () => {
    expect(await titles({}, path)).toEqual(['c', 'A', 'b']);
  });

  it('pages tell how many there are', async () => {
    const answer = await call(path, { per_page: 2, page: 2 });
    expect(answer.body.map(({ title }) => title)).toEqual(['b']);
    expect(answer.headers.get('x-total')).toBe('3');
  });

  it('[2/api.issues/28] labels with details', async () => {
    const [first] = (await call(path, { iids: [3], with_labels_details: true })).body;
    expect(first?.labels).toEqual([
      expect.objectContaining({
        name: 'urgent',
        color: '#ff0000',
        description: null,
        description_html: '',
        text_color: '#FFFFFF',
      }),
    ]);
    expect((await call(path, { iids: [3] })).body[0]?.labels).toEqual(['urgent']);
  });
});

describe('places', () => {
  beforeAll(async () => {
    await post(`/projects/${below.id}/issues`, { title: 'deep' });
    await post(`/projects/${below.id}/issues`, { title: 'deep of other' }, other);
  });

  it('[2/api.issues/29 GET /groups/:id/issues, epic_id] of a group with the groups below', async () => {
    const path = `/groups/${group.id}/issues`;
    expect(await titles({}, path)).toContain('deep');
    expect(await titles({ author_id: other.user.id }, path)).toEqual(['deep of other', 'beta']);
    expect(await titles({ epic_id: 'Any' }, path)).toEqual(['alpha']);
    expect(await titles({}, `/groups/${subgroup.id}/issues`)).toEqual(['deep of other', 'deep']);
    expect((await call(path, {}, null)).status).toBe(404);
    const [found] = (await call(path, { search: 'deep other' })).body;
    const full = `${subgroup.full_path}/${below.path}`;
    expect(found?.references).toEqual({ short: '#2', relative: `${full}#2`, full: `${full}#2` });
    const [own] = (await call(path, { search: 'alpha', in: 'title' })).body;
    expect(own?.references).toMatchObject({
      relative: `${project.path}#1`,
      full: `${group.full_path}/${project.path}#1`,
    });
  });

  it('[2/api.issues/1] [2/api.issues/22 scope, created_by_me, assigned_to_me, all] [2/api.issues/29 GET /issues] [2/fields.issue/19 reference, references, short, relative, full] everywhere: those of the caller unless more is asked', async () => {
    expect(await titles({}, '/issues', other)).toEqual(['deep of other', 'beta']);
    expect(await titles({ scope: 'assigned_to_me' }, '/issues', other)).toEqual(['epsilon']);
    expect(await titles({ scope: 'all' }, '/issues', other)).toContain('alpha');
    const stranger = await buildToken(app);
    expect(await titles({ scope: 'all' }, '/issues', stranger)).not.toContain('alpha');
    expect((await call('/issues', {}, null)).status).toBe(401);
    expect(await titles({ scope: 'all' }, '/issues', null)).not.toContain('alpha');
    const [found = {}] = (await call('/issues', {}, other)).body;
    const references = found.references as Json;
    expect([references.relative, found.reference]).toEqual([references.full, references.short]);
  });

  it('[2/api.issues/19] without archived projects', async () => {
    const archived = await buildProject(app, { namespace: group });
    await post(`/projects/${archived.id}/issues`, { title: 'kept' });
    await app.db.updateTable('projects').set({ archived: true }).where('id', '=', archived.id).execute();
    for (const path of ['/issues', `/groups/${group.id}/issues`]) {
      expect(await titles({}, path)).not.toContain('kept');
      expect(await titles({ non_archived: true }, path)).not.toContain('kept');
      expect(await titles({ non_archived: false }, path)).toContain('kept');
    }
    expect(await titles({}, `/projects/${archived.id}/issues`)).toEqual(['kept']);
  });

  it('statistics count by state', async () => {
    const counts = async (path: string, query: object = {}) =>
      (await call<{ statistics: { counts: Json } }>(path, query)).body.statistics.counts;
    expect(await counts(`/projects/${project.id}/issues_statistics`)).toEqual({ all: 5, opened: 4, closed: 1 });
    expect(await counts(`/projects/${project.id}/issues_statistics`, { labels: 'bug' })).toEqual({
      all: 2,
      opened: 2,
      closed: 0,
    });
    const ofGroup = await counts(`/groups/${subgroup.id}/issues_statistics`);
    expect(ofGroup).toEqual({ all: 2, opened: 2, closed: 0 });
    expect(await counts('/issues_statistics', { author_username: other.user.username, scope: 'all' })).toEqual({
      all: 2,
      opened: 2,
      closed: 0,
    });
    expect((await call('/issues_statistics', {}, null)).status).toBe(401);
  });

  it('[3/api.group-milestones/7 GET, /:milestone_id/issues] of a milestone, of its own group only unless more is asked', async () => {
    const milestone = await post(`/groups/${group.id}/milestones`, { title: 'shared' });
    await post(base, { title: 'planned', milestone_id: milestone.id });
    await post(`/projects/${below.id}/issues`, { title: 'planned below', milestone_id: milestone.id });
    const path = `/groups/${group.id}/milestones/${milestone.id}/issues`;
    expect(await titles({}, path)).toEqual(['planned']);
    expect(await sorted({ include_subgroups: true }, path)).toEqual(['planned', 'planned below']);
    const own = await post(`/projects/${project.id}/milestones`, { title: 'own' });
    await post(base, { title: 'planned here', milestone_id: own.id, confidential: true });
    expect(await titles({}, `/projects/${project.id}/milestones/${own.id}/issues`)).toEqual(['planned here']);
    expect((await call(`/projects/${below.id}/milestones/${own.id}/issues`)).status).toBe(404);
  });

  it('labels and milestones of a group go along when a project moves away', async () => {
    const from = await buildGroup(app, { owner: owner.user });
    const moving = await buildProject(app, { namespace: from });
    await post(`/groups/${from.id}/labels`, { name: 'shared', color: '#00ff00' });
    const milestone = await post(`/groups/${from.id}/milestones`, { title: 'v9' });
    const path = `/projects/${moving.id}/issues`;
    await post(path, { title: 'x', labels: 'shared', milestone_id: milestone.id });
    const to = await buildGroup(app, { owner: owner.user });
    expect(
      (await app.api('PUT', `/projects/${moving.id}/transfer`, { token: owner.secret, json: { namespace: to.id } }))
        .status,
    ).toBe(200);
    const [found] = (await call(path)).body;
    expect(found).toMatchObject({ labels: ['shared'], milestone: { title: 'v9', project_id: moving.id } });
  });
});
