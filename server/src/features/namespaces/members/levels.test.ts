/** The roles as the numbers that the API speaks: each can be given, and is what its member has then. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildGroup, buildProject, buildToken, buildUser } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

interface Given {
  readonly access_level: number;
}
interface Seen {
  readonly permissions: { readonly project_access: Given | null; readonly group_access: Given | null };
}

describe('access levels', () => {
  it.each([
    [10, 'Guest', 'look at nothing else', '[1/fields.access-levels/3]'],
    [20, 'Reporter', 'read the code', '[1/fields.access-levels/4]'],
    [30, 'Developer', 'push commits', '[1/fields.access-levels/5]'],
    [40, 'Maintainer', 'change settings', '[1/fields.access-levels/6]'],
    [50, 'Owner', 'remove it', '[1/fields.access-levels/7]'],
  ])('%i is %s: may %s %s', async (level) => {
    const owner = await buildToken(app);
    const of = await buildProject(app, { owner: owner.user, visibility: 'private' });
    const { user, secret: token } = await buildToken(app);
    const json = { user_id: user.id, access_level: level };
    const path = `/projects/${of.id}/members`;
    expect(await app.api('POST', path, { token: owner.secret, json })).toMatchObject({
      status: 201,
      body: { access_level: level },
    });
    const seen = await app.api<Seen>('GET', `/projects/${of.id}`, { token });
    expect(seen.body.permissions.project_access?.access_level).toBe(level);
    // What each role adds to the one below it.
    const may = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', what: string, body?: object) =>
      (await app.api(method, `/projects/${of.id}${what}`, { token, ...(body ? { json: body } : {}) })).status;
    expect((await may('GET', '/repository/tree')) !== 403).toBe(level >= 20);
    const commit = { branch: 'x', commit_message: 'x', actions: [{ action: 'create', file_path: 'x', content: 'x' }] };
    expect((await may('POST', '/repository/commits', commit)) !== 403).toBe(level >= 30);
    expect(await may('PUT', '', { description: 'x' })).toBe(level >= 40 ? 200 : 403);
    expect(await may('DELETE', '')).toBe(level >= 50 ? 202 : 403);
  });

  it('[1/fields.access-levels/1] 0 is nobody’s role: it cannot be given, and whoever has none sees nothing', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    const { user, secret: token } = await buildToken(app);
    const json = { user_id: user.id, access_level: 0 };
    expect((await app.api('POST', `/groups/${group.id}/members`, { token: owner.secret, json })).status).toBe(400);
    expect((await app.api('GET', `/groups/${group.id}`, { token })).status).toBe(404);
    const open = await buildProject(app, { visibility: 'public' });
    const seen = await app.api<Seen>('GET', `/projects/${open.id}`, { token });
    expect(seen.body.permissions).toEqual({ project_access: null, group_access: null });
  });

  it('[1/fields.access-levels/2] 5 is a member of the group who sees nothing of what is in it', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    const inside = await buildProject(app, { namespace: group, visibility: 'private' });
    const { user, secret: token } = await buildToken(app);
    const json = { user_id: user.id, access_level: 5 };
    expect(await app.api('POST', `/groups/${group.id}/members`, { token: owner.secret, json })).toMatchObject({
      status: 201,
      body: { access_level: 5 },
    });
    expect((await app.api('GET', `/projects/${inside.id}`, { token })).status).toBe(404);
  });

  it('[1/fields.access-levels/7] the owner of a personal namespace is its projects’ owner: 50', async () => {
    const { user, secret: token } = await buildToken(app, { user: await buildUser(app) });
    const made = await app.api<{ id: number }>('POST', '/projects', { token, json: { name: 'Mine' } });
    const members = await app.api<(Given & { id: number })[]>('GET', `/projects/${made.body.id}/members/all`, {
      token,
    });
    expect(members.body.map(({ id, access_level }) => [id, access_level])).toEqual([[user.id, 50]]);
    const seen = await app.api<Seen>('GET', `/projects/${made.body.id}`, { token });
    expect(seen.body.permissions.project_access ?? seen.body.permissions.group_access).toMatchObject({
      access_level: 50,
    });
  });
});
