/** What jobs get beside variables: ID tokens that others can check, requests for secrets, inputs, steps. */
import { createPublicKey, createVerify, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';

let world: World;
let runner: ProtocolRunner & { id: number };
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
});
afterAll(() => world.close());

const valueIn = (job: JobPayload, key: string) => job.variables.findLast((item) => item.key === key);

/** The claims of a token, its signature checked with what the instance publishes. */
async function claimsOf(token: string): Promise<Record<string, unknown>> {
  const discovery = await world.app.request<{ issuer: string; jwks_uri: string }>(
    'GET',
    '/.well-known/openid-configuration',
  );
  expect(discovery.body.issuer).toBe(world.app.url);
  const address = discovery.body.jwks_uri.slice(world.app.url.length);
  const { body } = await world.app.request<{ keys: Array<JsonWebKey & { kid: string }> }>('GET', address);
  const [head = '', content = '', signature = ''] = token.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string; kid: string };
  const jwk = body.keys.find((key) => key.kid === kid);
  expect([alg, body.keys.every((key) => key.d === undefined)]).toEqual(['RS256', true]);
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  expect(createVerify('RSA-SHA256').update(`${head}.${content}`).verify(key, signature, 'base64url')).toBe(true);
  return JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<string, unknown>;
}

describe('ID tokens', () => {
  it('[security 21] say who the job is, are signed, and are masked in logs', async () => {
    await project.push(`
job:
  script: x
  environment: production
  variables: {WHERE: vault}
  id_tokens:
    ONE: {aud: "https://$WHERE.example"}
    MANY: {aud: [a, b]}`);
    const job = await runner.next();
    expect(valueIn(job, 'ONE')).toMatchObject({ masked: true, public: false, raw: true });
    const claims = await claimsOf(valueIn(job, 'ONE')?.value ?? '');
    const { user } = world.owner;
    expect(claims).toMatchObject({
      iss: world.app.url,
      aud: 'https://vault.example',
      sub: `project_path:${project.path}:ref_type:branch:ref:main`,
      project_id: String(project.id),
      project_path: project.path,
      user_id: String(user.id),
      user_login: user.username,
      user_access_level: 'owner',
      job_id: String(job.id),
      pipeline_source: 'push',
      ref: 'main',
      ref_type: 'branch',
      ref_path: 'refs/heads/main',
      ref_protected: 'true',
      environment: 'production',
      environment_protected: 'false',
      deployment_tier: 'production',
      runner_id: runner.id,
      ci_config_ref_uri: `${new URL(world.app.url).host}/${project.path}//.gitlab-ci.yml@refs/heads/main`,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
    const many = await claimsOf(valueIn(job, 'MANY')?.value ?? '');
    expect(many.aud).toEqual(['a', 'b']);
    expect(many.jti).not.toBe(claims.jti);
    await runner.update(job, 'success');
  });

  it('[20/4] of a merge request say where it comes from, and who its user is elsewhere where they want that', async () => {
    const { token, user } = world.owner;
    const api = (method: 'POST' | 'PUT', path: string, json: object) =>
      world.app.api<{ id: number }>(method, path, { token, json });
    await world.app.db
      .insertInto('identities')
      .values({ user_id: user.id, provider: 'github', extern_uid: '99' })
      .execute();
    await api('PUT', '/user/preferences', { pass_user_identities_to_ci_jwt: true });
    const target = await world.project();
    await target.commit('job: {script: x, id_tokens: {T: {aud: x}}, rules: [{if: $CI_MERGE_REQUEST_IID}]}');
    const name = unique('fork');
    const { id } = (await api('POST', `/projects/${target.id}/fork`, { name, path: name })).body;
    await eventually('the fork', async () => {
      const { body } = await world.app.api<{ import_status: string }>('GET', `/projects/${id}`, { token });
      return body.import_status === 'finished';
    });
    const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
    const more = { branch: 'topic', start_branch: 'main', commit_message: 'Dredge', actions };
    await api('POST', `/projects/${id}/repository/commits`, more);
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Dredge', target_project_id: target.id };
    await api('POST', `/projects/${id}/merge_requests`, json);
    const first = await runner.run();
    expect(first.job_info.project_id).toBe(id);
    await api('POST', `/projects/${target.id}/merge_requests/1/pipelines`, {});
    const job = await runner.next();
    const claims = await claimsOf(valueIn(job, 'T')?.value ?? '');
    const path = `${user.username}/${name}`;
    expect(claims).toMatchObject({
      ...{ project_id: String(id), project_path: path, job_project_path: target.path, user_access_level: 'owner' },
      ...{ ref: 'topic', ref_type: 'branch', ref_path: 'refs/heads/topic', pipeline_source: 'merge_request_event' },
      sub: `project_path:${path}:ref_type:branch:ref:topic`,
      user_identities: [{ provider: 'github', extern_uid: '99' }],
    });
    await runner.update(job, 'success');
  });

  it('have the subject that the project chose', async () => {
    const other = await world.project();
    const json = { ci_id_token_sub_claim_components: ['project_path', 'ref_path'] };
    await world.app.api('PUT', `/projects/${other.id}`, { token: world.owner.token, json });
    await other.push('job: {script: x, id_tokens: {T: {aud: x}}}');
    const job = await runner.next();
    const claims = await claimsOf(valueIn(job, 'T')?.value ?? '');
    expect(claims.sub).toBe(`project_path:${other.path}:ref_path:refs/heads/main`);
    await runner.update(job, 'success');
  });
});

it('secrets are requests to a store, which only runners get that can make them', async () => {
  const config = `
job:
  script: x
  variables: {VAULT_SERVER_URL: "https://vault.example", VAULT_AUTH_ROLE: reader, AWS_REGION: eu}
  id_tokens: {VAULT: {aud: x}}
  secrets:
    PASSWORD: {vault: production/db/password@ops, file: false}
    OTHER: {aws_secrets_manager: {secret_id: n}}
unknown:
  script: x
  stage: deploy
  id_tokens: {AZURE: {aud: x}}
  secrets: {KEY: {azure_key_vault: {name: n}}}`;
  const pipeline = await project.push(config);
  expect((await runner.request()).status).toBe(204);
  expect(await project.job(pipeline.id, 'job')).toMatchObject({
    status: 'failed',
    failure_reason: 'runner_unsupported',
  });
  await world.app.api('POST', `/projects/${project.id}/pipelines/${pipeline.id}/retry`, { token: world.owner.token });
  const info = { executor: 'docker', features: { vault_secrets: true } };
  const job = JSON.parse((await runner.request('', { info })).text) as JobPayload;
  const jwt = valueIn(job, 'VAULT')?.value;
  expect(job.secrets).toEqual({
    PASSWORD: {
      vault: {
        server: {
          url: 'https://vault.example',
          namespace: '',
          auth: { name: 'jwt', path: 'jwt', data: { jwt, role: 'reader' } },
        },
        engine: { name: 'kv-v2', path: 'ops' },
        path: 'production/db',
        field: 'password',
      },
      file: false,
    },
    OTHER: {
      aws_secrets_manager: {
        secret_id: 'n',
        server: { region: 'eu', role_arn: '', role_session_name: '', jwt },
      },
      file: true,
    },
  });
  await runner.update(job, 'success');
  // Nobody said where that store is.
  expect((await runner.request('', { info })).status).toBe(204);
  expect(await project.job(pipeline.id, 'unknown')).toMatchObject({ failure_reason: 'secrets_provider_not_found' });
});

it('inputs are given when a job is played or retried, and questions are shown before', async () => {
  const config = `
deploy:
  script: echo \${{ job.inputs.where }}
  when: manual
  manual_confirmation: Really?
  inputs:
    where: {default: staging, options: [staging, production]}
    times: {type: number, default: 1}`;
  const { id } = await project.push(config);
  const job = await project.job(id, 'deploy');
  expect(job).toMatchObject({
    manual_confirmation: 'Really?',
    inputs: [
      { name: 'where', type: 'string', options: ['staging', 'production'], value: 'staging' },
      { name: 'times', type: 'number', options: null, value: 1 },
    ],
  });
  const act = (jobId: number, action: string, inputs: object) =>
    world.app.api<{ id: number }>('POST', `/projects/${project.id}/jobs/${jobId}/${action}`, {
      token: world.owner.token,
      json: { job_inputs: inputs },
    });
  const refused = await act(job.id, 'play', { where: 'moon' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('not in the list of allowed options'),
  ]);
  expect((await act(job.id, 'play', { other: 1 })).status).toBe(400);
  expect((await act(job.id, 'play', { where: 'production' })).status).toBe(200);
  const info = { executor: 'shell', features: { job_inputs: true } };
  const next = async () => JSON.parse((await runner.request('', { info })).text) as JobPayload;
  const first = await next();
  const value = (type: string, content: unknown) => ({ type, content, sensitive: false });
  expect(first.inputs).toEqual([
    { key: 'where', value: value('string', 'production') },
    { key: 'times', value: value('number', 1) },
  ]);
  await runner.update(first, 'success');
  const again = await act(job.id, 'retry', { times: 3 });
  expect(again.status).toBe(201);
  expect((await next()).inputs).toEqual([
    { key: 'where', value: value('string', 'production') },
    { key: 'times', value: value('number', 3) },
  ]);
  await runner.update({ ...first, id: again.body.id, token: first.token }, 'success');
});

it('steps of `run` go to the runner as they are; functions only to one that fetches them', async () => {
  const { id } = await project.push(`
a: {run: [{name: one, script: echo hi, env: {N: 1}}]}
b: {run: [{name: two, step: example.com/step@v1}]}`);
  const job = await runner.next();
  expect([JSON.parse(String(job.run)), job.steps]).toEqual([[{ name: 'one', script: 'echo hi', env: { N: '1' } }], []]);
  await runner.update(job, 'success');
  expect((await runner.request()).status).toBe(204);
  expect(await project.job(id, 'b')).toMatchObject({ failure_reason: 'runner_unsupported' });
});

it('rules ask for files in other projects, and compare with refs that exist', async () => {
  const other = await world.project();
  await other.commit(null, { files: { Dockerfile: 'x' } });
  const rule = (path: string) => `job: {script: x, rules: [{exists: {paths: [${path}], project: ${other.path}}}]}`;
  const { id } = await project.push(rule('Dockerfile'));
  await runner.run();
  expect(await project.statuses(id)).toEqual({ job: 'success' });
  const lint = await world.app.api<{ errors: string[] }>('POST', `/projects/${project.id}/ci/lint`, {
    token: world.owner.token,
    json: { content: rule('Dockerfile').replace(other.path, 'no/such'), dry_run: true },
  });
  expect(lint.body.errors).toEqual([
    '.gitlab-ci.yml:1:26: Failed to parse rule for job: rules:exists:project `no/such` or its ref does not exist, or access is denied',
  ]);
  const broken = await project.push('job: {script: x, rules: [{changes: {paths: [a], compare_to: gone}}]}');
  expect(broken).toMatchObject({
    status: 'failed',
    yaml_errors: '.gitlab-ci.yml:1:26: Failed to parse rule for job: rules:changes:compare_to is not a valid ref',
  });
});
