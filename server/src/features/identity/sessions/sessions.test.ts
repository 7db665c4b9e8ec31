/** Signing in and out of the pages, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken, buildUser } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const password = 'correct horse battery';
const person = () => buildUser(app, { password });

interface SessionBody {
  readonly user: { id: number; is_admin: boolean } | null;
  readonly csrf_token: string;
}

const signIn = (login: string, secret = password, headers: Record<string, string> = {}, remember?: boolean) =>
  app.request<SessionBody>('POST', '/-/session', { json: { login, password: secret, remember }, headers });

async function session(user: User) {
  const got = await signIn(user.username);
  const setCookie = got.headers.get('set-cookie') ?? '';
  return { cookie: setCookie.split(';', 1)[0] ?? '', csrf: got.body.csrf_token, setCookie };
}

const nobody = {
  user: null,
  two_factor: null,
  two_factor_required_until: null,
  admin: false,
  admin_mode: null,
  impersonator: null,
  maintenance: null,
  announcements: false,
  appearance: null,
  impersonation_enabled: false,
  csrf_token: null,
  pages: { jobs_per_stage: 200, polling_interval_multiplier: 1, suggest_pipeline: true },
};
const wrong = { status: 401, body: { message: 'Invalid login or password.' } };

describe('POST /-/session', () => {
  it('[1/authentication/5 _service_session] opens a session that the API uses; its cookie is out of reach for scripts', async () => {
    const user = await person();
    const got = await signIn(user.username.toUpperCase());
    expect(got).toMatchObject({ status: 201, body: { user: { id: user.id, is_admin: false } } });
    expect(got.headers.get('cache-control')).toBe('no-store');
    const setCookie = got.headers.get('set-cookie') ?? '';
    expect(setCookie).toMatch(/^_service_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = setCookie.split(';', 1)[0] ?? '';
    const me = await app.api('GET', '/user', { headers: { Cookie: cookie } });
    expect(me).toMatchObject({ status: 200, body: { id: user.id } });
    const alias = cookie.replace('_service_session', '_gitlab_session');
    expect((await app.api('GET', '/user', { headers: { Cookie: alias } })).status).toBe(200);
  });

  it('keeps the hash of a session only, and takes form bodies and addresses too', async () => {
    const user = await person();
    const form = { login: user.email, password, remember: 'true' };
    const got = await app.request('POST', '/-/session', { form });
    expect(got.status).toBe(201);
    const setCookie = got.headers.get('set-cookie') ?? '';
    expect(setCookie).toContain('Max-Age=');
    const token = setCookie.slice('_service_session='.length, setCookie.indexOf(';'));
    const row = await app.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(row.token_sha256).toEqual(tokenHash(token));
    expect(row.expires_at.getTime() - Date.now()).toBeGreaterThan(13 * 86_400_000);
    const signedIn = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(signedIn).toMatchObject({ sign_in_count: 1, failed_attempts: 0 });
    expect(signedIn.current_sign_in_at).not.toBeNull();
  });

  it('[1/authentication/5] the API cannot make sessions', async () => {
    const user = await person();
    expect((await app.api('POST', '/session', { json: { login: user.username, password } })).status).toBe(404);
  });

  it('answers the same for a wrong password, an unknown user and one without a password', async () => {
    const user = await person();
    const none = await buildUser(app);
    expect(await signIn(user.username, 'wrong')).toMatchObject(wrong);
    expect(await signIn('nobody-at-all')).toMatchObject(wrong);
    expect(await signIn(none.username, '')).toMatchObject(wrong);
    expect(await signIn(user.username, 'x'.repeat(400))).toMatchObject(wrong);
    const array = await app.request('POST', '/-/session', { json: { login: [user.username], password } });
    expect(array.status).toBe(400);
    expect((await app.request('POST', '/-/session', { json: { login: user.username } })).status).toBe(400);
  });

  it('locks the account for a while after ten failures, also for the right password', async () => {
    const user = await person();
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await signIn(user.username, 'wrong')).status).toBe(401);
    expect(await signIn(user.username)).toMatchObject(wrong);
    const rows = () => app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    const locked = (await rows()).locked_until;
    expect(locked && locked.getTime() - Date.now()).toBeGreaterThan(9 * 60_000);
    const { secret } = await buildToken(app);
    expect((await app.api<{ locked: boolean }>('GET', `/users/${user.id}`, { token: secret })).body.locked).toBe(true);
    const past = new Date(Date.now() - 1000);
    await app.db.updateTable('users').set({ locked_until: past }).where('id', '=', user.id).execute();
    expect((await signIn(user.username, 'wrong')).status).toBe(401);
    expect((await rows()).failed_attempts).toBe(1);
    expect((await signIn(user.username)).status).toBe(201);
    expect(await rows()).toMatchObject({ failed_attempts: 0, locked_until: null });
  });

  it('guesses in parallel do not pass the limit', async () => {
    const user = await person();
    await Promise.all(Array.from({ length: 14 }, () => signIn(user.username, 'wrong')));
    expect(await signIn(user.username)).toMatchObject(wrong);
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(row.failed_attempts).toBe(10);
  });

  it('tells a blocked user only after the right password', async () => {
    const user = await person();
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    expect((await signIn(user.username, 'wrong')).status).toBe(401);
    expect((await signIn(user.username)).status).toBe(403);
  });

  it('refuses requests that a page of another site makes', async () => {
    const user = await person();
    const from = (headers: Record<string, string>) => signIn(user.username, password, headers);
    expect((await from({ Origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ Origin: 'null' })).status).toBe(403);
    expect((await from({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await from({ Origin: app.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(201);
  });

  it('can be switched off', async () => {
    const user = await person();
    await app.settings.write({ password_authentication_enabled_for_web: false });
    expect((await signIn(user.username)).status).toBe(403);
    await app.settings.write({ password_authentication_enabled_for_web: true });
    expect((await signIn(user.username)).status).toBe(201);
  });
});

describe('a session', () => {
  it('tells who is signed in, with the CSRF token', async () => {
    const user = await person();
    const { cookie, csrf } = await session(user);
    const get = (headers: Record<string, string>) => app.request<SessionBody>('GET', '/-/session', { headers });
    expect((await get({ Cookie: cookie })).body).toMatchObject({ user: { id: user.id }, csrf_token: csrf });
    expect((await get({})).body).toEqual(nobody);
    expect((await get({ Cookie: '_service_session=unknown' })).body).toEqual(nobody);
    expect(csrf).not.toContain(cookie.slice(cookie.indexOf('=') + 1));
  });

  it('makes access tokens of every scope for its user, which a token cannot', async () => {
    const { cookie, csrf } = await session(await person());
    const path = '/user/personal_access_tokens';
    const json = { name: 'work', scopes: ['api', 'write_repository'] };
    const made = await app.api<{ token: string; scopes: string[] }>('POST', path, {
      headers: { Cookie: cookie, 'X-CSRF-Token': csrf },
      json,
    });
    expect([made.status, made.body.scopes]).toEqual([201, ['api', 'write_repository']]);
    expect((await app.api('POST', path, { token: made.body.token, json })).status).toBe(400);
    const refused = { ...json, scopes: ['sudo'] };
    const answer = await app.api('POST', path, { headers: { Cookie: cookie, 'X-CSRF-Token': csrf }, json: refused });
    expect(answer.status).toBe(400);
  });

  it('[1/authentication/5] changes nothing without its CSRF token, in the API and on signing out', async () => {
    const user = await person();
    const { cookie, csrf } = await session(user);
    const other = await session(await person());
    const send = (token?: string) =>
      app.api('POST', '/user/personal_access_tokens', {
        headers: { Cookie: cookie, ...(token === undefined ? {} : { 'X-CSRF-Token': token }) },
        json: { name: 'x', scopes: ['k8s_proxy'] },
      });
    expect((await send()).status).toBe(401);
    expect((await send('wrong')).status).toBe(401);
    expect((await send(other.csrf)).status).toBe(401);
    expect((await send(csrf)).status).toBe(201);
    expect((await app.request('DELETE', '/-/session', { headers: { Cookie: cookie } })).status).toBe(401);
    const out = await app.request('DELETE', '/-/session', { headers: { Cookie: cookie, 'X-CSRF-Token': csrf } });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await app.api('GET', '/user', { headers: { Cookie: cookie } })).status).toBe(401);
    expect((await app.request('DELETE', '/-/session')).status).toBe(204);
  });

  it('[3/api.application-settings/8] who signed out is told where to go', async () => {
    const next = async (path: string | null) => {
      await app.settings.write({ after_sign_out_path: path });
      return (await app.request('DELETE', '/-/session')).headers.get('location');
    };
    expect(await next('https://intranet.example.com/bye?from=git')).toBe('https://intranet.example.com/bye?from=git');
    expect(await next('/help\nSet-Cookie: a=b')).toBe('/helpSet-Cookie:%20a=b');
    expect(await next('http://')).toBe(null);
    expect(await next(null)).toBe(null);
  });

  it('ends by itself, slides while it is used, and ends with a new password', async () => {
    const user = await person();
    const { cookie } = await session(user);
    const expiresIn = (milliseconds: number) =>
      app.db
        .updateTable('sessions')
        .set({ expires_at: new Date(Date.now() + milliseconds) })
        .where('user_id', '=', user.id)
        .execute();
    const me = () => app.api('GET', '/user', { headers: { Cookie: cookie } });
    await expiresIn(60_000);
    expect((await me()).status).toBe(200);
    await expect
      .poll(async () => {
        const row = await app.db.selectFrom('sessions').selectAll().where('user_id', '=', user.id).executeTakeFirst();
        return (row?.expires_at.getTime() ?? 0) - Date.now();
      })
      .toBeGreaterThan(6 * 86_400_000);
    expect(await app.identity.users.setPassword(user.username, 'another good password')).toBe(true);
    await expect.poll(async () => (await me()).status).toBe(401);
    const again = await signIn(user.username, 'another good password');
    expect(again.status).toBe(201);
    await expiresIn(-1000);
    await runTask(app, 'sessions.delete_expired');
    const left = await app.db.selectFrom('sessions').selectAll().where('user_id', '=', user.id).execute();
    expect(left).toEqual([]);
  });

  it('an expired one counts as none', async () => {
    const user = await person();
    const { cookie } = await session(user);
    await app.db
      .updateTable('sessions')
      .set({ expires_at: new Date(0) })
      .where('user_id', '=', user.id)
      .execute();
    expect((await app.api('GET', '/user', { headers: { Cookie: cookie } })).status).toBe(401);
    expect((await app.api('GET', `/users/${user.id}/status`, { headers: { Cookie: cookie } })).status).toBe(200);
  });
});

it('the cookie is for HTTPS only where the instance is', async () => {
  const secure = await startTestApp({ externalUrl: 'https://forge.example' });
  try {
    const user = await buildUser(secure, { password });
    const json = { login: user.username, password };
    const got = await secure.request('POST', '/-/session', { json, headers: { Origin: 'https://forge.example' } });
    expect(got.headers.get('set-cookie')).toMatch(/; Secure$/);
  } finally {
    await secure.close();
  }
});

describe('[3/api.application-settings/27 home_page_url] the start page', () => {
  const set = async (home_page_url: string | null) => {
    await app.settings.write({ home_page_url });
  };

  it('sends visitors to the home page of the instance, and nobody who is signed in', async () => {
    const { cookie } = await session(await person());
    const visit = async (headers: Record<string, string> = {}) => {
      const answer = await app.request('GET', '/?x=1', { headers });
      return [answer.status, answer.headers.get('location')];
    };
    try {
      await set('https://www.example.com/welcome');
      expect(await visit()).toEqual([302, 'https://www.example.com/welcome']);
      expect((await visit({ Cookie: cookie }))[1]).toBeNull();
      expect((await visit({ Cookie: '_service_session=x' }))[1]).toBe('https://www.example.com/welcome');
      // No circle.
      await set(`${app.url}/`);
      expect((await visit())[1]).toBeNull();
    } finally {
      await set(null);
    }
  });
});
