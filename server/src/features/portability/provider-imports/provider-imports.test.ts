/** Imports from other products over HTTP, from servers that answer in their public shapes: paged, limited and broken. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { type Asked, closeServed, hostedLists, type Reply, served } from '../../../../test/providers.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let admin: BuiltToken;
let person: BuiltToken;
let source: RepositoryProject;
let head: string;
let base: string;
const time = '2024-05-06T07:08:09Z';

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

const repository = () => ({
  id: 42,
  name: 'Hello-World',
  full_name: 'octocat/Hello-World',
  private: true,
  description: 'First repository',
  default_branch: 'main',
  clone_url: source.remote(),
});

/** The hosted provider; `first` may answer before it. */
const hosted = (first: (asked: Asked) => Reply | undefined = () => undefined) =>
  served((asked, url) => {
    const special = first(asked);
    if (special !== undefined) return special;
    if (asked.authorization !== `Bearer ${source.owner.secret}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    if (asked.path === '/api/v3/repositories/42') return { body: repository() };
    const [, name = ''] = /^\/api\/v3\/repos\/octocat\/Hello-World(\/.*)$/.exec(asked.path) ?? [];
    const rows = hostedLists(head, base)[name];
    if (!rows) return null;
    if (asked.query.get('affiliation') === 'outside') return { body: [] };
    const page = Number(asked.query.get('page') ?? 1);
    const next = new URLSearchParams(asked.query);
    next.set('page', String(page + 1));
    const link = `<${url}${asked.path}?${next}>; rel="next", <${url}${asked.path}>; rel="first"`;
    return {
      ...(rows.length > page * 2 ? { headers: { Link: link } } : {}),
      body: rows.slice((page - 1) * 2, page * 2),
    };
  });

const ask = (path: string, json: Json, token: string | null = person.secret) =>
  app.api<Json>('POST', path, { json, ...(token === null ? {} : { token }) });
const ended = (id: unknown, token = person.secret) =>
  eventually('the import', async () => {
    const { body } = await app.api<Json>('GET', `/projects/${String(id)}/import`, { token });
    return ['finished', 'failed', 'canceled'].includes(String(body.import_status)) ? body : null;
  });
const wanted = (url: string, more: Json = {}): Json => ({
  personal_access_token: source.owner.secret,
  repo_id: 42,
  target_namespace: person.user.username,
  new_name: unique('hello'),
  hostedgit_hostname: url,
  ...more,
});

describe('from the hosted provider', () => {
  it('[3/api.imports/1] [3/api.imports/2 POST /import/hostedgit, personal_access_token, repo_id, target_namespace, new_name, hostedgit_hostname, optional_stages, single_endpoint_issue_events_import, single_endpoint_notes_import, attachments_import, collaborators_import, timeout_strategy, pessimistic, optimistic, additional_access_tokens, id, name, full_path, full_name] brings code, labels, milestones, releases and requests with their comments', async () => {
    const { url, asked } = await hosted();
    const json = wanted(url, {
      optional_stages: { collaborators_import: true, attachments_import: false },
      timeout_strategy: 'optimistic',
      additional_access_tokens: 'second, third',
    });
    // Those are of nobody: what they are refused is asked for with another.
    const made = await ask('/import/hostedgit', { ...json, additional_access_tokens: '' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: json.new_name,
        full_path: `${person.user.username}/${String(json.new_name)}`,
        full_name: `${person.user.name} / ${String(json.new_name)}`,
      },
    ]);
    const { id } = made.body;
    const result = await ended(id);
    expect(result).toMatchObject({
      import_status: 'finished',
      import_type: 'github',
      import_error: null,
      stats: {
        fetched: { labels: 3, milestones: 1, releases: 1, issues: 2, merge_requests: 3, notes: 4, members: 1 },
        imported: { labels: 3, milestones: 1, releases: 1, issues: 2, merge_requests: 2, notes: 4, members: 0 },
      },
    });
    expect((result.failed_relations as Json[]).map(({ relation_name }) => relation_name)).toEqual([
      'members',
      'merge_requests',
    ]);
    const get = async (path: string) =>
      (await app.api<Json[]>('GET', `/projects/${id}${path}`, { token: person.secret })).body;
    expect((await get('/repository/branches')).map(({ name }) => name).sort()).toEqual(['main', 'topic']);
    expect(await get('/labels')).toMatchObject([
      { name: 'bug', color: '#ff0000' },
      { name: 'idea' },
      { name: 'later' },
    ]);
    expect(await get('/milestones')).toMatchObject([{ title: 'First', state: 'closed', due_date: '2024-06-01' }]);
    expect(await get('/releases')).toMatchObject([
      { tag_name: 'v1.0', name: 'One', assets: { links: [{ name: 'app.zip' }] } },
    ]);
    expect(await get('/issues?order_by=created_at&sort=asc')).toMatchObject([
      {
        iid: 3,
        state: 'closed',
        labels: ['bug'],
        milestone: { title: 'First' },
        closed_at: '2024-05-06T07:08:09.000Z',
      },
      { iid: 12, state: 'opened', discussion_locked: true, description: '*Opened by hubber*' },
    ]);
    expect(await get('/issues/3/notes')).toMatchObject([{ body: '*By octocat*\n\nSeen too' }]);
    const requests = await get('/merge_requests?state=all&order_by=created_at');
    expect(Object.fromEntries(requests.map(({ iid, state }) => [iid, state]))).toEqual({ 7: 'opened', 8: 'merged' });
    const open = requests.find(({ iid }) => iid === 7);
    expect(open).toMatchObject({ title: 'Change two', source_branch: 'topic', target_branch: 'main', labels: ['bug'] });
    expect(String(open?.description)).toContain('Opened by octocat');
    const notes = await get('/merge_requests/7/notes?sort=asc');
    expect(notes.map(({ body }) => body).sort()).toEqual([
      '*By hubber*\n\n*On `a.txt`*\n\n```diff\n@@ -1 +1 @@\n-two\n+3\n```\n\nOutdated',
      '*By octocat*\n\nLooks good',
      '*By octocat*\n\nWhy?',
    ]);
    expect(notes.find(({ type }) => type === 'DiffNote')).toMatchObject({
      position: { new_path: 'b.txt', new_line: 1 },
    });
    // Private there, private here; and the token is not kept.
    expect((await app.api<Json>('GET', `/projects/${id}`, { token: person.secret })).body).toMatchObject({
      visibility: 'private',
      description: 'First repository',
    });
    const kept = await app.db
      .selectFrom('project_imports')
      .selectAll()
      .where('project_id', '=', Number(id))
      .executeTakeFirstOrThrow();
    expect(kept.url_sealed).toBeNull();
    expect(asked.every(({ authorization }) => authorization === `Bearer ${source.owner.secret}`)).toBe(true);
  });

  it('waits where a limit is reached, and uses the tokens in turn [3/api.imports/2 additional_access_tokens, single_endpoint_notes_import]', async () => {
    const second = (await buildToken(app, { user: source.owner.user })).secret;
    const refusedOnce = new Set<string>();
    const { url, asked } = await hosted(({ path, query, authorization }): Reply | undefined => {
      if (path.endsWith('/labels') && !refusedOnce.has(authorization)) {
        // Each token is refused once, in the two ways in which that is said.
        refusedOnce.add(authorization);
        return refusedOnce.size === 1
          ? { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }
          : { status: 429, headers: { 'Retry-After': '0' } };
      }
      if (authorization !== `Bearer ${second}`) return undefined;
      if (path === '/api/v3/repositories/42') return { body: repository() };
      const name = path.replace('/api/v3/repos/octocat/Hello-World', '').replace(/\/7(?=\/comments)/, '');
      const page = Number(query.get('page') ?? 1);
      const rows = hostedLists(head, base)[name] ?? [];
      const link = `<${url}${path}?page=${page + 1}>; rel="next"`;
      return {
        ...(rows.length > page * 2 ? { headers: { Link: link } } : {}),
        body: rows.slice((page - 1) * 2, page * 2),
      };
    });
    const made = await ask('/import/github', {
      personal_access_token: source.owner.secret,
      repo_id: 42,
      target_namespace: person.user.username,
      new_name: unique('hello'),
      github_hostname: url,
      additional_access_tokens: ` ${second} ,`,
    });
    expect(made.status).toBe(201);
    expect(await ended(made.body.id)).toMatchObject({ import_status: 'finished', stats: { imported: { labels: 3 } } });
    expect(refusedOnce.size).toBe(2);
    expect(new Set(asked.map(({ authorization }) => authorization)).size).toBe(2);
  });

  it('fails with a word where a part does not come, or goes on where that is wanted [3/api.imports/2 timeout_strategy, optimistic, pessimistic]', async () => {
    for (const [timeout_strategy, expected] of [
      ['pessimistic', 'failed'],
      ['optimistic', 'finished'],
    ] as const) {
      const { url } = await hosted(({ path }) => (path.endsWith('/milestones') ? { status: 404 } : undefined));
      const made = await ask('/import/hostedgit', wanted(url, { timeout_strategy }));
      expect(made.status).toBe(201);
      const result = await ended(made.body.id);
      expect(result.import_status).toBe(expected);
      if (expected === 'failed') expect(result.import_error).toBe('Not Found');
      else
        expect(result.failed_relations).toMatchObject([
          { relation_name: 'milestones' },
          { relation_name: 'merge_requests' },
        ]);
    }
  });

  it('is refused at once where the token, the repository or the place is wrong [3/api.imports/2 personal_access_token, repo_id, target_namespace]', async () => {
    const { url } = await hosted(({ path }) =>
      path.endsWith('/repositories/43') ? { status: 429, headers: { 'Retry-After': '60' } } : undefined,
    );
    const refused = async (more: Json, token: string | null = person.secret) => {
      const { status, body } = await ask('/import/hostedgit', wanted(url, more), token);
      return [status, body.message ?? body.error];
    };
    expect(await refused({}, null)).toEqual([401, '401 Unauthorized']);
    expect(await refused({ personal_access_token: 'wrong' })).toEqual([401, 'Access denied to your GitHub account.']);
    expect(await refused({ repo_id: 1 })).toEqual([422, 'Import failed due to a GitHub error: Not Found (HTTP 404)']);
    expect(await refused({ repo_id: 43 })).toEqual([429, 'Too Many Requests']);
    expect(await refused({ target_namespace: 'nowhere/at-all' })).toEqual([
      422,
      'Namespace or group to import repository into does not exist.',
    ]);
    const group = await buildGroup(app);
    await buildMember(app, { user: person.user, of: group, level: Level.developer });
    expect(await refused({ target_namespace: group.full_path })).toEqual([
      422,
      'You are not allowed to import projects in this namespace.',
    ]);
    expect(await refused({ target_namespace: admin.user.username })).toMatchObject([422, expect.anything()]);
    expect(await refused({ target_namespace: ' ' })).toEqual([400, 'target_namespace is empty']);
    for (const name of ['personal_access_token', 'repo_id', 'target_namespace']) {
      const { [name]: _, ...rest } = wanted(url);
      expect((await ask('/import/hostedgit', rest)).body).toEqual({ error: `${name} is missing` });
    }
    expect(await refused({ hostedgit_hostname: 'ftp://x' })).toMatchObject([
      400,
      expect.stringContaining('Invalid URL'),
    ]);
    expect((await refused({ timeout_strategy: 'hopeful' }))[0]).toBe(400);
    // A server that hangs up, or says something else.
    const silent = await served(() => ({ status: 200, body: 'no object' }));
    expect((await refused({ hostedgit_hostname: silent.url }))[0]).toBe(422);
    const taken = wanted(url, { new_name: unique('taken') });
    expect((await ask('/import/hostedgit', taken)).status).toBe(201);
    expect((await ask('/import/hostedgit', taken)).status).toBe(422);
    await setting({ import_sources: ['git'] });
    expect((await refused({}))[0]).toBe(403);
    await setting({ import_sources: ['git', 'gitlab_project', 'github', 'bitbucket_server'] });
    // Addresses of this network are for nobody, unless the instance says so.
    await setting({ allow_local_requests_from_web_hooks_and_services: false });
    expect(await refused({})).toMatchObject([400, expect.stringContaining('Invalid URL')]);
    await setting({ allow_local_requests_from_web_hooks_and_services: true });
  });

  it('goes where a group access token says, as visible as its source, and nowhere without a path [3/api.imports/2 target_namespace, path, personal_access_token]', async () => {
    const group = await buildGroup(app, { owner: person.user, visibility: 'public' });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const bot = await app.api<Json>('POST', `/groups/${group.id}/access_tokens`, {
      token: person.secret,
      json: { name: 'importer', scopes: ['api'], access_level: Level.maintainer, expires_at: tomorrow },
    });
    expect(bot.status).toBe(201);
    const token = String(bot.body.token);
    const to = async (more: Json, changed: Json) => {
      const { url } = await hosted(({ path }) =>
        path === '/api/v3/repositories/42' ? { body: { ...repository(), ...changed } } : undefined,
      );
      return ask('/import/hostedgit', wanted(url, { target_namespace: group.full_path, ...more }), token);
    };
    for (const visibility of ['public', 'private']) {
      const made = await to({}, { private: visibility === 'private' });
      expect([made.status, made.body.message ?? '']).toEqual([201, '']);
      const project = await app.api<Json>('GET', `/projects/${String(made.body.id)}`, { token: person.secret });
      expect(project.body).toMatchObject({ visibility, namespace: { full_path: group.full_path } });
    }
    const refused = async (more: Json, changed: Json = {}) => {
      const { status, body } = await to(more, changed);
      return [status, body.message ?? body.error];
    };
    // Without a place, in the space of the bot, and from a source that does not say its path.
    expect(await refused({ target_namespace: undefined })).toEqual([400, 'target_namespace is missing']);
    const { body: user } = await app.api<Json>('GET', '/user', { token });
    expect((await refused({ target_namespace: user.username }))[0]).toBe(422);
    expect(await refused({}, { full_name: undefined })).toEqual([422, expect.stringContaining('GitHub error')]);
  });

  it('is canceled while it goes on [3/api.imports/3 POST /import/hostedgit/cancel, project_id, 200, 400, 404, id, name, full_path, full_name, import_source, import_status, human_import_status_name, provider_link, canceled] [3/states.import-of-a-repository/1 canceled, 200] [3/states.import-of-a-repository/2 any, 400]', async () => {
    const { url } = await hosted(({ path }) =>
      path.endsWith('/labels') ? { status: 429, headers: { 'Retry-After': '600' } } : undefined,
    );
    const made = await ask('/import/hostedgit', wanted(url));
    const { id, name, full_path, full_name } = made.body;
    const canceled = await ask('/import/hostedgit/cancel', { project_id: id });
    expect([canceled.status, canceled.body]).toEqual([
      200,
      {
        ...{ id, name, full_path, full_name },
        import_source: 'octocat/Hello-World',
        import_status: 'canceled',
        human_import_status_name: 'canceled',
        provider_link: '/octocat/Hello-World',
      },
    ]);
    expect((await ask('/import/github/cancel', { project_id: id })).status).toBe(400);
    expect((await ask('/import/hostedgit/cancel', { project_id: 987_654_321 })).status).toBe(404);
    expect((await ended(id)).import_status).toBe('canceled');
  });
});

describe('from the self-hosted server product', () => {
  const milliseconds = Date.parse(time);
  /** Line 1 of a file that the request adds, as activities have it. */
  const diff = {
    hunks: [
      {
        ...{ sourceLine: 0, sourceSpan: 0, destinationLine: 1, destinationSpan: 1 },
        segments: [{ type: 'ADDED', lines: [{ source: 0, destination: 1, line: '2' }] }],
      },
    ],
  };
  const anchor = { path: 'b.txt', line: 1, lineType: 'ADDED', fileType: 'TO', diffType: 'EFFECTIVE' };
  const activities = (): readonly object[] => [
    {
      action: 'COMMENTED',
      comment: {
        id: 5,
        text: 'Why?',
        author: { slug: 'ada' },
        createdDate: milliseconds,
        comments: [{ id: 6, text: 'Because', author: { slug: 'bob' }, createdDate: milliseconds }],
      },
      commentAnchor: { ...anchor, fromHash: base, toHash: head },
      diff,
    },
    { action: 'OPENED' },
    { action: 'COMMENTED', comment: { id: 7, text: 'Good', author: { slug: 'ada' }, createdDate: milliseconds } },
    {
      action: 'COMMENTED',
      comment: { id: 8, text: 'Before', author: { slug: 'ada' }, createdDate: milliseconds },
      commentAnchor: { ...anchor, toHash: base, orphaned: true },
      diff,
    },
    {
      action: 'COMMENTED',
      comment: { id: 9, text: 'Where?', author: { slug: 'ada' }, createdDate: milliseconds },
      commentAnchor: { path: 'a.txt', line: 2, lineType: 'ADDED' },
    },
  ];
  const requests = () => [
    {
      id: 1,
      title: 'Change two',
      description: 'Because',
      state: 'OPEN',
      createdDate: milliseconds,
      updatedDate: milliseconds,
      author: { user: { slug: 'ada' } },
      reviewers: [{ user: { slug: 'bob' }, approved: true, lastReviewedCommit: head }],
      fromRef: { displayId: 'topic', latestCommit: head, repository: { id: 3 } },
      toRef: { displayId: 'main', latestCommit: base, repository: { id: 3 } },
    },
  ];
  const server = () =>
    served(({ path, query, authorization }) => {
      const proof = `Basic ${Buffer.from(`ada:${source.owner.secret}`).toString('base64')}`;
      if (authorization !== proof) return { status: 401, body: { errors: [] } };
      const at = '/bit/rest/api/1.0/projects/KEY/repos/my-repo';
      if (path === at)
        return {
          body: {
            ...{ id: 3, slug: 'my-repo', name: 'My Repo', description: null, public: false, project: { key: 'KEY' } },
            links: {
              clone: [
                { name: 'ssh', href: 'ssh://git@x' },
                { name: 'http', href: source.remote() },
              ],
            },
          },
        };
      const rows =
        path === `${at}/pull-requests` ? requests() : path === `${at}/pull-requests/1/activities` ? activities() : null;
      if (!rows) return null;
      const start = Number(query.get('start') ?? 0);
      const last = start + 2 >= rows.length;
      return {
        body: { values: rows.slice(start, start + 2), isLastPage: last, nextPageStart: last ? null : start + 2 },
      };
    });
  const form = (prefix: string, url: string, more: Json = {}): Json => ({
    [`${prefix}_url`]: `${url}/bit/`,
    [`${prefix}_username`]: 'ada',
    [`${prefix}_project`]: 'KEY',
    [`${prefix}_repo`]: 'my-repo',
    personal_access_token: source.owner.secret,
    new_name: unique('moved'),
    ...more,
  });

  it.each(['servergit', 'bitbucket_server'])(
    '%s [3/api.imports/5 servergit_url, servergit_username, personal_access_token, servergit_project, servergit_repo, new_name, target_namespace, timeout_strategy, POST /import/servergit]',
    async (prefix) => {
      const { url } = await server();
      const made = await ask(`/import/${prefix}`, form(prefix, url));
      expect([made.status, made.body]).toMatchObject([
        201,
        { full_path: expect.stringContaining(`${person.user.username}/`) },
      ]);
      expect(await ended(made.body.id)).toMatchObject({
        import_status: 'finished',
        import_type: 'bitbucket_server',
        stats: { imported: { merge_requests: 1, notes: 5 } },
      });
      const token = person.secret;
      const { body: request } = await app.api<Json>('GET', `/projects/${made.body.id}/merge_requests/1`, { token });
      expect(request).toMatchObject({ title: 'Change two', state: 'opened', source_branch: 'topic' });
      const { body: notes } = await app.api<Json[]>('GET', `/projects/${made.body.id}/merge_requests/1/notes`, {
        token,
      });
      expect(notes.map(({ body }) => body)).toEqual(
        expect.arrayContaining([
          ...['*By ada*\n\nWhy?', '*By bob*\n\nBecause', '*By ada*\n\nGood'],
          '*By ada*\n\n*On `b.txt`, line 1*\n\n```diff\n@@ -0,0 +1,1 @@\n+2\n```\n\nBefore',
          '*By ada*\n\n*On `a.txt`, line 2*\n\nWhere?',
        ]),
      );
      expect(notes.filter(({ type }) => type === 'DiffNote').map(({ body, position }) => [body, position])).toEqual(
        ['*By bob*\n\nBecause', '*By ada*\n\nWhy?'].map((body) => [
          body,
          expect.objectContaining({ new_path: 'b.txt', new_line: 1, old_line: null, head_sha: head }),
        ]),
      );
    },
  );

  it('brings approvals where an administrator knows whose they are', async () => {
    const { url } = await server();
    const bob = await buildUser(app, { username: 'bob' });
    const made = await ask('/import/servergit', form('servergit', url), admin.secret);
    expect(await ended(made.body.id, admin.secret)).toMatchObject({
      import_status: 'finished',
      stats: { imported: { merge_requests: 1, approvals: 1 } },
    });
    const path = `/projects/${made.body.id}/merge_requests/1/approvals`;
    const { body } = await app.api<Json>('GET', path, { token: admin.secret });
    expect((body.approved_by as { user: Json }[]).map(({ user }) => user.username)).toEqual([bob.username]);
  });

  it('is refused where something is missing or wrong [3/api.imports/5]', async () => {
    const { url } = await server();
    for (const name of [
      'servergit_url',
      'servergit_username',
      'personal_access_token',
      'servergit_project',
      'servergit_repo',
    ]) {
      const { [name]: _, ...rest } = form('servergit', url);
      expect((await ask('/import/servergit', rest)).body).toEqual({ error: `${name} is missing` });
    }
    const status = async (more: Json) => (await ask('/import/servergit', form('servergit', url, more))).status;
    expect(await status({ personal_access_token: 'wrong' })).toBe(401);
    expect(await status({ servergit_repo: 'other' })).toBe(422);
    expect(await status({ servergit_url: 'no address' })).toBe(400);
    expect(await status({ target_namespace: 'nowhere' })).toBe(422);
  });
});
