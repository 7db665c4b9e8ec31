/** Objects of Git LFS of repositories that are imported by their address: from a real source, and from those that fail or lie. Slow, sampled: sources fail and are tried again. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let admin: BuiltToken;
let person: BuiltToken;
let source: RepositoryProject;
const objects = [made('one\n'), made(), made(Buffer.alloc(1_500_000, 7))] as const;
const [one, two, large] = objects;
const others: Server[] = [];
beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  person = await buildToken(app);
  source = await buildRepositoryProject(app, { files: { 'README.md': '# Large\n' } });
  for (const object of objects) expect((await lfsClient(app, source).put(object)).status).toBe(200);
  await source.commit('main', { 'a.bin': pointer(one), 'b.bin': pointer(two) });
  await source.commit('more', { 'c.bin': pointer(large), 'again.bin': pointer(one) }, { start_branch: 'main' });
  await setting({ allow_local_requests_from_web_hooks_and_services: true });
});
afterEach(() => {
  for (const server of others.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => app.close());

const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });
const read = async (id: unknown) =>
  (await app.api<Json>('GET', `/projects/${String(id)}/import`, { token: person.secret })).body;

async function begun(address: string): Promise<number> {
  const json = { name: unique('imported'), import_url: address };
  const { status, body } = await app.api<Json>('POST', '/projects', { token: person.secret, json });
  expect([status, body]).toEqual([201, body]);
  return Number(body.id);
}
async function imported(address: string): Promise<Json> {
  const id = await begun(address);
  return await eventually('the import', async () => {
    const body = await read(id);
    return ['finished', 'failed'].includes(String(body.import_status)) && body;
  });
}
const reasons = (status: Json) =>
  (status.failed_relations as Json[]).map(({ exception_message: reason }) => String(reason).replace(/^.{64}: /, ''));
async function kept(id: unknown): Promise<string[]> {
  const rows = await app.db
    .selectFrom('lfs_object_links as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.lfs_object_id')
    .select('o.oid')
    .where('l.project_id', '=', Number(id))
    .execute();
  return rows.map(({ oid }) => oid).sort();
}
const all = objects.map(({ oid }) => oid).sort();

/** A server that hands requests on to the source, unless `own` answers. Addresses of objects become its own. */
async function between(own: (incoming: IncomingMessage, answer: ServerResponse) => boolean): Promise<string> {
  const server = createServer((incoming, answer) => {
    if (own(incoming, answer)) return;
    const target = new URL(incoming.url ?? '/', app.url);
    const headers = { ...incoming.headers, host: target.host };
    const onward = request(target, { method: incoming.method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    incoming.pipe(onward);
  });
  others.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(source.remote(source.owner.secret));
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}
const isBatch = ({ url = '' }: IncomingMessage) => url.endsWith('/info/lfs/objects/batch');
const json = (answer: ServerResponse, status: number, body: unknown): true => {
  answer.writeHead(status, { 'Content-Type': 'application/vnd.git-lfs+json' }).end(JSON.stringify(body));
  return true;
};
/** A batch's answer that has all objects at addresses below one. */
const at = (place: string, header: Json = {}) => ({
  objects: objects.map(({ oid, size }) => ({ oid, size, actions: { download: { href: `${place}/${oid}`, header } } })),
});

it('come along, with the name and password of the address; also for a project that nobody else may see', async () => {
  const status = await imported(source.remote(source.owner.secret));
  expect(status).toMatchObject({
    import_status: 'finished',
    failed_relations: [],
    stats: { fetched: { lfs_objects: 3 }, imported: { lfs_objects: 3 } },
  });
  expect(await kept(status.id)).toEqual(all);
  const target = { id: Number(status.id), fullPath: String(status.path_with_namespace), owner: person };
  expect((await lfsClient(app, target).get(one.oid)).body).toBe('one\n');
});

it('are tried again where the server or the connection failed, and told where that does not help', async () => {
  const seen = new Map<string, number>();
  const address = await between((incoming, answer) => {
    const { url = '' } = incoming;
    const times = (seen.get(url) ?? 0) + 1;
    seen.set(url, times);
    return isBatch(incoming) && times === 1 && json(answer, 503, {});
  });
  expect(await imported(address)).toMatchObject({ failed_relations: [], stats: { imported: { lfs_objects: 3 } } });
  expect([...seen].filter(([url]) => url.endsWith('/batch'))).toEqual([[expect.any(String), 2]]);

  const tried = new Map<string, number>();
  const bytes = new Map(objects.map((object) => [`/there/${object.oid}`, object.bytes]));
  const flaky = await between((incoming, answer) => {
    const { url = '' } = incoming;
    if (isBatch(incoming)) return json(answer, 200, at(`http://${incoming.headers.host}/there`));
    const content = bytes.get(url);
    if (!content) return false;
    const times = (tried.get(url) ?? 0) + 1;
    tried.set(url, times);
    if (url.endsWith(large.oid) && times === 1) {
      // Half of it, and then the connection is gone.
      answer.writeHead(200, { 'Content-Length': String(content.length) });
      answer.write(content.subarray(0, 700_000), () => answer.destroy());
    } else if (url.endsWith(two.oid)) answer.writeHead(500).end();
    else if (url.endsWith(one.oid)) answer.writeHead(200).end('two\n');
    else answer.writeHead(200).end(content);
    return true;
  });
  const status = await imported(flaky);
  expect(status).toMatchObject({
    import_status: 'finished',
    stats: { fetched: { lfs_objects: 3 }, imported: { lfs_objects: 1 } },
  });
  expect(await kept(status.id)).toEqual([large.oid]);
  expect(reasons(status).sort()).toEqual([
    expect.stringMatching(/^The SHA-256 of what was sent is [0-9a-f]{64}, not [0-9a-f]{64}\.$/),
    'The server answered 500 to a request for objects of Git LFS',
  ]);
  expect([...tried.values()].sort()).toEqual([2, 3, 3]);
});

it('security 8 21: a source that lies reaches nothing, and learns no password of another', async () => {
  const proofs: unknown[] = [];
  const elsewhere = createServer((incoming, answer) => {
    proofs.push(incoming.headers.authorization);
    answer.writeHead(200).end(bytesOf(incoming.url ?? ''));
  });
  const bytesOf = (url: string) => objects.find(({ oid }) => url.endsWith(oid))?.bytes;
  others.push(elsewhere);
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const place = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  const foreign = await between((incoming, answer) => isBatch(incoming) && json(answer, 200, at(place)));
  expect(await imported(foreign)).toMatchObject({ stats: { imported: { lfs_objects: 3 } } });
  expect(proofs).toEqual([undefined, undefined, undefined]);

  // A place of the local network that is not allowed, by an address that the server gives.
  await setting({
    allow_local_requests_from_web_hooks_and_services: false,
    outbound_local_requests_whitelist: [new URL(foreign).host],
  });
  const refused = await imported(foreign);
  expect(refused).toMatchObject({ import_status: 'finished', stats: { imported: { lfs_objects: 0 } } });
  expect(new Set(reasons(refused))).toEqual(new Set([expect.stringContaining('not allowed')]));
  expect(proofs).toHaveLength(3);
  await setting({ allow_local_requests_from_web_hooks_and_services: true, outbound_local_requests_whitelist: [] });

  for (const [body, reason] of [
    [at('file:///etc'), 'The address is not one of http or https'],
    [{ objects: [] }, 'The server says nothing of the object'],
    [{ objects: objects.map(({ oid }) => ({ oid, error: { code: 404, message: 'gone' } })) }, 'The server says: gone'],
    [{ objects: objects.map(({ oid }) => ({ oid })) }, 'The server does not say where the object is'],
    [{ objects: 'none' }, 'The server does not speak the protocol of Git LFS'],
  ] as const) {
    const liar = await between((incoming, answer) => isBatch(incoming) && json(answer, 200, body));
    const status = await imported(liar);
    expect(status).toMatchObject({ import_status: 'finished', stats: { imported: { lfs_objects: 0 } } });
    expect(reasons(status)).toEqual([reason, reason, reason]);
  }
  const without = await between((incoming, answer) => isBatch(incoming) && json(answer, 404, {}));
  expect(reasons(await imported(without))[0]).toBe('The server answered 404 to a request for objects of Git LFS');
});

it('are held to the limits of imports and of the project', async () => {
  await setting({ max_import_remote_file_size: 1 });
  const status = await imported(source.remote(source.owner.secret));
  expect(reasons(status)).toEqual(['is larger than 1048576 bytes (max_import_remote_file_size)']);
  expect(await kept(status.id)).toEqual([one.oid, two.oid].sort());
  await setting({ max_import_remote_file_size: 0, repository_size_limit: 1 });
  const full = await imported(source.remote(source.owner.secret));
  expect(reasons(full)).toEqual([expect.stringMatching(/1 MiB/)]);
  await setting({ max_import_remote_file_size: 10_240, repository_size_limit: 0 });
});

it('are waited for no longer when the import is canceled or the project is removed', async () => {
  for (const end of ['canceled', 'removed'] as const) {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const slow = await between((incoming, answer) => {
      if (isBatch(incoming)) return json(answer, 200, at(`http://${incoming.headers.host}/there`));
      if (!incoming.url?.startsWith('/there/')) return false;
      answer.writeHead(200);
      answer.write('a');
      answer.once('close', left.resolve);
      asked.resolve();
      return true;
    });
    const id = await begun(slow);
    await asked.promise;
    const token = person.secret;
    const ending =
      end === 'canceled'
        ? await app.api('POST', '/import/github/cancel', { token, json: { project_id: id } })
        : await app.api('DELETE', `/projects/${id}`, { token });
    expect([200, 202]).toContain(ending.status);
    await left.promise;
    await eventually('its end', async () => (await read(id)).import_status === 'canceled');
    expect(await kept(id)).toEqual([]);
  }
});
