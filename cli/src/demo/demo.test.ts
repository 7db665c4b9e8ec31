/** The demo against a real instance: what is there afterwards, and what a second run says. Slow, sampled: it makes the whole organisation, pushes and all. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type SpawnedServer, spawnServer } from '../../../server/test/spawned.ts';
import type { Surroundings } from '../command.ts';
import { main } from '../main.ts';

vi.setConfig({ testTimeout: 240_000 });

const token = `glpat-${'demo'.repeat(5)}`;
let directory: string;
let server: SpawnedServer;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-demo-'));
  // The embedded server's uid has to reach its files.
  await chmod(directory, 0o755);
  server = await spawnServer({
    MILLRACE_DATA: path.join(directory, 'data'),
    MILLRACE_SSH_PORT: 'off',
    MILLRACE_ROOT_TOKEN: token,
  });
}, 240_000);
afterAll(async () => {
  server?.kill('SIGTERM');
  await server?.exit;
  await rm(directory, { recursive: true, force: true });
});

async function demo(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const around: Surroundings = {
    env: { MILLRACE_DATA: path.join(directory, 'data'), MILLRACE_PORT: new URL(server.url).port },
    terminal: false,
    print: (line) => void out.push(line),
    write: (chunk) => void out.push(String(chunk)),
    warn: (line) => void err.push(line),
    readInput: async () => '',
    console: () => ({ input: process.stdin, output: process.stdout }),
    exit: () => undefined,
    interrupted: () => new AbortController().signal,
  };
  return { code: await main(['demo', ...args], around), out: out.join('\n'), err: err.join('\n') };
}

async function get<T>(target: string): Promise<T> {
  const response = await fetch(`${server.url}/api/v4${target}`, { headers: { 'PRIVATE-TOKEN': token } });
  expect(response.status, target).toBe(200);
  return (await response.json()) as T;
}

it('refuses what it cannot use, and says why', async () => {
  expect(await demo('--url', 'nowhere')).toMatchObject({ code: 2, err: expect.stringContaining('no URL') });
  expect(await demo('--url', server.url)).toMatchObject({ code: 2, err: expect.stringContaining('needs --token') });
  expect(await demo('--url', 'http://127.0.0.1:1', '--token', token)).toMatchObject({
    code: 1,
    err: 'millrace: http://127.0.0.1:1 does not answer: is the server running?',
  });
  expect(await demo('--url', server.url, '--token', 'glpat-wrong')).toMatchObject({
    code: 1,
    err: 'millrace: the token was refused: 401 401 Unauthorized',
  });
  expect(await get<unknown[]>('/groups')).toEqual([]);
});

it('makes an organisation with people, projects, pipelines and merge requests in every state', async () => {
  const { code, out, err } = await demo('--wait', '0');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('user     mara (Mara Lindqvist)');
  expect(out).toContain(`done: ${server.url}/brightwater`);

  const users = await get<{ username: string }[]>('/users?per_page=100');
  expect(users.map(({ username }) => username)).toEqual(
    expect.arrayContaining(['mara', 'jonas', 'priya', 'tomas', 'elif']),
  );
  const groups = await get<{ full_path: string }[]>('/groups?per_page=100');
  expect(groups.map((group) => group.full_path).sort()).toEqual([
    'brightwater',
    'brightwater-handbook',
    'brightwater/devices',
  ]);
  const projects = await get<{ id: number; path: string }[]>('/projects?per_page=100');
  expect(projects.map((project) => project.path).sort()).toEqual(['billing', 'handbook', 'meter-firmware', 'portal']);

  const billing = `/projects/${encodeURIComponent('brightwater/billing')}`;
  const branches = await get<{ name: string; protected: boolean }[]>(`${billing}/repository/branches`);
  expect(branches.map(({ name }) => name).sort()).toEqual(['broken-tests', 'main', 'round-totals', 'tariff-2027']);
  expect(branches.find(({ name }) => name === 'main')?.protected).toBe(true);
  const commits = await get<{ author_name: string }[]>(`${billing}/repository/commits`);
  expect(commits.map((commit) => commit.author_name)).toContain('Priya Raman');
  expect(await get<unknown[]>(`${billing}/repository/tags`)).toMatchObject([{ name: 'v1.0.0' }]);

  const requests = await get<{ iid: number; title: string; state: string; draft: boolean }[]>(
    `${billing}/merge_requests?state=all&sort=asc`,
  );
  expect(requests).toMatchObject([
    { title: 'Put a header on invoices', state: 'merged', author: { username: 'priya' } },
    { title: 'Base price for 2027', state: 'opened', draft: false },
    { title: 'Draft: Round totals to ten cents', state: 'opened', draft: true },
  ]);
  expect(await get(`${billing}/merge_requests/${requests[1]?.iid}`)).toMatchObject({ has_conflicts: true });
  const firmware = await get(`/projects/${encodeURIComponent('brightwater/devices/meter-firmware')}/merge_requests`);
  expect(firmware).toMatchObject([{ state: 'closed' }]);
  // They come with the fact of the push, shortly after it.
  const refs = async () => (await get<{ ref: string }[]>(`${billing}/pipelines`)).map(({ ref }) => ref);
  await expect.poll(refs).toEqual(expect.arrayContaining(['main', 'broken-tests', 'v1.0.0']));
});

it('plans releases, iterations and epics, with issues that were closed in the weeks before', async () => {
  const group = '/groups/brightwater';
  const [winter, spring] = await get<{ id: number; title: string; state: string }[]>(`${group}/milestones`);
  expect([winter?.title, winter?.state, spring?.title]).toEqual(['Winter release', 'closed', 'Spring release']);
  const events = await get<{ created_at: string; action: string }[]>(
    `${group}/milestones/${winter?.id}/burndown_events?per_page=100`,
  );
  const daysAgo = ({ created_at }: { created_at: string }) =>
    Math.round((Date.now() - Date.parse(created_at)) / 86_400_000);
  expect(events.filter(({ action }) => action === 'reopened').map(daysAgo)).toEqual([41]);
  const closed = events.filter(({ action }) => action === 'closed').map(daysAgo);
  expect([closed.length, closed[0], closed.at(-1)]).toEqual([12, 47, 16]);
  expect(await get<unknown[]>(`${group}/iterations`)).toHaveLength(6);
  expect(await get<unknown[]>(`${group}/iterations?state=current`)).toHaveLength(1);
  const epics = await get<{ title: string; parent_id: number | null }[]>(`${group}/epics`);
  expect(epics.filter((epic) => epic.parent_id !== null).map(({ title }) => title)).toEqual(['Invoices by email']);
  const open = await get<{ closed_at: string | null }[]>(`${group}/issues?state=opened&per_page=100`);
  expect([open.length, open[0]?.closed_at]).toEqual([10, null]);
  for (const path of [group, `/projects/${encodeURIComponent('brightwater/portal')}`]) {
    const [board] = await get<{ lists: { label: { name: string } }[] }[]>(`${path}/boards`);
    expect(board?.lists.map(({ label }) => label.name)).toEqual(['doing', 'review']);
  }
  const deployments = await get<{ status: string }[]>(
    `/projects/${encodeURIComponent('brightwater/billing')}/deployments`,
  );
  expect(deployments.map(({ status }) => status)).toEqual(['success']);
});

it('leaves no token behind and refuses a second run without changing anything', async () => {
  const active = await get<{ name: string }[]>('/personal_access_tokens?state=active&per_page=100');
  expect(active.map(({ name }) => name)).not.toContain('demo');
  const again = await demo('--url', `${server.url}/`, '--token', token, '--wait', '0');
  expect(again).toMatchObject({
    code: 1,
    out: '',
    err: `millrace: there is a group brightwater already (${server.url}/brightwater): nothing was changed`,
  });
});
