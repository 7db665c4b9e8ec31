/** `millrace ci run --remote`: uncommitted changes run on a server as a pipeline that nothing is left of. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWorkTree } from '@millrace/git/work-tree';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../server/test/ci.ts';
import { placeOf, runRemotely } from './remote.ts';

let world: World;
let project: TestProject;
let directory: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: directory })
    .toString()
    .trim();
const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);

beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  directory = mkdtempSync(path.join(tmpdir(), 'millrace-remote-'));
  git('init', '-q', '-b', 'main');
  write('.gitlab-ci.yml', 'old: {script: x}\n');
  git('add', '.');
  git('commit', '-q', '-m', 'First');
  git('remote', 'add', 'origin', `${world.app.url}/${project.path}.git`);
  // Nothing of this is committed.
  write('.gitlab-ci.yml', 'measure: {script: cat new.txt}\n');
  write('new.txt', 'brand new\n');
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.close();
});

async function remote(
  more: { readonly keep?: boolean; readonly token?: string | undefined; readonly interrupted?: AbortSignal } = {},
) {
  const tree = await openWorkTree(directory, { env: { PATH: process.env.PATH, HOME: directory } });
  if (!tree) throw new Error('no checkout');
  const out: string[] = [];
  const outcome = runRemotely(tree, {
    ...{ server: undefined, project: undefined, token: world.owner.token, inputs: [], keep: false, milliseconds: 20 },
    ...{ variables: ['DEPTH=9'], print: (line: string) => void out.push(`${line}\n`) },
    write: (chunk) => void out.push(Buffer.from(chunk).toString()),
    interrupted: new AbortController().signal,
    ...more,
  });
  return { outcome, out };
}
const api = async <T>(what: string) =>
  (await world.app.api<T[]>('GET', `/projects/${project.id}/${what}`, { token: world.owner.token })).body;

it('runs what is not committed, shows the logs and removes branch and pipeline', async () => {
  const runner = await world.runner();
  const { outcome, out } = await remote();
  const job = await runner.next();
  expect(job.job_info.name).toBe('measure');
  expect(job.variables.find(({ key }) => key === 'DEPTH')?.value).toBe('9');
  const branch = String((job.git_info as { ref: string }).ref);
  expect(branch).toMatch(/^millrace-ci\/main-[0-9a-f]{8}$/);
  const file = await world.app.api<string>('GET', `/projects/${project.id}/repository/files/new.txt/raw`, {
    token: world.owner.token,
    query: { ref: branch },
  });
  expect(String(file.body)).toContain('brand new');
  await runner.patch(job, 'measured 9 fathoms\n');
  await runner.update(job, 'success');
  const { status, jobs } = await outcome;
  expect([status, [...jobs]]).toEqual(['success', [['measure', 'success']]]);
  expect(out.join('')).toContain('=== measure (test): success\nmeasured 9 fathoms');
  expect((await api<{ name: string }>('repository/branches')).map(({ name }) => name)).toEqual(['main']);
  expect(await api('pipelines')).toEqual([]);
  expect(git('status', '--short')).toBe('M .gitlab-ci.yml\n?? new.txt');
});

it('ends the pipeline and removes everything when it is interrupted', async () => {
  const runner = await world.runner();
  const controller = new AbortController();
  const { outcome } = await remote({ interrupted: controller.signal });
  const job = await runner.next();
  const ended = expect(outcome).rejects.toThrow('interrupted');
  controller.abort();
  await ended;
  expect((await runner.patch(job, 'too late\n')).status).toBe(403);
  expect((await api<{ name: string }>('repository/branches')).map(({ name }) => name)).toEqual(['main']);
  expect(await api('pipelines')).toEqual([]);
});

it('says what is wrong with the configuration, the token and the remote', async () => {
  await expect((await remote({ token: undefined })).outcome).rejects.toThrow('set MILLRACE_TOKEN');
  write('.gitlab-ci.yml', 'measure: {scrip: x}\n');
  await expect((await remote()).outcome).rejects.toThrow('unknown keys: scrip');
  expect((await api<{ name: string }>('repository/branches')).map(({ name }) => name)).toEqual(['main']);
  const none = { server: undefined, project: undefined };
  expect(placeOf('https://x.example/a/b.git', none)).toEqual({ server: 'https://x.example', project: 'a/b' });
  expect(placeOf('git@x.example:a/b.git', { ...none, server: 'https://x.example/' })).toEqual({
    server: 'https://x.example',
    project: 'a/b',
  });
  expect(() => placeOf('git@x.example:a/b.git', none)).toThrow('--server URL');
  expect(() => placeOf(null, { ...none, server: 'https://x.example' })).toThrow('--project PATH');
});
