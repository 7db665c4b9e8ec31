/** Pipelines stay correct whoever works on them: 20 runners at once, jobs that fail by chance, any graph of needs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { jobsAfter } from './process.queries.ts';

let world: World;
let runners: ProtocolRunner[];

const workers = 20;

beforeAll(async () => {
  world = await startWorld();
  runners = await Promise.all(Array.from({ length: workers }, () => world.runner()));
});
afterAll(() => world.close());

/** The same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Planned {
  readonly name: string;
  readonly needs: readonly string[];
  readonly fails: boolean;
  readonly mayFail: boolean;
}

/** Jobs that each need up to three of those before. */
function planned(seed: number, count: number): Planned[] {
  const next = random(seed);
  const jobs: Planned[] = [];
  for (let at = 0; at < count; at++) {
    const needs = new Set<string>();
    for (let times = Math.floor(next() * 4); times > 0 && at > 0; times--)
      needs.add(`p${seed}-j${Math.floor(next() * at)}`);
    jobs.push({ name: `p${seed}-j${at}`, needs: [...needs], fails: next() < 0.12, mayFail: next() < 0.3 });
  }
  return jobs;
}

const configOf = (jobs: readonly Planned[]): string =>
  jobs
    .map(
      ({ name, needs, mayFail }) =>
        `${name}: {stage: test, script: x, needs: [${needs.join(', ')}], allow_failure: ${mayFail}}\n`,
    )
    .join('');

/** What each job ends as, by the rules of needs alone. */
function endings(jobs: readonly Planned[]): Record<string, string> {
  const found: Record<string, string> = {};
  const blocked = new Set<string>();
  for (const { name, needs, fails, mayFail } of jobs) {
    const skipped = needs.some((need) => blocked.has(need));
    found[name] = skipped ? 'skipped' : fails ? 'failed' : 'success';
    if (skipped || (fails && !mayFail)) blocked.add(name);
  }
  return found;
}

it('20 runners bring pipelines to the end that their needs say', { retry: 0 }, async () => {
  const plans = await Promise.all(
    [1, 2, 3].map(async (seed) => {
      const jobs = planned(seed, 20);
      const project = await world.project();
      const pipeline = await project.push(configOf(jobs));
      return { jobs, project, pipeline, expected: endings(jobs) };
    }),
  );
  const byName = new Map(plans.flatMap(({ jobs }) => jobs.map((job) => [job.name, job] as const)));
  const endsAs = new Map(plans.flatMap(({ expected }) => Object.entries(expected)));
  const toRun = [...endsAs.values()].filter((status) => status !== 'skipped').length;
  const handedOut: string[] = [];
  const reported = new Set<string>();
  const early: string[] = [];
  let ended = 0;
  const done = Promise.withResolvers<void>();

  async function work(runner: ProtocolRunner): Promise<void> {
    // Held until there is a job, as those of official runners are.
    let cursor = '';
    while (handedOut.length < toRun) {
      const answer = await runner.request(cursor);
      cursor = answer.headers.get('x-gitlab-last-update') ?? '';
      if (answer.status !== 201) continue;
      const payload = JSON.parse(answer.text) as JobPayload;
      const { name } = payload.job_info;
      handedOut.push(name);
      const job = byName.get(name);
      // Whoever gets a job gets it after everything that it needs was reported.
      if (job?.needs.some((need) => !reported.has(need))) early.push(name);
      reported.add(name);
      const more = job?.fails ? { failure_reason: 'script_failure', exit_code: 1 } : {};
      expect((await runner.update(payload, job?.fails ? 'failed' : 'success', more)).status).toBe(200);
      if (++ended === toRun) done.resolve();
    }
  }
  // Runners that wait for a job when there is none left wait until the server stops.
  await Promise.race([done.promise, Promise.all(runners.map(work)).then(() => done.promise)]);
  for (const { jobs, project, pipeline, expected } of plans) {
    const blocking = jobs.some(({ name, mayFail }) => expected[name] === 'failed' && !mayFail);
    await project.reaches(pipeline.id, blocking ? 'failed' : 'success');
    expect(await project.statuses(pipeline.id)).toEqual(expected);
  }
  expect([...handedOut].sort()).toEqual([...new Set(handedOut)].sort());
  expect(early).toEqual([]);
});

it('after a job only those are looked at that need it and nothing else that runs', async () => {
  const project = await world.project();
  const needs = { a: [], b: [], c: ['a'], d: ['a', 'b'], e: ['b', 'c'], f: ['c', 'd'] };
  const { id } = await project.push(
    Object.entries(needs)
      .map(([name, needed]) => `${name}: {stage: test, script: x, tags: [nobody], needs: [${needed.join(', ')}]}\n`)
      .join(''),
  );
  const { db } = world.app;
  const end = (name: string, status = 'success') =>
    db.updateTable('jobs').set({ status }).where('pipeline_id', '=', id).where('name', '=', name).execute();
  const looked = async (...ended: string[]) => (await jobsAfter(db, id, ended)).map(({ name }) => name);
  expect(await looked('a')).toEqual([]);
  await end('a');
  expect(await looked('a')).toEqual(['a', 'c']);
  expect(await looked('b')).toEqual([]);
  await end('b', 'failed');
  expect(await looked('b')).toEqual(['a', 'b', 'd']);
  await end('c', 'waiting_for_resource');
  expect(await looked()).toEqual(['c']);
  await db.updateTable('jobs').set({ status: 'canceled' }).where('pipeline_id', '=', id).execute();
});
