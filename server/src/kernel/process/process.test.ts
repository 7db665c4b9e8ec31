/** One process from start to stop, and two that meet: ready line, first start, owner, kill, signals. Slow, sampled: each server is a process with a database server of its own. */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { type SpawnedServer, spawnModule, spawnServer } from '../../../test/spawned.ts';

// Starts real processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 240_000 });

let directory: string;
const servers: SpawnedServer[] = [];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-process-'));
  // The embedded server's uid has to reach its files.
  await chmod(directory, 0o755);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.kill('SIGTERM');
    await server.exit;
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const serverIn = async (name: string, env: Record<string, string> = {}) => {
  const server = await spawnServer({ MILLRACE_DATA: path.join(directory, name), ...env });
  servers.push(server);
  return server;
};
const api = async (server: SpawnedServer, target: string, token = '') => {
  const response = await fetch(server.url + target, { headers: token ? { 'PRIVATE-TOKEN': token } : {} });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
};
const stop = async (server: SpawnedServer) => {
  server.kill('SIGTERM');
  return await server.exit;
};

it('prints the password of root on the first start, keeps it, and says on every start when it is ready', async () => {
  const first = await serverIn('one');
  const data = path.join(directory, 'one');
  const [, password = ''] = await first.line(/^User: root {2}Password: (\S+) {2}/);
  expect((await readFile(path.join(data, 'root-password'), 'utf8')).trim()).toBe(password);
  expect((await stat(path.join(data, 'root-password'))).mode & 0o777).toBe(0o600);
  expect(first.output.filter((line) => line.startsWith('millrace ready'))).toHaveLength(1);
  expect((await api(first, '/-/readiness?all=1')).status).toBe(200);
  expect(await stop(first)).toBe(0);
  expect(existsSync(path.join(data, 'millrace.pid'))).toBe(false);
  const second = await serverIn('one');
  expect(second.output).toEqual([`millrace ready ${second.url}`]);
});

it('takes the password and token of root from the environment on the first start', async () => {
  const token = 'glpat-0123456789abcdefghij';
  const server = await serverIn('given', { MILLRACE_ROOT_PASSWORD: 'correct horse 1', MILLRACE_ROOT_TOKEN: token });
  const user = await api(server, '/api/v4/user', token);
  expect([user.status, JSON.parse(user.text)]).toMatchObject([200, { id: 1, username: 'root', name: 'Administrator' }]);
  expect(server.output.join('\n')).not.toContain('correct horse');
  expect(existsSync(path.join(directory, 'given', 'root-password'))).toBe(false);
  expect([...server.errors, ...server.output].join('\n')).not.toContain(token);
});

it('answers health, liveness and readiness, and metrics only to whoever has their token', async () => {
  const server = await serverIn('one', { MILLRACE_METRICS_TOKEN: 'metrics-secret' });
  expect((await api(server, '/-/health')).text).toBe('Millrace OK');
  expect(JSON.parse((await api(server, '/-/liveness')).text)).toEqual({ status: 'ok' });
  const ok = [{ status: 'ok' }];
  expect(JSON.parse((await api(server, '/-/readiness')).text)).toEqual({ status: 'ok', database_check: ok });
  const all = { database_check: ok, git_storage_check: ok, object_storage_check: ok, queue_check: ok };
  expect(JSON.parse((await api(server, '/-/readiness?all=1')).text)).toEqual({ status: 'ok', ...all });
  expect((await api(server, '/-/metrics')).status).toBe(401);
  const metrics = (authorization: string) => fetch(`${server.url}/-/metrics`, { headers: { authorization } });
  expect((await metrics('Bearer wrong')).status).toBe(401);
  expect(await (await metrics('Bearer metrics-secret')).text()).toContain(
    'millrace_http_request_duration_seconds_count',
  );
  expect((await api(server, '/-/health')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  await rm(path.join(directory, 'one', 'repositories'), { recursive: true });
  const broken = await api(server, '/-/readiness?all=1');
  expect([broken.status, JSON.parse(broken.text)]).toMatchObject([503, { status: 'failed', object_storage_check: ok }]);
  expect(broken.text).toContain('repository storage default: ENOENT');
});

it('refuses a second owner of the data directory and leaves the first one alone', async () => {
  const first = await serverIn('one');
  const data = path.join(directory, 'one');
  expect((await api(first, '/-/readiness?all=1')).status).toBe(200);
  const again = () => spawnModule('cli/src/millrace.ts', ['serve'], { MILLRACE_DATA: data, MILLRACE_PORT: '0' });
  const second = again();
  expect(await second.exit).toBe(1);
  expect(second.errors.at(-1)).toContain(`the data directory ${data} is in use by process ${first.child.pid} on `);
  // Without the file the lock in the database still says no.
  await rm(path.join(data, 'millrace.pid'));
  const third = again();
  expect(await third.exit).toBe(1);
  expect(third.errors.at(-1)).toContain('is in use by another process');
  expect((await api(first, '/-/readiness?all=1')).status).toBe(200);
});

it('starts again after it was killed, whatever the leftovers say', async () => {
  const first = await serverIn('one');
  first.kill('SIGKILL');
  await first.exit;
  expect(existsSync(path.join(directory, 'one', 'millrace.pid'))).toBe(true);
  const second = await serverIn('one');
  expect((await api(second, '/-/readiness?all=1')).status).toBe(200);
  expect(await stop(second)).toBe(0);
  // A process of another start time has taken the number over.
  const other = { pid: 1, started: '1', host: 'x' };
  await writeFile(path.join(directory, 'one', 'millrace.pid'), JSON.stringify(other));
  const third = await serverIn('one');
  expect((await api(third, '/-/readiness')).status).toBe(200);
});

it('ends with 0 within ten seconds of SIGTERM although a client holds a connection and a request open', async () => {
  const server = await serverIn('one');
  const idle = get(server.url, { headers: { connection: 'keep-alive' } });
  idle.on('error', () => undefined);
  const half = get(`${server.url}/api/v4/user`, { method: 'POST', headers: { 'content-length': '100' } });
  half.on('error', () => undefined);
  half.write('{');
  await new Promise((resolve) => idle.once('response', resolve));
  const started = performance.now();
  expect(await stop(server)).toBe(0);
  expect(performance.now() - started).toBeLessThan(10_000);
});

it('refuses a key file that is not the one of the database', async () => {
  await stop(await serverIn('one'));
  const other = path.join(directory, 'other.key');
  const env = { MILLRACE_DATA: path.join(directory, 'one'), MILLRACE_PORT: '0', MILLRACE_SECRETS: other };
  const refused = spawnModule('cli/src/millrace.ts', ['serve'], env);
  expect(await refused.exit).toBe(1);
  expect(refused.errors.join('\n')).toContain('the key file (MILLRACE_SECRETS) is not the one');
  // What it had started is stopped: the next start finds nothing running.
  expect((await api(await serverIn('one'), '/-/readiness')).status).toBe(200);
});

let shared: TestDatabase;
it('serves one database from two processes with data directories of their own', async () => {
  shared = await createTestDatabase('template1');
  const token = 'glpat-two-processes-abcdef';
  const common = {
    DATABASE_URL: shared.url,
    MILLRACE_SECRETS: path.join(directory, 'shared.key'),
    MILLRACE_ROOT_TOKEN: token,
    MILLRACE_ROOT_PASSWORD: 'correct horse 1',
  };
  const [a, b] = await Promise.all([serverIn('a', common), serverIn('b', common)]);
  for (const server of [a, b]) {
    expect((await api(server, '/api/v4/user', token)).status).toBe(200);
    expect((await api(server, '/-/readiness?all=1')).status).toBe(200);
  }
  // A server does all the work for a password, which the applications of other tests leave out.
  const client = new pg.Client(shared);
  await client.connect();
  const { rows } = await client.query<{ password_hash: string }>(
    "select password_hash from users where username = 'root'",
  );
  await client.end();
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=16384,t=8,p=1\$/);
  const made = spawnModule('cli/src/millrace.ts', ['token', 'create', 'root', 'x', '--scopes', 'read_user'], {
    ...common,
    MILLRACE_DATA: path.join(directory, 'a'),
  });
  const [secret = ''] = await made.line(/^glpat-\S+$/);
  expect((await api(b, '/api/v4/user', secret)).status).toBe(200);
  const [{ id }] = JSON.parse((await api(a, '/api/v4/personal_access_tokens?search=x', token)).text) as [
    { id: number },
  ];
  const revoked = spawnModule('cli/src/millrace.ts', ['token', 'revoke', String(id)], {
    ...common,
    MILLRACE_DATA: path.join(directory, 'b'),
  });
  expect(await revoked.exit).toBe(0);
  // Neither process asked the other: they heard of it.
  for (const server of [a, b])
    await expect.poll(async () => (await api(server, '/api/v4/user', secret)).status).toBe(401);
});
afterAll(() => shared?.drop());
