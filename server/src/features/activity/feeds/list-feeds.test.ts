/** Feeds of merge requests, commits, tags and releases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let project: RepositoryProject;
let group: { readonly full_path: string };
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  const made = await buildGroup(app, { owner: owner.user, visibility: 'private' });
  group = made;
  project = await buildRepositoryProject(app, { owner, files: { a: 'a' }, settings: { namespace_id: made.id } });
  guest = await project.member(Level.guest);
  await project.commit('topic', { 'docs/b.md': 'b' }, { start_branch: 'main', commit_message: 'Add <b>\n\nAnd why' });
  const json = { title: 'Merge & <b>', source_branch: 'topic', target_branch: 'main', labels: 'bug' };
  const created = await project.api('POST', '/merge_requests', { json: { ...json, assignee_id: owner.user.id } });
  expect(created.status).toBe(201);
  for (const [tag_name, ref] of [
    ['v1', 'main'],
    ['v2', 'topic'],
  ])
    await project.api('POST', '/repository/tags', { json: { tag_name, ref, message: `About ${tag_name}` } });
  const release = { tag_name: 'v1', name: 'The first', description: 'It **works**' };
  expect((await project.api('POST', '/releases', { json: release })).status).toBe(201);
});
afterAll(() => app.close());

/** The feed of somebody, as a feed reader asks for it. */
async function read(path: string, who: BuiltToken | null = owner) {
  const feed_token = `glft-${who?.user.username}`;
  if (who)
    await app.db
      .updateTable('users')
      .set({ feed_token_sha256: tokenHash(feed_token) })
      .where('id', '=', who.user.id)
      .execute();
  return await app.request<string>('GET', path, { query: who ? { feed_token } : {} });
}
const titles = async (path: string, who?: BuiltToken) =>
  [...(await read(path, who)).body.matchAll(/<entry>[\s\S]*?<title>(.*?)<\/title>/g)].map(([, title]) => title);

describe('feeds of merge requests', () => {
  it('are of a project, a group and of oneself, open ones unless asked otherwise', async () => {
    const title = 'Merge &amp; &lt;b&gt;';
    const path = `/${project.fullPath}/-/merge_requests.atom`;
    const feed = await read(path);
    expect(feed.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(feed.body).toContain(`<id>${app.url}/${project.fullPath}/-/merge_requests/1</id>`);
    expect(feed.body).toContain('<labels><label>bug</label></labels>');
    for (const at of [path, `/groups/${group.full_path}/-/merge_requests.atom`, '/dashboard/merge_requests.atom'])
      expect(await titles(at), at).toEqual([title]);
    expect(await titles(`${path}?label_name[]=bug`)).toEqual([title]);
    for (const query of ['state=closed', 'label_name[]=other', 'author_username=nobody'])
      expect(await titles(`${path}?${query}`), query).toEqual([]);
    expect((await read(`${path}?state=odd`)).status).toBe(400);
    expect(await titles('/dashboard/merge_requests.atom', guest)).toEqual([]);
    expect((await read('/dashboard/merge_requests.atom', null)).status).toBe(401);
    for (const at of [path, `/groups/${group.full_path}/-/merge_requests.atom`])
      expect((await read(at, null)).status).toBe(404);
  });
});

describe('feeds of a repository', () => {
  it('are the commits of a branch, of a path, or of the default branch', async () => {
    const path = `/${project.fullPath}/-/commits`;
    const [newest, ...older] = await titles(`${path}/topic?format=atom`);
    expect([newest, older.length]).toEqual(['Add &lt;b&gt;', 1]);
    expect(await titles(`${path}/topic.atom`)).toEqual([newest, ...older]);
    expect(await titles(`${path}.atom`)).toEqual(older);
    expect(await titles(`${path}/topic/docs?format=atom`)).toEqual([newest]);
    const { body } = await read(`${path}/topic.atom`);
    expect(body).toContain('<summary>And why</summary>');
    expect(body).toMatch(new RegExp(`<id>${app.url}/${project.fullPath}/-/commit/[0-9a-f]{40}</id>`));
    for (const at of ['nowhere.atom', 'a%00b.atom']) expect((await read(`${path}/${at}`)).status, at).toBe(404);
  });

  it('are its tags and releases, the newest first', async () => {
    const tags = `/${project.fullPath}/-/tags`;
    expect((await titles(`${tags}?format=atom`)).toSorted()).toEqual(['v1', 'v2']);
    expect((await read(`${tags}.atom`)).body).toContain('<summary>About v2</summary>');
    const releases = await read(`/${project.fullPath}/-/releases.atom`);
    expect(releases.body).toContain('<title>The first</title>');
    expect(releases.body).toContain(`<link href="${app.url}/${project.fullPath}/-/releases/v1"/>`);
    expect(releases.body).toContain('<summary>It **works**</summary>');
  });

  it('are for those who read the code', async () => {
    for (const at of ['commits/main.atom', 'tags.atom', 'releases.atom'])
      expect((await read(`/${project.fullPath}/-/${at}`, null)).status, at).toBe(404);
    const { id } = project;
    const json = { repository_access_level: 'private', visibility: 'private' };
    await app.api('PUT', `/projects/${id}`, { token: owner.secret, json });
    const stranger = await buildToken(app);
    expect((await read(`/${project.fullPath}/-/commits/main.atom`, stranger)).status).toBe(404);
    expect((await read(`/${project.fullPath}/-/commits/main.atom`, guest)).status).toBe(404);
  });
});
