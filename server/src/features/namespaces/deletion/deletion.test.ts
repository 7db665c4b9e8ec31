/** Removal of groups and projects in two steps, with the background work running. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { insideDay } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let alice: BuiltToken;
let bob: BuiltToken;

beforeAll(async () => {
  await insideDay();
  app = await startTestApp({ background: true });
  alice = await buildToken(app);
  bob = await buildToken(app);
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'DELETE', target: string, token?: BuiltToken, query = {}) =>
  app.api<Json>(method, target, { token: token?.secret, query });
const accepted = { status: 202, body: { message: '202 Accepted' } };
const gone = async (target: string) => {
  await vi.waitFor(async () => expect((await call('GET', target, alice)).status).toBe(404), {
    timeout: 60_000,
    interval: 20,
  });
};

describe('projects', () => {
  test('[1/errors/3] [1/what-the-service-does/8] the path is free at once, the content is kept and can be brought back', async () => {
    const project = await buildProject(app, { owner: alice.user });
    const target = `/projects/${project.id}`;
    expect(await call('DELETE', target, alice)).toMatchObject(accepted);
    const marked = await call('GET', target, alice);
    expect(marked.body).toMatchObject({
      marked_for_deletion_on: new Date().toISOString().slice(0, 10),
      path: `${project.path}-deletion_scheduled-${project.id}`,
    });
    expect(await call('DELETE', target, alice)).toMatchObject({
      status: 400,
      body: { message: 'Project has been already marked for deletion' },
    });
    const again = await app.api<Json>('POST', '/projects', { token: alice.secret, json: { path: project.path } });
    expect(again.status).toBe(201);
    const restored = await call('POST', `${target}/restore`, alice);
    expect(restored).toMatchObject({
      status: 201,
      body: { marked_for_deletion_on: null, path: `${project.path}-${project.id}` },
    });
    expect((await call('POST', `${target}/restore`, alice)).status).toBe(400);
  });

  test('for good: only what waits, only with its whole path', async () => {
    const project = await buildProject(app, { owner: alice.user });
    const target = `/projects/${project.id}`;
    const now = (full_path: unknown) => call('DELETE', target, alice, { permanently_remove: 'true', full_path });
    expect(await now('x')).toMatchObject({
      status: 400,
      body: { message: 'Project must be marked for deletion first.' },
    });
    await call('DELETE', target, alice);
    expect((await now('x')).status).toBe(400);
    const { body } = await call('GET', target, alice);
    expect(await now(body.path_with_namespace)).toMatchObject(accepted);
    await gone(target);
    const fact = await app.db
      .selectFrom('facts')
      .select('payload')
      .where('kind', '=', 'project.deleted')
      .where('project_id', '=', project.id)
      .execute();
    // Whoever tells of it cannot look it up any more.
    const told = { name: expect.stringContaining(project.name), path: expect.any(String), visibility: 'private' };
    const dates = { created_at: expect.any(String), updated_at: expect.any(String) };
    const place = { path_with_namespace: expect.any(String), group_ids: [project.namespace_id] };
    expect(fact).toEqual([{ payload: { project_id: project.id, ...told, ...dates, ...place } }]);
  });

  test('without days of grace it goes at once', async () => {
    await app.settings.write({ deletion_adjourned_period: 0 });
    try {
      const project = await buildProject(app, { owner: alice.user });
      expect(await call('DELETE', `/projects/${project.id}`, alice)).toMatchObject(accepted);
      await gone(`/projects/${project.id}`);
    } finally {
      await app.settings.write({ deletion_adjourned_period: 30 });
    }
  });

  test('[1/errors/9] [1/errors/10] owners only', async () => {
    const project = await buildProject(app, { owner: alice.user, visibility: 'public' });
    expect((await call('DELETE', `/projects/${project.id}`)).status).toBe(401);
    await buildMember(app, { user: bob.user, of: project, level: Level.maintainer });
    expect((await call('DELETE', `/projects/${project.id}`, bob)).status).toBe(403);
    const hidden = await buildProject(app, { owner: alice.user });
    expect((await call('DELETE', `/projects/${hidden.id}`, bob)).status).toBe(404);
  });
});

describe('groups', () => {
  test('the path is free at once, also of what is below; restored with it', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    const sub = await buildGroup(app, { parent: group });
    expect(await call('DELETE', `/groups/${group.id}`, alice)).toMatchObject(accepted);
    const path = `${group.path}-deletion_scheduled-${group.id}`;
    expect((await call('GET', `/groups/${group.id}`, alice)).body).toMatchObject({ full_path: path });
    expect((await call('GET', `/groups/${sub.id}`, alice)).body).toMatchObject({ full_path: `${path}/${sub.path}` });
    const refused = await app.api('POST', '/projects', {
      token: alice.secret,
      json: { name: 'x', namespace_id: group.id },
    });
    expect(refused.status).toBe(400);
    const restored = await call('POST', `/groups/${group.id}/restore`, alice);
    expect(restored).toMatchObject({ status: 201, body: { full_path: group.full_path, marked_for_deletion_on: null } });
    expect((await call('GET', `/groups/${sub.id}`, alice)).body.full_path).toBe(sub.full_path);
  });

  test('for good with everything in it, after the days of grace by the nightly task', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    const sub = await buildGroup(app, { parent: group });
    const project = await buildProject(app, { namespace: sub });
    await call('DELETE', `/groups/${group.id}`, alice);
    const run = () => runTask(app, 'namespaces.remove_expired');
    await run();
    expect((await call('GET', `/groups/${group.id}`, alice)).status).toBe(200);
    await app.db
      .updateTable('namespaces')
      .set({ marked_for_deletion_on: '2020-01-01' })
      .where('id', '=', group.id)
      .execute();
    await run();
    await gone(`/groups/${group.id}`);
    await gone(`/groups/${sub.id}`);
    await gone(`/projects/${project.id}`);
  });

  test('owners only', async () => {
    const group = await buildGroup(app, { owner: alice.user });
    expect((await call('DELETE', `/groups/${group.id}`, bob)).status).toBe(404);
    await buildMember(app, { user: bob.user, of: group, level: Level.maintainer });
    expect((await call('DELETE', `/groups/${group.id}`, bob)).status).toBe(403);
    expect((await call('POST', `/groups/${group.id}/restore`, bob)).status).toBe(403);
  });
});
