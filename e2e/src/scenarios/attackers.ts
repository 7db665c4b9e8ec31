/** What attackers have tried, told as stories over the wire: each got in once, or would have. No browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Api, api, until } from '../support/api.ts';
import { run } from '../support/git.ts';
import { type Instance, rootToken, startInstance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { zipWith } from '../support/zip.ts';
import { wayStories } from './attacker-ways.ts';
import { writeStories } from './attacker-writes.ts';

interface Job {
  readonly id: number;
  readonly token: string;
}

/** The people of these stories. Mallory has an account and no role unless a story gives her one. */
export interface Cast {
  readonly url: string;
  /** Where the instance keeps everything. */
  readonly data: string;
  /** What the instance has printed. */
  readonly log: () => string;
  readonly root: Api;
  readonly olga: Api;
  readonly mike: Api;
  readonly dave: Api;
  readonly mallory: Api;
  readonly anonymous: Api;
  readonly ids: Readonly<Record<'olga' | 'mike' | 'dave' | 'mallory', number>>;
  /** A public project of Olga's, where Mike is a maintainer and Dave a developer. */
  readonly project: number;
  readonly path: string;
  readonly runnerToken: string;
  /** Takes the next job as a runner does. */
  nextJob(): Promise<Job>;
  send(method: string, path: string, json: object): Promise<{ status: number; body: unknown }>;
}

const config = 'build:\n  script: [make]\n  tags: [theatre]\n';
const inADay = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

async function person(root: Api, username: string): Promise<{ id: number; as: Api }> {
  const account = { username, name: username, email: `${username}@example.com`, force_random_password: true };
  const { id } = await root.expect<{ id: number }>(201, 'POST', '/users', { ...account, skip_confirmation: true });
  const wanted = { name: 'stories', scopes: ['api'], expires_at: inADay() };
  const made = await root.expect<{ token: string }>(201, 'POST', `/users/${id}/personal_access_tokens`, wanted);
  return { id, as: api(root.url, made.token) };
}

async function castOf({ url, data, log }: Pick<Instance, 'url' | 'data' | 'log'>): Promise<Cast> {
  const root = api(url, rootToken);
  const [olga, mike, dave, mallory] = await Promise.all(
    ['olga', 'mike', 'dave', 'mallory'].map((name) => person(root, name)),
  );
  assert.ok(olga && mike && dave && mallory);
  const group = await olga.as.expect<{ id: number }>(201, 'POST', '/groups', {
    ...{ name: 'Theatre', path: 'theatre', visibility: 'public' },
  });
  const project = await olga.as.expect<{ id: number; path_with_namespace: string }>(201, 'POST', '/projects', {
    ...{ name: 'Stage', path: 'stage', namespace_id: group.id, visibility: 'public', initialize_with_readme: true },
  });
  const places: readonly [number, number][] = [
    [mike.id, 40],
    [dave.id, 30],
  ];
  for (const [user_id, access_level] of places)
    await olga.as.expect(201, 'POST', `/projects/${project.id}/members`, { user_id, access_level });
  await olga.as.expect(201, 'POST', `/projects/${project.id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Build [skip ci]' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }],
  });
  const runner = await olga.as.expect<{ token: string }>(201, 'POST', '/user/runners', {
    ...{ runner_type: 'project_type', project_id: project.id, tag_list: ['theatre'] },
  });
  const send: Cast['send'] = async (method, path, json) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api/v4${path}`, { method, headers, body: JSON.stringify(json) });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return {
    ...{
      url,
      data,
      log,
      root,
      send,
      project: project.id,
      path: project.path_with_namespace,
      runnerToken: runner.token,
    },
    ...{ olga: olga.as, mike: mike.as, dave: dave.as, mallory: mallory.as, anonymous: api(url, '') },
    ids: { olga: olga.id, mike: mike.id, dave: dave.id, mallory: mallory.id },
    nextJob: () =>
      until('a job for the runner', 60, async () => {
        const answer = await send('POST', '/jobs/request', { token: runner.token });
        return answer.status === 201 ? (answer.body as Job) : null;
      }),
  };
}

const startPipeline = ({ olga, project }: Cast, ref = 'main') =>
  olga.expect<{ id: number }>(201, 'POST', `/projects/${project}/pipeline`, { ref });
const endJob = async ({ send }: Cast, { id, token }: Job, state = 'success') =>
  assert.equal((await send('PUT', `/jobs/${id}`, { token, state })).status, 200);

const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** A stranger sends some hundred kilobytes that unpack to a gigabyte of negotiation, and wants git to read them. */
async function gzipBomb({ url, path, olga, project }: Cast): Promise<void> {
  const { commit } = await olga.expect<{ commit: { id: string } }>(
    200,
    'GET',
    `/projects/${project}/repository/branches/main`,
  );
  const haves = packet(`have ${'a'.repeat(40)}\n`).repeat(600_000);
  const body = gzipSync(`${packet('command=fetch')}0001${packet(`want ${commit.id}\n`)}${haves}0000`);
  assert.ok(body.length < 200_000, `${body.length} bytes are sent`);
  const answer = await fetch(`${url}/${path}.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      ...{ 'Content-Type': 'application/x-git-upload-pack-request', 'Content-Encoding': 'gzip' },
      'Git-Protocol': 'version=2',
    },
    body: new Uint8Array(body),
  });
  assert.equal(answer.status, 413);
  assert.match(await answer.text(), /max_unpack_ratio/);
}

/** A job runs with debug logging: its log has every variable unmasked, and the project is public. */
async function debugLog(cast: Cast): Promise<void> {
  const { url, olga, mallory, anonymous, project } = cast;
  await startPipeline(cast);
  const job = await cast.nextJob();
  const log = 'export DEPLOY_KEY=opening-night\n';
  const sent = await fetch(`${url}/api/v4/jobs/${job.id}/trace?debug_trace=true`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'text/plain', 'Content-Range': `0-${log.length - 1}`, 'JOB-TOKEN': job.token },
    body: log,
  });
  assert.equal(sent.status, 202);
  await endJob(cast, job);
  const trace = `/projects/${project}/jobs/${job.id}/trace`;
  assert.equal((await anonymous.call('GET', trace)).status, 401);
  assert.equal((await mallory.call('GET', trace)).status, 403);
  assert.match(String((await olga.call<string>('GET', trace)).body), /opening-night/);
  const page = await fetch(`${url}/${cast.path}/-/jobs/${job.id}/raw`);
  assert.doesNotMatch(await page.text(), /opening-night/);
}

/** A developer may not push to main, but tries to stop and erase what runs there. */
async function protectedJobs(cast: Cast): Promise<void> {
  const { dave, mike, project } = cast;
  const { id } = await startPipeline(cast);
  const job = await cast.nextJob();
  const pipelines = `/projects/${project}/pipelines/${id}`;
  const jobs = `/projects/${project}/jobs/${job.id}`;
  assert.equal((await dave.call('POST', `${pipelines}/cancel`)).status, 403);
  assert.equal((await dave.call('POST', `${jobs}/cancel`)).status, 403);
  await endJob(cast, job);
  for (const [method, path] of [
    ['POST', `${jobs}/erase`],
    ['POST', `${jobs}/retry`],
    ['DELETE', `${jobs}/artifacts`],
    ['DELETE', pipelines],
  ] as const)
    assert.equal((await dave.call(method, path)).status, 403, `${method} ${path}`);
  assert.equal((await mike.call<{ status: string }>('GET', jobs)).body.status, 'success');
}

/** Dave forks the secret play and makes his copy public. */
async function openFork({ olga, dave, anonymous, ids }: Cast): Promise<void> {
  const play = await olga.expect<{ id: number }>(201, 'POST', '/projects', {
    ...{ name: 'Secret play', visibility: 'private', initialize_with_readme: true },
  });
  await olga.expect(201, 'POST', `/projects/${play.id}/members`, { user_id: ids.dave, access_level: 30 });
  const fork = await dave.expect<{ id: number }>(201, 'POST', `/projects/${play.id}/fork`, {});
  await until('the fork', 60, async () => {
    const { body } = await dave.call<{ import_status: string }>('GET', `/projects/${fork.id}`);
    return body.import_status === 'finished';
  });
  for (const visibility of ['public', 'internal'])
    assert.equal((await dave.call('PUT', `/projects/${fork.id}`, { visibility })).status, 400);
  const group = await dave.expect<{ id: number }>(201, 'POST', '/groups', {
    ...{ name: 'Copies', path: 'copies', visibility: 'public' },
  });
  await dave.call('PUT', `/projects/${fork.id}/transfer`, { namespace: group.id });
  const { body } = await dave.call<{ visibility: string }>('GET', `/projects/${fork.id}`);
  assert.equal(body.visibility, 'private');
  assert.equal((await anonymous.call('GET', `/projects/${fork.id}`)).status, 404);
}

/** A maintainer makes himself a token of an account that the owner has made owner. */
async function strongerAccount({ olga, mike, project }: Cast): Promise<void> {
  const accounts = `/projects/${project}/service_accounts`;
  const account = await olga.expect<{ id: number }>(201, 'POST', accounts, { name: 'Stagehand' });
  const member = { user_id: account.id, access_level: 50 };
  await olga.expect(201, 'POST', `/projects/${project}/members`, member);
  const wanted = { name: 'mine', scopes: ['api'], expires_at: inADay() };
  const tokens = `${accounts}/${account.id}/personal_access_tokens`;
  assert.equal((await mike.call('POST', tokens, wanted)).status, 403);
  const { id } = await olga.expect<{ id: number }>(201, 'POST', tokens, wanted);
  assert.equal((await mike.call('POST', `${tokens}/${id}/rotate`)).status, 403);
  const owner = { ...wanted, access_level: 50 };
  assert.ok((await mike.call('POST', `/projects/${project}/access_tokens`, owner)).status >= 400);
}

/** A job sends an archive with a file that would leave every directory it is unpacked in. */
async function hostileArchive(cast: Cast): Promise<void> {
  const { url, olga, project } = cast;
  await startPipeline(cast);
  const job = await cast.nextJob();
  const upload = async (name: string) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(zipWith(name, 'curtain'))]), 'artifacts.zip');
    const headers = { 'JOB-TOKEN': job.token };
    return await fetch(`${url}/api/v4/jobs/${job.id}/artifacts`, { method: 'POST', headers, body: form });
  };
  for (const name of ['../../etc/x', '/etc/passwd', 'a\\..\\..\\x']) {
    const refused = await upload(name);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /name is not allowed/);
  }
  assert.equal((await upload('honest.txt')).status, 201);
  await endJob(cast, job);
  const file = await olga.call('GET', `/projects/${project}/jobs/${job.id}/artifacts/honest.txt`);
  assert.deepEqual([file.status, file.body], [200, 'curtain']);
}

/** An administrator's stolen session deletes the runner of the instance, so that nothing is built any more. */
async function builtInRunner({ root, olga, project }: Cast): Promise<void> {
  const runners = await until('the built-in runner', 60, async () => {
    const all = await root.expect<{ id: number; runner_type: string }[]>(200, 'GET', '/runners/all');
    const found = all.filter(({ runner_type }) => runner_type === 'instance_type');
    return found.length > 0 && found;
  });
  for (const { id } of runners) assert.equal((await root.call('DELETE', `/runners/${id}`)).status, 403);
  await olga.expect(201, 'POST', `/projects/${project}/repository/commits`, {
    ...{ branch: 'unheard', start_branch: 'main', commit_message: 'Nobody takes this [skip ci]' },
    actions: [{ action: 'update', file_path: '.gitlab-ci.yml', content: config.replace('theatre', 'nobody') }],
  });
  const { id } = await olga.expect<{ id: number }>(201, 'POST', `/projects/${project}/pipeline`, { ref: 'unheard' });
  const jobs = await olga.expect<{ id: number }[]>(200, 'GET', `/projects/${project}/pipelines/${id}/jobs`);
  const job = await olga.expect<{ stuck: boolean }>(200, 'GET', `/projects/${project}/jobs/${jobs[0]?.id}`);
  assert.equal(job.stuck, true);
}

/** Mallory counts pipelines by their refs, jobs by what a runner is answered, and slips `..` into an application. */
async function enumeration(cast: Cast): Promise<void> {
  const { url, path, olga, mallory, send, project } = cast;
  await startPipeline(cast);
  const job = await cast.nextJob();
  await olga.expect(200, 'PUT', `/projects/${project}`, { builds_access_level: 'private' });
  const directory = mkdtempSync(join(tmpdir(), 'mr-attacker-'));
  try {
    const asked = await run(directory, ['ls-remote', `${url}/${path}.git`]);
    assert.equal(asked.code, 0, asked.stderr);
    assert.match(asked.stdout, /refs\/heads\/main/);
    assert.doesNotMatch(asked.stdout, /refs\/pipelines/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await olga.expect(200, 'PUT', `/projects/${project}`, { builds_access_level: 'enabled' });
  }
  const stolen = { token: 'glcbt-64_aaaaaaaaaaaaaaaaaaaa', state: 'success' };
  const there = await send('PUT', `/jobs/${job.id}`, stolen);
  const missing = await send('PUT', `/jobs/${job.id + 100_000}`, stolen);
  assert.deepEqual(there, missing);
  assert.equal(there.status, 403);
  await endJob(cast, job);
  const application = {
    ...{ name: 'Prompter', scopes: 'read_user' },
    redirect_uri: 'https://client.example/callback/../open?to=x',
  };
  assert.equal((await mallory.call('POST', '/applications', application)).status, 403);
  assert.equal((await cast.root.call('POST', '/applications', application)).status, 400);
}

/** A leaked token that may only read and act for others tries to write as them. */
async function readingSudo({ root, url, ids }: Cast): Promise<void> {
  for (const scopes of [['sudo'], ['read_api', 'sudo']]) {
    const wanted = { name: 'leaked', scopes, expires_at: inADay() };
    const { token } = await root.expect<{ token: string }>(201, 'POST', '/users/1/personal_access_tokens', wanted);
    const answer = await fetch(`${url}/api/v4/projects`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': token, Sudo: String(ids.olga), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `taken-${scopes.length}` }),
    });
    assert.equal(answer.status, 403, await answer.text());
  }
}

export async function attackersJourney(suite: Suite): Promise<void> {
  const instance = await startInstance();
  try {
    const cast = await castOf(instance);
    const stories: Readonly<Record<string, (cast: Cast) => Promise<void>>> = {
      'security 7: a stranger sends a negotiation that unpacks to a gigabyte': gzipBomb,
      'security 20: a stranger reads the log of a job with debug logging': debugLog,
      'security 18: a developer stops and erases what runs on a protected branch': protectedJobs,
      'security 17: a fork of a private project is made public': openFork,
      'security 18: a maintainer takes a token of an account that is owner': strongerAccount,
      'security 6: a job sends an archive with names that leave its directory': hostileArchive,
      'security 24: the built-in runner is deleted': builtInRunner,
      'security 17: pipelines and jobs are found by trying, redirect addresses climb': enumeration,
      'security 16: a token that may act for others writes without the scope': readingSudo,
      ...writeStories,
      ...wayStories,
    };
    for (const [title, story] of Object.entries(stories)) await suite.step(title, () => story(cast), 180);
    await suite.step('none of it was a fault', async () => {
      const faults = instance
        .log()
        .split('\n')
        .filter((line) => line.includes('"msg":"request failed"'));
      assert.deepEqual(faults, []);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
