/** Issues that people move on boards: between columns, to a place in their order, several at the same time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown> & { readonly id: number; readonly iid: number };
let app: TestApp;
let planner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [planner, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());
const call = callsOf(() => app);
const post = async (path: string, json: object) => (await call<Json>('POST', path, planner, json)).body;

async function place() {
  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  const project = await buildProject(app, { namespace: group, owner: owner.user });
  return { owner, group, project };
}

describe('issues on boards', () => {
  it('take what their new column is about, and give up what the old one was about', async () => {
    const { group, project } = await place();
    const base = `/projects/${project.id}`;
    const label = await post(`${base}/labels`, { name: 'doing', color: '#112233' });
    const milestone = await post(`${base}/milestones`, { title: 'M' });
    const span = { start_date: '2031-01-01', due_date: '2031-01-14' };
    const iteration = await post(`/groups/${group.id}/iterations`, span);
    const board = await post(`${base}/boards`, { name: 'b' });
    const lists = `${base}/boards/${board.id}/lists`;
    const [byLabel, byPerson, byMilestone, byIteration] = [
      await post(lists, { label_id: label.id }),
      await post(lists, { assignee_id: guest.user.id }),
      await post(lists, { milestone_id: milestone.id }),
      await post(lists, { iteration_id: iteration.id }),
    ];
    const issue = await post(`${base}/issues`, { title: 'one', labels: 'kept' });
    const path = `${base}/boards/${board.id}/issues/${issue.id}`;
    const columns = async () => {
      const found: unknown[] = [];
      for (const column of ['backlog', byLabel.id, byPerson.id, byMilestone.id, byIteration.id, 'closed']) {
        const listed = await call<Json[]>('GET', `${base}/boards/${board.id}/issues`, planner, undefined, { column });
        if (listed.body.some(({ id }) => id === issue.id)) found.push(column);
      }
      return found;
    };
    // A closed issue keeps the iteration that it had, also when it is opened again in another column.
    const moves = [
      ['backlog', byLabel.id, [byLabel.id]],
      [byLabel.id, byPerson.id, [byPerson.id]],
      [byPerson.id, byMilestone.id, [byMilestone.id]],
      [byMilestone.id, byIteration.id, [byIteration.id]],
      [byIteration.id, 'closed', ['closed']],
      ['closed', byLabel.id, [byLabel.id, byIteration.id]],
      [byIteration.id, 'backlog', [byLabel.id]],
      [byLabel.id, 'backlog', ['backlog']],
    ] as const;
    for (const [from, to, found] of moves) {
      const moved = await call<Json>('PUT', path, planner, { from_column: String(from), to_column: String(to) });
      expect([moved.status, await columns()]).toEqual([200, found]);
      // The answer is the issue as it is read afterwards.
      expect((await call<Json>('GET', `${base}/issues/${issue.iid}`, planner)).body).toEqual(moved.body);
    }
    const after = (await call('GET', `${base}/issues/${issue.iid}`, planner)).body;
    expect(after).toMatchObject({ state: 'opened', labels: ['kept'], assignees: [], milestone: null });
    expect((await call('PUT', path, guest, { to_column: 'closed' })).status).toBe(403);
    expect((await call('PUT', path, stranger, { to_column: 'closed' })).status).toBe(404);
    expect((await call('PUT', path, undefined, { to_column: 'closed' })).status).toBe(401);
    for (const json of [{}, { to_column: 'nowhere' }])
      expect((await call('PUT', path, planner, json)).status).toBe(400);
    for (const json of [{ to_column: '999999' }, { to_column: 'closed', move_after_id: 999_999 }])
      expect((await call('PUT', path, planner, json)).status).toBe(404);
    const elsewhere = await post(`/projects/${(await place()).project.id}/issues`, { title: 'x' });
    const other = `${base}/boards/${board.id}/issues/${elsewhere.id}`;
    expect((await call('PUT', other, planner, { to_column: 'closed' })).status).toBe(404);
  });

  it('are listed with all columns at once, each from its beginning', async () => {
    const { group, project } = await place();
    const base = `/projects/${project.id}`;
    const label = await post(`${base}/labels`, { name: 'doing', color: '#112233' });
    for (const [of, issues] of [
      [`${base}/boards`, 'project'],
      [`/groups/${group.id}/boards`, 'group'],
    ] as const) {
      const board = await post(of, { name: 'b' });
      const shared =
        issues === 'project' ? label : await post(`/groups/${group.id}/labels`, { name: 'g', color: '#112233' });
      const list = await post(`${of}/${board.id}/lists`, { label_id: shared.id });
      for (const title of ['one', 'two', 'three'])
        await post(`${base}/issues`, { title, labels: issues === 'project' ? 'doing' : 'g' });
      const read = (query: object, token: BuiltToken | undefined = planner) =>
        call<Json[]>('GET', `${of}/${board.id}/columns`, token, undefined, query);
      const { body } = await read({ limit: 2, with_labels_details: true });
      expect(body.map(({ column }) => column)).toEqual(['backlog', String(list.id), 'closed']);
      const listed = await call<Json[]>('GET', `${of}/${board.id}/issues`, planner, undefined, {
        ...{ column: list.id, per_page: 2, with_labels_details: true },
      });
      expect(body[1]).toEqual({ column: String(list.id), total: 3, has_more: true, issues: listed.body });
      expect(body[2]).toEqual({ column: 'closed', total: 0, has_more: false, issues: [] });
      const wanted = await read({ columns: `closed,${list.id}` });
      expect(wanted.body.map(({ column, has_more }) => [column, has_more])).toEqual([
        ['closed', false],
        [String(list.id), false],
      ]);
      await call('PUT', `${of}/${board.id}`, planner, { hide_backlog_list: true, hide_closed_list: true });
      expect((await read({})).body.map(({ column }) => column)).toEqual([String(list.id)]);
      expect((await read({}, stranger)).status).toBe(404);
      expect((await read({ columns: '999999' })).status).toBe(404);
      expect((await read({ columns: 'open' })).status).toBe(400);
    }
  });

  it('keep one order on the board of a group while several people move them', async () => {
    const { group, project, owner } = await place();
    const second = await buildProject(app, { namespace: group, owner: owner.user });
    const board = await post(`/groups/${group.id}/boards`, { name: 'b' });
    const path = `/groups/${group.id}/boards/${board.id}/issues`;
    const issues: Json[] = [];
    for (const title of ['a', 'b', 'c', 'd', 'e'])
      issues.push(await post(`/projects/${issues.length % 2 ? second.id : project.id}/issues`, { title }));
    const titles = async (token = planner) => (await call<Json[]>('GET', path, token)).body.map(({ title }) => title);
    const move = (at: number, json: object) =>
      call('PUT', `${path}/${issues[at]?.id}`, planner, { to_column: 'backlog', ...json });
    await move(4, { move_before_id: issues[0]?.id });
    await move(1, { move_after_id: issues[4]?.id, move_before_id: issues[0]?.id });
    expect(await titles()).toEqual(['e', 'b', 'a', 'c', 'd']);
    expect(await titles(guest)).toEqual(await titles());
    // Between two neighbours there is room for more than a gap holds.
    for (let round = 0; round < 14; round++) {
      const order = (await call<Json[]>('GET', path, planner)).body;
      const [first, next, last] = [order[0], order[1], order.at(-1)];
      const json = { to_column: 'backlog', move_after_id: first?.id, move_before_id: next?.id };
      expect((await call('PUT', `${path}/${last?.id}`, planner, json)).status).toBe(200);
      const expected = [first, last, ...order.slice(1, -1)].map((issue) => issue?.title);
      expect(await titles()).toEqual(expected);
    }
    const rounds = Array.from({ length: 20 }, (_, round) => [round % 5, (round * 3 + 1) % 5] as const);
    const moves = await Promise.all(
      rounds
        .filter(([from, to]) => from !== to)
        .map(([from, to], round) => move(from, { [round % 2 ? 'move_after_id' : 'move_before_id']: issues[to]?.id })),
    );
    expect(new Set(moves.map(({ status }) => status))).toEqual(new Set([200]));
    const places = await app.db
      .selectFrom('issues')
      .select('relative_position')
      .where('project_id', 'in', [project.id, second.id])
      .execute();
    expect(new Set(places.map((row) => row.relative_position)).size).toBe(5);
  });

  it('end in one column when two people take them from the same one at once', { retry: 0 }, async () => {
    const { project } = await place();
    const base = `/projects/${project.id}`;
    const board = await post(`${base}/boards`, { name: 'b' });
    const lists: Json[] = [];
    for (const name of ['doing', 'review']) {
      const label = await post(`${base}/labels`, { name, color: '#112233' });
      lists.push(await post(`${base}/boards/${board.id}/lists`, { label_id: label.id }));
    }
    const [doing, review] = lists.map(({ id }) => String(id));
    const columnsOf = async (issue: Json) => {
      const found: unknown[] = [];
      for (const column of ['backlog', doing, review, 'closed']) {
        const listed = await call<Json[]>('GET', `${base}/boards/${board.id}/issues`, planner, undefined, { column });
        if (listed.body.some(({ id }) => id === issue.id)) found.push(column);
      }
      return found;
    };
    const move = (issue: Json, from_column: string | undefined, to_column: string | undefined) =>
      call<Json>('PUT', `${base}/boards/${board.id}/issues/${issue.id}`, planner, { from_column, to_column });
    const targets = [doing, review, 'closed'];
    for (let round = 0; round < 6; round += 1) {
      const issue = await post(`${base}/issues`, { title: `card ${round}` });
      const [one, other] = [targets[round % 3], targets[(round + 1) % 3]];
      const answers = await Promise.all([move(issue, 'backlog', one), move(issue, 'backlog', other)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await columnsOf(issue)).toEqual([answers[0].status === 200 ? one : other]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body).toEqual({ message: 'The issue is no longer in the column that it was moved from' });
    }
    const issue = await post(`${base}/issues`, { title: 'taken', labels: 'doing' });
    // In its place, out of another column, or from where it no longer is since it was closed.
    expect((await move(issue, review, review)).status).toBe(409);
    expect((await move(issue, 'closed', review)).status).toBe(409);
    expect((await move(issue, doing, 'closed')).status).toBe(200);
    expect((await move(issue, doing, review)).status).toBe(409);
    expect(await columnsOf(issue)).toEqual(['closed']);
    // Out of the closed ones it is in its new column alone, whatever it had.
    for (const to of [review, 'closed', 'backlog', doing, 'closed']) {
      const [from] = await columnsOf(issue);
      expect((await move(issue, String(from), to)).status).toBe(200);
      expect(await columnsOf(issue)).toEqual([to]);
    }
    // Who names no column only adds.
    expect((await move(issue, undefined, review)).status).toBe(200);
    expect(await columnsOf(issue)).toEqual([doing, review]);
  });
});
