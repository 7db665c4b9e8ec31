/** Kept answers to fetches, with the real git: who gets them, and that nobody gets an old or a forbidden one. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let url: string;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  project = await buildRepositoryProject(app);
  url = project.remote(project.owner.secret);
  // More than what is kept in memory.
  await project.commit('main', { noise: noise() });
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const noise = () => randomBytes(200_000).toString('base64');
async function kept(): Promise<number> {
  const found = await readdir(path.join(app.directory, 'fetch-cache'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return found.filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name)).length;
}
async function clone(args: readonly string[] = [], from = url): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', ...args, from, name]);
  await git.run(['fsck', '--strict', '--connectivity-only'], name);
  return name;
}
const head = (where: string) => git.run(['rev-parse', 'HEAD'], where);

it('clones of the same references are given the same answer, whoever asks in whatever version; others are their own', async () => {
  for (const version of [2, 2, 0, 0, 1]) await clone(['-c', `protocol.version=${version}`]);
  // Kept when git has ended, which its last byte comes before.
  await expect.poll(kept).toBe(3);
  const reporter = await project.member(20);
  const [mine, theirs] = [await clone(), await clone([], project.remote(reporter.secret))];
  expect([await kept(), await head(mine)]).toEqual([3, await head(theirs)]);
  await clone(['--depth', '1']);
  await clone(['--depth', '1']);
  await expect.poll(kept).toBe(4);
  const together = await Promise.all([1, 2, 3, 4].map(() => clone(['--filter=tree:0', '--bare'])));
  expect(new Set(await Promise.all(together.map(head))).size).toBe(1);
});

it('every clone has what was pushed before it, its tags too', async () => {
  const before = await clone();
  const id = await project.commit('main', { [unique('new')]: 'x' });
  const after = await clone();
  expect([await head(after), (await head(before)) === id]).toEqual([id, false]);
  await git.run(['fetch', '-q'], before);
  expect(await git.run(['rev-parse', 'origin/main'], before)).toBe(id);
  // A tag on what was cloned before comes along with a clone of one branch.
  const single = ['--single-branch', '--branch', 'main'];
  expect(await git.run(['tag'], await clone(single))).toBe('');
  const json = { tag_name: 'first', ref: 'main', message: 'annotated' };
  expect((await project.api('POST', '/repository/tags', { json })).status).toBe(201);
  expect(await git.run(['tag'], await clone(single))).toBe('first');
  expect((await project.api('DELETE', '/repository/tags/first')).status).toBe(204);
  expect(await git.run(['tag'], await clone(single))).toBe('');
  // Cut off at a branch that has moved since.
  await project.api('POST', '/repository/branches', { json: { branch: 'cut', ref: 'main' } });
  await project.commit('main', { [unique('new')]: 'x' });
  const count = async () => git.run(['rev-list', '--count', 'HEAD'], await clone([...single, '--shallow-exclude=cut']));
  expect(await count()).toBe('1');
  await project.api('DELETE', '/repository/branches/cut');
  await project.api('POST', '/repository/branches', { json: { branch: 'cut', ref: 'main~2' } });
  expect(await count()).toBe('2');
});

it('[security 18] a kept answer is for those who may read now', async () => {
  const reporter = await project.member(20);
  const own = project.remote(reporter.secret);
  await clone([], own);
  expect((await project.api('DELETE', `/members/${reporter.user.id}`)).status).toBe(204);
  expect((await git.try(['clone', '-q', own, unique('refused')])).code).not.toBe(0);
  expect((await git.try(['clone', '-q', project.remote(), unique('refused')])).code).not.toBe(0);
});

it('a deleted project takes its answers along', async () => {
  const other = await buildRepositoryProject(app, {
    owner: project.owner,
    files: { noise: noise() },
  });
  const before = await kept();
  await clone([], other.remote(project.owner.secret));
  await expect.poll(kept).toBe(before + 1);
  const remove = (query: Record<string, string> = {}) => other.api('DELETE', '', { query });
  expect((await remove()).status).toBe(202);
  const { path_with_namespace: full_path } = (await other.api<Json>('GET', '')).body;
  expect((await remove({ permanently_remove: 'true', full_path: String(full_path) })).status).toBe(202);
  await expect.poll(kept).toBe(before);
});
