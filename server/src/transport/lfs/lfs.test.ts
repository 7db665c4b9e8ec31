/** Git LFS as bytes on the wire: objects sent, had, counted and removed, and what broken and hostile clients are told. */
import { randomBytes } from 'node:crypto';
import { connect as tcp } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/ci.ts';
import { unique } from '../../../test/factories.ts';
import { basic, type Headers, type LfsClient, lfsClient, type Made, made, media } from '../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';
import { runTask } from '../../../test/tasks.ts';
import { stopClock } from '../../../test/windows.ts';
import { rewriteLfsUrl } from './index.ts';

let app: TestApp;
let project: RepositoryProject;
let client: LfsClient;
beforeAll(async () => {
  app = await startTestApp({ environment: { MILLRACE_LFS_STALL_SECONDS: '3', MILLRACE_LFS_BATCH_OBJECTS: '200' } });
  project = await buildRepositoryProject(app);
  client = lfsClient(app, project);
});
afterAll(() => app.close());
afterEach(() => app.settings.write({ repository_size_limit: 0, throttle_authenticated_git_lfs_enabled: false }));
describe('objects', () => {
  it('are sent where a batch says, verified, counted, and had again whole and in parts', async () => {
    const object = made();
    const before = await client.size();
    const asked = await client.batch('upload', [object]);
    const [answer] = asked.objects;
    expect([asked.status, answer?.oid, answer?.authenticated]).toEqual([200, object.oid, true]);
    const { upload, verify: verification } = answer?.actions ?? {};
    expect(upload).toEqual({
      href: `${app.url}/${project.fullPath}.git/gitlab-lfs/objects/${object.oid}/${object.size}`,
      header: { ...client.asOwner(), 'Content-Type': 'application/octet-stream' },
      expires_in: expect.any(Number),
    });
    expect(verification?.href).toBe(`${app.url}/${project.fullPath}.git/info/lfs/verify`);
    expect(await client.verify(object)).toBe(404);
    expect(await client.put(object)).toMatchObject({ status: 200 });
    expect([await client.verify(object), await client.verify({ ...object, size: 1 })]).toEqual([200, 422]);
    expect((await client.size()) - before).toBe(object.size);
    // What is there is not sent again, and counts once when it is.
    expect((await client.batch('upload', [object])).objects).toEqual([{ oid: object.oid, size: object.size }]);
    const files = await client.stored();
    expect(await client.put(object)).toMatchObject({ status: 200 });
    expect((await client.size()) - before).toBe(object.size);
    // Drafts go after the answer.
    await expect.poll(client.stored).toBe(files);

    const absent = made();
    const { objects } = await client.batch('download', [object, absent, { oid: object.oid, size: 5 }]);
    expect(objects).toMatchObject([
      { oid: object.oid, size: object.size, authenticated: true },
      { oid: absent.oid, error: { code: 404 } },
      { oid: object.oid, error: { code: 422 } },
    ]);
    const href = objects[0]?.actions?.download?.href ?? '';
    const answered = await fetch(href, { headers: objects[0]?.actions?.download?.header ?? {} });
    expect(Buffer.from(await answered.arrayBuffer()).equals(object.bytes)).toBe(true);
    expect(Object.fromEntries(answered.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${object.oid}"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${object.oid}"`,
    });
    for (const [range, start, end] of [
      ['bytes=100-', 100, 2000],
      ['bytes=0-9', 0, 10],
      ['bytes=-5', 1995, 2000],
      ['bytes=1990-9999', 1990, 2000],
    ] as const) {
      const part = await fetch(href, { headers: { ...client.asOwner(), Range: range } });
      const got = Buffer.from(await part.arrayBuffer());
      expect([part.status, part.headers.get('content-range'), got.equals(object.bytes.subarray(start, end))]).toEqual([
        206,
        `bytes ${start}-${end - 1}/2000`,
        true,
      ]);
    }
    const outside = await client.get(object.oid, { ...client.asOwner(), Range: 'bytes=2000-' });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */2000']);
    const changed = await client.get(object.oid, { ...client.asOwner(), Range: 'bytes=5-', 'If-Range': '"other"' });
    expect([changed.status, changed.headers.get('content-length')]).toEqual([200, '2000']);
    expect((await client.get(object.oid, { ...client.asOwner(), 'If-None-Match': `"${object.oid}"` })).status).toBe(
      304,
    );
    const head = await client.get(object.oid, client.asOwner(), project, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '2000', null]);
  });

  it('that are not what was announced leave nothing behind', async () => {
    const [files, size] = [await client.stored(), await client.size()];
    const object = made();
    expect(await client.put({ ...object, oid: made().oid })).toMatchObject({
      status: 422,
      message: expect.stringContaining('SHA-256'),
    });
    for (const wrong of [object.size - 1, object.size + 1, 0])
      expect(await client.put({ ...object, size: wrong })).toMatchObject({ status: 422 });
    // Without a length the bytes themselves tell.
    const chunked = (bytes: number) =>
      fetch(`${app.url}/${project.fullPath}.git/gitlab-lfs/objects/${object.oid}/${bytes}`, {
        method: 'PUT',
        headers: client.asOwner(),
        body: new Blob([new Uint8Array(object.bytes)]).stream(),
        duplex: 'half',
      } as RequestInit);
    expect([(await chunked(1999)).status, (await chunked(2001)).status]).toEqual([422, 422]);
    expect(await client.put(object, { ...client.asOwner(), 'Content-Encoding': 'gzip' })).toMatchObject({
      status: 415,
    });
    await expect.poll(client.stored).toBe(files);
    expect(await client.size()).toBe(size);
    expect((await chunked(2000)).status).toBe(200);
  });

  it('whose sender leaves, hangs or drips are given up', async () => {
    const files = await client.stored();
    const { port } = new URL(app.url);
    const object = made(randomBytes(50_000));
    const begun = async (then: (socket: ReturnType<typeof tcp>) => void) => {
      const socket = tcp(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      const answers: Buffer[] = [];
      socket.on('data', (chunk) => answers.push(chunk));
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(
        `PUT /${project.fullPath}.git/gitlab-lfs/objects/${object.oid}/50000 HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: ${client.asOwner().Authorization}\r\nContent-Length: 50000\r\n\r\n`,
      );
      socket.write(object.bytes.subarray(0, 3000));
      then(socket);
      await closed;
      return String(Buffer.concat(answers));
    };
    const [, hung, dripped] = await Promise.all([
      begun((socket) => setImmediate(() => socket.destroy())),
      begun(() => undefined),
      begun((socket) => {
        const timer = setInterval(() => socket.write('x'), 100);
        socket.once('close', () => clearInterval(timer));
      }),
    ]);
    for (const answer of [hung, dripped])
      expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*lfs_stall_seconds is 3[\s\S]*KiB/);
    await eventually('drafts are gone', async () => (await client.stored()) === files);
  });

  it('security 2, security 3, security 5: hostile ids, sizes and batches reach no file', async () => {
    const files = await client.stored();
    const object = made();
    const bad = [
      { oid: '../../../etc/passwd', size: 1 },
      { oid: `${'a'.repeat(62)}/x`, size: 1 },
      { oid: object.oid.toUpperCase(), size: 1 },
      { oid: object.oid.slice(1), size: 1 },
      { oid: `${object.oid}\n`, size: 1 },
      { oid: object.oid, size: -1 },
      { oid: object.oid, size: 1.5 },
      { oid: object.oid, size: 1e300 },
      { oid: object.oid, size: '7' },
      { oid: [object.oid], size: 7 },
      { size: 7 },
    ];
    for (const operation of ['upload', 'download']) {
      const { status, objects } = await client.batch(operation, bad);
      expect([status, objects.map(({ error, actions }) => [error?.code, actions])]).toEqual([
        200,
        bad.map(() => [422, undefined]),
      ]);
    }
    for (const objects of [[], ['x'], [null], {}, 'x', undefined, [[]]])
      expect(
        (await client.send('POST', '/info/lfs/objects/batch', { operation: 'upload', objects }, client.asOwner()))
          .status,
      ).toBe(422);
    const over = await client.batch('upload', Array(201).fill({ oid: object.oid, size: 1 }));
    expect([over.status, over.message]).toEqual([413, expect.stringContaining('lfs_batch_objects is 200')]);
    const huge = `{"operation":"upload","objects":[${'{"oid":"x","size":1},'.repeat(600_000)}{}]}`;
    const bomb = await app.request<string>('POST', `/${project.fullPath}.git/info/lfs/objects/batch`, {
      raw: huge,
      headers: { 'Content-Type': media, ...client.asOwner() },
    });
    expect([bomb.status, bomb.body]).toEqual([413, expect.stringContaining('max_parameter_bytes')]);
    const values = await client.send<string>(
      'POST',
      '/info/lfs/objects/batch',
      { operation: 'upload', objects: Array(60_000).fill(1) },
      client.asOwner(),
    );
    expect(values.body).toContain('max_parameters');
    const base = `/${project.fullPath}.git`;
    for (const rest of [
      ...['..%2f..%2f..%2fetc%2fpasswd', '%2e%2e', 'x', `${object.oid}%00`, `${object.oid}%2f..`].map(
        (oid) => `/gitlab-lfs/objects/${oid}`,
      ),
      '/gitlab-lfs/objects/../../../../etc/passwd',
      '/info/lfs/../../../etc/passwd',
    ]) {
      // As programs ask: who takes pages gets one where the web application is built.
      const headers = { ...client.asOwner(), Accept: media };
      const { status, body } = await app.request<string>('GET', base + rest, { headers });
      expect([rest, status, String(body).includes('root:')]).toEqual([rest, 404, false]);
      const written = await app.request('PUT', `${base}${rest}/5`, { raw: 'hello', headers: client.asOwner() });
      expect([rest, written.status === 404 || written.status === 422]).toEqual([rest, true]);
    }
    for (const size of ['-1', '1e3', '0x10', '99999999999999999999', 'NaN'])
      expect(await client.put({ ...object, size: size as never })).toMatchObject({ status: 422 });
    // A page, a picture that runs, a script for another program: all are bytes, and are called so.
    const polyglot = made('GIF89a/*<svg onload=alert(1)><script>alert(1)</script>%!PS-Adobe (metadata "\\c$(id)")*/');
    expect(await client.put(polyglot)).toMatchObject({ status: 200 });
    const had = await client.get(polyglot.oid);
    expect(Object.fromEntries(had.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    await expect.poll(client.stored).toBe(files + 1);
  });

  it('are asked for in the words of the protocol', async () => {
    const object = made();
    const ask = (body: Json, headers: Headers = {}) =>
      client.send<string>(
        'POST',
        '/info/lfs/objects/batch',
        { operation: 'download', objects: [object], ...body },
        {
          ...client.asOwner(),
          ...headers,
        },
      );
    expect((await ask({ hash_algo: 'sha512' })).status).toBe(409);
    expect((await ask({ operation: 'remove' })).status).toBe(422);
    expect((await ask({ ref: 'main' })).status).toBe(422);
    expect((await ask({ transfers: 'basic' })).status).toBe(422);
    expect((await ask({}, { Accept: 'text/html' })).status).toBe(406);
    expect((await ask({}, { 'Content-Type': 'text/plain' })).status).toBe(415);
    const plain = await ask(
      { transfers: null, ref: null, hash_algo: 'sha256' },
      { Accept: '*/*', 'Content-Type': `${media}; charset=utf-8` },
    );
    expect([plain.status, JSON.parse(plain.body)]).toMatchObject([200, { transfer: 'basic', hash_algo: 'sha256' }]);
    const old = await client.send<string>('POST', '/info/lfs/objects', { oid: object.oid, size: 1 }, client.asOwner());
    expect([old.status, JSON.parse(old.body)]).toMatchObject([
      501,
      {
        message: expect.stringContaining('batch'),
        documentation_url: `${app.url}/api/docs`,
        request_id: expect.any(String),
      },
    ]);
    expect((await client.send('GET', '/info/lfs/nothing', undefined, client.asOwner())).status).toBe(404);
    expect(rewriteLfsUrl('/api/v4/x.git/info/lfs/y')).toBe('/api/v4/x.git/info/lfs/y');
    expect(rewriteLfsUrl('/a/b/c.git/info/lfs/locks?path=x')).toBe('/-/lfs/a%2Fb%2Fc/info/locks?path=x');
  });
});

describe('limits', () => {
  it('repository_size_limit counts what would be sent', async () => {
    const [small, large] = [made(), made(randomBytes(1024 ** 2))];
    await app.settings.write({ repository_size_limit: 1 });
    const full = await client.batch('upload', [small, large]);
    expect([full.status, full.message]).toEqual([
      406,
      expect.stringMatching(/^Your upload has been rejected.*size limit of 1 MiB.*repository_size_limit/),
    ]);
    expect((await client.batch('upload', [small])).status).toBe(200);
    expect(await client.put(large)).toMatchObject({ status: 406 });
    expect(await client.put(small)).toMatchObject({ status: 200 });
    expect((await client.batch('download', [large])).status).toBe(200);
  });

  it('[1/limits.other-limits/7] throttle_authenticated_git_lfs counts these requests alone', async () => {
    stopClock();
    const one = await project.member(20);
    await app.settings.write({
      throttle_authenticated_git_lfs_enabled: true,
      throttle_authenticated_git_lfs_requests_per_period: 2,
      throttle_authenticated_git_lfs_period_in_seconds: 3600,
    });
    const answers = [];
    for (let count = 0; count < 3; count += 1)
      answers.push(await client.batch('download', [made()], basic(one.secret)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect([answers[2]?.headers.get('ratelimit-name'), answers[2]?.message]).toEqual([
      'throttle_authenticated_git_lfs',
      'Retry later',
    ]);
    const refs = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await app.request('GET', refs, { headers: basic(one.secret) })).status).toBe(200);
  });
});

describe('objects over time', () => {
  const sweep = async () => {
    await runTask(app, 'repository.remove_lfs_objects');
  };
  const rowOf = ({ oid }: Made) =>
    app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', oid).executeTakeFirst();
  const longAgo = ({ oid }: Made) =>
    app.db
      .updateTable('lfs_objects')
      .set({ orphaned_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('oid', '=', oid)
      .execute();
  const doomed = async (key: string) =>
    (await app.db.selectFrom('object_deletions').select('object_key').where('object_key', '=', key).execute()).length;

  it('go a day after their last project, and not while one has them', async () => {
    const [alone, shared, late] = [made(), made(), made()];
    const gone = await buildRepositoryProject(app);
    for (const object of [alone, shared, late]) await client.put(object, client.asOwner(gone), gone);
    await client.put(shared);
    await app.db.deleteFrom('projects').where('id', '=', gone.id).execute();
    await sweep();
    const marked = await rowOf(alone);
    expect([marked?.orphaned_at, (await rowOf(shared))?.orphaned_at]).toEqual([expect.any(Date), null]);
    await longAgo(alone);
    await longAgo(late);
    // Sent again in time.
    await client.put(late);
    await sweep();
    expect([await rowOf(alone), (await rowOf(late))?.orphaned_at, await doomed(String(marked?.object_key))]).toEqual([
      undefined,
      null,
      1,
    ]);
    expect([(await client.get(shared.oid)).status, (await client.get(late.oid)).status]).toEqual([200, 200]);
  });

  it('an upload beside the removal never loses its object', async () => {
    const object = made();
    const gone = await buildRepositoryProject(app);
    for (let round = 0; round < 5; round += 1) {
      await client.put(object, client.asOwner(gone), gone);
      await app.db.deleteFrom('lfs_object_links').where('project_id', 'in', [gone.id, project.id]).execute();
      await sweep();
      await longAgo(object);
      const [sent] = await Promise.all([client.put(object), sweep()]);
      expect(sent.status).toBe(200);
      expect((await client.get(object.oid)).status).toBe(200);
      const key = String((await rowOf(object))?.object_key);
      expect([await app.kernels.objects.exists(key), await doomed(key)]).toEqual([true, 0]);
    }
  });

  it('that the storage has lost are said to be lost, and taken again', async () => {
    const object = made();
    await client.put(object);
    await app.kernels.objects.remove(String((await rowOf(object))?.object_key));
    expect((await client.get(object.oid)).status).toBe(404);
    expect(await client.put(object)).toMatchObject({ status: 200 });
    expect((await client.get(object.oid)).status).toBe(200);
  });

  it('a project that was renamed answers where it was, with addresses of where it is', async () => {
    const object = made();
    const moved = await buildRepositoryProject(app);
    await client.put(object, client.asOwner(moved), moved);
    const name = unique('renamed');
    await moved.api('PUT', '', { json: { path: name } });
    const { status, objects } = await client.batch('download', [object], client.asOwner(moved), moved);
    expect([status, objects[0]?.actions?.download?.href]).toEqual([
      200,
      expect.stringContaining(`/${name}.git/gitlab-lfs/objects/${object.oid}`),
    ]);
    expect((await client.get(object.oid, client.asOwner(moved), moved)).status).toBe(200);
  });
});
