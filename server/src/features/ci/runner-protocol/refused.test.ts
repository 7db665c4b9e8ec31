/** Jobs that fail when a runner asks for them, as nobody may run them there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { protocolRunner, startWorld, type World } from '../../../../test/ci.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const call = async <T = Record<string, unknown>>(method: 'POST' | 'PUT' | 'GET', path: string, json?: object) =>
  (await world.app.api<T>(method, path, { token: world.owner.token, ...(json && { json }) })).body;

it('fails with builds_disabled where CI/CD was switched off meanwhile', async () => {
  const project = await world.project();
  const runner_type = 'project_type';
  const { token } = await call<{ token: string }>('POST', '/user/runners', { runner_type, project_id: project.id });
  const own = protocolRunner(world.app, token);
  const pipeline = await project.push('a: {script: [x]}\nb: {stage: deploy, script: [x]}');
  await call('PUT', `/projects/${project.id}`, { builds_access_level: 'disabled' });
  // A runner of everybody leaves it alone.
  expect((await (await world.runner()).request()).status).toBe(204);
  expect((await own.request()).status).toBe(204);
  await call('PUT', `/projects/${project.id}`, { builds_access_level: 'enabled' });
  expect(await project.job(pipeline.id, 'a')).toMatchObject({ status: 'failed', failure_reason: 'builds_disabled' });
  expect(await project.statuses(pipeline.id)).toEqual({ a: 'failed', b: 'skipped' });
});

it('[3/fields.group/18] fails with ip_restriction_failure where the runner is outside of the networks of the group', async () => {
  const group = await call<{ id: number }>('POST', '/groups', { name: 'Kept', path: 'kept-to-networks' });
  const below = await call<{ id: number }>('POST', '/groups', { name: 'Below', path: 'below', parent_id: group.id });
  const project = await world.project({ namespace_id: below.id });
  const runner = await world.runner();
  const keep = (ranges: string) =>
    world.app.db.updateTable('namespaces').set({ ip_restriction_ranges: ranges }).where('id', '=', group.id).execute();
  const pipeline = await project.push('a: {script: [x]}\nb: {script: [x]}');
  await keep('10.0.0.0/8');
  expect((await runner.request()).status).toBe(204);
  await keep('127.0.0.0/8');
  const failed = { status: 'failed', failure_reason: 'ip_restriction_failure' };
  for (const name of ['a', 'b']) expect(await project.job(pipeline.id, name)).toMatchObject(failed);
  await project.push('c: {script: [x]}');
  expect((await runner.run()).job_info.name).toBe('c');
});
