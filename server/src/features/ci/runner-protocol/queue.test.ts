/** The queue: who is served first, what a waiting job says, and that vanished runners lose nothing. */
import { request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, type JobView, protocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';

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

type WaitingJob = JobView & { pipeline: { id: number }; waiting?: Waiting; stuck?: boolean };

/** What one job says, and lists of jobs where they are asked. */
async function waiting(project: { id: number }, job: { id: number }): Promise<Waiting | undefined> {
  const token = world.owner.token;
  const one = await world.app.api<WaitingJob>('GET', `/projects/${project.id}/jobs/${job.id}`, { token });
  const { pipeline, waiting: reason, stuck } = one.body;
  for (const path of ['jobs', `pipelines/${pipeline.id}/jobs`]) {
    const listed = async (query: string) => {
      const { body } = await world.app.api<WaitingJob[]>(
        'GET',
        `/projects/${project.id}/${path}?per_page=100${query}`,
        {
          token,
        },
      );
      const found = body.find(({ id }) => id === job.id);
      return { waiting: found?.waiting, stuck: found?.stuck };
    };
    expect(await listed('&with_waiting=true')).toEqual({ waiting: reason, stuck });
    expect(await listed('')).toEqual({});
  }
  return reason;
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

const order = async (
  runner: { next(): Promise<JobPayload>; update(job: JobPayload, state: string): Promise<unknown> },
  count: number,
) => {
  const names: string[] = [];
  for (let index = 0; index < count; index++) {
    const job = await runner.next();
    names.push(job.job_info.name);
    await runner.update(job, 'success');
  }
  return names;
};

it('one runner serves projects in turn although a project floods it, and the people of a project too', async () => {
  const tag = unique('flood');
  const runner = await runnerWith({ tag_list: [tag] });
  expect((await runner.request()).status).toBe(204);
  const [flooding, small] = [await world.project(), await world.project()];
  // Nobody of them was given a runner before.
  const [flooder, colleague] = [await world.account(), await world.account()];
  for (const { user } of [flooder, colleague])
    await world.app.api('POST', `/projects/${flooding.id}/members`, {
      token: world.owner.token,
      json: { user_id: user.id, access_level: 40 },
    });
  const tags = `tags: [${tag}]`;
  const flood = await flooding.push(`flood: {script: [x], ${tags}, parallel: 5}`, { token: flooder.token });
  const theirs = await flooding.push(`colleague: {script: [x], ${tags}}`, { branch: 'other', token: colleague.token });
  const own = await small.push(`first: {script: [x], ${tags}}\nsecond: {script: [x], ${tags}}`);
  expect((await waiting(flooding, await flooding.job(flood.id, 'flood 1/5')))?.jobs_ahead).toBe(0);
  expect((await waiting(small, await small.job(own.id, 'first')))?.jobs_ahead).toBe(1);
  expect((await waiting(flooding, await flooding.job(theirs.id, 'colleague')))?.jobs_ahead).toBe(2);
  expect((await waiting(flooding, await flooding.job(flood.id, 'flood 5/5')))?.jobs_ahead).toBe(7);
  // Each job ends before the next begins, so that none of them ever has more running jobs than the others.
  expect(await order(runner, 8)).toEqual([
    ...['flood 1/5', 'first', 'colleague', 'second'],
    ...['flood 2/5', 'flood 3/5', 'flood 4/5', 'flood 5/5'],
  ]);
});

it('priorities: of a project by administrators, of pipelines by maintainers, of a schedule for its pipelines', async () => {
  const tag = unique('priority');
  const [urgent, usual] = [await world.project(), await world.project()];
  const config = (name: string) => `${name}: {script: [x], tags: [${tag}]}`;
  const schedule = async (token: string, json: Record<string, unknown>) =>
    await world.app.api<{ id: number; queue_priority: string }>('POST', `/projects/${usual.id}/pipeline_schedules`, {
      token,
      json: { description: 'nightly', ref: 'main', cron: '0 4 * * *', ...json },
    });
  const developer = await world.account();
  await world.app.api('POST', `/projects/${usual.id}/members`, {
    token: world.owner.token,
    json: { user_id: developer.user.id, access_level: 30 },
  });
  const first = await usual.push(config('usual'));
  const late = await usual.push(config('later'), { branch: 'later' });
  await usual.commit(config('nightly'), { branch: 'nightly', message: '[ci skip]' });
  const nightly = await schedule(world.owner.token, { ref: 'nightly', queue_priority: 'low' });
  expect(nightly.body.queue_priority).toBe('low');
  expect((await schedule(developer.token, { ref: 'nightly', queue_priority: 'high' })).status).toBe(400);
  const played = `/projects/${usual.id}/pipeline_schedules/${nightly.body.id}`;
  expect((await world.app.api('POST', `${played}/play`, { token: world.owner.token })).status).toBe(201);
  const last = await usual.push(config('last'), { branch: 'last' });
  await urgent.push(config('urgent'));

  const set = async (token: string, queue_priority: string, id = last.id) =>
    await world.app.api<{ queue_priority: string }>('PUT', `/projects/${usual.id}/pipelines/${id}/queue_priority`, {
      token,
      json: { queue_priority },
    });
  expect((await set(developer.token, 'high')).status).toBe(403);
  expect((await set(world.owner.token, 'highest')).status).toBe(400);
  expect((await set(world.owner.token, 'high', 4_000_000)).status).toBe(404);
  expect((await set(world.owner.token, 'high')).body).toMatchObject({ queue_priority: 'high' });
  const project = async (token: string) =>
    await world.app.api<{ ci_queue_priority?: string }>('PUT', `/projects/${urgent.id}`, {
      token,
      json: { ci_queue_priority: 'high' },
    });
  expect((await project(world.owner.token)).body.ci_queue_priority).toBeUndefined();
  const runner = await runnerWith({ tag_list: [tag] });
  expect((await runner.request('', { job_age: 3600 * 24 })).status).toBe(201);
  expect((await project(world.admin.token)).body.ci_queue_priority).toBe('high');
  expect((await waiting(usual, await usual.job(first.id, 'usual')))?.jobs_ahead).toBe(1);
  expect(await usual.job(last.id, 'last')).toMatchObject({ status: 'running' });
  expect(await order(runner, 4)).toEqual(['urgent', 'usual', 'later', 'nightly']);
  expect(await usual.job(late.id, 'later')).toMatchObject({ status: 'success' });
});

it('every job that waits says why', async () => {
  const tag = unique('why');
  await runnerWith({ tag_list: [unique('another')] });
  const project = await world.project();
  const { id } = await project.push(
    `build: {script: [x], tags: [${tag}]}\ntest: {script: [x], needs: [build]}\nhand: {script: [x], when: manual}\nlate: {script: [x], when: delayed, start_in: 1 day}\nafter: {stage: deploy, script: [x]}`,
  );
  const job = async (name: string) => await waiting(project, await project.job(id, name));
  expect(await job('build')).toMatchObject({
    reason: 'tags',
    message: `No runner has the tag ${tag}`,
    runners_online: 0,
  });
  expect(await job('test')).toMatchObject({ reason: 'jobs', message: 'Waiting for build', jobs_ahead: null });
  expect(await job('hand')).toMatchObject({ reason: 'manual' });
  expect((await job('late'))?.message).toMatch(/^Delayed until 20[-\d]+ \d\d:\d\d UTC$/);
  // Optional ones are not waited for.
  expect((await job('after'))?.message).toBe('Waiting for build, test, late');
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
  // No runner is given jobs of a project that is to be deleted.
  const last = await project.push(`last: {script: [x], tags: [${tag}]}`);
  const lastJob = await project.job(last.id, 'last');
  expect(await waiting(project, lastJob)).toMatchObject({ reason: 'runner', jobs_ahead: 0 });
  await world.app.api('DELETE', `/projects/${project.id}`, { token: world.owner.token });
  expect(await waiting(project, lastJob)).toEqual({
    reason: 'deletion',
    message: 'The project is marked for deletion',
    jobs_ahead: null,
    runners_online: 0,
  });
});

it('a runner lists what waits for it, the next one first, with the reasons that the jobs give themselves', async () => {
  const tag = unique('queue');
  const runner = await runnerWith({ tag_list: [tag] });
  expect((await runner.request()).status).toBe(204);
  const [large, small] = [await world.project(), await world.project()];
  const config = (...names: string[]) => names.map((name) => `${name}: {script: [x], tags: [${tag}]}`).join('\n');
  const pushed = await large.push(`${config('a', 'b')}\nother: {script: [x], tags: [${unique('nobody')}]}`);
  await small.push(config('only'));
  const colleague = await world.account();
  const added = await world.app.api('POST', `/projects/${small.id}/members`, {
    token: world.owner.token,
    json: { user_id: colleague.user.id, access_level: 20 },
  });
  expect(added.status).toBe(201);
  const list = async (token: string, query = '') => {
    const path = `/runners/${runner.id}/waiting_jobs${query}`;
    const answer = await world.app.api<WaitingJob[]>('GET', path, { token });
    expect(answer.status).toBe(200);
    return { total: answer.headers.get('x-total'), jobs: answer.body };
  };
  const said = async (token: string) =>
    (await list(token)).jobs.map(({ name, waiting: reason }) => [name, reason?.message]);
  const inLine = (ahead: string) => `Waiting for a runner with the tag ${tag}; ${ahead}`;
  expect(await said(world.admin.token)).toEqual([
    ['a', inLine('next in line')],
    ['only', inLine('1 job ahead')],
    ['b', inLine('2 jobs ahead')],
  ]);
  // Whoever sees one of the projects sees where its job stands, and nothing of the others.
  expect(await said(colleague.token)).toEqual([['only', inLine('1 job ahead')]]);
  const second = await list(world.admin.token, '?per_page=2&page=2');
  expect([second.total, second.jobs.map(({ name }) => name)]).toEqual(['3', ['b']]);
  const beyond = await list(world.admin.token, '?per_page=2&page=9');
  expect([beyond.total, beyond.jobs]).toEqual(['3', []]);
  // The page of the job says the same; a paused runner still says what waits for it.
  await world.app.api('PUT', `/runners/${runner.id}`, { token: world.admin.token, json: { paused: true } });
  const [first] = (await list(world.admin.token)).jobs;
  expect(first).toMatchObject({ name: 'a', stuck: true, waiting: { reason: 'paused' } });
  expect(first?.waiting).toEqual(await waiting(large, await large.job(pushed.id, 'a')));
  await world.app.api('PUT', `/runners/${runner.id}`, { token: world.admin.token, json: { paused: false } });
  expect(await order(runner, 3)).toEqual(['a', 'only', 'b']);
  expect((await list(world.admin.token)).jobs).toEqual([]);
});

/** Sends half of an archive, and is gone. */
async function halfAnUpload(job: JobPayload): Promise<void> {
  const url = new URL(`${world.app.url}/api/v4/jobs/${job.id}/artifacts?artifact_type=archive&artifact_format=zip`);
  const head = '--half\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\n\r\n';
  const sent = request(url, {
    method: 'POST',
    headers: {
      'JOB-TOKEN': job.token,
      'Content-Type': 'multipart/form-data; boundary=half',
      'Transfer-Encoding': 'chunked',
    },
  });
  const gone = new Promise<void>((resolve) => sent.once('close', resolve));
  sent.on('error', () => undefined);
  sent.write(head + 'x'.repeat(100_000), () => sent.destroy());
  await gone;
}

it('twenty runners, some of which vanish with what they were given: no job is lost, none runs twice', {
  retry: 0,
}, async () => {
  const tag = unique('crowd');
  // The fault suite takes two thousand. A job of the configuration has two hundred at most.
  const jobs = Number(process.env.QUEUE_JOBS ?? 150);
  const parallel = (at: number) => Math.min(200, jobs - at * 200);
  const project = await world.project();
  const { id } = await project.push(
    `default: {retry: {max: 2, when: stuck_or_timeout_failure}}\n${Array.from(
      { length: Math.ceil(jobs / 200) },
      (_item, at) => `many-${at}: {script: [x], tags: [${tag}], parallel: ${parallel(at)}}\n`,
    ).join('')}`,
  );
  const done = new Map<string, number>();
  const vanished = new Set<string>();
  /** Those that were in the middle of their artifacts: these began, and are tried again as jobs of their own. */
  const broken = new Map<number, string>();
  const attempts = new Map<string, number>();
  const runners = await Promise.all(Array.from({ length: 20 }, () => runnerWith({ tag_list: [tag] })));
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  // One in six runs is killed; a killed runner is started again at once, and knows nothing of the job that it had.
  async function work(runner: Awaited<ReturnType<typeof runnerWith>>): Promise<void> {
    for (;;) {
      const answer = await runner.request();
      if (answer.status !== 201) return;
      const job = JSON.parse(answer.text) as JobPayload;
      const { name } = job.job_info;
      if (random() < 0.1) {
        vanished.add(job.token);
        continue;
      }
      await runner.patch(job, 'hello\n');
      // Of three attempts, the last one succeeds.
      const attempt = attempts.get(name) ?? 0;
      if (attempt < 2 && random() < 0.08) {
        attempts.set(name, attempt + 1);
        broken.set(job.id, name);
        await halfAnUpload(job);
        continue;
      }
      const end = await runner.update(job, 'success');
      expect(end.status).toBe(200);
      done.set(name, (done.get(name) ?? 0) + 1);
    }
  }
  for (let round = 0; round < 20 && done.size < jobs; round++) {
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
    await runTask(world.app, 'ci.look_for_runners');
  }
  expect(done.size).toBe(jobs);
  expect(vanished.size).toBeGreaterThan(0);
  expect(broken.size).toBeGreaterThan(0);
  expect([...done.values()].every((count) => count === 1)).toBe(true);
  await project.reaches(id, 'success');
  // Half an upload leaves nothing, and its job says what became of its runner.
  const [first] = broken;
  const { body: lost } = await world.app.api<JobView>('GET', `/projects/${project.id}/jobs/${first?.[0]}`, {
    token: world.owner.token,
  });
  expect(lost).toMatchObject({ status: 'failed', failure_reason: 'stuck_or_timeout_failure' });
  expect(lost.artifacts_file).toBeUndefined();
  // The token of a hand-out that was taken back is worth nothing.
  const [token = ''] = vanished;
  expect((await runners[0]!.json('PUT', `/jobs/${first?.[0]}`, { token, state: 'success' })).status).toBe(403);
  if (jobs > 150)
    console.log(`${jobs} jobs: ${vanished.size} runners vanished unheard, ${broken.size} in the middle of artifacts`);
});
