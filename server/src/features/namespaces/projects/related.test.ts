/** People and groups around a project, and moving it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let invitee: BuiltToken;
let admin: BuiltToken;
let top: Namespace;
let sub: Namespace;
let hidden: Namespace;
let shown: Namespace;
let project: Project;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest, invitee] = await Promise.all([buildToken(app), buildToken(app), buildToken(app)]);
  admin = await buildToken(app, { user: await buildAdmin(app) });
  top = await buildGroup(app, { owner: owner.user, visibility: 'public', path: unique('top') });
  sub = await buildGroup(app, { parent: top, visibility: 'public' });
  project = await buildProject(app, { namespace: sub, owner: owner.user, visibility: 'public' });
  hidden = await buildGroup(app);
  shown = await buildGroup(app, { visibility: 'public' });
  await buildMember(app, { user: invitee.user, of: hidden, level: Level.developer });
  await buildMember(app, { user: guest.user, of: project, level: Level.guest });
  for (const group of [hidden, shown])
    await app.db.insertInto('grants').values({ group_id: group.id, project_id: project.id, level: 30 }).execute();
});
afterAll(() => app.close());

const ids = async (target: string, token?: BuiltToken, query: Json = {}) => {
  const answer = await app.api<Array<{ id: number }>>('GET', `/projects/${project.id}/${target}`, {
    token: token?.secret,
    query,
  });
  return answer.status === 200 ? answer.body.map(({ id }) => id) : answer.status;
};
const sorted = (...values: number[]) => expect.arrayContaining(values);

describe('around a project', () => {
  it('people with a role, inherited and through invited groups', async () => {
    const all = await ids('users');
    expect(all).toHaveLength(3);
    expect(all).toEqual(sorted(owner.user.id, guest.user.id, invitee.user.id));
    expect(await ids('users', owner, { search: guest.user.username })).toEqual([guest.user.id]);
    expect(await ids('users', owner, { skip_users: [guest.user.id, owner.user.id] })).toEqual([invitee.user.id]);
  });

  it('groups above and invited ones, as far as the caller sees them', async () => {
    expect(await ids('groups')).toHaveLength(2);
    expect(await ids('groups', guest, { with_shared: true })).toEqual(sorted(top.id, sub.id, shown.id));
    expect(await ids('groups', guest, { with_shared: true })).not.toContain(hidden.id);
    expect(await ids('groups', admin, { with_shared: true })).toEqual(sorted(hidden.id));
    expect(await ids('groups', guest, { skip_groups: [top.id] })).toEqual([sub.id]);
    expect(await ids('groups', guest, { search: top.path, with_shared: true, shared_min_access_level: 40 })).toEqual(
      sorted(top.id, sub.id),
    );
    expect(await ids('invited_groups')).toEqual([shown.id]);
    expect(await ids('invited_groups', invitee)).toEqual(sorted(shown.id, hidden.id));
    expect(await ids('invited_groups', invitee, { min_access_level: 30 })).toEqual([hidden.id]);
    expect(await ids('invited_groups', invitee, { relation: ['inherited'] })).toEqual([]);
  });

  it('where it can be shared and moved to', async () => {
    const mine = await buildGroup(app, { owner: owner.user });
    const noone = await buildGroup(app, { owner: owner.user });
    await app.db
      .updateTable('namespaces')
      .set({ project_creation_level: 'noone' })
      .where('id', '=', noone.id)
      .execute();
    expect(await ids('share_locations', owner, { search: mine.path })).toEqual([mine.id]);
    expect(await ids('share_locations', owner)).not.toContain(top.id);
    expect(await ids('share_locations', guest)).toBe(403);
    const places = await ids('transfer_locations', owner);
    expect(places).toEqual(sorted(mine.id, top.id));
    expect(places).not.toContain(sub.id);
    expect(places).not.toContain(noone.id);
    expect(await ids('transfer_locations', admin, { search: hidden.path })).toEqual([hidden.id]);
    expect(await ids('transfer_locations', guest)).toBe(403);
  });
});

describe('PUT /projects/:id/transfer', () => {
  const transfer = (of: Project, namespace: unknown, token: BuiltToken | undefined = owner) =>
    app.api<Json>('PUT', `/projects/${of.id}/transfer`, { token: token?.secret, json: { namespace } });

  it('moves it; the old address leads there, what is too open is closed, and it is recorded', async () => {
    const group = await buildGroup(app, { owner: owner.user, visibility: 'private' });
    const moved = await buildProject(app, { namespace: sub, owner: owner.user, visibility: 'public' });
    const answer = await transfer(moved, group.id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        path_with_namespace: `${group.full_path}/${moved.path}`,
        visibility: 'private',
        namespace: { id: group.id },
      },
    });
    const old = encodeURIComponent(`${sub.full_path}/${moved.path}`);
    expect((await app.api<Json>('GET', `/projects/${old}`, { token: owner.secret })).body.id).toBe(moved.id);
    const back = await transfer(moved, owner.user.username);
    expect(back.body).toMatchObject({ path_with_namespace: `${owner.user.username}/${moved.path}` });
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details'])
      .where('entity_id', '=', moved.id)
      .where('entity_type', '=', 'Project')
      .orderBy('id')
      .execute();
    expect(events).toMatchObject([
      { event: 'project_transferred', details: { from: sub.full_path, to: group.full_path } },
      { event: 'project_transferred', details: { from: group.full_path, to: owner.user.username } },
    ]);
  });

  it('is refused in words', async () => {
    expect((await transfer(project, hidden.id)).body).toEqual({ message: '404 Namespace Not Found' });
    expect((await transfer(project, shown.id)).body).toEqual({
      message: 'Failed to transfer project Transfer failed, please contact an admin.',
    });
    expect((await transfer(project, sub.id)).status).toBe(400);
    expect((await transfer(project, top.id, guest)).status).toBe(403);
    const twin = await buildProject(app, { namespace: top, owner: owner.user, path: project.path });
    expect((await transfer(project, top.id)).body).toEqual({
      message: 'Failed to transfer project Project with same name or path in target namespace already exists',
    });
    expect(twin.namespace_id).toBe(top.id);
    expect((await app.api('PUT', `/projects/${project.id}/transfer`, { json: { namespace: top.id } })).status).toBe(
      401,
    );
    expect((await app.api('PUT', `/projects/${project.id}/transfer`, { token: owner.secret, json: {} })).status).toBe(
      400,
    );
  });
});
