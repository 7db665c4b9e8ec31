/** Trigger jobs: children, pipelines of other projects, and what becomes of the jobs that started them. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import {
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';

type Json = Record<string, unknown>;
let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'POST', path: string, json?: object) =>
  world.app.api<T>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
const bridges = async (project: TestProject, id: number) =>
  (await call<Json[]>('GET', `/projects/${project.id}/pipelines/${id}/bridges`)).body;
/** The trigger job of a pipeline once it has started its own. */
const started = (project: TestProject, id: number) =>
  eventually('the downstream pipeline', async () => {
    const [bridge] = await bridges(project, id);
    return bridge?.downstream_pipeline ? (bridge as Json & { downstream_pipeline: { id: number } & Json }) : null;
  });
const ended = (project: TestProject, id: number) =>
  eventually('the end of the trigger job', async () => {
    const [bridge] = await bridges(project, id);
    return ['success', 'failed', 'canceled'].includes(String(bridge?.status)) && bridge;
  });
const variablesOf = (job: JobPayload) => Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));

describe('a child pipeline', () => {
  const child = 'spec:\n  inputs:\n    word: {default: none}\n---\n"child $[[ inputs.word ]]":\n  script: [x]\n';
  const parent = (more = '') =>
    `first: {script: [x]}\nstart:\n  variables: {GREETING: "hi $CI_COMMIT_REF_NAME"}\n  trigger:\n    include: [{local: child.yml, inputs: {word: blue}}]\n${more}after:\n  stage: deploy\n  script: [x]\n`;

  it('gets the inputs that stand beside the file that it includes', async () => {
    const project = await world.project();
    const config = 'start: {trigger: {include: child.yml, inputs: {word: green}}}\n';
    const { id } = await project.push(config, { files: { 'child.yml': child } });
    const below = (await started(project, id)).downstream_pipeline.id;
    expect(Object.keys(await project.statuses(below))).toEqual(['child green']);
    // The runner of the other tests takes what waits.
    await call('POST', `/projects/${project.id}/pipelines/${id}/cancel`);
  });

  it('[2/api.jobs/7] [2/api.jobs/8 pipeline_id, scope] [2/fields.trigger-job-bridge/1 runner, artifacts, tag_list, failure_reason, downstream_pipeline, id, sha, ref, status, created_at, updated_at, web_url, pipeline, duration] [2/api.jobs/5 pipeline_id, CI_PIPELINE_ID, scope, include_retried] [2/api.jobs/6 include_retried] is shown by its trigger job, which ends as it does', async () => {
    const project = await world.project();
    const { id } = await project.push(parent('    strategy: depend\n'), { files: { 'child.yml': child } });
    const bridge = await started(project, id);
    for (const key of ['runner', 'artifacts', 'tag_list', 'failure_reason']) expect(bridge).not.toHaveProperty(key);
    expect(bridge).toMatchObject({
      id: expect.any(Number),
      name: 'start',
      status: 'running',
      stage: 'test',
      ref: 'main',
      user: { id: world.owner.user.id },
      commit: expect.any(Object),
      pipeline: {
        id,
        ref: 'main',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        web_url: expect.any(String),
      },
      downstream_pipeline: {
        id: expect.any(Number),
        sha: expect.any(String),
        ref: 'main',
        status: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        web_url: expect.any(String),
      },
    });
    expect(Number.isInteger(bridge.duration)).toBe(true);
    const below = bridge.downstream_pipeline.id;
    expect(await project.pipeline(below)).toMatchObject({
      source: 'parent_pipeline',
      user: { id: world.owner.user.id },
      upstream: {
        ...{ project_id: project.id, project_path: project.path, pipeline_id: id },
        ...{ job_id: bridge.id, job_name: 'start' },
      },
    });
    expect(await project.pipeline(id)).not.toHaveProperty('upstream');
    // Hidden from the list, unless it is asked for; its jobs are among those of the parent, the trigger job is not.
    const listed = async (query: string) =>
      (await call<Json[]>('GET', `/projects/${project.id}/pipelines${query}`)).body.map((each) => each.id);
    expect(await listed('')).toEqual([id]);
    expect(await listed('?source=parent_pipeline')).toEqual([below]);
    // What the commit is judged by is said in its own pipelines; bots merge by that.
    const said = async (query = '') => {
      const path = `/projects/${project.id}/repository/commits/${bridge.downstream_pipeline.sha}/statuses${query}`;
      return (await call<Json[]>('GET', path)).body.map(({ name }) => name).sort();
    };
    expect(await said()).toEqual(['after', 'first', 'start']);
    expect(await said(`?pipeline_id=${below}`)).toEqual(['child blue']);
    expect((await call('GET', `/projects/${project.id}/pipelines/latest`)).body.id).toBe(id);
    expect(Object.keys(await project.statuses(id)).sort()).toEqual(['after', 'child blue', 'first']);
    expect(Object.keys(await project.statuses(below))).toEqual(['child blue']);
    expect(await bridges(project, below)).toEqual([]);
    const scoped = async (scope: string) =>
      (await call<Json[]>('GET', `/projects/${project.id}/pipelines/${id}/bridges?scope[]=${scope}`)).body.length;
    expect([await scoped('running'), await scoped('failed')]).toEqual([1, 0]);
    await runner.run();
    const job = await runner.run();
    expect(variablesOf(job)).toMatchObject({
      GREETING: 'hi main',
      CI_PIPELINE_SOURCE: 'parent_pipeline',
      CI_PIPELINE_ID: String(below),
      CI_UPSTREAM_PIPELINE_ID: String(id),
      CI_UPSTREAM_PROJECT_ID: String(project.id),
      CI_UPSTREAM_JOB_ID: expect.stringMatching(/^\d+$/),
    });
    expect(await ended(project, id)).toMatchObject({ status: 'success' });
    expect((await runner.run()).job_info.name).toBe('after');
    await project.reaches(id, 'success');
  });

  it('that fails fails the job that waits for it; one that is not waited for does not', async () => {
    const project = await world.project();
    const { id } = await project.push(parent('    strategy: depend\n'), { files: { 'child.yml': child } });
    await started(project, id);
    await runner.run();
    await runner.run('failed');
    expect(await ended(project, id)).toMatchObject({ status: 'failed' });
    await project.reaches(id, 'failed');
    const free = await project.push(parent());
    expect(await ended(project, free.id)).toMatchObject({ status: 'success' });
    for (const _ of ['first', 'child', 'after']) {
      const job = await runner.next();
      const fails = job.job_info.name.startsWith('child');
      await runner.update(job, fails ? 'failed' : 'success', fails ? { failure_reason: 'script_failure' } : {});
    }
    await project.reaches(free.id, 'success');
  });

  it('is canceled with its parent, children of children too', async () => {
    const project = await world.project();
    const { id } = await project.push('start: {trigger: {include: child.yml, strategy: depend}}', {
      files: {
        'child.yml': 'deeper: {trigger: {include: leaf.yml, strategy: depend}}\n',
        'leaf.yml': 'leaf: {script: [x]}\n',
      },
    });
    const below = (await started(project, id)).downstream_pipeline.id;
    const leaf = (await started(project, below)).downstream_pipeline.id;
    expect(Object.keys(await project.statuses(id))).toEqual(['leaf']);
    await call('POST', `/projects/${project.id}/pipelines/${id}/cancel`);
    for (const each of [id, below, leaf]) await project.reaches(each, 'canceled');
  });

  it('cannot be deeper than two, nor start what is not there', async () => {
    const project = await world.project();
    const { id } = await project.push('again: {trigger: {include: loop.yml, strategy: depend}}', {
      files: { 'loop.yml': 'again: {trigger: {include: loop.yml, strategy: depend}}\n' },
    });
    await project.reaches(id, 'failed');
    const reasons = await world.app.db
      .selectFrom('jobs')
      .select(['failure_reason'])
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute();
    expect(reasons.map((row) => row.failure_reason)).toEqual([
      'unknown_failure',
      'unknown_failure',
      'reached_max_descendant_pipelines_depth',
    ]);
    const absent = await project.push('start: {trigger: {include: gone.yml}}');
    await project.reaches(absent.id, 'failed');
    expect(await ended(project, absent.id)).toMatchObject({
      status: 'failed',
      downstream_pipeline: { status: 'failed' },
    });
  });

  it('[2/api.job-artifacts/3 ref_name, job] is made of what a job has written; artifacts are looked for in it after its parent', async () => {
    const project = await world.project();
    const { id } = await project.push(
      'make: {stage: build, script: [x], artifacts: {paths: [made.yml]}}\nrun:\n  trigger: {include: [{artifact: made.yml, job: make}], strategy: depend}\n',
    );
    const zipOf = async (name: string, text: string) => {
      const zip = new yazl.ZipFile();
      zip.addBuffer(Buffer.from(text), name);
      zip.end();
      return await buffer(zip.outputStream);
    };
    const upload = async (job: JobPayload, name: string, text: string) => {
      const data = await zipOf(name, text);
      expect((await runner.upload(job, { data, name: 'a.zip', type: 'archive', format: 'zip' })).status).toBe(201);
      await runner.update(job, 'success');
    };
    await upload(await runner.next(), 'made.yml', 'made: {script: [x]}\nmake: {script: [x]}\n');
    await started(project, id);
    for (const _ of [1, 2]) await upload(await runner.next(), 'of.txt', 'child');
    await project.reaches(id, 'success');
    const file = (job: string, path: string) =>
      call('GET', `/projects/${project.id}/jobs/artifacts/main/raw/${path}?job=${job}`);
    expect(await file('made', 'of.txt')).toMatchObject({ status: 200, body: 'child' });
    expect((await file('make', 'made.yml')).status).toBe(200);
    expect((await file('make', 'of.txt')).status).toBe(404);
  });

  it('is one, also when the start takes so long that it is tried again meanwhile', async () => {
    const waiting: ServerResponse[] = [];
    const slow = createServer((_request, response) => void waiting.push(response)).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    await world.app.settings.write({
      ...{ allow_local_requests_from_web_hooks_and_services: false, outbound_local_requests_whitelist: ['127.0.0.1'] },
    });
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/child.yml`;
    const project = await world.project();
    const { id } = await project.push(`start: {trigger: {include: [{remote: "${url}"}]}}\n`);
    const asked = (times: number) => eventually('the request', async () => waiting.length === times);
    await asked(1);
    await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = now()
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'ci.start_downstream')`.execute(
      world.app.db,
    );
    await sql`notify "jobs:insert"`.execute(world.app.db);
    await asked(2);
    for (const response of waiting) response.end('made: {script: [x]}\n');
    const bridge = await started(project, id);
    await ended(project, id);
    const made = (await runner.run()).job_info;
    expect(made).toMatchObject({ name: 'made', pipeline_id: bridge.downstream_pipeline.id });
    expect((await runner.request()).status).toBe(204);
    const rows = await world.app.db.selectFrom('pipeline_sources').selectAll().where('source_pipeline_id', '=', id);
    expect(await rows.execute()).toHaveLength(1);
    slow.closeAllConnections();
    slow.close();
  });
});

describe('strategies', () => {
  const starts = (file: string) =>
    ['mirror', 'depend']
      .map((strategy) => `${strategy}: {trigger: {include: ${file}, strategy: ${strategy}}}\n`)
      .join('');
  const statuses = async (project: TestProject, id: number) =>
    Object.fromEntries((await bridges(project, id)).map(({ name, status }) => [String(name), status]));
  const say = (project: TestProject, id: number, mirror: string, depend: string) =>
    eventually(`a mirror of ${mirror}`, async () => {
      const now = await statuses(project, id);
      return now.mirror === mirror && now.depend === depend;
    });

  it('mirror shows what waits for somebody; depend runs until it has been done', async () => {
    const project = await world.project();
    const { id } = await project.push(`${starts('child.yml')}after: {stage: deploy, script: [x]}\n`, {
      files: { 'child.yml': 'ask: {script: [x], rules: [{when: manual}]}\n' },
    });
    await say(project, id, 'manual', 'running');
    const below = await eventually('both pipelines', async () => {
      const all = (await bridges(project, id)) as Array<{ downstream_pipeline: { id: number } | null }>;
      const found = all.flatMap(({ downstream_pipeline }) => downstream_pipeline?.id ?? []);
      return found.length === 2 && found;
    });
    await Promise.all(
      below.map(async (pipeline) => {
        const job = await project.job(pipeline, 'ask');
        expect((await call('POST', `/projects/${project.id}/jobs/${job.id}/play`)).status).toBe(200);
      }),
    );
    await runner.run();
    await runner.run();
    expect(await runner.run()).toMatchObject({ job_info: { name: 'after' } });
    await project.reaches(id, 'success');
    expect(await statuses(project, id)).toEqual({ mirror: 'success', depend: 'success' });
    const all = await call<Json[]>('GET', `/projects/${project.id}/pipelines?source=parent_pipeline`);
    expect(all.body.map((each) => each.id).sort()).toEqual(below.sort());
  });

  it('mirror is skipped where the pipeline is; depend fails', async () => {
    const project = await world.project();
    const { id } = await project.push(starts('child.yml'), {
      files: { 'child.yml': 'broken: {script: [x], rules: [{when: on_failure}]}\n' },
    });
    await say(project, id, 'skipped', 'failed');
    await project.reaches(id, 'failed');
  });
});

describe('the variables of a trigger job', () => {
  it('name its environment, what jobs before it have reported, and what is set for the environment; others are passed on expanded', async () => {
    const project = await world.project();
    const variables = [
      { key: 'HOST', value: 'h.example', environment_scope: 'review/*' },
      { key: 'CERT', value: 'secret', variable_type: 'file' },
    ];
    for (const each of variables)
      expect((await call('POST', `/projects/${project.id}/variables`, each)).status).toBe(201);
    const config = [
      'build: {stage: build, script: [x], artifacts: {reports: {dotenv: v.env}}}',
      'start:',
      '  environment: {name: review/$CI_COMMIT_REF_NAME, url: "https://$HOST/"}',
      '  rules: [{if: \'$HOST == "h.example"\'}]',
      '  trigger: {include: child.yml, forward: {pipeline_variables: true}}',
      '  variables:',
      '    WHERE: $CI_ENVIRONMENT_ACTION $CI_ENVIRONMENT_NAME $CI_ENVIRONMENT_URL',
      '    WHAT: $CI_JOB_STAGE/$CI_JOB_NAME of $GITLAB_USER_LOGIN',
      '    VERSION: v$RELEASE$NOTHING',
      '    WRITTEN: {value: $CI_JOB_NAME, expand: false}',
      '    PATHS: --cert $CERT',
      'without: {script: [x], rules: [{if: $HOST}]}',
    ];
    await project.commit(config.join('\n'), {
      files: { 'child.yml': 'child: {script: [x]}\n' },
      message: 'x [skip ci]',
    });
    const { body: pipeline } = await call<{ id: number }>('POST', `/projects/${project.id}/pipeline`, {
      ref: 'main',
      variables: [{ key: 'GIVEN', value: 'on $CI_COMMIT_BRANCH' }],
    });
    expect(Object.keys(await project.statuses(pipeline.id))).toEqual(['build']);
    const build = await runner.next();
    const report = { data: gzipSync('RELEASE=4.2\n'), name: 'v.env.gz', type: 'dotenv', format: 'gzip' };
    expect((await runner.upload(build, report)).status).toBe(201);
    await runner.update(build, 'success');
    const child = await runner.run();
    expect(variablesOf(child)).toMatchObject({
      WHERE: 'start review/main https://h.example/',
      WHAT: `test/start of ${world.owner.user.username}`,
      VERSION: 'v4.2',
      WRITTEN: '$CI_JOB_NAME',
      PATHS: '--cert $CERT',
      GIVEN: 'on main',
      RELEASE: '4.2',
    });
    expect(child.variables.find(({ key }) => key === 'WRITTEN')).toMatchObject({ raw: true });
    expect(child.variables.findLast(({ key }) => key === 'CERT')).toMatchObject({ value: 'secret', file: true });
    await eventually('the address of the environment', async () => {
      const { body } = await call<Json[]>('GET', `/projects/${project.id}/environments`);
      return body.some((each) => each.name === 'review/main' && each.external_url === 'https://h.example/');
    });
  });
});

describe('a pipeline of another project', () => {
  it('is started on its branch in the name of who runs the job, with what is forwarded', async () => {
    const [from, to] = [await world.project(), await world.project()];
    await to.commit('theirs: {script: [x]}', { message: 'CI [skip ci]' });
    await from.commit(null, { files: { 'README.md': 'x' } });
    const { id } = await from.push(
      `start:\n  variables: {MINE: "1", WHERE: "${to.path}"}\n  trigger: {project: $WHERE, branch: main, strategy: mirror}\n`,
    );
    const bridge = await started(from, id);
    expect(bridge.downstream_pipeline).toMatchObject({ project_id: to.id, ref: 'main', source: 'pipeline' });
    expect((bridge.downstream_pipeline.web_url as string).startsWith(`${world.app.url}/${to.path}/`)).toBe(true);
    const job = await runner.run();
    expect(variablesOf(job)).toMatchObject({ MINE: '1', CI_PIPELINE_SOURCE: 'pipeline', CI_PROJECT_ID: String(to.id) });
    expect(await ended(from, id)).toMatchObject({ status: 'success' });
    // Whoever does not see where it comes from is not told.
    const below = `/projects/${to.id}/pipelines/${bridge.downstream_pipeline.id}`;
    expect((await call('GET', below)).body.upstream).toMatchObject({ project_path: from.path, job_name: 'start' });
    const reader = await world.account();
    await call('POST', `/projects/${to.id}/members`, { user_id: reader.user.id, access_level: 20 });
    const theirs = await world.app.api<Json>('GET', below, { token: reader.token });
    expect([theirs.status, theirs.body.upstream]).toEqual([200, undefined]);
  });

  it('that cannot be created says why, in the trigger job and its list', async () => {
    const [from, to] = [await world.project(), await world.project()];
    await to.commit('theirs: {script: [x], rules: [{when: never}]}', { message: 'CI [skip ci]' });
    for (const [kind, name] of [
      ['branches', 'branch'],
      ['tags', 'tag_name'],
    ] as const)
      await call('POST', `/projects/${to.id}/repository/${kind}`, { [name]: 'twin', ref: 'main' });
    const reasons: Record<string, string> = {
      gone: 'Reference not found',
      twin: 'Ref is ambiguous',
      main: 'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
    };
    for (const [branch, reason] of Object.entries(reasons)) {
      const { id } = await from.push(`start: {trigger: {project: ${to.path}, branch: ${branch}}}`);
      const bridge = await ended(from, id);
      expect(bridge).toMatchObject({ status: 'failed', downstream_pipeline: null, downstream_errors: [reason] });
      const { body } = await call('GET', `/projects/${from.id}/jobs/${(bridge as { id: number }).id}`);
      expect(body).toMatchObject({
        failure_reason: 'downstream_pipeline_creation_failed',
        downstream_errors: [reason],
      });
    }
  });

  it('security 19: is not started where the user has no access', async () => {
    const from = await world.project();
    const other = await world.account();
    const hidden = await world.app.api<{ path_with_namespace: string }>('POST', '/projects', {
      token: other.token,
      json: { name: 'hidden', visibility: 'private' },
    });
    const { id } = await from.push(`start: {trigger: ${hidden.body.path_with_namespace}}`);
    await ended(from, id);
    const own = await from.push(`start: {trigger: ${from.path}}`);
    await ended(from, own.id);
    const rows = await world.app.db
      .selectFrom('jobs')
      .select('failure_reason')
      .where('project_id', '=', from.id)
      .orderBy('id')
      .execute();
    expect(rows.map((row) => row.failure_reason)).toEqual([
      'downstream_bridge_project_not_found',
      'invalid_bridge_trigger',
    ]);
  });
});

describe('include:project', () => {
  it('security 20: brings files of projects that the user may read, and of no others', async () => {
    const [lib, project] = [await world.project(), await world.project()];
    await lib.commit(null, { files: { 'ci/jobs.yml': 'from_lib: {script: [x]}\n' } });
    const made = await project.push(`include: [{project: ${lib.path}, file: ci/jobs.yml}]\n`);
    expect(Object.keys(await project.statuses(made.id))).toEqual(['from_lib']);
    await call('POST', `/projects/${project.id}/pipelines/${made.id}/cancel`);
    const stranger = await world.account();
    const own = await world.app.api<{ id: number }>('POST', '/projects', {
      token: stranger.token,
      json: { name: 'own' },
    });
    const content = `include: [{project: ${lib.path}, file: ci/jobs.yml}]\nmine: {script: [x]}\n`;
    const lint = await world.app.api<{ errors: string[] }>('POST', `/projects/${own.body.id}/ci/lint`, {
      token: stranger.token,
      json: { content },
    });
    expect(lint.body.errors.join()).toContain('not found or access denied!');
    expect(JSON.stringify(lint.body)).not.toContain('from_lib');
  });
});

describe('GET /job/allowed_agents', () => {
  it('[2/api.jobs/9] [2/api.jobs/10 Authorization, JOB-TOKEN, job_token] [2/api.jobs/11] [2/api.jobs/12 CI_JOB_TOKEN, JOB-TOKEN, job_token] tells the job of the token and its agents', async () => {
    const project = await world.project();
    const pipeline = await project.push('job: {script: [x]}');
    const job = await runner.next();
    for (const parts of [{ headers: { 'JOB-TOKEN': job.token } }, { query: { job_token: job.token } }]) {
      const answer = await world.app.api('GET', '/job/allowed_agents', parts);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          allowed_agents: [],
          job: { id: job.id },
          pipeline: { id: pipeline.id },
          project: { id: project.id, groups: [] },
          user: { id: world.owner.user.id, username: world.owner.user.username },
        },
      });
      expect((await world.app.api<Json>('GET', '/job', parts)).body.id).toBe(job.id);
    }
    const bearer = await world.app.api<Json>('GET', '/job', { headers: { Authorization: `Bearer ${job.token}` } });
    expect(bearer.body.id).toBe(job.id);
    expect((await world.app.api('GET', '/job/allowed_agents', { token: world.owner.token })).status).toBe(404);
    await runner.update(job, 'success');
  });
});
