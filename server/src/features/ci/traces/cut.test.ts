/** A job whose log the runner cut says so, with the limit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type JobView, startWorld, type World } from '../../../../test/ci.ts';
import { cutScanner } from './cut.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const notice = "\n\u001b[33;1mJob's log exceeded limit of 4194304 bytes.\nNo more output is collected.\u001b[0;m\n";

it('a log that ends with what official runners write at their limit marks its job', async () => {
  const project = await world.project();
  const runner = await world.runner();
  const { id } = await project.push('cut: {script: [x]}\nwhole: {script: [x]}');
  for (let index = 0; index < 2; index++) {
    const job = await runner.next();
    await runner.patch(job, job.job_info.name === 'cut' ? `many words${notice}` : 'few words\n');
    expect((await runner.update(job, 'success')).status).toBe(200);
  }
  await project.reaches(id, 'success');
  const shown = async (name: string) => {
    const { id: jobId } = await project.job(id, name);
    return (await world.app.api<JobView>('GET', `/projects/${project.id}/jobs/${jobId}`, { token: world.owner.token }))
      .body;
  };
  await eventually('the mark', async () => (await shown('cut')).log_cut_at === 4_194_304);
  expect(await shown('whole')).not.toHaveProperty('log_cut_at');
});

it('the notice is found across pieces, and only at the end', () => {
  const scan = (...pieces: string[]) => {
    const scanner = cutScanner();
    for (const piece of pieces) scanner.push(Buffer.from(piece));
    return scanner.result();
  };
  expect(scan('x'.repeat(5000), notice.slice(0, 20), notice.slice(20))).toBe(4_194_304);
  expect(scan(notice, 'x'.repeat(1000))).toBeNull();
});
