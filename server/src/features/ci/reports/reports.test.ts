/** Reports of jobs compared for merge requests, the history of tests, and statistics of pipelines. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
let stranger: Account;
let iid: number;

const config = `measure:
  script: [x]
  artifacts: {reports: {junit: a.xml, coverage_report: {coverage_format: cobertura, path: c.xml}, codequality: q.json,
    terraform: t.json, metrics: m.txt, accessibility: y.json, license_scanning: l.json,
    browser_performance: b.json, load_performance: k.json}}
  variables: {DEGRADATION_THRESHOLD: "5"}
`;
const testsuite = (cases: Readonly<Record<string, boolean>>) =>
  `<testsuite name="s">${Object.entries(cases)
    .map(
      ([name, ok]) => `<testcase classname="c" name="${name}" time="1">${ok ? '' : '<failure>no</failure>'}</testcase>`,
    )
    .join('')}</testsuite>`;
const finding = (fingerprint: string) => ({
  fingerprint,
  description: 'Long',
  severity: 'major',
  location: { path: 'a.rb' },
});

const accessibilityReport = (selectors: readonly string[]) =>
  JSON.stringify({
    results: {
      'https://a.example/': [
        ...selectors.map((selector) => ({ code: 'WCAG', type: 'error', message: 'No name', context: '<a>', selector })),
        { code: 'WCAG', type: 'warning', message: 'Maybe', selector: '#w' },
      ],
    },
  });
const licenseReport = (dependencies: Readonly<Record<string, readonly string[]>>) =>
  JSON.stringify({
    version: '2.1',
    licenses: [{ id: 'MIT', name: 'MIT License', url: 'https://mit.example' }],
    dependencies: Object.entries(dependencies).map(([name, licenses]) => ({ name, version: '1', licenses })),
  });

const pageReport = (score: number) =>
  JSON.stringify([{ subject: '/', metrics: [{ name: 'Total Score', value: score, desiredSize: 'larger' }] }]);

interface Left {
  readonly cases?: Readonly<Record<string, boolean>>;
  readonly quality?: readonly string[];
  readonly coverage?: string;
  readonly terraform?: string;
  readonly metrics?: string;
  /** Selectors of what is wrong. */
  readonly accessibility?: readonly string[];
  /** Names of licences by dependency. */
  readonly licenses?: Readonly<Record<string, readonly string[]>>;
  /** Score of a page. */
  readonly score?: number;
  /** Requests in a second. */
  readonly rate?: number;
}

/** Leaves the reports as a runner does, and waits until they are read. */
async function leave(job: JobPayload, left: Left, state: 'success' | 'failed' = 'success'): Promise<void> {
  const raw = {
    codequality: left.quality && JSON.stringify(left.quality.map(finding)),
    terraform: left.terraform,
    accessibility: left.accessibility && accessibilityReport(left.accessibility),
    license_scanning: left.licenses && licenseReport(left.licenses),
    browser_performance: left.score === undefined ? undefined : pageReport(left.score),
    load_performance:
      left.rate === undefined ? undefined : JSON.stringify({ metrics: { http_reqs: { rate: left.rate } } }),
  };
  const packed = { junit: left.cases && testsuite(left.cases), cobertura: left.coverage, metrics: left.metrics };
  for (const [type, text] of Object.entries(raw))
    if (text !== undefined)
      expect((await runner.upload(job, { data: Buffer.from(text), name: 'r', type, format: 'raw' })).status).toBe(201);
  for (const [type, text] of Object.entries(packed))
    if (text !== undefined)
      expect((await runner.upload(job, { data: gzipSync(text), name: 'r', type, format: 'gzip' })).status).toBe(201);
  const more = state === 'failed' ? { failure_reason: 'script_failure', exit_code: 1 } : {};
  expect((await runner.update(job, state, more)).status).toBe(200);
  const { db } = world.app;
  const wanted = [...Object.values(raw), left.coverage, left.metrics].filter((text) => text !== undefined).length;
  await eventually('the reports are read', async () => {
    const rows = await db.selectFrom('job_reports').select('id').where('job_id', '=', job.id).execute();
    return rows.length === wanted;
  });
  if (left.cases)
    await eventually('the tests are read', () =>
      db.selectFrom('job_test_reports').select('job_id').where('job_id', '=', job.id).executeTakeFirst(),
    );
}

const of = (name: string) => `/projects/${project.id}/merge_requests/${iid}/${name}`;
const get = async <T = Record<string, unknown>>(path: string, token = world.owner.token) =>
  (await world.app.api<T>('GET', path, { token })).body;

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
  stranger = await world.account();
  await project.push(config);
  await leave(await runner.next(), {
    cases: { kept: false, fixed: false, broken: true },
    quality: ['old', 'solved'],
    metrics: 'size 10\ngone 1\n',
    accessibility: ['#old', '#solved'],
    licenses: { rails: ['MIT'], left: ['WTFPL'] },
    score: 90,
    rate: 20,
  });
  const actions = [
    { action: 'create', file_path: 'lib/berth.rb', content: 'one\ntwo\n' },
    { action: 'create', file_path: 'lib/other.rb', content: 'one\n' },
  ];
  await world.app.api('POST', `/projects/${project.id}/repository/commits`, {
    token: world.owner.token,
    json: { branch: 'change', start_branch: 'main', commit_message: 'Change', actions },
  });
  const job = await runner.next();
  const made = await world.app.api<{ iid: number }>('POST', `/projects/${project.id}/merge_requests`, {
    token: world.owner.token,
    json: { source_branch: 'change', target_branch: 'main', title: 'Change' },
  });
  iid = made.body.iid;
  await leave(
    job,
    {
      cases: { kept: false, fixed: true, broken: false },
      quality: ['old', 'new'],
      coverage: `<coverage><sources><source>/builds/${project.path}/lib</source></sources>
        <class filename="berth.rb"><line number="1" hits="2"/><line number="2" hits="0"/></class>
        <class filename="elsewhere.rb"><line number="1" hits="2"/></class></coverage>`,
      terraform: '{"create": 1, "update": 2, "delete": 3}',
      metrics: 'size 12\nadded 1\n',
      accessibility: ['#old', '#new'],
      licenses: { rails: ['MIT'], more: ['MIT', 'GPL-3.0'] },
      score: 86,
      rate: 10,
    },
    'failed',
  );
});
afterAll(() => world.close());

describe('reports of a merge request', () => {
  it('say which lines of changed files ran', async () => {
    expect(await get(of('coverage_reports'))).toMatchObject({
      files: { 'lib/berth.rb': { 1: 2, 2: 0 } },
      errors: [],
    });
  });

  it('compare tests with the target branch', async () => {
    type Suite = Record<string, ReadonlyArray<{ name: string; recent_failures?: object }>>;
    const found = await get<{ status: string; summary: object; suites: Suite[] }>(of('test_reports'));
    expect([found.status, found.summary]).toEqual(['failed', { total: 3, resolved: 1, failed: 2, errored: 0 }]);
    const [suite] = found.suites;
    const names = (list: string) => suite?.[list]?.map(({ name }) => name);
    expect([names('new_failures'), names('existing_failures'), names('resolved_failures')]).toEqual([
      ['broken'],
      ['kept'],
      ['fixed'],
    ]);
    expect(suite?.existing_failures?.[0]?.recent_failures).toEqual({ count: 1, base_branch: 'main' });
    expect(suite?.new_failures?.[0]?.recent_failures).toBeUndefined();
  });

  it('compare code quality', async () => {
    const found = await get<Record<string, ReadonlyArray<{ fingerprint: string }>>>(of('codequality_reports'));
    const prints = (list: string) => found[list]?.map(({ fingerprint }) => fingerprint);
    expect([found.status, found.summary]).toEqual(['failed', { total: 2, resolved: 1, errored: 1 }]);
    expect([prints('new_errors'), prints('resolved_errors'), prints('existing_errors')]).toEqual([
      ['new'],
      ['solved'],
      ['old'],
    ]);
  });

  it('list terraform plans and compare metrics', async () => {
    const { plans } = await get<{ plans: object[] }>(of('terraform_reports'));
    expect(plans).toMatchObject([{ job_name: 'measure', create: 1, update: 2, delete: 3 }]);
    expect(await get(of('metrics_reports'))).toMatchObject({
      new_metrics: [{ name: 'added', value: '1' }],
      existing_metrics: [{ name: 'size', value: '12', previous_value: '10' }],
      removed_metrics: [{ name: 'gone', value: '1' }],
    });
  });

  it('compare accessibility', async () => {
    const found = await get<Record<string, ReadonlyArray<{ selector: string }>>>(of('accessibility_reports'));
    const selectors = (list: string) => found[list]?.map(({ selector }) => selector);
    expect([found.status, found.summary]).toEqual(['failed', { total: 2, resolved: 1, errored: 1 }]);
    expect([selectors('new_errors'), selectors('resolved_errors'), selectors('existing_errors')]).toEqual([
      ['#new'],
      ['#solved'],
      ['#old'],
    ]);
  });

  it('compare licenses of dependencies', async () => {
    expect(await get(of('license_scanning_reports'))).toMatchObject({
      status: 'success',
      summary: { total: 2, added: 1, removed: 1 },
      new_licenses: [{ id: null, name: 'GPL-3.0', url: null, dependencies: ['more 1'], count: 1 }],
      removed_licenses: [{ name: 'WTFPL', dependencies: ['left 1'] }],
      existing_licenses: [
        { id: 'MIT', name: 'MIT License', url: 'https://mit.example', dependencies: ['more 1', 'rails 1'], count: 2 },
      ],
      errors: [],
    });
  });

  it('compare performance, of pages with the threshold of the job, and under load', async () => {
    const score = { subject: '/', name: 'Total Score', value: 86, previous_value: 90 };
    const none = { degraded_metrics: [], improved_metrics: [], new_metrics: [], errors: [] };
    expect(await get(of('browser_performance_reports'))).toMatchObject({
      ...none,
      status: 'success',
      unchanged_metrics: [score],
      summary: { total: 1, degraded: 0, improved: 0 },
    });
    expect(await get(of('load_performance_reports'))).toMatchObject({
      ...none,
      status: 'failed',
      degraded_metrics: [{ subject: '', name: 'RPS', value: 10, previous_value: 20 }],
      summary: { total: 1, degraded: 1, improved: 0 },
    });
  });

  it('are named with the merge request, for those who see its pipelines', async () => {
    const named = async (token: string) =>
      (
        await get<{ counts: { reports: string[] } }>(
          `/projects/${project.id}/merge_requests/${iid}?with_counts=true`,
          token,
        )
      ).counts.reports;
    expect(await named(world.owner.token)).toEqual([
      ...['accessibility_reports', 'browser_performance_reports', 'codequality_reports', 'coverage_reports'],
      ...[
        'license_scanning_reports',
        'load_performance_reports',
        'metrics_reports',
        'terraform_reports',
        'test_reports',
      ],
    ]);
  });

  it('are there for those who see the merge request and its pipelines', async () => {
    for (const name of [
      'coverage',
      'test',
      'codequality',
      'terraform',
      'metrics',
      'accessibility',
      'license_scanning',
      'browser_performance',
      'load_performance',
    ]) {
      const path = of(`${name}_reports`);
      expect((await world.app.api('GET', path, { token: stranger.token })).status).toBe(404);
      expect((await world.app.api('GET', path.replace(`/${iid}/`, '/999/'), { token: world.owner.token })).status).toBe(
        404,
      );
    }
  });

  it('that cannot be read say why, and go with the artifacts', async () => {
    const other = await world.project();
    await other.push(config);
    const job = await runner.next();
    await leave(job, { terraform: '{"create": true}' });
    const { db } = world.app;
    const stored = () => db.selectFrom('job_reports').select('error').where('job_id', '=', job.id).execute();
    expect(await stored()).toEqual([{ error: 'missing_report_keys' }]);
    await world.app.api('POST', `/projects/${other.id}/jobs/${job.id}/erase`, { token: world.owner.token });
    expect(await stored()).toEqual([]);
  });
});

describe('the history of tests', () => {
  it('counts failures, and those that passed for the same commit as flaky', async () => {
    const own = await world.project();
    await own.push(config);
    const job = await runner.next();
    await leave(job, { cases: { flaky: false, broken: false, fine: true } }, 'failed');
    await world.app.api('POST', `/projects/${own.id}/jobs/${job.id}/retry`, { token: world.owner.token });
    await leave(await runner.next(), { cases: { flaky: true, broken: false, fine: true } }, 'failed');
    const path = `/projects/${own.id}/test_history`;
    const once = { suite_name: 'measure', classname: 'c', file: null };
    expect(await get(path)).toMatchObject([
      { ...once, name: 'broken', failures: 2, flaky_failures: 0, default_branch_failures: 2 },
      { ...once, name: 'flaky', failures: 1, flaky_failures: 1, default_branch_failures: 1, last_job_id: job.id },
    ]);
    expect(await get(`${path}?flaky=true`)).toMatchObject([{ name: 'flaky' }]);
    expect((await world.app.api('GET', path, { token: stranger.token })).status).toBe(404);
    expect((await world.app.api('GET', `${path}?days=0`, { token: world.owner.token })).status).toBe(400);
  });

  it('tells the next attempt which tests failed in the one before, of pipelines and of jobs that are retried', async () => {
    const own = await world.project();
    const pipeline = await own.push(config);
    const first = await runner.next();
    const told = (job: JobPayload, name: string) => job.variables.find(({ key }) => key === name);
    expect(told(first, 'MILLRACE_FAILED_TESTS')).toBeUndefined();
    await leave(first, { cases: { 'a $b': false, c: true, d: false } }, 'failed');
    await own.reaches(pipeline.id, 'failed');
    const retried = await world.app.api('POST', `/projects/${own.id}/pipelines/${pipeline.id}/retry`, {
      token: world.owner.token,
    });
    expect(retried.status).toBe(201);
    const second = await runner.next();
    const list = told(second, 'MILLRACE_FAILED_TESTS');
    expect(list).toMatchObject({ file: true, raw: true });
    const cases = (text: string | undefined) =>
      (JSON.parse(text ?? '[]') as { name: string }[]).map(({ name }) => name);
    expect(cases(list?.value)).toEqual(['a $b', 'd']);
    expect(told(second, 'MILLRACE_FAILED_TEST_FILES')?.value).toBe('');
    // An attempt that leaves no report says nothing of tests.
    await runner.update(second, 'failed', { failure_reason: 'script_failure', exit_code: 1 });
    const retry = (job: JobPayload) =>
      world.app.api('POST', `/projects/${own.id}/jobs/${job.id}/retry`, { token: world.owner.token });
    expect((await retry(second)).status).toBe(201);
    const third = await runner.next();
    expect(cases(told(third, 'MILLRACE_FAILED_TESTS')?.value)).toEqual(['a $b', 'd']);
    await leave(third, { cases: { d: true } });
    expect((await retry(third)).status).toBe(201);
    const fourth = await runner.next();
    expect(told(fourth, 'MILLRACE_FAILED_TESTS')).toBeUndefined();
    await runner.update(fourth, 'success');
  });

  it('knows a failure as flaky that comes after the success, too', async () => {
    const own = await world.project();
    await own.push(config);
    const job = await runner.next();
    await leave(job, { cases: { late: true } });
    await world.app.api('POST', `/projects/${own.id}/jobs/${job.id}/retry`, { token: world.owner.token });
    await leave(await runner.next(), { cases: { late: false } }, 'failed');
    expect(await get(`/projects/${own.id}/test_history?flaky=true`)).toMatchObject([
      { name: 'late', flaky_failures: 1 },
    ]);
  });
});

describe('statistics of pipelines', () => {
  it('count by day, with durations of those that ended', async () => {
    const own = await world.project();
    await own.push(config);
    await runner.run('success');
    const pipeline = await own.push(`${config}# again\n`);
    await runner.run('failed', { failure_reason: 'script_failure' });
    await own.reaches(pipeline.id, 'failed');
    await own.push(`${config}# waits\n`);
    const { db } = world.app;
    await db.updateTable('pipelines').set({ duration: 60 }).where('id', '=', pipeline.id).execute();
    const path = `/projects/${own.id}/pipelines/statistics`;
    const found = await get<{ days: object[]; median_duration: number }>(path);
    expect(found).toMatchObject({ total: 3, success: 1, failed: 1, other: 1, success_rate: 50, p95_duration: 60 });
    expect(found.days).toMatchObject([{ total: 3, success: 1, failed: 1, other: 1 }]);
    expect(await get(`${path}?ref=none`)).toMatchObject({ total: 0, success_rate: null, days: [] });
    expect(await get(`${path}?source=push`)).toMatchObject({ total: 3 });
    expect((await world.app.api('GET', path, { token: stranger.token })).status).toBe(404);
  });
});
