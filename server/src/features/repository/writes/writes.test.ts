/** What a dead writer left behind: settled by whoever takes the repository's lock next, by the refs themselves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { lockKey } from '../../../kernel/db/locks.ts';
import { matchesPattern } from './protection.ts';
import { insertIntent, type OpenIntent } from './writes.queries.ts';

let app: TestApp;
let git: GitClient;
const zeros = '0'.repeat(40);
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await app.close();
});

/** The state of a crash: an open intent, with its refs moved or not. */
async function crashed(
  project: RepositoryProject,
  changes: OpenIntent['changes'],
  more: { atomic?: boolean } = {},
): Promise<number> {
  return insertIntent(app.db, 'project_id', {
    ownerId: project.id,
    kind: 'push',
    actorId: project.owner.user.id,
    changes,
    details: { via: 'push', pushOptions: ['ci.skip'], ...more },
  });
}
const stateOf = async (id: number) =>
  (await app.db.selectFrom('repository_intents').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;
const settledIntents = async (project: RepositoryProject) =>
  (
    await app.db
      .selectFrom('repository_intents')
      .select('id')
      .where('project_id', '=', project.id)
      .where('state', '<>', 'open')
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);
const pushesOf = async (project: RepositoryProject, ref: string) =>
  app.db
    .selectFrom('facts')
    .select(['payload', 'actor_id'])
    .where('kind', '=', 'push')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute()
    .then((facts) => facts.filter((fact) => (fact.payload as { ref?: unknown }).ref === ref));
const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
const direct = (project: RepositoryProject, args: string[]) => git.run(['--git-dir', project.directory, ...args]);

describe('repair', () => {
  it('an intent whose refs moved is told by the next writer, once, with a new generation', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    // A reader has the state of before in its cache.
    expect((await project.api('GET', '/repository/branches/moved')).status).toBe(404);
    await direct(project, ['update-ref', 'refs/heads/moved', tip]);
    const intent = await crashed(project, [{ ref: 'refs/heads/moved', before: zeros, after: tip }]);
    const generation = (await project.row()).refs_generation;
    await project.commit('other', { x: '' }, { start_branch: 'main' });
    await project.commit('other', { y: '' });
    expect(await stateOf(intent)).toBe('applied');
    expect(await pushesOf(project, 'refs/heads/moved')).toEqual([
      {
        actor_id: project.owner.user.id,
        payload: expect.objectContaining({ before: zeros, after: tip, via: 'push', push_options: ['ci.skip'] }),
      },
    ]);
    expect((await project.row()).refs_generation).toBe(generation + 3);
    expect((await project.api('GET', '/repository/branches/moved')).status).toBe(200);
  });

  it('an intent whose refs did not move is abandoned, without a fact', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    const intent = await crashed(project, [{ ref: 'refs/heads/never', before: zeros, after: tip }]);
    await project.commit('other', { x: '' }, { start_branch: 'main' });
    expect(await stateOf(intent)).toBe('abandoned');
    expect(await pushesOf(project, 'refs/heads/never')).toEqual([]);
  });

  it('of several refs those that moved are told, a deletion too', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    await project.api('POST', '/repository/branches', { json: { branch: 'deleted', ref: 'main' } });
    await direct(project, ['update-ref', '-d', 'refs/heads/deleted']);
    const intent = await crashed(project, [
      { ref: 'refs/heads/deleted', before: tip, after: zeros },
      { ref: 'refs/heads/never', before: zeros, after: tip },
    ]);
    await project.api('POST', '/repository/tags', { json: { tag_name: 'next', ref: 'main' } });
    expect(await stateOf(intent)).toBe('applied');
    expect((await pushesOf(project, 'refs/heads/deleted')).at(-1)?.payload).toMatchObject({
      before: tip,
      after: zeros,
    });
    expect(await pushesOf(project, 'refs/heads/never')).toEqual([]);
    expect((await project.api('GET', '/repository/branches/deleted')).status).toBe(404);
  });

  it('the first push of an empty repository is finished: default branch, HEAD and protection', async () => {
    const project = await buildRepositoryProject(app, { files: null });
    await git.run(['init', '-q', '-b', 'trunk', 'local']);
    await git.commit('local', 'a', 'a');
    await git.run(['push', '-q', project.directory, 'trunk'], 'local');
    const tip = await git.run(['rev-parse', 'HEAD'], 'local');
    await crashed(project, [{ ref: 'refs/heads/trunk', before: zeros, after: tip }]);
    await project.api('POST', '/repository/tags', { json: { tag_name: 'v1', ref: 'trunk' } });
    expect((await project.row()).default_branch).toBe('trunk');
    expect(await direct(project, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk');
    expect((await project.api('GET', '/repository/branches/trunk')).body).toMatchObject({
      protected: true,
      default: true,
    });
  });

  it('locks that a killed git left do not stop the next writer', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    const locks = ['refs/heads/main.lock', 'packed-refs.lock', 'HEAD.lock'].map((name) =>
      path.join(project.directory, name),
    );
    for (const lock of locks) await writeFile(lock, '');
    await crashed(project, [{ ref: 'refs/heads/main', before: zeros, after: tip }]);
    await project.commit('main', { unlocked: '' });
    expect(await Promise.all(locks.map(exists))).toEqual([false, false, false]);
  });

  it('a git push repairs too, and the sweep finds projects that nobody writes to', async () => {
    const project = await buildRepositoryProject(app);
    await git.run(['clone', '-q', project.remote(project.owner.secret), 'repairing']);
    const tip = await direct(project, ['rev-parse', 'main']);
    await direct(project, ['update-ref', 'refs/heads/moved', tip]);
    const intent = await crashed(project, [{ ref: 'refs/heads/moved', before: zeros, after: tip }]);
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/new'], 'repairing');
    expect(await stateOf(intent)).toBe('applied');

    const old = await crashed(project, [{ ref: 'refs/heads/never', before: zeros, after: tip }]);
    const young = await crashed(project, [{ ref: 'refs/heads/never2', before: zeros, after: tip }]);
    const run = () => runTask(app, 'repository.sweep');
    await run();
    expect([await stateOf(old), await stateOf(young)]).toEqual(['open', 'open']);
    await app.db
      .updateTable('repository_intents')
      .set({ created_at: new Date(Date.now() - 120_000) })
      .where('id', '=', old)
      .execute();
    await run();
    expect(await stateOf(old)).toBe('abandoned');
  });

  it('a write that fails at the ref leaves neither objects in quarantine nor an open intent', async () => {
    const project = await buildRepositoryProject(app);
    // A directory with a file in it where the ref's file should go: git cannot create it.
    await mkdir(path.join(project.directory, 'refs/heads/blocked'), { recursive: true });
    await writeFile(path.join(project.directory, 'refs/heads/blocked/x.lock'), '');
    const answer = await project.api('POST', '/repository/branches', { json: { branch: 'blocked', ref: 'main' } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const open = await app.db
      .selectFrom('repository_intents')
      .select('id')
      .where('project_id', '=', project.id)
      .where('state', '=', 'open')
      .execute();
    expect(open).toEqual([]);
    await project.commit('main', { after: '' });
  });

  it('an atomic write of which a part is visible is completed, others stay as they are', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    const pair = (name: string) =>
      [`${name}1`, `${name}2`].map((branch) => ({ ref: `refs/heads/${branch}`, before: zeros, after: tip }));
    for (const name of ['all1', 'each1']) await direct(project, ['update-ref', `refs/heads/${name}`, tip]);
    const all = await crashed(project, pair('all'), { atomic: true });
    const each = await crashed(project, pair('each'));
    await project.commit('main', { next: '' });
    expect([await stateOf(all), await stateOf(each)]).toEqual(['applied', 'applied']);
    const there = ['all1', 'all2', 'each1', 'each2'].map(async (name) => [
      (await project.api('GET', `/repository/branches/${name}`)).status,
      (await pushesOf(project, `refs/heads/${name}`)).length,
    ]);
    expect(await Promise.all(there)).toEqual([
      [200, 1],
      [200, 1],
      [200, 1],
      [404, 0],
    ]);
  });

  it('creating what is there already is a conflict, and nobody is told of a push', async () => {
    const project = await buildRepositoryProject(app);
    await git.run(['clone', '-q', project.remote(project.owner.secret), 'twice']);
    const tip = await git.run(['rev-parse', 'HEAD'], 'twice');
    const pkt = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const commands = ['there', 'fresh'].map((name) => `${zeros} ${tip} refs/heads/${name}`);
    await project.api('POST', '/repository/branches', { json: { branch: 'there', ref: 'main' } });
    const before = (await pushesOf(project, 'refs/heads/there')).length;
    const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');
    const response = await fetch(`${project.remote()}/git-receive-pack`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-git-receive-pack-request',
        Authorization: `Basic ${Buffer.from(`git:${project.owner.secret}`).toString('base64')}`,
      },
      body: Buffer.concat([
        Buffer.from(`${pkt(`${commands[0]}\0report-status`)}${pkt(`${commands[1]}`)}0000`),
        emptyPack,
      ]),
    });
    expect(await response.text()).toMatch(/ng refs\/heads\/there.*ok refs\/heads\/fresh/s);
    expect(await pushesOf(project, 'refs/heads/there')).toHaveLength(before);
    expect(await pushesOf(project, 'refs/heads/fresh')).toHaveLength(1);
  });
});

describe('fencing', () => {
  /** Who holds the lock of a repository. */
  const holdersOf = async (project: RepositoryProject) =>
    (
      await sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = ${lockKey('repository', project.id)}::bigint`.execute(app.db)
    ).rows;
  const branch = (project: RepositoryProject, name: string) =>
    project.api('POST', '/repository/branches', { json: { branch: name, ref: 'main' } });
  /** Ends the connection that holds the lock. */
  async function loseLock(project: RepositoryProject): Promise<void> {
    await expect.poll(async () => (await holdersOf(project)).length).toBe(1);
    const [holder] = await holdersOf(project);
    await sql`select pg_terminate_backend(${holder?.pid ?? 0})`.execute(app.db);
    await expect.poll(async () => (await holdersOf(project)).some(({ pid }) => pid === holder?.pid)).toBe(false);
  }
  const branchesOf = (project: RepositoryProject) =>
    direct(project, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads']);

  it('a writer that lost its lock while git was about to move refs moves nothing; the next one does', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    // A lock file in the way is left to git, which waits where it would begin.
    await writeFile(path.join(project.directory, 'refs/heads/lost.lock'), '');
    const guard = spawn('flock', ['-F', path.join(project.directory, 'refs.guard'), 'cat']);
    guard.stdin.write('x');
    await once(guard.stdout, 'data');
    const lost = branch(project, 'lost');
    await loseLock(project);
    expect((await branch(project, 'next')).status).toBe(201);
    guard.stdin.end();
    expect((await lost).status).toBe(503);
    expect(await branchesOf(project)).toBe(`refs/heads/main ${tip}\nrefs/heads/next ${tip}`);
    expect(await pushesOf(project, 'refs/heads/lost')).toEqual([]);
    expect((await branch(project, 'lost')).status).toBe(201);
  });

  it('a writer that lost its lock before its last word moves nothing without git either', async () => {
    const project = await buildRepositoryProject(app);
    const tip = await direct(project, ['rev-parse', 'main']);
    const lock = path.join(project.directory, 'refs/heads/lost.lock');
    let lost: ReturnType<typeof branch> | undefined;
    await app.db.transaction().execute(async (tx) => {
      await sql`lock table repository_intents in exclusive mode`.execute(tx);
      lost = branch(project, 'lost');
      await expect.poll(() => existsSync(lock)).toBe(true);
      await loseLock(project);
    });
    expect((await lost)?.status).toBe(503);
    expect(existsSync(lock)).toBe(false);
    expect(await branchesOf(project)).toBe(`refs/heads/main ${tip}`);
    expect(await pushesOf(project, 'refs/heads/lost')).toEqual([]);
    expect((await branch(project, 'lost')).status).toBe(201);
  });

  it('intents are forgotten a week after they were settled, open ones never', async () => {
    const project = await buildRepositoryProject(app);
    const [old, open] = [await crashed(project, []), await crashed(project, [])];
    const past = new Date(Date.now() - 8 * 86_400_000);
    await app.db.updateTable('repository_intents').set({ created_at: past }).where('id', 'in', [old, open]).execute();
    const settled = { state: 'applied', settled_at: past } as const;
    await app.db.updateTable('repository_intents').set(settled).where('id', '=', old).execute();
    const young = await settledIntents(project);
    await runTask(app, 'repository.forget_intents');
    expect(await settledIntents(project)).toEqual(young.filter((id) => id !== old));
    expect(young).toContain(old);
    expect(await stateOf(open)).toBe('open');
  });
});

describe('protection patterns', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'main2', false],
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', true],
    ['release/*', 'releases', false],
    ['*', 'anything', true],
    ['*-stable', '1-stable', true],
    ['*-stable', 'stable', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-c', false],
    ['ab*ba', 'aba', false],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matchesPattern(pattern, name)).toBe(expected);
  });
});
