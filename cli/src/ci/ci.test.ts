/** `millrace ci` on a checkout with changes that are not committed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environmentSlug } from '@millrace/ci-config';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Surroundings } from '../command.ts';
import { main } from '../main.ts';

let directory: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: directory })
    .toString()
    .trim();
const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'millrace-ci-'));
  git('init', '-q', '-b', 'main');
  write('.gitlab-ci.yml', 'include: part.yml\nstages: [build, test]\n');
  write('part.yml', 'old: {script: x}\n');
  write('committed.txt', 'committed');
  git('add', '.');
  git('commit', '-q', '-m', 'First');
  // Nothing of this is committed.
  write(
    'part.yml',
    `
build:
  stage: build
  script: [cat committed.txt new.txt, mkdir out, cp new.txt out/]
  artifacts: {paths: [out]}
test:
  stage: test
  script: [cat out/new.txt, 'echo "in $CI_COMMIT_BRANCH $MORE"']
nightly:
  stage: test
  script: exit 1
  rules: [{if: $CI_PIPELINE_SOURCE == "schedule"}]
changed:
  stage: test
  script: exit 3
  allow_failure: true
  rules: [{changes: [new.txt], if: $RUN_CHANGED}]
`,
  );
  write('new.txt', 'brand new\n');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function call(...args: string[]) {
  return await interruptible(() => new AbortController().signal, ...args);
}

/** With somebody who may press Ctrl-C while it runs. */
async function interruptible(interrupted: (out: string[]) => AbortSignal, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const around: Surroundings = {
    env: { PATH: process.env.PATH, HOME: directory },
    terminal: false,
    print: (line) => void out.push(`${line}\n`),
    write: (chunk) => void out.push(Buffer.from(chunk).toString()),
    warn: (line) => void err.push(line),
    readInput: async () => '',
    console: () => ({ input: process.stdin, output: process.stdout }),
    exit: () => undefined,
    interrupted: () => interrupted(out),
  };
  return {
    code: await main(['ci', ...args, '--directory', directory], around),
    out: out.join(''),
    err: err.join('\n'),
  };
}

it('lists the jobs of the files as they are now', async () => {
  const { code, out } = await call('list');
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.split(/\s+/)[0])).toEqual(['JOB', 'build', 'test', '']);
  expect((await call('list', '--source', 'schedule')).out).toContain('nightly');
  expect((await call('lint')).out).toBe('The configuration is valid\n');
});

it('names file and line of what is wrong', async () => {
  write('wrong.yml', 'a:\n  script: x\n  foo: 1\n');
  const { code, out } = await call('lint', '--file', 'wrong.yml');
  expect([code, out]).toEqual([1, 'wrong.yml:3:3: jobs:a config contains unknown keys: foo\n']);
  expect(await call('list', '--file', 'none.yml')).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no none.yml'),
  });
  expect((await call('list', '--variable', 'x')).code).toBe(2);
  rmSync(path.join(directory, 'wrong.yml'));
});

it('explains by which rule a job is in or out, and compares two events', async () => {
  const { out } = await call('explain', '--job', 'nightly');
  expect(out).toContain('- nightly (part.yml:9): no rule matches');
  expect(out).toContain('part.yml:12 does not match');
  expect(out).toContain('$CI_PIPELINE_SOURCE = "push"');
  expect((await call('explain', '--job', 'none')).err).toContain('the configuration has no job none');
  const compared = await call('explain', '--compare', 'schedule');
  expect(compared.out).toMatch(/^push: - nightly/m);
  expect(compared.out).toMatch(/^schedule: \+ nightly/m);
  expect(compared.out).not.toContain('build');
  expect((await call('explain', '--compare', 'web')).out.trim()).toBe('push and web run the same jobs');
});

it('says for which event there is no pipeline, and why', async () => {
  const file = path.join(directory, 'events.yml');
  const rule = (source: string) => `rules: [{if: $CI_PIPELINE_SOURCE == "${source}"}]`;
  writeFileSync(
    file,
    `workflow: {rules: [{if: $CI_PIPELINE_SOURCE != "web"}]}
first: {script: x, ${rule('push')}}
second: {script: x, needs: [first]}
`,
  );
  const explain = (...args: string[]) => call('explain', '--file', 'events.yml', ...args);
  const missing = "events.yml:3:29: 'second' job needs 'first' job, but 'first' does not exist in the pipeline.";
  const broken = await explain('--compare', 'schedule');
  expect([broken.code, broken.out.split('\n')[0]]).toEqual([
    1,
    expect.stringContaining(`schedule: no pipeline: ${missing}`),
  ]);
  expect(broken.out).toMatch(/^push: \+ first/m);
  expect(broken.out).toMatch(/^schedule: - first/m);
  const alone = await explain('--source', 'schedule');
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining(missing)]);
  expect(alone.out).toMatch(/^- first/m);
  const without = await explain('--compare', 'web');
  expect([without.code, without.out]).toEqual([
    0,
    expect.stringContaining('web: no pipeline: events.yml:1:1: Pipeline will not run'),
  ]);
  const { out } = await explain('--compare', 'web', '--json');
  expect(JSON.parse(out)).toMatchObject({
    ...{ source: 'push', errors: [], jobs: [{ job: 'first', included: true }, { job: 'second' }] },
    compared: { source: 'web', jobs: [], workflow: { included: false } },
  });
  rmSync(file);
});

it('runs jobs with uncommitted files, artifacts between them and variables', async () => {
  const { code, out } = await call(
    'run',
    '--executor',
    'shell',
    '--variable',
    'MORE=more',
    '--variable',
    'RUN_CHANGED=1',
  );
  expect(out).toContain('committedbrand new');
  expect(out).toContain('in main more');
  expect(out.trimEnd().split('\n').slice(-3)).toEqual([
    'success  build',
    'success  test',
    'warning  changed  exit status 3',
  ]);
  expect(code).toBe(0);
  expect(git('status', '--short')).toBe('M part.yml\n?? new.txt');
  const failed = await call('run', '--executor', 'shell', '--source', 'schedule', '--job', 'nightly');
  expect([failed.code, failed.out.trimEnd().split('\n').at(-1)]).toEqual([1, 'failed  nightly  exit status 1']);
  expect((await call('run', '--job', 'none')).err).toContain('the pipeline has no job none');
});

/** States, names and notes at the end of a run. */
const outcomes = (out: string) => {
  const lines = out.trimEnd().split('\n');
  return lines.slice(lines.lastIndexOf('') + 1).map((line) => line.split(/ {2,}/));
};
const run = (...args: string[]) => call('run', '--executor', 'shell', '--file', 'whole.yml', ...args);

it('runs children, hands on what jobs report, and says why a job does not run', async () => {
  write(
    'whole.yml',
    `
stages: [build, test, deploy, after]
variables: {COLOR: red}
child:
  stage: deploy
  variables: {SHADE: "dark $COLOR"}
  trigger: {include: [{local: child.yml, inputs: {word: hello}}], strategy: depend}
generated:
  stage: deploy
  trigger: {include: [{artifact: made/child.yml, job: make}]}
other:
  stage: deploy
  trigger: {project: a/b}
make:
  stage: build
  script: [echo "VERSION=1.$CI_NODE_TOTAL" > build.env, mkdir made, 'echo "inner: {script: exit 4}" > made/child.yml']
  artifacts: {paths: [made], reports: {dotenv: build.env}}
part:
  stage: test
  parallel: 2
  environment: {name: review/Half, action: prepare}
  script: echo "part $CI_NODE_INDEX has $VERSION in $CI_JOB_GROUP_NAME for $CI_ENVIRONMENT_SLUG"
ask: {stage: test, when: manual, script: echo asked}
gate: {stage: deploy, when: manual, allow_failure: false, script: echo open}
last: {stage: after, script: echo last}
needy: {stage: after, needs: [ask], script: echo needy}
broken: {stage: build, allow_failure: true, script: exit 9}
mend: {stage: test, when: on_failure, script: echo mend}
`,
  );
  write(
    'child.yml',
    'spec: {inputs: {word: {}}}\n---\nin: {script: echo "$[[ inputs.word ]] $SHADE $CI_PIPELINE_SOURCE"}\n',
  );
  const { code, out, err } = await run();
  expect(err).toBe('');
  expect(outcomes(out)).toEqual([
    ['success', 'make'],
    ['warning', 'broken', 'exit status 9'],
    ['success', 'part 1/2'],
    ['success', 'part 2/2'],
    ['manual', 'ask', '--job "ask" runs it'],
    ['skipped', 'mend', 'runs only after a failure'],
    ['success', 'child'],
    ['success', 'child > in'],
    ['success', 'generated'],
    ['failed', 'generated > inner', 'exit status 4'],
    ['elsewhere', 'other', 'starts a pipeline of a/b'],
    ['manual', 'gate', '--job "gate" runs it'],
    ['skipped', 'last', 'waits for the manual job gate'],
    ['skipped', 'needy', 'waits for the manual job ask'],
  ]);
  expect(code).toBe(1);
  expect(out).toContain(`part 2 has 1.1 in part for ${environmentSlug('review/Half')}\n`);
  expect(out).toContain('hello dark red parent_pipeline');
  expect((await call('list', '--file', 'whole.yml')).out.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
    ...['JOB', 'make', 'broken', 'part 1/2', 'part 2/2', 'ask', 'mend', 'child', 'generated', 'other', 'gate'],
    ...['last', 'needy', ''],
  ]);
});

it('runs a stage, all instances of a job, and what is named whatever it waits for', async () => {
  const stage = await run('--stage', 'test');
  expect(outcomes(stage.out).map(([state, name]) => `${state} ${name}`)).toEqual([
    ...['success part 1/2', 'success part 2/2', 'manual ask', 'skipped mend'],
  ]);
  expect(outcomes((await run('--job', 'part', '--job', 'mend', '--job', 'ask')).out)).toEqual([
    ['success', 'part 1/2'],
    ['success', 'part 2/2'],
    ['success', 'mend'],
    ['success', 'ask'],
  ]);
  const explained = (await call('explain', '--file', 'whole.yml', '--job', 'part')).out;
  expect(explained.match(/^\+ part \d\/2/gm)).toHaveLength(2);
  expect((await run('--stage', 'none')).err).toContain('no job of the pipeline is in a stage none; it has build, test');
});

it('ends the job that runs when it is interrupted, and leaves nothing', async () => {
  write('slow.yml', 'slow: {script: [echo "now $PWD", sleep 60]}\nnext: {stage: deploy, script: echo next}\n');
  const begin = performance.now();
  const interrupted = (out: string[]) => {
    const controller = new AbortController();
    const push = out.push.bind(out);
    out.push = (...lines) => {
      if (lines.some((line) => /^now \//m.test(line))) controller.abort();
      return push(...lines);
    };
    return controller.signal;
  };
  const { code, out } = await interruptible(interrupted, 'run', '--executor', 'shell', '--file', 'slow.yml');
  expect([code, outcomes(out)]).toEqual([
    130,
    [
      ['canceled', 'slow'],
      ['canceled', 'next'],
    ],
  ]);
  expect(performance.now() - begin).toBeLessThan(30_000);
  const place = /^now (\/.*)$/m.exec(out)?.[1] ?? '';
  expect([place.includes('millrace-run-'), existsSync(place)]).toEqual([true, false]);
});

it('knows of a merge request what rules ask for', async () => {
  write(
    'request.yml',
    'a: {script: x, rules: [{if: $CI_MERGE_REQUEST_IID && $CI_MERGE_REQUEST_TARGET_BRANCH_NAME == "main"}]}\n',
  );
  const list = (source: string) => call('list', '--file', 'request.yml', '--source', source);
  expect((await list('merge_request_event')).out).toMatch(/^a /m);
  expect((await list('push')).err).toContain('would have been empty');
});
