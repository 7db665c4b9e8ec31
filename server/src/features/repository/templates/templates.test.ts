/** Templates of files over HTTP: those of the product, of groups, of the instance and of projects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';
import { ciTemplates } from './ci.data.ts';

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
  owner = await buildToken(app);
});
afterAll(() => app.close());

const get = <T = Json>(path: string, token: BuiltToken | null = null, query: Record<string, string> = {}) =>
  app.api<T>('GET', path, token ? { token: token.secret, query } : { query });
const names = async (path: string, token: BuiltToken | null = null): Promise<string[]> => {
  const { body } = await get<Json[]>(path, token, { per_page: '100' });
  return body.map(({ key }) => String(key));
};

describe('templates of the product', () => {
  it('are listed and read by anybody', async () => {
    for (const [kind, name, text] of [
      ['dockerfiles', 'Node', 'FROM node'],
      ['gitignores', 'Python', '__pycache__/'],
      ['gitlab_ci_ymls', 'Nodejs', 'npm test'],
    ] as const) {
      expect(await names(`/templates/${kind}`)).toContain(name);
      const one = await get(`/templates/${kind}/${name}`);
      expect(one.body).toEqual({ name, content: expect.stringContaining(text) });
      expect((await get(`/templates/${kind}/Nothing`)).status).toBe(404);
    }
    expect((await get(`/templates/gitignores/${encodeURIComponent('C++')}`)).status).toBe(200);
    expect((await app.api('GET', '/templates/gitignores', { token: 'wrong' })).status).toBe(401);
    expect((await get('/templates/others')).status).toBe(404);
  });

  it('licences tell what they allow, and are filled in', async () => {
    const popular = await get<Json[]>('/templates/licenses', null, { popular: 'true' });
    expect(popular.body.map(({ key }) => key)).toEqual(['apache-2.0', 'gpl-3.0', 'mit']);
    const all = await get<Json[]>('/templates/licenses', null, { per_page: '100' });
    for (const { key, content } of all.body) expect([key, String(content).length > 400]).toEqual([key, true]);
    expect((await get('/templates/licenses', null, { popular: 'perhaps' })).status).toBe(400);
    const year = new Date().getFullYear();
    const mit = await get('/templates/licenses/MIT', null, { fullname: 'Ada $& Co' });
    expect(mit.body).toMatchObject({
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      popular: true,
      html_url: 'https://choosealicense.com/licenses/mit/',
      conditions: ['include-copyright'],
      permissions: ['commercial-use', 'modifications', 'distribution', 'private-use'],
      limitations: ['liability', 'warranty'],
      content: expect.stringContaining(`Copyright (c) ${year} Ada $& Co\n`),
    });
    for (const key of ['isc', '0bsd', 'bsd-2-clause', 'bsd-3-clause', 'apache-2.0']) {
      const { body } = await get(`/templates/licenses/${key}`, owner);
      expect([key, body.content]).toEqual([key, expect.stringMatching(`${year} (by )?${owner.user.name}`)]);
    }
    const gpl = await get('/templates/licenses/gpl-3.0', null, { project: 'Engine', fullname: 'Ada' });
    expect(gpl.body.nickname).toBe('GNU GPLv3');
    expect(gpl.body.content).toMatch(new RegExp(`Copyright \\(C\\) ${year} +Ada`));
    expect(gpl.body.content).toContain('Engine');
    expect((await get('/templates/licenses/own')).body).toEqual({ message: '404 License Not Found' });
  });

  it('pipelines are valid', async () => {
    const { id } = await buildRepositoryProject(app, { owner });
    for (const [name, content] of Object.entries(ciTemplates)) {
      const json = { content };
      const { body } = await app.api<Json>('POST', `/projects/${id}/ci/lint`, { token: owner.secret, json });
      expect([name, body.errors, body.warnings]).toEqual([name, [], []]);
    }
  });
});

describe('templates of projects', () => {
  it('come from the project, the groups above and the instance, the nearest first', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const below = await buildGroup(app, { owner: owner.user, parent: group });
    const place = (id: number) => ({ owner, settings: { namespace_id: id } });
    const file = (directory: string, name: string, text: string) => ({ [`${directory}/${name}`]: text });
    const kept = await buildRepositoryProject(app, {
      ...place(group.id),
      files: {
        ...file('gitignore', 'House.gitignore', 'group\n'),
        ...file('LICENSE', 'House.txt', 'Copyright {year} [fullname]\n'),
        ...file('.gitlab/issue_templates', 'Bug.md', 'group bug\n'),
        ...file('.gitlab/issue_templates', 'Idea.md', 'group idea\n'),
        ...file('.gitlab/issue_templates', 'notes.txt', 'x'),
      },
    });
    const project = await buildRepositoryProject(app, {
      ...place(below.id),
      files: {
        ...file('.gitlab/issue_templates', 'Bug.md', 'own bug\n'),
        ...file('.gitlab/merge_request_templates', 'Default.md', 'what and why\n'),
      },
    });
    const of = (kind: string) => `/projects/${project.id}/templates/${kind}`;
    expect(await names(of('issues'), owner)).toEqual(['Bug']);
    const put = (id: number, json: Json, token = owner) =>
      app.api('PUT', `/groups/${id}`, { token: token.secret, json });
    expect((await put(group.id, { file_template_project_id: kept.id })).status).toBe(200);
    expect(await names(of('issues'), owner)).toEqual(['Bug', 'Idea']);
    expect((await get(`${of('issues')}/Bug`, owner)).body).toEqual({ name: 'Bug', content: 'own bug\n' });
    const source = { source_template_project_id: String(kept.id) };
    expect((await get(`${of('issues')}/Bug`, owner, source)).body.content).toBe('group bug\n');
    expect((await get(`${of('merge_requests')}/Default`, owner)).body.content).toBe('what and why\n');
    expect((await names(of('gitignores'), owner))[0]).toBe('House');
    expect(await names(of('gitignores'), owner)).toContain('Go');
    const license = await get(`${of('licenses')}/House`, owner, { fullname: 'Ada' });
    expect(license.body).toMatchObject({ key: 'House', popular: false, html_url: null, conditions: [] });
    expect(license.body.content).toBe(`Copyright ${new Date().getFullYear()} Ada\n`);
    expect((await get(`${of('licenses')}/mit`, owner)).body.name).toBe('MIT License');

    // A project of somewhere else says nothing, whoever names it.
    const secret = await buildRepositoryProject(app, { files: file('gitignore', 'Secret.gitignore', 'x') });
    await put(group.id, { file_template_project_id: secret.id });
    expect(await names(of('gitignores'), owner)).not.toContain('Secret');

    const settings = (value: number | null) =>
      app.api('PUT', '/application/settings', { token: admin.secret, json: { file_template_project_id: value } });
    expect((await settings(secret.id)).status).toBe(200);
    expect(await names(of('gitignores'), owner)).toContain('Secret');
    expect((await get('/templates/gitignores/Secret')).body).toEqual({ name: 'Secret', content: 'x' });
    await settings(null);
  });

  it('security 17: are for who sees the project, and what people write into forms for who reads the code', async () => {
    const project = await buildRepositoryProject(app, { owner });
    const guest = await project.member(10);
    const stranger = await buildToken(app);
    const status = async (kind: string, token: BuiltToken | null) =>
      (await get(`/projects/${project.id}/templates/${kind}`, token)).status;
    expect(await status('licenses', guest)).toBe(200);
    expect(await status('issues', guest)).toBe(403);
    expect(await status('issues', owner)).toBe(200);
    expect(await status('licenses', stranger)).toBe(404);
    expect(await status('licenses', null)).toBe(404);
    expect(await status('others', owner)).toBe(400);
    expect((await get(`/projects/${project.id}/templates/issues/${unique('x')}`, owner)).body).toEqual({
      message: '404 Template Not Found',
    });
  });
});
