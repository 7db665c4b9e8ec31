/** Epics that people move on boards: between columns, to a place in their order, several at the same time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
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

/** A group with one below it, and a board with the lists `now` and `next`. */
async function place() {
  const group = await buildGroup(app, { visibility: 'private' });
  const below = await buildGroup(app, { parent: group, visibility: 'private' });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  const base = `/groups/${group.id}`;
  const board = await post(`${base}/epic_boards`, { name: 'Board' });
  const lists: string[] = [];
  for (const name of ['now', 'next']) {
    const label = await post(`${base}/labels`, { name, color: '#112233' });
    lists.push(String((await post(`${base}/epic_boards/${board.id}/lists`, { label_id: label.id })).id));
  }
  const [now = '', next = ''] = lists;
  const epic = (title: string, labels = '', of = group) => post(`/groups/${of.id}/epics`, { title, labels });
  const move = (on: Json, json: object, token: BuiltToken | undefined = planner) =>
    call<Json>('PUT', `${base}/epic_boards/${board.id}/epics/${on.id}`, token, json);
  const listed = async (query: object = {}, token = planner) =>
    (
      await call<Json[]>('GET', `${base}/epics`, token, undefined, {
        ...{ order_by: 'relative_position', sort: 'asc' },
        ...query,
      })
    ).body;
  const titles = async (token = planner) => (await listed({}, token)).map(({ title }) => title);
  const columns = (query: object = {}, token: BuiltToken | undefined = planner) =>
    call<Json[]>('GET', `${base}/epic_boards/${board.id}/columns`, token, undefined, query);
  return {
    group,
    below,
    base,
    board: `${base}/epic_boards/${board.id}`,
    now,
    next,
    epic,
    move,
    listed,
    titles,
    columns,
  };
}

describe('epics on boards', () => {
  it('have the label of their column only, and are open in all but the last [2/api.epics]', async () => {
    const { base, now, next, epic, move } = await place();
    const one = await epic('one', 'kept');
    const moves = [
      ['backlog', now, ['kept', 'now'], 'opened'],
      [now, next, ['kept', 'next'], 'opened'],
      [next, 'closed', ['kept', 'next'], 'closed'],
      ['closed', now, ['kept', 'now'], 'opened'],
      [now, 'backlog', ['kept'], 'opened'],
      ['backlog', 'backlog', ['kept'], 'opened'],
    ] as const;
    for (const [from_column, to_column, labels, state] of moves) {
      const { status, body } = await move(one, { from_column, to_column });
      expect([status, body.state, body.labels]).toEqual([200, state, labels]);
      expect((await call<Json>('GET', `${base}/epics/${one.iid}`, planner)).body).toMatchObject({ state, labels });
    }
    const gone = await move(one, { from_column: now, to_column: 'closed' });
    expect([gone.status, gone.body]).toEqual([
      409,
      { message: 'The epic is no longer in the column that it was moved from' },
    ]);
  });

  it('are moved by planners who see them, between epics of the group and those below', async () => {
    const { now, epic, move, below } = await place();
    const [one, other] = [await epic('one'), await epic('below', '', below)];
    expect((await move(one, { to_column: now }, guest)).status).toBe(403);
    expect((await move(one, { to_column: now }, stranger)).status).toBe(404);
    // Not to be told apart from one that does not exist.
    expect((await app.api('PUT', `/groups/1/epic_boards/1/epics/${one.id}`, { json: { to_column: now } })).status).toBe(
      401,
    );
    for (const json of [{}, { to_column: 'nowhere' }, { to_column: '0' }])
      expect((await move(one, json)).status).toBe(400);
    const outside = await (await place()).epic('outside');
    for (const json of [
      { to_column: '999999' },
      { to_column: now, move_after_id: 999_999 },
      { to_column: now, move_after_id: one.id },
      { to_column: now, move_after_id: outside.id },
    ])
      expect((await move(one, json)).status).toBe(404);
    expect((await move(outside, { to_column: now })).status).toBe(404);
    expect((await move(other, { to_column: now, move_before_id: one.id })).status).toBe(200);
  });

  it('are listed with all columns at once, each from its beginning, and narrowed as the board is', async () => {
    const { board, now, next, epic, below, columns, move } = await place();
    for (const title of ['one', 'two', 'three']) await epic(title, 'now,team', below);
    const apart = await epic('apart', 'team');
    await move(await epic('done', 'next'), { to_column: 'closed' });
    const shown = async (query: object = {}) =>
      (await columns(query)).body.map(({ column, total, has_more, epics }) => [
        ...[column, total, has_more],
        ...(epics as Json[]).map(({ title }) => title),
      ]);
    expect(await shown({ limit: 2 })).toEqual([
      ['backlog', 1, false, 'apart'],
      [now, 3, true, 'one', 'two'],
      [next, 0, false],
      ['closed', 1, false, 'done'],
    ]);
    const list = (query: object, token: BuiltToken | undefined = planner) =>
      call<Json[]>('GET', `${board}/epics`, token, undefined, query);
    for (const [column, with_labels_details] of [
      [now, true],
      [next, false],
      ['closed', false],
    ] as const) {
      const [read] = (await columns({ columns: column, with_labels_details })).body;
      expect(read?.epics).toEqual((await list({ column, with_labels_details })).body);
    }
    expect((await list({})).body).toEqual([expect.objectContaining({ id: apart.id, labels: ['team'] })]);
    expect((await list({ column: now, per_page: 2, page: 2 })).body.map(({ title }) => title)).toEqual(['three']);
    await call('PUT', board, planner, { labels: 'team', hide_backlog_list: true });
    expect(await shown()).toEqual([
      [now, 3, false, 'one', 'two', 'three'],
      [next, 0, false],
      ['closed', 0, false],
    ]);
    expect(await shown({ columns: `closed,backlog` })).toEqual([
      ['closed', 0, false],
      ['backlog', 1, false, 'apart'],
    ]);
    for (const read of [columns({}, stranger), columns({ columns: '999999' }), list({ column: '999999' })])
      expect((await read).status).toBe(404);
    expect((await columns({ columns: 'open' })).status).toBe(400);
  });

  it('keep one order for everybody while several people move them', { retry: 0 }, async () => {
    const { epic, move, titles, below, group } = await place();
    const epics: Json[] = [];
    for (const title of ['a', 'b', 'c', 'd', 'e']) epics.push(await epic(title, '', epics.length % 2 ? below : group));
    const to = (at: number, json: object) => move(epics[at] as Json, { to_column: 'backlog', ...json });
    expect(await titles()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await to(4, { move_before_id: epics[0]?.id });
    await to(1, { move_after_id: epics[4]?.id, move_before_id: epics[0]?.id });
    expect(await titles()).toEqual(['e', 'b', 'a', 'c', 'd']);
    expect(await titles(guest)).toEqual(await titles());
    // Between two neighbours there is room for more than a gap holds.
    for (let round = 0; round < 12; round++) {
      const order = (await titles()).map((title) => epics.find((each) => each.title === title) as Json);
      const [first, second, last] = [order[0], order[1], order.at(-1)];
      if (!last) throw new Error('no epics');
      const moved = await move(last, { to_column: 'backlog', move_after_id: first?.id, move_before_id: second?.id });
      expect(moved.status).toBe(200);
      expect(await titles()).toEqual([first, last, ...order.slice(1, -1)].map((each) => each?.title));
    }
    const rounds = Array.from({ length: 16 }, (_, round) => [round % 5, (round * 3 + 1) % 5] as const);
    const moves = await Promise.all(
      rounds
        .filter(([from, beside]) => from !== beside)
        .map(([from, beside], round) =>
          to(from, { [round % 2 ? 'move_after_id' : 'move_before_id']: epics[beside]?.id }),
        ),
    );
    expect(new Set(moves.map(({ status }) => status))).toEqual(new Set([200]));
    const places = await app.db
      .selectFrom('epics')
      .select('board_position')
      .where('namespace_id', 'in', [group.id, below.id])
      .execute();
    expect(new Set(places.map((row) => row.board_position)).size).toBe(5);
    expect(await titles(guest)).toEqual(await titles());
  });

  it('end in one column when two people take them from the same one at once', { retry: 0 }, async () => {
    const { epic, move, now, next, listed } = await place();
    for (let round = 0; round < 6; round++) {
      const one = await epic(`card ${round}`);
      const [first, second] = round % 2 ? [now, next] : [next, now];
      const answers = await Promise.all(
        [first, second].map((to_column) => move(one, { from_column: 'backlog', to_column })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const found = (await listed()).find(({ id }) => id === one.id);
      expect(found?.labels).toHaveLength(1);
    }
  });
});
