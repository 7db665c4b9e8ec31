/** Locks of files and pointers of LFS as pushes, commits of the API and merges meet them. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { basic, type LfsClient, lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { addKey, sshCommand } from '../../../../test/ssh.ts';
import { runTask } from '../../../../test/tasks.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let client: LfsClient;
let ann: BuiltToken;
let bob: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app, { files: { 'README.md': '# x\n', 'art/a.psd': '1', 'b.psd': '1' } });
  client = lfsClient(app, project);
  ann = await project.member(40);
  bob = await project.member(40);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

interface Lock {
  readonly id: string;
  readonly path: string;
  readonly locked_at: string;
  readonly owner: { readonly name: string };
}
const ask = async <T>(method: 'GET' | 'POST', target: string, json?: unknown, who: BuiltToken | null = ann) => {
  const answer = await client.send<string>(method, `/info/lfs/locks${target}`, json, who ? basic(who.secret) : {});
  return { status: answer.status, body: JSON.parse(answer.body) as T & { message: string } };
};
const lock = async (file: string, who = ann) => (await ask<{ lock: Lock }>('POST', '', { path: file }, who)).body.lock;
const unlock = (id: string, who = ann, force = false) => ask<{ lock: Lock }>('POST', `/${id}/unlock`, { force }, who);

async function clone(who: BuiltToken, of = project): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', of.remote(who.secret), name]);
  return name;
}
const push = (where: string, ...refs: string[]) => git.try(['push', 'origin', ...refs], where);
const said = (text: string) => text.replaceAll(/\nremote: ?/g, '\n').replaceAll(/\s+/g, ' ');

describe('locks', () => {
  it('are one per path, listed in pages, and taken away by who made them or a maintainer', async () => {
    const created = await ask<{ lock: Lock }>('POST', '', { path: 'art/a.psd', ref: { name: 'refs/heads/main' } });
    const { lock: first } = created.body;
    expect([created.status, first]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        path: 'art/a.psd',
        locked_at: expect.any(String),
        owner: { name: ann.user.name },
      },
    ]);
    const again = await ask<{ lock: Lock; documentation_url: string }>('POST', '', { path: '/art/a.psd' }, bob);
    expect([again.status, again.body.lock, again.body.message]).toEqual([
      409,
      first,
      `'art/a.psd' is locked already, by ${ann.user.name}.`,
    ]);
    const both = await Promise.all([lock('race', ann), lock('race', bob)]);
    expect(both[0]).toEqual(both[1]);
    const mine = await lock('b.psd', bob);
    const listed = await ask<{ locks: Lock[]; next_cursor?: string }>('GET', '?limit=2');
    expect([listed.body.locks.map((each) => each.path), listed.body.next_cursor]).toEqual([
      ['art/a.psd', 'race'],
      both[0]?.id,
    ]);
    const rest = await ask<{ locks: Lock[] }>(
      'GET',
      `?limit=2&cursor=${listed.body.next_cursor}&refspec=refs/heads/main`,
    );
    expect(rest.body).toEqual({ locks: [mine] });
    expect((await ask('GET', '?path=b.psd')).body).toEqual({ locks: [mine] });
    expect((await ask('GET', `?id=${first.id}`)).body).toEqual({ locks: [first] });
    expect((await ask('GET', '?id=x')).body).toEqual({ locks: [] });
    const verified = await ask<{ ours: Lock[]; theirs: Lock[] }>('POST', '/verify', {}, bob);
    expect([verified.body.theirs[0], verified.body.ours.at(-1)]).toEqual([first, mine]);

    expect(await unlock(first.id, bob)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining(`@${ann.user.username}`) },
    });
    const developer = await project.member(30);
    expect((await unlock(first.id, developer, true)).status).toBe(403);
    expect(await unlock(first.id, bob, true)).toMatchObject({ status: 200, body: { lock: first } });
    expect((await unlock(first.id)).status).toBe(404);
    expect((await unlock(mine.id, bob)).status).toBe(200);
    await unlock(String(both[0]?.id), bob, true);
  });

  it('security 17, security 18: who may not push has none, of other projects none is seen, hostile paths are refused', async () => {
    const { id } = await lock('b.psd');
    for (const [who, statuses] of [
      [null, [401, 401, 401, 401]],
      [await buildToken(app), [404, 404, 404, 404]],
      [await project.member(10), [403, 403, 403, 403]],
      [await project.member(20), [403, 200, 403, 403]],
      [await buildToken(app, { user: ann.user, scopes: ['read_repository'] }), [403, 200, 403, 403]],
    ] as const)
      expect([
        (await ask('POST', '', { path: 'x' }, who)).status,
        (await ask('GET', '', undefined, who)).status,
        (await ask('POST', '/verify', {}, who)).status,
        (await ask('POST', `/${id}/unlock`, { force: true }, who)).status,
      ]).toEqual(statuses);
    const other = await buildRepositoryProject(app);
    const foreign = lfsClient(app, other);
    expect((await foreign.send('POST', `/info/lfs/locks/${id}/unlock`, { force: true })).status).toBe(404);
    expect(String((await foreign.send<string>('GET', '/info/lfs/locks', undefined)).body)).toBe('{"locks":[]}');
    for (const wrong of ['', '../x', 'a/../b', 'a//b', './a', 'a\0b', 'a\nb', 'x'.repeat(512), 7, ['a'], null])
      expect([wrong, (await ask('POST', '', { path: wrong })).status]).toEqual([wrong, 422]);
    for (const query of ['?limit=-1', '?limit=x', '?cursor=x', '?path=a&path=b'])
      expect([query, (await ask('GET', query)).status]).toEqual([query, 422]);
    expect((await ask('POST', `/${id}/unlock`, { force: 'yes' })).status).toBe(422);
    const gone = await project.member(30);
    const kept = await lock('gone.psd', gone);
    await project.api('DELETE', `/members/${gone.user.id}`);
    expect((await unlock(kept.id, gone)).status).toBe(404);
    await unlock(kept.id, ann, true);
    await unlock(id);
  });

  it('keep others from changing the file by pushes, over SSH too, by the API and by merges', async () => {
    await project.commit('topic', [{ action: 'update', file_path: 'b.psd', content: 'topic' }], {
      start_branch: 'main',
    });
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const request = (await project.api<Json>('POST', '/merge_requests', { json, token: bob.secret })).body;
    const held = await lock('b.psd');
    const refused = `The path 'b.psd' is locked in Git LFS by @${ann.user.username}.`;

    const where = await clone(bob);
    await git.commit(where, 'b.psd', 'changed');
    for (const target of ['HEAD:refs/heads/main', 'HEAD:refs/heads/new']) {
      const { code, stderr } = await push(where, target);
      expect([code, said(stderr)]).toEqual([1, expect.stringContaining(`Millrace: ${refused}`)]);
    }
    const port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
    const env = await sshCommand(git, await addKey(app, bob.secret));
    const overSsh = await git.try(
      ['push', `ssh://git@127.0.0.1:${port}/${project.fullPath}.git`, 'HEAD:refs/heads/new'],
      where,
      env,
    );
    expect([overSsh.code, said(overSsh.stderr)]).toEqual([1, expect.stringContaining(refused)]);
    // Beside a branch that does not touch it.
    await git.run(['checkout', '-q', '-b', 'free', 'origin/main'], where);
    await git.commit(where, 'other.txt', 'x');
    const mixed = await push(where, 'main:refs/heads/new', 'free');
    expect([mixed.code, /\[new branch\]\s+free/.test(mixed.stderr), /rejected\].*new/.test(mixed.stderr)]).toEqual([
      1,
      true,
      true,
    ]);

    const change = (action: string, token: string) =>
      project.api('POST', '/repository/commits', {
        token,
        json: { branch: 'main', commit_message: 'x', actions: [{ action, file_path: 'b.psd', content: 'api' }] },
      });
    for (const action of ['update', 'delete'])
      expect(await change(action, bob.secret)).toMatchObject({ status: 400, body: { message: refused } });
    const merge = () => project.api('PUT', `/merge_requests/${request.iid}/merge`, { token: bob.secret, json: {} });
    expect(await merge()).toMatchObject({ status: 400, body: { message: refused } });

    // Whose lock it is goes on; what they did comes along with the default branch.
    expect((await change('update', ann.secret)).status).toBe(201);
    await git.run(['fetch', '-q'], where);
    await git.run(['merge', '-q', '--no-edit', 'origin/main'], where);
    await git.run(['push', '-q', 'origin', 'free'], where);
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    await git.run(['push', '-q', 'origin', 'main:refs/heads/off'], where);
    await project.api('PUT', '', { json: { lfs_enabled: true } });
    await unlock(held.id);
    await git.run(['push', '-q', 'origin', 'main:refs/heads/new'], where);
  });
});

describe('pointers', () => {
  it('need their objects, in small pushes and large ones, and by the API', async () => {
    const [here, absent] = [made(), made()];
    await client.put(here);
    const where = await clone(ann);
    await git.run(['checkout', '-q', '-b', 'pointers'], where);
    await git.commit(where, 'here.bin', pointer(here));
    await git.run(['push', '-q', 'origin', 'pointers'], where);
    await git.commit(where, 'dir/absent.bin', pointer(absent));
    const refused = async (expected: string) => {
      const { code, stderr } = await push(where, 'pointers');
      expect([code, said(stderr)]).toEqual([1, expect.stringContaining(expected)]);
    };
    await refused(`Millrace: An LFS object is missing, as that of 'dir/absent.bin' (${absent.oid}).`);
    // More than a hundred objects come as a pack.
    const files = Array.from({ length: 120 }, (_, at) => path.join(git.directory, where, `many-${at}.txt`));
    await Promise.all(files.map((file) => writeFile(file, file)));
    await git.run(['add', '.'], where);
    await git.commit(where, 'many.txt', 'x');
    await refused(`Millrace: An LFS object is missing, as that of 'dir/absent.bin'`);
    const second = made();
    await git.commit(where, 'second.bin', pointer(second));
    await refused('Millrace: 2 LFS objects are missing');
    for (const object of [absent, second]) await client.put(object);
    await git.run(['push', '-q', 'origin', 'pointers'], where);
    const lost = made();
    const commit = (content: string, extra: Json = {}) =>
      project.api('POST', '/repository/commits', {
        json: {
          branch: 'pointers',
          commit_message: 'x',
          actions: [{ action: 'create', file_path: unique('p'), content, ...extra }],
        },
      });
    expect(await commit(pointer(lost))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(lost.oid) },
    });
    expect((await commit(pointer(here))).status).toBe(201);
    // Looks like one and is none.
    expect((await commit(`${pointer(lost)}${'x'.repeat(200)}`)).status).toBe(201);
    expect((await commit(pointer(lost).replace('sha256:', 'sha256:z'))).status).toBe(201);
    // A branch of what is there already, and one that goes, are not looked at.
    await app.db.deleteFrom('lfs_object_links').where('project_id', '=', project.id).execute();
    await git.run(['push', '-q', 'origin', 'origin/pointers:refs/heads/again'], where);
    await git.run(['push', '-q', 'origin', ':again'], where);
    expect((await commit('plain')).status).toBe(201);
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    expect((await commit(pointer(lost))).status).toBe(201);
    await project.api('PUT', '', { json: { lfs_enabled: true } });
  });

  it('of a fork find the objects of its source, where who pushes may read it', async () => {
    const source = await buildRepositoryProject(app, { visibility: 'public' });
    const [open, hidden] = [made(), made()];
    const fork = await app.api<Json>('POST', `/projects/${source.id}/fork`, { token: ann.secret });
    await runTask(app, 'namespaces.copy_fork', { project_id: fork.body.id, source_id: source.id });
    const there = lfsClient(app, source);
    for (const object of [open, hidden]) await there.put(object);
    const commit = (content: string) =>
      app.api('POST', `/projects/${fork.body.id}/repository/files/${unique('p')}`, {
        token: ann.secret,
        json: { branch: 'main', commit_message: 'x', content },
      });
    expect((await commit(pointer(open))).status).toBe(201);
    await source.api('PUT', '', { json: { visibility: 'private' } });
    expect((await commit(pointer(hidden))).status).toBe(400);
  });
});

it('raw files are the objects themselves where that is asked for, of this project alone', async () => {
  const object = made();
  await client.put(object);
  const other = await buildRepositoryProject(app, { files: { 'a b.bin': 'x' } });
  await project.commit('main', { 'large.bin': pointer(object), 'plain.txt': 'plain' });
  const raw = (name: string, query = '?lfs=true', of = project, token: string | null = of.owner.secret) =>
    of.api<string>('GET', `/repository/files/${name}/raw${query}`, { token });
  const large = await raw('large.bin');
  expect([large.status, large.headers.get('content-length'), large.headers.get('content-type')]).toEqual([
    200,
    String(object.size),
    'application/octet-stream',
  ]);
  expect(Object.fromEntries(large.headers)).toMatchObject({
    'content-disposition': expect.stringContaining('attachment; filename="large.bin"'),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-gitlab-size': String(object.size),
    etag: `"${object.oid}"`,
  });
  for (const query of ['', '?lfs=false']) expect((await raw('large.bin', query)).body).toBe(pointer(object));
  expect((await raw('plain.txt')).body).toBe('plain');
  expect((await raw('large.bin', '?lfs=true', project, null)).status).toBe(404);
  // A pointer to what the project does not have stays a pointer: nobody gets at objects by writing down their ids.
  await other.api('PUT', '', { json: { lfs_enabled: false } });
  await other.commit('main', { 'stolen.bin': pointer(object) });
  await other.api('PUT', '', { json: { lfs_enabled: true } });
  expect((await raw('stolen.bin', '?lfs=true', other)).body).toBe(pointer(object));
  await project.api('PUT', '', { json: { lfs_enabled: false } });
  expect((await raw('large.bin')).body).toBe(pointer(object));
  await project.api('PUT', '', { json: { lfs_enabled: true } });
});
