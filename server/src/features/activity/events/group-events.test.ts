/** Events of groups: epics and comments on them, and what happens in the projects below, for exactly those who see it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Seen {
  readonly id: number;
  readonly action_name: string;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly full_path: string;
  readonly target_type: string | null;
  readonly target_id: number | null;
  readonly target_title: string | null;
}
type Json = Record<string, unknown> & { readonly id: number; readonly iid: number };
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let top: Awaited<ReturnType<typeof buildGroup>>;
let sub: Awaited<ReturnType<typeof buildGroup>>;
let project: { id: number };
beforeAll(async () => {
  app = await startTestApp({ background: true });
  [owner, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  top = await buildGroup(app, { owner: owner.user, visibility: 'private' });
  sub = await buildGroup(app, { parent: top, visibility: 'private' });
  project = await buildProject(app, { namespace: sub, visibility: 'private' });
  await buildMember(app, { of: sub, user: guest.user, level: Level.guest });
});
afterAll(() => app.close());

const call = callsOf(() => app);
const make = async (path: string, json: object) => (await call<Json>('POST', path, owner, json)).body;
const list = async (path: string, token: BuiltToken = owner) => (await call<Seen[]>('GET', path, token)).body;
/** All events of the group, once there is one more that was begun after them. */
const settled = async () => {
  const last = await make(`/groups/${top.id}/epics`, { title: 'The last' });
  const events = () => list(`/groups/${top.id}/events?target_type=epic`);
  await eventually('the last event', async () => (await events()).some(({ target_id }) => target_id === last.id));
};

it('tell what was opened, closed, reopened and commented of epics', async () => {
  const at = `/groups/${sub.id}/epics`;
  const epic = await make(at, { title: 'Launch' });
  await call('PUT', `${at}/${epic.iid}`, owner, { state_event: 'close' });
  await call('PUT', `${at}/${epic.iid}`, owner, { state_event: 'reopen' });
  await call('PUT', `${at}/${epic.iid}`, owner, { description: 'Only changed' });
  await make(`${at}/${epic.id}/notes`, { body: 'A word' });
  await settled();
  const about = { project_id: null, group_id: sub.id, full_path: sub.full_path, target_title: 'Launch' };
  const found = (await list(`/groups/${sub.id}/events?sort=asc`)).filter(({ group_id }) => group_id === sub.id);
  const state = { ...about, target_type: 'Epic', target_id: epic.id, target_iid: epic.iid };
  expect(found).toMatchObject([
    { ...state, action_name: 'opened' },
    { ...state, action_name: 'closed' },
    { ...state, action_name: 'opened' },
    { ...about, action_name: 'commented on', target_type: 'Note', note: { body: 'A word', noteable_type: 'Epic' } },
  ]);
  for (const path of [`/groups/${top.id}/events`, '/events', '/events?scope=all', `/users/${owner.user.id}/events`])
    expect((await list(path)).map(({ id }) => id)).toEqual(expect.arrayContaining(found.map(({ id }) => id)));
  expect((await list(`/projects/${project.id}/events`)).filter(({ group_id }) => group_id !== null)).toEqual([]);
});

it('hold what happens in all projects below that the caller sees, by the page', async () => {
  const issue = await make(`/projects/${project.id}/issues`, { title: 'Below' });
  await settled();
  const below = (await list(`/groups/${top.id}/events?target_type=issue`)).filter(
    ({ target_id }) => target_id === issue.id,
  );
  expect(below).toMatchObject([{ project_id: project.id, group_id: null, target_title: 'Below' }]);
  expect(below[0]?.full_path.startsWith(`${sub.full_path}/`)).toBe(true);
  const elsewhere = await buildGroup(app, { owner: owner.user });
  expect(await list(`/groups/${elsewhere.id}/events`)).toEqual([]);
  const one = await call<Seen[]>('GET', `/groups/${top.id}/events?per_page=1&page=2`, owner);
  expect(one.body).toHaveLength(1);
  expect(one.headers.get('x-page')).toBe('2');
});

it('of confidential epics and internal comments are for those who see these', async () => {
  const at = `/groups/${sub.id}/epics`;
  const secret = await make(at, { title: 'Secret', confidential: true });
  await make(`${at}/${secret.id}/notes`, { body: 'Secret word' });
  const open = await make(at, { title: 'Open' });
  await make(`${at}/${open.id}/notes`, { body: 'Internal word', internal: true });
  await settled();
  const text = async (path: string, token?: BuiltToken) => JSON.stringify(await list(`${path}?per_page=100`, token));
  expect(await text(`/groups/${sub.id}/events`)).toContain('Secret word');
  for (const path of [`/groups/${sub.id}/events`, '/events?scope=all', `/users/${owner.user.id}/events`])
    expect(await text(path.replace('?scope=all', ''), guest)).not.toMatch(/Secret|Internal/);
  expect(await text(`/groups/${sub.id}/events`, guest)).toContain('Open');
  expect(await text(`/users/${owner.user.id}/events`, stranger)).not.toContain('Open');
  expect((await call('GET', `/groups/${sub.id}/events`, stranger)).status).toBe(404);
});

it('are in the feed of the group', async () => {
  const json = {
    login: (await buildUser(app, { password: 'nine lives of a cat' })).username,
    password: 'nine lives of a cat',
  };
  const session = await app.request<{ csrf_token: string }>('POST', '/-/session', { json });
  const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const opened = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  await make(`/groups/${opened.id}/epics`, { title: 'In the feed' });
  const read = (path: string) => app.request<string>('GET', path, { headers: { cookie } });
  await eventually('the entry', async () =>
    (await read(`/${opened.full_path}.atom`)).body.includes('epic &amp;1: In the feed'),
  );
  const feed = (await read(`/${opened.full_path}.atom`)).body;
  expect(feed).toMatch(new RegExp(`<link href="[^"]*/groups/${opened.full_path}/-/epics/1"/>`));
  expect((await read(`/${top.full_path}.atom`)).status).toBe(404);
  expect((await read(`/${sub.full_path}.atom`)).status).toBe(404);
});
