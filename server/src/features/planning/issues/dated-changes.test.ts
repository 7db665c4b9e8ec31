/** Changes that owners date back: their events and system notes, and when an issue was closed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown> & { readonly id: number; readonly iid: number };
let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  [owner, developer] = [await buildToken(app), await buildToken(app)];
  const project = await buildProject(app, { namespace: await buildGroup(app, { owner: owner.user }) });
  await buildMember(app, { user: developer.user, of: project, level: Level.developer });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());
const call = callsOf(() => app);

const times = async (path: string) =>
  (await call<{ created_at: string }[]>('GET', path, owner)).body.map(({ created_at }) => created_at);

it('takes the time of an owner for what a change records, and passes it over for others', async () => {
  const [made, first, second] = ['2031-01-02T03:04:05.000Z', '2031-01-05T00:00:00.000Z', '2031-01-07T08:00:00.000Z'];
  const issue = (await call<Json>('POST', base, owner, { title: 'a', labels: 'red', weight: 2, created_at: made }))
    .body;
  const path = `${base}/${issue.iid}`;
  const events = (kind: string) => times(`${path}/resource_${kind}_events`);
  expect([await events('label'), await events('weight')]).toEqual([[made], [made]]);

  const closed = await call('PUT', path, owner, { state_event: 'close', labels: '', updated_at: first });
  expect(closed.body).toMatchObject({ state: 'closed', closed_at: first, updated_at: first });
  const reopened = await call('PUT', path, owner, {
    ...{ state_event: 'reopen', title: 'b', weight: 3, due_date: '2031-02-01', updated_at: second },
  });
  expect(reopened.body).toMatchObject({ state: 'opened', closed_at: null, updated_at: second });
  expect(await events('label')).toEqual([made, first]);
  expect(await events('weight')).toEqual([made, second]);
  expect(await events('state')).toEqual([first, second]);
  expect(await times(`${path}/notes?sort=asc`)).toEqual([second, second]);

  const before = Date.now();
  const now = await call<Json>('PUT', path, developer, { state_event: 'close', title: 'c', updated_at: first });
  expect(Date.parse(String(now.body.closed_at))).toBeGreaterThanOrEqual(before - 1000);
  const [, , last = ''] = await events('state');
  expect(Date.parse(last)).toBeGreaterThanOrEqual(before - 1000);
});
