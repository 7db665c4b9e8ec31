/** What hooks are told of deployments. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';

type Json = Record<string, unknown>;
let world: World;
let receiver: Receiver;
let project: TestProject;
let projectId: number;
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  project = await world.project();
  projectId = project.id;
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = <T = Json>(method: 'POST' | 'PUT', path: string, json: object) =>
  world.app.api<T>(method, path, { token: world.owner.token, json });
const payloadOf = (received: Received) => JSON.parse(received.text) as Json;
const heard = (what: string, wanted: (payload: Json) => boolean) =>
  eventually(what, async () => receiver.received.find((each) => wanted(payloadOf(each))));

it('a deployment is told as it begins and ends, with its environment and its job', async () => {
  const hook = { url: `${receiver.url}/in`, push_events: false, deployment_events: true };
  expect((await call('POST', `/projects/${projectId}/hooks`, hook)).status).toBe(201);
  const sha = await project.commit(null, { message: 'Deployed', files: { 'd.txt': 'd' } });
  const given = { environment: 'live', sha, ref: 'main', tag: false, status: 'running' };
  const { id } = (await call(`POST`, `/projects/${projectId}/deployments`, given)).body;
  await call('PUT', `/projects/${projectId}/deployments/${id}`, { status: 'success' });
  const told = await heard('the end', (payload) => payload.status === 'success');
  expect(told.headers['x-gitlab-event']).toBe('Deployment Hook');
  expect(payloadOf(told)).toMatchObject({
    object_kind: 'deployment',
    deployment_id: id,
    deployable_id: null,
    deployable_url: null,
    environment: 'live',
    environment_tier: 'production',
    environment_slug: 'live',
    project: { id: projectId },
    ref: 'main',
    short_sha: sha.slice(0, 8),
    user: { username: world.owner.user.username },
    commit_title: 'Deployed',
  });
  await heard('the beginning', (payload) => payload.status === 'running');
});
