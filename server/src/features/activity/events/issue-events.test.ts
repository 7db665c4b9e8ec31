/** Events of issues and of comments on them: in the words of the ecosystem, for exactly those who see them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Seen {
  readonly action_name: string;
  readonly target_type: string | null;
  readonly target_id: number | null;
  readonly target_iid: number | null;
  readonly target_title: string | null;
  readonly note?: { readonly body: string };
}
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let base: string;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  guest = await buildToken(app);
  const project = await buildProject(app, { owner: owner.user, visibility: 'private' });
  await buildMember(app, { of: project, user: guest.user, level: Level.guest });
  base = `/projects/${project.id}`;
});
afterAll(() => app.close());

const call = async <T = { id: number; iid: number }>(method: 'POST' | 'PUT' | 'GET', path: string, json?: object) => {
  const answer = await app.api<T>(method, path, { token: owner.secret, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const list = async (who: BuiltToken, query = '?per_page=100', path = `${base}/events`) =>
  (await app.api<Seen[]>('GET', `${path}${query}`, { token: who.secret })).body;
/** All of the project's events, once there is one more that was begun after them. */
const settled = async () => {
  const made = await call('POST', `${base}/issues`, { title: 'The last' });
  await eventually('the last event', async () => (await list(owner)).some(({ target_id }) => target_id === made.id));
};

it('tell what was opened, closed, reopened and commented', async () => {
  const made = await call('POST', `${base}/issues`, { title: 'First' });
  await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'close' });
  await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'reopen' });
  await call('PUT', `${base}/issues/${made.iid}`, { description: 'Only changed' });
  await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'A word' });
  await settled();
  const found = (await list(owner, '?target_type=issue&sort=asc')).filter(({ target_id }) => target_id === made.id);
  const issue = { target_type: 'Issue', target_id: made.id, target_iid: made.iid, target_title: 'First' };
  expect(found).toMatchObject([
    { action_name: 'opened', ...issue },
    { action_name: 'closed', ...issue },
    { action_name: 'opened', ...issue },
  ]);
  expect((await list(owner, '?target_type=note'))[0]).toMatchObject({
    action_name: 'commented on',
    target_type: 'Note',
    target_title: 'First',
    note: { body: 'A word', noteable_type: 'Issue' },
  });
  expect((await list(owner, '?target_type=issue', '/events')).length).toBeGreaterThan(3);
});

it('of confidential issues and internal comments are for those who see these', async () => {
  const secret = await call('POST', `${base}/issues`, { title: 'Secret', confidential: true });
  await call('POST', `${base}/issues/${secret.iid}/notes`, { body: 'Secret word' });
  const open = await call('POST', `${base}/issues`, { title: 'Open' });
  await call('POST', `${base}/issues/${open.iid}/notes`, { body: 'Internal word', internal: true });
  await settled();
  const text = async (who: BuiltToken, path?: string) => JSON.stringify(await list(who, '?per_page=100', path));
  expect(await text(owner)).toMatch(/Secret word/);
  expect(await text(guest)).toContain('Open');
  for (const path of [undefined, `/users/${owner.user.id}/events`])
    expect(await text(guest, path)).not.toMatch(/Secret|Internal/);
  await call('PUT', `${base}/issues/${secret.iid}`, { assignee_ids: [guest.user.id] });
  expect(await text(guest)).toMatch(/Secret word/);
});
