/** One version of the API, and its document. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildProject, buildToken } from '../../../test/factories.ts';
import { type OpenApi, operationsOf } from '../../../test/openapi.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('versions', () => {
  it('[1/versioning/1] [1/what-the-service-does/3] only version 4 is there, the one before says what to use', async () => {
    const { secret: token } = await buildToken(app);
    expect((await app.request('GET', '/api/v4/projects', { token })).status).toBe(200);
    for (const path of [
      '/api',
      '/api/',
      '/api/v4',
      '/api/v4/',
      '/api/v5/projects',
      '/api/v5',
      '/api/projects',
      '/api/v3',
    ]) {
      const answer = await app.request('GET', path, { token, headers: { accept: 'text/html' } });
      expect([path, answer.status, answer.headers.get('content-type'), answer.body]).toEqual([
        path,
        404,
        'application/json',
        { error: '404 Not Found' },
      ]);
    }
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const gone = await app.request(method, '/api/v3/projects/1', { token });
      expect([gone.status, gone.body]).toEqual([410, { error: 'API V3 is no longer supported. Use API V4 instead.' }]);
    }
  });

  it('[1/what-the-service-does/4] no path has a suffix for the format', async () => {
    const { secret: token, user } = await buildToken(app);
    const project = await buildProject(app, { owner: user });
    expect((await app.api('GET', `/projects/${project.id}`, { token })).status).toBe(200);
    for (const path of ['/projects.json', `/projects/${project.id}.json`, '/user.json', '/version.json'])
      expect([path, (await app.api('GET', path, { token })).status]).toEqual([path, 404]);
  });
});

describe('what is old', () => {
  it('[1/versioning/4 assignee, assignees, reference, references, epic_iid, iid, epic, approvers, approver_groups, approvals_before_merge, type, active, paused, status, scope, token, tag_list, topics, asset_proxy_whitelist, allow_local_requests_from_hooks_and_services, admin_notification_email] is there, marked as deprecated, and says what to use instead', async () => {
    const { body } = await app.request<OpenApi>('GET', '/api/v4/openapi.json');
    const field = (schema: string, name: string) => body.components.schemas[schema]?.properties?.[name];
    for (const [schema, name, instead] of [
      ['Project', 'tag_list', 'topics'],
      ['Issue', 'assignee', 'assignees'],
      ['Issue', 'epic_iid', 'epic'],
      ['Issue', 'reference', 'references'],
      ['MergeRequestApprovals', 'approvers', 'approval rules'],
      ['MergeRequestApprovals', 'approver_groups', 'approval rules'],
      ['Project', 'approvals_before_merge', 'approval rules'],
      ['MergeRequest', 'assignee', 'assignees'],
      ['MergeRequest', 'reference', 'references'],
      ['Runner', 'active', 'paused'],
      ['RunnerDetail', 'active', 'paused'],
      ['ApplicationSettings', 'asset_proxy_whitelist', 'asset_proxy_allowlist'],
      ['ApplicationSettings', 'admin_notification_email', 'abuse_notification_email'],
      [
        'ApplicationSettings',
        'allow_local_requests_from_hooks_and_services',
        'allow_local_requests_from_web_hooks_and_services',
      ],
    ] as const) {
      const { deprecated, description } = field(schema, name) ?? {};
      expect([schema, name, deprecated, description]).toEqual([schema, name, true, expect.stringContaining(instead)]);
    }
    const parameter = (path: string, name: string) =>
      body.paths[path]?.get?.parameters?.find((each) => each.name === name);
    for (const path of ['/runners', '/runners/all', '/projects/{id}/runners', '/groups/{id}/runners']) {
      expect(parameter(path, 'scope')).toMatchObject({
        deprecated: true,
        description: expect.stringContaining('type'),
      });
      expect(parameter(path, 'status')?.schema.enum).toEqual(expect.arrayContaining(['active', 'paused']));
      expect(parameter(path, 'status')?.description).toContain('deprecated');
    }
    expect(field('RunnerDetail', 'token')).toBeUndefined();
  });

  it('[1/versioning/2] [1/versioning/3] a parameter that this release does not know is ignored', async () => {
    const { secret: token } = await buildToken(app);
    const json = { name: 'Newer client', parameter_of_a_later_release: { any: ['thing'] } };
    expect((await app.api('POST', '/projects', { token, json })).status).toBe(201);
    const query = { parameter_of_a_later_release: 'x' };
    expect((await app.api('GET', '/projects', { token, query })).status).toBe(200);
  });

  it('[1/versioning/5] what later releases lack is marked as deprecated', async () => {
    const { secret: token, user } = await buildToken(app);
    const project = await buildProject(app, { owner: user });
    const answer = await app.api('GET', `/projects/${project.id}/approvals`, { token });
    expect(answer.status).toBe(200);
    const { body } = await app.request<OpenApi>('GET', '/api/v4/openapi.json');
    const routes = Object.entries(body.paths).find(([path]) =>
      /^(\/api\/v4)?\/projects\/\{id\}\/approvals$/.test(path),
    )?.[1];
    expect(Object.values(routes ?? {})).toMatchObject([{ deprecated: true }, { deprecated: true }]);
  });
});

describe('the document', () => {
  it('is served to everyone, whole, packed where that is accepted, and not again while it is the same', async () => {
    const plain = await fetch(`${app.url}/api/v4/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.status).toBe(200);
    expect(plain.headers.get('content-type')).toBe('application/json');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();
    const tag = plain.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[0-9a-f]{40}"$/);

    const packed = await app.server.inject({
      url: '/api/v4/openapi.json',
      headers: { 'accept-encoding': 'br;q=0, gzip' },
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.rawPayload.length).toBeLessThan(text.length / 5);
    expect(gunzipSync(packed.rawPayload).toString()).toBe(text);
    const refused = await app.server.inject({
      url: '/api/v4/openapi.json',
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    expect(refused.headers['content-encoding']).toBeUndefined();

    for (const value of [tag, tag.slice(2), `"other", ${tag}`]) {
      const same = await app.request('GET', '/api/v4/openapi.json', { headers: { 'if-none-match': value } });
      expect([value, same.status, same.body]).toEqual([value, 304, null]);
    }
    const other = await app.request('GET', '/api/v4/openapi.json', { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
    expect((await app.request('HEAD', '/api/v4/openapi.json')).status).toBe(200);
  });

  it('is of this version: it has the routes that are served, and an example of them', async () => {
    const { body } = await app.request<OpenApi>('GET', '/api/v4/openapi.json');
    const served = app.routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
    );
    expect(
      operationsOf(body)
        .map(({ at }) => at)
        .sort(),
    ).toEqual(served.sort());
    const project = body.paths['/projects/{id}']?.get?.responses['200']?.content?.['application/json'];
    expect(project?.example).toMatchObject({ web_url: expect.stringMatching(/^https:\/\/millrace\.example\.com\//) });
  });
});
