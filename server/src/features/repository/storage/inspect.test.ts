/** What `millrace doctor` finds in storages: each kind of disagreement with the database, and what to do about it. */
import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as git from '@millrace/git';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { lfsClient, made } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { insertIntent } from '../writes/writes.queries.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  await project.commit('main', { 'a.txt': 'a' });
});
afterAll(() => app.close());

const lines = async (found: AsyncGenerator<{ of: string; text: string }, unknown>): Promise<string[]> => {
  const told: string[] = [];
  for await (const { of, text } of found) told.push(`${of}: ${text}`);
  return told;
};
const repositories = (fsck = false) => lines(app.inspection.repositories({ fsck }));
const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);

it('nothing where everything agrees', async () => {
  expect(await repositories(true)).toEqual([]);
  const found = app.inspection.repositories({ fsck: false });
  expect(await found.next()).toEqual({ done: true, value: { looked: 1 } });
});

it('a repository that is missing, and a storage that is not configured', async () => {
  renameSync(project.directory, `${project.directory}.away`);
  expect(await repositories()).toEqual([
    `${project.fullPath}: its repository ${project.directory} is missing: put it back from a backup, or remove what it belongs to`,
  ]);
  renameSync(`${project.directory}.away`, project.directory);
  const elsewhere = (repository_storage: string) =>
    app.db.updateTable('projects').set({ repository_storage }).where('id', '=', project.id).execute();
  await elsewhere('gone');
  // Its directory is young: it may belong to a project that is being made.
  expect(await repositories()).toEqual([expect.stringContaining('its storage gone is not in MILLRACE_REPOSITORIES')]);
  await elsewhere('default');
});

it('a HEAD that is another, and the command that sets it', async () => {
  const head = path.join(project.directory, 'HEAD');
  writeFileSync(head, 'ref: refs/heads/other\n');
  const [told] = await repositories();
  expect(told).toContain('names other, the database main');
  writeFileSync(head, 'ref: refs/heads/main\n');
  expect(told?.endsWith(`git --git-dir=${project.directory} symbolic-ref HEAD refs/heads/main`)).toBe(true);
});

it('lock files that nobody removed, and writes that nobody settled', async () => {
  const lock = path.join(project.directory, 'refs/heads/old.lock');
  writeFileSync(lock, '');
  expect(await repositories()).toEqual([]);
  utimesSync(lock, twoDaysAgo, twoDaysAgo);
  const details = { via: 'push', pushOptions: [] } as const;
  const id = await insertIntent(app.db, 'project_id', {
    ownerId: project.id,
    kind: 'push',
    actorId: null,
    changes: [],
    details,
  });
  expect(await repositories()).toEqual([expect.stringContaining('1 lock files')]);
  const created_at = new Date(Date.now() - 3_600_000);
  await app.db.updateTable('repository_intents').set({ created_at }).where('id', '=', id).execute();
  expect((await repositories())[1]).toBe(
    `${project.fullPath}: a write of ${created_at.toISOString()} is not settled: a running server does that every minute, or its log says why it cannot`,
  );
  await app.db.deleteFrom('repository_intents').where('id', '=', id).execute();
  rmSync(lock);
});

it('a directory that belongs to nobody', async () => {
  const stray = path.join(app.directory, 'repositories/@hashed/ab/cd/stray.git');
  await git.initRepository(git.repoPath(stray));
  expect(await repositories()).toEqual([]);
  const home = path.join(app.directory, 'moved.git');
  // Only the clock makes it old: the times of changes of a file cannot be set.
  const { now } = Date;
  Date.now = () => now() + 2 * 86_400_000;
  try {
    expect((await repositories()).filter((line) => line.startsWith(stray))).toEqual([
      expect.stringContaining('belongs to no project and no wiki'),
    ]);
  } finally {
    Date.now = now;
  }
  renameSync(stray, home);
});

it('objects that are damaged or missing, when they are asked for', async () => {
  const object = made();
  await lfsClient(app, project).put(object);
  expect(await lines(app.inspection.objects())).toEqual([]);
  const { object_key: key } = await app.db.selectFrom('lfs_objects').select('object_key').executeTakeFirstOrThrow();
  const root = path.join(app.directory, 'objects');
  const file = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(key)) ?? '';
  rmSync(path.join(root, file));
  expect(await lines(app.inspection.objects())).toEqual([
    expect.stringMatching(/^LFS object \d+: its object \w{32} is missing.*git lfs push --all/),
  ]);
  const objects = path.join(project.directory, 'objects');
  const loose =
    readdirSync(objects, { recursive: true, encoding: 'utf8' }).find((name) => /^..\/.{38}$/.test(name)) ?? '';
  expect(existsSync(path.join(objects, loose))).toBe(true);
  rmSync(path.join(objects, loose));
  expect(await repositories()).toEqual([]);
  // Which object comes first is chance: git tells of a commit that is gone by the branch that points to it.
  expect(await repositories(true)).toEqual([expect.stringMatching(/git fsck of .*(missing|invalid sha1 pointer)/)]);
});
