/** Code is found in the index: the same as a look through all files finds, soon after each push, and only what the caller may read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually as becomes } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
interface Blob {
  readonly path: string;
  readonly data: string;
  readonly startline: number;
  readonly project_id: number;
  readonly ref: string;
}

let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
});
afterAll(() => app.close());

/** Waits until what is expected holds; says what does not where it never does. */
async function eventually(work: () => Promise<void>): Promise<void> {
  let last: unknown;
  const holds = async () => {
    try {
      await work();
      return true;
    } catch (error) {
      last = error;
      return false;
    }
  };
  await becomes('what is expected', holds).catch((error: unknown) => {
    throw last ?? error;
  });
}

/** Waits until the index of a project is of what is there now. */
const indexed = (project: RepositoryProject, kind = 'code') =>
  eventually(async () => {
    const { rows } = await indexRows(project, kind);
    expect(rows[0]).toMatchObject({ state: 'ready', generation: (await project.row()).refs_generation });
  });
const indexRows = async (project: RepositoryProject, kind: string) => ({
  rows: await app.db
    .selectFrom('code_indexes')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('kind', '=', kind as 'code')
    .execute(),
});

async function search(where: string, query: Json, who: BuiltToken | null = owner) {
  return await app.api<Blob[]>('GET', `${where}/search`, {
    query: { scope: 'blobs', per_page: 100, ...query },
    ...(who ? { token: who.secret } : {}),
  });
}
async function found(where: string, query: Json, who: BuiltToken | null = owner): Promise<Blob[]> {
  const { status, body } = await search(where, query, who);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}
const places = (blobs: readonly Blob[]) => blobs.map(({ path, startline }) => `${path}:${startline}`);

describe('the index', () => {
  it('finds code in all projects that the caller may read, and nothing of others', async () => {
    const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const settings = (path: string) => ({ name: path, path, namespace_id: group.id });
    const files = { 'src/quagga.ts': 'one\ntwo\nconst quagga = 1;\nfour\nfive\n' };
    const open = await buildRepositoryProject(app, { owner, visibility: 'public', files, settings: settings('open') });
    const shut = await buildRepositoryProject(app, { owner, files, settings: settings('shut') });
    const [guest, reporter, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    await buildMember(app, { user: guest.user, of: await shut.row(), level: Level.guest });
    await buildMember(app, { user: reporter.user, of: await shut.row(), level: Level.reporter });
    await Promise.all([indexed(open), indexed(shut)]);
    const ids = async (who: BuiltToken | null, where = '') =>
      (await found(where, { search: 'QUAGGA =' }, who)).map(({ project_id }) => project_id).sort();

    for (const where of ['', `/groups/${group.id}`]) {
      expect(await ids(owner, where)).toEqual([open.id, shut.id]);
      expect(await ids(reporter, where)).toEqual([open.id, shut.id]);
      expect(await ids(admin, where)).toEqual([open.id, shut.id]);
      for (const who of [guest, stranger, null]) expect(await ids(who, where)).toEqual([open.id]);
    }
    expect(await ids(guest, `/projects/${shut.id}`)).toEqual([]);
    expect(await ids(owner, `/projects/${shut.id}`)).toEqual([shut.id]);

    await open.api('PUT', '', { json: { repository_access_level: 'private' } });
    expect(await ids(stranger)).toEqual([]);
    expect(await ids(owner)).toEqual([open.id, shut.id]);
    await open.api('PUT', '', { json: { repository_access_level: 'enabled' } });
    await shut.api('POST', '/archive');
    expect(await ids(owner)).toEqual([open.id]);
    expect(await ids(owner, `/projects/${shut.id}`)).toEqual([shut.id]);
    expect((await search(`/projects/${open.id}`, { search: 'quagga' })).headers.get('x-search-type')).toBe('advanced');
  });

  it('follows every push: how soon is measured in ADR 36', async () => {
    const project = await buildRepositoryProject(app, { owner, files: { 'a.txt': 'okapi one\n' } });
    await indexed(project);
    for (let round = 0; round < 5; round += 1) {
      await project.commit('main', [{ action: 'update', file_path: 'a.txt', content: `okapi round ${round}\n` }]);
      await eventually(async () => expect(await found('', { search: `okapi round ${round}` })).toHaveLength(1));
    }
    expect(await found('', { search: 'okapi one' })).toEqual([]);
    await project.commit('main', [{ action: 'delete', file_path: 'a.txt' }]);
    await eventually(async () => expect(await found('', { search: 'okapi' })).toEqual([]));
  });

  it('finds commits of default branches by message and id, also after forced pushes, and pages of group wikis', async () => {
    const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const settings = (path: string) => ({ name: path, path, namespace_id: group.id });
    const open = await buildRepositoryProject(app, { owner, visibility: 'public', settings: settings('open') });
    const shut = await buildRepositoryProject(app, { owner, settings: settings('shut') });
    const [guest, stranger] = [await buildToken(app), await buildToken(app)];
    await buildMember(app, { user: guest.user, of: await shut.row(), level: Level.guest });
    for (const project of [open, shut])
      await project.commit('main', { gnu: 'gnu' }, { commit_message: 'Feed the gnu\n\nAll of it.' });
    const commits = async (who: BuiltToken | null, search = 'FEED the gnu', where = '') =>
      (await found(where, { scope: 'commits', search }, who))
        .map(({ project_id }) => Number(project_id))
        .sort((a, b) => a - b);
    await eventually(async () => expect(await commits(owner)).toEqual([open.id, shut.id]));
    for (const where of ['', `/groups/${group.id}`]) {
      expect(await commits(owner, 'all of it', where)).toEqual([open.id, shut.id]);
      for (const who of [guest, stranger, null]) expect(await commits(who, 'feed', where)).toEqual([open.id]);
    }
    const { body } = await search('', { scope: 'commits', search: 'feed the gnu' }, null);
    const [commit] = body as unknown as Json[];
    expect(commit).toMatchObject({ title: 'Feed the gnu', project_id: open.id });
    expect(commit?.web_url).toBe(`${app.url}/${open.fullPath}/-/commit/${String(commit?.id)}`);
    expect(await commits(null, String(commit?.id).slice(0, 9))).toEqual([open.id]);
    await open.api('PUT', '', { json: { repository_access_level: 'private' } });
    expect(await commits(stranger)).toEqual([]);
    await open.api('PUT', '', { json: { repository_access_level: 'enabled' } });

    const [parent] = (commit?.parent_ids ?? []) as string[];
    const forced = { start_sha: parent, force: true, commit_message: 'Feed nobody' };
    await open.api('DELETE', '/protected_branches/main');
    await open.commit('main', { none: 'none' }, forced);
    await eventually(async () => expect(await commits(null, 'feed nobody')).toEqual([open.id]));
    // What came is stored before what went is removed.
    await eventually(async () => expect(await commits(null)).toEqual([]));

    const page = { title: 'Herds', content: 'The gnu stands in a herd.' };
    await app.api('POST', `/groups/${group.id}/wikis`, { token: owner.secret, json: page });
    const wiki = async (who: BuiltToken | null, where = '') =>
      (await found(where, { scope: 'wiki_blobs', search: 'gnu stands' }, who)) as unknown as Json[];
    await eventually(async () => expect(await wiki(null)).toHaveLength(1));
    const ofGroup = { project_id: null, group_id: group.id, project_path: group.path, path: 'Herds.md' };
    expect(await wiki(null, `/groups/${group.id}`)).toMatchObject([ofGroup]);
    await app.api('PUT', `/groups/${group.id}`, { token: owner.secret, json: { wiki_access_level: 'private' } });
    expect(await wiki(stranger)).toEqual([]);
    expect(await wiki(owner)).toHaveLength(1);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const again = await app.api('POST', '/admin/code_indexes/rebuild', {
      token: admin.secret,
      json: { group_id: group.id },
    });
    expect(again.status).toBe(202);
    await eventually(async () => expect(await wiki(owner)).toHaveLength(1));
  });

  it('takes filters of paths, languages and contents, tells cases apart when asked, and finds files by path', async () => {
    const project = await buildRepositoryProject(app, {
      owner,
      files: {
        'lib/eland.rb': 'class Eland\nend\n',
        'lib/Eland.test.py': 'eland = 1\n',
        'docs/eland.md': '# The eland\n',
        Makefile: 'all:\n\techo eland\n',
      },
    });
    await indexed(project);
    const paths = async (text: string) => [
      ...new Set((await found(`/projects/${project.id}`, { search: text })).map(({ path }) => path)),
    ];
    expect(await paths('eland')).toEqual(['Makefile', 'docs/eland.md', 'lib/Eland.test.py', 'lib/eland.rb']);
    expect(await paths('eland extension:rb')).toEqual(['lib/eland.rb']);
    expect(await paths('eland language:ruby')).toEqual(['lib/eland.rb']);
    expect(await paths('eland -lang:Ruby path:lib/')).toEqual(['lib/Eland.test.py']);
    expect(await paths('eland filename:*.test.py')).toEqual(['lib/Eland.test.py']);
    expect(await paths('Eland case:yes')).toEqual(['lib/eland.rb', 'lib/Eland.test.py']);
    expect(await paths('filename:Makefile')).toEqual(['Makefile']);
    expect(await paths('no such text anywhere')).toEqual([]);
    const { body: blob } = await project.api<Json>('GET', '/repository/files/Makefile', { query: { ref: 'main' } });
    expect(await paths(`eland blob:${String(blob.blob_id).slice(0, 12)}`)).toEqual(['Makefile']);
    const sizes = await indexRows(project, 'code');
    expect(sizes.rows[0]).toMatchObject({ files: 4, skipped: 0 });
  });

  it('counts files by project, language and directory, of what the caller may read', async () => {
    const files = { 'lib/a.rb': 'sitatunga\n', 'lib/b.rb': 'sitatunga\n', 'doc/c.md': 'no\n', d: 'SITATUNGA\n' };
    const [open, shut] = [
      await buildRepositoryProject(app, { owner, visibility: 'public', files }),
      await buildRepositoryProject(app, { owner, files: { 'lib/sitatunga.py': '1\n' } }),
    ];
    await Promise.all([indexed(open), indexed(shut)]);
    const facets = async (where: string, who: BuiltToken | null, query: Json = {}) => {
      const { body } = await app.api<Json>('GET', `${where}/search/facets`, {
        query: { scope: 'blobs', search: 'sitatunga', ...query },
        ...(who ? { token: who.secret } : {}),
      });
      return body;
    };
    expect(await facets('', owner)).toEqual({
      files: 4,
      complete: true,
      projects: [
        { project_id: open.id, group_id: null, project_path: open.fullPath, files: 3 },
        { project_id: shut.id, group_id: null, project_path: shut.fullPath, files: 1 },
      ],
      languages: [
        { name: 'Ruby', files: 2 },
        { name: 'Python', files: 1 },
      ],
      directories: [{ path: 'lib/', files: 3 }],
    });
    expect(await facets('', null)).toMatchObject({ files: 3, projects: [{ project_id: open.id }] });
    expect(await facets(`/projects/${shut.id}`, owner)).toMatchObject({ files: 1 });
    expect(await facets('', owner, { search: '^sita.*ga$', regex: true })).toMatchObject({ files: 3 });
    expect(await facets('', owner, { search: 'sitatunga language:ruby' })).toMatchObject({ files: 2 });
    expect(await facets('', owner, { scope: 'wiki_blobs' })).toMatchObject({ files: 0, projects: [] });
    const group = await buildGroup(app, { owner: owner.user });
    expect(await facets(`/groups/${group.id}`, owner)).toMatchObject({ files: 0, complete: true });
    const guest = await buildToken(app);
    await buildMember(app, { user: guest.user, of: await shut.row(), level: Level.guest });
    expect(await facets(`/projects/${shut.id}`, guest)).toMatchObject({ files: 0 });
  });

  it('is shown to administrators, and built again', async () => {
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const project = await buildRepositoryProject(app, { owner, files: { a: 'nyala\n' } });
    await indexed(project);
    const before = await app.api<Json>('GET', '/admin/code_indexes', { token: admin.secret });
    expect(before).toMatchObject({ status: 200, body: { failed: 0 } });
    const { rows } = await indexRows(project, 'code');
    await app.db
      .updateTable('code_indexes')
      .set({ state: 'failed', error: 'x' })
      .where('project_id', '=', project.id)
      .execute();
    await app.db.deleteFrom('code_chunks').where('content', '=', 'nyala\n').execute();
    const failed = await app.api<Json>('GET', '/admin/code_indexes', { token: admin.secret });
    expect(failed.body).toMatchObject({
      failed: 1,
      unfinished: [{ project_id: project.id, project_path: project.fullPath, state: 'failed', error: 'x' }],
    });
    const rebuild = (json: Json, who: BuiltToken) =>
      app.api('POST', '/admin/code_indexes/rebuild', { token: who.secret, json });
    expect((await rebuild({}, owner)).status).toBe(403);
    expect((await rebuild({ project_id: 999_999 }, admin)).status).toBe(404);
    expect((await rebuild({ project_id: project.id }, admin)).status).toBe(202);
    await eventually(async () => expect(await found('', { search: 'nyala' })).toHaveLength(1));
    expect((await indexRows(project, 'code')).rows[0]).toMatchObject({ id: rows[0]?.id, files: 1, error: null });
    const earlier = (await indexRows(project, 'code')).rows[0]?.indexed_at?.getTime() ?? 0;
    expect((await rebuild({}, admin)).status).toBe(202);
    // Until its turn comes the index is as it was.
    await eventually(async () => {
      const [row] = (await indexRows(project, 'code')).rows;
      expect(row).toMatchObject({ state: 'ready', files: 1 });
      expect(row?.indexed_at?.getTime()).toBeGreaterThan(earlier);
    });
    expect(await found('', { search: 'nyala' })).toHaveLength(1);
  });

  it('leaves binary and large files out, reads bytes that are no UTF-8, and cuts huge lines', async () => {
    const base64 = (bytes: Buffer) => ({ content: bytes.toString('base64'), encoding: 'base64' });
    const project = await buildRepositoryProject(app, { owner, files: { README: 'x\n' } });
    const line = `${'x'.repeat(300_000)}kudu${'y'.repeat(300_000)}`;
    await project.commit('main', [
      { action: 'create', file_path: 'kudu.bin', ...base64(Buffer.from('kudu\0kudu\n')) },
      { action: 'create', file_path: 'kudu.large', content: 'kudu\n'.repeat(300_000) },
      { action: 'create', file_path: 'latin', ...base64(Buffer.from('kudu caf\xe9\n', 'latin1')) },
      { action: 'create', file_path: 'line', content: `${line}\nkudu\n` },
    ]);
    await indexed(project);
    const all = await found(`/projects/${project.id}`, { search: 'kudu' });
    expect(all.map(({ path, data }) => [path, data.length > 0])).toEqual([
      ['latin', true],
      ['line', true],
      ['line', true],
      ['kudu.bin', false],
      ['kudu.large', false],
    ]);
    expect(all[1]?.data.split('\n')[0]?.length).toBe(2_000);
    expect(all[1]?.data).toContain('kudu');
    expect(places(await found(`/projects/${project.id}`, { search: 'café' }))).toEqual(['latin:1']);
    expect((await indexRows(project, 'code')).rows[0]).toMatchObject({ files: 5, skipped: 2 });
  });

  it('searches other branches in the repository, and the wiki', async () => {
    const project = await buildRepositoryProject(app, { owner, files: { a: 'gnu here\n' } });
    await project.api('POST', '/wikis', { json: { title: 'Herds', content: 'The gnu is one.' } });
    await Promise.all([
      indexed(project),
      eventually(async () => expect((await indexRows(project, 'wiki')).rows[0]?.state).toBe('ready')),
    ]);
    await project.commit('other', { b: 'gnu there\n' }, { start_branch: 'main' });
    const other = await search(`/projects/${project.id}`, { search: 'gnu there', ref: 'other' });
    expect([other.headers.get('x-search-type'), places(other.body)]).toEqual(['basic', ['b:1']]);
    for (const query of [{ search: 'gnu case:yes' }, { search: 'gnu blob:1234' }])
      expect((await search(`/projects/${project.id}`, { ...query, ref: 'other' })).status).toBe(400);
    for (const where of ['', `/projects/${project.id}`])
      expect(places(await found(where, { scope: 'wiki_blobs', search: 'the GNU is' }))).toEqual(['Herds.md:1']);
    await project.api('PUT', '', { json: { wiki_access_level: 'disabled' } });
    expect(await found('', { scope: 'wiki_blobs', search: 'the GNU is' })).toEqual([]);
  });

  it('looks for regular expressions in linear time, in the index alone', async () => {
    const project = await buildRepositoryProject(app, {
      owner,
      files: {
        'a.ts': 'export function addax(one: number) {\n  return one;\n}\nconst addax2 = 1;\n',
        'b.txt': `${'a'.repeat(200_000)}\nADDAX(\nthe end\n`,
      },
    });
    await indexed(project);
    const where = `/projects/${project.id}`;
    const lines = async (text: string, more: Json = {}) =>
      places(await found(where, { search: text, regex: true, num_context_lines: 0, ...more })).sort();
    expect(await lines('addax\\w*\\(')).toEqual(['a.ts:1', 'b.txt:2']);
    expect(await lines('addax\\w*\\( case:yes')).toEqual(['a.ts:1']);
    expect(await lines('^const addax[0-9]')).toEqual(['a.ts:4']);
    expect(await lines('(return|the) (one|end);?$')).toEqual(['a.ts:2', 'b.txt:3']);
    expect(await lines('(return|the) (one|end);?$ extension:txt')).toEqual(['b.txt:3']);
    expect(places(await found('', { search: 'function addax.*number', regex: true }))).toEqual(['a.ts:1']);
    expect(await lines('(a*)*Q')).toEqual([]);
    for (const text of ['(', 'a{2001}', '(?=x)', 'x'.repeat(1_001)])
      expect((await search(where, { search: text, regex: true })).status).toBe(400);
    const other = await search(where, { search: 'addax', regex: true, search_type: 'basic' });
    expect(other).toMatchObject({ status: 400 });
    const begin = performance.now();
    const hostile = await search(where, { search: '((a{1,60}){1,60}x?){1,9}b$', regex: true });
    expect([200, 400, 503]).toContain(hostile.status);
    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(await lines('addax2 = \\d')).toEqual(['a.ts:4']);
    expect(await lines('addax2 = \\d|return one')).toEqual(['a.ts:2', 'a.ts:4']);
    // More than there are connections to the database: nobody waits for one that another search has.
    const many = Array.from({ length: 20 }, () => search(where, { search: 'addax\\w*\\(', regex: true }));
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200));
  });

  it('finds the commits that a fork adds, and all of them when it is no fork any more', async () => {
    const project = await buildRepositoryProject(app, { owner, files: { a: 'a' } });
    await project.commit('main', { b: 'b' }, { commit_message: 'Groom the okapi' });
    await indexed(project);
    const { body: made } = await project.api<Json>('POST', '/fork', { json: { name: 'okapi', path: 'okapi' } });
    const fork = Number(made.id);
    const at = `/projects/${fork}`;
    await eventually(async () => {
      const answer = await app.api<Json>('GET', at, { token: owner.secret });
      expect(answer.body.import_status).toBe('finished');
    });
    const action = { action: 'create', file_path: 'c', content: 'c' };
    const json = { branch: 'main', commit_message: 'Brush the okapi', actions: [action] };
    expect((await app.api('POST', `${at}/repository/commits`, { token: owner.secret, json })).status).toBe(201);
    const commits = async (query: Json) =>
      ((await found('', { scope: 'commits', search: 'okapi', ...query })) as unknown as Json[])
        .map(({ title, project_id }) => `${String(title)} in ${project_id === fork ? 'the fork' : 'the source'}`)
        .sort();
    const both = ['Brush the okapi in the fork', 'Groom the okapi in the source'];
    await eventually(async () => expect(await commits({ exclude_forks: false })).toEqual(both));
    expect(await commits({})).toEqual(['Groom the okapi in the source']);
    expect((await app.api('DELETE', `${at}/fork`, { token: owner.secret })).status).toBeLessThan(300);
    const again = { branch: 'main', commit_message: 'Feed it', actions: [{ ...action, file_path: 'd' }] };
    await app.api('POST', `${at}/repository/commits`, { token: owner.secret, json: again });
    await eventually(async () => expect(await commits({})).toEqual([...both, 'Groom the okapi in the fork'].sort()));
  });

  it('keeps what forks share once, and removes it with the last of them', async () => {
    const project = await buildRepositoryProject(app, { owner, files: { a: 'a bongo\n', b: 'another bongo\n' } });
    await indexed(project);
    const { body: made } = await project.api<Json>('POST', '/fork', { json: { name: 'forked', path: 'forked' } });
    const fork = Number(made.id);
    const contents = async () => {
      const { rows } = await indexRows(project, 'code');
      const network = rows[0]?.network ?? 0;
      return await app.db.selectFrom('code_blobs').select('oid').where('network', 'in', [network]).execute();
    };
    await eventually(async () => {
      const found = await app.db.selectFrom('code_indexes').selectAll().where('project_id', '=', fork).execute();
      expect(found[0]).toMatchObject({ state: 'ready', files: 2 });
    });
    expect(await contents()).toHaveLength(2);
    expect(await found('', { search: 'bongo' })).toHaveLength(2);
    expect(await found('', { search: 'bongo', exclude_forks: false })).toHaveLength(4);
    expect(await found(`/projects/${fork}`, { search: 'bongo' })).toHaveLength(2);
    await project.api('POST', '/archive');
    expect(await found('', { search: 'bongo' })).toEqual([]);
    expect(await found('', { search: 'bongo', include_archived: true })).toHaveLength(2);
    await project.api('POST', '/unarchive');
    for (const id of [project.id, fork]) {
      await app.db.updateTable('projects').set({ forked_from_project_id: null }).where('id', '=', id).execute();
      const path = `/projects/${id}`;
      const { body } = await app.api<Json>('GET', path, { token: owner.secret });
      await app.api('DELETE', path, { token: owner.secret });
      const again = { permanently_remove: true, full_path: body.path_with_namespace };
      const { body: marked } = await app.api<Json>('GET', path, { token: owner.secret });
      await app.api('DELETE', path, {
        token: owner.secret,
        json: { ...again, full_path: marked.path_with_namespace ?? again.full_path },
      });
    }
    await eventually(async () => {
      expect(
        await app.db.selectFrom('code_chunks').select('content').where('content', 'like', '%bongo%').execute(),
      ).toEqual([]);
    });
  });
});

describe('against a look through all files', () => {
  const words = ['alpha', 'beta', 'Gamma', 'delta(', 'x->y', '%_\\', 'éclair', '=>', 'ab'];
  const parts = ['alpha beta', 'a', 'gamma delta(', 'ta\\', 'ta gam', 'BETA x->Y', 'a => al', 'lta( éc'];
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  /** Lines long enough that no chunk has more than are told of one. */
  const text = () =>
    Array.from(
      { length: random(30) },
      () => `${Array.from({ length: random(5) }, () => pick(words)).join(' ')} ${'z'.repeat(90)}`,
    )
      .join('\n')
      .repeat(1 + random(4));

  it('finds the same lines over random edits', async () => {
    const files = new Map<string, string>([['start', 'alpha\n']]);
    const project = await buildRepositoryProject(app, { owner, files: Object.fromEntries(files) });
    for (let round = 0; round < 6; round += 1) {
      const changed = new Map<
        string,
        { action: 'create' | 'update' | 'delete'; file_path: string; content?: string }
      >();
      for (let edit = 0; edit < 8; edit += 1) {
        const path = `${pick(['src', 'lib/a', 'doc'])}/${pick(['one', 'two', 'three', 'four'])}.${pick(['ts', 'md'])}`;
        if (changed.has(path)) continue;
        const content = text();
        if (files.has(path) && random(3) === 0) {
          changed.set(path, { action: 'delete', file_path: path });
          files.delete(path);
        } else {
          changed.set(path, { action: files.has(path) ? 'update' : 'create', file_path: path, content });
          files.set(path, content);
        }
      }
      await project.commit('main', [...changed.values()]);
      await indexed(project);
      for (const wanted of [...words, ...parts]) {
        const expected = new Set<string>();
        for (const [path, content] of files)
          for (const [line, each] of content.split('\n').entries())
            if (fold(each).includes(fold(wanted))) expected.add(`${path}:${line + 1}:${each}`);
        expect([wanted, await matching(project, wanted)]).toEqual([wanted, [...expected].sort()]);
      }
    }
    // Texts that were stored before the bits beside them are read for each search, until the sweep adds them.
    const before = await matching(project, 'gamma delta(');
    await app.db.updateTable('code_chunks').set({ grams: null }).execute();
    expect(await matching(project, 'gamma delta(')).toEqual(before);
    const sweep = app.tasks.find(({ name }) => name === 'code_index.sweep');
    await sweep?.run({}, { signal: AbortSignal.timeout(10_000), jobId: '1', attempt: 1, maxAttempts: 1 });
    expect(await app.db.selectFrom('code_chunks').select('blob_id').where('grams', 'is', null).execute()).toEqual([]);
    expect(await matching(project, 'gamma delta(')).toEqual(before);
  });
  const fold = (line: string) => line.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

  /** Lines of all results that hold the text; places are cut at a hundred lines of some kilobytes, which these do not reach. */
  async function matching(project: RepositoryProject, wanted: string): Promise<string[]> {
    const lines = new Set<string>();
    for (let page = 1; page < 12; page += 1) {
      const blobs = await found(`/projects/${project.id}`, { search: wanted, num_context_lines: 0, page });
      for (const { path, data, startline } of blobs)
        for (const [at, line] of data.split('\n').entries())
          if (fold(line).includes(fold(wanted))) lines.add(`${path}:${startline + at}:${line}`);
      if (blobs.length < 100) break;
    }
    return [...lines].sort();
  }
});
