/** Every attribute of a group: kept and returned, and what it does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
import type { Namespace } from '../../../kernel/db/rows.ts';
import { printedReasons } from '../../../kernel/http/errors.ts';
import { administratorAttributes, attributes, topLevelAttributes } from './attributes.params.ts';
import { type GroupAttributeName, groupAttributes } from './attributes.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let maintainer: BuiltToken;
let group: Namespace;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  [owner, maintainer] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  await buildMember(app, { user: maintainer.user, of: group, level: Level.maintainer });
});
afterAll(() => app.close());

const get = (path: string, token?: BuiltToken) => app.api<Json>('GET', path, { token: token?.secret });
const put = (id: number, json: Json, token = owner) =>
  app.api<Json>('PUT', `/groups/${id}`, { token: token.secret, json });
const post = (path: string, json: Json = {}, token = owner) =>
  app.api<Json>('POST', path, { token: token.secret, json });
const made = async (json: Json, token = owner) => {
  const answer = await post('/groups', { name: unique('Group'), path: unique('group'), ...json }, token);
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body as Json & { id: number };
};

const names = Object.keys(groupAttributes) as GroupAttributeName[];
const sampled = names.filter((name) => groupAttributes[name].sample !== undefined);
const shownAs = (name: GroupAttributeName) => groupAttributes[name].as ?? name;

describe('every attribute', () => {
  it.each(sampled)('%s is kept and returned, by create where it is one of its parameters', async (name) => {
    const { sample, stored } = groupAttributes[name];
    const before = (await get(`/groups/${(await made({})).id}`, owner)).body[shownAs(name)];
    expect(before).not.toEqual(sample);
    const fresh = name in attributes ? await made({ [name]: sample }, admin) : await made({}, admin);
    if (!(name in attributes)) expect((await put(fresh.id, { [name]: sample }, admin)).status).toBe(200);
    expect((await get(`/groups/${fresh.id}`, admin)).body[shownAs(name)]).toEqual(sample);
    const row = await app.db.selectFrom('namespaces').selectAll().where('id', '=', fresh.id).executeTakeFirstOrThrow();
    expect(row[stored]).toEqual(name === 'emails_disabled' ? !sample : sample);
  });

  it('is shown where it says', async () => {
    const list = (await app.api<Json[]>('GET', '/groups', { query: { search: group.path } })).body[0] ?? {};
    const open = (await get(`/groups/${group.id}`)).body;
    const own = (await get(`/groups/${group.id}`, owner)).body;
    const all = (await get(`/groups/${group.id}`, admin)).body;
    for (const name of names) {
      const { returned } = groupAttributes[name];
      const key = shownAs(name);
      expect([key, key in own, key in all]).toEqual([key, returned !== 'administrator', true]);
      if (name === 'ip_restriction_ranges') continue;
      expect([key, key in open]).toEqual([key, returned === 'list' || returned === 'detail']);
      expect([key, key in list]).toEqual([key, returned === 'list']);
    }
  });

  it('names the test of its effect', () => {
    for (const name of names) {
      const { effect, test } = groupAttributes[name];
      expect([name, typeof effect === 'string']).toEqual([name, test !== undefined]);
      expect([name, test === undefined || existsSync(join(import.meta.dirname, '..', test))]).toEqual([name, true]);
    }
  });

  it('those of administrators stay what they are when others set them', async () => {
    const fresh = await made(Object.fromEntries(administratorAttributes.map((name) => [name, 3])));
    const kept = (await get(`/groups/${fresh.id}`, admin)).body;
    for (const name of administratorAttributes) expect([name, kept[name]]).toEqual([name, null]);
  });

  it('those of a whole tree are refused below it', async () => {
    const below = await made({ parent_id: group.id });
    for (const name of topLevelAttributes) {
      const answer = await put(below.id, { [name]: groupAttributes[name].sample });
      expect([name, answer.body]).toEqual([name, { message: { [name]: ['is only allowed for top-level groups'] } }]);
    }
    const domains = await put(group.id, { allowed_email_domains_list: 'example.com,no domain' });
    expect(domains.body).toEqual({ message: { allowed_email_domains_list: ['has a domain that is not valid'] } });
  });
});

describe('effects', () => {
  it('[3/fields.group/7] [3/fields.group/8] levels of creation', async () => {
    const wanted = () => ({ name: unique('Made'), path: unique('made'), parent_id: group.id });
    const project = () => post('/projects', { name: unique('made'), namespace_id: group.id }, maintainer);
    expect((await post('/groups', wanted(), maintainer)).status).toBe(201);
    expect((await project()).status).toBe(201);
    await put(group.id, { subgroup_creation_level: 'owner', project_creation_level: 'owner' });
    expect((await post('/groups', wanted(), maintainer)).status).toBe(403);
    expect((await project()).body).toEqual({ message: { namespace: ['is not valid'] } });
    await put(group.id, { subgroup_creation_level: 'maintainer', project_creation_level: 'developer' });
  });

  it('[3/fields.group/4] the lock of shares holds below, and only owners of the group above lift it', async () => {
    const top = await made({});
    const below = await made({ parent_id: top.id });
    const other = await buildToken(app);
    await app.db.insertInto('grants').values({ user_id: other.user.id, namespace_id: below.id, level: 50 }).execute();
    await put(top.id, { share_with_group_lock: true });
    expect((await get(`/groups/${below.id}`, owner)).body.share_with_group_lock).toBe(true);
    expect((await made({ parent_id: top.id })).share_with_group_lock).toBe(true);
    const refused = await put(below.id, { share_with_group_lock: false }, other);
    expect(refused).toMatchObject({
      status: 400,
      body: { message: { share_with_group_lock: [expect.stringMatching(/^cannot be disabled when the parent/)] } },
    });
    expect((await put(below.id, { share_with_group_lock: false })).body.share_with_group_lock).toBe(false);
  });

  it('limits of formulas are taken over from above, and locked from there', async () => {
    const limits = 'math_rendering_limits_enabled';
    const lock = 'lock_math_rendering_limits_enabled';
    const of = async ({ id }: { id: number }) => (await get(`/groups/${id}`, owner)).body[limits];
    const top = await made({});
    const sub = await made({ parent_id: top.id });
    const deep = await made({ parent_id: sub.id });
    expect(await of(top)).toBe(true);
    // Each its own, while nobody locks.
    await put(top.id, { [limits]: false });
    expect([await of(top), await of(sub), await of(await made({ parent_id: top.id }))]).toEqual([false, true, false]);
    await put(top.id, { [lock]: true });
    expect([await of(sub), await of(deep)]).toEqual([false, false]);
    const refusal = { [limits]: ['cannot be changed because it is locked by an ancestor'] };
    for (const each of [sub, deep])
      expect(await put(each.id, { [limits]: true })).toMatchObject({ status: 400, body: { message: refusal } });
    // What changes nothing is not refused: forms send it with the rest.
    expect((await put(deep.id, { [limits]: false, description: 'x' })).status).toBe(200);
    const wanted = { name: unique('G'), path: unique('g'), parent_id: deep.id, [limits]: true };
    expect((await post('/groups', wanted)).body).toEqual({
      message: `Failed to save group ${printedReasons(refusal)}`,
    });
    await put(top.id, { [limits]: true });
    expect([await of(sub), await of(deep)]).toEqual([true, true]);
    // What moves below a lock comes under it, with all it has.
    const mover = await made({ [limits]: false });
    const moved = await made({ parent_id: mover.id });
    expect([await of(mover), await of(moved)]).toEqual([false, false]);
    const transfer = await post(`/groups/${mover.id}/transfer`, { group_id: sub.id });
    expect(transfer.status).toBe(201);
    expect([await of(mover), await of(moved)]).toEqual([true, true]);
    await put(top.id, { [lock]: false });
    expect((await put(deep.id, { [limits]: false })).body[limits]).toBe(false);
    expect(await of(sub)).toBe(true);
  });

  it('[3/fields.group/11] the first branch of new projects and its protection', async () => {
    const top = await made({
      default_branch: 'trunk',
      default_branch_protection_defaults: {
        allowed_to_push: [{ access_level: 40 }],
        allowed_to_merge: [{ access_level: 30 }],
        allow_force_push: false,
      },
    });
    expect(top.default_branch_protection).toBe(3);
    const json = { name: unique('started'), namespace_id: top.id, initialize_with_readme: true };
    const project = (await post('/projects', json)).body as { id: number };
    const protectedRow = await app.db
      .selectFrom('protected_branches')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirst();
    expect(protectedRow?.name).toBe('trunk');
    const levels = await app.db
      .selectFrom('protected_branch_levels')
      .select(['kind', 'level'])
      .where('protected_branch_id', '=', protectedRow?.id ?? 0)
      .orderBy('kind')
      .execute();
    expect(levels).toEqual([
      { kind: 'merge', level: 30 },
      { kind: 'push', level: 40 },
    ]);
    const nonsense = await put(top.id, { default_branch_protection_defaults: { allowed_to_push: 'everybody' } });
    expect(nonsense).toMatchObject({
      status: 400,
      body: { message: { default_branch_protection_defaults: ['must be a valid json schema'] } },
    });
  });

  it('[3/fields.group/10] new projects and groups below start with LFS as the group has it', async () => {
    const top = await made({ lfs_enabled: false });
    expect((await made({ parent_id: top.id })).lfs_enabled).toBe(false);
    const project = await post('/projects', { name: unique('without'), namespace_id: top.id });
    expect(project.body.lfs_enabled).toBe(false);
    const asked = await post('/projects', { name: unique('with'), namespace_id: top.id, lfs_enabled: true });
    expect(asked.body.lfs_enabled).toBe(true);
  });

  it('runners of the instance: off reaches everything below at once, and what is final cannot be lifted', async () => {
    const top = await made({});
    const below = await made({ parent_id: top.id });
    const project = await post('/projects', { name: unique('running'), namespace_id: below.id });
    expect(project.body.shared_runners_enabled).toBe(true);
    const runners = async () => (await get(`/projects/${project.body.id}`, owner)).body.shared_runners_enabled;
    const setting = async () => (await get(`/groups/${below.id}`, owner)).body.shared_runners_setting;
    await put(top.id, { shared_runners_setting: 'disabled_with_override' });
    expect([await setting(), await runners()]).toEqual(['disabled_and_overridable', false]);
    expect((await put(below.id, { shared_runners_setting: 'enabled' })).status).toBe(200);
    expect((await put(top.id, { shared_runners_setting: 'disabled_and_unoverridable' })).status).toBe(200);
    expect(await setting()).toBe('disabled_and_unoverridable');
    const refused = await put(below.id, { shared_runners_setting: 'enabled' });
    expect(refused.body).toEqual({
      message: { shared_runners_enabled: ['cannot be enabled because parent group has shared Runners disabled'] },
    });
    expect((await made({ parent_id: top.id })).shared_runners_setting).toBe('disabled_and_unoverridable');
  });

  it('[3/fields.group/18] ranges of addresses are for owners to read', async () => {
    const top = await made({ visibility: 'public', ip_restriction_ranges: '0.0.0.0/0,::/0' });
    const ranges = async (token?: BuiltToken) => (await get(`/groups/${top.id}`, token)).body.ip_restriction_ranges;
    expect([await ranges(owner), await ranges(admin)]).toEqual(['0.0.0.0/0,::/0', '0.0.0.0/0,::/0']);
    expect([await ranges(maintainer), await ranges()]).toEqual([undefined, undefined]);
    const listed = async (token: BuiltToken) =>
      (
        await app.api<Json[]>('GET', '/groups', {
          token: token.secret,
          query: { search: top.path, all_available: true },
        })
      ).body[0];
    expect((await listed(owner))?.ip_restriction_ranges).toBe('0.0.0.0/0,::/0');
    expect(await listed(maintainer)).not.toHaveProperty('ip_restriction_ranges');
    expect((await put(top.id, { ip_restriction_ranges: '' })).body.ip_restriction_ranges).toBeNull();
  });

  it('the token that registers runners is for owners, and only while such tokens are used', async () => {
    const top = await made({ visibility: 'public' });
    const shown = async (token?: BuiltToken) => (await get(`/groups/${top.id}`, token)).body.runners_token;
    const registers = (token: unknown) => app.api('POST', '/runners', { json: { token } });
    const first = await shown(owner);
    expect((await registers(first)).status).toBe(201);
    expect(await shown(owner)).toBe(first);
    const { body } = await post(`/groups/${top.id}/runners/reset_registration_token`);
    expect(await shown(owner)).toBe(body.token);
    expect((await registers(first)).status).toBe(403);
    expect([await shown(maintainer), await shown()]).toEqual([null, null]);
    await app.settings.write({ allow_runner_registration_token: false });
    expect(await shown(owner)).toBeNull();
    await app.settings.write({ allow_runner_registration_token: true });
  });

  it('changes are in the audit log, from what to what', async () => {
    const top = await made({});
    await put(top.id, { description: 'New', lfs_enabled: false });
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details', 'author_id'])
      .where('entity_type', '=', 'Group')
      .where('entity_id', '=', top.id)
      .orderBy('id')
      .execute();
    expect(events.map(({ event }) => event)).toEqual([
      'group_created',
      'group_lfs_enabled_updated',
      'group_description_updated',
    ]);
    expect(events[1]).toMatchObject({
      author_id: owner.user.id,
      details: { change: 'lfs_enabled', from: true, to: false },
    });
  });
});

describe('pictures', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const form = (bytes: Buffer | string, values: Record<string, string> = {}) => {
    const data = new FormData();
    data.set('avatar', new File([new Uint8Array(Buffer.from(bytes))], '../x.html', { type: 'text/html' }));
    for (const [key, value] of Object.entries(values)) data.set(key, value);
    return data;
  };

  it('[3/fields.group/12] security 5: is served as what its bytes are, to who sees the group', async () => {
    const answer = await app.api<Json & { id: number; avatar_url: string }>('POST', '/groups', {
      token: owner.secret,
      form: form(png, { name: unique('Pictured'), path: unique('pictured') }),
    });
    expect(answer.status).toBe(201);
    const { id, avatar_url: url } = answer.body;
    expect(url).toBe(`${app.url}/uploads/-/system/group/avatar/${id}/x.png`);
    const { avatar_object_key: stored } = await app.db
      .selectFrom('namespaces')
      .select('avatar_object_key')
      .where('id', '=', Number(id))
      .executeTakeFirstOrThrow();
    const key = String(stored).split('/', 1)[0] ?? '';
    const old = await fetch(url.replace('x.png', key), {
      headers: { 'PRIVATE-TOKEN': owner.secret },
      redirect: 'manual',
    });
    expect([old.status, old.headers.get('location')]).toEqual([301, url]);
    const fetched = (target: string, token?: BuiltToken) =>
      fetch(target, { headers: token ? { 'PRIVATE-TOKEN': token.secret } : {} });
    const served = await fetched(url, owner);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(served.headers.get('content-security-policy')).toContain('sandbox');
    expect([(await fetched(url)).status, (await fetched(url, maintainer)).status]).toEqual([404, 404]);
    const download = await fetched(`${app.url}/api/v4/groups/${id}/avatar`, owner);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(png);
    const reader = await buildToken(app, { user: owner.user, scopes: ['read_user'] });
    expect((await fetched(url, reader)).status).toBe(404);
    await put(id, { visibility: 'public' });
    expect((await fetched(url)).status).toBe(200);
    for (const file of ['..%2f..%2fsecrets.key', '0'.repeat(32)])
      expect((await fetched(url.replace(/[^/]+$/, file))).status).toBe(404);

    const empty = new FormData();
    empty.set('avatar', '');
    const removed = await app.api<Json>('PUT', `/groups/${id}`, { token: owner.secret, form: empty });
    expect([removed.status, removed.body.avatar_url]).toEqual([200, null]);
    expect((await fetched(url)).status).toBe(404);
    expect((await get(`/groups/${id}/avatar`, owner)).body).toEqual({ message: '404 Avatar Not Found' });
    const given = await app.db.selectFrom('object_deletions').selectAll().where('object_key', '=', key).execute();
    expect(given).toHaveLength(1);
  });

  it('what is no image is refused, and nothing is kept of a group that is not made', async () => {
    const bad = await app.api<Json>('PUT', `/groups/${group.id}`, { token: owner.secret, form: form('<svg/>') });
    expect(bad).toMatchObject({
      status: 400,
      body: { message: { avatar: [expect.stringContaining('not supported')] } },
    });
    const taken = form(png, { name: 'x', path: group.path });
    expect((await app.api('POST', '/groups', { token: owner.secret, form: taken })).status).toBe(400);
  });
});

describe('archived groups', () => {
  it('nothing in them changes, and lists tell them apart', async () => {
    const top = await made({ visibility: 'public' });
    const below = await made({ parent_id: top.id });
    const project = await buildProject(app, { namespace: below as unknown as Namespace, owner: owner.user });
    const archive = (token?: BuiltToken, way = 'archive') =>
      app.api<Json>('POST', `/groups/${top.id}/${way}`, { token: token?.secret });
    expect([(await archive()).status, (await archive(maintainer)).status]).toEqual([401, 403]);
    expect(await archive(owner)).toMatchObject({ status: 201, body: { archived: true } });
    expect(await archive(owner)).toMatchObject({ status: 422, body: { message: 'Group is already archived!' } });
    expect((await get(`/projects/${project.id}`, owner)).body.archived).toBe(true);
    expect((await post('/groups', { name: 'x', path: unique('x'), parent_id: top.id })).status).toBe(403);
    expect((await post('/groups', { name: 'x', path: unique('x'), parent_id: below.id })).status).toBe(403);
    expect((await post('/projects', { name: unique('x'), namespace_id: below.id })).status).toBe(400);
    expect((await post(`/groups/${below.id}/milestones`, { title: 'x' })).status).toBe(403);
    const list = async (query: Json) =>
      (
        await app.api<Json[]>('GET', '/groups', { token: owner.secret, query: { search: top.path, ...query } })
      ).body.map(({ id }) => id);
    expect(await list({ archived: true, top_level_only: true })).toEqual([top.id]);
    expect(await list({ archived: false, top_level_only: true })).toEqual([]);
    expect(await list({ active: true, top_level_only: true })).toEqual([]);
    expect(await list({ active: false, top_level_only: true })).toEqual([top.id]);
    const projects = await app.api<Json[]>('GET', `/groups/${below.id}/projects`, {
      token: owner.secret,
      query: { archived: true },
    });
    expect(projects.body.map(({ id }) => id)).toEqual([project.id]);
    expect(await archive(owner, 'unarchive')).toMatchObject({ status: 201, body: { archived: false } });
    expect(await archive(owner, 'unarchive')).toMatchObject({ status: 422 });
    expect((await get(`/projects/${project.id}`, owner)).body.archived).toBe(false);
  });

  it('nothing changes either below one that waits for its deletion, until it is restored', async () => {
    const top = await made({});
    const below = await made({ parent_id: top.id });
    const project = await buildProject(app, { namespace: below as unknown as Namespace, owner: owner.user });
    const changes = async () => [
      (await post(`/projects/${project.id}/issues`, { title: 'x' })).status,
      (await post(`/projects/${project.id}/labels`, { name: unique('l'), color: '#fff' })).status,
      (await post(`/groups/${below.id}/milestones`, { title: unique('m') })).status,
      (await post('/projects', { name: unique('x'), namespace_id: below.id })).status,
    ];
    const removed = await app.api('DELETE', `/groups/${top.id}`, { token: owner.secret });
    expect([removed.status, await changes()]).toEqual([202, [403, 403, 403, 400]]);
    expect((await get(`/projects/${project.id}`, owner)).status).toBe(200);
    expect((await post(`/groups/${top.id}/restore`, {})).status).toBe(201);
    expect(await changes()).toEqual([201, 201, 201, 201]);
  });
});
