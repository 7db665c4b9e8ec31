/** Issues over HTTP: create, read, change, delete, and who may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let reporter: BuiltToken;
let planner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let admin: BuiltToken;
let project: Project;
let base: string;

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  [reporter, planner, guest, stranger] = [
    await buildToken(app),
    await buildToken(app),
    await buildToken(app),
    await buildToken(app),
  ];
  admin = await buildToken(app, { user: await buildAdmin(app) });
  const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  for (const [{ user }, level] of [
    [reporter, Level.reporter],
    [planner, Level.planner],
    [guest, Level.guest],
  ] as const)
    await buildMember(app, { user, of: group, level });
  project = await buildProject(app, { namespace: group, visibility: 'public' });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());

const call = <T = Json>(method: Method, path: string, token: BuiltToken | null, json?: object, query?: object) =>
  app.api<T>(method, path, {
    ...(token ? { token: token.secret } : {}),
    ...(json ? { json } : {}),
    ...(query ? { query: { ...query } } : {}),
  });
async function make(json: Json = {}, by = owner): Promise<Json> {
  const answer = await call('POST', base, by, { title: 'An issue', ...json });
  expect([answer.status, answer.body.message ?? answer.body.error ?? '']).toEqual([201, '']);
  return answer.body;
}
const at = (issue: Json) => `${base}/${issue.iid}`;
const change = (issue: Json, json: Json, by = owner) => call('PUT', at(issue), by, json);

describe('creating', () => {
  it('[2/fields.issue/1 id, iid, project_id] [2/fields.issue/2 title, description] [2/fields.issue/3 state, opened] [2/fields.issue/4 created_at, updated_at] [2/fields.issue/5] [2/fields.issue/6] [2/fields.issue/7] [2/fields.issue/8] [2/fields.issue/9] [2/fields.issue/10 milestone, id, iid, project_id, title, description, state, due_date, created_at, updated_at] [2/fields.issue/11] [2/fields.issue/12 type, ISSUE] [2/fields.issue/13 issue_type, issue] [2/fields.issue/14 severity, UNKNOWN] [2/fields.issue/15 upvotes, downvotes, merge_requests_count, user_notes_count] [2/fields.issue/16] [2/fields.issue/17] [2/fields.issue/18] [2/fields.issue/19 reference, references, short, relative, full] [2/fields.issue/20 time_stats, time_estimate, total_time_spent, human_time_estimate, human_total_time_spent] [2/fields.issue/21] [2/fields.issue/22] [2/fields.issue/23 task_completion_status, count, completed_count] [2/fields.issue/24 confidential, discussion_locked] [2/fields.issue/26 _links, self, notes, award_emoji, project, closed_as_duplicate_of] [2/fields.issue/27] [2/fields.issue/31 health_status, on_track] answers the issue with every field', async () => {
    const milestone = await call('POST', `/projects/${project.id}/milestones`, owner, {
      title: 'v1',
      due_date: '2030-01-01',
    });
    const path = `${(await call('GET', `/projects/${project.id}`, owner)).body.path_with_namespace}`;
    const made = await make({
      title: ' Everything ',
      description: '- [x] done\n- [ ] open\n\n    - [ ] code is no task? it is: four spaces below a list\n',
      labels: 'b,a',
      milestone_id: milestone.body.id,
      assignee_ids: [guest.user.id, owner.user.id],
      due_date: '2031-02-03',
      start_date: '2031-01-01',
      weight: 3,
      health_status: 'on_track',
      confidential: false,
      discussion_locked: true,
    });
    const api = `${app.url}/api/v4/projects/${project.id}`;
    const reference = (user: BuiltToken) => expect.objectContaining({ id: user.user.id, username: user.user.username });
    expect(made).toEqual({
      id: expect.any(Number),
      iid: made.iid,
      project_id: project.id,
      title: 'Everything',
      description: expect.stringContaining('- [x] done'),
      state: 'opened',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      closed_at: null,
      closed_by: null,
      labels: ['a', 'b'],
      milestone: milestone.body,
      assignees: [reference(guest), reference(owner)],
      author: reference(owner),
      type: 'ISSUE',
      assignee: reference(guest),
      user_notes_count: 0,
      merge_requests_count: 0,
      upvotes: 0,
      downvotes: 0,
      start_date: '2031-01-01',
      due_date: '2031-02-03',
      confidential: false,
      discussion_locked: true,
      issue_type: 'issue',
      web_url: `${app.url}/${path}/-/issues/${made.iid}`,
      time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
      task_completion_status: { count: 3, completed_count: 1 },
      weight: 3,
      blocking_issues_count: 0,
      has_tasks: true,
      task_status: '1 of 3 checklist items completed',
      _links: {
        self: `${api}/issues/${made.iid}`,
        notes: `${api}/issues/${made.iid}/notes`,
        award_emoji: `${api}/issues/${made.iid}/award_emoji`,
        project: api,
        closed_as_duplicate_of: null,
      },
      reference: '#1',
      references: { short: `#${made.iid}`, relative: `#${made.iid}`, full: `${path}#${made.iid}` },
      severity: 'UNKNOWN',
      moved_to_id: null,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
      epic_iid: null,
      epic: null,
      iteration: null,
      health_status: 'on_track',
      subscribed: true,
    });
    expect((await call('GET', at(made), owner)).body).toEqual(made);
    expect(
      await app.db.selectFrom('facts').selectAll().where('kind', '=', 'issue.opened').executeTakeFirst(),
    ).toMatchObject({ project_id: project.id, actor_id: owner.user.id, payload: { issue_id: made.id, iid: made.iid } });
    // Nobody ever locked this one: a boolean all the same.
    expect((await make({})).discussion_locked).toBe(false);
  });

  it('[2/fields.issue/1 iid] [2/api.issues/35] numbers run within a project', async () => {
    const first = Number((await make()).iid);
    expect((await make()).iid).toBe(first + 1);
    await call('DELETE', `${base}/${first + 1}`, owner);
    expect((await make()).iid).toBe(first + 2);
    const other = await buildProject(app, { owner: owner.user });
    expect((await call('POST', `/projects/${other.id}/issues`, owner, { title: 'x' })).body.iid).toBe(1);
  });

  it('texts are checked', async () => {
    const post = async (json: Json) => {
      const { status, body } = await call('POST', base, owner, json);
      return [status, body];
    };
    expect(await post({})).toEqual([400, { error: 'title is missing' }]);
    expect(await post({ title: ' ' })).toEqual([400, { message: { title: ["can't be blank"] } }]);
    expect(await post({ title: 'x'.repeat(256) })).toEqual([
      400,
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ]);
    expect(await post({ title: 'x', issue_type: 'story' })).toEqual([
      400,
      { error: 'issue_type does not have a valid value' },
    ]);
    expect((await post({ title: 'x', due_date: '2030-02-31' }))[0]).toBe(400);
    expect((await post({ title: 'x', weight: -1 }))[0]).toBe(400);
  });

  it('owners say the number and the time; others are passed over', async () => {
    const created_at = '2016-03-11T03:45:40.000Z';
    expect(await make({ iid: 9001, created_at })).toMatchObject({ iid: 9001, created_at });
    expect((await make()).iid).toBe(9002);
    const by = await make({ iid: 12_000, created_at }, planner);
    expect(by.iid).toBe(9003);
    expect(by.created_at).not.toBe(created_at);
    expect(await call('POST', base, owner, { title: 'x', iid: 9001 })).toMatchObject({
      status: 409,
      body: { message: 'Duplicated issue' },
    });
  });

  it('members plan what they create, others only propose', async () => {
    const plan = { labels: ['c'], weight: 2, assignee_ids: [guest.user.id], due_date: '2030-01-01' };
    expect(await make(plan, guest)).toMatchObject({
      weight: 2,
      due_date: '2030-01-01',
      assignee: { id: guest.user.id },
    });
    expect(await make({ ...plan, confidential: true }, stranger)).toMatchObject({
      weight: null,
      due_date: null,
      labels: [],
      assignees: [],
      confidential: true,
    });
    expect((await make({ issue_type: 'incident' }, guest)).issue_type).toBe('issue');
    expect(await make({ issue_type: 'incident', severity: 'high' }, planner)).toMatchObject({
      issue_type: 'incident',
      type: 'INCIDENT',
      severity: 'HIGH',
    });
  });

  it('nobody is assigned who does not see it', async () => {
    const secret = await buildProject(app, { owner: owner.user });
    const made = await call('POST', `/projects/${secret.id}/issues`, owner, {
      title: 'x',
      assignee_ids: [stranger.user.id, owner.user.id, 999_999_999],
    });
    expect((made.body.assignees as Json[]).map(({ id }) => id)).toEqual([owner.user.id]);
  });
});

describe('changing', () => {
  it('[2/fields.issue/13 issue, incident, test_case] is made as each type and turned into each other', async () => {
    const types = ['issue', 'incident', 'test_case'];
    for (const type of types) {
      const issue = await make({ issue_type: type });
      const shown = { issue_type: type, type: type.toUpperCase() };
      expect(issue).toMatchObject(shown);
      expect((await call('GET', at(issue), owner)).body).toMatchObject(shown);
      for (const next of types.filter((each) => each !== type)) {
        expect((await change(issue, { issue_type: next })).body).toMatchObject({ issue_type: next });
        expect((await change(issue, { issue_type: type })).body).toMatchObject(shown);
      }
    }
  });

  it('[2/states.issue-state/1 opened, closed] [2/fields.issue/3 closed] closes and opens again', async () => {
    const issue = await make();
    const closed = await change(issue, { state_event: 'close' }, planner);
    expect(closed.body).toMatchObject({ state: 'closed', closed_by: { id: planner.user.id } });
    expect(closed.body.closed_at).toEqual(expect.any(String));
    expect((await change(issue, { state_event: 'close' }, owner)).body).toMatchObject({
      state: 'closed',
      closed_by: { id: planner.user.id },
    });
    expect((await change(issue, { state_event: 'reopen' })).body).toMatchObject({
      state: 'opened',
      closed_by: null,
      closed_at: null,
    });
    expect((await change(issue, { state_event: 'finish' })).body).toEqual({
      error: 'state_event does not have a valid value',
    });
    const kinds = await app.db
      .selectFrom('facts')
      .select('kind')
      .where('kind', 'like', 'issue.%')
      .orderBy('id', 'desc')
      .limit(3)
      .execute();
    expect(kinds.map(({ kind }) => kind)).toEqual(['issue.reopened', 'issue.updated', 'issue.closed']);
  });

  it('texts, labels, people, dates', async () => {
    const issue = await make({ labels: 'one,two', assignee_ids: [guest.user.id], weight: 1, due_date: '2030-01-01' });
    const changed = await change(issue, {
      title: 'Other',
      description: 'Text',
      labels: 'two,three',
      assignee_ids: [owner.user.id],
      weight: null,
      due_date: '',
      discussion_locked: true,
      confidential: true,
      issue_type: 'test_case',
    });
    expect(changed.body).toMatchObject({
      title: 'Other',
      description: 'Text',
      labels: ['three', 'two'],
      assignees: [{ id: owner.user.id }],
      weight: null,
      due_date: null,
      discussion_locked: true,
      confidential: true,
      issue_type: 'test_case',
    });
    expect((await change(issue, { add_labels: 'four', remove_labels: 'two' })).body.labels).toEqual(['four', 'three']);
    expect((await change(issue, { labels: ['five', 'six, seven'] })).body.labels).toEqual(['five', 'seven', 'six']);
    expect((await change(issue, { labels: '' })).body.labels).toEqual([]);
    expect((await change(issue, { assignee_ids: [0] })).body.assignees).toEqual([]);
    expect((await change(issue, { assignee_id: guest.user.id })).body.assignee).toMatchObject({ id: guest.user.id });
    expect((await change(issue, { assignee_ids: [] })).body.assignee).toBeNull();
    expect((await change(issue, { milestone_id: 0 })).body.milestone).toBeNull();
  });

  it('needs something to change', async () => {
    const issue = await make();
    const { status, body } = await change(issue, {});
    expect(status).toBe(400);
    expect(body.error).toMatch(/^assignee_id, .*title.* are missing, at least one parameter must be provided$/);
  });

  it('whoever wrote it or is to do it changes its texts and state only', async () => {
    const own = await make({}, stranger);
    expect((await change(own, { title: 'Mine', labels: 'x', weight: 3 }, stranger)).body).toMatchObject({
      title: 'Mine',
      labels: [],
      weight: null,
    });
    expect((await change(own, { title: 'Not mine' }, guest)).status).toBe(403);
    await change(own, { assignee_ids: [guest.user.id] });
    expect((await change(own, { state_event: 'close' }, guest)).body.state).toBe('closed');
    expect((await call('PUT', at(own), null, { title: 'x' })).status).toBe(401);
  });

  it('the number of open issues of the project follows', async () => {
    const of = await buildProject(app, { owner: owner.user });
    const open = async () => (await call('GET', `/projects/${of.id}`, owner)).body.open_issues_count;
    const target = `/projects/${of.id}/issues`;
    for (const title of ['a', 'b', 'c']) await call('POST', target, owner, { title });
    expect(await open()).toBe(3);
    await call('PUT', `${target}/1`, owner, { state_event: 'close' });
    await call('DELETE', `${target}/2`, owner);
    expect(await open()).toBe(1);
    await call('PUT', `${target}/1`, owner, { state_event: 'reopen' });
    expect(await open()).toBe(2);
  });

  it('the number of open issues that a project shows says nothing about confidential ones, to whoever asks', async () => {
    const of = await buildProject(app, { owner: owner.user, visibility: 'public' });
    const counts = () =>
      Promise.all(
        [owner, stranger].map(async (by) => (await call('GET', `/projects/${of.id}`, by)).body.open_issues_count),
      );
    const target = `/projects/${of.id}/issues`;
    await call('POST', target, owner, { title: 'For all' });
    await call('POST', target, owner, { title: 'For few', confidential: true });
    expect(await counts()).toEqual([1, 1]);
    await call('PUT', `${target}/2`, owner, { state_event: 'close' });
    await call('PUT', `${target}/2`, owner, { state_event: 'reopen' });
    expect(await counts()).toEqual([1, 1]);
    await call('PUT', `${target}/2`, owner, { confidential: false });
    expect(await counts()).toEqual([2, 2]);
    await call('PUT', `${target}/1`, owner, { confidential: true });
    expect(await counts()).toEqual([1, 1]);
    await call('PUT', `${target}/1`, owner, { confidential: false, state_event: 'close' });
    await call('PUT', `${target}/1`, owner, { confidential: true, state_event: 'reopen' });
    await call('DELETE', `${target}/1`, owner);
    expect(await counts()).toEqual([1, 1]);
    await call('DELETE', `${target}/2`, owner);
    expect(await counts()).toEqual([0, 0]);
  });

  it('labels count the issues that have them', async () => {
    const issue = await make({ labels: 'counted' });
    await make({ labels: 'counted', confidential: true });
    await change(issue, { state_event: 'close' });
    const counted = async (by: BuiltToken) =>
      (
        await call<Json[]>('GET', `/projects/${project.id}/labels`, by, undefined, {
          with_counts: true,
          search: 'counted',
        })
      ).body[0];
    expect(await counted(planner)).toMatchObject({ open_issues_count: 1, closed_issues_count: 1 });
    expect(await counted(guest)).toMatchObject({ open_issues_count: 0, closed_issues_count: 1 });
  });
});

describe('who sees and may', () => {
  it('confidential ones are for planners, authors and assignees', async () => {
    const issue = await make({ confidential: true, title: 'Hidden' }, stranger);
    const status = async (by: BuiltToken | null) => (await call('GET', at(issue), by)).status;
    expect([await status(owner), await status(planner), await status(stranger)]).toEqual([200, 200, 200]);
    expect([await status(guest), await status(null)]).toEqual([404, 404]);
    expect((await call('GET', at(issue), guest)).body).toEqual({ message: '404 Not found' });
    const seen = async (by: BuiltToken | null) =>
      (await call<Json[]>('GET', base, by, undefined, { iids: [issue.iid] })).body.length;
    expect([await seen(planner), await seen(stranger), await seen(guest), await seen(null)]).toEqual([1, 1, 0, 0]);
    await change(issue, { assignee_ids: [guest.user.id] });
    expect([await status(guest), await seen(guest)]).toEqual([200, 1]);
  });

  it('planners and owners delete', async () => {
    const [first, second] = [await make(), await make()];
    expect((await call('DELETE', at(first), reporter)).status).toBe(403);
    expect((await call('DELETE', at(first), null)).status).toBe(401);
    expect((await call('DELETE', at(first), planner)).status).toBe(204);
    expect((await call('DELETE', at(second), owner)).status).toBe(204);
    expect((await call('GET', at(first), owner)).status).toBe(404);
  });

  it('by id for administrators', async () => {
    const issue = await make({ confidential: true });
    expect((await call('GET', `/issues/${issue.id}`, admin)).body).toMatchObject({ iid: issue.iid });
    expect((await call('GET', `/issues/${issue.id}`, owner)).status).toBe(403);
    expect((await call('GET', '/issues/999999999', admin)).body).toEqual({ message: '404 Not found' });
  });

  it('administrators see from where one was created', async () => {
    const json = { title: 'From a browser' };
    const headers = { 'user-agent': 'Browser/1.0' };
    const made = await app.api<Json & { iid: number }>('POST', `/projects/${project.id}/issues`, {
      token: owner.secret,
      json,
      headers,
    });
    const path = `/projects/${project.id}/issues/${made.body.iid}/user_agent_detail`;
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(403);
    expect((await call('GET', path, admin)).body).toEqual({
      user_agent: 'Browser/1.0',
      ip_address: '127.0.0.1',
      akismet_submitted: false,
    });
  });

  it('the project switches issues off and keeps them for members', async () => {
    const of = await buildProject(app, { owner: owner.user, visibility: 'public', issues_access_level: 'private' });
    const target = `/projects/${of.id}/issues`;
    expect((await call('POST', target, owner, { title: 'x' })).status).toBe(201);
    expect((await call('GET', target, stranger)).status).toBe(403);
    expect((await call('POST', target, stranger, { title: 'x' })).status).toBe(403);
    await call('PUT', `/projects/${of.id}`, owner, { issues_access_level: 'disabled' });
    expect((await call('GET', target, owner)).status).toBe(403);
    expect((await call('GET', `${target}/1`, owner)).status).toBe(403);
    const all = await call<Json[]>('GET', '/issues', owner, undefined, { scope: 'all', per_page: 100 });
    expect(all.body.filter(({ project_id }) => project_id === of.id)).toEqual([]);
  });

  it('security 17: one of another project is not found through this one', async () => {
    const issue = await make();
    const other = await buildProject(app, { owner: owner.user });
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(
        (
          await call(
            method,
            `/projects/${other.id}/issues/${issue.iid}`,
            owner,
            method === 'PUT' ? { title: 'x' } : undefined,
          )
        ).status,
      ).toBe(404);
  });
});
