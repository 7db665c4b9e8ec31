/** Personal access tokens over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildProject, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { insideDay } from '../../../../test/windows.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { inDays } from './tokens.service.ts';

let app: TestApp;
let admin: { user: User; secret: string };
beforeAll(async () => {
  await insideDay();
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

type Json = Record<string, unknown>;
const create = (userId: number, json: Json, token: string | undefined = admin.secret) =>
  app.api<Json>('POST', `/users/${userId}/personal_access_tokens`, { token, json });

describe('POST /users/:user_id/personal_access_tokens', () => {
  it('makes a token that works, shows it once and keeps only its hash', async () => {
    const user = await buildUser(app);
    const made = await create(user.id, { name: 'ci', description: 'd', scopes: ['api', 'read_user', 'api'] });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'ci',
        description: 'd',
        revoked: false,
        active: true,
        scopes: ['api', 'read_user'],
        user_id: user.id,
        last_used_at: null,
        expires_at: inDays(365),
      },
    });
    const secret = String(made.body.token);
    expect(secret).toMatch(/^glpat-[A-Za-z0-9_-]{20,}$/);
    expect((await app.api<Json>('GET', '/user', { token: secret })).body.id).toBe(user.id);
    const listed = await app.api<Json[]>('GET', '/personal_access_tokens', { token: secret });
    expect(listed.body.map((token) => token.id)).toEqual([made.body.id]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const row = await app.db.selectFrom('access_tokens').selectAll().where('id', '=', Number(made.body.id)).execute();
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('refuses scopes that do not exist, dates of the past, blanks and strangers', async () => {
    const user = await buildUser(app);
    expect((await create(user.id, { name: 'x', scopes: ['everything'] })).status).toBe(400);
    expect((await create(admin.user.id, { name: 'x', scopes: ['sudo', 'admin_mode'] })).status).toBe(201);
    expect((await create(user.id, { name: 'x', scopes: ['api'], expires_at: '2020-01-01' })).status).toBe(422);
    const over = await create(user.id, { name: 'x', scopes: ['api'], expires_at: inDays(0) });
    expect(over).toMatchObject({ status: 201, body: { active: false } });
    expect((await app.api('GET', '/user', { token: String(over.body.token) })).status).toBe(401);
    expect((await create(user.id, { name: 'x', scopes: [] })).status).toBe(422);
    expect((await create(user.id, { name: ' ', scopes: ['api'] })).status).toBe(422);
    expect(await create(user.id, {})).toMatchObject({
      status: 400,
      body: { error: 'name is missing, scopes is missing' },
    });
    expect((await create(999_999, { name: 'x', scopes: ['api'] })).status).toBe(404);
  });

  it('is for administrators', async () => {
    const { secret, user } = await buildToken(app);
    expect((await create(user.id, { name: 'x', scopes: ['api'] }, secret)).status).toBe(403);
  });
});

describe('POST /user/personal_access_tokens', () => {
  it('makes narrow tokens that end tomorrow', async () => {
    const { secret, user } = await buildToken(app);
    const post = (json: Json) => app.api('POST', '/user/personal_access_tokens', { token: secret, json });
    expect(await post({ name: 'k', scopes: ['k8s_proxy'] })).toMatchObject({
      status: 201,
      body: { user_id: user.id, scopes: ['k8s_proxy'], expires_at: inDays(1) },
    });
    expect((await post({ name: 'k', scopes: ['api'] })).status).toBe(400);
  });
});

describe('GET /personal_access_tokens', () => {
  it('shows callers their own and administrators everybody’s, filtered and sorted', async () => {
    const user = await buildUser(app);
    const { secret } = await buildToken(app, { user, name: unique('first') });
    const gone = await buildToken(app, { user, name: 'gone' });
    const old = await buildToken(app, { user, name: 'old', expiresAt: '2020-01-01' });
    await app.identity.tokens.revoke(gone.row.id);
    const names = async (query: Json, token = secret) =>
      (await app.api<Json[]>('GET', '/personal_access_tokens', { token, query })).body.map((row) => row.name);
    expect(await names({ user_id: user.id }, admin.secret)).toHaveLength(3);
    expect(await names({ state: 'active' })).toHaveLength(1);
    expect(await names({ state: 'inactive' })).toEqual(['gone', 'old']);
    expect(await names({ revoked: true })).toEqual(['gone']);
    expect(await names({ search: 'OL' })).toEqual(['old']);
    expect(await names({ expires_before: '2021-01-01' })).toEqual([old.row.name]);
    expect(await names({ created_before: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect((await names({ sort: 'name_desc' }))[0]).toBe('old');
    const page = await app.api('GET', '/personal_access_tokens', { token: secret, query: { per_page: 1 } });
    expect(page.headers.get('x-total')).toBe('3');
    expect(await names({}, admin.secret)).toContain('gone');
  });

  it('security 17: tokens of others are out of reach', async () => {
    const mine = await buildToken(app);
    const other = await buildToken(app);
    const get = (target: string) => app.api('GET', `/personal_access_tokens${target}`, { token: mine.secret });
    expect((await get(`?user_id=${other.user.id}`)).status).toBe(401);
    expect((await get(`/${other.row.id}`)).status).toBe(401);
    expect((await get('/999999')).status).toBe(401);
    expect((await get(`/${mine.row.id}`)).body).toMatchObject({ id: mine.row.id });
    const removed = await app.api('DELETE', `/personal_access_tokens/${other.row.id}`, { token: mine.secret });
    expect(removed.status).toBe(404);
    expect((await app.api('GET', '/user', { token: other.secret })).status).toBe(200);
    expect((await app.api('GET', `/personal_access_tokens/${other.row.id}`, { token: admin.secret })).status).toBe(200);
    expect((await app.api('GET', '/personal_access_tokens/999999', { token: admin.secret })).status).toBe(404);
  });
});

describe('/personal_access_tokens/self and revoking', () => {
  it('answers tokens of any scope about themselves and lets them end themselves at once', async () => {
    const { secret, row } = await buildToken(app, { scopes: ['read_registry'] });
    const got = await app.api('GET', '/personal_access_tokens/self', { token: secret });
    expect(got).toMatchObject({ status: 200, body: { id: row.id, scopes: ['read_registry'], active: true } });
    expect((await app.api('DELETE', '/personal_access_tokens/self', { token: secret })).status).toBe(204);
    expect((await app.api('GET', '/personal_access_tokens/self', { token: secret })).status).toBe(401);
  });

  it('[1/errors/4] an administrator’s revocation works from the next request on', async () => {
    const { secret, row } = await buildToken(app);
    expect((await app.api('GET', '/user', { token: secret })).status).toBe(200);
    const gone = await app.api('DELETE', `/personal_access_tokens/${row.id}`, { token: admin.secret });
    expect([gone.status, gone.body]).toEqual([204, null]);
    expect((await app.api('GET', '/user', { token: secret })).status).toBe(401);
  });
});

describe('disable_personal_access_tokens', () => {
  it('nobody makes or uses personal tokens; those of projects work on', async () => {
    const { secret, user } = await buildToken(app);
    const project = await buildProject(app, { owner: user });
    const path = `/projects/${project.id}/access_tokens`;
    const json = { name: 'bot', scopes: ['api'] };
    const bot = (await app.api<Json>('POST', path, { token: secret, json })).body;
    await app.settings.write({ disable_personal_access_tokens: true });
    try {
      await expect(buildToken(app)).rejects.toMatchObject({ status: 403 });
      await expect.poll(async () => (await app.api('GET', '/user', { token: secret })).status).toBe(401);
      expect((await app.api('GET', '/user', { token: String(bot.token) })).status).toBe(200);
    } finally {
      await app.settings.write({ disable_personal_access_tokens: false });
    }
    await expect.poll(async () => (await app.api('GET', '/user', { token: secret })).status).toBe(200);
  });
});
