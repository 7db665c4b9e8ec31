/** Resource groups: one job at a time, in the order that the group says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';

type Json = Record<string, unknown>;
let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'PUT' | 'POST', path: string, json?: object) =>
  world.app.api<T>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
const config = 'one: {script: [x], resource_group: prod}\ntwo: {script: [x], resource_group: prod}\n';

describe('a resource group', () => {
  it('lets one job run at a time, over all pipelines; the others wait for it', async () => {
    const project = await world.project();
    const { id } = await project.push(config);
    const path = `/projects/${project.id}/resource_groups/prod`;
    const first = await runner.next();
    expect((await runner.request()).status).toBe(204);
    expect(Object.values(await project.statuses(id)).sort()).toEqual(['running', 'waiting_for_resource']);
    expect((await call('GET', `${path}/current_job`)).body.id).toBe(first.id);
    const waiting = (await call<Json[]>('GET', `${path}/upcoming_jobs`)).body;
    expect(waiting.map(({ status }) => status)).toEqual(['waiting_for_resource']);
    expect((await call('GET', `/projects/${project.id}/jobs/${waiting[0]?.id}`)).body.waiting).toEqual({
      reason: 'resource_group',
      message: `Waiting for ${first.job_info.name} of pipeline #${id} in the resource group prod; next in line`,
      ...{ jobs_ahead: 0, runners_online: null },
    });
    await runner.update(first, 'success');
    const second = await runner.next();
    expect(second.id).toBe(waiting[0]?.id);
    await runner.update(second, 'success');
    await project.reaches(id, 'success');
    expect((await call('GET', `${path}/current_job`)).status).toBe(404);
    // A retry waits like all others.
    await call('POST', `/projects/${project.id}/jobs/${first.id}/retry`);
    await runner.run();
    await project.reaches(id, 'success');
  });

  it('is listed, and orders its jobs as it is told', async () => {
    const project = await world.project();
    const { id } = await project.push(config);
    const list = `/projects/${project.id}/resource_groups`;
    const group = {
      id: expect.any(Number),
      key: 'prod',
      process_mode: 'unordered',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect((await call('GET', list)).body).toEqual([group]);
    expect((await call('GET', `${list}/prod`)).body).toEqual(group);
    expect((await call('PUT', `${list}/prod`, { process_mode: 'other' })).status).toBe(400);
    const changed = await call('PUT', `${list}/prod`, { process_mode: 'newest_ready_first' });
    expect(changed.body).toEqual({ ...group, process_mode: 'newest_ready_first' });
    expect((await call('GET', `${list}/none`)).status).toBe(404);
    const first = await runner.next();
    const later = (await call('POST', `/projects/${project.id}/pipeline`, { ref: 'main' })).body.id as number;
    await eventually('both to wait', async () => {
      const statuses = Object.values(await project.statuses(later));
      return statuses.every((status) => status === 'waiting_for_resource');
    });
    await runner.update(first, 'success');
    const next = await runner.next();
    expect((await project.job(later, next.job_info.name)).id).toBe(next.id);
    await call('POST', `/projects/${project.id}/pipelines/${later}/cancel`);
    await call('POST', `/projects/${project.id}/pipelines/${id}/cancel`);
    const other = await world.account();
    expect((await world.app.api('GET', list, { token: other.token })).status).toBe(404);
  });

  it.each(['oldest_first', 'newest_first'])(
    'orders pipelines, and no jobs of one against each other: %s',
    async (mode) => {
      const project = await world.project();
      const empty = await project.push(config);
      await call('POST', `/projects/${project.id}/pipelines/${empty.id}/cancel`);
      const path = `/projects/${project.id}/resource_groups/prod`;
      expect((await call('PUT', path, { process_mode: mode })).body.process_mode).toBe(mode);
      // The stages are in the order that is not the one of the jobs, and each job waits for one of the same group.
      const staged = `
stages: [build, ship]
ship: {stage: ship, script: [x], resource_group: prod, needs: [build]}
build: {stage: build, script: [x], resource_group: prod}
last: {stage: ship, script: [x], resource_group: prod}
`;
      const { id } = await project.push(staged);
      expect((await runner.run()).job_info.name).toBe('build');
      await runner.run();
      await runner.run();
      await project.reaches(id, 'success');
    },
  );
});
