/** Boards of projects and groups: their life, their lists, what is in a column, and order while several people move. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown> & { readonly id: number; readonly iid: number; readonly lists: Json[] };
let app: TestApp;
let owner: BuiltToken;
let planner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
let project: Awaited<ReturnType<typeof buildProject>>;
beforeAll(async () => {
  app = await startTestApp();
  [owner, planner, guest, stranger] = [
    await buildToken(app),
    await buildToken(app),
    await buildToken(app),
    await buildToken(app),
  ];
  group = await buildGroup(app, { owner: owner.user, visibility: 'private' });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  project = await buildProject(app, { namespace: group, visibility: 'private' });
});
afterAll(() => app.close());

const call = <T = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  token: BuiltToken | undefined = planner,
  json?: object,
  query: object = {},
) => app.api<T>(method, path, { token: token?.secret, ...(json ? { json } : {}), query: { ...query } });
const label = async (name: string) =>
  (await call('POST', `/projects/${project.id}/labels`, planner, { name, color: '#112233' })).body.id;

describe('boards', () => {
  it.each(['project', 'group'] as const)('of a %s are created, scoped, and deleted', async (kind) => {
    const place = kind === 'project' ? project : group;
    const path = `/${kind}s/${place.id}/boards`;
    expect((await call<Json[]>('GET', path, guest)).body).toEqual([]);
    const made = await call('POST', path, planner, { name: ' Development ' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Development',
        hide_backlog_list: false,
        hide_closed_list: false,
        [kind]:
          kind === 'project'
            ? { id: place.id, http_url_to_repo: expect.stringMatching(/^http.*\.git$/), created_at: expect.any(String) }
            : { id: place.id },
        [kind === 'project' ? 'group' : 'project']: null,
        milestone: null,
        assignee: null,
        labels: [],
        weight: null,
        lists: [],
      },
    });
    const one = `${path}/${made.body.id}`;
    expect((await call('GET', one, guest)).body).toEqual(made.body);
    const milestone = (await call('POST', `/${kind}s/${place.id}/milestones`, planner, { title: `of a ${kind}` })).body;
    const scope = {
      name: 'Release',
      hide_closed_list: true,
      milestone_id: milestone.id,
      assignee_id: planner.user.id,
      labels: 'now',
      weight: 3,
    };
    const scoped = await call('PUT', one, planner, scope);
    expect(scoped.body).toMatchObject({
      name: 'Release',
      hide_closed_list: true,
      milestone: { id: milestone.id },
      assignee: { id: planner.user.id },
      labels: [{ name: 'now' }],
      weight: 3,
    });
    expect((await call<Json[]>('GET', path, guest)).body).toEqual([scoped.body]);
    const all = { milestone_id: 0, assignee_id: 0, labels: '', weight: null };
    expect((await call('PUT', one, planner, all)).body).toMatchObject({
      name: 'Release',
      milestone: null,
      assignee: null,
      labels: [],
      weight: null,
    });
    for (const wrong of [{}, { name: ' ' }, { weight: -1 }])
      expect((await call('PUT', one, planner, wrong)).status).toBe(400);
    expect((await call('PUT', one, planner, { milestone_id: 999_999 })).status).toBe(404);
    const name = `in ${kind}`;
    const { id } = (await call('POST', `/${kind}s/${place.id}/labels`, planner, { name, color: '#112233' })).body;
    const list = (await call('POST', `${one}/lists`, planner, { label_id: id })).body;
    expect((await call<Json[]>('GET', `${one}/lists`, guest)).body).toEqual([list]);
    expect((await call('GET', `${one}/lists/${list.id}`, guest)).body).toEqual(list);
    expect((await call('PUT', `${one}/lists/${list.id}`, planner, { position: 0 })).body).toEqual(list);
    expect((await call('GET', one)).body.lists).toEqual([list]);
    expect((await call('DELETE', `${one}/lists/${list.id}`)).status).toBe(204);
    expect((await call('POST', path, guest, { name: 'x' })).status).toBe(403);
    expect((await app.api('POST', path, { json: { name: 'x' } })).status).toBe(401);
    expect((await call('GET', path, stranger)).status).toBe(404);
    const other = kind === 'project' ? `/groups/${group.id}` : `/projects/${project.id}`;
    expect((await call('GET', `${other}/boards/${made.body.id}`)).status).toBe(404);
    expect((await call('DELETE', one, guest)).status).toBe(403);
    expect((await call('DELETE', one)).status).toBe(204);
    expect((await call('DELETE', one)).status).toBe(404);
  });

  it('have lists in an order, each of a label, a person, a milestone or an iteration', async () => {
    const board = (await call('POST', `/projects/${project.id}/boards`, planner, { name: 'b' })).body;
    const path = `/projects/${project.id}/boards/${board.id}/lists`;
    const days = { start_date: '2030-01-01', due_date: '2030-01-14' };
    const iteration = (await call('POST', `/groups/${group.id}/iterations`, planner, { title: 'i', ...days })).body;
    const milestone = (await call('POST', `/projects/${project.id}/milestones`, planner, { title: 'listed' })).body;
    const subjects = [
      ['label', { label_id: await label('doing') }],
      ['assignee', { assignee_id: planner.user.id }],
      ['milestone', { milestone_id: milestone.id }],
      ['iteration', { iteration_id: iteration.id }],
    ] as const;
    const lists: Json[] = [];
    for (const [type, json] of subjects) {
      const made = await call('POST', path, planner, json);
      expect(made).toMatchObject({
        status: 201,
        body: { list_type: type, position: lists.length, [type]: { id: Object.values(json)[0] } },
      });
      lists.push(made.body);
    }
    const [first, second] = lists as [Json, Json];
    expect((await call('POST', path, planner, subjects[0][1])).body).toEqual({
      message: { label_id: ['has already been taken'] },
    });
    expect(await call('POST', path, planner, { label_id: 999_999 })).toMatchObject({
      status: 400,
      body: { message: 'Label not found!' },
    });
    for (const wrong of [{}, { ...subjects[0][1], ...subjects[1][1] }])
      expect((await call('POST', path, planner, wrong)).status).toBe(400);
    expect((await call('PUT', `${path}/${first.id}`, planner, { position: 2 })).body.position).toBe(2);
    const types = async () => (await call<Json[]>('GET', path, guest)).body.map((each) => each.list_type);
    expect(await types()).toEqual(['assignee', 'milestone', 'label', 'iteration']);
    expect((await call('PUT', `${path}/${first.id}`, planner, { position: 4 })).status).toBe(400);
    expect((await call('PUT', `${path}/${first.id}`, guest, { position: 0 })).status).toBe(403);
    expect((await call('GET', `${path}/${first.id}`, guest)).body).toMatchObject({ position: 2 });
    // Several at a time leave every list at a place of its own.
    await Promise.all(lists.map(({ id }, at) => call('PUT', `${path}/${id}`, planner, { position: 3 - at })));
    expect((await call<Json[]>('GET', path)).body.map((each) => each.position)).toEqual([0, 1, 2, 3]);
    expect((await call('DELETE', `${path}/${second.id}`, guest)).status).toBe(403);
    expect((await call('DELETE', `${path}/${second.id}`)).status).toBe(204);
    expect((await call('DELETE', `${path}/${second.id}`)).status).toBe(404);
    expect((await call<Json[]>('GET', path)).body.map((each) => each.position)).toEqual([0, 1, 2]);
  });

  it('show in each column what belongs to it, in an order that holds while several move', async () => {
    const board = (await call('POST', `/projects/${project.id}/boards`, planner, { name: 'columns' })).body;
    const path = `/projects/${project.id}/boards/${board.id}`;
    const list = (await call('POST', `${path}/lists`, planner, { label_id: await label('column') })).body;
    const column = async (name: string | number, token = planner) =>
      (await call<Json[]>('GET', `${path}/issues`, token, undefined, { column: name })).body.map(({ title }) => title);
    const issues: Json[] = [];
    for (const title of ['a', 'b', 'c', 'd'])
      issues.push((await call('POST', `/projects/${project.id}/issues`, planner, { title, labels: 'column' })).body);
    const other = await call('POST', `/projects/${project.id}/issues`, planner, { title: 'other', weight: 2 });
    const secret = { title: 'secret', confidential: true, labels: 'column' };
    await call('POST', `/projects/${project.id}/issues`, planner, secret);
    const done = (await call('POST', `/projects/${project.id}/issues`, planner, { title: 'done', labels: 'column' }))
      .body;
    await call('PUT', `/projects/${project.id}/issues/${done.iid}`, planner, { state_event: 'close' });
    const move = (at: number, json: object) =>
      call('PUT', `/projects/${project.id}/issues/${issues[at]?.iid}/reorder`, planner, json);
    await move(3, { move_before_id: issues[0]?.id });
    await move(2, { move_before_id: issues[3]?.id });
    expect(await column(list.id)).toEqual(['c', 'd', 'a', 'b', 'secret']);
    expect(await column(list.id, guest)).toEqual(['c', 'd', 'a', 'b']);
    expect(await column('backlog')).toEqual(['other']);
    expect(await column('closed')).toEqual(['done']);
    const rounds = Array.from({ length: 24 }, (_, round) => [round % 4, (round * 7 + 1) % 4] as const);
    const moves = await Promise.all(
      rounds
        .filter(([from, to]) => from !== to)
        .map(([from, to], round) => move(from, { [round % 2 ? 'move_after_id' : 'move_before_id']: issues[to]?.id })),
    );
    expect(new Set(moves.map(({ status }) => status))).toEqual(new Set([200]));
    const places = await app.db
      .selectFrom('issues')
      .select('relative_position')
      .where('project_id', '=', project.id)
      .where('relative_position', 'is not', null)
      .execute();
    expect(new Set(places.map((row) => row.relative_position)).size).toBe(places.length);
    // Whoever looks twice sees the same.
    expect(await column(list.id)).toEqual(await column(list.id));
    await call('PUT', path, planner, { weight: 2 });
    expect(await column(list.id)).toEqual([]);
    expect(await column('backlog')).toEqual([other.body.title]);
    expect((await call('GET', `${path}/issues`, planner, undefined, { column: 999_999 })).status).toBe(404);
    expect((await call('GET', `${path}/issues`, stranger)).status).toBe(404);
    const ofGroup = (await call('POST', `/groups/${group.id}/boards`, planner, { name: 'g' })).body;
    const below = await call<Json[]>('GET', `/groups/${group.id}/boards/${ofGroup.id}/issues`, guest);
    expect(below.body).toHaveLength(5);
  });
});
