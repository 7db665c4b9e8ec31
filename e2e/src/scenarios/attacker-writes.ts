/** More stories of attackers: what they send to be written by git, LFS, the API, deploy keys, hooks and triggers. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Api } from '../support/api.ts';
import { git, run } from '../support/git.ts';
import type { Cast } from './attackers.ts';

const basic = (token: string) => `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;
const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const zero = '0'.repeat(40);

/** A developer sends commands that unpack to hundreds of megabytes; a stranger is not read at all. */
async function pushedBomb({ url, path, dave }: Cast): Promise<void> {
  const command = packet(`${zero} ${'a'.repeat(40)} refs/heads/${'x'.repeat(100)}`);
  const body = gzipSync(command.repeat(600_000));
  assert.ok(body.length < 1_000_000, `${body.length} bytes are sent`);
  const push = async (headers: Record<string, string>) =>
    await fetch(`${url}/${path}.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        ...{ 'Content-Type': 'application/x-git-receive-pack-request', 'Content-Encoding': 'gzip' },
        ...headers,
      },
      body: new Uint8Array(body),
    });
  assert.equal((await push({})).status, 401);
  const refused = await push({ Authorization: basic(dave.token) });
  assert.equal(refused.status, 413);
  assert.match(await refused.text(), /max_unpack_ratio/);
}

/** A developer pushes refs that are the server's own, names that look like commits, and over what is protected. */
async function hostileRefs({ url, path, dave, mallory, olga, project }: Cast): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'mr-attacker-'));
  const remote = (by: Api) => `${url.replace('://', `://git:${by.token}@`)}/${path}.git`;
  try {
    await git(directory, 'clone', '-q', remote(dave), 'clone');
    const clone = join(directory, 'clone');
    writeFileSync(join(clone, 'taken.txt'), 'mine');
    await git(clone, 'add', '.');
    await git(clone, 'commit', '-qm', 'Take it');
    const { id: head } = await olga.expect<{ id: string }>(200, 'GET', `/projects/${project}/repository/commits/main`);
    for (const ref of [
      ...['refs/heads/main', 'refs/pipelines/1', 'refs/merge-requests/1/head', 'refs/keep-around/x'],
      ...[`refs/heads/${head}`, `refs/tags/${'b'.repeat(40)}`, 'refs/environments/x', 'HEAD'],
    ]) {
      const pushed = await run(clone, ['push', '-q', remote(dave), `HEAD:${ref}`]);
      assert.notEqual(pushed.code, 0, `${ref} was pushed`);
    }
    assert.notEqual((await run(clone, ['push', '-q', remote(mallory), 'HEAD:refs/heads/mallory'])).code, 0);
    const after = await olga.expect<{ id: string }>(200, 'GET', `/projects/${project}/repository/commits/main`);
    assert.equal(after.id, head);
    const branches = await olga.expect<{ name: string }[]>(200, 'GET', `/projects/${project}/repository/branches`);
    assert.ok(!branches.some(({ name }) => name === head || name === 'mallory'));
    // What is his to push is taken.
    await git(clone, 'push', '-q', remote(dave), 'HEAD:refs/heads/dave');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Mallory knows the hash of a secret file of another project, and asks for it through one of her own. */
async function borrowedObject({ url, olga, mallory, anonymous }: Cast): Promise<void> {
  const secret = Buffer.from('the last act');
  const oid = createHash('sha256').update(secret).digest('hex');
  const own = async (by: Api, name: string, visibility: string) =>
    await by.expect<{ path_with_namespace: string }>(201, 'POST', '/projects', {
      ...{ name, visibility, initialize_with_readme: true },
    });
  const { path_with_namespace: hidden } = await own(olga, 'Prompt book', 'private');
  const { path_with_namespace: hers } = await own(mallory, 'Gallery', 'public');
  const json = { Accept: 'application/vnd.git-lfs+json', 'Content-Type': 'application/vnd.git-lfs+json' };
  const batch = async (place: string, operation: 'upload' | 'download', by: Api | null) => {
    const answer = await fetch(`${url}/${place}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { ...json, ...(by ? { Authorization: basic(by.token) } : {}) },
      body: JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size: secret.length }] }),
    });
    const text = await answer.text();
    interface Answer {
      readonly objects: readonly [{ readonly actions?: Record<string, { href: string }>; readonly error?: object }];
    }
    return { status: answer.status, object: answer.status === 200 ? (JSON.parse(text) as Answer).objects[0] : null };
  };
  const put = (href: string | undefined, by: Api, content: Buffer) =>
    fetch(href ?? '', {
      method: 'PUT',
      headers: { Authorization: basic(by.token), 'Content-Type': 'application/octet-stream' },
      body: new Uint8Array(content),
    });
  const offered = await batch(hidden, 'upload', olga);
  assert.equal((await put(offered.object?.actions?.upload?.href, olga, secret)).status, 200);
  // Neither her project nor that of Olga gives it to her.
  assert.ok((await batch(hers, 'download', mallory)).object?.error);
  for (const by of [mallory, null]) assert.notEqual((await batch(hidden, 'download', by)).status, 200);
  for (const place of [hers, hidden]) {
    const headers = { Authorization: basic(mallory.token) };
    const got = await fetch(`${url}/${place}.git/gitlab-lfs/objects/${oid}`, { headers });
    assert.ok(got.status >= 400);
    assert.doesNotMatch(await got.text(), /last act/);
  }
  // That the server has it is no proof that she has: she is asked for the bytes, and others are refused.
  const asked = await batch(hers, 'upload', mallory);
  const href = asked.object?.actions?.upload?.href;
  assert.ok(href);
  assert.ok((await put(href, mallory, Buffer.from('some others!'))).status >= 400);
  assert.ok((await put(href, mallory, Buffer.alloc(1_000_000, 'x'))).status >= 400);
  assert.ok((await batch(hers, 'download', mallory)).object?.error);
  assert.notEqual((await batch(hers, 'upload', null)).status, 200);
  assert.equal((await anonymous.call('GET', `/projects/${encodeURIComponent(hidden)}`)).status, 404);
}

/** Bodies that are too deep, too large, of another type, or that unpack to far more than they are. */
async function hostileBodies({ url, dave, mallory, project }: Cast): Promise<void> {
  const issues = `${url}/api/v4/projects/${project}/issues`;
  const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    await fetch(issues, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': dave.token, 'Content-Type': 'application/json', ...headers },
      body,
    });
  const refused = async (what: string, answer: Response, ...statuses: number[]) => {
    const text = await answer.text();
    assert.ok(statuses.includes(answer.status), `${what}: ${answer.status} ${text.slice(0, 200)}`);
  };
  const deep = 100_000;
  await refused('deep', await send(`{"title":${'['.repeat(deep)}${']'.repeat(deep)}}`), 400);
  await refused('a list for a text', await send('{"title":["x"]}'), 400);
  await refused('an object for a text', await send('{"title":{"x":1}}'), 400);
  await refused('no JSON', await send('{"title":'), 400);
  const bomb = gzipSync(`{"title":"${'x'.repeat(200_000_000)}"}`);
  await refused('a bomb', await send(new Uint8Array(bomb), { 'Content-Encoding': 'gzip' }), 400, 413, 415);
  const form = Array.from({ length: 50_000 }, (_, at) => `a[${at}]=x`).join('&');
  await refused('a form', await send(form, { 'Content-Type': 'application/x-www-form-urlencoded' }), 400, 413);
  // What is no attribute of an issue is no attribute of everything.
  const polluted = await send('{"title":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
  await refused('a prototype', polluted, 201, 400);
  assert.equal((await mallory.call('GET', '/application/settings')).status, 403);
}

/** Tokens and keys of machines reach for more than they are for. */
async function machineTokens({ url, path, olga, mike, mallory, project, send, ids }: Cast): Promise<void> {
  const base = `/projects/${project}`;
  // A deploy token that reads does not push, and is nobody for the API's writes.
  const reading = { name: 'reading', scopes: ['read_repository'] };
  const { token, username } = await olga.expect<{ token: string; username: string }>(
    ...([201, 'POST', `${base}/deploy_tokens`, reading] as const),
  );
  const service = `${url}/${path}.git/info/refs?service=git-receive-pack`;
  const Authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  assert.ok([401, 403].includes((await fetch(service, { headers: { Authorization } })).status));
  // A deploy key of a project that Mallory does not see is not hers to enable or to read.
  const play = await olga.expect<{ id: number }>(201, 'POST', '/projects', { name: 'Wings', visibility: 'private' });
  const key = `ssh-ed25519 ${Buffer.concat([
    ...[Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)],
  ]).toString('base64')}`;
  const deployKey = await olga.expect<{ id: number }>(201, 'POST', `/projects/${play.id}/deploy_keys`, {
    ...{ title: 'wings', key, can_push: true },
  });
  const hers = await mallory.expect<{ id: number }>(201, 'POST', '/projects', { name: 'Balcony' });
  assert.equal((await mallory.call('POST', `/projects/${hers.id}/deploy_keys/${deployKey.id}/enable`)).status, 404);
  assert.equal((await mallory.call('GET', `/projects/${hers.id}/deploy_keys/${deployKey.id}`)).status, 404);
  // A trigger token starts pipelines of its own project only, and none once its owner has no role there.
  const trigger = await mike.expect<{ id: number; token: string }>(201, 'POST', `${base}/triggers`, {
    description: 'x',
  });
  const start = (id: number) => send('POST', `/projects/${id}/trigger/pipeline`, { token: trigger.token, ref: 'main' });
  assert.equal((await start(hers.id)).status, 404);
  assert.equal((await start(play.id)).status, 404);
  await olga.expect(204, 'DELETE', `${base}/members/${ids.mike}`);
  try {
    const { status } = await start(project);
    assert.ok(status >= 400 && status < 500, `a trigger of somebody without a role answers ${status}`);
  } finally {
    await olga.expect(201, 'POST', `${base}/members`, { user_id: ids.mike, access_level: 40 });
  }
  // Hooks reach nothing inside, by whatever name, and tell their secrets to nobody.
  for (const address of [
    ...['http://127.0.0.1:5432/', 'http://[::ffff:127.0.0.1]/', 'http://2130706433/', 'http://169.254.169.254/'],
    ...['http://localhost/', 'file:///etc/passwd', 'http://0.0.0.0/', 'gopher://127.0.0.1/'],
  ])
    assert.equal((await mike.call('POST', `${base}/hooks`, { url: address })).status, 422, address);
  const hook = await mike.expect<{ id: number }>(201, 'POST', `${base}/hooks`, {
    ...{ url: 'https://hooks.example/', token: 'curtain-call' },
  });
  const { body } = await mike.call('GET', `${base}/hooks/${hook.id}`);
  assert.doesNotMatch(JSON.stringify(body), /curtain-call/);
  assert.equal((await mallory.call('GET', `${base}/hooks`)).status, 403);
}

export const writeStories: Readonly<Record<string, (cast: Cast) => Promise<void>>> = {
  'security 7: a developer pushes commands that unpack to hundreds of megabytes': pushedBomb,
  'security 22: refs of the server, hashes as names and protected branches are pushed': hostileRefs,
  'security 17: a file of a private project is asked for by its hash': borrowedObject,
  'security 4: bodies of the API are deep, large, of other types, and compressed': hostileBodies,
  'security 16: deploy tokens, deploy keys, triggers and hooks reach beyond their project': machineTokens,
};
