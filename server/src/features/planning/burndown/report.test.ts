/** Burnup and burndown of milestones and iterations, and the velocity of cadences, compared with numbers worked out by hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { reportedDays } from './report.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());
const call = callsOf(() => app);

async function place() {
  const group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  const project = await buildProject(app, { namespace: group, owner: owner.user });
  const other = await buildProject(app, { namespace: group, owner: owner.user });
  return { group, project, other };
}

/** Does something now, and dates what was recorded of it to noon of a day. */
async function on(day: string, issueId: number, act: () => Promise<{ status: number }>) {
  const { rows } = { rows: await app.db.selectFrom('resource_events').select('id').execute() };
  const before = Math.max(0, ...rows.map(({ id }) => id));
  expect((await act()).status).toBeLessThan(300);
  await app.db
    .updateTable('resource_events')
    .set({ created_at: new Date(`${day}T12:00:00Z`) })
    .where('noteable_id', '=', issueId)
    .where('id', '>', before)
    .execute();
}

async function open(projectId: number, day: string, values: object): Promise<Json & { id: number; iid: number }> {
  const json = { ...values, created_at: `${day}T09:00:00Z` };
  const made = (await call('POST', `/projects/${projectId}/issues`, owner, json)).body as { id: number; iid: number };
  await app.db
    .updateTable('resource_events')
    .set({ created_at: new Date(`${day}T09:00:00Z`) })
    .where('noteable_id', '=', made.id)
    .execute();
  return made;
}

const amount = (count: number, weight: number) => ({ count, weight });
const day = (date: string, scope: readonly [number, number], completed: readonly [number, number]) => ({
  date: `2026-01-0${date}`,
  scope: amount(...scope),
  completed: amount(...completed),
});

describe('burnup reports', () => {
  it('follow closed, reopened, moved and re-weighted issues of a milestone day by day', async () => {
    const { group, project, other } = await place();
    const span = { start_date: '2026-01-05', due_date: '2026-01-09' };
    const milestone = (await call('POST', `/groups/${group.id}/milestones`, owner, { title: 'M', ...span })).body;
    const next = (await call('POST', `/groups/${group.id}/milestones`, owner, { title: 'N' })).body;
    const planned = { milestone_id: milestone.id };
    const a = await open(project.id, '2026-01-05', { title: 'a', weight: 3, ...planned });
    const b = await open(project.id, '2026-01-05', { title: 'b', weight: 2, ...planned });
    const c = await open(project.id, '2026-01-06', { title: 'c', weight: 1, ...planned });
    const d = await open(project.id, '2026-01-05', { title: 'd', weight: 0, ...planned });
    const secret = { title: 'secret', weight: 100, confidential: true, milestone_id: milestone.id };
    const put = (issue: { iid: number }, json: object) => () =>
      call('PUT', `/projects/${project.id}/issues/${issue.iid}`, owner, json);
    await on('2026-01-06', a.id, put(a, { state_event: 'close' }));
    await on('2026-01-07', a.id, put(a, { state_event: 'reopen' }));
    await on('2026-01-07', b.id, put(b, { weight: 5 }));
    await on('2026-01-07', d.id, () =>
      call('POST', `/projects/${project.id}/issues/${d.iid}/move`, owner, { to_project_id: other.id }),
    );
    await on('2026-01-08', b.id, put(b, { state_event: 'close' }));
    await on('2026-01-08', c.id, put(c, { milestone_id: next.id }));
    await on('2026-01-09', a.id, put(a, { state_event: 'close' }));
    const path = `/projects/${project.id}/milestones/${milestone.id}/burnup_report`;
    expect((await call('GET', path, guest)).status).toBe(404);
    const ofGroup = `/groups/${group.id}/milestones/${milestone.id}/burnup_report`;
    const answer = await call<Json & { days: Json[] }>('GET', ofGroup, guest);
    expect(answer.status).toBe(200);
    const expected = [
      day('5', [3, 5], [0, 0]),
      day('6', [4, 6], [1, 3]),
      day('7', [3, 9], [0, 0]),
      day('8', [2, 8], [1, 5]),
      day('9', [2, 8], [2, 8]),
    ];
    expect(answer.body).toEqual({ ...span, scope: amount(2, 8), completed: amount(2, 8), days: expected });
    // What only some see counts for them alone; what was planned after the last day does not.
    await open(project.id, '2026-01-06', secret);
    await call('POST', `/projects/${project.id}/issues`, owner, { title: 'late', ...planned });
    expect((await call<Json>('GET', ofGroup, guest)).body.scope).toEqual(amount(2, 8));
    expect((await call<Json>('GET', ofGroup, owner)).body.scope).toEqual(amount(3, 108));
    for (const [token, status] of [
      [stranger, 404],
      [undefined, 404],
    ] as const)
      expect((await call('GET', ofGroup, token)).status).toBe(status);
    expect((await call('GET', `/groups/${group.id}/milestones/0/burnup_report`, guest)).status).toBe(404);
    const own = (await call('POST', `/projects/${project.id}/milestones`, owner, { title: 'P', ...span })).body;
    const ofProject = `/projects/${project.id}/milestones/${own.id}/burnup_report`;
    const empty = day('5', [0, 0], [0, 0]);
    expect((await call<{ days: Json[] }>('GET', ofProject, guest)).body.days[0]).toEqual(empty);
    const without = await call<Json>('GET', `/groups/${group.id}/milestones/${next.id}/burnup_report`, guest);
    expect(without.body).toMatchObject({ start_date: null, scope: amount(1, 1), completed: amount(0, 0), days: [] });
  });

  it('follow iterations, whose changes are recorded, and give the velocity of their cadence', async () => {
    const { group, project } = await place();
    const cadence = (
      await call('POST', `/groups/${group.id}/iteration_cadences`, owner, { title: 'C', automatic: false })
    ).body;
    const sprint = async (start_date: string, due_date: string) =>
      (
        await call<{ id: number }>('POST', `/groups/${group.id}/iterations`, owner, {
          ...{ start_date, due_date },
          iteration_cadence_id: cadence.id,
        })
      ).body;
    const first = await sprint('2026-01-05', '2026-01-06');
    const second = await sprint('2026-01-07', '2026-01-08');
    await sprint('2031-01-07', '2031-01-08');
    const a = await open(project.id, '2026-01-05', { title: 'a', weight: 3, iteration_id: first.id });
    const b = await open(project.id, '2026-01-05', { title: 'b', weight: 2, iteration_id: first.id });
    const issues = `/projects/${project.id}/issues`;
    await on('2026-01-06', a.id, () => call('PUT', `${issues}/${a.iid}`, owner, { state_event: 'close' }));
    await on('2026-01-07', b.id, () => call('PUT', `${issues}/${b.iid}`, owner, { iteration_id: second.id }));
    await on('2026-01-08', b.id, () => call('PUT', `${issues}/${b.iid}`, owner, { state_event: 'close' }));
    const events = `${issues}/${b.iid}/resource_iteration_events`;
    const listed = await call<Json[]>('GET', events, guest);
    expect(listed.body).toMatchObject([
      {
        action: 'add',
        resource_type: 'Issue',
        resource_id: b.id,
        user: { id: owner.user.id },
        iteration: { id: first.id },
      },
      { action: 'add', iteration: { id: second.id, group_id: group.id, state: 3 } },
    ]);
    expect((await call('GET', `${events}/${listed.body[0]?.id}`, guest)).body).toEqual(listed.body[0]);
    expect((await call('GET', events, stranger)).status).toBe(404);
    await call('PUT', `${issues}/${b.iid}`, owner, { iteration_id: 0 });
    expect((await call<Json[]>('GET', events, guest)).body[2]).toMatchObject({
      action: 'remove',
      iteration: { id: second.id },
    });
    await call('PUT', `${issues}/${b.iid}`, owner, { iteration_id: second.id });
    for (const place of [`/groups/${group.id}`, `/projects/${project.id}`]) {
      const one = `${place}/iterations/${first.id}`;
      expect(await call('GET', one, guest)).toMatchObject({ status: 200, body: { id: first.id, state: 3 } });
      expect((await call('GET', `${place}/iterations/0`, guest)).status).toBe(404);
      expect((await call('GET', one, stranger)).status).toBe(404);
      expect((await call('GET', `${one}/burnup_report`, stranger)).status).toBe(404);
      expect((await call('GET', `${place}/iterations/0/burnup_report`, guest)).status).toBe(404);
      expect((await call<Json>('GET', `${one}/burnup_report`, guest)).body.days).toEqual([
        day('5', [2, 5], [0, 0]),
        day('6', [2, 5], [1, 3]),
      ]);
    }
    const velocity = `/groups/${group.id}/iteration_cadences/${cadence.id}/velocity`;
    expect((await call<Json[]>('GET', velocity, guest)).body).toMatchObject([
      { iteration: { id: second.id }, committed: amount(1, 2), completed: amount(1, 2) },
      { iteration: { id: first.id }, committed: amount(2, 5), completed: amount(1, 3) },
    ]);
    expect((await call('GET', velocity, stranger)).status).toBe(404);
    expect((await call('GET', `/groups/${group.id}/iteration_cadences/0/velocity`, guest)).status).toBe(404);
  });

  it('have days up to today, and at most five hundred', () => {
    expect(reportedDays('2026-02-27', '2026-03-02', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(reportedDays('2026-02-27', '2026-03-02', '2026-02-26')).toEqual([]);
    const long = reportedDays('2020-01-01', '2023-12-31', '2026-01-01');
    expect([long.length, long.at(-1)]).toEqual([487, '2023-12-31']);
  });
});
