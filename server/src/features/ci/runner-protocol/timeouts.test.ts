/** How long a job may take: its own time, but never more than its runner allows. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

it('[1/limits.other-limits/6] a runner’s maximum_timeout in seconds cuts the time of its jobs, and lengthens none', async () => {
  const runner = await world.runner({ maximum_timeout: 900 });
  const project = await world.project();
  await project.push('long:\n  script: [x]\n  timeout: 2 hours\nshort:\n  script: [x]\n  timeout: 11 minutes\n');
  const jobs = [await runner.next(), await runner.next()];
  const times = jobs.map(({ job_info, runner_info, steps }) => [
    (job_info as { name: string }).name,
    (runner_info as { timeout: number }).timeout,
    (steps as { timeout: number }[])[0]?.timeout,
  ]);
  expect(times.sort()).toEqual([
    ['long', 900, 900],
    ['short', 660, 660],
  ]);
});
