/** Asking for access, and deciding about it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let mails: MailServer;
let owner: BuiltToken;
let group: Namespace;
let project: Project;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  project = await buildProject(app, { namespace: group, visibility: 'public' });
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const call = callsOf(() => app);

test.each(['groups', 'projects'] as const)('[3/api.members/7] /%s: asked, listed, approved, declined', async (kind) => {
  const at = `/${kind}/${kind === 'groups' ? group.id : project.id}`;
  const asker = await buildToken(app);
  const requests = `${at}/access_requests`;
  const asked = await call('POST', requests, asker);
  expect(asked).toMatchObject({ status: 201, body: { id: asker.user.id, username: asker.user.username } });
  expect(asked.body.requested_at).toMatch(/Z$/);
  expect((await mails.next(owner.user.email)).header('Subject')).toContain('asks for access');
  expect(await call('POST', requests, asker)).toMatchObject({
    status: 400,
    body: { message: 'User already exists in source' },
  });
  expect((await call<Json[]>('GET', requests, owner)).body).toEqual([asked.body]);
  const one = `${requests}/${asker.user.id}`;
  expect((await call('GET', requests, asker)).status).toBe(403);
  expect((await call('PUT', `${one}/approve`, asker)).status).toBe(403);
  expect((await call('PUT', `${one}/approve`)).status).toBe(401);
  expect((await call('PUT', `${one}/approve`, owner, { access_level: 31 })).status).toBe(400);
  expect(await call('PUT', `${one}/approve`, owner, { access_level: 20 })).toMatchObject({
    status: 201,
    body: { id: asker.user.id, access_level: 20 },
  });
  expect((await mails.next(asker.user.email)).header('Subject')).toContain('was granted');
  expect((await call('PUT', `${one}/approve`, owner)).status).toBe(404);
  expect((await call<Json[]>('GET', requests, owner)).body).toEqual([]);
  expect((await call('POST', requests, asker)).status).toBe(403);

  const [other, shy] = [await buildToken(app), await buildToken(app)];
  for (const each of [other, shy]) await call('POST', requests, each);
  expect((await call('DELETE', `${requests}/${other.user.id}`, shy)).status).toBe(403);
  expect((await call('DELETE', `${requests}/${other.user.id}`, owner)).status).toBe(204);
  expect((await mails.next(other.user.email)).header('Subject')).toContain('was declined');
  expect((await call('DELETE', `${requests}/${other.user.id}`, owner)).status).toBe(404);
  expect((await call('DELETE', `${requests}/${shy.user.id}`, shy)).status).toBe(204);
  expect((await call('POST', requests)).status).toBe(401);
});

test('the default role is developer, and nobody gives more than they have', async () => {
  const maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
  const asker = await buildToken(app);
  const requests = `/projects/${project.id}/access_requests`;
  await call('POST', requests, asker);
  const approve = `${requests}/${asker.user.id}/approve`;
  expect((await call('PUT', approve, maintainer, { access_level: 50 })).status).toBe(403);
  expect((await call('PUT', approve, maintainer)).body).toMatchObject({ access_level: 30 });
});

test('nobody asks where it is switched off, or sees nothing', async () => {
  const asker = await buildToken(app);
  const closed = await buildGroup(app, { visibility: 'public' });
  await app.db.updateTable('namespaces').set({ request_access_enabled: false }).where('id', '=', closed.id).execute();
  expect((await call('POST', `/groups/${closed.id}/access_requests`, asker)).status).toBe(403);
  const quiet = await buildProject(app, { visibility: 'public', request_access_enabled: false });
  expect((await call('POST', `/projects/${quiet.id}/access_requests`, asker)).status).toBe(403);
  const hidden = await buildProject(app);
  expect((await call('POST', `/projects/${hidden.id}/access_requests`, asker)).status).toBe(404);
});
