/** Effective levels, and that the reads on every request have their indexes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { plansOf, seed } from '../../../../test/plans.queries.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { anonymous, type Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';
import { listGroups } from '../groups/listing.queries.ts';
import { graceOfGroups } from '../members/members.queries.ts';
import { listProjects } from '../projects/listing.queries.ts';
import { nextIid } from './counters.queries.ts';
import { findGroupSubject, findProjectSubject } from './parents.queries.ts';

let app: TestApp;
let user: User;
let top: Namespace;
let sub: Namespace;
let project: Project;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const levels = async () => [
  (await findGroupSubject(app.db, String(top.id), user.id))?.level,
  (await findGroupSubject(app.db, String(sub.id), user.id))?.level,
  (await findProjectSubject(app.db, String(project.id), user.id))?.level,
];
const share = (
  group: Namespace,
  place: { namespace_id: number } | { project_id: number },
  level: number,
  expires_at: string | null = null,
) =>
  app.db
    .insertInto('grants')
    .values({ group_id: group.id, level, expires_at, ...place })
    .execute();

describe('effective level', () => {
  const fresh = async () => {
    user = await buildUser(app);
    top = await buildGroup(app);
    sub = await buildGroup(app, { parent: top });
    project = await buildProject(app, { namespace: sub });
  };

  test('a stranger has none, an owner of the personal namespace all', async () => {
    await fresh();
    expect(await levels()).toEqual([0, 0, 0]);
    const own = await buildProject(app, { owner: user });
    expect((await findProjectSubject(app.db, String(own.id), user.id))?.level).toBe(50);
    expect((await findProjectSubject(app.db, String(own.id), null))?.level).toBe(0);
  });

  test('who has a role in a subgroup or project only sees the groups above it, and nothing else of them', async () => {
    await fresh();
    const sibling = await buildGroup(app, { parent: top });
    const token = (await buildToken(app, { user })).secret;
    const ids = async () =>
      (await app.api<{ id: number }[]>('GET', '/groups', { token })).body.map(({ id }) => id).sort((a, b) => a - b);
    const status = async (path: string) => (await app.api('GET', path, { token })).status;
    const seen = async () => [await status(`/groups/${top.id}`), await status(`/groups/${sub.id}`)];
    const member = () => buildMember(app, { user, of: project, level: Level.guest });
    const invited = async () => {
      const club = await buildGroup(app);
      await buildMember(app, { user, of: club, level: Level.developer });
      await share(club, { project_id: project.id }, Level.guest);
      return club;
    };
    expect(await seen()).toEqual([404, 404]);
    await member();
    expect(await seen()).toEqual([200, 200]);
    expect(await ids()).toEqual([top.id, sub.id]);
    expect(await status(`/groups/${sibling.id}`)).toBe(404);
    expect(await status(`/groups/${top.id}/members`)).toBe(403);
    expect(await status(`/groups/${top.id}/labels`)).toBe(403);
    const projects = await app.api<{ id: number }[]>('GET', `/groups/${top.id}/projects?include_subgroups=true`, {
      token,
    });
    expect(projects.body.map(({ id }) => id)).toEqual([project.id]);
    expect((await app.api('GET', `/groups/${top.id}/subgroups`, { token })).body).toMatchObject([{ id: sub.id }]);
    await app.db.deleteFrom('grants').where('user_id', '=', user.id).where('project_id', '=', project.id).execute();
    expect(await seen()).toEqual([404, 404]);
    expect(await ids()).toEqual([]);
    // By way of a group that is invited to the project.
    const club = await invited();
    expect(await seen()).toEqual([200, 200]);
    expect(await ids()).toEqual([top.id, sub.id, club.id]);
    await app.db.updateTable('grants').set({ expires_at: '2020-01-01' }).where('group_id', '=', club.id).execute();
    expect(await seen()).toEqual([404, 404]);
    // Access that gives no role lets nobody in, and the minimal one of a group none of its subgroups.
    await buildMember(app, { user, of: sub, level: Level.guest });
    expect(await seen()).toEqual([200, 200]);
  });

  test('groups pass on to what is below, never upwards, and the highest counts', async () => {
    await fresh();
    await buildMember(app, { user, of: sub, level: Level.developer });
    expect(await levels()).toEqual([0, 30, 30]);
    await buildMember(app, { user, of: top, level: Level.guest });
    expect(await levels()).toEqual([10, 30, 30]);
    await buildMember(app, { user, of: project, level: Level.maintainer });
    expect(await levels()).toEqual([10, 30, 40]);
  });

  test('what has expired gives nothing', async () => {
    await fresh();
    await buildMember(app, { user, of: top, level: Level.owner, expiresAt: '2020-01-01' });
    expect(await levels()).toEqual([0, 0, 0]);
    await app.db
      .updateTable('grants')
      .set({ expires_at: '2999-01-01' })
      .where('user_id', '=', user.id)
      .where('namespace_id', '=', top.id)
      .execute();
    expect(await levels()).toEqual([50, 50, 50]);
  });

  test('invited groups give at most the level of the invitation, to members inherited from above too', async () => {
    await fresh();
    const invited = await buildGroup(app);
    const below = await buildGroup(app, { parent: invited });
    await buildMember(app, { user, of: invited, level: Level.owner });
    await share(below, { namespace_id: top.id }, 20);
    expect(await levels()).toEqual([20, 20, 20]);
    await share(below, { project_id: project.id }, 40);
    expect(await levels()).toEqual([20, 20, 40]);
    await app.db
      .updateTable('grants')
      .set({ level: 10 })
      .where('user_id', '=', user.id)
      .where('namespace_id', '=', invited.id)
      .execute();
    expect(await levels()).toEqual([10, 10, 10]);
    await app.db.updateTable('grants').set({ expires_at: '2020-01-01' }).where('group_id', '=', below.id).execute();
    expect(await levels()).toEqual([0, 0, 0]);
  });

  test('members below an invited group get nothing', async () => {
    await fresh();
    const invited = await buildGroup(app);
    const below = await buildGroup(app, { parent: invited });
    await buildMember(app, { user, of: below, level: Level.owner });
    await share(invited, { namespace_id: top.id }, 30);
    expect(await levels()).toEqual([0, 0, 0]);
  });

  test('lists agree with the single check', async () => {
    await fresh();
    const invited = await buildGroup(app);
    await buildMember(app, { user, of: invited, level: Level.developer });
    await share(invited, { namespace_id: top.id }, 20);
    const caller: Caller = { ...anonymous, user };
    const window = { order: 'id', direction: 'asc', limit: 10, offset: 0 } as const;
    const found = await listProjects(app.db, caller, { minimumLevel: 20 }, { ...window, after: null });
    expect(found.items.map((each) => [each.project.id, each.level])).toEqual([[project.id, 20]]);
    expect(found.total).toBe(1);
    expect(await listProjects(app.db, caller, { minimumLevel: 30 }, { ...window, after: null })).toEqual({
      items: [],
      total: 0,
    });
    const groups = await listGroups(app.db, caller, { minimumLevel: 20 }, { ...window, after: null });
    expect(groups.items.map(({ id }) => id)).toEqual([top.id, sub.id, invited.id]);
  });
});

test('numbers of a counter are handed out once each, from 1, and per kind', async () => {
  const { id } = await buildProject(app);
  const numbers = await Promise.all(
    Array.from({ length: 20 }, () => transaction(app.db, (tx) => nextIid(tx, id, 'pipeline'))),
  );
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(await nextIid(app.db, id, 'merge_request')).toBe(1);
});

describe('plans with thousands of rows', () => {
  beforeAll(async () => {
    user = (await buildToken(app)).user;
    const admin = await buildAdmin(app);
    top = await buildGroup(app);
    await buildMember(app, { user, of: top });
    await seed(
      app.database,
      `
      insert into namespaces (kind, name, path, full_path, full_name, traversal_ids, visibility, id)
        select 'group', 'bulk' || n, 'bulk' || n, 'bulk' || n, 'bulk' || n, array[1000000 + n], 'private', 1000000 + n
        from generate_series(1, 2000) n;
      insert into projects (namespace_id, name, path, visibility, repository_path, creator_id)
        select 1000000 + n % 2000 + 1, 'p' || n, 'p' || n, case when n % 50 = 0 then 'public' else 'private' end,
          '@bulk/' || n, ${admin.id} from generate_series(1, 10000) n;
      insert into grants (user_id, namespace_id, level) select ${admin.id}, 1000000 + n, 30 from generate_series(1, 2000) n;
      analyze;`,
    );
  });

  const noScans = async (work: Parameters<typeof plansOf>[1]) => {
    const plans = await plansOf(app.database, work);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (projects|namespaces|grants|users)/);
  };

  test('the parent of a request', async () => {
    await noScans((db) => findProjectSubject(db, '1', user.id));
    await noScans((db) => findProjectSubject(db, 'bulk7/p7', user.id));
    await noScans((db) => findGroupSubject(db, 'bulk7', user.id));
  });

  test('the groups that ask for a second factor, of every session that opens', async () => {
    await noScans((db) => graceOfGroups(db, user.id));
  });

  test('the lists of projects and groups', async () => {
    const caller: Caller = { ...anonymous, user };
    const window = { direction: 'desc', limit: 21, offset: 0, after: null } as const;
    for (const order of ['created_at', 'last_activity_at', 'updated_at', 'name', 'id'] as const)
      await noScans((db) => listProjects(db, caller, {}, { ...window, order }));
    await noScans((db) => listProjects(db, caller, { minimumLevel: 10 }, { ...window, order: 'created_at' }));
    await noScans((db) => listProjects(db, anonymous, {}, { ...window, order: 'created_at' }));
    await noScans((db) =>
      listProjects(db, caller, { namespaceId: top.id, descendants: true }, { ...window, order: 'created_at' }),
    );
    const groups = { order: 'name', direction: 'asc', limit: 21, offset: 0, after: null } as const;
    await noScans((db) => listGroups(db, anonymous, {}, groups));
    await noScans((db) => listGroups(db, caller, { minimumLevel: 10 }, groups));
  });
});
