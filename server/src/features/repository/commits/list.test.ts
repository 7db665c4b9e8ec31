/** The list of commits where its parameters meet: crossed histories, parts of seconds, refs of the service, combinations. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;

/** Commits by what they are called here; each changes a file of its own and `log.txt`, merges only join. */
const ids: Record<string, string> = {};
let clock = 0;
async function commit(name: string, parents: readonly string[], files: Readonly<Record<string, string>>) {
  clock += 1;
  const env = {
    GIT_INDEX_FILE: `${git.directory}/index`,
    GIT_AUTHOR_DATE: `@${1_700_000_000 + clock * 60} +0100`,
    GIT_COMMITTER_DATE: `@${1_700_000_000 + clock * 60} +0100`,
    ...(name.startsWith('b') ? { GIT_AUTHOR_NAME: 'Bea Other' } : {}),
  };
  await git.run(['read-tree', '--empty'], 'work', env);
  for (const [path, text] of Object.entries(files)) {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${git.directory}/blob`, text);
    const blob = await git.run(['hash-object', '-w', `${git.directory}/blob`], 'work');
    await git.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], 'work', env);
  }
  const tree = await git.run(['write-tree'], 'work', env);
  const ancestors = parents.flatMap((parent) => ['-p', ids[parent] ?? '']);
  ids[name] = await git.run(['commit-tree', tree, ...ancestors, '-m', name], 'work', env);
}

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app, { files: null, visibility: 'public' });
  await git.run(['init', '-q', 'work']);
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('');
  await commit('root', [], { 'old.txt': text });
  await commit('a1', ['root'], { 'old.txt': text, a: '1' });
  await commit('b1', ['root'], { 'new.txt': text });
  // Each side takes the other in: two best common ancestors.
  await commit('a2', ['a1', 'b1'], { 'new.txt': text, a: '1' });
  await commit('b2', ['b1', 'a1'], { 'new.txt': text, a: '1' });
  await commit('a3', ['a2'], { 'new.txt': text, a: '3' });
  await commit('b3', ['b2'], { 'new.txt': `${text}more\n`, a: '1' });
  for (const [name, id] of [
    ['main', ids.a3],
    ['other', ids.b3],
  ])
    await git.run(['push', '-q', project.remote(project.owner.secret), `${id}:refs/heads/${name}`], 'work');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const list = (query: Json, token?: string | null) =>
  project.api<Json[]>('GET', '/repository/commits', { query, ...(token === undefined ? {} : { token }) });
const titles = async (query: Json, token?: string | null) => {
  const answer = await list(query, token);
  expect([answer.status, query]).toEqual([200, query]);
  return answer.body.map((found) => found.title);
};

it('[2/api.commits/1 ref_name] three dots leave out every common ancestor of histories that crossed', async () => {
  expect(await titles({ ref_name: 'main...other' })).toEqual(['b3', 'a3', 'b2', 'a2']);
  expect(await titles({ ref_name: 'main..other' })).toEqual(['b3', 'b2']);
  expect(await titles({ ref_name: 'other^..other' })).toEqual(['b3']);
  expect(await titles({ ref_name: 'other~2..refs/heads/main' })).toEqual(['a3', 'a2', 'a1']);
  expect(await titles({ ref_name: 'HEAD~3' })).toEqual(['root']);
  // What is left empty is not given.
  expect(await titles({ ref_name: '' })).toEqual(['a3', 'a2', 'b1', 'a1', 'root']);
});

it('[2/api.commits/1 since] [2/api.commits/1 until] parts of a second count, and every date is one', async () => {
  const at = (offset: number) => new Date((1_700_000_000 + 6 * 60) * 1000 + offset).toISOString();
  expect(await titles({ since: at(0) })).toEqual(['a3']);
  expect(await titles({ since: at(1) })).toEqual([]);
  expect(await titles({ until: at(-1), first_parent: true })).toEqual(['a2', 'a1', 'root']);
  expect(await titles({ since: at(-1), until: at(999) })).toEqual(['a3']);
  expect(await titles({ since: '1960-01-01T00:00:00Z' })).toHaveLength(5);
  expect(await titles({ until: '1960-01-01T00:00:00Z' })).toEqual([]);
  expect(await titles({ since: '9999-12-31T23:59:59Z' })).toEqual([]);
  expect(await titles({ since: '2000-01-01' })).toHaveLength(5);
  for (const name of ['since', 'until'])
    expect((await list({ [name]: '2024-13-01T00:00:00Z' })).body).toEqual({ error: `${name} is invalid` });
});

it('[2/api.commits/1 path] [2/api.commits/1 author] [2/api.commits/1 first_parent] filters narrow each other', async () => {
  expect(await titles({ path: 'new.txt', ref_name: 'other' })).toEqual(['b3', 'b1']);
  expect(await titles({ path: 'new.txt', ref_name: 'other', follow: true })).toEqual(['b3', 'b1', 'root']);
  // Pages of a followed path are cut from what is shown, not from all that git walked.
  const followed = { path: 'new.txt', ref_name: 'other', follow: true, per_page: 1 };
  for (const [at, title] of ['b3', 'b1', 'root'].entries())
    expect(await titles({ ...followed, page: at + 1 })).toEqual([title]);
  expect(await titles({ path: 'new.txt', ref_name: 'other', follow: true, author: 'Bea' })).toEqual(['b3', 'b1']);
  expect(await titles({ path: '/', author: 'BEA OTHER' })).toEqual(['b1']);
  expect(await titles({ author: '.*' })).toEqual([]);
  expect(await titles({ path: 'a' })).toEqual(['a3', 'a1']);
  expect(await titles({ path: 'a', ref_name: 'other' })).toEqual(['a1']);
  expect(await titles({ path: 'a', ref_name: 'other', first_parent: true })).toEqual(['b2']);
  expect(await titles({ first_parent: true, author: 'Bea' })).toEqual([]);
  expect(await titles({ path: 'nothing', follow: true })).toEqual([]);
  for (const path of ['../a', 'a/../a']) expect([path, (await list({ path })).status]).toEqual([path, 400]);
});

it('[2/api.commits/1 all] [2/api.commits/1 order] [2/api.commits/1 with_stats] everything, in any order, page by page', async () => {
  const every = ['b3', 'a3', 'b2', 'a2', 'b1', 'a1', 'root'];
  expect(await titles({ all: true, ref_name: 'main' })).toEqual(every);
  const topo = (await titles({ all: true, order: 'topo' })) as string[];
  expect(topo.toSorted()).toEqual(every.toSorted());
  // A line of history is told as one.
  expect(topo.slice(0, 2)).toEqual(['b3', 'b2']);
  const pages = [];
  for (let page = 1; page <= 4; page += 1) {
    const answer = await list({ all: true, with_stats: true, per_page: 2, page });
    expect(answer.headers.get('x-page')).toBe(String(page));
    expect(answer.headers.get('x-per-page')).toBe('2');
    expect(answer.headers.get('x-next-page')).toBe(page < 4 ? String(page + 1) : '');
    expect(answer.headers.get('x-prev-page')).toBe(page > 1 ? String(page - 1) : '');
    pages.push(...answer.body);
  }
  expect(pages.map((each) => each.title)).toEqual(every);
  expect(pages.map((each) => each.stats)).toEqual(
    [1, 2, 1, 0, 0, 1, 20].map((lines, at) =>
      at === 1 ? { additions: 1, deletions: 1, total: 2 } : { additions: lines, deletions: 0, total: lines },
    ),
  );
  expect((await list({ page: 50 })).body).toEqual([]);
});

it('security 17: all refs are those that the caller may see: not those of merge requests that are kept for members', async () => {
  await project.commit('waiting', { w: 'w' }, { start_branch: 'main', commit_message: 'waiting' });
  const fields = { source_branch: 'waiting', target_branch: 'main', title: 'Waiting' };
  expect((await project.api('POST', '/merge_requests', { json: fields })).status).toBe(201);
  await project.api('DELETE', '/repository/branches/waiting');
  const stranger = await buildToken(app);
  for (const token of [undefined, null, stranger.secret])
    expect((await titles({ all: true }, token))[0]).toBe('waiting');
  await project.api('PUT', '', { json: { merge_requests_access_level: 'private' } });
  for (const token of [null, stranger.secret]) expect((await titles({ all: true }, token))[0]).toBe('b3');
  expect((await titles({ all: true }))[0]).toBe('waiting');
  expect((await titles({ all: true }, (await project.member(Level.reporter)).secret))[0]).toBe('waiting');
});

it('[2/fields.commit/14 last_pipeline] [2/fields.commit/13] are told to those who may see pipelines', async () => {
  const { nextIid } = await import('../../namespaces/index.ts');
  const iid = await nextIid(app.db, project.id, 'pipeline');
  const values = { project_id: project.id, iid, ref: 'main', sha: ids.a3 ?? '', status: 'success', source: 'push' };
  await app.db
    .insertInto('pipelines')
    .values(values as never)
    .execute();
  const seen = async (token: string | null) => {
    const { body } = await project.api('GET', `/repository/commits/${ids.a3}`, { token });
    return [body.status, (body.last_pipeline as Json | null)?.status];
  };
  expect(await seen(null)).toEqual(['success', 'success']);
  await project.api('PUT', '', { json: { public_jobs: false } });
  expect(await seen(null)).toEqual([null, undefined]);
  expect(await seen((await project.member(Level.reporter)).secret)).toEqual(['success', 'success']);
});

it('an empty repository has no commits, and no names', async () => {
  const empty = await buildRepositoryProject(app, { files: null, owner: project.owner });
  for (const query of [{}, { all: true }, { path: 'a', follow: true }, { with_stats: true, first_parent: true }])
    expect((await empty.api('GET', '/repository/commits', { query })).body).toEqual([]);
  for (const ref_name of ['main', 'HEAD', 'HEAD..main', 'f'.repeat(40)]) {
    const answer = await empty.api('GET', '/repository/commits', { query: { ref_name } });
    expect([ref_name, answer.status]).toEqual([ref_name, 404]);
  }
  expect((await empty.api('GET', '/repository/commits/HEAD')).body).toEqual({ message: '404 Commit Not Found' });
});
