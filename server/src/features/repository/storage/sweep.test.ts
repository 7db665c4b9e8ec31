/** Repositories come and go without a window, and what interrupted processes leave on a storage is found and set aside. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as git from '@millrace/git';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { createStorages } from '../../../kernel/health/storages.ts';
import { noMetrics } from '../../../kernel/telemetry/metrics.ts';
import { insertIntent } from '../writes/writes.queries.ts';

let app: TestApp;
let client: GitClient;
let storage: string;
beforeAll(async () => {
  app = await startTestApp();
  client = await gitClient();
  storage = path.join(app.directory, 'repositories');
});
afterAll(async () => {
  await client.close();
  await app.close();
});

const run = (name: string) => runTask(app, name);
const allBelow = (directory: string) => readdirSync(directory, { recursive: true, encoding: 'utf8' });

it('directories that nobody knows are set aside after a week, half ones go after a day, others are cleaned', async () => {
  const project = await buildRepositoryProject(app);
  const away = path.join(storage, '@hashed/ab/cd');
  const make = async (name: string) => {
    await git.initRepository(git.repoPath(path.join(away, name)));
    return path.join(away, name);
  };
  const orphan = await make('orphan.git');
  const [making, removing] = ['x.git.making-00ff', 'y.git.removing-00ff'].map((name) => path.join(away, name));
  for (const half of [making, removing]) mkdirSync(path.join(half as string, 'objects'), { recursive: true });
  const objects = path.join(project.directory, 'objects');
  const left = [path.join(objects, 'incoming-00ff'), path.join(project.directory, 'refs/heads/main.lock')];
  mkdirSync(left[0] as string);
  writeFileSync(left[1] as string, '');
  const there = () => [orphan, making, removing, ...left].map((name) => existsSync(name as string));
  await run('repository.sweep_storages');
  expect(there()).toEqual([true, true, true, true, true]);

  const long = new Date(Date.now() - 30 * 86_400_000);
  for (const name of left) utimesSync(name, long, long);
  await run('repository.sweep_storages');
  expect(there()).toEqual([true, true, true, false, false]);
  // The clock of the storage cannot be turned back: the rule itself is asked.
  for await (const found of git.repositoriesBelow(storage))
    for (const entry of found) {
      const known = path.join(storage, entry.path) === project.directory;
      expect(entry.kind).toBe(/making|removing/.exec(entry.path)?.[0] ?? 'repository');
      if (!known) await git.setAside(storage, entry);
    }
  expect(there()).toEqual([false, false, false, false, false]);
  expect(readdirSync(path.join(storage, '@orphans'))).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-orphan\.git$/)]);
  await project.commit('main', { after: '' });
});

it('a removal that was interrupted goes on, and a removed path leaves nothing', async () => {
  const project = await buildRepositoryProject(app);
  const { repository_storage, repository_path } = await project.row();
  renameSync(project.directory, `${project.directory}.removing-00ff`);
  await runTask(app, 'repository.remove', { storage: repository_storage, path: repository_path });
  expect(readdirSync(path.dirname(project.directory))).toEqual([]);
});

it('a project is not there before its repository, and neither is when the storage is away', async () => {
  const owner = await buildToken(app);
  const name = unique('placed');
  const create = () => app.api<{ id: number }>('POST', '/projects', { token: owner.secret, json: { name } });
  const before = allBelow(storage).filter((entry) => entry.endsWith('.git')).length;
  renameSync(storage, `${storage}-away`);
  try {
    expect(await create()).toMatchObject({ status: 503, body: { message: expect.stringContaining('missing') } });
    expect(existsSync(storage)).toBe(false);
  } finally {
    renameSync(`${storage}-away`, storage);
  }
  expect((await create()).status).toBe(201);
  // The name is taken: what was made for it goes again.
  expect((await create()).status).toBe(400);
  expect(allBelow(storage).filter((entry) => entry.endsWith('.git'))).toHaveLength(before + 1);
});

it('HEAD and the row move together, also when the writer dies between', async () => {
  const project = await buildRepositoryProject(app);
  await project.api('POST', '/repository/branches', { json: { branch: 'next', ref: 'main' } });
  const head = () => client.run(['--git-dir', project.directory, 'symbolic-ref', 'HEAD']);
  const intent = (after: string) =>
    insertIntent(app.db, 'project_id', {
      ownerId: project.id,
      kind: 'head',
      actorId: null,
      changes: [{ ref: 'HEAD', before: 'refs/heads/main', after: `refs/heads/${after}` }],
      details: { via: 'api', pushOptions: [] },
    });
  expect((await project.api('PUT', '', { json: { default_branch: 'next' } })).status).toBe(200);
  expect([await head(), (await project.row()).default_branch]).toEqual(['refs/heads/next', 'next']);
  // Died before HEAD moved, then after.
  await intent('main');
  await project.commit('main', { one: '' });
  expect([await head(), (await project.row()).default_branch]).toEqual(['refs/heads/next', 'next']);
  await intent('main');
  await client.run(['--git-dir', project.directory, 'symbolic-ref', 'HEAD', 'refs/heads/main']);
  const facts = () => app.db.selectFrom('facts').select('id').where('project_id', '=', project.id).execute();
  await project.commit('next', { two: '' });
  expect((await project.row()).default_branch).toBe('main');
  expect((await facts()).length).toBeGreaterThan(0);
});

it('storages are really written; one that cannot be is told with its name', async () => {
  const storages = createStorages({ good: storage, away: path.join(app.directory, 'nowhere') }, noMetrics);
  await storages.check('good');
  expect(readdirSync(storage).filter((name) => name.startsWith('.check-'))).toEqual([]);
  await expect(storages.check('away')).rejects.toThrow(/repository storage away: ENOENT/);
  await expect(storages.check('unknown')).rejects.toThrow('not configured');
  expect([storages.hangingFor('good'), storages.hangingFor('away')]).toEqual([null, null]);
  rmSync(path.join(storage, '@orphans'), { recursive: true, force: true });
});
