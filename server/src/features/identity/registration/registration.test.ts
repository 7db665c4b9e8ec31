/** Signing up, new passwords, and the notice of an unknown sign-in: what the pages before the sign-in call. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import { defaultSettings } from '../../../kernel/settings/index.ts';
import { addressAllowed } from './registration.service.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let mail: MailServer;
let admin: { user: User; secret: string };
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({
    background: true,
    environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off`, MILLRACE_TRUSTED_PROXIES: '127.0.0.1' },
  });
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const changed = new Map<keyof ApplicationSettings, unknown>();
const settings = async (values: Partial<ApplicationSettings>) => {
  for (const name of Object.keys(values) as (keyof ApplicationSettings)[]) changed.set(name, defaultSettings[name]);
  await app.settings.write(values);
};
afterEach(async () => {
  await app.settings.write(Object.fromEntries(changed));
  changed.clear();
});

const password = 'nine lives of a cat';
const person = () => {
  const username = unique('signup');
  return { username, name: 'New Person', email: `${username}@example.com`, password };
};
const signUp = (json: Json, headers: Record<string, string> = {}) =>
  app.request<Json>('POST', '/-/registration', { json, headers });
const signIn = (login: string, more: Json = {}, headers: Record<string, string> = {}) =>
  app.request<Json>('POST', '/-/session', { json: { login, password, ...more }, headers });
const parameter = (link: string | null, name: string) => new URL(link ?? '').searchParams.get(name);

describe('signing up', () => {
  it('waits for an administrator, who is told; approved, the person is told and gets in', async () => {
    const values = person();
    expect(await signUp(values)).toMatchObject({
      status: 201,
      body: { username: values.username, state: 'blocked_pending_approval' },
    });
    expect((await mail.next(admin.user.email)).text).toContain(values.username);
    expect(await signIn(values.username)).toMatchObject({ status: 403, body: { reason: 'waits' } });
    const user = await app.identity.users.find(values.username);
    await app.api('POST', `/users/${user?.id}/approve`, { token: admin.secret });
    expect((await mail.next(values.email)).header('Subject')).toBe('Your account was approved');
    expect((await signIn(values.username)).status).toBe(201);
    expect(user).toMatchObject({ admin: false, created_by_id: null });
  });

  it('is open where no approval is wanted, and closed where it is switched off', async () => {
    await settings({ require_admin_approval_after_user_signup: false });
    const values = person();
    expect((await signUp(values)).body).toMatchObject({ state: 'active', confirmed: true });
    expect((await signIn(values.username)).status).toBe(201);
    await settings({ signup_enabled: false });
    expect((await signUp(person())).status).toBe(403);
    const about = await app.request<Json>('GET', '/-/registration');
    expect(about.body).toMatchObject({ signup_enabled: false, password_reset_enabled: true, terms_html: null });
  });

  it('takes no rights, names what is wrong, and only from pages of this instance', async () => {
    await settings({ require_admin_approval_after_user_signup: false });
    const values = person();
    expect((await signUp({ ...values, admin: true, confirmed_at: 'now', state: 'active' })).status).toBe(201);
    expect((await app.identity.users.find(values.username))?.admin).toBe(false);
    expect(await signUp({ ...person(), username: values.username })).toMatchObject({ status: 409 });
    expect(await signUp({ ...person(), email: values.email })).toMatchObject({ status: 409 });
    expect((await signUp({ ...person(), password: 'short', username: '-' })).body).toMatchObject({
      message: { password: [expect.stringContaining('too short')], username: [expect.any(String)] },
    });
    expect((await signUp({ ...person(), email: ['a@example.com', 'b@example.com'] })).status).toBe(400);
    expect((await signUp(person(), { Origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await signUp({ username: 'x' })).status).toBe(400);
  });

  it('security 13: with confirmation nobody gets in before the address is proved', async () => {
    await settings({ require_admin_approval_after_user_signup: false, email_confirmation_setting: 'hard' });
    const values = person();
    expect((await signUp(values)).body).toMatchObject({ state: 'active', confirmed: false });
    expect(await signIn(values.username)).toMatchObject({ status: 403, body: { reason: 'unconfirmed' } });
    const first = (await mail.next(values.email)).link;
    const past = { confirmation_sent_at: new Date(Date.now() - 120_000) };
    await app.db.updateTable('users').set(past).where('username', '=', values.username).execute();
    const again = (email: unknown) => app.request('POST', '/-/confirmation/message', { json: { email } });
    const known = await again(values.email);
    expect(known).toMatchObject({ status: 202, body: (await again('nobody@example.com')).body });
    const second = (await mail.next(values.email)).link;
    const confirm = (link: string | null) =>
      app.request('POST', '/-/confirmation', { json: { confirmation_token: parameter(link, 'confirmation_token') } });
    expect((await confirm(first)).status).toBe(400);
    expect((await confirm(second)).status).toBe(200);
    expect((await signIn(values.username)).status).toBe(201);
    await settings({ email_confirmation_setting: 'soft' });
    const soft = person();
    await signUp(soft);
    expect((await signIn(soft.username)).status).toBe(201);
    const old = { created_at: new Date(Date.now() - 4 * 86_400_000) };
    await app.db.updateTable('users').set(old).where('username', '=', soft.username).execute();
    expect((await signIn(soft.username)).body).toMatchObject({ reason: 'unconfirmed' });
  });

  it('asks for the terms where there are some, also those who were there before', async () => {
    const before = await buildUser(app, { password });
    const { secret: token } = await buildToken(app, { user: before });
    const { secret: ofAdmin } = await buildToken(app, { user: await buildAdmin(app) });
    const status = async (given: string) => (await app.api('GET', '/user', { token: given })).status;
    expect(await status(token)).toBe(200);
    await settings({ require_admin_approval_after_user_signup: false, enforce_terms: true, terms: 'Be kind.' });
    expect((await app.request<Json>('GET', '/-/registration')).body.terms_html).toBe('<p>Be kind.</p>\n');
    const values = person();
    expect(await signUp(values)).toMatchObject({ status: 400, body: { message: { terms: ['must be accepted'] } } });
    expect((await signUp({ ...values, terms_accepted: true })).status).toBe(201);
    expect((await signIn(values.username)).status).toBe(201);
    expect(await signIn(before.username)).toMatchObject({ status: 403, body: { reason: 'terms' } });
    expect(await app.api('GET', '/user', { token })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('must accept the Terms of Service') },
    });
    // Or nobody could take the terms away again.
    expect(await status(ofAdmin)).toBe(200);
    expect((await signIn(before.username, { accept_terms: true })).status).toBe(201);
    expect(await status(token)).toBe(200);
    expect((await signIn(before.username)).status).toBe(201);
  });

  it('keeps to the lists of domains and the restriction of addresses', async () => {
    const refused = {
      status: 400,
      body: { message: { email: [expect.stringContaining('is not allowed for sign-up')] } },
    };
    await settings({ domain_allowlist: ['corp.example', '*.corp.example'] });
    expect(await signUp(person())).toMatchObject(refused);
    const values = person();
    expect((await signUp({ ...values, email: `${values.username}@sub.corp.example` })).status).toBe(201);
    const none = { ...defaultSettings };
    const deny = { ...none, domain_denylist_enabled: true, domain_denylist: ['*.bad.example', 'worse.example'] };
    expect(addressAllowed('a@x.bad.example', deny)).toBe(false);
    expect(addressAllowed('a@WORSE.example', deny)).toBe(false);
    expect(addressAllowed('a@notbad.example', deny)).toBe(true);
    expect(addressAllowed('a@x.bad.example', { ...deny, domain_denylist_enabled: false })).toBe(true);
    const restricted = { ...none, email_restrictions_enabled: true, email_restrictions: '\\+.*@|@temp\\.' };
    expect(addressAllowed('a+b@example.com', restricted)).toBe(false);
    expect(addressAllowed('a@TEMP.example', restricted)).toBe(false);
    expect(addressAllowed('a@example.com', restricted)).toBe(true);
    expect(addressAllowed('a@example.com', { ...restricted, email_restrictions: '(' })).toBe(false);
    const started = process.cpuUsage();
    addressAllowed(`${'a'.repeat(10_000)}@example.com`, { ...restricted, email_restrictions: '(a+)+$' });
    // Trying every way through would take for ever; how busy the machine is does not matter.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
  });
});

describe('a new password by mail', () => {
  const ask = (email: unknown) => app.request<Json>('POST', '/-/password-reset', { json: { email } });
  const use = (reset_password_token: unknown, secret: unknown = 'eight arms of a squid') =>
    app.request('PUT', '/-/password-reset', { json: { reset_password_token, password: secret } });
  const linkFor = async (user: User) => {
    await ask(user.email);
    return parameter((await mail.next(user.email)).link, 'reset_password_token');
  };

  it('security 12: arrays and lists of addresses are refused; mail goes to the stored address alone', async () => {
    const user = await buildUser(app, { password });
    for (const email of [[user.email, 'evil@example.com'], { 0: user.email }, `${user.email},evil@example.com`])
      expect((await ask(email)).status).toBe(400);
    const form = { 'email[]': user.email };
    expect((await app.request('POST', '/-/password-reset', { form })).status).toBe(400);
    await ask(user.email.toUpperCase());
    expect((await mail.next(user.email)).to).toEqual([user.email]);
    expect(mail.received.flatMap(({ to }) => to)).not.toContain('evil@example.com');
  });

  it('security 12: an address that was added, confirmed or not, gets no link', async () => {
    const { user, secret } = await buildToken(app);
    const second = `${unique('second')}@example.com`;
    const json = { email: second, skip_confirmation: true };
    await app.api('POST', `/users/${user.id}/emails`, { token: admin.secret, json });
    const third = `${unique('third')}@example.com`;
    await app.api('POST', '/user/emails', { token: secret, json: { email: third } });
    await mail.next(third);
    await ask(second);
    await ask(third);
    await linkFor(await buildUser(app));
    expect(mail.received.filter(({ to }) => to.includes(second) || to.includes(third))).toHaveLength(1);
  });

  it('security 12: answers the same for an unknown address, and keeps only the hash of the link', async () => {
    const user = await buildUser(app, { password });
    const known = await ask(user.email);
    const unknown = await ask('nobody-at-all@example.com');
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    const token = parameter((await mail.next(user.email)).link, 'reset_password_token') ?? '';
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect(app.logs.join()).not.toContain(token);
  });

  it('works once, ends sessions and an account’s lock, and the person is told', async () => {
    const user = await buildUser(app, { password });
    const Cookie = (await signIn(user.username)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const locked = { failed_attempts: 10, locked_until: new Date(Date.now() + 600_000) };
    await app.db.updateTable('users').set(locked).where('id', '=', user.id).execute();
    const token = await linkFor(user);
    expect((await use(token, 'short')).status).toBe(400);
    const both = await Promise.all([use(token), use(token, 'ten legs of a crab')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await use(token)).status).toBe(400);
    expect((await mail.next(user.email)).header('Subject')).toBe('Your password was changed');
    expect((await app.api('GET', '/user', { headers: { Cookie } })).status).toBe(401);
    expect((await signIn(user.username)).status).toBe(401);
    const secret = both[0]?.status === 200 ? 'eight arms of a squid' : 'ten legs of a crab';
    expect((await signIn(user.username, { password: secret })).status).toBe(201);
  });

  it('ends by itself, with a newer one, and with the account', async () => {
    const user = await buildUser(app, { password });
    const quiet = (milliseconds: number) =>
      app.db
        .updateTable('users')
        .set({ reset_password_sent_at: new Date(Date.now() - milliseconds) })
        .where('id', '=', user.id)
        .execute();
    const first = await linkFor(user);
    await quiet(120_000);
    const second = await linkFor(user);
    expect((await use(first)).status).toBe(400);
    await quiet(49 * 3_600_000);
    expect((await use(second)).status).toBe(400);
    await quiet(120_000);
    await app.api('POST', `/users/${user.id}/block`, { token: admin.secret });
    expect((await use(second)).status).toBe(400);
    for (const wrong of ['', 'nonsense']) expect((await use(wrong)).status).toBe(400);
    expect((await use(['a'])).status).toBe(400);
    expect((await use(null)).status).toBe(400);
  });

  it('is not offered where no mail can be sent', async () => {
    const silent = await startTestApp();
    try {
      const got = await silent.request<Json>('POST', '/-/password-reset', { json: { email: 'a@example.com' } });
      expect(got).toMatchObject({ status: 422, body: { message: expect.stringContaining('No mail server') } });
      expect((await silent.request<Json>('GET', '/-/registration')).body.password_reset_enabled).toBe(false);
      await silent.settings.write({ email_confirmation_setting: 'hard' });
      const answer = await silent.request('POST', '/-/registration', { json: person() });
      expect(answer.status).toBe(422);
    } finally {
      await silent.close();
    }
  });
});

describe('the notice of an unknown sign-in', () => {
  it('goes out once for each new address, not for the first sign-in, and not where it is switched off', async () => {
    const user = await buildUser(app, { password });
    const from = (address: string) =>
      signIn(user.username, {}, { 'X-Forwarded-For': address, 'User-Agent': 'Browser <1>' });
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1'])
      expect((await from(address)).status).toBe(201);
    const notice = await mail.next(user.email);
    expect(notice.header('Subject')).toBe('Somebody signed in from a new place');
    expect(notice.text).toContain('192.0.2.2');
    expect(notice.html).toContain('Browser &lt;1&gt;');
    await settings({ notify_on_unknown_sign_in: false });
    await from('192.0.2.3');
    await app.db.transaction().execute((tx) => app.mail.send(tx, { to: user.email, subject: 'last', paragraphs: [] }));
    expect((await mail.next(user.email)).header('Subject')).toBe('last');
    const details = await app.api('GET', `/users/${user.id}`, { token: admin.secret });
    expect(details.body).toMatchObject({
      sign_in_count: 5,
      current_sign_in_ip: '192.0.2.3',
      last_sign_in_ip: '192.0.2.1',
    });
  });
});
