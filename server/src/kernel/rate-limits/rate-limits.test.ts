/** Limits over HTTP: who is counted together, what refusals say, and two processes on one database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestResponse } from '../../../test/app.ts';
import { type ComposedApp, compose } from '../../../test/compose.ts';
import { buildGroup, buildToken, buildUser, unique } from '../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { stopClock } from '../../../test/windows.ts';
import { builtInRunnerToken, ensureBuiltInRunner } from '../../features/ci/index.ts';
import { type ApplicationSettings, defaultSettings } from '../settings/index.ts';
import { deleteEndedWindows } from './leases.queries.ts';

let app: TestApp;
let open: RepositoryProject;
const changed = new Set<keyof ApplicationSettings>();

async function configure(values: Partial<ApplicationSettings>): Promise<void> {
  for (const name of Object.keys(values)) changed.add(name as keyof ApplicationSettings);
  await app.settings.write(values);
}

beforeAll(async () => {
  // The test's own address stands for a proxy: each case speaks for a client of its own.
  app = await startTestApp({ environment: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
  open = await buildRepositoryProject(app, { visibility: 'public' });
});
beforeEach(stopClock);
afterEach(async () => {
  await app.settings.write(Object.fromEntries([...changed].map((name) => [name, defaultSettings[name]])));
  changed.clear();
  await app.db.deleteFrom('rate_limit_windows').execute();
});
afterAll(() => app.close());

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const statuses = async (times: number, request: () => Promise<TestResponse<unknown>>): Promise<number[]> => {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) found.push((await request()).status);
  return found;
};
const hour = 3600;
const anonymousApi = (requests: number): Partial<ApplicationSettings> => ({
  throttle_unauthenticated_api_enabled: true,
  throttle_unauthenticated_api_requests_per_period: requests,
  throttle_unauthenticated_api_period_in_seconds: hour,
});
const userApi = (requests: number): Partial<ApplicationSettings> => ({
  throttle_authenticated_api_enabled: true,
  throttle_authenticated_api_requests_per_period: requests,
  throttle_authenticated_api_period_in_seconds: hour,
});

describe('general limits', () => {
  it('are off by default: no headers, no counting', async () => {
    const answer = await app.api('GET', '/version');
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
    expect(await app.db.selectFrom('rate_limit_windows').selectAll().execute()).toEqual([]);
  });

  it('[1/errors/15] [1/limits.other-limits/7] anonymous callers are counted by address and refused with the configured text', async () => {
    await configure(anonymousApi(3));
    const ask = () => app.api<string>('GET', '/projects', from('198.51.100.1'));
    const first = await ask();
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-name')).toBe('projects_api_rate_limit_unauthenticated');
    expect(await statuses(2, ask)).toEqual([200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body).toBe('Retry later\n');
    expect(refused.headers.get('content-type')).toBe('text/plain');
    expect(refused.headers.get('ratelimit-name')).toBe('throttle_unauthenticated_api');
    // Three in an hour, told per minute and rounded up, as the ecosystem does.
    expect(refused.headers.get('ratelimit-limit')).toBe('1');
    expect(refused.headers.get('ratelimit-observed')).toBe('4');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const reset = Number(refused.headers.get('ratelimit-reset'));
    expect(reset % hour).toBe(0);
    expect(refused.headers.get('ratelimit-resettime')).toBe(new Date(reset * 1000).toUTCString());
    const wait = Number(refused.headers.get('retry-after'));
    expect(Math.abs(reset - Date.now() / 1000 - wait)).toBeLessThan(5);
    // Another address, and a user from the same one, are others.
    expect((await app.api('GET', '/projects', from('198.51.100.2'))).status).toBe(200);
    const { secret } = await buildToken(app);
    expect((await app.api('GET', '/projects', { ...from('198.51.100.1'), token: secret })).status).toBe(200);
    await configure({ rate_limiting_response_text: 'Come back in an hour' });
    expect((await ask()).body).toBe('Come back in an hour\n');
  });

  it('says where the caller stands on answers of a limited class', async () => {
    await configure(userApi(120));
    const { secret } = await buildToken(app);
    const answer = await app.api('GET', '/user', { token: secret });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-name')).toBe('throttle_authenticated_api');
    expect(answer.headers.get('ratelimit-limit')).toBe('2');
    expect(answer.headers.get('ratelimit-observed')).toBe('1');
    expect(answer.headers.get('ratelimit-remaining')).toBe('119');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('users are counted by user, over all their tokens and addresses', async () => {
    await configure(userApi(4));
    const user = await buildUser(app);
    const [one, two] = [await buildToken(app, { user }), await buildToken(app, { user })];
    const ask = (token: string, address: string) => app.api('GET', '/user', { token, ...from(address) });
    expect(await statuses(2, () => ask(one.secret, '198.51.100.10'))).toEqual([200, 200]);
    expect(await statuses(3, () => ask(two.secret, '198.51.100.11'))).toEqual([200, 200, 429]);
    const other = await buildToken(app);
    expect((await ask(other.secret, '198.51.100.10')).status).toBe(200);
  });

  it('a bad credential counts for its address', async () => {
    await configure(anonymousApi(3));
    const guess = () => app.api('GET', '/user', { token: `glpat-${unique('x')}`, ...from('198.51.100.20') });
    expect(await statuses(5, guess)).toEqual([401, 401, 401, 429, 429]);
    expect((await app.api('GET', '/version', from('198.51.100.20'))).status).toBe(429);
  });

  it('IPv6 clients are counted by their /64', async () => {
    await configure(anonymousApi(2));
    const ask = (address: string) => app.api('GET', '/projects', from(address));
    const found = [];
    for (const address of ['2001:db8:1::1', '2001:db8:1::2', '2001:db8:1:0:ffff::3', '2001:db8:1:1::1'])
      found.push((await ask(address)).status);
    expect(found).toEqual([200, 200, 429, 200]);
  });

  it('probes are never limited, pages and paths that do not exist are', async () => {
    await configure({
      ...anonymousApi(2),
      throttle_unauthenticated_web_enabled: true,
      throttle_unauthenticated_web_requests_per_period: 2,
      throttle_unauthenticated_web_period_in_seconds: hour,
    });
    const client = from('198.51.100.30');
    expect(await statuses(4, () => app.request('GET', '/-/health', client))).toEqual([200, 200, 200, 200]);
    expect(await statuses(3, () => app.request('GET', '/-/session', client))).toEqual([200, 200, 429]);
    expect(await statuses(3, () => app.api('GET', '/no/such/route', client))).toEqual([404, 404, 429]);
  });

  it('what pages send with a session counts as theirs', async () => {
    await configure({
      throttle_authenticated_web_enabled: true,
      throttle_authenticated_web_requests_per_period: 3,
      throttle_authenticated_web_period_in_seconds: hour,
    });
    const password = 'correct horse battery';
    const user = await buildUser(app, { password });
    const signedIn = await app.request('POST', '/-/session', { json: { login: user.username, password } });
    const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = () => app.request('GET', '/-/session', { headers: { Cookie } });
    const api = () => app.api('GET', '/user', { headers: { Cookie } });
    expect(await statuses(2, page)).toEqual([200, 200]);
    expect(await statuses(2, api)).toEqual([200, 429]);
    expect((await page()).status).toBe(429);
  });

  it('files and packages have limits of their own while those are on', async () => {
    await configure({
      ...anonymousApi(1),
      throttle_unauthenticated_files_api_enabled: true,
      throttle_unauthenticated_files_api_requests_per_period: 2,
      throttle_unauthenticated_files_api_period_in_seconds: hour,
    });
    const file = () => app.api('GET', `/projects/${open.id}/repository/files/none?ref=main`, from('198.51.100.40'));
    expect(await statuses(3, file)).toEqual([404, 404, 429]);
    expect((await app.api('GET', '/projects', from('198.51.100.40'))).status).toBe(200);
    await configure({ throttle_unauthenticated_files_api_enabled: false });
    expect((await file()).status).toBe(429);
    await configure({
      ...anonymousApi(1),
      throttle_unauthenticated_packages_api_enabled: true,
      throttle_unauthenticated_packages_api_requests_per_period: 2,
      throttle_unauthenticated_packages_api_period_in_seconds: hour,
    });
    const packages = () => app.api('GET', `/projects/${open.id}/packages`, from('198.51.100.41'));
    expect(await statuses(3, packages)).toEqual([200, 200, 429]);
    expect((await app.api('GET', '/projects', from('198.51.100.41'))).status).toBe(200);
  });

  it('signing in counts per address when protected paths are limited, and per account always', async () => {
    await configure({
      throttle_protected_paths_enabled: true,
      throttle_protected_paths_requests_per_period: 2,
      throttle_protected_paths_period_in_seconds: hour,
      user_sign_in_limit: 3,
    });
    const signIn = (login: string, address: string) =>
      app.request('POST', '/-/session', { json: { login, password: 'wrong password' }, ...from(address) });
    expect(await statuses(3, () => signIn(unique('nobody'), '198.51.100.50'))).toEqual([401, 401, 429]);
    const login = unique('nobody');
    const found = [];
    for (let index = 1; index <= 4; index += 1) found.push((await signIn(login, `198.51.101.${index}`)).status);
    expect(found).toEqual([401, 401, 401, 429]);
  });

  it('reading is limited on the paths that are protected for it, and on no others', async () => {
    await configure({
      throttle_protected_paths_enabled: true,
      throttle_protected_paths_requests_per_period: 2,
      throttle_protected_paths_period_in_seconds: hour,
      protected_paths_for_get_request: ['/api/v4/projects'],
    });
    const read = (target: string) => () => app.api('GET', target, from('198.51.100.55'));
    expect(await statuses(3, read('/projects'))).toEqual([200, 200, 429]);
    expect(await statuses(3, read('/topics'))).toEqual([200, 200, 200]);
    await configure({ protected_paths_for_get_request: [] });
    expect((await read('/projects')()).status).toBe(200);
  });

  it('git over HTTP is counted by itself, a wrong password for the address', async () => {
    await configure({
      ...anonymousApi(1),
      throttle_unauthenticated_git_http_enabled: true,
      throttle_unauthenticated_git_http_requests_per_period: 3,
      throttle_unauthenticated_git_http_period_in_seconds: hour,
      throttle_authenticated_git_http_enabled: true,
      throttle_authenticated_git_http_requests_per_period: 2,
      throttle_authenticated_git_http_period_in_seconds: hour,
    });
    const fetch = (headers: Record<string, string> = {}) =>
      app.request<string>('GET', `/${open.fullPath}.git/info/refs?service=git-upload-pack`, {
        headers: { 'X-Forwarded-For': '198.51.100.60', ...headers },
      });
    const basic = (secret: string) => ({ Authorization: `Basic ${Buffer.from(`git:${secret}`).toString('base64')}` });
    expect(await statuses(2, () => fetch())).toEqual([200, 200]);
    expect(await statuses(2, () => fetch(basic('glpat-wrong')))).toEqual([401, 429]);
    const refused = await fetch();
    expect(refused.status).toBe(429);
    expect(refused.body).toBe('Retry later\n');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const { secret } = await buildToken(app);
    expect(await statuses(3, () => fetch(basic(secret)))).toEqual([200, 200, 429]);
    expect((await app.api('GET', '/projects', from('198.51.100.60'))).status).toBe(200);
  });
});

describe('named limits', () => {
  it('[1/limits.other-limits/7 raw_blob_request_limit] raw files are counted by project and path, whoever asks', async () => {
    await configure({ raw_blob_request_limit: 2 });
    await open.commit('main', { 'a.txt': 'a', 'b.txt': 'b' });
    const raw = (name: string, address: string) =>
      app.api<unknown>('GET', `/projects/${open.id}/repository/files/${name}/raw?ref=main`, from(address));
    const first = await raw('a.txt', '203.0.113.1');
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-name')).toBe('raw_blob');
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    expect((await raw('a.txt', '203.0.113.2')).status).toBe(200);
    const refused = await raw('a.txt', '203.0.113.3');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      message: { error: 'This endpoint has been requested too many times. Try again later.' },
    });
    expect(refused.headers.get('ratelimit-name')).toBe('raw_blob');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await raw('b.txt', '203.0.113.3')).status).toBe(200);
  });

  it('[1/limits.other-limits/7 issues_create_limit, 429] new issues are counted by user and project', async () => {
    await configure({ issues_create_limit: 2 });
    const [author, other] = [await open.member(30), await open.member(30)];
    const create = ({ secret }: { secret: string }) =>
      app.api('POST', `/projects/${open.id}/issues`, { token: secret, json: { title: 'x' } });
    expect(await statuses(3, () => create(author))).toEqual([201, 201, 429]);
    expect(await statuses(1, () => create(other))).toEqual([201]);
  });

  it('[1/limits.other-limits/7 projects_api_rate_limit_unauthenticated] lists of projects have one limit for strangers and one for users', async () => {
    await configure({ projects_api_rate_limit_unauthenticated: 1, projects_api_limit: 2 });
    const ask = (token?: string) => app.api('GET', '/projects', { token, ...from('203.0.113.10') });
    expect(await statuses(2, () => ask())).toEqual([200, 429]);
    const { secret } = await buildToken(app);
    expect(await statuses(3, () => ask(secret))).toEqual([200, 200, 429]);
    await configure({ projects_api_limit: 0 });
    const free = await ask(secret);
    expect(free.status).toBe(200);
    expect(free.headers.get('ratelimit-name')).toBeNull();
  });

  it('[1/limits.other-limits/7 project_jobs_api_rate_limit] jobs of projects are counted by user', async () => {
    await configure({ project_jobs_api_rate_limit: 2 });
    const developer = await open.member(30);
    const jobs = () => app.api('GET', `/projects/${open.id}/jobs`, { token: developer.secret });
    expect(await statuses(3, jobs)).toEqual([200, 200, 429]);
  });

  it('leaves users of its list alone', async () => {
    await configure({ users_get_by_id_limit: 1 });
    const { secret, user } = await buildToken(app);
    const ask = () => app.api('GET', `/users/${user.id}`, { token: secret });
    expect(await statuses(2, ask)).toEqual([200, 429]);
    await configure({ users_get_by_id_limit_allowlist: [user.username.toLowerCase()] });
    expect((await ask()).status).toBe(200);
  });

  it('changes of the name or path of a group are counted by group, other changes are not', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    await configure({ update_namespace_name_rate_limit: 1 });
    const put = (json: object, id = group.id) => app.api('PUT', `/groups/${id}`, { token: owner.secret, json });
    expect((await put({ name: unique('renamed') })).status).toBe(200);
    expect((await put({ path: unique('renamed') })).status).toBe(429);
    expect((await put({ description: 'Still open' })).status).toBe(200);
    const other = await buildGroup(app, { owner: owner.user });
    expect((await put({ name: unique('other') }, other.id)).status).toBe(200);
  });

  it('archives have a limit for users by project, and one for strangers', async () => {
    await configure({ project_repositories_archive_limit: 1, project_repositories_archive_unauthenticated_limit: 1 });
    await open.commit('main', { 'c.txt': 'c' });
    const archive = (token?: string) => app.api('GET', `/projects/${open.id}/repository/archive.tar`, { token });
    const { secret } = await buildToken(app);
    expect(await statuses(2, () => archive(secret))).toEqual([200, 429]);
    expect(await statuses(2, () => archive())).toEqual([200, 429]);
  });

  it('runners have limits of their own, by token; the built-in runner has none', async () => {
    await configure({ ...anonymousApi(1), runner_jobs_request_api_limit: 2, runner_jobs_endpoints_api_limit: 2 });
    const request = (token: string, headers = {}) => app.api('POST', '/jobs/request', { json: { token }, headers });
    const token = `glrt-${unique('t')}`;
    expect(await statuses(3, () => request(token))).toEqual([403, 403, 429]);
    expect((await request(`glrt-${unique('t')}`)).status).toBe(403);
    const { secrets } = app.kernels;
    await ensureBuiltInRunner(app.db, secrets);
    const own = builtInRunnerToken(secrets);
    expect(await statuses(4, () => request(own, { 'Runner-Token': own }))).toEqual([204, 204, 204, 204]);
  });

  it('[1/limits.other-limits/7] pipelines of one commit, and of one user, are refused with a reason', async () => {
    await configure({ pipeline_limit_per_project_user_sha: 1 });
    await open.commit('main', { '.gitlab-ci.yml': "job: {script: ['true']}" });
    const maintainer = await open.member(40);
    const create = () =>
      app.api<unknown>('POST', `/projects/${open.id}/pipeline`, { token: maintainer.secret, json: { ref: 'main' } });
    expect((await create()).status).toBe(201);
    const refused = await create();
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      message: { base: ['Too many pipelines created in the last minute. Try again later.'] },
    });
    await configure({ pipeline_limit_per_user: 1 });
    await open.commit('main', { 'other.txt': 'x' });
    const other = await open.member(40);
    const byOther = () =>
      app.api<unknown>('POST', `/projects/${open.id}/pipeline`, { token: other.secret, json: { ref: 'main' } });
    expect([(await byOther()).status, (await byOther()).status]).toEqual([201, 400]);
  });
});

describe('client addresses', () => {
  it('[security 10] a client that is no trusted proxy cannot choose its address', async () => {
    const direct = await startTestApp();
    try {
      await direct.settings.write(anonymousApi(3));
      const found = [];
      for (let index = 1; index <= 4; index += 1)
        found.push((await direct.api('GET', '/version', from(`198.51.100.${index}`))).status);
      // 401 for want of credentials, until the address that really asked is over its limit.
      expect(found).toEqual([401, 401, 401, 429]);
    } finally {
      await direct.close();
    }
  });

  it('behind a trusted proxy the last address that it did not vouch for counts', async () => {
    await configure(anonymousApi(2));
    const ask = (forged: string) => app.api('GET', '/projects', from(`${forged}, 203.0.113.99`));
    const found = [];
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) found.push((await ask(forged)).status);
    expect(found).toEqual([200, 200, 429]);
  });
});

describe('several processes', () => {
  let second: ComposedApp;
  let directory: string;
  let url: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'millrace-second-'));
    second = await compose(app.database, directory, { environment: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    url = await second.listen();
  });
  afterAll(async () => {
    await second.close();
    await rm(directory, { recursive: true, force: true });
  });
  const elsewhere = async (address: string) =>
    (await fetch(`${url}/api/v4/projects`, { headers: { 'X-Forwarded-For': address } })).status;

  it.each([
    [12, 0],
    [40, 10],
  ])('[1/limits.other-limits/7] a limit of %i is one for both, within %i', async (limit, slice) => {
    const address = `192.0.2.${limit}`;
    await configure({ ...anonymousApi(limit), projects_api_rate_limit_unauthenticated: 0 });
    // The other process hears of the change.
    const deadline = performance.now() + 30_000;
    while ((await second.settings.read()).throttle_unauthenticated_api_requests_per_period !== limit) {
      await setImmediate();
      if (performance.now() > deadline) throw new Error('the other process did not hear of the setting');
    }
    const both = await Promise.all(
      Array.from({ length: limit * 2 }, async (_, index) =>
        index % 2 === 0 ? (await app.api('GET', '/projects', from(address))).status : await elsewhere(address),
      ),
    );
    const allowed = both.filter((status) => status === 200).length;
    expect(both.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(allowed).toBeGreaterThanOrEqual(limit - slice);
    expect(allowed).toBeLessThanOrEqual(limit + 2 * slice);
    if (slice === 0) expect(allowed).toBe(limit);
  });
});

describe('the database', () => {
  it('fails open: requests pass while counts cannot be leased, and it is said once', async () => {
    await configure({ ...anonymousApi(2), projects_api_rate_limit_unauthenticated: 0 });
    const said = () => app.logs.filter((line) => line.includes('requests pass')).length;
    const before = said();
    await app.db.schema.alterTable('rate_limit_windows').renameTo('rate_limit_windows_away').execute();
    try {
      const ask = () => app.api('GET', '/projects', from('192.0.2.200'));
      expect(await statuses(5, ask)).toEqual([200, 200, 200, 200, 200]);
      expect(said() - before).toBe(1);
    } finally {
      await app.db.schema.alterTable('rate_limit_windows_away').renameTo('rate_limit_windows').execute();
    }
  });

  it('windows that have ended are removed, the others stay', async () => {
    const row = (subject: string, endsAt: number) => ({
      limit_name: 'test',
      subject,
      ends_at: new Date(Date.now() + endsAt),
      taken: 1,
      granted: 1,
    });
    await app.db
      .insertInto('rate_limit_windows')
      .values([row('ended', -120_000), row('just ended', -10_000), row('open', 60_000)])
      .execute();
    await deleteEndedWindows(app.db);
    const left = await app.db.selectFrom('rate_limit_windows').select('subject').orderBy('subject').execute();
    expect(left.map(({ subject }) => subject)).toEqual(['just ended', 'open']);
    expect(
      app.tasks.some((task) => app.cron.some((item) => item.task === task.name && /^rate_limits/.test(task.name))),
    ).toBe(true);
  });
});
