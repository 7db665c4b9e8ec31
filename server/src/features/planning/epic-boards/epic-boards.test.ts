/** Epic boards of groups: their life, their lists, and who sees and changes them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown> & { readonly id: number };
let app: TestApp;
let planner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
beforeAll(async () => {
  app = await startTestApp();
  [planner, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { visibility: 'private' });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
});
afterAll(() => app.close());

const call = <T = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  token: BuiltToken | undefined = planner,
  json?: object,
) => app.api<T>(method, path, { token: token?.secret, ...(json ? { json: { ...json } } : {}) });
const label = async (name: string) =>
  (await call('POST', `/groups/${group.id}/labels`, planner, { name, color: '#112233' })).body.id;

it('are created, read, changed and deleted', async () => {
  const path = `/groups/${group.id}/epic_boards`;
  expect((await call('GET', path, guest)).body).toEqual([]);
  const scope = await label('scope');
  const made = await call('POST', path, planner, { name: ' Roadmap ', labels: 'scope', hide_closed_list: true });
  const board = {
    id: expect.any(Number),
    name: 'Roadmap',
    hide_backlog_list: false,
    hide_closed_list: true,
    group: { id: group.id, name: group.name, web_url: `${app.url}/groups/${group.full_path}` },
    labels: [
      {
        ...{ id: scope, title: 'scope', color: '#112233', description: null, text_color: '#FFFFFF' },
        ...{ group_id: group.id, project_id: null, template: false },
        ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      },
    ],
    lists: [],
  };
  expect([made.status, made.body]).toEqual([201, board]);
  const one = `${path}/${made.body.id}`;
  expect((await call('GET', path, guest)).body).toEqual([board]);
  const changed = await call('PUT', one, planner, { name: 'Plan', labels: null, hide_backlog_list: true });
  expect(changed.body).toEqual({ ...board, name: 'Plan', labels: [], hide_backlog_list: true });
  expect((await call('GET', one, guest)).body).toEqual(changed.body);
  expect((await call('PUT', one, planner, {})).status).toBe(400);
  expect((await call('POST', path, planner, { name: ' ' })).status).toBe(400);
  expect((await call('POST', path, planner, { name: 'x'.repeat(256) })).status).toBe(400);
  for (const [method, target, json] of [
    ['POST', path, { name: 'x' }],
    ['PUT', one, { name: 'x' }],
    ['DELETE', one, undefined],
  ] as const) {
    expect((await call(method, target, guest, json)).status).toBe(403);
    expect((await call(method, target, stranger, json)).status).toBe(404);
  }
  expect((await call('GET', one, stranger)).status).toBe(404);
  expect((await app.api('GET', path)).status).toBe(404);
  const elsewhere = await buildGroup(app, { owner: planner.user });
  expect((await call('GET', `/groups/${elsewhere.id}/epic_boards/${made.body.id}`)).status).toBe(404);
  expect((await call('DELETE', one)).status).toBe(204);
  expect((await call('DELETE', one)).status).toBe(404);
});

it('have lists of labels of the group, in an order', async () => {
  const { body: board } = await call('POST', `/groups/${group.id}/epic_boards`, planner, { name: 'Lists' });
  const path = `/groups/${group.id}/epic_boards/${board.id}/lists`;
  const [todo, doing] = [await label('todo'), await label('doing')];
  const first = await call('POST', path, planner, { label_id: todo });
  const shown = {
    id: first.body.id,
    label: { id: todo, name: 'todo', color: '#112233', description: null },
    position: 0,
    list_type: 'label',
  };
  expect([first.status, first.body]).toEqual([201, { ...shown, collapsed: false }]);
  const second = await call('POST', path, planner, { label_id: doing });
  expect((await call('POST', path, planner, { label_id: doing })).status).toBe(400);
  const project = await buildProject(app, { namespace: group });
  const owned = await call('POST', `/projects/${project.id}/labels`, planner, { name: 'own', color: '#112233' });
  expect((await call('POST', path, planner, { label_id: owned.body.id })).status).toBe(400);
  const moved = await call('PUT', `${path}/${second.body.id}`, planner, { position: 0, collapsed: true });
  expect(moved.body).toMatchObject({ position: 0, collapsed: true });
  expect((await call('PUT', `${path}/${second.body.id}`, planner, { position: 2 })).status).toBe(400);
  const order = async () => (await call<Json[]>('GET', path, guest)).body.map(({ id, position }) => [id, position]);
  expect(await order()).toEqual([
    [second.body.id, 0],
    [first.body.id, 1],
  ]);
  const whole = await call<Json & { lists: Json[] }>('GET', `/groups/${group.id}/epic_boards/${board.id}`, guest);
  expect(whole.body.lists).toEqual([expect.objectContaining({ id: second.body.id }), { ...shown, position: 1 }]);
  expect((await call('GET', `${path}/${first.body.id}`, guest)).body).toMatchObject({ id: first.body.id });
  for (const token of [guest, stranger]) {
    const wanted = token === guest ? 403 : 404;
    expect((await call('POST', path, token, { label_id: todo })).status).toBe(wanted);
    expect((await call('PUT', `${path}/${first.body.id}`, token, { position: 0 })).status).toBe(wanted);
    expect((await call('DELETE', `${path}/${first.body.id}`, token)).status).toBe(wanted);
  }
  expect((await call('DELETE', `${path}/${second.body.id}`)).status).toBe(204);
  expect(await order()).toEqual([[first.body.id, 0]]);
  expect((await call('GET', `${path}/${second.body.id}`)).status).toBe(404);
  // A label that is deleted takes its lists along.
  await call('DELETE', `/groups/${group.id}/labels/${todo}`);
  expect(await order()).toEqual([]);
});
