/** The built-in runner stays, and jobs that no runner can take say so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp } from '../../../../test/app.ts';
import { type JobView, protocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
import { builtInRunnerToken, ensureBuiltInRunner } from './built-in.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const refusal = {
  status: 403,
  body: { message: '403 Forbidden - the built-in runner belongs to the instance: pause it instead' },
};

it('security 24: nobody takes the built-in runner away, by its id or its token, nor its token', async () => {
  const app = await startTestApp({ environment: { MILLRACE_RUNNER: 'shell' } });
  try {
    const { secret: token } = await buildToken(app, { user: await buildAdmin(app) });
    const { id } = await ensureBuiltInRunner(app.db, app.kernels.secrets);
    const own = builtInRunnerToken(app.kernels.secrets);
    expect(await app.api('DELETE', `/runners/${id}`, { token })).toMatchObject(refusal);
    expect(await app.api('POST', `/runners/${id}/reset_authentication_token`, { token })).toMatchObject(refusal);
    expect(await app.api('DELETE', '/runners', { json: { token: own } })).toMatchObject(refusal);
    expect(await app.api('POST', '/runners/reset_authentication_token', { json: { token: own } })).toMatchObject(
      refusal,
    );
    expect((await app.api('PUT', `/runners/${id}`, { token, json: { paused: true } })).body).toMatchObject({
      paused: true,
    });
    expect((await app.api('POST', '/runners/verify', { json: { token: own } })).status).toBe(200);
    // Pages know before they offer it.
    type Shown = { id: number; details?: Record<string, unknown> };
    const query = { with_details: 'true' };
    expect((await app.api<Shown[]>('GET', '/runners/all', { token, query })).body).toMatchObject([
      { id, details: { built_in: true } },
    ]);
    expect((await app.api<Shown>('GET', `/runners/${id}`, { token, query })).body.details).toEqual({ built_in: true });
    expect((await app.api<Shown>('GET', `/runners/${id}`, { token })).body).not.toHaveProperty('details');
  } finally {
    await app.close();
  }
});

it('the built-in runner is told where the refs are that it would fetch, and no other runner is', async () => {
  const project = await world.project();
  const { id, sha } = await project.push('one: {script: [x]}\ntwo: {script: [x]}');
  await ensureBuiltInRunner(world.app.db, world.app.kernels.secrets);
  const gitInfo = async (runner: ReturnType<typeof protocolRunner>) =>
    (await runner.run()).git_info as { refs?: Record<string, string> };
  const own = protocolRunner(world.app, builtInRunnerToken(world.app.kernels.secrets));
  // Without a runner that isolates jobs it takes those of administrators alone.
  const { db } = world.app;
  await db.updateTable('projects').set({ creator_id: world.admin.user.id }).where('id', '=', project.id).execute();
  const mine = db.updateTable('jobs').set({ user_id: world.admin.user.id });
  await mine.where('project_id', '=', project.id).execute();
  expect((await gitInfo(own)).refs).toEqual({ [`refs/pipelines/${id}`]: sha, 'refs/remotes/origin/main': sha });
  expect(await gitInfo(await world.runner())).not.toHaveProperty('refs');
});

it('where the instance has none any more, what is left of it can be deleted', async () => {
  const { id } = await ensureBuiltInRunner(world.app.db, world.app.kernels.secrets);
  const query = { with_details: 'true' };
  const shown = await world.app.api<Record<string, unknown>>('GET', `/runners/${id}`, {
    token: world.admin.token,
    query,
  });
  expect(shown.body).toMatchObject({ details: { built_in: false } });
  expect((await world.app.api('DELETE', `/runners/${id}`, { token: world.admin.token })).status).toBe(204);
});

it('a pending job says whether there is a runner for it', async () => {
  const project = await world.project();
  const { id } = await project.push('deploy: {script: [x], tags: [special]}');
  const job = await project.job(id, 'deploy');
  expect(job).not.toHaveProperty('stuck');
  const stuck = async () =>
    (await world.app.api<JobView>('GET', `/projects/${project.id}/jobs/${job.id}`, { token: world.owner.token })).body
      .stuck;
  expect(await stuck()).toBe(true);
  const made = await world.app.api<{ id: number; token: string }>('POST', '/user/runners', {
    token: world.admin.token,
    json: { runner_type: 'instance_type', tag_list: ['special'], paused: true },
  });
  const runner = protocolRunner(world.app, made.body.token);
  const pause = async (paused: boolean) =>
    expect(
      (await world.app.api('PUT', `/runners/${made.body.id}`, { token: world.admin.token, json: { paused } })).status,
    ).toBe(200);
  await pause(false);
  // It has never called.
  expect(await stuck()).toBe(true);
  await pause(true);
  expect((await runner.request()).status).toBe(204);
  expect(await stuck()).toBe(true);
  await pause(false);
  expect(await stuck()).toBe(false);
  await runner.run();
  expect(await stuck()).toBeUndefined();
});
