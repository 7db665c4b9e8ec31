/** Every text that a page shows comes rendered from the API: with its links, for the one who reads it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
let hidden: RepositoryProject;
let sha = '';
/** Names what is here, and what only its author may see. */
let text = '';
const html = { render_html: true };

beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { visibility: 'public' });
  hidden = await buildRepositoryProject(app, { owner: project.owner });
  for (const each of [project, hidden]) {
    await each.commit('change', { 'new.txt': 'new\n' }, { start_branch: 'main' });
    const json = {
      source_branch: 'change',
      target_branch: 'main',
      title: 'A *new* <nib> :tada:',
      description: '[a](docs/a.md)',
    };
    expect((await each.api('POST', '/merge_requests', { json })).status).toBe(201);
  }
  sha = (await project.api<{ commit: { id: string } }>('GET', '/repository/branches/change')).body.commit.id;
  text = `**See** !1, ${sha.slice(0, 12)}, @${project.owner.user.username} and ${hidden.fullPath}!1, not !99.`;
});
afterAll(() => app.close());

/** What the text is for a reader who sees the hidden project, or not. */
function expectRendered(rendered: unknown, sees: boolean): void {
  const shown = String(rendered);
  expect(shown).toContain('<strong>See</strong>');
  expect(shown).toContain(
    `<a href="/${project.fullPath}/-/merge_requests/1" title="A *new* &lt;nib&gt; :tada:" class="gfm gfm-merge_request" data-reference-type="merge_request">!1</a>`,
  );
  expect(shown).toContain(`<a href="/${project.fullPath}/-/commit/${sha}" title="`);
  // People read the beginning of a hash.
  expect(shown).toContain(`>${sha.slice(0, 8)}</a>, `);
  expect(shown).toContain(`<a href="/${project.owner.user.username}" title="`);
  expect(shown).toContain('not !99');
  expect(shown.includes(`href="/${hidden.fullPath}/-/merge_requests/1"`)).toBe(sees);
}

describe('rendered texts', () => {
  it('of files', async () => {
    await project.commit('main', { 'docs/a.md': `${text}\n\n![i](i.png) [up](../README.md)`, 'docs/a.txt': text });
    const file = (path: string, query: Record<string, unknown>, token?: null) =>
      project.api<{ html?: string | null }>('GET', `/repository/files/${encodeURIComponent(path)}`, {
        query: { ref: 'main', ...query },
        ...(token === null ? { token } : {}),
      });
    const own = (await file('docs/a.md', html)).body.html;
    expectRendered(own, true);
    expect(own).toContain(`src="/${project.fullPath}/-/raw/main/docs/i.png"`);
    expect(own).toContain(`href="/${project.fullPath}/-/blob/main/README.md"`);
    expectRendered((await file('docs/a.md', html, null)).body.html, false);
    expect((await file('docs/a.txt', html)).body.html).toBeNull();
    expect((await file('docs/a.md', {})).body).not.toHaveProperty('html');
  });

  it('of merge requests, with their titles', async () => {
    await project.api('PUT', '/merge_requests/1', { json: { description: `${text} [a](docs/a.md)` } });
    const get = (query: Record<string, unknown>, token?: null) =>
      project.api('GET', '/merge_requests/1', { query, ...(token === null ? { token } : {}) });
    const { body } = await get(html);
    expectRendered(body.description_html, true);
    expect(body.description_html).toContain(`href="/${project.fullPath}/-/blob/main/docs/a.md"`);
    expect(body.title_html).toBe('A *new* &lt;nib&gt; 🎉');
    expectRendered((await get(html, null)).body.description_html, false);
    expect((await get({})).body).not.toHaveProperty('description_html');
  });

  it('of comments, releases, milestones and pages of wikis', async () => {
    const discussions = `/repository/commits/${sha}/discussions`;
    await project.api('POST', discussions, { json: { body: text } });
    const threads = await project.api<{ notes: { body_html?: string }[] }[]>('GET', discussions, { query: html });
    expectRendered(threads.body[0]?.notes[0]?.body_html, true);
    expect((await project.api<{ notes: object[] }[]>('GET', discussions)).body[0]?.notes[0]).not.toHaveProperty(
      'body_html',
    );

    await project.api('POST', '/releases', { json: { tag_name: 'v1', ref: 'main', description: text } });
    const release = await project.api('GET', '/releases/v1', { query: { include_html_description: true } });
    expectRendered(release.body.description_html, true);

    const made = await project.api('POST', '/milestones', { json: { title: 'One', description: text } });
    const milestone = await project.api('GET', `/milestones/${made.body.id}`, { query: html });
    expectRendered(milestone.body.description_html, true);
    const listed = await project.api<{ description_html?: string }[]>('GET', '/milestones', { query: html });
    expectRendered(listed.body[0]?.description_html, true);
    expect((await project.api('GET', `/milestones/${made.body.id}`)).body).not.toHaveProperty('description_html');

    const content = `---\ntitle: x\n---\n${text} [next](next)\n\n<script>alert(1)</script>`;
    await project.api('POST', '/wikis', { json: { title: 'home', content } });
    const page = await project.api('GET', '/wikis/home', { query: html });
    expectRendered(page.body.content, true);
    expect(page.body.content).toContain(`href="/${project.fullPath}/-/wikis/next"`);
    expect(page.body.content).not.toMatch(/script|title: x/);
    await project.api('POST', '/wikis', { json: { title: 'other', content: '<b>x</b>', format: 'rdoc' } });
    expect((await project.api('GET', '/wikis/other', { query: html })).body.content).toBe(
      '<pre>&lt;b&gt;x&lt;/b&gt;</pre>',
    );
  });

  it('security 17: a reference names nothing of a repository that its reader may not read', async () => {
    const stranger = await buildToken(app);
    const only = await buildRepositoryProject(app, {
      owner: project.owner,
      visibility: 'public',
      settings: { repository_access_level: 'private', merge_requests_access_level: 'private' },
    });
    const head = (await only.api<{ commit: { id: string } }>('GET', '/repository/branches/main')).body.commit.id;
    const named = `${only.fullPath}@${head.slice(0, 12)}`;
    const rendered = (token: string) =>
      app.api<{ html: string }>('POST', '/markdown', { token, json: { text: named, gfm: true } });
    expect((await rendered(project.owner.secret)).body.html).toContain('/-/commit/');
    expect((await rendered(stranger.secret)).body.html).toBe(`<p>${named}</p>\n`);
  });
});
