/** Pipelines that are as old as the project keeps them: gone with everything of theirs, and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { runTask } from '../../../../test/tasks.ts';

const day = 24 * 3600;
let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const sweep = () => runTask(world.app, 'ci.sweep_pipelines');
const age = (id: number, seconds: number) =>
  world.app.db
    .updateTable('pipelines')
    .set({ created_at: new Date(Date.now() - seconds * 1000) })
    .where('id', '=', id)
    .execute();
const keep = async (project: { id: number }, seconds: number | null) => {
  const json = { ci_delete_pipelines_in_seconds: seconds };
  const { status } = await world.app.api('PUT', `/projects/${project.id}`, { token: world.owner.token, json });
  expect(status).toBe(200);
};
const get = (path: string) => world.app.api<Record<string, unknown>[]>('GET', path, { token: world.owner.token });
const left = async (project: { id: number }) =>
  (await get(`/projects/${project.id}/pipelines`)).body.map(({ id }) => id as number).sort((a, b) => a - b);

describe('old pipelines', () => {
  it('[3/fields.project/1] go with jobs, logs and artifacts; younger ones stay', async () => {
    const project = await world.project();
    const old = await project.push('a: {script: [x]}');
    const job = await runner.next();
    await runner.patch(job, 'said\n');
    await runner.update(job, 'success');
    await project.reaches(old.id, 'success');
    const key = await eventually('the kept log', async () => {
      const row = await world.app.db
        .selectFrom('jobs')
        .select('trace_object_key')
        .where('id', '=', job.id)
        .executeTakeFirstOrThrow();
      return row.trace_object_key;
    });
    const young = await project.push('b: {script: [x]}');
    await runner.run();
    await project.reaches(young.id, 'success');
    await keep(project, 2 * day);
    await age(old.id, 2 * day + 60);
    await age(young.id, 2 * day - 60);
    await sweep();
    expect(await left(project)).toEqual([young.id]);
    expect((await get(`/projects/${project.id}/jobs/${job.id}`)).status).toBe(404);
    expect((await get(`/projects/${project.id}/jobs/${job.id}/trace`)).status).toBe(404);
    const doomed = await world.app.db.selectFrom('object_deletions').select('object_key').execute();
    expect(doomed.map(({ object_key }) => object_key)).toContain(key);
  });

  it('stay where nobody said an age, and when nobody says one any more', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    await runner.run();
    await project.reaches(pipeline.id, 'success');
    await age(pipeline.id, 900 * day);
    await sweep();
    await keep(project, day);
    await keep(project, null);
    await sweep();
    expect(await left(project)).toEqual([pipeline.id]);
    await keep(project, day);
    await sweep();
    expect(await left(project)).toEqual([]);
  });

  it('stay while a job of them waits or runs; those that wait for a person go', async () => {
    const project = await world.project();
    await keep(project, day);
    const running = await project.push('a: {script: [x]}');
    const job = await runner.next();
    const manual = await project.push('m: {script: [x], when: manual, allow_failure: false}');
    await project.reaches(manual.id, 'manual');
    const waiting = await project.push('w: {script: [x], tags: [nobody]}');
    for (const { id } of [running, manual, waiting]) await age(id, 9 * day);
    await sweep();
    expect(await left(project)).toEqual([running.id, waiting.id]);
    await runner.update(job, 'failed');
    await project.reaches(running.id, 'failed');
    await sweep();
    expect(await left(project)).toEqual([waiting.id]);
  });

  it('go in batches: one pass removes more than one of them has', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    await runner.run();
    await project.reaches(pipeline.id, 'success');
    await keep(project, day);
    const row = await world.app.db
      .selectFrom('pipelines')
      .selectAll()
      .where('id', '=', pipeline.id)
      .executeTakeFirstOrThrow();
    const { id: _id, iid, ...rest } = row;
    const values = Array.from({ length: 250 }, (_, index) => ({
      ...rest,
      iid: iid + index + 1,
      created_at: new Date(Date.now() - 9 * day * 1000),
    }));
    await world.app.db
      .insertInto('pipelines')
      .values(values as never)
      .execute();
    await sweep();
    expect(await left(project)).toEqual([pipeline.id]);
  });
});
