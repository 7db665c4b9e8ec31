/** One project over HTTP: create, read, change. */
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

type Json = Record<string, unknown>;

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

const get = (target: string, token?: BuiltToken, query: RequestParts['query'] = {}) =>
  app.api<Json>('GET', target, { token: token?.secret, query });
const create = (token: BuiltToken | undefined, json: Json) =>
  app.api<Json>('POST', '/projects', { token: token?.secret, json });
const put = (token: BuiltToken | undefined, id: unknown, json: Json) =>
  app.api<Json>('PUT', `/projects/${id}`, { token: token?.secret, json });

describe('creating', () => {
  test('[3/fields.project/1] [1/what-the-service-does/1] [1/what-the-service-does/8] a project in the personal namespace with every field', async () => {
    const path = unique('app');
    const answer = await create(alice, { name: 'My App', path, description: 'Does things', topics: ['one', 'two'] });
    expect(answer.status).toBe(201);
    const full = `${alice.user.username}/${path}`;
    const { hostname } = new URL(app.url);
    expect(answer.body).toMatchObject({
      description: 'Does things',
      default_branch: 'main',
      visibility: 'private',
      ssh_url_to_repo: expect.stringMatching(new RegExp(`git@${hostname}:.*${full}\\.git$`)),
      http_url_to_repo: `${app.url}/${full}.git`,
      web_url: `${app.url}/${full}`,
      name: 'My App',
      name_with_namespace: `${alice.user.name} / My App`,
      path,
      path_with_namespace: full,
      tag_list: ['one', 'two'],
      topics: ['one', 'two'],
      archived: false,
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      jobs_enabled: true,
      snippets_enabled: true,
      shared_runners_enabled: true,
      creator_id: alice.user.id,
      star_count: 0,
      forks_count: 0,
      open_issues_count: 0,
      namespace: { name: alice.user.name, path: alice.user.username, kind: 'user', parent_id: null },
      avatar_url: null,
      readme_url: null,
      empty_repo: true,
      owner: { id: alice.user.id, username: alice.user.username },
      permissions: { project_access: { access_level: 50, notification_level: 3 }, group_access: null },
      shared_with_groups: [],
      merge_method: 'merge',
      squash_option: 'default_off',
      import_status: 'none',
      marked_for_deletion_on: null,
    });
    expect(answer.body.created_at).toMatch(/Z$/);
    expect(answer.body.last_activity_at).toMatch(/Z$/);
    expect(answer.body._links).toMatchObject({ self: `${app.url}/api/v4/projects/${answer.body.id}` });
    const row = await app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', answer.body.id as number)
      .executeTakeFirstOrThrow();
    expect(row.repository_path).toMatch(/^@hashed\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}\.git$/);
    const facts = await app.db
      .selectFrom('facts')
      .selectAll()
      .where('kind', '=', 'project.created')
      .where('project_id', '=', row.id)
      .execute();
    expect(facts).toMatchObject([{ actor_id: alice.user.id, payload: { project_id: row.id } }]);
  });

  test('the path comes from the name, the name from the path', async () => {
    const name = `Héllo Wörld ${unique('n')}`;
    const fromName = await create(alice, { name });
    expect(fromName.body.path).toBe(name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '-'));
    const path = unique('only');
    expect((await create(alice, { path })).body.name).toBe(path);
  });

  test('in a group: default branch, visibility and rights of the group', async () => {
    const group = await buildGroup(app, { owner: alice.user, visibility: 'internal' });
    await app.db.updateTable('namespaces').set({ default_branch: 'trunk' }).where('id', '=', group.id).execute();
    const made = await create(alice, { name: 'x', namespace_id: group.id, visibility: 'internal' });
    expect(made.body).toMatchObject({
      default_branch: 'trunk',
      visibility: 'internal',
      permissions: { project_access: null, group_access: { access_level: 50 } },
    });
    expect(made.body).not.toHaveProperty('owner');
    expect((await create(alice, { name: 'y', namespace_id: group.id, visibility: 'public' })).body).toEqual({
      message: { visibility_level: ['public is not allowed in a internal group.'] },
    });
    for (const namespace_id of [group.id, 999_999_999])
      expect((await create(bob, { name: 'z', namespace_id })).body).toEqual({
        message: { namespace: ['is not valid'] },
      });
    await buildMember(app, { user: bob.user, of: group, level: Level.developer });
    expect((await create(bob, { name: 'z', namespace_id: group.id })).status).toBe(201);
  });

  test('[1/errors/7] bad and taken names are 400 in the known words', async () => {
    expect(await create(alice, {})).toMatchObject({
      status: 400,
      body: { error: 'name, path are missing, at least one parameter must be provided' },
    });
    expect((await create(alice, { name: 'ok', path: '-bad' })).body).toEqual({
      message: {
        path: [
          "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'.",
        ],
      },
    });
    const special =
      'must not start or end with a special character and must not contain consecutive special characters.';
    for (const path of ['_x', 'x-', 'x.', 'a--b', 'a._b'])
      expect((await create(alice, { name: 'ok', path })).body).toEqual({ message: { path: [special] } });
    const made = await create(alice, { name: `_${unique('Odd -- name')}_` });
    expect([made.status, made.body.path]).toEqual([201, expect.stringMatching(/^odd-name-\w+(-\w+)*$/)]);
    const old = await buildProject(app, { owner: alice.user, path: `${unique('old')}--path` });
    const renamed = await app.api<Json>('PUT', `/projects/${old.id}`, {
      token: alice.secret,
      json: { name: unique('New'), path: old.path },
    });
    expect([renamed.status, renamed.body.path]).toEqual([200, old.path]);
    expect((await create(alice, { name: 'ok', path: 'tree' })).body).toEqual({
      message: { path: ['tree is a reserved name'] },
    });
    const name = unique('twice');
    await create(alice, { name });
    expect(await create(alice, { name })).toMatchObject({
      status: 400,
      body: { message: { path: ['has already been taken'], name: ['has already been taken'] } },
    });
    expect((await create(alice, { name: 'ok', visibility: 'secret' })).status).toBe(400);
  });

  test('a repository has the hash that there is; another is refused', async () => {
    const made = await create(alice, { name: unique('hash'), repository_object_format: 'sha1' });
    expect(made).toMatchObject({ status: 201, body: { repository_object_format: 'sha1' } });
    expect(await create(alice, { name: unique('hash'), repository_object_format: 'sha256' })).toMatchObject({
      status: 400,
      body: { error: 'repository_object_format does not have a valid value' },
    });
  });

  test('with a README the repository is not empty, and another branch can become the default', async () => {
    const made = await create(alice, { name: unique('readme'), initialize_with_readme: true });
    const { id, web_url } = made.body;
    expect(made).toMatchObject({
      status: 201,
      body: { empty_repo: false, readme_url: `${web_url}/-/blob/main/README.md` },
    });
    expect(await put(alice, id, { default_branch: 'next' })).toMatchObject({
      status: 400,
      body: { message: { base: ["Could not change HEAD: branch 'next' does not exist"] } },
    });
    const query = { branch: 'next', ref: 'main' };
    await app.api('POST', `/projects/${id}/repository/branches`, { token: alice.secret, query });
    const changed = await put(alice, id, { default_branch: 'next' });
    expect(changed.body).toMatchObject({ default_branch: 'next', readme_url: `${web_url}/-/blob/next/README.md` });
    const off = { initialize_with_readme: true, repository_access_level: 'disabled' };
    expect(await create(alice, { name: unique('without'), ...off })).toMatchObject({
      status: 201,
      body: { repository_access_level: 'disabled' },
    });
  });

  test('of several made at once with one path, one is made', { retry: 0 }, async () => {
    const path = unique('race');
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => create(alice, { name: `${path}${name}`, path })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  test('of a group and a project made at once with one path, one is made', { retry: 0 }, async () => {
    const parent = await buildGroup(app, { owner: alice.user });
    const both = (path: string) =>
      Promise.all([
        create(alice, { path, namespace_id: parent.id }),
        app.api('POST', '/groups', { token: alice.secret, json: { name: path, path, parent_id: parent.id } }),
      ]);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => both(`same${index}`)));
    for (const pair of answers) expect(pair.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  test('[1/errors/8] [1/errors/9] anonymous callers and those beyond their limit are refused', async () => {
    expect((await create(undefined, { name: 'x' })).status).toBe(401);
    const none = await buildToken(app, { user: await buildUser(app, { projects_limit: 0 }) });
    expect((await create(none, { name: 'x' })).status).toBe(403);
  });

  test('settings in both spellings', async () => {
    const made = await create(alice, {
      name: unique('settings'),
      issues_access_level: 'private',
      wiki_enabled: false,
      jobs_enabled: false,
      builds_access_level: 'enabled',
      merge_method: 'ff',
      squash_option: 'always',
      only_allow_merge_if_pipeline_succeeds: true,
      ci_config_path: 'ci/main.yml',
      build_timeout: 7200,
      auto_cancel_pending_pipelines: 'disabled',
      public_builds: false,
      tag_list: null,
      ci_default_git_depth: null,
      emails_disabled: true,
    });
    expect(made.body).toMatchObject({
      issues_access_level: 'private',
      wiki_access_level: 'disabled',
      wiki_enabled: false,
      builds_access_level: 'enabled',
      jobs_enabled: true,
      merge_method: 'ff',
      squash_option: 'always',
      only_allow_merge_if_pipeline_succeeds: true,
      ci_config_path: 'ci/main.yml',
      build_timeout: 7200,
      auto_cancel_pending_pipelines: 'disabled',
      public_jobs: false,
      ci_default_git_depth: null,
      emails_enabled: false,
    });
  });
});

describe('reading', () => {
  test('[1/what-the-service-does/5 id, %2F] by id and by URL-encoded path, whatever the case', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    const project = await buildProject(app, { namespace: group });
    const full = `${group.full_path}/${project.path}`;
    for (const key of [String(project.id), encodeURIComponent(full), encodeURIComponent(full.toUpperCase())])
      expect(await get(`/projects/${key}`, alice)).toMatchObject({ status: 200, body: { id: project.id } });
    for (const key of [encodeURIComponent(`${full}/x`), encodeURIComponent(project.path), '0', '99999999999999999999'])
      expect(await get(`/projects/${key}`, alice)).toMatchObject({
        status: 404,
        body: { message: '404 Project Not Found' },
      });
  });

  test('[1/what-the-service-does/9] [1/errors/10] a private project is not there for strangers, an internal one not for anonymous callers', async () => {
    const hidden = await buildProject(app, { owner: alice.user });
    const internal = await buildProject(app, { owner: alice.user, visibility: 'internal' });
    for (const token of [undefined, bob])
      expect(await get(`/projects/${hidden.id}`, token)).toMatchObject({
        status: 404,
        body: { message: '404 Project Not Found' },
      });
    expect((await get(`/projects/${internal.id}`)).status).toBe(404);
    expect((await get(`/projects/${internal.id}`, bob)).status).toBe(200);
    const outside = await buildToken(app, { user: await buildUser(app, { external: true }) });
    expect((await get(`/projects/${internal.id}`, outside)).status).toBe(404);
    expect((await get(`/projects/${hidden.id}`, admin)).status).toBe(200);
  });

  test('anonymous callers get the short form of a public project', async () => {
    const project = await buildProject(app, { owner: alice.user, visibility: 'public' });
    const open = await get(`/projects/${project.id}`);
    expect(open.status).toBe(200);
    expect(open.body).not.toHaveProperty('permissions');
    expect(open.body).not.toHaveProperty('merge_method');
    const known = await get(`/projects/${project.id}`, bob);
    expect(known.body).toMatchObject({
      permissions: { project_access: null, group_access: null },
      merge_method: 'merge',
    });
    expect(known.body).not.toHaveProperty('repository_storage');
    expect((await get(`/projects/${project.id}`, admin)).body.repository_storage).toBe('default');
  });

  test('statistics for reporters, invited groups for who may see them', async () => {
    const project = await buildProject(app, {
      owner: alice.user,
      visibility: 'public',
      statistics: { repository_size: 10, commit_count: 3 },
    });
    const group = await buildGroup(app, { visibility: 'internal' });
    const hidden = await buildGroup(app);
    for (const { id } of [group, hidden])
      await app.db
        .insertInto('grants')
        .values({ group_id: id, project_id: project.id, level: 30, expires_at: '2999-01-02' })
        .execute();
    const ofAdmin = await get(`/projects/${project.id}`, admin);
    expect(ofAdmin.body.shared_with_groups).toMatchObject([{ group_id: group.id }, { group_id: hidden.id }]);
    const seen = await get(`/projects/${project.id}`, alice, { statistics: 'true' });
    expect(seen.body.statistics).toMatchObject({
      commit_count: 3,
      repository_size: 10,
      storage_size: 10,
      job_artifacts_size: 0,
    });
    expect(seen.body.shared_with_groups).toEqual([
      {
        group_id: group.id,
        group_name: group.name,
        group_full_path: group.full_path,
        group_access_level: 30,
        expires_at: '2999-01-02',
      },
    ]);
    expect((await get(`/projects/${project.id}`, bob, { statistics: 'true' })).body).not.toHaveProperty('statistics');
  });

  test('a feature for members is off for others', async () => {
    const project = await buildProject(app, {
      owner: alice.user,
      visibility: 'public',
      issues_access_level: 'private',
      repository_access_level: 'private',
      default_branch: 'main',
    });
    expect((await get(`/projects/${project.id}`, alice)).body).toMatchObject({
      issues_enabled: true,
      open_issues_count: 0,
      default_branch: 'main',
    });
    const seen = await get(`/projects/${project.id}`, bob);
    expect(seen.body).toMatchObject({ issues_enabled: false });
    for (const key of ['open_issues_count', 'default_branch', 'readme_url', 'forks_count'])
      expect(seen.body).not.toHaveProperty(key);
  });
});

describe('changing', () => {
  test('[1/errors/1] maintainers change settings, owners also visibility, path and archiving', async () => {
    const project = await buildProject(app, { owner: alice.user, visibility: 'private' });
    await buildMember(app, { user: bob.user, of: project, level: Level.maintainer });
    const changed = await put(bob, project.id, {
      description: 'New',
      merge_method: 'rebase_merge',
      topics: 'a, b,a',
      default_branch: 'trunk',
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { description: 'New', merge_method: 'rebase_merge', topics: ['a', 'b'], default_branch: 'trunk' },
    });
    for (const json of [{ visibility: 'public' }, { path: 'elsewhere' }, { archived: true }])
      expect(await put(bob, project.id, json)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    const path = unique('renamed');
    const moved = await put(alice, project.id, { visibility: 'public', path, archived: true });
    expect(moved.body).toMatchObject({
      visibility: 'public',
      archived: true,
      path_with_namespace: `${alice.user.username}/${path}`,
    });
    expect((await put(alice, project.id, {})).status).toBe(400);
    expect((await put(alice, project.id, { path: '' })).body).toEqual({ message: { path: ["can't be blank"] } });
  });

  test('archive and unarchive', async () => {
    const project = await buildProject(app, { owner: alice.user });
    const post = (action: string, token: BuiltToken) =>
      app.api<Json>('POST', `/projects/${project.id}/${action}`, { token: token.secret });
    expect(await post('archive', alice)).toMatchObject({ status: 201, body: { archived: true } });
    expect(await post('unarchive', alice)).toMatchObject({ status: 201, body: { archived: false } });
    expect((await post('archive', bob)).status).toBe(404);
  });

  test('developers may not, strangers do not see it, a taken path stays taken', async () => {
    const project = await buildProject(app, { owner: alice.user });
    const other = await buildProject(app, { owner: alice.user });
    expect((await put(bob, project.id, { description: 'x' })).status).toBe(404);
    await buildMember(app, { user: bob.user, of: project, level: Level.developer });
    expect((await put(bob, project.id, { description: 'x' })).status).toBe(403);
    expect((await put(undefined, project.id, { description: 'x' })).status).toBe(401);
    expect((await put(alice, project.id, { path: other.path })).body).toEqual({
      message: { path: ['has already been taken'] },
    });
  });
});
