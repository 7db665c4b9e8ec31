/** Artifacts, logs and uploads in a bucket: whom downloads send there, what stays with us, and what a failure looks like. Slow: a bucket that fails is tried again until it is given up. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import yazl from 'yazl';
import {
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { startStorage, type TestStorage } from '../../../../test/s3/index.ts';

let storage: TestStorage;
let world: World;
let project: TestProject;
let job: JobPayload;
let runner: ProtocolRunner;
let api: string;
/** An archive whose directory is larger than what is fetched at once. */
let archive: Buffer;
const files = 5000;

beforeAll(async () => {
  storage = await startStorage();
  world = await startWorld({ environment: storage.environment('ci') });
  const packed = new yazl.ZipFile();
  for (let at = 0; at < files; at += 1)
    packed.addBuffer(Buffer.from(`file ${at}`), `dist/${'name'.repeat(10)}-${at}.html`);
  packed.end();
  const chunks: Buffer[] = [];
  for await (const chunk of packed.outputStream) chunks.push(Buffer.from(chunk as Buffer));
  archive = Buffer.concat(chunks);
  runner = await world.runner();
  project = await world.project();
  await project.push('build: {script: [x], artifacts: {paths: [dist]}}');
  job = await runner.next();
  await runner.patch(job, 'the log\n');
  const answer = await runner.upload(job, { data: archive, name: 'a (b).zip', type: 'archive', format: 'zip' });
  expect(answer.status).toBe(201);
  await runner.update(job, 'success');
  api = `${world.app.url}/api/v4/projects/${project.id}`;
});
afterEach(() => {
  storage.fault = () => null;
});
afterAll(async () => {
  await world.close();
  await storage.close();
});

const ask = (
  address: string,
  method = 'GET',
  headers: Record<string, string> = { 'PRIVATE-TOKEN': world.owner.token },
) => fetch(address, { method, headers, redirect: 'manual' });

it.each(['/jobs/JOB/artifacts', '/jobs/artifacts/main/download?job=build'])(
  '[2/api.job-artifacts/2 job_id] [security 9] %s sends a client to the storage, which answers with a download',
  async (target) => {
    const answer = await ask(api + target.replace('JOB', String(job.id)));
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(new URL(location).origin).toBe(storage.endpoint);
    const download = await ask(location, 'GET', { Range: 'bytes=0-' });
    expect(download.headers.get('content-type')).toBe('application/zip');
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="a _b_\.zip"/);
    expect(Buffer.from(await download.arrayBuffer()).equals(archive)).toBe(true);
    expect((await ask(api + target.replace('JOB', String(job.id)), 'GET', {})).status).toBe(404);
  },
);

it('who asks for the headers alone gets ours', async () => {
  const answer = await ask(`${api}/jobs/${job.id}/artifacts`, 'HEAD');
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(archive.length)]);
});

it('a runner is sent there when it says that it can go', async () => {
  await project.push('build: {script: [x]}');
  const running = await runner.next();
  const ofRunner = (direct: boolean) =>
    ask(`${world.app.url}/api/v4/jobs/${job.id}/artifacts?direct_download=${direct}`, 'GET', {
      'JOB-TOKEN': running.token,
    });
  expect((await ofRunner(true)).status).toBe(302);
  const through = await ofRunner(false);
  expect([through.status, Buffer.from(await through.arrayBuffer()).equals(archive)]).toEqual([200, true]);
});

it('[2/api.job-artifacts/4 artifact_path] [security 9] one file of the archive comes through us, in few requests', async () => {
  storage.requests.length = 0;
  const answer = await ask(`${api}/jobs/${job.id}/artifacts/dist/${'name'.repeat(10)}-${files - 1}.html`);
  expect([answer.status, await answer.text()]).toEqual([200, `file ${files - 1}`]);
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  expect(storage.requests.length).toBeLessThan(10);
});

it('the log of a job that ended is read from the storage', async () => {
  await eventually('the log is kept', async () => {
    const row = await world.app.db
      .selectFrom('jobs')
      .select('trace_object_key')
      .where('id', '=', job.id)
      .executeTakeFirst();
    return row?.trace_object_key;
  });
  expect(await (await ask(`${api}/jobs/${job.id}/trace`)).text()).toContain('the log');
});

it('caches of jobs are in the bucket too; one that cannot be had or kept says so', async () => {
  await project.push('build: {script: [x], cache: {key: deps, paths: [a]}}');
  const saving = await runner.next();
  const address = `${world.app.url}/api/v4/jobs/${saving.id}/cache?key=deps-protected`;
  const headers = { 'JOB-TOKEN': saving.token };
  const save = async (content: string) => {
    const body = new FormData();
    body.set('file', new Blob([content]), 'cache.zip');
    return (await fetch(address, { method: 'POST', headers, body })).status;
  };
  const held = () => [...storage.objects.values()].filter((object) => object.toString() === 'kept in a bucket').length;
  expect(await save('kept in a bucket')).toBe(204);
  expect(held()).toBe(1);
  expect(await (await ask(address, 'GET', headers)).text()).toBe('kept in a bucket');
  storage.fault = () => 'refused';
  expect([await save('other'), (await ask(address, 'GET', headers)).status]).toEqual([503, 503]);
  storage.fault = () => null;
  expect(await (await ask(address, 'GET', headers)).text()).toBe('kept in a bucket');
  await runner.update(saving, 'success');
});

it('[security 9] an upload comes through us, with our headers', async () => {
  const form = new FormData();
  form.set('file', new Blob(['<script>']), 'x.html');
  const made = await world.app.api<{ url: string }>('POST', `/projects/${project.id}/uploads`, {
    token: world.owner.token,
    form,
  });
  const shown = await ask(api + made.body.url);
  expect([shown.status, await shown.text()]).toEqual([200, '<script>']);
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  expect(shown.headers.get('content-disposition')).toMatch(/^attachment/);
});

it('a storage that refuses is 503 and a line in the log, and keeps nothing', async () => {
  storage.fault = () => 'refused';
  const rows = async () =>
    (await world.app.api<unknown[]>('GET', `/projects/${project.id}/uploads`, { token: world.owner.token })).body;
  const before = (await rows()).length;
  const form = new FormData();
  form.set('file', new Blob(['x']), 'x.png');
  const refused = await world.app.api('POST', `/projects/${project.id}/uploads`, { token: world.owner.token, form });
  expect(refused).toMatchObject({
    status: 503,
    body: { message: '503 Service Unavailable - the object storage cannot be used' },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await ask(`${api}/jobs/${job.id}/artifacts`)).status).toBe(503);
  expect((await rows()).length).toBe(before);
  expect(world.app.logs.join('')).toContain('AccessDenied (403)');
  expect(world.app.logs.join('')).not.toContain(storage.keys.id);
});
