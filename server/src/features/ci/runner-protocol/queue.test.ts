/** The queue: who is served first, what a waiting job says, and that vanished runners lose nothing. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, type JobView, protocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

interface Waiting {
  readonly reason: string;
  readonly message: string;
  readonly jobs_ahead: number | null;
  readonly runners_online: number | null;
}

async function waiting(project: { id: number }, job: { id: number }): Promise<Waiting | undefined> {
  const { body } = await world.app.api<JobView & { waiting?: Waiting }>(
    'GET',
    `/projects/${project.id}/jobs/${job.id}`,
    {
      token: world.owner.token,
    },
  );
  return body.waiting;
}

async function runnerWith(values: Record<string, unknown>) {
  const made = await world.app.api<{ id: number; token: string }>('POST', '/user/runners', {
    token: world.admin.token,
    json: { runner_type: 'instance_type', run_untagged: false, ...values },
  });
  expect(made.status).toBe(201);
  return { ...protocolRunner(world.app, made.body.token), id: made.body.id };
}

it('projects take turns, whoever asked first; a waiting job says how many are ahead of it', async () => {
  const tag = unique('turns');
  const runner = await runnerWith({ tag_list: [tag] });
  expect((await runner.request()).status).toBe(204);
  const config = `a: {script: [x], tags: [${tag}]}\nb: {script: [x], tags: [${tag}]}\nc: {script: [x], tags: [${tag}]}`;
  const [large, small] = [await world.project(), await world.project()];
  const first = await large.push(config);
  const second = await small.push(`only: {script: [x], tags: [${tag}]}`);
  const only = await small.job(second.id, 'only');
  const last = await large.job(first.id, 'c');
  // One of the large project, the small one, then the rest.
  expect(await waiting(small, only)).toEqual({
    reason: 'runner',
    message: `Waiting for a runner with the tag ${tag}; 1 job ahead`,
    jobs_ahead: 1,
    runners_online: 1,
  });
  expect((await waiting(large, last))?.message).toBe(`Waiting for a runner with the tag ${tag}; 3 jobs ahead`);
  const order: string[] = [];
  for (let index = 0; index < 4; index++) order.push((await runner.next()).job_info.name);
  expect(order).toEqual(['a', 'only', 'b', 'c']);
});

it('every job that waits says why', async () => {
  const tag = unique('why');
  const project = await world.project();
  const { id } = await project.push(
    `build: {script: [x], tags: [${tag}]}\ntest: {script: [x], needs: [build]}\nhand: {script: [x], when: manual}\nlate: {script: [x], when: delayed, start_in: 1 day}`,
  );
  const job = async (name: string) => await waiting(project, await project.job(id, name));
  expect(await job('build')).toMatchObject({
    reason: 'tags',
    message: `No runner has the tag ${tag}`,
    runners_online: 0,
  });
  expect(await job('test')).toMatchObject({ reason: 'jobs', message: 'Waiting for build', jobs_ahead: null });
  expect(await job('hand')).toMatchObject({ reason: 'manual' });
  expect((await job('late'))?.message).toMatch(/^Delayed until 20/);
  const runner = await runnerWith({ tag_list: [tag], access_level: 'ref_protected' });
  expect(await job('build')).toMatchObject({ reason: 'offline', message: `No runner with the tag ${tag} is online` });
  const change = (json: object) =>
    world.app.api('PUT', `/runners/${runner.id}`, { token: world.admin.token, json: json as Record<string, unknown> });
  await change({ paused: true });
  expect(await job('build')).toMatchObject({ reason: 'paused' });
  await change({ paused: false });
  const taken = await runner.next();
  expect(taken.job_info.name).toBe('build');
  expect(await job('build')).toBeUndefined();
  await runner.update(taken, 'success');
});

it('twenty runners, some of which vanish with what they were given: no job is lost, none runs twice', {
  retry: 0,
}, async () => {
  const tag = unique('crowd');
  // The fault suite takes two thousand. A job of the configuration has two hundred at most.
  const jobs = Number(process.env.QUEUE_JOBS ?? 40);
  const each = Math.min(jobs, 200);
  const project = await world.project();
  const names = Array.from({ length: jobs / each }, (_, at) => `many-${at}`);
  const { id } = await project.push(
    names.map((name) => `${name}: {script: [x], tags: [${tag}], parallel: ${each}}\n`).join(''),
  );
  const done = new Map<number, number>();
  const vanished = new Set<string>();
  const runners = await Promise.all(Array.from({ length: 20 }, () => runnerWith({ tag_list: [tag] })));
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  let round = 0;
  async function work(runner: Awaited<ReturnType<typeof runnerWith>>): Promise<void> {
    for (;;) {
      const answer = await runner.request();
      if (answer.status !== 201) return;
      const job = JSON.parse(answer.text) as JobPayload;
      // At first one in four is killed before it says anything; in the next round it is there again.
      if (round < 2 && random() < 0.25) return void vanished.add(job.token);
      await runner.patch(job, 'hello\n');
      const end = await runner.update(job, 'success');
      expect(end.status).toBe(200);
      done.set(job.id, (done.get(job.id) ?? 0) + 1);
    }
  }
  const look = world.app.tasks.find(({ name }) => name === 'ci.look_for_runners');
  for (; round < 3; round++) {
    await Promise.all(runners.map(work));
    // What happens 75 seconds later.
    const past = sql<Date>`now() - interval '2 minutes'`;
    await world.app.db
      .updateTable('jobs')
      .set({ started_at: past, contacted_at: past })
      .where('pipeline_id', '=', id)
      .where('status', '=', 'running')
      .execute();
    await world.app.db
      .updateTable('runner_watch')
      .set({ since: sql`now() - interval '1 hour'`, seen_at: sql`now()` })
      .execute();
    await look?.run({}, { signal: new AbortController().signal } as never);
  }
  expect(done.size).toBe(jobs);
  expect(vanished.size).toBeGreaterThan(0);
  expect([...done.values()].every((count) => count === 1)).toBe(true);
  await project.reaches(id, 'success');
  // The token of a hand-out that was taken back is worth nothing.
  const [token = ''] = vanished;
  expect((await runners[0]!.json('PUT', `/jobs/${[...done.keys()][0]}`, { token, state: 'success' })).status).toBe(403);
});
