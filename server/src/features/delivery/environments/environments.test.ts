/** Environments and deployments of jobs, as runners, people and other systems change them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { gitClient } from '../../../../test/git.ts';
import { runTask } from '../../../../test/tasks.ts';

type Json = Record<string, unknown> & { id: number; status: string };
let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, json?: object, query?: object) =>
  world.app.api<T>(method, path, {
    token: world.owner.token,
    ...(json ? { json } : {}),
    ...(query ? { query: query as Record<string, string> } : {}),
  });
const of = (project: TestProject) => `/projects/${project.id}`;
const environmentNamed = async (project: TestProject, name: string) =>
  (await call<Json[]>('GET', `${of(project)}/environments`, undefined, { name })).body[0] as Json;

const review = `deploy:
  script: [x]
  variables: {HOST: example.test}
  environment:
    name: review/$CI_COMMIT_REF_NAME
    url: https://$CI_ENVIRONMENT_SLUG.$HOST/$PART
    on_stop: end
    auto_stop_in: 1 day
    kubernetes: {namespace: app-$CI_COMMIT_REF_NAME, flux_resource_path: releases/$PART}
end:
  script: [x]
  when: manual
  allow_failure: true
  environment: {name: review/$CI_COMMIT_REF_NAME, action: stop}
`;

const sweep = async () => {
  await runTask(world.app, 'environments.sweep');
};

describe('jobs with an environment', () => {
  it('several of one pipeline are each stopped by their own job', async () => {
    const project = await world.project();
    const both = ['a', 'b'].map(
      (name) =>
        `${name}: {script: [x], environment: {name: both, on_stop: end-${name}}}\nend-${name}: {script: [x], when: manual, environment: {name: both, action: stop}}\n`,
    );
    const { id } = await project.push(both.join(''));
    for (const _ of both) await runner.run();
    const { id: environment } = await environmentNamed(project, 'both');
    await call('POST', `${of(project)}/environments/${environment}/stop`);
    expect(await project.statuses(id)).toMatchObject({ 'end-a': 'pending', 'end-b': 'pending' });
    for (const _ of both) await runner.run();
    expect(await environmentNamed(project, 'both')).toMatchObject({ state: 'stopped' });
  });

  it('create it, tell its variables, deploy, and stop it when the branch is deleted', async () => {
    const project = await world.project();
    const deployed = await project.push(review, { branch: 'My-change' });
    const made = await environmentNamed(project, 'review/My-change');
    expect(made).toMatchObject({ state: 'available', tier: 'development', external_url: null, auto_stop_at: null });
    expect(made.slug).toMatch(/^review-my-change-[0-9a-z]{6}$/);
    await call('POST', `${of(project)}/variables`, { key: 'ONLY', value: 'here', environment_scope: 'review/*' });
    await call('POST', `${of(project)}/variables`, { key: 'OTHER', value: 'x', environment_scope: 'production' });
    const [waiting] = (await call<Json[]>('GET', `${of(project)}/deployments`)).body;
    expect(waiting).toMatchObject({ iid: 1, status: 'created', ref: 'My-change', environment: { id: made.id } });

    const job = await runner.next();
    const told = Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));
    expect(told).toMatchObject({
      CI_ENVIRONMENT_NAME: 'review/My-change',
      CI_ENVIRONMENT_SLUG: made.slug,
      CI_ENVIRONMENT_ACTION: 'start',
      CI_ENVIRONMENT_TIER: 'development',
      CI_ENVIRONMENT_URL: `https://${made.slug}.example.test/$PART`,
      ONLY: 'here',
    });
    expect(told).not.toHaveProperty('OTHER');
    const path = `${of(project)}/deployments/${waiting?.id}`;
    expect((await call('GET', path)).body).toMatchObject({ status: 'running', deployable: { id: job.id } });
    expect(await call('PUT', path, { status: 'success' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Deployments created using CI/CD can not be updated using the API' },
    });
    await runner.update(job, 'success');
    const last = (await call('GET', `${of(project)}/environments/${made.id}`)).body;
    expect(last).toMatchObject({
      external_url: `https://${made.slug}.example.test/`,
      kubernetes_namespace: 'app-My-change',
      flux_resource_path: 'releases/',
      last_deployment: { id: waiting?.id, status: 'success', deployable: { name: 'deploy', status: 'success' } },
    });
    const seconds = (Date.parse(String(last.auto_stop_at)) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(86_000);
    expect((await call('DELETE', `${of(project)}/environments/${made.id}`)).status).toBe(403);

    await call('DELETE', `${of(project)}/repository/branches/My-change`);
    const stop = await runner.next();
    expect(stop.job_info.name).toBe('end');
    expect((await environmentNamed(project, 'review/My-change')).state).toBe('stopping');
    await runner.update(stop, 'success');
    expect(await environmentNamed(project, 'review/My-change')).toMatchObject({ state: 'stopped', auto_stop_at: null });
    await project.reaches(deployed.id, 'success');
    // The job that stops it is a deployment of nothing.
    expect((await call<Json[]>('GET', `${of(project)}/deployments`)).body).toHaveLength(1);
    expect((await call('DELETE', `${of(project)}/environments/${made.id}`)).status).toBe(204);
  });

  it('begin its time anew with jobs that prepare or access it, not with those that verify it', async () => {
    const project = await world.project();
    const job = (name: string, more: string) =>
      `${name}: {script: [x], stage: ${name === 'deploy' ? 'build' : 'test'}, environment: {name: kept, ${more}}}\n`;
    await project.push(
      job('deploy', 'auto_stop_in: 2 days') + job('look', 'action: ACTION').replace('ACTION', 'verify'),
    );
    await runner.run();
    const stopsAt = async () => Date.parse(String((await environmentNamed(project, 'kept')).auto_stop_at));
    const first = await stopsAt();
    await runner.run();
    expect(await stopsAt()).toBe(first);
    for (const action of ['prepare', 'access']) {
      const before = await stopsAt();
      await project.push(job('look', `action: ${action}`));
      await runner.run();
      expect(await stopsAt()).toBeGreaterThan(before);
    }
    expect((await stopsAt()) - Date.now()).toBeGreaterThan(47 * 3_600_000);
    await project.push(job('look', 'action: access, auto_stop_in: 1 hour'));
    await runner.run();
    const last = await stopsAt();
    expect(last - Date.now()).toBeLessThan(3_600_001);
    // One that does not say when leaves the time as it is.
    await project.push(job('deploy', 'action: start'));
    await runner.run();
    expect(await stopsAt()).toBe(last);
    await project.push(job('deploy', 'auto_stop_in: never'));
    await runner.run();
    expect((await environmentNamed(project, 'kept')).auto_stop_at).toBeNull();
  });

  it('[20/3] stop it without a job when its branch or merge request is gone, unless it needs one', async () => {
    const project = await world.project();
    const job = (name: string) => `${name}: {script: [x], environment: {name: ${name}-$CI_COMMIT_REF_NAME}}\n`;
    await project.commit(null, { files: { 'README.md': 'x' } });
    await project.commit(`${job('free')}${job('bound')}`, { branch: 'gone' });
    const id = async (name: string) => (await environmentNamed(project, name)).id;
    const state = async (name: string) => (await environmentNamed(project, name)).state;
    for (let jobs = 0; jobs < 2; jobs++) await runner.run();
    await call('PUT', `${of(project)}/environments/${await id('bound-gone')}`, { auto_stop_setting: 'with_action' });
    await call('POST', `${of(project)}/environments`, { name: 'free-asked' });
    await project.commit(
      `${job('free')}made: {script: [x], environment: made}\nworkflow: {rules: [{if: $CI_MERGE_REQUEST_IID}]}\n`,
      { branch: 'asked' },
    );
    await call('POST', `${of(project)}/merge_requests`, {
      ...{ source_branch: 'asked', target_branch: 'main', title: 'Asked' },
    });
    for (let jobs = 0; jobs < 2; jobs++) await runner.run();
    await call('DELETE', `${of(project)}/repository/branches/gone`);
    await eventually('the end of the branch', async () => (await state('free-gone')) === 'stopped');
    await call('PUT', `${of(project)}/merge_requests/1`, { state_event: 'close' });
    await eventually('the end of the request', async () => (await state('made')) === 'stopped');
    // It was there before the merge request.
    expect([await state('bound-gone'), await state('free-asked')]).toEqual(['available', 'available']);
  });

  it('[20/3] keep what they deployed by a ref until it is deleted', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x], environment: Live}\n');
    await runner.run();
    const { id, slug } = (await environmentNamed(project, 'Live')) as Json & { slug: string };
    const { body } = await call<Array<Json & { iid: number }>>('GET', `${of(project)}/deployments`);
    const [{ iid } = { iid: 0 }] = body;
    const ref = `refs/environments/${slug}/deployments/${iid}`;
    const git = await gitClient();
    const header = `Authorization: Basic ${Buffer.from(`git:${world.owner.token}`).toString('base64')}`;
    const listed = async () =>
      (
        await git.run(['-c', `http.extraHeader=${header}`, 'ls-remote', `${world.app.url}/${project.path}.git`, ref])
      ).trim();
    await eventually('the ref', async () => (await listed()) === `${pipeline.sha}\t${ref}`);
    await call('POST', `${of(project)}/environments/${id}/stop`);
    await call('DELETE', `${of(project)}/environments/${id}`);
    await eventually('its end', async () => (await listed()) === '');
    await git.close();
  });

  it('[security 11] a protected one is changed, stopped and deleted by those who may deploy to it', async () => {
    const project = await world.project();
    const { body } = await call('POST', `${of(project)}/environments`, { name: 'live' });
    await call('POST', `${of(project)}/protected_environments`, {
      ...{ name: 'live', deploy_access_levels: [{ access_level: 40 }] },
    });
    const developer = await world.account();
    await call('POST', `${of(project)}/members`, { user_id: developer.user.id, access_level: 30 });
    const path = `${of(project)}/environments/${body.id}`;
    const by = async (token: string) => {
      const ask = async (method: 'PUT' | 'POST' | 'DELETE', more = '', json: object = {}) =>
        (await world.app.api(method, `${path}${more}`, { token, json })).status;
      return [
        await ask('PUT', '', { external_url: 'https://live.example.com' }),
        ...[await ask('POST', '/cancel_auto_stop'), await ask('POST', '/stop', { force: true }), await ask('DELETE')],
      ];
    };
    expect(await by(developer.token)).toEqual([403, 403, 403, 403]);
    expect(await by(world.owner.token)).toEqual([200, 409, 200, 204]);
  });

  it('stop it when its time is over, or when somebody asks; a failed job lets it run', async () => {
    const project = await world.project();
    await project.push(review.replaceAll('$CI_COMMIT_REF_NAME', 'one'));
    const job = await runner.next();
    await runner.update(job, 'success');
    const { id } = await environmentNamed(project, 'review/one');
    const path = `${of(project)}/environments/${id}`;
    const due = () =>
      world.app.db
        .updateTable('environments')
        .set({ auto_stop_at: new Date(0) })
        .where('id', '=', id)
        .execute();
    await due();
    const guest = (await world.account()).token;
    const cancel = (token?: string) =>
      world.app.api('POST', `${path}/cancel_auto_stop`, { token: token ?? world.owner.token });
    expect((await cancel(guest)).status).toBe(404);
    expect(await cancel()).toMatchObject({ status: 200, body: { state: 'available', auto_stop_at: null } });
    expect((await cancel()).status).toBe(409);
    await sweep();
    expect((await runner.request()).status).toBe(204);
    await due();
    await sweep();
    await runner.run('failed');
    expect((await call('GET', path)).body.state).toBe('available');
    expect((await call('POST', `${path}/stop`)).body.state).toBe('stopping');
    await runner.run();
    expect((await call('GET', path)).body.state).toBe('stopped');
    // Deploying again starts it, and it can be stopped without its job.
    await call('POST', `${of(project)}/jobs/${job.id}/retry`);
    await runner.run();
    expect((await call('GET', path)).body.state).toBe('available');
    expect((await call('POST', `${path}/stop`, { force: true })).body.state).toBe('stopped');
    expect((await runner.request()).status).toBe(204);
  });

  it('fail when the name is not valid, and when something newer was deployed', async () => {
    const project = await world.project();
    const broken = await project.push(
      'deploy: {script: [x], variables: {PLACE: "a*b!"}, environment: {name: $PLACE}}\n',
    );
    expect((await runner.request()).status).toBe(204);
    expect(await project.job(broken.id, 'deploy')).toMatchObject({
      status: 'failed',
      failure_reason: 'environment_creation_failure',
    });
    const config =
      'deploy: {script: [x], environment: production}\nby-hand: {script: [y], when: manual, environment: production}\n';
    const older = await project.push(config);
    const [first, newer] = [await runner.next(), await project.push(config, { files: { a: '1' } })];
    await runner.run();
    await runner.update(first, 'success');
    const manual = await project.job(older.id, 'by-hand');
    const retried = await call('POST', `${of(project)}/jobs/${first.id}/retry`);
    expect([retried.status, retried.body.name]).toEqual([201, 'deploy']);
    await runner.run();
    const newest = await project.job(newer.id, 'deploy');
    await call('POST', `${of(project)}/jobs/${newest.id}/retry`);
    await runner.run();
    expect((await call('POST', `${of(project)}/jobs/${manual.id}/play`)).status).toBe(403);
    await call('PUT', of(project), { ci_forward_deployment_rollback_allowed: false });
    expect((await call('POST', `${of(project)}/jobs/${first.id}/retry`)).status).toBe(403);
    await call('PUT', of(project), { ci_forward_deployment_enabled: false });
    expect((await call('POST', `${of(project)}/jobs/${manual.id}/play`)).status).toBe(200);
  });
});

describe('the API', () => {
  it('creates, lists, changes, stops and deletes environments', async () => {
    const project = await world.project();
    const list = `${of(project)}/environments`;
    const made = await call('POST', list, {
      name: 'production/eu',
      external_url: 'https://eu.example',
      description: 'EU',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      name: 'production/eu',
      slug: expect.stringMatching(/^production-eu-[0-9a-z]{6}$/),
      external_url: 'https://eu.example',
      description: 'EU',
      tier: 'production',
      state: 'available',
      auto_stop_at: null,
      auto_stop_setting: 'always',
      kubernetes_namespace: null,
      flux_resource_path: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await call('POST', list, { name: 'qa' });
    const refusals: ReadonlyArray<readonly [object, object]> = [
      [{ name: 'qa' }, { name: ['has already been taken'] }],
      [{ name: '/x' }, { name: [expect.stringContaining('can contain only letters')] }],
      [{ name: 'x', external_url: 'javascript:alert(1)' }, { external_url: [expect.any(String)] }],
    ];
    for (const [json, message] of refusals) expect((await call('POST', list, json)).body).toEqual({ message });
    const names = async (query: object) =>
      (await call<Json[]>('GET', list, undefined, query)).body.map(({ name }) => name);
    expect(await names({})).toEqual(['production/eu', 'qa']);
    expect(await names({ search: 'PROD' })).toEqual(['production/eu']);
    expect(await names({ tier: 'testing' })).toEqual(['qa']);
    expect(await names({ states: 'stopped' })).toEqual([]);
    expect((await call('GET', list, undefined, { search: 'ab' })).status).toBe(400);
    expect((await call('GET', list, undefined, { search: 'abc', name: 'x' })).status).toBe(400);
    const path = `${list}/${made.body.id}`;
    const cluster = { kubernetes_namespace: 'app', flux_resource_path: 'releases/app' };
    expect((await call('PUT', path, { tier: 'staging', external_url: '', ...cluster })).body).toMatchObject({
      tier: 'staging',
      external_url: null,
      ...cluster,
    });
    const none = { kubernetes_namespace: null, flux_resource_path: null };
    expect((await call('PUT', path, none)).body).toMatchObject(none);
    expect((await call('POST', `${path}/stop`)).body.state).toBe('stopped');
    expect((await call('GET', path)).body.last_deployment).toBeNull();
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
    const other = await world.account();
    const seen = async (path = list) => (await world.app.api('GET', path, { token: other.token })).status;
    expect(await seen()).toBe(404);
    await call('PUT', of(project), { visibility: 'public' });
    expect([await seen(), await seen(`${of(project)}/deployments`)]).toEqual([200, 200]);
    await call('PUT', of(project), { environments_access_level: 'private' });
    expect([await seen(), await seen(`${of(project)}/deployments`)]).toEqual([403, 403]);
  });

  it('tells where a merge request can be looked at: its own newest deployments, of environments that run', async () => {
    const project = await world.project();
    const base = await project.commit(null, { files: { a: '1' } });
    const sha = await project.commit(null, { branch: 'change', files: { b: '1' } });
    const made = await call<{ iid: number }>('POST', `${of(project)}/merge_requests`, {
      ...{ source_branch: 'change', target_branch: 'main', title: 'Change' },
    });
    const list = `${of(project)}/merge_requests/${made.body.iid}/deployments`;
    expect((await call('GET', list)).body).toEqual([]);
    const deploy = (environment: string, ref: string, id = sha, tag = false) =>
      call('POST', `${of(project)}/deployments`, { environment, ref, sha: id, tag, status: 'success' });
    await deploy('review/b', 'change');
    const newest = (await deploy('review/b', 'change')).body;
    const first = (await deploy('review/a', 'change')).body;
    await deploy('production', 'main', base);
    await deploy('tagged', 'change', sha, true);
    const shown = async (token = world.owner.token) =>
      (await world.app.api<Json[]>('GET', list, { token })).body.map(({ id }) => id);
    expect(await shown()).toEqual([first.id, newest.id]);
    const { id } = await environmentNamed(project, 'review/a');
    await call('POST', `${of(project)}/environments/${id}/stop`);
    expect(await shown()).toEqual([newest.id]);
    const of404 = async (path: string, token: string) => (await world.app.api('GET', path, { token })).status;
    expect(await of404(`${of(project)}/merge_requests/99/deployments`, world.owner.token)).toBe(404);
    expect(await of404(list, (await world.account()).token)).toBe(404);
  });

  it('stops what is stale and deletes old review apps', async () => {
    const project = await world.project();
    const list = `${of(project)}/environments`;
    for (const name of ['review/a', 'review/b', 'qa', 'live']) await call('POST', list, { name });
    await call('POST', `${of(project)}/protected_environments`, {
      ...{ name: 'live', deploy_access_levels: [{ access_level: 40 }] },
    });
    await call('POST', `${list}/${(await environmentNamed(project, 'review/a')).id}/stop`);
    const old = new Date(Date.now() - 60 * 86_400_000);
    await world.app.db
      .updateTable('environments')
      .set({ created_at: old, updated_at: old })
      .where('project_id', '=', project.id)
      .where('name', '!=', 'qa')
      .execute();
    const ids = async (query: object) =>
      (
        await call<{ scheduled_entries: Json[] }>('DELETE', `${list}/review_apps`, undefined, query)
      ).body.scheduled_entries.map(({ name }) => name);
    expect(await ids({})).toEqual(['review/a']);
    const dates = () =>
      world.app.db
        .selectFrom('environments')
        .select(['name', 'auto_delete_at'])
        .where('project_id', '=', project.id)
        .execute();
    expect((await dates()).filter((row) => row.auto_delete_at !== null)).toEqual([]);
    expect(await ids({ dry_run: 'false' })).toEqual(['review/a']);
    expect((await dates()).filter((row) => row.auto_delete_at !== null).map(({ name }) => name)).toEqual(['review/a']);
    const stale = `${list}/stop_stale`;
    expect((await call('POST', stale, { before: new Date().toISOString() })).status).toBe(400);
    const before = new Date(Date.now() - 8 * 86_400_000).toISOString();
    expect((await call('POST', stale, { before })).body).toEqual({
      message: 'Successfully requested stop for all stale environments',
    });
    await world.app.db
      .updateTable('environments')
      .set({ auto_delete_at: old })
      .where('auto_delete_at', 'is not', null)
      .execute();
    await sweep();
    const left = (await call<Json[]>('GET', list)).body.map(({ name, state }) => [name, state]);
    expect(left.sort()).toEqual([
      ['live', 'available'],
      ['qa', 'available'],
      ['review/b', 'stopped'],
    ]);
  });

  it('takes deployments of other systems, with the merge requests that they brought', async () => {
    const project = await world.project();
    const list = `${of(project)}/deployments`;
    const first = await project.commit(null, { files: { a: '1' } });
    const given = { environment: 'live', ref: 'main', tag: false, status: 'success' };
    const made = await call('POST', list, { ...given, sha: first });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      iid: 1,
      sha: first,
      status: 'success',
      deployable: null,
      environment: { name: 'live' },
      pending_approval_count: 0,
      approvals: [],
    });
    await project.commit(null, { branch: 'change', files: { b: '1' } });
    const request = (
      await call('POST', `${of(project)}/merge_requests`, {
        source_branch: 'change',
        target_branch: 'main',
        title: 'B',
      })
    ).body;
    const merged = await eventually('the merge', async () => {
      const done = await call('PUT', `${of(project)}/merge_requests/${request.iid}/merge`);
      return done.status === 200 && done.body;
    });
    const sha = String(merged.merge_commit_sha ?? merged.sha);
    const running = (await call('POST', list, { ...given, sha, status: 'running' })).body;
    const path = `${list}/${running.id}`;
    expect((await call('DELETE', path)).body).toEqual({ message: 'Cannot destroy running deployment' });
    const succeeded = (await call('PUT', path, { status: 'success' })).body;
    expect(succeeded).toMatchObject({ status: 'success', approvals: [] });
    for (const [status, event] of [
      ['success', 'succeed'],
      ['running', 'run'],
    ])
      expect(await call('PUT', path, { status })).toMatchObject({
        status: 400,
        body: { message: { status: [`cannot transition via "${event}"`] } },
      });
    const brought = await eventually('its merge requests', async () => {
      const found = await call<Json[]>('GET', `${path}/merge_requests`);
      return found.body.length > 0 && found.body;
    });
    expect(brought.map(({ id }) => id)).toEqual([request.id]);
    const narrowed = async (query: object) =>
      (await call<Json[]>('GET', `${path}/merge_requests`, undefined, query)).body.map(({ id }) => id);
    expect(await narrowed({ state: 'merged', source_branch: 'change', 'not[labels]': 'none-such' })).toEqual([
      request.id,
    ]);
    for (const query of [
      { state: 'opened' },
      { source_branch: 'main' },
      { search: 'other' },
      { 'not[source_branch]': 'change' },
    ])
      expect(await narrowed(query), JSON.stringify(query)).toEqual([]);
    expect((await call('GET', `${path}/merge_requests`, undefined, { state: 'done' })).status).toBe(400);
    expect((await call<Json[]>('GET', `${list}/${made.body.id}/merge_requests`)).body).toEqual([]);
    expect((await call('DELETE', path)).body).toEqual({ message: 'Deployment currently deployed to environment' });
    expect((await call('DELETE', `${list}/${made.body.id}`)).status).toBe(204);
    const ids = async (query: object) => (await call<Json[]>('GET', list, undefined, query)).body.map(({ id }) => id);
    expect(await ids({ environment: 'live', status: 'success' })).toEqual([running.id]);
    expect(await ids({ environment: 'other' })).toEqual([]);
    const since = new Date(0).toISOString();
    expect(await ids({ order_by: 'updated_at', updated_after: since })).toEqual([running.id]);
    expect((await call('GET', list, undefined, { updated_after: since })).body).toEqual({
      message: '400 Bad request - `updated_at` filter requires `updated_at` sort',
    });
    expect((await call('POST', list, { ...given, sha: 'main' })).status).toBe(400);
  });
});
