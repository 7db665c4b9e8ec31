/** Last commits of the entries of a directory over HTTP. Slow, sampled: long histories are made. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { keep } from './last-commits.queries.ts';

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly commit: { readonly id: string; readonly title: string } | null;
}
let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, {
    files: { 'README.md': '# Hi\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' },
  });
  await project.commit('main', { 'src/c.ts': 'c\n' });
  await project.commit('main', { 'top.txt': 'x\n' });
  await project.commit('side', { 'src/d.ts': 'd\n' }, { start_branch: 'main' });
});
afterAll(() => app.close());

const list = (query: Json = {}, more: { token?: string | null } = {}) =>
  project.api<Entry[]>('GET', '/repository/tree/last_commits', { query, ...more });

describe('last commits', () => {
  it('are those that the history of each entry begins with, in the order of the tree', async () => {
    for (const query of [{}, { path: 'src' }, { path: '/src/', ref: 'side' }]) {
      const { status, body } = await list(query);
      const tree = await project.api<Entry[]>('GET', '/repository/tree', { query });
      expect(status).toBe(200);
      expect(body.map((entry) => entry.path)).toEqual(tree.body.map((entry) => entry.path));
      for (const { path, commit } of body) {
        const log = { path, ref_name: 'ref' in query ? query.ref : 'main', per_page: 1 };
        const newest = await project.api<Json[]>('GET', '/repository/commits', { query: log });
        expect([path, commit?.id]).toEqual([path, newest.body[0]?.id]);
      }
    }
  });

  it('come page by page, and follow the branch', async () => {
    const page = await list({ per_page: 1, page: 2 });
    expect(page.body.map((entry) => entry.name)).toEqual(['README.md']);
    expect(page.headers.get('x-total')).toBe('3');
    const src = async (ref: string) => (await list({ ref })).body.find((entry) => entry.name === 'src')?.commit?.id;
    const before = await src('main');
    const made = await project.commit('moving', { 'src/e.ts': 'e\n' }, { start_branch: 'main' });
    expect([await src('moving'), await src('main')]).toEqual([made, before]);
  });

  it('are not told of what is not there, nor to those who may not read', async () => {
    expect((await list({ path: 'none' })).body).toMatchObject({ message: '404 Tree Not Found' });
    expect((await list({ path: 'README.md' })).status).toBe(404);
    expect((await list({ ref: 'none' })).status).toBe(404);
    expect((await list({ per_page: 'x' })).status).toBe(400);
    expect((await list({}, { token: null })).status).toBe(404);
    const { secret } = await buildToken(app);
    expect((await list({}, { token: secret })).status).toBe(404);
  });

  it('are kept of large directories after pushes, and follow the default branch', async () => {
    const large = await buildRepositoryProject(app, { files: { 'README.md': '# Hi\n' } });
    const files = Object.fromEntries(Array.from({ length: 200 }, (_item, index) => [`large/${index}.txt`, 'x\n']));
    const first = await large.commit('main', files);
    const rows = () =>
      app.db
        .selectFrom('kept_last_commits')
        .select(['path', 'commit', 'entries'])
        .where('project_id', '=', large.id)
        .orderBy('path')
        .execute();
    const keptFor = (commit: string, paths: readonly string[]) =>
      eventually('what is kept', async () => {
        const found = await rows();
        const there = found.map(({ path }) => path).join() === paths.join();
        return there && found.every((row) => row.commit === commit) ? found : null;
      });
    await keptFor(first, ['', 'large']);
    const second = await large.commit('main', [{ action: 'update', file_path: 'large/7.txt', content: 'y\n' }]);
    const [top, below] = await keptFor(second, ['', 'large']);
    expect(top?.entries).toMatchObject({ large: second });
    expect(below?.entries).toMatchObject({ '7.txt': second, '8.txt': first });
    expect(Object.keys(below?.entries ?? {})).toHaveLength(200);
    const gone = Object.keys(files).map((file_path) => ({ action: 'delete' as const, file_path }));
    await keptFor(await large.commit('main', gone), ['']);
  });

  it('are answered from what is kept, as far as it goes', async () => {
    const other = await buildRepositoryProject(app, { files: { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' } });
    const at = await other.commit('main', { 'top.txt': 'c\n' });
    const before = await other.commit('main', { 'src/c.ts': 'c\n' });
    // As no history has it: what is kept is believed, and not looked for again.
    await keep(app.db, other.id, { path: 'src', commit: at, entries: { 'a.ts': at, 'b.ts': at } }, 300);
    const { body } = await other.api<Entry[]>('GET', '/repository/tree/last_commits', { query: { path: 'src' } });
    expect(body.map(({ name, commit }) => [name, commit?.id])).toEqual([
      ['a.ts', at],
      ['b.ts', at],
      ['c.ts', before],
    ]);
  });
});
