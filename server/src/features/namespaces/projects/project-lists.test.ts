/** Lists of projects over HTTP, and the plans of the hot ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RequestParts, startTestApp, type TestApp } from '../../../../test/app.ts';
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
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let admin: BuiltToken;
let carol: BuiltToken;
let group: Namespace;
let sub: Namespace;
let open: Project;
let internal: Project;
let own: Project;
let grouped: Project;
let deep: Project;
const prefix = unique('list');

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  carol = await buildToken(app);
  const other = await buildUser(app);
  group = await buildGroup(app);
  sub = await buildGroup(app, { parent: group });
  await buildMember(app, { user: carol.user, of: group, level: Level.developer });
  const build = (name: string, values: Parameters<typeof buildProject>[1], day: number) =>
    buildProject(app, {
      path: `${prefix}-${name}`,
      last_activity_at: new Date(Date.UTC(2025, 0, day)),
      ...values,
    });
  open = await build('e-open', { owner: other, visibility: 'public', topics: ['red', 'blue'], star_count: 9 }, 1);
  internal = await build('d-internal', { owner: other, visibility: 'internal', issues_access_level: 'disabled' }, 2);
  own = await build('c-own', { owner: carol.user, archived: true, topics: ['red'] }, 3);
  grouped = await build('b-grouped', { namespace: group, owner: other, merge_requests_access_level: 'disabled' }, 4);
  deep = await build('a-deep', { namespace: sub, owner: other, description: 'needle in text' }, 5);
  await build('hidden', { owner: other }, 6);
});
afterAll(() => app.close());

const list = async (token: BuiltToken | undefined, query: RequestParts['query'] = {}, target = '/projects') => {
  const answer = await app.api<Array<{ id: number }>>('GET', target, {
    token: token?.secret,
    query: { search: prefix, ...query },
  });
  expect(answer.status).toBe(200);
  return answer.body.map(({ id }) => id);
};

describe('GET /projects', () => {
  test('what the caller may see, newest first; anonymous callers public ones only', async () => {
    expect(await list(carol)).toEqual([deep.id, grouped.id, own.id, internal.id, open.id]);
    expect(await list(undefined)).toEqual([open.id]);
    expect(await list(admin)).toHaveLength(6);
  });

  test('the whole form signed in, the short one when asked or anonymous', async () => {
    const get = async (token: BuiltToken | undefined, query = {}) =>
      (
        await app.api<Json[]>('GET', '/projects', { token: token?.secret, query: { search: prefix, ...query } })
      ).body.at(-1);
    expect(await get(carol)).toMatchObject({
      id: open.id,
      merge_method: 'merge',
      permissions: { project_access: null },
    });
    expect(await get(carol, { simple: 'true' })).not.toHaveProperty('permissions');
    expect(await get(undefined)).not.toHaveProperty('merge_method');
    expect(await get(carol, { statistics: 'true', owned: 'true' })).toHaveProperty('statistics.commit_count', 0);
  });

  test('filters', async () => {
    expect(await list(carol, { owned: 'true' })).toEqual([own.id]);
    expect(await list(carol, { membership: 'true' })).toEqual([deep.id, grouped.id, own.id]);
    expect(await list(carol, { min_access_level: 30 })).toEqual([deep.id, grouped.id, own.id]);
    expect(await list(carol, { min_access_level: 40 })).toEqual([own.id]);
    expect(await list(carol, { archived: 'true' })).toEqual([own.id]);
    expect(await list(carol, { active: 'false' })).toEqual([own.id]);
    expect(await list(carol, { visibility: 'internal' })).toEqual([internal.id]);
    expect(await list(carol, { topic: 'red,blue' })).toEqual([open.id]);
    expect(await list(carol, { topic: 'red' })).toEqual([own.id, open.id]);
    expect(await list(carol, { with_issues_enabled: 'true', with_merge_requests_enabled: 'true' })).toEqual([
      deep.id,
      own.id,
      open.id,
    ]);
    expect(await list(carol, { search: `${prefix} needle` })).toEqual([deep.id]);
    expect(await list(carol, { search: `${sub.full_path}/${prefix}`, search_namespaces: 'true' })).toEqual([deep.id]);
    expect(await list(carol, { search: `${sub.full_path}/${prefix}` })).toEqual([]);
    expect(await list(carol, { id_after: own.id, id_before: deep.id })).toEqual([grouped.id]);
    expect(await list(carol, { last_activity_after: '2025-01-04T00:00:00Z' })).toEqual([deep.id, grouped.id]);
    expect(await list(carol, { last_activity_before: '2025-01-02T00:00:00Z' })).toEqual([internal.id, open.id]);
    expect(await list(carol, { updated_before: '2001-01-01T00:00:00Z' })).toEqual([]);
    expect(await list(admin, { repository_storage: 'elsewhere' })).toEqual([]);
    expect(await list(undefined, { owned: 'true' })).toEqual([]);
  });

  test('orders', async () => {
    const all = [open.id, internal.id, own.id, grouped.id, deep.id];
    expect(await list(carol, { order_by: 'id', sort: 'asc' })).toEqual(all);
    expect(await list(carol, { order_by: 'name', sort: 'asc' })).toEqual([...all].reverse());
    expect(await list(carol, { order_by: 'path' })).toEqual(all);
    expect(await list(carol, { order_by: 'last_activity_at', sort: 'asc' })).toEqual(all);
    expect((await list(carol, { order_by: 'star_count' }))[0]).toBe(open.id);
    expect((await list(carol, { order_by: 'similarity', search: grouped.path }))[0]).toBe(grouped.id);
    // Nothing is stored there: by id where the sizes are the same.
    for (const order_by of ['wiki_size', 'packages_size'])
      expect((await list(admin, { order_by, sort: 'asc' })).slice(0, -1)).toEqual(all);
  });

  test('[1/limits.pagination/3] offset pages with links, keyset pages by id', async () => {
    const second = await app.api<Json[]>('GET', '/projects', {
      token: carol.secret,
      query: { search: prefix, per_page: 2, page: 2 },
    });
    expect(second.body.map(({ id }) => id)).toEqual([own.id, internal.id]);
    expect(second.headers.get('x-total')).toBe('5');
    expect(second.headers.get('link')).toMatch(/rel="prev".*rel="next".*rel="first".*rel="last"/);
    const seen: unknown[] = [];
    let target: string | null = `/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=2&search=${prefix}`;
    while (target !== null) {
      const answer: { body: unknown; headers: Headers } = await app.request('GET', target, { token: carol.secret });
      seen.push(...(answer.body as Json[]).map(({ id }) => id));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      target = next ? next.slice(app.url.length) : null;
    }
    expect(seen).toEqual([open.id, internal.id, own.id, grouped.id, deep.id]);
    const other = await app.api('GET', '/projects', {
      token: carol.secret,
      query: { pagination: 'keyset', order_by: 'name' },
    });
    expect(other.status).toBe(405);
  });

  test('an expired or lower grant opens nothing', async () => {
    const user = await buildToken(app);
    await buildMember(app, { user: user.user, of: group, expiresAt: '2020-01-01' });
    expect(await list(user, { membership: 'true' })).toEqual([]);
    expect(await list(user)).not.toContain(grouped.id);
  });
});

describe('lists of a group and a user', () => {
  test('[3/api.groups/4] [3/api.groups/4 include_subgroups] [3/api.groups/4 with_shared] projects of a group', async () => {
    const target = `/groups/${group.id}/projects`;
    expect(await list(carol, {}, target)).toEqual([grouped.id]);
    expect(await list(carol, { include_subgroups: 'true' }, target)).toEqual([deep.id, grouped.id]);
    await app.db.insertInto('grants').values({ group_id: group.id, project_id: open.id, level: 10 }).execute();
    expect(await list(carol, {}, target)).toEqual([grouped.id, open.id]);
    expect(await list(carol, { with_shared: 'false' }, target)).toEqual([grouped.id]);
    expect((await app.api('GET', target)).status).toBe(404);
  });

  test('[3/api.groups/4 archived] [3/api.groups/4 visibility] [3/api.groups/4 order_by] [3/api.groups/4 sort] [3/api.groups/4 search] [3/api.groups/4 simple] [3/api.groups/4 owned] [3/api.groups/4 topic] [3/api.groups/4 with_issues_enabled] [3/api.groups/4 with_merge_requests_enabled] [3/api.groups/4 min_access_level] [3/api.groups/4 with_custom_attributes] its parameters', async () => {
    const target = `/groups/${group.id}/projects`;
    const query = { include_subgroups: 'true', with_shared: 'false' };
    expect(await list(carol, { ...query, order_by: 'name', sort: 'asc' }, target)).toEqual([deep.id, grouped.id]);
    expect(await list(carol, { ...query, order_by: 'similarity', search: '' }, target)).toEqual([deep.id, grouped.id]);
    expect(await list(carol, { ...query, archived: 'true' }, target)).toEqual([]);
    expect(await list(carol, { ...query, visibility: 'public' }, target)).toEqual([]);
    expect(await list(carol, { ...query, search: 'needle' }, target)).toEqual([deep.id]);
    expect(await list(carol, { ...query, owned: 'true' }, target)).toEqual([]);
    expect(await list(carol, { ...query, topic: 'red' }, target)).toEqual([]);
    expect(await list(carol, { ...query, with_issues_enabled: 'true' }, target)).toHaveLength(2);
    expect(await list(carol, { ...query, with_merge_requests_enabled: 'true' }, target)).toEqual([deep.id]);
    expect(await list(carol, { ...query, min_access_level: 40 }, target)).toEqual([]);
    const simple = await app.api<Json[]>('GET', target, {
      token: carol.secret,
      query: { simple: 'true', with_custom_attributes: 'true' },
    });
    expect(simple.body[0]).not.toHaveProperty('merge_method');
  });

  test('projects of a user by id and name', async () => {
    const target = `/users/${carol.user.username}/projects`;
    expect(await list(carol, {}, target)).toEqual([own.id]);
    expect(await list(carol, {}, `/users/${carol.user.id}/projects`)).toEqual([own.id]);
    expect(await list(undefined, {}, target)).toEqual([]);
    expect((await app.api('GET', '/users/nobody-at-all/projects')).body).toEqual({ message: '404 User Not Found' });
  });
});
