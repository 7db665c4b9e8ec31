/** What is measured of repositories: sizes, commits, languages, fetches; and their upkeep. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { recordMeasures } from '../../namespaces/index.ts';
import { languageOf } from './languages.ts';

let app: TestApp;
let git: GitClient;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await app.close();
});

describe('languages', () => {
  it('go by names of files; what others wrote and what is no code is left out', () => {
    const cases: Record<string, string | null> = {
      'src/a.ts': 'TypeScript',
      'src/a.tsx': 'TypeScript',
      'a.py': 'Python',
      'lib/x.rb': 'Ruby',
      'x.h': 'C',
      'x.m': 'Objective-C',
      Makefile: 'Makefile',
      Dockerfile: 'Dockerfile',
      'a.html': 'HTML',
      'main.go': 'Go',
      'x.rs': 'Rust',
      'App.java': 'Java',
      'README.md': null,
      'package.json': null,
      'data.yml': null,
      'node_modules/a/b.js': null,
      'vendor/x.go': null,
      'docs/x.py': null,
      'a.min.js': null,
      'x.unknownending': null,
    };
    for (const [file, name] of Object.entries(cases)) expect([file, languageOf(file)]).toEqual([file, name]);
  });

  it('are told in percent of the default branch, and found by lists', async () => {
    const project = await buildRepositoryProject(app, {
      visibility: 'public',
      files: { 'a.rb': 'x'.repeat(300), 'b.py': 'y'.repeat(100), 'README.md': 'z'.repeat(1000) },
    });
    const languages = async () => (await project.api('GET', '/languages', { token: null })).body;
    expect(await languages()).toEqual({ Ruby: 75, Python: 25 });
    const list = async (with_programming_language: string) =>
      (await app.api<Json[]>('GET', '/projects', { query: { with_programming_language } })).body.map(({ id }) => id);
    expect(await list('ruby')).toEqual([project.id]);
    expect(await list('Go')).toEqual([]);
    expect(await list('')).toContain(project.id);
    await project.commit('main', { 'c.go': 'g'.repeat(400) });
    expect(await languages()).toEqual({ Go: 50, Ruby: 37.5, Python: 12.5 });
    const empty = await buildRepositoryProject(app, { files: null });
    expect((await empty.api('GET', '/languages')).body).toEqual({});
    expect((await empty.api('GET', '/languages', { token: null })).status).toBe(404);
    expect((await empty.api('GET', '/languages', { token: (await empty.member(Level.guest)).secret })).status).toBe(
      403,
    );
  });
});

describe('sizes and commits', () => {
  it('follow pushes', async () => {
    const project = await buildRepositoryProject(app, {});
    await project.commit('main', { more: 'x'.repeat(5000) });
    const statistics = await eventually('the measuring', async () => {
      const { body } = await project.api('GET', '?statistics=true');
      const found = body.statistics as { commit_count: number; repository_size: number; storage_size: number };
      return found.commit_count === 2 ? found : null;
    });
    expect(statistics.repository_size).toBeGreaterThan(0);
    expect(statistics.storage_size).toBe(statistics.repository_size);
    await recordMeasures(app.db, project.id, { repository_size: 1 });
    expect((await project.api('POST', '/repository_size')).status).toBe(201);
    await eventually('the measuring', async () => {
      const { body } = await project.api('GET', '?statistics=true');
      return (body.statistics as { repository_size: number }).repository_size > 1;
    });
    expect((await project.api('POST', '/repository_size', { token: null })).status).toBe(401);
    const developer = await project.member(Level.developer);
    expect((await project.api('POST', '/repository_size', { token: developer.secret })).status).toBe(403);
  });
});

describe('fetches', () => {
  it('are counted by day', async () => {
    const project = await buildRepositoryProject(app, { visibility: 'public' });
    for (const at of ['one', 'two']) await git.run(['clone', '-q', project.remote(), `${at}-${project.id}`]);
    await git.run(['ls-remote', project.remote()]);
    const day = new Date().toISOString().slice(0, 10);
    const { status, body } = await project.api('GET', '/statistics');
    expect([status, body]).toEqual([200, { fetches: { total: 2, days: [{ count: 2, date: day }] } }]);
    expect((await project.api('GET', '/statistics', { token: null })).status).toBe(401);
    const reporter = await project.member(Level.reporter);
    expect((await project.api('GET', '/statistics', { token: reporter.secret })).status).toBe(403);
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
    await app.db.insertInto('project_fetches').values({ project_id: project.id, date: old, count: 9 }).execute();
    expect((await project.api('GET', '/statistics')).body).toMatchObject({ fetches: { total: 2 } });
    await runTask(app, 'repository.forget_fetches');
    const rows = await app.db
      .selectFrom('project_fetches')
      .select('date')
      .where('project_id', '=', project.id)
      .execute();
    expect(rows.map(({ date }) => date)).toEqual([day]);
  });
});

describe('housekeeping and storage', () => {
  it('packs what is loose', async () => {
    const project = await buildRepositoryProject(app, {});
    for (const name of ['a', 'b', 'c']) await project.commit('main', { [name]: name });
    const packs = async () =>
      (await readdir(path.join(project.directory, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
    const before = await packs();
    expect((await project.api('POST', '/housekeeping', { json: { task: 'prune' } })).status).toBe(201);
    await eventually('one pack', async () => {
      const now = await packs();
      return now.length === 1 && now[0] !== before[0];
    });
    expect((await project.api('GET', '/repository/commits/main')).status).toBe(200);
    expect((await project.api('POST', '/housekeeping', { json: { task: 'clean' } })).status).toBe(400);
    expect((await project.api('POST', '/housekeeping', { token: null })).status).toBe(401);
    const developer = await project.member(Level.developer);
    expect((await project.api('POST', '/housekeeping', { token: developer.secret })).status).toBe(403);
  });

  it('tells administrators where it is', async () => {
    const project = await buildRepositoryProject(app, {});
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const { body } = await project.api('GET', '/storage', { token: admin.secret });
    expect(body).toMatchObject({ project_id: project.id, repository_storage: 'default' });
    expect(body.disk_path).toMatch(/^@hashed\/[0-9a-f/]+$/);
    expect((await project.api('GET', '/storage')).status).toBe(403);
    expect((await app.api('GET', '/projects/999999/storage', { token: admin.secret })).status).toBe(404);
  });
});
