/** LFS objects in a bucket: clients are sent there, and what the service itself hands out is the same. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildToken, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { basic, type LfsClient, lfsClient, lfsFilters, made, pointer } from '../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { startStorage, type TestStorage } from '../../../test/s3/index.ts';

let storage: TestStorage;
let app: TestApp;
let project: RepositoryProject;
let client: LfsClient;
let git: GitClient;
beforeAll(async () => {
  storage = await startStorage();
  app = await startTestApp({ environment: storage.environment('lfs') });
  project = await buildRepositoryProject(app);
  client = lfsClient(app, project);
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await app.close();
  await storage.close();
});

it('are verified before they count, and fetched from the storage in parts, without a credential of ours', async () => {
  const object = made();
  expect(await client.put({ ...object, oid: made().oid })).toMatchObject({ status: 422 });
  expect(await client.put(object)).toMatchObject({ status: 200 });
  const { objects } = await client.batch('download', [object]);
  const action = objects[0]?.actions?.download;
  expect([action?.header, objects[0]?.authenticated]).toEqual([undefined, true]);
  expect(String(action?.href).startsWith(app.url)).toBe(false);
  const whole = await fetch(String(action?.href));
  expect(Buffer.from(await whole.arrayBuffer()).equals(object.bytes)).toBe(true);
  const part = await fetch(String(action?.href), { headers: { Range: 'bytes=1000-' } });
  expect([part.status, Buffer.from(await part.arrayBuffer()).equals(object.bytes.subarray(1000))]).toEqual([206, true]);
  const asked = await client.get(object.oid);
  expect([asked.status, asked.headers.get('location')?.startsWith(app.url)]).toEqual([302, false]);
  // Nobody is sent there who may not have it.
  const stranger = basic((await buildToken(app)).secret);
  expect([
    (await client.get(object.oid, stranger)).status,
    (await client.batch('download', [object], stranger)).status,
  ]).toEqual([404, 404]);
  await project.commit('main', { 'large.bin': pointer(object) });
  const raw = await project.api('GET', '/repository/files/large.bin/raw?lfs=true', {});
  expect([raw.status, raw.headers.get('location')?.startsWith(app.url)]).toEqual([302, false]);
  const head = await project.api('HEAD', '/repository/files/large.bin/raw?lfs=true', {});
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '2000']);
});

// Skipped where git-lfs is not on the machine.
it('reach the git-lfs of the system: it pushes through the service and fetches from the storage', async ({ skip }) => {
  skip((await git.try(['lfs', 'version'])).code !== 0, 'git-lfs is not on this machine');
  const url = new URL(`${app.url}/${project.fullPath}.git`);
  [url.username, url.password] = ['git', project.owner.secret];
  const clone = async () => {
    const name = unique('clone');
    await git.run(['clone', '-q', url.href, name], '.', lfsFilters);
    await git.run(['lfs', 'install', '--local'], name);
    return name;
  };
  const where = await clone();
  const bytes = randomBytes(3_000_000);
  await git.run(['lfs', 'track', '*.iso'], where);
  await git.run(['add', '.gitattributes'], where);
  await git.commit(where, 'disc.iso', bytes);
  await git.run(['push', 'origin', 'HEAD:main'], where, lfsFilters);
  const key = [...storage.objects].find(([, stored]) => stored.equals(bytes))?.[0];
  expect(key).toMatch(/^lfs\//);
  const before = storage.requests.length;
  const fresh = await clone();
  expect((await readFile(path.join(git.directory, fresh, 'disc.iso'))).equals(bytes)).toBe(true);
  const asked = storage.requests.slice(before);
  // By the address that the service signed, and by nobody else: the server itself reads nothing.
  expect(asked).toEqual([expect.stringMatching(/^GET .*X-Amz-Signature=/)]);
  // Where a download breaks off, what is missing is asked of the storage.
  let broken = 0;
  storage.fault = (request) => (request.startsWith('GET ') && broken++ === 0 ? 'broken' : null);
  const again = await clone();
  storage.fault = () => null;
  expect(broken).toBe(2);
  expect((await readFile(path.join(git.directory, again, 'disc.iso'))).equals(bytes)).toBe(true);
});
