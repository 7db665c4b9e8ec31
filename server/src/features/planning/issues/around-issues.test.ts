/** What is around issues: comments, time, links, order, participants; and iterations of groups. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let group: Namespace;
let project: Project;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  project = await buildProject(app, { namespace: group });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());

const call = <T = Json>(
  method: Method,
  path: string,
  token: BuiltToken | null = owner,
  json?: object,
  query: object = {},
) =>
  app.api<T>(method, path, {
    ...(token ? { token: token.secret } : {}),
    ...(json ? { json } : {}),
    query: { ...query },
  });
async function make(json: Json = {}, by = owner): Promise<Json> {
  const { status, body } = await call('POST', base, by, { title: 'An issue', ...json });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const notes = async (issue: Json) =>
  (await call<Json[]>('GET', `${base}/${issue.iid}/notes`, owner, undefined, { sort: 'asc' })).body.map(
    ({ body }) => body,
  );

describe('comments', () => {
  it('[2/fields.issue/15] are counted, and what happened is written among them', async () => {
    const issue = await make({ title: 'Old' });
    const said = await call('POST', `${base}/${issue.iid}/notes`, guest, { body: 'Hello' });
    expect(said).toMatchObject({
      status: 201,
      body: { noteable_type: 'Issue', noteable_iid: issue.iid, body: 'Hello' },
    });
    await call('PUT', `${base}/${issue.iid}`, owner, {
      title: 'New',
      description: 'x',
      start_date: '2030-01-01',
      due_date: '2030-01-02',
      health_status: 'at_risk',
      confidential: true,
      discussion_locked: true,
      assignee_ids: [guest.user.id],
    });
    await call('PUT', `${base}/${issue.iid}`, owner, {
      due_date: null,
      health_status: null,
      assignee_ids: [owner.user.id],
    });
    expect(await notes(issue)).toEqual([
      'Hello',
      'changed title from **Old** to **New**',
      'changed the description',
      'made the issue confidential',
      'locked the discussion in this issue',
      'changed start date to January 01, 2030 and changed due date to January 02, 2030',
      'changed health status to **at risk**',
      `assigned to @${guest.user.username}`,
      'removed due date January 02, 2030',
      'removed health status **at risk**',
      `assigned to @${owner.user.username} and unassigned @${guest.user.username}`,
    ]);
    expect((await call('GET', `${base}/${issue.iid}`)).body.user_notes_count).toBe(1);
    const thread = await call('POST', `${base}/${issue.iid}/discussions`, owner, { body: 'A thread' });
    expect(thread).toMatchObject({ status: 201, body: { individual_note: false } });
  });

  it('are read, changed, answered, resolved and removed', async () => {
    const issue = await make();
    const path = `${base}/${issue.iid}`;
    const { body: note } = await call('POST', `${path}/notes`, owner, { body: 'first' });
    expect((await call('GET', `${path}/notes/${note.id}`, guest)).body).toEqual(note);
    expect((await call('PUT', `${path}/notes/${note.id}`, owner, { body: 'second' })).body.body).toBe('second');
    expect((await call('DELETE', `${path}/notes/${note.id}`)).status).toBe(204);
    const { body: thread } = await call('POST', `${path}/discussions`, guest, { body: 'thread' });
    const at = `${path}/discussions/${thread.id}`;
    const reply = await call('POST', `${at}/notes`, owner, { body: 'reply' });
    expect(reply.status).toBe(201);
    expect((await call<Json[]>('GET', `${path}/discussions`)).body.map(({ id }) => id)).toEqual([thread.id]);
    expect(((await call('GET', at)).body.notes as Json[]).map(({ body }) => body)).toEqual(['thread', 'reply']);
    expect((await call<Json[]>('GET', `${at}/notes`)).body).toHaveLength(2);
    expect((await call('GET', `${at}/notes/${reply.body.id}`)).body.body).toBe('reply');
    expect((await call('PUT', `${at}/notes/${reply.body.id}`, owner, { body: 'better' })).body.body).toBe('better');
    const resolved = await call('PUT', at, guest, { resolved: true });
    expect([resolved.status, (resolved.body.notes as Json[])[0]?.resolved]).toEqual([200, true]);
    expect((await call('DELETE', `${at}/notes/${reply.body.id}`)).status).toBe(204);
    await call('DELETE', path);
    const left = await app.db.selectFrom('notes').select('id').where('noteable_type', '=', 'issue').execute();
    expect(left.map(({ id }) => id)).not.toContain((thread.notes as Json[])[0]?.id);
  });

  it('nobody comments on what they do not see', async () => {
    const issue = await make({ confidential: true });
    for (const method of ['GET', 'POST'] as const)
      expect(
        (await call(method, `${base}/${issue.iid}/notes`, guest, method === 'POST' ? { body: 'x' } : undefined)).status,
      ).toBe(404);
  });

  it('who takes part', async () => {
    const issue = await make({ assignee_ids: [owner.user.id] });
    await call('POST', `${base}/${issue.iid}/notes`, guest, { body: 'Hello' });
    const found = await call<Json[]>('GET', `${base}/${issue.iid}/participants`);
    expect(found.body.map(({ id }) => id)).toEqual([owner.user.id, guest.user.id]);
  });
});

describe('time', () => {
  const none = { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null };

  it('[2/api.issues/33] [2/api.issues/34 POST .../:issue_iid/reset_time_estimate, POST .../:issue_iid/add_spent_time, duration, summary, POST .../:issue_iid/reset_spent_time, GET .../:issue_iid/time_stats] [2/fields.issue/20] [2/fields.time-stats/1 time_estimate, total_time_spent, human_time_estimate, human_total_time_spent] is estimated, spent and taken back', async () => {
    const issue = await make();
    const at = (name: string, json?: Json, by = owner) => call('POST', `${base}/${issue.iid}/${name}`, by, json ?? {});
    expect(await at('time_estimate', { duration: '3h30m' })).toMatchObject({
      status: 200,
      body: { ...none, time_estimate: 12_600, human_time_estimate: '3h 30m' },
    });
    expect(await at('add_spent_time', { duration: '1h', summary: 'reading' })).toMatchObject({
      status: 201,
      body: { total_time_spent: 3600, human_total_time_spent: '1h', time_estimate: 12_600 },
    });
    expect((await at('add_spent_time', { duration: '-30m' })).body.human_total_time_spent).toBe('30m');
    expect(await at('add_spent_time', { duration: '-2h' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Time to subtract exceeds the total time spent'] } },
    });
    const stats = (await call('GET', `${base}/${issue.iid}/time_stats`, guest)).body;
    expect(stats).toEqual({
      time_estimate: 12_600,
      total_time_spent: 1800,
      human_time_estimate: '3h 30m',
      human_total_time_spent: '30m',
    });
    expect((await call('GET', `${base}/${issue.iid}`)).body.time_stats).toEqual(stats);
    expect(await at('reset_time_estimate')).toMatchObject({ status: 200, body: { time_estimate: 0 } });
    expect(await at('reset_spent_time')).toMatchObject({ status: 200, body: none });
    expect(await notes(issue)).toEqual([
      'added time estimate of 3h 30m',
      'added 1h of time spent',
      'subtracted 30m of time spent',
      'removed time estimate of 3h 30m',
      'removed time spent',
    ]);
    const say = (body: string) => at('notes', { body });
    expect(await say('/spend -1h')).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Note {:validation=>["Time to subtract exceeds the total time spent"]}' },
    });
    await say('/spend 2h 2020-01-05');
    for (const duration of ['1h', '2h']) await at('time_estimate', { duration });
    expect((await notes(issue)).slice(5)).toEqual([
      'added 2h of time spent at 2020-01-05',
      'added time estimate of 1h',
      'changed time estimate to 2h from 1h',
    ]);
    expect(await at('time_estimate', { duration: 'soon' })).toMatchObject({
      status: 400,
      body: { message: { time_estimate: ['must have a valid format and be greater than or equal to zero.'] } },
    });
    expect((await at('time_estimate', {})).body).toEqual({ error: 'duration is missing' });
    expect((await at('time_estimate', { duration: '1h' }, guest)).status).toBe(403);
    expect((await call('GET', `${base}/${issue.iid}/time_stats`, null)).status).toBe(404);
    const hidden = await make({ confidential: true });
    expect((await call('GET', `${base}/${hidden.iid}/time_stats`, guest)).status).toBe(404);
  });

  it('[2/fields.time-stats/1] the same of merge requests', async () => {
    const repository = await buildRepositoryProject(app, { owner });
    await repository.commit('work', { 'a.txt': 'a' }, { start_branch: 'main' });
    const json = { source_branch: 'work', target_branch: 'main', title: 'Work' };
    await repository.api('POST', '/merge_requests', { json });
    const post = (name: string, body: Json = {}) => repository.api('POST', `/merge_requests/1/${name}`, { json: body });
    expect((await post('time_estimate', { duration: '1d' })).body).toMatchObject({ human_time_estimate: '1d' });
    expect((await post('add_spent_time', { duration: '1w' })).status).toBe(201);
    const shown = {
      time_estimate: 28_800,
      total_time_spent: 144_000,
      human_time_estimate: '1d',
      human_total_time_spent: '1w',
    };
    expect((await repository.api('GET', '/merge_requests/1/time_stats')).body).toEqual(shown);
    expect((await repository.api('GET', '/merge_requests/1')).body.time_stats).toEqual(shown);
    expect((await post('reset_time_estimate')).body.time_estimate).toBe(0);
    expect((await post('reset_spent_time')).body.total_time_spent).toBe(0);
  });
});

describe('links', () => {
  it('relate and block, seen from both sides', async () => {
    const [one, two, three] = [
      await make({ title: 'one' }),
      await make({ title: 'two' }),
      await make({ title: 'three' }),
    ];
    const link = (from: Json, to: Json, link_type?: string, by = owner) =>
      call('POST', `${base}/${from.iid}/links`, by, {
        target_project_id: String(project.id),
        target_issue_iid: to.iid,
        ...(link_type ? { link_type } : {}),
      });
    expect(await link(one, two)).toMatchObject({
      status: 201,
      body: { source_issue: { title: 'one' }, target_issue: { title: 'two' }, link_type: 'relates_to' },
    });
    expect((await link(two, one)).status).toBe(409);
    const blocked = await link(one, three, 'is_blocked_by');
    expect(blocked.body).toMatchObject({
      source_issue: { title: 'one' },
      target_issue: { title: 'three' },
      link_type: 'is_blocked_by',
    });
    const list = async (of: Json, by = owner) =>
      (await call<Json[]>('GET', `${base}/${of.iid}/links`, by)).body.map(({ title, link_type }) => [title, link_type]);
    expect(await list(one)).toEqual([
      ['two', 'relates_to'],
      ['three', 'is_blocked_by'],
    ]);
    expect(await list(three)).toEqual([['one', 'blocks']]);
    expect((await call('GET', `${base}/${three.iid}`)).body.blocking_issues_count).toBe(1);
    const id = blocked.body.id;
    expect((await call('GET', `${base}/${three.iid}/links/${id}`)).body).toMatchObject({
      link_type: 'blocks',
      source_issue: { title: 'three' },
    });
    expect((await call('GET', `${base}/${two.iid}/links/${id}`)).status).toBe(404);
    expect(await call('DELETE', `${base}/${one.iid}/links/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await list(three)).toEqual([]);
    expect(await notes(three)).toEqual([
      `marked this issue as blocking #${one.iid}`,
      `removed the relation with #${one.iid}`,
    ]);
    await call('PUT', `${base}/${two.iid}`, owner, { confidential: true });
    expect(await list(one, guest)).toEqual([]);
    const missing = { message: 'No matching issue found. Make sure that you are adding a valid issue URL.' };
    expect((await link(one, { iid: 99_999 })).body).toEqual(missing);
    expect((await link(one, two, 'blocks', guest)).body).toEqual(missing);
    expect((await link(one, one)).status).toBe(404);
  });
});

describe('order', () => {
  it('[2/api.issues/21 relative_position] issues are put behind and before others', async () => {
    const of = await buildProject(app, { namespace: group });
    const path = `/projects/${of.id}/issues`;
    const made: Json[] = [];
    for (const title of ['a', 'b', 'c', 'd']) made.push((await call('POST', path, owner, { title })).body);
    const [a, b, c, d] = made as [Json, Json, Json, Json];
    const order = async () =>
      (await call<Json[]>('GET', path, owner, undefined, { order_by: 'relative_position', sort: 'asc' })).body.map(
        ({ title }) => title,
      );
    const move = (issue: Json, json: Json, by = owner) => call('PUT', `${path}/${issue.iid}/reorder`, by, json);
    expect((await move(d, { move_after_id: a.id, move_before_id: b.id })).status).toBe(200);
    expect(await order()).toEqual(['a', 'd', 'b', 'c']);
    await move(c, { move_before_id: a.id });
    expect(await order()).toEqual(['c', 'a', 'd', 'b']);
    await move(c, { move_after_id: b.id });
    expect(await order()).toEqual(['a', 'd', 'b', 'c']);
    for (let round = 0; round < 12; round++) {
      await move(round % 2 ? b : d, { move_after_id: a.id });
      expect((await order())[1]).toBe(round % 2 ? 'b' : 'd');
    }
    expect((await move(a, { move_after_id: 999_999 })).status).toBe(404);
    expect((await move(a, {})).status).toBe(400);
    expect((await move(a, { move_after_id: b.id }, guest)).status).toBe(403);
  });
});

it('an issue comes with its description as HTML when asked for it', async () => {
  const { iid } = await make({ description: '**bold** <script>alert(1)</script>' });
  const get = (query: object) => call('GET', `${base}/${iid}`, owner, undefined, query);
  expect((await get({ render_html: true })).body.description_html).toMatch(
    /^<p[^>]*><strong>bold<\/strong>(?!.*<script)/,
  );
  expect((await get({})).body).not.toHaveProperty('description_html');
  const { iid: plain } = await make();
  expect((await call('GET', `${base}/${plain}?render_html=true`)).body.description_html).toBeNull();
});
