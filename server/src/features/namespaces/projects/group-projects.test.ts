/** Projects of a group, parameter by parameter, and the object of a project, key by key. */
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
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let carol: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let top: Namespace;
let below: Namespace;
let a: Project;
let b: Project;
let c: Project;
let deep: Project;
let shared: Project;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  [carol, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  top = await buildGroup(app, { visibility: 'public' });
  below = await buildGroup(app, { parent: top, visibility: 'public' });
  await buildMember(app, { user: carol.user, of: top, level: Level.maintainer });
  await buildMember(app, { user: guest.user, of: top, level: Level.guest });
  const day = (number: number) => new Date(Date.UTC(2025, 0, number));
  const build = async (name: string, path: string, order: number, values: Parameters<typeof buildProject>[1]) => {
    const row = await buildProject(app, { namespace: top, path, last_activity_at: day(order), ...values });
    return await app.db
      .updateTable('projects')
      .set({ name, created_at: day(10 - order), updated_at: day(order * 2) })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  };
  a = await build('alpha', 'Z-path', 3, {
    visibility: 'public',
    topics: ['Red', 'blue'],
    issues_access_level: 'disabled',
  });
  b = await build('Beta', 'm-path', 1, { visibility: 'internal', topics: ['blue'], description: 'a Needle here' });
  c = await build('gamma', 'b-path', 2, {
    visibility: 'private',
    archived: true,
    merge_requests_access_level: 'disabled',
  });
  deep = await build('deep', 'deep', 4, { namespace: below, visibility: 'public' });
  shared = await buildProject(app, { visibility: 'public', path: unique('shared') });
  await app.db.insertInto('grants').values({ group_id: top.id, project_id: shared.id, level: 30 }).execute();
});
afterAll(() => app.close());

const get = <T = Json[]>(query: RequestParts['query'] = {}, token: BuiltToken | undefined = carol, at = top.id) =>
  app.api<T>('GET', `/groups/${at}/projects`, { token: token?.secret, query });
/** Without the shared one unless asked: the order is then that of the group's own. */
const list = async (query: RequestParts['query'] = {}, token: BuiltToken | undefined = carol) => {
  const { status, body } = await get({ with_shared: false, ...query }, token);
  expect([status, Array.isArray(body) ? [] : body]).toEqual([200, []]);
  return body.map(({ id }) => id);
};

describe('[3/api.groups/4] GET /groups/:id/projects', () => {
  test('[3/api.groups/4 id, name, path, created_at, updated_at, last_activity_at, order_by, sort, desc] every order, down unless told', async () => {
    const orders = {
      id: [c, b, a],
      name: [c, b, a],
      path: [a, b, c],
      created_at: [b, c, a],
      updated_at: [a, c, b],
      last_activity_at: [a, c, b],
    };
    const byDefault = orders.created_at.map(({ id }) => id);
    expect(await list()).toEqual(byDefault);
    for (const [order_by, expected] of Object.entries(orders)) {
      const ids = expected.map(({ id }) => id);
      expect([order_by, await list({ order_by })]).toEqual([order_by, ids]);
      expect([order_by, await list({ order_by, sort: 'desc' })]).toEqual([order_by, ids]);
      expect([order_by, await list({ order_by, sort: 'asc' })]).toEqual([order_by, [...ids].reverse()]);
    }
    expect(await list({ sort: 'asc' })).toEqual([...byDefault].reverse());
    for (const wrong of [{ order_by: 'size' }, { sort: 'down' }])
      expect([wrong, (await get(wrong as Json)).status]).toEqual([wrong, 400]);
  });

  test('[3/api.groups/4 similarity, order_by=similarity] the most like the search first, whichever way; without one by name', async () => {
    for (const sort of ['asc', 'desc', undefined]) {
      expect(await list({ order_by: 'similarity', sort })).toEqual([a.id, b.id, c.id]);
      expect((await list({ order_by: 'similarity', sort, search: 'm-path' }))[0]).toBe(b.id);
    }
    expect(await list({ order_by: 'similarity', search: 'path' })).toHaveLength(3);
  });

  test('[3/api.groups/4 archived, visibility, public, internal, private] state and visibility', async () => {
    expect(await list({ archived: true })).toEqual([c.id]);
    expect(await list({ archived: false })).toEqual([b.id, a.id]);
    expect(await list({ visibility: 'public' })).toEqual([a.id]);
    expect(await list({ visibility: 'internal' })).toEqual([b.id]);
    expect(await list({ visibility: 'private' })).toEqual([c.id]);
    expect((await get({ visibility: 'secret' })).status).toBe(400);
    expect((await get({ archived: 'maybe' })).status).toBe(400);
    // Whoever asks sees no more than what is visible to them.
    expect(await list({}, stranger)).toEqual([b.id, a.id]);
    expect(await list({}, guest)).toEqual([b.id, c.id, a.id]);
    expect((await app.api<Json[]>('GET', `/groups/${top.id}/projects`)).body.map(({ id }) => id)).toEqual(
      expect.arrayContaining([a.id]),
    );
    const anonymous = await app.api<Json[]>('GET', `/groups/${top.id}/projects?with_shared=false`);
    expect(anonymous.body.map(({ id }) => id)).toEqual([a.id]);
    // The long form, unlike the list of all projects, with nothing of a caller in it.
    expect(anonymous.body[0]).toMatchObject({ archived: false, issues_enabled: false, jobs_enabled: true });
    expect(anonymous.body[0]).not.toHaveProperty('permissions');
    const whole = await app.api<{ projects: Json[] }>('GET', `/groups/${top.id}`);
    expect(whole.body.projects.find(({ id }) => id === a.id)).toEqual(anonymous.body[0]);
    const simple = await app.api<Json[]>('GET', `/groups/${top.id}/projects?with_shared=false&simple=true`);
    expect(simple.body[0]).not.toHaveProperty('archived');
  });

  test('[3/api.groups/4 search, topic, with_issues_enabled, with_merge_requests_enabled] what they are about', async () => {
    expect(await list({ search: 'ALPHA' })).toEqual([a.id]);
    expect(await list({ search: 'z-pa' })).toEqual([a.id]);
    expect(await list({ search: 'needle' })).toEqual([b.id]);
    expect(await list({ search: '%' })).toEqual([]);
    expect(await list({ search: '' })).toHaveLength(3);
    expect(await list({ topic: 'blue' })).toEqual([b.id, a.id]);
    expect(await list({ topic: 'blue,Red' })).toEqual([a.id]);
    expect(await list({ topic: ['none'] })).toEqual([]);
    expect(await list({ with_issues_enabled: true })).toEqual([b.id, c.id]);
    expect(await list({ with_issues_enabled: false })).toHaveLength(3);
    expect(await list({ with_merge_requests_enabled: true })).toEqual([b.id, a.id]);
    expect(await list({ with_merge_requests_enabled: true, with_issues_enabled: true })).toEqual([b.id]);
  });

  test('[3/api.groups/4 owned, starred, min_access_level] what the caller has to do with them', async () => {
    expect(await list({ owned: true })).toEqual([]);
    await buildMember(app, { user: carol.user, of: b, level: Level.owner });
    expect(await list({ owned: true })).toEqual([b.id]);
    expect(await list({ owned: true, archived: true })).toEqual([]);
    expect(await list({ min_access_level: 40 })).toHaveLength(3);
    expect(await list({ min_access_level: 50 })).toEqual([b.id]);
    expect(await list({ min_access_level: 20 }, guest)).toEqual([]);
    expect(await list({ min_access_level: 10 }, stranger)).toEqual([]);
    expect((await get({ min_access_level: 7 })).status).toBe(400);
    expect(await list({ starred: true })).toEqual([]);
    expect((await app.api('POST', `/projects/${a.id}/star`, { token: carol.secret })).status).toBe(201);
    expect(await list({ starred: true })).toEqual([a.id]);
    expect(await list({ starred: false })).toHaveLength(3);
    expect(await list({ starred: true }, guest)).toEqual([]);
  });

  test('[3/api.groups/4 with_shared, include_subgroups] invited places by default, those below when asked', async () => {
    const all = async (query: RequestParts['query'] = {}) =>
      (await get(query)).body.map(({ id }) => Number(id)).sort((one, other) => one - other);
    const own = [a.id, b.id, c.id];
    expect(await all()).toEqual([...own, shared.id]);
    expect(await all({ with_shared: true, include_subgroups: false })).toEqual([...own, shared.id]);
    expect(await all({ with_shared: false })).toEqual(own);
    expect(await all({ include_subgroups: true })).toEqual([...own, deep.id, shared.id]);
    expect(await all({ include_subgroups: true, with_shared: false })).toEqual([...own, deep.id]);
    expect((await get({}, carol, below.id)).body.map(({ id }) => id)).toEqual([deep.id]);
  });

  test('[3/api.groups/4 simple] the limited form has these keys alone', async () => {
    const short = await get({ simple: true, visibility: 'public', with_shared: false });
    expect(Object.keys(short.body[0] ?? {}).sort()).toEqual(
      [
        ...['id', 'description', 'name', 'name_with_namespace', 'path', 'path_with_namespace', 'created_at'],
        ...['default_branch', 'tag_list', 'topics', 'ssh_url_to_repo', 'http_url_to_repo', 'web_url', 'readme_url'],
        ...['forks_count', 'avatar_url', 'star_count', 'last_activity_at', 'visibility', 'namespace'],
      ].sort(),
    );
    const whole = await get({ simple: false, visibility: 'public', with_shared: false });
    expect(whole.body[0]).toHaveProperty('merge_method');
  });

  test('[3/api.groups/4 with_custom_attributes] what administrators noted, and for them alone', async () => {
    const noted = { token: admin.secret, json: { value: 'red' } };
    expect((await app.api('PUT', `/projects/${a.id}/custom_attributes/colour`, noted)).status).toBe(200);
    const attributes = async (query: RequestParts['query'], token: BuiltToken) =>
      (await get({ search: 'alpha', with_shared: false, ...query }, token)).body[0]?.custom_attributes;
    const wanted = { with_custom_attributes: true };
    expect(await attributes(wanted, admin)).toEqual([{ key: 'colour', value: 'red' }]);
    expect(await attributes({ ...wanted, simple: true }, admin)).toEqual([{ key: 'colour', value: 'red' }]);
    expect(await attributes({ with_custom_attributes: false }, admin)).toBeUndefined();
    expect(await attributes(wanted, carol)).toBeUndefined();
    const one = await app.api<Json>('GET', `/projects/${a.id}`, { token: admin.secret, query: wanted });
    expect(one.body.custom_attributes).toEqual([{ key: 'colour', value: 'red' }]);
    expect(await list({ 'custom_attributes[colour]': 'red' }, admin)).toEqual([a.id]);
    expect(await list({ 'custom_attributes[colour]': 'blue' }, admin)).toEqual([]);
    expect(await list({ 'custom_attributes[colour]': 'blue' })).toHaveLength(3);
  });

  test('[3/api.groups/4 with_security_reports] only those with artifacts of scanners', async () => {
    const report = async (project: Project, file_type: string, expire_at: Date | null = null) => {
      const project_id = project.id;
      const where = { project_id, ref: 'main' };
      const pipeline = await app.db
        .insertInto('pipelines')
        .values({ ...where, iid: 1, sha: '0'.repeat(40), source: 'push', status: 'success' })
        .returning('id')
        .executeTakeFirstOrThrow();
      const job = await app.db
        .insertInto('jobs')
        .values({
          ...where,
          ...{ pipeline_id: pipeline.id, name: 'scan', stage: 'test', stage_index: 0, status: 'success', plan: '{}' },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await app.db
        .insertInto('job_artifacts')
        .values({
          ...{
            job_id: job.id,
            project_id: project.id,
            file_type,
            file_format: 'raw',
            filename: 'report.json',
            size: 1,
          },
          ...{ sha256: Buffer.alloc(32), object_key: unique('report'), expire_at },
        })
        .execute();
    };
    expect(await list({ with_security_reports: true })).toEqual([]);
    await report(a, 'junit');
    await report(b, 'sast');
    await report(c, 'secret_detection', new Date('2020-01-01'));
    expect(await list({ with_security_reports: true })).toEqual([b.id]);
    expect(await list({ with_security_reports: false })).toHaveLength(3);
    expect((await get({ with_security_reports: 'x' })).status).toBe(400);
  });
});

describe('[3/fields.project/1] the object', () => {
  test('[3/fields.project/1 id, description, default_branch, visibility, ssh_url_to_repo, http_url_to_repo, web_url, name, name_with_namespace, path, path_with_namespace, tag_list, topics, archived, issues_enabled, merge_requests_enabled, wiki_enabled, jobs_enabled, snippets_enabled, shared_runners_enabled, created_at, last_activity_at, creator_id, star_count, forks_count, open_issues_count, namespace, kind, avatar_url] as it was made and as it is listed', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    const made = await app.api<Json>('POST', '/projects', {
      token: owner.secret,
      json: {
        name: 'A Name: Ü'.replace(':', ''),
        path: 'A.path_1',
        namespace_id: group.id,
        description: 'What it is',
        topics: ['one', 'two'],
        visibility: 'private',
      },
    });
    expect(made.status).toBe(201);
    const full = `${group.full_path}/A.path_1`;
    const expected = {
      id: made.body.id,
      description: 'What it is',
      default_branch: 'main',
      visibility: 'private',
      ssh_url_to_repo: expect.stringMatching(new RegExp(`^(ssh://)?git@.*${full}\\.git$`)),
      http_url_to_repo: `${app.url}/${full}.git`,
      web_url: `${app.url}/${full}`,
      name: 'A Name Ü',
      name_with_namespace: `${group.name} / A Name Ü`,
      path: 'A.path_1',
      path_with_namespace: full,
      tag_list: ['one', 'two'],
      topics: ['one', 'two'],
      archived: false,
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      jobs_enabled: true,
      snippets_enabled: expect.any(Boolean),
      shared_runners_enabled: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_activity_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      creator_id: owner.user.id,
      star_count: 0,
      forks_count: 0,
      open_issues_count: 0,
      namespace: { id: group.id, name: group.name, path: group.path, kind: 'group' },
      avatar_url: null,
    };
    expect(made.body).toMatchObject(expected);
    expect((await get({}, owner, group.id)).body).toMatchObject([expected]);
    expect((await app.api('GET', `/projects/${encodeURIComponent(full)}`, { token: owner.secret })).body).toMatchObject(
      expected,
    );
    const bare = await app.api<Json>('POST', '/projects', { token: owner.secret, json: { name: unique('bare') } });
    expect(bare.body).toMatchObject({
      description: '',
      topics: [],
      tag_list: [],
      namespace: { name: owner.user.name, path: owner.user.username, kind: 'user' },
    });
    const off = await app.api<Json>('PUT', `/projects/${made.body.id}`, {
      token: owner.secret,
      json: {
        ...{ issues_enabled: false, merge_requests_enabled: false, wiki_enabled: false, jobs_enabled: false },
        ...{ snippets_enabled: false, shared_runners_enabled: false, topics: [] },
      },
    });
    expect(off.body).toMatchObject({
      ...{ issues_enabled: false, merge_requests_enabled: false, wiki_enabled: false, jobs_enabled: false },
      ...{ snippets_enabled: false, shared_runners_enabled: false, topics: [], tag_list: [] },
    });
    // A project without issues counts none.
    expect(off.body).not.toHaveProperty('open_issues_count');
  });
});
