/** Inviting groups to groups and projects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let group: Namespace;
let project: Project;
let invited: Namespace;

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  guest = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group });
  invited = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: invited, level: Level.developer });
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'DELETE', target: string, token?: BuiltToken, json?: Json) =>
  app.api<Json>(method, target, { token: token?.secret, ...(json ? { json } : {}) });

test('[3/api.groups/8 group_id, group_access, expires_at, 200] [3/api.groups/9] a group with a group: 200 with the group, then 204', async () => {
  const at = `/groups/${group.id}/share`;
  const json = { group_id: invited.id, group_access: 30, expires_at: '2999-12-31' };
  expect((await call('GET', `/groups/${group.id}`, guest)).status).toBe(404);
  const answer = await call('POST', at, owner, json);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      id: group.id,
      shared_with_groups: [
        { group_id: invited.id, group_name: invited.name, group_access_level: 30, expires_at: '2999-12-31' },
      ],
    },
  });
  expect((await call('GET', `/groups/${group.id}`, guest)).status).toBe(200);
  expect(await call('POST', at, owner, json)).toMatchObject({
    status: 409,
    body: { message: 'Shared group The group has already been shared with this group' },
  });
  const events = await app.db.selectFrom('audit_events').select('event').where('entity_id', '=', group.id).execute();
  expect(events.map(({ event }) => event)).toContain('group_share_created');
  expect((await call('DELETE', `${at}/${invited.id}`, guest)).status).toBe(403);
  expect(await call('DELETE', `${at}/${invited.id}`, owner)).toMatchObject({ status: 204, body: null });
  expect((await call('GET', `/groups/${group.id}`, guest)).status).toBe(404);
  expect((await call('DELETE', `${at}/${invited.id}`, owner)).status).toBe(404);
});

test('a project with a group: 201 with the share, then 204', async () => {
  const at = `/projects/${project.id}/share`;
  const answer = await call('POST', at, owner, { group_id: invited.id, group_access: 20 });
  expect(answer).toMatchObject({
    status: 201,
    body: { project_id: project.id, group_id: invited.id, group_access: 20, expires_at: null },
  });
  expect((await call('GET', `/projects/${project.id}`, guest)).status).toBe(200);
  expect(await call('POST', at, owner, { group_id: invited.id, group_access: 20 })).toMatchObject({
    status: 409,
    body: { message: 'Group already shared with this group' },
  });
  expect((await call('DELETE', `${at}/${invited.id}`, owner)).status).toBe(204);
  expect((await call('GET', `/projects/${project.id}`, guest)).status).toBe(404);
});

test('[3/api.groups/8] what is refused', async () => {
  const at = `/groups/${group.id}/share`;
  const hidden = await buildGroup(app);
  const share = (json: Json, token?: BuiltToken) => call('POST', at, token, json);
  expect((await share({ group_id: invited.id, group_access: 30 })).status).toBe(401);
  expect((await share({ group_id: invited.id, group_access: 30 }, guest)).status).toBe(404);
  expect((await share({ group_id: hidden.id, group_access: 30 }, owner)).status).toBe(404);
  expect((await share({ group_id: group.id, group_access: 30 }, owner)).status).toBe(400);
  expect(await share({ group_id: invited.id, group_access: 31 }, owner)).toMatchObject({
    status: 400,
    body: { error: 'group_access does not have a valid value' },
  });
  expect((await share({ group_id: invited.id }, owner)).status).toBe(400);
  expect((await share({ group_id: invited.id, group_access: 30, expires_at: '2020-01-01' }, owner)).status).toBe(400);
});

test('share_with_group_lock and prevent_sharing_groups_outside_hierarchy hold', async () => {
  const set = (columns: Json) => app.db.updateTable('namespaces').set(columns).where('id', '=', group.id).execute();
  await set({ share_with_group_lock: true, prevent_sharing_groups_outside_hierarchy: true });
  const json = { group_id: invited.id, group_access: 20 };
  expect((await call('POST', `/projects/${project.id}/share`, owner, json)).status).toBe(400);
  expect((await call('POST', `/groups/${group.id}/share`, owner, json)).status).toBe(404);
  const inner = await buildGroup(app, { parent: group });
  const other = await buildGroup(app, { parent: group });
  expect((await call('POST', `/groups/${inner.id}/share`, owner, { ...json, group_id: other.id })).status).toBe(200);
  await set({ share_with_group_lock: false, prevent_sharing_groups_outside_hierarchy: false });
});

test('security rule 2: invited groups that the caller may not see are told to nobody', async () => {
  const open = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const secret = await buildGroup(app, { owner: owner.user });
  const inside = await buildToken(app);
  await buildMember(app, { user: inside.user, of: secret, level: Level.guest });
  expect(
    (await call('POST', `/groups/${open.id}/share`, owner, { group_id: secret.id, group_access: 10 })).status,
  ).toBe(200);
  const told = async (token?: BuiltToken) =>
    ((await call('GET', `/groups/${open.id}`, token)).body.shared_with_groups as Json[]).map(
      ({ group_id }) => group_id,
    );
  expect(await told(owner)).toEqual([secret.id]);
  expect(await told(inside)).toEqual([secret.id]);
  expect(await told(guest)).toEqual([]);
  expect(await told()).toEqual([]);
});
