/** Bodies over real HTTP: kinds, mixtures, limits, uploads, clients that go away. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnyJson, Entity } from '../entity.ts';
import { createHeldBytes } from '../held-bytes.ts';
import { methodsOfPath, mountRoutes } from '../mount.ts';
import { type Route, route } from '../route.ts';
import { createHttpServer } from '../server.ts';
import { isFile } from './nested.ts';
import { Bool, FileParam, Hash, Int, List, Optional, OrNull, Str } from './schema.ts';

const Echo = Entity('Echo', { params: AnyJson(), disk: AnyJson() });
const temporary = mkdtempSync(path.join(tmpdir(), 'millrace-body-'));
const onDisk = () => readdirSync(temporary);
const shown = (value: unknown): unknown => {
  if (isFile(value)) return { filename: value.filename, size: value.size, type: value.contentType };
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item)]));
  return value;
};
const Params = Type.Object({
  id: Optional(Str()),
  path: Optional(Str()),
  a: Optional(Str()),
  b: Optional(Str()),
  flag: Optional(Bool()),
  count: Optional(Int()),
  tags: Optional(List(Str(), { commas: true })),
  filter: Optional(Hash(Str())),
  avatar: Optional(OrNull(FileParam())),
  files: Optional(List(FileParam())),
  actions: Optional(List(Type.Object({ action: Str(), file_path: Optional(Str()) }))),
});
const declare = (method: Route['method'], url: string): Route =>
  route({
    method,
    path: url,
    summary: 'Echo',
    tag: 'echo',
    credentials: [],
    access: { on: 'public' },
    ...(method === 'DELETE' ? { conditional: 'a thing of the test' } : {}),
    params: Params,
    responses: { 200: Echo },
    handler: async ({ params }) => ({ params: shown(params), disk: onDisk() }),
  });
const routes = [
  declare('POST', '/echo'),
  declare('DELETE', '/echo'),
  declare('PUT', '/things/:id/echo'),
  declare('GET', '/things/:id'),
  declare('GET', '/trees/:id/*'),
];
const server = createHttpServer({ log: pino({ level: 'silent' }), trustedProxies: [] }, methodsOfPath(routes));
let base = '';
let port = 0;

beforeAll(async () => {
  mountRoutes(server, routes, {
    resolver: {
      accessToken: async () => null,
      jobToken: async () => null,
      session: async () => null,
      csrfValid: () => false,
      deployToken: async () => null,
      tokenAsPassword: async () => null,
      refusesTokensInUrls: async () => false,
      reused: async () => undefined,
      actAs: async (caller) => caller,
    },
    held: createHeldBytes({ maxHeldBytes: 500_000, maxAnonymousHeldBytes: 110_000 }),
    rates: { identified: (_request, _reply, _kind, find) => find(), named: async () => undefined },
    redirectsMoved: async () => false,
    parents: { project: async () => null, group: async () => null, projects: async () => new Map() },
    limits: {
      maxParameterBytes: 100_000,
      maxFileBytes: 200_000,
      maxFiles: 3,
      maxParameters: 500,
      maxParameterDepth: 10,
    },
    temporary,
    externalUrl: 'http://forge.test',
    maximumOffset: async () => 50_000,
  });
  const url = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  port = Number(url.port);
  base = `${url.origin}/api/v4`;
});
afterAll(async () => {
  server.server.closeAllConnections();
  await server.close();
  rmSync(temporary, { recursive: true });
});

async function call(method: string, target: string, init: RequestInit = {}) {
  const response = await fetch(base + target, { method, ...init });
  const text = await response.text();
  const body = JSON.parse(text) as { params?: unknown; disk?: string[]; error?: string; message?: string };
  return { status: response.status, body };
}
const typed = (type: string | null, body: NonNullable<RequestInit['body']>, target = '/echo', method = 'POST') =>
  call(method, target, { body, headers: type === null ? {} : { 'Content-Type': type } });
const parts = (...list: [string, string | Blob, string?][]): FormData => {
  const form = new FormData();
  for (const [name, value, filename] of list)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, filename ?? 'blob');
  return form;
};
const bytes = (size: number) => new Blob(['x'.repeat(size)]);

/** A request as it is on the wire; what the server answers until it closes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let got = '';
    socket.on('data', (chunk) => {
      got += String(chunk);
    });
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

describe('security 7: bytes in memory', () => {
  it('no body of parameters is unpacked', async () => {
    const init = { method: 'POST', body: new Uint8Array(gzipSync('{"a":"x"}')) };
    const got = await call('POST', '/echo', {
      ...init,
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    });
    expect([got.status, got.body]).toEqual([415, { error: 'the content encoding "gzip" is not supported' }]);
  });

  it('bodies of anonymous callers have a share of the memory, and give it back', async () => {
    const [text, probe] = [95_000, 24_000].map((size) => JSON.stringify({ a: 'x'.repeat(size) })) as [string, string];
    const stopped: Socket[] = [];
    /** A request of which the last byte is missing is held, unless the other one took its last bytes. */
    const beside = async () => {
      const socket = connect(port, '127.0.0.1');
      stopped.push(socket);
      const head = `POST /api/v4/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
      await new Promise((resolve) => socket.write(head + text.slice(0, -1), resolve));
      return (await typed('application/json', probe)).status;
    };
    await expect.poll(beside).toBe(503);
    expect((await typed('application/json', probe)).body.message).toBe(
      '503 Service Unavailable - request bodies of anonymous callers have more than 110000 bytes (max_anonymous_held_bytes)',
    );
    const form = await call('POST', '/echo', { method: 'POST', body: parts(['a', 'x'.repeat(24_000)]) });
    expect(form.status).toBe(503);
    for (const socket of stopped) socket.end(text.slice(-1));
    await expect.poll(async () => (await typed('application/json', probe)).status).toBe(200);
  });
});

describe('[1/what-the-service-does/6 Content-Type] kinds of bodies', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/json',
    'application/vnd.api+json',
  ])('%s is JSON', async (type) => {
    const got = await typed(type, '{"a":"ü","flag":true,"tags":["x"],"filter":{"k":"v"}}');
    expect(got.body.params).toEqual({ a: 'ü', flag: true, tags: ['x'], filter: { k: 'v' } });
  });

  it('forms, and bodies without a type: an object is JSON, the rest a form', async () => {
    const form =
      'a=x+y%2Bz&flag=on&tags=one,two&filter[k]=v&actions[][action]=c&actions[][file_path]=p&actions[][action]=d';
    const expected = {
      a: 'x y+z',
      flag: true,
      tags: ['one', 'two'],
      filter: { k: 'v' },
      actions: [{ action: 'c', file_path: 'p' }, { action: 'd' }],
    };
    expect((await typed('application/x-www-form-urlencoded; charset=UTF-8', form)).body.params).toEqual(expected);
    expect((await typed(null, Buffer.from(form))).body.params).toEqual(expected);
    expect((await typed(null, Buffer.from(' {"a":"b","count":5}'))).body.params).toEqual({ a: 'b', count: 5 });
    expect((await typed(null, Buffer.from(' {"a":'))).status).toBe(400);
  });

  it('empty bodies give nothing, whatever they are called; other types are not parameters', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
      expect([type, (await typed(type, '')).body.params]).toEqual([type, {}]);
    for (const body of ['  ', 'null', '{}']) expect((await typed('application/json', body)).body.params).toEqual({});
    expect((await typed('application/octet-stream', 'a=b')).body.params).toEqual({});
  });

  it('a DELETE has a body like any other, or none with a JSON type', async () => {
    expect((await typed('application/json', '{"a":"x"}', '/echo', 'DELETE')).body.params).toEqual({ a: 'x' });
    expect((await typed('application/json', '', '/echo?b=y', 'DELETE')).body.params).toEqual({ b: 'y' });
  });

  it('query, body and path together: the path wins over the body, the body over the query', async () => {
    const target = '/things/p%2Fath/echo?id=query&a=query&b=query&filter[q]=1&count=1';
    const json = await typed('application/json', '{"id":"body","a":"body","filter":{"b":"2"}}', target, 'PUT');
    const expected = { id: 'p/ath', a: 'body', b: 'query', filter: { b: '2' }, count: 1 };
    expect(json.body.params).toEqual(expected);
    const form = await call('PUT', target, { body: parts(['id', 'body'], ['a', 'body'], ['filter[b]', '2']) });
    expect(form.body.params).toEqual(expected);
  });

  it('unknown parameters are ignored, those named after prototypes too', async () => {
    const hostile =
      '{"a":"x","unknown":[1],"__proto__":{"b":"y"},"constructor":{"prototype":{"b":"y"}},"filter":{"__proto__":"z","k":"v"}}';
    expect((await typed('application/json', hostile)).body.params).toEqual({ a: 'x', filter: { k: 'v' } });
    await typed(
      'application/x-www-form-urlencoded',
      '__proto__[polluted]=1&constructor[prototype][polluted]=1&toString=1',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('[1/what-the-service-does/5 %2F] paths', () => {
  it.each([
    ['%2F', 'a/b'],
    ['%2E', 'a.b'],
    ['%2A', 'a*b'],
    ['%3A', 'a:b'],
    ['%20', 'a b'],
    ['+', 'a+b'],
    ['%2B', 'a+b'],
    ['%252F', 'a%2Fb'],
    ['%25', 'a%b'],
    ['%3F', 'a?b'],
    ['%23', 'a#b'],
    ['%C3%BC', 'aüb'],
    ['%2e%2E%2f', 'a../b'],
  ])('%s is decoded after matching, once', async (written, value) => {
    expect((await call('GET', `/things/a${written}b`)).body.params).toEqual({ id: value });
    expect((await call('GET', `/trees/x/dir/a${written}b`)).body.params).toEqual({ id: 'x', path: `dir/${value}` });
  });

  it('[1/errors/7] what is not percent-encoded UTF-8 is 400, in the path, the query and bodies', async () => {
    for (const target of [
      '/things/%',
      '/things/%zz',
      '/things/%ff',
      '/things/a?a=%ff',
      '/things/a?a=%',
      '/things/a?%ff=1',
    ])
      expect([target, (await call('GET', target)).status]).toEqual([target, 400]);
    const bad = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(await typed('application/json', bad)).toEqual({
      status: 400,
      body: { error: 'the body is not valid UTF-8' },
    });
    expect((await typed('application/x-www-form-urlencoded', 'a=%ff')).status).toBe(400);
    expect((await typed('application/x-www-form-urlencoded', Buffer.from([0x61, 0x3d, 0xff]))).status).toBe(400);
    expect((await call('GET', '/things/a%00b')).body).toEqual({ error: 'id is invalid' });
  });
});

describe('limits name themselves and their values', () => {
  const tooLarge = {
    status: 413,
    body: { message: '413 Request Entity Too Large - max_parameter_bytes is 100000 bytes' },
  };

  it('[1/errors/14] size of parameters, declared and not', async () => {
    const big = JSON.stringify({ a: 'x'.repeat(200_000) });
    expect(await typed('application/json', big)).toEqual(tooLarge);
    expect(await call('POST', '/echo', { body: parts(['a', 'x'.repeat(200_000)]) })).toEqual(tooLarge);
    expect(await call('POST', '/echo', { body: parts(['a', 'x'.repeat(60_000)], ['b', 'x'.repeat(60_000)]) })).toEqual(
      tooLarge,
    );
    // Without a length the limit is found while reading, and the client still gets its answer.
    const chunks = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`.repeat(30);
    const head =
      'POST /api/v4/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(`${head}${chunks}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 [\s\S]*max_parameter_bytes is 100000 bytes/);
  });

  it('[1/errors/14] size and number of files: the client gets its answer, nothing stays', async () => {
    expect(await call('POST', '/echo', { body: parts(['avatar', bytes(5_000_000)]) })).toEqual({
      status: 413,
      body: { message: '413 Request Entity Too Large - max_file_bytes is 200000 bytes' },
    });
    const files = Array.from({ length: 4 }, (): [string, Blob] => ['files[]', bytes(10)]);
    expect(await call('POST', '/echo', { body: parts(...files) })).toEqual({
      status: 400,
      body: { message: '400 Bad request - more than 3 files (max_files)' },
    });
    await expect.poll(onDisk).toEqual([]);
  });

  it('number and depth of parameters, in every kind of body', async () => {
    const many = { status: 400, body: { message: '400 Bad request - more than 500 parameters (max_parameters)' } };
    const deep = {
      status: 400,
      body: { message: '400 Bad request - parameters nest deeper than 10 (max_parameter_depth)' },
    };
    const form = 'application/x-www-form-urlencoded';
    expect(await typed(form, 'tags[]=x&'.repeat(501))).toEqual(many);
    expect(await call('GET', `/things/x?${'a&'.repeat(501)}`)).toEqual(many);
    expect(await typed('application/json', JSON.stringify({ tags: Array.from({ length: 501 }, () => 'x') }))).toEqual(
      many,
    );
    const fields = Array.from({ length: 501 }, (): [string, string] => ['tags[]', 'x']);
    expect(await call('POST', '/echo', { body: parts(...fields) })).toEqual(many);
    expect(await typed(form, `filter${'[x]'.repeat(10)}=1`)).toEqual(deep);
    expect(await typed('application/json', `{"unknown":${'['.repeat(40_000)}${']'.repeat(40_000)}}`)).toEqual(deep);
    expect(await typed('application/json', `${'{"filter":'.repeat(11)}1${'}'.repeat(11)}`)).toEqual(deep);
    expect(await call('POST', '/echo', { body: parts([`filter${'[x]'.repeat(10)}`, '1']) })).toEqual(deep);
  });
});

describe('[1/what-the-service-does/6] multipart', () => {
  it('security 3: fields and files in any order; names of files are text, those on disk are generated', async () => {
    const hostile = [
      '../../etc/cron.d/x',
      '/etc/passwd',
      'a\\..\\b',
      '.',
      '..',
      'ünï\u202e.png',
      '-rf',
      'x'.repeat(500),
      '$(id)',
    ];
    for (const name of hostile) {
      const got = await call('POST', '/echo', {
        body: parts(
          ['a', 'before'],
          ['avatar', bytes(7), name],
          ['flag', 'yes'],
          ['filter[k]', 'v'],
          ['files[]', bytes(3), name],
          ['files[]', bytes(4), 'b'],
        ),
      });
      expect(got.body.params).toMatchObject({
        a: 'before',
        flag: true,
        filter: { k: 'v' },
        avatar: { size: 7 },
        files: [{ size: 3 }, { size: 4 }],
      });
      expect(got.body.disk).toHaveLength(3);
      for (const file of got.body.disk ?? []) expect(file).toMatch(/^upload-[0-9a-f-]{36}$/);
      // They are removed after the answer: the next request must find its own files only.
      await expect.poll(onDisk).toEqual([]);
    }
  });

  it('[1/errors/7] text where a file is expected and a file where text is expected are 400', async () => {
    expect(await call('POST', '/echo', { body: parts(['avatar', 'text']) })).toEqual({
      status: 400,
      body: { error: 'avatar is invalid' },
    });
    expect((await call('POST', '/echo', { body: parts(['a', bytes(3)]) })).body).toEqual({ error: 'a is invalid' });
    expect((await call('POST', '/echo', { body: parts(['tags[]', bytes(3)]) })).body).toEqual({
      error: 'tags is invalid',
    });
    const claim = 'avatar[kind]=file&avatar[path]=/etc/passwd&avatar[filename]=x&avatar[size]=1&avatar[sha256]=x';
    expect((await typed('application/x-www-form-urlencoded', claim)).body).toEqual({ error: 'avatar is invalid' });
    await expect.poll(onDisk).toEqual([]);
  });

  const multipart = (...list: string[]) =>
    list.map((part) => `--edge\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
  const send = (body: string) => typed('multipart/form-data; boundary=edge', `${body}--edge--\r\n`);

  it('an empty avatar is null: a picture is removed, as browsers and scripts say it', async () => {
    for (const part of [
      'name="avatar"\r\n\r\n',
      'name="avatar"; filename=""\r\n\r\n',
      'name="avatar"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',
    ])
      expect((await send(multipart(part))).body.params).toEqual({ avatar: null });
  });

  it('a field of type octet-stream is a field; one without a name is nothing', async () => {
    const type = 'Content-Type: application/octet-stream\r\n\r\n';
    expect(
      (await send(multipart(`name="a"\r\n${type}text`, `other=1\r\n${type}x`, 'other=1\r\n\r\ny'))).body.params,
    ).toEqual({
      a: 'text',
    });
  });

  it('[1/errors/7] malformed ones are 400, and the process lives', async () => {
    const part = 'Content-Disposition: form-data; name="avatar"; filename="x"\r\n\r\nxxx\r\n';
    for (const [type, body] of [
      ['multipart/form-data', `--edge\r\n${part}--edge--\r\n`],
      ['multipart/form-data; boundary=edge', `--edge\r\n${part}`],
      ['multipart/form-data; boundary=edge', 'nothing of the kind'],
      ['multipart/form-data; boundary=edge', `--edge\r\n${'x'.repeat(50_000)}`],
    ] as const)
      expect((await typed(type, body)).status).toBe(400);
    expect((await call('POST', '/echo', { body: parts(['a', '1'], ['a[]', '2']) })).body).toEqual({
      message: '400 Bad request - parameter a is given both as a value and as a structure',
    });
    expect((await call('POST', '/echo', { body: parts(['avatar', bytes(3)], ['avatar[x]', '2']) })).status).toBe(400);
    await expect.poll(onDisk).toEqual([]);
  });

  it('an upload that ends early leaves no file behind', async () => {
    const head =
      'POST /api/v4/echo HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=edge\r\nContent-Length: 100000\r\n\r\n';
    const part = '--edge\r\nContent-Disposition: form-data; name="avatar"; filename="x"\r\n\r\n';
    for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(`${head}${part}${'x'.repeat(5_000)}`);
      await expect.poll(onDisk).toHaveLength(1);
      socket[leave]();
      await expect.poll(onDisk).toEqual([]);
    }
  });
});
