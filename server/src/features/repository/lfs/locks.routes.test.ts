/** Locks of files over the API: who sees them, and who takes them away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

interface Lock {
  readonly id: number;
  readonly path: string;
  readonly owner: { readonly username: string };
}

let app: TestApp;
let project: RepositoryProject;
let ann: BuiltToken;
let bob: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  ann = await project.member(30);
  bob = await project.member(30);
});
afterAll(() => app.close());

async function locked(path: string, who = ann): Promise<number> {
  const row = { project_id: project.id, user_id: who.user.id, path };
  return (await app.db.insertInto('lfs_locks').values(row).returning('id').executeTakeFirstOrThrow()).id;
}
const unlock = (id: number | string, token: string | null, force?: unknown) =>
  project.api('DELETE', `/lfs_locks/${id}${force === undefined ? '' : `?force=${force}`}`, { token });

describe('locks of files', () => {
  it('are listed by path, in pages, to who reads the code', async () => {
    const ids = [await locked('b.psd'), await locked('a.psd', bob), await locked('c.psd')];
    const all = await project.api<Lock[]>('GET', '/lfs_locks', { token: bob.secret });
    expect(all.body).toEqual([
      { id: ids[1], path: 'a.psd', locked_at: expect.any(String), owner: expect.anything() },
      { id: ids[0], path: 'b.psd', locked_at: expect.any(String), owner: expect.anything() },
      { id: ids[2], path: 'c.psd', locked_at: expect.any(String), owner: expect.anything() },
    ]);
    expect(all.body.map(({ owner }) => owner.username)).toEqual([
      bob.user.username,
      ann.user.username,
      ann.user.username,
    ]);
    const second = await project.api<Lock[]>('GET', '/lfs_locks?per_page=1&page=2', { token: bob.secret });
    expect([second.body.map(({ path }) => path), second.headers.get('x-total')]).toEqual([['b.psd'], '3']);
    const statuses = await Promise.all(
      [null, (await buildToken(app)).secret, (await project.member(10)).secret].map((token) =>
        project.api('GET', '/lfs_locks', { token }),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 403]);
    await app.db.deleteFrom('lfs_locks').execute();
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
    expect(await app.db.selectFrom('lfs_locks').selectAll().execute()).toEqual([]);
  });

  it('of another project are not there', async () => {
    const id = await locked('d.psd');
    const elsewhere = await buildRepositoryProject(app, { owner: ann });
    expect((await elsewhere.api('DELETE', `/lfs_locks/${id}`)).status).toBe(404);
    expect((await elsewhere.api('GET', '/lfs_locks')).body).toEqual([]);
  });
});
