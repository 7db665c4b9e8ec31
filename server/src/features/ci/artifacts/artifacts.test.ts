/** Artifacts up and down, whole and single files, expiry, reports. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import {
  emptyZip,
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';

let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

async function zip(files: Readonly<Record<string, string>>, links: readonly string[] = []): Promise<Buffer> {
  const archive = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  for (const name of links) archive.addBuffer(Buffer.from('/etc/passwd'), name, { mode: 0o120777 });
  archive.end();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.outputStream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

const archive = (data: Buffer, expireIn?: string) => ({
  data,
  name: 'artifacts.zip',
  type: 'archive',
  format: 'zip',
  ...(expireIn ? { expireIn } : {}),
});

const get = (path: string, token: string | undefined, query = {}) =>
  world.app.api<unknown>('GET', path, { token, query });
const config = 'build: {script: [x], artifacts: {paths: [dist]}}';

/** A project whose job has stored an archive and passed. */
async function built(
  data: Buffer,
  expireIn?: string,
): Promise<{ project: TestProject; job: JobPayload; pipelineId: number }> {
  const project = await world.project();
  const pipeline = await project.push(config);
  const job = await runner.next();
  const answer = await runner.upload(job, archive(data, expireIn));
  expect([answer.status, answer.text]).toEqual([201, '{"message":"201 Created"}']);
  await runner.update(job, 'success');
  return { project, job, pipelineId: pipeline.id };
}

const sweep = () => runTask(world.app, 'ci.sweep_artifacts');

describe('downloads', () => {
  it('[2/api.job-artifacts/2 job_id, 200, 404] [2/api.job-artifacts/3 ref_name, job, 200, 404] give the archive by job and by ref', async () => {
    const data = await zip({ 'dist/a.txt': 'A' });
    const { project, job } = await built(data);
    const raw = async (path: string, query: Record<string, string> = {}) => {
      const url = `${world.app.url}/api/v4/projects/${project.id}${path}?${new URLSearchParams(query)}`;
      const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': world.owner.token } });
      return { status: response.status, headers: response.headers, data: Buffer.from(await response.arrayBuffer()) };
    };
    const byJob = await raw(`/jobs/${job.id}/artifacts`);
    expect([byJob.status, byJob.data.equals(data)]).toEqual([200, true]);
    expect(byJob.headers.get('content-type')).toBe('application/zip');
    expect(byJob.headers.get('content-disposition')).toContain('attachment; filename="artifacts.zip"');
    const byRef = await raw('/jobs/artifacts/main/download', { job: 'build' });
    expect([byRef.status, byRef.data.equals(data)]).toEqual([200, true]);
    expect((await raw('/jobs/artifacts/main/download', { job: 'other' })).status).toBe(404);
    expect((await raw('/jobs/artifacts/none/download', { job: 'build' })).status).toBe(404);
    expect((await raw('/jobs/artifacts/main/download')).status).toBe(400);
    expect((await raw('/jobs/999999/artifacts')).status).toBe(404);
  });

  it('list what is in an archive, a directory at a time or all of it', async () => {
    const data = await zip({ 'dist/a.txt': 'A', 'dist/sub/b.txt': 'BB', 'x.txt': 'X' }, ['dist/link']);
    const { project, job } = await built(data);
    const tree = async (query: Record<string, string> = {}) => {
      const answer = await get(`/projects/${project.id}/jobs/${job.id}/artifacts/tree`, world.owner.token, query);
      return [
        answer.status,
        (answer.body as { path: string; size: number | null }[]).map?.(({ path, size }) => [path, size]),
      ];
    };
    expect(await tree()).toEqual([
      200,
      [
        ['dist/', null],
        ['x.txt', 1],
      ],
    ]);
    expect(await tree({ path: 'dist' })).toEqual([
      200,
      [
        ['dist/sub/', null],
        ['dist/a.txt', 1],
      ],
    ]);
    expect(await tree({ path: 'dist/', recursive: 'true' })).toEqual([
      200,
      [
        ['dist/a.txt', 1],
        ['dist/sub/', null],
        ['dist/sub/b.txt', 2],
      ],
    ]);
    expect((await tree({ path: 'none' }))[0]).toBe(404);
    expect((await tree({ path: '../..' }))[0]).toBe(404);
    const [, firstPage] = await tree({ per_page: '1', page: '2' });
    expect(firstPage).toEqual([['x.txt', 1]]);
    const stranger = await world.account();
    expect((await get(`/projects/${project.id}/jobs/${job.id}/artifacts/tree`, stranger.token)).status).toBe(404);
  });

  it('[2/api.job-artifacts/4 job_id, artifact_path, 200, 400, 404] [2/api.job-artifacts/5 artifact_path, ref_name, job, 200, 400, 404] [security 9] give one file, never as a page', async () => {
    const { project, job } = await built(
      await zip({ 'dist/a b.html': '<script>1</script>', 'x.txt': 'X' }, ['dist/link']),
    );
    const base = `/projects/${project.id}/jobs`;
    const one = await get(`${base}/${job.id}/artifacts/dist/a%20b.html`, world.owner.token);
    expect([one.status, one.body]).toEqual([200, '<script>1</script>']);
    expect(one.headers.get('content-type')).toBe('application/octet-stream');
    expect(one.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(one.headers.get('content-security-policy')).toContain('sandbox');
    expect(one.headers.get('x-content-type-options')).toBe('nosniff');
    const byRef = await get(`${base}/artifacts/main/raw/x.txt`, world.owner.token, { job: 'build' });
    expect([byRef.status, byRef.body]).toEqual([200, 'X']);
    expect((await get(`${base}/artifacts/main/raw/none.txt`, world.owner.token, { job: 'build' })).status).toBe(404);
    expect((await get(`${base}/artifacts/main/raw/a%00b`, world.owner.token, { job: 'build' })).status).toBe(400);
    for (const [path, status] of [
      ['dist/none', 404],
      ['dist/link', 404],
      ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', 400],
      ['dist%2f%2e%2e%2fx.txt', 400],
      ['a%00b', 400],
      ['%2fetc%2fpasswd', 400],
    ] as const) {
      const answer = await get(`${base}/${job.id}/artifacts/${path}`, world.owner.token);
      expect([path, answer.status]).toEqual([path, status]);
    }
  });

  it('[2/api.job-artifacts/1 job_token, CI_JOB_TOKEN, JOB-TOKEN] [2/api.job-artifacts/2 job_token] [2/api.job-artifacts/3 job_token] [2/api.job-artifacts/4 job_token] [2/api.job-artifacts/5 job_token] a running job of the project reads them, a stranger does not', async () => {
    const { project, job } = await built(await zip({ a: 'a' }));
    await project.push(`${config}\n#`);
    const running = await runner.next();
    const path = `/projects/${project.id}/jobs/${job.id}/artifacts`;
    const ask = (headers: Record<string, string>, query = {}) => world.app.api('GET', path, { headers, query });
    expect((await ask({ 'JOB-TOKEN': running.token })).status).toBe(200);
    expect((await ask({}, { job_token: running.token })).status).toBe(200);
    expect((await runner.download(job.id, running.token)).status).toBe(200);
    const jobs = `/projects/${project.id}/jobs`;
    for (const [url, query] of [
      [`${jobs}/artifacts/main/download`, { job: 'build' }],
      [`${jobs}/${job.id}/artifacts/a`, {}],
      [`${jobs}/artifacts/main/raw/a`, { job: 'build' }],
    ] as const)
      expect((await world.app.api('GET', url, { query: { ...query, job_token: running.token } })).status).toBe(200);
    const stranger = await world.account();
    expect((await get(path, undefined)).status).toBe(404);
    expect((await get(path, stranger.token)).status).toBe(404);
    const elsewhere = await world.project({ visibility: 'private' });
    await elsewhere.push('other: {script: [x]}');
    const foreign = await runner.next();
    expect((await runner.download(job.id, foreign.token)).status).toBe(404);
    for (const each of [running, foreign]) await runner.update(each, 'success');
    expect((await runner.download(job.id, running.token)).status).toBe(403);
    expect((await ask({ 'JOB-TOKEN': running.token })).status).toBe(401);
  });
});

describe('uploads', () => {
  it('[1/what-the-service-does/6] take their parameters from fields beside the file as well', async () => {
    const project = await world.project();
    await project.push(config);
    const job = await runner.next();
    const sent = async (fields: Record<string, string>, query = '') => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', new Blob(['{}']), 'report.json');
      const init = { method: 'POST', headers: { 'JOB-TOKEN': job.token }, body: form };
      return (await fetch(`${world.app.url}/api/v4/jobs/${job.id}/artifacts${query}`, init)).status;
    };
    expect(await sent({ artifact_type: 'sast', artifact_format: 'raw', expire_in: '1 day' })).toBe(201);
    expect(await sent({ artifact_type: 'sast', artifact_format: 'zip' })).toBe(400);
    expect(await sent({ artifact_type: 'nonsense' })).toBe(400);
    expect(await sent({ artifact_type: 'sast', expire_in: 'soon' }, '?artifact_format=raw')).toBe(400);
    // The address has the last word.
    expect(await sent({ artifact_type: 'sast' }, '?artifact_type=archive')).toBe(400);
    const stored = await world.app.db
      .selectFrom('job_artifacts')
      .select(['file_type', 'file_format', 'expire_at'])
      .where('job_id', '=', job.id)
      .execute();
    expect(stored).toEqual([{ file_type: 'sast', file_format: 'raw', expire_at: expect.any(Date) }]);
    await runner.update(job, 'success');
  });

  it('are limited, and need a running job', async () => {
    const project = await world.project();
    await project.push(config);
    const job = await runner.next();
    await world.app.settings.write({ max_artifacts_size: 1 });
    const big = await runner.upload(job, archive(Buffer.alloc(1024 * 1024 + 1)));
    expect(big.status).toBe(413);
    expect(big.text).toContain(String(1024 * 1024));
    await world.app.settings.write({ max_artifacts_size: 100 });
    const wrong = await runner.upload(job, { data: Buffer.from('x'), name: 'x', type: 'horoscope', format: 'raw' });
    expect(wrong.status).toBe(400);
    const bare = await fetch(`${world.app.url}/api/v4/jobs/${job.id}/artifacts`, {
      method: 'POST',
      headers: { 'JOB-TOKEN': job.token },
      body: new FormData(),
    });
    expect(bare.status).toBe(400);
    const expire = await runner.upload(job, archive(Buffer.from('x'), 'some day'));
    expect(expire.status).toBe(400);
    await runner.update(job, 'success');
    expect((await runner.upload(job, archive(Buffer.from('x')))).status).toBe(403);
    expect((await runner.upload({ ...job, token: 'glcbt-wrong-token-00' }, archive(Buffer.from('x')))).status).toBe(
      403,
    );
  });

  it('are limited by what is nearest: the project, a group above it, the instance', async () => {
    const { api } = world.app;
    const group = async (more: Record<string, unknown> = {}) => {
      const name = unique('limits');
      const made = await api<{ id: number }>('POST', '/groups', {
        token: world.owner.token,
        json: { name, path: name, ...more },
      });
      expect(made.status).toBe(201);
      return made.body.id;
    };
    const top = await group();
    const sub = await group({ parent_id: top });
    const project = await world.project({ namespace_id: sub });
    const limit = async (target: string, megabytes: number | null, token = world.admin.token) =>
      api<{ max_artifacts_size: number | null }>('PUT', target, { token, json: { max_artifacts_size: megabytes } });
    await project.push(config);
    const job = await runner.next();
    const mebibyte = 1024 * 1024;
    const taken = async (bytes: number) => (await runner.upload(job, archive(emptyZip(bytes)))).status;
    expect(await taken(mebibyte + 1)).toBe(201);
    await limit(`/groups/${top}`, 1);
    const refused = await runner.upload(job, archive(Buffer.alloc(mebibyte + 1)));
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining(`max_artifacts_size is ${mebibyte}`)]);
    await limit(`/groups/${sub}`, 2);
    expect([await taken(mebibyte + 1), await taken(2 * mebibyte + 1)]).toEqual([201, 413]);
    // Owners of the group do not change what administrators say.
    expect((await limit(`/groups/${sub}`, 50, world.owner.token)).body.max_artifacts_size).toBe(2);
    expect(await taken(2 * mebibyte + 1)).toBe(413);
    await limit(`/projects/${project.id}`, 3);
    expect([await taken(2 * mebibyte + 1), await taken(3 * mebibyte + 1)]).toEqual([201, 413]);
    for (const target of [`/projects/${project.id}`, `/groups/${sub}`, `/groups/${top}`]) await limit(target, null);
    expect(await taken(3 * mebibyte + 1)).toBe(201);
    await runner.update(job, 'success');
  });

  it('[2/fields.job/14 artifacts_file, filename] [2/fields.job/14 size] [2/fields.job/15 artifacts, file_type] [2/fields.job/15 size] [2/fields.job/15 filename] [2/fields.job/15 file_format] [2/fields.job/16] show on the job', async () => {
    const project = await world.project();
    const pipeline = await project.push('build: {script: [x], artifacts: {paths: [d], reports: {junit: j.xml}}}');
    const job = await runner.next();
    const data = await zip({ d: 'd' });
    const junit = gzipSync('<testsuites/>');
    await runner.upload(job, archive(data, '1 day'));
    await runner.upload(job, { data: junit, name: 'junit.xml.gz', type: 'junit', format: 'gzip' });
    await runner.patch(job, 'log');
    await runner.update(job, 'success');
    const shown = await eventually('the archived log', async () => {
      const now = await project.job(pipeline.id, 'build');
      return (now.artifacts as unknown[]).length === 3 && now;
    });
    expect(shown.artifacts_file).toEqual({ filename: 'artifacts.zip', size: data.length });
    expect(shown.artifacts).toEqual([
      { file_type: 'archive', size: data.length, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'junit', size: junit.length, filename: 'junit.xml.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 3, filename: 'job.log', file_format: 'raw' },
    ]);
    const left = Date.parse(String(shown.artifacts_expire_at)) - Date.now();
    expect(Math.round(left / 3_600_000)).toBe(24);
  });
});

describe('dotenv reports', () => {
  it('become variables of the jobs that follow', async () => {
    const project = await world.project();
    await project.push(`
build: {stage: build, script: [x], variables: {SHARED: from-yaml}, artifacts: {reports: {dotenv: build.env}}}
deploy: {stage: deploy, script: [x], variables: {SHARED: from-yaml}}
alone: {stage: deploy, script: [x], needs: [{job: build, artifacts: false}]}
`);
    const build = await runner.next();
    const upload = (text: string) =>
      runner.upload(build, { data: gzipSync(text), name: '.env.gz', type: 'dotenv', format: 'gzip' });
    const bad = await upload('no equals sign');
    expect(bad.status).toBe(400);
    expect(bad.text).toContain('line 1');
    expect((await upload('x'.repeat(100_000))).text).toContain('Maximum Allowable Size: 5120');
    expect((await upload('URL=http://x\nSHARED=from dotenv\n')).status).toBe(201);
    await runner.update(build, 'success');
    const jobs = [await runner.next(), await runner.next()];
    const of = (name: string, key: string) =>
      jobs.find((job) => job.job_info.name === name)?.variables.findLast((item) => item.key === key)?.value;
    expect([of('deploy', 'URL'), of('deploy', 'SHARED'), of('alone', 'URL')]).toEqual([
      'http://x',
      'from dotenv',
      undefined,
    ]);
    for (const job of jobs) await runner.update(job, 'success');
  });
});

describe('keeping and deleting', () => {
  it('[2/api.job-artifacts/6 job_id] [2/fields.job/24] keeps what would expire', async () => {
    const { project, job } = await built(await zip({ a: 'a' }), '1 hour');
    const path = `/projects/${project.id}/jobs/${job.id}/artifacts/keep`;
    const reporter = await world.account();
    const call = (token?: string) => world.app.api<{ artifacts_expire_at: unknown }>('POST', path, { token });
    expect((await call()).status).toBe(401);
    expect((await call(reporter.token)).status).toBe(404);
    const kept = await call(world.owner.token);
    expect(kept).toMatchObject({ status: 200, body: { artifacts_expire_at: null, download_url: null } });
    const empty = await world.project();
    const pipeline = await empty.push(config);
    await runner.run();
    const bare = await empty.job(pipeline.id, 'build');
    const nothing = await world.app.api('POST', `/projects/${empty.id}/jobs/${bare.id}/artifacts/keep`, {
      token: world.owner.token,
    });
    expect(nothing.status).toBe(404);
  });

  it('[2/api.job-artifacts/7 job_id, 204] deletes those of one job', async () => {
    const { project, job } = await built(await zip({ a: 'a' }));
    const path = `/projects/${project.id}/jobs/${job.id}/artifacts`;
    expect((await world.app.api('DELETE', path)).status).toBe(401);
    expect((await world.app.api('DELETE', path, { token: world.owner.token })).status).toBe(204);
    expect((await get(path, world.owner.token)).status).toBe(404);
  });

  it('[2/api.job-artifacts/8] lets all but the latest of each ref expire; logs stay', async () => {
    const first = await built(await zip({ a: 'old' }));
    const { project } = first;
    await project.push(`${config}\n#`);
    const newer = await runner.next();
    await runner.upload(newer, archive(await zip({ a: 'new' })));
    await runner.patch(newer, 'log');
    await runner.update(newer, 'success');
    const answer = await world.app.api('DELETE', `/projects/${project.id}/artifacts`, { token: world.owner.token });
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }]);
    await sweep();
    expect((await get(`/projects/${project.id}/jobs/${first.job.id}/artifacts`, world.owner.token)).status).toBe(404);
    expect((await get(`/projects/${project.id}/jobs/${newer.id}/artifacts`, world.owner.token)).status).toBe(200);
    expect((await get(`/projects/${project.id}/jobs/${newer.id}/trace`, world.owner.token)).body).toBe('log');
  });

  it('every job whose artifacts expire says so, however the time is rounded', async () => {
    const { project, job } = await built(await zip({ a: 'a' }));
    await world.app.db
      .updateTable('projects')
      .set({ keep_latest_artifact: false })
      .where('id', '=', project.id)
      .execute();
    const later = new Date('2100-01-01T00:00:00Z');
    const seen = [];
    for (let round = 0; round < 12; round += 1) {
      await world.app.db.updateTable('jobs').set({ artifacts_expire_at: later }).where('id', '=', job.id).execute();
      await world.app.db.updateTable('job_artifacts').set({ expire_at: later }).where('job_id', '=', job.id).execute();
      await world.app.api('DELETE', `/projects/${project.id}/artifacts`, { token: world.owner.token });
      const shown = await world.app.api<{ artifacts_expire_at: string }>(
        'GET',
        `/projects/${project.id}/jobs/${job.id}`,
        { token: world.owner.token },
      );
      seen.push(new Date(shown.body.artifacts_expire_at) < later);
    }
    expect(seen).toEqual(seen.map(() => true));
  });

  it('removes objects of what expired and of deleted pipelines', async () => {
    const { project, job, pipelineId } = await built(await zip({ a: 'a' }), '1 hour');
    const row = await world.app.db
      .selectFrom('job_artifacts')
      .selectAll()
      .where('job_id', '=', job.id)
      .executeTakeFirstOrThrow();
    expect(await world.app.kernels.objects.exists(row.object_key)).toBe(true);
    const path = `/projects/${project.id}/pipelines/${pipelineId}`;
    expect((await world.app.api('DELETE', path, { token: world.owner.token })).status).toBe(204);
    expect((await get(path, world.owner.token)).status).toBe(404);
    await sweep();
    expect(await world.app.kernels.objects.exists(row.object_key)).toBe(false);
  });
});

describe('artifacts that are exposed in merge requests', () => {
  it('are linked there for those who may read them, and found at the addresses that people paste', async () => {
    const project = await world.project({ visibility: 'public' });
    await project.push('build: {script: [x]}');
    const job = (name: string, more: string) => `${name}: {script: [x], artifacts: {expose_as: ${name} it, ${more}}}\n`;
    const exposing = [
      job('file', 'paths: [./dist/a b.txt, missing.txt]'),
      job('folder', 'paths: [dist/]'),
      job('several', 'paths: [dist/a b.txt, dist/c.txt]'),
      job('nothing', 'paths: [missing.txt]'),
      job('hidden', 'paths: [dist], access: maintainer'),
    ].join('');
    const pipeline = await project.push(exposing, { branch: 'raw/the/change' });
    const { body } = await world.app.api<{ iid: number }>('POST', `/projects/${project.id}/merge_requests`, {
      token: world.owner.token,
      json: { source_branch: 'raw/the/change', target_branch: 'main', title: 'Change' },
    });
    await runner.update(await runner.next(), 'success');
    const data = await zip({ 'dist/a b.txt': 'A', 'dist/c.txt': 'C' });
    const ids: Record<string, number> = {};
    for (let n = 0; n < 5; n++) {
      const taken = await runner.next();
      ids[taken.job_info.name] = taken.id;
      expect((await runner.upload(taken, archive(data))).status).toBe(201);
      await runner.update(taken, 'success');
    }
    await project.reaches(pipeline.id, 'success');
    const exposed = `/projects/${project.id}/merge_requests/${body.iid}/exposed_artifacts`;
    type Link = { text: string; url: string; job_path: string; job_name: string };
    await eventually(
      'the head pipeline',
      async () => ((await get(exposed, world.owner.token)).body as Link[]).length > 0,
    );
    const links = (await get(exposed, world.owner.token)).body as Link[];
    const place = (name: string) => `/${project.path}/-/jobs/${ids[name]}`;
    const link = (name: string, rest: string) => ({
      ...{ text: `${name} it`, url: `${place(name)}/artifacts/${rest}`, job_path: place(name), job_name: name },
    });
    expect(links).toEqual([
      link('file', 'file/dist/a%20b.txt'),
      link('folder', 'browse'),
      link('several', 'browse'),
      link('hidden', 'browse'),
    ]);
    const stranger = (await world.account()).token;
    const seen = (await get(exposed, stranger)).body as Link[];
    expect(seen.map(({ job_name: name }) => name)).toEqual(['file', 'folder', 'several']);
    expect((await get(exposed.replace(`/${body.iid}/`, '/999/'), stranger)).status).toBe(404);

    const at = async (path: string, token?: string) => {
      const headers = token === undefined ? {} : { 'PRIVATE-TOKEN': token };
      const response = await fetch(`${world.app.url}${path}`, { headers, redirect: 'manual' });
      return [
        response.status,
        response.headers.get('location')?.replace(/^https?:\/\/[^/]+/, '') ?? (await response.text()),
      ];
    };
    const browse = `${place('file')}/artifacts/browse`;
    expect(await at(links[0]?.url ?? '')).toEqual([302, `${browse}?path=dist&file=dist%2Fa+b.txt`]);
    expect(await at(`${browse}/dist/`)).toEqual([302, `${browse}?path=dist`]);
    expect(await at(`${place('file')}/artifacts/raw/dist/c.txt`)).toEqual([200, 'C']);
    expect((await at(`${place('file')}/artifacts/download`))[0]).toBe(200);
    const ofRef = `/${project.path}/-/jobs/artifacts/raw/the/change`;
    expect(await at(`${ofRef}/raw/dist/c.txt?job=file`)).toEqual([200, 'C']);
    expect(await at(`${ofRef}/file/dist/c.txt?job=file`)).toEqual([302, `${browse}?path=dist&file=dist%2Fc.txt`]);
    expect(await at(`${ofRef}/browse?job=file`)).toEqual([302, browse]);
    expect((await at(`${ofRef}/download?job=file`))[0]).toBe(200);
    for (const ref of ['raw/the/change', 'raw%2Fthe%2Fchange', 'raw%2Fthe/change']) {
      const inApi = `/api/v4/projects/${project.id}/jobs/artifacts/${ref}`;
      expect(await at(`${inApi}/raw/dist/c.txt?job=file`, world.owner.token)).toEqual([200, 'C']);
      expect((await at(`${inApi}/download?job=file`, world.owner.token))[0]).toBe(200);
    }
    for (const refused of [
      `${ofRef}/browse?job=other`,
      `${ofRef}/browse`,
      `${place('file')}/artifacts/raw/dist/..%2f..%2fa`,
      `${place('file')}/artifacts/raw/dist/d.txt`,
    ])
      expect([404, 400]).toContain((await at(refused))[0]);
    expect((await at(`${place('hidden')}/artifacts/raw/dist/c.txt`))[0]).toBe(401);
    expect((await at(`${place('hidden')}/artifacts/raw/dist/c.txt`, stranger))[0]).toBe(403);
    expect((await at(`${place('hidden')}/artifacts/raw/dist/c.txt`, world.owner.token))[0]).toBe(200);
  });
});
