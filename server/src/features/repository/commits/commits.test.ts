/** Commits over HTTP: list with every parameter, create with every action, read, diff, refs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let stranger: BuiltToken;
/** Ids of the commits of `main` of the clone, by title. */
const ids: Record<string, string> = {};

/** A clone with known dates: base, a branch with a rename and a trailer, merged, then one more. */
async function history(): Promise<void> {
  await git.run(['init', '-q', 'work']);
  const at = (day: number) => ({
    GIT_AUTHOR_DATE: `2024-01-0${day}T10:00:00+02:00`,
    GIT_COMMITTER_DATE: `2024-01-0${day}T12:00:00+02:00`,
  });
  const commit = async (title: string, day: number, args: string[] = []) => {
    await git.run(['add', '-A'], 'work');
    await git.run(['commit', '-q', '-m', title, ...args], 'work', at(day));
    ids[title.split('\n')[0] ?? ''] = await git.run(['rev-parse', 'HEAD'], 'work');
  };
  const { writeFile, mkdir } = await import('node:fs/promises');
  await mkdir(`${git.directory}/work/lib`);
  await writeFile(`${git.directory}/work/README.md`, 'one\ntwo\n');
  await writeFile(`${git.directory}/work/lib/old.txt`, 'a\nb\nc\nd\ne\n');
  await commit('base', 1);
  await git.run(['checkout', '-q', '-b', 'feature/one'], 'work');
  await git.run(['mv', 'lib/old.txt', 'lib/new.txt'], 'work');
  await commit('rename\n\nWith a body.\n\nSigned-off-by: Ada <ada@example.com>\nTicket: 7', 2);
  await git.run(['checkout', '-q', 'main'], 'work');
  await writeFile(`${git.directory}/work/README.md`, 'one\n');
  await commit('shrink', 3, ['--author', 'Bea Other <bea@example.com>']);
  await git.run(['merge', '-q', '--no-ff', '-m', 'merge', 'feature/one'], 'work', at(4));
  ids.merge = await git.run(['rev-parse', 'HEAD'], 'work');
  await writeFile(`${git.directory}/work/README.md`, 'one\nthree\n');
  await commit('last', 5);
  await git.run(['tag', 'v1', ids.base ?? ''], 'work');
  await git.run(['push', '-q', project.remote(project.owner.secret), '--all'], 'work');
  await git.run(['push', '-q', project.remote(project.owner.secret), '--tags'], 'work');
}

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  stranger = await buildToken(app);
  project = await buildRepositoryProject(app, { files: null });
  await history();
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const titles = async (query: Record<string, unknown> = {}) => {
  const answer = await project.api<Json[]>('GET', '/repository/commits', { query });
  expect([answer.status, Array.isArray(answer.body) ? '' : answer.body]).toEqual([200, '']);
  return answer.body.map((commit) => commit.title);
};

describe('list', () => {
  const all = ['last', 'merge', 'shrink', 'rename', 'base'];

  it('[2/api.commits/1 ref_name] is the history of the default branch, a branch, a tag, a hash or a range', async () => {
    expect(await titles()).toEqual(all);
    expect(await titles({ ref_name: 'feature/one' })).toEqual(['rename', 'base']);
    expect(await titles({ ref_name: 'v1' })).toEqual(['base']);
    expect(await titles({ ref_name: ids.shrink })).toEqual(['shrink', 'base']);
    expect(await titles({ ref_name: 'v1..feature/one' })).toEqual(['rename']);
    expect((await titles({ ref_name: `${ids.shrink}...feature/one` })).sort()).toEqual(['rename', 'shrink']);
    expect(await titles({ ref_name: '..feature/one' })).toEqual([]);
  });

  it('[1/errors/10] an unknown ref is 404, and one that looks like an option too (security 4)', async () => {
    for (const name of ['nothing', '--output=/tmp/x', '-h', 'main:README.md', 'v1..--all']) {
      const answer = await project.api('GET', '/repository/commits', { query: { ref_name: name } });
      expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Ref Not Found' }]);
    }
  });

  it('[2/api.commits/1 since] [2/api.commits/1 until] bounds are inclusive', async () => {
    expect(await titles({ since: '2024-01-04T10:00:00Z' })).toEqual(['last', 'merge']);
    expect(await titles({ since: '2024-01-04T10:00:01Z' })).toEqual(['last']);
    expect(await titles({ until: '2024-01-03T10:00:00Z' })).toEqual(['shrink', 'rename', 'base']);
    expect(await titles({ until: '2024-01-03T11:59:59+02:00' })).toEqual(['rename', 'base']);
    const bad = await project.api('GET', '/repository/commits', { query: { since: 'yesterday' } });
    expect([bad.status, bad.body]).toEqual([400, { error: 'since is invalid' }]);
  });

  it('[2/api.commits/1 path] only commits that change the path; follow goes past a rename', async () => {
    expect(await titles({ path: 'README.md' })).toEqual(['last', 'shrink', 'base']);
    expect(await titles({ path: 'lib' })).toEqual(['rename', 'base']);
    expect(await titles({ path: 'lib/new.txt' })).toEqual(['rename']);
    expect(await titles({ path: 'lib/new.txt', follow: true })).toEqual(['rename', 'base']);
    expect(await titles({ path: '--all' })).toEqual([]);
    expect(await titles({ path: ':(top)README.md' })).toEqual([]);
    expect(await titles({ path: '*.md' })).toEqual([]);
  });

  it('[2/api.commits/1 author] by name or address', async () => {
    expect(await titles({ author: 'Bea Other' })).toEqual(['shrink']);
    expect(await titles({ author: 'bea@example.com' })).toEqual(['shrink']);
    expect(await titles({ author: 'Nobody' })).toEqual([]);
  });

  it('[2/api.commits/1 all] from every ref', async () => {
    await project.commit('side', { 'side.txt': 'x' }, { start_branch: 'feature/one', commit_message: 'aside' });
    expect((await titles({ all: true }))[0]).toBe('aside');
    expect(await titles({ all: false })).toEqual(all);
  });

  it('[2/api.commits/1 with_stats] adds additions, deletions and total', async () => {
    const answer = await project.api<Json[]>('GET', '/repository/commits', { query: { with_stats: true } });
    expect(answer.body.map((commit) => commit.stats)).toEqual([
      { additions: 1, deletions: 0, total: 1 },
      expect.objectContaining({ total: expect.any(Number) }),
      { additions: 0, deletions: 1, total: 1 },
      { additions: 0, deletions: 0, total: 0 },
      { additions: 7, deletions: 0, total: 7 },
    ]);
  });

  it('[2/api.commits/1 first_parent] follows first parents only', async () => {
    expect(await titles({ first_parent: true })).toEqual(['last', 'merge', 'shrink', 'base']);
  });

  it('[2/api.commits/1 order] [2/api.commits/1 default] [2/api.commits/1 topo] by date, or topologically', async () => {
    expect(await titles({ order: 'default' })).toEqual(all);
    expect(await titles({ order: 'topo' })).toEqual(['last', 'merge', 'rename', 'shrink', 'base']);
    const bad = await project.api('GET', '/repository/commits', { query: { order: 'random' } });
    expect([bad.status, bad.body]).toEqual([400, { error: 'order does not have a valid value' }]);
  });

  it('[2/api.commits/1 trailers] parses trailers when asked', async () => {
    const query = { ref_name: 'feature/one', per_page: 1 };
    const [plain] = (await project.api<Json[]>('GET', '/repository/commits', { query })).body;
    expect(plain).toMatchObject({ trailers: {}, extended_trailers: {} });
    const [parsed] = (await project.api<Json[]>('GET', '/repository/commits', { query: { ...query, trailers: true } }))
      .body;
    expect(parsed).toMatchObject({
      trailers: { 'Signed-off-by': 'Ada <ada@example.com>', Ticket: '7' },
      extended_trailers: { Ticket: ['7'] },
    });
  });

  it('[1/limits.pagination/2] [1/limits.pagination/3] pages with Link, without counting history', async () => {
    const query = { per_page: 2, page: 2 };
    const answer = await project.api<Json[]>('GET', '/repository/commits', { query });
    expect(answer.body.map((commit) => commit.title)).toEqual(['shrink', 'rename']);
    expect(answer.headers.get('x-next-page')).toBe('3');
    expect(answer.headers.get('x-total')).toBeNull();
    expect(answer.headers.get('link')).toMatch(/page=1[^,]*rel="prev".*page=3[^,]*rel="next".*rel="first"/);
    const last = await project.api<Json[]>('GET', '/repository/commits', { query: { per_page: 2, page: 3 } });
    expect(last.body).toHaveLength(1);
    expect(last.headers.get('link')).not.toContain('rel="next"');
  });

  it('[1/what-the-service-does/9] a private project is 404 for everyone outside', async () => {
    for (const token of [null, stranger.secret]) {
      const answer = await project.api('GET', '/repository/commits', { token });
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Project Not Found' }]);
    }
  });

  it('a public project is open to anonymous callers, guests of a private one may not read code', async () => {
    const open = await buildRepositoryProject(app, { visibility: 'public' });
    expect((await open.api('GET', '/repository/commits', { token: null })).status).toBe(200);
    const guest = await project.member(10);
    const refused = await project.api('GET', '/repository/commits', { token: guest.secret });
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }]);
  });

  it('is empty for an empty repository', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    const answer = await empty.api('GET', '/repository/commits');
    expect([answer.status, answer.body]).toEqual([200, []]);
  });
});

describe('get', () => {
  const get = (sha: string, query: Record<string, unknown> = {}) =>
    project.api('GET', `/repository/commits/${encodeURIComponent(sha)}`, { query });

  it('[2/fields.commit/1] [2/fields.commit/2] [2/fields.commit/3] [2/fields.commit/4] [2/fields.commit/5 author_name] [2/fields.commit/5 author_email] [2/fields.commit/6] [2/fields.commit/7 committer_name] [2/fields.commit/7 committer_email] [2/fields.commit/8] [2/fields.commit/9] [2/fields.commit/10] [2/fields.commit/11] [2/fields.commit/12 stats] [2/fields.commit/12 additions] [2/fields.commit/12 deletions] [2/fields.commit/12 total] [2/fields.commit/13] [2/api.commits/10 sha] every field', async () => {
    const { status, body } = await get('feature/one');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: ids.rename,
      short_id: ids.rename?.slice(0, 8),
      title: 'rename',
      message: 'rename\n\nWith a body.\n\nSigned-off-by: Ada <ada@example.com>\nTicket: 7\n',
      author_name: 'Ada Author',
      author_email: 'ada@example.com',
      authored_date: '2024-01-02T10:00:00.000+02:00',
      committer_name: 'Carl Committer',
      committer_email: 'carl@example.com',
      committed_date: '2024-01-02T12:00:00.000+02:00',
      created_at: '2024-01-02T12:00:00.000+02:00',
      parent_ids: [ids.base],
      trailers: { 'Signed-off-by': 'Ada <ada@example.com>', Ticket: '7' },
      extended_trailers: { 'Signed-off-by': ['Ada <ada@example.com>'], Ticket: ['7'] },
      web_url: `${app.url}/${project.fullPath}/-/commit/${ids.rename}`,
      stats: { additions: 0, deletions: 0, total: 0 },
      status: null,
      signature_status: null,
      project_id: project.id,
      last_pipeline: null,
    });
    for (const name of [ids.rename ?? '', (ids.rename ?? '').slice(0, 9), 'refs/heads/feature/one'])
      expect((await get(name)).body.id).toBe(ids.rename);
    expect((await get('v1')).body).toMatchObject({ id: ids.base, parent_ids: [] });
    expect((await get('main')).body.parent_ids).toEqual([ids.merge]);
    expect((await get(ids.merge ?? '')).body.parent_ids).toEqual([ids.shrink, ids.rename]);
  });

  it('[2/api.commits/10 stats] are left out when not wanted', async () => {
    expect((await get('main', { stats: false })).body).not.toHaveProperty('stats');
    expect((await get('main', { stats: true })).body).toHaveProperty('stats');
  });

  it('[2/fields.commit/13] [2/fields.commit/14 last_pipeline] [2/fields.commit/14 id] [2/fields.commit/14 ref] [2/fields.commit/14 sha] [2/fields.commit/14 status] tells the newest pipeline and its status', async () => {
    const { nextIid } = await import('../../namespaces/index.ts');
    const iid = await nextIid(app.db, project.id, 'pipeline');
    const values = {
      project_id: project.id,
      iid,
      ref: 'main',
      sha: ids.shrink ?? '',
      status: 'running',
      source: 'push',
    };
    const { id } = await app.db
      .insertInto('pipelines')
      .values(values as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await get(ids.shrink ?? '')).body).toMatchObject({
      status: 'running',
      last_pipeline: { id, ref: 'main', sha: ids.shrink, status: 'running', project_id: project.id },
    });
  });

  it('unknown, ambiguous and option-like revisions are 404 (security 4)', async () => {
    for (const sha of ['nothing', 'f'.repeat(40), '--help', '-h', 'main..v1', 'main:README.md', '../main']) {
      const answer = await get(sha);
      expect([sha, answer.status, answer.body]).toEqual([sha, 404, { message: '404 Commit Not Found' }]);
    }
    const anonymous = await project.api('GET', '/repository/commits/main', { token: null });
    expect(anonymous.status).toBe(404);
  });

  it('tells how a commit is signed; 404 for one that is not', async () => {
    const of = async (sha: string) => {
      const answer = await project.api('GET', `/repository/commits/${sha}/signature`);
      return [answer.status, answer.body];
    };
    expect(await of('main')).toEqual([404, { message: '404 Signature Not Found' }]);
    expect(await of('nothing')).toEqual([404, { message: '404 Commit Not Found' }]);
    expect((await project.api('GET', '/repository/commits/main/signature', { token: null })).status).toBe(404);
    for (const [begin, type] of [
      ['PGP SIGNATURE', 'PGP'],
      ['SSH SIGNATURE', 'SSH'],
      ['SIGNED MESSAGE', 'X509'],
    ]) {
      const { writeFile } = await import('node:fs/promises');
      const [tree, who] = [await git.run(['rev-parse', 'main^{tree}'], 'work'), 'A <a@example.com> 1700000000 +0000'];
      const signature = `-----BEGIN ${begin}-----\n \n AAAA\n -----END ${begin}-----`;
      const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\ngpgsig ${signature}\n\nsigned\n`;
      await writeFile(`${git.directory}/signed`, text);
      const id = await git.run(['hash-object', '-w', '-t', 'commit', '../signed'], 'work');
      await git.run(['push', '-q', project.remote(project.owner.secret), `${id}:refs/heads/signed-${type}`], 'work');
      expect(await of(`signed-${type}`)).toMatchObject([
        200,
        { signature_type: type, verification_status: 'unverified' },
      ]);
    }
  });

  it('security 17: a commit of another project is not found here', async () => {
    const other = await buildRepositoryProject(app, { owner: project.owner });
    const { body } = await other.api('GET', '/repository/commits/main');
    for (const part of ['', '/diff', '/refs']) {
      const answer = await project.api('GET', `/repository/commits/${body.id}${part}`);
      expect([part, answer.status, answer.body]).toEqual([part, 404, { message: '404 Commit Not Found' }]);
    }
  });

  it('[2/api.commits/14] diff: the files of a commit with their hunks, paged', async () => {
    const rename = await project.api<Json[]>('GET', '/repository/commits/feature%2Fone/diff');
    expect(rename.body).toMatchObject([
      {
        old_path: 'lib/old.txt',
        new_path: 'lib/new.txt',
        renamed_file: true,
        new_file: false,
        deleted_file: false,
        diff: '',
      },
    ]);
    const root = await project.api<Json[]>('GET', '/repository/commits/v1/diff', { query: { per_page: 1 } });
    expect(root.body).toMatchObject([
      { new_path: 'README.md', new_file: true, a_mode: '0', b_mode: '100644', diff: '@@ -0,0 +1,2 @@\n+one\n+two\n' },
    ]);
    expect(root.headers.get('x-total')).toBe('2');
  });

  it('[2/api.commits/11 sha] [2/api.commits/11 type] [2/api.commits/11 branch] [2/api.commits/11 tag] [2/api.commits/11 all] [2/api.commits/11 name] [2/api.commits/11 page] [2/api.commits/11 per_page] refs that contain it', async () => {
    const refs = async (query: Record<string, unknown>) =>
      (await project.api<Json[]>('GET', `/repository/commits/${ids.base}/refs`, { query })).body;
    const branches = [
      { type: 'branch', name: 'feature/one' },
      { type: 'branch', name: 'main' },
      { type: 'branch', name: 'side' },
    ];
    const tags = [{ type: 'tag', name: 'v1' }];
    expect(await refs({})).toEqual([...branches, ...tags]);
    expect(await refs({ type: 'all' })).toEqual([...branches, ...tags]);
    expect(await refs({ type: 'branch' })).toEqual(branches);
    expect(await refs({ type: 'tag' })).toEqual(tags);
    expect(await refs({ per_page: 3, page: 2 })).toEqual(tags);
    expect(await refs({ per_page: 1, type: 'branch' })).toEqual(branches.slice(0, 1));
    const bad = await project.api('GET', `/repository/commits/${ids.base}/refs`, { query: { type: 'note' } });
    expect([bad.status, bad.body]).toEqual([400, { error: 'type does not have a valid value' }]);
  });
});
