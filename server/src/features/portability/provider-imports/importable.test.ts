/** Lists of what can be imported, from servers that answer in the providers' public shapes. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken } from '../../../../test/factories.ts';
import { closeServed, type Reply, served } from '../../../../test/providers.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let person: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  person = await buildToken(app);
  await app.settings.write({ allow_local_requests_from_web_hooks_and_services: true, bulk_import_enabled: true });
});
afterEach(closeServed);
afterAll(() => app.close());

const list = (json: Json, token: string | null = person.secret) =>
  app.api<Json>('POST', '/import/repositories', { json, ...(token === null ? {} : { token }) });
const withToken = (authorization: string, path: string, body: (page: number) => unknown) =>
  served((asked): Reply => {
    if (asked.authorization !== authorization) return { status: 401, body: { message: 'Bad credentials' } };
    return asked.path === path ? { body: body(Number(asked.query.get('page') ?? 1)) } : null;
  });
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: from + at, name: `tool-${from + at}`, full_name: `ada/tool-${from + at}` },
    ...{ private: at % 2 === 0, description: at === 0 ? 'A tool' : null },
  }));

it('lists repositories of the hosted provider a page at a time', async () => {
  const { url } = await withToken('Bearer t', '/api/v3/user/repos', (page) => rows(page * 100, page === 1 ? 50 : 3));
  const query = { provider: 'github', url, personal_access_token: 't' };
  const first = await list(query);
  expect(first).toMatchObject({ status: 200, body: { next_page: 2 } });
  expect((first.body.items as Json[])[0]).toEqual({
    ...{ id: '100', name: 'tool-100', full_path: 'ada/tool-100', description: 'A tool', private: true },
  });
  const second = await list({ ...query, page: 2 });
  expect(second.body).toMatchObject({ next_page: null });
  expect((second.body.items as Json[]).map(({ id }) => id)).toEqual(['200', '201', '202']);
});

it('lists repositories of Gitea and of Bitbucket Server', async () => {
  const gitea = await withToken('token t', '/api/v1/user/repos', () => rows(1, 1));
  expect((await list({ provider: 'gitea', url: gitea.url, personal_access_token: 't' })).body).toMatchObject({
    items: [{ id: '1', full_path: 'ada/tool-1' }],
    next_page: null,
  });
  const server = await withToken(`Basic ${Buffer.from('ada:t').toString('base64')}`, '/rest/api/1.0/repos', () => ({
    values: [{ id: 9, slug: 'tool', name: 'Tool', project: { key: 'ADA' }, public: false }, { id: 10 }],
  }));
  const query = { provider: 'bitbucket_server', url: server.url, username: 'ada', personal_access_token: 't' };
  expect((await list(query)).body.items).toEqual([
    { id: '9', name: 'Tool', full_path: 'ADA/tool', description: null, private: true },
  ]);
});

it('lists groups and projects of another instance that the token may export', async () => {
  const there = await startTestApp();
  try {
    const owner = await buildToken(there);
    const group = await buildGroup(there, { owner: owner.user });
    await buildGroup(there, { visibility: 'public' });
    const project = await buildRepositoryProject(there, { owner });
    const query = { provider: 'gitlab', url: there.url, personal_access_token: owner.secret };
    const groups = (await list({ ...query, kind: 'groups' })).body.items as Json[];
    expect(groups).toMatchObject([{ id: String(group.id), full_path: group.path, private: true }]);
    const projects = (await list(query)).body.items as Json[];
    expect(projects).toMatchObject([{ id: String(project.id), full_path: project.fullPath }]);
  } finally {
    await there.close();
  }
});

it('refuses what is wrong: tokens, addresses, products that are not allowed, nobody', async () => {
  const { url } = await withToken('Bearer t', '/api/v3/user/repos', () => []);
  const query = { provider: 'github', url, personal_access_token: 'wrong' };
  expect(await list(query)).toMatchObject({
    status: 401,
    body: { message: 'Access denied to your GitHub account.' },
  });
  expect((await list({ ...query, url: 'ftp://x' })).status).toBe(400);
  expect((await list({ ...query, provider: 'gitea', url: undefined })).status).toBe(400);
  expect((await list({ ...query, provider: 'other' })).status).toBe(400);
  expect((await list({ ...query, personal_access_token: '' })).status).toBe(400);
  expect((await list(query, null)).status).toBe(401);
  await app.settings.write({ import_sources: ['gitea'], bulk_import_enabled: false });
  expect((await list(query)).status).toBe(403);
  expect((await list({ ...query, provider: 'gitlab' })).status).toBe(403);
  await app.settings.write({ import_sources: ['github', 'gitea', 'bitbucket_server'] });
});
