/** The edge over real HTTP: order of checks, answers, start with many routes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import pino from 'pino';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, ProjectSubject } from '../authz/subjects.ts';
import type { User } from '../db/rows.ts';
import { Entity, Id, ListOf, Nullable, Text, Timestamp } from './entity.ts';
import { notFound, unavailable } from './errors.ts';
import { createHeldBytes } from './held-bytes.ts';
import { methodsOfPath, mountRoutes } from './mount.ts';
import { mapPage, slicePage } from './pagination.ts';
import { Bool, FileParam, Int, Optional, Str } from './params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from './route.ts';
import { createHttpServer } from './server.ts';

const Thing = Entity('Thing', { id: Id(), name: Text(), at: Nullable(Timestamp()) });
const seen: string[] = [];

const open = { credentials: ['token', 'session'], tag: 'things' } as const;
const routes: Route[] = [
  route({
    ...open,
    method: 'GET',
    path: '/things/:id/parts',
    summary: 'List',
    access: { on: 'public' },
    params: Type.Object({ id: Str() }),
    pagination: 'offset',
    responses: { 200: ListOf(Thing) },
    handler: async ({ params, page }) => {
      seen.push(params.id);
      return mapPage(slicePage(page, [1, 2, 3]), (id) => ({ id, name: params.id, at: null, secret: 'never leaves' }));
    },
  }),
  route({
    ...open,
    method: 'POST',
    path: '/things',
    summary: 'Create',
    access: { on: 'instance', ability: 'signed_in' },
    params: Type.Object({ name: Str(), file: Optional(FileParam()) }),
    responses: { 201: Thing },
    handler: async ({ params }) => ({ id: params.file ? params.file.size : 1, name: params.name, at: new Date(0) }),
  }),
  route({
    ...open,
    method: 'DELETE',
    path: '/things/:id',
    summary: 'Remove',
    access: { on: 'instance', ability: 'admin' },
    params: Type.Object({ id: Int() }),
    responses: { 204: Empty },
    conditional: 'a thing of the test',
    handler: async () => undefined,
  }),
  route({
    ...open,
    method: 'GET',
    path: '/broken',
    summary: 'Fails',
    access: { on: 'public' },
    params: Type.Object({}),
    responses: { 200: Thing },
    handler: async () => {
      throw new Error('a secret of the inside');
    },
  }),
];
let opened = 0;
/** The one project: there, until a handler deletes it. */
let project: object | null = null;
routes.push(
  route({
    ...open,
    method: 'GET',
    path: '/things/:id',
    summary: 'One that was deleted between two looks',
    access: { on: 'public' },
    params: Type.Object({ id: Int() }),
    responses: { 200: Thing },
    handler: async () => new Map<number, object>().get(1),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/projects/:id/files',
    summary: 'Fails, and deletes the project before where that is wanted',
    access: { on: 'project', ability: 'read_project' },
    params: Type.Object({ id: Str(), deletes: Optional(Bool()) }),
    responses: { 200: Thing },
    handler: async ({ params }) => {
      if (params.deletes) project = null;
      throw unavailable('the repository is missing on its storage');
    },
  }),
  route({
    ...open,
    method: 'GET',
    path: '/streams/:id',
    summary: 'Bytes',
    access: { on: 'public' },
    params: Type.Object({ id: Str() }),
    responses: { 200: Binary },
    media: ['text/plain'],
    handler: async ({ params }) =>
      streamed(
        async () => {
          opened += 1;
          if (params.id === 'gone') throw notFound('File');
          return Readable.from([Buffer.from('hello')]);
        },
        'text/plain',
        { 'Content-Length': '5', ETag: '"five"', 'Content-Disposition': 'inline' },
      ),
  }),
);
for (let index = 0; index < 1000; index += 1) {
  routes.push(
    route({
      ...open,
      method: 'GET',
      path: `/many${index}/:id/of/:other`,
      summary: 'One of many',
      access: { on: 'public' },
      params: Type.Object({ id: Int(), other: Str(), filter: Optional(Str()) }),
      pagination: 'both',
      responses: { 200: ListOf(Thing) },
      handler: async ({ page }) => slicePage(page, []),
    }),
  );
}

const caller = (scopes: string[]): Caller => ({
  user: { id: 7, username: 'ann', admin: false, external: false } as User,
  credential: { kind: 'token', tokenId: 1, tokenKind: 'personal' },
  scopes: new Set(scopes),
  admin: false,
});
const temporary = mkdtempSync(path.join(tmpdir(), 'millrace-mount-'));
const server = createHttpServer({ log: pino({ level: 'silent' }), trustedProxies: [] }, methodsOfPath(routes));
let base = '';
let startSeconds = 0;

beforeAll(async () => {
  const before = process.cpuUsage();
  mountRoutes(server, routes, {
    held: createHeldBytes({ maxHeldBytes: 1_000_000, maxAnonymousHeldBytes: 500_000 }),
    rates: { identified: (_request, _reply, _kind, find) => find(), named: async () => undefined },
    resolver: {
      accessToken: async (token) =>
        token === 'good' ? caller(['api']) : token === 'reads' ? caller(['read_api']) : null,
      jobToken: async () => null,
      session: async (token) =>
        token === 'cookie'
          ? { ...caller([]), scopes: null, credential: { kind: 'session', sessionId: 1, needsTwoFactor: false } }
          : null,
      deployToken: async () => null,
      tokenAsPassword: async () => null,
      refusesTokensInUrls: async () => false,
      csrfValid: (_session, csrf) => csrf === 'csrf',
      reused: async () => undefined,
      actAs: async (caller) => caller,
    },
    parents: {
      project: async () => project as ProjectSubject | null,
      group: async () => null,
      projects: async () => new Map(),
    },
    limits: {
      maxParameterBytes: 10_000,
      maxFileBytes: 100_000,
      maxFiles: 3,
      maxParameters: 500,
      maxParameterDepth: 10,
    },
    temporary,
    externalUrl: 'http://forge.test',
    maximumOffset: async () => 50_000,
    redirectsMoved: async () => false,
  });
  await server.ready();
  startSeconds = process.cpuUsage(before).user / 1e6;
  base = `${await server.listen({ host: '127.0.0.1', port: 0 })}/api/v4`;
});
afterAll(async () => {
  await server.close();
  rmSync(temporary, { recursive: true });
});

const call = async (method: string, target: string, init: RequestInit = {}) => {
  const response = await fetch(base + target, { method, ...init });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : (JSON.parse(text) as unknown),
  };
};
const token = { 'PRIVATE-TOKEN': 'good' };
const jsonHeaders = { ...token, 'Content-Type': 'application/json' };

describe('what is deleted while a request runs', () => {
  it('is not found, where a handler has nothing to answer with', async () => {
    expect(await call('GET', '/things/1')).toMatchObject({ status: 404, body: { message: '404 Not Found' } });
  });

  it('is not found, where the project went; a fault of a project that is there stays one', async () => {
    project = { kind: 'project', project: { id: 1, visibility: 'public' }, namespace: {}, role: 50 };
    expect(await call('GET', '/projects/1/files', { headers: token })).toMatchObject({ status: 503 });
    expect(await call('GET', '/projects/1/files?deletes=true', { headers: token })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });
});

describe('routes', () => {
  it('a thousand declared routes are mounted without compiling their schemas', () => {
    // Of the processor: the machine does other things too.
    expect(startSeconds).toBeLessThan(1.5);
  });

  it('[1/what-the-service-does/4] [1/errors/1] answers plain application/json with declared keys only, also to HEAD', async () => {
    const got = await call('GET', '/things/group%2Fproject.x/parts?per_page=2');
    expect(got.headers.get('content-type')).toBe('application/json');
    expect(got.body).toEqual([
      { id: 1, name: 'group/project.x', at: null },
      { id: 2, name: 'group/project.x', at: null },
    ]);
    const head = await call('HEAD', '/things/x/parts');
    expect([head.status, head.headers.get('content-type'), head.headers.get('x-total')]).toEqual([
      200,
      'application/json',
      '3',
    ]);
  });

  it('[1/limits.pagination/2 page] [1/errors/7] a page that is not a number or below 1 is 400', async () => {
    expect((await call('GET', '/things/x/parts?per_page=0')).body).toEqual({
      error: 'per_page does not have a valid value',
    });
    expect((await call('GET', '/things/x/parts?page=two')).body).toEqual({ error: 'page is invalid' });
  });

  it('[1/authentication/7] [1/errors/18] bad and missing credentials are 401, also where none are needed', async () => {
    expect(await call('GET', '/things/x/parts', { headers: { 'PRIVATE-TOKEN': 'bad' } })).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    });
    expect(await call('POST', '/things')).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
  });

  it('security 1: authenticates before the body is read and before parameters are checked', async () => {
    const huge = await call('POST', '/things', {
      headers: { 'Content-Type': 'application/json' },
      body: 'x'.repeat(1_000_000),
    });
    expect(huge.status).toBe(401);
    const before = seen.length;
    expect((await call('GET', '/things/x/parts', { headers: { Authorization: 'Bearer bad' } })).status).toBe(401);
    expect(seen.length).toBe(before);
  });

  it('security 1: an encoded path and slashes too many reach the same handler, a suffix is 404', async () => {
    for (const path of ['/%74hings/x/parts', '/things/x/parts/', '//things///x/parts//', '/things/x/parts/?a=b//'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    for (const path of ['//api/v4/things/x/parts', '/api//v4//things/x/parts/'])
      expect([path, (await fetch(new URL(base).origin + path)).status]).toEqual([path, 200]);
    expect((await call('POST', '/things/')).status).toBe(401);
    // A name that a script left empty names nothing above it.
    expect((await call('DELETE', '/things/1/', { headers: token })).status).toBe(404);
    expect((await call('GET', '/things/x/parts.json')).status).toBe(404);
    expect((await call('GET', '/things/x/parts%2F')).status).toBe(404);
    expect((await call('GET', '/things/%ff/parts')).status).toBe(400);
  });

  it('[1/errors/2] [1/what-the-service-does/6] takes JSON, form, multipart and query parameters alike', async () => {
    const json = await call('POST', '/things', { headers: jsonHeaders, body: '{"name":"a"}' });
    expect(json).toMatchObject({ status: 201, body: { id: 1, name: 'a', at: '1970-01-01T00:00:00.000Z' } });
    const form = await call('POST', '/things', { headers: token, body: new URLSearchParams({ name: 'b' }) });
    expect(form.body).toMatchObject({ name: 'b' });
    expect((await call('POST', '/things?name=c', { headers: token })).body).toMatchObject({ name: 'c' });
    const parts = new FormData();
    parts.append('name', 'd');
    parts.append('file', new Blob(['hello']), 'h.txt');
    expect((await call('POST', '/things', { headers: token, body: parts })).body).toMatchObject({ id: 5, name: 'd' });
  });

  it('[1/errors/7] malformed and oversized bodies have a clear answer', async () => {
    expect(await call('POST', '/things', { headers: jsonHeaders, body: '{"name":' })).toMatchObject({
      status: 400,
      body: { error: 'message body does not match declared format' },
    });
    expect((await call('POST', '/things', { headers: jsonHeaders, body: '[1]' })).status).toBe(400);
    const large = await call('POST', '/things', {
      headers: jsonHeaders,
      body: JSON.stringify({ name: 'x'.repeat(20_000) }),
    });
    expect(large).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large - max_parameter_bytes is 10000 bytes' },
    });
    const parts = new FormData();
    parts.append('name', 'd');
    parts.append('file', new Blob(['x'.repeat(200_000)]), 'h.txt');
    expect((await call('POST', '/things', { headers: token, body: parts })).status).toBe(413);
  });

  it('[1/errors/9] scope and role are 403 with their own bodies', async () => {
    expect(await call('POST', '/things', { headers: { 'PRIVATE-TOKEN': 'reads' } })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    });
    expect(await call('DELETE', '/things/1', { headers: token })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    });
  });

  it('[1/authentication/5 _service_session] a session needs its CSRF token for unsafe methods', async () => {
    const cookie = { Cookie: '_service_session=cookie', 'Content-Type': 'application/json' };
    expect((await call('POST', '/things', { headers: cookie, body: '{"name":"a"}' })).status).toBe(401);
    expect(
      (await call('POST', '/things', { headers: { ...cookie, 'X-CSRF-Token': 'csrf' }, body: '{"name":"a"}' })).status,
    ).toBe(201);
  });

  it('[1/errors/11] another method on a known path is 405 with Allow; an unknown path is 404', async () => {
    const patch = await call('PATCH', '/things');
    expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
  });

  it('[1/errors/16] a fault tells its request id and nothing else', async () => {
    const got = await call('GET', '/broken', { headers: { 'X-Request-Id': 'abc-1' } });
    expect(got).toMatchObject({ status: 500, body: { message: '500 Internal Server Error', request_id: 'abc-1' } });
    expect(got.headers.get('x-request-id')).toBe('abc-1');
  });

  it('opens a stream only for who gets its bytes; a failure to open has headers of its own', async () => {
    const get = await fetch(`${base}/streams/a`);
    expect([await get.text(), get.headers.get('content-length'), get.headers.get('etag')]).toEqual([
      'hello',
      '5',
      '"five"',
    ]);
    expect(opened).toBe(1);
    const head = await call('HEAD', '/streams/a');
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag'), head.body]).toEqual([
      200,
      '5',
      '"five"',
      null,
    ]);
    const unchanged = await call('GET', '/streams/a', { headers: { 'If-None-Match': '"five"' } });
    expect([unchanged.status, unchanged.headers.get('etag'), unchanged.body]).toEqual([304, '"five"', null]);
    expect(opened).toBe(1);
    const gone = await call('GET', '/streams/gone');
    expect(gone).toMatchObject({ status: 404, body: { message: '404 File Not Found' } });
    expect([gone.headers.get('etag'), gone.headers.get('content-disposition')]).toEqual([null, null]);
  });

  it.each([
    [{ method: 'DELETE', responses: { 204: Empty } }, /conditional is not declared/],
    [{ conditional: true }, /only a DELETE is conditional/],
    [{ params: Type.Object({ old: Optional(Str({ deprecated: true })) }) }, /old does not say what replaces it/],
    [{ params: undefined }, /params is not declared/],
    [{ responses: {} }, /no response is declared/],
    [{ responses: { 404: Empty } }, /response 404 is not a success/],
    [{ credentials: [], access: { on: 'instance', ability: 'admin' } }, /no credential is declared/],
    [{ access: { on: 'project', ability: 'read_project' } }, /parent parameter id is not declared/],
    [{ summary: '' }, /summary and tag are required/],
    [{ path: 'x' }, /path must start with a slash/],
  ])('an incomplete declaration does not start: %o', (change, reason) => {
    const complete = {
      ...open,
      method: 'GET',
      path: '/x',
      summary: 'x',
      access: { on: 'public' },
      params: Type.Object({}),
      responses: { 200: Thing },
      handler: async () => null,
    };
    const declare = route as unknown as (spec: object) => Route;
    expect(declare(complete)).toMatchObject({ checked: true });
    expect(() => declare({ ...complete, ...change })).toThrowError(reason);
  });

  it('security: an incomplete declaration does not pass', () => {
    const incomplete = {
      ...open,
      method: 'GET',
      path: '/x/:id',
      summary: 'x',
      params: Type.Object({}),
      responses: { 200: Thing },
      handler: async () => null,
    };
    expect(() => route(incomplete as unknown as Parameters<typeof route>[0])).toThrowError(
      /path parameter id.*access is not declared/,
    );
  });
});
