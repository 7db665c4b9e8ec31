/** Imports from a Gitea or Forgejo over HTTP, from a server that answers in its public shapes, and the lists of imports. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type Asked, closeServed, giteaLists, type Reply, served } from '../../../../test/providers.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let admin: BuiltToken;
let person: BuiltToken;
let source: RepositoryProject;
let head: string;
let base: string;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  person = await buildToken(app);
  source = await buildRepositoryProject(app, { files: { 'README.md': '# Elsewhere\n', 'a.txt': 'one\ntwo\n' } });
  base = await tip('main');
  await source.commit('topic', { 'b.txt': '2\n' }, { start_branch: 'main' });
  head = await tip('topic');
  expect((await source.api('POST', '/repository/tags', { json: { tag_name: 'v1.0', ref: 'main' } })).status).toBe(201);
  await setting({ allow_local_requests_from_web_hooks_and_services: true });
});
afterEach(closeServed);
afterAll(() => app.close());

const tip = async (branch: string) => {
  const { body } = await source.api('GET', `/repository/branches/${branch}`);
  return (body as unknown as { commit: { id: string } }).commit.id;
};
const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });

/** A Gitea that has one repository. */
const gitea = (first: (asked: Asked) => Reply | undefined = () => undefined, repository: Json = {}) =>
  served((asked) => {
    const special = first(asked);
    if (special !== undefined) return special;
    if (asked.authorization !== `token ${source.owner.secret}`)
      return { status: 401, body: { message: 'token is required' } };
    if (asked.path === '/api/v1/repositories/5')
      return {
        body: {
          id: 5,
          name: 'tool',
          full_name: 'ada/tool',
          private: true,
          description: 'A tool',
          default_branch: 'main',
          clone_url: source.remote(),
          ...repository,
        },
      };
    const [, name = ''] = /^\/api\/v1\/repos\/ada\/tool(\/.*)$/.exec(asked.path) ?? [];
    const rows = giteaLists(head, base)[name];
    if (!rows) return null;
    const page = Number(asked.query.get('page') ?? 1);
    return {
      // It believes to be elsewhere.
      ...(rows.length > page * 2 ? { headers: { Link: `<https://git.example/x?page=${page + 1}>; rel="next"` } } : {}),
      body: rows.slice((page - 1) * 2, page * 2),
    };
  });

const wanted = (url: string, more: Json = {}): Json => ({
  gitea_host_url: `${url}/`,
  personal_access_token: source.owner.secret,
  repo_id: 5,
  new_name: unique('tool'),
  ...more,
});
const ask = (json: Json, token: string | null = person.secret) =>
  app.api<Json>('POST', '/import/gitea', { json, ...(token === null ? {} : { token }) });
const ended = (id: unknown) =>
  eventually('the import', async () => {
    const { body } = await app.api<Json>('GET', `/projects/${String(id)}/import`, { token: person.secret });
    return ['finished', 'failed', 'canceled'].includes(String(body.import_status)) ? body : null;
  });

describe('from a Gitea or Forgejo', () => {
  it('brings code, labels, milestones, releases, issues and requests with their reviews and comments on lines', async () => {
    const { url } = await gitea();
    const made = await ask(wanted(url));
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: expect.stringContaining('tool'),
        full_path: expect.stringContaining(`${person.user.username}/tool`),
        full_name: expect.any(String),
      },
    ]);
    const { id } = made.body;
    expect(await ended(id)).toMatchObject({
      import_status: 'finished',
      import_type: 'gitea',
      failed_relations: [],
      stats: {
        fetched: { labels: 3, milestones: 2, releases: 1, issues: 1, merge_requests: 2, notes: 5 },
        imported: { labels: 3, milestones: 2, releases: 1, issues: 1, merge_requests: 2, notes: 5 },
      },
    });
    const created = app.db.selectFrom('audit_events').select('author_id').where('event', '=', 'project_created');
    expect(await created.where('entity_id', '=', Number(id)).execute()).toEqual([{ author_id: person.user.id }]);
    const get = async (path: string) =>
      (await app.api<Json[]>('GET', `/projects/${id}${path}`, { token: person.secret })).body;
    expect((await get('/repository/branches')).map(({ name }) => name).sort()).toEqual(['main', 'topic']);
    expect(await get('/labels')).toMatchObject([
      { name: 'bug', color: '#ff0000' },
      { name: 'idea' },
      { name: 'later' },
    ]);
    expect((await get('/milestones')).map(({ iid, title }) => [iid, title]).sort()).toEqual([
      [1, 'First'],
      [2, 'Second'],
    ]);
    expect(await get('/releases')).toMatchObject([{ tag_name: 'v1.0', assets: { links: [{ name: 'app.zip' }] } }]);
    expect(await get('/issues')).toMatchObject([
      { iid: 3, state: 'closed', discussion_locked: true, labels: ['bug'], milestone: { title: 'First' } },
    ]);
    expect(await get('/issues/3/notes')).toMatchObject([{ body: '*By ada*\n\nSeen too' }]);
    const requests = await get('/merge_requests?state=all');
    expect(Object.fromEntries(requests.map(({ iid, state }) => [iid, state]))).toEqual({ 7: 'opened', 8: 'merged' });
    const notes = await get('/merge_requests/7/notes');
    expect(notes.map(({ body }) => body).sort()).toEqual([
      '*By ada*\n\nWhy?',
      '*By bob*\n\n*Approved these changes*\n\nFine',
      '*By bob*\n\nBecause',
      '*By bob*\n\nLooks good',
    ]);
    const onLines = notes.filter(({ type }) => type === 'DiffNote');
    expect(onLines.map(({ position }) => (position as Json).new_line)).toEqual([1, 1]);
    const { body: threads } = await app.api<Json[]>('GET', `/projects/${id}/merge_requests/7/discussions`, {
      token: person.secret,
    });
    expect(threads.map(({ notes: said }) => (said as Json[]).length).sort()).toEqual([1, 1, 2]);
  });

  it('without issues, requests and releases where they are switched off there', async () => {
    const off = { has_issues: false, has_pull_requests: false, has_releases: false };
    const { url, asked } = await gitea(
      ({ path }) => (/\/(?:issues|issues\/comments|pulls|releases)$/.test(path) ? { status: 404 } : undefined),
      off,
    );
    const made = await ask(wanted(url));
    expect(made.status).toBe(201);
    expect(await ended(made.body.id)).toMatchObject({ import_status: 'finished', failed_relations: [] });
    expect(asked.some(({ path }) => path.endsWith('/labels'))).toBe(true);
    expect(asked.some(({ path }) => /\/(?:issues|pulls|releases)/.test(path))).toBe(false);
  });

  it('is refused at once where the address, the token, the repository or the product is wrong', async () => {
    const { url } = await gitea();
    const refused = async (more: Json, token: string | null = person.secret) => {
      const { status, body } = await ask(wanted(url, more), token);
      return [status, body.message ?? body.error];
    };
    expect(await refused({}, null)).toEqual([401, '401 Unauthorized']);
    expect(await refused({ personal_access_token: 'wrong' })).toEqual([401, 'Access denied to your Gitea account.']);
    expect(await refused({ repo_id: 6 })).toEqual([422, 'Import failed due to a Gitea error: Not Found (HTTP 404)']);
    expect(await refused({ gitea_host_url: 'ftp://x' })).toEqual([400, 'Invalid URL: ftp://x']);
    for (const name of ['gitea_host_url', 'personal_access_token', 'repo_id']) {
      const { [name]: _, ...rest } = wanted(url);
      expect((await ask(rest)).body).toEqual({ error: `${name} is missing` });
    }
    const { body } = await app.api<Json>('GET', '/application/settings', { token: admin.secret });
    const sources = body.import_sources as string[];
    await setting({ import_sources: sources.filter((each) => each !== 'gitea') });
    expect((await refused({}))[0]).toBe(403);
    await setting({ import_sources: sources });
  });
});

describe('lists of imports', () => {
  const listed = async (path: string, token: string | null) =>
    app.api<Json[]>('GET', path, token === null ? {} : { token });

  it('show how far each is, with counts, to whom it belongs and to administrators', async () => {
    let through = false;
    const { url } = await gitea(({ path }): Reply | undefined =>
      path.endsWith('/issues') && !through ? { status: 429, headers: { 'Retry-After': '1' } } : undefined,
    );
    const { body: made } = await ask(wanted(url));
    const mine = async (query = '') => (await listed(`/user/imports${query}`, person.secret)).body;
    const running = await eventually('the stage that waits', async () => {
      const [first] = await mine('?status=started');
      return (first?.finished_stages as string[] | undefined)?.includes('releases') ? first : null;
    });
    expect(running).toMatchObject({
      project_id: made.id,
      import_type: 'gitea',
      import_source: 'ada/tool',
      import_status: 'started',
      stages: ['repository', 'labels', 'milestones', 'releases', 'issues', 'merge_requests', 'notes'],
      finished_stages: ['repository', 'labels', 'milestones', 'releases'],
      stats: { fetched: { labels: 3, milestones: 2, releases: 1 }, imported: { labels: 3 } },
      username: person.user.username,
      finished_at: null,
    });
    const { body: between } = await app.api<Json>('GET', `/projects/${made.id}/import`, { token: person.secret });
    expect(between).toMatchObject({ import_status: 'started', stats: { imported: { labels: 3 } } });
    through = true;
    await ended(made.id);
    expect((await mine())[0]).toMatchObject({ project_id: made.id, import_status: 'finished', failures_count: 0 });
    expect((await mine('?status=started')).length).toBe(0);
    const all = await listed('/admin/imports', admin.secret);
    expect(all.body[0]).toMatchObject({ project_id: made.id, username: person.user.username });
    expect((await listed('/admin/imports', person.secret)).status).toBe(403);
    expect((await listed('/user/imports', null)).status).toBe(401);
    expect((await listed('/user/imports', (await buildToken(app)).secret)).body).toEqual([]);
  });

  it('leave out what its importer may no longer see', async () => {
    const { url } = await gitea();
    const { body: made } = await ask(wanted(url));
    await ended(made.id);
    await app.db.deleteFrom('grants').where('project_id', '=', Number(made.id)).execute();
    const other = await buildToken(app);
    const place = await app.db
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', other.user.id)
      .executeTakeFirstOrThrow();
    await app.db.updateTable('projects').set({ namespace_id: place.id }).where('id', '=', Number(made.id)).execute();
    const { body } = await listed('/user/imports', person.secret);
    expect(body.map(({ project_id }) => project_id)).not.toContain(made.id);
  });
});
