/** Test reports of jobs, as the API puts them together for pipelines. Slow: reports as large as they may be. */
import { randomBytes } from 'node:crypto';
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
import { buildMember } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Suite {
  readonly name: string;
  readonly total_count: number;
  readonly suite_error: string | null;
  readonly test_cases: ReadonlyArray<{
    readonly name: string;
    readonly status: string;
    readonly system_output: unknown;
  }>;
}
interface Report {
  readonly total_count: number;
  readonly failed_count: number;
  readonly test_suites: readonly Suite[];
}

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
let reporter: Account;

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
  reporter = await world.account();
  const { db } = world.app;
  const row = await db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  await buildMember(world.app, { user: reporter.user, of: row, level: Level.reporter });
});
afterAll(() => world.close());

const one = (name: string, inside = '', time = '1') =>
  `<testcase classname="calc" name="${name}" time="${time}">${inside}</testcase>`;
const suite = (...cases: string[]) => `<testsuites><testsuite name="s">${cases.join('')}</testsuite></testsuites>`;
const failure = (output: string) => `<failure message="wrong">${output}</failure>`;
const config = (job = 'rspec') => `${job}: {script: [x], artifacts: {reports: {junit: rspec.xml}}}`;

async function leave(job: JobPayload, data: Buffer, state: 'success' | 'failed' = 'success'): Promise<void> {
  const answer = await runner.upload(job, { data, name: 'junit.xml.gz', type: 'junit', format: 'gzip' });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  await runner.update(job, state, state === 'failed' ? { failure_reason: 'script_failure', exit_code: 1 } : {});
  await eventually('the report is read', () =>
    world.app.db.selectFrom('job_test_reports').select('job_id').where('job_id', '=', job.id).executeTakeFirst(),
  );
}
/** Runs a pipeline of one job that leaves the report. */
async function reported(data: Buffer, of = project): Promise<{ pipelineId: number; jobId: number }> {
  const pipeline = await of.push(`${config()}\n# ${randomBytes(8).toString('hex')}`);
  const job = await runner.next();
  await leave(job, data);
  return { pipelineId: pipeline.id, jobId: job.id };
}
const path = (id: number) => `/projects/${project.id}/pipelines/${id}/test_report`;
const read = async (id: number, token: string | undefined = world.owner.token) => {
  const answer = await world.app.api<Report>('GET', path(id), token === undefined ? {} : { token });
  return answer.body;
};
const summary = async (id: number) =>
  (await world.app.api<Record<string, unknown>>('GET', `${path(id)}_summary`, { token: world.owner.token })).body;

describe('the test report of a pipeline', () => {
  it('has suites by job, and cases: broken ones first, slow ones before quick ones', async () => {
    const xml = suite(
      one('adds'),
      one('multiplies', '', '3.5'),
      one('divides', `${failure('expected 2')}<system-out>[[ATTACHMENT|shots/a b.png]]</system-out>`),
      one('crashes', '<error message="exit 1"/>'),
      one('later', '<skipped/>', '0'),
    );
    const { pipelineId, jobId } = await reported(gzipSync(xml));
    const counts = {
      total_time: 6.5,
      total_count: 5,
      success_count: 2,
      failed_count: 1,
      skipped_count: 1,
      error_count: 1,
    };
    const plain = { classname: 'calc', file: null, stack_trace: null, system_output: null, execution_time: 1 };
    const base = `${world.app.url}/api/v4/projects/${project.id}/jobs/${jobId}/artifacts`;
    expect(await read(pipelineId, reporter.token)).toEqual({
      ...counts,
      test_suites: [
        {
          name: 'rspec',
          ...counts,
          suite_error: null,
          test_cases: [
            { ...plain, status: 'error', name: 'crashes', system_output: 'exit 1' },
            {
              ...plain,
              status: 'failed',
              name: 'divides',
              system_output: 'expected 2\n\nSystem Out:\n\n[[ATTACHMENT|shots/a b.png]]',
              attachment_url: `${base}/shots/a%20b.png`,
            },
            { ...plain, status: 'success', name: 'multiplies', execution_time: 3.5 },
            { ...plain, status: 'success', name: 'adds' },
            { ...plain, status: 'skipped', name: 'later', execution_time: 0 },
          ],
        },
      ],
    });
    expect(await summary(pipelineId)).toEqual({
      total: { time: 6.5, count: 5, success: 2, failed: 1, skipped: 1, error: 1, suite_error: null },
      test_suites: [{ name: 'rspec', ...counts, build_ids: [jobId], suite_error: null }],
    });
  });

  it('is empty where no job left one', async () => {
    const pipeline = await project.push('a: {script: [x]}');
    await runner.run();
    const none = { total_time: 0, total_count: 0, success_count: 0, failed_count: 0, skipped_count: 0, error_count: 0 };
    expect(await read(pipeline.id)).toEqual({ ...none, test_suites: [] });
    expect(await summary(pipeline.id)).toEqual({
      total: { time: 0, count: 0, success: 0, failed: 0, skipped: 0, error: 0, suite_error: null },
      test_suites: [],
    });
  });

  it('reads files that the runner put together', async () => {
    const data = Buffer.concat([gzipSync(suite(one('a'))), gzipSync(suite(one('b')))]);
    const { pipelineId } = await reported(data);
    expect((await read(pipelineId)).test_suites[0]?.test_cases.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('reads other encodings than UTF-8', async () => {
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?>${suite(one('größer'))}`;
    const { pipelineId } = await reported(gzipSync(Buffer.from(xml, 'latin1')));
    expect((await read(pipelineId)).test_suites[0]?.test_cases[0]?.name).toBe('größer');
  });

  it('puts jobs that share a suite together, and keeps those of a matrix apart', async () => {
    const file = 'artifacts: {reports: {junit: a.xml}}';
    const pipeline = await project.push(
      `unit: {script: [x], parallel: 2, ${file}}\ncheck: {script: [x], parallel: {matrix: [{ON: [a, b]}]}, ${file}}`,
    );
    for (let left = 4; left > 0; left--) {
      const job = await runner.next();
      // Cases with the same name in both count once.
      await leave(job, gzipSync(suite(one('both'), one(`of ${job.job_info.name}`))));
    }
    const suites = (await read(pipeline.id)).test_suites.map(({ name, total_count }) => [name, total_count]);
    expect(suites.sort()).toEqual([
      ['check: [a]', 2],
      ['check: [b]', 2],
      ['unit', 3],
    ]);
  });

  it('leaves out attempts that were retried, and has those of children', async () => {
    const child = config('below');
    const pipeline = await project.push(`${config('above')}\nstart: {trigger: {include: child.yml}}`, {
      files: { 'child.yml': child },
    });
    const first = await runner.next();
    expect(first.job_info.name).toBe('above');
    await leave(first, gzipSync(suite(one('flaky', failure('x')))), 'failed');
    await world.app.api('POST', `/projects/${project.id}/jobs/${first.id}/retry`, { token: world.owner.token });
    for (let left = 2; left > 0; left--) await leave(await runner.next(), gzipSync(suite(one('flaky'))));
    const { failed_count, test_suites } = await read(pipeline.id);
    expect([failed_count, test_suites.map(({ name }) => name).sort()]).toEqual([0, ['above', 'below']]);
  });
});

describe('a report that cannot be read', () => {
  it('is an error of its suite, and counts for nothing', async () => {
    const { pipelineId, jobId } = await reported(gzipSync('<testsuites><testsuite>'));
    const error = 'JUnit XML parsing failed: 1:24: FATAL: premature end of data in tag testsuite';
    expect(await read(pipelineId)).toMatchObject({
      total_count: 0,
      test_suites: [{ name: 'rspec', total_count: 0, suite_error: error, test_cases: [] }],
    });
    expect(await summary(pipelineId)).toMatchObject({
      total: { count: 0, suite_error: error },
      test_suites: [{ build_ids: [jobId], suite_error: error }],
    });
  });

  it('[security 7] may be damaged, or larger than the limit when it is unpacked', async () => {
    const file = (name: string, mebibytes: number) =>
      gzipSync(Buffer.from(suite(one(name)).padEnd(mebibytes * 1024 * 1024)), { level: 1 });
    const parts = ['a', 'b', 'c'].map((name) => file(name, 29));
    const wrong: Array<[string, Buffer]> = [
      ['the report is damaged', Buffer.from([0x1f, 0x8b, 1, 2, 3])],
      ['the report is damaged', file('a', 1).subarray(0, -4)],
      ['the report is damaged', Buffer.concat([file('a', 1), Buffer.from('more')])],
      ['a file of the report is larger than 31457280 bytes', file('a', 31)],
      ['all files of the report are larger than 104857600 bytes', Buffer.concat([...parts, file('d', 29)])],
      [
        'the report has more than 10000 files',
        Buffer.concat(Array.from({ length: 10_001 }, () => gzipSync('', { level: 1 }))),
      ],
    ];
    for (const [reason, data] of wrong) {
      const [found] = (await read((await reported(data)).pipelineId)).test_suites;
      expect(found?.suite_error).toBe(`JUnit data parsing failed: ${reason}`);
    }
    // Each file is below its limit, and all of them below theirs.
    const [whole] = (await read((await reported(Buffer.concat([...parts, gzipSync('')]))).pipelineId)).test_suites;
    expect(whole).toMatchObject({ suite_error: null, total_count: 3 });
  });
});

describe('who reads a report', () => {
  it('are those who see pipelines', async () => {
    const { pipelineId } = await reported(gzipSync(suite(one('a'))));
    const stranger = await world.account();
    for (const address of [path(pipelineId), `${path(pipelineId)}_summary`]) {
      const statuses = [];
      for (const token of [stranger.token, undefined, reporter.token])
        statuses.push((await world.app.api('GET', address, token === undefined ? {} : { token })).status);
      expect(statuses).toEqual([404, 404, 200]);
    }
  });

  it('[security 17] find it only in its project', async () => {
    const { pipelineId } = await reported(gzipSync(suite(one('a'))));
    const other = await world.project();
    for (const end of ['', '_summary']) {
      const address = `/projects/${other.id}/pipelines/${pipelineId}/test_report${end}`;
      const answer = await world.app.api('GET', address, { token: world.owner.token });
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }]);
    }
  });

  it('[security 20] see no output of jobs with debug logging unless they may update these', async () => {
    const { pipelineId, jobId } = await reported(gzipSync(suite(one('a', failure('secret')))));
    await world.app.db.updateTable('jobs').set({ debug_trace: true }).where('id', '=', jobId).execute();
    const [hidden] = (await read(pipelineId, reporter.token)).test_suites;
    expect(hidden).toMatchObject({ test_cases: [], suite_error: expect.stringContaining('debug logging') });
    expect((await read(pipelineId)).test_suites[0]?.test_cases).toHaveLength(1);
  });

  it('find nothing of it once the artifacts of the job are deleted', async () => {
    const { pipelineId, jobId } = await reported(gzipSync(suite(one('a'))));
    const address = `/projects/${project.id}/jobs/${jobId}/artifacts`;
    expect((await world.app.api('DELETE', address, { token: world.owner.token })).status).toBe(204);
    expect((await read(pipelineId)).test_suites).toEqual([]);
  });
});
