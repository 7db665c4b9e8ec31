/** What the token of a running job reaches besides its own project, over the API and git. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildGroup, buildMember, buildProject, unique } from '../../../../test/factories.ts';
import { pathOf } from '../../../../test/routes.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let world: World;
let group: Namespace;
/** Where the job runs, and what it wants to reach. */
let source: TestProject;
let target: TestProject;
let job: { id: number; token: string };

type Json = Record<string, unknown>;

/** Parts of the API that the token of a job opens as a whole. */
const wholeParts =
  /^\w+ \/projects\/:id\/(?:deployments|environments|releases|jobs\/:job_id\/artifacts|jobs\/artifacts|artifacts|packages)\b/;
/** Single routes that it opens: what "What job tokens reach" in docs/user/tokens.md lists. */
const single = [
  'GET /job',
  'GET /job/allowed_agents',
  'GET /projects/:id/jobs',
  'GET /projects/:id/merge_requests',
  'GET /projects/:id/merge_requests/:merge_request_iid',
  'GET /projects/:id/merge_requests/:merge_request_iid/notes',
  'GET /projects/:id/merge_requests/:merge_request_iid/notes/:note_id',
  'GET /projects/:id/pipelines/:pipeline_id/jobs',
  'GET /projects/:id/repository/branches',
  'GET /projects/:id/repository/changelog',
  'GET /projects/:id/repository/commits/:sha',
  'GET /projects/:id/repository/commits/:sha/merge_requests',
  'GET /projects/:id/repository/files/:file_path/raw',
  'GET /projects/:id/repository/tags',
  'GET /projects/:id/secure_files',
  'GET /projects/:id/secure_files/:secure_file_id',
  'GET /projects/:id/secure_files/:secure_file_id/download',
  'POST /projects/:id/catalog/publish',
  'PUT /projects/:id/pipelines/:pipeline_id/metadata',
];

beforeAll(async () => {
  world = await startWorld();
  group = await buildGroup(world.app, { owner: world.owner.user });
  source = await world.project({ namespace_id: group.id });
  target = await world.project();
  const runner = await world.runner();
  await source.push('job:\n  script: [x]\n');
  job = await runner.next();
});
afterAll(() => world.close());

const scope = (rest = '', of = target) => `/projects/${of.id}/job_token_scope${rest}`;
const ask = <T = Json>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: Json) =>
  world.app.api<T>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
const overApi = async (project = target) =>
  (await world.app.api('GET', `/projects/${project.id}/repository/branches`, { headers: { 'JOB-TOKEN': job.token } }))
    .status;
async function overGit(project = target): Promise<number> {
  const Authorization = `Basic ${Buffer.from(`gitlab-ci-token:${job.token}`).toString('base64')}`;
  const path = `/${project.path}.git/info/refs?service=git-upload-pack`;
  return (await world.app.request('GET', path, { headers: { Authorization } })).status;
}
const reached = async () => [await overApi(), await overGit()];

describe('[1/authentication/4] the token of a running job', () => {
  it('reaches its own project, and others of its user only where they let it in', async () => {
    expect([await overApi(source), await overGit(source)]).toEqual([200, 200]);
    expect(await reached()).toEqual([404, 404]);
    expect((await ask('GET', scope())).body).toEqual({ inbound_enabled: true, outbound_enabled: false });
    expect(await ask('POST', scope('/allowlist'), { target_project_id: source.id })).toMatchObject({
      status: 201,
      body: { source_project_id: target.id, target_project_id: source.id },
    });
    expect(await reached()).toEqual([200, 200]);
    const listed = await ask<Json[]>('GET', scope('/allowlist'));
    expect(listed.body).toMatchObject([{ id: source.id, path_with_namespace: source.path }]);
    expect((await ask('DELETE', scope(`/allowlist/${source.id}`))).status).toBe(204);
    expect(await reached()).toEqual([404, 404]);
    expect((await ask('DELETE', scope(`/allowlist/${source.id}`))).status).toBe(404);
  });

  it('through a group that is let in', async () => {
    expect(await ask('POST', scope('/groups_allowlist'), { target_group_id: group.id })).toMatchObject({
      status: 201,
      body: { source_project_id: target.id, target_group_id: group.id },
    });
    expect(await reached()).toEqual([200, 200]);
    const listed = await ask<Json[]>('GET', scope('/groups_allowlist'));
    expect(listed.body).toEqual([
      { id: group.id, name: group.name, web_url: `${world.app.url}/groups/${group.full_path}` },
    ]);
    expect((await ask('POST', scope('/groups_allowlist'), { target_group_id: group.id })).status).toBe(400);
    expect((await ask('DELETE', scope(`/groups_allowlist/${group.id}`))).status).toBe(204);
    expect(await reached()).toEqual([404, 404]);
  });

  it('everywhere its user may go, where a project does not limit it', async () => {
    expect((await ask('PATCH', scope(), { enabled: false })).status).toBe(204);
    expect(await reached()).toEqual([200, 200]);
    const theirs = await buildProject(world.app);
    await world.app.db
      .updateTable('projects')
      .set({ ci_inbound_job_token_scope_enabled: false })
      .where('id', '=', theirs.id)
      .execute();
    const strange = await world.app.api('GET', `/projects/${theirs.id}/repository/branches`, {
      headers: { 'JOB-TOKEN': job.token },
    });
    expect(strange.status).toBe(404);
  });

  it('[2/fields.job/21 ci_job_token_scope_enabled] nowhere else, where its own project keeps it in', async () => {
    const keep = (ci_job_token_scope_enabled: boolean) =>
      world.app.api('PUT', `/projects/${source.id}`, {
        token: world.owner.token,
        json: { ci_job_token_scope_enabled },
      });
    await keep(true);
    expect((await ask('GET', scope('', source))).body).toMatchObject({ outbound_enabled: true });
    expect(await reached()).toEqual([404, 404]);
    expect(await overApi(source)).toBe(200);
    await keep(false);
    expect(await reached()).toEqual([200, 200]);
    expect((await ask('PATCH', scope(), { enabled: true })).status).toBe(204);
  });

  it('on public projects is anybody, not its user', async () => {
    const open = await world.project({ visibility: 'public' });
    expect([await overApi(open), await overGit(open)]).toEqual([200, 200]);
    await world.app.api('PUT', `/projects/${open.id}`, {
      token: world.owner.token,
      json: { repository_access_level: 'private' },
    });
    expect(await overGit(open)).toBe(403);
  });

  it('reads the job that it belongs to, however it is sent', async () => {
    const job_token = { headers: { 'JOB-TOKEN': job.token } };
    expect((await world.app.api<Json>('GET', '/job', job_token)).body).toMatchObject({ id: job.id });
    expect((await world.app.api<Json>('GET', '/job', { query: { job_token: job.token } })).body.id).toBe(job.id);
    const bearer = { headers: { Authorization: `Bearer ${job.token}` } };
    expect((await world.app.api<Json>('GET', '/job', bearer)).body.id).toBe(job.id);
    expect((await world.app.api('GET', '/job', { token: job.token })).status).toBe(401);
  });

  it('keeps and deletes artifacts, and reads branches, commits and merge requests', async () => {
    const headers = { 'JOB-TOKEN': job.token };
    const get = async (path: string) =>
      (await world.app.api('GET', `/projects/${source.id}${path}`, { headers })).status;
    const commit = await source.commit(null, { files: { 'a.txt': 'a\n' }, branch: 'topic' });
    const request = await ask<Json>('POST', `/projects/${source.id}/merge_requests`, {
      ...{ source_branch: 'topic', target_branch: 'main', title: 'Topic' },
    });
    expect(request.status).toBe(201);
    const merge = `/merge_requests/${request.body.iid}`;
    const note = await ask<Json>('POST', `/projects/${source.id}${merge}/notes`, { body: 'Read by the job' });
    for (const path of [
      '/jobs',
      '/repository/branches',
      `/repository/commits/${commit}`,
      `/repository/commits/${commit}/merge_requests`,
      '/merge_requests',
      merge,
      `${merge}/notes`,
      `${merge}/notes/${note.body.id}`,
    ])
      expect([path, await get(path)]).toEqual([path, 200]);
    const artifacts = `/projects/${source.id}/jobs/${job.id}/artifacts`;
    // The job has left none: the token is let in, and there is nothing to keep.
    expect((await world.app.api('POST', `${artifacts}/keep`, { headers })).status).toBe(404);
    expect((await world.app.api('DELETE', artifacts, { headers })).status).toBe(204);
  });

  it('is taken by the routes of the list in the documents, and by no other', async () => {
    const named = world.app.routes.map((route) => ({ route, name: `${route.method} ${route.path}` }));
    expect(
      named
        .filter(({ route, name }) => route.credentials.includes('job') && !wholeParts.test(name))
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...single].sort());
    const headers = { 'JOB-TOKEN': job.token };
    const project = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', source.id)
      .executeTakeFirstOrThrow();
    const place = { project, group };
    const taken: string[] = [];
    // Routes of runners and those that only a token in the body opens have their own tests.
    for (const { route, name } of named.filter(({ route }) => route.credentials.includes('token'))) {
      const url = pathOf(route, place);
      const { status } = await world.app.api(route.method, url, { headers });
      if (route.credentials.includes('job') === (status === 401)) taken.push(`${name}: ${status}`);
    }
    expect(taken).toEqual([]);
  });
});

describe('/projects/:id/job_token_scope', () => {
  it('is for maintainers, and leaves a record', async () => {
    const { user, token } = await world.account();
    const row = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', target.id)
      .executeTakeFirstOrThrow();
    expect((await world.app.api('GET', scope(), { token })).status).toBe(404);
    await buildMember(world.app, { user, of: row, level: 30 });
    expect((await world.app.api('GET', scope(), { token })).status).toBe(403);
    expect((await world.app.api('PATCH', scope(), { token, json: { enabled: false } })).status).toBe(403);
    expect((await world.app.api('GET', scope())).status).toBe(401);
    const events = await ask<Json[]>('GET', `/projects/${target.id}/audit_events`);
    expect(new Set(events.body.map((event) => event.event_name))).toEqual(
      new Set([
        'project_created',
        'job_token_scope_changed',
        'job_token_scope_project_added',
        'job_token_scope_project_removed',
        'job_token_scope_group_added',
        'job_token_scope_group_removed',
      ]),
    );
  });

  it('refuses what it does not know, itself, and what is there', async () => {
    expect((await ask('PATCH', scope(), {})).status).toBe(400);
    expect((await ask('POST', scope('/allowlist'), { target_project_id: 999_999 })).status).toBe(404);
    expect((await ask('POST', scope('/groups_allowlist'), { target_group_id: 999_999 })).status).toBe(404);
    expect((await ask('POST', scope('/allowlist'), { target_project_id: target.id })).status).toBe(400);
    const hidden = await buildProject(world.app);
    expect((await ask('POST', scope('/allowlist'), { target_project_id: hidden.id })).status).toBe(404);
    expect((await ask('POST', scope('/allowlist'), { target_project_id: source.id })).status).toBe(201);
    expect((await ask('POST', scope('/allowlist'), { target_project_id: source.id })).status).toBe(400);
  });
});

it('[1/authentication/4] ends with its job, over the API and git', async () => {
  const runner = await world.runner({ description: unique('runner') });
  await source.push('job:\n  script: [y]\n');
  const next = await runner.next();
  const own = async () => (await world.app.api('GET', '/job', { headers: { 'JOB-TOKEN': next.token } })).status;
  const path = `/${source.path}.git/info/refs?service=git-upload-pack`;
  const Authorization = `Basic ${Buffer.from(`gitlab-ci-token:${next.token}`).toString('base64')}`;
  const git = async () => (await world.app.request('GET', path, { headers: { Authorization } })).status;
  expect([await own(), await git()]).toEqual([200, 200]);
  await runner.update(next, 'success');
  expect([await own(), await git()]).toEqual([401, 401]);
});
