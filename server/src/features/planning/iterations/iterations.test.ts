/** Iterations of groups, as groups and projects list them, and the cadences that schedule them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { dayOf, daysFrom } from './scheduling.ts';

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

const day = (offset: number) => dayOf(new Date(Date.now() + offset * 86_400_000));
const span = (from: number, to: number) => ({ start_date: day(from), due_date: day(to) });
const spans = (rows: readonly Json[]) => rows.map(({ start_date, due_date }) => ({ start_date, due_date }));

async function groupOf(visibility: 'private' | 'public' = 'private') {
  const group = await buildGroup(app, { owner: owner.user, visibility });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  return { group, path: `/groups/${group.id}/iterations`, cadences: `/groups/${group.id}/iteration_cadences` };
}
const missing = { status: 404, body: { message: '404 Iteration Not Found' } };

describe('iterations', () => {
  it('[3/fields.iteration/1 id, iid, group_id, sequence, title, description, state, created_at, updated_at, due_date, start_date, web_url] are made, changed and removed by planners', async () => {
    const { group, path } = await groupOf();
    const values = { title: 'Iteration II', description: 'Ipsum', start_date: '2030-02-01', due_date: '2030-02-14' };
    const made = await call('POST', path, planner, { ...values, title: ' Iteration II ' });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.any(Number),
      iid: 1,
      sequence: 1,
      group_id: group.id,
      ...values,
      state: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      web_url: `${app.url}/groups/${group.full_path}/-/iterations/${made.body.id}`,
    });
    // Before the other one, so that it is the first of its cadence now.
    const earlier = await call('POST', path, planner, { start_date: '2030-01-01', due_date: '2030-01-31' });
    expect(earlier.body).toMatchObject({ iid: 2, sequence: 1, title: null, description: null });
    expect((await call<Json[]>('GET', path, guest)).body).toMatchObject([
      { iid: 2, sequence: 1 },
      { iid: 1, sequence: 2 },
    ]);
    const one = `${path}/${made.body.id}`;
    expect(
      await call('PUT', one, planner, { title: 'Other', due_date: '2030-02-20', description: null }),
    ).toMatchObject({
      status: 200,
      body: { title: 'Other', due_date: '2030-02-20', start_date: '2030-02-01', description: null },
    });
    expect((await call('PUT', one, planner, {})).status).toBe(400);
    expect((await call('DELETE', `${path}/${earlier.body.id}`, planner)).status).toBe(204);
    expect((await call<Json[]>('GET', path, guest)).body).toMatchObject([{ iid: 1, sequence: 1 }]);
    expect(await call('DELETE', `${path}/${earlier.body.id}`, planner)).toMatchObject(missing);
    const other = await groupOf();
    expect(await call('PUT', `${other.path}/${made.body.id}`, owner, { title: 'x' })).toMatchObject(missing);
    expect(await call('DELETE', `${other.path}/${made.body.id}`, owner)).toMatchObject(missing);
  });

  it('are refused where their days or titles are not their own', async () => {
    const { path, cadences } = await groupOf();
    const first = await call('POST', path, planner, { title: 'One', start_date: '2030-01-01', due_date: '2030-01-14' });
    const next = { start_date: '2030-01-15', due_date: '2030-01-28' };
    const overlap = {
      base: ['Dates cannot overlap with other existing Iterations within this iterations cadence'],
    };
    for (const [values, message] of [
      [{ ...next, start_date: '2030-01-14' }, overlap],
      [{ ...next, due_date: '2030-01-15' }, { due_date: ['must be greater than start date'] }],
      [{ ...next, title: 'One' }, { title: ['has already been taken'] }],
      [{ ...next, title: ' ' }, { title: ["can't be blank"] }],
    ] as const)
      expect(await call('POST', path, planner, values)).toMatchObject({ status: 400, body: { message } });
    expect((await call('POST', path, planner, { title: 'x' })).body).toEqual({
      error: 'start_date is missing, due_date is missing',
    });
    expect((await call('POST', path, planner, { ...next, start_date: '2030-02-30' })).status).toBe(400);
    const second = await call('POST', path, planner, next);
    expect(await call('PUT', `${path}/${second.body.id}`, planner, { start_date: '2030-01-10' })).toMatchObject({
      status: 400,
      body: { message: overlap },
    });
    // Another cadence has its own days.
    const cadence = await call('POST', cadences, planner, { title: 'Design', automatic: false });
    const beside = await call('POST', path, planner, { ...next, iteration_cadence_id: cadence.body.id });
    expect(beside).toMatchObject({ status: 201, body: { sequence: 1 } });
    expect((await call('POST', path, planner, { ...next, iteration_cadence_id: 0 })).body).toEqual({
      message: '404 Iteration Cadence Not Found',
    });
    expect(first.status).toBe(201);
  });

  it('[3/api.iterations/1 state, opened, upcoming, current, closed, all, search, in, title, cadence_title, [title], updated_before, updated_after] [3/states.iteration-state/1 opened, upcoming, current, closed, all] are listed by the day they are due, each filter narrows', async () => {
    const { path, cadences } = await groupOf('public');
    const made: Json[] = [(await call('POST', path, planner, { title: 'Later', ...span(20, 30) })).body];
    const cadence = await call('POST', cadences, planner, { title: 'Design work', automatic: false });
    for (const values of [
      { title: 'Over', ...span(-20, -1) },
      { title: 'Now', ...span(0, 1) },
      { title: 'Beside', ...span(-3, 0), iteration_cadence_id: cadence.body.id },
    ])
      made.push((await call('POST', path, planner, values)).body);
    const states = (await call<Json[]>('GET', path)).body.map(({ title, state }) => [title, state]);
    expect(states).toEqual([
      ['Over', 3],
      ['Beside', 2],
      ['Now', 2],
      ['Later', 1],
    ]);
    for (const [state, found] of [
      ['opened', ['Beside', 'Now', 'Later']],
      ['upcoming', ['Later']],
      ['current', ['Beside', 'Now']],
      ['closed', ['Over']],
      ['all', ['Over', 'Beside', 'Now', 'Later']],
    ] as const)
      expect(await titles(path, { state })).toEqual(found);
    expect((await call('GET', path, owner, undefined, { state: 'active' })).body).toEqual({
      error: 'state does not have a valid value',
    });
    expect(await titles(path, { search: 'e' })).toEqual(['Over', 'Beside', 'Later']);
    expect(await titles(path, { search: 'design' })).toEqual([]);
    expect(await titles(path, { search: 'design', in: ['cadence_title'] })).toEqual(['Beside']);
    expect(await titles(path, { search: 'now', in: ['cadence_title'] })).toEqual([]);
    expect(await titles(path, { search: 'de', in: ['title', 'cadence_title'] })).toEqual(['Beside']);
    expect(await titles(path, { search: 'de', in: 'title,cadence_title' })).toEqual(['Beside']);
    expect((await call('GET', path, owner, undefined, { in: ['description'] })).body).toEqual({
      error: 'in does not have a valid value',
    });
    const old = { updated_at: new Date('2020-01-01') };
    await app.db.updateTable('iterations').set(old).where('id', '=', Number(made[0]?.id)).execute();
    expect(await titles(path, { updated_before: '2021-01-01T00:00:00Z' })).toEqual(['Later']);
    expect(await titles(path, { updated_after: '2021-01-01T00:00:00Z' })).toEqual(['Over', 'Beside', 'Now']);
    const paged = await call<Json[]>('GET', path, owner, undefined, { per_page: 1, page: 2 });
    expect([paged.body[0]?.title, paged.headers.get('x-total')]).toEqual(['Beside', '4']);
  });

  it('[3/api.iterations/1 GET /groups/:id/iterations, GET /projects/:id/iterations, include_ancestors] of groups above are in the lists of groups and projects', async () => {
    const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const group = await buildGroup(app, { parent: top, visibility: 'public' });
    const hidden = await buildGroup(app, { parent: top, visibility: 'private' });
    const project = await buildProject(app, { namespace: group, visibility: 'public' });
    const own = await buildProject(app, { owner: owner.user });
    for (const [title, { id }] of Object.entries({ top, group, hidden }))
      await call('POST', `/groups/${id}/iterations`, owner, { title, ...span(1, 7) });
    const at = (id: number, kind = 'groups') => `/${kind}/${id}/iterations`;
    expect(await titles(at(group.id))).toEqual(['top', 'group']);
    expect(await titles(at(group.id), { include_ancestors: false })).toEqual(['group']);
    expect(await titles(at(top.id))).toEqual(['top']);
    expect(await titles(at(top.id), { include_descendants: true })).toEqual(['top', 'group', 'hidden']);
    expect(await titles(at(top.id), { include_descendants: true }, null)).toEqual(['top', 'group']);
    expect(await titles(at(top.id), { include_descendants: true }, guest)).toEqual(['top', 'group']);
    expect(await titles(at(project.id, 'projects'), {}, null)).toEqual(['top', 'group']);
    expect(await titles(at(project.id, 'projects'), { include_ancestors: false })).toEqual(['group']);
    expect(await titles(at(own.id, 'projects'))).toEqual([]);
  });

  it('are for whom they are', async () => {
    const { group, path } = await groupOf('public');
    const made = await call('POST', path, planner, span(1, 7));
    for (const [token, status] of [
      [undefined, 401],
      [await buildToken(app), 403],
      [guest, 403],
    ] as const) {
      expect((await call('POST', path, token, span(8, 14))).status).toBe(status);
      expect((await call('PUT', `${path}/${made.body.id}`, token, { title: 'x' })).status).toBe(status);
      expect((await call('DELETE', `${path}/${made.body.id}`, token)).status).toBe(status);
    }
    const hidden = await groupOf();
    expect((await call('GET', hidden.path)).status).toBe(404);
    expect((await call('GET', hidden.path, await buildToken(app))).status).toBe(404);
    const project = await buildProject(app, {
      namespace: group,
      visibility: 'public',
      issues_access_level: 'disabled',
    });
    expect((await call('GET', `/projects/${project.id}/iterations`, owner)).status).toBe(403);
  });
});

describe('cadences', () => {
  const values = { title: 'Sprints', start_date: day(-3), duration_in_weeks: 1, iterations_in_advance: 2 };
  const scheduled = async () => {
    const place = await groupOf();
    const cadence = (await call('POST', place.cadences, planner, values)).body;
    return { ...place, cadence, one: `${place.cadences}/${cadence.id}` };
  };
  const run = async () => {
    await runTask(app, 'iterations.schedule');
  };
  const weeks = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => span(first + 7 * at, first + 7 * at + 6));

  it('schedule the current iteration and those in advance', async () => {
    const { group, path, cadences, cadence, one } = await scheduled();
    expect(cadence).toEqual({
      id: expect.any(Number),
      group_id: group.id,
      description: null,
      active: true,
      automatic: true,
      roll_over: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      ...values,
    });
    expect((await call('GET', one, guest)).body).toEqual(cadence);
    expect((await call<Json[]>('GET', cadences, guest)).body).toEqual([cadence]);
    const rows = (await call<Json[]>('GET', path, guest)).body;
    expect(rows).toMatchObject([
      { iid: 1, sequence: 1, title: null, description: null, state: 2 },
      { iid: 2, sequence: 2, title: null, description: null, state: 1 },
      { iid: 3, sequence: 3, title: null, description: null, state: 1 },
    ]);
    expect(spans(rows)).toEqual(weeks(-3, 3));
    await run();
    expect((await call<Json[]>('GET', path, guest)).body).toEqual(rows);
    const refused = { base: ['Iterations of an automatic cadence are scheduled by the cadence'] };
    const first = `${path}/${rows[0]?.id}`;
    expect((await call('PUT', first, planner, { title: 'Named' })).body.title).toBe('Named');
    for (const answer of [
      await call('PUT', first, planner, { due_date: day(20) }),
      await call('DELETE', first, planner),
      await call('POST', path, planner, { ...span(70, 80), iteration_cadence_id: cadence.id }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { message: refused } });
  });

  it('move what has not begun when they change', async () => {
    const { path, one } = await scheduled();
    const before = (await call<Json[]>('GET', path, guest)).body.map(({ id }) => id);
    const changed = await call('PUT', one, planner, { duration_in_weeks: 2, iterations_in_advance: 3 });
    expect(changed).toMatchObject({ status: 200, body: { duration_in_weeks: 2, iterations_in_advance: 3 } });
    const after = (await call<Json[]>('GET', path, guest)).body;
    expect(spans(after)).toEqual([span(-3, 3), span(4, 17), span(18, 31), span(32, 45)]);
    expect(after.slice(0, 3).map(({ id }) => id)).toEqual(before);
    expect(await call('PUT', one, planner, { start_date: day(5) })).toMatchObject({
      status: 400,
      body: { message: { start_date: ['cannot be changed after the first iteration has started'] } },
    });
    expect(await call('PUT', one, planner, { duration_in_weeks: null })).toMatchObject({
      status: 400,
      body: { message: { duration_in_weeks: ["can't be blank"] } },
    });
    expect((await call('DELETE', one, guest)).status).toBe(403);
    expect((await call('DELETE', one, planner)).status).toBe(204);
    expect((await call('GET', one, planner)).body).toEqual({ message: '404 Iteration Cadence Not Found' });
    expect((await call<Json[]>('GET', path, guest)).body).toEqual([]);
  });

  it('need what scheduling needs', async () => {
    const { cadences } = await groupOf();
    const blank = ["can't be blank"];
    expect(await call('POST', cadences, planner, { title: 'x' })).toMatchObject({
      status: 400,
      body: { message: { start_date: blank, duration_in_weeks: blank, iterations_in_advance: blank } },
    });
    expect((await call('POST', cadences, planner, { ...values, title: ' ' })).body).toEqual({
      message: { title: blank },
    });
    for (const wrong of [{ duration_in_weeks: 5 }, { iterations_in_advance: 0 }, { start_date: '9999-12-31' }])
      expect((await call('POST', cadences, planner, { ...values, ...wrong })).status).toBe(400);
    expect((await call('POST', cadences, guest, values)).status).toBe(403);
  });

  it('go on by themselves, and open issues roll over', async () => {
    const { group, path, one, cadence } = await scheduled();
    await call('PUT', one, planner, { roll_over: true });
    const rows = (await call<Json[]>('GET', path, guest)).body;
    // Eight days later.
    for (const row of await app.db
      .selectFrom('iterations')
      .selectAll()
      .where('cadence_id', '=', Number(cadence.id))
      .execute())
      await app.db
        .updateTable('iterations')
        .set({
          start_date: dayOf(new Date(Date.parse(row.start_date) - 8 * 86_400_000)),
          due_date: dayOf(new Date(Date.parse(row.due_date) - 8 * 86_400_000)),
        })
        .where('id', '=', row.id)
        .execute();
    const project = await buildProject(app, { namespace: group });
    const issue = async (state: 'opened' | 'closed') => {
      const made = await call('POST', `/projects/${project.id}/issues`, owner, { title: state });
      await app.db
        .updateTable('issues')
        .set({ iteration_id: Number(rows[0]?.id), state })
        .where('id', '=', Number(made.body.id))
        .execute();
      return `/projects/${project.id}/issues/${made.body.iid}`;
    };
    const [open, closed] = [await issue('opened'), await issue('closed')];
    await run();
    const after = (await call<Json[]>('GET', path, guest)).body;
    expect(spans(after)).toEqual(weeks(-11, 4));
    expect(after.map(({ state }) => state)).toEqual([3, 2, 1, 1]);
    expect((await call('GET', open, owner)).body.iteration).toEqual(after[1]);
    expect((await call('GET', closed, owner)).body.iteration).toEqual(after[0]);
    const fact = await app.db
      .selectFrom('facts')
      .select('payload')
      .where('kind', '=', 'issue.updated')
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    expect(fact.payload).toMatchObject({ changes: { iteration_id: { previous: rows[0]?.id, current: rows[1]?.id } } });
    // Those that are off do nothing.
    await call('PUT', one, planner, { active: false, iterations_in_advance: 10 });
    await run();
    expect((await call<Json[]>('GET', path, guest)).body).toHaveLength(4);
  });

  it('begin with the iteration of today where their first day is long past', () => {
    const days = daysFrom('2026-01-05', 2, '2026-02-10');
    expect([days.next().value, days.next().value]).toEqual([
      { start_date: '2026-02-02', due_date: '2026-02-15' },
      { start_date: '2026-02-16', due_date: '2026-03-01' },
    ]);
    expect(daysFrom('2026-03-01', 1, '2026-02-10').next().value.start_date).toBe('2026-03-01');
  });
});
