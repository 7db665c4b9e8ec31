/** Markdown that is rendered for clients: the same as the pages show. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildProject, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A private project of a user. */
async function projectOf(owner: User) {
  const project = await buildProject(app, { owner, default_branch: 'trunk' });
  return { path: `${owner.username}/${project.path}` };
}

const rendered = (token: string | undefined, json: object) =>
  app.api<{ html: string }>('POST', '/markdown', { token, json });

describe('POST /markdown', () => {
  it('renders plain Markdown, and with gfm what pages render', async () => {
    const { secret } = await buildToken(app);
    const text = 'Hello **world**! :tada:\n\n> [!NOTE]\n> x\n\n- [x] done';
    const plain = await rendered(secret, { text });
    expect([plain.status, plain.body]).toEqual([
      201,
      {
        html: '<p>Hello <strong>world</strong>! :tada:</p>\n<blockquote>\n<p>[!NOTE]\nx</p>\n</blockquote>\n<ul>\n<li><input type="checkbox" disabled checked=""> done</li>\n</ul>\n',
      },
    ]);
    const full = (await rendered(secret, { text, gfm: true })).body.html;
    expect(full).toContain('🎉');
    expect(full).toContain('markdown-alert-note');
    expect(full).toContain('class="task-list-item"');
  });

  it('needs a credential and a text', async () => {
    const { secret } = await buildToken(app);
    expect((await rendered(undefined, { text: 'x' })).status).toBe(401);
    expect((await rendered(secret, {})).status).toBe(400);
    expect((await rendered(secret, { text: ['x'] })).status).toBe(400);
    expect((await rendered(secret, { text: 'x', gfm: true, project: 'no/such' })).status).toBe(404);
  });

  it('links users, and files and uploads of the project, with whole addresses', async () => {
    const { user, secret } = await buildToken(app);
    const other = await buildUser(app, { name: 'Grace <H>' });
    const { path } = await projectOf(user);
    const text = `@${other.username} and @${unique('nobody')}: [a](docs/a.md) ![b](b.png)`;
    const { body } = await rendered(secret, { text, gfm: true, project: path });
    expect(body.html).toContain(
      `<a href="${app.url}/${other.username}" title="Grace &lt;H&gt;" class="gfm gfm-user" data-reference-type="user">@${other.username}</a> and @nobody`,
    );
    expect(body.html).toContain(`href="${app.url}/${path}/-/blob/trunk/docs/a.md"`);
    expect(body.html).toContain(`src="${app.url}/${path}/-/raw/`);
    const at = await rendered(secret, {
      text: '[a](../a.md)',
      gfm: true,
      project: path,
      ref: 'next',
      path: 'x/y/z.md',
    });
    expect(at.body.html).toContain(`href="${app.url}/${path}/-/blob/next/x/a.md"`);
  });

  it('security 17: a project that the caller may not see is not there', async () => {
    const { user } = await buildToken(app);
    const { path } = await projectOf(user);
    const stranger = await buildToken(app);
    expect((await rendered(stranger.secret, { text: 'x', gfm: true, project: path })).status).toBe(404);
  });

  it('images from elsewhere have signed addresses of this instance', async () => {
    const { secret } = await buildToken(app);
    const { body } = await rendered(secret, { text: '![b](https://shields.example/b.svg)', gfm: true });
    expect(body.html).toMatch(
      /^<p><img src="http:\/\/127\.0\.0\.1:\d+\/-\/images\/[\w-]{43}\/[\w-]+" alt="b" loading="lazy" data-canonical-src="https:\/\/shields\.example\/b\.svg"><\/p>\n$/,
    );
  });
});
