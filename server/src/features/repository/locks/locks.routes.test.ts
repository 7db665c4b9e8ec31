/** Locks of files and folders over the API: who sees them, makes them, and takes them away. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { made as largeFile, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';

interface Lock {
  readonly id: number;
  readonly path: string;
  readonly lfs: boolean;
  readonly owner: { readonly username: string };
}

let app: TestApp;
let project: RepositoryProject;
let ann: BuiltToken;
let bob: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, {
    files: { 'README.md': '# x\n', 'art/a.psd': '1', 'art/deep/b.psd': '1', 'artful/c.psd': '1', 'ünï/d.psd': '1' },
  });
  ann = await project.member(30);
  bob = await project.member(30);
});
afterAll(() => app.close());

async function locked(path: string, who = ann): Promise<number> {
  const row = { project_id: project.id, user_id: who.user.id, path, lfs: true };
  return (await app.db.insertInto('path_locks').values(row).returning('id').executeTakeFirstOrThrow()).id;
}
const unlock = (id: number | string, token: string | null, force?: unknown) =>
  project.api('DELETE', `/path_locks/${id}${force === undefined ? '' : `?force=${force}`}`, { token });

const lock = (path: unknown, token: string | null = ann.secret, of = project) =>
  of.api<Lock & { message: string }>('POST', '/path_locks', { token, json: { path } });
const noLocks = () => app.db.deleteFrom('path_locks').execute();

describe('locks of files', () => {
  it('are listed by path, in pages, to who reads the code', async () => {
    const ids = [await locked('b.psd'), await locked('a.psd', bob), await locked('c.psd')];
    const all = await project.api<Lock[]>('GET', '/path_locks', { token: bob.secret });
    expect(all.body).toEqual([
      { id: ids[1], path: 'a.psd', lfs: true, locked_at: expect.any(String), owner: expect.anything() },
      { id: ids[0], path: 'b.psd', lfs: true, locked_at: expect.any(String), owner: expect.anything() },
      { id: ids[2], path: 'c.psd', lfs: true, locked_at: expect.any(String), owner: expect.anything() },
    ]);
    expect(all.body.map(({ owner }) => owner.username)).toEqual([
      bob.user.username,
      ann.user.username,
      ann.user.username,
    ]);
    const second = await project.api<Lock[]>('GET', '/path_locks?per_page=1&page=2', { token: bob.secret });
    expect([second.body.map(({ path }) => path), second.headers.get('x-total')]).toEqual([['b.psd'], '3']);
    const statuses = await Promise.all(
      [null, (await buildToken(app)).secret, (await project.member(10)).secret].map((token) =>
        project.api('GET', '/path_locks', { token }),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 403]);
    await app.db.deleteFrom('path_locks').execute();
  });

  it('are taken away by who made them; those of others by maintainers who say so', async () => {
    const [own, other] = [await locked('a.psd'), await locked('b.psd', bob)];
    expect((await unlock(own, null)).status).toBe(401);
    expect((await unlock(own, (await project.member(20)).secret)).status).toBe(403);
    expect((await unlock(own, ann.secret)).status).toBe(204);
    expect((await unlock(own, ann.secret)).status).toBe(404);
    expect((await unlock(other, ann.secret)).status).toBe(403);
    expect((await unlock(other, ann.secret, true)).status).toBe(403);
    const maintainer = await project.member(40);
    const refused = await unlock(other, maintainer.secret);
    expect([refused.status, refused.body.message]).toEqual([403, `'b.psd' is locked by @${bob.user.username}.`]);
    expect((await unlock(other, maintainer.secret, 'perhaps')).status).toBe(400);
    expect((await unlock(other, maintainer.secret, true)).status).toBe(204);
    expect((await unlock('x', ann.secret)).status).toBe(400);
    const events = app.db.selectFrom('audit_events').selectAll().where('event', '=', 'path_lock_removed');
    expect(await events.execute()).toMatchObject([
      {
        author_id: maintainer.user.id,
        entity_type: 'Project',
        entity_id: project.id,
        ip_address: '127.0.0.1',
        details: { path: 'b.psd', lfs: true, locked_by: bob.user.username },
      },
    ]);
    expect(await app.db.selectFrom('path_locks').selectAll().execute()).toEqual([]);
  });

  it('of another project are not there', async () => {
    const id = await locked('d.psd');
    const elsewhere = await buildRepositoryProject(app, { owner: ann });
    expect((await elsewhere.api('DELETE', `/path_locks/${id}`)).status).toBe(404);
    expect((await elsewhere.api('GET', '/path_locks')).body).toEqual([]);
  });

  it('are made of what is on the default branch, by who may push', async () => {
    await project.commit('topic', [{ action: 'create', file_path: 'only-there.psd', content: '1' }], {
      start_branch: 'main',
    });
    const made = await lock('/art/a.psd');
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        path: 'art/a.psd',
        lfs: false,
        locked_at: expect.any(String),
        owner: expect.objectContaining({ username: ann.user.username }),
      },
    ]);
    expect((await lock('artful')).body).toMatchObject({ path: 'artful', lfs: false });
    expect((await lock('ünï')).status).toBe(201);
    for (const path of ['absent.psd', 'only-there.psd', 'art/a.psd/x'])
      expect(await lock(path)).toMatchObject({
        status: 404,
        body: { message: '404 File or folder of the default branch Not Found' },
      });
    for (const path of ['art/', '../x', 'art/../README.md', './art', 'a//b', 'a\nb', 'x'.repeat(512), '/'])
      expect([path, (await lock(path)).status]).toEqual([path, 422]);
    for (const path of ['', 'a\0b', undefined]) expect([path, (await lock(path)).status]).toEqual([path, 400]);
    const statuses = await Promise.all(
      [null, (await buildToken(app)).secret, (await project.member(20)).secret].map((token) =>
        lock('README.md', token),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([401, 404, 403]);
    expect(
      (await lock('README.md', ann.secret, await buildRepositoryProject(app, { owner: ann, files: null }))).status,
    ).toBe(404);
    await project.api('POST', '/archive');
    expect((await lock('README.md')).status).toBe(403);
    await project.api('POST', '/unarchive');
    await noLocks();
  });

  it('are not nested: neither a folder around a lock nor what is in a locked folder', async () => {
    await lock('art/deep', bob.secret);
    const refused = `'art/deep' is locked already, by @${bob.user.username}.`;
    expect(await lock('art/deep')).toMatchObject({ status: 409, body: { message: refused } });
    for (const path of ['art', 'art/deep/b.psd'])
      for (const who of [ann, bob])
        expect(await lock(path, who.secret)).toMatchObject({
          status: 409,
          body: { message: `Locks are not nested: ${refused}` },
        });
    expect((await lock('artful')).status).toBe(201);
    await noLocks();
    // Of two at once one has it.
    const both = await Promise.all([lock('art'), lock('art/deep/b.psd', bob.secret)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    await noLocks();
  });

  it('of files of Git LFS are those of its clients', async () => {
    const object = largeFile();
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    await project.commit('main', { 'large.psd': pointer(object) });
    expect((await lock('large.psd')).body.lfs).toBe(false);
    await noLocks();
    await project.api('PUT', '', { json: { lfs_enabled: true } });
    expect((await lock('large.psd')).body.lfs).toBe(true);
    await noLocks();
  });

  it('that a page of a folder shows are its own, those above it and of its entries', async () => {
    await locked('art/a.psd');
    await locked('art/deep/b.psd', bob);
    await locked('artful');
    await locked('ünï/d.psd');
    const seen = async (path: string) =>
      (await project.api<Lock[]>('GET', `/path_locks?path=${encodeURIComponent(path)}`)).body.map((each) => each.path);
    expect(await seen('')).toEqual(['artful']);
    expect(await seen('art')).toEqual(['art/a.psd']);
    expect(await seen('/art/deep/')).toEqual(['art/deep/b.psd']);
    expect(await seen('art/a.psd')).toEqual(['art/a.psd']);
    expect(await seen('artful/c.psd')).toEqual(['artful']);
    expect(await seen('ünï')).toEqual(['ünï/d.psd']);
    expect(await seen('a_t')).toEqual([]);
    const counted = await project.api('GET', '/path_locks?path=art');
    expect(counted.headers.get('x-total')).toBe('1');
    await noLocks();
  });

  it('are bounded in number', async () => {
    await sql`insert into path_locks (project_id, user_id, path, lfs)
      select ${project.id}, ${ann.user.id}, 'many/' || n, true from generate_series(1, 9999) n`.execute(app.db);
    expect((await lock('art')).status).toBe(201);
    expect(await lock('README.md')).toMatchObject({
      status: 422,
      body: { message: 'The project has 10000 locks already: unlock something first.' },
    });
    await noLocks();
  });

  it('go with the project and with the person', async () => {
    const gone = await project.member(30);
    const other = await buildRepositoryProject(app);
    await lock('art', gone.secret);
    await lock('README.md', other.owner.secret, other);
    const run = async (name: string, payload: object) => await runTask(app, name, payload);
    const admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
    expect((await app.api('DELETE', `/users/${gone.user.id}`, { token: admin })).status).toBe(204);
    await run('users.remove', { user_id: gone.user.id, hard: false });
    expect((await project.api('GET', '/path_locks')).body).toEqual([]);
    await run('namespaces.remove_project', { project_id: other.id });
    expect(await app.db.selectFrom('path_locks').selectAll().execute()).toEqual([]);
  });
});
