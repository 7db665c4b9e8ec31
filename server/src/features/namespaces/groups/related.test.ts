/** Groups and projects that are shared with a group, those invited to it, and where it may go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let owner: BuiltToken;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const ids = async (path: string, token: BuiltToken | undefined = owner, query: object = {}) =>
  (await app.api<{ id: number }[]>('GET', path, { token: token?.secret, query: { ...query } })).body.map(
    ({ id }) => id,
  );
const share = (group: Namespace, place: { namespace_id: number } | { project_id: number }, level = 30) =>
  app.db
    .insertInto('grants')
    .values({ group_id: group.id, level, ...place })
    .execute();

describe('shares seen from a group', () => {
  let top: Namespace;
  let group: Namespace;
  beforeAll(async () => {
    top = await buildGroup(app, { owner: owner.user });
    group = await buildGroup(app, { parent: top });
  });

  it('groups that it was invited to, where the caller sees them', async () => {
    const prefix = unique('inviting');
    const [seen, hidden, ended] = [
      await buildGroup(app, { path: `${prefix}-b`, visibility: 'public' }),
      await buildGroup(app, { path: `${prefix}-a` }),
      await buildGroup(app, { visibility: 'public' }),
    ];
    await share(group, { namespace_id: seen.id });
    // Its own invitation lets the members of the group see it.
    await share(group, { namespace_id: hidden.id }, 10);
    await share(group, { namespace_id: ended.id });
    await app.db.updateTable('grants').set({ expires_at: '2020-01-01' }).where('namespace_id', '=', ended.id).execute();
    const path = `/groups/${group.id}/groups/shared`;
    expect(await ids(path)).toEqual([hidden.id, seen.id]);
    expect(await ids(path, owner, { order_by: 'id', sort: 'desc' })).toEqual([hidden.id, seen.id]);
    expect(await ids(path, owner, { search: `${prefix}-b` })).toEqual([seen.id]);
    expect(await ids(path, owner, { skip_groups: [hidden.id] })).toEqual([seen.id]);
    expect(await ids(path, owner, { visibility: 'private' })).toEqual([hidden.id]);
    expect(await ids(path, owner, { min_access_level: 30 })).toEqual([seen.id]);
    expect((await app.api('GET', path)).status).toBe(404);
    expect((await app.api('GET', path, { token: owner.secret, query: { order_by: 'x' } })).status).toBe(400);
  });

  it('groups that were invited to it or above it', async () => {
    const [direct, inherited] = [
      await buildGroup(app, { path: unique('a'), visibility: 'public' }),
      await buildGroup(app, { path: unique('b'), visibility: 'public' }),
    ];
    await share(direct, { namespace_id: group.id });
    await share(inherited, { namespace_id: top.id });
    const path = `/groups/${group.id}/invited_groups`;
    expect(await ids(path)).toEqual([direct.id, inherited.id]);
    expect(await ids(path, owner, { relation: ['direct'] })).toEqual([direct.id]);
    expect(await ids(path, owner, { relation: ['inherited'] })).toEqual([inherited.id]);
    expect(await ids(path, owner, { search: inherited.path })).toEqual([inherited.id]);
    expect(await ids(path, owner, { min_access_level: 10 })).toEqual([]);
    expect((await app.api('GET', path, { token: owner.secret, query: { relation: ['none'] } })).status).toBe(400);
    expect((await app.api('GET', path)).status).toBe(404);
  });

  it('projects that it was invited to', async () => {
    const [open, archived] = [
      await buildProject(app, { visibility: 'public', statistics: { repository_size: 9 } }),
      await buildProject(app, { archived: true }),
    ];
    await share(group, { project_id: open.id });
    await share(group, { project_id: archived.id });
    const path = `/groups/${group.id}/projects/shared`;
    expect((await ids(path)).sort()).toEqual([open.id, archived.id].sort());
    expect(await ids(path, owner, { archived: false })).toEqual([open.id]);
    expect(await ids(path, owner, { visibility: 'private' })).toEqual([archived.id]);
    // Sizes order for administrators only; everybody else gets the usual order.
    const bySize = { order_by: 'repository_size', sort: 'asc' };
    expect(await ids(path, admin, bySize)).toEqual([archived.id, open.id]);
    expect(await ids(path, owner, bySize)).toEqual([open.id, archived.id]);
    expect(await ids(path, owner, { order_by: 'wiki_size', sort: 'asc' })).toEqual([open.id, archived.id]);
    expect((await app.api('GET', path)).status).toBe(404);
  });
});

describe('GET /groups/:id/transfer_locations', () => {
  it('groups of the caller, but not where it is and not what is inside', async () => {
    const person = await buildToken(app, { user: await buildUser(app) });
    const parent = await buildGroup(app, { owner: person.user });
    const group = await buildGroup(app, { parent });
    const inside = await buildGroup(app, { parent: group });
    const other = await buildGroup(app, { owner: person.user });
    const maintained = await buildGroup(app);
    await buildMember(app, { user: person.user, of: maintained, level: Level.maintainer });
    const path = `/groups/${group.id}/transfer_locations`;
    expect(await ids(path, person)).toEqual([other.id]);
    expect(await ids(path, person, { search: 'nowhere' })).toEqual([]);
    const [first] = (await app.api<object[]>('GET', path, { token: person.secret })).body;
    expect(first).toEqual({
      id: other.id,
      web_url: `${app.url}/groups/${other.full_path}`,
      name: other.name,
      avatar_url: null,
      full_name: other.full_name,
      full_path: other.full_path,
    });
    const all = await ids(path, admin, { per_page: 100 });
    expect(all).toContain(maintained.id);
    expect(all).not.toContain(inside.id);
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(404);
    await buildMember(app, { user: owner.user, of: group, level: Level.maintainer });
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(403);
  });
});
