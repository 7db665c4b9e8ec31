/** Who looks at environments or schedules hears of what others change. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let project: TestProject;
let heard = 0;
let stop: () => void;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  stop = world.app.live.subscribe([`project:${project.id}:pipelines`], () => heard++);
});
afterAll(async () => {
  stop();
  await world.close();
});

/** Calls, and waits until it is heard. */
async function told(method: 'POST' | 'PUT' | 'DELETE', path: string, json?: object): Promise<{ id: number }> {
  const before = heard;
  const { status, body } = await world.app.api<{ id: number }>(method, `/projects/${project.id}/${path}`, {
    token: world.owner.token,
    ...(json && { json }),
  });
  expect([path, status < 300]).toEqual([path, true]);
  await expect.poll(() => heard).toBeGreaterThan(before);
  return body;
}

it('environments that are made, changed, stopped and deleted', async () => {
  const { id } = await told('POST', 'environments', { name: 'quay' });
  await told('PUT', `environments/${id}`, { description: 'At the water' });
  await told('POST', `environments/${id}/stop`);
  await told('DELETE', `environments/${id}`);
});

it('schedules that are made, changed and deleted', async () => {
  const { id } = await told('POST', 'pipeline_schedules', { description: 'Ebb', ref: 'main', cron: '0 5 * * *' });
  await told('PUT', `pipeline_schedules/${id}`, { description: 'Flood' });
  await told('DELETE', `pipeline_schedules/${id}`);
});
