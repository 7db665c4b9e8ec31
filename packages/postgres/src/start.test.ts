/** The embedded server's life: first start, restart, crash of its owner, stale files, refusals. Slow, sampled: each test starts a database server. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, type StartPostgresOptions, startPostgres } from './index.ts';

const owner = join(import.meta.dirname, '../testdata/owner.ts');
// Skipped without root: only root may run the server under another uid.
const isRoot = process.geteuid?.() === 0;
const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function temporary(prefix = 'millrace-pgtest-'): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function begin(dataDir: string, more: Partial<StartPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const log = { info: () => undefined, warn: () => undefined };
  const server = await startPostgres({ dataDir, durable: false, log, ...more });
  cleanups.push(() => server.stop());
  return server;
}

async function query(server: { url: string }, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

type Owned = { pid: number; adopted: boolean; url: string };

async function beginInChild(dataDir: string, uid?: number): Promise<{ owned: Owned; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [owner, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const kill = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { owned: JSON.parse(line) as Owned, kill };
}

test('starts over an empty directory, keeps data over a restart, and leaves no process', async () => {
  const dataDir = join(temporary(), 'postgres');
  const first = await begin(dataDir, { durable: true });
  expect(first.adopted).toBe(false);
  await query(first, "create table kept (v text); insert into kept values ('Ünïcode')");
  await first.stop();
  expect(existsSync(`/proc/${first.pid}`)).toBe(false);
  const second = await begin(dataDir, { durable: true });
  expect(second.adopted).toBe(false);
  expect(await query(second, 'select lower(v) as v from kept')).toEqual([{ v: 'ünïcode' }]);
  expect(await query(second, "select current_setting('fsync') as f, current_setting('data_checksums') as c")).toEqual([
    { f: 'on', c: 'on' },
  ]);
});

test('[security 25] listens on no TCP port, asks for a password, and keeps files and socket from other uids', async () => {
  const dataDir = join(temporary(), 'postgres');
  const server = await begin(dataDir);
  expect(await query(server, "select current_setting('listen_addresses') as a")).toEqual([{ a: '' }]);
  const guess = new pg.Client({ ...server.connection, password: 'guess' });
  await expect(guess.connect()).rejects.toThrow(/password authentication failed/);
  for (const name of ['data', 'run']) expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0);
  for (const name of ['password', 'postgres.log']) expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0);
  if (!isRoot) return;
  expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:\s+64100\s+64100/m);
  const peek = promisify(execFile)('ls', [join(dataDir, 'run')], { uid: 64200, gid: 64200 });
  await expect(peek).rejects.toThrow(/Permission denied/);
});

test('a server whose owner was killed is adopted with its sessions and stopped by the new owner', async () => {
  const dataDir = join(temporary(), 'postgres');
  const { owned, kill } = await beginInChild(dataDir);
  const session = new pg.Client(owned.url);
  session.on('error', () => undefined);
  await session.connect();
  await session.query('create table t (v int); insert into t values (7)');
  await kill();
  const server = await begin(dataDir);
  expect(server).toMatchObject({ adopted: true, pid: owned.pid });
  expect((await session.query('select v from t')).rows).toEqual([{ v: 7 }]);
  await server.stop();
  await session.end().catch(() => undefined);
  expect((await begin(dataDir)).adopted).toBe(false);
});

test('a second start while it runs connects to the same server', async () => {
  const dataDir = join(temporary(), 'postgres');
  const first = await begin(dataDir);
  const second = await begin(dataDir);
  expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url });
});

test('a killed server recovers, also when its pid file names a living stranger', async () => {
  const dataDir = join(temporary(), 'postgres');
  const first = await begin(dataDir, { durable: true });
  await query(first, 'create table t (v int); insert into t values (1)');
  process.kill(first.pid, 'SIGKILL');
  const second = await begin(dataDir, { durable: true });
  expect(second.adopted).toBe(false);
  expect(await query(second, 'select v from t')).toEqual([{ v: 1 }]);
  await second.stop();
  writeFileSync(
    join(dataDir, 'data/postmaster.pid'),
    `${process.pid}\n${dataDir}/data\n1\n5432\n/nowhere\n\n\nready\n`,
  );
  expect((await begin(dataDir)).adopted).toBe(false);
});

test('a cluster of another major version is refused in words an operator can use', async () => {
  const dataDir = join(temporary(), 'postgres');
  await (await begin(dataDir)).stop();
  writeFileSync(join(dataDir, 'data/PG_VERSION'), '15\n');
  await expect(begin(dataDir)).rejects.toThrow(/was made by PostgreSQL 15, and this release brings PostgreSQL 18/);
});

test('settings win over the defaults, and a wrong one is reported with what the server said', async () => {
  const dataDir = join(temporary(), 'postgres');
  const server = await begin(dataDir, { settings: { work_mem: '9MB' } });
  expect(await query(server, "select current_setting('work_mem') as v")).toEqual([{ v: '9MB' }]);
  await server.stop();
  await expect(begin(dataDir, { settings: { shared_buffers: 'lots' } })).rejects.toThrow(
    /invalid value.*shared_buffers/,
  );
});

test('a data path too long for a socket gets a short socket directory that goes away with the server', async () => {
  const dataDir = join(temporary(`millrace-${'long'.repeat(25)}-`), 'postgres');
  const server = await begin(dataDir);
  expect(server.connection.host.length).toBeLessThan(88);
  expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(existsSync(server.connection.host)).toBe(false);
});

test('a signal to the process group of the owner does not reach the server', async () => {
  const dataDir = join(temporary(), 'postgres');
  const server = await begin(dataDir);
  const field = (pid: number) => execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  expect(field(server.pid)).toBe(String(server.pid));
  expect(field(server.pid)).not.toBe(field(process.pid));
});

test.runIf(isRoot)('an unprivileged owner runs the server under its own uid', async () => {
  const root = temporary();
  chmodSync(root, 0o777);
  const { owned, kill } = await beginInChild(join(root, 'postgres'), 65534);
  try {
    expect(readFileSync(`/proc/${owned.pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m);
    expect(await query(owned, 'select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    await kill();
    process.kill(owned.pid, 'SIGINT');
    await expect.poll(() => existsSync(join(root, 'postgres/data/postmaster.pid'))).toBe(false);
  }
});

test.runIf(isRoot)('a data directory below a closed one names the directory that blocks the way', async () => {
  const root = temporary();
  const closed = join(root, 'closed');
  execFileSync('mkdir', ['-p', '-m', '0700', join(closed, 'data')]);
  chmodSync(closed, 0o700);
  await expect(begin(join(closed, 'data/postgres'))).rejects.toThrow(`cannot pass ${closed}:`);
});
