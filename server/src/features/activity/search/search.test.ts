/** Searches find what holds the text, and only what the caller may see: for each scope. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { findCommitsAcross, findNotesAcross } from './across-projects.queries.ts';
import { findMilestones, findNotes, findPeople } from './search.queries.ts';

type Json = Record<string, unknown>;
type Where = '' | `/groups/${number}` | `/projects/${number}`;

let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
let group: Namespace;
/** Public, with everything that is told to members alone; and a private one. */
let open: RepositoryProject;
let closed: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app, { user: await buildUser(app, { name: 'Zebra Owner' }) });
  [guest, stranger] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const files = {
    'README.md': '# Zebra\n\nA striped animal.\n',
    'src/zebra/stripes.ts': "export const stripes = 'zebra';\n",
    'src/other.ts': 'one\ntwo\nthree\nfour\nthe zebra crosses\nsix\nseven\n',
  };
  open = await buildRepositoryProject(app, { owner, visibility: 'public', files, settings: settings('Zebra open') });
  closed = await buildRepositoryProject(app, { owner, files, settings: settings('Zebra closed') });
  for (const project of [open, closed]) {
    await project.api('POST', '/milestones', { json: { title: 'Zebra milestone', description: 'x' } });
    await project.api('POST', '/issues', { json: { title: 'A zebra', description: 'in the issue' } });
    await project.api('POST', '/issues', { json: { title: 'A secret zebra', confidential: true } });
    await project.api('POST', '/issues/1/notes', { json: { body: 'a zebra in a comment' } });
    await project.api('POST', '/issues/1/notes', { json: { body: 'an internal zebra', internal: true } });
    await project.api('POST', '/issues/2/notes', { json: { body: 'of a secret zebra' } });
    await project.commit('change', { new: 'new' }, { start_branch: 'main', commit_message: 'Add the zebra crossing' });
    const request = { source_branch: 'change', target_branch: 'main', title: 'Zebra request' };
    await project.api('POST', '/merge_requests', { json: request });
    await project.api('POST', '/wikis', { json: { title: 'Animals', content: 'The zebra is one.' } });
    await project.api('POST', '/snippets', {
      json: { title: 'Zebra snippet', visibility: 'private', files: [{ file_path: 'a', content: 'a' }] },
    });
  }
  await buildMember(app, { user: guest.user, of: await closed.row(), level: Level.guest });
  for (const confidential of [false, true])
    await app.api('POST', `/groups/${group.id}/epics`, {
      token: owner.secret,
      json: { title: 'Zebra epic', confidential },
    });
});
afterAll(() => app.close());

const settings = (name: string) => ({ name, path: name.toLowerCase().replace(' ', '-'), namespace_id: group.id });
async function search(where: Where, scope: string, who: BuiltToken | null, query: Json = {}) {
  return await app.api<Json[]>('GET', `${where}/search`, {
    query: { scope, search: 'zebra', ...query },
    ...(who ? { token: who.secret } : {}),
  });
}
async function found(where: Where, scope: string, who: BuiltToken | null, query: Json = {}): Promise<Json[]> {
  const { status, body } = await search(where, scope, who, query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}
const inside = (project: RepositoryProject): Where => `/projects/${project.id}`;
/** How many the owner, a guest of the private project, and a stranger find. */
async function counts(where: Where, scope: string, query: Json = {}): Promise<number[]> {
  const people = [owner, guest, stranger];
  return await Promise.all(people.map(async (who) => (await found(where, scope, who, query)).length));
}

it('counts in each scope what the caller finds there', async () => {
  const inMany = ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'epics', 'notes', 'commits'];
  const files = ['blobs', 'wiki_blobs'];
  const places: readonly (readonly [Where, readonly string[]])[] = [
    ['', [...inMany, ...files, 'snippet_titles']],
    [`/groups/${group.id}`, [...inMany, ...files]],
    [inside(open), [...inMany.filter((scope) => scope !== 'projects' && scope !== 'epics'), ...files]],
  ];
  for (const [where, scopes] of places)
    for (const who of [owner, guest, stranger, null]) {
      const { status, body } = await app.api<{ counts: { scope: string; count: number; more: boolean }[] }>(
        'GET',
        `${where}/search/counts`,
        { query: { search: 'zebra' }, ...(who ? { token: who.secret } : {}) },
      );
      expect(status).toBe(200);
      const seen = scopes.filter((scope) => who !== null || scope !== 'users');
      const wanted = await Promise.all(
        seen.map(async (scope) => ({ scope, count: (await found(where, scope, who)).length, more: false })),
      );
      const sorted = (list: readonly { scope: string }[]) => list.toSorted((a, b) => (a.scope < b.scope ? -1 : 1));
      expect(sorted(body.counts)).toEqual(sorted(wanted));
    }
  const refused = await app.api('GET', '/search/counts', { token: owner.secret });
  expect(refused.status).toBe(400);
});

describe('GET /search and /groups/:id/search', () => {
  it('find projects that the caller sees', async () => {
    expect(await counts('', 'projects')).toEqual([2, 2, 1]);
    expect(await counts(`/groups/${group.id}`, 'projects')).toEqual([2, 2, 1]);
    expect(await found('', 'projects', null)).toMatchObject([{ id: open.id, name: 'Zebra open' }]);
    const ids = (await found('', 'projects', owner, { sort: 'asc' })).map(({ id }) => id);
    expect(ids).toEqual([open.id, closed.id]);
  });

  it('find issues, confidential ones for those who see them', async () => {
    expect(await counts('', 'issues')).toEqual([4, 2, 1]);
    expect(await counts(`/groups/${group.id}`, 'issues')).toEqual([4, 2, 1]);
    expect(await found('', 'issues', null)).toMatchObject([{ project_id: open.id, title: 'A zebra' }]);
    expect(await counts('', 'issues', { confidential: true })).toEqual([2, 0, 0]);
    expect(await counts('', 'issues', { state: 'closed' })).toEqual([0, 0, 0]);
  });

  it('find merge requests, which guests of a private project do not see', async () => {
    expect(await counts('', 'merge_requests')).toEqual([2, 1, 1]);
    expect(await counts(`/groups/${group.id}`, 'merge_requests')).toEqual([2, 1, 1]);
    expect(await counts('', 'merge_requests', { state: 'merged' })).toEqual([0, 0, 0]);
  });

  it('find milestones', async () => {
    expect(await counts('', 'milestones')).toEqual([2, 2, 1]);
    expect(await counts(`/groups/${group.id}`, 'milestones')).toEqual([2, 2, 1]);
    const [milestone] = await found('', 'milestones', stranger);
    expect(milestone).toMatchObject({ project_id: open.id, title: 'Zebra milestone' });
    expect(milestone?.web_url).toBe(`${app.url}/${open.fullPath}/-/milestones/1`);
  });

  it('find snippets by title, and epics', async () => {
    expect(await counts('', 'snippet_titles')).toEqual([2, 1, 0]);
    expect(await found('', 'snippet_titles', owner, { search: 'zebra striped' })).toEqual([]);
    expect(await counts('', 'epics')).toEqual([2, 1, 1]);
    expect(await counts(`/groups/${group.id}`, 'epics')).toEqual([2, 1, 1]);
  });

  it('find people: everybody, or the members of a group', async () => {
    expect(await found('', 'users', stranger)).toMatchObject([{ username: owner.user.username }]);
    expect(await found(`/groups/${group.id}`, 'users', stranger)).toMatchObject([{ id: owner.user.id }]);
    const { username } = stranger.user;
    expect(await found('', 'users', guest, { search: username })).toHaveLength(1);
    expect(await found(`/groups/${group.id}`, 'users', guest, { search: username })).toEqual([]);
    expect((await search('', 'users', null)).status).toBe(401);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', stranger.user.id).execute();
    expect(await found('', 'users', guest, { search: username })).toEqual([]);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect(await found('', 'users', admin, { search: username })).toHaveLength(1);
    await app.db.updateTable('users').set({ state: 'active' }).where('id', '=', stranger.user.id).execute();
  });

  it('find comments, internal ones and those on confidential things for those who read them', async () => {
    const epic = await app.api<Json>('GET', `/groups/${group.id}/epics/1`, { token: owner.secret });
    await app.api('POST', `/groups/${group.id}/epics/${String(epic.body.id)}/notes`, {
      token: owner.secret,
      json: { body: 'an epic zebra' },
    });
    // Three in each project, of which a guest and a stranger read one where they see the project; and that on the epic.
    for (const where of ['', `/groups/${group.id}`] as const) {
      expect(await counts(where, 'notes')).toEqual([7, 3, 2]);
      const bodies = (await found(where, 'notes', null, { sort: 'asc' })).map(({ body }) => body);
      expect(bodies).toEqual(['a zebra in a comment', 'an epic zebra']);
    }
    const places = (await found('', 'notes', stranger, { sort: 'asc' })).map(({ project_path }) => project_path);
    expect(places).toEqual([open.fullPath, group.path]);
    await open.api('PUT', '', { json: { issues_access_level: 'private' } });
    expect(await counts('', 'notes')).toEqual([7, 2, 1]);
    await open.api('PUT', '', { json: { issues_access_level: 'enabled' } });
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect((await found('', 'notes', admin)).length).toBe(7);
  });

  it('leave archived projects out, page, and say which search answered', async () => {
    const first = await search('', 'issues', owner, { per_page: 1 });
    expect(first.headers.get('x-search-type')).toBe('basic');
    expect(first.headers.get('x-total')).toBe('4');
    expect(first.body).toHaveLength(1);
    await closed.api('POST', '/archive');
    expect((await found('', 'issues', owner)).length).toBe(2);
    expect((await found('', 'merge_requests', owner)).length).toBe(1);
    expect((await found('', 'projects', owner)).length).toBe(1);
    expect((await found('', 'milestones', owner)).length).toBe(1);
    expect((await found(inside(closed), 'issues', owner)).length).toBe(2);
    const also = { include_archived: true };
    const counted = async (where: Where) =>
      await Promise.all(
        ['issues', 'merge_requests', 'projects', 'milestones', 'notes'].map(
          async (scope) => (await found(where, scope, owner, also)).length,
        ),
      );
    // As long as nothing was archived.
    const before = await counted('');
    expect(await counted(`/groups/${group.id}`)).toEqual(before);
    await closed.api('POST', '/unarchive');
    expect(await counted('')).toEqual(before);
    expect(before.slice(0, 4)).toEqual([4, 2, 2, 2]);
  });

  it('look in the titles of issues and merge requests alone with fields', async () => {
    await open.api('POST', '/issues', { json: { title: 'A gnu', description: 'and an ibex' } });
    await open.api('POST', '/issues', { json: { title: 'An ibex' } });
    for (const where of ['', `/groups/${group.id}`, inside(open)] as const) {
      const titles = async (more: Json) =>
        (await found(where, 'issues', owner, { search: 'ibex', sort: 'asc', ...more })).map(({ title }) => title);
      expect(await titles({})).toEqual(['A gnu', 'An ibex']);
      expect(await titles({ fields: 'title' })).toEqual(['An ibex']);
      expect(await titles({ 'fields[]': 'title' })).toEqual(['An ibex']);
    }
    expect((await search('', 'merge_requests', owner, { search: 'ibex', fields: 'title' })).body).toEqual([]);
    expect((await search('', 'issues', owner, { fields: 'body' })).status).toBe(400);
  });

  it('refuse what is no search', async () => {
    expect(await search('', 'nothing', owner)).toMatchObject({
      status: 400,
      body: { error: 'scope does not have a valid value' },
    });
    expect((await search('', 'projects', owner, { search: '' })).status).toBe(400);
    expect((await search(`/groups/${group.id}`, 'snippet_titles', owner)).status).toBe(400);
    expect((await search(inside(open), 'projects', owner)).status).toBe(400);
    expect((await search(inside(closed), 'issues', stranger)).status).toBe(404);
    expect((await search(inside(closed), 'issues', null)).status).toBe(404);
  });
});

describe('GET /projects/:id/search', () => {
  const at = (project: RepositoryProject, scope: string) =>
    Promise.all([owner, guest].map(async (who) => (await found(inside(project), scope, who)).length));

  it('finds rows of the project', async () => {
    expect(await at(closed, 'issues')).toEqual([2, 1]);
    expect(await at(closed, 'merge_requests')).toEqual([1, 0]);
    expect(await at(closed, 'milestones')).toEqual([1, 1]);
    expect(await found(inside(closed), 'users', owner)).toMatchObject([{ id: owner.user.id }]);
    expect(await found(inside(open), 'issues', owner, { search: '#2' })).toMatchObject([{ iid: 2 }]);
    expect(await found(inside(open), 'merge_requests', owner, { search: '!1' })).toMatchObject([{ iid: 1 }]);
  });

  it('is found with the mark of pages in the path as well, as typed clients ask', async () => {
    const both = async (base: string, scope: string) => {
      const query = { scope, search: 'zebra' };
      const ask = (path: string) => app.api<Json[]>('GET', path, { token: owner.secret, query });
      const [plain, marked] = await Promise.all([ask(`${base}/search`), ask(`${base}/-/search`)]);
      expect([marked.status, marked.body.length > 0, marked.body]).toEqual([200, true, plain.body]);
      expect(marked.headers.get('x-total')).toBe(plain.headers.get('x-total'));
    };
    await both(inside(closed), 'issues');
    await both(`/groups/${group.id}`, 'issues');
  });

  it('finds comments, internal ones and those of confidential issues for those who read them', async () => {
    const bodies = async (who: BuiltToken | null) =>
      (await found(inside(open), 'notes', who, { sort: 'asc' })).map(({ body }) => body);
    expect(await bodies(owner)).toEqual(['a zebra in a comment', 'an internal zebra', 'of a secret zebra']);
    expect(await bodies(stranger)).toEqual(['a zebra in a comment']);
    expect(await bodies(null)).toEqual(['a zebra in a comment']);
    await open.api('PUT', '', { json: { issues_access_level: 'private' } });
    expect(await bodies(stranger)).toEqual([]);
    expect(await found('', 'issues', stranger)).toEqual([]);
    expect(await found(inside(open), 'issues', stranger)).toEqual([]);
    await open.api('PUT', '', { json: { issues_access_level: 'enabled' } });
  });

  it('finds places in files and files by path, for those who read the code', async () => {
    const blobs = await found(inside(open), 'blobs', stranger);
    expect(blobs.map(({ path, startline }) => [path, startline])).toEqual([
      ['README.md', 1],
      ['src/other.ts', 3],
      ['src/zebra/stripes.ts', 1],
    ]);
    expect(blobs[1]).toEqual({
      basename: 'src/other',
      data: 'three\nfour\nthe zebra crosses\nsix\nseven\n',
      path: 'src/other.ts',
      filename: 'src/other.ts',
      id: null,
      ref: 'main',
      startline: 3,
      project_id: open.id,
      group_id: null,
      project_path: open.fullPath,
    });
    expect(await found(inside(closed), 'blobs', guest)).toEqual([]);
    const paths = async (query: Json) => (await found(inside(open), 'blobs', null, query)).map(({ path }) => path);
    expect(await paths({ search: 'zebra extension:ts' })).toEqual(['src/other.ts', 'src/zebra/stripes.ts']);
    expect(await paths({ search: 'ZEBRA filename:stripes*' })).toEqual(['src/zebra/stripes.ts']);
    expect(await paths({ search: 'filename:*.md' })).toEqual(['README.md']);
    expect(await paths({ search: 'new' })).toEqual([]);
    expect(await paths({ search: 'new', ref: 'change' })).toEqual(['new']);
    expect(await paths({ search: 'new', ref: 'no-such' })).toEqual([]);
    expect(await paths({ per_page: 1, page: 2 })).toEqual(['src/other.ts']);
    await open.api('PUT', '', { json: { repository_access_level: 'private' } });
    expect(await paths({})).toEqual([]);
    expect(await found(inside(open), 'commits', stranger)).toEqual([]);
    await open.api('PUT', '', { json: { repository_access_level: 'enabled' } });
  });

  it('finds commits by message and id', async () => {
    const of = (query: Json) => found(inside(open), 'commits', stranger, query);
    expect(await of({})).toEqual([]);
    const [commit] = await of({ ref: 'change', search: 'ZEBRA cross' });
    expect(commit).toMatchObject({ title: 'Add the zebra crossing', project_id: open.id });
    expect(await of({ search: String(commit?.short_id) })).toMatchObject([{ id: commit?.id }]);
    expect(await found(inside(closed), 'commits', guest, { ref: 'change' })).toEqual([]);
  });

  it('finds pages of the wiki', async () => {
    const [page] = await found(inside(open), 'wiki_blobs', null);
    expect(page).toMatchObject({ basename: 'Animals', data: 'The zebra is one.\n', project_id: open.id, startline: 1 });
    expect(await at(closed, 'wiki_blobs')).toEqual([1, 1]);
    await open.api('PUT', '', { json: { wiki_access_level: 'private' } });
    expect(await found(inside(open), 'wiki_blobs', stranger)).toEqual([]);
    await open.api('PUT', '', { json: { wiki_access_level: 'enabled' } });
  });
});

describe('settings', () => {
  const write = (values: object) => app.settings.write(values as Parameters<TestApp['settings']['write']>[0]);

  it('switch scopes of the search of everything off, and searches of visitors', async () => {
    const named = {
      code: 'blobs',
      commits: 'commits',
      epics: 'epics',
      issues: 'issues',
      merge_requests: 'merge_requests',
      snippet_titles: 'snippet_titles',
      users: 'users',
      wiki: 'wiki_blobs',
    };
    for (const [name, scope] of Object.entries(named)) {
      await write({ [`global_search_${name}_enabled`]: false });
      const message = '403 Forbidden - Global Search is disabled for this scope';
      expect(await search('', scope, owner)).toMatchObject({ status: 403, body: { message } });
      await write({ [`global_search_${name}_enabled`]: true });
    }
    await write({
      global_search_issues_enabled: false,
      default_search_scope: 'users',
      anonymous_searches_allowed: false,
    });
    expect((await found(`/groups/${group.id}`, 'issues', owner)).length).toBe(4);
    expect((await search('', 'projects', null)).status).toBe(401);
    expect((await search(inside(open), 'issues', null)).status).toBe(401);
    const { body } = await app.api<{ search: Json }>('GET', '/instance_configuration');
    expect(body.search).toMatchObject({ anonymous: false, default_scope: 'users' });
    expect(body.search.scopes).not.toContain('issues');
    await write({
      global_search_issues_enabled: true,
      default_search_scope: 'issues',
      anonymous_searches_allowed: true,
    });
  });

  it('limit searches of a person and of an address', async () => {
    await write({ search_rate_limit: 1, search_rate_limit_unauthenticated: 1 });
    const another = await buildToken(app);
    expect((await search('', 'projects', another)).status).toBe(200);
    expect((await search(inside(open), 'issues', another)).status).toBe(429);
    expect((await search('', 'projects', null)).status).toBe(200);
    expect((await search('', 'projects', null)).status).toBe(429);
    await write({ search_rate_limit_allowlist: [another.user.username] });
    expect((await search('', 'projects', another)).status).toBe(200);
    await write({ search_rate_limit: 0, search_rate_limit_unauthenticated: 0, search_rate_limit_allowlist: [] });
  });
});

it('indexes serve the texts of milestones, comments and people', async () => {
  const caller = anonymous;
  const place = await findProjectSubject(app.db, String(open.id), null);
  if (place === null) throw new Error('no project');
  const wanted = { text: 'zebra crossing', sort: 'desc' } as const;
  const window = { limit: 21, offset: 0 };
  const plans = await plansOf(app.database, async (db) => {
    await findMilestones(db, caller, null, wanted, window);
    await findNotes(db, caller, place, wanted, window);
    await findPeople(db, caller, wanted, window);
    await findNotesAcross(db, caller, null, wanted, window);
    await findCommitsAcross(db, caller, null, { ...wanted, forks: true }, window);
  });
  expect(plans).toHaveLength(10);
  for (const plan of plans) expect(plan).not.toContain('Seq Scan');
});
