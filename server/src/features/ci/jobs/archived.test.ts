/** Jobs and pipelines that are too old to run again: they say so, and every start of them is refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobView, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let project: TestProject;
let pipelineId: number;

beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  pipelineId = (await project.push('by-hand: {script: [x], when: manual, allow_failure: false}\nrun: {script: [x]}\n'))
    .id;
  const runner = await world.runner();
  await runner.update(await runner.next(), 'failed');
});
afterAll(() => world.close());

const call = (method: 'GET' | 'POST', path: string) =>
  world.app.api<JobView & { archived: boolean; message: string }>(method, `/projects/${project.id}${path}`, {
    token: world.owner.token,
  });
const limit = async (age: string | null) => {
  const json = { archive_builds_in_human_readable: age ?? '' };
  const { status } = await world.app.api('PUT', '/application/settings', { token: world.admin.token, json });
  expect(status).toBe(200);
};

it('[3/api.application-settings/20] says so in the job, its lists and the pipeline, from the age of the setting on', async () => {
  const db = world.app.db;
  const jobs = await db.selectFrom('jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();
  const [manual, failed] = ['by-hand', 'run'].map((name) => jobs.find((job) => job.name === name)!.id);
  const shown = async () => ({
    job: (await call('GET', `/jobs/${failed}`)).body.archived,
    listed: ((await call('GET', '/jobs')).body as unknown as { archived: boolean }[]).map(({ archived }) => archived),
    pipeline: (await call('GET', `/pipelines/${pipelineId}`)).body.archived,
  });
  const recent = { job: false, listed: [false, false], pipeline: false };
  await limit('2 days');
  expect(await shown()).toEqual(recent);
  const old = new Date(Date.now() - 3 * 86_400_000);
  await db.updateTable('jobs').set({ created_at: old }).where('pipeline_id', '=', pipelineId).execute();
  await db.updateTable('pipelines').set({ created_at: old }).where('id', '=', pipelineId).execute();
  expect(await shown()).toEqual({ job: true, listed: [true, true], pipeline: true });
  expect((await call('POST', `/jobs/${failed}/retry`)).status).toBe(403);
  expect((await call('POST', `/pipelines/${pipelineId}/retry`)).status).toBe(403);
  expect((await call('POST', `/jobs/${manual}/play`)).body.message).toBe('400 Bad request - Unplayable Job');
  await limit(null);
  expect(await shown()).toEqual(recent);
  expect((await call('POST', `/jobs/${manual}/play`)).status).toBe(200);
});
