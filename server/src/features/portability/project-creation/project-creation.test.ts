/** New projects from templates: those of the product, and projects that are kept as ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';
import { projectTemplates } from './project-templates.data.ts';

let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
});
afterAll(() => app.close());

const create = (json: Json, token = owner) =>
  app.api<Json>('POST', '/projects', { token: token.secret, json: { name: unique('made'), ...json } });
const files = async (id: unknown, token = owner) => {
  const query = { recursive: 'true', per_page: '100' };
  const { body } = await app.api<Json[]>('GET', `/projects/${id}/repository/tree`, { token: token.secret, query });
  return body.filter(({ type }) => type === 'blob').map(({ path }) => path);
};

describe('templates of the product', () => {
  it('are listed for anybody, and are what the first commit holds, with a pipeline that is valid', async () => {
    const list = await app.api<Json[]>('GET', '/templates/projects');
    expect(list.body.map(({ key }) => key)).toEqual(['plainhtml', 'node', 'python', 'go', 'rust']);
    for (const template of projectTemplates) {
      const made = await create({ template_name: template.name });
      expect([template.name, made.status]).toEqual([template.name, 201]);
      expect(made.body.empty_repo).toBe(false);
      expect((await files(made.body.id)).sort()).toEqual(Object.keys(template.files).sort());
      const json = { content: template.files['.gitlab-ci.yml'] };
      const lint = await app.api<Json>('POST', `/projects/${made.body.id}/ci/lint`, { token: owner.secret, json });
      expect([template.name, lint.body.errors, lint.body.warnings]).toEqual([template.name, [], []]);
    }
  });

  it('unknown ones are refused, and nothing is made', async () => {
    const name = unique('made');
    const answer = await create({ name, template_name: 'cobol' });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: { template_name: ["'cobol' is unknown or invalid"] } },
    });
    expect((await create({ name })).status).toBe(201);
    expect((await app.api('POST', '/projects', { json: { name, template_name: 'go' } })).status).toBe(401);
  });
});

/** It may have begun already. */
const copying = expect.stringMatching(/^(scheduled|started|finished)$/);

describe('projects kept as templates', () => {
  it('of a group are copied for who may read them; of other groups and of strangers they are unknown', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const patterns = await buildGroup(app, { owner: owner.user, parent: group });
    const settings = { namespace_id: patterns.id, path: unique('pattern'), description: 'A pattern' };
    const kept = await buildRepositoryProject(app, { owner, settings, files: { 'a.txt': 'a', 'b/c.txt': 'c' } });
    const { path } = await kept.row();
    const wanted = { use_custom_template: true, template_name: path, group_with_project_templates_id: group.id };
    const unknown = { status: 400, body: { message: { template_name: [`'${path}' is unknown or invalid`] } } };
    expect(await create(wanted)).toMatchObject(unknown);
    const put = (id: number, value: number | null) =>
      app.api<Json>('PUT', `/groups/${id}`, {
        token: owner.secret,
        json: { custom_project_templates_group_id: value },
      });
    expect((await put(group.id, patterns.id)).body.custom_project_templates_group_id).toBe(patterns.id);
    const made = await create(wanted);
    expect(made).toMatchObject({ status: 201, body: { import_status: copying, description: 'A pattern' } });
    expect(made.body).not.toHaveProperty('forked_from_project');
    await eventually('the copy', async () => {
      const { body } = await app.api<Json>('GET', `/projects/${made.body.id}`, { token: owner.secret });
      return body.import_status === 'finished';
    });
    expect(await files(made.body.id)).toEqual(['a.txt', 'b/c.txt']);
    const byId = { use_custom_template: true, template_project_id: kept.id, group_with_project_templates_id: group.id };
    expect((await create(byId)).status).toBe(201);
    expect((await create({ use_custom_template: true })).status).toBe(400);

    // security 17: a group names only what it holds, and nobody copies what they may not read.
    const stranger = await buildToken(app);
    expect(await create(wanted, stranger)).toMatchObject(unknown);
    const other = await buildGroup(app, { owner: stranger.user });
    await app.api('PUT', `/groups/${other.id}`, {
      token: stranger.secret,
      json: { custom_project_templates_group_id: patterns.id },
    });
    expect(await create({ ...wanted, group_with_project_templates_id: other.id }, stranger)).toMatchObject(unknown);
    const secret = await buildRepositoryProject(app, { owner: stranger });
    const elsewhere = await create({ ...byId, template_project_id: secret.id });
    expect(elsewhere.body).toEqual({ message: { template_project_id: [`'${secret.id}' is unknown or invalid`] } });
  });

  it('of the instance are copied too', async () => {
    const admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
    const patterns = await buildGroup(app, { owner: owner.user });
    const kept = await buildRepositoryProject(app, { owner, settings: { namespace_id: patterns.id } });
    const set = (value: number | null) =>
      app.api('PUT', '/application/settings', {
        token: admin.secret,
        json: { custom_project_templates_group_id: value },
      });
    await set(patterns.id);
    const made = await create({ use_custom_template: true, template_project_id: kept.id, visibility: 'public' });
    expect(made).toMatchObject({ status: 201, body: { import_status: copying, visibility: 'public' } });
    await set(null);
  });
});
