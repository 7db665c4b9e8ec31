/** Second factors, over HTTP and git's way of signing in. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestResponse } from '../../../../test/app.ts';
import { createAuthenticator } from '../../../../test/authenticator.ts';
import { buildAdmin, buildGroup, buildMember, buildToken, buildUser } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { User } from '../../../kernel/db/rows.ts';

// Keys are bound to a name; requests go to the address on which the application listens.
const site = 'https://millrace.example.com';
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ externalUrl: site });
});
afterAll(() => app.close());

const password = 'correct horse battery';
const person = () => buildUser(app, { password });

interface SessionBody {
  user: { id: number } | null;
  csrf_token: string | null;
  admin_mode: boolean | null;
  two_factor_required_until: string | null;
  two_factor: { challenge: string; methods: string[]; webauthn: { challenge: string } | null } | null;
}
interface Window {
  readonly cookie: string;
  readonly csrf: string;
}

const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  app.request<SessionBody>('POST', path, { json, headers });
const signIn = (user: User, secret = password) => post('/-/session', { login: user.username, password: secret });
const windowOf = (answer: TestResponse<SessionBody>): Window => ({
  cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
  csrf: answer.body.csrf_token ?? '',
});
const headersOf = ({ cookie, csrf }: Window) => ({ Cookie: cookie, 'X-CSRF-Token': csrf });
const own = <T>(method: 'GET' | 'POST' | 'DELETE', window: Window, path: string, json?: unknown) =>
  app.api<T>(method, path, { headers: headersOf(window), ...(json === undefined ? {} : { json }) });

/** The code of a moment; `step` looks ahead, because none counts twice. */
const codeOf = (secret: string, step = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + step * 30_000 });

/** Forgets which codes were used: what a test is about starts with a fresh clock. */
const rewind = (user: User) =>
  app.db.updateTable('totp_secrets').set({ last_step: null }).where('user_id', '=', user.id).execute();

async function withTotp(user?: User) {
  const someone = user ?? (await person());
  const window = windowOf(await signIn(someone));
  const started = await own<{ secret: string; uri: string }>('POST', window, '/user/two_factor/totp', {
    current_password: password,
  });
  expect(started.status).toBe(201);
  const { secret } = started.body;
  const confirmed = await own<{ recovery_codes: string[] }>('POST', window, '/user/two_factor/totp/confirm', {
    code: codeOf(secret),
  });
  expect(confirmed.status).toBe(201);
  await rewind(someone);
  return { user: someone, window, secret, uri: started.body.uri, codes: confirmed.body.recovery_codes };
}

async function challengeOf(user: User) {
  const answer = await signIn(user);
  if (answer.status !== 200 || !answer.body.two_factor) throw new Error(`no challenge: ${answer.status}`);
  return answer.body.two_factor;
}
const prove = (challenge: string, proof: object) => post('/-/session/two_factor', { challenge, ...proof });

describe('an authenticator application', () => {
  it('is confirmed with a code, and from then on a password alone opens nothing', async () => {
    const { user, window, uri, secret, codes } = await withTotp();
    expect(uri).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    expect(codes).toHaveLength(10);
    const state = await own('GET', window, '/user/two_factor');
    expect(state.body).toEqual({
      enabled: true,
      totp: true,
      security_keys: [],
      recovery_codes_left: 10,
      required_until: null,
    });
    const first = await signIn(user);
    expect(first.status).toBe(200);
    expect(first.headers.get('set-cookie')).toBeNull();
    expect(first.body).toMatchObject({
      user: null,
      csrf_token: null,
      two_factor: { methods: ['totp', 'recovery_code'] },
    });
    const second = await prove(first.body.two_factor?.challenge ?? '', { code: codeOf(secret) });
    expect(second).toMatchObject({ status: 201, body: { user: { id: user.id }, two_factor: null } });
    expect((await own('GET', windowOf(second), '/user')).status).toBe(200);
    const row = await app.db
      .selectFrom('totp_secrets')
      .selectAll()
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(row.secret_sealed.toString('latin1')).not.toContain(secret);
  });

  it('refuses a wrong code, one that was used, and a challenge that opened a session', async () => {
    const { user, secret } = await withTotp();
    const { challenge } = await challengeOf(user);
    expect((await prove(challenge, { code: '000000' })).status).toBe(401);
    const code = codeOf(secret);
    expect((await prove(challenge, { code })).status).toBe(201);
    await rewind(user);
    expect((await prove(challenge, { code: codeOf(secret, 1) })).body).toEqual({
      message: 'The sign-in took too long. Start again.',
    });
    const next = await challengeOf(user);
    expect((await prove(next.challenge, { code })).status).toBe(201);
    const third = await challengeOf(user);
    expect((await prove(third.challenge, { code })).status).toBe(401);
    expect((await prove('no-such-challenge', { code })).status).toBe(401);
    expect((await prove(third.challenge, {})).status).toBe(400);
    expect((await prove(third.challenge, { code, webauthn: {} })).status).toBe(400);
    expect((await prove(third.challenge, { code: [code] })).status).toBe(400);
  });

  it('counts wrong codes as failed sign-ins, and the right password in between does not start over', async () => {
    const { user, secret } = await withTotp();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { challenge } = await challengeOf(user);
      await prove(challenge, { code: '000000' });
    }
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(row.locked_until).not.toBeNull();
    expect((await signIn(user)).status).toBe(401);
    await app.db
      .updateTable('users')
      .set({ locked_until: null, failed_attempts: 0 })
      .where('id', '=', user.id)
      .execute();
    const { challenge } = await challengeOf(user);
    expect((await prove(challenge, { code: codeOf(secret) })).status).toBe(201);
  });

  it('guesses in parallel use up one challenge and one code', async () => {
    const { user, secret } = await withTotp();
    const { challenge } = await challengeOf(user);
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 6 }, () => prove(challenge, { code })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('is not let in once blocked, though the challenge is older', async () => {
    const { user, secret } = await withTotp();
    const { challenge } = await challengeOf(user);
    await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    expect((await prove(challenge, { code: codeOf(secret) })).status).toBe(401);
  });

  it('needs the password to be started, and stays when it is started again', async () => {
    const { window } = await withTotp();
    const start = (json: object) => own('POST', window, '/user/two_factor/totp', json);
    expect((await start({})).body).toEqual({ message: { current_password: ['is invalid'] } });
    expect((await start({ current_password: 'wrong' })).status).toBe(400);
    expect((await start({ current_password: password })).status).toBe(409);
    const user = await person();
    const fresh = windowOf(await signIn(user));
    expect((await own('POST', fresh, '/user/two_factor/totp/confirm', { code: '123456' })).status).toBe(400);
    const { body } = await own<{ secret: string }>('POST', fresh, '/user/two_factor/totp', {
      current_password: password,
    });
    expect((await own('POST', fresh, '/user/two_factor/totp/confirm', { code: '000000' })).status).toBe(400);
    expect((await signIn(user)).status).toBe(201);
    expect((await own('POST', fresh, '/user/two_factor/totp/confirm', { code: codeOf(body.secret) })).status).toBe(201);
  });
});

describe('recovery codes', () => {
  it('work once each, and new ones replace all', async () => {
    const { user, window, codes } = await withTotp();
    const [first = '', second = ''] = codes;
    const spaced = `${first.slice(0, 8)} ${first.slice(8).toUpperCase()}`;
    expect((await prove((await challengeOf(user)).challenge, { code: spaced })).status).toBe(201);
    expect((await prove((await challengeOf(user)).challenge, { code: first })).status).toBe(401);
    const made = await own<{ recovery_codes: string[] }>('POST', window, '/user/two_factor/recovery_codes', {
      current_password: password,
    });
    expect(made.status).toBe(201);
    expect((await prove((await challengeOf(user)).challenge, { code: second })).status).toBe(401);
    expect((await prove((await challengeOf(user)).challenge, { code: made.body.recovery_codes[0] })).status).toBe(201);
    const stored = await app.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id).execute();
    expect(stored).toHaveLength(9);
    expect(stored.every(({ code_sha256 }) => code_sha256.length === 32)).toBe(true);
  });

  it('are not made without a second factor', async () => {
    const window = windowOf(await signIn(await person()));
    const made = await own('POST', window, '/user/two_factor/recovery_codes', { current_password: password });
    expect(made.status).toBe(400);
  });
});

describe('a security key', () => {
  async function withKey(user?: User) {
    const someone = user ?? (await person());
    const window = windowOf(await signIn(someone));
    const { body } = await own<{ challenge: string; options: { challenge: string; rp: { id: string } } }>(
      'POST',
      window,
      '/user/two_factor/security_keys/challenge',
      { current_password: password },
    );
    const key = createAuthenticator(site);
    const added = await own<{ id: number; recovery_codes: string[] }>(
      'POST',
      window,
      '/user/two_factor/security_keys',
      {
        challenge: body.challenge,
        name: 'Keyring',
        credential: key.register(body.options),
      },
    );
    return { user: someone, window, key, added, started: body };
  }

  it('is registered once and opens a session with its signature', async () => {
    const { user, window, key, added, started } = await withKey();
    expect(added).toMatchObject({ status: 201, body: { name: 'Keyring', last_used_at: null } });
    expect(added.body.recovery_codes).toHaveLength(10);
    expect(started.options.rp.id).toBe('millrace.example.com');
    const again = await own('POST', window, '/user/two_factor/security_keys', {
      challenge: started.challenge,
      name: 'Again',
      credential: key.register(started.options),
    });
    expect(again.status).toBe(400);
    const waiting = await challengeOf(user);
    expect(waiting.methods).toEqual(['webauthn', 'recovery_code']);
    const options = waiting.webauthn ?? { challenge: '' };
    expect((await prove(waiting.challenge, { webauthn: key.assert(options) })).status).toBe(201);
    const state = await own<{ security_keys: { last_used_at: string | null }[] }>('GET', window, '/user/two_factor');
    expect(state.body.security_keys[0]?.last_used_at).toMatch(/Z$/);
  });

  it('refuses another key, another challenge, another site, a copied counter, and nonsense', async () => {
    const { user, key } = await withKey();
    const asked = async (proof: (options: { challenge: string }) => unknown) => {
      await app.db.updateTable('users').set({ failed_attempts: 0 }).where('id', '=', user.id).execute();
      const { challenge, webauthn } = await challengeOf(user);
      return (await prove(challenge, { webauthn: proof(webauthn ?? { challenge: '' }) })).status;
    };
    expect(await asked((options) => createAuthenticator(site).assert(options))).toBe(401);
    expect(await asked(() => key.assert({ challenge: 'AAAA' }))).toBe(401);
    const forged = createAuthenticator('http://evil.example');
    expect(await asked((options) => ({ ...forged.assert(options), id: key.id, rawId: key.id }))).toBe(401);
    expect(await asked((options) => key.assert(options, 10))).toBe(201);
    expect(await asked((options) => key.assert(options, 10))).toBe(401);
    expect(await asked((options) => key.assert(options, 11))).toBe(201);
    for (const nonsense of [{}, { id: key.id }, { id: key.id, response: { clientDataJSON: 'x' } }, { id: 7 }])
      expect(await asked(() => nonsense)).toBe(401);
  });

  it('is not offered where the instance has an address only', async () => {
    const plain = await startTestApp();
    try {
      const user = await buildUser(plain, { password });
      const json = { login: user.username, password };
      const window = windowOf(await plain.request<SessionBody>('POST', '/-/session', { json }));
      const asked = await plain.api('POST', '/user/two_factor/security_keys/challenge', {
        headers: headersOf(window),
        json: { current_password: password },
      });
      expect(asked.status).toBe(400);
    } finally {
      await plain.close();
    }
  });

  it('belongs to one person, and goes again', async () => {
    const { window, added } = await withKey();
    const other = windowOf(await signIn(await person()));
    const path = `/user/two_factor/security_keys/${added.body.id}`;
    expect((await own('DELETE', other, path, { current_password: password })).status).toBe(404);
    expect((await own('DELETE', window, path, {})).status).toBe(400);
    expect((await own('DELETE', window, path, { current_password: password })).status).toBe(204);
    expect((await own<{ enabled: boolean }>('GET', window, '/user/two_factor')).body.enabled).toBe(false);
  });
});

describe('security 15: side channels', () => {
  it('with a second factor a password is refused by git and the API, and right guesses are not told', async () => {
    const { user, secret, window } = await withTotp();
    const basic = (name: string, word: string) => app.identity.authenticateBasic(name, word, '127.0.0.1');
    expect(await basic(user.username, password)).toBeNull();
    expect(await basic(user.email, password)).toBeNull();
    expect(await basic(user.username, codeOf(secret))).toBeNull();
    const git = await app.request('GET', '/some/project.git/info/refs', {
      query: { service: 'git-upload-pack' },
      headers: { Authorization: `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}` },
    });
    expect(git.status).toBe(401);
    const sent: Record<string, string>[] = [{ Authorization: `Bearer ${password}` }, { 'PRIVATE-TOKEN': password }];
    for (const headers of sent) expect((await app.api('GET', '/user', { headers })).status).toBe(401);
    const token = await buildToken(app, { user });
    expect((await app.api('GET', '/user', { token: token.secret })).status).toBe(200);
    // A token of any scope does not reach the factors: whoever finds one cannot take them away.
    for (const [method, path] of [
      ['GET', '/user/two_factor'],
      ['DELETE', '/user/two_factor'],
      ['POST', '/user/two_factor/recovery_codes'],
    ] as const)
      expect((await app.api(method, path, { token: token.secret, query: { current_password: password } })).status).toBe(
        403,
      );
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(row.failed_attempts).toBe(0);
    expect((await own('GET', window, '/user')).status).toBe(200);
  });
});

describe('removing', () => {
  it('takes every factor with the password, one at a time or all', async () => {
    const { user, window } = await withTotp();
    expect((await own('DELETE', window, '/user/two_factor/totp', { current_password: 'wrong' })).status).toBe(400);
    expect((await own('DELETE', window, '/user/two_factor/totp', { current_password: password })).status).toBe(204);
    expect((await own('DELETE', window, '/user/two_factor', { current_password: password })).status).toBe(404);
    expect((await signIn(user)).status).toBe(201);
    const left = await app.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id).execute();
    expect(left).toEqual([]);
    const again = await withTotp(user);
    expect((await own('DELETE', again.window, '/user/two_factor', { current_password: password })).status).toBe(204);
    expect((await signIn(user)).status).toBe(201);
  });

  it('is an administrator’s help for those who lost theirs, but not for other administrators', async () => {
    const { user } = await withTotp();
    const admin = await buildAdmin(app, { password });
    const { secret } = await buildToken(app, { user: admin });
    const disable = (id: number, token: string | undefined) =>
      app.api('PATCH', `/users/${id}/disable_two_factor`, { token });
    expect((await disable(user.id, undefined)).status).toBe(401);
    expect((await disable(user.id, (await buildToken(app, { user })).secret)).status).toBe(403);
    expect((await disable(user.id, secret)).status).toBe(204);
    expect((await disable(user.id, secret)).status).toBe(400);
    expect((await disable(999_999, secret)).status).toBe(404);
    await withTotp(admin);
    expect((await disable(admin.id, secret)).status).toBe(403);
    expect((await signIn(user)).status).toBe(201);
  });
});

describe('enforcement', () => {
  beforeEach(() =>
    app.settings.write({
      require_two_factor_authentication: false,
      require_admin_two_factor_authentication: false,
      two_factor_grace_period: 48,
    }),
  );
  const overdue = (user: User) =>
    app.db
      .updateTable('users')
      .set({ two_factor_required_since: new Date(Date.now() - 49 * 3_600_000) })
      .where('id', '=', user.id)
      .execute();

  it('gives everybody the time that the setting names, then lets a session do nothing but set one up', async () => {
    const user = await person();
    expect((await signIn(user)).body.two_factor_required_until).toBeNull();
    await app.settings.write({ require_two_factor_authentication: true });
    const first = await signIn(user);
    const until = new Date(first.body.two_factor_required_until ?? 0).getTime();
    expect(until - Date.now()).toBeGreaterThan(47 * 3_600_000);
    expect((await own('GET', windowOf(first), '/user')).status).toBe(200);
    await overdue(user);
    const window = windowOf(await signIn(user));
    expect(await own('GET', window, '/user')).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - two-factor authentication has to be set up first' },
    });
    const token = await buildToken(app, { user });
    expect((await app.api('GET', '/user', { token: token.secret })).status).toBe(200);
    expect((await own('GET', window, '/user/two_factor')).status).toBe(200);
    await withTotp(user).catch(() => undefined);
    await expect.poll(async () => (await own('GET', window, '/user')).status).toBe(200);
  });

  it('comes from groups as well: a member of one below or above that asks has the shortest time', async () => {
    const top = await buildGroup(app);
    const below = await buildGroup(app, { parent: top });
    const user = await person();
    await buildMember(app, { user, of: below, level: Level.guest });
    await app.db
      .updateTable('namespaces')
      .set({ require_two_factor_authentication: true, two_factor_grace_period: 2 })
      .where('id', '=', top.id)
      .execute();
    const { two_factor_required_until: until } = (await signIn(user)).body;
    const hours = (new Date(until ?? 0).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThanOrEqual(2);
    await app.db
      .updateTable('namespaces')
      .set({ require_two_factor_authentication: false })
      .where('id', '=', top.id)
      .execute();
    expect((await signIn(user)).body.two_factor_required_until).toBeNull();
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(row.two_factor_required_since).toBeNull();
  });

  it('can ask administrators only', async () => {
    await app.settings.write({ require_admin_two_factor_authentication: true });
    expect((await signIn(await person())).body.two_factor_required_until).toBeNull();
    expect((await signIn(await buildAdmin(app, { password }))).body.two_factor_required_until).not.toBeNull();
  });
});

describe('admin mode', () => {
  beforeEach(() => app.settings.write({ admin_mode: false }));

  it('keeps an administrator’s rights from a session until the password is given again', async () => {
    const admin = await buildAdmin(app, { password });
    const window = windowOf(await signIn(admin));
    const asAdmin = async (of: Window) => (await own('GET', of, `/users/${admin.id}`)).body as { is_admin?: boolean };
    expect(await asAdmin(window)).toHaveProperty('is_admin', true);
    await app.settings.write({ admin_mode: true });
    const late = windowOf(await signIn(admin));
    expect(await asAdmin(late)).not.toHaveProperty('is_admin');
    const view = await app.request<SessionBody>('GET', '/-/session', { headers: { Cookie: late.cookie } });
    expect(view.body.admin_mode).toBe(false);
    const enter = (json: object, of = late) => post('/-/session/admin_mode', json, headersOf(of));
    expect((await enter({ password: 'wrong' })).status).toBe(401);
    expect((await post('/-/session/admin_mode', { password }, { Cookie: late.cookie })).status).toBe(401);
    expect(await enter({ password })).toMatchObject({ status: 201, body: { admin_mode: true } });
    expect(await asAdmin(late)).toHaveProperty('is_admin', true);
    await app.db
      .updateTable('sessions')
      .set({ admin_until: new Date(0) })
      .where('user_id', '=', admin.id)
      .execute();
    await expect.poll(() => asAdmin(late)).not.toHaveProperty('is_admin');
    expect((await enter({ password })).status).toBe(201);
    const left = await app.request('DELETE', '/-/session/admin_mode', { headers: headersOf(late) });
    expect(left.status).toBe(204);
    expect(await asAdmin(late)).not.toHaveProperty('is_admin');
    const nobody = windowOf(await signIn(await person()));
    expect((await enter({ password }, nobody)).status).toBe(403);
  });

  it('asks for the second factor too, and for the scope of a token', async () => {
    const { user: admin, secret, window } = await withTotp(await buildAdmin(app, { password }));
    await app.settings.write({ admin_mode: true });
    const enter = (json: object) => post('/-/session/admin_mode', json, headersOf(window));
    expect((await enter({ password })).status).toBe(401);
    expect((await enter({ password, code: codeOf(secret) })).status).toBe(201);
    const plain = await buildToken(app, { user: admin, scopes: ['api'] });
    const proven = await buildToken(app, { user: admin, scopes: ['api', 'admin_mode'] });
    const ask = async (token: string) => (await app.api('GET', `/users/${admin.id}`, { token })).body;
    expect(await ask(plain.secret)).not.toHaveProperty('is_admin');
    expect(await ask(proven.secret)).toHaveProperty('is_admin', true);
  });
});

describe('active sessions', () => {
  it('are listed and ended one by one or all but this one', async () => {
    const user = await person();
    const windows = [];
    for (let count = 0; count < 3; count += 1) windows.push(windowOf(await signIn(user)));
    const [here, there, elsewhere] = windows as [Window, Window, Window];
    const list = await own<{ id: number; current: boolean; ip_address: string }[]>('GET', here, '/user/sessions');
    expect(list.body).toHaveLength(3);
    expect(list.body.filter(({ current }) => current)).toHaveLength(1);
    expect(list.body[0]?.ip_address).toMatch(/127\.0\.0\.1/);
    const stranger = windowOf(await signIn(await person()));
    const ids = await own<{ id: number; current: boolean }[]>('GET', there, '/user/sessions');
    const thereId = ids.body.find(({ current }) => current)?.id ?? 0;
    expect((await own('DELETE', stranger, `/user/sessions/${thereId}`)).status).toBe(404);
    expect((await own('DELETE', here, `/user/sessions/${thereId}`)).status).toBe(204);
    expect((await own('GET', there, '/user')).status).toBe(401);
    expect((await own('GET', elsewhere, '/user')).status).toBe(200);
    expect((await own('DELETE', here, '/user/sessions')).status).toBe(204);
    expect((await own('GET', elsewhere, '/user')).status).toBe(401);
    expect((await own('GET', here, '/user')).status).toBe(200);
    const { secret } = await buildToken(app, { user });
    expect((await app.api('GET', '/user/sessions', { token: secret })).status).toBe(403);
  });
});
