/** The service that administrators let decide about new pipelines, on loopback. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';

let world: World;
let service: Receiver;
let project: Awaited<ReturnType<World['project']>>;
beforeAll(async () => {
  world = await startWorld();
  service = await startReceiver();
  project = await world.project();
  await project.commit(null, {
    message: 'x [skip ci]',
    files: {
      '.gitlab-ci.yml':
        'build: {stage: build, image: "alpine:3", services: [redis], before_script: [a], script: [b], after_script: [c]}\n',
    },
  });
  await settings({
    external_pipeline_validation_service_url: `${service.url}/validate`,
    external_pipeline_validation_service_token: 'between-us',
  });
});
afterAll(async () => {
  await service.close();
  await world.close();
});
beforeEach(() => {
  service.received.length = 0;
  service.answer = { status: 200 };
});

const settings = async (json: object) =>
  expect((await world.app.api('PUT', '/application/settings', { token: world.admin.token, json })).status).toBe(200);
const start = () =>
  world.app.api<Record<string, unknown>>('POST', `/projects/${project.id}/pipeline`, {
    token: world.owner.token,
    json: { ref: 'main' },
  });

it('[3/api.application-settings/27 external_pipeline_validation_service_url, external_pipeline_validation_service_token] is sent what the pipeline would do', async () => {
  const made = await start();
  expect(made.status).toBe(201);
  expect(service.received).toHaveLength(1);
  const [{ method, path, headers, text } = { method: '', path: '', headers: {}, text: '{}' }] = service.received;
  expect([method, path, headers['x-gitlab-token'], headers['content-type']]).toEqual([
    'POST',
    '/validate',
    'between-us',
    'application/json',
  ]);
  const { user } = world.owner;
  expect(JSON.parse(text)).toMatchObject({
    total_builds_count: 1,
    project: { id: project.id, path: expect.stringContaining('/') },
    user: { id: user.id, username: user.username, email: user.email },
    pipeline: { sha: made.body.sha, ref: 'main', type: 'api' },
    builds: [{ name: 'build', stage: 'build', image: 'alpine:3', services: ['redis'], script: ['a', 'b', 'c'] }],
  });
});

it('406 refuses the pipeline: requests get the reason, pushes a failed pipeline without jobs', async () => {
  service.answer = { status: 406 };
  expect(await start()).toMatchObject({ status: 400, body: { message: { base: ['External validation failed'] } } });
  const { id } = await project.push('build: {script: [x]}');
  const pipeline = await project.pipeline(id);
  expect(pipeline).toMatchObject({ status: 'failed' });
  const row = await world.app.db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(row.failure_reason).toBe('external_validation_failure');
  const jobs = await world.app.db.selectFrom('jobs').select('id').where('pipeline_id', '=', id).execute();
  expect(jobs).toEqual([]);
});

it.each([400, 500, 302, 0])('no verdict (status %i) lets it pass', async (status) => {
  service.answer = { status };
  expect((await start()).status).toBe(201);
});

it('[3/api.application-settings/27 external_pipeline_validation_service_timeout] waits no longer than it may, and asks nobody without an address', async () => {
  service.answer = { status: -1 };
  await settings({ external_pipeline_validation_service_timeout: 1 });
  expect((await start()).status).toBe(201);
  expect(service.received).toHaveLength(1);
  await settings({ external_pipeline_validation_service_url: null });
  expect((await start()).status).toBe(201);
  expect(service.received).toHaveLength(1);
});
