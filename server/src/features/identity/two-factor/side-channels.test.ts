/** An account with a second factor, and every other way in: none opens with the password, none takes the factor away. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestResponse } from '../../../../test/app.ts';
import { buildAdmin, buildMember, buildToken, buildUser } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { noteRequirement } from './two-factor.queries.ts';

let app: TestApp;
let mail: MailServer;
let project: RepositoryProject;
let user: User;
let secret: string;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  project = await buildRepositoryProject(app);
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const password = 'correct horse battery';
const next = 'eight arms of a squid';
interface SessionBody {
  readonly user: { readonly id: number } | null;
  readonly csrf_token: string | null;
  readonly two_factor: { readonly challenge: string } | null;
}
type Answer = TestResponse<SessionBody>;

const signIn = (word = password, more: object = {}) =>
  app.request<SessionBody>('POST', '/-/session', { json: { login: user.username, password: word, ...more } });
const headersOf = (answer: Answer) => ({
  Cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
  'X-CSRF-Token': answer.body.csrf_token ?? '',
});
const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
/** The second step of a sign-in that waits for it. */
const prove = async (answer: Answer) => {
  // Codes count once; what a test is about starts with a fresh clock.
  await app.db.updateTable('totp_secrets').set({ last_step: null }).where('user_id', '=', user.id).execute();
  const json = { challenge: answer.body.two_factor?.challenge ?? '', code: code() };
  return await app.request<SessionBody>('POST', '/-/session/two_factor', { json });
};
const enable = async (headers: Record<string, string>) => {
  const json = { current_password: password };
  secret = (await app.api<{ secret: string }>('POST', '/user/two_factor/totp', { headers, json })).body.secret;
  const confirmed = await app.api('POST', '/user/two_factor/totp/confirm', { headers, json: { code: code() } });
  expect(confirmed.status).toBe(201);
};
/** That a password, and this one, waits for the second factor and opens nothing by itself. */
const expectWaiting = (answer: Answer) => {
  expect(answer).toMatchObject({ status: 200, body: { user: null, csrf_token: null } });
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.body.two_factor?.challenge).toEqual(expect.any(String));
};
const isEnabled = async () =>
  (await app.db.selectFrom('users').select('two_factor_enabled').where('id', '=', user.id).executeTakeFirstOrThrow())
    .two_factor_enabled;
const basic = (name: string, word: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`,
});

beforeEach(async () => {
  user = await buildUser(app, { password });
  await buildMember(app, { user, of: await project.row(), level: Level.maintainer });
  await enable(headersOf(await signIn()));
});

describe('security 15: with a second factor', () => {
  it('git over HTTP takes no password, to read or to write, under any name; a token it does', async () => {
    const ask = async (service: string, name: string, word: string) =>
      (
        await app.request('GET', `/${project.fullPath}.git/info/refs`, {
          query: { service },
          headers: basic(name, word),
        })
      ).status;
    const token = (await buildToken(app, { user })).secret;
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      for (const name of [user.username, user.username.toUpperCase(), user.email])
        for (const word of [password, code(), `${password}${code()}`])
          expect([service, name, await ask(service, name, word)]).toEqual([service, name, 401]);
      expect(await ask(service, user.username, token)).toBe(200);
    }
    const other = await buildUser(app, { password });
    await buildMember(app, { user: other, of: await project.row(), level: Level.maintainer });
    expect(await ask('git-upload-pack', other.username, password)).toBe(200);
  });

  it('the API takes no password, as Basic, as a token of any kind or as a parameter', async () => {
    const url = `/projects/${project.id}`;
    for (const headers of [
      basic(user.username, password),
      { Authorization: `Bearer ${password}` },
      { 'PRIVATE-TOKEN': password },
      { 'JOB-TOKEN': password },
      { Cookie: `_service_session=${encodeURIComponent(password)}` },
    ] as Record<string, string>[]) {
      expect((await app.api('GET', '/user', { headers })).status).toBe(401);
      expect([401, 404]).toContain((await app.api('GET', url, { headers })).status);
    }
    const query = { login: user.username, password, private_token: password };
    expect((await app.api('GET', '/user', { query })).status).toBe(401);
    expect((await app.api('POST', '/session', { json: { login: user.username, password } })).status).toBe(404);
  });

  it('a sign-in without the second step is nobody, also where it is to be remembered', async () => {
    for (const remember of [false, true]) {
      const waiting = await signIn(password, { remember });
      expectWaiting(waiting);
      const challenge = waiting.body.two_factor?.challenge ?? '';
      for (const name of ['_service_session', '_gitlab_session', 'remember_user_token']) {
        const headers = { Cookie: `${name}=${challenge}` };
        expect((await app.api('GET', '/user', { headers })).status).toBe(401);
        expect((await app.request<SessionBody>('GET', '/-/session', { headers })).body.user).toBeNull();
      }
      expect((await app.api('GET', '/user', { token: challenge })).status).toBe(401);
      const proven = await prove(waiting);
      expect(proven.status).toBe(201);
      expect(/Max-Age=\d/.test(proven.headers.get('set-cookie') ?? '')).toBe(remember);
    }
  });

  it('a remembered session that ended does not come back without the second step', async () => {
    const headers = headersOf(await prove(await signIn(password, { remember: true })));
    expect((await app.api('GET', '/user', { headers })).status).toBe(200);
    expect((await app.request('DELETE', '/-/session', { headers })).status).toBe(204);
    expect((await app.api('GET', '/user', { headers })).status).toBe(401);
    expectWaiting(await signIn(password, { remember: true }));
  });

  it('a new password by mail signs nobody in and leaves the factor', async () => {
    await app.request('POST', '/-/password-reset', { json: { email: user.email } });
    const link = new URL((await mail.next(user.email)).link ?? '');
    const json = { reset_password_token: link.searchParams.get('reset_password_token'), password: next };
    const used = await app.request<SessionBody>('PUT', '/-/password-reset', { json });
    expect([used.status, used.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await isEnabled()).toBe(true);
    const waiting = await signIn(next);
    expectWaiting(waiting);
    expect((await prove(waiting)).status).toBe(201);
  });

  it('changing the password, oneself or through an administrator, leaves the factor', async () => {
    const headers = headersOf(await prove(await signIn()));
    const change = { current_password: password, password: next };
    expect((await app.api('PUT', '/user/password', { headers, json: change })).status).toBe(204);
    expectWaiting(await signIn(next));
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const json = { password: 'ten legs of a crab' };
    expect((await app.api('PUT', `/users/${user.id}`, { token: admin.secret, json })).status).toBe(200);
    expect(await isEnabled()).toBe(true);
    // What an administrator chose has to be changed at once, by mail or here: it opens nothing before.
    const refused = await signIn(json.password);
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
  });

  it('neither a token nor an administrator acting as the person reaches the factors', async () => {
    const boss = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'sudo', 'admin_mode'] });
    const mine = await buildToken(app, { user });
    const json = { current_password: password, code: code() };
    for (const [method, path] of [
      ['DELETE', '/user/two_factor'],
      ['POST', '/user/two_factor/totp'],
      ['DELETE', '/user/two_factor/totp'],
      ['POST', '/user/two_factor/recovery_codes'],
      ['POST', '/user/two_factor/security_keys/challenge'],
      ['PUT', '/user/password'],
    ] as const) {
      const as = { token: boss.secret, headers: { Sudo: user.username }, json };
      expect([path, (await app.api(method, path, as)).status]).toEqual([path, 403]);
      expect([path, (await app.api(method, path, { token: mine.secret, json })).status]).toEqual([path, 403]);
    }
    expect(await isEnabled()).toBe(true);
  });

  it('admin mode of a token or a session needs more than the password', async () => {
    await app.db.updateTable('users').set({ admin: true }).where('id', '=', user.id).execute();
    await app.settings.write({ admin_mode: true });
    const headers = headersOf(await prove(await signIn()));
    const enter = (json: object) => app.request('POST', '/-/session/admin_mode', { headers, json });
    expect((await enter({ password })).status).toBe(401);
    expect((await enter({ password, code: '000000' })).status).toBe(401);
    expect((await app.api('GET', '/application/settings', { headers })).status).toBe(403);
    await app.db.updateTable('totp_secrets').set({ last_step: null }).where('user_id', '=', user.id).execute();
    expect((await enter({ password, code: code() })).status).toBe(201);
    expect((await app.api('GET', '/application/settings', { headers })).status).toBe(200);
    await app.settings.write({ admin_mode: false });
  });
});

it('security 15: the time to set one up never begins later than the moment in which it was noted', async () => {
  // now() stands still inside a transaction; rounded up, it would lie ahead in half of them.
  for (let time = 0; time < 20; time += 1) {
    const { id } = await buildUser(app);
    const ahead = await transaction(app.db, async (tx) => {
      await noteRequirement(tx, id);
      const row = tx.selectFrom('users').select('id').where('id', '=', id);
      return await row.where('two_factor_required_since', '>', ({ fn }) => fn<Date>('now')).executeTakeFirst();
    });
    expect(ahead).toBeUndefined();
  }
});
