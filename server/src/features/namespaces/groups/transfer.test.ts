/** Moving groups over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const move = (group: Namespace, to?: Namespace | string, token = owner) =>
  app.api<Json>('POST', `/groups/${group.id}/transfer`, {
    token: token.secret,
    json: to === undefined ? {} : { group_id: typeof to === 'string' ? to : to.id },
  });
const get = async (path: string) => (await app.api<Json>('GET', path, { token: owner.secret })).body;

describe('POST /groups/:id/transfer', () => {
  let from: Namespace;
  let group: Namespace;
  let below: Namespace;
  let target: Namespace;
  beforeEach(async () => {
    from = await buildGroup(app, { owner: owner.user });
    group = await buildGroup(app, { parent: from });
    below = await buildGroup(app, { parent: group });
    target = await buildGroup(app, { owner: owner.user });
  });

  it('below another group, with everything in it; old paths lead to it', async () => {
    const project = await buildProject(app, { namespace: below });
    const moved = await move(group, target);
    expect(moved).toMatchObject({
      status: 201,
      body: { id: group.id, parent_id: target.id, full_path: `${target.full_path}/${group.path}` },
    });
    const path = `${target.full_path}/${group.path}/${below.path}`;
    expect((await get(`/projects/${project.id}`)).path_with_namespace).toBe(`${path}/${project.path}`);
    for (const former of [group, below])
      expect((await get(`/groups/${encodeURIComponent(former.full_path)}`)).id).toBe(former.id);
    expect((await get(`/projects/${encodeURIComponent(`${below.full_path}/${project.path}`)}`)).id).toBe(project.id);
    const event = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details'])
      .where('entity_id', '=', group.id)
      .where('entity_type', '=', 'Group')
      .executeTakeFirst();
    expect(event).toEqual({
      event: 'group_transferred',
      details: { from: group.full_path, to: `${target.full_path}/${group.path}`, author_email: owner.user.email },
    });
  });

  it('to the top, where whoever moves it becomes its owner if it has none', async () => {
    expect(await move(group)).toMatchObject({ status: 201, body: { parent_id: null, full_path: group.path } });
    expect((await get(`/groups/${group.id}/members/${owner.user.id}`)).access_level).toBe(50);
    expect(await move(group)).toMatchObject({
      status: 400,
      body: { message: 'Transfer failed: Group is already a root group.' },
    });
    const joined = await buildGroup(app, { parent: from });
    await buildMember(app, { user: owner.user, of: joined, level: Level.guest });
    expect((await move(joined)).status).toBe(201);
    expect((await get(`/groups/${joined.id}/members/${owner.user.id}`)).access_level).toBe(50);
    const reserved = await buildGroup(app, { parent: from, path: 'explore' });
    expect(await move(reserved)).toMatchObject({ status: 400 });
    const nobody = await buildToken(app, { user: await buildUser(app, { can_create_group: false }) });
    await buildMember(app, { user: nobody.user, of: below, level: Level.owner });
    expect((await move(below, undefined, nobody)).body).toEqual({
      message: "Transfer failed: You don't have enough permissions.",
    });
  });

  it('not into itself, not where it is, not where its path is taken, not too deep', async () => {
    expect((await move(group, below)).body).toEqual({
      message: 'Transfer failed: A group cannot be moved into itself.',
    });
    expect((await move(group, from)).body).toEqual({
      message: 'Transfer failed: Group is already associated to the parent group.',
    });
    await buildProject(app, { namespace: target, path: group.path });
    const taken = {
      message: 'Transfer failed: The parent group already has a subgroup or a project with the same path.',
    };
    expect(await move(group, target)).toMatchObject({ status: 400, body: taken });
    let deep = await buildGroup(app, { owner: owner.user });
    for (let level = 1; level < 20; level += 1) deep = await buildGroup(app, { parent: deep, path: `l${level}` });
    expect((await move(group, deep)).body).toEqual({
      message: 'Transfer failed: Groups are at most 20 levels below the top (ancestor_limit).',
    });
    expect((await move(below, deep)).status).toBe(201);
  });

  it('what the group above asks holds at once, and nothing is more open than it', async () => {
    const open = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const inside = await buildGroup(app, { parent: open, visibility: 'public' });
    const project = await buildProject(app, { namespace: inside, visibility: 'public' });
    await app.api('PUT', `/groups/${target.id}`, {
      token: owner.secret,
      json: { share_with_group_lock: true, shared_runners_setting: 'disabled_and_unoverridable' },
    });
    expect(await move(open, target)).toMatchObject({
      status: 201,
      body: {
        visibility: 'private',
        share_with_group_lock: true,
        shared_runners_setting: 'disabled_and_unoverridable',
      },
    });
    expect(await get(`/groups/${inside.id}`)).toMatchObject({ visibility: 'private', share_with_group_lock: true });
    expect(await get(`/projects/${project.id}`)).toMatchObject({
      visibility: 'private',
      shared_runners_enabled: false,
    });
  });

  it('security 18: memberships of the group above end with it, and those of the new one count', async () => {
    const member = await buildToken(app);
    await buildMember(app, { user: member.user, of: from, level: Level.developer });
    const newcomer = await buildToken(app);
    await buildMember(app, { user: newcomer.user, of: target, level: Level.developer });
    const seen = async (token: BuiltToken) =>
      (await app.api('GET', `/groups/${below.id}`, { token: token.secret })).status;
    expect([await seen(member), await seen(newcomer)]).toEqual([200, 404]);
    await move(group, target);
    expect([await seen(member), await seen(newcomer)]).toEqual([404, 200]);
  });

  it('only owners move, and only where they may', async () => {
    const hidden = await buildGroup(app);
    expect(await move(group, hidden)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } });
    const shown = await buildGroup(app, { visibility: 'public' });
    expect((await move(group, shown)).body).toEqual({ message: "Transfer failed: You don't have enough permissions." });
    expect((await move(group, unique('no-such'))).status).toBe(404);
    const maintainer = await buildToken(app);
    await buildMember(app, { user: maintainer.user, of: group, level: Level.maintainer });
    expect((await move(group, target, maintainer)).status).toBe(403);
    expect((await app.api('POST', `/groups/${group.id}/transfer`)).status).toBe(401);
  });
});
