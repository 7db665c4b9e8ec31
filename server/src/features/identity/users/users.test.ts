/** Users over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let admin: { user: User; secret: string };
let plain: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  plain = await buildToken(app);
});
afterAll(() => app.close());

type Json = Record<string, unknown>;
const keys = (body: unknown) => Object.keys(body as Json).sort();
const referenceKeys = ['avatar_url', 'id', 'locked', 'name', 'public_email', 'state', 'username', 'web_url'];

describe('GET /user', () => {
  it('[1/fields.user-reference/1 id] [1/fields.user-reference/2 name] [1/fields.user-reference/3 username] [1/fields.user-reference/4 state, active] [1/fields.user-reference/5 avatar_url] [1/fields.user-reference/6 web_url] tells the caller who they are', async () => {
    const got = await app.api<Json>('GET', '/user', { token: plain.secret });
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({
      id: plain.user.id,
      name: plain.user.name,
      username: plain.user.username,
      state: 'active',
      avatar_url: null,
      web_url: `${app.url}/${plain.user.username}`,
      email: plain.user.email,
      commit_email: plain.user.email,
      created_at: plain.user.created_at.toISOString(),
      identities: [],
      two_factor_enabled: false,
      can_create_project: true,
    });
    expect(got.body).not.toHaveProperty('is_admin');
  });

  it('names things in errors as the API calls them', async () => {
    const { secret: token } = await buildToken(app);
    expect(await app.api('GET', '/users', { token, query: { page: 2, pagination: 'legacy' } })).toMatchObject({
      status: 405,
      body: { error: expect.stringContaining('objects of type User. ') },
    });
  });

  it('tells administrators that they are, with their namespace', async () => {
    const got = await app.api<Json>('GET', '/user', { token: admin.secret });
    expect(got.body).toMatchObject({ id: admin.user.id, is_admin: true, note: null, created_by: null });
    expect(got.body.namespace_id).toBeTypeOf('number');
  });

  it('[1/authentication/7] [1/errors/8] is 401 without credentials', async () => {
    expect(await app.api('GET', '/user')).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
  });
});

describe('GET /users/:id', () => {
  it('[1/fields.extended-user/1 created_at] [1/fields.extended-user/1 bio] [1/fields.extended-user/1 location] [1/fields.extended-user/1 public_email] [1/fields.extended-user/1 skype] [1/fields.extended-user/1 linkedin] [1/fields.extended-user/1 twitter] [1/fields.extended-user/1 website_url] [1/fields.extended-user/1 organization] shows the public profile, never the address', async () => {
    const user = await buildUser(app, { profile: { bio: 'Writes', organization: 'Acme', job_title: 'Smith' } });
    const got = await app.api<Json>('GET', `/users/${user.id}`, { token: plain.secret });
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({
      created_at: user.created_at.toISOString(),
      bio: 'Writes',
      location: '',
      public_email: '',
      skype: '',
      linkedin: '',
      twitter: '',
      website_url: '',
      organization: 'Acme',
      work_information: 'Smith at Acme',
      bot: false,
    });
    expect(got.body).not.toHaveProperty('email');
    expect(JSON.stringify(got.body)).not.toContain(user.email);
    expect((await app.api<Json>('GET', `/users/${user.id}`)).body).not.toHaveProperty('email');
  });

  it('a private profile shows its details to its owner and administrators only', async () => {
    const hidden = await buildToken(app, {
      user: await buildUser(app, { private_profile: true, profile: { bio: 'x' } }),
    });
    const bio = async (token: string) => (await app.api<Json>('GET', `/users/${hidden.user.id}`, { token })).body.bio;
    expect([await bio(plain.secret), await bio(hidden.secret), await bio(admin.secret)]).toEqual(['', 'x', 'x']);
  });

  it('shows administrators the account; 404 and 400 for what is none', async () => {
    const got = await app.api('GET', `/users/${plain.user.id}`, { token: admin.secret });
    expect(got).toMatchObject({ status: 200, body: { email: plain.user.email, is_admin: false } });
    expect(await app.api('GET', '/users/999999', { token: plain.secret })).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    });
    expect(await app.api('GET', '/users/nobody', { token: plain.secret })).toMatchObject({
      status: 400,
      body: { error: 'id is invalid' },
    });
  });
});

describe('GET /users', () => {
  const ids = (body: unknown) => (body as Array<{ id: number }>).map((user) => user.id);

  it('needs a signed-in caller', async () => {
    expect((await app.api('GET', '/users')).status).toBe(401);
  });

  it('finds by username whatever its case, as a reference', async () => {
    const user = await buildUser(app, { username: unique('Mixed') });
    const got = await app.api<Json[]>('GET', '/users', {
      token: plain.secret,
      query: { username: user.username.toLowerCase() },
    });
    expect(ids(got.body)).toEqual([user.id]);
    expect(keys(got.body[0])).toEqual(referenceKeys);
  });

  it('[1/limits.pagination/1 /users] pages by cursor only: page=1 is accepted, the next link is keyset, page=2 is refused', async () => {
    const prefix = unique('paged');
    const made = [];
    for (const letter of ['a', 'b', 'c', 'd', 'e'])
      made.push(await buildUser(app, { username: `${prefix}-${letter}` }));
    const seen: number[] = [];
    let target = `/users?page=1&per_page=2&search=${prefix}`;
    for (let turn = 0; turn < 5 && target; turn += 1) {
      const got = await app.api('GET', target, { token: plain.secret });
      expect(got.headers.get('x-total')).toBeNull();
      seen.push(...ids(got.body));
      const link = got.headers.get('link');
      target = link ? new URL(link.slice(1, link.indexOf('>'))).href.slice(`${app.url}/api/v4`.length) : '';
    }
    expect(seen).toEqual(made.map((user) => user.id).reverse());
    expect((await app.api('GET', '/users?page=2', { token: plain.secret })).status).toBe(405);
    expect((await app.api('GET', '/users?cursor=nonsense', { token: plain.secret })).status).toBe(400);
  });

  it('orders by name, username and dates for administrators, also across pages', async () => {
    const prefix = unique('sorted');
    const zoe = await buildUser(app, { username: `${prefix}-1`, name: 'Zoe' });
    const adam = await buildUser(app, { username: `${prefix}-3`, name: 'adam' });
    const ann = await buildUser(app, { username: `${prefix}-2`, name: 'Ann' });
    const walk = async (query: Json) => {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const got = await app.api('GET', '/users', {
          token: admin.secret,
          query: { search: prefix, per_page: 1, ...query, cursor },
        });
        expect(got.status).toBe(200);
        seen.push(...ids(got.body));
        cursor = /[?&]cursor=([^&>]+)/.exec(got.headers.get('link') ?? '')?.[1];
      } while (cursor);
      return seen;
    };
    expect(await walk({ order_by: 'name', sort: 'asc' })).toEqual([adam.id, ann.id, zoe.id]);
    expect(await walk({ order_by: 'username', sort: 'desc' })).toEqual([adam.id, ann.id, zoe.id]);
    expect(await walk({ order_by: 'created_at', sort: 'asc' })).toEqual([zoe.id, adam.id, ann.id]);
    expect(await walk({ order_by: 'updated_at', sort: 'desc' })).toEqual([ann.id, adam.id, zoe.id]);
  });

  it('filters by state, kind, dates and ids', async () => {
    const prefix = unique('filter');
    const active = await buildUser(app, { username: `${prefix}-active` });
    const external = await buildUser(app, { username: `${prefix}-external`, external: true });
    const blocked = await buildUser(app, { username: `${prefix}-blocked` });
    const boss = await buildUser(app, { username: `${prefix}-boss`, admin: true, projects_limit: 0 });
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute();
    const find = async (query: Json, token = admin.secret) =>
      ids((await app.api('GET', '/users', { token, query: { search: prefix, ...query } })).body).sort((a, b) => a - b);
    expect(await find({ active: true })).toEqual([active.id, external.id, boss.id]);
    expect(await find({ exclude_active: true })).toEqual([blocked.id]);
    expect(await find({ blocked: true })).toEqual([blocked.id]);
    expect(await find({ external: true })).toEqual([external.id]);
    expect(await find({ exclude_external: true, humans: true })).toEqual([active.id, blocked.id, boss.id]);
    expect(await find({ admins: true })).toEqual([boss.id]);
    expect(await find({ admins: true }, plain.secret)).toHaveLength(4);
    await app.db.updateTable('users').set({ auditor: true }).where('id', '=', external.id).execute();
    const identity = { user_id: active.id, provider: 'group_saml', extern_uid: prefix, saml_provider_id: 7_001 };
    await app.db.insertInto('identities').values(identity).execute();
    for (const [filter, user] of [
      [{ auditors: true }, external],
      [{ saml_provider_id: 7_001 }, active],
    ] as const)
      expect([await find(filter), await find(filter, plain.secret)]).toEqual([
        [user.id],
        expect.objectContaining({ length: 4 }),
      ]);
    expect(await find({ without_projects: true, without_project_bots: true })).toHaveLength(4);
    expect(await find({ exclude_humans: true })).toEqual([]);
    expect(await find({ id_after: external.id })).toEqual([blocked.id, boss.id]);
    expect(await find({ created_before: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await find({ created_before: '2020-01-01T00:00:00Z' }, plain.secret)).toEqual([]);
    expect(await find({ created_after: '2020-01-01T00:00:00Z', exclude_internal: true })).toHaveLength(4);
    expect(await find({ search: active.email })).toEqual([active.id]);
    expect(await find({ search: active.email }, plain.secret)).toEqual([]);
    expect(await find({ search: '100%_' })).toEqual([]);
  });
});

describe('POST /users', () => {
  const post = (json: Json, token: string | undefined = admin.secret) =>
    app.api<Json>('POST', '/users', { token, json });
  const complete = () => {
    const username = unique('new');
    return { username, name: 'New', email: `${username}@example.com`, password: 'a long enough password' };
  };

  it('[1/errors/2] creates an account that can sign in, with its namespace, created by the administrator', async () => {
    const values = complete();
    const got = await post({ ...values, bio: 'hi', projects_limit: 7, note: 'n', skip_confirmation: true });
    expect(got).toMatchObject({
      status: 201,
      body: {
        username: values.username,
        state: 'active',
        email: values.email,
        bio: 'hi',
        projects_limit: 7,
        note: 'n',
        is_admin: false,
        created_by: { id: admin.user.id },
      },
    });
    expect(got.body.namespace_id).toBeTypeOf('number');
    expect(got.body.confirmed_at).toBeTypeOf('string');
    const { login, password } = { login: values.email, password: values.password };
    expect((await app.request('POST', '/-/session', { json: { login, password } })).status).toBe(201);
    const [grant] = await app.db.selectFrom('grants').selectAll().where('user_id', '=', Number(got.body.id)).execute();
    expect(grant).toMatchObject({ namespace_id: got.body.namespace_id, level: 50 });
  });

  it('[1/errors/12] tells which of the two is taken, whatever the case', async () => {
    const values = complete();
    expect((await post(values)).status).toBe(201);
    expect(await post({ ...complete(), email: values.email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    });
    expect(await post({ ...complete(), username: values.username.toUpperCase() })).toMatchObject({
      status: 409,
      body: { message: 'Username has already been taken' },
    });
    const group = await buildGroup(app);
    expect((await post({ ...complete(), username: group.path })).status).toBe(409);
  });

  it('two at once make one account and one conflict', async () => {
    const values = complete();
    const both = await Promise.all([post(values), post({ ...values, email: `other-${values.email}` })]);
    expect(both.map((got) => got.status).sort()).toEqual([201, 409]);
  });

  it('[1/errors/7] names what is missing or wrong', async () => {
    expect(await post({ name: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'email is missing, username is missing' },
    });
    const { password: _, ...without } = complete();
    expect(await post(without)).toMatchObject({ status: 400, body: { error: expect.stringContaining('password') } });
    expect((await post({ ...without, force_random_password: true })).status).toBe(201);
    const wrong = await post({ username: '-x', name: ' ', email: 'nowhere', password: 'short' });
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        message: {
          username: [expect.stringContaining('can contain only')],
          name: ["can't be blank"],
          email: ['is invalid'],
          password: ['is too short (minimum is 8 characters)'],
        },
      },
    });
    for (const username of ['a.git', 'a.', 'a/b', '..', 'a b'])
      expect((await post({ ...complete(), username })).status).toBe(400);
  });

  it('security 12: an array where a scalar belongs is refused', async () => {
    expect((await post({ ...complete(), email: ['a@example.com', 'b@example.com'] })).status).toBe(400);
  });

  it('[1/errors/9] is for administrators', async () => {
    expect((await post(complete(), plain.secret)).status).toBe(403);
    expect((await app.api('POST', '/users', { json: complete() })).status).toBe(401);
  });
});
