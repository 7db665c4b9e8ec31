/** Two processes on one database: what one takes away, the other refuses at its very next request; trees move safely. Slow, sampled: each server is a process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { startStorage, type TestStorage } from '../test/s3/index.ts';
import { type SpawnedServer, spawnServer } from '../test/spawned.ts';
import { Level } from './kernel/authz/levels.ts';
import { lockKey } from './kernel/db/locks.ts';

// Starts real processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const root = 'glpat-0123456789abcdefghij';
let database: TestDatabase;
let directory: string;
let storage: TestStorage;
let client: pg.Client;
const servers: SpawnedServer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-two-'));
  storage = await startStorage();
  const shared = {
    ...storage.environment('shared'),
    DATABASE_URL: database.url,
    MILLRACE_REPOSITORIES: `default=${path.join(directory, 'repositories')}`,
    MILLRACE_SECRETS: path.join(directory, 'secrets.key'),
  };
  const start = async (name: string, env: Record<string, string> = {}) =>
    servers.push(await spawnServer({ ...shared, ...env, MILLRACE_DATA: path.join(directory, name) }));
  // The first one makes the key file and the administrator.
  await start('one', { MILLRACE_ROOT_TOKEN: root, MILLRACE_ROOT_PASSWORD: 'correct horse 1' });
  await start('two');
  client = new pg.Client(database);
  await client.connect();
});
afterAll(async () => {
  for (const server of servers) server.kill('SIGTERM');
  await Promise.all(servers.map(({ exit }) => exit));
  await client.end();
  await storage.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}
type Json = Record<string, unknown> & { readonly id: number };

/** A request to the first (0) or second (1) process. */
async function api<T = Json>(at: number, method: string, target: string, token: string, json?: unknown) {
  const headers = { 'PRIVATE-TOKEN': token, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${servers[at]?.url}/api/v4${target}`, {
    method,
    headers,
    redirect: 'manual',
    ...body,
  });
  const text = await response.text();
  const answer: Answer<T> & { location: string | null } = {
    status: response.status,
    body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as T,
    location: response.headers.get('location'),
  };
  return answer;
}

async function made<T = Json>(target: string, json: unknown, token = root): Promise<T> {
  const { status, body } = await api<T>(0, 'POST', target, token, json);
  if (status >= 300) throw new Error(`POST ${target}: ${status} ${JSON.stringify(body)}`);
  return body;
}

let names = 0;
const named = (kind: string) => {
  names += 1;
  return `${kind}-${names}`;
};
async function person(): Promise<{ id: number; token: string }> {
  const username = named('person');
  const user = await made('/users', {
    username,
    name: username,
    email: `${username}@example.com`,
    password: 'correct horse 7',
    skip_confirmation: true,
  });
  const token = await made<{ token: string }>(`/users/${user.id}/personal_access_tokens`, {
    name: 'test',
    scopes: ['api', 'write_repository'],
  });
  return { id: user.id, token: token.token };
}
const group = async (parent?: number) => {
  const name = named('group');
  return await made('/groups', { name, path: name, ...(parent === undefined ? {} : { parent_id: parent }) });
};
const project = async (namespace: number) => {
  const name = named('project');
  return await made('/projects', { name, path: name, namespace_id: namespace, initialize_with_readme: true });
};
const git = async (at: number, fullPath: unknown, token: string, service = 'git-upload-pack'): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;
  const url = `${servers[at]?.url}/${fullPath}.git/info/refs?service=${service}`;
  const response = await fetch(url, { headers: { authorization } });
  await response.arrayBuffer();
  return response.status;
};

/** Somebody who reads a private project through the second process, over the API and git, and is refused at once after. */
async function refusedAfter(
  arrange: (place: { top: Json; inside: Json; user: number }) => Promise<() => Promise<{ status: number }>>,
  expected: readonly [number, number],
): Promise<void> {
  const [top, user] = [await group(), await person()];
  const inside = await group(top.id);
  const { id, path_with_namespace: fullPath } = await project(inside.id);
  const take = await arrange({ top, inside, user: user.id });
  const look = async (place: unknown) => [
    (await api(1, 'GET', `/projects/${id}`, user.token)).status,
    await git(1, place, user.token),
  ];
  expect(await look(fullPath)).toEqual([200, 200]);
  expect((await take()).status).toBeLessThan(300);
  const now = (await api<{ path_with_namespace: string }>(0, 'GET', `/projects/${id}`, root)).body.path_with_namespace;
  expect(await look(now)).toEqual(expected);
}

const join = (id: number, user: number, level: number = Level.developer) =>
  made(`/groups/${id}/members`, { user_id: user, access_level: level });

it('a membership that one process removes is gone in the other', () =>
  refusedAfter(
    async ({ top, user }) => {
      await join(top.id, user);
      return () => api(0, 'DELETE', `/groups/${top.id}/members/${user}`, root);
    },
    [404, 404],
  ));

it('an invitation of a group that one process removes is gone in the other', () =>
  refusedAfter(
    async ({ top, user }) => {
      const invited = await group();
      await join(invited.id, user);
      await made(`/groups/${top.id}/share`, { group_id: invited.id, group_access: Level.developer });
      return () => api(0, 'DELETE', `/groups/${top.id}/share/${invited.id}`, root);
    },
    [404, 404],
  ));

it('members of the group above lose what one process moves away', () =>
  refusedAfter(
    async ({ top, inside, user }) => {
      await join(top.id, user);
      return () => api(0, 'POST', `/groups/${inside.id}/transfer`, root, {});
    },
    [404, 404],
  ));

it('somebody whom one process blocks is nobody in the other', () =>
  refusedAfter(
    async ({ top, user }) => {
      await join(top.id, user);
      return () => api(0, 'POST', `/users/${user}/block`, root);
    },
    [401, 401],
  ));

it('a file that one process keeps in the bucket the other reads', async () => {
  const { id } = await project((await group()).id);
  const form = new FormData();
  form.set('file', new Blob(['drawn']), 'a.png');
  const target = `/projects/${id}/uploads`;
  const init = { method: 'POST', headers: { 'PRIVATE-TOKEN': root }, body: form };
  const made = (await (await fetch(`${servers[0]?.url}/api/v4${target}`, init)).json()) as { url: string };
  expect((await api<string>(1, 'GET', `/projects/${id}${made.url}`, root)).body).toBe('drawn');
  expect([...storage.objects.keys()]).toEqual([expect.stringMatching(/^shared\/[0-9a-f]{32}$/)]);
  for (const server of servers) expect(server.output.join() + server.errors.join()).not.toContain(storage.keys.secret);
});

it('a role that one process lowers writes nothing in the other', async () => {
  const [top, user] = [await group(), await person()];
  const { id, path_with_namespace: fullPath } = await project(top.id);
  await join(top.id, user.id);
  const write = async () => [
    (await api(1, 'POST', `/projects/${id}/repository/branches?branch=${named('b')}&ref=main`, user.token)).status,
    await git(1, fullPath, user.token, 'git-receive-pack'),
  ];
  expect(await write()).toEqual([201, 200]);
  const lowered = { access_level: Level.reporter };
  expect((await api(0, 'PUT', `/groups/${top.id}/members/${user.id}`, root, lowered)).status).toBe(200);
  expect(await write()).toEqual([403, 403]);
});

/** Rows of the tree whose kept columns are not what their parents say. */
const inconsistent = async () =>
  (
    await client.query(`select n.id, n.full_path, n.traversal_ids from namespaces n left join namespaces p on p.id = n.parent_id
      where n.full_path is distinct from coalesce(p.full_path || '/', '') || n.path
        or n.traversal_ids is distinct from coalesce(p.traversal_ids, '{}') || n.id
        or n.parent_id is null and cardinality(n.traversal_ids) <> 1`)
  ).rows;

/** Sends requests while nobody may change the tree, and lets them run together once all of them wait for it. */
async function together<T>(requests: ReadonlyArray<() => Promise<T>>): Promise<T[]> {
  await client.query('select pg_advisory_lock($1::bigint)', [lockKey('namespaces')]);
  const waiting = async () =>
    (
      await client.query<{ count: number }>(
        `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      )
    ).rows[0]?.count;
  let asked: Array<Promise<T>> = [];
  try {
    asked = requests.map((request) => request());
    await vi.waitFor(async () => expect(await waiting()).toBe(requests.length), { timeout: 60_000, interval: 20 });
    // Reading goes on meanwhile.
    expect((await api<unknown>(1, 'GET', '/groups', root)).status).toBe(200);
  } finally {
    await client.query('select pg_advisory_unlock($1::bigint)', [lockKey('namespaces')]);
  }
  return await Promise.all(asked);
}

const transfer = (at: number, id: number, to: number | null) => () =>
  api(at, 'POST', `/groups/${id}/transfer`, root, to === null ? {} : { group_id: to });

it('of two groups that go below each other at the same time one does, and the tree has no circle', async () => {
  const [a, b] = [await group(), await group()];
  const [belowA, belowB] = [await group(a.id), await group(b.id)];
  const answers = await together([transfer(0, a.id, belowB.id), transfer(1, b.id, belowA.id)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  expect(answers.map(({ body }) => body.message).join()).toContain('A group cannot be moved into itself');
  expect(await inconsistent()).toEqual([]);
});

it('overlapping moves and renames end in one tree, with every former path leading to where its group is', async () => {
  const [a, b, home] = [await group(), await group(), await group()];
  const inside = await group(a.id);
  const deep = await group(inside.id);
  const held = await project(deep.id);
  const [renamed, fresh] = [named('renamed'), named('fresh')];
  const answers = await together<Answer<Json>>([
    transfer(0, inside.id, b.id),
    transfer(1, a.id, home.id),
    () => api(0, 'PUT', `/groups/${b.id}`, root, { path: renamed }),
    () => api(1, 'POST', '/groups', root, { name: fresh, path: fresh, parent_id: inside.id }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 201]);
  expect(await inconsistent()).toEqual([]);
  const now = await api<{ full_path: string }>(1, 'GET', `/groups/${deep.id}`, root);
  expect(now.body.full_path).toBe(`${renamed}/${inside.path}/${deep.path}`);
  for (const [former, id] of [
    [deep.full_path, deep.id],
    [inside.full_path, inside.id],
    [a.full_path, a.id],
    [b.full_path, b.id],
  ]) {
    const found = await api(1, 'GET', `/groups/${encodeURIComponent(String(former))}`, root);
    expect(found.location ?? String(found.body.id), String(former)).toMatch(new RegExp(`(^|/)${id}$`));
  }
  const byPath = await api(0, 'GET', `/projects/${encodeURIComponent(`${now.body.full_path}/${held.path}`)}`, root);
  expect(byPath.body.id).toBe(held.id);
  expect(await git(1, `${now.body.full_path}/${held.path}`, root)).toBe(200);
});
