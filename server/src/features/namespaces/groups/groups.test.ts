/** Groups over HTTP: create, read, change, and the lists. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { printedReasons } from '../../../kernel/http/errors.ts';
import { ancestorLimit } from '../access/hierarchy.queries.ts';

type Json = Record<string, unknown>;
/** The body of a group that cannot be made. */
const refusal = (fields: Record<string, string[]>) => ({ message: `Failed to save group ${printedReasons(fields)}` });

let app: TestApp;
let admin: BuiltToken;
let alice: BuiltToken;
let bob: BuiltToken;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  alice = await buildToken(app);
  bob = await buildToken(app);
});
afterAll(() => app.close());

const get = <T = Json>(target: string, token?: BuiltToken, query: RequestParts['query'] = {}) =>
  app.api<T>('GET', target, { token: token?.secret, query });
const create = (token: BuiltToken | undefined, json: Json) =>
  app.api<Json>('POST', '/groups', { token: token?.secret, json });
const paths = (body: unknown) => (body as Array<{ full_path: string }>).map(({ full_path }) => full_path);

describe('one group', () => {
  test('[3/fields.group/1] [3/fields.group/2] [3/fields.group/3] [3/fields.group/4] [3/fields.group/5] [3/fields.group/6] [3/fields.group/7] [3/fields.group/8] [3/fields.group/9] [3/fields.group/10] [3/fields.group/11] [3/fields.group/12] [3/fields.group/13] [3/fields.group/16] [3/fields.group/17] [3/fields.group/18] [3/fields.group/20] [3/api.groups/5] [1/errors/2] POST answers 201 with the whole group', async () => {
    const path = unique('team');
    const answer = await create(alice, {
      name: 'The Team',
      path,
      description: 'Works',
      visibility: 'internal',
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      emails_disabled: true,
      wiki_access_level: 'private',
    });
    expect(answer.status).toBe(201);
    const id = answer.body.id as number;
    expect(Number.isInteger(id)).toBe(true);
    expect(answer.body).toMatchObject({
      name: 'The Team',
      path,
      description: 'Works',
      full_name: 'The Team',
      full_path: path,
      visibility: 'internal',
      share_with_group_lock: false,
      require_two_factor_authentication: false,
      two_factor_grace_period: 48,
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      auto_devops_enabled: null,
      emails_disabled: true,
      emails_enabled: false,
      mentions_disabled: null,
      lfs_enabled: true,
      request_access_enabled: true,
      default_branch_protection: 2,
      avatar_url: null,
      web_url: `${app.url}/groups/${path}`,
      parent_id: null,
      ip_restriction_ranges: null,
      wiki_access_level: 'private',
      custom_project_templates_group_id: null,
      file_template_project_id: null,
      shared_with_groups: [],
      marked_for_deletion_on: null,
    });
    expect(answer.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const member = await get<Json>(`/groups/${id}/members/${alice.user.id}`, alice);
    expect(member.body.access_level).toBe(50);
  });

  test('[1/what-the-service-does/5] GET by id and by URL-encoded path, whatever the case', async () => {
    const parent = await buildGroup(app, { owner: alice.user });
    const group = await buildGroup(app, { parent });
    for (const key of [
      String(group.id),
      encodeURIComponent(group.full_path),
      encodeURIComponent(group.full_path.toUpperCase()),
    ]) {
      const answer = await get(`/groups/${key}`, alice);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: group.id,
        parent_id: parent.id,
        full_name: `${parent.name} / ${group.name}`,
      });
    }
  });

  test('[1/what-the-service-does/9] [1/errors/10] a private group is not there for strangers', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    for (const token of [undefined, bob]) {
      const answer = await get(`/groups/${group.id}`, token);
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } });
    }
    expect((await get('/groups/999999999', alice)).status).toBe(404);
  });

  test('projects of the group and those shared with it are listed where visible', async () => {
    const group = await buildGroup(app, { owner: alice.user, visibility: 'public' });
    const inside = await buildProject(app, { namespace: group, visibility: 'public' });
    const hidden = await buildProject(app, { namespace: group });
    const elsewhere = await buildProject(app, { visibility: 'public' });
    await app.db.insertInto('grants').values({ group_id: group.id, project_id: elsewhere.id, level: 30 }).execute();
    const ids = (list: unknown) =>
      (list as Array<{ id: number }>).map(({ id }) => id).sort((one, other) => one - other);
    const mine = await get(`/groups/${group.id}`, alice);
    expect(ids(mine.body.projects)).toEqual([inside.id, hidden.id]);
    expect(ids(mine.body.shared_projects)).toEqual([elsewhere.id]);
    const open = await get(`/groups/${group.id}`);
    expect(ids(open.body.projects)).toEqual([inside.id]);
    expect(await get(`/groups/${group.id}`, alice, { with_projects: 'false' })).not.toHaveProperty('body.projects');
    const shown = await get(`/groups/${group.id}`, alice, { with_own_access_level: 'true' });
    expect(shown.body).toMatchObject({ own_access_level: Level.owner });
    expect(await get(`/groups/${group.id}`, alice)).not.toHaveProperty('body.own_access_level');
  });

  test('[3/fields.group/19] [3/fields.group/14] [3/fields.group/21] statistics and storage are for administrators', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    await buildProject(app, { namespace: group, statistics: { repository_size: 1234 } });
    const seen = await get(`/groups/${group.id}`, admin, { statistics: 'true' });
    expect(seen.body.repository_storage).toBe('default');
    expect(seen.body.statistics).toEqual({
      storage_size: 1234,
      repository_size: 1234,
      wiki_size: 0,
      lfs_objects_size: 0,
      job_artifacts_size: 0,
      pipeline_artifacts_size: 0,
      packages_size: 0,
      snippets_size: 0,
      uploads_size: 0,
    });
    const mine = await get(`/groups/${group.id}`, alice, { statistics: 'true' });
    expect(mine.body).not.toHaveProperty('statistics');
    expect(mine.body).not.toHaveProperty('repository_storage');
  });
});

describe('creating and changing', () => {
  test('[1/errors/8] anonymous callers are told to sign in', async () => {
    expect(await create(undefined, { name: 'x', path: 'x' })).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    });
  });

  test('[1/errors/7] a group is no deeper than ancestor_limit', async () => {
    let parent = await buildGroup(app, { owner: alice.user });
    for (let level = 0; level < ancestorLimit; level += 1) parent = await buildGroup(app, { parent });
    const path = unique('deep');
    expect(await create(alice, { name: path, path, parent_id: parent.id })).toMatchObject({
      status: 400,
      body: refusal({ parent_id: ['has too deep level of nesting'] }),
    });
    const above = parent.parent_id;
    expect((await create(alice, { name: path, path, parent_id: above })).status).toBe(201);
  });

  test('[1/errors/7] missing and bad values are 400', async () => {
    expect((await create(alice, { name: 'x' })).body).toEqual({ error: 'path is missing' });
    const wrong = { name: '-', path: 'a b', visibility: 'internal' };
    const answer = await create(alice, wrong);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/^Failed to save group \{:name=>\[".+"\], :path=>\[".+"\]\}$/);
    expect((await create(alice, { name: 'x', path: 'admin' })).body).toEqual(
      refusal({ path: ['admin is a reserved name'] }),
    );
    for (const path of ['_x', 'x-', 'a--b', 'a._b'])
      expect((await create(alice, { name: 'x', path })).body).toEqual(
        refusal({
          path: ['must not start or end with a special character and must not contain consecutive special characters.'],
        }),
      );
    const ranges = await create(alice, { name: 'x', path: unique('x'), ip_restriction_ranges: '10.0.0.0/8,nonsense' });
    expect(ranges.body).toEqual(refusal({ ip_restriction_ranges: ['is an invalid IP address range'] }));
  });

  test('a path that is taken, by a group, a user or a project, is refused', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    const project = await buildProject(app, { namespace: group });
    for (const path of [group.path.toUpperCase(), bob.user.username]) {
      const answer = await create(alice, { name: 'x', path });
      expect(answer).toMatchObject({ status: 400, body: refusal({ path: ['has already been taken'] }) });
    }
    const below = await create(alice, { name: 'x', path: project.path, parent_id: group.id });
    expect(below).toMatchObject({ status: 400, body: refusal({ path: ['has already been taken'] }) });
  });

  test('only who may makes subgroups, and not more visible than the parent', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    await buildMember(app, { user: bob.user, of: group, level: Level.developer });
    const wanted = { name: 'Sub', path: 'sub', parent_id: group.id };
    expect((await create(bob, wanted)).status).toBe(403);
    const stranger = await buildToken(app);
    expect(await create(stranger, wanted)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } });
    expect((await create(alice, { ...wanted, visibility: 'public' })).body).toEqual(
      refusal({ visibility_level: ['public is not allowed since the parent group has a private visibility.'] }),
    );
    const made = await create(alice, wanted);
    expect(made).toMatchObject({ status: 201, body: { full_path: `${group.full_path}/sub`, visibility: 'private' } });
  });

  test('who may not make groups gets 403', async () => {
    const user = await buildUser(app, { can_create_group: false });
    const token = await buildToken(app, { user });
    expect((await create(token, { name: 'x', path: unique('x') })).status).toBe(403);
  });

  test('[1/errors/1] [3/fields.group/15] PUT changes settings; another path moves everything below', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    const sub = await buildGroup(app, { parent: group });
    const put = (token: BuiltToken, json: Json) =>
      app.api<Json>('PUT', `/groups/${group.id}`, { token: token.secret, json });
    const path = unique('moved');
    const changed = await put(alice, {
      name: 'Moved',
      path,
      description: null,
      lfs_enabled: false,
      file_template_project_id: 7,
      default_branch: 'trunk',
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      full_path: path,
      lfs_enabled: false,
      file_template_project_id: 7,
      default_branch: 'trunk',
      description: '',
    });
    expect((await get(`/groups/${sub.id}`, alice)).body).toMatchObject({
      full_path: `${path}/${sub.path}`,
      full_name: `Moved / ${sub.name}`,
    });
    expect((await put(bob, { name: 'x' })).status).toBe(404);
    await buildMember(app, { user: bob.user, of: group, level: Level.maintainer });
    expect((await put(bob, { name: 'x' })).status).toBe(403);
    expect((await put(alice, {})).status).toBe(400);
    expect((await put(alice, { project_creation_level: 'everyone' })).body).toEqual({
      error: 'project_creation_level does not have a valid value',
    });
  });

  test('a group cannot be less visible than what is in it', async () => {
    const group = await buildGroup(app, { owner: alice.user, visibility: 'public' });
    await buildProject(app, { namespace: group, visibility: 'internal' });
    const answer = await app.api<Json>('PUT', `/groups/${group.id}`, {
      token: alice.secret,
      json: { visibility: 'private' },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: {
          visibility_level: ['private is not allowed since this group contains projects with higher visibility.'],
        },
      },
    });
  });
});

describe('lists', () => {
  let carol: BuiltToken;
  let open: Namespace;
  let internal: Namespace;
  let owned: Namespace;
  let child: Namespace;
  let guest: Namespace;
  const prefix = unique('list');

  beforeAll(async () => {
    carol = await buildToken(app);
    open = await buildGroup(app, { path: `${prefix}-c-open`, visibility: 'public' });
    internal = await buildGroup(app, { path: `${prefix}-d-internal`, visibility: 'internal' });
    owned = await buildGroup(app, { path: `${prefix}-b-owned`, owner: carol.user });
    child = await buildGroup(app, { path: `${prefix}-child`, parent: owned });
    guest = await buildGroup(app, { path: `${prefix}-a-guest` });
    await buildMember(app, { user: carol.user, of: guest, level: Level.guest });
    await buildGroup(app, { path: `${prefix}-hidden` });
  });

  const list = async (token: BuiltToken | undefined, query: RequestParts['query'] = {}) =>
    paths((await get('/groups', token, { search: prefix, ...query })).body);

  test('[3/api.groups/1] signed in: those with a membership, inherited ones included, by name', async () => {
    expect(await list(carol)).toEqual([guest.full_path, owned.full_path, child.full_path]);
  });

  test('[3/api.groups/1 all_available] adds all that is visible; administrators have it by default', async () => {
    expect(await list(carol, { all_available: 'true' })).toEqual(
      [guest, owned, open, child, internal]
        .map((group) => group.full_path)
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    );
    expect(await list(admin)).toHaveLength(6);
    expect(await list(admin, { all_available: 'false' })).toEqual([]);
  });
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

  test('anonymous callers see public groups only', async () => {
    expect(await list(undefined)).toEqual([open.full_path]);
  });

  test('[3/api.groups/1 owned] [3/api.groups/1 min_access_level] narrow to a level', async () => {
    expect(await list(carol, { owned: 'true' })).toEqual([owned.full_path, child.full_path]);
    expect(await list(carol, { min_access_level: 20, all_available: 'true' })).toEqual([
      owned.full_path,
      child.full_path,
    ]);
    expect(await list(carol, { min_access_level: 10 })).toHaveLength(3);
    expect((await get('/groups', carol, { min_access_level: 11 })).status).toBe(400);
  });

  test('[3/api.groups/1 skip_groups] [3/api.groups/1 top_level_only] [3/api.groups/1 search] filter, visibility too', async () => {
    expect(await list(carol, { skip_groups: [guest.id, child.id] })).toEqual([owned.full_path]);
    expect(await list(carol, { top_level_only: 'true' })).toEqual([guest.full_path, owned.full_path]);
    expect(await list(carol, { visibility: 'internal', all_available: 'true' })).toEqual([internal.full_path]);
    expect(await list(carol, { search: `${prefix}-CHILD` })).toEqual([child.full_path]);
    expect(await list(carol, { search: '%' })).toEqual([]);
    // Every word is somewhere in it, in any order.
    expect(await list(carol, { search: ` child  ${prefix} ` })).toEqual([child.full_path]);
    expect(await list(carol, { search: `child ${prefix} nowhere` })).toEqual([]);
  });

  test('[3/api.groups/1 order_by] [3/api.groups/1 sort] [3/api.groups/1 similarity] order', async () => {
    expect(await list(carol, { sort: 'desc' })).toEqual([child.full_path, owned.full_path, guest.full_path]);
    expect(await list(carol, { order_by: 'id' })).toEqual([owned.full_path, child.full_path, guest.full_path]);
    expect(await list(carol, { order_by: 'path', sort: 'asc' })).toEqual([
      guest.full_path,
      owned.full_path,
      child.full_path,
    ]);
    expect((await list(carol, { order_by: 'similarity', search: child.path }))[0]).toBe(child.full_path);
    expect((await get('/groups', carol, { order_by: 'created' })).body).toEqual({
      error: 'order_by does not have a valid value',
    });
  });

  test('[3/api.groups/1 statistics] [3/api.groups/1 with_custom_attributes] [3/api.groups/1 repository_storage] are for administrators', async () => {
    const query = { statistics: 'true', with_custom_attributes: 'true' };
    const seen = await get<Json[]>('/groups', admin, { search: prefix, repository_storage: 'default', ...query });
    expect(seen.body).toHaveLength(6);
    expect(seen.body[0]).toHaveProperty('statistics.storage_size', 0);
    expect(await list(admin, { repository_storage: 'elsewhere' })).toEqual([]);
    const mine = await get<Json[]>('/groups', carol, { search: prefix, repository_storage: 'elsewhere', ...query });
    expect(mine.body).toHaveLength(3);
    expect(mine.body[0]).not.toHaveProperty('statistics');
  });

  test('[1/limits.pagination/1] [1/limits.pagination/2] [1/limits.pagination/3] [1/limits.pagination/6] offset pages', async () => {
    const answer = await get('/groups', carol, { search: prefix, per_page: 2, page: 2 });
    expect(paths(answer.body)).toEqual([child.full_path]);
    expect(answer.headers.get('x-total')).toBe('3');
    expect(answer.headers.get('link')).toMatch(/rel="prev".*rel="first".*rel="last"/);
    expect((await get('/groups', carol)).headers.get('x-per-page')).toBe('20');
  });

  test('[1/limits.pagination/5] keyset pages of the unauthenticated list', async () => {
    const names = ['B', 'a', 'C'].map((name) => `${unique('key')}-${name}`);
    const common = unique('keyset');
    for (const name of names) await buildGroup(app, { path: `${common}-${name}`, visibility: 'public' });
    const seen: string[] = [];
    let target: string | null = `/api/v4/groups?pagination=keyset&per_page=2&order_by=name&search=${common}`;
    while (target !== null) {
      const answer: { body: unknown; headers: Headers } = await app.request('GET', target);
      seen.push(...paths(answer.body));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      target = next ? next.slice(app.url.length) : null;
    }
    expect(seen).toEqual(
      names.map((name) => `${common}-${name}`).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())),
    );
    const bad = await get('/groups', undefined, { pagination: 'keyset', cursor: 'nonsense' });
    expect(bad.status).toBe(400);
  });

  test('[3/api.groups/2] [3/api.groups/3] subgroups are direct, descendants all; signed in with a membership only', async () => {
    const top = await buildGroup(app, { visibility: 'public' });
    const shown = await buildGroup(app, { parent: top, visibility: 'public' });
    const mine = await buildGroup(app, { parent: top, owner: carol.user });
    const deep = await buildGroup(app, { parent: mine });
    const below = async (kind: string, token?: BuiltToken, query = {}) =>
      paths((await get(`/groups/${top.id}/${kind}`, token, query)).body);
    expect(await below('subgroups')).toEqual([shown.full_path]);
    expect(await below('subgroups', carol)).toEqual([mine.full_path]);
    expect((await below('subgroups', carol, { all_available: 'true' })).sort()).toEqual(
      [shown.full_path, mine.full_path].sort(),
    );
    expect((await below('descendant_groups', carol)).sort()).toEqual([mine.full_path, deep.full_path].sort());
    expect(await below('descendant_groups', carol, { search: top.path })).toEqual([]);
    expect(
      await below('descendant_groups', carol, {
        skip_groups: [deep.id],
        owned: 'true',
        min_access_level: 50,
        order_by: 'id',
        sort: 'desc',
      }),
    ).toEqual([mine.full_path]);
    const stats = await get<Json[]>(`/groups/${top.id}/subgroups`, admin, {
      statistics: 'true',
      with_custom_attributes: 'true',
    });
    expect(stats.body[0]).toHaveProperty('statistics');
    expect((await get(`/groups/${mine.id}/subgroups`)).status).toBe(404);
  });
});
