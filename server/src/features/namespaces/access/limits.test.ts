/** Memberships that end, and groups that are kept to networks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { isWithin } from '../../../kernel/authz/addresses.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
let auditor: BuiltToken;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ environment: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
  owner = await buildToken(app);
  developer = await buildToken(app);
  auditor = await buildToken(app);
  admin = await buildToken(app, { user: await buildAdmin(app) });
  await app.db.updateTable('users').set({ auditor: true }).where('id', '=', auditor.user.id).execute();
});
afterAll(() => app.close());

test('addresses and ranges of both families', () => {
  const ranges = '10.0.0.0/8, 192.168.1.7,2001:db8::/32';
  for (const address of ['10.1.2.3', '192.168.1.7', '::ffff:10.9.9.9', '2001:db8::1'])
    expect([address, isWithin(ranges, address)]).toEqual([address, true]);
  for (const address of ['11.0.0.1', '192.168.1.8', '2001:db9::1', '::1', '', 'nonsense'])
    expect([address, isWithin(ranges, address)]).toEqual([address, false]);
});

test('[3/fields.group/18] a group kept to networks: its whole subtree, over the API and git', async () => {
  const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const sub = await buildGroup(app, { parent: top, visibility: 'public' });
  const inside = await buildProject(app, { namespace: sub, visibility: 'public' });
  const repository = await buildRepositoryProject(app, { owner });
  await app.db.updateTable('projects').set({ namespace_id: sub.id }).where('id', '=', repository.id).execute();
  await buildMember(app, { user: developer.user, of: top, level: Level.developer });
  const set = await app.api('PUT', `/groups/${top.id}`, {
    token: owner.secret,
    json: { ip_restriction_ranges: '10.0.0.0/8' },
  });
  expect(set.status).toBe(200);
  const get = async (target: string, from: string, token?: BuiltToken) =>
    (await app.api('GET', target, { token: token?.secret, headers: { 'x-forwarded-for': from } })).status;
  for (const target of [`/projects/${inside.id}`, `/groups/${sub.id}`, `/groups/${top.id}`])
    for (const who of [developer, auditor, undefined]) {
      expect([target, await get(target, '10.7.7.7', who)]).toEqual([target, 200]);
      expect([target, await get(target, '172.16.0.1', who)]).toEqual([target, 404]);
    }
  // An administrator and an owner can still open the settings, and nothing else.
  for (const who of [owner, admin]) {
    expect(await get(`/groups/${top.id}`, '172.16.0.1', who)).toBe(200);
    expect(await get(`/groups/${top.id}/members`, '172.16.0.1', who)).toBe(403);
    expect(await get(`/projects/${inside.id}`, '172.16.0.1', who)).toBe(404);
  }
  const git = async (from: string) =>
    (
      await app.request(
        'GET',
        `/${sub.full_path}/${repository.fullPath.split('/').at(-1)}.git/info/refs?service=git-upload-pack`,
        {
          headers: {
            'x-forwarded-for': from,
            authorization: `Basic ${Buffer.from(`x:${owner.secret}`).toString('base64')}`,
          },
        },
      )
    ).status;
  expect(await git('10.7.7.7')).toBe(200);
  expect(await git('172.16.0.1')).toBe(404);
  // What the top group leaves to git.
  const protocols = (value: string) =>
    app.db
      .updateTable('namespaces')
      .set({ enabled_git_access_protocol: value as 'ssh' })
      .where('id', '=', top.id)
      .execute();
  await protocols('ssh');
  expect(await git('10.7.7.7')).toBe(403);
  await protocols('all');
  expect(await git('10.7.7.7')).toBe(200);
  const lifted = await app.api('PUT', `/groups/${top.id}`, {
    token: owner.secret,
    json: { ip_restriction_ranges: '' },
    headers: { 'x-forwarded-for': '172.16.0.1' },
  });
  expect(lifted.status).toBe(200);
  expect(await get(`/projects/${inside.id}`, '172.16.0.1', developer)).toBe(200);
});

test('[3/fields.group/18] lists of everything leave out what is not reached from the address; owners find their group', async () => {
  const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const sub = await buildGroup(app, { parent: top, visibility: 'public' });
  const inside = await buildProject(app, { namespace: sub, visibility: 'public' });
  const outside = await buildProject(app, { owner: developer.user, visibility: 'public' });
  await app.db.insertInto('grants').values({ group_id: top.id, project_id: outside.id, level: 30 }).execute();
  const elsewhere = await buildGroup(app, { visibility: 'public' });
  await app.db.insertInto('grants').values({ group_id: elsewhere.id, project_id: inside.id, level: 30 }).execute();
  await buildMember(app, { user: developer.user, of: top, level: Level.developer });
  await app.db
    .updateTable('projects')
    .set({ forked_from_project_id: inside.id })
    .where('id', '=', outside.id)
    .execute();
  await app.db
    .insertInto('events')
    .values({ author_id: developer.user.id, project_id: inside.id, action: 'created' })
    .execute();
  await app.db
    .updateTable('namespaces')
    .set({ ip_restriction_ranges: '10.0.0.0/8, 2001:db8::/32' })
    .where('id', '=', top.id)
    .execute();
  const ids = async (target: string, from: string, token?: BuiltToken, query = {}) => {
    const { status, body } = await app.api<{ id: number; project_id?: number }[]>('GET', target, {
      token: token?.secret,
      headers: { 'x-forwarded-for': from },
      query: { per_page: 100, ...query },
    });
    expect([target, status]).toEqual([target, 200]);
    return body.map((each) => each.project_id ?? each.id);
  };
  const [near, near6, far] = ['10.1.2.3', '2001:db8::7', '172.16.0.1'];
  for (const who of [developer, auditor, admin, owner, undefined]) {
    for (const from of [near, near6]) {
      expect(await ids('/projects', from, who)).toEqual(expect.arrayContaining([inside.id, outside.id]));
      expect(await ids('/groups', from, who, { all_available: true })).toEqual(
        expect.arrayContaining([top.id, sub.id]),
      );
    }
    const seen = await ids('/projects', far, who);
    expect(seen).toContain(outside.id);
    expect(seen).not.toContain(inside.id);
    expect(await ids('/projects', far, who, { search: inside.path })).toEqual([]);
    expect(await ids(`/groups/${elsewhere.id}/projects`, far, who)).toEqual([]);
    expect(await ids(`/groups/${elsewhere.id}/projects`, near, who)).toEqual([inside.id]);
  }
  for (const from of [near, far]) {
    const mine = await ids('/projects', from, developer, { membership: true });
    expect([mine.includes(outside.id), mine.includes(inside.id)]).toEqual([true, from === near]);
  }
  for (const who of [developer, auditor, undefined]) {
    const groups = await ids('/groups', far, who, { all_available: true });
    expect([groups.includes(top.id), groups.includes(sub.id), groups.includes(elsewhere.id)]).toEqual([
      false,
      false,
      true,
    ]);
  }
  for (const who of [owner, admin])
    expect(await ids('/groups', far, who, { all_available: true })).toEqual(expect.arrayContaining([top.id, sub.id]));
  expect(await ids('/namespaces', far, developer)).not.toContain(top.id);
  expect(await ids('/namespaces', near, developer)).toContain(top.id);
  expect(await ids('/namespaces', far, owner)).toContain(top.id);
  const events = (from: string) => ids(`/users/${developer.user.id}/events`, from, developer);
  expect(await events(near)).toContain(inside.id);
  expect(await events(far)).not.toContain(inside.id);
  const one = async (target: string, from: string) =>
    (
      await app.api<Record<string, unknown>>('GET', target, {
        token: developer.secret,
        headers: { 'x-forwarded-for': from },
      })
    ).body;
  expect(await one(`/projects/${outside.id}`, near)).toMatchObject({
    forked_from_project: { id: inside.id },
    shared_with_groups: [{ group_id: top.id }],
  });
  const told = await one(`/projects/${outside.id}`, far);
  expect(told).not.toHaveProperty('forked_from_project');
  expect((await one(`/groups/${elsewhere.id}`, far)).shared_projects).toEqual([]);
  expect((await one(`/groups/${elsewhere.id}`, near)).shared_projects).toMatchObject([{ id: inside.id }]);
  expect(await one(`/namespaces/${top.id}`, far)).toEqual({ message: '404 Namespace Not Found' });
});

test('[3/api.members/1] expired memberships and invitations are removed by the task of the day, and audited', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const project = await buildProject(app, { namespace: group });
  const invited = await buildGroup(app);
  await buildMember(app, { user: developer.user, of: group, expiresAt: '2020-01-01' });
  await buildMember(app, { user: developer.user, of: project, expiresAt: '2999-01-01' });
  await app.db
    .insertInto('grants')
    .values({ group_id: invited.id, project_id: project.id, level: 20, expires_at: '2020-01-01' })
    .execute();
  await runTask(app, 'namespaces.expire_memberships');
  const left = await app.db
    .selectFrom('grants')
    .select(['user_id', 'project_id', 'expires_at'])
    .where((where) => where.or([where('namespace_id', '=', group.id), where('project_id', '=', project.id)]))
    .orderBy('id')
    .execute();
  expect(left).toEqual([
    { user_id: owner.user.id, project_id: null, expires_at: null },
    { user_id: developer.user.id, project_id: project.id, expires_at: '2999-01-01' },
  ]);
  const told = await app.db
    .selectFrom('audit_events')
    .select(['entity_type', 'entity_id', 'event', 'target_type', 'target_id', 'author_name'])
    .where('entity_id', 'in', [group.id, project.id])
    .where('event', 'in', ['member_destroyed', 'group_link_destroyed'])
    .orderBy('entity_type')
    .execute();
  expect(told).toEqual([
    {
      entity_type: 'Group',
      entity_id: group.id,
      event: 'member_destroyed',
      target_type: 'User',
      target_id: developer.user.id,
      author_name: 'System',
    },
    {
      entity_type: 'Project',
      entity_id: project.id,
      event: 'group_link_destroyed',
      target_type: 'Group',
      target_id: invited.id,
      author_name: 'System',
    },
  ]);
});
