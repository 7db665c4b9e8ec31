/** Check boxes of descriptions and comments, ticked one by one through the routes that change the text. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let groupId: number;
let base: string;
const text = 'Plan\n\n- [ ] first\n- [x] second';
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  const group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  groupId = group.id;
  base = `/projects/${(await buildProject(app, { namespace: group })).id}/issues`;
});
afterAll(() => app.close());

const call = <T = Json>(method: Method, path: string, json?: Json, token: BuiltToken = owner) =>
  app.api<T>(method, path, { token: token.secret, ...(json ? { json } : {}) });
const tick = (line_number: number, line_source: string, checked = true) => ({
  update_task: { line_number, line_source, checked },
});

it('a box of a description is ticked, a change by others meanwhile kept, and a changed line refused', async () => {
  const path = `${base}/${(await call('POST', base, { title: 'Boxes', description: text })).body.iid}`;
  const ticked = await call('PUT', path, tick(3, '- [ ] first'));
  expect([ticked.status, ticked.body.description]).toEqual([200, text.replace('- [ ] first', '- [x] first')]);
  expect(ticked.body.task_completion_status).toEqual({ count: 2, completed_count: 2 });
  const { body: notes } = await call<Json[]>('GET', `${path}/notes`);
  expect(notes[0]).toMatchObject({ system: true, body: 'marked the checklist item **first** as completed' });
  // The same page again, which others have changed since.
  const stale = await call('PUT', path, tick(3, '- [ ] first'));
  expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining('changed by somebody else')]);
  expect((await call('PUT', path, tick(1, 'Plan'))).status).toBe(400);
  expect((await call('PUT', path, { ...tick(3, '- [x] first'), description: 'x' })).status).toBe(400);
  expect((await call('PUT', path, tick(3, '- [x] first', false), guest)).status).toBe(403);
  expect((await call('PUT', path, { update_task: { checked: true } })).status).toBe(400);
});

it('boxes of comments are ticked by those who may change them', async () => {
  const path = `${base}/${(await call('POST', base, { title: 'Boxes' })).body.iid}`;
  const { body: note } = await call('POST', `${path}/notes`, { body: text });
  const one = `${path}/notes/${note.id}`;
  expect((await call('PUT', one, tick(3, '- [ ] first'), guest)).status).toBe(403);
  expect((await call('PUT', one, tick(3, '- [ ] first'))).body.body).toContain('- [x] first');
  expect((await call('PUT', one, tick(3, '- [ ] first'))).status).toBe(409);
  expect((await call('PUT', one, {})).status).toBe(400);
  const { body: threads } = await call<{ id: string }[]>('GET', `${path}/discussions`);
  const inThread = `${path}/discussions/${threads.at(-1)?.id}/notes/${note.id}`;
  expect((await call('PUT', inThread, tick(4, '- [x] second', false))).body.body).toContain('- [ ] second');
  expect((await call('PUT', inThread, { ...tick(4, '- [ ] second'), body: 'x' })).status).toBe(400);
});

it('boxes of milestones of projects and groups are ticked', async () => {
  for (const place of [base.replace('/issues', ''), `/groups/${groupId}`]) {
    const { body: made } = await call('POST', `${place}/milestones`, { title: `Boxes of ${place}`, description: text });
    const path = `${place}/milestones/${made.id}`;
    expect((await call('PUT', path, tick(3, '- [ ] first'), guest)).status).toBe(403);
    const ticked = await call('PUT', path, tick(3, '- [ ] first'));
    expect([ticked.status, ticked.body.description]).toEqual([200, text.replace('- [ ] first', '- [x] first')]);
    expect((await call('PUT', path, tick(3, '- [ ] first'))).status).toBe(409);
    expect((await call('PUT', path, { ...tick(3, '- [x] first'), description: 'x' })).status).toBe(400);
  }
});

it('boxes of epics are ticked', async () => {
  const epics = `/groups/${groupId}/epics`;
  const path = `${epics}/${(await call('POST', epics, { title: 'Boxes', description: text })).body.iid}`;
  expect((await call('PUT', path, tick(3, '- [ ] first'))).body.description).toContain('- [x] first');
  expect((await call('PUT', path, tick(3, '- [ ] first'))).status).toBe(409);
});
