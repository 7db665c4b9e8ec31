/** Releases over HTTP: who sees what of them, their tags, links and notes. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildGroup, buildToken } from '../../../../test/factories.ts';
import { gitClient } from '../../../../test/git.ts';
import { queuedFor, runQueued } from '../../../../test/queue.queries.ts';
import { startReceiver } from '../../../../test/receiver.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let world: World;
let project: RepositoryProject;
let open: RepositoryProject;
let developer: string;
let reporter: string;
let guest: string;
let tip: string;
beforeAll(async () => {
  world = await startWorld();
  project = await buildRepositoryProject(world.app);
  open = await buildRepositoryProject(world.app, { visibility: 'public' });
  developer = (await project.member(30)).secret;
  reporter = (await project.member(20)).secret;
  guest = (await project.member(10)).secret;
  tip = String((await project.api('GET', '/repository/commits/main')).body.id);
});
afterAll(() => world.close());

const releases = '/releases';
const encoded = encodeURIComponent;
const make = (json: Json, token = developer) => project.api('POST', releases, { json, token });
const at = (tag: string) => `${releases}/${encoded(tag)}`;
const days = (number: number) => new Date(Date.now() + number * 86_400_000).toISOString();

describe('making one', () => {
  it('makes its tag, tells everything, and notes what it was', async () => {
    const links = [
      { name: 'tool', url: 'https://files.example/tool', direct_asset_path: '/bin/tool', link_type: 'package' },
      { name: 'book', url: 'http://files.example/book', filepath: '/book.pdf' },
    ];
    const json = {
      name: 'One',
      tag_name: 'v1',
      tag_message: 'First',
      ref: 'main',
      description: '# Hi <b onclick="a()">x</b><script>a()</script>',
      assets: { links },
    };
    const { status, body } = await make(json);
    const base = `${world.app.url}/${project.fullPath}`;
    const own = {
      name: 'One',
      tag_name: 'v1',
      description: '# Hi <b onclick="a()">x</b><script>a()</script>',
      upcoming_release: false,
    };
    expect([status, body]).toMatchObject([
      201,
      {
        ...own,
        author: { username: expect.any(String) },
        commit: { id: tip },
        commit_path: `/${project.fullPath}/-/commit/${tip}`,
        tag_path: `/${project.fullPath}/-/tags/v1`,
        assets: {
          count: 6,
          sources: [{ format: 'zip' }, { format: 'tar.gz' }, { format: 'tar.bz2' }, { format: 'tar' }],
          links: [
            { name: 'book', link_type: 'other', direct_asset_url: `${base}/-/releases/v1/downloads/book.pdf` },
            { name: 'tool', link_type: 'package', direct_asset_url: `${base}/-/releases/v1/downloads/bin/tool` },
          ],
        },
        evidences: [{ sha: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        _links: {
          self: `${base}/-/releases/v1`,
          edit_url: `${base}/-/releases/v1/edit`,
          closed_issues_url: `${base}/-/issues?release_tag=v1&scope=all&state=closed`,
          closed_merge_requests_url: `${base}/-/merge_requests?release_tag=v1&scope=all&state=closed`,
          merged_merge_requests_url: `${base}/-/merge_requests?release_tag=v1&scope=all&state=merged`,
          opened_issues_url: `${base}/-/issues?release_tag=v1&scope=all&state=opened`,
          opened_merge_requests_url: `${base}/-/merge_requests?release_tag=v1&scope=all&state=opened`,
        },
      },
    ]);
    expect(body.released_at).toBe(body.created_at);
    expect(body).not.toHaveProperty('description_html');
    const tag = (await project.api('GET', '/repository/tags/v1')).body;
    expect(tag).toMatchObject({ message: 'First', release: { tag_name: 'v1', description: json.description } });
    const html = await project.api('GET', at('v1'), { query: { include_html_description: true } });
    expect(html.body.description_html).toContain('Hi <b>x</b>');
    expect(html.body.description_html).not.toMatch(/script|onclick/);
    // What was noted is what its hash says, at the address that the release tells.
    const [{ sha, filepath }] = body.evidences as [{ sha: string; filepath: string }];
    const noted = await fetch(filepath, { headers: { 'PRIVATE-TOKEN': reporter } });
    const text = await noted.text();
    expect(createHash('sha256').update(text).digest('hex')).toBe(sha);
    expect(JSON.parse(text)).toMatchObject({ release: { tag_name: 'v1', name: 'One', project: { id: project.id } } });
    expect((await fetch(filepath)).status).toBe(404);
    expect((await project.api('POST', `${at('v1')}/evidence`, { token: developer })).status).toBe(202);
    expect((await project.api('GET', at('v1'))).body.evidences).toHaveLength(2);
    expect((await project.api('POST', `${at('v1')}/evidence`, { token: reporter })).status).toBe(403);
  });

  it('archives are where the release says', async () => {
    const { assets } = (await project.api<Json>('GET', at('v1'))).body as { assets: { sources: { url: string }[] } };
    for (const { url } of assets.sources) {
      const got = await fetch(url, { headers: { 'PRIVATE-TOKEN': reporter } });
      expect([url, got.status, (await got.arrayBuffer()).byteLength > 100]).toEqual([url, 200, true]);
    }
    expect((await fetch(assets.sources[0]?.url ?? '')).status).toBe(404);
  });

  it('of a tag that is there takes its commit, also with slashes in its name', async () => {
    await project.api('POST', '/repository/tags', { json: { tag_name: 'rel/2', ref: 'main' } });
    const { status, body } = await make({ tag_name: 'rel/2' });
    expect([status, body.name, body.description, (body.commit as Json).id]).toEqual([201, 'rel/2', null, tip]);
    expect((await project.api('GET', at('rel/2'))).body.tag_name).toBe('rel/2');
  });

  it('[1/errors/13] says what is wrong', async () => {
    const link = (more: Json) => ({
      tag_name: 'v1',
      assets: { links: [{ name: 'a', url: 'https://x.example/a', ...more }] },
    });
    const refused = async (json: Json, status: number, message: unknown, token = developer) =>
      expect([json, await make(json, token)]).toMatchObject([json, { status, body: { message } }]);
    await refused({ tag_name: 'v1' }, 409, 'Release already exists');
    await refused({ tag_name: 'v9' }, 422, 'Ref is not specified');
    await refused({ tag_name: 'v9', ref: 'nothing' }, 400, 'Target nothing is invalid');
    await refused({ tag_name: 'a..b', ref: 'main' }, 400, 'Tag name invalid');
    await refused({ tag_name: 'v9', ref: 'main', milestones: ['m1', 'm2'] }, 400, 'Milestone(s) not found: m1, m2');
    await refused({ tag_name: 'v9', ref: 'main', milestone_ids: [7] }, 400, 'Milestone id(s) not found: 7');
    await refused(
      { ...link({ url: 'file:///etc/passwd' }), tag_name: 'v9', ref: 'main' },
      400,
      /^Validation failed: Links url/,
    );
    await refused(
      { ...link({ direct_asset_path: 'no/slash' }), tag_name: 'v9', ref: 'main' },
      400,
      /filepath is in an invalid/,
    );
    const twice = {
      links: [
        { name: 'a', url: 'https://x.example/a' },
        { name: 'a', url: 'https://x.example/b' },
      ],
    };
    await refused(
      { tag_name: 'v9', ref: 'main', assets: twice },
      400,
      'Validation failed: Links have duplicate values (a)',
    );
    await refused({ tag_name: 'v9', ref: 'main' }, 403, '403 Forbidden', reporter);
    expect((await make({})).body).toEqual({ error: 'tag_name is missing' });
    const both = await make({ tag_name: 'v9', milestones: ['a'], milestone_ids: [1] });
    expect(both.body).toEqual({ error: 'milestones, milestone_ids are mutually exclusive' });
    // Nothing of all this has made a tag.
    expect((await project.api('GET', '/repository/tags/v9')).status).toBe(404);
    expect((await project.api('POST', releases, { json: { tag_name: 'x', ref: 'main' }, token: null })).status).toBe(
      401,
    );
    expect((await open.api('POST', releases, { json: { tag_name: 'x', ref: 'main' }, token: null })).status).toBe(401);
  });

  it('one of the past notes nothing, one of the future when it comes', async () => {
    const past = await make({ tag_name: 'past', ref: 'main', released_at: '2019-03-15T08:00:00Z' });
    expect(past.body).toMatchObject({
      evidences: [],
      upcoming_release: false,
      released_at: '2019-03-15T08:00:00.000Z',
    });
    const soon = await make({ tag_name: 'soon', ref: 'main', released_at: days(2) });
    expect(soon.body).toMatchObject({ evidences: [], upcoming_release: true });
    const released_at = days(1);
    const moved = await project.api('PUT', at('soon'), { json: { released_at } });
    expect(moved.body).toMatchObject({ evidences: [], upcoming_release: true });
    const { db } = world.app;
    const { id } = await db.selectFrom('releases').select('id').where('tag', '=', 'soon').executeTakeFirstOrThrow();
    const key = `releases.evidence:${id}`;
    expect(await queuedFor(db, key)).toEqual(new Date(released_at));
    await db.updateTable('releases').set({ released_at: new Date() }).where('id', '=', id).execute();
    await runQueued(db, key);
    const noted = await eventually('a note', async () => {
      const { body } = await project.api<{ evidences: Json[]; upcoming_release: boolean }>('GET', at('soon'));
      return body.evidences.length > 0 && body;
    });
    expect(noted.upcoming_release).toBe(false);
    expect(noted.evidences).toHaveLength(1);
  });
});

describe('reading', () => {
  it('[1/limits.pagination/1] lists by date, filtered by change, in pages of both kinds', async () => {
    const tags = async (query: Json) =>
      (await project.api<{ tag_name: string }[]>('GET', releases, { query, token: reporter })).body.map(
        (each) => each.tag_name,
      );
    expect(await tags({})).toEqual(['soon', 'rel/2', 'v1', 'past']);
    expect(await tags({ sort: 'asc' })).toEqual(['past', 'v1', 'rel/2', 'soon']);
    expect(await tags({ order_by: 'created_at', sort: 'asc' })).toEqual(['v1', 'rel/2', 'past', 'soon']);
    expect(await tags({ updated_after: days(1) })).toEqual([]);
    expect(await tags({ updated_before: days(1), per_page: 1, page: 2 })).toEqual(['rel/2']);
    const first = await project.api<Json[]>('GET', releases, { query: { pagination: 'keyset', per_page: 3 } });
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await fetch(next, { headers: { 'PRIVATE-TOKEN': reporter } });
    expect(((await rest.json()) as Json[]).map(({ tag_name }) => tag_name)).toEqual(['past']);
    expect((await project.api('GET', releases, { query: { order_by: 'name' } })).status).toBe(400);
  });

  it('guests are not told of code: no tag, no commit, no archives', async () => {
    const [first] = (await project.api<Json[]>('GET', releases, { token: guest })).body;
    expect(first?.name).toMatch(/^Release-\d+$/);
    expect(JSON.stringify(first)).not.toMatch(/soon|commit|sources|evidences|tag_/);
    const links = (await project.api<Json[]>('GET', `${at('v1')}/assets/links`, { token: guest })).body;
    expect(links[0]).toMatchObject({ name: 'book', direct_asset_url: 'http://files.example/book' });
    for (const target of [at('v1'), `${at('v1')}/downloads/bin/tool`, `${releases}/permalink/latest`])
      expect([target, (await project.api('GET', target, { token: guest })).status]).toEqual([target, 403]);
    for (const target of [releases, at('v1'), `${at('v1')}/assets/links`])
      expect([target, (await project.api('GET', target, { token: null })).status]).toEqual([target, 404]);
    expect((await project.api('GET', at('nothing'))).body).toEqual({ message: '404 Not Found' });
  });

  it('security 17: nothing of another project, and nothing where releases are off or for members', async () => {
    await open.api('POST', releases, { json: { tag_name: 'v1', ref: 'main' } });
    expect((await open.api('GET', at('v1'), { token: null })).status).toBe(200);
    const link = (await project.api<Json[]>('GET', `${at('v1')}/assets/links`)).body[0];
    expect((await open.api('GET', `${at('v1')}/assets/links/${link?.id}`)).status).toBe(404);
    const [evidence] = (await project.api<{ evidences: { filepath: string }[] }>('GET', at('v1'))).body.evidences;
    const id = /(\d+)\.json$/.exec(evidence?.filepath ?? '')?.[1];
    expect((await open.api('GET', `${at('v1')}/evidences/${id}`)).status).toBe(404);
    expect((await project.api('GET', `${at('v1')}/evidences/${id}`)).status).toBe(200);
    for (const [level, stranger, owner] of [
      ['private', 404, 200],
      ['disabled', 404, 403],
      ['enabled', 200, 200],
    ] as const) {
      await open.api('PUT', '', { json: { releases_access_level: level } });
      const outside = await open.api('GET', releases, { token: null });
      expect([level, outside.status === 401 ? 404 : outside.status]).toEqual([level, stranger]);
      expect([level, (await open.api('GET', releases)).status]).toEqual([level, owner]);
    }
  });

  it('downloads and the newest one are redirects, in the API and at the addresses of pages', async () => {
    const base = `${world.app.url}/${project.fullPath}/-/releases`;
    const location = async (url: string) => {
      const got = await fetch(url, { headers: { 'PRIVATE-TOKEN': reporter }, redirect: 'manual' });
      return [got.status, got.headers.get('location')];
    };
    const api = `/api/v4/projects/${project.id}/releases`;
    expect(await location(`${world.app.url}${api}/v1/downloads/bin/tool`)).toEqual([302, 'https://files.example/tool']);
    expect(await location(`${base}/v1/downloads/bin/tool`)).toEqual([302, 'https://files.example/tool']);
    expect((await location(`${base}/v1/downloads/bin/other`))[0]).toBe(404);
    expect(await location(`${world.app.url}${api}/permalink/latest?order_by=released_at&x=1`)).toEqual([
      302,
      `${api}/soon?x=1`,
    ]);
    expect(await location(`${world.app.url}${api}/permalink/latest/downloads/a%20b`)).toEqual([
      302,
      `${api}/soon/downloads/a%20b`,
    ]);
    expect(await location(`${base}/permalink/latest/downloads/bin/tool`)).toEqual([
      302,
      `${api}/soon/downloads/bin/tool`,
    ]);
    const none = await buildRepositoryProject(world.app);
    expect((await none.api('GET', `${releases}/permalink/latest`)).status).toBe(404);
  });

  it('of a group: those of its projects that the caller may see', async () => {
    const owner = await buildToken(world.app);
    const group = await buildGroup(world.app, { owner: owner.user, visibility: 'public' });
    const below = await buildGroup(world.app, { parent: group, owner: owner.user, visibility: 'public' });
    const settings = { namespace_id: below.id };
    const kept = await buildRepositoryProject(world.app, { owner, settings: { ...settings, visibility: 'private' } });
    const shown = await buildRepositoryProject(world.app, { owner, settings: { ...settings, visibility: 'public' } });
    const link = { name: 'tool', url: 'https://example.com/tool' };
    await kept.api('POST', releases, { json: { tag_name: 'kept', ref: 'main', assets: { links: [link] } } });
    await shown.api('POST', releases, { json: { tag_name: 'shown', ref: 'main' } });
    const list = async (query: Json, token?: string) =>
      (await world.app.api<Json[]>('GET', `/groups/${group.id}/releases`, { query, token })).body;
    const each = await Promise.all(
      [shown, kept].map(async (one) => (await one.api<Json[]>('GET', releases)).body[0] as Json),
    );
    expect(await list({}, owner.secret)).toEqual(each);
    expect(each.map((one) => [one.tag_name, (one.assets as Json).count])).toEqual([
      ['shown', 4],
      ['kept', 5],
    ]);
    expect((await list({ sort: 'asc' }, owner.secret)).map(({ tag_name }) => tag_name)).toEqual(['kept', 'shown']);
    const [simple, ...others] = await list({ simple: true });
    expect([simple?.tag_name, others, Object.hasOwn(simple ?? {}, 'assets')]).toEqual(['shown', [], false]);
  });
});

describe('changing', () => {
  it('PUT changes what it is given, DELETE leaves the tag', async () => {
    const changed = await project.api('PUT', at('past'), { json: { name: 'New', milestones: [] }, token: developer });
    expect([changed.status, changed.body.name]).toEqual([200, 'New']);
    const answer = async (method: 'PUT' | 'DELETE', tag: string, json: Json | undefined, token = developer) => {
      const { status, body } = await project.api(method, at(tag), { ...(json ? { json } : {}), token });
      return [status, body.message];
    };
    expect(await answer('PUT', 'past', {})).toEqual([400, 'params is empty']);
    expect(await answer('PUT', 'past', { milestones: ['x'] })).toEqual([400, 'Milestone(s) not found: x']);
    expect(await answer('PUT', 'past', { name: 'x' }, reporter)).toEqual([403, '403 Forbidden']);
    expect(await answer('PUT', 'nothing', { name: 'x' })).toEqual([403, '403 Forbidden']);
    expect(await answer('DELETE', 'past', undefined, reporter)).toEqual([403, '403 Forbidden']);
    expect((await project.api('DELETE', at('past'), { token: developer })).body).toMatchObject({ tag_name: 'past' });
    expect(await answer('DELETE', 'past', undefined)).toEqual([403, '403 Forbidden']);
    expect((await project.api('GET', '/repository/tags/past')).body).toMatchObject({ name: 'past', release: null });
  });

  it('check boxes of the text are ticked one by one', async () => {
    await make({ tag_name: 'boxes', ref: 'main', description: 'Plan\n\n- [ ] first\n- [x] second' });
    const tick = (line_source: string, more: Json = {}, token = developer) =>
      project.api('PUT', at('boxes'), {
        json: { update_task: { line_number: 3, line_source, checked: true }, ...more },
        token,
      });
    expect((await tick('- [ ] first', {}, reporter)).status).toBe(403);
    expect((await tick('- [ ] first', { description: 'x' })).status).toBe(400);
    const ticked = await tick('- [ ] first');
    expect([ticked.status, ticked.body.description]).toEqual([200, 'Plan\n\n- [x] first\n- [x] second']);
    expect((await tick('- [ ] first')).status).toBe(409);
  });

  it('links: unique by name, address and path; changed and removed', async () => {
    const links = `${at('v1')}/assets/links`;
    const call = (method: 'POST' | 'PUT' | 'DELETE' | 'GET', path: string, json?: Json, token = developer) =>
      project.api<Json>(method, path, { ...(json ? { json } : {}), token });
    const made = await call('POST', links, { name: 'more', url: 'ftp://files.example/more', link_type: 'runbook' });
    expect([made.status, made.body]).toMatchObject([
      201,
      { name: 'more', link_type: 'runbook', direct_asset_url: 'ftp://files.example/more' },
    ]);
    for (const [json, message] of [
      [{ name: 'more', url: 'https://a.example' }, { name: ['has already been taken'] }],
      [{ name: 'b', url: 'ftp://files.example/more' }, { url: ['has already been taken'] }],
      [{ name: 'b', url: 'https://a.example', filepath: '/bin/tool' }, { filepath: ['has already been taken'] }],
      [{ name: 'b', url: 'javascript:alert(1)' }, { url: ['is blocked: Only allowed schemes are http, https, ftp'] }],
      [{ name: 'b', url: 'https://a.example', filepath: '/../x/' }, { filepath: ['is in an invalid format'] }],
      [{ name: ' ', url: 'https://a.example' }, { name: ["can't be blank"] }],
    ])
      expect([json, await call('POST', links, json as Json)]).toMatchObject([json, { status: 400, body: { message } }]);
    const one = `${links}/${made.body.id}`;
    expect((await call('PUT', one, { link_type: 'image' })).body).toEqual({
      error: 'name, url are missing, at least one parameter must be provided',
    });
    const changed = await call('PUT', one, { name: 'less', direct_asset_path: '/less' });
    expect(changed.body).toMatchObject({
      name: 'less',
      direct_asset_url: expect.stringMatching(/v1\/downloads\/less$/),
    });
    expect((await call('PUT', one, { name: 'less', filepath: '' })).body.direct_asset_url).toBe(
      'ftp://files.example/more',
    );
    expect((await call('GET', one, undefined, guest)).status).toBe(200);
    for (const method of ['PUT', 'DELETE'] as const)
      expect([method, (await call(method, one, { name: 'x' }, reporter)).status]).toEqual([method, 403]);
    expect((await call('DELETE', one)).body).toMatchObject({ name: 'less' });
    expect((await call('GET', one)).status).toBe(404);
    expect((await call('GET', `${at('nothing')}/assets/links`)).status).toBe(404);
  });

  it('security 17: protected tags keep those away who may not make them', async () => {
    await project.api('POST', '/protected_tags', { json: { name: 'kept-*', create_access_level: 40 } });
    const refused = await make({ tag_name: 'kept-1', ref: 'main' });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'You are not allowed to create this tag as it is protected.',
    ]);
    expect((await make({ tag_name: 'kept-1', ref: 'main' }, project.owner.secret)).status).toBe(201);
    for (const [method, path] of [
      ['PUT', at('kept-1')],
      ['DELETE', at('kept-1')],
      ['POST', `${at('kept-1')}/evidence`],
    ] as const)
      expect([method, (await project.api(method, path, { json: { name: 'x' }, token: developer })).status]).toEqual([
        method,
        403,
      ]);
    const link = { name: 'x', url: 'https://x.example' };
    expect((await project.api('POST', `${at('kept-1')}/assets/links`, { json: link, token: developer })).status).toBe(
      403,
    );
  });

  it('a release goes with its tag, removed by the API or by a push', async () => {
    await make({ tag_name: 'gone-1', ref: 'main', assets: { links: [{ name: 'x', url: 'https://x.example' }] } });
    await make({ tag_name: 'gone-2', ref: 'main' });
    expect((await project.api('DELETE', '/repository/tags/gone-1')).status).toBe(204);
    const git = await gitClient();
    await git.run(['clone', '-q', project.remote(project.owner.secret), 'clone']);
    await git.run(['push', '-q', 'origin', ':refs/tags/gone-2'], 'clone');
    await git.close();
    for (const tag of ['gone-1', 'gone-2'])
      expect([tag, (await project.api('GET', at(tag))).status]).toEqual([tag, 404]);
    const events = await project.api<{ details: Json; event_name: string }[]>('GET', '/audit_events');
    const names = events.body.map((event) => event.event_name);
    expect(names.filter((name) => name === 'release_deleted')).toHaveLength(3);
    expect(names).toContain('release_created');
  });

  it('hooks hear of it: made, changed, and gone with its tag', async () => {
    const receiver = await startReceiver();
    await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
    const hook = { url: `${receiver.url}/in`, push_events: false, releases_events: true };
    const { id } = (await project.api('POST', '/hooks', { json: hook })).body;
    const heard = (action: string) =>
      eventually(action, async () => receiver.received.find(({ text }) => text.includes(`"action":"${action}"`)));
    const links = [{ name: 'tool', url: 'https://files.example/tool' }];
    await make({ tag_name: 'r/1', ref: 'main', name: 'One', assets: { links } });
    const made = await heard('create');
    expect(made.headers['x-gitlab-event']).toBe('Release Hook');
    const url = `${world.app.url}/${project.fullPath}/-/releases/r%2F1`;
    const told = { object_kind: 'release', tag: 'r/1', name: 'One', url, project: { id: project.id } };
    expect(JSON.parse(made.text)).toMatchObject({
      ...told,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
      assets: { count: 5, links: [{ name: 'tool', link_type: 'other' }], sources: [{ format: 'zip' }, {}, {}, {}] },
      commit: { id: tip },
    });
    await project.api('PUT', at('r/1'), { json: { description: 'Text' } });
    expect(JSON.parse((await heard('update')).text)).toMatchObject({ ...told, description: 'Text' });
    expect((await project.api('POST', `/hooks/${id}/test/releases_events`)).status).toBe(201);
    await project.api('DELETE', '/repository/tags/r%2F1');
    expect(JSON.parse((await heard('delete')).text)).toMatchObject({ ...told, assets: { links: [{ name: 'tool' }] } });
    await receiver.close();
  });

  it('one whose commit is gone is still told, without it', async () => {
    const { id } = open;
    const values = { project_id: id, tag: 'lost', sha: 'f'.repeat(40), released_at: new Date('2020-01-01Z') };
    await world.app.db.insertInto('releases').values(values).execute();
    const { status, body } = await open.api('GET', at('lost'));
    expect([status, body.commit, body.author, body.tag_name]).toEqual([200, null, null, 'lost']);
    expect(body).not.toHaveProperty('commit_path');
  });

  it('a job makes one with its token', async () => {
    const built = await world.project();
    const runner = await world.runner();
    await built.push('ship: {script: [release]}');
    const job = await runner.next();
    const json = {
      tag_name: 'v1',
      ref: 'main',
      name: 'By a job',
      assets: { links: [{ name: 'a', url: 'https://x.example/a' }] },
    };
    const made = await world.app.api<Json>('POST', `/projects/${built.id}/releases`, {
      json,
      headers: { 'JOB-TOKEN': job.token },
    });
    expect([made.status, made.body]).toMatchObject([201, { name: 'By a job', author: { id: world.owner.user.id } }]);
    const other = await world.app.api('POST', `/projects/${open.id}/releases`, {
      json: { ...json, tag_name: 'v7' },
      headers: { 'JOB-TOKEN': job.token },
    });
    expect(other.status).toBe(403);
  });
});
