/** Repositories that are written stay small: packs, refs and commit-graph follow by themselves, past what a killed git left. Slow, sampled: repositories are packed. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as git from '@millrace/git';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let client: GitClient;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  client = await gitClient();
});
afterAll(async () => {
  await client.close();
  await app.close();
});

const looseRefs = (project: RepositoryProject) =>
  readdirSync(path.join(project.directory, 'refs'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;

it('after every so many writes the commit-graph is there, loose refs are packed, and killed maintenance is no obstacle', async () => {
  const project = await buildRepositoryProject(app);
  const objects = path.join(project.directory, 'objects');
  mkdirSync(path.join(objects, 'info/commit-graphs'), { recursive: true });
  const left = ['info/commit-graphs/commit-graph-chain.lock', 'pack/tmp_pack_Killed', 'pack/.tmp-1-pack-x.pack'];
  const long = new Date(Date.now() - 2 * 86_400_000);
  for (const name of left) {
    writeFileSync(path.join(objects, name), '');
    utimesSync(path.join(objects, name), long, long);
  }
  const chain = path.join(objects, 'info/commit-graphs/commit-graph-chain');
  // Maintenance follows ten writes after the last one at the latest: one of them finds more refs than may stay loose.
  for (let step = 2; step <= 85; step++) {
    const json = { branch: `b${step}`, ref: 'main' };
    expect((await project.api('POST', '/repository/branches', { json })).status).toBe(201);
    if (step < 10) expect(existsSync(chain)).toBe(false);
  }
  await expect.poll(() => existsSync(chain)).toBe(true);
  await expect.poll(() => looseRefs(project)).toBeLessThan(64);
  await expect.poll(() => left.filter((name) => existsSync(path.join(objects, name)))).toEqual([]);
  expect((await project.api('GET', '/repository/branches/b2')).status).toBe(200);
  await expect.poll(async () => (await project.row()).maintained_generation).toBeGreaterThan(60);
});

it('a push whose missing objects were pruned while it waited is refused, and the repository stays whole', async () => {
  const project = await buildRepositoryProject(app);
  const direct = (args: string[]) => client.run(['--git-dir', project.directory, ...args]);
  // An unreachable commit of long ago, and a push that builds on it without sending it.
  const tree = await direct(['rev-parse', 'main^{tree}']);
  const lost = await direct(['commit-tree', tree, '-m', 'lost']);
  const shared = git.createGit();
  const repo = git.openRepository(shared, git.repoPath(project.directory));
  const quarantine = await git.createQuarantine(repo);
  const person = { name: 'A', email: 'a@example.com', seconds: 1_700_000_000 };
  const commit = { parents: [git.parseSha(lost) as git.Sha], author: person, committer: person, message: 'on it' };
  const tip = await git.createCommit(quarantine, { ...commit, tree: git.parseSha(tree) as git.Sha });
  await git.checkConnectivity(quarantine, [tip]);
  expect(await git.prunedSince(quarantine)).toBe(false);
  const object = path.join(project.directory, 'objects', lost.slice(0, 2), lost.slice(2));
  await git.maintain(repo, { full: true });
  expect(existsSync(object)).toBe(true);
  const long = new Date(Date.now() - 15 * 86_400_000);
  utimesSync(object, long, long);
  await git.maintain(repo, { full: true });
  expect(existsSync(object)).toBe(false);
  expect(await git.prunedSince(quarantine)).toBe(true);
  await expect(git.checkConnectivity(quarantine, [tip])).rejects.toMatchObject({ code: 'corrupt' });
  await git.discardQuarantine(quarantine);
  expect(await git.prunedSince(await git.createQuarantine(repo))).toBe(false);
  await shared.close();
});

it('thousands of loose objects and dozens of packs become few packs, beside a writer', async () => {
  const project = await buildRepositoryProject(app);
  const shared = git.createGit();
  const repo = git.openRepository(shared, git.repoPath(project.directory));
  const counts = async () => await git.storeCounts(repo);
  for (let round = 0; round < 3; round++) {
    const quarantine = await git.createQuarantine(repo);
    for (let index = 0; index < 800; index++) await git.writeBlob(quarantine, Buffer.from(`${round}.${index}`));
    await git.migrateQuarantine(quarantine);
  }
  expect((await counts()).looseObjects).toBeGreaterThan(1024);
  const [tended] = await Promise.all([git.tend(repo), project.commit('main', { beside: '' })]);
  expect(tended.repacked).toBe(true);
  expect((await counts()).looseObjects).toBeLessThan(1024);
  expect((await counts()).packs).toBeLessThan(5);
  await project.commit('main', { after: '' });
  expect(await git.fsck(repo)).toEqual({ healthy: true, problems: [] });
  await shared.close();
});
