/** Changelogs over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildGroup, buildMember, buildUser } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
let base: string;
const ids: Record<string, string> = {};
const changelog = '/repository/changelog';
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  base = `${app.url}/${project.fullPath}/-`;
  await project.api('POST', '/repository/tags', { json: { tag_name: 'v1.0.0', ref: 'main' } });
  const commit = async (name: string, message: string, more: Json = {}) => {
    ids[name] = await project.commit('main', { [`${name}.txt`]: name }, { commit_message: message, ...more });
  };
  await commit('added', 'Add a thing\n\nWith words.\n\nChangelog: added\nIssue: 7');
  await commit('none', 'Nothing for readers');
  const outsider = await buildUser(app);
  await commit('fixed', 'Fix it\n\nChangelog: fixed', { author_email: outsider.email, author_name: outsider.name });
  ids.outsider = outsider.username;
  await commit('undone', 'Add what was wrong\n\nChangelog: added');
  await commit('revert', `Revert it\n\nThis reverts commit ${ids.undone}.`);
  await project.api('POST', '/repository/tags', { json: { tag_name: 'v2.0.0-rc1', ref: 'main' } });
});
afterAll(() => app.close());

const notes = async (query: Json, token?: string | null) => {
  const { status, body } = await project.api('GET', changelog, { query, ...(token === undefined ? {} : { token }) });
  return [status, body.notes ?? body.message ?? body.error];
};

describe('GET', () => {
  it('from the release before to the tip: by category, without what was undone', async () => {
    const text = [
      '## 2.0.0 (2026-01-02)',
      '',
      '### fixed (1 change)',
      '',
      `- [Fix it](${base}/commit/${ids.fixed}) by @${ids.outsider}`,
      '',
      '### added (1 change)',
      '',
      `- [Add a thing](${base}/commit/${ids.added})`,
      '',
    ].join('\n');
    expect(await notes({ version: '2.0.0', date: '2026-01-02' })).toEqual([200, text]);
    const one = await notes({ version: '2.0.0', from: ids.none, to: ids.fixed });
    expect(one[1]).toContain('Fix it');
    expect(one[1]).not.toContain('Add a thing');
    expect((await notes({ version: '2.0.0', trailer: 'Issue' }))[1]).toContain('### 7 (1 change)');
    for (const trailer of ['Other', 'changelog', 'constructor', '__proto__'])
      expect((await notes({ version: '2.0.0', trailer }))[1], trailer).toContain('No changes.');
    expect((await notes({ version: '2.0.0', from: ids.undone }))[1]).toContain('No changes.');
    // A revert that is itself told does not bring back what it undid.
    expect((await notes({ version: '2.0.0', to: ids.undone }))[1]).toContain('Add what was wrong');
  });

  it('[1/errors/13] says what is missing', async () => {
    const none =
      'Failed to generate the changelog: The commit start range is unspecified, and no previous tag could be found to use instead';
    expect(await notes({ version: '1.0.0' })).toEqual([422, none]);
    expect(await notes({ version: '2.0.0', to: 'nothing' })).toEqual([
      422,
      'Failed to generate the changelog: nothing is no commit',
    ]);
    expect(await notes({ version: '2.0.0', from: '--all' })).toMatchObject([422, expect.stringContaining('--all')]);
    expect(await notes({})).toEqual([400, 'version is missing']);
    expect((await notes({ version: 'two' }))[0]).toBe(400);
    expect((await notes({ version: '2.0.0' }, null))[0]).toBe(404);
    expect((await notes({ version: '2.0.0' }, (await project.member(10)).secret))[0]).toBe(403);
    expect((await notes({ version: '2.0.0' }, (await project.member(20)).secret))[0]).toBe(200);
    const empty = await buildRepositoryProject(app, { files: null });
    expect((await empty.api('GET', changelog, { query: { version: '1.0.0' } })).status).toBe(422);
  });

  it('as the configuration says: categories, template, tags, dates, groups that are thanked', async () => {
    const inside = await buildUser(app);
    const group = await buildGroup(app, { visibility: 'public' });
    await buildMember(app, { of: group, user: inside, level: 20 });
    await buildMember(app, { of: await project.row(), user: inside, level: 30 });
    const config = [
      'categories: {added: New, fixed: Mended}',
      'date_format: "%d %B %Y"',
      "tag_regex: '^rel-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$'",
      `include_groups: [${group.full_path}, not/there]`,
      'template: |',
      '  {% each categories %}',
      '  {{ title }}: {{ count }}',
      '  {% each entries %}',
      '  * {{ title }}\\',
      '  {% if author.credit %} thanks {{ author.reference }}{% end %}\\',
      '  {% if commit.trailers.Issue %} #{{ commit.trailers.Issue }}{% end %}',
      '',
      '  {% end %}',
      '  {% end %}',
    ].join('\n');
    const start = { start_branch: 'main', author_email: inside.email };
    await project.commit(
      'config',
      { '.gitlab/changelog_config.yml': config },
      { ...start, commit_message: 'Set up\n\nChangelog: added' },
    );
    const query = { version: '2.0.0', date: '2026-01-02', config_file_ref: 'config', to: 'config' };
    expect((await notes(query))[0]).toBe(422);
    await project.api('POST', '/repository/tags', { json: { tag_name: 'rel-1.0.0', ref: 'v1.0.0' } });
    const text = `New: 2\n* Set up thanks @${inside.username}\n* Add a thing #7\nMended: 1\n* Fix it thanks @${ids.outsider}\n`;
    expect(await notes(query)).toEqual([200, `## 2.0.0 (02 January 2026)\n\n${text}`]);
    await project.commit('config', { 'bad.yml': 'template: "{% if %}"' });
    const bad = await notes({ ...query, config_file: 'bad.yml' });
    expect(bad).toMatchObject([422, expect.stringContaining('the template is invalid')]);
    expect((await notes({ ...query, config_file: 'none.yml' }))[1]).toContain('### added (2 changes)');
  });
});

describe('POST', () => {
  it('puts sections into the file, each in its place', async () => {
    const post = (json: Json, token?: string) => project.api('POST', changelog, { json, ...(token ? { token } : {}) });
    await project.api('POST', '/repository/branches', { json: { branch: 'next', ref: 'main' } });
    const made = await post({ version: '2.0.0', date: '2026-01-02', branch: 'next' });
    expect([made.status, made.body]).toEqual([200, null]);
    const head = (await project.api('GET', '/repository/commits/next')).body;
    expect(head).toMatchObject({ title: 'Add changelog for version 2.0.0', author_name: project.owner.user.name });
    const developer = (await project.member(30)).secret;
    const more = { version: '1.5.0', from: 'v1.0.0', to: ids.added, branch: 'next', message: 'Older' };
    expect((await post(more, developer)).status).toBe(200);
    const text = (await project.api<string>('GET', '/repository/files/CHANGELOG.md/raw', { query: { ref: 'next' } }))
      .body;
    expect([...text.matchAll(/^## (\S+)/gm)].map(([, version]) => version)).toEqual(['2.0.0', '1.5.0']);
    expect((await post({ ...more, file: 'NEWS/a.md' })).status).toBe(200);
    expect((await project.api('GET', '/repository/files/NEWS%2Fa.md', { query: { ref: 'next' } })).status).toBe(200);
    const kept = await post({ version: '2.0.0' }, developer);
    expect([kept.status, kept.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to commit a changelog on this branch',
    ]);
    expect((await post({ version: '2.0.0', branch: 'nothing' })).status).toBe(422);
    expect((await post({ version: '2.0.0', branch: 'next', file: '../x' })).status).toBe(400);
    expect((await post({ version: '2.0.0' }, (await project.member(20)).secret)).status).toBe(403);
  });

  it('names the merge request that brought a commit', async () => {
    await project.commit(
      'topic',
      { 'topic.txt': 'x' },
      { start_branch: 'main', commit_message: 'Topic\n\nChangelog: added' },
    );
    const { iid } = (
      await project.api('POST', '/merge_requests', {
        json: { source_branch: 'topic', target_branch: 'main', title: 'Topic' },
      })
    ).body;
    expect((await project.api('PUT', `/merge_requests/${iid}/merge`)).status).toBe(200);
    const [, text] = await notes({ version: '2.0.0' });
    expect(text).toContain(`([merge request](${base}/merge_requests/${iid}))`);
  });
});
