/** Pictures: only images by their bytes, under generated names, served so that nothing in them can run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser, unique } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const form = (bytes: Buffer | string, name: string, type: string) => {
  const data = new FormData();
  data.set('avatar', new File([new Uint8Array(Buffer.from(bytes))], name, { type }));
  return data;
};
const put = (token: string | undefined, data: FormData) =>
  app.api<{ avatar_url: string | null }>('PUT', '/user/avatar', { token, form: data });
const fetched = (url: string | null, headers: Record<string, string> = {}) =>
  fetch(String(url), { headers, redirect: 'manual' });
const storedOf = async (id: number) =>
  (await app.db.selectFrom('users').select('avatar_object_key').where('id', '=', id).executeTakeFirstOrThrow())
    .avatar_object_key;

describe('PUT /user/avatar', () => {
  it('security 5: keeps a picture and serves it as what its bytes are', async () => {
    const { user, secret } = await buildToken(app);
    const got = await put(secret, form(png, '../../evil.html', 'text/html'));
    expect(got.status).toBe(200);
    expect(got.body.avatar_url).toBe(`${app.url}/uploads/-/system/user/avatar/${user.id}/evil.png`);
    const served = await fetched(got.body.avatar_url);
    expect(served.status).toBe(200);
    expect(served.headers.get('content-type')).toBe('image/png');
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
    expect(served.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png);
    const me = await app.api<{ avatar_url: string }>('GET', '/user', { token: secret });
    await expect
      .poll(async () => (await app.api<{ avatar_url: string }>('GET', '/user', { token: secret })).body.avatar_url)
      .toBe(got.body.avatar_url);
    expect(me.status).toBe(200);
  });

  it('security 9: what is no image is refused, whatever it is called', async () => {
    const { secret } = await buildToken(app);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const bytes of [svg, '<html><script>alert(1)</script>', '%PDF-1.7', 'AT&TFORM\0\0\0\0DJVU', ''])
      expect(await put(secret, form(bytes, 'a.png', 'image/png'))).toMatchObject({
        status: 400,
        body: { message: { avatar: [expect.stringContaining('file format is not supported')] } },
      });
    const large = Buffer.concat([png, Buffer.alloc(200 * 1024)]);
    expect((await put(secret, form(large, 'a.png', 'image/png'))).body).toMatchObject({
      message: { avatar: ['is too big (should be at most 200 KiB)'] },
    });
    expect((await put(undefined, form(png, 'a.png', 'image/png'))).status).toBe(401);
    expect((await app.api('PUT', '/user/avatar', { token: secret, json: {} })).status).toBe(400);
    expect((await app.api('PUT', '/user/avatar', { token: secret, json: { avatar: 'x' } })).status).toBe(400);
  });

  it('a new one replaces it, an empty one removes it, and the old bytes are given up', async () => {
    const { user, secret } = await buildToken(app);
    const first = await put(secret, form(png, 'a.png', 'image/png'));
    const before = await storedOf(user.id);
    const gif = await put(secret, form('GIF89a\x01\0\x01\0', 'a.gif', 'image/gif'));
    expect((await fetched(gif.body.avatar_url)).headers.get('content-type')).toBe('image/gif');
    expect((await fetched(first.body.avatar_url)).status).toBe(404);
    const key = before?.split('/', 1)[0] ?? '';
    const given = await app.db.selectFrom('object_deletions').selectAll().where('object_key', '=', key).execute();
    expect(given).toHaveLength(1);
    const none = new FormData();
    none.set('avatar', '');
    expect((await put(secret, none)).body).toEqual({ avatar_url: null });
    expect((await fetched(gif.body.avatar_url)).status).toBe(404);
    for (const path of ['..%2f..%2fsecrets.key', key, '0'.repeat(32)])
      expect((await app.request('GET', `/uploads/-/system/user/avatar/${user.id}/${path}`)).status).toBe(404);
  });
});

describe('the address of a picture', () => {
  it('ends with the name of the file; addresses from before they had names redirect', async () => {
    const { user, secret } = await buildToken(app);
    const { body } = await put(secret, form(png, 'Me at sea.PNG', 'image/png'));
    const base = `${app.url}/uploads/-/system/user/avatar/${user.id}`;
    expect(body.avatar_url).toBe(`${base}/Me_at_sea.png`);
    const [key = ''] = String(await storedOf(user.id)).split('/');
    const old = await fetched(`${base}/${key}`);
    expect([old.status, old.headers.get('location')]).toEqual([301, body.avatar_url]);
    expect((await fetched(`${base}/other.png`)).status).toBe(404);
  });

  it('may stay the same for another picture: caches ask again', async () => {
    const { secret } = await buildToken(app);
    const first = await put(secret, form(png, 'avatar.png', 'image/png'));
    const shown = await fetched(first.body.avatar_url);
    expect(shown.headers.get('cache-control')).toBe('public, no-cache');
    const etag = String(shown.headers.get('etag'));
    expect((await fetched(first.body.avatar_url, { 'If-None-Match': etag })).status).toBe(304);
    const other = Buffer.concat([png, Buffer.from('more')]);
    const second = await put(secret, form(other, 'avatar.png', 'image/png'));
    expect(second.body.avatar_url).toBe(first.body.avatar_url);
    const now = await fetched(first.body.avatar_url, { 'If-None-Match': etag });
    expect([now.status, Buffer.from(await now.arrayBuffer())]).toEqual([200, other]);
  });
});

describe('pictures elsewhere', () => {
  it('administrators set and remove those of others', async () => {
    const { secret } = await buildToken(app, { user: await buildAdmin(app) });
    const user = await buildUser(app);
    const send = (data: FormData) =>
      app.api<{ avatar_url: string | null }>('PUT', `/users/${user.id}`, { token: secret, form: data });
    expect((await send(form(png, 'a.png', 'image/png'))).body.avatar_url).toContain(`/avatar/${user.id}/`);
    const none = new FormData();
    none.set('avatar', '');
    expect((await send(none)).body.avatar_url).toBeNull();
    const data = form(png, 'a.png', 'image/png');
    const username = unique('pictured');
    const values = { username, name: 'P', email: `${username}@example.com`, force_random_password: 'true' };
    for (const [key, value] of Object.entries(values)) data.set(key, value);
    const made = await app.api<{ avatar_url: string }>('POST', '/users', { token: secret, form: data });
    expect(made.status).toBe(201);
    expect((await fetched(made.body.avatar_url)).status).toBe(200);
  });

  it('an address gives a picture only where its owner shows it to everybody', async () => {
    const username = unique('shown');
    const email = `${username}@example.com`;
    const user = await buildUser(app, { username, email, profile: { public_email: email } });
    const { secret } = await buildToken(app, { user });
    const { body } = await put(secret, form(png, 'a.png', 'image/png'));
    const find = (query: object) => app.api('GET', '/avatar', { query: { ...query } });
    expect((await find({ email })).body).toEqual(body);
    const hidden = await buildToken(app);
    await put(hidden.secret, form(png, 'a.png', 'image/png'));
    expect((await find({ email: hidden.user.email })).body).toEqual({ avatar_url: null });
    expect((await find({})).status).toBe(400);
  });
});
