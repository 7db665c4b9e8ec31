/** What pipelines cost the server, without what jobs do: made by a push, many at once, one job after another, compiled. */
import { execFileSync } from 'node:child_process';
import { newClone } from '../clone.ts';
import { type Context, spread } from '../context.ts';
import { git } from '../process.ts';
import { protocolRunner } from '../protocol-runner.ts';
import { pipelineJobs } from '../target.ts';
import { pause, until } from '../waiting.ts';

interface Pipeline {
  readonly id: number;
}

/** Jobs that nothing runs. */
const idle = 'tags: [bench-nobody]';
const many = (count: number, rest: string) =>
  Array.from({ length: count }, (_item, index) => `job${index}: {script: [echo ${index}], ${rest}}\n`).join('');

/** A clone of a new project with these files, which is pushed. */
async function pushed(context: Context, files: Readonly<Record<string, string>>) {
  const made = await newClone(context.ours.target, 'bench-pipelines', context.directory, files);
  await git(made.directory, ['push', '--quiet', '-o', 'ci.skip', 'origin', 'HEAD:refs/heads/main']);
  return made;
}

/** A push is acknowledged, and then its pipeline of so many jobs is there. */
async function created(context: Context, jobs: number, pushes: number): Promise<void> {
  const { target } = context.ours;
  const { project, directory } = await pushed(context, { '.gitlab-ci.yml': many(jobs, idle) });
  const times: number[] = [];
  for (let round = -1; round < pushes; round++) {
    await git(directory, ['commit', '--quiet', '--allow-empty', '-m', `Push ${round}`]);
    const sha = await git(directory, ['rev-parse', 'HEAD']);
    await git(directory, ['push', '--quiet', 'origin', 'HEAD:refs/heads/main']);
    const begin = performance.now();
    const pipeline = await until('the pipeline', 30, async () => {
      const [found] = await target.call<Pipeline[]>('GET', `${project.api}/pipelines?sha=${sha}`);
      return found ?? null;
    });
    if (round >= 0) times.push(performance.now() - begin);
    const found = await pipelineJobs(target, project, pipeline, jobs);
    if (found.length !== jobs) throw new Error(`${found.length} of ${jobs} jobs`);
    await target.call('POST', `${project.api}/pipelines/${pipeline.id}/cancel`);
  }
  const figure = spread(times);
  context.add({
    name: `push acknowledged to pipeline of ${jobs} jobs created`,
    ours: figure,
    goal: { text: 'p95 < 150 ms', met: (figure.p95 ?? Number.NaN) < 150 },
    note: 'seen through the API, polled every 4 ms',
  });
}

/** One runner ends a job, another one holds a poll for the job that needs it. */
async function nextJobs(context: Context, length: number): Promise<void> {
  const { target } = context.ours;
  const chain = Array.from(
    { length },
    (_item, at) => `job${at}: {script: [x], tags: [bench-chain], needs: [${at ? `job${at - 1}` : ''}]}\n`,
  ).join('');
  const { project } = await pushed(context, { '.gitlab-ci.yml': chain });
  const runners = [await protocolRunner(target, 'bench-chain'), await protocolRunner(target, 'bench-chain')] as const;
  await target.call('POST', `${project.api}/pipeline`, { ref: 'main' });
  let job = await runners[0].take();
  const times: number[] = [];
  for (let at = 1; at < length; at++) {
    const held = runners[at % 2 === 0 ? 0 : 1].take();
    // Until the poll is held.
    await pause(30);
    const begin = performance.now();
    await runners[at % 2 === 0 ? 1 : 0].end(job);
    job = await held;
    times.push(performance.now() - begin);
  }
  await runners[0].end(job);
  const figure = spread(times);
  context.add({
    name: 'job finished to the next one handed to a runner that waits',
    ours: figure,
    goal: { text: 'p50 < 20 ms', met: (figure.p50 ?? Number.NaN) < 20 },
    note: 'with the two requests over HTTP',
  });
}

/** Pipelines made at once; each has all its jobs, waiting for a runner. */
async function atOnce(context: Context, pipelines: number, jobs: number): Promise<void> {
  const { target } = context.ours;
  const { project } = await pushed(context, { '.gitlab-ci.yml': many(jobs, idle) });
  const begin = performance.now();
  const made = await Promise.all(
    Array.from({ length: pipelines }, () => target.call<Pipeline>('POST', `${project.api}/pipeline`, { ref: 'main' })),
  );
  for (const pipeline of made)
    await until('waiting jobs', 120, async () => {
      const found = await pipelineJobs(target, project, pipeline, jobs);
      return found.length === jobs && found.every(({ status }) => status === 'pending') ? true : null;
    });
  const seconds = (performance.now() - begin) / 1000;
  const canceling = performance.now();
  await Promise.all(made.map(({ id }) => target.call('POST', `${project.api}/pipelines/${id}/cancel`)));
  for (const pipeline of made) {
    const found = await pipelineJobs(target, project, pipeline, jobs);
    if (!found.every(({ status }) => status === 'canceled')) throw new Error('a job was not canceled');
  }
  const rate = (pipelines * jobs) / seconds;
  context.add({
    name: `jobs made and set waiting: ${pipelines} pipelines of ${jobs} at once`,
    ours: { rate },
    goal: { text: '> 2,000 a second', met: rate > 2000 },
    note: `in ${seconds.toFixed(1)} s, seen through the API`,
  });
  context.add({
    name: 'the same jobs canceled, a second',
    ours: { rate: (pipelines * jobs) / ((performance.now() - canceling) / 1000) },
  });
}

/** Files of about 80 lines each: jobs that extend, refer and have rules. */
function largeConfiguration(files: number): Record<string, string> {
  const one = (at: number) =>
    Array.from({ length: 7 }, (_item, index) =>
      [
        `job-${at}-${index}:`,
        '  extends: .base',
        '  stage: test',
        '  variables:',
        `    NUMBER: "${at * 10 + index}"`,
        '    TEXT: "$CI_COMMIT_REF_NAME-$NUMBER"',
        '  rules:',
        `    - if: '$CI_COMMIT_BRANCH == "main"'`,
        '    - when: never',
        '  script:',
        '    - !reference [.shared, script]',
        `    - echo "file ${at}, job ${index}"`,
      ].join('\n'),
    ).join('\n');
  const names = Array.from({ length: files }, (_item, at) => `ci/part-${at}.yml`);
  return {
    '.gitlab-ci.yml': [
      'include:',
      ...names.map((name) => `  - local: ${name}`),
      '.shared: {script: [echo shared]}',
      '.base: {image: "debian:12", retry: 1, before_script: [echo before]}',
      '',
    ].join('\n'),
    ...Object.fromEntries(names.map((name, at) => [name, `${one(at)}\n`])),
  };
}

/** The program that runs such files on a laptop, where it is installed: it compiles the same files. */
function localProgram(directory: string, rounds: number): { p50: number; p95: number } | null {
  const program = process.env.GITLAB_CI_LOCAL;
  if (!program) return null;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    execFileSync(process.execPath, [program, '--list'], { cwd: directory, stdio: 'pipe' });
    times.push(performance.now() - begin);
  }
  const { p50 = 0, p95 = 0 } = spread(times);
  return { p50, p95 };
}

async function compiled(context: Context, includes: number): Promise<void> {
  const { target } = context.ours;
  const files = largeConfiguration(includes);
  const lines = Object.values(files).reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  const { project, directory } = await pushed(context, files);
  const times: number[] = [];
  for (let round = -1; round < 15; round++) {
    const begin = performance.now();
    const { valid } = await target.call<{ valid: boolean }>('GET', `${project.api}/ci/lint?dry_run=true`);
    if (!valid) throw new Error('the configuration is not valid');
    if (round >= 0) times.push(performance.now() - begin);
  }
  const figure = spread(times);
  const local = localProgram(directory, 3);
  context.add({
    name: `compile ${lines.toLocaleString('en')} lines with ${includes} includes`,
    ours: figure,
    goal: { text: 'p50 < 150 ms', met: (figure.p50 ?? Number.NaN) < 150 },
    note: `GET /ci/lint over HTTP${local ? `; gitlab-ci-local --list of the same files: ${Math.round(local.p50)} ms` : ''}`,
  });
}

export async function pipelines(context: Context): Promise<void> {
  await created(context, 300, 20);
  await nextJobs(context, 40);
  await atOnce(context, 200, 50);
  await compiled(context, 60);
}
