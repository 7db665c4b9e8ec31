/** An index whose process was killed in the middle is finished by the next one. Slow, sampled: each server is a process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/ci.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { type SpawnedServer, spawnServer } from '../../../../test/spawned.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const token = 'glpat-0123456789abcdefghij';
let database: TestDatabase;
let directory: string;
let client: pg.Client;
let server: SpawnedServer;
const start = () =>
  spawnServer({
    DATABASE_URL: database.url,
    MILLRACE_DATA: directory,
    MILLRACE_ROOT_TOKEN: token,
    MILLRACE_ROOT_PASSWORD: 'correct horse 1',
  });
beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-index-'));
  client = new pg.Client(database);
  await client.connect();
  server = await start();
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  await client.end();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

async function api<T>(method: string, target: string, json?: unknown): Promise<T> {
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${server.url}/api/v4${target}`, { method, headers, ...body });
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const one = async (query: string): Promise<Record<string, number | string>> =>
  (await client.query(query)).rows[0] ?? {};

it('goes on where it was, and finds everything in the end', async () => {
  const files = 2_000;
  const { id } = await api<{ id: number }>('POST', '/projects', { name: 'killed' });
  const actions = Array.from({ length: files }, (_, at) => ({
    action: 'create',
    file_path: `src/${at}.txt`,
    content: Array.from({ length: 40 }, (__, line) => `line ${line} of file number${at} ${at * 7919 + line}`).join(
      '\n',
    ),
  }));
  await api('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'x', actions });
  const begun = await eventually('a part of the index', async () => {
    const { count } = await one('select count(*)::int as count from code_blobs');
    return Number(count) >= 100 ? Number(count) : null;
  });
  server.kill('SIGKILL');
  await server.exit;
  expect(begun).toBeLessThan(files);
  expect(await one('select commit, state from code_indexes')).toEqual({ commit: null, state: 'running' });
  const { last, count } = await one('select max(id)::int as last, count(*)::int as count from code_blobs');

  server = await start();
  await eventually('the index', async () => (await one('select state from code_indexes')).state === 'ready');
  // What was stored before is there as it was, and nothing twice.
  const kept = await one(`select count(*)::int as count from code_blobs where id <= ${last}`);
  expect(kept).toEqual({ count });
  expect(await one('select count(*)::int as count from code_blobs')).toEqual({ count: files });
  expect(await one('select files, done, error from code_indexes')).toEqual({ files, done: 0, error: null });
  for (const at of [0, 777, files - 1]) {
    const query = `scope=blobs&search=${encodeURIComponent(`file number${at} `)}`;
    const found = await api<{ path: string }[]>('GET', `/projects/${id}/search?${query}`);
    expect(new Set(found.map((each) => each.path))).toEqual(new Set([`src/${at}.txt`]));
  }
});
