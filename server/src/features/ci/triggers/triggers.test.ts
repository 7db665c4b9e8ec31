/** Trigger tokens, and the pipelines that they and tokens of jobs start. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let world: World;
let maintainer: Account;
let developer: Account;
let project: TestProject;
let runner: ProtocolRunner;
const config = 'job: {script: [x]}';

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  [maintainer, developer] = [await world.account(), await world.account()];
  project = await world.project();
  await project.commit(config, { message: 'Add CI [skip ci]' });
  await member(project, maintainer, Level.maintainer);
  await member(project, developer, Level.developer);
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, who: Account | null, json?: object) =>
  world.app.api<T>(method, path, { token: who?.token, ...(json ? { json } : {}) });
const member = async (of: TestProject, who: Account, level: number) => {
  const json = { user_id: who.user.id, access_level: level };
  expect((await call('POST', `/projects/${of.id}/members`, world.owner, json)).status).toBe(201);
};
const at = (of: TestProject = project) => `/projects/${of.id}/triggers`;
const trigger = async (who: Account = world.owner, of: TestProject = project) =>
  (await call<{ id: number; token: string }>('POST', at(of), who, { description: 'Deploys' })).body;
const start = (json: Json, of: TestProject = project) =>
  call('POST', `/projects/${of.id}/trigger/pipeline`, null, json);
const variablesOf = (job: JobPayload) => Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));

describe('trigger tokens', () => {
  it('[2/api.pipeline-trigger-tokens/1] [2/api.pipeline-trigger-tokens/2] [2/api.pipeline-trigger-tokens/3] [2/api.pipeline-trigger-tokens/4] [2/api.pipeline-trigger-tokens/5] [2/fields.pipeline-trigger-token/1 id, description, created_at, updated_at, last_used, token, owner] security 21: are whole for who created them and shortened for others', async () => {
    const made = await call('POST', at(), maintainer, { description: 'my trigger' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      token: expect.stringMatching(/^glptt-[\w-]{20,}$/),
      description: 'my trigger',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_used: null,
      owner: expect.objectContaining({ id: maintainer.user.id, username: maintainer.user.username }),
    });
    const { id, token } = made.body as { id: number; token: string };
    const path = `${at()}/${id}`;
    const short = token.slice('glptt-'.length, 'glptt-'.length + 4);
    expect((await call('GET', path, maintainer)).body).toEqual(made.body);
    expect((await call('GET', path, world.owner)).body).toEqual({ ...made.body, token: short });
    const listed = async (who: Account) =>
      (await call<Json[]>('GET', at(), who)).body.find((each) => each.id === id)?.token;
    expect([await listed(maintainer), await listed(world.owner)]).toEqual([token, short]);
    const changed = await call('PUT', path, maintainer, { description: 'other' });
    expect(changed).toMatchObject({ status: 200, body: { description: 'other', token } });
    expect((await call('PUT', path, maintainer, {})).body.description).toBe('other');
    expect(await call('PUT', path, world.owner, { description: 'x' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - The current user is not authorized to update the pipeline trigger token' },
    });
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect((await call(method, path, developer, method === 'PUT' ? {} : undefined)).status).toBe(403);
    expect((await call('POST', at(), developer, { description: 'x' })).status).toBe(403);
    expect((await call('GET', at(), null)).status).toBe(401);
    expect(await call('POST', at(), maintainer, {})).toMatchObject({
      status: 400,
      body: { error: 'description is missing' },
    });
    expect((await call('DELETE', path, world.owner)).status).toBe(204);
    expect(await call('GET', path, maintainer)).toMatchObject({
      status: 404,
      body: { message: '404 Trigger Not Found' },
    });
    expect((await start({ ref: 'main', token })).status).toBe(404);
    const rows = await world.app.db.selectFrom('pipeline_triggers').selectAll().execute();
    expect(rows.map((row) => row.token_sealed.toString('latin1')).join()).not.toContain('glptt-');
  });
});

describe('a pipeline of a trigger token', () => {
  it('[2/api.pipeline-trigger-tokens/6 ref, token, variables, variables[NAME]=<value>] [2/fields.pipeline/5] [2/fields.pipeline/3 id, iid, project_id, sha, ref, status, created, source, trigger, created_at, updated_at, web_url, before_sha, tag, yaml_errors, user, started_at, finished_at, committed_at, duration, queued_duration, coverage, detailed_status, icon, text, label, group, tooltip, has_details, details_path, illustration, favicon] security 19: runs as the owner of the token', async () => {
    const { id, token } = await trigger(maintainer);
    const form = new URLSearchParams({ ref: 'main', token, 'variables[RUN_NIGHTLY]': 'true' });
    const made = await world.app.api<Json>('POST', `/projects/${encodeURIComponent(project.path)}/trigger/pipeline`, {
      raw: form.toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.any(Number),
      iid: expect.any(Number),
      project_id: project.id,
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      ref: 'main',
      status: 'created',
      source: 'trigger',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      web_url: `${world.app.url}/${project.path}/-/pipelines/${made.body.id}`,
      before_sha: '0'.repeat(40),
      tag: false,
      yaml_errors: null,
      user: { id: maintainer.user.id },
      started_at: null,
      finished_at: null,
      committed_at: null,
      duration: null,
      queued_duration: null,
      coverage: null,
      detailed_status: {
        icon: expect.any(String),
        text: expect.any(String),
        label: expect.any(String),
        group: expect.any(String),
        tooltip: expect.any(String),
        has_details: true,
        details_path: `/${project.path}/-/pipelines/${made.body.id}`,
        illustration: null,
        favicon: expect.any(String),
      },
    });
    const job = await runner.run();
    expect(variablesOf(job)).toMatchObject({
      RUN_NIGHTLY: 'true',
      CI_PIPELINE_SOURCE: 'trigger',
      CI_PIPELINE_TRIGGERED: 'true',
      CI_TRIGGER_SHORT_TOKEN: token.slice(6, 10),
    });
    expect(JSON.stringify(job)).not.toContain(token);
    expect((await call('GET', `${at()}/${id}`, maintainer)).body.last_used).toEqual(expect.any(String));
  });

  it('is started by webhooks of others, whose body jobs get as a file without the token', async () => {
    const { token } = await trigger();
    const made = await world.app.api<Json>('POST', `/projects/${project.id}/ref/main/trigger/pipeline`, {
      query: { token, 'variables[FROM]': 'hook' },
      json: { ref: 'refs/heads/other', commits: [{ id: 'abc' }], user: 'jane' },
    });
    expect(made).toMatchObject({ status: 201, body: { ref: 'main', source: 'trigger' } });
    const job = await runner.run();
    const payload = job.variables.find(({ key }) => key === 'TRIGGER_PAYLOAD') as unknown as Json;
    expect(payload).toMatchObject({ file: true });
    expect(JSON.parse(payload.value as string)).toMatchObject({
      ref: 'main',
      commits: [{ id: 'abc' }],
      user: 'jane',
      variables: { FROM: 'hook' },
    });
    expect(payload.value).not.toContain(token);
    const again = await world.app.api<Json>('POST', `/projects/${project.id}/ref/main/trigger/pipeline`, {
      query: { token },
      headers: { 'X-Gitlab-Event': 'Pipeline Hook' },
    });
    expect(again.status).toBe(403);
  });

  it('takes inputs; [skip ci] in the commit does not stop it', async () => {
    const place = await world.project();
    await place.commit('spec:\n  inputs:\n    name: {}\n---\n"job $[[ inputs.name ]]": {script: [x]}\n');
    const { token } = await trigger(world.owner, place);
    const made = await start({ ref: 'main', token, inputs: { name: 'blue' } }, place);
    expect(Object.keys(await place.statuses(made.body.id as number))).toEqual(['job blue']);
    expect((await start({ ref: 'main', token }, place)).status).toBe(400);
    await runner.run();
  });

  it('is refused with a reason', async () => {
    const { token } = await trigger();
    const base = (reason: string) => ({ status: 400, body: { message: { base: [reason] } } });
    expect(await start({ ref: 'absent', token })).toMatchObject(base('Reference not found'));
    const { id } = project;
    for (const [kind, name] of [
      ['branches', 'branch'],
      ['tags', 'tag_name'],
    ] as const)
      await world.app.api('POST', `/projects/${id}/repository/${kind}`, {
        token: world.owner.token,
        json: { [name]: 'twin', ref: 'main' },
      });
    expect(await start({ ref: 'twin', token })).toMatchObject(base('Ref is ambiguous'));
    expect(await start({ token })).toMatchObject({ status: 400, body: { error: 'ref is missing' } });
    expect(await start({ ref: 'main' })).toMatchObject({ status: 400, body: { error: 'token is missing' } });
    const missing = { status: 404, body: { message: '404 Not Found' } };
    expect(await start({ ref: 'main', token: 'glptt-none' })).toMatchObject(missing);
    expect(await start({ ref: 'main', token }, await world.project())).toMatchObject(missing);
    expect(await start({ ref: 'main', token, variables: { A: ['1'] } })).toMatchObject({
      status: 400,
      body: { message: 'variables needs to be a map of key-valued strings' },
    });
    expect((await start({ ref: 'main', token, variables: { 'A-B': '1' } })).status).toBe(400);
    const leaver = await world.account();
    await member(project, leaver, Level.maintainer);
    const theirs = await trigger(leaver);
    await call('DELETE', `/projects/${project.id}/members/${leaver.user.id}`, world.owner);
    expect(await start({ ref: 'main', token: theirs.token })).toMatchObject(
      base('Insufficient permissions to create a new pipeline'),
    );
  });
});

describe('a pipeline of a job token', () => {
  it('[2/api.pipeline-trigger-tokens/7] is linked to the job that started it; one of a trigger token used in a job is not', async () => {
    const other = await world.project();
    await other.commit(config);
    await call('POST', `/projects/${other.id}/job_token_scope/allowlist`, world.owner, {
      target_project_id: project.id,
    });
    const upstream = (await call('POST', `/projects/${project.id}/pipeline`, world.owner, { ref: 'main' })).body;
    const jobs = async () => [await runner.next(), await runner.next()];
    const job = (await jobs()).find((each) => each.job_info.project_id === project.id) as JobPayload;
    const linked = await start({ ref: 'main', token: job.token, variables: { A: '1' } }, other);
    expect(linked).toMatchObject({ status: 201, body: { source: 'pipeline', user: { id: world.owner.user.id } } });
    const rows = await world.app.db.selectFrom('pipeline_sources').selectAll().execute();
    expect(rows).toEqual([
      {
        pipeline_id: linked.body.id,
        source_job_id: job.id,
        source_pipeline_id: upstream.id,
        source_project_id: project.id,
      },
    ]);
    const { token } = await trigger(world.owner, other);
    expect(await start({ ref: 'main', token }, other)).toMatchObject({ status: 201, body: { source: 'trigger' } });
    expect(await world.app.db.selectFrom('pipeline_sources').selectAll().execute()).toHaveLength(1);
    // A token ends with its job.
    await runner.update(job, 'success');
    expect(await start({ ref: 'main', token: job.token }, other)).toMatchObject({
      status: 401,
      body: { message: 'Job is not running' },
    });
    // Elsewhere it reaches nothing.
    const closed = await world.project();
    await closed.commit(config);
    const again = (await call('POST', `/projects/${project.id}/pipeline`, world.owner, { ref: 'main' })).body;
    expect(again.id).toEqual(expect.any(Number));
    let next = await runner.next();
    while (next.job_info.project_id !== project.id) next = await runner.next();
    expect((await start({ ref: 'main', token: next.token }, closed)).status).toBe(404);
  });
});
