/** The object of a group, key by key, and the lists of groups, parameter by parameter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let other: BuiltToken;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
  other = await buildToken(app);
});
afterAll(() => app.close());

const get = <T = Json>(target: string, token?: BuiltToken, query: RequestParts['query'] = {}) =>
  app.api<T>('GET', target, { token: token?.secret, query });
const put = (id: number, json: Json, token = owner) =>
  app.api<Json>('PUT', `/groups/${id}`, { token: token.secret, json });
const ids = (body: unknown) => (body as Array<{ id: number }>).map(({ id }) => id);

describe('[3/fields.group/1] the object', () => {
  test('[3/fields.group/2 name, path, description, full_name, full_path] [3/fields.group/13] [3/fields.group/16] names of a group and of one below it', async () => {
    const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const made = await app.api<Json>('POST', '/groups', {
      token: owner.secret,
      json: {
        name: 'Straße & Söhne (Tief)'.replace('& ', ''),
        path: 'Unten.1_x',
        parent_id: top.id,
        description: 'Ü\n<b>',
      },
    });
    expect(made.status).toBe(201);
    const expected = {
      name: 'Straße Söhne (Tief)',
      path: 'Unten.1_x',
      description: 'Ü\n<b>',
      full_name: `${top.name} / Straße Söhne (Tief)`,
      full_path: `${top.path}/Unten.1_x`,
      web_url: `${app.url}/groups/${top.path}/Unten.1_x`,
      parent_id: top.id,
    };
    expect(made.body).toMatchObject(expected);
    expect((await get(`/groups/${made.body.id}`, owner)).body).toMatchObject(expected);
    const listed = await get<Json[]>(`/groups/${top.id}/subgroups`, owner);
    expect(listed.body).toMatchObject([expected]);
    expect((await get(`/groups/${top.id}`)).body).toMatchObject({ parent_id: null, description: '' });
  });

  test('[3/fields.group/3 visibility, public, internal, private] is one of three, and says who sees the group', async () => {
    for (const [visibility, anonymous, stranger] of [
      ['public', 200, 200],
      ['internal', 404, 200],
      ['private', 404, 404],
    ] as const) {
      const made = await app.api<Json>('POST', '/groups', {
        token: owner.secret,
        json: { name: unique('V'), path: unique('v'), visibility },
      });
      expect(made.body.visibility).toBe(visibility);
      const at = `/groups/${made.body.id}`;
      expect([(await get(at)).status, (await get(at, other)).status]).toEqual([anonymous, stranger]);
      expect((await get(at, owner)).body.visibility).toBe(visibility);
    }
    const json = { name: unique('V'), path: unique('v'), visibility: 'secret' };
    expect(await app.api('POST', '/groups', { token: owner.secret, json })).toMatchObject({
      status: 400,
      body: { error: 'visibility does not have a valid value' },
    });
  });

  test('[3/fields.group/4] [3/fields.group/5] [3/fields.group/6] [3/fields.group/7 project_creation_level, developer] [3/fields.group/8 subgroup_creation_level, owner] [3/fields.group/9 auto_devops_enabled, emails_disabled, emails_enabled, mentions_disabled] [3/fields.group/10 lfs_enabled, request_access_enabled] [3/fields.group/11] [3/fields.group/20 wiki_access_level, private] settings: what they are at first, and each as it was set', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    expect((await get(`/groups/${group.id}`, owner)).body).toMatchObject({
      share_with_group_lock: false,
      require_two_factor_authentication: false,
      two_factor_grace_period: 48,
      project_creation_level: 'developer',
      subgroup_creation_level: 'maintainer',
      auto_devops_enabled: null,
      emails_disabled: false,
      emails_enabled: true,
      mentions_disabled: null,
      lfs_enabled: true,
      request_access_enabled: true,
      default_branch_protection: 2,
      wiki_access_level: 'enabled',
    });
    const other = {
      share_with_group_lock: true,
      require_two_factor_authentication: true,
      two_factor_grace_period: 0,
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      auto_devops_enabled: false,
      emails_enabled: false,
      mentions_disabled: false,
      lfs_enabled: false,
      request_access_enabled: false,
      default_branch_protection: 0,
      wiki_access_level: 'private',
    };
    const expected = { ...other, emails_disabled: true };
    expect(await put(group.id, other)).toMatchObject({ status: 200, body: expected });
    const listed = await get<Json[]>('/groups', owner, { search: group.path });
    expect(listed.body).toMatchObject([expected]);
    const back = { auto_devops_enabled: null, mentions_disabled: null, emails_disabled: false };
    expect((await put(group.id, back)).body).toMatchObject({ ...back, emails_enabled: true });
    for (const [name, values] of Object.entries({
      two_factor_grace_period: [-1, 'x', 1.5, 2 ** 31],
      share_with_group_lock: ['perhaps', 2],
      default_branch_protection: [5, -1, 'x'],
      project_creation_level: ['nobody', 30],
      subgroup_creation_level: ['developer', 'noone'],
      wiki_access_level: ['public'],
      lfs_enabled: [null, [true]],
    }))
      for (const value of values) {
        const answer = await put(group.id, { [name]: value });
        expect([name, value, answer.status]).toEqual([name, value, 400]);
      }
  });

  test('[3/fields.group/12] [3/fields.group/15] [3/fields.group/17] [3/fields.group/18] what is null until it is set, and when it was made', async () => {
    const before = Date.now();
    const made = await app.api<Json>('POST', '/groups', {
      token: owner.secret,
      json: { name: unique('N'), path: unique('n') },
    });
    expect(made.body).toMatchObject({ avatar_url: null, file_template_project_id: null, ip_restriction_ranges: null });
    expect(made.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(String(made.body.created_at)) - before)).toBeLessThan(60_000);
    const json = { file_template_project_id: 3, ip_restriction_ranges: '0.0.0.0/0,::/0' };
    expect((await put(made.body.id as number, json)).body).toMatchObject(json);
    expect((await get(`/groups/${made.body.id}`, owner)).body.created_at).toBe(made.body.created_at);
  });

  test('[3/fields.group/14] [3/fields.group/19 statistics, statistics=true, storage_size, repository_size, wiki_size, lfs_objects_size, job_artifacts_size, pipeline_artifacts_size, packages_size, snippets_size, uploads_size] [3/fields.group/21] sizes of all below, for administrators who ask', async () => {
    const top = await buildGroup(app, { owner: owner.user });
    const below = await buildGroup(app, { parent: top });
    const [one, two] = [
      await buildProject(app, { namespace: top, statistics: { repository_size: 100 } }),
      await buildProject(app, { namespace: below, statistics: { repository_size: 20 } }),
    ];
    await app.db
      .insertInto('project_uploads')
      .values({ project_id: one.id, size: 3, secret: 'a'.repeat(32), file_name: 'x', object_key: unique('upload') })
      .execute();
    const sizes = {
      storage_size: 123,
      repository_size: 120,
      wiki_size: 0,
      lfs_objects_size: 0,
      job_artifacts_size: 0,
      pipeline_artifacts_size: 0,
      packages_size: 0,
      snippets_size: 0,
      uploads_size: 3,
    };
    expect(two.namespace_id).toBe(below.id);
    const query = { statistics: 'true' };
    expect((await get(`/groups/${top.id}`, admin, query)).body).toMatchObject({
      statistics: sizes,
      repository_storage: 'default',
    });
    const listed = await get<Json[]>('/groups', admin, { search: top.path, top_level_only: true, ...query });
    expect(listed.body).toMatchObject([{ id: top.id, statistics: sizes, repository_storage: 'default' }]);
    const inner = await get<Json[]>(`/groups/${top.id}/subgroups`, admin, query);
    expect(inner.body).toMatchObject([{ statistics: { storage_size: 20, repository_size: 20, uploads_size: 0 } }]);
    for (const [token, wanted] of [
      [admin, { statistics: 'false' }],
      [admin, {}],
      [owner, query],
    ] as const) {
      expect((await get(`/groups/${top.id}`, token, wanted)).body).not.toHaveProperty('statistics');
      for (const item of (await get<Json[]>('/groups', token, { search: top.path, ...wanted })).body)
        expect(item).not.toHaveProperty('statistics');
    }
    expect((await get(`/groups/${top.id}`, owner)).body).not.toHaveProperty('repository_storage');
  });
});

describe('[3/api.groups/1] GET /groups', () => {
  const prefix = unique('all');
  let carol: BuiltToken;
  let top: Namespace;
  let below: Namespace;
  let minimal: Namespace;
  let guest: Namespace;
  let open: Namespace;

  beforeAll(async () => {
    carol = await buildToken(app);
    open = await buildGroup(app, { path: `${prefix}-Z-open`, visibility: 'public' });
    top = await buildGroup(app, { path: `${prefix}-b-top`, owner: carol.user });
    below = await buildGroup(app, { path: 'C-below', parent: top });
    guest = await buildGroup(app, { path: `${prefix}-D-guest`, visibility: 'internal' });
    minimal = await buildGroup(app, { path: `${prefix}-a-minimal` });
    await buildMember(app, { user: carol.user, of: guest, level: Level.guest });
    await buildMember(app, { user: carol.user, of: minimal, level: Level.minimal });
    await buildGroup(app, { path: 'hidden-below', parent: minimal });
  });

  const list = async (token: BuiltToken | undefined, query: RequestParts['query'] = {}) => {
    const { status, body } = await get<Json[]>('/groups', token, { search: prefix, ...query });
    expect(status).toBe(200);
    return ids(body);
  };

  test('[3/api.groups/1 name, asc] is in the order of names, whatever their case; membership of any role counts', async () => {
    expect(await list(carol)).toEqual([minimal.id, top.id, guest.id, below.id]);
    expect(await list(carol, { order_by: 'name', sort: 'asc' })).toEqual([minimal.id, top.id, guest.id, below.id]);
    expect(await list(undefined)).toEqual([open.id]);
    expect(await list(other)).toEqual([]);
  });

  test('[3/api.groups/1 path, id, desc, order_by, sort] other orders, both ways', async () => {
    const byId = [open, top, below, guest, minimal].map(({ id }) => id);
    const query = { all_available: true };
    expect(await list(carol, { ...query, order_by: 'id' })).toEqual(byId);
    expect(await list(carol, { ...query, order_by: 'id', sort: 'desc' })).toEqual([...byId].reverse());
    const byPath = [minimal, top, guest, open, below].map(({ id }) => id);
    await app.db.updateTable('namespaces').set({ path: 'zz-below' }).where('id', '=', below.id).execute();
    expect(await list(carol, { ...query, order_by: 'path' })).toEqual(byPath);
    expect(await list(carol, { ...query, order_by: 'path', sort: 'desc' })).toEqual([...byPath].reverse());
    for (const wrong of [{ sort: 'up' }, { order_by: 'created_at' }, { order_by: '' }, { order_by: ['id'] }])
      expect([wrong, (await get('/groups', carol, wrong)).status]).toEqual([wrong, 400]);
  });

  test('[3/api.groups/1 all_available, owned, min_access_level] a wanted role wins over all that is visible', async () => {
    expect(await list(carol, { all_available: true, owned: true })).toEqual([top.id, below.id]);
    expect(await list(carol, { all_available: false, owned: true })).toEqual([top.id, below.id]);
    expect(await list(carol, { all_available: true, min_access_level: 10 })).toEqual([top.id, guest.id, below.id]);
    expect(await list(carol, { all_available: true, min_access_level: 5 })).toHaveLength(4);
    expect(await list(carol, { owned: true, min_access_level: 10 })).toEqual([top.id, below.id]);
    expect(await list(admin, { owned: true })).toEqual([]);
    expect(await list(admin, { min_access_level: 10 })).toEqual([]);
    expect(await list(undefined, { owned: true })).toEqual([]);
    for (const wrong of [1, 60, -10, 'x'])
      expect([wrong, (await get('/groups', carol, { min_access_level: wrong })).status]).toEqual([wrong, 400]);
    expect((await get('/groups', carol, { owned: 'perhaps' })).status).toBe(400);
  });

  test('[3/api.groups/1 skip_groups, top_level_only, search] filters, each with what it leaves out', async () => {
    const both = { 'skip_groups[]': minimal.id };
    expect(await list(carol, both)).toEqual([top.id, guest.id, below.id]);
    expect(await list(carol, { skip_groups: [minimal.id, top.id, 999_999_999] })).toEqual([guest.id, below.id]);
    expect((await get('/groups', carol, { skip_groups: ['x'] })).status).toBe(400);
    expect(await list(carol, { top_level_only: true })).toEqual([minimal.id, top.id, guest.id]);
    expect(await list(carol, { top_level_only: false })).toHaveLength(4);
    expect(await list(carol, { search: `${prefix.toUpperCase()}-B` })).toEqual([top.id, below.id]);
    expect(await list(carol, { search: `${prefix}_` })).toEqual([]);
    expect(await list(carol, { search: '' })).toHaveLength(4);
  });

  test('[3/api.groups/1 statistics, with_custom_attributes, custom_attributes[key]=<value>, repository_storage] what administrators may ask', async () => {
    const note = (key: string, value: string, id = guest.id) =>
      app.api('PUT', `/groups/${id}/custom_attributes/${key}`, { token: admin.secret, json: { value } });
    expect((await note('colour', 'red')).status).toBe(200);
    await note('size', 'x');
    await note('colour', 'blue', top.id);
    const shown = await get<Json[]>('/groups', admin, { search: guest.path, with_custom_attributes: true });
    expect(shown.body).toMatchObject([
      {
        custom_attributes: [
          { key: 'colour', value: 'red' },
          { key: 'size', value: 'x' },
        ],
      },
    ]);
    expect(await list(admin, { 'custom_attributes[colour]': 'red' })).toEqual([guest.id]);
    expect(await list(admin, { 'custom_attributes[colour]': 'red', 'custom_attributes[size]': 'y' })).toEqual([]);
    expect(await list(admin, { 'custom_attributes[other]': 'red' })).toEqual([]);
    // For others the filter is not there, and neither are the values.
    expect(await list(carol, { 'custom_attributes[colour]': 'red' })).toHaveLength(4);
    const mine = await get<Json[]>('/groups', carol, { search: prefix, with_custom_attributes: true });
    for (const item of mine.body) expect(item).not.toHaveProperty('custom_attributes');
    expect(await list(admin, { repository_storage: 'elsewhere' })).toEqual([]);
    expect(await list(admin, { repository_storage: 'default' })).toHaveLength(6);
  });

  test('[3/api.groups/1 similarity] the most like the search first; without one by name', async () => {
    const query = { order_by: 'similarity', all_available: true };
    expect((await list(carol, { ...query, search: `${prefix}-D-guest` }))[0]).toBe(guest.id);
    expect((await list(carol, { ...query, search: `${prefix}-D-guest`, sort: 'desc' }))[0]).toBe(guest.id);
    expect(await list(carol, { order_by: 'similarity', search: '' })).toEqual([minimal.id, top.id, guest.id, below.id]);
  });
});

describe('groups below a group', () => {
  let carol: BuiltToken;
  let top: Namespace;
  let open: Namespace;
  let mine: Namespace;
  let guest: Namespace;
  let deep: Namespace;

  beforeAll(async () => {
    carol = await buildToken(app);
    top = await buildGroup(app, { visibility: 'public' });
    open = await buildGroup(app, { parent: top, path: 'b-open', visibility: 'public' });
    mine = await buildGroup(app, { parent: top, path: 'C-mine', owner: carol.user });
    guest = await buildGroup(app, { parent: top, path: 'a-guest', visibility: 'public' });
    deep = await buildGroup(app, { parent: mine, path: 'd-deep' });
    await buildGroup(app, { parent: top, path: 'hidden' });
    await buildMember(app, { user: carol.user, of: guest, level: Level.guest });
  });

  describe.each(['subgroups', 'descendant_groups'] as const)('/%s', (kind) => {
    const deeper = () => (kind === 'subgroups' ? [] : [deep.id]);
    const list = async (token?: BuiltToken, query: RequestParts['query'] = {}) => {
      const { status, body } = await get<Json[]>(`/groups/${top.id}/${kind}`, token, query);
      expect(status).toBe(200);
      return ids(body);
    };

    test('[3/api.groups/2] [3/api.groups/3] anonymous callers see public ones, others where they are members', async () => {
      expect(await list()).toEqual([guest.id, open.id]);
      expect(await list(carol)).toEqual([guest.id, mine.id, ...deeper()]);
      expect(await list(other)).toEqual([]);
    });

    test('[3/api.groups/2 skip_groups, all_available, owned, min_access_level] who sees which', async () => {
      expect(await list(carol, { all_available: true })).toEqual([guest.id, open.id, mine.id, ...deeper()]);
      expect(await list(other, { all_available: true })).toEqual([guest.id, open.id]);
      expect(await list(carol, { skip_groups: [mine.id] })).toEqual([guest.id, ...deeper()]);
      expect(await list(carol, { owned: true })).toEqual([mine.id, ...deeper()]);
      expect(await list(carol, { min_access_level: 20, all_available: true })).toEqual([mine.id, ...deeper()]);
      expect(await list(carol, { min_access_level: 10 })).toEqual([guest.id, mine.id, ...deeper()]);
      expect((await list(admin)).length).toBe(4 + deeper().length);
      expect(await list(admin, { all_available: false })).toEqual([]);
    });

    test('[3/api.groups/2 search, order_by, name, path, id, sort] short paths only, and orders', async () => {
      expect(await list(carol, { search: 'MINE' })).toEqual([mine.id]);
      expect(await list(carol, { search: top.path })).toEqual([]);
      expect(await list(carol, { search: 'c-mine/d' })).toEqual([]);
      expect(await list(carol, { order_by: 'path', sort: 'desc' })).toEqual([...deeper(), mine.id, guest.id]);
      expect(await list(carol, { order_by: 'name', sort: 'desc' })).toEqual([...deeper(), mine.id, guest.id]);
      expect(await list(carol, { order_by: 'id' })).toEqual([mine.id, guest.id, ...deeper()]);
      expect((await get(`/groups/${top.id}/${kind}`, carol, { order_by: 'size' })).status).toBe(400);
    });

    test('[3/api.groups/2 statistics, with_custom_attributes] for administrators', async () => {
      const query = { statistics: true, with_custom_attributes: true };
      const seen = await get<Json[]>(`/groups/${top.id}/${kind}`, admin, query);
      for (const item of seen.body)
        expect(item).toMatchObject({ statistics: { storage_size: 0 }, custom_attributes: [] });
      for (const item of (await get<Json[]>(`/groups/${top.id}/${kind}`, carol, query)).body)
        for (const key of ['statistics', 'custom_attributes']) expect(item).not.toHaveProperty(key);
    });
  });

  test('[3/api.groups/2] [1/errors/10] of a group that is not there, or not for the caller', async () => {
    for (const kind of ['subgroups', 'descendant_groups']) {
      expect((await get(`/groups/999999999/${kind}`, carol)).status).toBe(404);
      expect((await get(`/groups/${mine.id}/${kind}`, other)).status).toBe(404);
      expect((await get(`/groups/${mine.id}/${kind}`)).status).toBe(404);
    }
  });
});
