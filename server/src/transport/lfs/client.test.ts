/** The git-lfs of the system against the application, over HTTP and SSH. Slow, sampled: starts git-lfs again and again. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type BuiltToken, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { lfsFilters as filters } from '../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { addKey, keyPair, sshCommand } from '../../../test/ssh.ts';

/** Between git-lfs and the application: cuts off the first answer with an object after so many bytes. */
function unreliable(target: () => string) {
  const state = { cutAfter: null as number | null, ranges: [] as (string | undefined)[] };
  const server = createServer((request, response) => {
    const { hostname, port } = new URL(target());
    const { method, url: path, headers } = request;
    const download = method === 'GET' && /\/gitlab-lfs\/objects\/[0-9a-f]{64}$/.test(path ?? '');
    if (download) state.ranges.push(headers.range);
    const onward = forward({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      const cut = download ? state.cutAfter : null;
      if (cut === null) return void answer.pipe(response);
      state.cutAfter = null;
      let sent = 0;
      answer.on('data', (chunk: Buffer) => {
        response.write(chunk.subarray(0, cut - sent));
        sent += chunk.length;
        if (sent < cut) return;
        answer.destroy();
        setTimeout(() => response.destroy(), 50);
      });
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return { server, state };
}

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let bob: BuiltToken;
let present: boolean;
let address: string;
const proxy = unreliable(() => app.url);
beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
  app = await startTestApp({ externalUrl: address });
  git = await gitClient();
  project = await buildRepositoryProject(app);
  bob = await project.member(40);
  present = (await git.try(['lfs', 'version'])).code === 0;
});
afterAll(async () => {
  proxy.server.close();
  await git.close();
  await app.close();
});

const remote = (who: BuiltToken) => {
  const url = new URL(`${address}/${project.fullPath}.git`);
  [url.username, url.password] = ['git', who.secret];
  return url.href;
};
async function clone(url: string, env: Record<string, string> = {}): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', url, name], '.', { ...filters, ...env });
  await git.run(['lfs', 'install', '--local'], name);
  return name;
}
const fileOf = (where: string, name: string) => readFile(path.join(git.directory, where, name));
/** A clone with a new large file committed, not pushed. */
async function withFile(url: string, name: string, bytes: Buffer, env: Record<string, string> = {}) {
  const where = await clone(url, env);
  await git.run(['checkout', '-q', '-b', unique('branch')], where, env);
  await git.run(['lfs', 'track', name], where);
  await git.run(['add', '.gitattributes'], where);
  await git.commit(where, name, bytes);
  expect(await git.run(['cat-file', 'blob', `HEAD:${name}`], where)).toContain('version https://git-lfs');
  return where;
}

// Skipped where git-lfs is not on the machine.
it('pushes, clones and pulls over HTTP', async ({ skip }) => {
  skip(!present, 'git-lfs is not on this machine');
  const bytes = randomBytes(300_000);
  const where = await withFile(remote(project.owner), 'one.bin', bytes);
  await git.run(['push', 'origin', 'HEAD:main'], where, filters);
  const fresh = await clone(remote(bob));
  expect((await fileOf(fresh, 'one.bin')).equals(bytes)).toBe(true);
  const again = randomBytes(1000);
  await git.commit(where, 'one.bin', again);
  await git.run(['push', 'origin', 'HEAD:main'], where, filters);
  await git.run(['pull', '-q'], fresh, filters);
  expect((await fileOf(fresh, 'one.bin')).equals(again)).toBe(true);
  // A clone without the hook of git-lfs forgets the object: the server does not take that.
  const third = await withFile(remote(bob), 'two.bin', randomBytes(1000));
  const forgotten = await git.try(['push', '--no-verify', 'origin', 'HEAD'], third, filters);
  expect([forgotten.code, forgotten.stderr]).toEqual([1, expect.stringContaining('git lfs push --all')]);
});

it('goes on with a download that broke off', async ({ skip }) => {
  skip(!present, 'git-lfs is not on this machine');
  const bytes = randomBytes(3_000_000);
  const where = await withFile(remote(project.owner), 'large.bin', bytes);
  await git.run(['push', 'origin', 'HEAD:large'], where, filters);
  const fresh = await clone(remote(bob));
  proxy.state.ranges = [];
  proxy.state.cutAfter = 1_000_000;
  await git.run(['checkout', '-q', 'large'], fresh, filters);
  expect((await fileOf(fresh, 'large.bin')).equals(bytes)).toBe(true);
  const [first, second] = proxy.state.ranges;
  expect([first, second]).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-/)]);
});

it('pushes and clones over SSH, as a person and as a machine that only reads', async ({ skip }) => {
  skip(!present, 'git-lfs is not on this machine');
  const port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  const url = `ssh://git@127.0.0.1:${port}/${project.fullPath}.git`;
  const env = { ...filters, ...(await sshCommand(git, await addKey(app, bob.secret))) };
  const bytes = randomBytes(50_000);
  const where = await withFile(url, 'ssh.bin', bytes, env);
  await git.run(['push', 'origin', 'HEAD:ssh'], where, env);
  const machine = await addKeyOfMachine();
  const asMachine = { ...filters, ...machine };
  const fresh = await clone(url, asMachine);
  await git.run(['checkout', '-q', 'ssh'], fresh, asMachine);
  expect((await fileOf(fresh, 'ssh.bin')).equals(bytes)).toBe(true);
  await git.commit(fresh, 'ssh.bin', randomBytes(100));
  const refused = await git.try(['push', 'origin', 'HEAD:ssh'], fresh, asMachine);
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('does not have write access')]);
});
async function addKeyOfMachine(): Promise<Record<string, string>> {
  const pair = keyPair();
  const json = { title: 'machine', key: pair.public, can_push: false };
  expect((await project.api('POST', '/deploy_keys', { json })).status).toBe(201);
  return sshCommand(git, pair);
}

it('locks and unlocks, and others cannot push meanwhile', async ({ skip }) => {
  skip(!present, 'git-lfs is not on this machine');
  const where = await withFile(remote(project.owner), 'locked.psd', randomBytes(1000));
  await git.run(['push', 'origin', 'HEAD:main'], where, filters);
  await git.run(['lfs', 'lock', 'locked.psd'], where);
  expect(await git.run(['lfs', 'locks'], where)).toContain('locked.psd');
  const theirs = await clone(remote(bob));
  await git.commit(theirs, 'locked.psd', randomBytes(1000));
  expect((await git.try(['push', 'origin', 'HEAD:theirs'], theirs, filters)).stderr).toContain('locked.psd');
  const unverified = await git.try(['-c', 'lfs.locksverify=false', 'push', 'origin', 'HEAD:theirs'], theirs, filters);
  expect([unverified.code, unverified.stderr]).toEqual([1, expect.stringContaining('is locked in Git LFS by @')]);
  expect((await git.try(['lfs', 'unlock', 'locked.psd'], theirs)).code).not.toBe(0);
  await git.run(['lfs', 'unlock', 'locked.psd'], where);
  expect(await git.run(['lfs', 'locks'], where)).toBe('');
  await git.run(['push', 'origin', 'HEAD:theirs'], theirs, filters);
  expect((await readdir(path.join(git.directory, theirs))).includes('locked.psd')).toBe(true);
});
