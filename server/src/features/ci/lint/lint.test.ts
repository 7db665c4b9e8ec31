/** Lint of a project's configuration and of texts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildMember, buildProject } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Verdict {
  readonly valid: boolean;
  readonly errors: string[];
  readonly merged_yaml: string | null;
  readonly includes: Array<{ location: string; blob: string }>;
  readonly jobs?: Array<{ name: string }>;
  readonly inputs?: Array<Record<string, unknown>>;
  readonly variables?: Array<Record<string, unknown>>;
}

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  await project.commit('include: {local: ci/more.yml}\na: {script: [x], tags: [nobody]}', {
    files: { 'ci/more.yml': 'more: {script: [y], tags: [nobody]}' },
  });
});
afterAll(() => world.close());

const lint = (
  method: 'GET' | 'POST',
  parts: { query?: Record<string, unknown>; json?: unknown } = {},
  token: string | undefined = world.owner.token,
) => world.app.api<Verdict>(method, `/projects/${project.id}/ci/lint`, { token, ...parts });

describe('lint', () => {
  it('of the project merges what it includes', async () => {
    const got = await lint('GET', { query: { include_jobs: true } });
    expect(got).toMatchObject({ status: 200, body: { valid: true, errors: [], warnings: [] } });
    expect(got.body.merged_yaml).toContain('more:');
    expect(got.body.includes).toMatchObject([
      { type: 'local', location: 'ci/more.yml', context_project: project.path },
    ]);
    expect(got.body.jobs?.map((job) => job.name).sort()).toEqual(['a', 'more']);
    expect((await lint('GET', { query: { content_ref: 'none' } })).status).toBe(404);
  });

  it('of a text names file, line and reason', async () => {
    const bad = await lint('POST', { json: { content: 'a:\n  script: [x]\n  stage: nowhere\n' } });
    expect(bad).toMatchObject({ status: 200, body: { valid: false } });
    expect(bad.body.errors[0]).toMatch(/^\.gitlab-ci\.yml:\d+:\d+: .*nowhere/);
    const good = await lint('POST', {
      json: { content: 'include: {local: ci/more.yml}', dry_run: true, include_jobs: true },
    });
    expect(good).toMatchObject({ status: 200, body: { valid: true, jobs: [{ name: 'more', script: ['y'] }] } });
    expect((await lint('POST', { json: {} })).status).toBe(400);
  });

  it('a dry run tells that nothing would run', async () => {
    const content = 'a: {script: [x], rules: [{if: $CI_COMMIT_TAG}]}';
    expect((await lint('POST', { json: { content } })).body.valid).toBe(true);
    expect((await lint('POST', { json: { content, dry_run: true } })).body).toMatchObject({ valid: false });
  });

  it('[20/4] judges the configuration alone without a dry run: all jobs are in, stage by stage', async () => {
    const content =
      'test: {script: [x], needs: [build]}\n' +
      'build: {stage: build, script: [x], rules: [{if: $CI_MERGE_REQUEST_ID, when: manual}]}\n' +
      'old: {stage: .pre, script: [x], only: [schedules]}\nworkflow: {rules: [{if: $CI_MERGE_REQUEST_ID}]}\n';
    const found = await lint('POST', { json: { content, include_jobs: true } });
    expect(found.body).toMatchObject({
      ...{ valid: true, errors: [] },
      jobs: [{ name: 'old' }, { name: 'build', when: 'on_success' }, { name: 'test', needs: [{ name: 'build' }] }],
    });
    const dry = await lint('POST', { json: { content: content.replace(/workflow.*/, ''), dry_run: true } });
    expect(dry.body.errors).toEqual([expect.stringContaining("'test' job needs 'build' job")]);
  });

  it('takes `ref` of a dry run alone; an unknown one is among the errors', async () => {
    const content = 'a: {script: [x], rules: [{if: $CI_COMMIT_BRANCH == "main"}]}';
    for (const json of [
      { ref: '' },
      { ref: '', dry_run: true },
      { ref: 'nowhere' },
      { ref: 'nowhere', dry_run: false },
    ])
      expect(await lint('POST', { json: { content, ...json } })).toMatchObject({ status: 200, body: { valid: true } });
    const unknown = { status: 200, body: { valid: false, errors: ['Reference not found'], warnings: [] } };
    expect(await lint('POST', { json: { content, ref: 'nowhere', dry_run: true } })).toMatchObject(unknown);
    expect(await lint('GET', { query: { dry_run_ref: 'nowhere', dry_run: true } })).toMatchObject(unknown);
    expect(await lint('GET', { query: { ref: 'nowhere' } })).toMatchObject({ status: 200, body: { valid: true } });
    expect(await lint('GET', { query: { ref: '', content_ref: '' } })).toMatchObject({ body: { valid: true } });
  });

  it('checks a text for an empty repository, where nothing can be included', async () => {
    const empty = await buildProject(world.app, { owner: world.owner.user });
    const check = (json: Record<string, unknown>) =>
      world.app.api<Verdict>('POST', `/projects/${empty.id}/ci/lint`, { token: world.owner.token, json });
    const content = 'a: {script: [x], cache: {key: {files: [lock]}, paths: [x]}}';
    expect(await check({ content, ref: '' })).toMatchObject({ status: 200, body: { valid: true, errors: [] } });
    expect(await check({ content, dry_run: true, include_jobs: true })).toMatchObject({
      body: { valid: true, jobs: [{ name: 'a' }] },
    });
    const including = await check({ content: `include: {local: more.yml}\n${content}` });
    expect(including).toMatchObject({ status: 200, body: { valid: false } });
    expect(including.body.errors.join()).toContain('more.yml');
    const none = await world.app.api<Verdict>('GET', `/projects/${empty.id}/ci/lint`, { token: world.owner.token });
    expect(none.status).toBe(404);
  });

  it('[security 8] [security 11] needs a developer; neither fetches other hosts nor explodes', async () => {
    const reporter = await world.account();
    const row = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    await buildMember(world.app, { user: reporter.user, of: row, level: Level.reporter });
    const json = { content: 'a: {script: [x]}' };
    expect((await world.app.api('POST', `/projects/${project.id}/ci/lint`, { json })).status).toBe(401);
    expect((await lint('POST', { json }, reporter.token)).status).toBe(403);
    const remote = await lint('POST', {
      json: { content: 'include: {remote: "http://127.0.0.1:1/x.yml"}\na: {script: [x]}' },
    });
    expect(remote.body.valid).toBe(false);
    const bomb = `x: &a [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 9 }, (_, level) => `y${level}: &${'bcdefghij'[level]} [${Array(9).fill(`*${'abcdefghi'[level]}`).join(',')}]`).join('\n')}\n`;
    const before = process.cpuUsage();
    const exploded = await lint('POST', { json: { content: bomb } });
    expect(exploded.body.valid).toBe(false);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
  });

  it('[security 20] does not decide by what is secret', async () => {
    await world.app.api('POST', `/projects/${project.id}/variables`, {
      token: world.owner.token,
      json: { key: 'SECRET', value: 'lint-canary-value' },
    });
    const content = 'a: {script: [x]}\nb: {script: [x], rules: [{if: "$SECRET == \'lint-canary-value\'"}]}';
    const got = await lint('POST', { json: { content, dry_run: true, include_jobs: true } });
    expect(got.body.jobs?.map((job) => job.name)).toEqual(['a']);
  });

  it('takes values of inputs and tells which inputs there are', async () => {
    const content =
      'spec:\n  inputs:\n    env: {options: [a, b], description: Where}\n    n: {type: number, default: 1}\n---\n' +
      'job-$[[ inputs.env ]]: {script: [x]}\n';
    const missing = await lint('POST', { json: { content, include_inputs: true } });
    expect(missing.body).toMatchObject({
      valid: false,
      errors: ['.gitlab-ci.yml:3:5: `env` input: required value has not been provided'],
      inputs: [
        { name: 'env', type: 'string', description: 'Where', required: true, default: null, options: ['a', 'b'] },
        { name: 'n', type: 'number', description: null, required: false, default: 1, options: null, regex: null },
      ],
    });
    const good = await lint('POST', { json: { content, include_jobs: true, inputs: { env: 'b' } } });
    expect(good.body).toMatchObject({ valid: true, jobs: [{ name: 'job-b' }] });
    expect(good.body).not.toHaveProperty('inputs');
    const wrong = await lint('POST', { json: { content, inputs: { env: 'c' } } });
    expect(wrong.body.errors).toEqual([expect.stringContaining('not in the list of allowed options')]);
    expect((await lint('POST', { json: { content, inputs: ['env'] } })).status).toBe(400);
    await project.commit(content, { branch: 'inputs' });
    const query = { content_ref: 'inputs', 'inputs[env]': 'a', 'inputs[n]': '5', include_jobs: true };
    expect((await lint('GET', { query })).body).toMatchObject({ valid: true, jobs: [{ name: 'job-a' }] });
  });

  it('[20/4] tells which variables of the configuration have a description', async () => {
    const content =
      'variables:\n  PLAIN: x\n  NOTE: {description: Why}\n' +
      '  MODE: {value: fast, options: [fast, slow], description: How}\na: {script: [x]}\n';
    const { body } = await lint('POST', { json: { content, include_variables: true } });
    expect(body).toMatchObject({ valid: true });
    expect(body.variables).toEqual([
      { key: 'NOTE', value: '', description: 'Why', options: null },
      { key: 'MODE', value: 'fast', description: 'How', options: ['fast', 'slow'] },
    ]);
    expect((await lint('POST', { json: { content } })).body).not.toHaveProperty('variables');
  });

  it('[20/4] tells them before the inputs that are required have values, too', async () => {
    const content =
      'spec:\n  inputs:\n    place: {options: [here, there]}\n    times: {type: number}\n---\n' +
      'include: {local: none.yml, rules: [{if: $CI_COMMIT_TAG}]}\n' +
      'variables:\n  MODE: {value: fast, description: How}\n  PLACE: {value: "$[[ inputs.place ]]", description: Where}\n' +
      'a: {script: ["echo $[[ inputs.place ]] $[[ inputs.times ]]"]}\n';
    const mode = { key: 'MODE', value: 'fast', description: 'How', options: null };
    const variables = async (inputs: object) =>
      (await lint('POST', { json: { content, include_variables: true, inputs } })).body;
    expect(await variables({})).toMatchObject({
      valid: false,
      variables: [mode, { key: 'PLACE', value: '', description: 'Where', options: null }],
    });
    expect(await variables({ place: 'nowhere', times: 'often' })).toMatchObject({ variables: [mode, { value: '' }] });
    expect(await variables({ place: 'here', times: 2 })).toMatchObject({
      valid: true,
      variables: [mode, { key: 'PLACE', value: 'here' }],
    });
    const broken = { content: `${content}b: [`, include_variables: true };
    expect((await lint('POST', { json: broken })).body).toMatchObject({ valid: false, variables: [] });
  });
});
