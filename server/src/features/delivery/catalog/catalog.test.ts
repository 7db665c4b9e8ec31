/** The catalogue of CI components over HTTP: who puts projects in, what publishes versions, and who sees what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const test = `spec:
  inputs:
    stage: {default: test, description: Where it runs, options: [test, check]}
    image:
---
"test of $[[ inputs.image ]]": {stage: $[[ inputs.stage ]], script: [make test]}
`;
type Files = Readonly<Record<string, string>>;
const files: Files = {
  'README.md': '# Parts\n',
  'templates/test.yml': test,
  'templates/deploy/template.yml': 'deploy: {script: [make deploy]}\n',
  'templates/deploy/Dockerfile': 'FROM scratch\n',
  'templates/deep/er/template.yml': 'no: {script: [x]}\n',
};
const catalog = '/catalog';
const anonymous = { token: null };

async function components(visibility: 'public' | 'private' = 'public', content: Files = files) {
  const settings = { description: 'Parts of pipelines' };
  return await buildRepositoryProject(world.app, { visibility, files: content, settings });
}
const change = (project: RepositoryProject, file_path: string, content: string) =>
  project.commit('main', [{ action: 'update', file_path, content }]);
const release = (project: RepositoryProject, tag: string, token?: string) =>
  project.api('POST', '/releases', { json: { tag_name: tag, ref: 'main' }, ...(token ? { token } : {}) });
const published = (project: RepositoryProject, version: string) =>
  eventually(`version ${version}`, async () => {
    const answer = await project.api('GET', `${catalog}/versions/${version}`);
    return answer.status === 200 && answer.body;
  });
const names = async (query: Record<string, string> = {}, token?: string) =>
  (await world.app.api<Json[]>('GET', '/catalog', { query, ...(token ? { token } : {}) })).body.map(
    ({ full_path }) => full_path,
  );

describe('a project of the catalog', () => {
  it('is put in and taken out by its owners, and shows why a release was not published', async () => {
    const project = await components();
    const maintainer = (await project.member(40)).secret;
    expect((await project.api('PUT', catalog, { token: maintainer })).status).toBe(403);
    expect(await project.api('GET', catalog)).toMatchObject({
      status: 200,
      body: { full_path: project.fullPath, created_at: null, latest_version: null },
    });
    const put = await project.api('PUT', catalog);
    expect(put).toMatchObject({
      status: 200,
      body: { full_path: project.fullPath, latest_version: null, problem: null },
    });
    expect((await project.api('PUT', catalog)).body).toMatchObject({ created_at: put.body.created_at });
    expect(await names({ search: 'Parts' })).not.toContain(project.fullPath);

    await change(project, 'templates/test.yml', 'spec: {inputs: {a: {type: odd}}}\n---\nx: {script: [y]}\n');
    expect((await release(project, '1.0.0')).status).toBe(201);
    const problem = await eventually('the problem', async () => (await project.api('GET', catalog)).body.problem);
    expect(problem).toMatch(/^1\.0\.0: templates\/test\.yml:1:\d+: header:spec:inputs:a type should be/);
    expect((await project.api('GET', catalog, anonymous)).body).not.toHaveProperty('problem');

    await change(project, 'templates/test.yml', test);
    await release(project, '1.0.1');
    await published(project, '1.0.1');
    expect((await project.api('GET', catalog)).body).toMatchObject({
      problem: null,
      latest_version: { version: '1.0.1' },
    });
    expect(await names({ search: project.fullPath.split('/').at(-1) ?? '' }, '')).toEqual([project.fullPath]);

    expect((await project.api('DELETE', catalog, { token: maintainer })).status).toBe(403);
    expect((await project.api('DELETE', catalog)).status).toBe(204);
    expect((await project.api('DELETE', catalog)).status).toBe(404);
    expect((await project.api('GET', `${catalog}/versions`)).status).toBe(404);
    await project.api('PUT', catalog);
    expect((await project.api('GET', catalog)).body.latest_version).toBeNull();
  });

  it('shows the components of each version with their inputs, the highest stable version first', async () => {
    const project = await components();
    await project.api('PUT', catalog);
    for (const tag of ['1.2.0', '1.10.0', '2.0.0-rc.1', 'nightly']) {
      await release(project, tag);
      if (tag !== 'nightly') await published(project, tag);
    }
    const versions = await project.api<Json[]>('GET', `${catalog}/versions`, anonymous);
    expect(versions.body.map(({ version }) => version)).toEqual(['1.10.0', '1.2.0', '2.0.0-rc.1']);
    const host = world.app.url.replace('http://', '');
    expect(versions.body[0]).toMatchObject({
      readme_path: 'README.md',
      commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      published_by: { id: expect.any(Number) },
      components: [
        {
          name: 'deploy',
          path: 'templates/deploy/template.yml',
          include: `${host}/${project.fullPath}/deploy@1.10.0`,
          inputs: [],
        },
        {
          name: 'test',
          inputs: [
            { name: 'stage', type: 'string', required: false, default: 'test', options: ['test', 'check'] },
            { name: 'image', type: 'string', required: true, default: null, options: null },
          ],
        },
      ],
    });
    const item = (await world.app.api<Json[]>('GET', '/catalog', { query: { search: 'deplo' } })).body;
    expect(item.find(({ id }) => id === project.id)).toMatchObject({
      latest_version: '1.10.0',
      components: ['deploy', 'test'],
      web_url: `${world.app.url}/explore/catalog/${project.fullPath}`,
    });
    // What is removed with its tag is no version any more, and what is released later is none yet.
    await project.api('DELETE', '/repository/tags/1.10.0');
    const later = new Date(Date.now() + 86_400_000).toISOString();
    await project.api('PUT', '/releases/1.2.0', { json: { released_at: later } });
    const left = await project.api<Json[]>('GET', `${catalog}/versions`);
    expect(left.body.map(({ version }) => version)).toEqual(['2.0.0-rc.1']);
  });

  it('is seen by those who may read its code alone', async () => {
    const hidden = await components('private');
    await hidden.api('PUT', catalog);
    await release(hidden, '1.0.0');
    await published(hidden, '1.0.0');
    const [guest, reporter] = [(await hidden.member(10)).secret, (await hidden.member(20)).secret];
    const stranger = (await world.account()).token;
    expect(await names({}, reporter)).toContain(hidden.fullPath);
    for (const token of [guest, stranger, '']) expect(await names({}, token)).not.toContain(hidden.fullPath);
    for (const path of [catalog, `${catalog}/versions`, `${catalog}/versions/1.0.0`]) {
      expect((await hidden.api('GET', path, { token: reporter })).status).toBe(200);
      expect((await hidden.api('GET', path, { token: guest })).status).toBe(403);
      expect((await hidden.api('GET', path, { token: stranger })).status).toBe(404);
    }
  });
});

describe('publishing a version that a client asks for', () => {
  const publish = (project: RepositoryProject, version: string, more: Json = {}, token?: string) =>
    project.api('POST', `${catalog}/publish`, { json: { version, ...more }, ...(token ? { token } : {}) });

  it('answers the page of the project once, also after the release has published it', async () => {
    const project = await components();
    await release(project, '0.9.0');
    expect(await publish(project, '0.9.0')).toMatchObject({
      status: 422,
      body: { message: 'Project is not a catalog resource' },
    });
    await project.api('PUT', catalog);
    const metadata = { components: [{ name: 'test', component_type: 'template', spec: { inputs: { any: null } } }] };
    const answer = await publish(project, '0.9.0', { metadata });
    const page = { catalog_url: `${world.app.url}/explore/catalog/${project.fullPath}` };
    expect(answer).toMatchObject({ status: 201, body: page });
    await release(project, '1.0.0');
    await published(project, '1.0.0');
    expect(await publish(project, '1.0.0', { metadata })).toMatchObject({ status: 201, body: page });
    for (const version of ['0.9.0', '1.0.0'])
      expect(await publish(project, version)).toMatchObject({
        status: 422,
        body: { message: 'Release has already been published' },
      });
    expect(await publish(project, '3.0.0')).toMatchObject({ status: 404, body: { message: '404 Not found' } });
  });

  it('is refused to others than the author, and for what the repository does not hold', async () => {
    const project = await components();
    const developer = (await project.member(30)).secret;
    const reporter = (await project.member(20)).secret;
    await release(project, '1.0.0', developer);
    await release(project, 'next');
    await project.api('PUT', catalog);
    expect((await publish(project, '1.0.0', {}, reporter)).status).toBe(403);
    expect(await publish(project, '1.0.0')).toMatchObject({
      status: 422,
      body: { message: 'Published by must be the same as the release author' },
    });
    expect(await publish(project, 'next')).toMatchObject({
      status: 422,
      body: { message: 'Tag next is not a semantic version' },
    });
    const wrong = { metadata: { components: [{ name: 'other' }] } };
    expect(await publish(project, '1.0.0', wrong, developer)).toMatchObject({
      status: 422,
      body: { message: 'Component other is not in the repository at 1.0.0' },
    });
    expect((await publish(project, '1.0.0', {}, developer)).status).toBe(201);
  });

  it.each([
    ['Project must have a README', { 'templates/a.yml': 'a: {script: [x]}\n' }],
    ['Project must contain components in its `templates` directory', { 'README.md': 'x', 'other.yml': 'x' }],
    ['templates/a.yml:1:1: is empty', { 'README.md': 'x', 'templates/a.yml': '' }],
    [
      'header:spec:include cannot be used in a component',
      {
        'README.md': 'x',
        'templates/a.yml': 'spec:\n  include: [{local: /i.yml}]\n---\na: {script: [x]}\n',
      },
    ],
    [
      'Release cannot contain more than 30 components',
      {
        'README.md': 'x',
        ...Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`templates/c${n}.yml`, 'a: {script: [x]}\n'])),
      },
    ],
  ])('says: %s', async (message, content) => {
    const project = await components('private', content);
    await project.api('PUT', catalog);
    await release(project, '1.0.0');
    const answer = await publish(project, '1.0.0');
    expect(answer.status).toBe(422);
    expect(String(answer.body.message)).toContain(message);
  });
});
