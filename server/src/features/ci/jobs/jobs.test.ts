/** Jobs through the API: shapes, filters, pages, who may what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  type JobView,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { buildMember } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let world: World;
let runner: ProtocolRunner & { id: number };
let project: TestProject;
let pipelineId: number;
let reporter: Account;
let stranger: Account;

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
  pipelineId = (
    await project.push(`
a: {stage: build, script: [x], tags: []}
b: {stage: build, script: [x], tags: [none-has-this]}
c: {stage: test, script: [x]}
`)
  ).id;
  const job = await runner.next();
  await runner.patch(job, 'a log\n');
  await runner.update(job, 'failed', { failure_reason: 'script_failure', exit_code: 3 });
  reporter = await world.account();
  stranger = await world.account();
  const row = await world.app.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow();
  await buildMember(world.app, { user: reporter.user, of: row, level: Level.reporter });
});
afterAll(() => world.close());

const list = (query: Record<string, unknown> = {}, token: string | undefined = world.owner.token) =>
  world.app.api<JobView[]>('GET', `/projects/${project.id}/jobs`, { token, query });

describe('GET jobs', () => {
  it('[2/fields.job/1] [2/fields.job/2] [2/fields.job/3] [2/fields.job/4] [2/fields.job/5 failure_reason, script_failure] [2/fields.job/6] [2/fields.job/7] [2/fields.job/8] [2/fields.job/9] [2/fields.job/11] [2/fields.job/17] [2/fields.job/21 project, ci_job_token_scope_enabled] has the fields', async () => {
    const job = await project.job(pipelineId, 'a');
    const got = await world.app.api<JobView>('GET', `/projects/${project.id}/jobs/${job.id}`, {
      token: world.owner.token,
    });
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({
      id: job.id,
      name: 'a',
      stage: 'build',
      status: 'failed',
      failure_reason: 'script_failure',
      exit_code: 3,
      ref: 'main',
      tag: false,
      coverage: null,
      allow_failure: false,
      erased_at: null,
      artifacts_expire_at: null,
      tag_list: [],
      project: { ci_job_token_scope_enabled: false },
      archived: false,
    });
    expect(got.body).not.toHaveProperty('artifacts_file');
    expect(got.body).not.toHaveProperty('download_url');
    expect(got.body).not.toHaveProperty('erased_by');
  });

  it('[2/fields.job/10 created_at] [2/fields.job/10 started_at] [2/fields.job/10 finished_at] [2/fields.job/12] [2/fields.job/13] measures', async () => {
    const job = await project.job(pipelineId, 'a');
    for (const key of ['created_at', 'started_at', 'finished_at']) expect(job[key]).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect(job.duration).toBeGreaterThanOrEqual(0);
    expect(job.queued_duration).toBeGreaterThanOrEqual(0);
    const waiting = await project.job(pipelineId, 'b');
    expect([waiting.started_at, waiting.finished_at, waiting.duration, waiting.runner]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(waiting.queued_duration).toBeGreaterThanOrEqual(0);
    expect(waiting.tag_list).toEqual(['none-has-this']);
  });

  it('[2/fields.job/18] [2/fields.job/19 commit, id] [2/fields.job/19 short_id] [2/fields.job/19 title] [2/fields.job/19 message] [2/fields.job/19 author_name] [2/fields.job/19 author_email] [2/fields.job/19 created_at] [2/fields.pipeline/1 id, sha, ref, status] [2/fields.job/20 pipeline, id] [2/fields.job/20 project_id] [2/fields.job/20 ref] [2/fields.job/20 sha] [2/fields.job/20 status] [2/fields.job/22] [2/fields.job/23] has what belongs to it', async () => {
    const job = await project.job(pipelineId, 'a');
    const pipeline = await project.pipeline(pipelineId);
    expect(job).toMatchObject({
      web_url: `${world.app.url}/${project.path}/-/jobs/${job.id}`,
      commit: {
        id: pipeline.sha,
        short_id: pipeline.sha.slice(0, 8),
        title: 'Change',
        message: expect.stringMatching(/^Change\n?$/),
        author_name: world.owner.user.name,
        author_email: expect.stringContaining('@'),
        created_at: expect.stringMatching(/^\d{4}-/),
      },
      pipeline: { id: pipelineId, project_id: project.id, ref: 'main', sha: pipeline.sha, status: pipeline.status },
      user: { id: world.owner.user.id, username: world.owner.user.username, bio: '', public_email: '' },
      runner: { id: runner.id, is_shared: true, runner_type: 'instance_type', online: true, status: 'online' },
      runner_manager: { system_id: 's_test', version: '17.2.0' },
    });
  });

  it('[2/api.jobs/1] [2/api.jobs/2 scope] [2/states.job-status/1 scope] filters by status, one or several', async () => {
    expect((await list({ scope: 'failed' })).body.map((job) => job.name)).toEqual(['a']);
    expect((await list({ scope: ['failed', 'pending'] })).body.map((job) => job.name)).toEqual(['b', 'a']);
    expect((await list({ scope: ['created'] })).body.map((job) => job.name)).toEqual(['c']);
    expect((await list()).body).toHaveLength(3);
    expect((await list({ scope: 'nonsense' })).status).toBe(400);
  });

  it('[2/api.jobs/3] newest first, by page and by cursor', async () => {
    const all = (await list()).body.map((job) => job.id);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    const second = await list({ per_page: 2, page: 2 });
    expect(second.body.map((job) => job.id)).toEqual(all.slice(2));
    expect(second.headers.get('x-total')).toBe('3');
    const first = await list({ pagination: 'keyset', per_page: 2, order_by: 'id', sort: 'desc' });
    expect(first.body.map((job) => job.id)).toEqual(all.slice(0, 2));
    expect(first.headers.get('x-total')).toBeNull();
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await world.app.request<JobView[]>('GET', next.slice(world.app.url.length), {
      token: world.owner.token,
    });
    expect(rest.body.map((job) => job.id)).toEqual(all.slice(2));
    expect(rest.headers.get('link')).toBeNull();
  });

  it('[2/api.jobs/4] [2/api.jobs/5 pipeline_id] [2/api.jobs/5 scope] [2/api.jobs/5 include_retried] [2/api.jobs/6] of a pipeline', async () => {
    const other = await world.project();
    const { id } = await other.push('x: {script: [x]}\ny: {script: [x], tags: [nobody]}');
    const failed = await runner.run('failed');
    await world.app.api('POST', `/projects/${other.id}/jobs/${failed.id}/retry`, { token: world.owner.token });
    const of = (query = {}) =>
      world.app.api<JobView[]>('GET', `/projects/${other.id}/pipelines/${id}/jobs`, {
        token: world.owner.token,
        query,
      });
    const ids = (await of()).body.map((job) => job.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(ids).not.toContain(failed.id);
    expect((await of({ include_retried: true })).body.map((job) => job.id)).toContain(failed.id);
    expect((await of({ scope: ['failed'] })).body).toEqual([]);
    await runner.run();
    const wrong = await world.app.api('GET', `/projects/${project.id}/pipelines/${id}/jobs`, {
      token: world.owner.token,
    });
    expect(wrong.status).toBe(404);
  });

  it('[2/api.jobs/7] [2/api.jobs/8 pipeline_id] [2/api.jobs/8 scope] bridges are a list without any', async () => {
    const path = `/projects/${project.id}/pipelines/${pipelineId}/bridges`;
    const got = await world.app.api('GET', path, { token: world.owner.token, query: { scope: ['created'] } });
    expect([got.status, got.body]).toEqual([200, []]);
    expect(
      (await world.app.api('GET', path.replace(String(pipelineId), '0'), { token: world.owner.token })).status,
    ).toBe(404);
  });

  it('needs are listed in stage order, which a retry does not change', async () => {
    const graph = await world.project();
    const { id } = await graph.push(`
stages: [build, test]
late: {stage: test, script: [x], tags: [nobody]}
early: {stage: test, script: [x], needs: [build], tags: [nobody]}
at-once: {stage: test, script: [x], needs: [], tags: [nobody]}
build: {stage: build, script: [x], tags: [nobody]}
`);
    const path = `/projects/${graph.id}/pipelines/${id}/needs`;
    const expected = [
      { name: 'build', stage: 'build', needs: null },
      { name: 'late', stage: 'test', needs: null },
      { name: 'early', stage: 'test', needs: ['build'] },
      { name: 'at-once', stage: 'test', needs: [] },
    ];
    const got = await world.app.api('GET', path, { token: world.owner.token });
    expect([got.status, got.body]).toEqual([200, expected]);
    const { id: buildId } = await graph.job(id, 'build');
    for (const action of ['cancel', 'retry'])
      expect(
        await world.app.api('POST', `/projects/${graph.id}/jobs/${buildId}/${action}`, { token: world.owner.token }),
      ).toMatchObject({ status: 201 });
    expect((await world.app.api('GET', path, { token: world.owner.token })).body).toEqual(expected);
    expect((await world.app.api('GET', path)).status).toBe(404);
    expect((await world.app.api('GET', path, { token: stranger.token })).status).toBe(404);
    const foreign = path.replace(String(graph.id), String(project.id));
    expect((await world.app.api('GET', foreign, { token: world.owner.token })).status).toBe(404);
  });

  it('[security 17] is for those who see the project, and only below its own project', async () => {
    expect((await list({}, undefined as never)).status).toBe(200);
    expect((await world.app.api('GET', `/projects/${project.id}/jobs`)).status).toBe(404);
    expect((await list({}, stranger.token)).status).toBe(404);
    expect((await list({}, reporter.token)).status).toBe(200);
    const other = await world.project();
    const job = await project.job(pipelineId, 'a');
    for (const path of ['', '/trace', '/artifacts']) {
      const answer = await world.app.api('GET', `/projects/${other.id}/jobs/${job.id}${path}`, {
        token: world.owner.token,
      });
      expect(answer.status).toBe(404);
    }
  });
});

describe('changes', () => {
  it.each(['retry', 'cancel', 'play', 'erase'])('%s needs a developer', async (action) => {
    const job = await project.job(pipelineId, 'a');
    const path = `/projects/${project.id}/jobs/${job.id}/${action}`;
    const status = async (token?: string) => (await world.app.api('POST', path, { token })).status;
    expect([await status(), await status(stranger.token), await status(reporter.token)]).toEqual([401, 404, 403]);
    const missing = path.replace(String(job.id), '999999');
    expect((await world.app.api('POST', missing, { token: world.owner.token })).status).toBe(404);
  });

  it('[security 18] developers do not start jobs of protected branches that they cannot push to', async () => {
    const developer = await world.account();
    const row = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    await buildMember(world.app, { user: developer.user, of: row, level: Level.developer });
    const job = await project.job(pipelineId, 'a');
    const answer = await world.app.api('POST', `/projects/${project.id}/jobs/${job.id}/retry`, {
      token: developer.token,
    });
    expect(answer.status).toBe(403);
  });

  it('cancels what has not ended, and leaves what has', async () => {
    const other = await world.project();
    const { id } = await other.push('x: {script: [x], tags: [nobody]}');
    const job = await other.job(id, 'x');
    const cancel = () =>
      world.app.api<JobView>('POST', `/projects/${other.id}/jobs/${job.id}/cancel`, { token: world.owner.token });
    expect(await cancel()).toMatchObject({ status: 201, body: { status: 'canceled' } });
    expect(await cancel()).toMatchObject({ status: 201, body: { status: 'canceled' } });
    await other.reaches(id, 'canceled');
  });

  it('[2/fields.job/11] erases log and artifacts once', async () => {
    const job = await project.job(pipelineId, 'a');
    const path = `/projects/${project.id}/jobs/${job.id}`;
    const waiting = await project.job(pipelineId, 'b');
    const early = await world.app.api('POST', `/projects/${project.id}/jobs/${waiting.id}/erase`, {
      token: world.owner.token,
    });
    expect(early.status).toBe(403);
    expect((await world.app.api('GET', `${path}/trace`, { token: world.owner.token })).body).toBe('a log\n');
    const erased = await world.app.api<JobView>('POST', `${path}/erase`, { token: world.owner.token });
    expect(erased.status).toBe(201);
    expect(erased.body.erased_at).toMatch(/Z$/);
    expect(erased.body.erased_by).toMatchObject({ id: world.owner.user.id, username: world.owner.user.username });
    expect((await world.app.api('GET', `${path}/trace`, { token: world.owner.token })).body).toBeNull();
    expect((await world.app.api('POST', `${path}/erase`, { token: world.owner.token })).status).toBe(403);
  });
});
