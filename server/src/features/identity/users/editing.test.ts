/** Making and changing accounts, attribute by attribute. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildProject, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { type AttributeName, userAttributes } from './attributes.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let mail: MailServer;
let admin: { user: User; secret: string };
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const password = 'nine lives of a cat';
const names = () => {
  const username = unique('edit');
  return { username, name: 'Person', email: `${username}@example.com` };
};
const post = (json: Json) => app.api<Json>('POST', '/users', { token: admin.secret, json });
const put = (id: unknown, json: Json, token = admin.secret) => app.api<Json>('PUT', `/users/${id}`, { token, json });
const get = (id: unknown, token = admin.secret) => app.api<Json>('GET', `/users/${id}`, { token });
const row = (id: unknown) =>
  app.db.selectFrom('users').selectAll().where('id', '=', Number(id)).executeTakeFirstOrThrow();
const signIn = (login: string, secret: string) =>
  app.request<Json>('POST', '/-/session', { json: { login, password: secret } });
const events = async (id: unknown) => {
  const query = { entity_type: 'User', entity_id: id };
  const { body } = await app.api<Json[]>('GET', '/audit_events', { token: admin.secret, query });
  return body.map((event) => event.event_name);
};

describe('every attribute', () => {
  const plain = Object.entries(userAttributes).filter(([, { sample }]) => sample !== undefined);

  it.each(plain)('attribute %s is kept and returned, by creating and by changing', async (name, attribute) => {
    const { sample, stored, returned, as } = attribute;
    const made = await post({ ...names(), force_random_password: true, [name]: sample });
    expect(made.status).toBe(201);
    const other = await post({ ...names(), force_random_password: true });
    expect((await put(other.body.id, { [name]: sample })).status).toBe(200);
    for (const { body } of [made, other]) {
      const id = Number(body.id);
      const kept = (await row(id))[stored as keyof User];
      const expected = name === 'commit_email' ? `${id}-${body.username}@users.noreply.127.0.0.1` : sample;
      expect(kept).toBe(expected);
      const shown = (await get(id)).body;
      if (returned === null) expect(shown).not.toHaveProperty(name);
      else expect(shown[as ?? name]).toBe(expected);
    }
  });

  it('names for each effect a test that exists', () => {
    for (const [name, { effect, test }] of Object.entries(userAttributes))
      expect([name, effect === null || existsSync(join(import.meta.dirname, '../..', test ?? 'none'))]).toEqual([
        name,
        true,
      ]);
  });

  it('the commit address is the one in commits that the server makes', async () => {
    const user = await buildUser(app, { profile: { commit_email: '_private' } });
    const { secret } = await buildToken(app, { user });
    const json = { name: unique('committed'), initialize_with_readme: true };
    const project = await app.api<Json>('POST', '/projects', { token: secret, json });
    const commits = await app.api<Json[]>('GET', `/projects/${project.body.id}/repository/commits`, { token: secret });
    const address = `${user.id}-${user.username}@users.noreply.127.0.0.1`;
    expect(commits.body).toMatchObject([{ author_email: address, committer_email: address }]);
  });

  it('who sees which: the profile for everybody, the account for its owner, the rest for administrators', async () => {
    const all = Object.fromEntries(plain.map(([name, { sample }]) => [name, sample]));
    const made = await post({ ...names(), force_random_password: true, ...all, admin: false, private_profile: false });
    const { secret } = await buildToken(app, { user: await row(made.body.id) });
    const stranger = (await get(made.body.id, (await buildToken(app)).secret)).body;
    const self = (await app.api<Json>('GET', '/user', { token: secret })).body;
    for (const [name, { returned, as }] of Object.entries(userAttributes)) {
      const key = as ?? (name as AttributeName);
      expect([name, key in stranger]).toEqual([name, returned === 'profile']);
      expect([name, key in self]).toEqual([name, returned === 'profile' || returned === 'account']);
    }
    for (const hidden of ['email', 'note', 'identities', 'current_sign_in_ip', 'unconfirmed_email'])
      expect(stranger).not.toHaveProperty(hidden);
  });

  it('security 9: links that a page shows cannot run anything; addresses that nobody confirmed are not shown', async () => {
    const bad = ['javascript:alert(1)', 'data:text/html,x', 'not a url'];
    for (const website_url of bad)
      expect(await post({ ...names(), force_random_password: true, website_url })).toMatchObject({
        status: 400,
        body: { message: { website_url: ['must be a valid URL'] } },
      });
    const values = { ...names(), force_random_password: true };
    expect((await post({ ...values, public_email: 'other@example.com' })).body).toMatchObject({
      message: { public_email: ['is not an email you own'] },
    });
    expect((await post({ ...values, public_email: values.email })).body.public_email).toBe(values.email);
  });
});

describe('POST /users', () => {
  it('reset_password sends a link that sets the password once', async () => {
    const values = names();
    const made = await post({ ...values, reset_password: true, password: 'is not taken over' });
    expect(made.status).toBe(201);
    const { link } = await mail.next(values.email);
    expect(link).toContain(`${app.url}/users/password/edit?reset_password_token=`);
    expect((await signIn(values.username, 'is not taken over')).status).toBe(401);
    const reset_password_token = new URL(link ?? '').searchParams.get('reset_password_token');
    const use = () => app.request('PUT', '/-/password-reset', { json: { reset_password_token, password } });
    expect((await use()).status).toBe(200);
    expect((await use()).status).toBe(400);
    expect((await signIn(values.username, password)).status).toBe(201);
  });

  it('skip_confirmation false: the address counts for nothing until its link was opened', async () => {
    const values = names();
    const made = await post({ ...values, password, skip_confirmation: false });
    expect(made.body.confirmed_at).toBeNull();
    const { link } = await mail.next(values.email);
    const confirmation_token = new URL(link ?? '').searchParams.get('confirmation_token');
    const confirmed = await app.request('POST', '/-/confirmation', { json: { confirmation_token } });
    expect(confirmed).toMatchObject({ status: 200, body: { email: values.email } });
    expect((await get(made.body.id)).body.confirmed_at).toBeTypeOf('string');
    expect((await app.request('POST', '/-/confirmation', { json: { confirmation_token } })).status).toBe(400);
  });

  it('security 13: an identity is a provider with its unchanging id, and belongs to one account', async () => {
    const person = { provider: 'forge', extern_uid: unique('Uid') };
    const made = await post({ ...names(), force_random_password: true, ...person });
    expect(made.body.identities).toEqual([{ ...person, saml_provider_id: null }]);
    const find = async (query: Json) => {
      const got = await app.api<Json[]>('GET', '/users', { token: admin.secret, query });
      return got.status === 200 ? got.body.map(({ id }) => id) : got.status;
    };
    expect(await find(person)).toEqual([made.body.id]);
    expect(await find({ ...person, extern_uid: person.extern_uid.toLowerCase() })).toEqual([]);
    expect(await find({ ...person, provider: 'other' })).toEqual([]);
    expect(await find({ provider: 'forge' })).toBe(400);
    expect(await post({ ...names(), force_random_password: true, ...person })).toMatchObject({
      status: 400,
      body: { message: { 'identities.extern_uid': ['has already been taken'] } },
    });
    expect((await post({ ...names(), force_random_password: true, provider: 'forge' })).status).toBe(400);
    const plain = await buildToken(app);
    expect((await app.api('GET', '/users', { token: plain.secret, query: person })).status).toBe(403);
    const remove = (provider: string) =>
      app.api('DELETE', `/users/${made.body.id}/identities/${provider}`, { token: admin.secret });
    expect((await remove('other')).status).toBe(404);
    expect((await remove('forge')).status).toBe(204);
    expect(await find(person)).toEqual([]);
  });

  it('refuses passwords that anybody would guess, and those that break the rules of the instance', async () => {
    const values = names();
    for (const common of ['password123', '!Password123!', 'aaaaaaaaaa', `${values.username}1`])
      expect((await post({ ...values, password: common })).body).toMatchObject({
        message: { password: ['must not contain commonly used combinations of words and letters'] },
      });
    await app.settings.write({ password_number_required: true, password_uppercase_required: true });
    try {
      expect((await post({ ...values, password })).body).toMatchObject({
        message: { password: ['requires at least one number', 'requires at least one uppercase letter'] },
      });
      expect((await post({ ...values, password: 'Nine lives of 9 cats' })).status).toBe(201);
    } finally {
      await app.settings.write({ password_number_required: false, password_uppercase_required: false });
    }
  });
});

describe('PUT /users/:id', () => {
  it('renames: the namespace, the paths of projects and the private commit address move with the username', async () => {
    const user = await buildUser(app, { profile: { commit_email: '_private' } });
    const project = await buildProject(app, { owner: user, visibility: 'public' });
    const username = unique('renamed');
    const got = await put(user.id, { username, name: 'Somebody Else' });
    expect(got).toMatchObject({ status: 200, body: { username, name: 'Somebody Else' } });
    expect(got.body.commit_email).toBe(`${user.id}-${username}@users.noreply.127.0.0.1`);
    const moved = await app.api<Json>('GET', `/projects/${project.id}`, { token: admin.secret });
    expect(moved.body.path_with_namespace).toBe(`${username}/${project.path}`);
    expect((await get(user.id)).body).toMatchObject({ username });
  });

  it('a new address counts when it is confirmed; the one before is told', async () => {
    const user = await buildUser(app);
    const next = `${unique('next')}@example.com`;
    expect((await put(user.id, { email: next })).body).toMatchObject({ email: user.email, unconfirmed_email: next });
    const { link } = await mail.next(next);
    const confirmation_token = new URL(link ?? '').searchParams.get('confirmation_token');
    expect((await app.request('POST', '/-/confirmation', { json: { confirmation_token } })).status).toBe(200);
    expect((await get(user.id)).body).toMatchObject({ email: next, unconfirmed_email: null });
    expect((await mail.next(user.email)).header('Subject')).toBe('Your email address was changed');
    const third = `${unique('third')}@example.com`;
    expect((await put(user.id, { email: third, skip_reconfirmation: true })).body.email).toBe(third);
  });

  it('security 13: an address that somebody else confirmed meanwhile is not taken over by an old link', async () => {
    const user = await buildUser(app);
    const wanted = `${unique('wanted')}@example.com`;
    await put(user.id, { email: wanted });
    const { link } = await mail.next(wanted);
    await buildUser(app, { email: wanted });
    const confirmation_token = new URL(link ?? '').searchParams.get('confirmation_token');
    expect((await app.request('POST', '/-/confirmation', { json: { confirmation_token } })).status).toBe(400);
    expect((await get(user.id)).body.email).toBe(user.email);
  });

  it('a password set by an administrator ends sessions and must be changed at the next sign-in', async () => {
    const user = await buildUser(app, { password });
    const cookie = (await signIn(user.username, password)).headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await put(user.id, { password: 'set by an administrator' })).status).toBe(200);
    await expect.poll(async () => (await app.api('GET', '/user', { headers: { Cookie: cookie } })).status).toBe(401);
    expect(await signIn(user.username, 'set by an administrator')).toMatchObject({
      status: 403,
      body: { reason: 'password_expired' },
    });
    const git = await app.request('GET', `/${user.username}/x.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`${user.username}:set by an administrator`).toString('base64')}` },
    });
    expect(git.status).toBe(401);
    const change = (json: Json) =>
      app.request('PUT', '/-/session/password', { json: { login: user.username, ...json } });
    const old = 'set by an administrator';
    expect((await change({ password: 'wrong', new_password: password })).status).toBe(401);
    expect((await change({ password: old, new_password: old })).status).toBe(400);
    expect((await change({ password: old, new_password: password })).status).toBe(200);
    expect((await signIn(user.username, password)).status).toBe(201);
  });

  it('[1/errors/12] conflicts, missing users and bad values have their answers', async () => {
    const [user, other] = [await buildUser(app), await buildUser(app)];
    expect(await put(user.id, { email: other.email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    });
    expect(await put(user.id, { username: other.username })).toMatchObject({
      status: 409,
      body: { message: 'Username has already been taken' },
    });
    expect(await put(999_999, { name: 'x' })).toMatchObject({ status: 404, body: { message: '404 User Not Found' } });
    expect((await put(user.id, { name: ' ', username: '-x' })).body).toMatchObject({
      message: { name: ["can't be blank"], username: [expect.stringContaining('can contain only')] },
    });
    expect((await put(user.id, { email: ['a@example.com'] })).status).toBe(400);
    expect((await put(user.id, { name: 'x' }, (await buildToken(app)).secret)).status).toBe(403);
  });

  it('rights work at once, and the last administrator stays one', async () => {
    const { user, secret } = await buildToken(app);
    expect((await app.api('GET', '/runners/all', { token: secret })).status).toBe(403);
    await put(user.id, { admin: true });
    expect((await app.api('GET', '/runners/all', { token: secret })).status).toBe(200);
    await put(user.id, { admin: false });
    expect((await app.api('GET', '/runners/all', { token: secret })).status).toBe(403);
    await app.db.updateTable('users').set({ admin: false }).where('id', '<>', admin.user.id).execute();
    expect(await put(admin.user.id, { admin: false })).toMatchObject({
      status: 400,
      body: { message: { admin: ['cannot be taken from the last administrator'] } },
    });
  });

  it('external users see no internal projects', async () => {
    const project = await buildProject(app, { visibility: 'internal' });
    const { user, secret } = await buildToken(app);
    const status = async () => (await app.api('GET', `/projects/${project.id}`, { token: secret })).status;
    expect(await status()).toBe(200);
    await put(user.id, { external: true });
    expect(await status()).toBe(404);
  });

  it('external users make no groups and projects of their own', async () => {
    const { user, secret } = await buildToken(app);
    const own = { token: secret, json: { name: unique('own'), path: unique('own') } };
    const none = { can_create_group: false, can_create_project: false, projects_limit: 0 };
    const rights = async (json: Json) => (await put(user.id, json)).body;
    expect(await rights({ external: true, projects_limit: 3 })).toMatchObject(none);
    expect((await app.api('POST', '/groups', own)).status).toBe(403);
    expect((await app.api('POST', '/projects', own)).status).toBe(403);
    // What an administrator grants afterwards counts.
    expect(await rights({ projects_limit: 3 })).toMatchObject({ ...none, can_create_project: true, projects_limit: 3 });
    expect(await rights({ external: false, projects_limit: 5 })).toMatchObject({
      can_create_group: true,
      projects_limit: 5,
    });
    expect((await post({ ...names(), password, external: true })).body).toMatchObject(none);
  });

  it('leaves audit events that hold no secret', async () => {
    const user = await buildUser(app);
    await put(user.id, { name: 'Other', password: 'never in an event' });
    expect(await events(user.id)).toEqual(['user_password_updated', 'user_updated', 'user_created']);
    const rows = await app.db.selectFrom('audit_events').selectAll().where('entity_id', '=', user.id).execute();
    expect(JSON.stringify(rows)).not.toContain('never in an event');
    expect(JSON.stringify(rows)).not.toContain('argon2');
  });
});

describe('custom attributes', () => {
  it('are kept, found by, and shown to administrators who ask', async () => {
    const user = await buildUser(app);
    const path = `/users/${user.id}/custom_attributes`;
    const send = (method: 'GET' | 'PUT' | 'DELETE', key = '', json?: Json) =>
      app.api(method, `${path}${key}`, { token: admin.secret, json });
    const value = unique('Leeds');
    expect(await send('PUT', '/location', { value })).toMatchObject({ status: 200, body: { key: 'location', value } });
    expect((await send('PUT', '/location', {})).status).toBe(400);
    expect((await send('GET', '/location')).body).toEqual({ key: 'location', value });
    expect((await send('GET', '/absent')).status).toBe(404);
    expect((await send('GET')).body).toEqual([{ key: 'location', value }]);
    const query = { custom_attributes: undefined, 'custom_attributes[location]': value, with_custom_attributes: true };
    const found = await app.api<Json[]>('GET', '/users', { token: admin.secret, query });
    expect(found.body).toMatchObject([{ id: user.id, custom_attributes: [{ key: 'location', value }] }]);
    const plain = (await buildToken(app)).secret;
    expect((await app.api('GET', path, { token: plain })).status).toBe(403);
    const one = { with_custom_attributes: true };
    expect((await app.api('GET', `/users/${user.id}`, { token: plain, query: one })).body).not.toHaveProperty(
      'custom_attributes',
    );
    expect((await send('DELETE', '/location')).status).toBe(204);
    expect((await send('DELETE', '/location')).status).toBe(404);
  });
});
