/** Atom feeds of events and issues, calendars, and the token that opens them and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { rewriteFeedUrl } from './addresses.ts';
import { atom } from './atom.ts';

const password = 'nine lives of a cat';
let app: TestApp;
let owner: BuiltToken;
let page: Record<string, string>;
let token: string;
let repository: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app, { user: await buildUser(app, { password, name: 'Ann & <Bob>' }) });
  const json = { login: owner.user.username, password };
  const session = await app.request<{ csrf_token: string }>('POST', '/-/session', { json });
  page = {
    cookie: session.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
    'x-csrf-token': session.body.csrf_token,
  };
  token = await newToken();
  repository = await buildRepositoryProject(app, { owner, files: { a: 'a' } });
  await eventually('the events', async () => (await entries(`/${owner.user.username}.atom`)).length === 2);
});
afterAll(() => app.close());

interface Shown {
  readonly feed_token: string | null;
}
const newToken = async () => {
  const made = await app.api<Shown>('POST', '/user/feed_token', { headers: page });
  expect(made.status).toBe(201);
  return made.body.feed_token ?? '';
};
const read = (path: string, feed_token: string | undefined = token, headers: Record<string, string> = {}) =>
  app.request<string>('GET', path, { query: { feed_token }, headers });
const entries = async (path: string, with_token = token) =>
  [...String((await read(path, with_token)).body).matchAll(/<entry>[\s\S]*?<title>(.*?)<\/title>/g)].map(
    ([, title]) => title,
  );

describe('feeds', () => {
  it('of a person: what they did, for whoever may see it', async () => {
    const { status, headers, body } = await read(`/${owner.user.username}.atom`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(body).toContain('<title>Ann &amp; &lt;Bob&gt; activity</title>');
    expect(body).not.toContain(token);
    const [pushed, created] = await entries(`/${owner.user.username}.atom`);
    expect(pushed).toMatch(/^Ann &amp; &lt;Bob&gt; pushed new branch main at /);
    expect(created).toMatch(/^Ann &amp; &lt;Bob&gt; created project at /);
    const stranger = await app.request<string>('GET', `/${owner.user.username}.atom`);
    expect(stranger.status).toBe(200);
    expect(stranger.body).not.toContain('<entry>');
    await app.db.updateTable('users').set({ private_profile: true }).where('id', '=', owner.user.id).execute();
    expect((await app.request('GET', `/${owner.user.username}.atom`)).status).toBe(404);
    expect((await read(`/${owner.user.username}.atom`)).status).toBe(200);
  });

  it('of a project, with the feed token or the session of a browser', async () => {
    const path = `/${repository.fullPath}.atom`;
    expect(await entries(path)).toHaveLength(2);
    expect((await app.request<string>('GET', path, { headers: page })).body).toContain('<entry>');
    expect((await app.request('GET', path)).status).toBe(404);
    const other = await app.request('GET', path, { headers: { 'private-token': owner.secret } });
    expect(other.status, 'tokens of the API are not for feeds').toBe(403);
  });

  it('of all projects in which one is a member', async () => {
    expect(await entries('/dashboard/projects.atom')).toHaveLength(2);
    expect((await app.request('GET', '/dashboard/projects.atom')).status).toBe(401);
  });

  it('is not sent again while nothing changed', async () => {
    const path = `/${repository.fullPath}.atom`;
    const tag = (await read(path)).headers.get('etag') ?? '';
    expect((await read(path, token, { 'if-none-match': tag })).status).toBe(304);
  });

  it('404 for nobody and nothing, 401 for a token that is none', async () => {
    for (const path of ['/nobody-at-all.atom', '/no/project.atom', '/a%00b.atom'])
      expect((await read(path)).status).toBe(404);
    expect((await read(`/${owner.user.username}.atom`, 'glft-wrong')).status).toBe(401);
    const twice = `feed_token=${token}&feed_token=${token}`;
    expect((await app.request('GET', `/${owner.user.username}.atom?${twice}`)).status).toBe(401);
  });
});

describe('the feed token', () => {
  it('is shown to its owner’s pages alone, made anew there, and then the old one is dead', async () => {
    expect(token).toMatch(/^glft-/);
    const shown = await app.api<Shown>('GET', '/user/feed_token', { headers: page });
    expect(shown.body.feed_token).toBe(token);
    expect((await app.api('GET', '/user/feed_token')).status).toBe(401);
    expect((await app.api('GET', '/user/feed_token', { token: owner.secret })).status).toBe(403);
    const old = token;
    token = await newToken();
    expect(token).not.toBe(old);
    expect((await read(`/${owner.user.username}.atom`, old)).status).toBe(401);
    expect((await read(`/${owner.user.username}.atom`)).status).toBe(200);
  });

  it('security 16: opens nothing else, whatever it is sent as', async () => {
    const asHeaders: Record<string, string>[] = [
      { 'private-token': token },
      { authorization: `Bearer ${token}` },
      { 'job-token': token },
    ];
    const basic = { authorization: `Basic ${Buffer.from(`${owner.user.username}:${token}`).toString('base64')}` };
    for (const headers of asHeaders) expect((await app.api('GET', '/user', { headers })).status).toBe(401);
    for (const name of ['feed_token', 'private_token', 'access_token'])
      expect((await app.api('GET', '/user', { query: { [name]: token } })).status).toBe(401);
    expect((await app.api('GET', `/projects/${repository.id}`, { query: { feed_token: token } })).status).toBe(404);
    const git = `/${repository.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await app.request('GET', git, { headers: basic })).status).toBe(401);
  });

  it('of somebody who is blocked reads nothing', async () => {
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', owner.user.id).execute();
    expect((await read(`/${repository.fullPath}.atom`)).status).toBe(401);
    await app.db.updateTable('users').set({ state: 'active' }).where('id', '=', owner.user.id).execute();
  });
});

describe('issues', () => {
  const at = () => `/projects/${repository.id}`;
  const make = async (json: Record<string, unknown>) => {
    const made = await app.api<{ id: number; iid: number; web_url: string }>('POST', `${at()}/issues`, {
      ...{ token: owner.secret, json },
    });
    expect(made.status).toBe(201);
    return made.body;
  };
  let due: Awaited<ReturnType<typeof make>>;
  beforeAll(async () => {
    await app.api('POST', `${at()}/milestones`, { token: owner.secret, json: { title: 'v1 & v2' } });
    const [milestone] = (await app.api<{ id: number }[]>('GET', `${at()}/milestones`, { token: owner.secret })).body;
    due = await make({
      ...{ title: 'Due; soon, <b>', description: 'Text\n& more', due_date: '2031-05-06', labels: 'bug,late' },
      ...{ milestone_id: milestone?.id, assignee_ids: [owner.user.id] },
    });
    await make({ title: 'Secret', confidential: true });
    const closed = await make({ title: 'Done', due_date: '2031-05-07' });
    const json = { state_event: 'close' };
    await app.api('PUT', `${at()}/issues/${closed.iid}`, { token: owner.secret, json });
  });

  it('of a project are entries with what they are made of, the newest first, open ones unless asked otherwise', async () => {
    const path = `/${repository.fullPath}/-/issues.atom`;
    expect(await entries(path)).toEqual(['Secret', 'Due; soon, &lt;b&gt;']);
    const { headers, body } = await read(path);
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const name = 'Ann &amp; &lt;Bob&gt;';
    for (const line of [
      `<id>${due.web_url}</id>`,
      `<link href="${due.web_url}"/>`,
      `<author><name>${name}</name></author>`,
      '<summary>Due; soon, &lt;b&gt;</summary>',
      '<description>Text\n&amp; more</description>',
      '<milestone>v1 &amp; v2</milestone>',
      '<labels><label>bug</label><label>late</label></labels>',
      `<assignees><assignee><name>${name}</name></assignee></assignees>`,
      `<assignee><name>${name}</name></assignee>`,
      '<due_date>2031-05-06</due_date>',
    ])
      expect(body).toContain(line);
    const titles = async (query: Record<string, string>) =>
      [
        ...(await app.request<string>('GET', path, { query: { feed_token: token, ...query } })).body.matchAll(
          /<title>(?!Ann)(.*?)<\/title>/g,
        ),
      ]
        .map(([, title]) => title)
        .filter((title) => !title?.endsWith(' issues'));
    expect(await titles({ state: 'closed' })).toEqual(['Done']);
    expect(await titles({ 'label_name[]': 'late' })).toEqual(['Due; soon, &lt;b&gt;']);
    expect(await titles({ confidential: 'true' })).toEqual(['Secret']);
    expect((await app.request('GET', path, { query: { feed_token: token, state: 'odd' } })).status).toBe(400);
  });

  it('are a calendar of the days by which they are due', async () => {
    const { headers, body } = await read(`/${repository.fullPath}/-/issues.ics`);
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const { hostname } = new URL(app.url);
    const unfolded = body.replaceAll('\r\n ', '');
    expect(unfolded.split('\r\n').filter((line) => !line.startsWith('DTSTAMP'))).toEqual([
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Millrace//Issues//EN', 'CALSCALE:GREGORIAN'],
      expect.stringMatching(/^X-WR-CALNAME:.+ issues$/),
      ...['BEGIN:VEVENT', `UID:issue-${due.id}@${hostname}`, 'DTSTART;VALUE=DATE:20310506'],
      `SUMMARY:Due\\; soon\\, <b> (in ${repository.fullPath})`,
      `DESCRIPTION:Find out more at ${due.web_url}`,
      `URL;VALUE=URI:${due.web_url}`,
      ...['TRANSP:TRANSPARENT', 'END:VEVENT', 'END:VCALENDAR', ''],
    ]);
    expect(body.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  });

  it('of oneself are those that one is assigned to, of a group those of its projects', async () => {
    expect(await entries('/dashboard/issues.atom')).toEqual(['Due; soon, &lt;b&gt;']);
    expect((await read('/dashboard/issues.ics')).body).toContain(`UID:issue-${due.id}@`);
    expect((await app.request('GET', '/dashboard/issues.atom')).status).toBe(401);
    const group = await buildGroup(app, { owner: owner.user, visibility: 'private' });
    const project = await buildProject(app, { namespace: group, visibility: 'private' });
    await buildMember(app, { of: project, user: owner.user, level: Level.owner });
    const json = { title: 'Of the group' };
    await app.api('POST', `/projects/${project.id}/issues`, { token: owner.secret, json });
    expect(await entries(`/groups/${group.full_path}/-/issues.atom`)).toEqual(['Of the group']);
    expect((await app.request('GET', `/groups/${group.full_path}/-/issues.ics`)).status).toBe(404);
    expect((await app.request('GET', `/${repository.fullPath}/-/issues.ics`)).status).toBe(404);
  });
});

describe('documents', () => {
  it('escape what people wrote and leave out what XML cannot say', () => {
    const author = { name: 'a\u0000b\u001f\ud800', email: null };
    const entry = { id: 'x', title: '</title><script>"&', url: 'http://x/?a=1&b="', at: new Date(0), author };
    const text = atom({ title: 't', self: 'http://x', page: 'http://y', entries: [entry] });
    expect(text).toContain('<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;</title>');
    expect(text).toContain('href="http://x/?a=1&amp;b=&quot;"');
    expect(text).toContain('<name>ab\ufffd</name>');
  });

  it('only addresses of feeds are mapped onto the route', () => {
    expect(rewriteFeedUrl('/a/b/c.atom?x=1')).toBe('/-/feeds/a%2Fb%2Fc?x=1');
    for (const [url, route] of [
      ['/a/b/-/issues.ics?x=1', 'issues/ics/project/a%2Fb?x=1'],
      ['/groups/a/b/-/issues.atom', 'issues/atom/group/a%2Fb'],
      ['/dashboard/issues.atom', 'issues/atom/dashboard/dashboard'],
      ['/a/b/-/merge_requests.atom', 'merge_requests/atom/project/a%2Fb'],
      ['/groups/a/-/merge_requests?format=atom', 'merge_requests/atom/group/a?format=atom'],
      ['/a/b/-/commits/x/y?format=atom', 'commits/atom/project/a%2Fb/x%2Fy?format=atom'],
      ['/a/b/-/commits/v1.0%23.atom', 'commits/atom/project/a%2Fb/v1.0%23'],
      ['/a/b/-/commits.atom', 'commits/atom/project/a%2Fb'],
      ['/a/b/-/tags?x=1&format=atom', 'tags/atom/project/a%2Fb?x=1&format=atom'],
      ['/a/b/-/releases.atom', 'releases/atom/project/a%2Fb'],
    ] as const)
      expect(rewriteFeedUrl(url)).toBe(`/-/list-feeds/${route}`);
    for (const url of [
      ...['/a/b', '/a/b/-/raw/main/x.atom', '/api/v4/x.atom', '/.atom', '/%zz.atom', '/-/x.atom'],
      ...['/a/b/-/commits/main', '/a/b/-/tags.ics', '/groups/a/-/tags.atom', '/a/b/-/issues/1.atom'],
      ...['/a/b/-/commits/%zz.atom', '/a/b/-/tags?format=atomic', '/api/v4/a/-/tags?format=atom'],
    ])
      expect(rewriteFeedUrl(url)).toBe(url);
  });
});
