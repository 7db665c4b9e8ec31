/** Forks: a copy of the repository of its own, in the background, and the relation between both. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let git: GitClient;
let ann: BuiltToken;
let source: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  ann = await buildToken(app);
  source = await buildRepositoryProject(app, {
    visibility: 'public',
    settings: { topics: ['one'], build_timeout: 700 },
  });
  await source.commit('work', { two: '2' }, { start_branch: 'main' });
  await source.api('POST', '/repository/tags', { json: { tag_name: 'v1', ref: 'main' } });
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const api = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, token: BuiltToken | undefined, json?: Json) =>
  app.api<Json>(method, target, { token: token?.secret, json });
const fork = (token: BuiltToken | undefined, json: Json = {}, id: unknown = source.id) =>
  api('POST', `/projects/${id}/fork`, token, json);
const finished = (id: unknown, token = ann) =>
  eventually('the copy', async () => {
    const { body } = await api('GET', `/projects/${id}`, token);
    if (body.import_status === 'failed') throw new Error('failed');
    return body.import_status === 'finished' ? body : null;
  });
const branches = async (id: unknown) =>
  (
    await app.api<Array<{ name: string }>>('GET', `/projects/${id}/repository/branches`, { token: ann.secret })
  ).body.map(({ name }) => name);

describe('POST /projects/:id/fork', () => {
  it('stays in the top-level group where a group above says so (prevent_forking_outside_group)', async () => {
    const top = await buildGroup(app, { owner: ann.user });
    const below = await buildGroup(app, { parent: top });
    const sibling = await buildGroup(app, { parent: top });
    const foreign = await buildGroup(app, { owner: ann.user });
    const kept = await buildRepositoryProject(app, { owner: ann, settings: { namespace_id: below.id } });
    const set = (value: boolean) => api('PUT', `/groups/${top.id}`, ann, { prevent_forking_outside_group: value });
    expect(await set(true)).toMatchObject({ status: 200, body: { prevent_forking_outside_group: true } });
    const refused = { status: 404, body: { message: '404 Target Namespace Not Found' } };
    expect(await fork(ann, {}, kept.id)).toMatchObject(refused);
    expect(await fork(ann, { namespace_id: foreign.id }, kept.id)).toMatchObject(refused);
    expect((await fork(ann, { namespace_path: sibling.full_path }, kept.id)).status).toBe(201);
    // Other projects may come in.
    const other = await buildRepositoryProject(app, { visibility: 'public' });
    expect((await fork(ann, { namespace_id: sibling.id }, other.id)).status).toBe(201);
    await set(false);
    expect((await fork(ann, { namespace_id: foreign.id }, kept.id)).status).toBe(201);
  });

  it('copies everything that people made, and nothing follows from one to the other', async () => {
    const made = await fork(ann);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      path_with_namespace: `${ann.user.username}/${source.fullPath.split('/')[1]}`,
      visibility: 'public',
      topics: ['one'],
      forked_from_project: { id: source.id, path_with_namespace: source.fullPath },
      mr_default_target_self: false,
    });
    const id = made.body.id;
    expect(await finished(id)).toMatchObject({ empty_repo: false, default_branch: 'main', import_error: null });
    expect(await branches(id)).toEqual(['main', 'work']);
    expect((await source.row()).forks_count).toBe(1);
    const url = new URL(`${app.url}/${made.body.path_with_namespace}.git`);
    [url.username, url.password] = ['git', ann.secret];
    await git.run(['clone', '-q', url.href, 'fork']);
    expect(await git.run(['tag'], 'fork')).toBe('v1');
    await git.commit('fork', 'new', 'x');
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/mine'], 'fork');
    expect(await branches(source.id)).toEqual(['main', 'work']);
    const gone = await buildRepositoryProject(app, { visibility: 'public' });
    const copy = await fork(ann, { name: unique('kept') }, gone.id);
    await finished(copy.body.id);
    await app.db.deleteFrom('projects').where('id', '=', gone.id).execute();
    expect(await branches(copy.body.id)).toEqual(['main']);
    expect((await api('GET', `/projects/${copy.body.id}`, ann)).body).not.toHaveProperty('forked_from_project');
  });

  it('security 4: a branch that the project does not have is refused before anything is made', async () => {
    for (const wrong of ['missing', '--upload-pack=touch', 'a..b', 'refs/heads/work'])
      expect((await fork(ann, { name: unique('no'), path: unique('no'), branches: wrong })).body).toEqual({
        message: { branches: ['does not exist'] },
      });
  });

  it('takes one branch, another name, place and visibility', async () => {
    const group = await buildGroup(app, { owner: ann.user, visibility: 'private' });
    const name = unique('elsewhere');
    const made = await fork(ann, {
      name,
      path: name,
      namespace_path: group.full_path,
      branches: 'work',
      visibility: 'private',
      description: 'Mine',
      mr_default_target_self: true,
    });
    expect(made.body).toMatchObject({
      path_with_namespace: `${group.full_path}/${name}`,
      visibility: 'private',
      description: 'Mine',
      mr_default_target_self: true,
    });
    await finished(made.body.id);
    expect(await branches(made.body.id)).toEqual(['work']);
    expect((await api('GET', `/projects/${made.body.id}`, ann)).body.default_branch).toBe('work');
    const byId = await fork(ann, { name: unique('x'), path: unique('x'), namespace_id: group.id });
    expect(byId.body).toMatchObject({ namespace: { id: group.id }, visibility: 'private' });
  });

  it('is refused in words', async () => {
    expect((await fork(undefined)).status).toBe(401);
    const group = await buildGroup(app);
    expect(await fork(ann, { namespace_id: group.id })).toMatchObject({ status: 400 });
    expect(await fork(ann, { namespace: 'no/such' })).toMatchObject({
      status: 404,
      body: { message: '404 Target Namespace Not Found' },
    });
    const again = unique('again');
    await fork(ann, { name: again, path: again });
    expect(await fork(ann, { name: again, path: again })).toMatchObject({
      status: 409,
      body: { message: { name: ['has already been taken'], path: ['has already been taken'] } },
    });
    const inside = await buildRepositoryProject(app, { visibility: 'internal' });
    expect((await fork(ann, { visibility: 'public' }, inside.id)).body).toEqual({
      message: { visibility_level: ['public is not allowed since the fork source project has lower visibility.'] },
    });
    await inside.api('PUT', '', { json: { forking_access_level: 'private' } });
    expect((await fork(ann, {}, inside.id)).status).toBe(403);
    await buildMember(app, { user: ann.user, of: await inside.row(), level: Level.reporter });
    const path = unique('member');
    expect((await fork(ann, { name: path, path }, inside.id)).status).toBe(201);
    await inside.api('PUT', '', { json: { forking_access_level: 'disabled' } });
    expect((await fork(ann, {}, inside.id)).status).toBe(403);
    const hidden = await buildRepositoryProject(app, {});
    expect((await fork(ann, {}, hidden.id)).status).toBe(404);
  });

  it('of an empty repository is empty', async () => {
    const empty = await buildRepositoryProject(app, { visibility: 'public', files: null });
    const made = await fork(ann, {}, empty.id);
    expect(await finished(made.body.id)).toMatchObject({ empty_repo: true });
  });

  it('says why it failed', async () => {
    const broken = await buildRepositoryProject(app, { visibility: 'public' });
    const made = await fork(ann, {}, broken.id);
    await finished(made.body.id);
    await app.db
      .updateTable('projects')
      .set({ import_status: 'scheduled' })
      .where('id', '=', Number(made.body.id))
      .execute();
    const ids = { project_id: made.body.id, source_id: 999_999 };
    await runTask(app, 'namespaces.copy_fork', ids, { attempt: 3, maxAttempts: 3 });
    expect((await api('GET', `/projects/${made.body.id}`, ann)).body).toMatchObject({
      import_status: 'failed',
      import_error: 'The project that it is a copy of is gone',
    });
  });
});

it('ends quietly where the fork is removed while it is copied', async () => {
  const made = await fork(ann, { name: unique('removed'), path: unique('removed') });
  await finished(made.body.id);
  const id = Number(made.body.id);
  await app.db.updateTable('projects').set({ import_status: 'scheduled' }).where('id', '=', id).execute();
  // Between the beginning of the task and the end of the copy.
  await sql`
    create function remove_fork() returns trigger language plpgsql as
    'begin delete from projects where id = new.id; return null; end'`.execute(app.db);
  await sql`
    create trigger remove_fork after update of import_status on projects
    for each row when (new.import_status = 'started') execute function remove_fork()`.execute(app.db);
  await runTask(app, 'namespaces.copy_fork', { project_id: id, source_id: source.id }, { maxAttempts: 3 });
  await sql`drop trigger remove_fork on projects`.execute(app.db);
  expect((await api('GET', `/projects/${id}`, ann)).status).toBe(404);
});

describe('the relation', () => {
  it('lists forks that the caller sees', async () => {
    const list = (token?: BuiltToken, query: Json = {}) =>
      app.api<Json[]>('GET', `/projects/${source.id}/forks`, { token: token?.secret, query });
    const own = await list(ann, { owned: true, order_by: 'id', sort: 'asc' });
    expect(own.body[0]).toMatchObject({ forked_from_project: { id: source.id } });
    const seen = (await list()).body;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ visibility }) => visibility === 'public')).toBe(true);
    expect(seen.length).toBeLessThan(own.body.length);
  });

  it('can be made and forgotten by owners', async () => {
    const one = await buildRepositoryProject(app, { owner: ann });
    const relate = (token: BuiltToken | undefined, to: unknown = source.id) =>
      api('POST', `/projects/${one.id}/fork/${to}`, token);
    const before = (await source.row()).forks_count;
    expect(await relate(ann)).toMatchObject({ status: 201, body: { forked_from_project: { id: source.id } } });
    expect((await source.row()).forks_count).toBe(before + 1);
    expect((await relate(ann)).status).toBe(409);
    expect((await relate(undefined)).status).toBe(401);
    const maintainer = await one.member(Level.maintainer);
    expect((await relate(maintainer)).status).toBe(403);
    expect((await api('DELETE', `/projects/${one.id}/fork`, maintainer)).status).toBe(403);
    expect((await api('DELETE', `/projects/${one.id}/fork`, ann)).status).toBe(204);
    expect((await api('DELETE', `/projects/${one.id}/fork`, ann)).status).toBe(304);
    expect((await source.row()).forks_count).toBe(before);
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details'])
      .where('entity_id', '=', Number(one.id))
      .where('event', 'like', 'project_fork_relation%')
      .orderBy('id')
      .execute();
    const event = 'project_fork_relation_updated';
    expect(events).toMatchObject([
      { event, details: { from: null, to: source.id } },
      { event, details: { from: source.id, to: null } },
    ]);
    expect(await relate(ann, 999_999)).toMatchObject({
      status: 404,
      body: { message: '404 Source Project Not Found' },
    });
    expect((await relate(ann, one.id)).status).toBe(409);
  });
});

it('lists tell where somebody did something, as far as the caller sees it', async () => {
  const open = await buildRepositoryProject(app, { visibility: 'public' });
  const hidden = await buildRepositoryProject(app, { owner: open.owner });
  const list = async (token?: BuiltToken) => {
    const target = `/users/${open.owner.user.id}/contributed_projects`;
    const { body } = await app.api<Array<{ id: number }>>('GET', target, { token: token?.secret });
    return body.map(({ id }) => id).sort((one, other) => one - other);
  };
  await eventually('the events of both', async () => (await list(open.owner)).length === 2);
  expect(await list()).toEqual([open.id]);
  expect(await list(open.owner)).toEqual([open.id, hidden.id]);
  // What they only made or left long ago is not among them.
  await app.api('POST', '/projects', { token: open.owner.secret, json: { name: unique('empty') } });
  const before = new Date(Date.now() - 366 * 86_400_000);
  await app.db.updateTable('events').set({ created_at: before }).where('project_id', '=', hidden.id).execute();
  expect(await list(open.owner)).toEqual([open.id]);
  expect((await app.api('GET', '/users/999999/contributed_projects')).status).toBe(404);
});
