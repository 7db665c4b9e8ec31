/** An import whose process is killed goes on behind the last stage that was done. Slow, sampled: each server is a process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { closeServed, giteaLists, hostedLists, type Reply, served } from '../../../../test/providers.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { type SpawnedServer, spawnServer } from '../../../../test/spawned.ts';

// Starts real processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = 'glpat-0123456789abcdefghij';
let elsewhere: TestApp;
let source: RepositoryProject;
let database: TestDatabase;
let directory: string;
let server: SpawnedServer | null = null;

const start = async () => {
  server = await spawnServer({
    DATABASE_URL: database.url,
    MILLRACE_DATA: path.join(directory, 'data'),
    MILLRACE_ROOT_TOKEN: root,
    MILLRACE_ROOT_PASSWORD: 'correct horse 1',
  });
};

beforeAll(async () => {
  elsewhere = await startTestApp();
  source = await buildRepositoryProject(elsewhere, { files: { 'a.txt': 'one\n' } });
  await source.commit('topic', { 'b.txt': '2\n' }, { start_branch: 'main' });
  database = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-continued-'));
  await start();
});
afterAll(async () => {
  closeServed();
  server?.kill('SIGTERM');
  await server?.exit;
  await database.drop();
  await rm(directory, { recursive: true, force: true });
  await elsewhere.close();
});

async function api(method: string, target: string, json?: Json): Promise<Json> {
  const response = await fetch(`${server?.url}/api/v4${target}`, {
    method,
    headers: { 'PRIVATE-TOKEN': root, 'Content-Type': 'application/json' },
    ...(json ? { body: JSON.stringify(json) } : {}),
  });
  const body = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}
const tip = async (branch: string) => {
  const { body } = await source.api('GET', `/repository/branches/${branch}`);
  return (body as unknown as { commit: { id: string } }).commit.id;
};

it('after kill -9 nothing that was done is asked for again, and nothing comes twice', async () => {
  const lists = giteaLists(await tip('topic'), await tip('main'));
  let through = false;
  let reached: () => void = () => undefined;
  const second = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { url, asked } = await served(({ path: at, query }): Reply => {
    if (at === '/api/v1/repositories/5')
      return { body: { id: 5, name: 'tool', full_name: 'ada/tool', private: true, clone_url: source.remote() } };
    const name = at.replace('/api/v1/repos/ada/tool', '');
    const page = Number(query.get('page') ?? 1);
    // The first page of comments is in; the second one does not come.
    if (name === '/issues/comments' && page === 2) {
      reached();
      if (!through) return { status: 429, headers: { 'Retry-After': '600' } };
    }
    const rows = name === '/issues/comments' ? lists[name]?.concat(lists[name] ?? []) : lists[name];
    if (!rows) return null;
    return {
      ...(rows.length > page * 2 ? { headers: { Link: '<https://git.example/?page=2>; rel="next"' } } : {}),
      body: rows.slice((page - 1) * 2, page * 2),
    };
  });
  await api('PUT', '/application/settings', { allow_local_requests_from_web_hooks_and_services: true });
  const { id } = await api('POST', '/import/gitea', {
    gitea_host_url: url,
    personal_access_token: source.owner.secret,
    repo_id: 5,
    new_name: 'tool',
  });
  await second;
  const before = await eventually('the first page', async () => {
    const state = await api('GET', `/projects/${id}/import`);
    return (state.stats as { imported?: Json } | null)?.imported?.notes === 2 && state;
  });
  expect(before).toMatchObject({ import_status: 'started', stats: { imported: { labels: 3, merge_requests: 2 } } });
  server?.kill('SIGKILL');
  await server?.exit;
  through = true;
  const at = asked.length;
  await start();
  const after = await eventually('the rest', async () => {
    const state = await api('GET', `/projects/${id}/import`);
    return state.import_status !== 'started' && state;
  });
  expect(after).toMatchObject({
    import_status: 'finished',
    import_error: null,
    stats: { imported: { labels: 3, milestones: 2, releases: 1, issues: 1, merge_requests: 2, notes: 7 } },
  });
  const again = asked.slice(at).map(({ path: each }) => each.replace('/api/v1/repos/ada/tool', ''));
  expect(new Set(again)).toEqual(
    new Set([
      '/api/v1/repositories/5',
      '/issues/comments',
      '/pulls/7/reviews',
      '/pulls/7/reviews/1/comments',
      '/pulls/8/reviews',
    ]),
  );
  const notes = (await api('GET', `/projects/${id}/merge_requests/7/notes`)) as unknown as Json[];
  expect(notes.length).toBe(5);
  const requests = (await api('GET', `/projects/${id}/merge_requests?state=all`)) as unknown as Json[];
  expect(requests.map(({ iid }) => iid).sort()).toEqual([7, 8]);
});

it('after kill -9 while attachments are fetched, none is lost, fetched again or here twice', async () => {
  const lists = hostedLists(await tip('topic'), await tip('main'));
  let through = false;
  let reached: () => void = () => undefined;
  const second = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const file = (name: string) => `/user-attachments/files/${name.charCodeAt(0)}/${name}.txt`;
  const { url, asked } = await served(({ path: at, query }, origin): Reply => {
    const show = (...names: string[]) => names.map((name) => `${origin}${file(name)}`).join(' and ');
    if (at === file('a')) return { headers: { 'Content-Type': 'text/plain' }, body: Buffer.from('A') };
    if (at === file('b')) {
      // The first file is in, and the text that shows both is not rewritten yet.
      reached();
      return through ? { body: Buffer.from('B') } : { status: 429, headers: { 'Retry-After': '600' } };
    }
    if (at === '/api/v3/repositories/42')
      return { body: { id: 42, name: 'Hello', full_name: 'octocat/Hello', private: true, clone_url: source.remote() } };
    const name = at.replace('/api/v3/repos/octocat/Hello', '');
    const about = { state: 'open', user: { login: 'octocat' }, created_at: '2024-05-06T07:08:09Z' };
    const issues = [
      { number: 3, title: 'Shows both', body: show('a', 'b'), ...about },
      { number: 4, title: 'Shows the first', body: show('a'), ...about },
      { number: 5, title: 'Shows what is gone', body: show('c', 'b'), ...about },
    ];
    const rows = name === '/issues' ? issues : name === '/issues/comments' ? [] : lists[name];
    return rows ? { body: Number(query.get('page') ?? 1) === 1 ? rows : [] } : null;
  });
  const { id } = await api('POST', '/import/github', {
    ...{ github_hostname: url, personal_access_token: source.owner.secret, repo_id: 42, target_namespace: 'root' },
    ...{ new_name: 'attached', optional_stages: { attachments_import: true } },
  });
  await second;
  server?.kill('SIGKILL');
  await server?.exit;
  through = true;
  await start();
  const after = await eventually('the rest', async () => {
    const state = await api('GET', `/projects/${id}/import`);
    return state.import_status !== 'started' && state;
  });
  expect(after).toMatchObject({
    import_status: 'finished',
    stats: { fetched: { issues: 3, attachments: 3 }, imported: { issues: 3, attachments: 2 } },
  });
  expect(asked.filter(({ path: at }) => at === file('a'))).toHaveLength(1);
  const uploads = (await api('GET', `/projects/${id}/uploads`)) as unknown as Json[];
  expect(uploads.map(({ filename }) => filename).sort()).toEqual(['a.txt', 'b.txt']);
  const texts = [];
  for (const iid of [3, 4, 5]) texts.push(String((await api('GET', `/projects/${id}/issues/${iid}`)).description));
  const [, one = '', two = ''] =
    /(\/uploads\/[0-9a-f]{32}\/a\.txt) and (\/uploads\/[0-9a-f]{32}\/b\.txt)$/.exec(texts[0] ?? '') ?? [];
  expect([one, two], texts[0]).not.toContain('');
  expect(texts[1]?.endsWith(`\n${one}`), texts[1]).toBe(true);
  expect(texts[2]?.endsWith(`\n${url}${file('c')} and ${two}`), texts[2]).toBe(true);
});
