/** The status table of the API: every code out of a real path, with its body; and what holds for all routes at once. */
import pg from 'pg';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildMember, buildProject, buildToken } from '../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../test/repositories.ts';
import { stopClock } from '../test/windows.ts';
import { createPool } from './kernel/db/index.ts';
import { Entity, Text } from './kernel/http/entity.ts';
import { Str } from './kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from './kernel/http/route.ts';

let app: TestApp;
let admin: BuiltToken;
let repository: RepositoryProject;

/** Ways in which the database fails, by name. */
const outages: Record<string, () => Promise<unknown>> = {};
const open = { tag: 'test', credentials: [], access: { on: 'public' } } as const;
const routes: Route[] = [
  route({
    ...open,
    method: 'GET',
    path: '/test/outage/:name',
    summary: 'Asks a database that fails',
    params: Type.Object({ name: Str() }),
    responses: { 200: Entity('TestOutage', { name: Text() }) },
    handler: async ({ params }) => {
      await outages[params.name]?.();
      return params;
    },
  }),
  route({
    ...open,
    method: 'POST',
    path: '/test/toggle',
    summary: 'Changes nothing',
    params: Type.Object({}),
    responses: { 201: Empty, 304: Empty },
    handler: async () => answer(304),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/test/undeclared',
    summary: 'Refuses with what it does not declare',
    params: Type.Object({}),
    responses: { 201: Empty },
    handler: async () => {
      const { unprocessable } = await import('./kernel/http/errors.ts');
      throw unprocessable('not declared');
    },
  }),
  ...['/test/deleted', '/test/deleted/:id'].map((path) =>
    route({
      ...open,
      credentials: ['token'],
      method: 'POST',
      path,
      summary: 'Refers to somebody who is deleted meanwhile',
      params: Type.Object(path.endsWith(':id') ? { id: Str() } : {}),
      responses: { 201: Empty },
      handler: async () => {
        await outages.deleted?.();
      },
    }),
  ),
];

beforeAll(async () => {
  app = await startTestApp({ features: [{ routes }] });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  repository = await buildRepositoryProject(app, { files: { 'a/ü.txt': 'hello\n', 'README.md': '# x\n' } });
  const slow = createPool({ ...app.database, max: 1, statementTimeout: 50 });
  const few = new pg.Pool({ ...app.database, max: 1, connectionTimeoutMillis: 1000 });
  const cut = createPool({ ...app.database, max: 1 });
  const deleted = 'insert into user_follows (follower_id, followee_id) values ($1, 0)';
  outages.deleted = () => few.query(deleted, [admin.user.id]);
  outages.refused = () => new pg.Pool({ ...app.database, host: '127.0.0.1', port: 1 }).query('select 1');
  outages.absent = () => new pg.Pool({ ...app.database, host: '/nowhere' }).query('select 1');
  outages.slow = () => slow.query('select pg_sleep(5)');
  outages.cut = () => cut.query('select pg_terminate_backend(pg_backend_pid())');
  outages.full = async () => {
    const held = await few.connect();
    try {
      await few.query('select 1');
    } finally {
      held.release();
    }
  };
  outages.end = async () => {
    await Promise.all([slow.end(), few.end(), cut.end()]);
  };
}, 600_000);
afterAll(async () => {
  await outages.end?.();
  await app.close();
});

const call = (method: Parameters<TestApp['api']>[0], target: string, parts: object = {}) =>
  app.api(method, target, { token: admin.secret, ...parts });

describe('the status table', () => {
  it('[1/errors/1] [1/what-the-service-does/8 200] 200: reads and changes answer the resource', async () => {
    const { id } = await buildProject(app);
    expect(await call('GET', `/projects/${id}`)).toMatchObject({ status: 200, body: { id } });
    const json = { description: 'new' };
    expect(await call('PUT', `/projects/${id}`, { json })).toMatchObject({ status: 200, body: { id, ...json } });
  });

  it('[1/errors/2] [1/what-the-service-does/8 201] 201: what was made is answered', async () => {
    expect(await call('POST', '/projects', { json: { name: 'Made' } })).toMatchObject({
      status: 201,
      body: { name: 'Made' },
    });
  });

  it('[1/errors/3] [1/what-the-service-does/8 202] 202: removal is scheduled', async () => {
    for (const url of [`/projects/${(await buildProject(app)).id}`, `/groups/${(await buildGroup(app)).id}`])
      expect(await call('DELETE', url)).toMatchObject({ status: 202, body: { message: '202 Accepted' } });
  });

  it('[1/errors/4] [1/what-the-service-does/8 204] 204: nothing is left to answer', async () => {
    const of = await buildProject(app);
    const { user } = await buildMember(app, { of, level: 20 });
    const done = await call('DELETE', `/projects/${of.id}/members/${user.id}`);
    expect([done.status, done.body, done.headers.get('content-type')]).toEqual([204, null, null]);
  });

  it('[1/errors/5 Location, 301] 301: a moved project is at its id when the instance says so', async () => {
    const project = await buildProject(app, { path: 'before' });
    const was = (await call('GET', `/projects/${project.id}`)).body as { path_with_namespace: string };
    await call('PUT', `/projects/${project.id}`, { json: { path: 'after' } });
    await call('POST', '/features/api_redirect_moved_projects', { json: { value: true } });
    const moved = await call('GET', `/projects/${encodeURIComponent(was.path_with_namespace)}`);
    await call('DELETE', '/features/api_redirect_moved_projects');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `${app.url}/api/v4/projects/${project.id}`]);
  });

  it('[1/errors/6] 304: not changed since it was read, and by a toggle', async () => {
    const { id } = await buildProject(app);
    const first = await call('GET', `/projects/${id}`);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[0-9a-f]{40}"$/);
    for (const header of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await call('GET', `/projects/${id}`, { headers: { 'If-None-Match': header } });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, null, etag]);
      expect(again.headers.get('cache-control')).toBe('max-age=0, private, must-revalidate');
      const head = await call('HEAD', `/projects/${id}`, { headers: { 'If-None-Match': header } });
      expect([head.status, head.headers.get('etag')]).toEqual([304, etag]);
    }
    expect((await call('GET', `/projects/${id}`, { headers: { 'If-None-Match': 'W/"other"' } })).status).toBe(200);
    await call('PUT', `/projects/${id}`, { json: { description: 'changed' } });
    const changed = await call('GET', `/projects/${id}`, { headers: { 'If-None-Match': etag } });
    expect([changed.status, changed.body]).toMatchObject([200, { description: 'changed' }]);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await call('POST', '/test/toggle')).toMatchObject({ status: 304, body: null });
  });

  it('304 for lists keeps the headers of the page; raw files and archives have tags of their content', async () => {
    const list = await call('GET', '/projects?per_page=1');
    const etag = list.headers.get('etag') ?? '';
    const again = await call('GET', '/projects?per_page=1', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.headers.get('link')]).toEqual([304, list.headers.get('link')]);
    for (const target of ['/repository/files/README.md/raw?ref=main', '/repository/archive.zip?sha=main']) {
      const url = `/projects/${repository.id}${target}`;
      const tag = (await call('GET', url)).headers.get('etag') ?? '';
      expect(tag).not.toBe('');
      const same = await call('GET', url, { headers: { 'If-None-Match': tag } });
      expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, null, tag]);
    }
  });

  it('[1/errors/7] [1/errors/25 400] 400: missing and invalid attributes, broken bodies', async () => {
    expect(await call('POST', '/features/x')).toMatchObject({ status: 400, body: { error: 'value is missing' } });
    expect(await call('GET', '/projects?visibility=secret')).toMatchObject({
      status: 400,
      body: { error: 'visibility does not have a valid value' },
    });
    expect(await call('POST', '/projects', { json: { name: 'x', path: '-x' } })).toMatchObject({
      status: 400,
      body: { message: { path: [expect.stringContaining('can contain only')] } },
    });
    const broken = { raw: '{', headers: { 'Content-Type': 'application/json' } };
    expect((await call('POST', '/projects', broken)).status).toBe(400);
  });

  it('[1/errors/8] [1/errors/18 message, 401] [1/authentication/7 message, 401] 401: no or bad credentials', async () => {
    for (const token of [undefined, 'glpat-nobody'])
      expect(await app.api('GET', '/user', { token })).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      });
  });

  it('[1/errors/9] [1/errors/10] 403 for who may see it and not do it, 404 for who may not see it', async () => {
    const { secret: token } = await buildToken(app);
    const url = async (visibility: 'public' | 'private') => `/projects/${(await buildProject(app, { visibility })).id}`;
    expect(await call('DELETE', await url('public'), { token })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    });
    const hidden = { status: 404, body: { message: '404 Project Not Found' } };
    expect(await call('DELETE', await url('private'), { token })).toMatchObject(hidden);
    expect(await call('GET', '/projects/999999', { token })).toMatchObject(hidden);
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
  });

  it('[1/errors/12] [1/errors/25 409] 409: it is there already', async () => {
    const of = await buildProject(app);
    const { user } = await buildMember(app, { of, level: 20 });
    const json = { user_id: user.id, access_level: 20 };
    expect(await call('POST', `/projects/${of.id}/members`, { json })).toMatchObject({
      status: 409,
      body: { message: 'Member already exists' },
    });
  });

  it('[1/errors/13 If-Unmodified-Since, 412] [1/errors/25 412] 412: it changed since', async () => {
    const headers = { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' };
    expect(await call('DELETE', `/groups/${(await buildGroup(app)).id}`, { headers })).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    });
  });

  it('413 names the limit and its value, 415 refuses what is no content type', async () => {
    const raw = JSON.stringify({ name: 'x'.repeat(10_500_000) });
    expect(await call('POST', '/projects', { raw, headers: { 'Content-Type': 'application/json' } })).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large - max_parameter_bytes is 10485760 bytes' },
    });
    expect(await call('POST', '/projects', { raw: 'x', headers: { 'Content-Type': 'nonsense' } })).toMatchObject({
      status: 415,
      body: { error: 'the content type is not supported' },
    });
  });

  it('[1/errors/14] [1/errors/25 422] 422: understood and not possible', async () => {
    const json = { name: ' ', scopes: ['api'] };
    expect(await call('POST', `/users/${admin.user.id}/personal_access_tokens`, { json })).toMatchObject({
      status: 422,
      body: { message: "Name can't be blank" },
    });
  });

  it('[1/errors/15] [1/errors/25 429] [1/limits.other-limits/7 429] 429: more requests than the limit allows', async () => {
    const { secret: token } = await buildToken(app);
    const { id } = await buildGroup(app, { visibility: 'public' });
    const { group_api_limit: usual } = await app.settings.read();
    stopClock();
    await app.settings.write({ group_api_limit: 1 });
    expect((await call('GET', `/groups/${id}`, { token })).status).toBe(200);
    const limited = await call('GET', `/groups/${id}`, { token });
    await app.settings.write({ group_api_limit: usual });
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('[1/errors/16] [1/errors/25 500] 500: a fault tells the id of its request, which the log has, and nothing else', async () => {
    await app.db.schema.alterTable('ci_variables').renameTo('ci_variables_away').execute();
    const got = await call('GET', '/admin/ci/variables');
    await app.db.schema.alterTable('ci_variables_away').renameTo('ci_variables').execute();
    const id = got.headers.get('x-request-id');
    expect(got.status).toBe(500);
    expect(got.body).toEqual({ message: '500 Internal Server Error', request_id: id });
    expect(got.headers.get('content-type')).toBe('application/json');
    const line = app.logs.find((each) => each.includes(`"request_id":"${id}"`) && each.includes('"level":"error"'));
    expect(line).toContain('ci_variables');
    expect((await call('GET', '/admin/ci/variables')).status).toBe(200);
  });

  it.each([
    ['refused', 'the database is not reachable'],
    ['absent', 'the database is not reachable'],
    ['cut', 'the database is not reachable'],
    ['full', 'the database is overloaded'],
    ['slow', 'the database is overloaded'],
  ])('[1/errors/17] [1/errors/25 503] 503: the database is %s', async (name, reason) => {
    const got = await call('GET', `/test/outage/${name}`);
    expect([got.status, got.body]).toEqual([503, { message: `503 Service Unavailable - ${reason}` }]);
    expect(Number(got.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('[1/errors/10] what is deleted while a request is at work is not found', async () => {
    const got = await call('POST', '/test/deleted/1', { token: admin.secret });
    expect([got.status, got.body]).toEqual([404, { message: '404 Not Found' }]);
    // Nothing is named but the caller.
    expect((await call('POST', '/test/deleted', { token: admin.secret })).status).toBe(401);
    expect(app.logs.some((line) => line.includes('deleted meanwhile'))).toBe(true);
  });

  it('a refusal that a route does not declare is a fault in tests', async () => {
    expect((await call('POST', '/test/undeclared')).status).toBe(500);
    expect(app.logs.at(-2) ?? '').toContain('refused with 422, which it does not declare');
  });
});

describe('all routes', () => {
  const filled = (each: Route) =>
    `/api/v4${each.path
      .replaceAll(/:([a-z_]+)/g, (_, name: string) =>
        name === 'id' && each.access.on === 'project'
          ? String(repository.id)
          : name === 'file_path'
            ? 'README.md'
            : '1',
      )
      .replace(/\*$/, 'README.md')}`;

  const patternOf = (each: Route) =>
    new RegExp(
      `^/api/v4${each.path
        .replaceAll('.', '\\.')
        .replaceAll(/:[a-z_]+/g, '[^/]+')
        .replace('*', '.*')}$`,
    );

  test('[1/errors/11] 405 with Allow: every path with the methods that it has not', async () => {
    const known = new Map<string, Set<string>>();
    for (const each of app.routes) {
      const methods = known.get(filled(each)) ?? new Set();
      known.set(filled(each), methods.add(each.method));
    }
    const wrong: string[] = [];
    let refused = 0;
    for (const [url, methods] of known)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        if (methods.has(method) || (method === 'HEAD' && methods.has('GET'))) continue;
        const got = await app.server.inject({ method, url, headers: { 'private-token': 'glpat-nobody' } });
        // Another pattern may have this method: `/tokens/self` is one of `/tokens/:id`.
        if (
          app.routes.some(
            (other) => other.method === (method === 'HEAD' ? 'GET' : method) && patternOf(other).test(url),
          )
        )
          continue;
        refused += 1;
        const allow = String(got.headers.allow ?? '').split(', ');
        const expected = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])];
        const fits =
          got.statusCode === 405 &&
          expected.every((each) => allow.includes(each)) &&
          !allow.includes(method) &&
          (method === 'HEAD' ? got.body === '' : got.body === '{"error":"405 Not Allowed"}');
        if (!fits) wrong.push(`${method} ${url}: ${got.statusCode} ${allow.join(',')} ${got.body.slice(0, 80)}`);
      }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(known.size * 2);
  }, 600_000);

  test('[1/what-the-service-does/8] HEAD is GET without its body, everywhere', async () => {
    const wrong: string[] = [];
    let found = 0;
    await app.settings.write({ project_repositories_archive_limit: 0, project_download_export_limit: 0 });
    const headers = { 'private-token': admin.secret };
    const queried = (url: string) => (url.includes('/files/') ? `${url}?ref=main` : url);
    // Their answers hold the time, or what there is to do at it: two of them are never the same.
    const timed = new Set([
      ...['/application/overview', '/projects/:id/value_stream', '/groups/:id/value_stream'],
      ...['queue_metrics', 'process_metrics', 'job_stats', 'compound_metrics'].map((name) => `/sidekiq/${name}`),
    ]);
    for (const each of app.routes) {
      if (each.method !== 'GET') continue;
      const url = queried(filled(each));
      const get = await app.server.inject({ method: 'GET', url, headers });
      const head = await app.server.inject({ method: 'HEAD', url, headers });
      if (get.statusCode === 200) found += 1;
      const content = timed.has(each.path) ? [] : ['content-length', 'etag'];
      const compared = ['content-type', 'content-disposition', 'link', 'x-total', 'allow', ...content];
      // A stream whose length is not known is sent in pieces, which HEAD has none of.
      const differs = compared.filter((name) => get.headers[name] !== head.headers[name]);
      if (get.statusCode !== head.statusCode || head.body !== '' || differs.length > 0)
        wrong.push(
          `${url}: ${get.statusCode} ${head.statusCode} ${differs.map((name) => `${name} ${String(get.headers[name])} ${String(head.headers[name])}`).join()}`,
        );
      if (
        get.statusCode === 200 &&
        !Object.values(each.responses).includes('binary') &&
        head.headers['content-type'] !== 'application/json'
      )
        wrong.push(`${url}: ${String(head.headers['content-type'])}`);
    }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(25);
  }, 600_000);
});

describe('security 23', () => {
  it('tokens in URLs are refused when the instance says so; headers go on', async () => {
    const { secret } = await buildToken(app);
    const refused = () =>
      Promise.all(
        ['private_token', 'access_token', 'job_token'].map((name) => app.api('GET', `/user?${name}=${secret}`)),
      );
    const statuses = async () => (await refused()).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 401]);
    await app.settings.write({ refuse_tokens_in_urls: true });
    for (const answered of await refused())
      expect(answered).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized - refuse_tokens_in_urls: send the token in a header' },
      });
    expect((await app.api('GET', '/user', { token: secret })).status).toBe(200);
    expect((await app.api('GET', '/user', { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(200);
    await app.settings.write({ refuse_tokens_in_urls: false });
    expect(await statuses()).toEqual([200, 200, 401]);
    await app.api('GET', `/nothing?private%5Ftoken=${secret}`);
    expect(app.logs.join('')).not.toContain(secret);
  });
});
